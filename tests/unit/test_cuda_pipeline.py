"""Pipelines on CUDA from the API to the driver's calls, on a GPU that is only pretended."""

from __future__ import annotations

import pytest

import treadle
from pretend_cuda import pretended

TRIPS = 2000  # too much to be computed inside what reads it


@treadle.pointwise(static=("trips",))
def left(x, *, trips=TRIPS):
    total = x
    for _ in range(trips):
        total = total * 0.5 + 1.0
    return total


@treadle.pointwise(static=("trips",))
def right(x, *, trips=TRIPS):
    total = x
    for _ in range(trips):
        total = total * 0.25 + 3.0
    return total


@pytest.fixture
def cuda(monkeypatch, tmp_path):
    device, runtime, library = pretended(monkeypatch, tmp_path)
    yield device, runtime, library
    runtime.happen()
    device.close()


def diamond(device):
    """Two branches that read the same and meet at the end."""
    x, out = device.empty(1000), device.empty(1000)
    p = treadle.pipeline(device, name="diamond")
    p.add(left, x)
    first = p.last
    p.add(right, x)
    return p.add("add", [first, p.last], out)


def test_branches_are_nodes_side_by_side(cuda):
    device, _, library = cuda
    p = diamond(device)
    p.run()
    assert [group.stages for group in p.plan().groups] == [(0,), (1,), (2,)]
    first, second, last = library.edges
    assert library.edges == {first: [], second: [], last: [first, second]}
    assert set(library.kinds.values()) == {"kernel"}


def test_a_run_is_one_launch_and_one_event(cuda):
    device, runtime, library = cuda
    p = diamond(device)
    p.run()
    runtime.calls.clear()
    library.launches.clear()
    commands = [p.submit() for _ in range(3)]
    treadle.wait_all(commands)
    assert len(library.launches) == 3
    assert len({stream for _, stream in library.launches}) == 1  # always on the same lane
    assert [what for what, *_ in runtime.calls] == ["record"] * 3


def test_runs_in_flight_come_after_each_other_on_one_lane(cuda):
    device, runtime, library = cuda
    p = diamond(device)
    p.run()
    runtime.held = True
    runtime.calls.clear()
    commands = [p.submit() for _ in range(3)]
    assert [command.status for command in commands] == ["running"] * 3
    assert len(library.launches) >= 4
    assert not [call for call in runtime.calls if call[0] == "wait"]  # a lane keeps order itself
    runtime.happen()
    treadle.wait_all(commands)


def test_a_trace_shows_branches_that_overlap(cuda):
    device, _, library = cuda
    p = diamond(device)
    p.run()
    plain = dict(library.edges)
    with treadle.trace() as trace:
        p.run()
    (command,) = [r for r in trace.records if r.kind == "command"]
    groups = {r.label: r for r in trace.records if r.kind == "group"}
    assert set(groups) == {"left", "right", "elementwise_add"}
    assert command.steps == 3
    one, two, last = groups.values()
    assert all(r.number == command.number for r in groups.values())
    assert max(one.start, two.start) < min(one.stop, two.stop)
    assert last.start >= max(one.stop, two.stop) - 1000  # times are floats of milliseconds
    assert abs((one.stop - one.start) - library.takes) < 1000
    # Events stand around each kernel, and no branch waits for the other.
    kernels = [node for node, kind in library.kinds.items() if kind == "kernel"]
    assert len(kernels) == len(plain) == 3
    assert len(library.events) == 6
    for node in kernels[:2]:
        (start,) = library.edges[node]
        assert library.edges[start] == []
    (start,) = library.edges[kernels[2]]
    assert library.edges[start] == kernels[:2]
    rows = {e["args"]["name"] for e in trace.to_dict()["traceEvents"] if e["name"] == "thread_name"}
    assert {"compute", "groups 0", "groups 1"} <= rows


def test_without_a_trace_the_graph_has_no_events(cuda):
    device, _, library = cuda
    p = diamond(device)
    p.run()
    with treadle.trace():
        p.run()
    before = library.launches[0][0]
    p.run()
    assert library.launches[-1][0] == before
    assert library.launches[1][0] != before


def test_of_runs_that_overlap_the_first_is_told_by_steps(cuda):
    device, runtime, library = cuda
    p = diamond(device)
    p.run()
    with treadle.trace() as trace:
        p.run()  # the clock is aligned while events still happen
        runtime.held = True
        commands = [p.submit(), p.submit()]
        runtime.happen()
        treadle.wait_all(commands)
        p.run()
    numbers = [r.number for r in trace.records if r.kind == "group"]
    assert commands[0].id in numbers
    assert commands[1].id not in numbers
    assert len(set(numbers)) == 3
    assert len([r for r in trace.records if r.kind == "command"]) == 4
    assert len({instance for instance, _ in library.launches}) == 2


def test_what_the_driver_refuses_ends_the_run_and_no_other(cuda, monkeypatch):
    device, _, _ = cuda
    p = diamond(device)
    p.run()
    launch = device.backend._graphs.launch
    recording = p._now.prepared._scratch.recording
    monkeypatch.setattr(recording, "_launch", lambda instance, stream: 2)
    with pytest.raises(treadle.CommandFailed, match="cuGraphLaunch reported error 2"):
        p.run()
    monkeypatch.setattr(recording, "_launch", launch)
    p.run()
    with treadle.trace() as trace:
        p.run()
        twin = recording._twin
        monkeypatch.setattr(twin, "_launch", lambda instance, stream: 2)
        with pytest.raises(treadle.CommandFailed):
            p.run()
        assert not twin.unread
        monkeypatch.setattr(twin, "_launch", launch)
        p.run()
    assert [r.status for r in trace.records if r.kind == "command"].count("failed") == 1
    assert len([r for r in trace.records if r.kind == "group"]) == 6
