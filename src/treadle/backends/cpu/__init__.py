"""The CPU: kernels as native code on one worker for each core.

In: kernels, memory and launches, as backends.base defines them. Out: programs and fences. Small
launches run before `launch` returns; others go to the workers. Compilation is jit's, memory is
memory's, threads are workers', steps are launch's.
"""

from __future__ import annotations

import ctypes
import platform
import sys
from collections.abc import Callable, Sequence
from functools import cache
from time import perf_counter_ns
from typing import Any

import numpy as np

from treadle._version import __version__
from treadle.backends.base import (
    DONE,
    Copy,
    DeviceInfo,
    Done,
    Fence,
    Limits,
    Program,
    Region,
    Source,
    Step,
)
from treadle.backends.cache import DiskCache, cache_directory
from treadle.backends.cpu.jit import Code, Jit
from treadle.backends.cpu.launch import CallStep, Launch, ReadyStep
from treadle.backends.cpu.memory import PAGES, Memory, Pool, physical_memory, wrap
from treadle.backends.cpu.program import (
    AT_ONCE_NS,
    BRIEF_NS,
    Brief,
    NativeProgram,
    RoutineProgram,
    in_a_row,
)
from treadle.backends.cpu.routines import ROUTINES, routine_for
from treadle.backends.cpu.workers import PRIORITIES, Workers, usable_cores
from treadle.codegen.llvm import ENTRIES, Rendered, known_layout, render
from treadle.dtypes import STORED, DType
from treadle.errors import DeviceLost
from treadle.ir.nodes import Kernel
from treadle.ir.schedule import Execution, Schedule, Target

__all__ = ["CpuBackend"]

# What takes longer is not helped with: waking a worker is a small part of it, and the thread that
# waits may be one of several that overlap on purpose. A lone worker is to leave a core to others.
_HELPED_NS = 4_000_000.0
_COPY_NS_PER_BYTE = 0.06
_NEAR = 512 << 10  # what one core's own cache holds, on processors of the last ten years


