"""Compiled kernels with what a launch needs to know about sizes.

In: a kernel's code and layout, or a library routine's kernel. Out: costs, inline runs and prepared
steps. What follows from the sizes alone is computed once for each set of sizes and remembered, for
a bounded number of them.
"""

from __future__ import annotations

import ctypes
import struct
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from treadle.backends.base import DONE, Fence, Region, Step
from treadle.backends.cpu.jit import Code
from treadle.backends.cpu.launch import NativeStep, PartsStep, ReadyStep
from treadle.backends.cpu.memory import Memory, Pool, packed
from treadle.backends.cpu.routines import Routine
from treadle.codegen.llvm import Layout, Rendered, write_layout
from treadle.errors import LaunchError
from treadle.ir.nodes import Const, Extent, For, Kernel, Tensor, While, statements

__all__ = ["AT_ONCE_NS", "BRIEF_NS", "Brief", "NativeProgram", "RoutineProgram", "in_a_row"]

_REMEMBERED = 256
BRIEF_NS = 5_000.0  # of each, where many are done at once in one go
AT_ONCE_NS = 50_000.0  # of work that is done before another thread could have been told of it
_MAX_PARTS = 64  # bits of the word that says which parts of the scratch are taken
_NOWHERE = packed(0)
_ONE = struct.Struct("=4q")  # the head of the table of a single step, see codegen.llvm
_PARTS_HEADER = 64  # bytes of it, with its cache line


Call = Callable[[], object]


class _Sized(NamedTuple):
    """What follows from the sizes: units, cost, scratch bytes, packed tail, whether to merge,
    whether the variant for large arrays is needed, scratch bytes for each worker, and whether
    units need what those before them leave."""

    units: int
    cost: float
    scratch: int
    tail: bytes
    merges: bool
    streams: bool
    near: int
    ordered: bool


def _scratch(sized: _Sized, pool: Pool, workers: int) -> Memory | None:
    if not sized.near:
        if not sized.scratch:
            return None
        memory = pool.allocate(sized.scratch)
        if sized.ordered:
            ctypes.memset(memory.address, 0, sized.scratch)
        return memory
    memory = pool.allocate(_PARTS_HEADER + sized.near * workers)
    ctypes.memset(memory.address, 0, _PARTS_HEADER)  # no part is taken
    return memory


def _predictable(kernel: Kernel) -> bool:
    """Whether sizes alone say how long it takes: data and parameters bound none of its loops."""
    for block in kernel.blocks:
        for each in statements(block.body):
            if isinstance(each, While):
                return False
            if isinstance(each, For):
                ends = each.start, each.stop
                if not all(isinstance(end, Const | Extent) for end in ends):
                    return False
    return True


class Brief(NamedTuple):
    """A step that is over at once: what it costs, and its code with what that is called with."""

    cost: float
    code: Code
    block: bytes
    units: int


def in_a_row(briefs: Sequence[Brief]) -> Call:
    """Return a call that does steps one after the other, as one call of machine code."""
    entries = struct.Struct(f"={1 + 3 * len(briefs)}q")
    numbers, place = [len(briefs)], entries.size
    for brief in briefs:  # see codegen.llvm.render_shared
        numbers += brief.code.entries[0], place, brief.units
        place += len(brief.block)
    table = entries.pack(*numbers) + b"".join([brief.block for brief in briefs])
    made = partial(briefs[0].code.several, table)
    made.codes = [brief.code for brief in briefs]  # type: ignore[attr-defined]  # stay mapped
    return made


