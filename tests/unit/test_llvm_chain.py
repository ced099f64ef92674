"""Fused chains on the CPU against the interpreter: every stage's rows, at every kind of border."""

from __future__ import annotations

import numpy as np
import pytest

from chains import IMAGE, Tap, chained, of, same, stage, summed, whole
from handmade import F32, F64, S32, S64, U8, U32, Runner, axes, f32, load, op, plus, s32
from scheduled import as_llvm, for_cpu
from treadle.backends.cpu import CpuBackend
from treadle.codegen.llvm import chain as llvm_chain
from treadle.dtypes import DType
from treadle.ir.interpret import interpret
from treadle.ir.nodes import (
    Assign,
    Axis,
    Block,
    Cast,
    Chain,
    Const,
    Dim,
    Extent,
    For,
    Kernel,
    Local,
    Map,
    Param,
    Tensor,
)

Y, X, C = axes(3)


@pytest.fixture(scope="module")
def run():
    backend = CpuBackend(workers=2)
    yield Runner(backend)
    backend.close()


@pytest.fixture
def short_units(monkeypatch):
    """Units of a few rows, so that most rows are near the border of one."""
    monkeypatch.setattr(llvm_chain, "_UNIT_NS", 0.0)
    monkeypatch.setattr(llvm_chain, "_UNIT_HALO", 1)
    monkeypatch.setattr(llvm_chain, "_FLAT_ROWS", 3)


def blur_sharpen(dtype: DType = F32, between: DType = F32, **more) -> Kernel:
    """A vertical and a horizontal pass, then a sum over a cross."""
    space = more.get("space", IMAGE)
    source = Tensor("source", dtype, space)
    down = [Tap(source, i, 0, 0.25) for i in (-2, -1, 0, 1, 2)]
    first = stage("down", down, dtype=between, **more)
    across = [Tap(of(first), 0, i, 0.5) for i in (-1, 0, 1)]
    second = stage("across", across, dtype=dtype, **more)
    cross = [Tap(of(second), i, j, 0.5) for i, j in ((-1, 0), (1, 0), (0, -1), (0, 1), (0, 0))]
    third = stage("cross", cross, dtype=dtype, **more)
    described = [(first, down), (second, across), (third, cross)]
    return summed(described, axis=more.get("axis", 0))


SHAPES = [(1, 1), (1, 9), (9, 1), (2, 2), (3, 5), (4, 40), (5, 3), (17, 33), (40, 100), (300, 21)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [F32, U8])
def test_stencils_at_every_border(run, dtype, shape):
    same(run, blur_sharpen(dtype), whole(*shape, dtype=dtype))


@pytest.mark.parametrize("shape", SHAPES)
def test_units_of_few_rows(run, short_units, shape):
    kernel = blur_sharpen(U8, S32)
    same(Runner(run.backend), kernel, whole(*shape, dtype=U8))
    if shape[0] >= 40:
        sizes = {"h": shape[0], "w": shape[1]}
        assert as_llvm(kernel).layout.measure(sizes).units >= 10


@pytest.mark.parametrize("between", [F32, F64, S32, S64, U32, U8])
def test_intermediates_are_rounded_to_their_type(run, between):
    (got,) = same(run, blur_sharpen(F32, between), whole(23, 31))
    exact = interpret(blur_sharpen(F32, F64), [whole(23, 31)], {"h": 23, "w": 31}, {})[0]
    assert np.array_equal(got, exact) == between.is_float


def test_leading_axes_and_channels(run, short_units):
    space: tuple[Dim, ...] = ("n", "h", "w", 3)
    kernel = blur_sharpen(U8, space=space, axis=1)
    for shape in [(1, 1, 1, 3), (3, 2, 5, 3), (2, 19, 8, 3)]:
        same(run, kernel, whole(*shape, dtype=U8))


def test_axes_between_the_rows_and_the_inner_one(run, short_units):
    space: tuple[Dim, ...] = ("h", "w", "d")
    source = Tensor("source", F32, space)
    down = [Tap(source, -1), Tap(source, 1, 1)]
    first = stage("down", down, space=space)
    value = load("down", plus(Axis(0), 1), Axis(1), plus(Axis(2), -1))
    value = op("add", value, Cast(Axis(2), F32))
    outputs = (Tensor("out", F32, space),)
    second = Kernel(
        "out", space, (of(first),), outputs, (), Map(Block((), (), (op("mul", value, f32(0.5)),)))
    )
    kernel = chained([first, second], [{}, {"down": (1, 1)}])
    for shape in [(1, 1, 1), (7, 3, 5), (20, 4, 9)]:
        same(run, kernel, whole(*shape))


