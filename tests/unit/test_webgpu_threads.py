"""WebGPU's two threads and its memory: Ctrl-C, finalizers and threads that cannot start."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import treadle
from runtime.test_interrupt import Interrupt
from treadle.backends.base import Copy, Region
from treadle.backends.webgpu import WebGpuBackend
from treadle.backends.webgpu.driver_threads import tasks
from treadle.runtime.device import Device

SOURCES = str(Path(treadle.__file__).parent)
PLACES = (SOURCES, threading.__file__)  # conditions and events are Python code too
PATIENCE = 30.0


@pytest.fixture(scope="module")
def backend():
    try:
        opened = WebGpuBackend()
    except treadle.DeviceUnavailable as error:
        if "webgpu" in os.environ.get("TREADLE_REQUIRE", "").split(","):
            pytest.fail(str(error))
        pytest.skip(str(error))
    yield opened
    opened.close()


def fill(backend, memory, value):
    backend.write(Region(memory, 0), np.full(8, value, np.float32))


def values(backend, memory):
    """The values of a memory, fetched by another thread, which must not hang."""
    found = np.empty(8, np.float32)
    thread = threading.Thread(target=backend.read, args=(Region(memory, 0), found), daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive(), "a read hangs"
    return found.tolist()


def interrupted_everywhere(act, after):
    """Interrupt a call at every place of it, and look afterwards; how many places there were."""
    for at in range(1, 2000):
        interrupt = Interrupt(at, PLACES)
        try:
            with interrupt:
                act()
        except KeyboardInterrupt:
            pass
        after()
        if not interrupt.fired:
            return at
    raise AssertionError("it has no end")


def test_interrupted_anywhere_the_others_get_through(backend):
    a, b, out = backend.allocate(32), backend.allocate(32), np.empty(8, np.float32)
    fill(backend, b, 2.0)

    def act():
        backend.launch([Copy(Region(a, 0), Region(b, 0), 32)], lambda _: None)
        fill(backend, b, 2.0)
        backend.read(Region(b, 0), out)

    def after():
        ended = threading.Event()
        backend.launch([Copy(Region(a, 0), Region(b, 0), 32)], lambda _, ended=ended: ended.set())
        assert ended.wait(PATIENCE)
        assert values(backend, a) == [2.0] * 8

    assert interrupted_everywhere(act, after) > 30
    assert not backend._room._used or backend._room._back  # what was broken off has given it back


def test_interrupted_anywhere_memory_is_counted_right(backend):
    backend.trim()
    before = backend._pool.sizes()

    def act():
        made = [backend.allocate(5000) for _ in range(2)]
        del made[0]
        backend.trim()
        backend.allocate(5000)

    def after():
        backend.trim()
        assert backend._pool.sizes() == before
        assert not backend._pool._going

    assert interrupted_everywhere(act, after) > 30
    memory = backend.allocate(5000)
    fill(backend, memory, 3.0)
    assert values(backend, memory) == [3.0] * 8


def test_interrupted_while_it_closes_it_can_be_closed_again(backend):
    for at in range(1, 500):
        closing = WebGpuBackend(warm=False)
        memory = closing.allocate(32)
        ended = threading.Event()
        closing.launch(
            [Copy(Region(memory, 16), Region(memory, 0), 16)], lambda _, ended=ended: ended.set()
        )
        interrupt = Interrupt(at, PLACES)
        try:
            with interrupt:
                closing.close()
        except KeyboardInterrupt:
            closing.close()
        assert ended.wait(PATIENCE)
        assert not closing._workers._submitter.alive
        assert not closing._workers._poller.alive
        if not interrupt.fired:
            break
    assert not interrupt.fired


def test_writes_wait_for_room_and_give_it_back(backend, monkeypatch):
    entered, go_on = threading.Event(), threading.Event()
    usual = backend._gpu.write

    def held(*given):
        entered.set()
        assert go_on.wait(PATIENCE)
        usual(*given)

    monkeypatch.setattr(backend._room, "_limit", 40)
    memory = backend.allocate(32)
    with monkeypatch.context() as patch:
        patch.setattr(backend._gpu, "write", held)
        fill(backend, memory, 1.0)
        assert entered.wait(PATIENCE)
        second = threading.Thread(target=fill, args=(backend, memory, 2.0), daemon=True)
        second.start()
        second.join(0.3)
        assert second.is_alive()
        go_on.set()
        second.join(PATIENCE)
        assert not second.is_alive()
        assert values(backend, memory) == [2.0] * 8


def held(backend, monkeypatch):
    """Keep what is submitted waiting; the order of submissions, and what lets them go on."""
    entered, go_on, order = threading.Event(), threading.Event(), []
    usual = backend._workers._submit

    def submit(job):
        order.append(job)
        entered.set()
        assert go_on.wait(PATIENCE)
        usual(job)

    monkeypatch.setattr(backend._workers, "_submit", submit)
    backend.launch((), lambda _: None)
    assert entered.wait(PATIENCE)
    return order, go_on


def test_a_launch_does_not_overtake_a_write_that_waits_behind_a_launch(backend, monkeypatch):
    """An urgent launch waits for one of the background; what is between them must not pass."""
    memory, ended = backend.allocate(32), threading.Event()
    order, go_on = held(backend, monkeypatch)
    behind = backend.launch((), lambda _: None, priority=2)
    urgent = backend.launch((), lambda _: None, priority=0, after=(behind,))
    fill(backend, memory, 1.0)
    launch = backend.launch((), lambda _: ended.set(), priority=1)
    go_on.set()
    assert ended.wait(PATIENCE)
    assert values(backend, memory) == [1.0] * 8
    written = next(job for job in order[1:] if job.inner)
    assert order.index(written) < order.index(launch)
    assert order.index(behind) < order.index(urgent)


def test_a_launch_does_not_overtake_a_write_that_comes_while_it_is_looked_for(backend, monkeypatch):
    memory, ended = backend.allocate(32), threading.Event()
    order, go_on = held(backend, monkeypatch)

    class Late:
        """What a launch comes after; asked whether that has started, it lets a write slip in."""

        asked = False

        @property
        def started(self):
            if not self.asked:
                self.asked = True
                fill(backend, memory, 7.0)
            return True

    launch = backend.launch((), lambda _: ended.set(), after=(Late(),))
    go_on.set()
    assert ended.wait(PATIENCE)
    assert [job.inner for job in order[1:]] == [True, False]
    assert order[2] is launch


def test_a_read_gets_through_while_the_runtime_holds_up_whoever_polls(backend):
    """As it does where a finalizer reads on a thread that holds the runtime's lock."""
    memory = backend.allocate(32)
    fill(backend, memory, 4.0)
    entered, go_on = threading.Event(), threading.Event()

    def told(_):
        entered.set()
        assert go_on.wait(PATIENCE)

    backend.launch((), told)
    assert entered.wait(PATIENCE)
    empty = threading.Event()
    backend.launch((), lambda _: empty.set())
    assert values(backend, memory) == [4.0] * 8
    assert not empty.is_set()
    go_on.set()
    assert empty.wait(PATIENCE)


