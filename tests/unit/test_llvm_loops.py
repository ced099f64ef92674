"""Loops inside maps of bytes with channels: vectors around them, against the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from scheduled import best, for_cpu
from treadle.backends.cpu import CpuBackend
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.ir.loops import Vectors
from treadle.runtime.device import Device

RNG = np.random.default_rng(3)


@pytest.fixture(scope="module")
def cpu():
    with Device(CpuBackend(workers=2)) as device:
        yield device


@treadle.kernel(dtype="image")
def around(at, image):
    """Loops over constants that are too long together to be written out."""
    y, x, c = at
    total = 0.0
    for dy in range(-8, 9):
        for dx in range(-8, 9):
            if dy * dy + dx * dx < 50:
                total += image[y + dy, x + dx, c] * 0.005
    return total


@treadle.kernel(dtype="image")
def upwards(at, image, *, rows=3):
    """A loop over a parameter, one inside it, and what they carry."""
    y, x, c = at
    low, high = image[at], image[at]
    for k in range(rows):
        for d in range(2):
            other = image[y + k, x, c] + d
            low, high = min(low, other), max(high, other)
    return high - low


@treadle.kernel(dtype="image")
def until(at, image):
    """How often differs from one pixel to the next: those that have ended wait for the others."""
    value = image[at]
    while value > 40:
        value = value - 17
    return value


@treadle.kernel(dtype="image")
def within(at, image):
    """Such a loop in another one, and what goes on counting while a lane waits."""
    left, total, count = image[at], 0, 0
    while left > 0 and count < 5:
        inner = 0
        while inner < left // 30:
            inner += 1
            total += count
        left = left // 2 if left % 2 == 0 else 3 * left - 100
        count += 1
    return total + 10 * count


@treadle.kernel(dtype="image")
def chosen(at, image, *, rows=3):
    """A choice that differs between pixels, inside a loop, and another channel."""
    y, x, c = at
    total = 0
    for k in range(rows):
        if image[y, x, 0] > 100:
            total = total + image[y + k, x, c] // 4
        else:
            total = total + k
    return total


@treadle.kernel(dtype="image")
def unlike(at, image):
    """What a pixel's channels share, which the loops compute of all of them."""
    y, x, c = at
    total = 0.0
    for dy in range(-8, 9):
        for dx in range(-8, 9):
            apart = abs(image[y + dy, x + dx, 0] - image[y, x, 0])
            total += image[y + dy, x + dx, c] / (1 + apart)
    return total


@pytest.mark.parametrize("shape", [(5, 90, 3), (3, 41, 4), (4, 7, 3)])
@pytest.mark.parametrize("kernel", [around, upwards, until, within, chosen, unlike])
def test_loops_give_what_the_interpreter_gives(cpu, kernel, shape):
    image = RNG.integers(0, 256, shape).astype(np.uint8)
    found, wanted = (
        device.run_kernel(kernel, [device.buffer(image)]).to_numpy()
        for device in (cpu, treadle.device("reference"))
    )
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    "kernel, vectors",
    [(around, Vectors.ALONG), (unlike, Vectors.BYTES), (until, Vectors.ALONG)],
)
def test_pixels_are_vectors_around_a_loop(kernel, vectors):
    key, _ = kernel.arguments({})
    (stage,) = kernel.bind((Spec((50, 60, 3), DType.U8),), None, key, ()).stages
    walk = for_cpu(best(stage.kernel), permutes_bytes=True).walk
    assert (walk.inside or walk.edge).vectors is vectors
