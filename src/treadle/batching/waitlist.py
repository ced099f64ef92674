"""Items that wait for a batch, and the order in which they get into one.

In: items with a key, as callers bring them. Out: the next ones to go together: of one key, the most
urgent first, then those whose deadline is nearest, then those whose submitter has had the least for
its weight. When a batch goes is not known here.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from heapq import heappop, heappush
from typing import Any

from treadle.batching.telling import CallerWaits
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
        "part",
        "rank",
        "result",
        "settled",
        "share",
        "size",
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
        waiter: CallerWaits | None = None,
    ) -> None:
        self.key = key
        self.leaves = leaves
        self.size = size  # 1, or its rows
        self.came = came
        self.due = due  # the moment by which it has to be started
        self.rank = rank
        self.share = share
        self.waiter = waiter  # told that it is settled
        self.batch: Any = None  # that it is in
        self.part: int | slice = 0  # of the batch's results
        self.left = False  # its caller no longer waits
        self.settled = False
        self.result: Any = None  # the batch's
        self.error: BaseException | None = None


class _Line:
    """The items of one key."""

    __slots__ = ("heap", "items", "size", "sorted")

    def __init__(self) -> None:
        self.heap: list[tuple[int, float, float, int, Item]] = []  # the next one first
        self.items: dict[Item, None] = {}  # the oldest first; those of the heap that count
        self.size = 0  # how much they are: items, or their rows
        self.sorted = True  # the heap is in order as a whole: most often all came as they go


class Waitlist:
    """Items that wait, by key."""

    def __init__(self) -> None:
        self._lines: dict[Hashable, _Line] = {}
        self._tags: dict[str, float] = {}  # by submitter: how much it has had, for its weight
        self._now = 0.0  # the tag of what went last
        self._count = 0
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def has(self, key: Hashable) -> bool:
        """Whether items of a key wait."""
        return key in self._lines

    def size_of(self, key: Hashable) -> int:
        """How much waits of one key."""
        return self._lines[key].size

    def oldest_of(self, key: Hashable) -> float:
        """When the item of a key came that has waited longest."""
        return next(iter(self._lines[key].items)).came

    def put(self, item: Item) -> None:
        """Add an item; a second time does nothing."""
        line = self._lines.get(item.key)
        if line is None:
            line = self._lines[item.key] = _Line()
        if item in line.items:
            return
        name, weight = "", 1.0
        if item.share is not None:
            name, weight = item.share.name, item.share.weight
        # One that was idle starts level with the others: what it did not use is gone.
        tag = self._tags.get(name, self._now)
        tag = self._tags[name] = (tag if tag > self._now else self._now) + item.size / weight
        self._count += 1
        entry, heap = (item.rank, item.due, tag, self._count, item), line.heap
        line.sorted = not heap or (line.sorted and heap[-1] < entry)
        if line.sorted:
            heap.append(entry)
        else:
            heappush(heap, entry)
        line.items[item] = None
        line.size += item.size
        self._length += 1

    def drop(self, item: Item) -> None:
        """Remove an item, if it is there."""
        line = self._lines.get(item.key)
        if line is not None and item in line.items:
            self._remove(line, (item,))

    def drop_all(self, items: Sequence[Item]) -> None:
        """Remove items of one key, those that are there."""
        line = self._lines.get(items[0].key)
        if line is not None:
            self._remove(line, [item for item in items if item in line.items])

    def _remove(self, line: _Line, items: Sequence[Item]) -> None:
        if len(items) == len(line.items):
            line.items.clear()
        else:
            for item in items:
                del line.items[item]
                line.size -= item.size
        self._length -= len(items)
        if not line.items:
            self._lines.pop(items[0].key if items else None, None)
        if not self._lines:
            self._tags.clear()  # none waits: all submitters start level
            self._now = 0.0

    def in_order(self) -> list[Hashable]:
        """The keys of which items wait, the one whose first item is the most urgent first."""
        if len(self._lines) < 2:  # most often
            return list(self._lines)
        heads = []
        for key, line in self._lines.items():
            while line.heap[0][4] not in line.items:
                heappop(line.heap)
                line.sorted = False
            heads.append((line.heap[0][:4], key))
        return [key for _, key in sorted(heads, key=lambda head: head[0])]

    def next_of(self, key: Hashable, most: int) -> list[Item]:
        """Return the next items of a key, as many as fit, to be dropped; one that is larger goes
        alone."""
        line = self._lines[key]
        heap, there = line.heap, line.items
        found: list[Item] = []
        size = 0
        if line.sorted and len(heap) == len(there) and line.size <= most:
            found = [entry[4] for entry in heap]
            self._now = max(self._now, *[entry[2] for entry in heap])
            heap.clear()
            return found
        line.sorted = False
        while heap:
            _, _, tag, _, item = heap[0]
            if item in there:
                size += item.size
                if found and size > most:
                    break
                found.append(item)
                self._now = max(self._now, tag)
            heappop(heap)
        return found

    def mend(self) -> None:
        """Put the order right after Ctrl-C broke a change off: what is there is what counts."""
        for key, line in list(self._lines.items()):
            if not line.items:
                del self._lines[key]
                continue
            known = {entry[4]: entry for entry in line.heap}
            line.heap = sorted(
                known.get(item) or (item.rank, item.due, self._now, number - len(line.items), item)
                for number, item in enumerate(line.items)
            )
            line.sorted = True
            line.size = sum(item.size for item in line.items)
        self._length = sum(len(line.items) for line in self._lines.values())
