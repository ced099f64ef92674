"""Worker threads that run tasks by priority.

In: tasks with a priority. Out: their `run`, called on some worker. One thread for each usable core,
started when first needed. Idle workers sleep on a queue of tokens, one for each task; which task a
token stands for is decided when it is taken, so that an urgent task overtakes. A thread that is not
a worker can be counted as one for a while, in the place of one that sleeps. Knows nothing about
kernels.
"""

from __future__ import annotations

import operator
import os
import sys
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from time import sleep
from typing import Any, Protocol

from treadle.attendant import start
from treadle.courtesy import compute_behind_here
from treadle.errors import DeviceError

__all__ = ["PRIORITIES", "Task", "Workers", "usable_cores"]

PRIORITIES = 3
_NICE = 10  # lets an event loop that wakes up run first; costs nothing on an idle machine

_START = 0.1  # seconds that a thread gets to count itself before another may be started
_PAUSE = 1e-3  # seconds between looks at what guests are at, when closing


class Task(Protocol):
    """Something to run. It handles its own errors: what escapes `run` is dropped."""

    def run(self) -> None:
        """Do the work."""
        ...


def usable_cores() -> int:
    """Return how many cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    if affinity is not None:
        return max(1, len(affinity(0)))
    return os.cpu_count() or 1


class Workers:
    """A fixed number of daemon threads."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.closing = False
        self._tokens: SimpleQueue[bool] = SimpleQueue()
        self._tasks: tuple[deque[Task], ...] = tuple(deque() for _ in range(PRIORITIES))
        self._threads: list[threading.Thread] = []
        self._idents: set[int] = set()  # theirs
        self._lock = threading.RLock()  # entered once only, but it knows by whom
        self._busy: set[int] = set()  # threads that run tasks,
        self._guests: dict[int, Callable[[], bool]] = {}  # and those that stand in for workers

    def enter(self, over: Callable[[], bool]) -> bool:
        """Count this thread as a worker until it leaves, if one has nothing to do; `over` tells
        whether what it works on has ended."""
        with self._lock:
            if self.closing or len(self._busy) + len(self._guests) >= self.count:
                return False
            self._guests[threading.get_ident()] = over
            return True

    def leaving(self) -> Callable[[], object]:
        """Return what counts this thread no more; nothing if it did not enter. It is C code, which
        Ctrl-C cannot keep from being called where it is the first call of a `finally`."""
        return partial(self._guests.pop, threading.get_ident(), None)

    def here(self) -> bool:
        """Whether the caller runs on a worker, stands in for one, or keeps threads from becoming
        one: then a finalizer runs."""
        me = threading.get_ident()
        held: bool = self._lock._is_owned()  # type: ignore[attr-defined]
        return held or me in self._idents or me in self._guests

    def submit(
        self,
        task: Task,
        *,
        priority: int,
        times: int = 1,
        front: bool = False,
        taken: list[Any] | None = None,
    ) -> None:
        """Queue a task; `times` lets that many workers run it at once. It is put into `taken`, too,
        in the very same step."""
        if len(self._threads) < self.count:
            self._start()
        self.offering(task, priority=priority, times=times, front=front, taken=taken)()

    def offering(
        self,
        task: Task,
        *,
        priority: int,
        times: int = 1,
        front: bool = False,
        taken: list[Any] | None = None,
    ) -> Callable[[], object]:
        """Return what queues a task. It is C code, inside which Python does not look for signals:
        a task whose token was lost to Ctrl-C would wait until another comes, and so would every
        task after it."""
        queue = self._tasks[priority]
        add = queue.appendleft if front else queue.append
        calls: tuple[Callable[[Any], object], ...] = (add, self._tokens.put) * times
        about: tuple[Any, ...] = (task, True) * times
        if taken is not None:
            calls, about = (taken.append, *calls), (task, *about)
        return partial(list, map(operator.call, calls, about))

    def _start(self) -> None:
        for number in range(len(self._threads), self.count):
            if self.closing:
                return
            counted = threading.Event()
            try:
                start(f"treadle-cpu-{number}", partial(self._serve, counted), needed=True)
            except DeviceError:
                if not self._threads:
                    raise
                return  # fewer do; the next task tries again
            counted.wait(_START)

    def _count(self, counted: threading.Event) -> bool:
        """Count this thread as a worker; false where there are enough. A thread counts when it
        runs, since Ctrl-C may come when it has been started and no list has it yet."""
        with self._lock:
            room = len(self._threads) < self.count and not self.closing
            if room:
                self._threads.append(threading.current_thread())
                self._idents.add(threading.get_ident())
        counted.set()
        return room

    def take(self) -> Task | None:
        """Remove and return the most urgent task."""
        for queue in self._tasks:
            try:
                return queue.popleft()
            except IndexError:
                continue
        return None

    def _serve(self, counted: threading.Event) -> None:
        if not self._count(counted):
            return
        compute_behind_here(_NICE)
        me = threading.get_ident()
        while self._tokens.get():
            task = self.take()
            if task is not None:
                self._busy.add(me)
                _run(task)
                self._busy.discard(me)
            del task
        # Closing: what was started is still brought to its end.
        while (task := self.take()) is not None:
            _run(task)
        self._idents.discard(me)

    def close(self) -> None:
        """Let the workers end after what is queued, and wait for that and for what guests do."""
        with self._lock:
            self.closing = True
            threads = list(self._threads)
        me = threading.get_ident()
        while not all(over() for guest, over in list(self._guests.items()) if guest != me):
            sleep(_PAUSE)
        for _ in threads:
            self._tokens.put(False)
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join()


def _run(task: Task) -> None:
    try:
        task.run()
    except BaseException:
        # A worker never dies. Tasks report their own failures; what still escapes came from a
        # callback, and goes where Python sends a thread's errors.
        details = (*sys.exc_info(), threading.current_thread())
        threading.excepthook(threading.ExceptHookArgs(details))
