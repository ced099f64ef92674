"""The CUDA backend's own arithmetic and errors; no GPU is needed."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import numpy as np
import pytest

import treadle
from treadle.backends.cuda import driver
from treadle.backends.cuda.blas import _batches


@pytest.mark.parametrize(
    "a, b",
    [
        ((3, 4), (4, 5)),
        ((2, 3, 4), (2, 4, 5)),
        ((2, 3, 4), (4, 5)),
        ((3, 4), (7, 4, 5)),
        ((1, 3, 4), (6, 4, 5)),
        ((2, 1, 3, 4), (1, 3, 4, 5)),
        ((2, 3, 3, 4), (3, 4, 5)),
        ((2, 1, 2, 3, 4), (3, 1, 4, 5)),
    ],
)
def test_runs_of_products_cover_every_stack(a, b):
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal(a), rng.standard_normal(b)
    expected = np.matmul(x, y)
    m, n, k = expected.shape[-2], expected.shape[-1], a[-1]
    got = np.full(expected.size, np.nan)
    for count, step_a, step_b, at_a, at_b, at_out in _batches(a, b, expected.shape):
        for i in range(count):
            left = x.reshape(-1)[at_a + i * step_a :][: m * k].reshape(m, k)
            right = y.reshape(-1)[at_b + i * step_b :][: k * n].reshape(k, n)
            got[at_out + i * m * n :][: m * n] = (left @ right).reshape(-1)
    np.testing.assert_allclose(got.reshape(expected.shape), expected)


class CUDARuntimeError(RuntimeError):
    """As CuPy's, with a status."""

    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.status = status


class OutOfMemoryError(MemoryError):
    """As CuPy's."""


@pytest.mark.parametrize(
    "error, kind",
    [
        (CUDARuntimeError(700), treadle.DeviceLost),
        (CUDARuntimeError(719), treadle.DeviceLost),
        (CUDARuntimeError(2), treadle.OutOfMemory),
        (OutOfMemoryError(), treadle.OutOfMemory),
        (CUDARuntimeError(1), treadle.DeviceError),
        (ValueError("odd"), treadle.DeviceError),
    ],
)
def test_what_cuda_reports_becomes_our_errors(error, kind):
    found = driver.translate(error)
    assert type(found) is kind
    assert found.__cause__ is error
    with pytest.raises(kind), driver.translate_errors():
        raise error


def test_our_own_errors_pass():
    error = treadle.LaunchError("mine")
    assert driver.translate(error) is error


def test_absence_is_one_error_that_names_the_fix():
    if importlib.util.find_spec("cupy") is not None:
        pytest.skip("CuPy is installed")
    with pytest.raises(treadle.DeviceUnavailable, match=r"treadle\[cuda\]"):
        treadle.device("cuda")
    assert "cuda" not in treadle.devices()


def test_the_backend_loads_cupy_only_when_it_is_opened():
    code = "import sys, treadle.backends.cuda; print('cupy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
