"""Sharing a device: urgency, fairness between submitters, deadlines, saving power."""

from __future__ import annotations

import threading

import pytest

import treadle
from runtime.shared import times, vector


def drain(backend, names):
    """Complete one launch after the other; return whose they were, in order."""
    order = []
    while backend.pending:
        (launch,) = backend.pending[:1]
        key = launch.steps[0].regions[-1].memory
        order.append(names[id(key)])
        backend.complete(launch)
    return order


def submit(device, names, who, count, **options):
    commands = []
    for _ in range(count):
        a = vector(device, 1, 2)
        names[id(a._storage.region.memory)] = who
        command = device.submit(times, [a], **options)
        commands.append((a, command))
    return commands


@pytest.mark.parametrize("options", [{"lanes": 1}, {"ordered": True}, {"signals": False}, {}])
def test_submitters_take_turns_however_much_one_has_queued(make_manual, options):
    device, backend = make_manual(**options)
    device.max_running = 1
    names: dict = {}
    with treadle.submitter("greedy"):
        kept = submit(device, names, "g", 8)
    with treadle.submitter("modest"):
        kept += submit(device, names, "m", 3)
    order = []
    while len(order) < len(kept):
        backend.expect(1)  # where completion is polled for, the next comes a little later
        order += drain(backend, names)
    device.synchronize()
    assert "".join(order[:7]) in ("ggmgmgm", "gmgmgmg")
    assert sorted(order) == ["g"] * 8 + ["m"] * 3
    assert all(command.status == "completed" for _, command in kept)


def test_a_weight_is_how_often_a_submitter_has_its_turn(make_manual):
    device, backend = make_manual(lanes=1)
    names: dict = {}
    kept = []
    for who, weight in (("a", 1.0), ("b", 3.0)):
        with treadle.submitter(who, weight=weight):
            kept += submit(device, names, who, 12)
    order = drain(backend, names)
    assert 8 <= order[:12].count("b") <= 10
    del kept


def test_submitters_share_an_unbounded_device_too(manual):
    device, backend = manual
    names: dict = {}
    kept = []
    for who in "gm":
        with treadle.submitter(who):
            kept += submit(device, names, who, 6)
    assert len(backend.pending) == 2  # enough to keep it supplied; the others wait their turn
    order = "".join(drain(backend, names))
    assert order.startswith(("gggmgm", "ggmgm", "ggmmg"))
    free = submit(device, names, "x", 3)  # nobody's: launched at once, as ever
    assert len(backend.pending) == 3
    drain(backend, names)
    del kept, free


def test_interactive_work_overtakes_what_is_queued(make_manual):
    device, backend = make_manual(lanes=1)
    names: dict = {}
    kept = submit(device, names, "b", 5, priority="background")
    kept += submit(device, names, "n", 2)
    kept += submit(device, names, "i", 1, priority="interactive")
    assert drain(backend, names) == ["b", "i", "n", "n", "b", "b", "b", "b"]
    del kept


def test_the_nearest_deadline_comes_first_and_a_missed_one_fails(make_manual, monkeypatch):
    now = [100.0]
    monkeypatch.setattr("treadle.runtime.shares.perf_counter", lambda: now[0])
    device, backend = make_manual(lanes=1)
    names: dict = {}
    kept = submit(device, names, "first", 1)
    for who, deadline in (("late", 9.0), ("soon", 2.0), ("missed", 0.5)):
        with treadle.submitter("camera", deadline=deadline):
            kept += submit(device, names, who, 1)
    now[0] += 1.0
    assert drain(backend, names) == ["first", "soon", "late"]
    missed = kept[-1][1]
    assert missed.status == "failed"
    with pytest.raises(treadle.CommandFailed, match="deadline passed before it could start"):
        missed.wait()


def test_saving_power_limits_concurrency_and_rests_in_between(manual):
    device, backend = manual
    pace = device.queue.graph.pace
    now = [0.0]
    wanted = []
    pace.clock = lambda: now[0]
    pace.later = lambda seconds, call: wanted.append((seconds, call))
    device.power_saving = True
    assert (device.max_running, device.duty_cycle, device.power_saving) == (1, 0.5, True)
    names: dict = {}
    kept = submit(device, names, "n", 3)
    assert len(backend.pending) == 1
    now[0] += 2.0
    backend.complete()
    assert backend.pending == []  # it ran for two seconds, so it rests for two
    ((seconds, resume),) = wanted
    assert seconds == pytest.approx(2.0)
    kept += submit(device, names, "i", 1, priority="interactive")
    assert [names[id(x.steps[0].regions[-1].memory)] for x in backend.pending] == ["i"]
    backend.complete()
    assert backend.pending == []
    now[0] += 2.0
    resume()
    assert len(backend.pending) == 1
    device.power_saving = False  # and what waited goes on
    backend.complete_all()
    assert all(command.status == "completed" for _, command in kept)
    assert not device.power_saving


def test_a_lane_is_free_again_when_somebody_asks_before_the_poller(make_manual):
    device, backend = make_manual(ordered=True, signals=False)
    device.max_running = 1
    a = vector(device, 1, 2)
    first, second = device.submit(times, [a]), device.submit(times, [a])
    backend.complete()
    assert first.poll() == "completed"
    backend.expect(1)
    backend.complete()
    second.wait()


@pytest.mark.parametrize(
    "wrong, message",
    [
        (lambda d: treadle.submitter(""), "name: expected a string"),
        (lambda d: treadle.submitter("x", weight=0), "weight: expected"),
        (lambda d: treadle.submitter("x", deadline=-1), "deadline: expected"),
        (lambda d: setattr(d, "max_running", 0), "max_running: expected"),
        (lambda d: setattr(d, "duty_cycle", 1.5), "duty_cycle: expected"),
    ],
)
def test_wrong_settings_are_refused(manual, wrong, message):
    with pytest.raises(treadle.LaunchError, match=message):
        wrong(manual[0])
    assert "weight 2" in repr(treadle.submitter("x", weight=2))


def test_a_device_does_not_rest_where_no_thread_could_end_the_pause(manual, monkeypatch):
    device, backend = manual

    def refused(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    device.duty_cycle = 0.001
    a = vector(device, 1)
    commands = [device.submit(times, [a], a) for _ in range(3)]
    assert backend.complete_all() == 3
    assert [command.status for command in commands] == ["completed"] * 3
