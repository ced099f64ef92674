"""Threads that come when called: none is lost to Ctrl-C, a full system or a closing one."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from collections import deque
from contextlib import contextmanager

import numpy as np
import pytest

import treadle
import treadle.attendant as attendants
from runtime.test_interrupt import RUNTIME, Interrupt
from treadle.attendant import Attendant, Bell, call_one
from treadle.backends.cpu import CpuBackend
from treadle.runtime.device import Device

PATIENCE = 30.0
PLACES = (
    RUNTIME,
    attendants.__file__,
    threading.__file__,
)  # conditions and events are Python code too


def serving(idle=0.01):
    """An attendant, its jobs, and what is released for each that is done."""
    jobs, done = deque(), threading.Semaphore(0)

    def work():
        if not jobs:
            return False
        job = jobs.popleft()
        if isinstance(job, BaseException):
            raise job
        done.release()
        return True

    return Attendant("test-attendant", work, idle=idle), jobs, done


@contextmanager
def held_interpreter():
    """No other thread runs Python meanwhile, unless the caller waits."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(PATIENCE)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def test_what_is_not_urgent_is_done_once_nothing_else_is():
    jobs, order, done = deque([1, 2]), [], threading.Semaphore(0)
    spare = deque(["later", "at the end"])

    def work():
        if not jobs:
            return False
        order.append(jobs.popleft())
        return True

    def more():
        if not spare:
            return False
        order.append(spare.popleft())
        if order[-1] == "later":
            jobs.append(3)  # what was asked for meanwhile comes first again
            attendant.call()
        done.release()
        return True

    attendant = Attendant("test-attendant", work, idle=PATIENCE, spare=more)
    attendant.call()
    for _ in range(2):
        assert done.acquire(timeout=PATIENCE)
    assert order == [1, 2, "later", 3, "at the end"]
    spare.append("before it goes")
    attendant.dismiss()
    assert order[-1] == "before it goes"


def test_a_bell_is_heard_by_who_lies_down_later():
    bell = Bell()
    bell.ring()
    bell.ring()
    assert bell.sleep(0)
    assert not bell.sleep(0)


def test_every_job_is_done_however_often_the_thread_comes_and_goes():
    attendant, jobs, done = serving(idle=0.0)  # it goes as soon as it can
    for _ in range(500):
        jobs.append(True)
        attendant.call()
    for _ in range(500):
        assert done.acquire(timeout=PATIENCE)
    attendant.dismiss()
    assert not attendant.alive


def test_a_job_that_raises_is_reported_and_the_next_is_done(monkeypatch):
    reported = []
    monkeypatch.setattr(threading, "excepthook", lambda args: reported.append(args.exc_value))
    attendant, jobs, done = serving()
    jobs += [ValueError("no"), SystemExit(), True]
    attendant.call()
    assert done.acquire(timeout=PATIENCE)
    attendant.dismiss()
    assert [type(error) for error in reported] == [ValueError, SystemExit]


def test_interrupted_anywhere_it_comes_when_it_is_called_again():
    for at in range(1, 200):
        attendant, jobs, done = serving()
        jobs.append(True)
        interrupt = Interrupt(at, PLACES)
        try:
            with interrupt:
                attendant.call()
        except KeyboardInterrupt:
            attendant.call()
        assert done.acquire(timeout=PATIENCE)
        attendant.dismiss()
        if not interrupt.fired:
            break
    assert at > 3
    assert not interrupt.fired


def test_two_calls_for_one_of_several_wake_two_threads():
    jobs, together = deque(), threading.Barrier(3)

    def work():
        if not jobs:
            return False
        jobs.popleft()
        together.wait(PATIENCE)  # each job needs another thread at the other one
        return True

    several = [Attendant(f"test-attendant-{n}", work, idle=PATIENCE) for n in range(2)]
    for each in several:
        each.call()
    while not all(each.asleep for each in several):
        pass
    with held_interpreter():  # neither wakes between the two calls
        for _ in several:
            jobs.append(True)
            call_one(several)
    together.wait(PATIENCE)
    for each in several:
        each.dismiss()


