"""When an event loop looks at a desk: a loop that is played, on a clock that the test moves."""

from __future__ import annotations

from functools import partial

import pytest

from runtime.desks import ManualDesk, outcome
from treadle.batching.visits import LoopVisits


class PlayedLoop:
    """What a loop was asked to call, and when."""

    def __init__(self):
        self.soon = []
        self.later = []

    def call_soon(self, call, *arguments):
        self.soon.append(partial(call, *arguments))

    call_soon_threadsafe = call_soon

    def call_later(self, seconds, call):
        self.later.append((seconds, call))

    def round(self):
        """Make the calls of one round; return how many there were."""
        calls, self.soon = self.soon, []
        for call in calls:
            call()
        return len(calls)


@pytest.fixture
def visited():
    """A desk, the loop that visits it, and a way to bring an item."""

    def make(**options):
        it, loop = ManualDesk(**options), PlayedLoop()
        visits = LoopVisits(loop, it.desk, options.get("max_delay", 1.0))

        def bring(value):
            item = it.bring(value, look=False)
            visits.look_soon()
            return item

        return it, loop, bring

    return make


def test_a_loop_looks_at_the_end_of_its_round(visited):
    it, loop, bring = visited()
    bring(1)
    bring(2)
    assert not it.work.started
    assert loop.round() == 1
    assert it.work.values == [[1, 2]]
    assert not loop.later  # nothing waits


def test_it_looks_again_when_an_item_has_waited(visited):
    it, loop, bring = visited(max_in_flight=2, max_delay=0.5)
    bring(1)
    loop.round()
    item, came = bring(2), it.now
    loop.round()
    while it.now < came + 0.5:  # it also looks when the batch under way may have ended
        assert it.work.values == [[1]]
        ((seconds, look),) = loop.later
        loop.later.clear()
        it.now += seconds
        look()
    assert it.now == pytest.approx(came + 0.5)
    assert it.work.values == [[1], [2]]
    it.work.end(index=1)
    assert outcome(item) == 4


@pytest.mark.parametrize("max_delay", [0.0, 1e-4, 0.002])
def test_it_does_not_turn_round_and_round_while_a_batch_is_under_way(visited, max_delay):
    it, loop, bring = visited(max_delay=max_delay)
    bring(1)
    loop.round()
    bring(2)
    loop.round()
    assert loop.round() == 0
    ((seconds, look),) = loop.later
    assert seconds == pytest.approx(max(max_delay, 1e-3))
    for _ in range(3):
        it.now += seconds
        look()
        assert loop.round() == 0
    assert len(loop.later) == 4  # one timer after the other
    it.work.end()
    assert it.work.values == [[2]]


def test_what_is_due_within_a_timers_grain_is_looked_for_in_every_round(visited):
    it, loop, bring = visited(max_in_flight=2, max_delay=2e-4)
    bring(1)
    loop.round()
    bring(2)
    assert loop.round() == 1
    assert loop.round() == 1
    it.now += 2.1e-4
    assert loop.round() == 1
    assert it.work.values == [[1], [2]]
    assert loop.round() == 0


def test_a_loop_that_is_gone_is_not_asked(visited):
    it, loop, _ = visited()
    visits = LoopVisits(loop, it.desk, 1.0)
    del loop
    visits = LoopVisits(PlayedLoop(), it.desk, 1.0)  # which nothing holds
    visits.look_soon()
    assert not visits.runs


class PlayedTask:
    """A task that waits for its answer and, when it runs again, does what the test says."""

    def __init__(self, loop, then=lambda: None):
        self._loop, self._then, self._told = loop, then, False

    def get_loop(self):
        return self._loop

    def done(self):
        return self._told

    def set_result(self, result):
        self._told = True
        self._loop.call_soon(self._then)


def answered(it, loop, count, then):
    """Have a desk answer a batch of tasks, each of which then does something."""
    it.crowd(count, seconds=5.0)
    for value in range(count):
        it.bring(value, look=False, waiter=PlayedTask(loop, then))
    it.desk.advance()
    it.now += 5.0
    it.work.end()


def test_callers_that_were_answered_together_go_together_again(visited):
    it, loop, bring = visited(max_size=99)

    def again():
        it.now += 0.1  # what a task does takes its time: all of them longer than max_delay
        bring(7)

    answered(it, loop, 40, again)
    rounds = 0
    while not it.work.started:
        assert loop.round()
        rounds += 1
    assert it.work.values == [[7] * 40]
    assert rounds > 3  # they were not woken all in one round


def test_a_batch_does_not_wait_for_callers_that_do_not_come_back(visited):
    it, loop, bring = visited(max_size=99)
    ran = []

    def again():
        ran.append(1)
        if len(ran) == 1:
            bring(7)

    answered(it, loop, 40, again)
    while loop.soon:
        assert len(ran) == 40 or it.work.values == []  # until all of them have run
        loop.round()
    assert it.work.values == [[7]]


def test_a_full_batch_does_not_wait_for_the_callers_of_the_last(visited):
    it, loop, bring = visited(max_size=40, max_in_flight=2)
    ran = []

    def again():
        ran.append(1)
        bring(7)

    answered(it, loop, 40, again)
    for _ in range(30):
        it.bring(8, look=False)
    while not it.work.started:
        assert loop.round()
    assert 10 <= len(ran) < 40


def test_looking_waits_for_callers_that_come_back(visited):
    it, loop, bring = visited(max_size=99)
    answered(it, loop, 40, lambda: bring(7))
    looks, advance = [], it.desk.advance
    it.desk.advance = lambda **given: looks.append(1) or advance(**given)
    while not it.work.started:
        assert loop.round()
    assert len(looks) <= 2  # and not one in each round


def test_a_loop_that_stands_still_holds_others_up_for_one_batch_at_most(visited):
    it, stuck, _ = visited(max_size=99)
    answered(it, stuck, 40, lambda: None)
    it.bring(8)
    it.later(1.0)
    assert it.work.values == []
    it.later(5.0)
    assert it.work.values == [[8]]


def test_a_loop_that_is_closed_is_not_waited_for(visited):
    it, loop, _ = visited(max_size=99)

    def closed(*_):
        raise RuntimeError("closed")

    loop.call_soon_threadsafe = closed
    answered(it, loop, 40, lambda: None)
    it.bring(8)
    it.later(1.0)
    assert it.work.values == [[8]]
