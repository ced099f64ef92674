"""Render kernels as WGSL.

In: a scheduled kernel, and which of its tensors lie in the same memory. Out: text with one or more
entry points, and a Layout that says how to bind, fill in arguments and dispatch. How work is laid
over invocations is the forms' (map, reduce, row, scan, chain); what the language lacks is math's.
Knows no driver.

Tensors are bound as whole memories; where each starts is an argument, so that views need no
alignment. Tensors in the same memory share one binding, because a memory must not be bound twice
when it is written. u8 is packed four to a word.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from treadle.codegen.wgsl.chain import GROUP, LEAST_NEAR, ChainForm
from treadle.codegen.wgsl.grid import Dispatch, FormText
from treadle.codegen.wgsl.language import Wgsl
from treadle.codegen.wgsl.map import MapForm
from treadle.codegen.wgsl.math import library
from treadle.codegen.wgsl.reduce import ReduceForm
from treadle.codegen.wgsl.row import RowForm
from treadle.codegen.wgsl.scan import ScanForm
from treadle.data import dataclass
from treadle.dtypes import DType
from treadle.ir.nodes import Chain, Kernel, Map, Reduce, Row, Scan
from treadle.ir.schedule import Execution, Schedule, Target, Threads

__all__ = ["Argument", "Dispatch", "Layout", "Rendered", "pack", "render", "target"]

FORMS: dict[type, Callable[[Wgsl, Threads | None], FormText]] = {
    Map: MapForm,
    Reduce: ReduceForm,
    Row: RowForm,
    Scan: ScanForm,
    Chain: ChainForm,
}


@dataclass(frozen=True, slots=True)
class Argument:
    """One value in the argument block."""

    kind: str  # param, dim, offset or geometry
    index: int  # which param, symbol, tensor or geometry value
    dtype: DType
    position: int  # in bytes


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """What the host needs to launch a rendered kernel."""

    schedule: Schedule
    slots: tuple[int, ...]  # for each tensor, outputs first, the storage binding that holds it
    writable: tuple[bool, ...]  # for each storage binding
    arguments: tuple[Argument, ...]
    argument_bytes: int
    form: FormText
    rounds: int  # after which the device ends an invocation's loops; 0: never
    beside: bool  # whether it uses memory beside its tensors, in group 1

    @property
    def kernel(self) -> Kernel:
        """The kernel that was spelt."""
        return self.schedule.kernel

    def dispatches(self, dims: Sequence[int]) -> tuple[Dispatch, ...]:
        """What to dispatch, in order, for these values of kernel.symbols."""
        return self.form.dispatches(dict(zip(self.kernel.symbols, dims, strict=True)))


@dataclass(frozen=True, slots=True, eq=False)
class Rendered:
    """A kernel's text and layout."""

    text: str
    layout: Layout


def default_slots(kernel: Kernel) -> tuple[int, ...]:
    """Every tensor in a memory of its own."""
    return tuple(range(len(kernel.outputs) + len(kernel.inputs)))


def target(near: int = LEAST_NEAR, rounds: int = 0) -> Target:
    """What schedules are made for, on a device with so many bytes near a workgroup which ends the
    loops of an invocation after so many rounds."""
    return Target(Execution.THREADS, room=GROUP, near=near, rounds=rounds)


def render(
    schedule: Schedule,
    slots: tuple[int, ...] | None = None,
    *,
    rounds: int = 0,
    routine: Callable[[Wgsl], FormText] | None = None,
) -> Rendered:
    """Spell a schedule for a pattern of shared memories, and a device which ends the loops of an
    invocation after so many rounds; `routine` replaces the form."""
    kernel = schedule.kernel
    slots = default_slots(kernel) if slots is None else slots
    written = {slots[k] for k in range(len(kernel.outputs))}
    language = Wgsl(kernel, slots, written, rounds, schedule.cut)
    plain = FORMS[type(kernel.form)]
    form = plain(language, schedule.threads) if routine is None else routine(language)
    geometry = (*form.geometry, *(("watch",) if language.watches else ()))
    lines, arguments, nbytes = _arguments(kernel, geometry)
    body = "\n".join([*language.access(), *language.watch_lines(), *form.lines()])
    text = "\n".join([*lines, *_bindings(kernel, slots, written, language), body, ""])
    text += "\n" + library(text)
    count = max(slots) + 1
    writable = tuple(k in written for k in range(count))
    beside = "@group(1)" in text
    layout = Layout(schedule, slots, writable, arguments, nbytes, form, rounds, beside)
    return Rendered(text, layout)


def _arguments(
    kernel: Kernel, geometry: Sequence[str]
) -> tuple[list[str], tuple[Argument, ...], int]:
    """The struct of arguments: members of 8 bytes first, so that nothing needs padding."""
    tensors = len(kernel.outputs) + len(kernel.inputs)
    entries = [("param", k, p.dtype, f"p_{p.name}") for k, p in enumerate(kernel.params)]
    entries += [("dim", k, DType.S32, f"d_{name}") for k, name in enumerate(kernel.symbols)]
    entries += [("offset", k, DType.S32, f"o_{k}") for k in range(tensors)]
    entries += [("geometry", k, DType.S32, f"g_{name}") for k, name in enumerate(geometry)]
    entries.sort(key=lambda entry: -Wgsl.stored_size(entry[2]))
    made, members, position = [], [], 0
    for kind, index, dtype, name in entries:
        made.append(Argument(kind, index, dtype, position))
        members.append(f"    {name}: {Wgsl.stored[dtype]},")
        position += Wgsl.stored_size(dtype)
    lines = ["struct Args {", *members, "}", ""]
    lines.append("@group(0) @binding(0) var<uniform> args: Args;")
    return lines, tuple(made), -(-position // 16) * 16


def _bindings(
    kernel: Kernel, slots: tuple[int, ...], written: set[int], language: Wgsl
) -> list[str]:
    lines = []
    elements: Mapping[int, str] = language.elements
    for slot in range(max(slots) + 1):
        access = "read_write" if slot in written else "read"
        lines.append(
            f"@group(0) @binding({slot + 1}) "
            f"var<storage, {access}> b{slot}: array<{elements[slot]}>;"
        )
    return [*lines, ""]


_CODES = {
    DType.F32: "f",
    DType.F64: "d",
    DType.S32: "i",
    DType.S64: "q",
    DType.U32: "I",
    DType.BOOL: "I",
}


def pack(layout: Layout, values: Mapping[str, Sequence[float]]) -> bytes:
    """Fill in the argument block; `values` are by Argument.kind."""
    given = [_fitted(values[a.kind][a.index], a.dtype) for a in layout.arguments]
    codes = "".join(_CODES[a.dtype] for a in layout.arguments)
    return struct.pack(f"<{codes}", *given).ljust(layout.argument_bytes, b"\0")


def _fitted(value: float, dtype: DType) -> float:
    """A value as one that its type can hold: floats overflow to infinity, integers wrap."""
    if dtype is DType.F32:
        with np.errstate(over="ignore"):
            return float(np.float32(value))
    if dtype is DType.F64:
        return float(value)
    if dtype is DType.BOOL:
        return int(bool(value))
    bits = dtype.size * 8
    number = int(value) & ((1 << bits) - 1)
    return number - (1 << bits) if dtype is not DType.U32 and number >> (bits - 1) else number
