"""Buffers of bool: what comparisons give, and what can be done with it, on every device."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from treadle import ops

X = np.arange(-9, 14, dtype=np.float32)  # no whole number of words of bytes
MASK = X % 3 == 1


@treadle.kernel
def flipped(at, mask, x):
    """What is true there, and what is chosen by it."""
    place = mask.shape[0] - 1 - at[0]
    return mask[place], x[place] if mask[place] else -1.0


@treadle.pointwise
def odd_steps(mask, x):
    """Whether a loop ends on a condition."""
    on = mask
    for _ in range(3):
        on = not on
    return on, x + on


def test_operators_of_conditions(device):
    x = device.buffer(X)
    mask, other = x % 3 == 1, device.buffer(X > 2)
    high = X > 2
    cases = [
        (mask & other, MASK & high), (mask | other, MASK | high), (mask ^ other, MASK ^ high),
        (~mask, ~MASK), (mask == other, high == MASK), (mask & True, MASK), (False | mask, MASK),
        (mask + other, MASK | high), (mask * other, MASK & high), (mask | MASK, MASK),
    ]  # fmt: skip
    for made, wanted in cases:
        assert made.dtype == "bool"
        np.testing.assert_array_equal(made.to_numpy(), wanted)
    assert (mask + 1).dtype == "s32"
    assert (mask * x).dtype == "f32"
    np.testing.assert_array_equal((mask * x).to_numpy(), MASK * X)
    np.testing.assert_array_equal((mask + 1).to_numpy(), MASK + 1)
    for refused in (lambda: mask - other, lambda: -mask):
        with pytest.raises(treadle.LaunchError, match="astype"):
            refused()


def test_conditions_choose_and_are_chosen(device):
    x, mask = device.buffer(X), device.buffer(MASK)
    np.testing.assert_array_equal(ops.where(mask, x, -x).to_numpy(), np.where(MASK, X, -X))
    chosen = ops.where(mask, mask, x > 0)
    np.testing.assert_array_equal(chosen.to_numpy(), np.where(MASK, MASK, X > 0))
    np.testing.assert_array_equal(x[mask].to_numpy(), X[MASK])
    np.testing.assert_array_equal(mask[1::2].to_numpy(), MASK[1::2])
    x[mask] = 7
    np.testing.assert_array_equal(x.to_numpy(), np.where(MASK, 7, X))
    again, kept = treadle.run_kernel(flipped, [mask, device.buffer(X)])
    np.testing.assert_array_equal(again.to_numpy(), MASK[::-1])
    np.testing.assert_array_equal(kept.to_numpy(), np.where(MASK, X, -1)[::-1])
    on, more = treadle.run_kernel(odd_steps, [mask, device.buffer(X)])
    np.testing.assert_array_equal(on.to_numpy(), ~MASK)
    np.testing.assert_array_equal(more.to_numpy(), X + ~MASK)


def test_conditions_count_and_convert(device):
    mask = device.buffer(MASK.reshape(1, -1))
    if "s64" in device.limits.dtypes:
        assert mask.sum().item() == MASK.sum()
    assert mask.astype("u8").tolist() == MASK[None].astype(int).tolist()
    assert device.buffer([[0.5, 0, -2, float("nan")]]).astype("bool").tolist() == [[1, 0, 1, 1]]
    assert mask.T.shape == (X.size, 1)
    assert bool(mask[0, 10]) is bool(MASK[10])
    joined = ops.concat(mask, ~mask, axis=0)
    np.testing.assert_array_equal(joined.to_numpy(), [MASK, ~MASK])


def test_any_byte_that_is_not_0_is_true(device):
    raw = device.buffer(np.array([0, 1, 2, 255, 0], np.uint8).view(np.bool_))
    assert (~raw).to_numpy().view(np.uint8).tolist() == [1, 0, 0, 0, 1]
    assert ops.where(raw, 3.0, 4.0).tolist() == [4.0, 3.0, 3.0, 3.0, 4.0]


def test_between_the_stages_of_a_plan(device):
    @treadle.pipeline
    def outlined(x):
        inside = x > 100
        return ops.where(inside & ~(x > 200), x, 0.0)

    image = np.random.default_rng(4).integers(0, 256, (21, 34)).astype(np.float32)
    plan = outlined(device.buffer(image))
    wanted = np.where((image > 100) & ~(image > 200), image, 0)
    np.testing.assert_array_equal(plan.to_numpy(), wanted)
