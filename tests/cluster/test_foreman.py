"""What goes to which worker, whom is blamed, and that each batch is answered once."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hands import Hand, ManualCrew
from treadle.cluster.crew import Lost, Refused
from treadle.cluster.parcel import pack
from treadle.cluster.worker import Reply
from treadle.errors import BatchError, ClusterError, LaunchError

A, B, C = "worker-1", "worker-2", "worker-3"


def test_batches_go_to_whoever_has_least_and_wait_for_room():
    hand = Hand(2).submit(5)
    assert (hand.has(A), hand.has(B)) == ([0, 2], [1, 3])  # two for each
    hand.done(B, 3)
    assert hand.has(B) == [1, 4]
    assert hand.result(3) == (B, 3)
    assert hand.answered == [3]


def test_what_fails_is_tried_elsewhere_and_three_times():
    hand = Hand(2).submit(1)
    hand.fails(A, 0).fails(B, 0)
    assert not hand.answered
    assert len(hand.crew.given) == 1
    hand.fails(*hand.crew.given[0], KeyError("the third"))
    with pytest.raises(BatchError, match="the third") as failed:
        hand.result(0)
    assert failed.value.phase == "prepare"
    assert isinstance(failed.value.__cause__, KeyError)
    assert hand.submit(1).done(A, 1).result(1) == (A, 1)  # the others go on


def test_a_second_attempt_that_works_is_the_answer():
    hand = Hand(2).submit(1).fails(A, 0)
    assert hand.crew.given == [(B, 0)]
    assert hand.done(B, 0).result(0) == (B, 0)


def test_one_worker_tries_again_itself():
    hand = Hand(1).submit(1).fails(A, 0)
    assert hand.done(A, 0).result(0) == (A, 0)


def test_a_worker_that_dies_is_replaced_and_what_it_had_is_run_alone():
    hand = Hand(2).submit(4).dies(A)
    assert hand.crew.started == [A, B, C]
    assert hand.crew.ended == [A]  # also where only the way to it was lost
    assert hand.has(C) == [0]  # a suspect, alone; 2 waits for an empty worker
    hand.done(B, 1)
    assert hand.has(B) == [3]  # is kept for 2, and gets nothing beside what it has
    hand.done(B, 3)
    assert hand.has(B) == [2]
    hand.done(C, 0).done(B, 2)
    assert hand.answered == [0, 1, 2, 3]


def test_the_batch_that_kills_is_found_and_its_neighbours_are_not_blamed():
    hand = Hand(2).submit(2).submit(2)
    poison, workers = 2, 0
    for _ in range(100):
        if not hand.crew.given:
            break
        worker, batch = hand.crew.given[0]
        if poison in hand.has(worker):
            hand.dies(worker, f"death {workers}")
            workers += 1
        else:
            hand.done(worker, batch)
    assert [hand.result(batch)[1] for batch in (0, 1, 3)] == [0, 1, 3]
    with pytest.raises(BatchError, match="death 3"):
        hand.result(poison)
    assert workers == 4  # once among others, and three times alone


def test_a_suspect_shares_its_worker_with_nothing():
    hand = Hand(1).submit(2).dies(A)
    hand.submit(2)
    worker = hand.crew.started[-1]
    assert hand.has(worker) == [0]
    hand.done(worker, 0)
    assert hand.has(worker) == [1]
    hand.done(worker, 1)
    assert hand.has(worker) == [2, 3]


def test_a_death_after_failures_counts_with_them():
    hand = Hand(1).submit(1).fails(A, 0).fails(A, 0).dies(A, "out of memory")
    with pytest.raises(BatchError, match="out of memory") as failed:
        hand.result(0)
    assert isinstance(failed.value.__cause__, ClusterError)
    assert isinstance(failed.value.__cause__.__cause__, ValueError)


def test_a_reply_that_is_lost_on_the_way_is_nobodys_fault():
    hand = Hand(1).submit(1)
    for _ in range(5):
        hand.missed(A, 0)
    assert hand.done(A, 0).result(0) == (A, 0)


def slow(hand):
    """Let others show how long a batch takes: a second."""
    hand.submit(4)
    hand.turn(1.0)
    for worker, batch in list(hand.crew.given)[1:]:
        hand.done(worker, batch)
    return hand


def test_a_straggler_is_started_elsewhere_and_the_first_result_counts():
    hand = slow(Hand(2, straggler=4.0))
    assert hand.crew.given == [(A, 0)]
    assert hand.foreman.turn() == 3.0  # four times as long as the others took
    hand.turn(2.9)
    assert hand.crew.given == [(A, 0)]
    hand.turn(0.1)
    assert hand.crew.given == [(A, 0), (B, 0)]
    hand.done(B, 0)
    assert hand.crew.withdrawn == [(A, 0)]
    assert hand.result(0) == (B, 0)
    hand.done(A, 0)  # too late
    assert hand.result(0) == (B, 0)


def test_the_straggler_may_still_be_first():
    hand = slow(Hand(2)).turn(4.0)
    hand.done(A, 0)
    assert hand.crew.withdrawn == [(B, 0)]
    assert hand.result(0) == (A, 0)


def test_a_straggler_that_fails_leaves_its_second_run():
    hand = slow(Hand(2)).turn(4.0)
    hand.fails(A, 0)
    assert hand.crew.given == [(B, 0)]
    assert hand.done(B, 0).result(0) == (B, 0)


def test_nothing_is_started_twice_without_stragglers():
    hand = slow(Hand(2, straggler=None))
    assert hand.foreman.turn() is None
    assert hand.turn(1e6).crew.given == [(A, 0)]


def test_a_worker_that_hangs_is_ended_and_replaced_without_blame():
    hand = slow(Hand(2)).turn(4.0).done(B, 0)
    hand.submit(1)
    assert hand.has(B) == [4]  # A has something that nobody wants: nothing goes behind it
    hand.done(B, 4)
    hand.turn(60.0)
    assert hand.crew.ended == [A]
    hand.dies(A)
    assert hand.crew.started[-1] == C
    assert hand.answered == [0, 1, 2, 3, 4]


def test_what_is_withdrawn_is_not_answered():
    hand = Hand(1).submit(3)
    hand.foreman.withdraw(0)  # it runs
    hand.foreman.withdraw(2)  # it waits
    hand.turn()
    assert hand.crew.withdrawn == [(A, 0)]
    hand.done(A, 0).done(A, 1)
    assert hand.answered == [1]
    assert not hand.crew.given


def test_versions_that_differ_are_refused_by_name():
    crew = ManualCrew(theirs={"python": "3.9", "numpy": "1.0"})
    hand = Hand(crew=crew).submit(1)
    with pytest.raises(
        ClusterError, match=r"worker-1 on here .* python 3\.9 there, .*; numpy 1\.0"
    ):
        hand.result(0)


def test_a_handler_that_cannot_be_made_is_everybodys_error():
    class Refusing(ManualCrew):
        def equip(self, worker, make):
            reply = Reply("failed", pack(LaunchError("no kernel 'rellu'"), "it"), "start")
            self.post(Refused(worker, reply))

    hand = Hand(crew=Refusing()).submit(1)
    with pytest.raises(LaunchError, match="rellu"):
        hand.result(0)


def test_workers_that_do_not_start_are_given_up():
    class Failing(ManualCrew):
        def start(self, worker):
            self.started.append(worker)
            self.post(Lost(worker, "no memory"))

    hand = Hand(1, crew=Failing(1)).submit(1).turn()
    assert len(hand.crew.started) == 3
    with pytest.raises(ClusterError, match="no worker starts: no memory"):
        hand.result(0)


def test_a_crew_that_cannot_be_opened_says_why():
    class Closed(ManualCrew):
        def open(self, post):
            raise ClusterError("no cluster")

    hand = Hand(crew=Closed()).submit(1)
    with pytest.raises(ClusterError, match="no cluster"):
        hand.result(0)
    with pytest.raises(ClusterError, match="no cluster"):
        hand.foreman.call()


def test_progress_by_worker():
    hand = Hand(2).submit(3).dies(B)
    assert [(each.name, each.state, each.under_way) for each in hand.foreman.workers()] == [
        (A, "working", 2), (B, "gone", 0), (C, "working", 1),
    ]  # fmt: skip


def test_a_reply_that_was_overtaken_takes_nothing_back():
    hand = Hand(1).submit(2)
    hand.reply(A, 1, tally=2).reply(A, 0, tally=1)
    assert [worker.batches for worker in hand.foreman.workers()] == [2]


def test_nothing_more_comes_beside_a_suspect_that_another_worker_has_too():
    hand = Hand(2, depth=2).submit(4)
    for worker, batch in list(hand.crew.given)[:3]:
        hand.done(worker, batch)
    hand.turn(9.0)
    (batch,) = {batch for _, batch in hand.crew.given}
    first, second = (worker for worker, _ in hand.crew.given)
    hand.dies(first).submit(2)
    assert hand.has(second) == [batch]


steps = st.lists(st.tuples(st.sampled_from("sdfmkt"), st.integers(0, 99)), max_size=60)


@given(steps=steps, count=st.integers(1, 3), depth=st.integers(1, 3))
@settings(max_examples=150, deadline=None)
def test_whatever_happens_each_batch_is_answered_once(steps, count, depth):
    hand = Hand(count, depth=depth)
    suspects, before = set(), set()  # what was under way when it became one stays there

    def look():
        for worker in {worker for worker, _ in hand.crew.given}:
            has = hand.has(worker)
            assert len(has) <= depth
            beside = {batch for batch in suspects & set(has) if (worker, batch) not in before}
            assert len(has) == 1 or not beside

    for what, number in steps:
        given = hand.crew.given
        worker, batch = given[number % len(given)] if given else ("", -1)
        match what:
            case "s":
                hand.submit(1 + number % 3)
            case "t":
                hand.turn(number / 3)
            case "d" if given:
                hand.done(worker, batch)
            case "f" if given:
                hand.fails(worker, batch)
            case "m" if given:
                hand.missed(worker, batch)
            case "k" if given:
                found = set(hand.has(worker))
                suspects |= found
                before |= {(held, batch) for held, batch in given if batch in found}
                hand.dies(worker)
        look()
    while hand.crew.given:
        hand.done(*hand.crew.given[0])
        look()
    assert all(len(heard) == 1 for heard in hand.answers.values())
