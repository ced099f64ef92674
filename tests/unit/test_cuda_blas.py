"""What cuBLAS is asked for, by a stand-in that multiplies as cuBLAS is documented to. No GPU is
needed."""

from __future__ import annotations

import contextlib
import ctypes
from types import SimpleNamespace

import numpy as np
import pytest

from treadle.backends.cuda.blas import Blas, MatmulProgram, is_matmul
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.kernels.linalg import products
from treadle.lang.registry import lookup
from treadle.passes import optimise


def columns_first(address, lead, rows, columns):
    """A matrix in memory as BLAS has it: columns one behind the other, `lead` apart."""
    count = lead * (columns - 1) + rows
    memory = np.ctypeslib.as_array((ctypes.c_float * count).from_address(address))
    return np.lib.stride_tricks.as_strided(memory, (rows, columns), (4, 4 * lead))


def sgemm(_, turn_a, turn_b, m, n, k, one, a, lead_a, b, lead_b, zero, c, lead_c):
    """cublasSgemm."""
    assert ctypes.c_float.from_address(one).value == 1.0
    assert ctypes.c_float.from_address(zero).value == 0.0
    left = columns_first(a, lead_a, *((k, m) if turn_a else (m, k)))
    right = columns_first(b, lead_b, *((n, k) if turn_b else (k, n)))
    left, right = left.T if turn_a else left, right.T if turn_b else right
    columns_first(c, lead_c, m, n)[:] = left @ right


CUDA = SimpleNamespace(
    cublas=SimpleNamespace(
        create=lambda: 7,
        setMathMode=lambda *_: None,
        sgemm=sgemm,
        sgemmStridedBatched=None,
    )
)
LANE = SimpleNamespace(stream=0, owner=contextlib.nullcontext())


def run(definition, inputs, shape, params=(), **static):
    """What a program leaves in an output."""
    key, given = definition.arguments(static)
    specs = tuple(Spec(x.shape, DType.F32) for x in inputs)
    stage = definition.bind(specs, None, key, given).stages[0]
    kernel = optimise(stage.kernel)
    assert is_matmul(kernel)
    program = MatmulProgram(CUDA, Blas(CUDA, tf32=False), kernel)
    out = np.full(shape, np.nan, np.float32)
    regions = [(SimpleNamespace(address=x.ctypes.data), 0) for x in (out, *inputs)]
    step = SimpleNamespace(regions=regions, params=params)
    program.prepare(stage.dims).enqueue(step, LANE, 0)
    return out


def matrix(*shape):
    return np.random.default_rng(shape[0]).standard_normal(shape).astype(np.float32)


def test_a_product_of_matrices():
    a, b = matrix(5, 7), matrix(7, 3)
    np.testing.assert_allclose(run(lookup("matmul"), [a, b], (5, 3)), a @ b, rtol=1e-5)


@pytest.mark.parametrize("first", [0, 4])
def test_products_with_rows_as_they_are(first):
    a, b = matrix(5, 7), matrix(11, 7)
    got = run(products, [a, b], (5, 6), (first,), columns=6, first=first)
    np.testing.assert_allclose(got, a @ b[first : first + 6].T, rtol=1e-5, atol=1e-6)


def test_whole_numbers_are_no_product_of_cublas():
    key, given = products.arguments({"columns": 6})
    specs = (Spec((5, 7), DType.S32), Spec((11, 7), DType.S32))
    assert not is_matmul(products.bind(specs, None, key, given).stages[0].kernel)
