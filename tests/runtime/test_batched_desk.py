"""Which items go together, and when: on a clock that the test moves."""

from __future__ import annotations

from collections import deque

import pytest

from runtime.desks import ManualDesk, outcome
from treadle.batching.waitlist import Item, Waitlist
from treadle.errors import CommandCancelled, CommandTimeout, DeviceLost, OutOfMemory
from treadle.runtime.shares import Share


def test_a_caller_that_is_alone_never_waits():
    it = ManualDesk()
    for value in range(5):
        item = it.bring(value)
        assert it.work.values == [[value]]
        it.now += 0.001
        it.work.end()
        assert outcome(item) == 2 * value


def test_what_comes_while_a_batch_is_under_way_goes_together():
    it = ManualDesk()
    first = it.bring(0)
    others = [it.bring(value) for value in range(1, 7)]
    assert it.work.values == [[0]]
    it.work.end()
    assert it.work.values == [[1, 2, 3, 4]]  # no more than max_size
    it.work.end()
    assert it.work.values == [[5, 6]]
    it.work.end()
    assert [outcome(item) for item in (first, *others)] == [0, 2, 4, 6, 8, 10, 12]


def test_items_wait_for_as_many_as_came_lately():
    it = ManualDesk()
    it.crowd(3)
    it.bring(0)
    it.bring(1)
    assert not it.work.started
    it.bring(2)  # now all are there
    assert it.work.values == [[0, 1, 2]]


def test_and_not_longer_than_max_delay():
    it = ManualDesk(max_delay=1.0)
    it.crowd(3, seconds=9.0)
    it.bring(0)
    it.later(0.4)
    it.bring(1)
    it.later(0.59)
    assert not it.work.started
    it.later(0.02)
    assert it.work.values == [[0, 1]]


def test_nor_longer_than_a_batch_takes():
    it = ManualDesk(max_delay=1.0)
    it.crowd(3, seconds=0.25)
    it.bring(0)
    it.later(0.24)
    assert not it.work.started
    it.later(0.02)
    assert it.work.values == [[0]]


def test_nor_where_it_has_become_quiet():
    """Eight times the usual gap without another one: no more are expected."""
    it = ManualDesk(max_delay=1.0)
    for _ in range(20):
        for value in range(3):
            it.bring(value)
            it.now += 0.001
        while it.work.started:
            it.now += 1.0
            it.work.end()
    it.bring(0)
    it.later(0.2)
    assert it.work.values == [[0]]


def test_a_crowd_that_left_is_forgotten_after_a_few_batches():
    it = ManualDesk(max_size=64)
    it.crowd(50, gap=0.2)
    waits = 0
    for value in range(12):
        it.bring(value)
        waits += not it.work.started
        it.later(2.0)
        it.work.end()
    it.bring(0)
    assert it.work.started
    assert 3 <= waits <= 7  # fifty, halved again and again


def test_items_of_different_keys_go_into_different_batches():
    it = ManualDesk(max_in_flight=2)
    it.bring(0, key="a")
    for value, key in ((1, "a"), (2, "b"), (3, "a"), (4, "b")):
        it.bring(value, key=key)
    it.work.end()
    assert it.work.values == [[1, 3], [2, 4]]


def test_a_full_batch_goes_beside_another_and_a_part_of_one_when_it_has_waited():
    it = ManualDesk(max_in_flight=2, max_delay=1.0)
    it.bring(0)
    it.bring_all([1, 2, 3])
    assert it.work.values == [[0]]
    it.bring(4)
    assert it.work.values == [[0], [1, 2, 3, 4]]
    it.work.end(index=1)
    it.bring(5)
    assert it.work.values == [[0]]
    it.later(1.01)
    assert it.work.values == [[0], [5]]
    it.bring(6)
    it.later(5.0)  # two are under way
    assert it.work.values == [[0], [5]]
    it.work.end()
    assert it.work.values == [[5], [6]]


def test_the_urgent_go_first_then_those_with_the_nearest_deadline():
    it = ManualDesk(max_size=2)
    it.bring(0)
    it.bring(1, rank=2)
    it.bring(2)
    it.bring(3, due=it.now + 50)
    it.bring(4, due=it.now + 5)
    it.bring(5, rank=0)
    order = []
    while it.work.started:
        order += it.work.values
        it.work.end()
    assert order == [[0], [5, 4], [3, 2], [1]]


def test_submitters_take_turns_as_often_as_their_weight_says():
    it = ManualDesk(max_size=4)
    it.bring(0)
    for value in range(12):
        it.bring(f"a{value}", weight=("a", 1.0))
    for value in range(12):
        it.bring(f"b{value}", weight=("b", 3.0))
    it.work.end()
    assert sorted(it.work.values[0]) == ["a0", "b0", "b1", "b2"]


