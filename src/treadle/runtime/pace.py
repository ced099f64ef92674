"""How much a device is given at a time: so much that it never waits, and no more.

In: launches as they start and end. Out: whether another may start now, and if not, when to ask
again. Which one that would be is not known here.

What is launched can no longer be cancelled or overtaken, so only as much is launched ahead as keeps
the device busy while the host is slow to answer: some milliseconds of work. How long commands take
is learned from how fast they end; of those that are not known yet only a few are launched ahead.
A user may set fewer, or have the device rest between launches.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter, sleep
from typing import Any

from treadle.attendant import start
from treadle.errors import DeviceError

__all__ = ["Pace"]

_AHEAD = 10e-3  # seconds of work: as long as a thread of Python's may keep others from answering
_UNKNOWN = 1e-3  # seconds that a command is thought to take before one like it was seen
_MEMORY = 0.2  # weight of the newest time
_KINDS = 512  # of commands whose times are remembered


def _later(seconds: float, call: Callable[[], None]) -> None:
    def run() -> None:
        sleep(seconds)
        call()

    start("treadle-pace", run, needed=True)  # the device rests until it calls


def _kind(command: Any) -> tuple[str, int]:
    """What commands that take about as long have in common: what they run, on how much."""
    nbytes = 0
    for entry in command._reads:
        nbytes += entry[2] - entry[1]
    for entry in command._writes:
        nbytes += entry[2] - entry[1]
    return command._label, nbytes.bit_length()


class Pace:
    """The limits of one device; changed and asked by the thread that holds its queue."""

    def __init__(self, lanes: int, *, bounded: bool) -> None:
        self.lanes = lanes  # launches that make progress at the same time
        self.always = bounded  # the device takes no more than that
        self.limit: int | None = None  # launches in flight, where the user has set one
        self.duty = 1.0  # share of the time in which work may run
        self.quick = lanes  # with fewer launches in flight than this there is room
        self.clock: Callable[[], float] = perf_counter
        self.later: Callable[[float, Callable[[], None]], None] = _later
        self.running: dict[int, float] = {}  # by command id: seconds that it may take; 0: few run
        self._began: dict[int, float] = {}  # by command id, where there are pauses
        self._load = 0.0  # the sum of them
        self._times: dict[tuple[str, int], float] = {}  # by kind of command: seconds between ends
        self._last = 0.0  # when one ended
        self._resume = 0.0
        self._asked = False

    def drive_at(self, limit: int | None, duty: float) -> None:
        """Change how many launches may be in flight, and for which share of the time."""
        self.limit, self.duty = limit, duty
        most = self.lanes if limit is None else min(limit, self.lanes)
        self.quick = most if duty >= 1.0 else 0

    def free(self, command: Any) -> bool:
        """Whether a launch may start with nothing else to look at."""
        return self.duty >= 1.0 and self.room(command)

    def room(self, command: Any) -> bool:
        """Whether another launch may start, pauses apart."""
        count = len(self.running)
        if command.id in self.running:
            return True  # it was let go, and Ctrl-C came
        if self.always or self.limit is not None:
            most = self.lanes if self.always else 2 * self.lanes
            return count < (most if self.limit is None else min(self.limit, most))
        if count < 2 * self.lanes:
            return True
        if command._stamp is not None:  # submitters that share it keep it supplied, and no more
            return False
        return self._load + self._times.get(_kind(command), _UNKNOWN) <= _AHEAD

    def pause(self, resume: Callable[[], None]) -> bool:
        """Whether it is time to rest; `resume` is called when it no longer is."""
        left = self._resume - self.clock()
        if self.duty >= 1.0 or left <= 0:
            return False
        if not self._asked:
            try:
                self.later(left, resume)
            except DeviceError:  # no thread can be had: better no pause than one that never ends
                return False
            self._asked = True  # last: if Ctrl-C comes before, it is asked again
        return True

    def resumed(self) -> None:
        """Take note that `resume` was called."""
        self._asked = False

    def started(self, command: Any) -> None:
        """Take note of a launch."""
        number, takes = command.id, 0.0
        if number in self.running:
            return
        if self.duty < 1.0:
            self._began[number] = self.clock()
        count = len(self.running)
        if count >= self.lanes:
            takes = self._times.get(_kind(command), _UNKNOWN)
            if count == self.lanes:  # from now on the device is busy
                self._last = self.clock()
        self.running[number] = takes  # from here on nothing can be interrupted
        self._load += takes

    def ended(self, command: Any) -> None:
        """Take note of its end."""
        number = command.id
        if number not in self.running:
            return
        if self.duty < 1.0 and number in self._began:
            now = self.clock()
            since = self._began.pop(number)
            self._resume = max(self._resume, now) + (now - since) * (1.0 / self.duty - 1.0)
        takes = self.running[number]
        del self.running[number]
        # What was added and taken away need not sum up to nothing.
        self._load = self._load - takes if self.running else 0.0

    def learn(self, command: Any) -> None:
        """Take note of how long a command took that is about to end, where others ran as well."""
        if not self.running.get(command.id):
            return
        now = self.clock()
        last, self._last = self._last, now
        if len(self.running) <= self.lanes:
            return  # nothing kept the device busy before it, so it says nothing
        kind = _kind(command)
        known = self._times.get(kind)
        if known is None and len(self._times) >= _KINDS:
            self._times.clear()
        took = min(now - last, 1.0)
        self._times[kind] = took if known is None else known + _MEMORY * (took - known)
