"""Pipelines that fail, are cancelled, freed or out of room."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import treadle
from runtime.shared import shifted, times, vector
from runtime.test_pipeline import chain, settle
from treadle.testing import manual_device

# Failure.


def test_a_failing_stage_names_itself_and_the_rest_does_not_run(manual):
    device, backend = manual
    p, (_, b, c, d) = chain(device)
    settle(backend, p.submit())
    a = vector(device, 9)
    d.write([0.0, 0.0, 0.0])
    run, reader = p.submit(), device.submit(times, [d], k=1.0)
    backend.fail(backend.pending[0], ValueError("boom"), step=1)
    with pytest.raises(treadle.CommandFailed) as caught:
        run.wait(0)
    text = str(caught.value)
    for part in ("chain", "stage 3 of 5 (shifted)", "group 2 of 3", "boom", run.submitted_at):
        assert part in text
    assert reader.status == "failed"
    assert b.read_list() == [2.0, 4.0, 6.0]  # what a completed stage wrote can be read
    for spoilt in (c, d):
        with pytest.raises(treadle.CommandFailed):
            spoilt.read()
    again = p.submit()  # and the pipeline goes on
    backend.complete()
    assert again.wait(0).output.read_list() == [6.0, 10.0, 12.0]
    assert c.read_list() == [4.0, 6.0, 6.0]
    del a


def test_a_failure_without_a_stage_spoils_everything(manual):
    device, backend = manual
    p, (_, b, _, d) = chain(device)
    settle(backend, p.submit())
    run = p.submit()
    backend.fail(1, ValueError("boom"))
    assert "stage" not in str(run.error)
    for spoilt in (b, d):
        with pytest.raises(treadle.CommandFailed):
            spoilt.read()
    settle(backend, p.submit())
    assert d.read_list() == [6.0, 10.0, 12.0]


def test_what_overlaps_a_later_stage_is_not_complete(manual):
    device, backend = manual
    x, y = device.buffer_zeros(4), vector(device, 1, 2)
    p = treadle.pipeline(device)
    p.add(times, y, x[0:2]).barrier().add(times, y, x[1:3]).barrier().add(times, y, x[2:4])
    settle(backend, p.submit())
    p.submit()
    backend.fail(1, ValueError("boom"), step=1)
    assert x[0:1].read_list() == [2.0]
    for spoilt in (x[1:2], x[2:3], x[3:4]):
        with pytest.raises(treadle.CommandFailed):
            spoilt.read()


def test_a_kernel_that_does_not_compile_fails_the_run_and_is_tried_again():
    device, backend = manual_device()
    with device:
        p, (_, _, _, d) = chain(device, name="refused")
        backend.refused["shifted"] = treadle.CompileError("no")
        with pytest.raises(treadle.CommandFailed, match="no"):
            p.submit().wait()
        backend.refused.clear()
        settle(backend, p.submit())
        assert d.read_list() == [6.0, 10.0, 12.0]


def test_it_fails_with_what_it_reads(manual):
    device, backend = manual
    p, (a, _, _, _) = chain(device)
    settle(backend, p.submit())
    device.submit(times, [a], a)
    run = p.submit()
    backend.fail(1, ValueError("boom"))
    assert run.status == "failed"
    assert "did not run" in str(run.error)
    a.write([1.0, 1.0, 1.0])
    again = settle(backend, p.submit())
    assert again.output.read_list() == [4.0, 4.0, 4.0]


def test_cancel(manual):
    device, backend = manual
    p, (a, _, _, d) = chain(device)
    settle(backend, p.submit())
    d.write([0.0, 0.0, 0.0])
    device.submit(times, [a], a)
    run = p.submit()
    assert run.cancel()
    assert run.status == "cancelled"
    backend.complete_all()
    assert d.read_list() == [0.0, 0.0, 0.0]
    started = p.submit()
    assert not started.cancel()
    backend.complete_all()
    assert started.wait(0).status == "completed"


# Letting go.


def test_use_after_free(inline):
    p, (a, _, _, _) = chain(inline)
    p.run()
    with p:
        pass
    for use in (
        p.run, p.submit, p.barrier, p.plan, lambda: p.add(times, a), lambda: p.temp(2),
        lambda: p.set(0, k=1.0), lambda: p.bind(), lambda: p.buffer("a", a),
    ):  # fmt: skip
        with pytest.raises(treadle.TreadleError, match=r"after free"):
            use()
    p.free()
    assert repr(p) == "<treadle.Pipeline chain freed on manual>"
    assert (p.valid, p.stage_count) == (False, 0)


def test_free_while_in_flight(manual):
    device, backend = manual
    x, out = vector(device, 1, 2, 3), device.buffer_zeros(3)
    p = treadle.pipeline(device)
    p.add(shifted, x).barrier().add(shifted, p.last, out)
    settle(backend, p.submit())
    run = p.submit()
    p.free()
    x.free()
    backend.complete()
    assert run.wait(0).output.read_list() == [3.0, 3.0, 3.0]


def test_a_freed_buffer_is_noticed_at_submit(inline):
    p, (_, b, _, _) = chain(inline)
    p.run()
    b.free()
    with pytest.raises(treadle.BufferFreed, match=r"chain.*after free"):
        p.run()


def test_nothing_is_kept_alive(make_manual):
    device, backend = make_manual(inline=True)
    gc.collect()
    before = backend.live_memory
    p, buffers = chain(device)
    p.run()
    command = p.submit()
    del p, buffers
    device._compiler._planned.clear()
    gc.collect()
    assert backend.live_memory - before == 3 * 4  # the command's output
    assert command.output.read_list() == [6.0, 10.0, 12.0]


def test_a_full_queue(manual):
    device, backend = manual
    p, _ = chain(device)
    settle(backend, p.submit())
    device.max_in_flight = 1
    p.submit()
    with pytest.raises(treadle.QueueFull):
        p.submit()
    backend.complete()


def test_module_functions(inline):
    x, out = vector(inline, 1, 2), inline.empty(2)
    with treadle.use_device(inline):
        p = treadle.pipeline(name="small")
    assert p.device is inline
    assert treadle.pipeline_run(treadle.pipeline_add(p, times, x, out)) is out
    treadle.pipeline_free(p)
    assert not p.valid
    assert np.array_equal(out.to_numpy(), [2.0, 4.0])
