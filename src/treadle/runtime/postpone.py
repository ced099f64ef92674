"""What finalizers ask for, done afterwards.

In: calls that come in the middle of a change. The garbage collector may run a finalizer wherever
something is allocated, so also on a thread that is changing a queue, with its lock. Out: the same
calls, in order, on another thread, as soon as the change is complete. What a finalizer would have
to wait for is an error, because it would wait for itself; that is told where waiting begins.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable
from functools import wraps
from threading import get_ident
from typing import Any, ParamSpec, TypeVar

from treadle.errors import DeviceError
from treadle.runtime import registry
from treadle.runtime.attendant import Attendant
from treadle.runtime.command import FAILED, PENDING, Command
from treadle.runtime.graph import Outcome

__all__ = ["Postponed", "passing"]

_IDLE = 2.0  # seconds without work after which the thread ends

P = ParamSpec("P")
R = TypeVar("R")


def passing(method: Callable[P, R]) -> Callable[P, R]:
    """Note, in its queue's `inside`, the thread that a method runs on: a finalizer that interrupts
    it there must not wait, because what it waits for may be this very thread's to launch."""

    @wraps(method)
    def passed(*args: P.args, **named: P.kwargs) -> R:
        me, inside = get_ident(), args[0].inside  # type: ignore[attr-defined]
        if me in inside:
            return method(*args, **named)
        try:
            inside.add(me)
            return method(*args, **named)
        finally:
            inside.discard(me)

    return passed


class Postponed:
    """The calls of one queue."""

    def __init__(self, name: str) -> None:
        self._calls: deque[Callable[[], object]] = deque()
        self._attendant = Attendant(f"treadle-{name}-later", self._next, idle=_IDLE)

    def add(self, call: Callable[[], object]) -> None:
        """Have something done after the change that this thread is in the middle of."""
        self._calls.append(call)
        with contextlib.suppress(DeviceError):  # then with the next one
            self._attendant.call()

    def _next(self) -> bool:
        try:
            call = self._calls.popleft()
        except IndexError:
            return False
        call()
        return True

    def submit(self, queue: Any, command: Command, submit: Callable[[], None]) -> None:
        """Have a command submitted; what refuses it then fails it."""
        command.id = registry.next_id()

        def now() -> None:
            if command._status is not PENDING:
                return  # cancelled before it came this far
            try:
                submit()
            except Exception as error:
                out = Outcome()
                with queue.lock:
                    queue.graph.end(command, FAILED, error, out)
                    queue.graph.release(command, out)
                queue.drive(out)

        self.add(now)

    def reset_after_fork(self) -> None:
        """Forget a thread that does not exist in this process."""
        self._calls.clear()
        self._attendant.reset_after_fork()
