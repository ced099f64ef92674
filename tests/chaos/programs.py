"""Random programs of several threads, with views, failures and cancels, against NumPy.

Each thread has buffers of its own on a device that all share, so that what its program means does
not depend on the others; Python changes threads as often as it can. Afterwards the program is
replayed with the status that each command ended with: what completed computed what NumPy does, what
failed had a reason, and what a failed command was to write cannot be read.
"""

from __future__ import annotations

import contextlib
import random
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import treadle
from chaos.campaign import Ended
from chaos.ground import KINDS, Ground, present
from chaos.watch import PATIENCE, Asked, Failure, Watch
from runtime.shared import both, plus, shifted, times
from runtime.test_random import LENGTH, PIPELINES, distinct_outputs, sequential, submit, touched

THREADS = 3
STEPS = 20  # of each thread
SPANS = {"plus": 3, "times": 2, "shifted": 2, "both": 4, "copy": 2, "barrier": 0, "reshaped": 2}
HOST = ("read", "write", "upload", "download", "cancel", "poll", "view")

Step = tuple[Any, ...]


def cases() -> list[str]:
    """A case for each kind of device, and manual ones that fail at times."""
    kinds = [kind for kind in KINDS if present(kind)]
    manual = [kind for kind in kinds if kind not in ("cpu", "webgpu")]
    return [*kinds, *(f"{kind}/failing" for kind in manual)]


def program(dice: random.Random) -> list[Step]:
    """Draw the steps of one thread."""

    def span() -> tuple[int, int]:
        return dice.randrange(3), dice.randrange(LENGTH - 5)

    steps: list[Step] = []
    while len(steps) < STEPS:
        name = dice.choice([*SPANS, "run", *HOST])
        if name == "run":
            step: Step = (name, dice.randrange(len(PIPELINES)))
        elif name in SPANS:
            step = (name, *(span() for _ in range(SPANS[name])))
        else:
            step = (name, span(), dice.randrange(STEPS), float(dice.randrange(100)))
        if distinct_outputs(step):
            steps.append(step)
    return steps


class Player:
    """One thread's program, its buffers, and what came of each step."""

    def __init__(self, ground: Ground, steps: list[tuple[int, Step]]) -> None:
        self.wrong: str = ""
        self._steps = steps
        self._device = device = ground.device
        self._start = [np.arange(LENGTH, dtype=np.float32) + 10 * i for i in range(3)]
        self._buffers = [device.buffer(array) for array in self._start]
        self._pipelines = [treadle.pipeline(device) for _ in PIPELINES]
        p, at = self._pipelines, self._at
        (a, b), (c, d) = PIPELINES[0]
        p[0].add(times, at(a), k=0.5).add(plus, [p[0].last, at(b)], at(c))
        p[0].add(shifted, at(c), at(d))
        p[1].add(times, at(PIPELINES[1][0][0]), at(PIPELINES[1][1][0]), k=0.5)
        (a,), (b, c) = PIPELINES[2]
        p[2].add(both, [at(a), at(a)], [at(b), at(c)])
        self._done: list[tuple[int, Step, Any]] = []

    def _at(self, span: tuple[int, int]) -> treadle.Buffer:
        return self._buffers[span[0]][span[1] : span[1] + 6]

    def play(self) -> None:
        """Make every step; a read's result is what it returned, or None where it raised."""
        commands: list[treadle.Command] = []
        try:
            for number, step in self._steps:
                found = self._make(step, commands)
                if isinstance(found, treadle.Command):
                    commands.append(found)
                self._done.append((number, step, found))
            for command in commands:
                with contextlib.suppress(treadle.CommandFailed, treadle.CommandCancelled):
                    command.wait(2 * PATIENCE)
        except BaseException as error:
            self.wrong = f"step {len(self._done)}: {type(error).__name__}: {error}"

    def _make(self, step: Step, commands: list[treadle.Command]) -> Any:
        name = step[0]
        if name == "reshaped":
            views = [self._at(span).reshape(2, 3) for span in step[1:]]
            return self._device.submit(times, views[0], views[1], k=0.5)
        if name not in HOST:
            return submit(self._device, self._buffers, self._pipelines, step)
        view, which, value = self._at(step[1]), step[2], step[3]
        if name == "cancel":
            return commands[which].cancel() if which < len(commands) else False
        if name == "poll":
            return commands[which].poll() if which < len(commands) else ""
        if name == "view":
            return view[1:4].shape
        if name == "upload":
            return self._device.upload(view, np.full(6, value, np.float32))
        if name == "download":
            return self._device.download(view)
        if name == "write":
            view.write([value] * 6)
            return None
        try:
            return view.to_numpy()
        except treadle.CommandFailed:
            return None

    def judge(self, *, failing: bool) -> None:
        """Replay the program with what its commands came to."""
        arrays = [array.copy() for array in self._start]
        bad = [np.zeros(LENGTH, bool) for _ in range(3)]
        spoilt = [np.zeros(LENGTH, bool) for _ in range(3)]

        def any_of(marks: list[Any], spans: Any) -> bool:
            return any(marks[which][at : at + 6].any() for which, at in spans)

        def mark(marks: list[Any], spans: Any, value: bool) -> None:
            for which, at in spans:
                marks[which][at : at + 6] = value

        for number, step, found in self._done:
            name = step[0]
            if name in ("cancel", "poll", "view"):
                continue
            reads, writes = _touched(step)
            if name == "read":
                self._compare(number, found, arrays, bad, step[1])
                continue
            if name == "write":
                status = "completed"
            else:
                status = str(found.status)
            if status == "completed":
                if any_of(bad, reads):
                    raise Failure(f"step {number} {step} completed on what a failed one wrote")
                _replay(arrays, step)
                mark(bad, writes, False)
                mark(spoilt, writes, False)
                if name == "download":
                    self._compare(number, found.output, arrays, bad, step[1])
            elif status == "failed":
                if not (failing or any_of(bad, reads) or any_of(spoilt, reads)):
                    raise Failure(f"step {number} {step} failed for no reason: {found.error}")
                mark(bad, writes, True)
            else:
                mark(spoilt, writes, True)
        for which in range(3):
            for at in range(LENGTH):
                try:
                    got = self._buffers[which][at : at + 1].to_numpy()[0]
                except treadle.CommandFailed:
                    got = None
                expected = None if bad[which][at] else arrays[which][at]
                if got != expected:
                    raise Failure(f"buffer {which}, element {at}: expected {expected}, got {got}")

    def _compare(self, number: int, found: Any, arrays: Any, bad: Any, span: Any) -> None:
        which, at = span
        if bad[which][at : at + 6].any():
            if found is not None:
                raise Failure(f"step {number} read what a failed command was to write")
        elif found is None:
            raise Failure(f"step {number} could not read {span}")
        elif not np.array_equal(found, arrays[which][at : at + 6]):
            expected = arrays[which][at : at + 6].tolist()
            raise Failure(f"step {number} read {found.tolist()}, expected {expected}")


