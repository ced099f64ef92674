"""Failure: provenance, propagation along data, poison and healing."""

from __future__ import annotations

import contextlib
import gc
import traceback

import pytest

import treadle
from runtime.shared import plus, shifted, times, twice_shifted, vector


def failed(command):
    with pytest.raises(treadle.CommandFailed) as caught:
        command.wait(0)
    return caught.value


def test_the_error_names_kernel_device_and_line(manual):
    device, backend = manual
    command = device.submit(times, [vector(device, 1, 2)])
    backend.fail(1, ValueError("boom"))
    assert command.status == "failed"
    error = failed(command)
    for part in ("times", "manual", "boom", command.submitted_at, str(command.id)):
        assert part in str(error)
    assert isinstance(error.__cause__, ValueError)
    assert str(command.error) == str(command.exception()) == str(error)


def test_the_error_names_the_stage_where_there_are_several(manual):
    device, backend = manual
    command = device.submit(twice_shifted, [vector(device, 1, 2)])
    backend.expect(1)
    backend.fail(1, ValueError("boom"), step=1)
    assert "stage 2 of 2 (shifted)" in str(failed(command))


def test_raising_again_and_again_does_not_grow(manual):
    device, backend = manual
    command = device.submit(times, [vector(device, 1, 2)])
    backend.fail(1, ValueError("boom"))
    depths = []
    for _ in range(3):
        error = failed(command)
        depths.append(len(traceback.extract_tb(error.__traceback__)))
    assert len(set(depths)) == 1
    assert command.error is not command.error


def test_what_a_backend_raises_is_kept_without_its_frames(make_manual):
    device, backend = make_manual(inline=True)
    backend._perform = lambda step, index: 1 / 0
    command = device.submit(times, [vector(device, 1, 2)])
    error = failed(command)
    assert isinstance(error.__cause__, ZeroDivisionError)
    assert error.__cause__.__traceback__ is None
    assert "_perform" in "".join(error.__cause__.__notes__)  # but where it happened can be read


def test_launch_itself_may_raise(manual, monkeypatch):
    device, _ = manual
    monkeypatch.setattr(device.queue, "_launch_on", lambda *a, **k: 1 / 0)
    a = vector(device, 1, 2)
    command = device.submit(times, [a], a)
    assert isinstance(failed(command).__cause__, ZeroDivisionError)
    assert device.in_flight == 0


def test_an_interrupt_in_launch_reaches_the_caller_and_loses_nothing(manual, monkeypatch):
    device, _ = manual

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(device.queue, "_launch_on", interrupted)
    a = vector(device, 1, 2)
    with pytest.raises(KeyboardInterrupt):
        device.submit(times, [a], a)
    assert device.in_flight == 0


def test_readers_fail_with_it_and_never_run(manual):
    device, backend = manual
    a, b = vector(device, 1, 2), device.empty(2)
    first = device.submit(times, [a], b)
    second = device.submit(times, [b])
    third = device.submit(times, [second.output])
    unrelated = device.submit(times, [a])
    backend.fail(backend.pending[0], ValueError("boom"))
    assert [c.status for c in (first, second, third, unrelated)] == ["failed"] * 3 + ["running"]
    error = failed(third)
    assert "did not run" in str(error)
    cause = error.__cause__
    assert isinstance(cause, treadle.CommandFailed)
    assert first.submitted_at in str(cause)
    assert isinstance(cause.__cause__, ValueError)
    backend.complete()
    assert backend.pending == []
    assert unrelated.wait().output.read_list() == [2.0, 4.0]


def test_a_long_chain_fails_with_messages_of_one_size(manual):
    device, backend = manual
    a = vector(device, 1, 2)
    commands = [device.submit(times, [a], a) for _ in range(2000)]
    backend.fail(1, ValueError("boom"))
    assert {str(command.status) for command in commands} == {"failed"}
    assert len(str(commands[-1].error)) < 2 * len(str(commands[1].error))
    assert device.in_flight == 0


def test_later_writers_only_keep_the_order(manual):
    device, backend = manual
    a, b, c = vector(device, 1, 2), vector(device, 5, 6), device.empty(2)
    device.submit(times, [a], c)
    over = device.submit(times, [b], c)
    reader = device.submit(times, [c])
    backend.fail(1, ValueError("boom"))
    backend.complete_all()
    assert over.wait().status == "completed"
    assert reader.wait().output.read_list() == [20.0, 24.0]
    assert c.read_list() == [10.0, 12.0]


def test_a_failed_reader_does_not_stop_a_writer(manual):
    device, backend = manual
    a, b = vector(device, 1, 2), vector(device, 5, 6)
    device.submit(times, [a])
    writer = device.submit(times, [b], a)
    backend.fail(1)
    backend.complete()
    assert writer.wait().output.read_list() == [10.0, 12.0]


def test_what_a_failed_command_was_to_write_is_poisoned_until_overwritten(manual):
    device, backend = manual
    a, b = vector(device, 1, 2), device.empty(2)
    device.submit(times, [a], b)
    backend.fail(1, ValueError("boom"))
    for access in (b.read, b.to_numpy, b.read_list, b.read_binary, b.__array__, b.__dlpack__):
        with pytest.raises(treadle.CommandFailed, match="boom") as caught:
            access()
        assert isinstance(caught.value.__cause__, treadle.CommandFailed)
    reader = device.submit(times, [b])
    assert "boom" in str(failed(reader))
    with pytest.raises(treadle.CommandFailed):  # and what that was to write as well
        reader.output.read()
    device.submit(times, [a], b)
    backend.complete()
    assert b.read_list() == [2.0, 4.0]
    assert b._storage.poison is None


