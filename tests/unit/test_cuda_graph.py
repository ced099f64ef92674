"""Recorded sequences: edges from hazards, and what a replay changes. A driver that takes notes."""

from __future__ import annotations

import ctypes
import struct
from types import SimpleNamespace

import pytest

from handmade import F32, load, op, pointwise
from treadle.backends.base import Copy, Program, Region, Step
from treadle.backends.cuda.graph import CopyNode, KernelNode, Recording, conflicts
from treadle.backends.cuda.memory import DeviceMemory
from treadle.backends.cuda.program import Arguments
from treadle.errors import DeviceError
from treadle.ir.nodes import Axis

SUM = pointwise(op("add", load("a", Axis(0)), load("b", Axis(0))), inputs={"a": F32, "b": F32})
SIZE = 100


class Graphs:
    """As backends.cuda.graph.Graphs, without a driver."""

    def __init__(self):
        self.nodes = {}  # node: (what, those before it)
        self.sets = []  # (node, what) in order
        self.built = 0
        self.runs = []
        self.status = 0  # of every launch
        self.gone = []

    def create(self):
        self.nodes = {}
        self.built += 1
        return 1000 + self.built

    def add_kernel(self, graph, after, node):
        return self._add(packed(node), after)

    def add_copy(self, graph, after, node):
        return self._add(("copy", node.target.device, node.source.device, node.width), after)

    def _add(self, what, after):
        number = len(self.nodes) + 1
        self.nodes[number] = (what, sorted(after))
        return number

    def instantiate(self, graph):
        return graph + 1000

    def set_kernel(self, instance, node, values):
        self.sets.append((node, packed(values)))

    def set_copy(self, instance, node, values):
        self.sets.append((node, ("copy", values.target.device, values.source.device, values.width)))

    def launch(self, instance, stream):
        self.runs.append((instance, stream))
        return self.status

    def destroy(self, graph, instance):
        self.gone += [graph] * bool(graph)


def packed(node):
    """What a node would run: its function, blocks and the argument block as it is now."""
    pointers = ctypes.cast(node.arguments, ctypes.POINTER(ctypes.c_void_p))
    block = ctypes.cast(pointers[0], ctypes.POINTER(ctypes.c_uint64))
    return (node.function, node.grid[0], node.block[0], node.shared, tuple(block[:4]))


class Sized:
    """What a program makes of sizes; argument blocks hold addresses and scratch."""

    def __init__(self, calls=((7, 3, 64, 1, 0),), scratch=0):
        self.calls, self.scratch = calls, scratch

    def arguments(self):
        return Arguments(32)

    def pack(self, step, scratch, into):
        places = [memory.address + offset for memory, offset in step.regions]
        struct.pack_into("=4Q", into.block, 0, *places, scratch)


class Pool:
    def allocate(self, nbytes):
        return SimpleNamespace(address=0xF000, nbytes=nbytes)


def program(**facts):
    sized = Sized(**facts)
    return Program(SUM, SimpleNamespace(prepare=lambda dims: sized))


def at(number):
    """A piece of memory of its own."""
    return Region(DeviceMemory(number * 0x1000, 0x1000, None), 0)


ADD = program()


def add(out, a, b, of=ADD):
    return Step(of, (out, a, b), (SIZE,), ())


A, B, C, D, E, F = map(at, range(1, 7))


def before(graphs):
    return {node: after for node, (_, after) in graphs.nodes.items()}


@pytest.mark.parametrize(
    "steps, expected",
    [
        ((add(C, A, B), add(D, C, A)), [[], [0]]),  # reads what was written
        ((add(C, A, B), add(A, D, D)), [[], [0]]),  # writes what was read
        ((add(C, A, B), add(C, D, D)), [[], [0]]),  # writes again
        ((add(C, A, B), add(D, A, B)), [[], []]),  # reads together
        ((add(C, A, B), Copy(E, C, 400), add(F, E, E)), [[], [0], [1]]),
        ((add(Region(C.memory, 400), A, B), add(D, C, C)), [[], []]),  # beside, not over
        ((add(Region(C.memory, 396), A, B), add(D, C, C)), [[], [0]]),
    ],
)
def test_conflicts(steps, expected):
    assert conflicts(steps) == expected


def test_independent_branches_share_no_edge():
    graphs = Graphs()
    steps = (add(C, A, B), add(D, A, A), add(E, B, B), add(F, D, E), add(A, F, C))
    Recording(graphs, Pool(), steps)
    assert before(graphs) == {1: [], 2: [], 3: [], 4: [2, 3], 5: [1, 4]}