def _touched(step: Step) -> tuple[Any, Any]:
    if step[0] == "reshaped":
        return step[1:2], step[2:3]
    if step[0] in HOST:
        writes = step[0] in ("write", "upload")
        return ([], [step[1]]) if writes else ([step[1]], [])
    return touched(step)


def _replay(arrays: list[Any], step: Step) -> None:
    if step[0] == "reshaped":
        sequential(arrays, [("times", *step[1:])])
    elif step[0] in ("write", "upload"):
        which, at = step[1]
        arrays[which][at : at + 6] = step[3]
    elif step[0] not in HOST:
        sequential(arrays, [step])


def run(case: str, watch: Watch) -> None:
    """Run programs until the time is over."""
    kind, *failing = case.split("/")
    sys.setswitchinterval(1e-6)
    chance = random.Random(watch.asked.seed)
    ground = Ground(kind, (lambda: chance.random() < 0.1) if failing else None)
    players: list[Player] = []
    for number in watch.rounds():
        dice = watch.dice(number)
        drawn = [program(dice) for _ in range(THREADS)]
        kept = watch.asked.keep or range(THREADS * STEPS)
        watch.at(number, limit=8 * PATIENCE)
        players.clear()
        for thread, steps in enumerate(drawn):
            numbered = [(thread * STEPS + k, step) for k, step in enumerate(steps)]
            players.append(Player(ground, [each for each in numbered if each[0] in kept]))
        _together(players)
        while players:
            players.pop().judge(failing=bool(failing))
        watch.counts["programs"] += THREADS
    if not failing:
        ground.check(watch)
        ground.check_memory(watch)
        ground.close(watch)


def _together(players: list[Player]) -> None:
    threads = [threading.Thread(target=player.play, daemon=True) for player in players]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(6 * PATIENCE)
        if thread.is_alive():
            raise Failure("a thread hangs")
    for player in players:
        if player.wrong:
            raise Failure(player.wrong)


def minimise(ended: Ended, asked: Asked, process: Callable[[Asked], Ended]) -> Ended:
    """Leave out steps while the program still shows what it showed; the shortest is returned."""
    at = ended.at.get("at", 0)
    if not at:
        return ended
    kept = list(range(THREADS * STEPS))
    size = len(kept) // 2
    tries = 24
    while size and tries:
        for first in range(0, len(kept), size):
            less = kept[:first] + kept[first + size :]
            if not less or not tries:
                continue
            tries -= 1
            found = process(replace(asked, at=at, keep=tuple(less), seconds=10.0))
            if found.status:
                kept, ended = less, found
                break
        else:
            size //= 2
    ended.at["at"] = at
    ended.keep = tuple(kept)
    return ended
