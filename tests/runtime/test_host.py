"""Functions of the host's as stages: ordered by data, on a thread of their own, on every device."""

from __future__ import annotations

import asyncio
import os
import sys
import threading

import numpy as np
import pytest

import treadle
from treadle.errors import CommandCancelled, CommandFailed, KernelSyntaxError, LaunchError
from treadle.testing import ManualBackend

X = np.arange(12, dtype=np.float32).reshape(3, 4)


@treadle.host(name="_plus_one")
def plus_one(out, x):
    out[...] = x + 1


@treadle.host(results=lambda x: [(x.shape, "f32"), (x.shape[:1], "f64")], name="_twice_and_sum")
def twice_and_sum(out, x):
    twice, total = out
    twice[...] = x * 2
    total[...] = x.sum(axis=1)


def expected(x: np.ndarray) -> np.ndarray:
    y = np.exp(x * 2 + 1 - (x * 2 + 1).max(axis=-1, keepdims=True))
    return y / y.sum(axis=-1, keepdims=True)


@treadle.pipeline
def around(x):
    doubled = treadle.run_kernel("scalar_mul", [x], scalar=2.0)
    return treadle.run_kernel("softmax", [plus_one(doubled)])


def test_it_runs_between_kernels_on_every_device(device):
    x = device.buffer(X)
    np.testing.assert_array_equal(device.run_kernel(plus_one, [x]).to_numpy(), X + 1)
    np.testing.assert_allclose(around(x).to_numpy(), expected(X), rtol=1e-5)
    pipeline = treadle.pipeline(device)
    y = device.empty(X.shape)
    pipeline.add("scalar_mul", [x], scalar=2.0)
    pipeline.add(plus_one, [pipeline.last]).add("softmax", [pipeline.last], y)
    for _ in range(3):
        np.testing.assert_allclose(pipeline.run().to_numpy(), expected(X), rtol=1e-5)


def test_several_outputs_and_other_sizes():
    device = treadle.device("cpu")
    for rows in (1, 3, 50):
        x = np.ones((rows, 4), np.float32)
        twice, total = device.run_kernel(twice_and_sum, [device.buffer(x)])
        np.testing.assert_array_equal(twice.to_numpy(), x * 2)
        np.testing.assert_array_equal(total.to_numpy(), [4.0] * rows)


def test_in_place_and_nothing_at_all():
    device = treadle.device("cpu")
    x = device.buffer(X)
    device.run_kernel(plus_one, [x], x)
    pipeline = treadle.pipeline(device).add(plus_one, [x], x).add(plus_one, [x], x)
    pipeline.run()
    np.testing.assert_array_equal(x.to_numpy(), X + 3)
    assert device.run_kernel(plus_one, [device.empty((0, 4))]).shape == (0, 4)


def test_it_runs_on_another_thread_and_in_the_order_of_data():
    device = treadle.device("cpu")
    go, threads = threading.Event(), []

    @treadle.host(name="_held")
    def held(out, x):
        threads.append(threading.get_ident())
        assert go.wait(30)
        out[...] = x

    x = device.buffer(X)
    first = device.submit(held, [x])
    second = device.submit(plus_one, [first.output])
    third = device.submit("scalar_mul", [second.output], scalar=2.0)
    # What does not read from it is not held up, nor is an event loop.
    np.testing.assert_array_equal(device.run_kernel(plus_one, [x]).to_numpy(), X + 1)

    async def other() -> None:
        assert (await device.submit(plus_one, [x])).shape == X.shape
        assert third.poll() == "pending", third.error
        go.set()
        await third

    asyncio.run(other())
    np.testing.assert_array_equal(third.output.to_numpy(), (X + 1) * 2)
    assert threads != [threading.get_ident()]


def test_what_is_pending_can_be_cancelled():
    device = treadle.device("cpu")
    go = threading.Event()

    @treadle.host(name="_held_too")
    def held(out, x):
        assert go.wait(30)
        out[...] = x

    first = device.submit(held, [device.buffer(X)])
    second = device.submit(plus_one, [first.output])
    assert second.cancel()
    go.set()
    first.wait()
    with pytest.raises(CommandCancelled):
        second.wait()


def test_a_failure_names_the_stage_and_what_follows_fails():
    device = treadle.device("cpu")

    @treadle.host(name="_failing")
    def failing(out, x):
        raise RuntimeError("no such thing")

    pipeline = treadle.pipeline(device)
    y = device.empty(X.shape)
    pipeline.add("relu", [device.buffer(X)]).add(failing, [pipeline.last])
    pipeline.add("softmax", [pipeline.last], y)
    with pytest.raises(CommandFailed, match=r"stage 2 of 3 \(_failing\).*no such thing"):
        pipeline.run()
    with pytest.raises(CommandFailed):
        y.to_numpy()