def test_last_stage_with_fewer_axes(run, short_units):
    space: tuple[Dim, ...] = ("h", "w", 4)
    source = Tensor("source", U8, space)
    down = [Tap(source, i, 0, 0.5) for i in (-1, 0, 1)]
    first = stage("down", down, dtype=U8, space=space)
    grey = [Tap(of(first), 0, c, 0.25) for c in range(3)]
    value = f32(0.0)
    for tap in grey:
        pixel = Cast(load("down", Y, X, tap.dx, dtype=S32), F32)
        value = op("add", value, op("mul", pixel, f32(tap.weight)))
    outputs = (Tensor("grey", U8, IMAGE),)
    second = Kernel("grey", IMAGE, (of(first),), outputs, (), Map(Block((), (), (value,))))
    kernel = chained([first, second], [{}, {"down": (0, 0)}])
    for shape in [(1, 1, 4), (33, 17, 4)]:
        same(run, kernel, whole(*shape, dtype=U8))


@pytest.mark.parametrize("spans", [(1, 4), (-4, -1), (3, 3), (-2, -2), (0, 5), (-5, 0)])
@pytest.mark.parametrize("height", [1, 2, 3, 6, 25])
def test_reach_to_one_side(run, short_units, spans, height):
    source = Tensor("source", F32, IMAGE)
    described = []
    previous = source
    for k in range(3):
        taps = [Tap(previous, spans[0], 0, 0.5), Tap(previous, spans[1], 1, 0.5)]
        kernel = stage(f"s{k}", taps)
        described.append((kernel, taps))
        previous = of(kernel)
    same(run, summed(described), whole(height, 12))


def test_opposite_reaches_of_two_readers(run, short_units):
    source = Tensor("source", F32, IMAGE)
    first = stage("first", taps := [Tap(source, 0), Tap(source, 1)])
    early = stage("early", up := [Tap(of(first), -6)])
    late = stage("late", down := [Tap(of(first), 5), Tap(of(early), -3), Tap(of(early), 2)])
    kernel = summed([(first, taps), (early, up), (late, down)])
    for height in (1, 4, 11, 40):
        same(run, kernel, whole(height, 9))


def test_inputs_and_locals_together_and_several_readers(run, short_units):
    a, b = Tensor("a", F32, IMAGE), Tensor("b", U8, IMAGE)
    first = stage("first", t0 := [Tap(a, -1), Tap(b, 1, 1)])
    second = stage("second", t1 := [Tap(of(first), -1, 0, 0.5), Tap(a, 3)], dtype=U8)
    third = stage("third", t2 := [Tap(of(first), 2), Tap(of(second), -2), Tap(b, 0)])
    last = stage("last", t3 := [Tap(of(third), 0, 1), Tap(of(second), 1), Tap(of(first), 0)])
    kernel = summed([(first, t0), (second, t1), (third, t2), (last, t3)])
    for shape in [(1, 1), (2, 7), (31, 20)]:
        same(run, kernel, whole(*shape), whole(*shape, dtype=U8, seed=1))


def test_outputs_in_the_middle(run, short_units):
    source = Tensor("source", F32, IMAGE)
    first = stage("first", t0 := [Tap(source, -1), Tap(source, 1)])
    second = stage("second", t1 := [Tap(of(first), -2), Tap(of(first), 2)])
    third = stage("third", t2 := [Tap(of(second), 1), Tap(of(first), 1)])
    described = [(first, t0), (second, t1), (third, t2)]
    for outputs in [["first", "third"], ["third", "second"], ["first", "second", "third"]]:
        kernel = summed(described, outputs=outputs)
        for shape in [(1, 1), (3, 4), (30, 11)]:
            same(run, kernel, whole(*shape))


