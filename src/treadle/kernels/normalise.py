"""Normalisations of channels: x is N x C and any number of spatial axes."""

from __future__ import annotations

import math

from treadle.errors import LaunchError
from treadle.kernels.activation import layer_norm
from treadle.kernels.check import REAL
from treadle.lang.decorators import composite, pointwise

__all__: list[str] = []


@pointwise(name="_normalised", results="float")
def normalised(x, mean, variance, scale, bias, *, eps):
    """(x - mean) / sqrt(variance + eps) * scale + bias."""
    return (x - mean) / sqrt(variance + eps) * scale + bias


@pointwise(name="_scaled", results="float")
def scaled_channels(x, scale, bias):
    """x * scale + bias."""
    return x * scale + bias


def channels(x, values, what):
    """One value for each channel, so that they broadcast with x; others are refused."""
    if x.ndim < 2:
        raise LaunchError(f"{what}: x must be N x C and more, got shape {x.shape}")
    for name, each in values.items():
        if each.shape != (x.shape[1],) or each.dtype != x.dtype:
            raise LaunchError(
                f"{what}: {name} must be {x.dtype} with a value for each of {x.shape[1]} channels, "
                f"got {each.dtype} {each.shape}"
            )
    return [each.reshape((x.shape[1],) + (1,) * (x.ndim - 2)) for each in values.values()]


@composite(ranges={"eps": (0.0, None)}, takes=REAL, dtype="x", gives="that of x")
def batch_norm(x, scale, bias, mean, variance, *, eps=1e-5):
    """(x - mean) / sqrt(variance + eps) * scale + bias, with one value of each for every channel,
    as ONNX's BatchNormalization and networks that have been trained."""
    given = {"mean": mean, "variance": variance, "scale": scale, "bias": bias}
    return normalised(x, *channels(x, given, "batch_norm"), eps=eps)


@composite(
    ranges={"groups": (1, None), "eps": (0.0, None)},
    takes=REAL,
    dtype="x",
    gives="that of x",
)
def group_norm(x, scale, bias, *, groups, eps=1e-5):
    """(x - mean) / sqrt(variance + eps) * scale + bias, with mean and variance of each group of
    neighbouring channels of each of N, and scale and bias for each channel."""
    parts = channels(x, {"scale": scale, "bias": bias}, "group_norm")
    if x.shape[1] % groups:
        raise LaunchError(
            f"group_norm: groups must divide the {x.shape[1]} channels of x, got {groups}"
        )
    rows = x.reshape((x.shape[0] * groups, x.shape[1] // groups * math.prod(x.shape[2:])))
    return scaled_channels(layer_norm(rows, eps=eps).reshape(tuple(x.shape)), *parts)


@composite(ranges={"eps": (0.0, None)}, takes=REAL, dtype="x", gives="that of x")
def instance_norm(x, scale, bias, *, eps=1e-5):
    """(x - mean) / sqrt(variance + eps) * scale + bias, with mean and variance of each channel of
    each of N, and scale and bias for each channel."""
    parts = channels(x, {"scale": scale, "bias": bias}, "instance_norm")
    rows = x.reshape((x.shape[0] * x.shape[1], math.prod(x.shape[2:])))
    return scaled_channels(layer_norm(rows, eps=eps).reshape(tuple(x.shape)), *parts)
