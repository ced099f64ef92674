"""Chains built by hand: weighted sums of neighbours, one after the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handmade import F32, U8, Array, Runner, f32, load, op, plus, s32
from treadle.dtypes import DType, read_as
from treadle.ir.interpret import interpret
from treadle.ir.nodes import (
    Axis,
    Block,
    Cast,
    Chain,
    Dim,
    Expr,
    Kernel,
    Map,
    Param,
    Reach,
    Span,
    Tensor,
)
from treadle.ir.verify import verify
from treadle.passes import optimise

IMAGE: tuple[Dim, ...] = ("h", "w")


@dataclass(frozen=True)
class Tap:
    """One element that a stage reads: its tensor, where, and its weight in the stage's sum."""

    tensor: Tensor
    dy: int
    dx: int = 0
    weight: float = 1.0


def stage(
    name: str,
    taps: list[Tap],
    *,
    dtype: DType = F32,
    space: tuple[Dim, ...] = IMAGE,
    axis: int = 0,
    factor: Param | None = None,
) -> Kernel:
    """A weighted sum of neighbours, each in the space's own rank or with a last axis more."""
    total: Expr = f32(0.25)
    for tap in taps:
        at: list[Expr] = [Axis(k) for k in range(len(space))]
        at[axis] = plus(at[axis], tap.dy)
        if len(space) > axis + 1:
            at[axis + 1] = plus(at[axis + 1], tap.dx)
        at += [s32(tap.dx)] * (len(tap.tensor.dims) - len(space))
        value: Expr = load(tap.tensor.name, *at, dtype=read_as(tap.tensor.dtype))
        value = value if value.dtype is F32 else Cast(value, F32)
        total = op("add", total, op("mul", value, f32(tap.weight)))
    if factor is not None:
        total = op("mul", total, factor)
    stored = F32 if dtype is U8 else dtype
    result = total if stored is F32 else Cast(total, stored)
    inputs = tuple(dict.fromkeys(tap.tensor for tap in taps))
    params = () if factor is None else (factor,)
    form = Map(Block((), (), (result,)))
    return Kernel(name, space, inputs, (Tensor(name, dtype, space),), params, form)


def chained(
    stages: list[Kernel],
    rows: list[dict[str, tuple[int, int]]],
    *,
    outputs: list[str] | None = None,
    axis: int = 0,
) -> Kernel:
    """A chain of stages; `rows` says where each reads what is inside the chain."""
    made = {t.name: t for k in stages for t in k.outputs}
    inputs = dict.fromkeys(t for k in stages for t in k.inputs if t.name not in made)
    reach: list[tuple[Reach | None, ...]] = []
    for kernel, near in zip(stages, rows, strict=True):
        spans: list[Reach | None] = []
        for tensor in kernel.inputs:
            if tensor.name not in made:
                spans.append(None)
                continue
            own = [Span(k, 0, 0) for k in range(axis)]
            rest: list[Span | None] = [None] * (len(tensor.dims) - axis - 1)
            spans.append((*own, Span(axis, *near[tensor.name]), *rest))
        reach.append(tuple(spans))
    kernel = Kernel(
        "chain",
        stages[-1].space,
        tuple(inputs),
        tuple(made[n] for n in (outputs or [stages[-1].outputs[0].name])),
        tuple(dict.fromkeys(p for k in stages for p in k.params)),
        Chain(tuple(stages), axis, tuple(reach)),
    )
    verify(kernel)
    return optimise(kernel)


def summed(
    described: list[tuple[Kernel, list[Tap]]], *, outputs: list[str] | None = None, axis: int = 0
) -> Kernel:
    """A chain of stages made of taps."""
    rows = []
    for _, taps in described:
        near: dict[str, tuple[int, int]] = {}
        for tap in taps:
            low, high = near.get(tap.tensor.name, (tap.dy, tap.dy))
            near[tap.tensor.name] = (min(low, tap.dy), max(high, tap.dy))
        rows.append(near)
    return chained([k for k, _ in described], rows, outputs=outputs, axis=axis)


def of(kernel: Kernel) -> Tensor:
    return kernel.outputs[0]


def whole(*shape: int, dtype: DType = F32, seed: int = 0) -> Array:
    """Small whole numbers, so that sums of them are exact in every order."""
    return np.random.default_rng(seed).integers(0, 200, shape).astype(dtype.numpy)


def same(run: Runner, kernel: Kernel, *inputs: Array, **params: float) -> list[Array]:
    got = run(kernel, *inputs, params=params)
    wanted = interpret(kernel, list(inputs), run.sizes(kernel, inputs), params)
    for mine, want in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(mine, want)
    return got