def test_a_finalizer_within_a_change_reads_and_writes(backend):
    """The thread that polls waits for the queue meanwhile, to end a command."""
    with Device(WebGpuBackend(warm=False), "finalized") as device:
        a, b = device.buffer([1.0]), device.buffer([2.0])
        device.run_kernel("relu", [a])
        found = []

        def change(*_):
            command = device.submit("relu", [a])
            found.append(b.read_list())
            b.write([3.0])
            found.append(b.read_list())
            found.append(command)

        thread = threading.Thread(target=device.queue.tell, args=(change, None), daemon=True)
        for _ in range(20):
            device.submit("relu", [a])
        thread.start()
        thread.join(PATIENCE)
        assert found[:2] == [[2.0], [3.0]]
        found[2].wait(PATIENCE)


def test_nobody_waits_on_the_threads_that_do_the_work(backend):
    memory = backend.allocate(32)
    fill(backend, memory, 1.0)
    ended, found = threading.Event(), []

    def told(_):
        found.append(backend.works_here())
        fill(backend, memory, 5.0)  # does not wait
        try:
            backend.read(Region(memory, 0), np.empty(8, np.float32))
        except treadle.CommandError as error:
            found.append(str(error))
        ended.set()

    backend.launch([Copy(Region(memory, 16), Region(memory, 0), 16)], told)
    assert ended.wait(PATIENCE)
    assert found[0]
    assert "a finalizer cannot read" in found[1]
    assert not backend.works_here()
    assert values(backend, memory) == [5.0] * 8


def refuse(monkeypatch, name):
    """Have the system refuse threads of a name."""
    start = threading.Thread.start

    def refused(self):
        if self.name == name:
            raise RuntimeError("can't start new thread")
        start(self)

    monkeypatch.setattr(threading.Thread, "start", refused)


def test_a_thread_that_cannot_start_is_an_error_and_nothing_is_left(backend, monkeypatch):
    opened = WebGpuBackend(warm=False)
    memory = opened.allocate(32)
    told = []
    with monkeypatch.context() as patch:
        refuse(patch, "treadle-webgpu-submit")
        with pytest.raises(treadle.DeviceError, match="no thread could be started"):
            opened.launch([Copy(Region(memory, 16), Region(memory, 0), 16)], told.append)
    fill(opened, memory, 6.0)
    assert values(opened, memory) == [6.0] * 8
    assert not told
    opened.close()


def test_where_nobody_can_poll_the_thread_that_submits_does(backend, monkeypatch):
    opened = WebGpuBackend(warm=False)
    memory, ended = opened.allocate(32), threading.Event()
    refuse(monkeypatch, "treadle-webgpu-poll")
    opened.launch(
        [Copy(Region(memory, 16), Region(memory, 0), 16)], lambda _, ended=ended: ended.set()
    )
    assert ended.wait(PATIENCE)
    opened.close()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads have no priority there")
def test_threads_of_a_software_driver_give_way_to_event_loops(backend):
    if backend.info().gpu:
        pytest.skip("the adapter is no program on the processor")
    python = {thread.native_id for thread in threading.enumerate()}
    drivers = []
    for task in tasks() - python:
        with contextlib.suppress(OSError):  # it ended since the look
            if Path(f"/proc/self/task/{task}/comm").read_text().startswith("llvmpipe"):
                drivers.append(os.getpriority(os.PRIO_PROCESS, task))
    assert set(drivers) <= {19}
    # Not those that call the host's functions, which another test may have had.
    named = [each for each in threading.enumerate() if each.name.startswith("treadle-webgpu")]
    ours = [each for each in named if "-host-" not in each.name]
    usual = os.getpriority(os.PRIO_PROCESS, threading.main_thread().native_id)
    assert {os.getpriority(os.PRIO_PROCESS, each.native_id) for each in ours} <= {usual}
