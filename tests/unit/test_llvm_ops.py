"""Every operation and conversion on the CPU against its definition."""

from __future__ import annotations

import numpy as np
import pytest

from handmade import BOOL, F32, F64, S32, S64, U8, U32, Array, Runner, f32, load, op, pointwise
from treadle.backends.cpu import CpuBackend
from treadle.codegen.llvm.ops import SPELLINGS
from treadle.dtypes import DType
from treadle.ir.casts import convert
from treadle.ir.nodes import Axis, Cast, Expr
from treadle.ir.ops import OPS, Rule

FLOAT_EDGES = [
    *(0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 2.5, 3.5, -2.5, 0.3, 0.7, 10.0),
    *(1e-45, -1e-45, 1e-40, 1.1754944e-38, 1e-20, 1e-7, -1e-7, 0.99999994, 1.0000001, 1e-3),
    *(88.7, 88.73, 89.4, -87.4, -103.9, -104.0, 127.9, 128.0, -126.5, -149.5, -150.0, 16777217.0),
    *(3.4028235e38, -3.4028235e38, np.inf, -np.inf, np.nan, 1e5, -1e5, 1e9, 1e10, 1e20, -1e38),
    *(np.pi, np.pi / 2, 0.41421356, 3.9, -4.1, 254.5, 255.5, 255.0, -0.4, 2.0**31, -(2.0**31)),
    *(2.0**63, 2.0**32, 4294967040.0, 1.5, -1.5),
]
ULP = {F32: 5e-7, F64: 1e-14}


@pytest.fixture(scope="module")
def run():
    backend = CpuBackend()
    yield Runner(backend)
    backend.close()


def edges(dtype: DType) -> Array:
    rng = np.random.default_rng(7)
    if dtype.is_float:
        more = [
            *rng.normal(0, 3, 200),
            *rng.uniform(-90, 90, 200),
            *10 ** rng.uniform(-37, 38, 200),
        ]
        return np.array(FLOAT_EDGES + more).astype(dtype.numpy)
    limits = np.iinfo(dtype.numpy)
    plain = [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 100, 255, 256, limits.max, limits.min]
    plain += [limits.max - 1, limits.min + 1] + ([-1, -2, -7, -100] if limits.min < 0 else [])
    if dtype is U8:
        return np.arange(256, dtype=np.uint8)
    random = rng.integers(limits.min, limits.max, 100, dtype=dtype.numpy)
    return np.concatenate([np.array(plain, dtype.numpy), random])


def check(got: Array, want: Array, dtype: DType) -> None:
    if not dtype.is_float:
        np.testing.assert_array_equal(got, want)
        return
    with np.errstate(all="ignore"):
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        scale = np.maximum(np.abs(want.astype(np.float64)), np.finfo(dtype.numpy).tiny)
        error = np.abs(got.astype(np.float64) - want) / scale
    worst = np.where(same, 0.0, np.nan_to_num(error, nan=np.inf))
    assert worst.max() <= ULP[dtype], f"off by {worst.max()} at {np.argmax(worst)}"


CASES = [
    (name, dtype)
    for name, row in OPS.items()
    for dtype in (F32, F64, S32, S64, U32, BOOL)
    if row.accepts((BOOL, dtype, dtype) if row.rule is Rule.SELECT else (dtype,) * row.arity)
]


def test_every_operation_has_a_spelling():
    assert set(SPELLINGS) == set(OPS)


@pytest.mark.parametrize("name,dtype", CASES, ids=lambda v: str(v))
def test_operation_equals_its_definition(run, name, dtype):
    row = OPS[name]
    types = [BOOL, dtype, dtype] if row.rule is Rule.SELECT else [dtype] * row.arity
    columns: list[Array] = [
        np.array([0, 1], np.int32) if t is BOOL else edges(t)[: None if row.arity == 1 else 90]
        for t in types
    ]
    grid = [np.ascontiguousarray(g.ravel()) for g in np.meshgrid(*columns[-2:])]
    if row.arity == 3:
        grid = [(np.arange(grid[0].size) % 2).astype(np.int32), *grid]
    names = "abc"[: row.arity]
    stored = {n: (S32 if t is BOOL else t) for n, t in zip(names, types, strict=True)}
    args: list[Expr] = [
        Cast(load(n, Axis(0), dtype=S32), BOOL) if t is BOOL else load(n, Axis(0), dtype=t)
        for n, t in zip(names, types, strict=True)
    ]
    result: Expr = op(name, *args)
    output = result.dtype
    if output is BOOL:
        result, output = Cast(result, S32), S32
    kernel = pointwise(result, inputs=stored, output=output)
    (got,) = run(kernel, *grid)
    given = [g.astype(bool) if t is BOOL else g for g, t in zip(grid, types, strict=True)]
    with np.errstate(all="ignore"):
        want = np.asarray(row.numpy(*given)).astype(output.numpy)
    check(got, want, output)


