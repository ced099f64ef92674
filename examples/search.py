"""A service that finds documents by their vectors, while documents come and go.

Run it with `python examples/search.py`. The vectors are made of random words here; a model would
give better ones, and the rest would be the same.
"""

from __future__ import annotations

import asyncio
import zlib
from functools import cache

import numpy as np

import treadle

DIM = 128
WORDS = "loom shuttle warp weft thread cloth pedal frame wool silk cotton pattern".split()


@cache
def direction(word: str) -> np.ndarray:
    """A random direction for a word, the same each time."""
    return np.random.default_rng(zlib.crc32(word.encode())).normal(size=DIM)


def embed(text: str) -> np.ndarray:
    """A vector for a text: the sum of those of its words."""
    return np.sum([direction(word) for word in text.split()], axis=0)


async def customer(index: treadle.search.Index, words: str) -> str:
    """One of many callers: what comes at the same time is answered by one scan."""
    result = await index.search_async(embed(words), 3, where="price < 40 and not sold")
    return f"{words!r}: {result.ids.tolist()}"


async def main() -> None:
    """Fill an index, search it from many tasks, and change it meanwhile."""
    rng = np.random.default_rng(1)
    texts = [" ".join(rng.choice(WORDS, 3, replace=False)) for _ in range(5000)]
    async with treadle.search.Index(DIM, metric="cosine") as index:
        index.add(
            [embed(text) for text in texts],
            columns={"price": rng.integers(5, 100, 5000), "sold": rng.random(5000) < 0.2},
        )
        print(index)

        distances, ids = index.search(embed("silk thread"), 3)
        for distance, an_id in zip(distances, ids, strict=True):
            print(f"  {distance:.3f}  {texts[an_id]}")

        wishes = [f"{one} {other}" for one in WORDS for other in WORDS if one < other]
        answers = await asyncio.gather(*(customer(index, wish) for wish in wishes))
        print(answers[0])
        print(f"{index.report.items} searches in {index.report.batches} scans")

        before = index.snapshot()
        index.remove(ids)
        index.update(index.ids[-1], columns={"sold": [True]})
        print(len(before), "documents before,", len(index), "now")

        batches = (np.stack([embed(w) for w in wishes[n : n + 22]]) for n in range(0, 66, 22))
        stream = treadle.search.stream(index, batches, k=5)
        nearest = [result.ids async for result in stream]
        print(sum(map(len, nearest)), "more queries, in", len(nearest), "batches")
        print(stream.report)


if __name__ == "__main__":
    asyncio.run(main())
