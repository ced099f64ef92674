"""Items that wait for a batch, and the order in which they get into one.

In: items with a key, as callers bring them. Out: the next ones to go together: of one key, the most
urgent first, then those whose deadline is nearest, then those whose submitter has had the least for
its weight. When a batch goes is not known here.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Hashable
from typing import Any

from treadle.runtime.shares import Share

__all__ = ["Item", "Waitlist"]


class Item:
    """What one caller brought, and what became of it."""

    __slots__ = (
        "batch",
        "came",
        "due",
        "error",
        "key",
        "leaves",
        "left",
        "number",
        "part",
        "rank",
        "result",
        "settled",
        "share",
        "size",
        "tag",
        "waiter",
    )

    def __init__(
        self,
        key: Hashable,
        leaves: Any,
        size: int,
        *,
        came: float,
        due: float = math.inf,
        rank: int = 1,
        share: Share | None = None,
        waiter: Any = None,
    ) -> None:
        self.key = key
        self.leaves = leaves
        self.size = size  # 1, or its rows
        self.came = came
        self.due = due  # the moment by which it has to be started
        self.rank = rank
        self.share = share
        self.waiter = waiter  # told once that it is settled; see runtime/waiters.py
        self.number = 0  # among those that waited
        self.tag = 0.0  # its submitter's turn
        self.batch: Any = None  # that it is in
        self.part: int | slice = 0  # of the batch's results
        self.left = False  # its caller no longer waits
        self.settled = False
        self.result: Any = None  # the batch's
        self.error: BaseException | None = None

    @property
    def order(self) -> tuple[int, float, float, int]:
        """The smallest goes first."""
        return self.rank, self.due, self.tag, self.number


class Waitlist:
    """Items that wait, by key."""

    def __init__(self) -> None:
        self._heaps: dict[Hashable, list[tuple[tuple[int, float, float, int], Item]]] = {}
        self._there: dict[Hashable, dict[Item, None]] = {}  # the oldest first
        self._sizes: dict[Hashable, int] = {}
        self._tags: dict[str, float] = {}  # by submitter: how much it has had, for its weight
        self._now = 0.0  # the tag of what went last
        self._count = 0
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def __contains__(self, item: Item) -> bool:
        return item in self._there.get(item.key, ())

    def has(self, key: Hashable) -> bool:
        """Whether items of a key wait."""
        return key in self._there

    def size_of(self, key: Hashable) -> int:
        """How much waits of one key."""
        return self._sizes.get(key, 0)

    def oldest_of(self, key: Hashable) -> float:
        """When the item of a key came that has waited longest."""
        return next(iter(self._there[key])).came

    def put(self, item: Item) -> None:
        """Add an item; a second time does nothing."""
        if item in self:
            return
        name, weight = ("", 1.0) if item.share is None else (item.share.name, item.share.weight)
        # One that was idle starts level with the others: what it did not use is gone.
        item.tag = max(self._tags.get(name, 0.0), self._now) + item.size / weight
        self._tags[name] = item.tag
        self._count = item.number = self._count + 1
        heapq.heappush(self._heaps.setdefault(item.key, []), (item.order, item))
        self._there.setdefault(item.key, {})[item] = None
        self._sizes[item.key] = self._sizes.get(item.key, 0) + item.size
        self._length += 1

    def drop(self, item: Item) -> None:
        """Remove an item, if it is there."""
        items = self._there.get(item.key, {})
        if item not in items:
            return
        del items[item]
        self._length -= 1
        self._sizes[item.key] -= item.size
        if not items:
            for table in (self._there, self._heaps, self._sizes):
                table.pop(item.key, None)
        if not self._there:
            self._tags.clear()  # none waits: all submitters start level
            self._now = 0.0

    def in_order(self) -> list[Hashable]:
        """The keys of which items wait, the one whose first item is the most urgent first."""
        if len(self._there) < 2:  # most often
            return list(self._there)
        heads = []
        for key, heap in self._heaps.items():
            while heap[0][1] not in self:
                heapq.heappop(heap)
            heads.append((heap[0][0], key))
        return [key for _, key in sorted(heads, key=lambda head: head[0])]

    def next_of(self, key: Hashable, most: int) -> list[Item]:
        """Return the next items of a key, as many as fit, to be dropped; one that is larger goes
        alone."""
        heap = self._heaps.get(key, [])
        found: list[Item] = []
        size = 0
        while heap:
            item = heap[0][1]
            if item in self:
                if found and size + item.size > most:
                    break
                found.append(item)
                size += item.size
                self._now = max(self._now, item.tag)
            heapq.heappop(heap)
        return found

    def mend(self) -> None:
        """Put the order right after Ctrl-C broke a change off: what is there is what counts."""
        self._heaps = {
            key: sorted((item.order, item) for item in items) for key, items in self._there.items()
        }
        self._sizes = {key: sum(item.size for item in items) for key, items in self._there.items()}
        self._length = sum(len(items) for items in self._there.values())
