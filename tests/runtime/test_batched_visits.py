"""When an event loop looks at a desk: a loop that is played, on a clock that the test moves."""

from __future__ import annotations

import pytest

from runtime.desks import ManualDesk, outcome
from treadle.batching.visits import LoopVisits


class PlayedLoop:
    """What a loop was asked to call, and when."""

    def __init__(self):
        self.soon = []
        self.later = []

    def call_soon(self, call):
        self.soon.append(call)

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
    item = bring(2)
    loop.round()
    ((seconds, look),) = loop.later
    assert seconds == 0.5
    it.now += seconds
    look()
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