def test_submitters_that_were_idle_start_level_with_the_others_whatever_was_urgent():
    waitlist, shares = Waitlist(), {"a": Share("a", 0.1, None), "b": Share("b", 1.0, None)}
    shares["late"] = Share("late", 1.0, None)

    def put(key, name, rank=1):
        waitlist.put(Item(key, None, 1, came=0.0, rank=rank, share=shares[name]))

    put("other", "a")  # so that what each has had is remembered
    put("k", "a", rank=0)
    put("k", "b")
    waitlist.drop_all(waitlist.next_of("k", 9))
    put("l", "a")
    for _ in range(20):
        put("l", "late")
    assert "a" in [item.share.name for item in waitlist.next_of("l", 12)]


def test_an_item_whose_deadline_passed_fails_and_the_others_go_on():
    it = ManualDesk()
    it.bring(0)
    late = it.bring(1, due=it.now + 1)
    good = it.bring(2, due=it.now + 10)
    it.later(2.0)
    it.work.end()
    assert isinstance(outcome(late), CommandTimeout)
    assert it.work.values == [[2]]
    it.work.end()
    assert outcome(good) == 4
    assert it.stats.report().late == 1


def test_one_item_that_fails_fails_alone():
    it = ManualDesk(max_size=8)
    it.bring(-1)
    items = it.bring_all(range(8))
    it.work.end()
    sizes = []
    while it.work.started:
        sizes.append(len(it.work.values[0]))
        it.work.end(bad=lambda value: value == 5)
    assert sizes == [8, 4, 4, 2, 2, 1, 1]
    found = [outcome(item) for item in items]
    assert found[:5] + found[6:] == [0, 2, 4, 6, 8, 12, 14]
    assert str(found[5]) == "bad: [5]"
    report = it.stats.report()
    assert (report.items, report.failed, report.retried) == (9, 1, 6)


def test_without_retry_all_fail_each_with_an_error_of_its_own():
    it = ManualDesk(retry=False)
    it.bring(-1)
    items = it.bring_all(range(3))
    it.work.end()
    it.work.end(bad=lambda value: value == 1)
    assert not it.work.started
    errors = [outcome(item) for item in items]
    assert [str(error) for error in errors] == ["bad: [1]"] * 3
    assert len({id(error) for error in errors}) == 3


@pytest.mark.parametrize(
    "error, again",
    [(DeviceLost("gone"), False), (OutOfMemory("full"), True), (CommandCancelled("no"), False)],
)
def test_only_what_may_be_an_items_fault_is_tried_again(error, again):
    it = ManualDesk()
    it.bring(-1)
    items = it.bring_all(range(2))
    it.work.end()
    it.work.started.pop().end(error=error)
    assert bool(it.work.started) is again
    assert all(item.settled for item in items) is not again


def test_parts_are_tried_again_before_others_go():
    it = ManualDesk()
    it.bring(-1)
    it.bring_all(range(4))
    it.work.end()
    it.bring_all([10, 11, 12, 13])
    it.work.end(bad=lambda value: value == 0)
    order = []
    while it.work.started:
        order += it.work.values
        it.work.end(bad=lambda value: value == 0)
    assert order == [[0, 1], [2, 3], [0], [1], [10, 11, 12, 13]]


def test_who_leaves_hurts_no_other():
    it = ManualDesk()
    it.bring(-1)
    waiting = it.bring_all(range(4))
    it.desk.leave(waiting[1])
    it.work.end()
    assert it.work.values == [[0, 2, 3]]
    it.desk.leave(waiting[2])  # under way
    assert not it.work.abandoned
    it.work.end()
    assert [outcome(waiting[k]) for k in (0, 3)] == [0, 6]
    assert not waiting[2].settled
    assert it.desk.empty


def test_a_batch_that_all_have_left_is_abandoned():
    it = ManualDesk()
    items = it.bring_all([0, 1])
    for item in items:
        it.desk.leave(item)
    assert len(it.work.abandoned) == 1
    it.work.started.pop().end(error=CommandCancelled("dropped"))
    assert it.desk.empty


def test_who_left_is_not_tried_again():
    it = ManualDesk()
    it.bring(-1)
    items = it.bring_all(range(3))
    it.work.end()
    it.desk.leave(items[0])
    it.work.end(bad=lambda value: value == 0)
    assert it.work.values == [[1, 2]]


def test_closing_has_everything_go_at_once():
    it = ManualDesk(max_delay=50.0)
    it.crowd(3)
    items = it.bring_all([0, 1])
    assert not it.work.started
    it.desk.closing = True
    it.desk.advance()
    it.work.end()
    assert [outcome(item) for item in items] == [0, 2]


def test_dropping_refuses_what_is_in_no_batch():
    it = ManualDesk()
    first, *others = [it.bring(value) for value in range(3)]
    it.desk.tell(it.desk.drop)
    assert all(isinstance(outcome(item), CommandCancelled) for item in others)
    it.work.end()
    assert outcome(first) == 0
    assert it.desk.empty


