"""Activations of neural networks, and normalisations along an axis."""

from __future__ import annotations

from treadle.kernels.check import NUMBER
from treadle.lang.decorators import pointwise, rowwise

__all__: list[str] = []


@pointwise(dtype="x", ranges={"slope": NUMBER})
def relu(x, *, slope=0.0):
    """max(x, 0), or slope * x where x is negative (a leaky ReLU for slope > 0); NaN stays NaN."""
    below = slope * x
    if x.dtype == "s32":
        below = s32(below)
    if x.dtype == "s64":
        below = s64(below)
    if x.dtype == "u32":
        below = u32(below)
    return x if x > 0 or x != x else (below if slope != 0 else 0)


@pointwise(results="float")
def sigmoid(x):
    """1 / (1 + exp(-x))."""
    return 1.0 / (1.0 + exp(-x))


@pointwise(name="tanh", results="float")
def hyperbolic_tangent(x):
    """Hyperbolic tangent."""
    return tanh(x)


@pointwise(results="float")
def gelu(x):
    """x * Phi(x) with the exact normal distribution: 0.5 * x * (1 + erf(x / sqrt(2))); 0 at
    -inf."""
    x = maximum(x, -1e3)  # far beyond where Phi is 0, and 0 times it is not NaN
    return 0.5 * x * (1.0 + erf(x * 0.7071067811865476))


@pointwise(results="float")
def silu(x):
    """x * sigmoid(x), also called swish; 0 at -inf."""
    x = maximum(x, -1e30)  # exp(1e30) is inf, and what is finite over it is 0
    return x / (1.0 + exp(-x))


@rowwise(gives="that of row", results="float")
def softmax(row):
    """exp(x) / sum(exp(x)) along axis (default: the last), shifted so that it cannot overflow."""
    e = exp(row - max(row))
    return e / sum(e)


@rowwise(ranges={"eps": (0.0, None)}, gives="that of row", results="float")
def layer_norm(row, scale=None, bias=None, *, eps=1e-5):
    """(x - mean) / sqrt(variance + eps) along axis (default: the last), times scale, plus bias.

    The variance is the population's. scale and bias have one value for each position of the row."""
    centred = row - mean(row)
    result = centred / sqrt(mean(centred * centred) + eps)
    if scale is not None:
        result = result * scale
    if bias is not None:
        result = result + bias
    return result
