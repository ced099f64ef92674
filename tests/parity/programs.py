"""Generated pipelines as plain data, and two ways to run them.

In: short lists of small numbers, as Hypothesis draws and shrinks them. Out: a Program that prints
as Python-like text, run as a pipeline and stage by stage.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import treadle
from parity.stages import KINDS, anything

SHAPES = [
    (5, 7), (17,), (4, 4), (3, 40), (2, 3, 4), (1, 1), (16, 16), (9, 5, 3), (70, 33), (1, 64),
    (33, 2), (6, 10, 4), (300,), (2,),
]  # fmt: skip
# Rows that are long enough for a chain.
WIDE = [(9, 70), (6, 24, 3), (40, 96), (7, 33, 4), (1, 80), (21, 65), (70, 66), (2, 40, 2)]
DTYPES = ["f32", "u8", "s32", "f64", "s64"]
MOST = 4000  # elements of what is put together: a program stays small


@dataclass(frozen=True)
class Value:
    """Something that stages read or write: a buffer, scratch, or a view of either."""

    shape: tuple[int, ...]
    dtype: str
    scratch: bool = False
    of: int | None = None  # the value that this is a view of
    rows: tuple[int, int] | None = None  # the part of it; None: all, under another shape

    def __str__(self) -> str:
        text = f"{'temp' if self.scratch else 'buffer'} {self.dtype}{list(self.shape)}"
        if self.of is not None:
            text += f" = v{self.of}{'' if self.rows is None else list(self.rows)}"
        return text


@dataclass(frozen=True)
class Step:
    """One stage."""

    op: str
    kernel: Any = None
    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()
    params: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        names = [", ".join(f"v{k}" for k in part) for part in (self.inputs, self.outputs)]
        name = self.op if self.kernel is None else getattr(self.kernel, "name", self.kernel)
        given = "".join(f", {key}={value}" for key, value in self.params.items())
        return f"{names[1]} = {name}({names[0]}{given})"


@dataclass(frozen=True)
class Program:
    """Values and the stages over them."""

    values: list[Value]
    steps: list[Step]

    def __repr__(self) -> str:
        lines = [f"v{k}: {value}" for k, value in enumerate(self.values)]
        return "\n".join(["", *lines, *map(str, self.steps)])


class Builder:
    """Turns numbers into a program; every list of numbers means something."""

    def __init__(
        self,
        dtypes: Sequence[str],
        inputs: Sequence[tuple[int, int]],
        shapes: Sequence[tuple[int, ...]] = SHAPES,
    ) -> None:
        self.dtypes = [d for d in DTYPES if d in dtypes]
        self.values = [
            Value(shapes[s % len(shapes)], self.dtypes[d % len(self.dtypes)]) for s, d in inputs
        ]
        self.steps: list[Step] = []
        self.written = set(range(len(self.values)))

    def root(self, index: int) -> int:
        of = self.values[index].of
        return index if of is None else self.root(of)

    def readable(self, fits: Callable[[Value], bool]) -> list[int]:
        # Later values first: number 0 means the newest, so that short programs are chains.
        return [
            k
            for k in reversed(range(len(self.values)))
            if self.root(k) in self.written and fits(self.values[k])
        ]

    def target(self, shape: tuple[int, ...], dtype: int, where: int, taken: Sequence[int]) -> int:
        """0: new scratch, 1: a new buffer, else something there is, of this shape."""
        there = [
            k
            for k, v in enumerate(self.values)
            if v.shape == shape and self.root(k) not in map(self.root, taken)
        ]
        if where > 1 and there:
            return there[(where - 2) % len(there)]
        wanted = self.dtypes[dtype % len(self.dtypes)]
        self.values.append(Value(shape, wanted, scratch=where == 0))
        return len(self.values) - 1

    def stage(self, kind: int, a: int, b: int, where: int, dtype: int, k: int) -> None:
        special = [self.barrier, self.copy, self.view, self.part]
        if kind >= len(KINDS):
            special[(kind - len(KINDS)) % len(special)](a, b, where)
            return
        found = KINDS[kind]
        first = self.readable(found.fits)
        if found.arity and not first:
            return
        inputs = [first[a % len(first)]] if found.arity else []
        lead = self.values[inputs[0]] if inputs else self.values[a % len(self.values)]
        for turn in range(1, found.arity):
            more = self.other(lead, found.others, b + turn - 1)
            if more is None:
                return
            inputs.append(more)
        others = [self.values[index] for index in inputs[1:]]
        shapes = found.shapes(lead, k, *others)
        if max(map(math.prod, shapes)) > MOST:
            return
        outputs: list[int] = []
        for shape in shapes:
            outputs.append(self.target(shape, dtype, where, outputs))
        params = {name: float(k % 5 - 2) for name in found.params} | found.options(lead, k)
        self.steps.append(Step("run", found.kernel, tuple(inputs), tuple(outputs), params))
        self.written.update(map(self.root, outputs))

    def other(self, lead: Value, how: str, number: int) -> int | None:
        """An input beside the first: as it is where that fits, else seen under a shape that does,
        the first input's own memory included."""
        if how == "whole":
            found = self.readable(
                lambda v: v.dtype in ("s32", "u8", "s64") and math.prod(v.shape) <= 64
            )
            return found[number % len(found)] if found else None
        size = math.prod(lead.shape)
        found = self.readable(
            lambda v: (
                (how == "broadcast" and broadcasts(v.shape, lead.shape))
                or (math.prod(v.shape) == size and (how == "broadcast" or v.dtype == lead.dtype))
            )
        )
        index = found[number % len(found)]
        fits = how == "broadcast" and broadcasts(self.values[index].shape, lead.shape)
        return index if fits else self.shaped(index, lead.shape)

    def shaped(self, of: int, shape: tuple[int, ...]) -> int:
        """A value under another shape."""
        value = self.values[of]
        if value.shape == shape:
            return of
        self.values.append(Value(shape, value.dtype, value.scratch, of=of))
        return len(self.values) - 1

    def barrier(self, a: int, b: int, where: int) -> None:
        self.steps.append(Step("barrier"))

    def copy(self, a: int, b: int, where: int) -> None:
        there = self.readable(anything)
        source = there[a % len(there)]
        value = self.values[source]
        like = [
            k
            for k, v in enumerate(self.values)
            if v.dtype == value.dtype and math.prod(v.shape) == math.prod(value.shape)
        ]
        if where > 1:
            target = like[where % len(like)]
        else:
            self.values.append(Value(value.shape, value.dtype, scratch=where == 0))
            target = len(self.values) - 1
        self.steps.append(Step("copy", None, (source,), (target,)))
        self.written.add(self.root(target))

    def view(self, a: int, b: int, where: int) -> None:
        """The same elements under another shape: flat, cut in two, or as something else is."""
        of = a % len(self.values)
        size = math.prod(self.values[of].shape)
        factors = [n for n in (2, 3, 4, 5, 7, 8) if size % n == 0 and size > n]
        shapes = [s for s in SHAPES if math.prod(s) == size]
        shapes += [shape for n in factors for shape in ((n, size // n), (size // n, n))]
        shapes += [(size,), (1, size), (size, 1)]
        self.shaped(of, shapes[(b + 8 * where) % len(shapes)])

    def part(self, a: int, b: int, where: int) -> None:
        """Neighbouring rows of a buffer or of a view of one."""
        whole = [
            k
            for k, v in enumerate(self.values)
            if not v.scratch and v.rows is None and len(v.shape) >= 1 and v.shape[0] > 1
        ]
        if not whole:
            return
        of = whole[a % len(whole)]
        value = self.values[of]
        count = value.shape[0]
        low = b % min(count, 4)
        high = count if where % 2 and low else max(low + 1, count - 1 - where // 2)
        if self.root(of) in self.written and high - low < count:
            shape = (high - low, *value.shape[1:])
            self.values.append(Value(shape, value.dtype, of=of, rows=(low, high)))

    def program(self) -> Program:
        return Program(self.values, self.steps)


def broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    if len(shape) > len(to):
        return False
    return all(n in (1, m) for n, m in zip(reversed(shape), reversed(to), strict=False))


def contents(value: Value, seed: int) -> np.ndarray[Any, Any]:
    low = 0 if value.dtype == "u8" else -9
    return (
        np.random.default_rng(seed)
        .integers(low, 10, value.shape)
        .astype(treadle.DType(value.dtype).numpy)
    )


def materialise(device: Any, program: Program, temp: Callable[[Value], Any]) -> list[Any]:
    """A buffer, or what `temp` makes, for every value."""
    made: list[Any] = []
    for k, value in enumerate(program.values):
        if value.of is not None:
            base = made[value.of]
            part = base if value.rows is None else base[value.rows[0] : value.rows[1]]
            made.append(part.reshape(value.shape))
        elif value.scratch:
            made.append(temp(value))
        else:
            made.append(device.buffer(contents(value, k)))
    return made


def outcome(program: Program, made: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
    """The contents of every buffer that a user can see."""
    return [
        made[k].to_numpy()
        for k, value in enumerate(program.values)
        if not value.scratch and value.of is None
    ]


def recorded(device: Any, program: Program) -> tuple[treadle.Pipeline, list[Any]]:
    """The program as a pipeline."""
    p = treadle.pipeline(device)
    made = materialise(device, program, lambda value: p.temp(value.shape, value.dtype))
    for step in program.steps:
        inputs, outputs = ([made[k] for k in part] for part in (step.inputs, step.outputs))
        if step.op == "barrier":
            p.barrier()
        elif step.op == "copy":
            p.copy_buffer(inputs[0], outputs[0])
        else:
            p.add(step.kernel, inputs, outputs, step.params)
    return p, made


def stepwise(device: Any, program: Program) -> tuple[Callable[[], None], list[Any]]:
    """The program run stage by stage; scratch is real and starts as garbage."""
    made = materialise(
        device, program, lambda value: device.buffer(np.full(value.shape, 77).astype(
            treadle.DType(value.dtype).numpy))
    )  # fmt: skip

    def run() -> None:
        for step in program.steps:
            inputs, outputs = ([made[k] for k in part] for part in (step.inputs, step.outputs))
            if step.op == "copy":
                device.submit({"op": "copy_buffer", "input": inputs[0], "output": outputs[0]})
            elif step.op == "run":
                device.run_kernel(step.kernel, inputs, outputs, step.params)

    return run, made
