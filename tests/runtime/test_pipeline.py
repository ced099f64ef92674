"""Pipelines: recording, one command for a run, order, reuse, scratch, what is refused."""

from __future__ import annotations

import asyncio
import copy
import pickle
import threading

import numpy as np
import pytest

import treadle
from runtime.shared import both, plus, shifted, times, twice_shifted, vector
from treadle.backends.reference import ReferenceBackend
from treadle.lang import registry, structure
from treadle.lang.lower import lower
from treadle.runtime import prepared
from treadle.runtime.device import Device
from treadle.testing import manual_device


def chain(device, *, name="chain", size=3):
    """times(2), shifted, plus: over buffers a -> b -> c -> d, so that nothing may be fused away."""
    a = device.buffer([float(k + 1) for k in range(size)])
    b, c, d = (device.buffer_zeros(size) for _ in range(3))
    p = treadle.pipeline(device, name=name)
    p.add(times, [a], b, k=2.0).barrier().add(shifted, b, c).barrier().add(plus, [b, c], d)
    return p, (a, b, c, d)


def settle(backend, command):
    """Complete whatever a command needs, its compilation included."""
    while not command.done():
        backend.expect(1)
        backend.complete()
    return command


def test_forms_of_add(inline):
    a, out = vector(inline, 1, 2), inline.empty(2)
    spec = {"op": "run_kernel", "kernel": "times", "inputs": [a], "output": out}
    for add, expected in [
        (lambda p: p.add(spec), 2),
        (lambda p: p.add({**spec, "params": {"k": 3}}), 3),
        (lambda p: p.add({"kernel": times, "input": a, "output": out, "params": {"k": 4}}), 4),
        (lambda p: p.add("times", [a], out, k=5), 5),
        (lambda p: p.add(times, (a,), out, {"k": 6}), 6),
        (lambda p: p.run_kernel(times, a, out, {"k": 6}, k=7), 7),
        (lambda p: treadle.pipeline_add(p, "times", a, out, k=8), 8),
        (lambda p: p.add("times", a, k=8).add({"op": "copy_buffer", "input": p.last,
                                               "output": out}).add({"op": "barrier"}), 8),
    ]:  # fmt: skip
        p = treadle.pipeline(inline)
        assert add(p) is p
        assert p.run() is out
        assert out.read_list() == [expected, 2 * expected]


def test_a_run_is_one_command_with_one_launch(manual):
    device, backend = manual
    p, (_, _, c, d) = chain(device)
    command = settle(backend, p.submit())
    assert command.output is d
    backend.compiled.clear()
    again = p.submit()
    assert again.status == "running"
    assert [launch.kernels for launch in backend.pending] == [["times", "shifted", "plus"]]
    backend.complete()
    assert again.wait(0).output.read_list() == [6.0, 10.0, 12.0]
    assert c.read_list() == [4.0, 6.0, 6.0]
    assert backend.compiled == []


def test_runs_keep_their_place_among_other_commands(manual):
    device, backend = manual
    p, (a, b, _, d) = chain(device)
    settle(backend, p.submit())
    before = device.submit(times, [a], a, k=10.0)
    run = p.submit()
    after = device.submit(times, [d], k=1.0)
    unrelated = device.submit(times, [vector(device, 1)])
    assert [c.status for c in (before, run, after, unrelated)] == [
        "running", "pending", "pending", "running",
    ]  # fmt: skip
    backend.complete_all()
    assert after.wait(0).output.read_list() == [60.0, 100.0, 120.0]
    assert b.read_list() == [20.0, 40.0, 60.0]


def test_runs_of_the_same_pipeline_follow_each_other(manual):
    device, backend = manual
    x = vector(device, 1, 2)
    p = treadle.pipeline(device).add(times, x, x, k=3.0)
    settle(backend, p.submit())
    commands = [p.submit() for _ in range(3)]
    assert len(backend.pending) == 1
    backend.complete_all()
    assert {str(command.status) for command in commands} == {"completed"}
    assert x.read_list() == [81.0, 162.0]


def test_submit_does_not_wait_for_the_compiler():
    device, backend = manual_device(hold_compiles=True)
    with device:
        p, (_, _, _, d) = chain(device, name="held")
        first, second = p.submit(), p.submit()
        assert (first.status, second.status) == ("pending", "pending")
        backend.release_compiles(100)
        settle(backend, first)
        settle(backend, second)
        assert d.read_list() == [6.0, 10.0, 12.0]


def test_it_can_be_awaited_and_submitted_by_mapping(inline):
    p, (_, _, _, d) = chain(inline)

    async def main():
        assert await p.submit(priority="interactive") is d
        assert await inline.submit({"op": "run_pipeline", "pipeline": p}) is d

    asyncio.run(main())
    assert d.read_list() == [6.0, 10.0, 12.0]


