"""Recorded sequences on every device that records, against the same steps launched one by one."""

from __future__ import annotations

import numpy as np
import pytest

from handmade import F32, load, op, pointwise
from scheduled import spelt
from treadle.backends.base import Copy, Region, Replay, Step
from treadle.ir.nodes import Axis, Param

SIZE = 1000
ADD = pointwise(
    op("add", load("a", Axis(0)), Param("by", F32)), inputs={"a": F32}, params=[Param("by", F32)]
)


@pytest.fixture
def backend(device):
    """The backend of a device that records."""
    if not hasattr(device.backend, "record"):
        pytest.skip(f"{device.name} records nothing")
    return device.backend


class Pieces:
    """Memory for a run, and what is in it."""

    def __init__(self, backend, count: int) -> None:
        self.backend = backend
        self.regions = [Region(backend.allocate(4 * SIZE), 0) for _ in range(count)]
        for k, region in enumerate(self.regions):
            backend.write(region, np.full(SIZE, 100 * k, np.float32))

    def values(self) -> list[float]:
        found = []
        for region in self.regions:
            array = np.empty(SIZE, np.float32)
            self.backend.read(region, array)
            assert (array == array[0]).all()
            found.append(float(array[0]))
        return found


def wait(fence) -> None:
    while not fence.done():
        pass
    assert fence.error is None


def sequence(program, pieces: Pieces, order: list[tuple[int, int]], by: float):
    r = pieces.regions
    steps = [Step(program, (r[b], r[a]), (SIZE,), (by,)) for a, b in order]
    return (*steps, Copy(r[-1], r[order[-1][1]], 4 * SIZE))


ROW = [(k, k + 1) for k in range(6)]
DIAMOND = [(0, 1), (0, 2), (1, 3), (2, 4), (3, 5), (4, 6)]
IN_PLACE = [(0, 0)] * 6


def test_recorded_is_as_launched(backend):
    program = backend.compile(spelt(backend, ADD))
    plain, recorded = Pieces(backend, 8), Pieces(backend, 8)
    steps = sequence(program, recorded, ROW, 1.0)
    recording = backend.record(steps)
    assert recording is not None
    # Other values, other places, other hazards, and each again.
    for order, by in [(ROW, 1.0), (ROW, 2.5), (DIAMOND, 2.5), (IN_PLACE, 0.5), (ROW, 1.0)]:
        again = sequence(program, recorded, order, by)
        for _ in range(2):
            wait(backend.launch(sequence(program, plain, order, by), lambda fence: None))
            wait(backend.launch([Replay(recording, again)], lambda fence: None))
            assert recorded.values() == plain.values()


def test_runs_in_a_row_keep_their_order_and_their_memory(backend):
    program = backend.compile(spelt(backend, ADD))
    pieces = Pieces(backend, 8)
    recording = backend.record(sequence(program, pieces, IN_PLACE, 1.0))
    fences = []
    for turn in range(20):
        steps = sequence(program, pieces, IN_PLACE, float(turn))
        after = fences[-1:]
        fences.append(
            backend.launch([Replay(recording, steps)], lambda fence: None, lane=turn, after=after)
        )
    wait(fences[-1])
    assert pieces.values()[0] == 6 * sum(range(20))