def test_a_failure_of_the_device_names_its_stage():
    backend = ManualBackend()
    with treadle.Device(backend) as device:
        pipeline = treadle.pipeline(device)
        y = device.empty(X.shape)
        pipeline.add(plus_one, [device.buffer(X)]).add("relu", [pipeline.last], y)
        command = pipeline.submit()
        backend.expect(1)
        backend.fail(1, RuntimeError("broken"))
        with pytest.raises(CommandFailed, match="stage 2 of 2"):
            command.wait(30)


def test_what_does_not_fit_is_refused_at_submit():
    device = treadle.device("cpu")
    x = device.buffer(X)
    with pytest.raises(LaunchError, match=r"output must be f32\[3, 4\], got f32\[4\]"):
        device.submit(plus_one, [x], device.empty((4,)))
    with pytest.raises(LaunchError, match="has 2 outputs, got 1"):
        device.submit(twice_and_sum, [x], device.empty((3, 4)))
    with pytest.raises(LaunchError, match="takes 1 input"):
        device.submit(plus_one, [x, x])
    with pytest.raises(KernelSyntaxError, match="no parameters"):
        treadle.host(lambda out, x, *, a: None)


def test_the_plan_says_who_runs_it():
    text = around.plan(treadle.device("cpu").buffer(X)).explain()
    assert "the host calls it" in text


def test_it_cannot_wait_for_commands_that_would_wait_for_it():
    device = treadle.device("cpu")

    x = device.buffer(X)

    @treadle.host(name="_waiting")
    def waiting(out, x):
        mine.output.to_numpy()

    mine = device.submit(plus_one, [device.submit(waiting, [x], x).output])
    with pytest.raises(CommandFailed, match="cannot wait"):
        mine.wait()


def test_closing_finishes_what_runs():
    device = treadle.Device(treadle.device("cpu").backend.__class__())
    ran = threading.Event()

    @treadle.host(name="_slow")
    def slow(out, x):
        ran.wait(0.01)
        out[...] = x

    command = device.submit(slow, [device.buffer(X)])
    device.close()
    assert command.done()


def test_a_trace_shows_it():
    device = treadle.device("cpu")
    with treadle.trace() as trace:
        device.run_kernel(plus_one, [device.buffer(X)])
    assert any("plus_one" in record.label for record in trace.records)


def test_in_a_loop_it_is_called_in_every_turn():
    @treadle.pipeline
    def looped(x):
        def body(turn, state):
            return treadle.run_kernel("scalar_mul", [plus_one(state)], scalar=2.0)

        x = treadle.run_kernel("scalar_add", [x], scalar=1.0)
        return treadle.run_kernel("scalar_add", [treadle.repeat(body, 3, x)], scalar=-1.0)

    expected = X + 1
    for _ in range(3):
        expected = (expected + 1) * 2
    made = looped(treadle.device("cpu").buffer(X)).to_numpy()
    np.testing.assert_array_equal(made, expected - 1)


@pytest.mark.parametrize("seed", range(12))
def test_random_stages_in_place_and_over_views_are_as_one_by_one(seed):
    """Kernels and functions of the host's over a few buffers that overlap, again and again."""
    random = np.random.default_rng(seed)
    device = treadle.device("cpu")
    base = random.normal(size=40).astype(np.float32)
    memory, expected = device.buffer(base), base.copy()
    places = [(0, 20), (10, 30), (20, 40), (5, 25)]
    views = [memory[a:b] for a, b in places]
    pipeline = treadle.pipeline(device)

    @treadle.host(name="_backwards")
    def backwards(out, x):
        out[...] = x[::-1] + np.float32(0.5)

    kinds = {
        "relu": lambda x: np.maximum(x, 0),
        "flip": lambda x: x[::-1],
        backwards: lambda x: x[::-1] + np.float32(0.5),
    }
    steps = []
    for _ in range(8):
        kind = list(kinds)[random.integers(3)]
        source, target = random.integers(4, size=2)
        pipeline.add(kind if kind != "flip" else reverse, [views[source]], views[target])
        steps.append((kinds[kind], places[source], places[target]))
    for _ in range(3):
        pipeline.run()
        for function, (a, b), (c, d) in steps:
            expected[c:d] = function(expected[a:b].copy())
        np.testing.assert_array_equal(memory.to_numpy(), expected)


@treadle.kernel(name="_reverse")
def reverse(at, x):
    return x[x.shape[0] - 1 - at[0]]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads have no priority there")
def test_what_a_caller_blocks_for_is_as_urgent_as_the_caller():
    device = treadle.device("cpu")
    seen = []

    @treadle.host(name="_how_urgent")
    def how_urgent(out, x):
        seen.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        out[...] = x

    mine = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    x, y = device.buffer(X), device.empty(X.shape)
    with treadle.pipeline(device) as pipeline:
        pipeline.add(how_urgent, [x], y)
        pipeline.run()
        device.run_kernel(how_urgent, [x], y)
        assert seen == [mine, mine]
        pipeline.submit().wait()
    asyncio.run(device.run_kernel_async(how_urgent, [x]))
    assert all(each > mine for each in seen[2:])
    assert len(seen) == 4