def test_one_thread_works_at_a_time_however_often_they_come_and_go():
    inside, most, done = [], [], threading.Semaphore(0)
    jobs = deque()

    def work():
        inside.append(1)
        most.append(len(inside))
        found = bool(jobs) and jobs.popleft()
        inside.pop()
        if found:
            done.release()
        return found

    attendant = Attendant("test-attendant", work, idle=0.0)
    callers = [
        threading.Thread(target=lambda: [(jobs.append(True), attendant.call()) for _ in range(200)])
        for _ in range(4)
    ]
    for caller in callers:
        caller.start()
    for _ in range(800):
        assert done.acquire(timeout=PATIENCE)
    for caller in callers:
        caller.join()
    attendant.dismiss()
    assert max(most) == 1


def test_asked_whether_it_is_there_in_the_middle_of_ctrl_c_it_is_not_taken_for_ended():
    """Python takes a thread for ended whose is_alive() was interrupted."""
    attendant, jobs, done = serving(idle=PATIENCE)
    jobs.append(True)
    attendant.call()
    assert done.acquire(timeout=PATIENCE)
    for at in range(1, 50):
        interrupt = Interrupt(at, PLACES)
        try:
            with interrupt:
                assert attendant.alive
                attendant.call()
        except KeyboardInterrupt:
            pass
        if not interrupt.fired:
            break
    assert len(attendant._here) == 1
    attendant.dismiss()


def test_interrupted_while_it_is_dismissed_it_can_be_dismissed_again():
    entered, go_on = threading.Event(), threading.Event()
    seen = []

    def work():
        if seen:
            return False
        seen.append(attendant.is_here)
        entered.set()
        assert go_on.wait(PATIENCE)
        return True

    attendant = Attendant("test-attendant", work, idle=PATIENCE)
    attendant.call()
    assert entered.wait(PATIENCE)
    with pytest.raises(KeyboardInterrupt), Interrupt(4, PLACES):
        attendant.dismiss()
    assert attendant.alive
    assert not attendant.is_here
    go_on.set()
    attendant.dismiss()
    assert not attendant.alive
    assert seen == [True]


@pytest.fixture
def device():
    with Device(CpuBackend(workers=1), "attended") as opened:
        yield opened


def kernels():
    """Kernels that no cache of the process knows."""
    n = 0
    while True:
        n += 1

        @treadle.pointwise
        def fresh(x, *, k: treadle.static = n):
            return x * 2.0 + k

        yield fresh, n


@pytest.mark.parametrize("what", ["upload", "download", "callback", "compile"])
def test_interrupted_anywhere_the_device_goes_on(device, what):
    a, out = device.buffer(np.ones(8, np.float32)), np.zeros(8, np.float32)
    made = kernels()
    ended = device.submit("relu", [a]).wait()

    def act():
        if what == "upload":
            return device.upload(a, np.ones(8, np.float32))
        if what == "download":
            return device.download(a, out)
        if what == "callback":
            return ended.add_done_callback(lambda _: None)
        kernel, k = next(made)
        return device.submit(kernel, [a], k=k)

    act()
    device.synchronize(PATIENCE)
    for at in range(1, 1000, 1 if what != "compile" else 7):
        interrupt = Interrupt(at, PLACES)
        try:
            with interrupt:
                act()
        except KeyboardInterrupt:
            pass
        device.upload(a, np.ones(8, np.float32)).wait(PATIENCE)
        assert device.download(a).wait(PATIENCE).output.tolist() == [1.0] * 8
        kernel, k = next(made)
        if what == "compile":
            assert (
                device.submit(kernel, [a], k=k).wait(PATIENCE).output.read_list() == [2.0 + k] * 8
            )
        called = threading.Event()
        ended.add_done_callback(lambda _, called=called: called.set())
        assert called.wait(PATIENCE)
        device.synchronize(PATIENCE)
        if not interrupt.fired:
            break
    assert not interrupt.fired  # every place was tried


def refuse(monkeypatch, times, reason="can't start new thread"):
    """Have the system refuse threads so many times."""
    start, left = threading.Thread.start, [None] * times

    def refused(self):
        if left:
            left.pop()
            raise RuntimeError(reason)
        start(self)

    monkeypatch.setattr(threading.Thread, "start", refused)


def test_a_compile_whose_thread_cannot_start_is_an_error_and_the_next_one_works(
    device, monkeypatch
):
    a = device.buffer([1.0, 2.0])

    @treadle.pointwise
    def fresh(x):
        return x * 3.0 + 0.5

    refuse(monkeypatch, 1)
    with pytest.raises(treadle.DeviceError, match="no thread could be started"):
        device.submit(fresh, [a])
    assert device.in_flight == 0
    assert device.submit(fresh, [a]).wait(PATIENCE).output.read_list() == [3.5, 6.5]


