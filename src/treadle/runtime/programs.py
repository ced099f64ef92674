"""The programs of one device, and the thread that plans and compiles.

In: kernels to compile, functions that make plans. Out: programs and plans, one after the other, in
the order in which they were asked for; the queue is told when one is there, or why it is not. What
a plan is made of is compile's business; it knows no buffers and launches nothing.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Hashable
from time import perf_counter_ns, sleep
from typing import TYPE_CHECKING, Any

from treadle.attendant import Attendant, collect_young, giving_way, report
from treadle.backends.base import Backend, Program
from treadle.errors import CompileError, DeviceError, TreadleError
from treadle.ir.host_call import HostCall
from treadle.runtime import observe
from treadle.runtime.plan import Compiled, Plan
from treadle.runtime.planning import Deferred, Planning
from treadle.runtime.queue import Queue
from treadle.runtime.scheduling import load_passes, scheduled

if TYPE_CHECKING:
    from treadle.ir.nodes import Kernel

__all__ = ["Programs", "make_room"]

PROGRAMS_KEPT = 1024
_SPANS_KEPT = 256
_IDLE = 5.0  # seconds without work after which the thread ends
# Seconds for which the thread sleeps before it plans: else the caller, in the middle of its submit,
# would wait for the interpreter.
_GIVE_WAY = 1e-4


def make_room(cache: dict[Any, Any], kept: int) -> None:
    """Drop the oldest quarter of a full cache."""
    if len(cache) >= kept:
        for key in list(cache)[: kept // 4]:
            cache.pop(key, None)


class Programs:
    """What one device has compiled, and what it is to plan and compile next."""

    def __init__(
        self, backend: Backend, queue: Queue, failed: Callable[[Compiled], object]
    ) -> None:
        """`failed` is told what could not be compiled, before the commands that wait for it."""
        self._backend = backend
        self._queue = queue
        self._failed = failed
        self._programs: dict[Kernel, Compiled] = {}  # by the kernel as bound
        self._optimised: dict[Kernel, Program] = {}  # by the kernel as compiled
        self._planning: dict[Hashable, Planning] = {}  # by pattern, until they are made
        self._lock = threading.RLock()  # of what is asked for; a finalizer may submit inside it
        self._jobs: deque[Compiled | Planning] = deque()
        self._later: deque[Callable[[], object]] = deque()  # what no command waits for
        self._attendant = Attendant(
            f"treadle-compile-{backend.name}", self._work, idle=_IDLE, spare=self._do_later
        )
        self._closed = False
        from treadle.runtime.recall import Recall  # with the first device: `import` need not pay

        self._recall = Recall.of(backend, self.when_idle)
        queue.waits.busy.append(self._lock._is_owned)  # type: ignore[attr-defined]
        # What was planned and compiled last: start and stop, as perf_counter_ns gives them, and of
        # which kernel.
        self.spans: deque[tuple[int, int, str]] = deque(maxlen=_SPANS_KEPT)

    def later(
        self,
        follower: Deferred,
        pattern: Hashable,
        name: str,
        make: Callable[[], tuple[Plan, Any]],
    ) -> Planning:
        """Have something planned on the background thread, after what came before it, and return
        what a command waits for. Commands of the same pattern meanwhile share one planning.

        Raise DeviceError where no thread can be had."""
        with self._lock:
            planning = self._planning.get(pattern)
            if planning is None:
                planning = Planning(pattern, name, make)
                planning.followers.append(follower)
                # In this order: what Ctrl-C keeps from the dict is planned, if for no command.
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

    def awaited(self, plan: Plan) -> None:
        """See to it that there is a thread that compiles: the caller is about to wait for it."""
        if self.is_here:  # in a composite's own function, or a finalizer: no other thread would
            self._compile_all(plan)
        elif self._jobs:
            self._attendant.call()  # where no thread could be had before, there may be one now

    def program(self, kernel: Kernel) -> Compiled:
        """Return a kernel's program, there or on its way."""
        with self._lock:
            compiled = self._programs.get(kernel)
            if compiled is None:
                compiled = Compiled(kernel)
                make_room(self._programs, PROGRAMS_KEPT)
                self._programs[kernel] = compiled
                self._jobs.append(compiled)
                self._attendant.call()
        return compiled

    def when_idle(self, task: Callable[[], object]) -> None:
        """Have something done that no command waits for: once nothing else is asked for."""
        if not self._closed:
            self._later.append(task)
            with contextlib.suppress(DeviceError):  # no command waits for it, so none fails
                self._attendant.call()

    def _work(self) -> bool:
        """Plan or compile something."""
        try:
            job = self._jobs.popleft()
        except IndexError:
            return False
        with giving_way:
            if isinstance(job, Planning):
                sleep(_GIVE_WAY)
                self._plan(job)
            else:
                self._compile_one(job)
        return True

    def _plan(self, planning: Planning) -> None:
        """Make a plan, tell the submits that follow what they are given, compile its programs."""
        plan, made, error = None, None, None
        if planning.wanted:
            try:
                plan, made = planning.make()
            except BaseException as problem:  # of a composite's function, perhaps; it travels
                error = problem
        with self._lock:
            if self._planning.get(planning.pattern) is planning:
                del self._planning[planning.pattern]  # from here on no command comes to follow it
            if plan is None and error is None and planning.wanted:  # but one came since
                self._jobs.appendleft(planning)
                self._planning.setdefault(planning.pattern, planning)
                return
        if plan is not None:
            try:
                for follower in planning.followers:
                    follower.give(made)
                self._compile_all(plan)
                error = plan.error
            except BaseException as problem:  # whatever it is, commands wait for word of it
                error = problem
        collect_young()
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
            program = self._compile(compiled)
        except BaseException as error:  # whatever it is, commands wait for word of it
            self._settle(compiled, None, error)
        else:
            self._settle(compiled, program, None)

    def note(self, name: str, began: int) -> None:
        """Take note of what the thread has spent its time on."""
        now = perf_counter_ns()
        self.spans.append((began, now, name))
        if observe.active is not None:
            observe.active.compiled(self._queue.name, name, began, now)

    def _do_later(self) -> bool:
        """Do something that no command waits for."""
        try:
            task = self._later.popleft()
        except IndexError:
            return False
        with giving_way, contextlib.suppress(Exception):
            task()
        return True

    def _compile(self, compiled: Compiled) -> Program:
        from treadle.passes.uniform import hoist  # loads with the first kernel

        kernel = compiled.kernel
        if isinstance(kernel.form, HostCall):
            return Program(kernel, None)  # there is nothing to compile
        began = perf_counter_ns()
        try:
            compiled.hoisted = hoist(kernel)
            program = self._found(kernel if compiled.hoisted is None else compiled.hoisted.kernel)
        except TreadleError:
            raise
        except Exception as error:
            raise CompileError(f"{kernel.name} could not be compiled: {error!r}") from error
        finally:
            self.note(kernel.name.removeprefix("_"), began)
        return program

    def _found(self, kernel: Kernel) -> Program:
        """Return a kernel's program: of an earlier process, of another kernel's, or a new one."""
        backend, recall = self._backend, self._recall
        if recall is not None and not backend.replaces(kernel):
            known = recall.program(kernel)
            if known is not None:
                return known
        load_passes()
        from treadle.passes import optimise  # where all is known, it need not load

        best = optimise(kernel)
        program = self._optimised.get(best)
        if program is None:
            program = backend.compile(backend.render(scheduled(best, backend)))
            make_room(self._optimised, PROGRAMS_KEPT)
            self._optimised[best] = program
        if recall is not None:
            recall.keep(kernel, program)
        return program

    def _settle(
        self, compiled: Compiled, program: Program | None, error: BaseException | None
    ) -> None:
        """Hand a program, or why there is none, to the commands that wait for it."""
        try:
            if error is not None:
                with self._lock:
                    self._programs.pop(compiled.kernel, None)
                self._failed(compiled)
        finally:
            self._tell(compiled, program, error)

    def _tell(
        self, job: Compiled | Planning, program: Program | None, error: BaseException | None
    ) -> None:
        try:
            self._queue.tell(self._queue.graph.compiled, job, (program, error))
        except Exception as problem:  # must not take the thread with it
            report(problem)

    def close(self) -> None:
        """Stop after the compilation in progress; what has not begun fails."""
        self._closed = True
        if self._recall is not None:
            self._recall.closed = True
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