class CpuBackend:
    """This machine's processor."""

    name = "cpu"
    routines = frozenset(
        {*ROUTINES, "merge_halves", "conv_sums"}
    )  # the last two are codegen.llvm's own

    def __init__(self, *, workers: int | None = None, cache: DiskCache | None = None) -> None:
        count = usable_cores() if workers is None else workers
        self.limits = Limits(
            dtypes=frozenset(STORED),
            max_buffer=(1 << 47) - 1,
            lanes=count,
            signals=True,
            ordered=False,
            tolerance=dict.fromkeys(DType, 0.0) | {DType.F32: 2e-6, DType.F64: 1e-14},
            near=_NEAR,
            fixed=True,
            shared=True,
            helps=True,
            takes=True,
        )
        self.timing = False
        self._pool = Pool()
        self.files = DiskCache(cache_directory()) if cache is None else cache
        self._jit = Jit(self.files)
        self._workers = Workers(count)
        self._closed = False

    def __repr__(self) -> str:
        return f"CpuBackend(workers={self._workers.count})"

    def info(self) -> DeviceInfo:
        """Describe the processor."""
        return DeviceInfo(
            name=_processor(),
            backend=self.name,
            gpu=False,
            memory=physical_memory(),
            compute_units=self._workers.count,
            dtypes=STORED,
            version=__version__,
            driver=self._jit.describe(),
        )

    # Memory

    def allocate(self, nbytes: int) -> Memory:
        """Return uninitialised memory, aligned to 64 bytes; raise OutOfMemory."""
        return self._pool.allocate(nbytes)

    def host_memory(self, nbytes: int) -> np.ndarray[Any, Any] | None:
        """Return bytes for the host, recycled when the last view of them goes; None for so few that
        the system's are as quick."""
        return self._pool.allocate(nbytes)[:nbytes].view(np.ndarray) if nbytes >= PAGES else None

    def trim(self) -> int:
        """Give recycled memory back to the system; return the bytes given back."""
        return self._pool.trim()

    @property
    def pool_limit(self) -> int:
        """Bytes of released memory that may wait for reuse."""
        return self._pool.keep

    @pool_limit.setter
    def pool_limit(self, nbytes: int) -> None:
        self._pool.keep = nbytes

    def memory(self) -> tuple[int, int]:
        """Return the bytes taken from the system, and those of them that wait for reuse."""
        return self._pool.sizes()

    def write(self, target: Region, data: np.ndarray[Any, Any]) -> None:
        """Copy an array's bytes into memory."""
        self.view(target, data.nbytes)[:] = data.reshape(-1).view(np.uint8)

    def read(self, source: Region, out: np.ndarray[Any, Any]) -> None:
        """Copy bytes from memory into an array."""
        out.reshape(-1).view(np.uint8)[:] = self.view(source, out.nbytes)

    def view(self, source: Region, nbytes: int) -> np.ndarray[Any, Any]:
        """Return the bytes in place; the array keeps the memory alive."""
        start = source.offset
        found: np.ndarray[Any, Any] = source.memory[start : start + nbytes].view(np.ndarray)
        return found

    def adopt(self, array: np.ndarray[Any, Any]) -> Memory | None:
        """Take a contiguous, aligned, writable array as memory; it is kept alive."""
        if not (array.flags.c_contiguous and array.flags.aligned and array.flags.writeable):
            return None
        flat = array.reshape(-1).view(np.uint8)
        return wrap(flat, 0, flat.nbytes, flat.ctypes.data)

    # Programs

    @property
    def target(self) -> Target:
        """A processor: threads that walk elements, several at a time as lanes."""
        vector, registers = self._jit.registers
        return Target(
            Execution.LOOPS,
            permutes_bytes=self._jit.vbmi,
            products=self._jit.products,
            vector=vector,
            registers=registers,
        )

    def replaces(self, kernel: Kernel) -> bool:
        """Say whether a routine of NumPy's, or of what NumPy uses, computes a kernel."""
        return routine_for(kernel) is not None

    def render(self, schedule: Schedule) -> Source:
        """Spell a schedule as LLVM text; a routine has none."""
        kernel = schedule.kernel
        if self.replaces(kernel):
            return Source(kernel, "numpy", kernel.routine or "", "")
        rendered = render(schedule)
        return Source(kernel, "llvm", ENTRIES[0], rendered.text, rendered.layout)

    def compile(self, source: Source) -> Program:
        """Compile a source, or fetch it from the cache; raise CompileError."""
        routine = routine_for(source.kernel)
        if routine is not None:
            return Program(source.kernel, RoutineProgram(source.kernel, routine))
        code = self._jit.compile(source.text, source.layout.external)
        program = NativeProgram(source.kernel, source.layout, self._assemble, code)
        return Program(source.kernel, program)

    @property
    def machine(self) -> str:
        """What machine code is for, and what makes it."""
        return self._jit.machine

    def plain(self, program: Program) -> dict[str, Any] | None:
        """Return what it takes to make a program again, as values for json.dumps with
        `write_size`; None where nothing is gained by that."""
        handle = program.handle
        return handle.plain() if isinstance(handle, NativeProgram) else None

    def recalled(
        self, kernel: Kernel, value: Any, schedule: Callable[[], Schedule]
    ) -> Program | None:
        """Return the program that values stand for, if its code is in the cache; see `plain`.

        `schedule` makes its schedule, for what was not measured when it was written down. Raise
        ValueError, TypeError or KeyError for other values."""
        layout = known_layout(kernel, value, schedule)
        code = self._jit.recall(str(value["code"]), layout.external)
        if code is None:
            return None
        known = bool(value["predictable"])
        return Program(kernel, NativeProgram(kernel, layout, self._assemble, code, known))

    def _assemble(self, rendered: Rendered) -> Code:
        return self._jit.compile(rendered.text, rendered.layout.external)

    # Work

    def at_once(
        self, steps: Sequence[Step | Copy], briefly: bool = False
    ) -> Callable[[], object] | None:
        """Return a call that does all steps, if that is over sooner than others could be told of
        them.

        Either all of it is done or nothing, whenever Ctrl-C comes: it is one call of C."""
        left = BRIEF_NS if briefly else AT_ONCE_NS
        briefs: list[Brief] = []
        for step in steps:
            found = None if type(step) is Copy else step.program.handle.brief(step)  # type: ignore[union-attr]
            if found is None or found.cost > left:
                return None
            left -= found.cost
            briefs.append(found)
        return in_a_row(briefs) if briefs else None

    def calls_like(
        self, step: Step, briefly: bool = False
    ) -> Callable[[Sequence[Region]], Callable[[], object]] | None:
        """Return what makes of regions a call that does as a step does, if `at_once` would."""
        made: Callable[[Sequence[Region]], Callable[[], object]] | None
        made = step.program.handle.calls_like(step, briefly)
        return made

    def launch(
        self,
        steps: Sequence[Step | Copy],
        done: Callable[[Fence], None],
        *,
        lane: int = 0,
        priority: int = 1,
        after: Sequence[Fence] = (),
        taken: list[Fence | None] | None = None,
    ) -> Fence:
        """Start the steps; what takes next to no time is done on return."""
        taken = [] if taken is None else taken
        if self._closed:
            raise DeviceLost("device 'cpu' was closed")
        cost = 0.0
        if len(steps) == 1 and not self.timing and type(steps[0]) is not Copy:  # the shortest way
            (step,) = steps
            try:
                cost = step.program.handle.hurry(step, self._pool, AT_ONCE_NS, taken)  # type: ignore[union-attr]
            except Exception as error:
                error.step = 0  # type: ignore[attr-defined]  # the runtime names the stage
                return Done(error)
            if cost < AT_ONCE_NS:
                return DONE
            return self._queued(steps, done, priority, cost, taken)
        for step in steps:
            if type(step) is Copy:
                cost += step.nbytes * _COPY_NS_PER_BYTE
            else:
                cost += step.program.handle.cost(step.dims)  # type: ignore[union-attr]
        if cost < AT_ONCE_NS:
            at = -1
            taken.append(DONE)
            start = perf_counter_ns() if self.timing else 0
            try:
                for step in steps:
                    at += 1
                    if type(step) is Copy:
                        _copy(step)
                    else:
                        step.program.handle.run(step, self._pool)  # type: ignore[union-attr]
            except Exception as error:
                error.step = at  # type: ignore[attr-defined]  # the runtime names the stage
                return Done(error, (start, perf_counter_ns()) if start else None)
            return Done(None, (start, perf_counter_ns())) if start else DONE
        return self._queued(steps, done, priority, cost, taken)

    def _queued(
        self,
        steps: Sequence[Step | Copy],
        done: Callable[[Fence], None],
        priority: int,
        cost: float,
        taken: list[Fence | None],
    ) -> Fence:
        urgency = min(max(priority, 0), PRIORITIES - 1)
        prepares = [self._preparer(s, urgency) for s in steps]
        helpable = cost < _HELPED_NS and self._workers.count > 1
        launch = Launch(prepares, done, self._workers, urgency, helpable=helpable)
        launch.timing = self.timing
        self._workers.submit(launch, priority=urgency, taken=taken)
        if self._workers.closing:  # since this was queued; no worker may be left to run it
            launch.abandon()
        return launch

    def works_here(self) -> bool:
        """Whether the caller runs on a worker, which must not wait for what workers do, or keeps
        memory from them, or the compiler from others."""
        return self._workers.here() or self._pool.held_here() or self._jit.held_here()

    def _preparer(self, step: Step | Copy, urgency: int) -> Callable[[], ReadyStep]:
        if isinstance(step, Copy):
            return lambda: CallStep(lambda: _copy(step))

        def prepare() -> ReadyStep:
            workers = self._workers.count
            prepared: ReadyStep = step.program.handle.prepare(step, self._pool, workers, urgency)
            return prepared

        return prepare

    def close(self) -> None:
        """Finish what runs, fail what has not started, end the workers and drop idle memory."""
        if self._closed:
            return
        self._closed = True
        waiting = []
        while (task := self._workers.take()) is not None:
            if not (isinstance(task, Launch) and task.abandon()):
                waiting.append(task)
        for task in waiting:
            self._workers.submit(task, priority=0)
        self._workers.close()
        self._pool.trim()


def _copy(step: Copy) -> None:
    target, source = step.target, step.source
    ctypes.memmove(
        target.memory.address + target.offset, source.memory.address + source.offset, step.nbytes
    )


@cache
def _processor() -> str:
    if sys.platform.startswith("linux"):
        try:
            with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
                for line in file:
                    if line.startswith("model name"):
                        return line.partition(":")[2].strip()
        except OSError:
            pass
    return platform.processor() or platform.machine() or "CPU"