@pytest.mark.parametrize("target", [F32, F64, S32, S64, U32, U8, BOOL], ids=str)
@pytest.mark.parametrize("source", [F32, F64, S32, S64, U32, U8], ids=str)
def test_cast_equals_its_definition(run, source, target):
    data = edges(source)
    read = load("a", Axis(0), dtype=S32 if source is U8 else source)
    result: Expr = Cast(read, target)
    output = target
    if target is BOOL:
        result, output = Cast(result, S32), S32
    (got,) = run(pointwise(result, inputs={"a": source}, output=output), data)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(got, convert(data, target).astype(output.numpy))


def test_store_rounds_to_even_and_saturates_to_u8(run):
    data = np.array([0.5, 1.5, 2.5, 254.5, 255.5, -1.0, 1e9, np.nan, np.inf, -np.inf], np.float32)
    (got,) = run(pointwise(load("a", Axis(0)), inputs={"a": F32}, output=U8), data)
    assert got.tolist() == [0, 2, 2, 254, 255, 0, 255, 0, 255, 0]


def test_large_angles_are_reduced_exactly(run):
    data = np.array([2.0**20, 1e7, 123456.7e10, 1e30, -1e37, 3.4028235e38], np.float32)
    for name in ("sin", "cos"):
        (got,) = run(pointwise(op(name, load("a", Axis(0))), inputs={"a": F32}), data)
        want = getattr(np, name)(data.astype(np.float64))
        np.testing.assert_allclose(got, want, rtol=3e-7)


def test_powers_are_right_to_four_units_in_vectors_and_alone(run):
    rng = np.random.default_rng(11)
    # Of powers so large the last bits come from digits that a float has no room for; some are too
    # large, or of no number, so that there are vectors with such lanes and without.
    x = (0.7 + 0.8 * rng.random(40_000)).astype(np.float32)
    y = (rng.normal(size=x.size) * np.where(np.arange(x.size) % 2000 < 1000, 90, 200)).astype("f4")
    x[5::997], y[7::1999] = edges(F32)[: x[5::997].size], np.inf
    power = op("pow", load("x", Axis(0)), load("y", Axis(0)))
    (got,) = run(pointwise(power, inputs={"x": F32, "y": F32}), x, y)
    with np.errstate(all="ignore"):
        want = np.power(x.astype(np.float64), y.astype(np.float64))
        rounded = want.astype(np.float32)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(rounded))
    plain = np.isfinite(rounded) & np.isfinite(got)
    np.testing.assert_array_equal(got[~plain & ~np.isnan(want)], rounded[~plain & ~np.isnan(want)])
    unit = np.spacing(np.maximum(np.abs(rounded[plain]), np.finfo(np.float32).tiny))
    assert (np.abs(got[plain] - want[plain]) / unit).max() <= 4
    alone = [run(pointwise(power, inputs={"x": F32, "y": F32}), x[i:], y[i:])[0][0] for i in (0, 3)]
    np.testing.assert_array_equal(alone, got[[0, 3]])


BOUNDS = [
    (-80.0, 80.0),
    (-86.0, 87.0),
    (-87.5, 80.0),
    (-80.0, 90.0),
    (-3.0, float("inf")),
    (0.0, 80.0),
]


@pytest.mark.parametrize("low,high", BOUNDS)
def test_what_is_computed_of_a_clamped_value_equals_its_definition(run, low, high):
    # NaN of every payload: their bits must not get into an exponent.
    payloads = (np.arange(1, 1024, dtype=np.uint32) | 0x7F800000).view(np.float32)
    values = np.concatenate([edges(F32), payloads, -payloads, np.array([low, high], np.float32)])
    x = load("x", Axis(0))
    for clamped in (
        op("minimum", op("maximum", x, f32(low)), f32(high)),
        op("maximum", f32(low), op("minimum", f32(high), x)),
    ):
        kernel = pointwise(op("exp", clamped), inputs={"x": F32}, output=F32)
        (got,) = run(kernel, values)
        with np.errstate(all="ignore"):
            want = np.exp(np.minimum(np.maximum(values, np.float32(low)), np.float32(high)))
        check(got, want, F32)


@pytest.mark.parametrize("bound", [0.0, -0.0, 1.0, -1.0, 1e-45, np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("name", ["minimum", "maximum"])
def test_a_bound_that_is_known_is_a_bound_like_another(run, name, bound):
    values = edges(F32)
    x, y = load("x", Axis(0)), load("y", Axis(0))
    bounds = np.full_like(values, bound)
    (same,) = run(
        pointwise(op(name, x, y), inputs={"x": F32, "y": F32}, output=F32), values, bounds
    )
    (got,) = run(pointwise(op(name, x, f32(bound)), inputs={"x": F32}, output=F32), values)
    np.testing.assert_array_equal(got.view(np.uint32), same.view(np.uint32))
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(got, getattr(np, name)(values, np.float32(bound)))
