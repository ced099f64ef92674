"""Index expressions as they are read, against their values at every element."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from handmade import BOOL, F32, S32, axes, f32, load, mapped, op, plus, s32
from treadle.ir.affine import Affine, Indexer, reads_own_place, resolve_locals, summands, summed
from treadle.ir.cost import MANY, repeated, trips
from treadle.ir.interpret import interpret
from treadle.ir.names import depends, lets_of, ranges, set_once, single_names
from treadle.ir.nodes import (
    Assign,
    Block,
    Const,
    Expr,
    Extent,
    For,
    If,
    Load,
    Local,
    Op,
    RowFold,
    RowLet,
    Stmt,
    Tensor,
    While,
    expressions,
    walk,
)
from treadle.passes.bounds import prove
from treadle.passes.fuse.reach import reach

Y, X = axes(2)
SHAPE = (5, 9)
LOOP, NAMED = Local("i", S32), Local("named", S32)
LOOPS = For("i", s32(-2), s32(4), 3, ())  # -2 and 1
SOME = settings(max_examples=150, deadline=None, derandomize=True)


def indices() -> st.SearchStrategy[Expr]:
    """Index expressions over two coordinates, a loop variable, a local, sizes and constants."""
    leaves = st.sampled_from([Y, X, LOOP, NAMED, Extent("h"), Extent("w"), Extent(3)])
    numbers = st.integers(-6, 6).map(s32)

    def larger(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
        names = st.sampled_from(["add", "sub", "mul", "minimum", "maximum"])
        two = st.builds(lambda name, a, b: op(name, a, b), names, inner, inner)
        divided = st.builds(
            lambda name, a, by: op(name, a, s32(by)),
            st.sampled_from(["floordiv", "mod"]),
            inner,
            st.integers(1, 4),
        )
        return st.one_of(two, two, divided, inner.map(lambda a: op("neg", a)))

    return st.recursive(st.one_of(leaves, numbers), larger, max_leaves=6)


def values(index: Expr) -> dict[tuple[int, int, int], int]:
    """What an index is at every element, in every turn of the loop, by the definition."""
    found = {}
    for turn in (-2, 1):
        body = (Assign("i", s32(turn)), Assign("named", plus(X, -1)))
        kernel = mapped(index, inputs=(), space=("h", "w"), output=S32, body=body)
        (result,) = interpret(kernel, [], {"h": SHAPE[0], "w": SHAPE[1]}, {})
        found |= {(y, x, turn): int(result[y, x]) for y, x in np.ndindex(SHAPE)}
    return found


def reading(index: Expr, *, sizes: bool) -> Any:
    """A map that reads one tensor at an index, in a loop; over plain sizes where asked."""
    total = Local("total", F32)
    inner = Assign("total", op("add", total, load("t", index, 0)))
    body: list[Stmt] = [Assign("named", plus(X, -1)), Assign("total", f32(0))]
    body.append(replace(LOOPS, body=(inner,)))
    space: tuple[Any, ...] = SHAPE if sizes else ("h", "w")
    return mapped(total, inputs=(Tensor("t", F32, space),), space=space, body=body)


@SOME
@given(indices())
def test_an_affine_form_is_the_index(index):
    kernel = reading(index, sizes=False)
    indexer = Indexer(("h", "w"), kernel.form.block, lets=lets_of(kernel.form.block))
    form = indexer.affine(index)
    if form is None:
        return
    known = {("extent", "h"): SHAPE[0], ("extent", "w"): SHAPE[1]}
    for (y, x, turn), value in values(index).items():
        at = known | {("axis", 0): y, ("axis", 1): x, ("loop", "i"): turn}
        assert value == form.offset + sum(scale * at[term] for term, scale in form.terms)
        for axis, own in enumerate((y, x)):
            near = indexer.distance(index, axis)
            assert near is None or near[0] <= value - own <= near[1]


@SOME
@given(indices())
def test_what_is_proved_inside_is_inside(index):
    kernel = prove(reading(index, sizes=False))
    (found,) = {e.inside[0] for e in expressions(kernel.form.block) if isinstance(e, Load)}
    assert not found or all(0 <= value < SHAPE[0] for value in values(index).values())


@SOME
@given(indices())
@example(op("maximum", plus(X, -3), s32(0)))
@example(op("minimum", plus(X, 3), plus(Extent("w"), -1)))
def test_a_span_holds_what_is_read(index):
    plain = {Extent("h"): Extent(SHAPE[0]), Extent("w"): Extent(SHAPE[1])}
    fixed = _replaced(index, plain)
    found = reach(reading(fixed, sizes=True), "t")
    assert found is not None
    span = found[0]
    if span is None:
        return
    for (y, x, _), value in values(index).items():
        from_ = 0 if span.axis is None else (y, x)[span.axis]
        assert span.low <= value - from_ <= span.high


def _replaced(node: Expr, by: dict[Any, Expr]) -> Expr:
    if isinstance(node, Op):
        return Op(node.name, tuple(_replaced(arg, by) for arg in node.args), node.dtype)
    return by.get(node, node)


@SOME
@given(indices())
def test_a_sum_is_its_parts(index):
    parts = list(summands(index))
    assert not any(isinstance(p, Op) and p.name in ("add", "sub") for _, p in parts)
    total = summed(parts)
    assert total is not None
    assert values(total) == values(index)


def test_the_usual_forms_are_read():
    block = Block((), (LOOPS, Assign("named", plus(X, -1))), ())
    indexer = Indexer(("h", "w"), block, lets=lets_of(block))
    assert indexer.affine(op("mul", s32(3), NAMED)) == Affine(((("axis", 1), 3),), -3)
    assert indexer.distance(plus(NAMED, LOOP), 1) == (-3, 0)
    assert indexer.distance(plus(NAMED, LOOP), 0) is None
    assert indexer.affine(op("mul", X, Y)) is None
    assert indexer.affine(s32(1 << 20)) is None  # s32 could wrap
    assert indexer.affine(op("mul", X, s32(2000))) is None


def test_parts_that_are_whole_are_not_taken_apart():
    inner = plus(X, 2)
    index = op("sub", LOOP, inner)
    assert list(summands(index, whole=lambda e: e == inner)) == [(1, LOOP), (-1, inner)]
    seen = summands(op("sub", Y, NAMED), behind=lambda e: inner if e == NAMED else e)
    assert list(seen) == [(1, Y), (-1, X), (-1, s32(2))]


@pytest.mark.parametrize(
    "index, dims, own",
    [
        ((Y, X), ("h", "w"), True),
        ((X, Y), ("h", "w"), False),
        ((Y, plus(X, 1)), ("h", "w"), False),
        ((Y, s32(0)), ("h", 1), True),
        ((Y, plus(X, 1)), ("h", 1), True),  # there is only one place
        ((Y, X), ("h", "n"), False),
        ((Y,), ("h",), False),
    ],
)
def test_own_places(index, dims, own):
    assert reads_own_place(load("t", *index), dims, ("h", "w")) is own


def test_locals_that_name_an_index_are_gone():
    y, x, value = Local("y", S32), Local("x", S32), Local("v", F32)
    body = (
        Assign("y", Y),
        Assign("x", plus(X, 1)),
        For("i", s32(0), s32(2), 1, (Assign("z", plus(x, LOOP)),)),
        Assign("v", load("t", y, x)),
        Assign("v", op("add", value, f32(1))),
    )
    made = resolve_locals(Block((), body, (value,)))
    assert {e.name for e in expressions(made) if isinstance(e, Local)} == {"v"}
    assert set_once(made) == {"i": None}
    assert load("t", Y, plus(X, 1)) in list(expressions(made))


def test_names_that_are_set_once():
    branch = If(Const(True, BOOL), (Assign("c", Y),), ())
    body = (Assign("a", X), Assign("b", Y), Assign("b", X), LOOPS, branch)
    block = Block((Local("arg", F32),), body, ())
    assert set_once(block) == {"arg": None, "a": X, "i": None, "c": Y}
    assert lets_of(block) == {"a": X}  # what a branch sets is not always set


def test_ranges_of_loops():
    far = For("i", s32(9), s32(4), -2, ())
    block = Block((), (LOOPS, far, For("k", s32(0), Extent("w"), 1, ())), ())
    assert ranges(block) == {"i": (-2, 9), "k": None}
    assert ranges(block, Block((), (Assign("i", X),), ())) == {"k": None}


def test_statements_run_as_often_as_their_loops():
    inner, after = Assign("a", X), Assign("b", Y)
    loop = For("i", s32(0), s32(5), 2, (inner,))
    ever = While(Const(True, BOOL), (loop,), 9)
    found = list(repeated((loop, ever, after), trips))
    assert [times for stmt, times in found if stmt == inner] == [3, 3 * MANY]
    assert [times for stmt, times in found if stmt in (ever, after)] == [MANY, 1]


def test_every_statement_of_a_row_has_a_name_of_its_own():
    v, s = Local("v", F32), Local("s", F32)
    body = (RowLet("v", load("t", Y, X)), RowFold("s", "sum", v), RowLet("v", op("sub", v, s)))
    made = single_names(Block((), body, (v,)), "_")
    assert [stmt.name for stmt in made.body] == ["v_0", "s_1", "v_2"]
    assert [e for e in walk(made.body[2].value) if isinstance(e, Local)] == [
        Local("v_0", F32),
        Local("s_1", F32),
    ]
    assert made.results == (Local("v_2", F32),)


def test_what_changes_along_an_axis():
    a, b, c, d = (Local(name, S32) for name in "abcd")
    body = (
        Assign("a", Y),
        Assign("b", plus(X, 1)),
        Assign("c", s32(0)),
        Assign("d", s32(0)),
        If(op("lt", b, s32(3)), (Assign("c", s32(1)),), ()),
        For("i", s32(0), s32(2), 1, (Assign("d", plus(d, Local("e", S32))), Assign("e", c))),
    )
    along = depends(Block((), body, ()), 1)
    assert [along(e) for e in (X, Y, a, b, c, d, LOOP)] == [True, False, False, *[True] * 3, False]
    down = depends(Block((), body, ()), 0)
    assert [down(e) for e in (a, b, c, d)] == [True, False, False, False]
