"""What a part of the campaign says while it runs, in the process that may hang or die.

In: cases, one after another. Out: a line of JSON for each, so that whoever started the process
knows where it was when it ended; every thread's stack on stderr if a case takes too long. Python's
faulthandler watches from a thread of its own in C, which no lock of Python's can stop.
"""

from __future__ import annotations

import faulthandler
import json
import os
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

FAILED = 3  # exit status: a case found something; the reason is the last line on stdout
WEDGED = 1  # exit status of faulthandler's own: a case took too long

REPEATS = 40  # of a round that is asked for alone
AGAIN = 60.0  # seconds for them
# Seconds that something may take that takes milliseconds: few, so that a campaign that finds much
# finds it soon; more where other processes have the machine, too.
PATIENCE = float(os.environ.get("CHAOS_PATIENCE", "4"))


class Failure(Exception):
    """Something that must not happen, found by a check."""


@dataclass(frozen=True)
class Asked:
    """What to do: everything that a printed command line can say."""

    seed: int = 0
    seconds: float = 10.0
    most: int = 0  # rounds or places for each case; 0: as many as there is time for
    at: int = 0  # this round or place alone
    then: int = 0  # and the second interrupt so many places later
    start: int = 1  # the first round or place
    keep: tuple[int, ...] = ()  # of a program, these commands alone
    place: str = ""  # a place by its name: how many come before it may change from run to run
    known: tuple[str, ...] = ()  # places where something was found before: not tried again


class Watch:
    """The lines, the counts and the time of one process."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.start = asked.start
        self.counts: Counter[str] = Counter()
        self.notes: Counter[str] = Counter()
        self._deadline = time.monotonic() + asked.seconds
        self._case = ""
        self._share = self._deadline

    def dice(self, *more: object) -> random.Random:
        """Random numbers that the seed, the case and whatever else is given decide."""
        return random.Random(f"{self.asked.seed} {self._case} {more}")

    def begin(self, case: str, share: float = 1.0) -> None:
        """Begin a case, which gets a share of the time that is left."""
        self._case = case
        now = time.monotonic()
        self._share = now + max(self._deadline - now, 0.0) * share
        self.say(case=case)

    @property
    def over(self) -> bool:
        """Whether the time of this process is over."""
        return time.monotonic() >= self._deadline

    def rounds(self, start: int | None = None) -> Any:
        """Numbers of rounds, until the time of the case is over or the one asked for is done."""
        if self.asked.at:  # one round, again and again: threads meet by chance
            ends = time.monotonic() + AGAIN
            for _ in range(REPEATS):
                if time.monotonic() < ends:
                    yield self.asked.at
            return
        first = number = self.start if start is None else start
        while time.monotonic() < self._share:
            if self.asked.most and number - first >= self.asked.most:
                return
            yield number
            number += 1

    @property
    def late(self) -> bool:
        """Whether the time of this case is over."""
        return time.monotonic() >= self._share

    def at(self, at: int, limit: float = 3 * PATIENCE, **more: object) -> None:
        """Say where the case is, and dump every stack and exit if it stays there too long."""
        self.say(case=self._case, at=at, **more)
        faulthandler.dump_traceback_later(limit, exit=True)

    def say(self, **line: object) -> None:
        """Write one line, at once: this process may be gone in the next moment."""
        os.write(1, (json.dumps(line) + "\n").encode())

    def until(self, holds: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
        """Wait for something that other threads do."""
        deadline = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > deadline:
                raise Failure(what)
            time.sleep(0.0005)


def attend(asked: Asked, cases: list[str], run: Callable[[str, Watch], None]) -> None:
    """Run the cases in this process, which ends here."""
    faulthandler.enable()
    watch = Watch(asked)
    status = 0
    try:
        for number, case in enumerate(cases):
            if watch.over:
                break
            watch.begin(case, 1 / (len(cases) - number))
            run(case, watch)
            faulthandler.cancel_dump_traceback_later()
            watch.start = 1
            watch.say(done=case)
    except BaseException as error:
        faulthandler.cancel_dump_traceback_later()
        status = FAILED
        found = str(error) if isinstance(error, Failure) else f"{type(error).__name__}: {error}"
        watch.say(failed=found)
        traceback.print_exc()
        faulthandler.dump_traceback()
    watch.say(counts=watch.counts, notes=watch.notes)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # what a case broke must not keep this process from ending