def test_a_subinterpreter_is_not_told_to_end_its_threads(monkeypatch):
    refuse(monkeypatch, 1, "thread is not supported for isolated subinterpreters")
    with pytest.raises(treadle.DeviceError, match="use the main interpreter"):
        attendants.start("treadle-some", print)


def test_a_transfer_whose_thread_cannot_start_fails_and_the_next_one_works(device, monkeypatch):
    a = device.buffer([1.0, 2.0])
    refuse(monkeypatch, 1)
    with pytest.raises(treadle.CommandFailed, match="no thread could be started"):
        device.download(a).wait(PATIENCE)
    assert device.download(a).wait(PATIENCE).output.tolist() == [1.0, 2.0]


def test_a_callback_whose_thread_cannot_start_is_called_with_the_next_one(device, monkeypatch):
    ended = device.submit("relu", [device.buffer([1.0])]).wait()
    called = []
    both = threading.Event()
    refuse(monkeypatch, 1)
    ended.add_done_callback(called.append)
    assert called == []
    ended.add_done_callback(lambda _: both.set())
    assert both.wait(PATIENCE)
    assert called == [ended]


LAST = """
import treadle

class Last:
    def __init__(self, command):
        self.command = command

    def __del__(self):
        self.command.add_done_callback(print)

last = Last(treadle.device("cpu").submit("relu", [treadle.buffer([1.0])]).wait())
last.itself = last  # collected when the interpreter has gone
print("ended")
"""


def test_a_callback_added_while_python_shuts_down_does_not_hang():
    done = subprocess.run(
        [sys.executable, "-c", LAST], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (0, "ended\n"), done.stderr


def test_the_interval_is_shortened_again_where_it_was_changed_meanwhile():
    way = attendants.GivingWay()
    before = sys.getswitchinterval()
    try:
        with way:
            sys.setswitchinterval(0.02)
            with way:
                assert sys.getswitchinterval() == pytest.approx(way.interval)
        assert sys.getswitchinterval() == pytest.approx(0.02)
    finally:
        sys.setswitchinterval(before)


@pytest.fixture
def collected():
    """The generations that the garbage collector has looked at since, with limits that this test's
    own objects do not reach."""
    found = []
    limits, on = gc.get_threshold(), gc.isenabled()

    def note(phase, about):
        if phase == "stop":
            found.append(about["generation"])

    gc.set_threshold(100_000, 10, 10)
    gc.collect(1)
    gc.callbacks.append(note)
    yield found
    gc.callbacks.remove(note)
    gc.set_threshold(*limits)
    (gc.enable if on else gc.disable)()


@pytest.mark.parametrize("enabled, generations", [(True, [0]), (False, [])])
def test_what_is_young_is_collected_where_that_is_due_soon(collected, enabled, generations):
    attendants.collect_young()
    assert collected == []  # nothing is
    kept = [[] for _ in range(60_000)]
    (gc.enable if enabled else gc.disable)()
    attendants.collect_young()
    assert collected == generations
    del kept


def test_the_generation_after_the_youngest_is_collected_before_a_caller_meets_it(collected):
    for _ in range(5):
        gc.collect(0)
    del collected[:]
    attendants.collect_young()
    assert collected == [1]
    attendants.collect_young()
    assert collected == [1]


def test_a_thread_begins_wherever_ctrl_c_comes_while_it_is_started(monkeypatch):
    """Python's own event would keep its lock, and the thread would wait for it for good."""
    name = "_start_joinable_thread" if sys.version_info >= (3, 13) else "_start_new_thread"
    make, made = getattr(threading, name), []

    def noting(*given, **named):
        made.append(True)
        return make(*given, **named)

    monkeypatch.setattr(threading, name, noting)
    for at in range(1, 200):
        made.clear()
        ran = threading.Semaphore(0)
        interrupt = Interrupt(at, within=PLACES)
        try:
            with interrupt:
                attendants.start("test-hand", ran.release)
        except KeyboardInterrupt:
            pass
        if made:
            assert ran.acquire(timeout=PATIENCE), f"at {at}"
        if not interrupt.fired:
            return
    raise AssertionError("every place was tried")