def test_a_stage_with_two_outputs(run, short_units):
    source = Tensor("source", F32, IMAGE)
    value = op("add", load("source", plus(Y, -1), X), load("source", Y, plus(X, 1)))
    outputs = (Tensor("p", F32, IMAGE), Tensor("q", U8, IMAGE))
    both = Kernel(
        "both",
        IMAGE,
        (source,),
        outputs,
        (),
        Map(Block((), (), (op("neg", value), op("mul", value, f32(0.5))))),
    )
    last = stage("last", taps := [Tap(outputs[0], -1), Tap(outputs[1], 2)])
    rows = {t.tensor.name: (t.dy, t.dy) for t in taps}
    for shown in (["last"], ["q", "last"], ["p", "last"]):
        kernel = chained([both, last], [{}, rows], outputs=shown)
        same(run, kernel, whole(26, 9))


def test_parameters_of_several_stages(run, short_units):
    source = Tensor("source", F32, IMAGE)
    p, q = Param("p", F32), Param("q", F32)
    first = stage("first", t0 := [Tap(source, -1), Tap(source, 1)], factor=p)
    second = stage("second", t1 := [Tap(of(first), -1), Tap(of(first), 1)], factor=q)
    third = stage("third", t2 := [Tap(of(second), 0)], factor=p)
    kernel = summed([(first, t0), (second, t1), (third, t2)])
    same(run, kernel, whole(14, 15), p=0.5, q=3.0)


def test_eight_stages(run, short_units):
    described = []
    previous = Tensor("source", F32, IMAGE)
    for k in range(8):
        taps = [Tap(previous, -1, 0, 0.5), Tap(previous, 1, (-1) ** k, 0.5)]
        kernel = stage(f"s{k}", taps)
        described.append((kernel, taps))
        previous = of(kernel)
    kernel = summed(described)
    for shape in [(1, 3), (9, 9), (50, 13)]:
        same(run, kernel, whole(*shape))


@pytest.mark.parametrize("leading", [0, 1])
def test_rows_of_single_elements(run, short_units, leading):
    space: tuple[Dim, ...] = ("n", "h")[1 - leading :]
    source = Tensor("source", F32, space)
    described = []
    previous = source
    for k in range(3):
        taps = [Tap(previous, i, 0, 0.5) for i in (-2, 0, 3)]
        kernel = stage(f"s{k}", taps, space=space, axis=leading)
        described.append((kernel, taps))
        previous = of(kernel)
    for outputs in (None, ["s1", "s2"]):
        kernel = summed(described, axis=leading, outputs=outputs)
        for length in (1, 2, 5, 100):
            same(run, kernel, whole(*([3] * leading), length))


def test_long_signals(run):
    """Rows of single elements in units of the usual size."""
    source = Tensor("source", F32, ("h",))
    first = stage("first", t0 := [Tap(source, i, 0, 0.5) for i in (-3, 3)], space=("h",))
    second = stage("second", t1 := [Tap(of(first), i) for i in (-1, 1)], space=("h",))
    same(run, summed([(first, t0), (second, t1)]), whole(100_000))


def test_loops_that_are_not_unrolled(run, short_units):
    """Wide stencils stay loops, which run in lanes."""
    source = Tensor("source", F32, IMAGE)
    i, acc = Local("i", S32), Local("acc", F32)

    def swept(name: str, tensor: Tensor, *, vertical: bool) -> Kernel:
        at = (plus(Y, i), X) if vertical else (Y, plus(X, i))
        body = (
            Assign("acc", f32(0.0)),
            For("i", s32(-9), s32(10), 1, (Assign("acc", op("add", acc, load(tensor.name, *at))),)),
        )
        outputs = (Tensor(name, F32, IMAGE),)
        return Kernel(name, IMAGE, (tensor,), outputs, (), Map(Block((), body, (acc,))))

    first = swept("first", source, vertical=True)
    second = swept("second", of(first), vertical=False)
    third = swept("third", of(second), vertical=True)
    rows = [{}, {"first": (0, 0)}, {"second": (-9, 9)}]
    kernel = chained([first, second, third], rows)
    for shape in [(1, 1), (5, 60), (60, 70)]:
        same(run, kernel, whole(*shape))


