"""A kernel that was prepared: checked and bound once, submitted many times."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

import treadle
from runtime.shared import times


@pytest.fixture
def x():
    with treadle.use_device("cpu"):
        yield treadle.buffer(np.arange(6, dtype=np.float32))


def test_it_runs_as_submit_does(x):
    out = treadle.empty(6)
    step = treadle.prepare("scale", x, out, scalar=2.0)
    command = step.submit()
    assert command.kernel == treadle.submit("scale", x, scalar=2.0).kernel
    assert command.wait().output is out
    assert out.read_list() == [0, 2, 4, 6, 8, 10]
    x.write(np.ones(6, np.float32))
    assert step.run() is out
    assert out.read_list() == [2] * 6


def test_an_output_is_made_where_there_is_none(x):
    step = treadle.prepare(times, [x], k=3.0)
    first, second = step.run(), step.run()
    assert first is second
    assert first.read_list() == [0, 3, 6, 9, 12, 15]
    values, places = treadle.prepare("top_k", x.reshape(1, 6), k=2).run()
    assert values.read_list() == [[5, 4]]
    assert places.read_list() == [[5, 4]]


def test_parameters_and_buffers_can_be_changed(x):
    step = treadle.prepare("scale", x, scalar=2.0)
    out = step.run()
    step.set("scale", scalar=5.0)
    assert step.run() is out
    assert out.read_list() == [0, 5, 10, 15, 20, 25]


def test_it_is_ordered_by_data_with_other_commands(x):
    step = treadle.prepare("scale", x, x, scalar=2.0)
    for _ in range(5):
        step.submit()
        treadle.submit("scale", x, x, scalar=0.5)
    assert x.read_list() == [0, 1, 2, 3, 4, 5]


def test_it_can_be_awaited(x):
    step = treadle.prepare("neg", x)

    async def main():
        return [await step.submit() for _ in range(3)]

    assert asyncio.run(main())[2].read_list() == [0, -1, -2, -3, -4, -5]


def test_what_is_wrong_is_said_when_it_is_prepared(x):
    with pytest.raises(treadle.LaunchError, match="no kernel is named 'scal'"):
        treadle.prepare("scal", x)
    with pytest.raises(treadle.LaunchError, match="inputs"):
        treadle.prepare("scale", 3.0, scalar=2.0)
    with pytest.raises(treadle.LaunchError, match="output"):
        treadle.prepare("scale", x, treadle.empty(5), scalar=2.0)
    step = treadle.prepare("neg", x)
    x.free()
    with pytest.raises(treadle.BufferFreed):
        step.submit()
