"""Random arrivals, ends, failures and departures: each caller gets its own result or error."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.desks import ManualDesk, outcome

bring = st.tuples(
    st.just("bring"),
    st.integers(0, 2),  # key
    st.booleans(),  # good
    st.sampled_from([0, 1, 2]),  # rank
    st.sampled_from([None, ("a", 1.0), ("b", 3.0)]),
    st.sampled_from([None, 0.5, 5.0]),  # seconds until it has to be taken up
    st.booleans(),  # looked at at once
)
steps = st.lists(
    st.one_of(
        bring,
        bring,
        st.tuples(st.just("end"), st.integers(0, 3)),
        st.tuples(st.just("leave"), st.integers(0, 30)),
        st.tuples(st.just("later"), st.sampled_from([0.0001, 0.3, 2.0])),
    ),
    max_size=40,
)


@settings(max_examples=200, deadline=None)
@given(steps, st.integers(1, 5), st.integers(1, 3), st.booleans())
def test_each_caller_gets_its_own(steps, max_size, max_in_flight, retry):
    it = ManualDesk(max_size=max_size, max_in_flight=max_in_flight, retry=retry)
    items, held, due, left = [], [], {}, set()

    def bad(value):
        return not value[2]

    def check():
        for batch in it.work.started:
            assert len({item.key for item in batch.items}) == 1
            assert len(batch.items) <= max_size
        assert len(it.work.started) <= max_in_flight

    for step in steps:
        if step[0] == "bring":
            _, key, good, rank, weight, seconds, look = step
            value = Value((len(items), key, good))
            moment = float("inf") if seconds is None else it.now + seconds
            item = it.bring(value, key, rank=rank, weight=weight, due=moment, look=look)
            items.append(item)
            held.append(value)
            due[item] = seconds
        elif step[0] == "end" and it.work.started:
            it.work.end(bad, step[1] % len(it.work.started))
        elif step[0] == "leave" and items:
            item = items[step[1] % len(items)]
            if not item.settled and item not in left:
                left.add(item)
                it.desk.leave(item)
        elif step[0] == "later":
            it.later(step[1])
        check()
    it.desk.closing = True
    it.desk.advance()
    while it.work.started:
        check()
        it.work.end(bad)
    assert it.desk.empty
    answered = 0
    for item, (number, key, good) in zip(items, held, strict=True):
        if item in left:
            assert not item.settled
            continue
        found = outcome(item)
        if isinstance(found, TimeoutError):
            assert due[item] is not None
            continue
        answered += 1
        if good and (retry or not isinstance(found, ValueError)):
            assert found == 2 * Value((number, key, good))
        else:
            assert isinstance(found, ValueError)
            if retry:  # blamed for itself alone
                assert str(found) == f"bad: [{Value((number, key, good))!r}]"
    report = it.stats.report()
    assert report.items == answered


class Value(tuple):
    """What an item holds; twice it is itself, with a mark."""

    __slots__ = ()

    def __rmul__(self, factor):
        return (factor, *self)
