"""Workers and launches: order, priorities, failures, an orderly end."""

from __future__ import annotations

import threading

import pytest

from treadle.backends.cpu.launch import CallStep, Launch
from treadle.backends.cpu.workers import Workers, usable_cores
from treadle.errors import DeviceLost

WAIT = 30


@pytest.fixture
def workers():
    made = Workers(1)
    yield made
    made.close()


class Gate:
    """A task that holds a worker until it is opened."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.opened = threading.Event()

    def run(self) -> None:
        self.entered.set()
        assert self.opened.wait(WAIT)


class Note:
    def __init__(self, seen: list, what: object) -> None:
        self.seen, self.what = seen, what

    def run(self) -> None:
        self.seen.append(self.what)


class Chunks:
    """A step of several parts, as native code does them."""

    def __init__(self, count: int, parts: int = 1, seen: list | None = None) -> None:
        self.left, self.parts, self.seen = count, parts, [] if seen is None else seen
        self.lock = threading.Lock()

    def work(self) -> int:
        with self.lock:
            if self.left == 0:
                return 0
            self.left -= 1
            self.seen.append(threading.current_thread().name)
            return 1 if self.left == 0 else 2


def launch(workers, *steps, priority=1):
    ended = threading.Event()
    fences = []

    def done(fence):
        fences.append(fence)
        ended.set()

    made = Launch([lambda s=s: s for s in steps], done, workers, priority)
    workers.submit(made, priority=priority)
    return made, ended, fences


def test_urgent_tasks_overtake(workers):
    gate, seen, last = Gate(), [], threading.Event()
    workers.submit(gate, priority=1)
    assert gate.entered.wait(WAIT)
    for priority in (2, 1, 0, 2, 1, 0):
        workers.submit(Note(seen, priority), priority=priority)
    end = Note(seen, "end")
    end.run = last.set
    workers.submit(end, priority=2)
    gate.opened.set()
    assert last.wait(WAIT)
    assert seen == [0, 0, 1, 1, 2, 2]


def test_an_urgent_launch_runs_between_the_chunks_of_another(workers):
    gate, order = Gate(), []
    workers.submit(gate, priority=1)
    assert gate.entered.wait(WAIT)
    long = Chunks(3)

    def interrupt():
        order.append(("first chunk", long.left))
        step = CallStep(lambda: order.append(("urgent", long.left)))
        launch(workers, step, priority=0)

    class First:
        parts = 1

        def work(self):
            if long.left == 3:
                interrupt()
            return long.work()

    _, ended, _ = launch(workers, First(), priority=2)
    gate.opened.set()
    assert ended.wait(WAIT)
    assert order == [("first chunk", 3), ("urgent", 2)]


def test_steps_run_in_order_and_the_end_is_told_once(workers):
    seen = []
    steps = [CallStep(lambda i=i: seen.append(i)) for i in range(5)]
    made, ended, fences = launch(workers, *steps)
    assert ended.wait(WAIT)
    assert seen == [0, 1, 2, 3, 4]
    assert fences == [made]
    assert made.done()
    assert made.error is None


def test_parts_are_shared_and_each_step_waits_for_the_one_before():
    workers = Workers(4)
    try:
        first, second = Chunks(200, parts=4), Chunks(200, parts=4)
        seen = []
        check = CallStep(lambda: seen.append((first.left, second.left)))
        _, ended, fences = launch(workers, first, check, second)
        assert ended.wait(WAIT)
        assert seen == [(0, 200)]
        assert second.left == 0
        assert len(fences) == 1
    finally:
        workers.close()


def test_a_failing_step_ends_the_launch_and_not_the_worker(workers):
    seen = []

    def fail():
        raise ValueError("no")

    made, ended, _ = launch(workers, CallStep(fail), CallStep(lambda: seen.append(1)))
    assert ended.wait(WAIT)
    assert isinstance(made.error, ValueError)
    assert seen == []
    again, ended, _ = launch(workers, CallStep(lambda: seen.append(2)))
    assert ended.wait(WAIT)
    assert again.error is None
    assert seen == [2]


def test_a_failing_callback_does_not_kill_the_worker(workers, monkeypatch):
    reported = []
    monkeypatch.setattr(threading, "excepthook", reported.append)

    def done(fence):
        raise RuntimeError("callback")

    workers.submit(Launch([], done, workers, 1), priority=1)
    _, ended, _ = launch(workers, CallStep(lambda: None))
    assert ended.wait(WAIT)
    assert [str(r.exc_value) for r in reported] == ["callback"]


def test_a_launch_that_has_not_started_can_be_abandoned(workers):
    gate = Gate()
    workers.submit(gate, priority=1)
    assert gate.entered.wait(WAIT)
    seen = []
    made, _, fences = launch(workers, CallStep(lambda: seen.append(1)))
    assert made.abandon()
    assert not made.abandon()
    assert isinstance(made.error, DeviceLost)
    assert fences == [made]
    gate.opened.set()
    workers.close()
    assert seen == []
    assert fences == [made]


def test_close_brings_queued_work_to_its_end():
    workers = Workers(2)
    seen = []
    for i in range(50):
        workers.submit(Note(seen, i), priority=1)
    workers.close()
    assert sorted(seen) == list(range(50))
    workers.close()


def test_threads_are_named_daemons_and_start_late():
    workers = Workers(2)
    before = {t.name for t in threading.enumerate()}
    step = Chunks(1)
    _, ended, _ = launch(workers, step)
    assert ended.wait(WAIT)
    mine = [t for t in threading.enumerate() if t.name.startswith("treadle-cpu-")]
    assert all(t.daemon for t in mine)
    assert step.seen[0].startswith("treadle-cpu-")
    workers.close()
    after = {t.name for t in threading.enumerate() if t.name.startswith("treadle-cpu-")}
    assert after <= before


def test_usable_cores():
    assert usable_cores() >= 1
