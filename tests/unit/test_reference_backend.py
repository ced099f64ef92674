"""The reference device: the same contract, executed by the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

from handmade import F32, f32, load, op, pointwise
from scheduled import spelt
from treadle.backends.base import DONE, Copy, Region, Step
from treadle.backends.reference import ReferenceBackend
from treadle.errors import DeviceLost, OutOfMemory
from treadle.ir.nodes import Axis, Param

KERNEL = pointwise(
    op("add", op("mul", load("a", Axis(0)), Param("p", F32)), f32(1)),
    inputs={"a": F32},
    params=[Param("p", F32)],
)


def never(fence):
    raise AssertionError("a finished launch is not signalled")


def test_kernels_and_copies_run_before_launch_returns():
    backend = ReferenceBackend()
    program = backend.compile(spelt(backend, KERNEL))
    a, out = backend.allocate(32), backend.allocate(32)
    backend.write(Region(a, 0), np.arange(8, dtype=np.float32))
    steps = [
        Copy(Region(out, 0), Region(a, 0), 32),
        Step(program, (Region(out, 8), Region(a, 8)), (6,), (2.0,)),
    ]
    assert backend.launch(steps, never) is DONE
    got = np.zeros(8, np.float32)
    backend.read(Region(out, 0), got)
    assert got.tolist() == [0, 1, 5, 7, 9, 11, 13, 15]
    assert backend.view(Region(out, 8), 4).view(np.float32)[0] == 5


def test_in_place():
    backend = ReferenceBackend()
    program = backend.compile(spelt(backend, KERNEL))
    array = np.arange(4, dtype=np.float32)
    memory = backend.adopt(array)
    backend.launch([Step(program, (Region(memory, 0), Region(memory, 0)), (4,), (3.0,))], never)
    assert array.tolist() == [1, 4, 7, 10]


def test_errors_are_in_the_fence():
    backend = ReferenceBackend()
    program = backend.compile(spelt(backend, KERNEL))
    memory = backend.allocate(16)
    regions = (Region(memory, 0), Region(memory, 0))
    fence = backend.launch([Step(program, regions, (4,), ())], never)
    assert fence.done()
    assert isinstance(fence.error, ValueError)


def test_memory_that_does_not_exist_and_closing():
    backend = ReferenceBackend()
    with pytest.raises(OutOfMemory):
        backend.allocate(1 << 60)
    assert backend.adopt(np.zeros((4, 4), np.float32)[:, :2]) is None
    assert backend.trim() == 0
    assert backend.info().backend == "reference"
    backend.close()
    with pytest.raises(DeviceLost):
        backend.launch([], never)
