"""Scattered updates as CUDA text: which kernels it is for, that a compiler takes it, and what it
computes on the host. No GPU is needed."""

from __future__ import annotations

import numpy as np
import pytest

import cuda_host
from cuda_compiler import compiled, needs_nvcc
from scheduled import as_cuda
from treadle.dtypes import STORED, DType
from treadle.ir.bound import Spec
from treadle.kernels import places
from treadle.lang.registry import lookup
from treadle.passes import optimise

ROUTINES = frozenset({"scatter_last", "scatter_joined", "scatter_sorted"})
needs_host = pytest.mark.skipif(cuda_host.COMPILER is None, reason="g++ is not installed")
SHAPES = [((2, 50, 7), (2, 90, 7)), ((1, 700, 3), (1, 900, 1)), ((3, 300, 1), (3, 1100, 1))]


def bound(definition, *arrays, **params):
    """The kernel for arrays, and its sizes."""
    key, given = definition.arguments(params)
    dtypes = {t.numpy: t for t in STORED if t is not DType.BF16}
    specs = tuple(Spec(a.shape, dtypes[a.dtype]) for a in arrays)
    stage = definition.bind(specs, None, key, given).stages[0]
    kernel = optimise(stage.kernel)
    return kernel, dict(zip(kernel.symbols, stage.dims, strict=True))


def arrays(dtype, shapes, indexed="s32"):
    """An array, indices of which some are outside, and updates."""
    shape, many = shapes
    rng = np.random.default_rng(5)
    n, wanted = shape[1], (many[0], many[1], shape[2])
    indices = rng.integers(-n - 9, n + 9, many).astype(DType(indexed).numpy)
    made = [rng.integers(0, 250, s).astype(DType(dtype).numpy) for s in (shape, wanted)]
    return made[0], indices, made[1]


def expected(x, indices, updates, join):
    """What going through the updates gives."""
    out, n = x.copy(), x.shape[1]
    for line, j, tail in np.ndindex(updates.shape):
        i = int(indices[line, j, tail if indices.shape[2] > 1 else 0])
        i += n if i < 0 else 0
        if 0 <= i < n:
            out[line, i, tail] = join(out[line, i, tail], updates[line, j, tail])
    return out


@needs_host
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("dtype, indexed", [("f32", "s32"), ("f64", "s64"), ("u8", "s32")])
def test_the_last_update_of_a_place_wins(dtype, indexed, shapes):
    given = arrays(dtype, shapes, indexed)
    kernel, sizes = bound(places.put_in_place, *given)
    assert [c.entry for c in as_cuda(kernel).layout.measure(sizes).calls] == [
        "treadle_clear",
        "treadle_note",
        "treadle_fetch",
    ]
    (got,) = cuda_host.run(kernel, given, sizes, {})
    np.testing.assert_array_equal(got, expected(*given, lambda a, b: b))


JOINS = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


@needs_host
@pytest.mark.parametrize("reduction", JOINS)
@pytest.mark.parametrize("dtype", ["s32", "u32", "s64"])
def test_integers_join_in_any_order(dtype, reduction):
    given = arrays(dtype, SHAPES[0])
    how = places.REDUCTIONS.index(reduction)
    kernel, sizes = bound(places.put_in_any_order, *given, how=how)
    (got,) = cuda_host.run(kernel, given, sizes, {"how": how})
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(got, expected(*given, JOINS[reduction]))


@needs_host
@pytest.mark.parametrize("reduction", JOINS)
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_floats_join_in_the_order_of_their_updates(shapes, reduction):
    x, indices, _ = arrays("f32", shapes)
    rng = np.random.default_rng(6)
    x, updates = (
        rng.standard_normal(s).astype(np.float32)
        for s in (shapes[0], (*shapes[1][:2], shapes[0][2]))
    )
    n = shapes[0][1]
    named = np.where(indices < 0, indices + n, indices)
    lines = np.where((named >= 0) & (named < n), named, n).transpose(0, 2, 1)
    lines = lines.reshape(-1, shapes[1][1])
    order = np.argsort(lines, -1, kind="stable").astype(np.int32)
    keys = np.take_along_axis(lines, order, -1).astype(np.int32)
    how = places.REDUCTIONS.index(reduction)
    kernel, sizes = bound(places.put_runs, x, keys, order, updates, how=how)
    (got,) = cuda_host.run(kernel, [x, keys, order, updates], sizes, {"how": how})
    np.testing.assert_array_equal(got, expected(x, indices, updates, JOINS[reduction]))


@pytest.mark.parametrize(
    "dtype, reduction, expects",
    [
        ("f32", "none", "scatter_last"),
        ("f32", "add", "scatter_sorted"),
        ("s32", "add", "scatter_joined"),
        ("u8", "max", "scatter_sorted"),
        ("u8", "none", "scatter_last"),
    ],
)
def test_what_has_an_order_is_sorted(dtype, reduction, expects):
    definition = lookup("scatter_elements")
    specs = tuple(Spec((400, 5), t) for t in (DType(dtype), DType.S32, DType(dtype)))
    key, given = definition.arguments({"reduction": reduction})
    stages = definition.bind(specs, None, key, given, ROUTINES).stages
    found = {stage.kernel.routine for stage in stages}
    assert (expects in found) if expects else not found & ROUTINES


@needs_nvcc
def test_a_compiler_takes_scattered_updates(tmp_path):
    texts = {}
    for wide in (False, True):
        for dtype in ("f16", "bool", "s64"):
            given = arrays(dtype, SHAPES[1])
            text = as_cuda(bound(places.put_in_place, *given)[0], wide=wide).text
            texts[f"last_{dtype}_{wide}"] = text
        for dtype in ("f32", "f64", "f16"):
            kinds = (dtype, "s32", "s32", dtype)
            made = [
                np.zeros((2, 3, 1)[: 2 + (k in (0, 3))], DType(d).numpy)
                for k, d in enumerate(kinds)
            ]
            text = as_cuda(bound(places.put_runs, *made, how=1)[0], wide=wide).text
            texts[f"runs_{dtype}_{wide}"] = text
        for dtype in ("s32", "u32", "s64"):
            kernel, _ = bound(places.put_in_any_order, *arrays(dtype, SHAPES[0]), how=1)
            text = as_cuda(kernel, wide=wide).text
            texts[f"joined_{dtype}_{wide}"] = text
    compiled(texts, tmp_path)
