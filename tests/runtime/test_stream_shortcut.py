"""The short way: a plain loop over batches that lie ready feeds the device itself."""

from __future__ import annotations

import asyncio
import threading

import numpy as np
import pytest

import treadle
from runtime.played import PATIENCE, Diary, Loop, assert_nothing_left, batch, complete
from runtime.shared import ready_device, times
from treadle.runtime import shares
from treadle.streaming import tuning
from treadle.streaming.tuning import Shortcut
from treadle.streaming.window import Window

QUICK = {"feeding": tuning._QUICK, "consuming": tuning._BRIEF}


def observe(short, *, feeding=0, consuming=0, ended=True, count=1):
    for _ in range(count):
        short.observe(feeding, consuming, ended=ended)
    return short.active


def test_it_is_left_for_a_device_that_computes_by_itself_and_taken_again_after_a_streak():
    short = Shortcut(possible=True)
    assert short.active
    assert not observe(short, ended=False)
    assert not observe(short, count=tuning._STREAK - 1)
    assert observe(short)
    assert not observe(short, ended=False)


@pytest.mark.parametrize("what", ["feeding", "consuming"])
def test_it_is_left_for_what_takes_long_but_not_for_one_hiccup(what):
    short = Shortcut(possible=True)
    slow = {what: QUICK[what] + 1}
    assert observe(short, **QUICK)
    assert observe(short, **slow, count=tuning._SLOW - 1)
    assert observe(short, **QUICK)
    assert observe(short, **slow, count=tuning._SLOW - 1)
    assert not observe(short, **slow)
    assert not observe(short, count=tuning._STREAK - 1)
    assert observe(short)


def test_it_is_never_taken_where_it_is_not_possible():
    assert not observe(Shortcut(possible=False), count=100)


def launching_threads(device) -> list[threading.Thread]:
    """The threads that launch from now on, as they do."""
    threads, launch = [], device.backend.launch

    def noted(*given, **options):
        threads.append(threading.current_thread())
        return launch(*given, **options)

    device.queue._launch_on = noted
    return threads


def numbers(count=20):
    return [batch(n) for n in range(count)]


@pytest.fixture
def patient(monkeypatch):
    """However slow the machine is just now, nothing counts as slow."""
    monkeypatch.setattr(tuning, "_QUICK", 10**12)
    monkeypatch.setattr(tuning, "_BRIEF", 10**12)


def test_no_thread_is_needed_where_all_is_done_at_once(inline, patient):
    threads = launching_threads(inline)
    stream = treadle.stream(numbers(), compute=times, device=inline)
    assert [float(r[0]) for r in stream] == [2.0 * n for n in range(20)]
    assert threads == [threading.current_thread()] * 20
    assert stream.report.batches == 20


@pytest.mark.parametrize(
    "options",
    [
        {"prepare": np.copy},
        {"collect": np.sum},
        {"latest": True},
        {"batches": (b for b in numbers())},
        {"compute": lambda x: treadle.submit(times, [x])},
    ],
    ids=["prepare", "collect", "latest", "generator", "function"],
)
def test_what_users_give_runs_on_threads_of_the_streams(inline, patient, options):
    given = {"batches": numbers(), "compute": times, **options}
    threads = launching_threads(inline)
    assert list(treadle.stream(given.pop("batches"), device=inline, **given))
    assert threading.current_thread() not in threads


def test_an_event_loop_feeds_nothing(inline, patient):
    threads = launching_threads(inline)

    async def main():
        return [float(r[0]) async for r in treadle.stream(numbers(), compute=times, device=inline)]

    assert asyncio.run(main()) == [2.0 * n for n in range(20)]
    assert threading.current_thread() not in threads


def test_who_feeds_may_change_and_nothing_is_lost(patient):
    device, backend = ready_device()
    pending = iter([True] * 3 + [False] * 12 + [True] * 2 + [False] * 8)
    launch = backend.launch

    def sometimes(*given, **options):
        backend._inline = not next(pending)
        return launch(*given, **options)

    backend.launch = device.queue._launch_on = sometimes
    stream = treadle.stream(numbers(25), compute=times, device=device)
    loop = Loop(stream)
    complete(backend, 5)
    assert [float(r[0]) for r in loop.end()] == [2.0 * n for n in range(25)]
    assert_nothing_left(device, backend)
    device.close()