def test_an_edge_that_follows_from_others_is_left_out():
    graphs = Graphs()
    Recording(graphs, Pool(), (add(A, A, A), add(A, A, A), add(A, A, A)))
    assert before(graphs) == {1: [], 2: [1], 3: [2]}


def test_a_step_of_several_launches_is_a_row_of_nodes():
    graphs = Graphs()
    two = program(calls=((7, 3, 64, 1, 0), (8, 1, 32, 1, 512)), scratch=64)
    Recording(graphs, Pool(), (add(C, A, B, two), add(D, C, C)))
    assert before(graphs) == {1: [], 2: [1], 3: [2]}
    assert graphs.nodes[2][0] == (8, 1, 32, 512, (0x3000, 0x1000, 0x2000, 0xF000))


def test_a_step_that_launches_nothing_passes_order_on():
    graphs = Graphs()
    empty = program(calls=())
    Recording(graphs, Pool(), (add(C, A, B), add(D, C, C, empty), add(E, D, D)))
    assert before(graphs) == {1: [], 2: [1]}


def test_the_same_steps_again_change_nothing():
    graphs = Graphs()
    steps = (add(C, A, B), Copy(D, C, 400))
    recording = Recording(graphs, Pool(), steps)
    for _ in range(3):
        recording.launch(steps, 5)
    assert graphs.sets == []
    assert graphs.runs == [(2001, 5)] * 3


def test_other_regions_are_set_where_they_changed():
    graphs = Graphs()
    recording = Recording(graphs, Pool(), (add(C, A, B), add(D, C, C), Copy(E, D, 400)))
    other = (add(C, F, B), add(D, C, C), Copy(F, D, 400))
    recording.launch(other, 5)
    # The copy now writes what the first step reads; the edges order them already.
    assert graphs.built == 1
    assert graphs.sets == [
        (1, (7, 3, 64, 0, (0x3000, 0x6000, 0x2000, 0))),
        (3, ("copy", 0x6000, 0x4000, 400)),
    ]
    graphs.sets.clear()
    recording.launch(other, 5)
    assert graphs.sets == []


def test_a_new_hazard_builds_the_graph_again():
    graphs = Graphs()
    recording = Recording(graphs, Pool(), (add(C, A, B), add(D, A, B)))
    assert before(graphs) == {1: [], 2: []}
    recording.launch((add(C, A, B), add(D, C, B)), 5)
    assert graphs.built == 2
    assert graphs.gone == [1001]
    assert before(graphs) == {1: [], 2: [1]}
    assert graphs.runs == [(2002, 5)]
    # The older order needs fewer edges, which the new graph has.
    recording.launch((add(C, A, B), add(D, A, B)), 5)
    assert graphs.built == 2


def test_what_was_not_recorded_is_refused():
    recording = Recording(Graphs(), Pool(), (add(C, A, B),))
    with pytest.raises(DeviceError, match="asked to run 2"):
        recording.launch((add(C, A, B), add(D, A, B)), 5)
    with pytest.raises(DeviceError, match="step 0"):
        recording.launch((Step(ADD, (C, A, B), (SIZE + 1,), ()),), 5)


def test_a_routine_of_a_library_is_not_recorded():
    assert Recording.of(Graphs(), Pool(), (add(C, A, B),)) is None
    assert Recording.of(Graphs(), Pool(), (Copy(B, A, 4),)) is not None


def test_what_the_driver_refuses_is_raised():
    graphs = Graphs()
    steps = (add(C, A, B),)
    recording = Recording(graphs, Pool(), steps)
    graphs.status = 700
    with pytest.raises(RuntimeError, match="cuGraphLaunch reported error 700"):
        recording.launch(steps, 5)


def test_the_graph_goes_with_the_recording():
    graphs = Graphs()
    recording = Recording(graphs, Pool(), (add(C, A, B),))
    del recording
    assert graphs.gone == [1001]


def test_structures_are_laid_out_as_the_driver_expects():
    assert ctypes.sizeof(KernelNode) == 72
    assert (KernelNode.shared.offset, KernelNode.arguments.offset) == (32, 40)
    assert ctypes.sizeof(CopyNode) == 200
    assert (CopyNode.target.offset, CopyNode.width.offset) == (88, 176)
