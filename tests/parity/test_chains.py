"""Generated chains on every device that runs them, against interpret().

Stages add small whole numbers, so that the comparison is exact. They read what earlier ones wrote,
and the kernel's input, at constant distances, at clamped ones, in loops and from single channels;
shapes are such that tiles and bands lie inside, across and at both ends of the tensor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handmade import F32, F64, S32, U8, f32, load, op, plus, s32
from limits import narrowed
from scheduled import spelt
from treadle.backends.base import Region, Step
from treadle.dtypes import DType, read_as
from treadle.errors import LaunchError
from treadle.ir.interpret import interpret
from treadle.ir.nodes import (
    Assign,
    Axis,
    Block,
    Cast,
    Chain,
    Dim,
    Expr,
    Extent,
    For,
    Kernel,
    Local,
    Map,
    Param,
    Span,
    Stmt,
    Tensor,
)
from treadle.ir.verify import verify
from treadle.passes import optimise
from treadle.passes.schedule.gpu import fits

SOME = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    derandomize=True,
)
SHAPES = [(1, 1), (2, 3), (1, 200), (200, 2), (7, 70), (61, 65), (140, 300)]


@dataclass(frozen=True)
class Tap:
    """One read: of which tensor, how far away, how that is spelt, and of which channel."""

    tensor: Tensor
    dy: int
    dx: int
    kind: str  # plain, clamped or loop
    channel: int
    weight: int


def far(tap: Tap, distance: int) -> tuple[int, int]:
    if tap.kind == "loop":
        return distance - 1, distance + 1
    if tap.kind == "clamped":
        return min(distance, 0), max(distance, 0)
    return distance, distance


def index(axis: int, dim: Dim, distance: int, kind: str) -> Expr:
    moved = plus(Axis(axis), distance)
    if kind == "clamped" and distance > 0:
        return op("minimum", moved, op("sub", Extent(dim), s32(1)))
    return op("maximum", moved, s32(0)) if kind == "clamped" else moved


class Builder:
    """The stages of one chain."""

    def __init__(self, dims: tuple[Dim, ...], axis: int, channels: int) -> None:
        self.dims, self.axis, self.channels = dims, axis, channels
        self.across = len(dims) > axis + 1
        self.stages: list[Kernel] = []
        self.reach: list[tuple[tuple[Span | None, ...] | None, ...]] = []

    def space(self, channels: int) -> tuple[Dim, ...]:
        return (*self.dims, channels) if channels else self.dims

    def stage(self, dtype: DType, channels: int, taps: list[Tap], inside: set[str]) -> Tensor:
        space = self.space(channels)
        out = Tensor(f"t{len(self.stages)}", dtype, space)
        body: list[Stmt] = [Assign("acc", Param("p", F32))]
        for k, tap in enumerate(taps):
            loop = Local(f"i{k}", S32)
            at: list[Expr] = [Axis(n) for n in range(self.axis)]
            at.append(index(self.axis, self.dims[self.axis], tap.dy, tap.kind))
            if self.across:
                at.append(index(self.axis + 1, self.dims[self.axis + 1], tap.dx, tap.kind))
            if len(tap.tensor.dims) > len(self.dims):
                whole = Axis(len(self.dims)) if channels else s32(tap.channel)
                at.append(whole)
            if tap.kind == "loop":
                at[self.axis] = plus(at[self.axis], loop)
            value: Expr = load(tap.tensor.name, *at, dtype=read_as(tap.tensor.dtype))
            value = value if value.dtype is F32 else Cast(value, F32)
            add = Assign("acc", op("add", Local("acc", F32), op("mul", value, f32(tap.weight))))
            body.append(For(loop.name, s32(-1), s32(2), 1, (add,)) if tap.kind == "loop" else add)
        total = op("minimum", op("maximum", Local("acc", F32), f32(-99)), f32(200))
        result = total if dtype in (U8, F32) else Cast(total, dtype)
        inputs = tuple(dict.fromkeys(tap.tensor for tap in taps))
        form = Map(Block((), tuple(body), (result,)))
        kernel = Kernel(out.name, space, inputs, (out,), (Param("p", F32),), form)
        self.stages.append(kernel)
        self.reach.append(
            tuple(self.spans(t, taps, channels) if t.name in inside else None for t in inputs)
        )
        return out

    def spans(self, tensor: Tensor, taps: list[Tap], channels: int) -> tuple[Span | None, ...]:
        mine = [tap for tap in taps if tap.tensor == tensor]
        rows = [far(tap, tap.dy) for tap in mine]
        found: list[Span | None] = [Span(n, 0, 0) for n in range(self.axis)]
        found.append(Span(self.axis, min(r[0] for r in rows), max(r[1] for r in rows)))
        if self.across:
            kinds = [Tap(t.tensor, t.dy, t.dx, t.kind.replace("loop", "plain"), 0, 0) for t in mine]
            cols = [far(tap, tap.dx) for tap in kinds]
            found.append(Span(self.axis + 1, min(c[0] for c in cols), max(c[1] for c in cols)))
        if len(tensor.dims) > len(self.dims):
            picked = [tap.channel for tap in mine]
            last = len(self.dims)
            found.append(Span(last, 0, 0) if channels else Span(None, min(picked), max(picked)))
        return tuple(found)


@st.composite
def chains(draw, stored=(U8, F32, F32, S32, F64)):
    """A chain of stages that give these dtypes, and the shape of what it reads."""
    flat = draw(st.integers(0, 5)) == 0
    batch = draw(st.booleans())
    channels = draw(st.sampled_from([0, 0, 2, 3, 4, 4]))
    dims: tuple[Dim, ...] = ("h",) if flat else ("h", "w")
    dims = ("n", *dims) if batch else dims
    axis = int(batch)
    built = Builder(dims, axis, channels)
    source = Tensor("x", draw(st.sampled_from([U8, F32, S32])), built.space(channels))
    tensors = [source]
    inside: set[str] = set()
    count = draw(st.integers(2, 4))
    for k in range(count):
        less = channels and k == count - 1 and draw(st.booleans())
        taps = []
        for n in range(draw(st.integers(1, 3))):
            tensor = tensors[-1] if n == 0 else draw(st.sampled_from(tensors))
            taps.append(
                Tap(
                    tensor,
                    draw(st.integers(-3, 3)),
                    draw(st.integers(-3, 3)),
                    draw(st.sampled_from(["plain", "plain", "plain", "clamped", "loop"])),
                    draw(st.integers(0, max(channels - 1, 0))),
                    draw(st.sampled_from([1, 1, -1, 2])),
                )
            )
        dtype = draw(st.sampled_from(stored))
        made = built.stage(dtype, 0 if less else channels, taps, inside)
        tensors.append(made)
        inside.add(made.name)
    others = draw(st.sets(st.sampled_from(tensors[1:-1])))
    kernel = Kernel(
        "chain",
        built.stages[-1].space,
        (source,),
        (tensors[-1], *(t for t in tensors[1:-1] if t in others)),
        (Param("p", F32),),
        Chain(tuple(built.stages), axis, tuple(built.reach)),
    )
    verify(kernel)
    height, width = draw(st.sampled_from(SHAPES))
    sizes = {"n": 2, "h": height * width if flat else height, "w": width}
    return optimise(kernel), {name: sizes[name] for name in kernel.symbols}


def run(backend, kernel, array, sizes, bias, shift=0):
    """Run a kernel on a backend, every region `shift` elements behind the start of its memory."""

    def region(tensor, data=None):
        shape = tuple(sizes.get(d, d) for d in tensor.dims)
        filled = np.full(shape, 77, tensor.dtype.numpy) if data is None else data
        offset = shift * tensor.dtype.size
        made = Region(backend.allocate(filled.nbytes + offset), offset)
        backend.write(made, filled)
        return made, filled

    outputs = [region(t) for t in kernel.outputs]
    regions = (*(r for r, _ in outputs), region(kernel.inputs[0], array)[0])
    program = backend.compile(spelt(backend, kernel))
    dims = tuple(sizes[s] for s in kernel.symbols)
    fence = backend.launch([Step(program, regions, dims, (bias,))], lambda fence: None)
    while not fence.done():
        pass
    assert fence.error is None
    for made, array in outputs:
        backend.read(made, array)
    return [array for _, array in outputs]


def chaining(device):
    if not device.backend.limits.near:
        pytest.skip(f"{device.name} runs no chains")
    return device.backend


@SOME
@given(data=st.data(), shift=st.sampled_from([0, 0, 1]))
def test_chains(device, data, shift):
    backend = chaining(device)
    stored = [narrowed(device, each) for each in (U8, F32, F32, S32, F64)]
    kernel, sizes = data.draw(chains(stored))
    target = backend.target
    try:
        spelt(backend, kernel)
    except LaunchError as error:  # halos beyond what is near; fusing does not make such chains
        if target.room is None or fits(kernel, target):
            raise AssertionError("what fits can be rendered") from error
        return
    source = kernel.inputs[0]
    shape = tuple(sizes.get(d, d) for d in source.dims)
    array = np.random.default_rng(5).integers(0, 9, shape).astype(source.dtype.numpy)
    wanted = interpret(kernel, [array], sizes, {"p": 3.0})
    for got, want in zip(run(backend, kernel, array, sizes, 3.0, shift), wanted, strict=True):
        np.testing.assert_array_equal(got, want)
