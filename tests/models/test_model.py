"""Models as commands and stages: called, awaited, recorded, traced, batched."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import threading
import weakref

import numpy as np
import onnxruntime
import pytest

import treadle
from networks import HALVED, RELU, STATE, TWO, network
from treadle.errors import CommandFailed, LaunchError, ModelError
from treadle.models import Port

X = np.array([[-1.0, 2.0, 3.0], [4.0, -5.0, 6.0]], np.float32)


@pytest.fixture
def cpu():
    with treadle.use_device("cpu") as device:
        yield device


def load(text: str, **options):
    return treadle.model(network(text), **options)


def direct(text: str, *arrays: np.ndarray) -> list[np.ndarray]:
    session = onnxruntime.InferenceSession(network(text), providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_inputs()]
    return session.run(None, dict(zip(names, arrays, strict=True)))


def test_ports_are_named_and_typed(cpu):
    model = load(TWO)
    assert model.inputs == (
        Port("a", treadle.f32, ("N", 3)),
        Port("b", treadle.f32, ("N", 3)),
    )
    assert [str(each) for each in model.outputs] == ["total f32[N, 3]", "product f32[N, 3]"]
    assert repr(load(RELU)) == "<treadle.Model model x f32[N, 3] -> y f32[N, 3] on cpu>"


def test_it_runs_over_arrays_lists_and_buffers_on_every_device(device):
    model = load(RELU, providers="cpu")
    for given in (X, X.tolist(), device.buffer(X)):
        np.testing.assert_array_equal(model(given).to_numpy(), direct(RELU, X)[0])
    np.testing.assert_array_equal(model(x=X).to_numpy(), np.maximum(X, 0))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="no thread gives way there")
def test_a_run_that_is_awaited_lets_others_go_first_and_one_that_is_waited_for_does_not(
    cpu, monkeypatch
):
    yields = []
    monkeypatch.setattr(os, "sched_yield", lambda: yields.append(threading.get_ident()))
    model = load(RELU)
    model(X)
    assert not yields
    asyncio.run(model.run_async(X))
    assert len(yields) == 1
    assert yields[0] != threading.get_ident()


def test_several_inputs_and_outputs_in_order_and_by_name(cpu):
    model = load(TWO)
    expected = direct(TWO, X, X + 1)
    for made in (model(X, X + 1), model(b=X + 1, a=X), model(X, b=X + 1)):
        for one, other in zip(made, expected, strict=True):
            np.testing.assert_array_equal(one.to_numpy(), other)
    only = load(TWO, outputs=["product"])
    np.testing.assert_array_equal(only(X, X + 1).to_numpy(), expected[1])


def test_it_is_awaited_and_batches_are_of_any_size(cpu):
    model = load(RELU)

    async def main():
        return await asyncio.gather(
            *[model.run_async(np.repeat(X, n, axis=0)) for n in (1, 2, 3, 8)]
        )

    assert [each.shape for each in asyncio.run(main())] == [(2, 3), (4, 3), (6, 3), (16, 3)]


def test_two_event_loops_after_each_other(cpu):
    model = load(RELU)
    for _ in range(2):
        np.testing.assert_array_equal(asyncio.run(model.run_async(X)).to_numpy(), np.maximum(X, 0))


def test_submit_fills_the_output_that_it_is_given_in_place(cpu):
    model = load(RELU)
    x = cpu.buffer(X)
    y = cpu.empty(X.shape)
    command = model.submit(x, output=y)
    assert command.wait().output is y
    np.testing.assert_array_equal(y.to_numpy(), np.maximum(X, 0))
    model.submit(x, output=x).wait()
    np.testing.assert_array_equal(x.to_numpy(), np.maximum(X, 0))


def test_outputs_that_no_word_tells_are_found(cpu):
    model = load(HALVED)
    assert model.outputs[0].shape == ("N", "K")
    for columns in (3, 4, 9):
        x = np.arange(2 * columns, dtype=np.float32).reshape(2, columns)
        np.testing.assert_array_equal(model(x).to_numpy(), x[:, ::2])
        assert asyncio.run(model.run_async(x)).shape == (2, (columns + 1) // 2)


def test_dtypes_and_conditions(cpu):
    model = load("(int64[N] i, bool[N] b) => (int64[N] j, bool[N] c) { j = Neg(i) c = Not(b) }")
    j, c = model(np.array([1, -2]), np.array([False, True]))
    assert (j.read_list(), c.read_list()) == ([-1, 2], [True, False])
    assert (j.dtype, c.dtype) == (treadle.s64, "bool")


def test_scalars_and_empty_batches(cpu):
    total = load("(float[N] x) => (float y) { y = ReduceSum <keepdims: int = 0> (x) }")
    assert total([1.0, 2.0]).read_list() == 3.0
    assert load(RELU)(np.empty((0, 3), np.float32)).shape == (0, 3)


def test_around_it_stages_are_fused_and_what_crosses_is_written_once():
    with treadle.use_device("cpu") as device:
        model = load(RELU, name="_rectified")

        @treadle.pipeline
        def around(x):
            x = treadle.run_kernel("scalar_mul", [x], scalar=2.0)
            x = model(treadle.run_kernel("scalar_add", [x], scalar=1.0))
            x = treadle.run_kernel("scalar_mul", [x], scalar=0.5)
            return treadle.run_kernel("softmax", [x])

        expected = np.exp(np.maximum(X * 2 + 1, 0) / 2)
        expected /= expected.sum(axis=1, keepdims=True)
        x = device.buffer(X)
        np.testing.assert_allclose(around(x).to_numpy(), expected, rtol=1e-5)
        np.testing.assert_allclose(around.submit(x).wait().output.to_numpy(), expected, rtol=1e-5)
        plan = around.plan(x)
        assert [group.stages for group in plan.groups] == [(0, 1), (2,), (3, 4)]
        assert plan.scratch == 2 * X.nbytes
        for rows in (1, 5):
            many = device.buffer(np.ones((rows, 3), np.float32))
            assert around(many).shape == (rows, 3)
        model.free()


def test_recorded_pipelines_bind_other_sizes(cpu):
    model = load(RELU)
    p = treadle.pipeline()
    x, y = p.buffer("x", cpu.buffer(X)), p.buffer("y", cpu.empty(X.shape))
    p.add("scalar_mul", [x], scalar=-1.0).add(model, [p.last], y)
    np.testing.assert_array_equal(p.run().to_numpy(), np.maximum(-X, 0))
    more = np.concatenate([X, X, X])
    bound = {"x": cpu.buffer(more), "y": cpu.empty(more.shape)}
    p.run(bind=bound)
    np.testing.assert_array_equal(bound["y"].to_numpy(), np.maximum(-more, 0))


def test_a_name_that_is_given_is_a_kernels(cpu):
    with load(RELU, name="rectified") as model:
        assert treadle.kernel_info("rectified").inputs == ("x",)
        made = treadle.run_kernel("rectified", [cpu.buffer(X)])
        np.testing.assert_array_equal(made.to_numpy(), np.maximum(X, 0))
        assert model.valid
    with pytest.raises(LaunchError, match="no kernel is named 'rectified'"):
        treadle.submit("rectified", [cpu.buffer(X)])
    with pytest.raises(LaunchError, match="'relu' is a kernel of Treadle's"):
        load(RELU, name="relu")


def test_state_is_carried_in_buffers(cpu):
    model = load(STATE, state={"next": "h"})
    one = np.ones((1, 2), np.float32)
    assert [model(one).read_list() for _ in range(3)] == [[[-1.0] * 2], [[-2.0] * 2], [[-3.0] * 2]]
    assert isinstance(model.state["h"], treadle.Buffer)
    assert asyncio.run(model.run_async(one)).read_list() == [[-4.0, -4.0]]
    model.reset(h=one * 10)
    assert model(x=one).read_list() == [[-11.0, -11.0]]
    model.reset()
    assert model(np.ones((3, 2), np.float32)).shape == (3, 2)
    with pytest.raises(LaunchError, match="carries no state 'g'"):
        model.reset(g=one)
    with pytest.raises(LaunchError, match="has no output 'nxt'; did you mean 'next'"):
        load(STATE, state={"nxt": "h"})


def test_state_in_a_pipeline_is_a_buffer_that_is_read_and_written(cpu):
    model = load(STATE)
    x, h, y = cpu.buffer(np.ones((1, 2))), cpu.buffer_zeros((1, 2)), cpu.empty((1, 2))
    x = cpu.buffer(np.ones((1, 2), np.float32))
    p = treadle.pipeline().add(model, [x, h], [y, h])
    for _ in range(3):
        p.run()
    assert (y.read_list(), h.read_list()) == ([[-3.0, -3.0]], [[3.0, 3.0]])


def test_batched_answers_callers_one_by_one(cpu):
    model = load(RELU)
    calls = treadle.batched(model, max_size=16)

    async def main():
        items = [np.full(3, k, np.float32) for k in range(-20, 20)]
        return await asyncio.gather(*[calls(item) for item in items])

    assert [row[0] for row in asyncio.run(main())] == [max(k, 0) for k in range(-20, 20)]
    assert calls.report.batches < 40


def test_batched_uses_the_models_device_and_names(cpu):
    model = load(TWO)
    with treadle.use_device("reference"):
        calls = treadle.batched(model)
        item = {"b": np.full(3, 2.0, np.float32), "a": np.full(3, 5.0, np.float32)}
        total, product = calls.run(item)
    assert (total.tolist(), product.tolist()) == ([7.0] * 3, [10.0] * 3)
    with pytest.raises(LaunchError, match="takes a, b; the item has a, c"):
        calls.run({"a": item["a"], "c": item["b"]})


def test_freeing_lets_what_was_submitted_end(cpu):
    model = load(RELU)
    x = cpu.buffer(X)
    commands = [model.submit(x) for _ in range(20)]
    p = treadle.pipeline().add(model, [x], cpu.empty(X.shape))
    model.free()
    model.free()
    for command in commands:
        np.testing.assert_array_equal(command.wait().output.to_numpy(), np.maximum(X, 0))
    # What releases the network is told of the end of the last command, as this is, and before it.
    told = threading.Event()
    cpu.barrier().add_done_callback(lambda _: told.set())
    assert told.wait(60)
    assert "freed" in repr(model)
    with pytest.raises(ModelError, match="used after free"):
        model(X)
    with pytest.raises(CommandFailed, match="used after free"):
        p.run()


def test_the_network_goes_when_it_is_freed(cpu):
    model = load(RELU)
    model(X)
    inside = weakref.ref(model._session._session)
    cpu.synchronize()
    model.free()
    gc.collect()
    assert inside() is None


def test_it_is_not_copied(cpu):
    import pickle

    with pytest.raises(TypeError, match="load it where it is needed"):
        pickle.dumps(load(RELU))


def test_streams_take_a_model(cpu):
    model = load(RELU)
    made = list(treadle.stream([X, X[:1], -X], compute=model))
    for one, x in zip(made, [X, X[:1], -X], strict=True):
        np.testing.assert_array_equal(one, np.maximum(x, 0))


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_in_a_forked_child_it_is_lost_and_in_the_parent_it_goes_on(cpu):
    import os

    if not hasattr(os, "fork"):
        pytest.skip("there is no fork here")
    model = load(RELU)
    model(X)
    child = os.fork()
    if child == 0:
        try:
            model(X)
        except treadle.DeviceLost:
            os._exit(0)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert model(X).shape == X.shape


def test_a_caller_that_is_cancelled_leaves_the_others_alone(cpu):
    model = load(RELU)

    async def main():
        tasks = [asyncio.create_task(model.run_async(X)) for _ in range(6)]
        await asyncio.sleep(0)
        tasks[2].cancel()
        done = await asyncio.gather(*tasks, return_exceptions=True)
        return [isinstance(each, asyncio.CancelledError) for each in done]

    assert asyncio.run(main()) == [False, False, True, False, False, False]
    assert cpu.in_flight == 0 or cpu.synchronize() is None