def test_a_write_by_the_host_heals(manual):
    device, backend = manual
    b = device.empty(2)
    device.submit(times, [vector(device, 1, 2)], b)
    backend.fail()
    b.write([8, 9])
    assert b.read_list() == [8.0, 9.0]


def test_in_place_work_on_poisoned_bytes_fails(manual):
    device, backend = manual
    a = vector(device, 1, 2)
    device.submit(times, [a], a)
    backend.fail()
    assert device.submit(times, [a], a).status == "failed"


def test_poison_and_healing_go_by_bytes(manual):
    device, backend = manual
    a, b = vector(device, 1, 2), vector(device, 0, 0, 0, 0)
    device.submit(times, [a], b[:2])
    backend.fail()
    assert b[2:].read_list() == [0.0, 0.0]
    with pytest.raises(treadle.CommandFailed):
        b.read()
    device.submit(times, [a[:1]], b[:1])
    backend.expect(1)
    backend.complete()
    assert b[:1].read_list() == [2.0]
    with pytest.raises(treadle.CommandFailed):
        b[1:2].read()
    b[1:].write([5, 6, 7])
    assert b.read_list() == [2.0, 5.0, 6.0, 7.0]


def test_a_pending_overwrite_hides_poison_below_it(manual):
    device, backend = manual
    a, b, c = vector(device, 1, 2), vector(device, 3, 4), device.empty(2)
    device.submit(times, [a], c)
    blocker = device.submit(times, [b], b)
    over = device.submit(times, [b], c)
    backend.fail(1, ValueError("boom"))
    reader = device.submit(times, [c])  # will read what `over` writes
    assert (over.status, reader.status) == ("pending", "pending")
    backend.complete_all()
    assert blocker.status == over.status == "completed"
    assert reader.wait().output.read_list() == [24.0, 32.0]


def test_an_older_write_that_ends_later_does_not_heal(manual):
    device, backend = manual
    a, b, c = vector(device, 1, 2), device.empty(2), device.empty(2)
    older = device.submit(times, [a], c)
    broken = device.submit(times, [a], b)
    newer = device.submit(times, [b], c)  # waits for both, fails with `broken`
    backend.fail(backend.pending[1], ValueError("boom"))
    assert (older.status, broken.status, newer.status) == ("running", "failed", "failed")
    backend.complete()
    assert older.status == "completed"
    with pytest.raises(treadle.CommandFailed, match="boom"):
        c.read()


def test_a_dependent_that_failed_early_keeps_the_order(manual):
    device, backend = manual
    a, b, c = vector(device, 1, 2), device.empty(2), vector(device, 7, 7)
    reader = device.submit(times, [c])
    device.submit(times, [a], b)
    doomed = device.submit(times, [b], c)  # after the reader, and after what fails
    last = device.submit(times, [a], c)  # after `doomed`
    backend.fail(backend.pending[1])
    assert (doomed.status, last.status) == ("failed", "pending")
    backend.complete()
    assert (reader.status, last.status) == ("completed", "running")
    assert reader.output.read_list() == [14.0, 14.0]


def test_those_that_were_to_read_a_cancelled_result_fail(manual):
    device, backend = manual
    a, b = vector(device, 1, 2), vector(device, 7, 7)
    device.submit(times, [a], a)
    cancelled = device.submit(times, [a], b)
    reader = device.submit(times, [b])
    cancelled.cancel()
    error = failed(reader)
    assert isinstance(error.__cause__, treadle.CommandCancelled)
    later = device.submit(times, [b])  # the old contents are good
    backend.complete_all()
    assert later.wait().output.read_list() == [14.0, 14.0]
    assert b.read_list() == [7.0, 7.0]


def test_a_host_read_of_what_fails_meanwhile_raises(manual):
    import threading

    device, backend = manual
    a = vector(device, 1, 2)
    device.submit(times, [a], a)
    errors = []

    def read():
        try:
            a.read()
        except treadle.CommandFailed as error:
            errors.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    while not a._storage.readers:
        pass
    backend.fail(1, ValueError("boom"))
    thread.join()
    assert "boom" in str(errors[0])
    assert not a._storage.readers


def test_scratch_of_failed_work_is_given_back(manual):
    device, backend = manual
    a = vector(device, 1, 2, 3)
    before = device.memory_in_use
    device.submit(shifted, [a], a)
    waiting = device.submit(shifted, [a], a)
    assert device.memory_in_use == before + 2 * a.size
    waiting.cancel()
    backend.fail()
    assert device.memory_in_use == before


def test_errors_make_no_cycles(manual):
    device, backend = manual
    a = vector(device, 1, 2)
    gc.collect()
    gc.disable()
    try:
        for _ in range(10):
            first = device.submit(plus, [a, a])
            second = device.submit(times, [first.output])
            backend.fail()
            for command in (first, second):
                with contextlib.suppress(treadle.CommandFailed):
                    command.wait(0)
            del first, second, command
        assert gc.collect() == 0
    finally:
        gc.enable()
