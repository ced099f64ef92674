"""Threads that cannot start, and threads that die: an error for whoever needs one, and no hang."""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable
from typing import Any

import treadle
from chaos.calls import CALLS, behind
from chaos.ground import KINDS, Ground, present
from chaos.watch import PATIENCE, Failure, Watch
from runtime.shared import times

# What threading calls to start one; the name is another one since Python 3.13.
_NAME = next(
    name for name in ("_start_joinable_thread", "_start_new_thread") if hasattr(threading, name)
)
_real: Any = getattr(threading, _NAME)


def cases() -> list[str]:
    """Cases for each kind of device."""
    kinds = [kind for kind in KINDS if present(kind)]
    return [f"{kind}/{how}" for kind in kinds for how in ("refused", "dying")]


class Refusing:
    """Has the system refuse threads, each with a chance, inside a with block."""

    def __init__(self, dice: random.Random, chance: float) -> None:
        self._dice, self._chance = dice, chance
        self.refused = 0

    def _start(self, *given: Any, **named: Any) -> Any:
        if self._dice.random() < self._chance:
            self.refused += 1
            raise RuntimeError("can't start new thread")
        return _real(*given, **named)

    def __enter__(self) -> Refusing:
        setattr(threading, _NAME, self._start)
        return self

    def __exit__(self, *_: object) -> None:
        setattr(threading, _NAME, _real)


def _refused(kind: str, dice: random.Random, watch: Watch) -> None:
    """Calls on a new device, most of whose threads do not exist yet, while threads are refused."""
    ground = Ground(kind)
    names = [name for name, call in CALLS.items() if not call.closes]
    refusing = Refusing(dice, dice.choice((0.2, 0.5, 1.0)))
    for name in dice.sample(names, 12):
        call = CALLS[name]
        if not call.blocks:
            ground.off()
        ready = call.ready(ground)
        watch.say(where=[name])
        with refusing:
            try:
                call.act(ground, ready)
            except treadle.TreadleError:
                watch.counts["calls that raise"] += 1
        ground.on()
        ground.check(watch)
        watch.counts["calls"] += 1
    watch.counts["threads refused"] += refusing.refused
    ground.check_memory(watch)
    ground.close(watch)


class Dying(Exception):
    """What the threads die of."""


def _dying(kind: str, dice: random.Random, watch: Watch) -> None:
    """Threads that die with work of theirs in flight, and callbacks that raise."""
    ground = Ground(kind)
    device = ground.device

    def die(*_: object) -> None:
        raise Dying

    def exit_(*_: object) -> None:
        raise SystemExit

    ends = [die, exit_]

    def live(turns: int, end: Callable[..., None]) -> None:
        for turn in range(turns):
            command = device.submit(times, ground.a, ground.a, k=1.0)
            if turn % 3 == 0:
                command.add_done_callback(end)
            if turn % 4 == 1:
                ground.a.read()
            if turn % 5 == 2:
                with treadle.submitter("dying"):
                    ground.device.submit(times, ground.large, k=1.0)
        behind(ground)
        iter(treadle.stream([ground.ones], compute=times, device=device))
        end()

    for _ in range(10):
        threads = [
            threading.Thread(target=live, args=(dice.randrange(12), dice.choice(ends)), daemon=True)
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(2 * PATIENCE)
            if thread.is_alive():
                raise Failure("a thread hangs")
        ground.check(watch)
        watch.counts["threads that died"] += len(threads)
    ground.check_memory(watch)
    ground.close(watch)


def run(case: str, watch: Watch) -> None:
    """Run rounds until the time is over."""
    kind, how = case.split("/")
    shown: list[str] = []

    def hook(args: threading.ExceptHookArgs) -> None:
        if not isinstance(args.exc_value, Dying | SystemExit):
            shown.append(repr(args.exc_value))

    threading.excepthook = hook
    sys.unraisablehook = lambda args: shown.append(repr(args.exc_value))
    for number in watch.rounds():
        watch.at(number, limit=10 * PATIENCE)
        (_refused if how == "refused" else _dying)(kind, watch.dice(number), watch)
        if shown and how == "dying":
            raise Failure("; ".join(shown[:3]))
        for each in shown:
            watch.notes[f"shown: {each}"] += 1
        shown.clear()
