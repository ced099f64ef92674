"""From definitions to plans with programs, without a caller who plans or waits for a compiler.

In: a definition and the layouts it is to run over. Out: a Plan, at once where the like was planned
before; else one background thread makes it and compiles its kernels, in the order of the submits,
and the queue is told. Plans are kept by pattern of layouts, programs by kernel, so that other sizes
of the same pattern compile nothing. It knows no buffers and launches nothing. Why it is so is in
docs/design/planning.md.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import replace
from time import perf_counter_ns, sleep
from typing import TYPE_CHECKING, Any

from treadle.attendant import Attendant, giving_way, report
from treadle.backends.base import Backend, Program, Region
from treadle.dtypes import DType
from treadle.errors import CompileError, DeviceError, LaunchError, TreadleError
from treadle.runtime import observe
from treadle.runtime.memory import Layout
from treadle.runtime.plan import Compiled, Plan, Planned
from treadle.runtime.planning import Deferred, Planning
from treadle.runtime.queue import Queue

if TYPE_CHECKING:
    import numpy as np

    from treadle.ir.bound import Bound, Fused, Spec
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
# Seconds for which the thread sleeps before it plans: else the caller, in the middle of its submit,
# would wait for the interpreter.
_GIVE_WAY = 1e-4


def _make_room(cache: dict[Any, Any], kept: int) -> None:
    """Drop the oldest quarter of a full cache."""
    if len(cache) >= kept:
        for key in list(cache)[: kept // 4]:
            cache.pop(key, None)


def _specs(layouts: Layouts) -> tuple[Spec, ...]:
    return tuple([layout.spec for layout in layouts])


def _wanted(layouts: Layouts | None) -> tuple[Spec, ...] | None:
    return None if layouts is None else _specs(layouts)


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
        self._planning: dict[Hashable, Planning] = {}  # by pattern, until they are made
        self._jobs: deque[Compiled | Planning] = deque()
        self._later: deque[Callable[[], object]] = deque()  # what nobody waits for
        self._attendant = Attendant(f"treadle-compile-{backend.name}", self._work, idle=_IDLE)
        self._closed = False
        # When the last programs were compiled: start and stop, as perf_counter_ns gives them.
        self.spans: deque[tuple[int, int]] = deque(maxlen=_SPANS_KEPT)

    # Plans of single definitions.

    def plan(
        self,
        definition: Definition,
        key: Hashable,
        values: tuple[float, ...],
        inputs: Layouts,
        outputs: Layouts | None,
    ) -> Plan | None:
        """Return the plan for these layouts, checked, with its programs there or on their way, if
        it is there or follows from one for other sizes; None where it has to be made.

        Raise for inputs that the definition does not take."""
        pattern = (definition, key, values if definition.composite else None, inputs, outputs)
        plan = self._plans.get(pattern)
        if plan is not None:
            return plan
        bound = definition.known(_specs(inputs), _wanted(outputs), key, self._backend.routines)
        if bound is not None and len(bound.stages) > 1:
            from treadle.ir.pattern import structure  # see above

            fusing = self._fusing
            asked = bound, *structure(bound, (), frozenset())
            fused = None if fusing is None else fusing.known(*asked)
            bound = None if fused is None else fused.bound
        if bound is None:
            return None
        self.check(definition.name, bound)
        return self._made(pattern, definition.name, bound, len(values))

    def make(
        self,
        definition: Definition,
        key: Hashable,
        values: tuple[float, ...],
        inputs: Layouts,
        outputs: Layouts | None,
    ) -> Plan:
        """Make the plan for these layouts on this thread."""
        pattern = (definition, key, values if definition.composite else None, inputs, outputs)
        specs, wanted = _specs(inputs), _wanted(outputs)
        bound = definition.bind(specs, wanted, key, values, self._backend.routines)
        if len(bound.stages) > 1:
            from treadle.ir.pattern import structure  # see above

            bound = self._fuse(bound, *structure(bound, (), frozenset())).bound
        self.check(definition.name, bound)
        return self._made(pattern, definition.name, bound, len(values))

    def make_later(
        self,
        follower: Deferred,
        definition: Definition,
        key: Hashable,
        values: tuple[float, ...],
        inputs: Layouts,
        outputs: Layouts | None,
    ) -> Planning:
        """Have the plan for these layouts made on the background thread; see `later`."""
        pattern = (definition, key, values if definition.composite else None, inputs, outputs)

        def make() -> tuple[Plan, Any]:
            plan = self.make(definition, key, values, inputs, outputs)
            return plan, plan

        return self.later(follower, pattern, definition.name, make)

    def later(
        self,
        follower: Deferred,
        pattern: Hashable,
        name: str,
        make: Callable[[], tuple[Plan, Any]],
    ) -> Planning:
        """Have something planned on the background thread, after what came before it, and return
        what a command waits for. Those who ask for the same pattern meanwhile share one planning.

        Raise DeviceError where no thread can be had."""
        with self._lock:
            planning = self._planning.get(pattern)
            if planning is None:
                planning = Planning(pattern, name, make)
                planning.followers.append(follower)
                # In this order: what Ctrl-C keeps from the dict is planned, if for nobody.
                self._jobs.append(planning)
                self._planning[pattern] = planning
            else:
                planning.followers.append(follower)
        self._attendant.call()
        return planning

    @property
    def is_here(self) -> bool:
        """Whether the caller runs on the thread that plans: it must not wait for it."""
        return self._attendant.is_here

    def check(self, name: str, bound: Bound) -> None:
        """Raise LaunchError for what the device cannot compute."""
        for stage in bound.stages:
            if stage.kernel not in self._checked:
                self._check(name, stage.kernel)
                _make_room(self._checked, _PROGRAMS_KEPT)
                self._checked[stage.kernel] = None

    # Plans of pipelines.

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
        made = self._joined(name, bound, cuts, shared, values, tolerance, self._fuse)
        assert made is not None
        return made

    def joined_known(
        self,
        name: str,
        bound: Bound,
        cuts: tuple[int, ...],
        shared: frozenset[tuple[int, int]],
        values: tuple[float, ...],
        tolerance: float = 0.0,
    ) -> Planned | None:
        """Do what joined does where the like was fused before, in whatever sizes; else None."""
        if self._fusing is None or tolerance:
            return None
        return self._joined(name, bound, cuts, shared, values, tolerance, self._fusing.known)

    def _joined(
        self,
        name: str,
        bound: Bound,
        cuts: tuple[int, ...],
        shared: frozenset[tuple[int, int]],
        values: tuple[float, ...],
        tolerance: float,
        fuse: Callable[[Bound, Structure, list[float]], Fused | None],
    ) -> Planned | None:
        from treadle.ir.pattern import structure  # see above

        tables = tuple([(t.shape, t.dtype.str, t.tobytes()) for t in bound.constants])
        close = (tolerance, values) if tolerance and self._backend.limits.fixed else ()
        found_by, numbers = structure(bound, cuts, shared)
        pattern = (found_by, tuple(numbers), tables, close)
        found = self._planned.get(pattern)
        if found is not None and found.plan.error is None:
            return found
        fused = fuse(bound, found_by, numbers)
        if fused is None:
            return None
        best: Bound = fused.bound
        choices: tuple[Choice, ...] = ()
        if close:
            best, choices = self._fixed_point(best, values, shared, tolerance)
        self.check(name, best)
        plan = self._made(pattern, name, best, len(values), shared)
        made = Planned(plan, best, fused.groups, fused.notes, choices)
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

    def awaited(self, plan: Plan) -> None:
        """See to it that there is a thread that compiles: somebody is about to wait for it."""
        if self.is_here:  # in a composite's own function, or a finalizer: nobody else would
            self._compile_all(plan)
        elif self._jobs:
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
        """Plan or compile something; where there is nothing, do something that nobody waits for."""
        try:
            job = self._jobs.popleft()
        except IndexError:
            return self._do_later()
        with giving_way:
            if isinstance(job, Planning):
                sleep(_GIVE_WAY)
                self._plan(job)
            else:
                self._compile_one(job)
        return True

    def _plan(self, planning: Planning) -> None:
        """Make a plan, tell those who follow what they will be given, and compile its programs."""
        plan, made, error = None, None, None
        if planning.wanted:
            began = perf_counter_ns()
            try:
                plan, made = planning.make()
            except BaseException as problem:  # of a composite's function, perhaps; it travels
                error = problem
            self._note(planning.name, began)
        with self._lock:  # nobody follows it any more
            if plan is None and error is None and planning.wanted:  # somebody came since
                self._jobs.appendleft(planning)
                return
            if self._planning.get(planning.pattern) is planning:
                del self._planning[planning.pattern]
        if plan is not None:
            for follower in planning.followers:
                follower.give(made)
            self._compile_all(plan)
            error = plan.error
        self._tell(planning, None, error)

    def _compile_all(self, plan: Plan) -> None:
        """Compile what a plan needs, before what else waits for that."""
        for compiled in plan.programs or ():
            try:
                self._jobs.remove(compiled)
            except ValueError:  # it is there, or has failed
                continue
            self._compile_one(compiled)

    def _compile_one(self, compiled: Compiled) -> None:
        try:
            self._settle(compiled, self._compile(compiled.kernel), None)
        except Exception as error:
            self._settle(compiled, None, error)

    def _note(self, name: str, began: int) -> None:
        """Take note of what the thread has spent its time on."""
        now = perf_counter_ns()
        self.spans.append((began, now))
        if observe.active is not None:
            observe.active.compiled(self._queue.name, name, began, now)

    def _do_later(self) -> bool:
        try:
            task = self._later.popleft()
        except IndexError:
            return False
        with giving_way, contextlib.suppress(Exception):
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
                program = backend.compile(backend.render(best))
                _make_room(self._optimised, _PROGRAMS_KEPT)
                self._optimised[best] = program
        except TreadleError:
            raise
        except Exception as error:
            raise CompileError(f"{kernel.name} could not be compiled: {error!r}") from error
        finally:
            self._note(kernel.name.removeprefix("_"), began)
        return program

    def _settle(
        self, compiled: Compiled, program: Program | None, error: BaseException | None
    ) -> None:
        """Hand a program, or why there is none, to whoever waits for it."""
        if error is not None:
            self._forget(compiled)
        self._tell(compiled, program, error)

    def _tell(
        self, job: Compiled | Planning, program: Program | None, error: BaseException | None
    ) -> None:
        try:
            self._queue.tell(self._queue.graph.compiled, job, (program, error))
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
                job = self._jobs.popleft()
            except IndexError:  # the thread was faster
                break
            if isinstance(job, Planning):
                self._tell(job, None, CompileError("the device was closed"))
            else:
                self._settle(job, None, CompileError("the device was closed"))
        self._attendant.dismiss()
