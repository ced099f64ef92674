"""From definitions to plans with programs, without anyone waiting for a compiler.

In: a definition and the layouts it is to run over. Out: a Plan, at once; its programs follow from
one background thread, and the queue is told. Plans are kept by pattern of layouts, programs by
kernel, so that other sizes of the same pattern compile nothing. It knows no buffers and launches
nothing.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import partial
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from treadle.attendant import Attendant, report
from treadle.backends.base import Backend, Program, Region
from treadle.dtypes import DType
from treadle.errors import CompileError, DeviceError, LaunchError, TreadleError
from treadle.runtime.memory import Layout
from treadle.runtime.plan import Compiled, Plan, Planned
from treadle.runtime.queue import Queue
from treadle.runtime.scheduling import best_schedule, scheduled

if TYPE_CHECKING:
    import numpy as np

    from treadle.ir.bound import Bound, Fused
    from treadle.ir.nodes import Kernel
    from treadle.ir.pattern import Structure
    from treadle.lang.definition import Definition
    from treadle.passes.fixed import Choice
    from treadle.runtime.fused import Fusing

__all__ = ["Compiler"]

Layouts = tuple[Layout, ...]

# The compile path (IR, passes) loads with the first kernel: `import treadle` need not pay for it.

_PLANS_KEPT = 4096
_FIXES = {
    DType.S64: "; sums of integers are s64 unless an output of s32 or u32 is passed, which wraps, "
    "and means of integers add up so, unless they are cast to f32 first"
}
_PROGRAMS_KEPT = 1024
_SPANS_KEPT = 256
_IDLE = 5.0  # seconds without work after which the thread ends


def _make_room(cache: dict[Any, Any], kept: int) -> None:
    """Drop the oldest quarter of a full cache."""
    if len(cache) >= kept:
        for key in list(cache)[: kept // 4]:
            cache.pop(key, None)


class Compiler:
    """The plans and programs of one device."""

    def __init__(self, backend: Backend, queue: Queue) -> None:
        self._backend = backend
        self._queue = queue
        self._plans: dict[Hashable, Plan] = {}
        self._planned: dict[Hashable, Planned] = {}  # of pipelines, by structure
        self._programs: dict[Kernel, Compiled] = {}  # by the kernel as bound
        self._optimised: dict[Kernel, Program] = {}  # by the kernel as compiled
        self._checked: dict[Kernel, None] = {}  # those that the device can compute
        self._fusing: Fusing | None = None
        self._close: dict[Hashable, tuple[Any, tuple[Choice, ...]]] = {}  # see _fixed_point
        self._lock = threading.RLock()  # of the caches; a finalizer may submit inside it
        self._jobs: deque[Compiled] = deque()
        self._later: deque[Callable[[], object]] = deque()  # what nobody waits for
        self._attendant = Attendant(f"treadle-compile-{backend.name}", self._work, idle=_IDLE)
        self._closed = False
        # When the last programs were compiled: start and stop, as perf_counter_ns gives them.
        self.spans: deque[tuple[int, int]] = deque(maxlen=_SPANS_KEPT)

    def plan(
        self,
        definition: Definition,
        key: Hashable,
        values: tuple[float, ...],
        inputs: Layouts,
        outputs: Layouts | None,
    ) -> Plan:
        """Return the plan for these layouts, checked, with its programs there or on their way."""
        pattern = (definition, key, values if definition.composite else None, inputs, outputs)
        plan = self._plans.get(pattern)
        if plan is not None:
            return plan
        bound = definition.bind(
            tuple([i.spec for i in inputs]),
            None if outputs is None else tuple([o.spec for o in outputs]),
            key,
            values,
            self._backend.routines,
        )
        if len(bound.stages) > 1:
            from treadle.ir.pattern import structure  # see above

            bound = self._fuse(bound, *structure(bound, (), frozenset())).bound
        self.check(definition.name, bound)
        return self._made(pattern, definition.name, bound, len(values))

    def check(self, name: str, bound: Bound) -> None:
        """Raise LaunchError for what the device cannot compute."""
        for stage in bound.stages:
            if stage.kernel not in self._checked:
                self._check(name, stage.kernel)
                _make_room(self._checked, _PROGRAMS_KEPT)
                self._checked[stage.kernel] = None

    def joined(
        self,
        name: str,
        bound: Bound,
        cuts: tuple[int, ...],
        shared: frozenset[tuple[int, int]],
        values: tuple[float, ...],
        tolerance: float = 0.0,
    ) -> Planned:
        """Return the plan of a pipeline's stages, fused, with its programs there or on their way.

        Nothing is fused across `cuts`; `shared` are slots whose buffers overlap; `values` are the
        parameters', which a plan depends on only where there is a `tolerance` to make use of. What
        the pipeline is called does not matter to who finds the plan."""
        from treadle.ir.pattern import structure  # see above

        tables = tuple([(t.shape, t.dtype.str, t.tobytes()) for t in bound.constants])
        close = (tolerance, values) if tolerance and self._backend.limits.fixed else ()
        found_by, numbers = structure(bound, cuts, shared)
        pattern = (found_by, tuple(numbers), tables, close)
        found = self._planned.get(pattern)
        if found is not None and found.plan.error is None:
            return found
        fused = self._fuse(bound, found_by, numbers)
        best: Bound = fused.bound
        choices: tuple[Choice, ...] = ()
        if close:
            best, choices = self._fixed_point(best, values, shared, tolerance)
        self.check(name, best)
        plan = self._made(pattern, name, best, len(values), shared)
        explained = partial(best_schedule, backend=self._backend)
        made = Planned(plan, best, fused.groups, fused.notes, choices, explained)
        with self._lock:
            _make_room(self._planned, _PLANS_KEPT)
            self._planned[pattern] = made
        return made

    def _fixed_point(
        self,
        bound: Bound,
        values: tuple[float, ...],
        shared: frozenset[tuple[int, int]],
        tolerance: float,
    ) -> tuple[Bound, tuple[Choice, ...]]:
        """Put stages into fixed point where a tolerance allows it: the same for every size."""
        parts = tuple([(s.kernel, s.reads, s.writes, s.picks, s.fixed) for s in bound.stages])
        key = (parts, values, shared, tolerance)
        known = self._close.get(key)
        if known is None:
            from treadle.passes.fixed import settle  # see above

            best, choices = settle(bound, values, shared, tolerance)
            known = tuple([(s.kernel, s.picks, s.fixed) for s in best.stages]), choices
            with self._lock:
                _make_room(self._close, _PROGRAMS_KEPT)
                self._close[key] = known
        stages = tuple(
            [
                replace(stage, kernel=kernel, picks=picks, fixed=fixed)
                for stage, (kernel, picks, fixed) in zip(bound.stages, known[0], strict=True)
            ]
        )
        return replace(bound, stages=stages), known[1]

    def _made(
        self,
        pattern: Hashable,
        name: str,
        bound: Bound,
        values: int,
        shared: frozenset[tuple[int, int]] = frozenset(),
    ) -> Plan:
        """Make a plan, unless another thread was faster, and have it compiled."""
        constants = tuple([self._upload(table) for table in bound.constants])
        with self._lock:
            found = self._plans.get(pattern)
            if found is not None:
                return found
            programs = [self._program(stage.kernel) for stage in bound.stages]
            plan = Plan(name, bound, programs, values, shared)
            plan.constants = constants
            _make_room(self._plans, _PLANS_KEPT)
            self._plans[pattern] = plan
        return plan

    def awaited(self) -> None:
        """See to it that there is a thread that compiles: somebody is about to wait for it."""
        if self._jobs:
            self._attendant.call()  # where no thread could be had before, there may be one now

    def _fuse(self, bound: Bound, key: Structure, numbers: list[float]) -> Fused:
        """Make few kernels of many stages, as the device's limits allow."""
        if self._fusing is None:
            from treadle.runtime.fused import Fusing  # see above

            self._fusing = Fusing(self._backend, self._when_idle)
        return self._fusing.fuse(bound, key, numbers)

    def _upload(self, table: np.ndarray[Any, Any]) -> Region:
        region = Region(self._backend.allocate(table.nbytes), 0)
        self._backend.write(region, table)
        return region

    def _check(self, name: str, kernel: Kernel) -> None:
        from treadle.ir.verify import dtypes_used, ops_used  # see above

        limits, device = self._backend.limits, self._backend.name
        for dtype in sorted(dtypes_used(kernel) - limits.dtypes):
            have = ", ".join(sorted(limits.dtypes))
            given = any(tensor.dtype is dtype for tensor in kernel.inputs)
            fix = "" if given else _FIXES.get(dtype, "")
            raise LaunchError(
                f"{name} needs dtype {dtype}, which {device} lacks; it has {have}{fix}"
            )
        if limits.unsupported:
            for op, dtype in sorted(ops_used(kernel) & limits.unsupported):
                raise LaunchError(f"{name} needs {op} on {dtype}, which {device} cannot compute")

    def _program(self, kernel: Kernel) -> Compiled:
        compiled = self._programs.get(kernel)
        if compiled is None:
            compiled = Compiled(kernel)
            _make_room(self._programs, _PROGRAMS_KEPT)
            self._programs[kernel] = compiled
            self._jobs.append(compiled)
            self._attendant.call()
        return compiled

    def _when_idle(self, task: Callable[[], object]) -> None:
        """Have something done that nobody waits for: after what is being compiled."""
        if not self._closed:
            self._later.append(task)
            with contextlib.suppress(DeviceError):  # nobody waits, so nobody minds
                self._attendant.call()

    def _work(self) -> bool:
        """Compile something; where there is nothing, do something that nobody waits for."""
        try:
            compiled = self._jobs.popleft()
        except IndexError:
            return self._do_later()
        try:
            self._settle(compiled, self._compile(compiled.kernel), None)
        except Exception as error:
            self._settle(compiled, None, error)
        return True

    def _do_later(self) -> bool:
        try:
            task = self._later.popleft()
        except IndexError:
            return False
        with contextlib.suppress(Exception):
            task()
        return True

    def _compile(self, kernel: Kernel) -> Program:
        from treadle.passes import optimise  # see above

        backend = self._backend
        began = perf_counter_ns()
        try:
            best = optimise(kernel)
            program = self._optimised.get(best)
            if program is None:
                program = backend.compile(backend.render(scheduled(best, backend)))
                _make_room(self._optimised, _PROGRAMS_KEPT)
                self._optimised[best] = program
        except TreadleError:
            raise
        except Exception as error:
            raise CompileError(f"{kernel.name} could not be compiled: {error!r}") from error
        finally:
            self.spans.append((began, perf_counter_ns()))
        return program

    def _settle(
        self, compiled: Compiled, program: Program | None, error: BaseException | None
    ) -> None:
        """Hand a program, or why there is none, to whoever waits for it."""
        if error is not None:
            self._forget(compiled)
        try:
            self._queue.tell(self._queue.graph.compiled, compiled, (program, error))
        except Exception as problem:  # must not take the thread with it
            report(problem)

    def _forget(self, failed: Compiled) -> None:
        """Drop what did not compile, so that a later submit tries again."""
        with self._lock:
            self._programs.pop(failed.kernel, None)
            for pattern, plan in list(self._plans.items()):
                if any(stage.compiled is failed for stage in plan.stages):
                    del self._plans[pattern]

    def close(self) -> None:
        """Stop after the compilation in progress; what has not begun fails."""
        self._closed = True
        while self._jobs:
            try:
                compiled = self._jobs.popleft()
            except IndexError:  # the thread was faster
                break
            self._settle(compiled, None, CompileError("the device was closed"))
        self._attendant.dismiss()
