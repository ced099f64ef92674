"""Real signals at random microseconds of every call, while other threads use the same buffers.

A timer of the system's raises SIGALRM, whose handler does what that of Ctrl-C does; one in eight
comes from another thread as SIGINT itself. Signals come wherever Python looks for them, also where
a loop turns, and they interrupt what blocks. Where one came is chance; a finding keeps its stacks.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from types import FrameType

import treadle
from chaos.bystanders import DEEDS, FINE
from chaos.calls import CALLS
from chaos.ground import KINDS, Ground, present
from chaos.places import in_hardware
from chaos.watch import PATIENCE, Failure, Watch

TOGETHER = 100  # calls between two checks
LATER = 20e-6
LATEST = 400e-6  # seconds after the beginning of a call, until it is known how long it takes


def cases() -> list[str]:
    """A case for each kind of device."""
    return [kind for kind in KINDS if present(kind)]


class Alarm:
    """Raises KeyboardInterrupt in the main thread, at most once for each call, or twice."""

    def __init__(self) -> None:
        self.raised = 0
        self._left = 0
        self._again = 0.0
        self.places: list[str] = []  # where they came, since the last check
        signal.signal(signal.SIGALRM, self._heard)
        signal.signal(signal.SIGINT, self._heard)
        self._send: SimpleQueue[None] = SimpleQueue()  # in C: it may be interrupted itself
        threading.Thread(target=self._sender, name="sender", daemon=True).start()

    def _heard(self, _: int, frame: FrameType | None) -> None:
        if not self._left:
            return
        if in_hardware(frame):  # later, then
            signal.setitimer(signal.ITIMER_REAL, LATER)
        elif frame is not None:
            code = frame.f_code
            name = os.path.basename(code.co_filename)
            self.places.append(f"{name}:{frame.f_lineno} {code.co_name}")
            self._left -= 1
            self.raised += 1
            if self._left:
                signal.setitimer(signal.ITIMER_REAL, self._again)
            raise KeyboardInterrupt

    def _sender(self) -> None:
        while True:
            self._send.get()
            os.kill(os.getpid(), signal.SIGINT)

    def during(self, call: Callable[[], object], after: float, again: float, other: bool) -> str:
        """Make a call that is interrupted; what it raised."""
        try:
            try:
                self._again = again
                self._left = 2 if again else 1
                if other:
                    self._send.put(None)
                else:
                    signal.setitimer(signal.ITIMER_REAL, after)
                call()
            finally:
                self._left = 0
                signal.setitimer(signal.ITIMER_REAL, 0)
        except KeyboardInterrupt:
            self._left = 0  # it may have come between the last two lines
            signal.setitimer(signal.ITIMER_REAL, 0)
            return "KeyboardInterrupt"
        except treadle.TreadleError as error:
            return type(error).__name__
        return ""


class Traffic:
    """Threads that do the deeds of bystanders without end, and the last time each got through."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._on = threading.Event()
        self._over = False
        self._at = dict.fromkeys(DEEDS, "")
        self.rounds = 0
        self.wrong: list[str] = []
        self._threads = [
            threading.Thread(target=self._run, args=(name,), name=name, daemon=True)
            for name in DEEDS
        ]
        for thread in self._threads:
            thread.start()

    def _run(self, name: str) -> None:
        while not self._over:
            self._on.wait()
            self._at[name] = name  # before looking again: whoever sees none after `off` is right
            if not self._on.is_set():
                self._at[name] = ""
                continue
            try:
                DEEDS[name](self._ground)
            except FINE:
                pass
            except BaseException as error:
                self.wrong.append(f"a thread that does {name}: {type(error).__name__}: {error}")
            self._at[name] = ""
            self.rounds += 1
            time.sleep(0.0002)

    def on(self) -> None:
        self._on.set()

    def off(self, watch: Watch) -> None:
        """Have all come to rest."""
        self._on.clear()
        try:
            watch.until(lambda: not any(self._at.values()), "", 1.5 * PATIENCE)
        except Failure:
            hanging = sorted(filter(None, self._at.values()))
            raise Failure(f"threads hang: {', '.join(hanging)}") from None
        if self.wrong:
            raise Failure("; ".join(self.wrong[:3]))

    def close(self) -> None:
        self._over = True
        self._on.set()
        for thread in self._threads:
            thread.join(PATIENCE)


def run(case: str, watch: Watch) -> None:
    """Interrupt calls until the time is over."""
    sys.setswitchinterval(2e-5)  # as many calls as there can be, and threads that meet often
    ground = Ground(case)
    traffic = Traffic(ground)
    alarm = Alarm()
    names = [name for name, call in CALLS.items() if not (call.closes or call.many)]
    lasts = dict.fromkeys(names, LATEST)  # seconds that each call takes, of late
    for number in watch.rounds():
        dice = watch.dice(number)
        watch.at(number, limit=10 * PATIENCE)
        # A check after each call in every fourth round, so that a finding says where; and none
        # before all calls were made in the others, so that what was left half done adds up.
        closely = number % 4 == 1 or bool(watch.asked.at)
        traffic.on()
        for name in dice.choices(names, k=TOGETHER):
            call = CALLS[name]
            ready = call.ready(ground)
            again = dice.uniform(1e-6, 50e-6) if dice.random() < 0.3 else 0.0
            after = dice.uniform(1e-6, 1.2 * lasts[name])
            other = dice.random() < 1 / 8
            began = time.perf_counter()
            ended = alarm.during(lambda: call.act(ground, ready), after, again, other)  # noqa: B023
            if not ended:
                lasts[name] += (min(time.perf_counter() - began, LATEST) - lasts[name]) / 8
            watch.counts[f"ended with {ended}" if ended else "went through"] += 1
            del ready
            if closely:
                watch.say(where=[f"{place}, in {name}" for place in alarm.places])
                alarm.places.clear()
                traffic.off(watch)
                ground.check(watch)
                traffic.on()
        watch.say(where=["any of the calls"] if alarm.places else [])
        alarm.places.clear()
        traffic.off(watch)
        ground.check(watch)
        ground.check_threads()
        watch.counts["signals"] += alarm.raised
        alarm.raised = 0
    traffic.off(watch)
    watch.counts["deeds of other threads"] += traffic.rounds
    traffic.close()
    ground.check_memory(watch)
    ground.close(watch)