def test_in_place_composites_and_several_outputs(inline):
    x, s, d = vector(inline, 1, 2, 3), inline.empty(3), inline.empty(3)
    p = treadle.pipeline(inline)
    p.add(shifted, x, x).add(twice_shifted, x, x).add(both, [x, x], [s, d])
    assert p.last == (s, d)
    assert p.run() == (s, d)
    assert (x.read_list(), s.read_list(), d.read_list()) == ([3.0] * 3, [6.0] * 3, [0.0] * 3)


@treadle.composite
def early_and_late(x):
    """Writes one output, then reads its input again for the other."""
    first = shifted(x)
    return first, plus(x, shifted(first))


def test_a_composite_may_write_what_it_reads_later(inline):
    x, other = vector(inline, 1, 2, 3), inline.empty(3)
    treadle.pipeline(inline).add(early_and_late, x, [x, other]).run()
    assert x.read_list() == [2.0, 3.0, 3.0]
    assert other.read_list() == [1 + 3.0, 2 + 3.0, 3 + 3.0]


def test_views_of_one_buffer(inline):
    x = vector(inline, 1, 2, 3, 4, 5)
    p = treadle.pipeline(inline)
    p.add(times, x[0:3], x[1:4], k=10.0)  # overlaps
    p.copy_buffer(x[1:3], x[3:5])
    p.add(plus, [x[0:1], x[4:5]], x[0:1])
    p.run()
    assert x.read_list() == [21.0, 10.0, 20.0, 10.0, 20.0]


def test_scratch(inline):
    x, out = vector(inline, 1, 2, 3, 4), inline.empty((2, 2))
    p = treadle.pipeline(inline)
    t = p.temp((2, 2))
    p.add(times, x.reshape(2, 2), t)
    p.copy_buffer(t.reshape(4), out)
    assert (t.shape, t.dtype, t.ndim, t.reshape(4).shape) == ((2, 2), "f32", 2, (4,))
    assert p.run().read_list() == [[2.0, 4.0], [6.0, 8.0]]
    with pytest.raises(treadle.LaunchError, match="holds 5 elements"):
        t.reshape(5)


def test_a_run_of_which_nothing_could_be_read_gives_none(inline):
    p = treadle.pipeline(inline).add(times, vector(inline, 1, 2))
    assert p.run() is None
    out = inline.empty(2)
    assert p.add(times, p.last, out).run() is out


def test_scratch_is_allocated_once_and_given_back(inline):
    x, out = vector(inline, 1, 2, 3), inline.empty(3)
    p = treadle.pipeline(inline)
    p.add(shifted, x).barrier().add(shifted, p.last).barrier().add(shifted, p.last, out)
    before = inline.memory_in_use
    p.run()
    held = inline.memory_in_use - before
    assert 0 < held <= 2 * 3 * 4
    for _ in range(5):
        p.run()
    assert inline.memory_in_use - before == held
    assert out.read_list() == [3.0, 3.0, 3.0]
    p.free()
    assert inline.memory_in_use == before


def test_a_run_over_other_buffers_does_not_wait_for_scratch(manual):
    device, backend = manual
    x, out = vector(device, 1, 2, 3), device.buffer_zeros(3)
    p = treadle.pipeline(device)
    p.add(shifted, p.buffer("x", x)).barrier().add(shifted, p.last, p.buffer("out", out))
    settle(backend, p.submit())
    before = device.memory_in_use
    y, other = vector(device, 5, 6, 7), device.buffer_zeros(3)
    added = device.memory_in_use - before
    first = p.submit()
    second = p.bind(x=y, out=other).submit()
    assert len(backend.pending) == 2  # each has scratch of its own
    assert device.memory_in_use - before - added == 3 * 4
    backend.complete_all()
    assert (first.wait(0).output, second.wait(0).output) == (out, other)
    assert (out.read_list(), other.read_list()) == ([3.0] * 3, [7.0] * 3)


def test_many_runs_in_flight_share_a_few_pieces_of_scratch(manual):
    device, backend = manual
    x, out = vector(device, 1, 2, 3), device.buffer_zeros(3)
    p = treadle.pipeline(device)
    p.add(shifted, p.buffer("x", x)).barrier().add(shifted, p.last, p.buffer("out", out))
    p.plan()  # here, and not by a thread that keeps the first run for a moment longer
    settle(backend, p.submit())
    outputs = [device.buffer_zeros(3) for _ in range(9)]
    inputs = [vector(device, k, k + 1, k + 2) for k in range(9)]
    before = device.memory_in_use
    for a, b in zip(inputs, outputs, strict=True):
        p.bind(x=a, out=b).submit()
    assert device.memory_in_use - before == 3 * 3 * 4  # one of four was there
    assert len(backend.pending) == 4
    backend.complete_all()
    assert [b.read_list() for b in outputs] == [[k + 2.0] * 3 for k in range(9)]


