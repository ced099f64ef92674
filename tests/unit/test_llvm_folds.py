"""Loop nests of Reduce, Row and Scan kernels on the CPU against NumPy and the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from handmade import (
    BOOL,
    F32,
    F64,
    S32,
    S64,
    U8,
    Array,
    Runner,
    axes,
    f32,
    load,
    op,
    plus,
    s32,
)
from scheduled import as_llvm
from treadle.backends.cpu import CpuBackend
from treadle.ir.interpret import interpret
from treadle.ir.nodes import (
    Assign,
    Axis,
    Block,
    Cast,
    Const,
    Extent,
    If,
    Kernel,
    Local,
    Reduce,
    Row,
    RowFold,
    RowLet,
    Scan,
    Tensor,
)
from treadle.passes import optimise

Y, X, C = axes(3)
INF = float("inf")
ZERO = f32(0)


@pytest.fixture(scope="module")
def run():
    backend = CpuBackend()
    yield Runner(backend)
    backend.close()


def noise(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def clamped(n: int, offset: int) -> Array:
    return np.clip(np.arange(n) + offset, 0, n - 1)


def same_as_interpreted(
    run: Runner, kernel: Kernel, *inputs: Array, rtol: float = 2e-6, **params: float
):
    got = run(kernel, *inputs, params=params)
    sizes = run.sizes(kernel, inputs)
    for mine, want in zip(got, interpret(kernel, list(inputs), sizes, params), strict=True):
        np.testing.assert_allclose(
            mine, want, rtol=rtol, atol=1e-6 if want.dtype.kind == "f" else 0
        )
    return got


# Reduce


def reduction(
    space, reduced, *, value=None, init=ZERO, combine="add", finish=None, output=F32, inputs=None
):
    left, right = Local("l", init.dtype), Local("r", init.dtype)
    lifted = load("a", *axes(len(space)), dtype=init.dtype) if value is None else value
    kept = tuple(d for k, d in enumerate(space) if k not in reduced)
    form = Reduce(
        tuple(reduced),
        (init,),
        Block((), (), (lifted,)),
        Block((left, right), (), (op(combine, left, right),)),
        Block((left,), (), (left if finish is None else finish(left),)),
    )
    tensors = tuple(inputs) if inputs else (Tensor("a", init.dtype, tuple(space)),)
    return Kernel("fold", tuple(space), tensors, (Tensor("out", output, kept),), (), form)


SHAPES = [
    ((5,), (0,)),
    ((1,), (0,)),
    ((100_003,), (0,)),
    ((400_000,), (0,)),
    ((3, 40), (1,)),
    ((3, 40), (0,)),
    ((2, 300_000), (1,)),
    ((300_000, 3), (0,)),
    ((1000, 700), (0,)),
    ((5, 600), (0,)),
    ((7, 5, 90), (0, 2)),
    ((70, 5, 9000), (0, 2)),
    ((6, 50, 40), (1,)),
    ((2, 30_000, 40), (1,)),
    ((4, 3, 5, 33), (0, 2)),
    ((4, 3, 5, 33), (1, 3)),
    ((100, 9), (1,)),
]


@pytest.mark.parametrize("shape,reduced", SHAPES, ids=str)
def test_sum_over_axes(run, shape, reduced):
    space = tuple(f"n{k}" for k in range(len(shape)))
    a = noise(*shape)
    (got,) = run(reduction(space, reduced), a)
    want = a.astype(np.float64).sum(axis=reduced)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-4 * np.sqrt(a.size))


def test_sum_is_the_same_however_many_workers(run):
    a = noise(1_000_003)
    kernel = reduction(("n",), (0,))
    backend = CpuBackend(workers=7)
    try:
        assert Runner(backend)(kernel, a)[0] == run(kernel, a)[0]
    finally:
        backend.close()


@pytest.mark.parametrize("reduced,want", [((0,), [7.0, 7.0, 7.0]), ((1,), [])])
def test_empty_reduced_axis_gives_the_finished_identity(run, reduced, want):
    kernel = reduction(("n", "m"), reduced, finish=lambda s: op("add", s, f32(7)))
    (got,) = run(kernel, np.zeros((0, 3), np.float32))
    assert got.tolist() == want


def test_mean_uses_the_size(run):
    kernel = reduction(("n", "m"), (1,), finish=lambda s: op("div", s, Cast(Extent("m"), F32)))
    a = noise(5, 77)
    np.testing.assert_allclose(run(kernel, a)[0], a.mean(1), rtol=1e-5, atol=1e-6)


def test_maximum_keeps_nan(run):
    kernel = reduction(("n",), (0,), init=f32(-INF), combine="maximum")
    a = noise(100_000)
    assert run(kernel, a)[0] == a.max()
    a[77_777] = np.nan
    assert np.isnan(run(kernel, a)[0])


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name, worst", [("reduce_max", -np.inf), ("reduce_min", np.inf)])
def test_a_nan_anywhere_is_the_extreme(name, worst, axis):
    device = treadle.device("cpu")
    for dtype in ("f4", "f8"):
        a = np.full((70, 70), worst, dtype)
        np.fill_diagonal(a, np.nan)  # at every place of a vector, and of what is left of rows
        a[1, 2], a[69, 68] = 3, -3
        found = device.run_kernel(name, [device.buffer(a)], axis=axis)
        assert np.isnan(found.to_numpy()).all()
        plain = np.where(np.isnan(a), worst, a).astype(dtype)
        best = device.run_kernel(name, [device.buffer(plain)], axis=axis)
        np.testing.assert_array_equal(best.to_numpy(), getattr(plain, name[-3:])(axis=axis))


@pytest.mark.parametrize("rows", [1, 3, 4, 5, 31, 70, 1000])
@pytest.mark.parametrize("columns", [3, 32, 40, 600])
def test_columns_take_up_several_rows_at_once(rows, columns):
    device = treadle.device("cpu")
    a = np.random.default_rng((rows, columns)).normal(size=(2, rows, columns)).astype("f4")
    for name, wanted in (("reduce_sum", a.astype("f8").sum(1)), ("reduce_min", a.min(1))):
        found = device.run_kernel(name, [device.buffer(a)], axis=1).to_numpy()
        np.testing.assert_allclose(found, wanted, rtol=0, atol=2e-6 * abs(a).sum(1).max())


def test_wide_and_integer_states(run):
    value = Cast(load("a", Y), F64)
    kernel = reduction(
        ("n",),
        (0,),
        value=value,
        init=Const(0.0, F64),
        output=F64,
        inputs=[Tensor("a", F32, ("n",))],
    )
    a = noise(200_001)
    np.testing.assert_allclose(run(kernel, a)[0], a.astype(np.float64).sum(), rtol=1e-12)
    kernel = reduction(("n",), (0,), init=Const(0, S64), output=S64)
    b = np.arange(200_001, dtype=np.int64)
    assert run(kernel, b)[0] == b.sum()


@pytest.mark.parametrize(
    "shape,axis", [((50_000,), 0), ((300_000,), 0), ((20, 301), 1), ((301, 20), 0)]
)
def test_argmax_has_a_state_of_two(run, shape, axis):
    rank = len(shape)
    space = tuple(f"n{k}" for k in range(rank))
    lv, li, rv, ri = Local("lv", F32), Local("li", S32), Local("rv", F32), Local("ri", S32)
    first = op("and", op("eq", rv, lv), op("lt", ri, li))
    better = op("or", op("gt", rv, lv), first)
    form = Reduce(
        (axis,),
        (f32(-INF), s32(2**31 - 1)),
        Block((), (), (load("a", *axes(rank)), Axis(axis))),
        Block(
            (lv, li, rv, ri),
            (Assign("better", better),),
            (
                op("select", Local("better", BOOL), rv, lv),
                op("select", Local("better", BOOL), ri, li),
            ),
        ),
        Block((lv, li), (), (li,)),
    )
    kept = tuple(d for k, d in enumerate(space) if k != axis)
    kernel = Kernel(
        "argmax", space, (Tensor("a", F32, space),), (Tensor("o", S32, kept),), (), form
    )
    a = np.random.default_rng(0).integers(0, 50, shape).astype(np.float32)
    np.testing.assert_array_equal(run(kernel, a)[0], a.argmax(axis))


@pytest.mark.parametrize("axis", [0, 1])
def test_conditions_as_states(run, axis):
    left, right = Local("l", BOOL), Local("r", BOOL)
    kernel = Kernel(
        "any",
        ("n", "m"),
        (Tensor("a", F32, ("n", "m")),),
        (Tensor("o", S32, (("m", "n")[axis],)),),
        (),
        Reduce(
            (axis,),
            (Const(False, BOOL),),
            Block((), (), (op("gt", load("a", Y, X), f32(2.5)),)),
            Block((left, right), (), (op("or", left, right),)),
            Block((left,), (), (Cast(left, S32),)),
        ),
    )
    for shape in [(3, 5), (70, 90), (2, 200_000), (200_000, 2)]:
        a = noise(*shape)
        np.testing.assert_array_equal(run(kernel, a)[0], (a > 2.5).any(axis))


def test_reduce_with_gather_falls_back(run):
    inputs = [Tensor("i", S32, ("n",)), Tensor("t", F32, ("m",))]
    kernel = reduction(("n",), (0,), value=load("t", load("i", Y, dtype=S32)), inputs=inputs)
    index = np.random.default_rng(0).integers(0, 9, 100_000).astype(np.int32)
    table = noise(9)
    np.testing.assert_allclose(
        run(kernel, index, table)[0], table[index].sum(dtype=np.float64), rtol=1e-4
    )


def test_reduce_with_broadcast_and_stencil_inputs(run):
    inputs = [Tensor("a", F32, ("n", "m")), Tensor("b", F32, ("m",)), Tensor("c", F32, ("n", 1))]
    value = op("mul", load("a", Y, plus(X, 1)), op("add", load("b", X), load("c", Y, 0)))
    kernel = reduction(("n", "m"), (1,), value=value, inputs=inputs)
    same_as_interpreted(run, kernel, noise(9, 70), noise(70), noise(9, 1), rtol=1e-4)


# Row


def rowwise(space, axis, body, *results, scalar=False, output=F32, inputs=None):
    kept = tuple(d for k, d in enumerate(space) if not scalar or k != axis)
    outputs = tuple(Tensor(f"o{i}", output, kept) for i in range(len(results)))
    form = Row(axis, Block((), tuple(body), results), scalar)
    tensors = tuple(inputs) if inputs else (Tensor("a", F32, tuple(space)),)
    return Kernel("row", tuple(space), tensors, outputs, (), form)


def softmax(space, axis):
    row = load("a", *axes(len(space)))
    e = Local("e", F32)
    body = (
        RowFold("top", "max", row),
        RowLet("e", op("exp", op("sub", row, Local("top", F32)))),
        RowFold("total", "sum", e),
    )
    return rowwise(space, axis, body, op("div", e, Local("total", F32)))


@pytest.mark.parametrize(
    "shape,axis",
    [
        ((1, 1), 1),
        ((3, 31), 1),
        ((3, 32), 1),
        ((200, 1000), 1),
        ((40, 7), 0),
        ((5, 40, 70), 1),
        ((9,), 0),
    ],
)
def test_softmax(run, shape, axis):
    a = noise(*shape) * 5
    kernel = softmax(tuple(f"n{k}" for k in range(len(shape))), axis)
    want = np.exp((a - a.max(axis, keepdims=True)).astype(np.float64))
    want /= want.sum(axis, keepdims=True)
    np.testing.assert_allclose(run(kernel, a)[0], want, rtol=2e-6)


def test_costly_locals_are_computed_once():
    kernel = optimise(softmax(("n", "m"), 1))
    text = as_llvm(kernel).text
    assert "store <32 x float>" in text
    assert text.count("shl <32 x i32>") == 2  # one exp takes two powers of two


@pytest.mark.parametrize("shape,axis", [((30, 100), 1), ((30, 100), 0), ((1, 5), 1)])
def test_layer_norm_with_independent_folds(run, shape, axis):
    space = ("n", "m")
    row, n = load("a", Y, X), Cast(Extent(space[axis]), F32)
    mean, square = Local("mean", F32), Local("sq", F32)
    body = (
        RowFold("s", "sum", row),
        RowFold("q", "sum", op("mul", row, row)),
        Assign("mean", op("div", Local("s", F32), n)),
        Assign("sq", op("div", Local("q", F32), n)),
        Assign("sq", op("sub", square, op("mul", mean, mean))),
        RowLet("c", op("sub", row, mean)),
    )
    result = op("mul", Local("c", F32), op("rsqrt", op("add", square, f32(1e-3))))
    a = noise(*shape)
    mu = a.mean(axis, keepdims=True)
    want = (a - mu) / np.sqrt(a.var(axis, keepdims=True) + 1e-3)
    (got,) = run(rowwise(space, axis, body, result), a)
    np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("kind,want", [("sum", 0.0), ("prod", 1.0), ("max", -INF), ("min", INF)])
def test_fold_of_an_empty_row(run, kind, want):
    kernel = rowwise(
        ("n", "m"), 1, (RowFold("t", kind, load("a", Y, X)),), Local("t", F32), scalar=True
    )
    (got,) = run(kernel, np.zeros((3, 0), np.float32))
    assert got.tolist() == [want] * 3


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_row_scalars_of_integers(run, axis):
    space = ("n", "m", "k")
    row = load("a", *axes(3), dtype=S32)
    body = (RowFold("hi", "max", row), RowFold("lo", "min", row))
    result = op("sub", Local("hi", S32), Local("lo", S32))
    inputs = [Tensor("a", S32, space)]
    kernel = rowwise(space, axis, body, result, scalar=True, output=S32, inputs=inputs)
    a = np.random.default_rng(0).integers(-1000, 1000, (5, 37, 41), np.int32)
    np.testing.assert_array_equal(run(kernel, a)[0], np.ptp(a, axis=axis))


def test_row_of_u8_does_not_keep_locals_in_the_output(run):
    e = Local("e", F32)
    row = Cast(load("a", Y, X, dtype=S32), F32)
    body = (RowLet("e", op("sqrt", row)), RowFold("t", "max", e))
    result = op("mul", op("div", e, Local("t", F32)), f32(255))
    kernel = rowwise(("n", "m"), 1, body, result, output=U8, inputs=[Tensor("a", U8, ("n", "m"))])
    a = np.random.default_rng(0).integers(0, 256, (20, 100), np.uint8)
    r = np.sqrt(a.astype(np.float32))
    want = np.rint(r / r.max(1, keepdims=True) * np.float32(255))
    np.testing.assert_allclose(run(kernel, a)[0], want, atol=1)


# Scan


@pytest.mark.parametrize(
    "shape,axis",
    [((1,), 0), ((1000,), 0), ((7, 100), 1), ((100, 7), 0), ((50, 64), 0), ((3, 40, 35), 1)],
)
def test_cumulative_sum(run, shape, axis):
    space = tuple(f"n{k}" for k in range(len(shape)))
    s = Local("s", F32)
    total = op("add", s, load("a", *axes(len(shape))))
    step = Block((s,), (Assign("t", total),), (Local("t", F32), Local("t", F32)))
    form = Scan(axis, (f32(0),), step)
    kernel = Kernel(
        "cumsum", space, (Tensor("a", F32, space),), (Tensor("o", F32, space),), (), form
    )
    a = noise(*shape)
    np.testing.assert_allclose(
        run(kernel, a)[0], a.cumsum(axis, dtype=np.float32), rtol=1e-5, atol=1e-5
    )


def test_scan_with_two_states_and_a_branch(run):
    space = ("n", "m")
    peak, count = Local("peak", F32), Local("count", S32)
    x = load("a", Y, X)
    body = (
        Assign("p", peak),
        Assign("c", plus(count, 1)),
        If(op("gt", x, peak), (Assign("p", x), Assign("c", s32(0)))),
    )
    results = (Local("p", F32), Local("c", S32), Local("p", F32), Local("c", S32))
    form = Scan(0, (f32(-INF), s32(0)), Block((peak, count), body, results))
    outputs = (Tensor("p", F32, space), Tensor("c", S32, space))
    kernel = Kernel("peak", space, (Tensor("a", F32, space),), outputs, (), form)
    a = noise(30, 53)
    got, since = same_as_interpreted(run, kernel, a)
    np.testing.assert_array_equal(got, np.maximum.accumulate(a, 0))
    assert since.min() == 0