class NativeProgram:
    """Machine code and its argument block.

    The variant that streams its outputs is compiled when a launch first needs it, on the worker
    that prepares the launch: most kernels never do."""

    __slots__ = (
        "_brief",
        "_code",
        "_compile",
        "_integers",
        "_kernel",
        "_layout",
        "_lock",
        "_pack",
        "_predictable",
        "_sized",
        "_streamed",
        "_symbols",
    )

    def __init__(
        self,
        kernel: Kernel,
        layout: Layout,
        compile: Callable[[Rendered], Code],
        code: Code,
        predictable: bool | None = None,
    ) -> None:
        """`predictable` says whether sizes alone say how long it takes, where that is known."""
        self._kernel = kernel
        self._layout = layout
        self._code = code
        self._compile = compile
        self._streamed: Code | None = None
        self._lock = threading.Lock()
        self._symbols = kernel.symbols
        self._predictable = _predictable(kernel) if predictable is None else predictable
        params = "".join("d" if is_float else "q" for is_float in layout.float_params)
        self._pack = struct.Struct(f"={params}").pack
        self._integers = [i for i, is_float in enumerate(layout.float_params) if not is_float]
        self._sized: dict[tuple[int, ...], _Sized] = {}
        # For sizes at which it is brief: cost, units and the end of the argument block.
        self._brief: dict[tuple[int, ...], tuple[float, int, bytes]] = {}

    def plain(self) -> dict[str, Any] | None:
        """Return what it takes to make it again without its text (see `recalled`), as values for
        json.dumps with `write_size`; None where nothing was measured yet."""
        layout = write_layout(self._layout)
        about = {"code": self._code.key, "predictable": self._predictable}
        return None if layout is None else about | layout

    def _measure(self, dims: tuple[int, ...]) -> _Sized:
        geometry = self._layout.measure(dict(zip(self._symbols, dims, strict=True)))
        numbers = (*dims, *geometry.values)
        tail = struct.pack(f"={len(numbers)}q", *numbers)
        streams = geometry.streams and self._layout.streamed is not None
        sized = _Sized(
            geometry.units,
            geometry.cost,
            geometry.scratch,
            tail,
            geometry.merges,
            streams,
            geometry.near,
            geometry.ordered,
        )
        if len(self._sized) >= _REMEMBERED:
            self._sized.clear()
            self._brief.clear()
        self._sized[dims] = sized
        aside = sized.scratch or sized.near or sized.merges
        if sized.cost < AT_ONCE_NS and self._predictable and not aside:
            self._brief[dims] = sized.cost, sized.units, tail
        return sized

    def brief(self, step: Step) -> Brief | None:
        """Return what does all of it, if that is over sooner than another thread could have been
        told of it."""
        found = self._brief.get(step.dims) or self._briefly(step.dims)
        if found is None:
            return None
        cost, units, tail = found
        try:
            return Brief(cost, self._code, self._block(step, tail), units)
        except (struct.error, OverflowError, ValueError):
            return None  # `run` says what is wrong

    def calls_like(self, step: Step, briefly: bool) -> Callable[[Sequence[Region]], Call] | None:
        """Return what makes calls that do as `step` does, over other regions; None where it takes
        too long.

        All but the addresses is packed here. The caller keeps the program."""
        brief = self.brief(step)
        if brief is None or (briefly and brief.cost > BRIEF_NS):
            return None
        first = len(_NOWHERE) * (1 + len(step.regions))
        begin = _ONE.pack(1, self._code.entries[0], _ONE.size, brief.units) + _NOWHERE
        end = brief.block[first:]
        several = self._code.several

        def over(regions: Sequence[Region]) -> Call:
            parts = [begin]
            for memory, offset in regions:
                parts.append(packed(memory.address + offset) if offset else memory.packed)
            parts.append(end)
            return partial(several, b"".join(parts))

        return over

    def _briefly(self, dims: tuple[int, ...]) -> tuple[float, int, bytes] | None:
        if dims not in self._sized:
            self._measure(dims)
        return self._brief.get(dims)

    def cost(self, dims: tuple[int, ...]) -> float:
        """Estimated nanoseconds on one core."""
        return (self._sized.get(dims) or self._measure(dims)).cost

    def _block(self, step: Step, tail: bytes, scratch: Memory | None = None) -> bytes:
        """The argument block: addresses, parameters, and what follows from the sizes."""
        parts = [_NOWHERE if scratch is None else scratch.packed]
        for memory, offset in step.regions:
            parts.append(packed(memory.address + offset) if offset else memory.packed)
        params: Any = step.params
        if params:
            if self._integers:
                params = list(params)
                for i in self._integers:
                    params[i] = int(params[i])
            parts.append(self._pack(*params))
        parts.append(tail)
        return b"".join(parts)

    def _checked(self, step: Step, tail: bytes, scratch: Memory | None = None) -> bytes:
        """The argument block; raise LaunchError for parameters that do not fit."""
        try:
            return self._block(step, tail, scratch)
        except (struct.error, OverflowError, ValueError) as error:
            names = ", ".join(p.name for p in self._kernel.params)
            raise LaunchError(
                f"parameters ({names}): {step.params!r} do not fit their types: {error}"
            ) from error

    def hurry(self, step: Step, pool: Pool, most: float, taken: list[Fence | None]) -> float:
        """Run everything on this thread if that takes less than `most`; return what it takes."""
        sized = self._sized.get(step.dims) or self._measure(step.dims)
        if sized.cost < most:
            if sized.scratch or sized.near or sized.merges:
                taken.append(DONE)
                self.run(step, pool)
            else:
                # Between the machine code and the list Python does not look for signals.
                block = self._checked(step, sized.tail)
                taken.extend(map(self._code.run, (block,), (0,), (sized.units,)))
        return sized.cost

    def run(self, step: Step, pool: Pool) -> None:
        """Run everything on this thread."""
        sized = self._sized.get(step.dims) or self._measure(step.dims)
        scratch = _scratch(sized, pool, 1)
        block = self._checked(step, sized.tail, scratch)
        self._code.run(block, 0, sized.units)
        if sized.merges:
            self._code.finish(block)

    def prepare(self, step: Step, pool: Pool, workers: int, urgency: int) -> ReadyStep:
        """Make a step that workers can share."""
        sized = self._sized.get(step.dims) or self._measure(step.dims)
        if sized.near:
            workers = min(workers, _MAX_PARTS)
        scratch = _scratch(sized, pool, workers)
        block = self._checked(step, sized.tail, scratch)
        keep = (step, scratch)
        code = self._streaming() if sized.streams else self._code
        return NativeStep(
            code,
            block,
            sized.units,
            sized.cost,
            workers,
            urgency,
            keep,
            merges=sized.merges,
            near=sized.near > 0,
            ordered=sized.ordered,
        )

    def _streaming(self) -> Code:
        with self._lock:
            if self._streamed is None:
                assert self._layout.streamed is not None
                self._streamed = self._compile(self._layout.streamed())
            return self._streamed


