"""Rows in order as CUDA text: how they are launched, that a compiler takes the text, and what it
computes on the host. No GPU is needed."""

from __future__ import annotations

import numpy as np
import pytest

import cuda_host
from cuda_compiler import compiled, needs_nvcc
from scheduled import as_cuda
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.ir.interpret import interpret
from treadle.kernels import order
from treadle.lang.registry import lookup
from treadle.passes import optimise

needs_host = pytest.mark.skipif(cuda_host.COMPILER is None, reason="g++ is not installed")


def stage(name, shape, dtype, **params):
    """The kernel that a device with the routine gets, its sizes and its parameters."""
    definition = lookup(name)
    key, values = definition.arguments(params)
    first = definition.bind((Spec(shape, dtype),), None, key, values).stages[0]
    kernel = optimise(first.kernel)
    given = first.fixed or tuple(values[i] for i in first.picks)
    names = [param.name for param in kernel.params]
    sizes = dict(zip(kernel.symbols, first.dims, strict=True))
    return kernel, sizes, dict(zip(names, given, strict=True))


def entries(shape, dtype):
    kernel, sizes, _ = stage("sort", shape, dtype)
    geometry = as_cuda(kernel).layout.measure(sizes)
    return [(call.entry, call.grid) for call in geometry.calls], geometry.scratch


def test_a_row_that_a_block_holds_takes_one_launch():
    assert entries((7, 4096), DType.F32) == ([("treadle_whole", 7)], 0)
    assert entries((7, 1000), DType.F32) == ([("treadle_little", 7)], 0)
    assert entries((7, 256), DType.F32) == ([("treadle_short", 1)], 0)


def test_a_longer_one_takes_three_for_each_byte():
    calls, scratch = entries((2, 9000), DType.S64)
    assert len(calls) == 3 * 8
    assert calls[:3] == [("treadle_count_0", 6), ("treadle_add", 512), ("treadle_place_0", 6)]
    assert scratch == 2 * 9000 * 8 + 4 * 2 * 256 * 4
    calls, scratch = entries((1, 5000), DType.U8)
    assert len(calls) == 3
    assert scratch == 4 * 256 * 3  # bytes go where they belong at once


def test_many_rows_of_few_tiles_add_up_by_a_block_each():
    calls, _ = entries((5, 5000), DType.F32)
    assert calls[:3] == [("treadle_count_0", 10), ("treadle_add_few", 5), ("treadle_place_0", 10)]


def values(dtype, count):
    rng = np.random.default_rng(7)
    if not dtype.is_float:
        info = np.iinfo(dtype.numpy)
        return rng.integers(info.min, info.max, count, dtype.numpy, endpoint=True)
    made = rng.standard_normal(count).astype(dtype.numpy)
    made[::7], made[3::50], made[5::60] = np.round(made[::7]), np.inf, -np.inf
    made[11::90], made[13::40], made[17::40] = np.nan, 0.0, -0.0
    made[19::80] = np.finfo(dtype.numpy).smallest_subnormal
    return made


CASES = [
    (DType.U8, (1, 1100), False),
    (DType.F32, (9, 50), False),
    (DType.F32, (70, 33), True),
    (DType.F64, (5, 1), False),
    (DType.S64, (11, 256), False),
    (DType.U32, (300, 16), True),
    (DType.U8, (1, 300), True),
    (DType.F32, (2, 1000), True),
    (DType.F64, (1, 4096), False),
    (DType.F32, (1, 8200), False),
    (DType.S64, (2, 4097), False),
]


@needs_host
@pytest.mark.parametrize("dtype, shape, descending", CASES, ids=str)
def test_the_text_puts_rows_in_order(dtype, shape, descending):
    kernel, sizes, params = stage("sort", shape, dtype, descending=descending)
    x = values(dtype, shape[0] * shape[1]).reshape(shape)
    (got,) = cuda_host.run(kernel, [x], sizes, params)
    wanted = np.sort(x, axis=-1)
    np.testing.assert_array_equal(got, wanted[:, ::-1] if descending else wanted)
    assert (np.signbit(got) & (got == 0)).sum() == (np.signbit(x) & (x == 0)).sum()


@needs_host
@pytest.mark.parametrize(
    "shape, descending",
    [
        ((9, 50), True),
        ((100, 31), False),
        ((9, 256), True),
        ((2, 500), False),
        ((1, 4001), True),
        ((2, 4200), False),
    ],
    ids=str,
)
def test_the_text_finds_positions_in_order(shape, descending):
    kernel, sizes, params = stage("argsort", shape, DType.F32, descending=descending)
    x = values(DType.F32, shape[0] * shape[1]).reshape(shape)
    (got,) = cuda_host.run(kernel, [x], sizes, params)
    whole = np.unique(x, return_inverse=True)[1].reshape(shape)
    wanted = np.argsort(-whole if descending else whole, axis=-1, kind="stable")
    np.testing.assert_array_equal(got, wanted)