def test_a_start_that_fails_fails_its_items():
    it = ManualDesk(retry=False)

    def refuse(batch):
        raise DeviceLost("gone")

    it.work.start = refuse
    assert isinstance(outcome(it.bring(1)), DeviceLost)
    assert it.desk.empty


def test_an_event_loop_starts_one_batch_in_a_round():
    """Where batches are done when they are started, a round would else take as long as all."""
    it = ManualDesk(max_size=2)
    it.work.start = lambda batch: batch.end([2 * item.leaves for item in batch.items])
    items = [it.bring(value, look=False) for value in range(6)]
    for count in (2, 4, 6):
        it.look_once()
        assert sum(item.settled for item in items) == count
        assert it.desk.looks_at == (it.now if count < 6 else float("inf"))
    assert [outcome(item) for item in items] == [0, 2, 4, 6, 8, 10]


def test_but_what_is_to_be_tried_again_is_in_the_same():
    """No caller is left to look for it."""
    it = ManualDesk()

    def refuse(batch):
        raise ValueError(len(batch.items))

    it.work.start = refuse
    items = [it.bring(value, look=False) for value in range(4)]
    it.look_once()
    assert [str(outcome(item)) for item in items] == ["1"] * 4
    assert it.desk.empty


def test_an_end_that_is_told_twice_is_one():
    it = ManualDesk()
    item = it.bring(1)
    batch = it.work.started[0]
    it.work.end()
    batch.end(error=ValueError("later"))
    assert outcome(item) == 2
    assert it.stats.report().batches == 1


def test_a_call_from_inside_is_left_to_the_one_that_is_at_it():
    """A finalizer may bring an item wherever the desk is."""
    it = ManualDesk()
    start = it.work.start
    inner = []

    def start_and_bring(batch):
        start(batch)
        if not inner:
            assert it.desk.is_here
            inner.append(it.bring(7))
            assert it.work.values == [[1]]

    it.work.start = start_and_bring
    it.bring(1)
    it.work.end()
    it.work.end()
    assert outcome(inner[0]) == 14


@pytest.mark.parametrize("place", ["_come", "_gather", "_go", "_settle", "end"])
def test_ctrl_c_in_a_change_loses_no_item(monkeypatch, place):
    it = ManualDesk()
    real = getattr(it.desk, place)
    broken = []

    def interrupted(*args, **options):
        found = real(*args, **options)
        if not broken:
            broken.append(place)
            raise KeyboardInterrupt
        return found

    items = []
    monkeypatch.setattr(it.desk, place, interrupted)
    monkeypatch.setattr(it.desk._rescue, "call", lambda: None)  # the next caller goes on
    for value in range(3):
        try:
            items.append(it.bring(value))
        except KeyboardInterrupt:
            items.append(None)
    for _ in range(5):
        it.desk.advance()
        if it.work.started:
            try:
                it.work.end()
            except KeyboardInterrupt:
                it.desk.advance()
    assert broken == [place]
    assert [outcome(item) for item in items if item] == [
        2 * value for value, item in enumerate(items) if item
    ]
    assert it.desk.empty


def test_ctrl_c_before_a_batch_is_started_has_it_started_again(monkeypatch):
    it = ManualDesk()
    monkeypatch.setattr(it.desk._rescue, "call", lambda: None)
    start, broken = it.work.start, []

    def interrupted(batch):
        if not broken:
            broken.append(batch)
            raise KeyboardInterrupt
        start(batch)

    it.work.start = interrupted
    with pytest.raises(KeyboardInterrupt):
        it.bring(1)
    it.desk.advance()
    assert it.work.values == [[1]]


def test_a_second_ctrl_c_does_not_hide_what_the_first_broke(monkeypatch):
    it = ManualDesk()
    start, broken = it.desk._start, []

    def interrupted(batch):
        if not broken:
            broken.append(batch)
            raise KeyboardInterrupt
        start(batch)

    def interrupted_too():
        raise KeyboardInterrupt

    monkeypatch.setattr(it.desk, "_start", interrupted)
    monkeypatch.setattr(it.desk, "_leave_to_others", interrupted_too)
    with pytest.raises(KeyboardInterrupt):
        it.bring(1)
    it.desk.advance()
    assert it.work.values == [[1]]


def test_ctrl_c_while_an_item_is_accepted_leaves_nothing_at_the_desk():
    """Should a second one keep the caller from taking it back, closing would wait for good."""

    class Interrupted(deque):
        def append(self, item):
            raise KeyboardInterrupt

    it = ManualDesk()
    it.desk._arrivals = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        it.bring(1)
    it.desk._arrivals = deque()
    it.desk.advance()
    assert it.desk.empty
