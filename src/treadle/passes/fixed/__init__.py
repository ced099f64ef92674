"""Kernels of u8 in 16-bit fixed point, where that stays within what a user accepts.

In: a map or a chain over u8, the values of its parameters, and a tolerance in steps of the outputs.
Out: the same kernel over s16 with how many steps it may be off, or the reason why there is none.
What is between the stages keeps its fraction: it is not rounded to u8, as the exact kernel does.

Every value is an s16 with some bits of fraction, and knows its range and how far it may be from
what the exact kernel has in its place, as an interval. Ranges and errors are followed from the
inputs to the outputs; nothing is sampled. Sums wrap without harm as long as the result fits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from treadle.data import dataclass
from treadle.dtypes import DType
from treadle.ir.bound import Bound
from treadle.ir.nodes import Block, Chain, Expr, Kernel, Map, Tensor, expressions
from treadle.ir.repeat import reads_of
from treadle.passes.fixed.floats import Floats
from treadle.passes.fixed.linear import Interval, Linear, NoForm, Read, Reader, inside
from treadle.passes.fixed.sums import MOST_BITS, Format, Lower, room

__all__ = ["Choice", "Fixed", "Floats", "fixed", "settle"]

FIXED, S32, U8 = DType.FIXED, DType.S32, DType.U8
_BYTE = (0.0, 255.0)
_LEAST_BITS = 4  # that are given up rather than to add fewer values before multiplying
_CARRIED = (DType.F32, DType.F64, DType.S32, DType.U8)  # what may be between stages


@dataclass(frozen=True, slots=True)
class Fixed:
    """A kernel in fixed point; `steps` is how far an output may be from the exact kernel's."""

    kernel: Kernel
    steps: int


class Choice(NamedTuple):
    """How a stage computes, in words, and how many steps its outputs may be off."""

    said: str
    steps: int = 0


def fixed(
    kernel: Kernel,
    params: Mapping[str, float],
    tolerance: float,
    kind: type[Lower] = Lower,
) -> Fixed | str:
    """Return a kernel in fixed point, or with `Floats` one of fused multiply-adds, that is off by
    at most `tolerance` steps, or why not."""
    try:
        made, steps = _Kernel(kernel, params, kind).lowered()
    except NoForm as reason:
        return str(reason)
    if steps > tolerance:
        return f"a bound of {_steps(steps)} is above the tolerance {tolerance:g}"
    return Fixed(made, steps)


def settle(
    bound: Bound,
    values: Sequence[float],
    shared: frozenset[tuple[int, int]],
    tolerance: float,
    *,
    fuses: Callable[[Kernel], bool] | None = None,
) -> tuple[Bound, tuple[Choice, ...]]:
    """Put the stages of a bound into fixed point where the tolerance allows it, or for a device
    that fuses products and sums into a form that does: `fuses` says whether it can run one.

    `values` are those of the launch's parameters, `shared` the pairs of slots that overlap. Returns
    for each stage as well how it computes, and why. What a later stage reads stays exact, so that
    no stage computes with what is off already."""
    kind: type[Lower] = Lower if fuses is None else Floats
    stages = list(bound.stages)
    looped = {k for loop in bound.loops for k in range(loop.first, loop.last)}
    reads = reads_of(bound)
    choices = []
    for number, stage in enumerate(bound.stages):
        kernel = stage.kernel
        if not any(n.dtype.is_float for block in kernel.blocks for n in expressions(block)):
            choices.append(Choice("exact: integers"))
            continue
        if number in looped:
            choices.append(Choice("f32: it runs in a loop, whose next turn reads what it writes"))
            continue
        seen = {slot for later in reads[number + 1 :] for slot in later}
        read = any(w == s or (w, s) in shared for w in stage.writes for s in seen)
        given = [values[pick] for pick in stage.picks] if stage.fixed is None else stage.fixed
        params = dict(zip((param.name for param in kernel.params), given, strict=True))
        found = fixed(kernel, params, 0 if read else tolerance, kind)
        if fuses is not None and isinstance(found, Fixed) and not fuses(found.kernel):
            found = "floats between its stages would not fit"
        if isinstance(found, str):
            said = "a later group reads what it writes" if read else found
            choices.append(Choice(f"f32: {said}"))
            continue
        said = f"at most {_steps(found.steps)} off" if found.steps else "exact all the same"
        choices.append(Choice(f"{kind.name}: {said}", found.steps))
        stages[number] = replace(
            stage, kernel=found.kernel, picks=(), fixed=None if stage.fixed is None else ()
        )
    return replace(bound, stages=tuple(stages)), tuple(choices)


def _steps(count: int) -> str:
    return "1 step" if count == 1 else f"{count} steps"


def _carries_floats(kernel: Kernel) -> bool:
    """Whether a chain keeps floats between its stages: bytes and whole numbers are quicker as they
    are, and one stage alone takes no longer than its memory."""
    if not isinstance(kernel.form, Chain):
        return False
    return any(t.dtype.is_float for stage in kernel.form.stages[:-1] for t in stage.outputs)


