"""Whatever a schedule asks for can be spelt: maps that read at indices of every kind."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from handmade import F32, S32, U8, axes, f32, mapped, op, plus, s32
from scheduled import as_llvm
from treadle.dtypes import DType, read_as
from treadle.ir.nodes import Assign, Cast, Dim, Expr, Extent, For, If, Load, Local, Stmt, Tensor
from treadle.passes import optimise

SPACES: tuple[tuple[Dim, ...], ...] = (("n",), ("h", "w"), ("h", "w", 3), ("h", "w", 1), ("h", 4))
LOOP, CODE, TOTAL = Local("i", S32), Local("code", S32), Local("total", F32)


def indices(space: tuple[Dim, ...]) -> st.SearchStrategy[Expr]:
    """Index expressions: of coordinates, a loop's variable, what was read, and numbers."""
    rank = len(space)
    coordinates = [*axes(rank), *axes(rank), LOOP, CODE, Extent(space[0]), s32(2), s32(-1), s32(0)]

    def larger(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
        names = st.sampled_from(["add", "sub", "mul", "minimum", "maximum"])
        halved = st.builds(
            lambda n, a: op(n, a, s32(2)), st.sampled_from(["floordiv", "mod"]), inner
        )
        return st.one_of(st.builds(lambda n, a, b: op(n, a, b), names, inner, inner), halved)

    return st.recursive(st.sampled_from(coordinates), larger, max_leaves=3)


@st.composite
def kernels(draw: st.DrawFn):
    """A map over some tensors: a sum of loads, in a loop or not, on one side of a branch or not."""
    space = draw(st.sampled_from(SPACES))
    dtype, output = draw(st.sampled_from([U8, F32])), draw(st.sampled_from([U8, F32]))
    image, table = Tensor("a", dtype, space), Tensor("t", dtype, ("m",))
    own = axes(len(space))

    def read(tensor: Tensor, at: tuple[Expr, ...]) -> Expr:
        value = Load(tensor.name, at, read_as(tensor.dtype))
        return value if value.dtype is F32 else Cast(value, F32)

    def some() -> Expr:
        if draw(st.integers(0, 3)) == 0:
            return read(table, (draw(indices(space)),))
        shifted = draw(st.lists(st.booleans(), min_size=len(space), max_size=len(space)))
        return read(image, tuple(
            draw(indices(space)) if other else plus(axis, draw(st.integers(-2, 2)))
            for axis, other in zip(own, shifted, strict=True)
        ))  # fmt: skip

    add = Assign("total", op("add", TOTAL, some()))
    rounds = draw(st.sampled_from([0, 3, 40]))
    steps: tuple[Stmt, ...] = (add, Assign("total", op("mul", TOTAL, some())))
    if draw(st.booleans()):
        steps = (If(op("gt", some(), f32(1)), steps, (add,)),)
    looped = For("i", s32(0), s32(rounds), 1, steps) if rounds else None
    body = [Assign("i", s32(1))] if looped is None else []
    body += [Assign("code", Cast(read(image, own), DType.S32)), Assign("total", f32(0.5))]
    body += [*steps] if looped is None else [looped]
    return mapped(TOTAL, inputs=(image, table), space=space, output=output, body=body)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(kernels(), st.booleans())
def test_every_schedule_can_be_spelt(kernel, permutes_bytes):
    made = as_llvm(optimise(kernel), permutes_bytes=permutes_bytes)
    assert "@treadle_run" in made.text
    if made.layout.streamed is not None:
        assert "!nontemporal" in made.layout.streamed().text
