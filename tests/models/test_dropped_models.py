"""A network goes with the last reference to it, and not before what uses it has gone too."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from functools import partial

import numpy as np
import pytest

import treadle
from networks import HALVED, RELU, network
from treadle.lang import registry

X = np.array([[-1.0, 2.0, 3.0], [4.0, -5.0, 6.0]], np.float32)
ABOVE = np.maximum(X, 0)
PATIENCE = 30


@pytest.fixture
def cpu():
    with treadle.use_device("cpu") as device:
        yield device


def load(text: str = RELU, **options):
    """A model, and an event for when what holds its network's memory goes."""
    model, went = treadle.model(network(text), **options), threading.Event()
    weakref.finalize(model._session, went.set)
    return model, went


def goes(went) -> bool:
    """Whether it goes. A thread that has had to do with its last run may be on its way out of what
    it called, so the collector looks again until it has gone."""
    for _ in range(PATIENCE * 100):
        gc.collect()
        if went.wait(0.01):
            return True
    return False


def calling(model):
    """A traced function that calls it."""
    return treadle.pipeline(lambda x: model(x))


def each_way(model, device):
    model(X)
    asyncio.run(model.run_async(X))
    model.submit(device.buffer(X)).wait()
    calling(model)(device.buffer(X))
    treadle.batched(model).run(X[0])
    pipeline = treadle.pipeline()
    pipeline.add(model, [device.buffer(X)], device.empty(X.shape)).run()


def test_it_goes_when_it_is_dropped_however_it_was_used(cpu):
    model, went = load()
    each_way(model, cpu)
    cpu.synchronize()
    del model
    assert goes(went)


def test_it_goes_without_the_collector(cpu):
    model, went = load(HALVED)
    model(X)
    cpu.synchronize()
    gc.disable()
    try:
        del model
        assert went.wait(PATIENCE)
    finally:
        gc.enable()


def test_models_after_each_other_are_not_mistaken_for_one_another(cpu):
    """They have the same name, ports and, some of them, address."""
    for turn in range(12):
        sign = ("Relu", "Neg")[turn % 2]
        model, went = load(f"(float[N, 3] x) => (float[N, 3] y) {{ y = {sign}(x) }}")
        traced = calling(model)
        for made in (model(X), traced(cpu.buffer(X))):
            np.testing.assert_array_equal(made.to_numpy(), -X if turn % 2 else ABOVE)
        cpu.synchronize()
        del model, traced, made
        assert goes(went)


def test_a_recorded_pipeline_keeps_it(cpu):
    model, went = load()
    pipeline = treadle.pipeline()
    x, y = pipeline.buffer("x", cpu.buffer(X)), pipeline.buffer("y", cpu.empty(X.shape))
    pipeline.add("scalar_mul", [x], scalar=2.0).add(model, [pipeline.last], y)
    del model
    gc.collect()
    np.testing.assert_array_equal(pipeline.run().to_numpy(), 2 * ABOVE)
    more, wider = cpu.buffer(np.repeat(X, 3, axis=0)), cpu.empty((6, 3))
    pipeline.run(bind={"x": more, "y": wider})
    np.testing.assert_array_equal(wider.to_numpy(), 2 * np.repeat(ABOVE, 3, axis=0))
    cpu.synchronize()
    del pipeline
    assert goes(went)


def test_a_traced_function_keeps_what_only_it_has_loaded(cpu):
    seen = []

    @treadle.pipeline
    def classify(x):
        model, went = load()
        seen.append(went)
        return treadle.run_kernel("scalar_mul", [model(x)], scalar=2.0)

    for rows in (2, 3, 4):
        x = np.ones((rows, 3), np.float32)
        gc.collect()
        np.testing.assert_array_equal(classify(cpu.buffer(x)).to_numpy(), 2 * x)
        command = classify.submit(cpu.buffer(x))
        gc.collect()
        np.testing.assert_array_equal(command.wait().output.to_numpy(), 2 * x)
    cpu.synchronize()
    del classify, command
    gc.collect()
    assert seen
    assert all([goes(went) for went in seen])


@pytest.mark.parametrize("planned", [False, True])
@pytest.mark.parametrize("way", ["submit", "recorded", "traced"])
def test_a_submitted_command_keeps_it_until_it_has_ended(cpu, way, planned):
    go = threading.Event()

    @treadle.host(name="_held_back")
    def held_back(out, x):
        assert go.wait(PATIENCE)
        out[...] = x

    model, went = load()
    x, y = cpu.buffer(X), cpu.empty(X.shape)
    pipeline = treadle.pipeline().add(model, [x], y)
    traced = calling(model)
    submit = {
        "submit": partial(model.submit, x),
        "recorded": pipeline.submit,
        "traced": partial(traced.submit, x),
    }[way]
    if planned:
        submit().wait()
    before = cpu.submit(held_back, [cpu.buffer(X)], x)
    command = submit()
    del model, pipeline, traced, submit
    gc.collect()
    assert not went.is_set()
    go.set()
    np.testing.assert_array_equal(command.wait(PATIENCE).output.to_numpy(), ABOVE)
    before.wait()
    cpu.synchronize()
    assert goes(went)  # although the command is still here


def test_one_that_has_a_name_is_kept_by_it(cpu):
    model, went = load(name="_kept_by_name")
    del model
    gc.collect()
    made = cpu.run_kernel("_kept_by_name", [cpu.buffer(X)])
    np.testing.assert_array_equal(made.to_numpy(), ABOVE)
    cpu.synchronize()
    registry.forget(registry.lookup("_kept_by_name"))
    assert goes(went)
