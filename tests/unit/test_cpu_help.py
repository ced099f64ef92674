"""A thread that waits for a launch works on it: alone, beside workers, and interrupted anywhere."""

from __future__ import annotations

import sys
import threading
from collections import deque
from pathlib import Path

import numpy as np
import pytest

import treadle
from treadle.backends.cpu import CpuBackend, launch
from treadle.backends.cpu.workers import Workers
from treadle.runtime.device import Device

WAIT = 30
COUNT = 1_200_000  # too many to be done before submit returns
PACKAGE = str(Path(treadle.__file__).parent)


class Held:
    """A task that keeps a worker busy."""

    def __init__(self) -> None:
        self.entered, self.opened = threading.Event(), threading.Event()

    def run(self) -> None:
        self.entered.set()
        assert self.opened.wait(WAIT)


@pytest.fixture
def device():
    with Device(CpuBackend(workers=2), "helped") as opened:
        yield opened


@pytest.fixture
def native(monkeypatch):
    """The threads that ran native code, by how they came to it."""
    seen = []
    for name in ("work", "help"):
        plain = getattr(launch.NativeStep, name)

        def noted(step, plain=plain, name=name):
            seen.append((name, threading.get_ident()))
            return plain(step)

        monkeypatch.setattr(launch.NativeStep, name, noted)
    return seen


def hold(workers, count):
    held = [Held() for _ in range(count)]
    for task in held:
        workers.submit(task, priority=0)
        assert task.entered.wait(WAIT)
    return held


def test_nobody_helps_where_every_worker_has_something_to_do(device, native):
    x = device.buffer(np.ones(COUNT, np.float32))
    y = device.run_kernel("scalar_mul", [x], scalar=2.0)
    held = hold(device.queue._backend._workers, 2)
    native.clear()
    command = device.submit("scalar_mul", [x], y, scalar=3.0)
    command._owner.waits.help(command)
    assert native == []
    assert not command.done()
    for task in held:
        task.opened.set()
    command.wait(timeout=WAIT)
    assert {name for name, _ in native} == {"work"}