class RoutineProgram:
    """A library routine over arrays."""

    __slots__ = ("_kernel", "_routine", "_sized")

    def __init__(self, kernel: Kernel, routine: Routine) -> None:
        self._kernel = kernel
        self._routine = routine
        self._sized: dict[tuple[int, ...], tuple[float, int]] = {}

    def _measure(self, dims: tuple[int, ...]) -> tuple[float, int]:
        found = self._sized.get(dims)
        if found is None:
            kernel, routine = self._kernel, self._routine
            outputs = [self._shape(t, dims) for t in kernel.outputs]
            inputs = [self._shape(t, dims) for t in kernel.inputs]
            found = routine.cost(outputs, inputs), routine.parts(outputs, inputs)
            if len(self._sized) >= _REMEMBERED:
                self._sized.clear()
            self._sized[dims] = found
        return found

    def _shape(self, tensor: Tensor, dims: tuple[int, ...]) -> tuple[int, ...]:
        sizes = dict(zip(self._kernel.symbols, dims, strict=True))
        return tuple(d if isinstance(d, int) else sizes[d] for d in tensor.dims)

    def cost(self, dims: tuple[int, ...]) -> float:
        """Estimated nanoseconds on one core."""
        return self._measure(dims)[0]

    def brief(self, step: Step) -> None:
        """Return nothing: a routine is Python code."""

    def calls_like(self, step: Step, briefly: bool) -> None:
        """Likewise."""

    def hurry(self, step: Step, pool: Pool, most: float, taken: list[Fence | None]) -> float:
        """Run the routine on this thread if that takes less than `most`; return what it takes."""
        cost = self._measure(step.dims)[0]
        if cost < most:
            taken.append(DONE)
            self.run(step, pool)
        return cost

    def run(self, step: Step, pool: Pool) -> None:
        """Run the routine on this thread."""
        parts = self._measure(step.dims)[1]
        for part in range(parts):
            self._part(step, part, parts)

    def _part(self, step: Step, part: int, parts: int) -> None:
        kernel = self._kernel
        tensors = (*kernel.outputs, *kernel.inputs)
        pairs = zip(tensors, step.regions, strict=True)
        arrays = [self._array(t, r, step.dims) for t, r in pairs]
        count = len(kernel.outputs)
        with np.errstate(all="ignore"):  # infinities and NaN are results, as everywhere
            self._routine.run(arrays[:count], arrays[count:], step.params, part, parts)

    def _array(self, tensor: Tensor, region: Region, dims: tuple[int, ...]) -> np.ndarray[Any, Any]:
        shape = self._shape(tensor, dims)
        return np.ndarray(shape, tensor.dtype.numpy, region.memory, region.offset)

    def prepare(self, step: Step, pool: Pool, workers: int, urgency: int) -> ReadyStep:
        """Make a step whose parts workers share."""
        parts = self._measure(step.dims)[1]
        return PartsStep(lambda part: self._part(step, part, parts), parts, workers)
