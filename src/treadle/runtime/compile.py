"""From definitions to plans with programs, without a caller who plans or waits for a compiler.

In: a definition and the layouts it is to run over. Out: a Plan, at once where the like was planned
before; else one background thread makes it and compiles its kernels, in the order of the submits,
and the queue is told. Plans are kept by pattern of layouts, programs by kernel, so that other sizes
of the same pattern compile nothing. It knows no buffers and launches nothing. Why it is so is in
docs/design/planning.md.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from treadle.backends.base import Backend, Region
from treadle.dtypes import DType
from treadle.errors import LaunchError
from treadle.runtime.memory import BufferLayout
from treadle.runtime.plan import PIECE_ALIGN, Compiled, Plan, Planned, Unfused
from treadle.runtime.planning import Deferred, Planning
from treadle.runtime.programs import PROGRAMS_KEPT, Programs, make_room
from treadle.runtime.queue import Queue
from treadle.runtime.scheduling import best_schedule

if TYPE_CHECKING:
    import numpy as np

    from treadle.ir.bound import Bound, Fused, Spec
    from treadle.ir.nodes import Kernel
    from treadle.ir.pattern import Structure
    from treadle.lang.definition import Definition
    from treadle.passes.fixed import Choice
    from treadle.runtime.fused import Fusing

__all__ = ["Compiler"]

Layouts = tuple[BufferLayout, ...]

# The compile path (IR, passes) loads with the first kernel: `import treadle` need not pay for it.

_PLANS_KEPT = 4096
_FIXES = {
    DType.S64: "; sums of integers are s64 unless an output of s32 or u32 is passed, which wraps, "
    "and means of integers add up so, unless they are cast to f32 first"
}


def _specs(layouts: Layouts) -> tuple[Spec, ...]:
    return tuple([layout.spec for layout in layouts])


def _wanted(layouts: Layouts | None) -> tuple[Spec, ...] | None:
    return None if layouts is None else _specs(layouts)


class Compiler:
    """The plans and programs of one device."""

    def __init__(self, backend: Backend, queue: Queue) -> None:
        self._backend = backend
        self._plans: dict[Hashable, Plan] = {}
        self._planned: dict[Hashable, Planned] = {}  # of pipelines, by structure
        self._checked: dict[Kernel, None] = {}  # those that the device can compute
        self._fusing: Fusing | None = None
        self._close: dict[Hashable, tuple[Any, tuple[Choice, ...]]] = {}  # see _fixed_point
        self._lock = threading.RLock()  # of the caches; a finalizer may submit inside it
        queue.waits.busy.append(self._lock._is_owned)  # type: ignore[attr-defined]
        self._programs = Programs(backend, queue, self._forget)
        self.later = self._programs.later
        self.awaited = self._programs.awaited
        self.close = self._programs.close
        self.spans = self._programs.spans

    @property
    def is_here(self) -> bool:
        """Whether the caller runs on the thread that plans: it must not wait for it."""
        return self._programs.is_here

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
        pattern = (definition.me, key, values if definition.composite else None, inputs, outputs)
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
        pattern = (definition.me, key, values if definition.composite else None, inputs, outputs)
        began = perf_counter_ns()
        specs, wanted = _specs(inputs), _wanted(outputs)
        bound = definition.bind(specs, wanted, key, values, self._backend.routines)
        if len(bound.stages) > 1:
            from treadle.ir.pattern import structure  # see above

            bound = self._fuse(bound, *structure(bound, (), frozenset())).bound
        self.check(definition.name, bound)
        self._programs.note(definition.name, began)
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
        pattern = (definition.me, key, values if definition.composite else None, inputs, outputs)

        def make() -> tuple[Plan, Any]:
            plan = self.make(definition, key, values, inputs, outputs)
            return plan, plan

        return self.later(follower, pattern, definition.name, make)

    def check(self, name: str, bound: Bound) -> None:
        """Raise LaunchError for what the device cannot compute."""
        for stage in bound.stages:
            if stage.kernel not in self._checked:
                self._check(name, stage.kernel)
                make_room(self._checked, PROGRAMS_KEPT)
                self._checked[stage.kernel] = None

    # Plans of pipelines.

    def joined(self, asked: Unfused) -> Planned:
        """Return the plan of a pipeline's stages, fused, with its programs there or on their
        way."""
        began = perf_counter_ns()
        made = self._joined(asked, self._fuse)
        self._programs.note(asked.name, began)
        assert made is not None
        return made

    def joined_known(self, asked: Unfused) -> Planned | None:
        """Do what joined does where the like was fused before, in whatever sizes; else None."""
        if self._fusing is None or asked.tolerance:
            return None
        return self._joined(asked, self._fusing.known)

    def _joined(
        self, asked: Unfused, fuse: Callable[[Bound, Structure, list[float]], Fused | None]
    ) -> Planned | None:
        from treadle.ir.pattern import structure  # see above

        name, bound, cuts, shared, values, tolerance = asked
        tables = tuple([(t.shape, t.dtype.str, t.tobytes()) for t in bound.constants])
        limits = self._backend.limits
        close = (tolerance, values) if tolerance and (limits.fixed or limits.fuses) else ()
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
            best, choices = self._fixed_point(best, asked)
        self.check(name, best)
        plan = self._made(pattern, name, best, len(values), shared)
        explained = partial(best_schedule, backend=self._backend)
        made = Planned(plan, best, fused.groups, fused.notes, choices, explained)
        with self._lock:
            make_room(self._planned, _PLANS_KEPT)
            self._planned[pattern] = made
        return made

    def _fixed_point(self, bound: Bound, asked: Unfused) -> tuple[Bound, tuple[Choice, ...]]:
        """Put stages into fixed point where a tolerance allows it: the same for every size."""
        parts = tuple([(s.kernel, s.reads, s.writes, s.picks, s.fixed) for s in bound.stages])
        spans = tuple([(loop.first, loop.last) for loop in bound.loops])
        about = asked.values, asked.shared, asked.tolerance
        key = (parts, about, spans)
        known = self._close.get(key)
        if known is None:
            from treadle.passes.fixed import settle  # see above

            fuses = None
            if self._backend.limits.fuses:
                from treadle.passes.schedule.gpu import fits

                fuses = partial(fits, target=self._backend.target)
            best, choices = settle(bound, *about, fuses=fuses)
            known = tuple([(s.kernel, s.picks, s.fixed) for s in best.stages]), choices
            with self._lock:
                make_room(self._close, PROGRAMS_KEPT)
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
        constants = self._upload(bound.constants) if bound.constants else ()
        with self._lock:
            found = self._plans.get(pattern)
            if found is not None:
                return found
            programs = [self._programs.program(stage.kernel) for stage in bound.stages]
            plan = Plan(name, bound, programs, values, shared)
            plan.constants = constants
            make_room(self._plans, _PLANS_KEPT)
            self._plans[pattern] = plan
        return plan

    def _fuse(self, bound: Bound, key: Structure, numbers: list[float]) -> Fused:
        """Make few kernels of many stages, as the device's limits allow."""
        if self._fusing is None:
            from treadle.runtime.fused import Fusing  # see above

            self._fusing = Fusing(self._backend, self._programs.when_idle)
        return self._fusing.fuse(bound, key, numbers)

    def _upload(self, tables: Sequence[np.ndarray[Any, Any]]) -> tuple[Region, ...]:
        """Put tables on the device, side by side: memory takes longer to get than to fill."""
        places, parts, end = [], [], 0
        for table in tables:
            room = max(-(-table.nbytes // PIECE_ALIGN), 1) * PIECE_ALIGN
            parts += [table.tobytes(), bytes(room - table.nbytes)]
            places.append(end)
            end += room
        import numpy as np

        memory = self._backend.allocate(end)
        self._backend.write(Region(memory, 0), np.frombuffer(b"".join(parts), np.uint8))
        return tuple([Region(memory, place) for place in places])

    def check_dtypes(
        self, name: str, used: Collection[DType], given: Collection[DType] = ()
    ) -> None:
        """Raise LaunchError for a dtype that the device lacks; `given` are those of the inputs."""
        limits = self._backend.limits
        for dtype in sorted(dtype for dtype in used if dtype not in limits.dtypes):
            have = ", ".join(sorted(limits.dtypes))
            fix = "" if dtype in given else _FIXES.get(dtype, "")
            raise LaunchError(
                f"{name} needs dtype {dtype}, which {self._backend.name} lacks; it has {have}{fix}"
            )

    def _check(self, name: str, kernel: Kernel) -> None:
        from treadle.ir.verify import dtypes_used, ops_used  # see above

        limits, device = self._backend.limits, self._backend.name
        self.check_dtypes(name, dtypes_used(kernel), [tensor.dtype for tensor in kernel.inputs])
        if limits.unsupported:
            for op, dtype in sorted(ops_used(kernel) & limits.unsupported):
                raise LaunchError(f"{name} needs {op} on {dtype}, which {device} cannot compute")

    def _forget(self, failed: Compiled) -> None:
        """Drop the plans of what did not compile, so that a later submit tries again."""
        with self._lock:
            for pattern, plan in list(self._plans.items()):
                if any(stage.compiled is failed for stage in plan.stages):
                    del self._plans[pattern]