def test_rows_that_depend_on_coordinates_and_sizes(run, short_units):
    source = Tensor("source", F32, IMAGE)
    value = op("add", load("source", Y, X), Cast(op("add", op("mul", Y, s32(3)), X), F32))
    first = Kernel(
        "first", IMAGE, (source,), (Tensor("first", F32, IMAGE),), (), Map(Block((), (), (value,)))
    )
    flipped = op("sub", op("sub", Extent("w"), s32(1)), X)
    turned = load("first", plus(Y, 1), flipped)
    outputs = (Tensor("out", F32, IMAGE),)
    second = Kernel("out", IMAGE, (of(first),), outputs, (), Map(Block((), (), (turned,))))
    kernel = chained([first, second], [{}, {"first": (1, 1)}])
    for shape in [(1, 4), (30, 7)]:
        same(run, kernel, whole(*shape))


def test_a_gather_along_the_row(run, short_units):
    source, index = Tensor("source", F32, IMAGE), Tensor("index", S32, ("w",))
    first = stage("first", [Tap(source, 0), Tap(source, 1)])
    value = load("first", plus(Y, -1), load("index", X, dtype=S32))
    outputs = (Tensor("out", F32, IMAGE),)
    second = Kernel("out", IMAGE, (of(first), index), outputs, (), Map(Block((), (), (value,))))
    kernel = chained([first, second], [{}, {"first": (-1, -1)}])
    at = np.array([5, -3, 2**31 - 1, 0, 1, -(2**31), 6], np.int32)
    same(run, kernel, whole(21, 7), at)


def test_one_stage_alone(run):
    source = Tensor("source", F32, IMAGE)
    first = stage("first", taps := [Tap(source, -1), Tap(source, 2)])
    kernel = summed([(first, taps)])
    same(run, kernel, whole(13, 8))
    assert as_llvm(kernel).layout.measure({"h": 13, "w": 8}).near == 0


def test_constant_sizes(run, short_units):
    kernel = blur_sharpen(F32, space=(1, 7))
    same(run, kernel, whole(1, 7))
    kernel = blur_sharpen(F32, space=(20, 1))
    same(run, kernel, whole(20, 1))


def test_empty_rows_make_no_units(run):
    layout = as_llvm(blur_sharpen()).layout
    assert layout.measure({"h": 0, "w": 5}).units == 0
    assert layout.measure({"h": 5, "w": 0}).units > 0  # whose rows are empty
    got = run.outputs(blur_sharpen(), {"h": 5, "w": 0})
    assert got[0].size == 0


def test_many_launches_share_the_workers(run, short_units):
    """Parts of the scratch are taken and given back by whoever runs."""
    backend = CpuBackend(workers=4)
    try:
        own = Runner(backend)
        kernel = blur_sharpen(U8)
        image = whole(301, 203, dtype=U8)
        want = interpret(kernel, [image], {"h": 301, "w": 203}, {})[0]
        for _ in range(20):
            np.testing.assert_array_equal(own(kernel, image)[0], want)
    finally:
        backend.close()


def test_rings_hold_no_more_rows_than_needed():
    kernel = blur_sharpen()
    assert isinstance(kernel.form, Chain)
    walk = for_cpu(kernel).walk
    rings = {ring.tensor.name: ring for ring in walk.rings}
    assert {name: ring.capacity for name, ring in rings.items()} == {
        "down": 4,
        "across": 4 + 2,
    }


def test_constants_only(run):
    first = Kernel(
        "first",
        IMAGE,
        (),
        (Tensor("first", F32, IMAGE),),
        (),
        Map(Block((), (), (Const(2.0, F32),))),
    )
    last = stage("last", taps := [Tap(of(first), -1), Tap(of(first), 1)])
    kernel = chained([first, last], [{}, {"first": (-1, 1)}])
    assert taps
    (got,) = run(kernel, h=9, w=4)
    assert (got == 4.25).all()


@pytest.mark.parametrize("height, rows", [(40, 16), (1080, 36), (3000, 64), (6000, 64)])
def test_units_of_costly_rows_are_long_in_long_images(height, rows):
    """Two rows in 64 are computed twice, where that leaves 32 units; else as few as can be."""
    rolling = for_cpu(blur_sharpen()).walk
    assert rolling.halo == 2
    assert llvm_chain._unit_rows(rolling, height, 1e5) == rows
