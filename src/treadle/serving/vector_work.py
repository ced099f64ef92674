"""Nearest neighbours for vectors that come one by one: searches of one moment share a scan.

In: a body in JSON, or plain numbers. Out: what JSON can hold. The index answers; this reads the
question and writes the answer.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

import treadle
from treadle.data import dataclass
from treadle.search import Index
from treadle.serving.limits import Refusal

__all__ = ["VectorWork", "read_question"]

_MOST_ROWS = 10_000  # neighbours of all the vectors of a request
_MOST_VECTORS = 1024


@dataclass(frozen=True, slots=True)
class VectorQuery:
    """Vectors, how many neighbours each has to get, and which rows count."""

    vectors: Any
    k: int
    where: str | None


class VectorWork:
    """An index, for vectors as they come."""

    def __init__(self, index: Index) -> None:
        self.index = index

    async def find(self, question: VectorQuery) -> dict[str, Any]:
        """Return ids and distances: lists, or lists of lists where several vectors were sent."""
        try:
            found = await self.index.search_async(question.vectors, question.k, question.where)
        except (treadle.SearchError, treadle.LaunchError) as error:
            raise Refusal(400, str(error)) from error
        return {"ids": found.ids.tolist(), "distances": _plain(found.distances.tolist())}


def read_question(
    data: bytes, media: str, dim: int, k: str | None, where: str | None
) -> VectorQuery:
    """Read a question from a body: JSON, or the numbers themselves as little-endian f32."""
    if media == "application/json":
        given = _mapping(data)
        vectors: Any = given.get("vector", given.get("vectors"))
        count = given.get("k", 10 if k is None else k)
        where = given.get("where", where)
        if where is not None and not isinstance(where, str):
            raise Refusal(400, f"where: expected a predicate as text, got {where!r}")
        try:
            vectors = np.asarray(vectors, np.float32)
        except (TypeError, ValueError, OverflowError) as error:
            raise Refusal(400, f"vector: expected a list of {dim} numbers") from error
    else:
        if len(data) % (4 * dim):
            said = f"expected vectors of {dim} numbers of 4 bytes, got {len(data)} bytes"
            raise Refusal(400, said)
        vectors = np.frombuffer(data, "<f4").reshape(-1, dim)
        vectors = vectors[0] if len(vectors) == 1 else vectors
        count = 10 if k is None else k
    shape = vectors.shape
    if vectors.ndim not in (1, 2) or shape[-1] != dim or not len(vectors):
        raise Refusal(400, f"vector: expected {dim} numbers, got the shape {list(shape)}")
    if not np.isfinite(vectors).all():
        raise Refusal(400, "vector: expected finite numbers")
    rows = len(vectors) if vectors.ndim == 2 else 1
    most = _MOST_ROWS // min(rows, _MOST_ROWS)
    number = int(count) if str(count).isascii() and str(count).isdecimal() else 0
    if rows > _MOST_VECTORS:
        raise Refusal(413, f"{rows} vectors; a request has at most {_MOST_VECTORS}")
    if isinstance(count, bool) or not 1 <= number <= most:
        raise Refusal(400, f"k: expected a whole number from 1 to {most}, got {str(count)[:40]!r}")
    return VectorQuery(vectors, number, where)


def _mapping(data: bytes) -> dict[str, Any]:
    try:
        given = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Refusal(400, f"not valid JSON: {str(error)[:200]}") from error
    if not isinstance(given, dict) or not {"vector", "vectors"} & given.keys():
        raise Refusal(400, 'expected a JSON object such as {"vector": [0.1, 0.2], "k": 10}')
    unknown = given.keys() - {"vector", "vectors", "k", "where"}
    if unknown:
        name = min(unknown)[:40]
        raise Refusal(400, f"unknown field {name!r}; known are vector, vectors, k, where")
    return given


def _plain(value: Any) -> Any:
    """Distances as JSON has them: what is infinitely far has none."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value if math.isfinite(value) else None
