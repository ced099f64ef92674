"""Loops that a driver ends after so many rounds: how they are bounded, cut and watched."""

from __future__ import annotations

import math

import pytest

from handmade import F32, S32, f32, load, op, s32
from scheduled import as_wgsl
from treadle.codegen.wgsl.resume import ALL, Parts, parts_of
from treadle.codegen.wgsl.rounds import Rounds
from treadle.ir.nodes import (
    Assign,
    Axis,
    Block,
    Cast,
    Const,
    Extent,
    For,
    If,
    Kernel,
    Local,
    Map,
    Scan,
    Stmt,
    Tensor,
    While,
)

SIZES = {"n": 1000, "m": 40}
INDEX = Local("i", S32)


def count(*body: Stmt) -> float:
    return Rounds(("n", "m"), SIZES, Block((), body, ())).all()


def loop(start, stop, step: int = 1, body: tuple[Stmt, ...] = (), name: str = "i") -> For:
    return For(name, start, stop, step, body)


@pytest.mark.parametrize(
    "stmt, turns",
    [
        (loop(s32(0), Extent("n")), 1000),
        (loop(s32(0), Extent("n"), 3), 334),
        (loop(Extent("n"), s32(-1), -1), 1001),
        (loop(s32(0), op("floordiv", Extent("n"), s32(3))), 333),
        (loop(Axis(0), op("add", Axis(0), s32(7))), 7),
        (loop(op("sub", Axis(1), s32(3)), op("add", Axis(1), s32(4))), 7),
        (loop(s32(0), Axis(1)), 39),
        (loop(s32(0), op("minimum", Cast(load("x"), S32), s32(9))), 9),
        (loop(s32(0), Cast(op("minimum", load("x"), f32(9)), S32)), 9),
        (loop(s32(0), op("mod", Axis(0), s32(5))), 5),
        (loop(s32(9), s32(3)), 0),
        (loop(s32(0), Cast(load("x"), S32)), math.inf),
        (loop(s32(0), op("mul", Extent("n"), Extent("n"))), 10**6),
        (loop(s32(0), op("mul", op("mul", Extent("n"), Extent("n")), Extent("n"))), math.inf),
    ],
    ids=str,
)
def test_turns(stmt, turns):
    assert count(stmt) == turns + 1


def test_locals_stand_for_what_they_are():
    start = Assign("first", op("sub", Axis(0), s32(2)))
    once = loop(Local("first", S32), op("add", Local("first", S32), s32(5)))
    assert count(start, once) == 6
    stale = Assign("stop", op("add", Local("x", S32), s32(5)))
    moved = (Assign("x", s32(0)), stale, Assign("x", s32(-9000)))
    assert count(*moved, loop(Local("x", S32), Local("stop", S32))) == math.inf
    again = Assign("first", s32(9))
    assert count(start, again, loop(s32(0), Local("first", S32))) == math.inf


def test_loops_add_up():
    inner = loop(s32(0), INDEX, name="j")  # as many as the outer one has had, at most
    nest = loop(s32(0), Extent("m"), body=(inner,))
    assert count(nest) == 40 * (1 + 41) + 1
    test = op("lt", Axis(0), s32(3))
    assert count(If(test, (nest,), (loop(s32(0), s32(5)),))) == 40 * 42 + 1 + 6
    assert count(While(test, (), 100)) == math.inf


def test_parts():
    assert parts_of(100, 1, 2, 102) == [Parts(0, ALL, True)]
    assert parts_of(100, 3, 2, 92) == [
        Parts(0, 30, False),
        Parts(30, 60, False),
        Parts(60, 90, False),
        Parts(90, 100, True),
    ]
    assert parts_of(math.inf, 1, 2, 92) == [Parts(0, ALL, True, watch=True)]
    assert parts_of(10, 100, 2, 92) == [Parts(0, ALL, True, watch=True)]


def summed(stop) -> Kernel:
    total = Local("total", F32)
    body = (
        Assign("total", f32(0)),
        loop(s32(0), stop, body=(Assign("total", op("add", total, load("x", INDEX))),)),
    )
    return Kernel(
        "summed",
        ("m",),
        (Tensor("x", F32, ("n",)),),
        (Tensor("out", F32, ("m",)),),
        (),
        Map(Block((), body, (total,))),
    )


def test_maps_are_cut():
    layout = as_wgsl(summed(Extent("n")), rounds=300).layout
    made = layout.dispatches([SIZES[s] for s in layout.kernel.symbols])
    spans = [d.geometry[1:] for d in made]
    assert spans[0][0] == 0
    assert [end for _, end, _ in spans[:-1]] == [start for start, _, _ in spans[1:]]
    assert [last for *_, last in spans] == [0] * (len(spans) - 1) + [1]
    assert all(stop - start < 300 for start, stop, _ in spans)
    assert all(d.scratch == 40 * 4 and not d.watch for d in made)


def test_what_data_bounds_is_watched():
    kernel = summed(Cast(load("x", Axis(0)), S32))
    (dispatch,) = as_wgsl(kernel, rounds=300).layout.dispatches([1000, 40])
    assert dispatch.watch


def test_a_device_without_a_bound_gets_the_plain_text():
    rendered = as_wgsl(summed(Extent("n")))
    assert "watch" not in rendered.text
    assert "@group(1)" not in rendered.text
    assert not rendered.layout.beside
    (dispatch,) = rendered.layout.dispatches([1000, 40])
    assert dispatch.geometry == (40,)


def test_scans_are_cut():
    state = Local("s", F32)
    total = op("add", state, load("x", Axis(0), Axis(1)))
    step = Block((state,), (), (total, total))
    tensors = (Tensor("x", F32, ("m", "n")),), (Tensor("out", F32, ("m", "n")),)
    kernel = Kernel("sums", ("m", "n"), *tensors, (), Scan(1, (Const(0.0, F32),), step))
    made = as_wgsl(kernel, rounds=300).layout.dispatches([SIZES[s] for s in kernel.symbols])
    assert len(made) == 4
    assert len(as_wgsl(kernel).layout.dispatches([40, 1000])) == 1
