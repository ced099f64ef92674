"""Runs again: the buffers of a pipeline claimed as one, until somebody else comes to them."""

from __future__ import annotations

import gc
import weakref

import pytest

import treadle
from runtime.shared import plus, ready_device, times, vector
from treadle.runtime import observe
from treadle.runtime.command import Command
from treadle.runtime.hazards import before_read

KINDS = {
    "signals": {},
    "polled": {"signals": False},
    "ordered": {"ordered": True, "lanes": 2},
    "like CUDA": {"ordered": True, "lanes": 2, "signals": False},
}


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def kind(request):
    device, backend = ready_device(**request.param)
    yield device, backend
    device.close()


def warm(device, backend, *, in_place=False):
    """a -> b -> c, or a onto itself; has run before, so that its next run claims its buffers."""
    a, b, c = vector(device, 1, 2), vector(device, 0, 0), vector(device, 0, 0)
    p = treadle.pipeline(device, name="warm")
    if in_place:
        p.add(times, a, a, k=2.0)
    else:
        p.add(times, a, b, k=2.0).barrier().add(times, b, c, k=10.0)
    for _ in range(2):  # the first one waits for its plan
        command = p.submit()
        backend.expect(1)
        backend.complete()
        command.wait()
    if in_place:
        a.write([2.0, 4.0])
    return p, (a, b, c)


def claim(buffer):
    """The claim that a buffer is part of, if any."""
    found = buffer._storage.claim
    return None if found is None else found()


def test_a_run_again_leaves_one_note_for_all_buffers(kind):
    device, backend = kind
    p, (a, b, c) = warm(device, backend)
    run = p.submit()
    assert run.status == "running"
    found = claim(a)
    assert found is not None
    assert claim(b) is claim(c) is found
    assert list(found.runs.values()) == [run]
    for buffer in (a, b, c):
        assert not buffer._storage.readers
        assert not buffer._storage.writers
        assert buffer._storage.busy
    backend.complete()
    run.wait()
    assert not found.runs
    assert found.live
    assert not a._storage.busy
    again = p.submit()
    assert claim(a) is found
    backend.complete()
    assert again.wait().output.read_list() == [20.0, 40.0]
    assert claim(c) is None  # the host has read it


def test_runs_follow_each_other(kind):
    device, backend = kind
    p, (a, _, _) = warm(device, backend, in_place=True)
    runs = [p.submit() for _ in range(4)]
    assert list(claim(a).runs.values()) == runs
    assert len([launch for launch in backend.pending if launch.startable]) == 1
    for k, run in enumerate(runs):
        backend.expect(1)
        backend.complete()
        run.wait()
        assert [r.done() for r in runs] == [j <= k for j in range(4)]
    assert a.read_list() == [32.0, 64.0]


def test_who_comes_after_a_run_waits_for_it(kind):
    device, backend = kind
    p, (a, b, c) = warm(device, backend)
    first, second = p.submit(), p.submit()
    reader = device.submit(plus, [c, c], c)
    writer = device.submit(times, [b], a, k=1.0)
    assert claim(a) is claim(c) is None
    assert [len(s._storage.writers) for s in (a, b, c)] == [1, 2, 3]
    third = p.submit()  # an ordinary one, since others are there
    for command in (first, second, reader, writer, third):
        while not command.done():
            backend.expect(1)
            backend.complete()
            command.wait()
    assert c.read_list() == [40.0, 80.0]
    assert a.read_list() == [2.0, 4.0]
    last = p.submit()
    assert claim(b).runs
    backend.complete()
    last.wait()


def test_the_host_waits_for_a_run(manual):
    device, backend = manual
    p, (_, _, c) = warm(device, backend)
    c.write([0.0, 0.0])
    run = p.submit()
    turn = Command(device.queue, "read", None, 0)
    needs: dict[treadle.Command, bool] = {}
    # Entering would block: what it waits for is asked instead.
    before_read(c._storage, c._low, c._high, turn, needs)
    assert needs == {run: True}
    backend.complete()
    assert c.read_list() == [20.0, 40.0]


def test_a_run_that_fails_spoils_what_it_was_to_write(kind):
    device, backend = kind
    p, (_, b, c) = warm(device, backend)
    run = p.submit()
    backend.fail(1, ValueError("boom"), step=1)
    with pytest.raises(treadle.CommandFailed, match=r"stage 3 of 3 \(times\).*boom"):
        run.wait()
    assert claim(c) is None
    assert b.read_list() == [2.0, 4.0]
    with pytest.raises(treadle.CommandFailed, match="boom"):
        c.read()
    again = p.submit()
    backend.complete()
    assert again.wait().output.read_list() == [20.0, 40.0]


def test_runs_that_read_what_a_failed_one_wrote_fail_with_it(kind):
    device, backend = kind
    p, (a, _, _) = warm(device, backend, in_place=True)
    runs = [p.submit() for _ in range(3)]
    backend.fail(1, ValueError("boom"))
    backend.complete_all()  # where order is the device's, all were launched
    for run in runs:
        with pytest.raises(treadle.CommandFailed, match="boom"):
            run.wait()
    with pytest.raises(treadle.CommandFailed, match="boom"):
        a.read()


def test_runs_that_do_not_read_it_go_on(kind):
    device, backend = kind
    p, (_, _, c) = warm(device, backend)
    first, second = p.submit(), p.submit()
    backend.fail(1, ValueError("boom"))
    with pytest.raises(treadle.CommandFailed, match="boom"):
        first.wait()
    backend.expect(1)
    backend.complete()
    assert second.wait().output.read_list() == [20.0, 40.0]
    assert c.read_list() == [20.0, 40.0]