class Late(Workers):
    """Workers that come when they are let."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.kept = deque()
        self.late = False

    def submit(self, task, *, priority, times=1, front=False, taken=None):
        self.kept.append((task, priority, times))
        if taken is not None:
            taken.append(task)
        if not self.late:
            self.come()

    def come(self) -> None:
        while self.kept:  # workers that end something may keep more, and let it come
            try:
                task, priority, times = self.kept.popleft()
            except IndexError:
                return
            super().submit(task, priority=priority, times=times)


@pytest.fixture
def late():
    backend = CpuBackend(workers=2)
    with Device(backend, "late") as device:
        backend._workers, workers = Late(2), backend._workers
        yield device, backend._workers
        backend._workers.come()
        backend._workers.close()
        backend._workers = workers


def test_a_helper_does_a_launch_that_no_worker_has_started(late):
    device, workers = late
    x = device.buffer(np.ones(COUNT, np.float32))
    device.run_kernel("scalar_mul", [x], x, scalar=1.0)  # compiled
    workers.late = True
    command = device.submit("scalar_mul", [x], x, scalar=2.0)
    assert not command.done()
    command.wait()
    (task, _, _) = workers.kept[0]
    assert isinstance(task, launch.Launch)
    workers.come()  # and find it done
    command = device.submit("scalar_mul", [x], x, scalar=2.0)
    command.wait()
    assert x.read_list() == [4.0] * COUNT
    assert not workers._guests


def test_steps_in_python_are_left_to_workers():
    workers = Workers(1)
    ended, threads = threading.Event(), []
    step = launch.CallStep(lambda: threads.append(threading.current_thread().name))
    made = launch.Launch([lambda: step], lambda fence: ended.set(), workers, 1)
    workers.submit(made, priority=1)
    made.help(lambda: False)
    assert ended.wait(WAIT)
    assert [name.startswith("treadle-cpu-") for name in threads] == [True]
    workers.close()


@pytest.mark.parametrize("workers, count", [(1, COUNT), (2, 50 * COUNT)])
def test_one_worker_and_long_launches_are_left_alone(native, workers, count):
    with Device(CpuBackend(workers=workers), "alone") as device:
        x = device.buffer(np.zeros(count, np.float32))
        device.run_kernel("scalar_add", [x], x, scalar=1.0)
        device.submit("scalar_add", [x], x, scalar=1.0).wait()
        assert x.to_numpy()[-1] == 2.0
    assert {name for name, _ in native} == {"work"}


class Interrupt:
    """Raises KeyboardInterrupt where the n-th function of the package begins on this thread, or
    where the n-th C function that it calls returns: the places where Python looks for signals."""

    def __init__(self, at: int) -> None:
        self.left = at
        self.fired = False

    def __enter__(self) -> Interrupt:
        sys.setprofile(self._look)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _look(self, frame, event, _) -> None:
        if event not in ("call", "c_return"):
            return
        path = frame.f_code.co_filename
        if not path.startswith(PACKAGE) or path.endswith("memory.py"):  # finalisers drop it
            return
        self.left -= 1
        if self.left == 0:
            self.fired = True
            sys.setprofile(None)
            raise KeyboardInterrupt


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("kernel", ["scalar_add", "reduce_sum"])
def test_an_interrupted_helper_leaves_the_rest_to_workers(late, kernel, begun):
    """Whatever was done is done once, and the command ends; one kernel has chunks alone, the other
    something that follows them. Workers come after the helper, or beside it."""
    device, workers = late
    x = device.buffer(np.zeros(COUNT, np.float32))
    total = device.buffer(np.zeros(1, np.float32)) if kernel == "reduce_sum" else None
    into, params = (x, {"scalar": 1.0}) if total is None else (total, {"keepdims": True})
    device.run_kernel(kernel, [x], into, **params)  # compiled
    workers.late = True
    runs = 1
    fired = 0
    for at in range(1, 2000):
        command = device.submit(kernel, [x], into, **params)
        interrupt = Interrupt(at)
        if begun:
            workers.come()
        try:
            with interrupt:
                command._owner.waits.help(command)
        except KeyboardInterrupt:
            fired += 1
        workers.come()
        command.wait(timeout=WAIT)
        runs += 1
        if not interrupt.fired:
            break
    assert fired > 10
    assert not interrupt.fired  # every place was tried
    if total is None:
        assert x.read_list() == [float(runs)] * COUNT
    assert not device.queue.open
    assert not x._storage.writers


class Noted:
    """A waiter that counts."""

    def __init__(self) -> None:
        self.count = 0

    def wake(self, command) -> None:
        self.count += 1


def test_an_interrupted_helper_loses_neither_waiters_nor_followers(late):
    device, workers = late
    x = device.buffer(np.zeros(COUNT, np.float32))
    y = device.run_kernel("scalar_add", [x], scalar=1.0)  # compiled
    workers.late = True
    fired = 0
    for at in range(1, 2000):
        command = device.submit("scalar_add", [x], x, scalar=1.0)
        follower = device.submit("scalar_add", [x], y, scalar=0.0)
        waiter, interrupt = Noted(), Interrupt(at)
        assert command._watch(waiter)
        try:
            with interrupt:
                command._owner.waits.help(command)
        except KeyboardInterrupt:
            fired += 1
        workers.late = False  # first: what a worker keeps after that has somebody to let it come
        workers.come()
        command.wait(timeout=WAIT)
        follower.wait(timeout=WAIT)
        workers.late = True
        assert waiter.count >= 1  # once more, should its waking have been broken off
        assert y.read_list() == [float(at)] * COUNT
        if not interrupt.fired:
            break
    assert fired > 10
    assert not interrupt.fired


@pytest.mark.parametrize("begun", [False, True])
def test_parts_in_python_are_done_whole_whenever_their_helper_is_interrupted(late, begun):
    device, workers = late
    pixels = np.random.default_rng(3).integers(0, 256, (640, 700, 3), dtype=np.uint8)
    image, out = device.buffer(pixels), device.empty((600, 600, 3), "u8")
    for x in range(3):  # planned and compiled
        device.run_kernel("crop", [image], out, x=x, width=600, height=600)
    workers.late = True
    fired = 0
    # A worker that has begun may leave nothing to do, sooner or later: every place is tried then.
    for at in range(1, 60 if begun else 2000):
        x, interrupt = at % 3, Interrupt(at)
        out.write(np.zeros(out.shape, np.uint8))
        command = device.submit("crop", [image], out, x=x, width=600, height=600)
        if begun:
            workers.come()
        try:
            with interrupt:
                command._owner.waits.help(command)
        except KeyboardInterrupt:
            fired += 1
        workers.come()
        command.wait(timeout=WAIT)
        np.testing.assert_array_equal(out.to_numpy(), pixels[:600, x : x + 600])
        if not (begun or interrupt.fired):
            break
    assert fired > (0 if begun else 10)
    assert begun or not interrupt.fired


def test_a_part_that_fails_on_a_helper_fails_the_launch():
    workers = Workers(2)
    ended = threading.Event()

    def fail(part):
        raise ValueError("no")

    step = launch.PartsStep(fail, 3, 2)
    made = launch.Launch([lambda: step], lambda fence: ended.set(), workers, 1)
    made.help(lambda: False)
    workers.submit(made, priority=1)
    assert ended.wait(WAIT)
    assert isinstance(made.error, ValueError)
    workers.close()


def test_closing_waits_for_what_a_helper_does(monkeypatch):
    backend = CpuBackend(workers=2)
    device = Device(backend, "closing")
    x = device.buffer(np.zeros(COUNT, np.float32))
    device.run_kernel("scalar_add", [x], x, scalar=1.0)
    entered, opened = threading.Event(), threading.Event()
    plain = launch.NativeStep.help

    def slow(step):
        entered.set()
        assert opened.wait(WAIT)
        return plain(step)

    monkeypatch.setattr(launch.NativeStep, "help", slow)
    monkeypatch.setattr(launch.NativeStep, "work", lambda step: 0)  # workers find nothing to do
    command = device.submit("scalar_add", [x], x, scalar=1.0)
    waiting = threading.Thread(target=command.wait)
    waiting.start()
    assert entered.wait(WAIT)
    closer = threading.Thread(target=device.close)
    closer.start()
    closer.join(0.05)
    assert closer.is_alive()
    opened.set()
    closer.join(WAIT)
    waiting.join(WAIT)
    assert not closer.is_alive()
    assert command.status == "completed"
