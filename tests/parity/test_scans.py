"""Scans of long lines, which devices cut into pieces: what each element after the other gives.

Integers and choices exactly; floats within a bound that follows from how the kernel rounds."""

from __future__ import annotations

import numpy as np
import pytest

import scans
import treadle
from treadle.dtypes import STORED

SIZES = (1, 8447, 8449, 40_001)  # of lines: a piece on the CPU has 8,448 elements at most
EPS = float(np.finfo(np.float32).eps)


@pytest.fixture(autouse=True)
def quick(device):
    if device.info.backend == "reference":
        pytest.skip("the reference device walks in Python, and pieces are not its matter")


def noise(*shape: int, seed: int = 3) -> scans.Array:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def whole(*shape: int) -> scans.Array:
    return np.random.default_rng(4).integers(-(2**31), 2**31, shape, dtype=np.int32)


def run(kernel, *arrays, output=None, **params):
    found = treadle.run_kernel(kernel, [treadle.buffer(a) for a in arrays], output, **params)
    parts = found if isinstance(found, list | tuple) else [found]
    return [part.to_numpy() for part in parts]


@pytest.mark.parametrize("n", SIZES)
def test_integers_are_exact(device, n):
    x = whole(n)
    (got,) = run(scans.total, x, output=treadle.empty((n,), "s32"))
    np.testing.assert_array_equal(got, np.cumsum(x, dtype=np.int32))
    (got,) = run(scans.parity, x)
    np.testing.assert_array_equal(got, np.bitwise_xor.accumulate(x))
    (got,) = run(scans.largest, x)
    np.testing.assert_array_equal(got, np.maximum.accumulate(x))
    (got,) = run(scans.smallest, x)
    np.testing.assert_array_equal(got, np.minimum.accumulate(x))


@pytest.mark.parametrize("shape,axis", [((3, 20_000), 1), ((20_000, 3), 0), ((2, 20_000, 2), 1)])
def test_every_axis_and_several_lines(device, shape, axis):
    x = whole(*shape)
    out = treadle.empty(shape, "s32")
    (got,) = run(scans.total, x, output=out, axis=axis)
    np.testing.assert_array_equal(got, np.cumsum(x, axis, dtype=np.int32))


def test_several_parts_and_outputs(device):
    x = noise(30_000)
    x[20_000] = np.nan
    count, most = run(scans.count_and_largest, x)
    ups = np.cumsum(x > 0)
    np.testing.assert_array_equal(count, np.concatenate([[0], ups[:-1]]))
    want = np.concatenate([[-np.inf], np.maximum.accumulate(x)[:-1]]).astype(np.float32)
    np.testing.assert_array_equal(most, want)


def test_as_declared(device):
    x = np.where(np.arange(30_000) % 9_000 == 8_999, np.arange(30_000), -1).astype(np.float32)
    (got,) = run(scans.last_seen, x)
    np.testing.assert_array_equal(got, np.maximum.accumulate(x))


@pytest.mark.parametrize("n", SIZES)
def test_sums_of_floats_round_once(device, n):
    x = noise(n) * 1000
    x[::7] = 1e-3
    exact = np.cumsum(x, dtype=np.float64)
    (got,) = run("cumsum", x)
    # Along the last axis CUDA adds trees up, of 64 in a row at most.
    trees = 64 if device.info.backend == "cuda" else 2e-3
    bound = np.abs(exact) + trees * np.cumsum(np.abs(x), dtype=np.float64)
    assert (np.abs(got - exact) <= EPS * bound).all()


def test_plain_sums_are_as_good_as_one_after_the_other(device):
    x = noise(40_001)
    (got,) = run(scans.total, x)
    exact = np.cumsum(x, dtype=np.float64)
    steps = np.arange(1, len(x) + 1)
    assert (np.abs(got - exact) <= EPS * steps * np.cumsum(np.abs(x), dtype=np.float64)).all()


@pytest.mark.parametrize("where", [0, 5000, 20_000, 39_999])
@pytest.mark.parametrize("what", [np.inf, -np.inf, np.nan])
def test_what_is_not_finite_goes_on_as_it_would(device, where, what):
    x = noise(40_000)
    x[where] = what
    want = scans.walked(np.array([[0.5]]), np.ones(1), x)[1:, 0]
    (got,) = run(scans.leaky, x, decay=0.5)
    finite = np.isfinite(want)
    np.testing.assert_array_equal(got[~finite], want[~finite].astype(np.float32))
    np.testing.assert_allclose(got[finite], want[finite], rtol=1e-5, atol=1e-5)
    (got,) = run("cumsum", x)
    np.testing.assert_array_equal(got[where:], np.full(len(x) - where, what, np.float32))
    assert np.isfinite(got[:where]).all()