def test_a_run_that_is_cancelled_keeps_the_order_of_others(manual):
    device, backend = manual
    p, (a, _, _) = warm(device, backend, in_place=True)
    runs = [p.submit() for _ in range(3)]
    assert runs[1].cancel()
    assert claim(a) is None
    assert runs[2].status == "failed"  # it was to read what the second one does not write
    backend.complete()
    assert runs[0].wait().status == "completed"
    assert p.submit().status == "failed"  # what the third one was to write is spoilt
    a.write([1.0, 2.0])
    last = p.submit()
    backend.complete()
    assert last.wait().output.read_list() == [2.0, 4.0]


def test_a_freed_buffer_is_refused_and_kept_while_it_is_used(kind):
    device, backend = kind
    p, (_, b, c) = warm(device, backend)
    before = device.memory_in_use
    run = p.submit()
    b.free()
    assert device.memory_in_use == before
    with pytest.raises(treadle.BufferFreed, match="pipeline 'warm'"):
        p.submit()
    backend.complete()
    assert run.wait().output.read_list() == [20.0, 40.0]
    assert device.memory_in_use < before
    with pytest.raises(treadle.BufferFreed):
        p.submit()
    assert c.read_list() == [20.0, 40.0]


def test_freed_between_runs_gives_its_bytes_back_at_once(kind):
    device, backend = kind
    p, (_, b, _) = warm(device, backend)
    run = p.submit()
    backend.complete()
    run.wait()
    before = device.memory_in_use
    b.free()
    assert device.memory_in_use < before
    with pytest.raises(treadle.BufferFreed):
        p.submit()


def test_a_freed_view_is_refused(manual):
    device, backend = manual
    a = vector(device, 1, 2, 3, 4)
    view, other, out = a[1:3], a[0:2], vector(device, 0, 0)
    p = treadle.pipeline(device).add(times, view, out, k=2.0)
    for _ in range(3):
        run = p.submit()
        backend.expect(1)
        backend.complete()
        run.wait()
    assert claim(out).live
    other.free()  # not one of the pipeline's
    run = p.submit()
    backend.complete()
    assert run.wait().output.read_list() == [4.0, 6.0]
    run = p.submit()
    backend.complete()
    run.wait()
    view.free()
    with pytest.raises(treadle.BufferFreed):
        p.submit()
    assert a.read_list() == [1.0, 2.0, 3.0, 4.0]


def test_two_pipelines_take_turns_with_what_they_share(kind):
    device, backend = kind
    p, (_, b, c) = warm(device, backend)
    q = treadle.pipeline(device).add(times, c, b, k=3.0)
    run = q.submit()
    backend.expect(1)
    backend.complete()
    run.wait()
    first, second = p.submit(), q.submit()
    assert len([launch for launch in backend.pending if launch.startable]) == 1
    for run in (first, second):
        backend.expect(1)
        backend.complete()
        run.wait()
    assert b.read_list() == [60.0, 120.0]


def test_limits_barriers_and_traces_go_the_ordinary_way(manual):
    device, backend = manual
    p, (a, _, c) = warm(device, backend)
    run = p.submit()
    barrier = device.barrier()
    behind = p.submit()
    assert behind.status == "pending"
    backend.complete()
    run.wait()
    assert barrier.done()
    backend.complete()
    behind.wait()
    device.max_bytes_in_flight = 10
    run = p.submit()
    with pytest.raises(treadle.QueueFull):
        p.submit()
    device.max_bytes_in_flight = None
    backend.complete()
    run.wait()
    with treadle.trace() as trace:
        run = p.submit()
        assert claim(a) is None or not claim(a).runs
        backend.complete()
        run.wait()
    assert [record.label for record in trace.records] == ["warm"]
    device.max_in_flight = 1
    run = p.submit()
    with pytest.raises(treadle.QueueFull):
        p.submit()
    backend.complete()
    run.wait()
    assert c.read_list() == [20.0, 40.0]


def test_a_claim_keeps_nothing_alive(manual):
    device, backend = manual
    p, buffers = warm(device, backend)
    run = p.submit()
    backend.complete()
    run.wait()
    seen = weakref.ref(claim(buffers[0]))
    storage = buffers[0]._storage
    before = device.memory_in_use
    gc.collect()
    gc.disable()
    try:
        del p, run
        assert seen() is None
        assert not storage.busy
        del buffers, storage
        assert device.memory_in_use < before
    finally:
        gc.enable()


def test_streams_are_told_of_runs_again(kind):
    device, backend = kind
    p, _ = warm(device, backend)
    noted: list[weakref.ref[treadle.Command]] = []
    observe.attend(p, True)
    try:
        with observe.noting(noted):
            run = p.submit()
    finally:
        observe.attend(p, False)
    assert claim(run.output).runs
    assert [reference() for reference in noted] == [run]
    backend.complete()
    run.wait()


def test_the_line_that_submitted_a_run_again_is_known(kind):
    device, backend = kind
    p, _ = warm(device, backend)
    lines = []
    for _ in range(2):
        run = p.submit()
        lines.append(run.submitted_at)
        backend.complete()
        run.wait()
    assert lines[0] == lines[1]
    assert lines[0].startswith(__file__)