def test_closing_waits_for_a_consumer_that_feeds(patient):
    device, backend = ready_device(inline=True)
    diary, go = Diary(), threading.Event()
    launch = backend.launch

    def held(*given, **options):
        diary.note("launching")
        assert go.wait(PATIENCE)
        return launch(*given, **options)

    device.queue._launch_on = held
    stream = treadle.stream(numbers(), compute=times, device=device)
    loop = Loop(stream)
    diary.expect("launching")
    closer = threading.Thread(target=stream.close)
    closer.start()
    while not stream._engine._window.closing:
        closer.join(0.0005)
    assert closer.is_alive()
    go.set()
    closer.join(PATIENCE)
    assert not closer.is_alive()
    assert len(loop.end()) <= 1
    assert_nothing_left(device, backend)
    device.close()


def test_ctrl_c_while_it_feeds_is_raised_and_leaves_nothing(patient):
    device, backend = ready_device(inline=True)
    launch, left = backend.launch, iter([False] * 3 + [True])

    def interrupted(*given, **options):
        if next(left):
            raise KeyboardInterrupt
        return launch(*given, **options)

    device.queue._launch_on = interrupted
    seen = []

    def consume():
        for result in treadle.stream(numbers(), compute=times, device=device):
            seen.append(float(result[0]))

    try:
        consume()
    except KeyboardInterrupt as error:
        error.__traceback__ = None  # its frames hold what they were about
    else:
        pytest.fail("it was not raised")
    assert seen == [0.0, 2.0, 4.0]
    assert_nothing_left(device, backend)
    device.close()


def test_a_consumer_that_feeds_waits_for_room_in_a_full_queue(patient):
    device, backend = ready_device(inline=True)
    device.max_in_flight = 1
    submit, refused = device.submit, iter([True, False, True, True])

    def full(*given, **options):
        if next(refused, False):
            raise treadle.QueueFull("full")
        return submit(*given, **options)

    device.submit = full
    threads = launching_threads(device)
    stream = treadle.stream(numbers(5), compute=times, device=device)
    assert [float(r[0]) for r in stream] == [2.0 * n for n in range(5)]
    assert set(threads) == {threading.current_thread()}
    device.submit = submit
    del stream
    assert_nothing_left(device, backend)
    device.close()


def test_feeders_wait_while_the_consumer_feeds():
    """Else they fill the window between its look at it and its asking, and nobody makes room."""
    window = Window(depth=1, max_bytes=None, ordered=True, collects=False)
    asked, fed = [], []
    feeder = threading.Thread(target=lambda: asked.append(window.ask(lambda: False)), daemon=True)

    def feed():
        feeder.start()
        while not window._room._waiters:  # the feeder has looked, and waits
            assert not asked
        fed.append(window.ask(lambda: False))
        window.enter(None)

    window.drive(feed)
    assert fed == [True]
    feeder.join(PATIENCE)
    assert asked == [False]  # the source has ended


def test_what_a_claimed_run_writes_is_not_there_before_it_ends(make_manual, monkeypatch):
    monkeypatch.setattr(shares, "used", False)  # else nothing is claimed
    device, backend = make_manual(signals=True)
    x = device.buffer(np.ones(3, np.float32))
    p = treadle.pipeline(device)
    y = device.empty(3)
    p.add(times, x, y, k=2.0)
    runs = []
    for _ in range(2):  # the first one waits for its plan
        runs.append(p.submit())
        backend.expect(1)
        backend.complete_all()
    runs += [p.submit() for _ in range(2)]  # claimed
    assert not y._storage.writers
    assert not y.ready
    while backend.pending:
        backend.complete_all()
    for run in runs:
        run.wait(PATIENCE)
    assert y.ready