def test_factors_that_grow_beyond_all_numbers(device):
    """Two to the power of a stretch is infinite, and infinite times nothing is no number."""
    (got,) = run(scans.leaky, np.zeros(30_000, np.float32), decay=2.0)
    np.testing.assert_array_equal(got, np.zeros(30_000, np.float32))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("decay", [0.5, 0.999, -0.9])
def test_linear_recurrences(device, n, decay):
    x = noise(n)
    matrix = np.array([[np.float32(decay)]], np.float64)
    states = scans.walked(matrix, np.ones(1), x)
    (got,) = run(scans.leaky, x, decay=decay)
    bound = scans.rounding(matrix, states, x, EPS)
    np.testing.assert_allclose(got, states[1:, 0], rtol=0, atol=bound)


def test_a_state_that_begins_with_something(device):
    x = noise(30_000)
    matrix = np.array([[np.float32(0.99)]], np.float64)
    states = scans.walked(matrix, np.ones(1), x)[:, 0]
    want = (states + 1.5 * np.float64(np.float32(0.99)) ** np.arange(len(states)))[:-1]
    (got,) = run(scans.leaky_from, x)
    bound = scans.rounding(matrix, np.append(states, 1.5)[:, None], x, EPS)
    np.testing.assert_allclose(got, want, rtol=0, atol=bound)


def test_every_element_with_a_factor_of_its_own(device):
    a, x = np.random.default_rng(1).uniform(0, 1, 30_000).astype(np.float32), noise(30_000)
    state, want = 0.0, []
    for factor, value in zip(a.tolist(), x.tolist(), strict=True):
        state = (0.0 if factor > np.float32(0.99) else factor * state) - value / 2
        want.append(state)
    (got,) = run(scans.weighted, a, x)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("shape", [(30_001,), (30_001, 2)])
def test_biquads(device, shape):
    x = noise(*shape)
    a1, a2, b0, b1, b2 = (float(np.float32(v)) for v in (-1.8, 0.9, 1.0, 0.5, 0.25))
    matrix = np.array([[-a1, 1], [-a2, 0]])
    (got,) = run(scans.section, x, axis=0)
    for lane in range(shape[1] if len(shape) > 1 else 1):
        line = x.reshape(shape[0], -1)[:, lane]
        states = scans.walked(matrix, np.array([b1 - a1 * b0, b2 - a2 * b0]), line)
        bound = scans.rounding(matrix, states, line, EPS)
        want = b0 * line + states[:-1, 0]
        np.testing.assert_allclose(got.reshape(shape[0], -1)[:, lane], want, rtol=0, atol=bound)


def test_three_parts(device):
    x = noise(30_000)
    matrix = np.array([[0.5, -0.3, 0.1], [1, 0, 0], [0, 1, 0]])
    states = scans.walked(matrix, np.array([1.0, 0, 0]), x)
    (got,) = run(scans.third_order, x)
    bound = scans.rounding(matrix, states, x, EPS)
    np.testing.assert_allclose(got, states[1:, 0], rtol=0, atol=bound)


def test_what_cannot_be_summed_up_is_walked(device):
    x = noise(20_000)
    state, want = np.float32(0), []
    for value in x:
        state = value + (np.float32(0.5) if value > state else np.float32(0.9)) * (state - value)
        want.append(state)
    (got,) = run(scans.follower, x)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def test_what_rounding_takes_is_the_same_wherever_a_line_is_walked(device):
    x = noise(9_000)
    total, lost, want = np.float32(0), np.float32(0), []
    for value in x:
        y = value - lost
        t = total + y
        lost = (t - total) - y
        total = t
        want.append(lost)
    (got,) = run(scans.kept_loss, x)
    assert np.any(want)
    np.testing.assert_array_equal(got, np.array(want, np.float32))


@pytest.mark.parametrize("dtype", [d for d in STORED if d != "bool"])
def test_every_type_of_storage(device, dtype):
    if dtype not in device.limits.dtypes:
        pytest.skip(f"{device} declares that it has no {dtype}")
    x = np.random.default_rng(2).integers(0, 100, 30_000).astype(dtype.numpy)
    given, out = device.buffer(x, dtype=dtype), device.empty(x.shape, dtype)
    device.run_kernel(scans.largest, [given], out)
    np.testing.assert_array_equal(out.to_numpy(), np.maximum.accumulate(x))


def test_in_place(device):
    x = whole(40_000)
    buffer = treadle.buffer(x)
    treadle.run_kernel(scans.total, [buffer], buffer)
    np.testing.assert_array_equal(buffer.to_numpy(), np.cumsum(x, dtype=np.int32))


@pytest.mark.parametrize("kernel", [scans.section, scans.follower], ids=lambda k: k.name)
def test_the_plan_says_which_it_is(device, kernel):
    p = treadle.pipeline(device=device)
    p.run_kernel(kernel, [device.buffer(noise(100))], device.empty((100,), "f32"))
    text = p.plan().explain()
    assert ("a linear recurrence" in text) == (kernel is scans.section)
    assert ("from its first element to its last" in text) == (kernel is scans.follower)