def test_positions_take_two_areas_of_keys_with_them():
    kernel, sizes, _ = stage("argsort", (2, 5000), DType.F32)
    geometry = as_cuda(kernel).layout.measure(sizes)
    assert len(geometry.calls) == 3 * 4
    assert geometry.scratch == 2 * (2 * 5000 * 8) + 4 * 2 * 256 * 3


@needs_nvcc
def test_a_compiler_takes_sorts_and_running_sums(tmp_path):
    asked = (
        ("sort", DType.F32, False),
        ("sort", DType.S64, True),
        ("argsort", DType.S32, True),
        ("cumsum", DType.F32, True),
    )
    texts = {}
    for name, dtype, wide in asked:
        text = as_cuda(stage(name, (3, 9000), dtype)[0], wide=wide).text
        texts[f"{name}_{dtype}"] = text
    compiled(texts, tmp_path)


def first_of(x, k, largest):
    """The kernel of the first k, its sizes and its parameters."""
    definition = order.first_in_order
    key, given = definition.arguments({"k": k, "descending": int(largest)})
    dtype = next(t for t in DType if t.numpy == x.dtype)
    bound = definition.bind((Spec(x.shape, dtype),), None, key, given).stages[0]
    kernel = optimise(bound.kernel)
    sizes = dict(zip(kernel.symbols, bound.dims, strict=True))
    return kernel, sizes, {"descending": int(largest)}


FIRST = [
    (DType.F32, (1, 700), 1),
    (DType.F32, (2, 700), 70),
    (DType.F64, (1, 5000), 1000),
    (DType.S64, (1, 1000), 10),
    (DType.U32, (1, 4100), 300),
    (DType.F32, (2, 40_000), 10),
    (DType.F64, (1, 20_000), 1000),
    (DType.S32, (1, 20_000), 1),
]


@needs_host
@pytest.mark.parametrize("ties", [False, True], ids=["", "ties"])
@pytest.mark.parametrize("largest", [False, True], ids=["smallest", "largest"])
@pytest.mark.parametrize("dtype, shape, k", FIRST, ids=str)
def test_the_text_finds_the_first_few(dtype, shape, k, largest, ties):
    x = values(dtype, shape[0] * shape[1]).reshape(shape)
    if ties:  # with more equals than a block puts in order
        x[:, 5:-3] = np.where(np.arange(shape[1])[5:-3] % 9 == 0, x[:, 5:-3], x[:, 7:8])
    kernel, sizes, params = first_of(x, k, largest)
    got, places = cuda_host.run(kernel, [x], sizes, params)
    whole = np.unique(x, return_inverse=True)[1].reshape(shape)
    wanted = np.argsort(-whole if largest else whole, axis=-1, kind="stable")[:, :k]
    np.testing.assert_array_equal(places, wanted)
    np.testing.assert_array_equal(got, np.take_along_axis(x, wanted, -1))
    np.testing.assert_array_equal(np.signbit(got), np.signbit(np.take_along_axis(x, wanted, -1)))


@needs_host
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", [DType.F64, DType.S64])
def test_elements_of_eight_bytes_have_two_words(dtype, descending):
    x = np.concatenate([values(dtype, 300), np.arange(300).astype(dtype.numpy) // 7])[None]
    given = {"high": (order.high_words, np.int32), "low": (order.low_words, np.uint32)}
    words = {}
    for name, (definition, kind) in given.items():
        key, params = definition.arguments({})
        bound = definition.bind((Spec(x.shape, dtype),), None, key, params).stages[0]
        sizes = dict(zip(bound.kernel.symbols, bound.dims, strict=True))
        (words[name],) = interpret(bound.kernel, [x], sizes, {})
        assert words[name].dtype == kind
    whole = np.unique(x, return_inverse=True)[1].reshape(-1)
    both = words["high"][0].astype(np.int64) << 32 | words["low"][0]
    np.testing.assert_array_equal(np.unique(both, return_inverse=True)[1], whole)


def test_long_rows_of_which_there_are_few_go_to_many_blocks():
    def calls(shape, k):
        kernel, sizes, _ = first_of(np.empty(shape, np.float32), k, largest=False)
        return [(call.entry, call.grid) for call in as_cuda(kernel).layout.measure(sizes).calls]

    assert calls((200, 40_000), 7) == [("treadle_first", 200)]
    many = calls((2, 40_000), 7)
    assert many[:2] == [("treadle_begin", 2), ("treadle_count", 6)]
    assert len(many) == 1 + 4 + 4


@needs_nvcc
def test_a_compiler_takes_the_first_few(tmp_path):
    texts = {}
    for dtype in (DType.F32, DType.S64):
        for wide in (False, True):
            kernel = first_of(np.empty((3, 9000), dtype.numpy), 5, largest=True)[0]
            text = as_cuda(kernel, wide=wide).text
            texts[f"{dtype}_{wide}"] = text
    compiled(texts, tmp_path)
