"""Exact search: an index of vectors that changes while it is searched.

index = treadle.search.Index(768, metric="cosine")
index.add(vectors, columns={"lang": langs})
distances, ids = index.search(query, 10, where="lang == 'en'")
"""

from __future__ import annotations

from treadle.search.index import Index
from treadle.search.sharded import Sharded
from treadle.search.snapshot import Snapshot
from treadle.search.state import Result
from treadle.search.stream import stream
from treadle.search.table import Metric

__all__ = ["Index", "Metric", "Result", "Sharded", "Snapshot", "stream"]