class _Kernel:
    """One kernel being lowered, stage by stage."""

    def __init__(self, kernel: Kernel, params: Mapping[str, float], kind: type[Lower]) -> None:
        self.kernel, self.kind = kernel, kind
        form = kernel.form
        self.stages = form.stages if isinstance(form, Chain) else (kernel,)
        if not isinstance(form, Chain | Map):
            raise NoForm(f"a {type(form).__name__.lower()} has no fixed form")
        if kind is Floats and not _carries_floats(kernel):
            raise NoForm("nothing between its stages is a float")
        for tensor in (*kernel.inputs, *kernel.outputs):
            if tensor.dtype is not U8:
                raise NoForm(f"it reads or writes {tensor.dtype}, not u8")
        self.outer = {tensor.name for tensor in kernel.outputs}
        self.bytes = self.outer | {tensor.name for tensor in kernel.inputs}
        self.readers: list[Reader] = []
        self.sums: list[list[Linear]] = []
        ranges: dict[str, Interval] = {tensor.name: _BYTE for tensor in kernel.inputs}
        for stage in self.stages:
            reader = Reader(stage, params, ranges)
            sums = reader.results()
            for tensor, linear in zip(stage.outputs, sums, strict=True):
                if tensor.dtype not in _CARRIED:
                    raise NoForm(f"{tensor.dtype} between stages has no fixed form")
                low, high = reader.span(linear)
                span = (low - linear.noise, high + linear.noise)
                ranges[tensor.name] = _BYTE if tensor.dtype is U8 else span
            self.readers.append(reader)
            self.sums.append(sums)
        self.formats = {tensor.name: Format(0, _BYTE) for tensor in kernel.inputs}
        self.steps = 0

    def lowered(self) -> tuple[Kernel, int]:
        """The kernel over s16, and how many steps it may be off."""
        made: list[Kernel] = []
        for number, stage in enumerate(self.stages):
            lower = self.kind(self.formats, self.bytes)
            results, outputs = [], []
            for tensor, linear in zip(stage.outputs, self.sums[number], strict=True):
                if tensor.name in self.outer:
                    results.append(self._output(lower, tensor, linear))
                    outputs.append(tensor)
                else:
                    results.append(self._carried(lower, number, tensor, linear))
                    outputs.append(replace(tensor, dtype=lower.dtype))
            made.append(self._stage(stage, results, outputs))
        form = self.kernel.form
        if isinstance(form, Chain):
            chain = replace(form, stages=tuple(made))
            fused = self.kind is Floats
            return replace(self.kernel, params=(), form=chain, fused=fused), self.steps
        return made[0], self.steps

    def _stage(self, stage: Kernel, results: Sequence[Expr], outputs: Sequence[Tensor]) -> Kernel:
        dtype = self.kind.dtype
        inputs = tuple(t if t.name in self.bytes else replace(t, dtype=dtype) for t in stage.inputs)
        return replace(
            stage,
            inputs=inputs,
            outputs=tuple(outputs),
            params=(),
            form=Map(Block((), (), tuple(results))),
            routine=None,
        )

    def _output(self, lower: Lower, tensor: Tensor, linear: Linear) -> Expr:
        """A sum as it is stored at the end."""
        value = lower.output(linear)
        if value.form.bits < 0:
            raise NoForm("values beyond 16 bits have no fixed form")
        off = max(map(abs, value.form.error))
        # A number that is whole anyhow is rounded the same from both sides.
        steps = math.floor(off + 0.5) if linear.whole else math.floor(off) + 1
        self.steps = max(self.steps, steps)
        error = (-float(steps), float(steps))
        self.formats[tensor.name] = Format(0, _BYTE, error)
        return value.expr

    def _carried(self, lower: Lower, number: int, tensor: Tensor, linear: Linear) -> Expr:
        """A sum as it is kept between stages."""
        cap = self._cap(number, tensor, linear)
        value = lower.sum(linear, cap)
        form = value.form
        if form.bits < 0:
            raise NoForm("values beyond 16 bits have no fixed form")
        if tensor.dtype is U8:
            low, high = form.error
            if not linear.whole:
                low, high = low - 0.5, high + 0.5
            form = replace(form, error=(low, high))
            start, stop = self.readers[number].span(linear)
            if start - linear.noise < -0.25 or stop + linear.noise > 255.25:
                value = lower.held(replace(value, form=form))
                form = value.form
        self.formats[tensor.name] = form
        return value.expr

    def _cap(self, number: int, tensor: Tensor, linear: Linear) -> int:
        """How many bits of fraction readers want: so few that equal weights share a product."""
        cap = MOST_BITS
        whole = linear.whole and not linear.noise  # any number of bits is exact
        for reader, sums in zip(self.readers[number + 1 :], self.sums[number + 1 :], strict=True):
            for sum_ in (part for result in sums for part in inside(result)):
                groups: dict[float, float] = {}
                for atom, weight in sum_.terms:
                    if isinstance(atom, Read) and atom.load.tensor == tensor.name:
                        size = max(map(abs, reader.ranges[tensor.name]))
                        groups[abs(weight)] = groups.get(abs(weight), 0.0) + size
                if not groups:
                    continue
                least = min(room(size) for size in groups.values())
                cap = min(cap, max(least, 0 if whole else _LEAST_BITS))
                if any(weight >= 1 for weight in groups):
                    # A whole weight is then a whole number of the result's steps.
                    wanted = room(max(map(abs, reader.span(sum_))))
                    cap = min(cap, max(wanted, 0 if whole else _LEAST_BITS))
        return cap
