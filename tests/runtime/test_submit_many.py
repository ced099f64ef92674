"""Several commands that are submitted in one call: as if one by one, and all of them or none."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treadle
from runtime.shared import plus, shifted, times, vector
from runtime.test_at_once import Prompt
from runtime.test_interrupt import Interrupt
from treadle.backends.cpu import CpuBackend
from treadle.runtime.device import Device


@treadle.pipeline
def doubled(x):
    return treadle.ops.scale(x, scalar=2.0)


@pytest.fixture(scope="module")
def cpu():
    with Device(CpuBackend(workers=2), "several") as device:
        yield device


@pytest.fixture
def prompt():
    backend = Prompt(lanes=2)
    with Device(backend, "prompt") as device:
        a = vector(device, 1)
        backend.prompt = False
        for kernel, count in ((plus, 2), (times, 1)):
            device.submit(kernel, [a] * count)
            backend.expect(1)
            backend.complete()
        backend.prompt = True
        yield device, backend


def test_each_is_what_submit_takes(cpu):
    x, y, z = vector(cpu, 1, 2), vector(cpu, 0, 0), vector(cpu, 0, 0)
    pipeline = treadle.pipeline(cpu).add("add", [x, y], z)
    prepared = treadle.prepare("scale", z, z, scalar=10.0)
    specs = [
        ("scale", [x], y, {"scalar": 3.0}),
        ("barrier",),
        (plus, [y, x], y),
        pipeline,
        {"op": "copy_buffer", "input": z, "output": x},
        prepared,
        {"op": "run_kernel", "kernel": "neg", "inputs": [x], "output": None, "params": {}},
        (doubled, [x]),
        ("exp", x),
        {"op": "run_pipeline", "pipeline": prepared},
    ]
    for _ in range(2):  # planned by the first, known to the second
        x.write([1.0, 2.0])
        commands = cpu.submit_many(specs)
        names = "scalar_mul barrier plus pipeline copy_buffer scalar_mul neg doubled exp scalar_mul"
        assert [command.kernel for command in commands] == names.split()
        assert len({command.id for command in commands}) == 10
        treadle.wait_all(commands)
        assert y.read_list() == [4.0, 8.0]
        assert x.read_list() == [5.0, 10.0]
        assert z.read_list() == [500.0, 1000.0]
        assert commands[6].output.read_list() == [-5.0, -10.0]
        assert commands[7].output.read_list() == [10.0, 20.0]
        assert commands[9].output is z
        assert __file__ in commands[0].submitted_at
    assert cpu.submit_many([]) == []
    assert cpu.submit_many(iter([("exp", [x])]))[0].wait().output.shape == (2,)
    with treadle.use_device(cpu):
        made = treadle.submit_many([("exp", [x])], priority="interactive")
        assert treadle.wait(made[0].id).status == "completed"


WRONG = [
    (("no_such_kernel", []), treadle.LaunchError, "no_such_kernel"),
    (("exp", []), treadle.LaunchError, "exp"),
    (("scale", "x", None, {"scale": 1.0}), treadle.LaunchError, "scale"),
    (("exp", ["freed"]), treadle.BufferFreed, "used after free"),
    ({"op": "run"}, treadle.LaunchError, "op"),
    ("exp", treadle.LaunchError, "expected a tuple"),
    ((), treadle.LaunchError, "expected a tuple"),
    (("exp", "x", None, {}, 5), treadle.LaunchError, "expected a tuple"),
    (None, treadle.LaunchError, "expected a tuple"),
    ("pipeline", treadle.BufferFreed, "used after free"),
]


@pytest.mark.parametrize("wrong, kind, text", WRONG, ids=range(len(WRONG)))
def test_if_one_is_wrong_none_is_submitted(prompt, wrong, kind, text):
    device, backend = prompt
    a, out, gone = vector(device, 2), vector(device, 0), vector(device, 0)
    if wrong == "pipeline":
        wrong = treadle.prepare(times, gone, out)
        wrong.submit()
        backend.expect(1)
        backend.complete()
    backend.done, out = 0, vector(device, 0)
    gone.free()
    if isinstance(wrong, tuple) and len(wrong) > 1:
        inputs = {"x": [a], "freed": [gone]}.get("".join(wrong[1]), wrong[1])
        wrong = (wrong[0], inputs, *wrong[2:])
    launched, memory = len(backend.pending), device.memory_in_use
    with pytest.raises(kind, match=text) as caught:
        device.submit_many([(times, [a], out), (plus, [a, a]), wrong, (times, [a], a)])
    assert str(caught.value).startswith("specs[2]: ")
    assert not device.queue.open
    assert len(backend.pending) == launched
    assert not backend.done
    assert (a.read_list(), out.read_list()) == ([2.0], [0.0])
    del caught
    gc.collect()
    assert device.memory_in_use == memory


@pytest.mark.parametrize("specs", ["exp", {"op": "barrier"}, 3, None])
def test_what_is_not_several_is_refused(cpu, specs):
    with pytest.raises(treadle.LaunchError, match="specs: expected several"):
        cpu.submit_many(specs)


def test_there_is_room_for_all_or_for_none(make_manual):
    device, backend = make_manual(lanes=1)
    a, b = vector(device, 1), vector(device, 1)
    for spec in ((times, [a]), (plus, [a, b])):
        device.submit(*spec)
        backend.expect(1)
        backend.complete()
    device.max_in_flight = 3
    running = device.submit(times, [a])
    with pytest.raises(treadle.QueueFull, match="3 commands were given at once, and 1 are"):
        device.submit_many([(times, [a])] * 3)
    assert device.in_flight == 1
    assert len(device.submit_many([(times, [a])] * 2)) == 2
    backend.complete_all()
    running.wait()
    device.synchronize()
    device.max_bytes_in_flight = 20
    with pytest.raises(treadle.QueueFull, match="16 bytes are in flight"):
        device.submit_many([(times, [a])] * 3)
    assert not device.in_flight
    device.submit_many([(times, [a])] * 2)
    backend.complete_all()
    device.synchronize()


def test_they_come_after_what_uses_the_same_buffers_and_before_what_follows(prompt):
    device, backend = prompt
    a, b, out = vector(device, 1), vector(device, 3), vector(device, 0)
    backend.prompt = False
    earlier = device.submit(times, [a], a)
    backend.prompt = True
    brief = device.submit_many([(plus, [b, b], out), (times, [out], b), (plus, [a, b], out)])
    assert [command.status for command in brief] == ["running", "pending", "pending"]
    assert not backend.done  # one of them has to wait, so all are launched
    after = device.submit(plus, [out, out], b)
    backend.complete_all()
    assert earlier.wait().output.read_list() == [2.0]
    treadle.wait_all([*brief, after])
    assert out.read_list() == [14.0]
    assert b.read_list() == [28.0]
    clear = device.submit_many([(times, [a], out), (plus, [out, a], out)])
    assert [command.status for command in clear] == ["completed"] * 2
    assert out.read_list() == [6.0]
    assert backend.done == 2


def test_brief_ones_beside_one_that_is_not_are_done_at_once(prompt):
    """Of those that nothing holds up: neighbours in one go, the others as ever."""
    device, backend = prompt
    a, b, out = vector(device, 1), vector(device, 3), vector(device, 0)
    unknown = (shifted, [a], b)  # has to be planned, so that it is not brief
    specs = [(times, [a], out), (plus, [out, a], out), unknown, (plus, [b, out], b)]
    commands = device.submit_many(specs)
    assert [command.status for command in commands[:2]] == ["completed"] * 2
    assert backend.done == 2
    backend.expect(1)
    backend.complete_all()
    device.synchronize()
    assert (out.read_list(), b.read_list()) == ([3.0], [4.0])


def test_one_that_fails_fails_those_that_read_it(make_manual):
    device, backend = make_manual()
    a, out, other = vector(device, 1), vector(device, 0), vector(device, 0)
    device.submit_many([(times, [a], out), (plus, [a, a], other)])
    backend.expect(2)
    backend.complete_all()
    device.synchronize()
    commands = device.submit_many(
        [(times, [a], out), (plus, [out, a], a), (plus, [other, other], other)]
    )
    backend.fail()
    backend.complete_all()
    assert [str(command.poll()) for command in commands] == ["failed", "failed", "completed"]
    assert "did not run, because what it reads failed" in str(commands[1].error)


def test_a_trace_and_a_named_submitter_see_each(cpu):
    x = vector(cpu, 1, 2)
    specs = [("exp", [x]), ("neg", [x])]
    treadle.wait_all(cpu.submit_many(specs))
    with treadle.trace() as trace:
        treadle.wait_all(cpu.submit_many(specs))
    assert {"exp", "neg"} <= {record.label for record in trace.records}
    with treadle.submitter("one", deadline=30.0):
        commands = cpu.submit_many(specs)
    assert all(command.wait(10).status == "completed" for command in commands)


def _mixed(device):
    """Brief work, work for a worker, brief work: each adds one to a buffer of its own or twice."""
    small, large, two = vector(device, *[0] * 8), device.buffer_zeros(1 << 20), vector(device, 0)
    ones, many = vector(device, *[1] * 8), device.buffer(np.ones(1 << 20, np.float32))
    step = treadle.prepare("add", [two, vector(device, 1)], two)
    return (small, large, two), {
        "brief": [("add", [small, ones], small), step, ("add", [small, ones], small), step],
        "mixed": [
            ("add", [small, ones], small),
            ("add", [large, many], large),
            step,
            ("add", [small, ones], small),
            ("add", [large, many], large),
            step,
        ],
    }


@pytest.mark.parametrize("kind", ["brief", "mixed"])
def test_ctrl_c_leaves_all_of_them_or_none(cpu, kind):
    buffers, kinds = _mixed(cpu)
    specs = kinds[kind]
    for _ in range(2):
        treadle.wait_all(cpu.submit_many(specs))
    touched = buffers if kind == "mixed" else (buffers[0], buffers[2])
    fired, counts, at = 0, {0: 0, 2: 0}, 0
    while True:
        at += 1 if at < 60 or kind == "brief" else 7  # a copy of much takes a while
        before = [buffer[0].item() for buffer in touched]
        interrupt = Interrupt(at)
        try:
            with interrupt:
                cpu.submit_many(specs)
        except KeyboardInterrupt:
            fired += 1
        cpu.queue.advance()
        cpu.synchronize(timeout=30)
        assert not cpu.queue.open
        added = {buffer[0].item() - old for buffer, old in zip(touched, before, strict=True)}
        assert len(added) == 1, f"interrupted at {at}: {added}"
        counts[added.pop()] += 1
        if not interrupt.fired:
            break
    assert fired > 40
    assert counts[0] > 10
    assert counts[2] > 1


def test_a_finalizer_submits_in_the_middle(prompt):
    device, backend = prompt
    a, out = vector(device, 1), vector(device, 0)
    made = []

    def finalize():
        backend.meanwhile = None
        made.extend(device.submit_many([(times, [out], a), (plus, [a, out], a)]))

    backend.meanwhile = finalize
    first = device.submit_many([(times, [a], out), (plus, [out, a], out)])
    assert [command.status for command in first] == ["completed"] * 2
    backend.complete_all()
    treadle.wait_all(made)
    assert (out.read_list(), a.read_list()) == ([3.0], [9.0])


STEPS = st.lists(
    st.tuples(st.sampled_from("add scale copy sum barrier pipeline".split()), st.integers(0, 63)),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=4))
def test_any_batches_give_what_one_after_the_other_gives(cpu, batches):
    def fresh():
        return [vector(cpu, n, n + 1, n + 2) for n in range(4)]

    def specs(buffers, steps):
        for kind, n in steps:
            a, b, c = (buffers[n >> shift & 3] for shift in (0, 2, 4))
            if kind == "add":
                yield "add", [a, b], c
            elif kind == "scale":
                yield "scale", [a], b, {"scalar": float(n % 3) - 1}
            elif kind == "copy":
                yield {"op": "copy_buffer", "input": a, "output": b}
            elif kind == "sum":
                yield "cumsum", [a], c
            elif kind == "barrier":
                yield ("barrier",)
            else:
                yield treadle.prepare("add", [a, c], c)

    together, apart = fresh(), fresh()
    for steps in batches:
        cpu.submit_many(specs(together, steps))
        for spec in specs(apart, steps):
            cpu.submit(*spec) if type(spec) is tuple else cpu.submit(spec)
    for one, other in zip(together, apart, strict=True):
        np.testing.assert_array_equal(one.to_numpy(), other.to_numpy())


def test_what_is_still_to_be_planned_is_dropped_with_the_others(make_manual):
    """A plan may come before its command is handed over, or for one that never is."""
    device, backend = make_manual()
    a, out = vector(device, 1, 2), vector(device, 0, 0)

    def specs(*more):
        yield plus, [a, a], out
        yield times, [out]
        yield from more

    for _ in range(2):
        with pytest.raises(treadle.LaunchError, match=r"specs\[2\]"):
            device.submit_many(specs(("no_such_kernel", [])))
    assert not device.in_flight
    commands = device.submit_many(specs())
    backend.expect(1)
    backend.complete()
    backend.expect(1)
    backend.complete()
    assert commands[1].wait(30).output.read_list() == [4.0, 8.0]
    device.synchronize(timeout=30)
