"""Sorted halves of long rows, merged by the CPU: every dtype, ties, NaN, unequal halves."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from treadle.kernels.order import HALVED


@pytest.fixture(scope="module")
def cpu():
    return treadle.device("cpu")


def rows(n: int, dtype: str) -> np.ndarray:
    rng = np.random.default_rng(n)
    if dtype.startswith("f"):
        x = rng.normal(size=(2, n)).astype(dtype)
        x[0, [0, n // 2, n - 1]] = np.nan
        x[1, 7], x[1, 9], x[1, 11] = np.inf, -np.inf, -0.0
        return x
    limits = np.iinfo(dtype)
    x = rng.integers(limits.min, limits.max, (2, n), dtype=dtype, endpoint=True)
    x[1] //= x.dtype.type(1 << 4)  # ties
    return x


@pytest.mark.parametrize("n", [HALVED, HALVED + 32_771])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8", "u4", "u1"])
def test_long_rows_are_sorted_by_halves(cpu, dtype, n):
    x = rows(n, dtype)
    want = np.sort(x, -1)
    given = cpu.buffer(x)
    np.testing.assert_array_equal(cpu.run_kernel("sort", [given]).to_numpy(), want)
    down = cpu.run_kernel("sort", [given], descending=True).to_numpy()
    np.testing.assert_array_equal(down, want[:, ::-1])


@pytest.mark.parametrize("x", [np.zeros(HALVED), np.arange(HALVED), -np.arange(HALVED)])
def test_rows_of_which_a_half_comes_first(cpu, x):
    x = x.astype(np.float32)
    got = cpu.run_kernel("sort", [cpu.buffer(x)]).to_numpy()
    np.testing.assert_array_equal(got, np.sort(x))


def test_in_place(cpu):
    x = rows(HALVED, "f4")
    buffer = cpu.buffer(x)
    cpu.run_kernel("sort", [buffer], buffer)
    np.testing.assert_array_equal(buffer.to_numpy(), np.sort(x, -1))


def test_the_plan_says_so(cpu):
    p = treadle.pipeline(device=cpu)
    p.run_kernel("sort", [cpu.buffer_zeros((HALVED,))], cpu.buffer_zeros((HALVED,)))
    assert "halves of rows merged" in p.plan().explain()
