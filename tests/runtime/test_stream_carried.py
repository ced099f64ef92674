"""Arrays that the device carries by itself: nobody of the host's waits between a batch's parts."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import treadle
from runtime.played import PATIENCE, Loop, assert_nothing_left, batch
from runtime.shared import ready_device, times
from treadle.runtime import poller as pollers


@pytest.fixture(params=[True, False], ids=["signals", "polled"])
def carrying(request):
    device, backend = ready_device(shared=False, ordered=True, carries=True, signals=request.param)
    yield device, backend
    device.close()


def test_kernels_and_copies_are_launched_behind_each_other(carrying):
    device, backend = carrying
    target, out = device.empty(3), np.zeros(3, np.float32)
    up = device.upload(target, batch(1.0))
    run = device.submit(times, [target], k=3.0)
    down = device.download(run.output, out)
    first, second, third = backend.pending  # all of them, and nothing has ended
    assert [launch.kernels for launch in backend.pending] == [["upload"], ["times"], ["download"]]
    assert (first.after, second.after, third.after) == ((), (first,), (second,))
    assert up.times is None
    backend.complete_all()
    assert down.wait().output is out
    assert out.tolist() == [3.0, 3.0, 3.0]
    assert run.times is None  # nobody traced it
    assert up.times[1] <= down.times[0]
    assert up.wait().output is target


def test_an_upload_waits_for_who_still_reads_the_buffer(carrying):
    device, backend = carrying
    target = device.buffer(batch(1.0))
    run = device.submit(times, [target])
    again = device.upload(target, batch(5.0))
    reading, writing = backend.pending
    assert writing.after == (reading,)
    backend.complete_all()
    again.wait()
    assert run.wait().output.to_numpy().tolist() == [2.0, 2.0, 2.0]
    assert target.to_numpy().tolist() == [5.0, 5.0, 5.0]


def test_whole_batches_are_launched_before_the_first_has_ended(carrying):
    device, backend = carrying
    loop = Loop(treadle.stream([batch(n) for n in range(5)], compute=times, device=device))
    launches = backend.expect(9)  # three batches: up, through and down
    assert [launch.kernels for launch in launches] == [["upload"], ["times"], ["download"]] * 3
    for n in range(0, 9, 3):
        up, run, down = launches[n : n + 3]
        assert (run.after, down.after) == ((up,), (run,))
        assert not any(other in launches for other in up.after)  # nor behind another batch
    for _ in range(15):
        backend.expect(1)
        backend.complete()
    assert [r[0] for r in loop.end()] == [0.0, 2.0, 4.0, 6.0, 8.0]
    del launches, up, run, down  # they know their commands
    assert_nothing_left(device, backend)


def test_a_failed_upload_fails_what_follows(carrying):
    device, backend = carrying
    target = device.empty(3)
    up = device.upload(target, batch(1.0))
    down = device.download(device.submit(times, [target]).output)
    backend.fail(1, RuntimeError("lost on the way"))
    backend.complete_all()
    with pytest.raises(treadle.CommandFailed, match=r"upload on manual.*lost on the way"):
        up.wait()
    with pytest.raises(treadle.CommandFailed, match="what it reads failed"):
        down.wait()


def test_copies_are_neither_counted_nor_paused_with_launches(carrying):
    device, backend = carrying
    device.max_running = 1
    target, other = device.empty(3), device.empty(3)
    device.upload(target, batch(1.0))
    run = device.submit(times, [target])
    device.upload(other, batch(1.0))
    blocked = device.submit(times, [other])
    assert [launch.kernels for launch in backend.pending] == [["upload"], ["times"], ["upload"]]
    backend.complete_all()
    run.wait()
    while not blocked.done():
        backend.complete_all()


def test_a_trace_knows_copies_by_their_names(carrying):
    device, backend = carrying
    with treadle.trace() as trace:
        loop = Loop(treadle.stream([batch(1.0)], compute=times, device=device))
        backend.expect(3)
        backend.complete_all()
        loop.end()
    commands = [(r.kind, r.label, r.start, r.stop) for r in trace.records if r.kind != "phase"]
    assert [name for _, name, _, _ in commands] == ["upload", "times", "download"]
    assert [kind for kind, _, _, _ in commands] == ["transfer", "command", "transfer"]
    assert [stop - start for _, _, start, stop in commands] == [1000] * 3


def test_what_is_launched_late_is_looked_for_if_somebody_waited_before(monkeypatch):
    # A thread of the host's copies, so the kernel is launched when its upload has ended, long after
    # somebody began to wait for its result. The poller has to know even so.
    device, backend = ready_device(shared=False, ordered=True, signals=False)
    go, write = threading.Event(), backend.write
    pauses: list[tuple[str, float]] = []
    looked = threading.Semaphore(0)
    doze = pollers.Poller._doze

    def noted(self, pause):
        for command, _ in list(self._watched.values()):
            pauses.append((command.kernel, pause))
            looked.release()
        doze(self, pause)

    def slow(region, data):
        assert go.wait(PATIENCE)
        write(region, data)

    monkeypatch.setattr(pollers.Poller, "_doze", noted)
    monkeypatch.setattr(backend, "write", slow)
    other = device.submit("neg", [device.empty(3)])  # something to look for meanwhile
    target = device.empty(3)
    device.upload(target, batch(1.0))
    down = device.download(device.submit(times, [target]).output)
    waiting = threading.Thread(target=down.wait)
    waiting.start()
    backend.expect(1)
    while not pauses or device.queue.poller._wanted:
        assert looked.acquire(timeout=PATIENCE)
    backend.complete()
    other.wait()
    go.set()
    backend.expect(1)
    while pauses[-1][0] != "times":
        assert looked.acquire(timeout=PATIENCE)
    backend.complete()
    waiting.join(PATIENCE)
    assert max(pause for kernel, pause in pauses if kernel == "times") <= pollers._LONGEST
    assert down.output.tolist() == [2.0, 2.0, 2.0]
    device.close()