def test_runs_from_many_threads():
    with Device(ReferenceBackend()) as device:
        x, out = vector(device, 1, 2, 3), device.buffer_zeros(3)
        p = treadle.pipeline(device)
        p.add(shifted, x).barrier().add(shifted, p.last).barrier().add(times, p.last, out)
        gate = threading.Barrier(8)
        failed = []

        def work():
            gate.wait()
            try:
                for _ in range(20):
                    assert p.run() is out
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failed == []
        assert out.read_list() == [6.0, 6.0, 6.0]


def test_out_of_memory_for_scratch_is_raised_at_submit_and_loses_nothing(inline):
    x, out = vector(inline, 1, 2, 3), inline.empty(3)
    p = treadle.pipeline(inline)
    p.add(shifted, x).barrier().add(shifted, p.last, out)
    inline.memory_limit = inline.memory_in_use + 4
    with pytest.raises(treadle.OutOfMemory):
        p.run()
    inline.memory_limit = 1 << 20
    assert p.run().read_list() == [3.0, 3.0, 3.0]


def test_an_empty_pipeline_does_nothing(inline):
    p = treadle.pipeline(inline)
    assert p.run() is None
    assert p.barrier().run() is None
    assert p.submit().wait(0).status == "completed"


def test_empty_buffers(inline):
    x, out = inline.empty((0, 3)), inline.empty((0, 3))
    assert treadle.pipeline(inline).add(times, x, out).copy_buffer(out, x).run() is x


# What it is.


def test_stages_are_records(inline):
    p, (a, b, _, _) = chain(inline)
    assert (p.stage_count, len(p), bool(treadle.pipeline(inline))) == (5, 5, True)
    first = p.stages[0]
    assert (first.index, first.op, first.kernel, first.params) == (0, "run_kernel", "times",
                                                                  {"k": 2.0})  # fmt: skip
    assert first.inputs == (a,)
    assert first.outputs == (b,)
    assert [stage.kernel for stage in p.stages] == ["times", "barrier", "shifted", "barrier",
                                                    "plus"]  # fmt: skip
    with pytest.raises(AttributeError):
        first.index = 3
    assert repr(p) == "<treadle.Pipeline chain 5 stages on manual>"


def test_it_cannot_be_copied(inline):
    p = treadle.pipeline(inline)
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied"):
            attempt(p)


# What is refused when a stage is added.


def test_bad_stages_are_refused_and_leave_no_trace(inline):
    a, b, wide = vector(inline, 1, 2), inline.empty(2), inline.empty(3)
    p = treadle.pipeline(inline)
    freed = vector(inline, 1, 2)
    freed.free()
    other, _ = manual_device()
    foreign = vector(other, 1, 2)
    strange = treadle.pipeline(inline).temp(2)
    t = p.temp(2)
    for add, error, text in [
        (lambda: p.add("timse", a, b), treadle.LaunchError, "did you mean 'times'"),
        (lambda: p.add("times", a, b, kk=1), treadle.LaunchError, "has no parameter 'kk'"),
        (lambda: p.add(3, a, b), treadle.LaunchError, "kernel: expected"),
        (lambda: p.add("plus", a, b), treadle.LaunchError, "takes 2 inputs"),
        (lambda: p.add("times", a, wide), treadle.LaunchError, "shape|broadcast"),
        (lambda: p.add("times", [1.0], b), treadle.LaunchError, "inputs: expected a Buffer"),
        (lambda: p.add("times", a, 3), treadle.LaunchError, "output: expected a Buffer"),
        (lambda: p.add("times", freed, b), treadle.BufferFreed, "inputs"),
        (lambda: p.add("times", a, freed), treadle.BufferFreed, "output"),
        (lambda: p.add("times", foreign, b), treadle.LaunchError, "is on manual"),
        (lambda: p.add("times", t, b), treadle.LaunchError, "read before any stage"),
        (lambda: p.add("times", t.reshape(1, 2), b), treadle.LaunchError, "read before any stage"),
        (lambda: p.add("times", a, strange), treadle.LaunchError, "another pipeline"),
        (lambda: p.add("both", [a, a], [b, b]), treadle.LaunchError, "share memory"),
        (lambda: p.add("both", [a, a], [t, t.reshape(2)]), treadle.LaunchError, "share memory"),
        (lambda: p.copy_buffer(a, wide), treadle.LaunchError, "copy_buffer: expected an output"),
        (lambda: p.copy_buffer([a, a], b), treadle.LaunchError, "one input"),
        (lambda: p.temp(2, "f17"), treadle.LaunchError, "dtype"),
        (lambda: p.add({"op": "run_kernal"}), treadle.LaunchError, "did you mean 'run_kernel'"),
        (lambda: p.add({"op": "run_kernel"}), treadle.LaunchError, "'kernel' is missing"),
        (lambda: p.add({"op": "barrier", "input": a}), treadle.LaunchError, "no inputs"),
        (lambda: p.add({"op": "run_kernel", "kernel": times, "imput": a}), treadle.LaunchError,
         "did you mean 'input"),
        (lambda: p.add({"op": "barrier"}, a), treadle.LaunchError, "no other arguments"),
    ]:  # fmt: skip
        with pytest.raises(error, match=text):
            add()
        assert p.stage_count == 0
    other.close()
    assert p.add("times", a, b).run().read_list() == [2.0, 4.0]


