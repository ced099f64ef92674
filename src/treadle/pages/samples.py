"""Stretches of a program that are recorded while a page shows it, so few that it hardly notices.

In: calls, for as long as a page asks. Out: records of what ended since a moment, and the stretches
that were recorded. To note a command takes longer than to run a small one: how much of the time is
recorded follows from how many commands there are. A program's own trace comes first, and is read.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from functools import partial
from time import monotonic, perf_counter_ns
from typing import NamedTuple

from treadle.attendant import start
from treadle.errors import LaunchError
from treadle.runtime import observe
from treadle.trace import begin_recording, end_recording

__all__ = ["SHARE", "Sampler", "Stretch", "paces"]

SHARE = 0.003  # of the program's time that recording may take
_NOTING = 25e-6  # seconds that it takes to note a command
_FEW = 50  # records that a stretch is to have
_SHORTEST, _LONGEST = 0.005, 0.05  # seconds between two looks at how many there are
_BLIND = 3.0  # seconds without a record at most: a program that begins to be busy is soon seen
_FORGOTTEN = 2.0  # seconds after which a page that does not ask is gone


class Stretch(NamedTuple):
    """A recorded part of the time, in nanoseconds of time.perf_counter_ns()."""

    start: int
    stop: int  # 0: it goes on
    recorder: observe.Recorder


_all: weakref.WeakSet[Sampler] = weakref.WeakSet()


def paces(made: int, lasted: float) -> tuple[float, float]:
    """How long the next stretch is to be, and for how long nothing is recorded before it, after
    one that had so many records in so many seconds."""
    length = lasted * _FEW / made if made else _LONGEST
    return min(max(length, _SHORTEST), _LONGEST), min(made * _NOTING / SHARE - lasted, _BLIND)


class Sampler:
    """What records while it is asked; a thread of its own begins and ends the stretches."""

    def __init__(self, keep: float) -> None:
        """`keep` is for how many seconds a stretch is of interest."""
        self._keep = int(keep * 1e9)
        self._lock = threading.Lock()
        self._kept: deque[Stretch] = deque()
        self._thread: threading.Thread | None = None
        self._away = threading.Event()  # set: no page asks any more
        self._asked = 0.0
        self._closed = False
        _all.add(self)

    def ask(self) -> None:
        """Have something recorded, beginning now unless it has begun."""
        with self._lock:
            self._asked = monotonic()
            if self._thread is None and not self._closed:
                self._begin()
                self._away = threading.Event()
                self._thread = start("treadle-samples", partial(self._run, self._away))

    def stop(self) -> None:
        """Record nothing more until the next call of `ask`, and forget what was."""
        with self._lock:
            thread, self._thread = self._thread, None
            self._away.set()
            self._end()
            self._kept.clear()
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def close(self) -> None:
        """Record nothing more, even where a page asks."""
        with self._lock:
            self._closed = True
        self.stop()

    def forget(self) -> None:
        """Begin anew in a process that was forked: the thread and what it began are the parent's,
        and a thread that is not here may have the lock."""
        self._lock, self._thread = threading.Lock(), None
        for each in self._kept:
            end_recording(each.recorder)
        self._kept.clear()

    def since(self, moment: int) -> tuple[list[observe.Record], list[tuple[int, int]]]:
        """What ended after a moment, and which stretches of the time after it were recorded."""
        now = perf_counter_ns()
        own = observe.active
        with self._lock:
            kept = [each for each in self._kept if not each.stop or each.stop > moment]
            before = [each.recorder for each in self._kept]  # in which something may end later
        records = [record for each in before for record in each.newer(moment)]
        stretches = [(max(each.start, moment), each.stop or now) for each in kept]
        if own is not None and own not in before:
            records += own.newer(moment)
            stretches.append((moment, now))
        return records, stretches

    def _run(self, away: threading.Event) -> None:
        length = 4 * _SHORTEST
        while not away.wait(length):
            with self._lock:
                if away.is_set():
                    return
                if monotonic() - self._asked > _FORGOTTEN:
                    self._thread = None
                    self._end()
                    self._kept.clear()
                    return
                made, lasted = self._begun()
                length, rest = paces(made, lasted)
                if rest <= 0:
                    if not lasted or lasted * 1e9 > self._keep / 4:  # one does not grow for ever
                        self._end()
                        self._begin()
                    continue
                self._end()
            if away.wait(rest):
                return
            with self._lock:
                if not away.is_set():
                    self._begin()

    def _begun(self) -> tuple[int, float]:
        """How many records the stretch that goes on has, and for how many seconds it does."""
        if not self._kept or self._kept[-1].stop:
            return 0, 0.0
        last = self._kept[-1]
        return last.recorder.count, (perf_counter_ns() - last.start) / 1e9

    def _begin(self) -> None:
        recorder = observe.Recorder(gives_way=True)
        try:
            begin_recording(recorder)
        except LaunchError:  # the program has a trace of its own
            return
        old = perf_counter_ns() - self._keep
        while self._kept and self._kept[0].stop < old:
            self._kept.popleft()
        self._kept.append(Stretch(perf_counter_ns(), 0, recorder))

    def _end(self) -> None:
        if self._kept and not self._kept[-1].stop:
            last = self._kept.pop()
            end_recording(last.recorder)
            self._kept.append(last._replace(stop=perf_counter_ns()))


def _forget_all() -> None:
    for each in list(_all):
        each.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
