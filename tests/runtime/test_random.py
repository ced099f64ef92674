"""Random programs, ended in random order, against NumPy one command after another."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import treadle
from runtime.shared import both, plus, ready_device, shifted, times

LENGTH = 12
DEVICES = {}


def device_for(ordered, lanes, signals):
    key = ordered, lanes, signals
    if key not in DEVICES:
        DEVICES[key] = ready_device(ordered=ordered, lanes=lanes, signals=signals)
    return DEVICES[key]


spans = st.tuples(st.integers(0, 2), st.integers(0, LENGTH - 6))  # buffer, start; always 6 long
command = st.one_of(
    st.tuples(st.just("plus"), spans, spans, spans),
    st.tuples(st.just("times"), spans, spans),
    st.tuples(st.just("shifted"), spans, spans),
    st.tuples(st.just("both"), spans, spans, spans, spans),
    st.tuples(st.just("copy"), spans, spans),
    st.tuples(st.just("barrier")),
)
# What recorded pipelines read from before, and write.
PIPELINES = (
    ([(0, 0), (0, 3)], [(1, 2), (2, 0)]),
    ([(0, 0)], [(0, 0)]),  # in place: a run reads what the one before it wrote
    ([(2, 5)], [(1, 0), (1, 6)]),
)
run = st.tuples(st.just("run"), st.integers(0, len(PIPELINES) - 1))
COUNTS = {"plus": 2, "times": 1, "shifted": 1, "both": 2, "copy": 1, "barrier": 0}


def touched(step):
    """The spans that a step reads and those that it writes."""
    name, *spans = step
    if name == "run":
        return PIPELINES[spans[0]]
    return spans[: COUNTS[name]], spans[COUNTS[name] :]


def recorded(device, backend, start):
    """Buffers, and pipelines over them that have run before."""
    buffers = [device.buffer(array) for array in start]

    def at(span):
        return buffers[span[0]][span[1] : span[1] + 6]

    ps = [treadle.pipeline(device) for _ in PIPELINES]
    (a, b), (c, d) = PIPELINES[0]
    ps[0].add(times, at(a), k=0.5).add(plus, [ps[0].last, at(b)], at(c)).add(shifted, at(c), at(d))
    ps[1].add(times, at(PIPELINES[1][0][0]), at(PIPELINES[1][1][0]), k=0.5)
    (a,), (b, c) = PIPELINES[2]
    ps[2].add(both, [at(a), at(a)], [at(b), at(c)])
    for p in ps:
        command = p.submit()
        backend.expect(1)
        backend.complete()
        command.wait()
    for buffer, array in zip(buffers, start, strict=True):
        buffer.write(array)
    return buffers, ps


def sequential(arrays, program):
    """What the program means: every command finished before the next begins."""

    def at(span):
        return arrays[span[0]][span[1] : span[1] + 6]

    for name, *spans in program:
        if name == "plus":
            at(spans[2])[:] = at(spans[0]) + at(spans[1])
        elif name == "times":
            at(spans[1])[:] = at(spans[0]) * np.float32(0.5)
        elif name == "shifted":
            at(spans[1])[:] = np.append(at(spans[0])[1:], at(spans[0])[-1])
        elif name == "both":
            total, difference = at(spans[0]) + at(spans[1]), at(spans[0]) - at(spans[1])
            at(spans[2])[:], at(spans[3])[:] = total, difference
        elif name == "copy":
            at(spans[1])[:] = at(spans[0]).copy()
        elif name == "run":
            (a, *more), writes = PIPELINES[spans[0]]
            if spans[0] == 0:
                at(writes[0])[:] = at(a) * np.float32(0.5) + at(more[0])
                at(writes[1])[:] = np.append(at(writes[0])[1:], at(writes[0])[-1])
            elif spans[0] == 1:
                at(writes[0])[:] = at(a) * np.float32(0.5)
            else:
                total, difference = at(a) + at(a), at(a) - at(a)
                at(writes[0])[:], at(writes[1])[:] = total, difference


def submit(device, buffers, pipelines, step):
    name, *spans = step
    if name == "run":
        return pipelines[spans[0]].submit()
    views = [buffers[which][start : start + 6] for which, start in spans]
    if name == "plus":
        return device.submit(plus, views[:2], views[2])
    if name == "times":
        return device.submit(times, views[:1], views[1], k=0.5)
    if name == "shifted":
        return device.submit(shifted, views[:1], views[1])
    if name == "both":
        return device.submit(both, views[:2], views[2:])
    if name == "copy":
        return device.submit({"op": "copy_buffer", "input": views[0], "output": views[1]})
    return device.barrier()


def distinct_outputs(step):
    if step[0] != "both":
        return True
    (one, start), (two, other) = step[3:]
    return one != two or abs(start - other) >= 6


@settings(max_examples=75, deadline=None)
@given(
    program=st.lists(command.filter(distinct_outputs) | run, min_size=1, max_size=14),
    seed=st.integers(0, 2**32),
    kind=st.sampled_from(
        [
            (False, None, True),
            (False, 2, True),
            (True, 3, True),
            (False, None, False),
            (True, 3, False),
        ]
    ),
)
def test_any_order_of_completion_gives_the_sequential_result(program, seed, kind):
    dice = random.Random(seed)  # not drawn: how far a poller got must not change what is drawn
    device, backend = device_for(*kind)
    start = [np.arange(LENGTH, dtype=np.float32) + 10 * i for i in range(3)]
    arrays = [array.copy() for array in start]
    buffers, pipelines = recorded(device, backend, start)
    sequential(arrays, program)
    commands = []
    for step in program:
        commands.append(submit(device, buffers, pipelines, step))
        while backend.pending and dice.random() < 0.5:
            complete_one(backend, dice)
    while any(not command.done() for command in commands):
        if kind[2]:
            complete_one(backend, dice)
        elif backend.pending:  # without signals the poller sees to the rest
            backend.complete()
    treadle.wait_all(commands)
    for buffer, array in zip(buffers, arrays, strict=True):
        np.testing.assert_array_equal(buffer.to_numpy(), array)
    assert device.in_flight == 0
    for buffer in buffers:
        assert not buffer._storage.busy


def complete_one(backend, dice):
    startable = [launch for launch in backend.pending if launch.startable]
    backend.complete(dice.choice(startable))


@settings(max_examples=50, deadline=None)
@given(
    program=st.lists(command.filter(distinct_outputs) | run, min_size=1, max_size=12),
    seed=st.integers(0, 2**32),
    ordered=st.booleans(),
)
def test_failures_and_cancels_spoil_exactly_what_reads_them(program, seed, ordered):
    """Values are tracked as 'good' or 'bad' per element; what completed must be all good."""
    dice = random.Random(seed)  # not drawn: how far a poller got must not change what is drawn
    device, backend = device_for(ordered, 2 if ordered else None, True)
    start = [np.arange(LENGTH, dtype=np.float32) + 10 * i for i in range(3)]
    buffers, pipelines = recorded(device, backend, start)
    commands = [submit(device, buffers, pipelines, step) for step in program]
    for command in commands:
        if dice.randrange(6) == 0:
            command.cancel()
    while backend.pending:
        startable = [launch for launch in backend.pending if launch.startable]
        launch = dice.choice(startable)
        if dice.randrange(5) == 0:
            backend.fail(launch, ValueError("boom"))
        else:
            backend.complete(launch)
    assert all(command.done() for command in commands)

    # Replay: cancelled commands change nothing, failed ones make what they write bad.
    arrays = [array.copy() for array in start]
    bad = [np.zeros(LENGTH, bool) for _ in range(3)]
    spoilt = [np.zeros(LENGTH, bool) for _ in range(3)]  # by cancelled commands, for later ones
    for step, command in zip(program, commands, strict=True):
        reads, writes = touched(step)

        def any_of(marks, spans):
            return any(marks[which][at : at + 6].any() for which, at in spans)

        if command.status == "completed":
            assert not any_of(bad, reads)
            assert not any_of(spoilt, reads)
            sequential(arrays, [step])
            for which, at in writes:
                bad[which][at : at + 6] = spoilt[which][at : at + 6] = False
        elif command.status == "failed":
            if "did not run" in str(command.error):
                assert any_of(bad, reads) or any_of(spoilt, reads)
            for which, at in writes:
                bad[which][at : at + 6] = True
        else:
            for which, at in writes:
                spoilt[which][at : at + 6] = True
    for buffer, array, marks in zip(buffers, arrays, bad, strict=True):
        for i in range(LENGTH):
            if marks[i]:
                try:
                    buffer[i : i + 1].read()
                except treadle.CommandFailed:
                    continue
                raise AssertionError("bad bytes were read")
            assert buffer[i : i + 1].to_numpy()[0] == array[i]
