"""Finalizers that use the device, in cycles, on every thread, wherever the collector runs them.

In: rounds with a threshold of the collector's each. Out: how often it collected, and how often
each deed was done. A finalizer may be told that it cannot wait where it is, and nothing else.
"""

from __future__ import annotations

import gc
import random
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

import treadle
import treadle.streaming.stream  # a finalizer may not be the one who loads it
from chaos.ground import KINDS, LENGTH, Ground, present
from chaos.watch import PATIENCE, Failure, Watch
from runtime.shared import plus, times

THRESHOLDS = ((1, 1, 1), (2, 2, 2), (7, 2, 2), (40, 5, 5), (700, 10, 10))
THREADS = 3
TURNS = 60  # cycles that each thread makes in a round


def cases() -> list[str]:
    """A case for each kind of device."""
    return [kind for kind in KINDS if present(kind)]


class Act:
    """What finalizers do, and what came of it."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        device = ground.device
        self.last = device.submit(times, ground.large, k=1.0)  # a victim: nobody needs it
        self.done = 0
        self.told = 0  # that it cannot wait there
        self.wrong: list[str] = []
        self._one = device.buffer([1.0] * LENGTH)
        self._pipeline = treadle.pipeline(device)
        self._pipeline.add(times, self._one, device.empty(LENGTH), k=1.0)
        self.deeds: list[Callable[[], object]] = [
            lambda: device.submit(times, self._one, k=1.0),
            lambda: device.submit(plus, [ground.a, self._one]),
            lambda: device.upload(self._one, np.ones(LENGTH, np.float32)),
            lambda: device.download(self._one),
            lambda: self._pipeline.submit(),
            lambda: self.last.cancel(),
            lambda: self.last.poll(),
            lambda: self.last.add_done_callback(lambda _: None),
            lambda: device.empty(100).free(),
            lambda: device.buffer([1.0, 2.0]).read_list(),
            lambda: device.barrier(),
        ]
        self._waits = len(self.deeds)  # from here on, deeds wait for the device
        self.deeds += [
            lambda: self._one.read(),
            lambda: self._one.write([1.0] * LENGTH),
            lambda: device.run_kernel(times, self._one),
            lambda: self.last.wait(PATIENCE),
            lambda: device.synchronize(PATIENCE),
        ]

    def __call__(self, number: int) -> None:
        """Do a deed; note what it must not raise."""
        number %= len(self.deeds)
        if number >= self._waits and threading.current_thread().name == "pump":
            return  # the pump is this device's hardware, which cannot wait for itself
        try:
            self.deeds[number]()
            self.done += 1
        except treadle.CommandCancelled:
            self.done += 1
        except treadle.CommandError as error:
            if "finalizer" in str(error) or "callback cannot wait" in str(error):
                self.told += 1
            else:
                self.wrong.append(f"deed {number}: {error!r}")
        except BaseException as error:
            self.wrong.append(f"deed {number}: {error!r}")


class Cycle:
    """Garbage that only the collector finds."""

    def __init__(self, act: Callable[[int], None], number: int) -> None:
        self._act, self._number, self._itself = act, number, self
        self.stream: Any = None  # or one that somebody left in the middle

    def __del__(self) -> None:
        if self.stream is not None:
            self.stream.close()
        self._act(self._number)


class Plain:
    """Garbage that goes with its last reference, inside whatever held it."""

    def __init__(self, act: Callable[[int], None], number: int) -> None:
        self._act, self._number = act, number

    def __del__(self) -> None:
        self._act(self._number)


def half_a_stream(device: treadle.Device) -> Any:
    """The iterator of a stream that has given one result of three."""
    batches = [np.ones(LENGTH, np.float32) for _ in range(3)]
    made = iter(treadle.stream(batches, compute=times, params={"k": 1.0}, device=device))
    next(made)
    return made


def _work(ground: Ground, act: Act, dice: random.Random, wrong: list[str]) -> None:
    """What users do while finalizers run: submits, reads, callbacks that hold garbage."""
    device = ground.device
    mine = device.buffer(np.zeros(LENGTH, np.float32))
    ones = device.buffer(np.ones(LENGTH, np.float32))
    try:
        for turn in range(1, TURNS + 1):
            made: Any = (Cycle if dice.random() < 0.7 else Plain)(act, dice.randrange(1000))
            device.submit(plus, [mine, ones], mine)
            if ground.pump is None and dice.random() < 0.03:  # closing waits; a pump cannot
                Cycle(act, 0).stream = half_a_stream(device)
            if dice.random() < 0.2:
                act.last = device.submit(times, ground.large, k=1.0)
            if dice.random() < 0.3:
                act.last.add_done_callback(lambda _, made=made: None)
            del made
            if dice.random() < 0.2:
                found = mine.read_list()
                if found != [float(turn)] * LENGTH:
                    wrong.append(f"expected {turn} everywhere, got {found}")
                    return
    except BaseException as error:
        wrong.append(repr(error))


def run(case: str, watch: Watch) -> None:
    """Run rounds until the time is over."""
    unraisable: list[str] = []
    sys.unraisablehook = lambda args: unraisable.append(f"{args.exc_value!r} in {args.object!r}")
    ground = Ground(case)

    def collected(phase: str, _: object) -> None:
        watch.counts["collections"] += phase == "stop"

    gc.callbacks.append(collected)
    for number in watch.rounds():
        dice = watch.dice(number)
        watch.at(number, limit=6 * PATIENCE)
        act, wrong = Act(ground), []
        gc.set_threshold(*dice.choice(THRESHOLDS))
        threads = [
            threading.Thread(
                target=_work, args=(ground, act, random.Random(dice.random()), wrong), daemon=True
            )
            for _ in range(THREADS)
        ]
        for thread in threads:
            thread.start()
        _work(ground, act, dice, wrong)
        for thread in threads:
            thread.join(4 * PATIENCE)
            if thread.is_alive():
                raise Failure(f"a thread hangs: {thread.name}")
        gc.set_threshold(700, 10, 10)
        _collect(watch)
        _settled(ground, watch)
        watch.counts["finalizers"] += act.done + act.told
        watch.counts["told that they cannot wait"] += act.told
        if wrong or act.wrong or unraisable:
            raise Failure("; ".join([*wrong, *act.wrong, *unraisable][:3]))
        del act
    _collect(watch)
    _settled(ground, watch)
    ground.check_memory(watch)
    gc.callbacks.remove(collected)
    ground.close(watch)


def _collect(watch: Watch) -> None:
    """Have everything collected that is garbage now.

    Python collects on one thread at a time, and gc.collect() does nothing while another one is at
    it. That may take long: each finalizer gives Python's lock away and waits for it again. Rounds
    that did not wait for it would leave more garbage than it can deal with, without end."""

    def collected() -> bool:
        gc.collect()
        return gone() is None

    knot = Cycle(lambda _: None, 0)
    gone = weakref.ref(knot)
    del knot
    watch.until(collected, "garbage that is never collected", 4 * PATIENCE)


def _settled(ground: Ground, watch: Watch) -> None:
    """What finalizers left to other threads may still be submitted: wait for rest, then check."""

    def rests() -> bool:
        ground.device.synchronize(PATIENCE)
        return ground.device.in_flight == 0

    watch.until(rests, "work that never ends")
    ground.check(watch)
