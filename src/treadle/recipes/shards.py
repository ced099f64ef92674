"""Works that go together without a look at what is in their files.

In: works. Out: lists of them, of so many bytes to read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress

from treadle.recipes.find import Place, Work
from treadle.remote import RemotePath

__all__ = ["cut"]

SHARD_BYTES = 8 << 20
SHARD_IMAGES = 32


def cut(works: Sequence[Work], most: int = SHARD_IMAGES) -> Iterator[list[Work]]:
    """Cut works into lists of so many bytes to read, and of `most` works."""
    most = max(1, min(most, SHARD_IMAGES))
    shard: list[Work] = []
    size = 0
    for work in works:
        shard.append(work)
        size += _size(work.source)
        if size >= SHARD_BYTES or len(shard) >= most:
            yield shard
            shard, size = [], 0
    if shard:
        yield shard


def _size(place: Place) -> int:
    """How many bytes a file has; none where it is not there."""
    if isinstance(place, RemotePath):
        return place.size
    with suppress(OSError, ValueError):
        return os.stat(place).st_size
    return 0
