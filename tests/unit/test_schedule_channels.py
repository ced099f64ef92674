"""The channels of a pixel in one block: what they share is there once, and their own for each."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from bound import evaluate
from scheduled import best, for_cpu
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.ir.loops import Vectors
from treadle.ir.nodes import Op, expressions
from treadle.lang.registry import lookup


@treadle.kernel(static=("r",), dtype="image")
def _own_ways(at, image, *, r):
    """Loops whose weights all channels share, with branches and a loop that each takes its way."""
    y, x, c = at
    total = 0.0
    count = 0
    for dy in range(-r, r + 1):
        for dx in range(-r, r + 1):
            other = image[y + dy, x + dx, 0] - image[y, x, 0] * 1.0
            weight = 1.0 / (1.0 + other * other)
            for k in range(6):
                weight = weight + exp(-abs(other) * (k + 1)) * sqrt(abs(other) + k)
            if c == 1:
                weight = weight * 0.5
                count += 1
            elif dy > dx:
                weight = weight + 1.0
            left = 0
            while left < count and left < 2:
                weight = weight * 1.25
                left += 1
            total += weight * image[y + dy, x + dx, c]
    return total / (count + 300)


def _code(definition, dtype, *, permutes_bytes, **params):
    bound = definition.bind((Spec((40, 50, 3), dtype),), None, *definition.arguments(params))
    walk = for_cpu(best(bound.stages[0].kernel), permutes_bytes=permutes_bytes).walk
    return walk.inside or walk.edge


@pytest.mark.parametrize("permutes_bytes", [True, False])
@pytest.mark.parametrize("dtype", [DType.U8, DType.F32])
def test_loops_over_pixels_are_vectors_with_weights_computed_once(dtype, permutes_bytes):
    code = _code(lookup("denoise"), dtype, permutes_bytes=permutes_bytes, radius=5)
    as_bytes = permutes_bytes and dtype is DType.U8
    assert code.vectors is (Vectors.BYTES if as_bytes else Vectors.PIXELS)
    assert not code.straight
    assert len(code.channels.results) == 3

    def exponentials(block):
        return sum(isinstance(e, Op) and e.name == "exp" for e in expressions(block))

    assert exponentials(code.channels) == exponentials(code.block)


def test_what_shares_little_is_left_as_it_is():
    assert _code(lookup("saturation"), DType.F32, permutes_bytes=False).channels is None


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_channels_that_go_ways_of_their_own_are_what_the_definition_says(dtype):
    noise = np.random.default_rng(4).random((3, 37, 3))
    image = (noise * 255).astype(dtype) if dtype is np.uint8 else noise.astype(dtype)
    device = treadle.device("cpu")
    found = device.run_kernel(_own_ways, [device.buffer(image)], r=3).to_numpy()
    want = evaluate(_own_ways, image, r=3)
    assert np.ptp(want) > 0
    atol = 1 if dtype is np.uint8 else 0  # a step, where a value lies between two
    np.testing.assert_allclose(found.astype(float), want.astype(float), rtol=1e-4, atol=atol)


def _piped(device, image, *stages):
    p = treadle.pipeline(device)
    now, out = p.buffer("image", device.from_numpy(image)), device.empty(image.shape, "u8")
    for name, params in stages[:-1]:
        now = p.add(name, now, params=params).last
    name, params = stages[-1]
    p.add(name, now, p.buffer("out", out), params=params)
    return p, out


@pytest.mark.parametrize("channels", [1, 3])
def test_loops_over_bytes_are_vectors_in_chains_and_of_one_channel(channels):
    """LLVM makes none around loops: left to it, these take ten times as long."""
    image = np.random.default_rng(3).integers(0, 256, (70, 90, channels), np.uint8)
    noise = ("denoise", {"strength": 0.5, "radius": 5})
    for stages in [(noise, ("gaussian_blur", {"radius": 1})), (noise,)]:
        device = treadle.device("cpu")
        p, out = _piped(device, image, *stages)
        (words,) = p.plan().schedules
        assert "16 pixels at once" in words or "vectors of bytes" in words
        p.run()
        q, want = _piped(treadle.device("reference"), image, *stages)
        q.run()
        apart = np.abs(out.to_numpy().astype(int) - want.to_numpy().astype(int))
        assert apart.max() <= 1
