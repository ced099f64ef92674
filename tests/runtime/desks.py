"""A desk whose clock and work a test moves by hand: what it shows, it shows every time."""

from __future__ import annotations

import math

from treadle.batching.desk import Desk
from treadle.batching.report import BatchStats
from treadle.batching.waitlist import Item
from treadle.runtime.shares import Share


class ManualWork:
    """Batches that were started, until the test ends them."""

    def __init__(self):
        self.started = []
        self.abandoned = []

    def start(self, batch):
        self.started.append(batch)

    def abandon(self, batch):
        self.abandoned.append(batch)

    def end(self, bad=lambda value: False, index=0):
        """Compute a batch, the oldest unless said otherwise: every item's double, or an error."""
        batch = self.started.pop(index)
        values = [item.leaves for item in batch.items]
        wrong = [value for value in values if bad(value)]
        if wrong:
            batch.end(error=ValueError(f"bad: {wrong}"))
        else:
            batch.end([2 * value for value in values])

    @property
    def values(self):
        """What the batches under way hold."""
        return [[item.leaves for item in batch.items] for batch in self.started]


class ManualDesk:
    """A desk, its work, and a clock that stands still."""

    def __init__(self, *, max_size=4, max_delay=1.0, max_in_flight=1, **options):
        self.now = 100.0
        self.stats = BatchStats(max_size)
        self.work = ManualWork()
        self.desk = Desk(
            "doubled",
            self.work,
            self.stats,
            max_size=max_size,
            max_delay=max_delay,
            max_in_flight=max_in_flight,
            clock=lambda: self.now,
            **options,
        )

    def bring(self, value, key="k", *, look=True, weight=None, due=math.inf, **options):
        """Bring one item; its submitter is named by `weight`: ("a", 2.0)."""
        share = None if weight is None else Share(*weight, None)
        item = Item(key, value, 1, came=self.now, due=due, share=share, **options)
        self.desk.add(item)
        if look:
            self.desk.advance()
        return item

    def look_once(self):
        """Look as an event loop does, which starts no more than one batch in a round."""
        self.desk.advance(most=1)

    def bring_all(self, values, **options):
        """Bring items at the same moment."""
        items = [self.bring(value, look=False, **options) for value in values]
        self.desk.advance()
        return items

    def later(self, seconds):
        """Let time pass, and look when the desk asked for that."""
        until = self.now + seconds
        while self.desk.looks_at <= until:
            self.now = max(self.now, self.desk.looks_at)
            self.desk.advance()
        self.now = until
        self.desk.advance()

    def crowd(self, count, seconds=1.0, gap=0.0):
        """Have the desk learn that as many come at once, to batches that take so long."""
        for _ in range(3):
            for value in range(count):
                self.bring(value, look=False)
                self.now += gap
            self.desk.advance()
            while self.work.started:
                self.now += seconds
                self.work.end()
        assert self.desk.empty


def outcome(item):
    """What an item's caller gets."""
    assert item.settled
    return item.error if item.error is not None else item.result[item.part]