def test_labels_are_unique(inline):
    a = vector(inline, 1, 2)
    p = treadle.pipeline(inline).add(times, a, label="first")
    with pytest.raises(treadle.LaunchError, match="taken"):
        p.add(times, a, label="first")


def test_what_the_device_lacks_is_refused_at_add(make_manual):
    device, _ = make_manual(unsupported=[("exp", treadle.f32)])
    p = treadle.pipeline(device)
    with pytest.raises(treadle.LaunchError, match="exp"):
        p.add("exp", device.buffer([1.0]))
    assert p.stage_count == 0


def test_a_first_run_that_another_thread_overtakes(monkeypatch):
    """Two first runs at once: the second one's steps are made while the first one is on its way."""
    device = treadle.device("cpu")
    p = treadle.pipeline(device)
    out = device.empty(3)
    p.add("scalar_mul", [device.buffer([1.0, 2.0, 3.0])], out, scalar=2.0)
    p.plan()  # compiled, so that steps are there at once
    device.synchronize()
    made, others = prepared.Command, [True]

    def overtaken(*args):
        if others:
            others.clear()
            p.submit().wait()
        return made(*args)

    monkeypatch.setattr(prepared, "Command", overtaken)
    p.submit().wait()
    assert out.read_list() == [2.0, 4.0, 6.0]


@pytest.fixture
def unlowered(monkeypatch):
    """Shipped kernels as in a new process, and the threads that lower them."""
    threads = []

    def lowered(definition, *rest):
        if definition.builtin:
            threads.append(threading.current_thread())
        return lower(definition, *rest)

    monkeypatch.setattr(structure, "lower", lowered)
    for name in ("scalar_mul", "scalar_add", "gaussian_blur"):
        monkeypatch.setattr(registry.lookup(name), "structures", None)
    return threads


def test_adding_kernels_that_ship_lowers_nothing(unlowered, inline):
    image, out = inline.buffer([[1.0, 2.0]]), inline.empty((1, 2))
    p = treadle.pipeline(inline).add("scalar_mul", image, scalar=3.0)
    p.add("scalar_add", p.last, out, scalar=1.0)
    with pytest.raises(treadle.LaunchError, match="shape"):
        p.add("scalar_add", p.last, inline.empty(3), scalar=1.0)
    assert p.stage_count == 2
    first = p.submit()
    p.set(0, scalar=5.0)  # of a stage that is still to be bound; what was submitted keeps its own
    assert first.wait().output.read_list() == [[4.0, 7.0]]
    assert p.submit(bind={1: {"scalar": 0.0}}).wait().output.read_list() == [[5.0, 10.0]]
    assert unlowered
    assert threading.main_thread() not in unlowered


def test_scratch_that_follows_is_not_that_of_runs_before(unlowered):
    device = treadle.device("cpu")
    small, large = device.buffer(np.ones((4, 5, 3), np.uint8)), device.buffer_zeros((9, 7, 3), "u8")
    first, second = device.empty((4, 5, 3), "u8"), device.empty((9, 7, 3), "u8")
    p = treadle.pipeline(device)
    p.buffer("image", small)
    p.buffer("result", first)
    p.add("gaussian_blur", small, radius=1).add("gaussian_blur", p.last, first, radius=1)
    before = p.submit()
    after = p.bind(image=large, result=second).submit()
    treadle.wait_all([before, after])
    assert first.to_numpy().tolist() == small.to_numpy().tolist()
    assert not second.to_numpy().any()
