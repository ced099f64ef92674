"""Loop nests of Map kernels on the CPU against NumPy and the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

from handmade import (
    BOOL,
    F32,
    F64,
    S32,
    S64,
    U8,
    U32,
    Array,
    Runner,
    axes,
    f32,
    load,
    mapped,
    op,
    plus,
    pointwise,
    s32,
)
from scheduled import as_llvm
from treadle.backends.cpu import CpuBackend
from treadle.codegen.llvm import map as llvm_map
from treadle.dtypes import DType
from treadle.ir.interpret import interpret
from treadle.ir.nodes import (
    Assign,
    Cast,
    Const,
    Extent,
    For,
    If,
    Kernel,
    Load,
    Local,
    Param,
    Tensor,
    While,
)
from treadle.passes import optimise
from treadle.passes.inplace import elementwise
from treadle.runtime.device import Device

Y, X, C = axes(3)
INF = float("inf")


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


@pytest.mark.parametrize("n", [1, 2, 7, 64, 1000, 16384, 16385, 40000, 300_001])
def test_map_covers_every_element_at_any_size(run, n):
    kernel = pointwise(op("mul", load("a", Y), f32(3)), inputs={"a": F32})
    data = noise(n)
    np.testing.assert_array_equal(run(kernel, data)[0], data * np.float32(3))


def test_map_in_place(run):
    kernel = pointwise(op("add", load("a", Y), load("b", Y)), inputs={"a": F32, "b": F32})
    a, b = noise(100_003), noise(100_003, seed=1)
    want = a + b
    run(kernel, a, b, out=[a])
    np.testing.assert_array_equal(a, want)


def test_what_may_be_written_in_place_is_not_said_to_be_read_only():
    column = ("n", 1)  # the second index of a column is a constant, and still the element's own
    kernel = mapped(load("a", Y, 0), inputs=(Tensor("a", F32, column),), space=column)
    assert elementwise(kernel) == (True,)
    assert "!alias.scope" not in as_llvm(kernel).text
    beside = mapped(load("a", plus(Y, 1), 0), inputs=(Tensor("a", F32, column),), space=column)
    assert elementwise(beside) == (False,)
    assert "!alias.scope" in as_llvm(beside).text


def test_map_with_parameters_of_every_type(run):
    params = [Param("f", F32), Param("d", F64), Param("i", S32), Param("l", S64), Param("on", BOOL)]
    total = op("add", Cast(params[0], F64), params[1])
    total = op("add", total, Cast(params[2], F64))
    total = op("add", total, Cast(params[3], F64))
    total = op("select", params[4], total, Const(0.0, F64))
    kernel = pointwise(total, inputs={"a": F32}, output=F64, params=params)
    values = {"f": 0.5, "d": 0.25, "i": -3, "l": 1 << 40, "on": 1}
    (got,) = run(kernel, noise(3), params=values)
    assert got.tolist() == [0.75 - 3 + (1 << 40)] * 3


def test_scalar_map(run):
    kernel = mapped(op("add", load("a"), f32(1)), inputs=[Tensor("a", F32, ())], space=())
    assert run(kernel, np.array(2.0, np.float32))[0] == 3.0


def test_several_outputs(run):
    a = load("a", Y)
    kernel = mapped(
        op("neg", a), Cast(a, U8), inputs=[Tensor("a", F32, ("n",))], space=("n",), output=[F32, U8]
    )
    data = np.array([1.5, -2.0, 300.0], np.float32)
    first, second = run(kernel, data)
    assert first.tolist() == [-1.5, 2.0, -300.0]
    assert second.tolist() == [2, 0, 255]


def test_broadcast_row_column_and_scalar(run):
    inputs = [
        Tensor("a", F32, ("h", "w")),
        Tensor("row", F32, ("w",)),
        Tensor("column", F32, ("h", 1)),
        Tensor("one", F32, (1, 1)),
    ]
    total = op("add", load("a", Y, X), load("row", X))
    total = op("add", total, op("add", load("column", Y, 0), load("one", 0, 0)))
    kernel = mapped(total, inputs=inputs, space=("h", "w"))
    a, row, column, one = noise(33, 70), noise(70), noise(33, 1), noise(1, 1)
    np.testing.assert_allclose(
        run(kernel, a, row, column, one)[0], a + row + (column + one), rtol=1e-6
    )


@pytest.mark.parametrize("offsets", [(-3, 3), (-1, 0), (2, 5), (-9, -9)])
@pytest.mark.parametrize("shape", [(1, 1, 4), (3, 2, 4), (5, 7, 4), (4, 50, 4), (2, 9000, 4)])
def test_row_stencil_clamps_at_the_edges(run, shape, offsets):
    inputs = [Tensor("a", F32, ("h", "w", 4))]
    taps = [load("a", Y, plus(X, i), C) for i in range(offsets[0], offsets[1] + 1)]
    total = taps[0]
    for tap in taps[1:]:
        total = op("add", total, tap)
    kernel = mapped(total, inputs=inputs, space=("h", "w", 4))
    a = noise(*shape)
    want = a[:, clamped(shape[1], offsets[0])]
    for i in range(offsets[0] + 1, offsets[1] + 1):
        want = want + a[:, clamped(shape[1], i)]
    np.testing.assert_array_equal(run(kernel, a)[0], want)


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (20, 31)])
def test_column_and_two_way_stencil(run, shape):
    inputs = [Tensor("a", F32, ("h", "w"))]
    up, down = load("a", plus(Y, -2), X), load("a", plus(Y, 1), plus(X, -1))
    kernel = mapped(op("sub", up, down), inputs=inputs, space=("h", "w"))
    a = noise(*shape)
    want = a[clamped(shape[0], -2)] - a[clamped(shape[0], 1)][:, clamped(shape[1], -1)]
    np.testing.assert_array_equal(run(kernel, a)[0], want)


def test_stencil_by_a_loop_and_named_coordinates(run):
    body = (
        Assign("y", Y),
        Assign("x", X),
        Assign("sum", f32(0)),
        For(
            "i",
            s32(-2),
            s32(3),
            1,
            (
                Assign("xx", plus(Local("x", S32), Local("i", S32))),
                Assign(
                    "sum",
                    op("add", Local("sum", F32), load("a", Local("y", S32), Local("xx", S32))),
                ),
            ),
        ),
    )
    kernel = mapped(
        Local("sum", F32), inputs=[Tensor("a", F32, ("h", "w"))], space=("h", "w"), body=body
    )
    for shape in [(1, 1), (3, 4), (7, 100)]:
        a = noise(*shape)
        want = sum((a[:, clamped(shape[1], i)] for i in range(-2, 3)), np.zeros_like(a))
        np.testing.assert_allclose(run(kernel, a)[0], want, rtol=1e-6, atol=1e-6)
    assert "row_inside" in as_llvm(kernel).text


def test_strided_and_flipped_reads(run):
    inputs = [Tensor("a", F32, ("m",))]
    index = op("mul", Y, s32(2))
    kernel = mapped(load("a", plus(index, 1)), inputs=inputs, space=("n",))
    a = noise(21)
    np.testing.assert_array_equal(run(kernel, a, n=13)[0], a[np.minimum(np.arange(13) * 2 + 1, 20)])
    flipped = op("sub", op("sub", Extent("n"), s32(1)), Y)
    kernel = mapped(load("a", flipped), inputs=[Tensor("a", F32, ("n",))], space=("n",))
    np.testing.assert_array_equal(run(kernel, a)[0], a[::-1])
    text = as_llvm(optimise(kernel)).text.split("@treadle_run")[0]
    assert "smin" not in text.split("define", 1)[1]


def test_huge_offsets_wrap_as_s32_does(run):
    kernel = mapped(load("a", plus(Y, 2**31 - 1)), inputs=[Tensor("a", F32, ("n",))], space=("n",))
    same_as_interpreted(run, kernel, noise(5))


def test_gather_clamps_what_it_is_given(run):
    inputs = [Tensor("table", F32, ("m",)), Tensor("i", S32, ("n",))]
    kernel = mapped(load("table", load("i", Y, dtype=S32)), inputs=inputs, space=("n",))
    table = noise(4)
    index = np.array([0, 3, 4, -1, 2**31 - 1, -(2**31)], np.int32)
    np.testing.assert_array_equal(run(kernel, table, index)[0], table[[0, 3, 3, 0, 3, 0]])


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_small_last_axis_that_cannot_merge(run, channels):
    inputs = [Tensor("a", F32, ("h", "w", channels)), Tensor("k", F32, (channels,))]
    total = op("mul", load("a", Y, plus(X, 1), C), load("k", C))
    kernel = mapped(total, inputs=inputs, space=("h", "w", channels))
    a, k = noise(5, 37, channels), noise(channels)
    np.testing.assert_array_equal(run(kernel, a, k)[0], a[:, clamped(37, 1)] * k)


def test_u8_image_with_coordinates_as_values(run):
    value = op("add", Cast(load("a", Y, X, dtype=S32), F32), Cast(op("add", Y, X), F32))
    kernel = mapped(value, inputs=[Tensor("a", U8, ("h", "w"))], space=("h", "w"), output=U8)
    a = np.random.default_rng(1).integers(0, 256, (40, 300), np.uint8)
    y, x = np.mgrid[:40, :300]
    np.testing.assert_array_equal(run(kernel, a)[0], np.minimum(a.astype(int) + y + x, 255))


def test_transpose(run):
    kernel = mapped(load("a", X, Y), inputs=[Tensor("a", F32, ("w", "h"))], space=("h", "w"))
    for shape in [(1, 1), (37, 53), (64, 128), (700, 333)]:
        a = noise(*shape)
        np.testing.assert_array_equal(run(kernel, a)[0], a.T)


def test_loops_over_sizes_run_in_lanes(run):
    """An integer matrix product: no routine, a loop with symbolic bounds."""
    inputs = [Tensor("a", S32, ("m", "k")), Tensor("b", S32, ("k", "n"))]
    term = op(
        "mul", load("a", Y, Local("i", S32), dtype=S32), load("b", Local("i", S32), X, dtype=S32)
    )
    body = (
        Assign("sum", s32(0)),
        For("i", s32(0), Extent("k"), 1, (Assign("sum", op("add", Local("sum", S32), term)),)),
    )
    kernel = mapped(Local("sum", S32), inputs=inputs, space=("m", "n"), output=S32, body=body)
    rng = np.random.default_rng(0)
    for m, k, n in [(3, 5, 4), (17, 33, 50)]:
        a, b = rng.integers(-99, 99, (m, k), np.int32), rng.integers(-99, 99, (k, n), np.int32)
        np.testing.assert_array_equal(run(kernel, a, b)[0], a @ b)
    assert "<16 x i32>" in as_llvm(kernel).text


def test_branches_loops_and_data_dependent_while(run):
    """Collatz steps, with a branch around a loop."""
    v, count = Local("v", S32), Local("count", S32)
    odd = op("eq", op("mod", v, s32(2)), s32(1))
    step = If(
        odd,
        (Assign("v", op("add", op("mul", v, s32(3)), s32(1))),),
        (Assign("v", op("floordiv", v, s32(2))),),
    )
    body = (
        Assign("v", load("a", Y, dtype=S32)),
        Assign("count", s32(0)),
        If(
            op("gt", v, s32(0)),
            (While(op("ne", v, s32(1)), (step, Assign("count", plus(count, 1))), 500),),
            (Assign("count", s32(-1)),),
        ),
    )
    kernel = mapped(count, inputs=[Tensor("a", S32, ("n",))], space=("n",), output=S32, body=body)
    data = np.array([1, 2, 3, 7, 27, 97, 0, -5], np.int32)
    (got,) = same_as_interpreted(run, kernel, data)
    assert got.tolist() == [0, 1, 7, 16, 111, 118, -1, -1]


def test_while_stops_at_its_limit(run):
    n = Local("n", S32)
    setup = (Assign("n", plus(n, 1)),)
    body = (Assign("n", s32(0)), While(Const(True, BOOL), (), 10, setup))
    kernel = mapped(n, inputs=[Tensor("a", F32, ("n",))], space=("n",), output=S32, body=body)
    (got,) = same_as_interpreted(run, kernel, noise(2))
    assert got.tolist() == [10, 10]


def test_variables_of_a_branch_and_of_nested_loops(run):
    i, j, t = Local("i", S32), Local("j", S32), Local("t", F32)
    inner = For("j", s32(0), i, 1, (Assign("t", op("add", t, Cast(j, F32))),))
    body = (
        Assign("t", load("a", Y)),
        For("i", Extent("n"), s32(0), -3, (inner,)),
        If(op("lt", t, f32(0)), (Assign("s", op("neg", t)),), (Assign("s", op("mul", t, f32(2))),)),
    )
    kernel = mapped(Local("s", F32), inputs=[Tensor("a", F32, ("n",))], space=("n",), body=body)
    same_as_interpreted(run, kernel, noise(11) * 40)


def test_proved_indices_are_not_clamped(run):
    index = Load("i", (Y,), S32, inside=(True,))
    inputs = [Tensor("a", F32, ("m",)), Tensor("i", S32, ("n",))]
    proved = Load("a", (index,), F32, inside=(True,))
    clamped_kernel = mapped(load("a", index), inputs=inputs, space=("n",))
    proved_kernel = mapped(proved, inputs=inputs, space=("n",))

    def rows(kernel):
        return as_llvm(kernel).text.split("@row_edge", 1)[1].split("\n}", 1)[0]

    assert "smin" in rows(clamped_kernel)
    assert "smin" not in rows(proved_kernel)
    data, at = noise(9), np.array([3, 0, 8], np.int32)
    np.testing.assert_array_equal(run(proved_kernel, data, at)[0], data[at])


def test_constants_of_the_whole_range(run):
    for dtype, value in [(U32, 2**32 - 1), (U32, 2**31), (S32, -(2**31)), (S64, -(2**63))]:
        kernel = mapped(Const(value, dtype), inputs=[], space=("n",), output=dtype)
        assert run(kernel, n=2)[0].tolist() == [value, value]


@pytest.mark.parametrize("dtype", ["f32", "f64", "u8", "s64"])
@pytest.mark.parametrize("size", [16, 100_003, 40_000])
def test_large_outputs_are_streamed_past_the_caches(monkeypatch, dtype, size):
    monkeypatch.setattr(llvm_map, "_STREAMED", 0)
    with Device(CpuBackend(workers=2), "streaming") as device:
        x = (np.arange(size + 3) % 100).astype(DType(dtype).numpy)
        source, target = device.buffer(x), device.buffer_zeros(x.shape, dtype)
        device.run_kernel("scalar_add", [source], target, scalar=2)
        np.testing.assert_array_equal(target.to_numpy(), x + 2)
        device.run_kernel("scalar_add", [source], source, scalar=2)  # in place
        np.testing.assert_array_equal(source.to_numpy(), x + 2)
        part = target[3:]  # does not start at a cache line
        device.run_kernel("scalar_add", [part], part, scalar=1)
        np.testing.assert_array_equal(target.to_numpy()[3:], x[3:] + 3)
        np.testing.assert_array_equal(target.to_numpy()[:3], x[:3] + 2)


def test_streamed_rows_share_a_fence():
    """A fence waits until all that was stored is in memory: one for each row of a hundred elements
    took most of the time."""
    inputs = [Tensor("a", F32, ("n0", "n1")), Tensor("b", F32, ("n0",))]
    scaled = op("mul", load("a", Y, X), load("b", Y))
    made = as_llvm(optimise(mapped(scaled, inputs=inputs, space=("n0", "n1"))))
    text = made.layout.streamed().text
    before, driver = text.split("@treadle_run(", 1)
    assert "fence" not in before
    assert driver.split("\n}", 1)[0].rstrip().endswith("fence seq_cst\n  ret void")


def test_an_index_that_is_chosen_in_the_interior_is_in_bounds_there(run):
    """The question is about another size than that of what is read."""
    index = plus(X, s32(-2))
    within = op("and", op("ge", index, s32(0)), op("lt", index, Extent("n1")))
    place = op("select", within, index, s32(0))
    inputs = [Tensor("a", F32, ("n0", "n2")), Tensor("b", F32, ("n0", "n1"))]
    both = op("add", load("a", Y, place), load("b", Y, X))
    kernel = mapped(both, inputs=inputs, space=("n0", "n1"))
    same_as_interpreted(run, kernel, noise(5, 9), noise(5, 40))


def test_the_interior_needs_no_padding(run):
    index = plus(X, s32(-2))
    inside = op("and", op("ge", index, s32(0)), op("lt", index, Extent("n1")))
    padded = op("select", inside, load("a", Y, index), f32(0.0))
    kernel = mapped(padded, inputs=[Tensor("a", F32, ("n0", "n1"))], space=("n0", "n1"))
    text = as_llvm(kernel).text

    def questions(name):
        return text.split(f"@{name}(", 1)[1].split("\n}", 1)[0].count("icmp sge")

    assert questions("row_edge") > 0
    assert questions("row_inside") == 0
    same_as_interpreted(run, kernel, noise(5, 40))
