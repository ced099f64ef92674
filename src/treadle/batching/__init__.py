"""Batching: a function of a batch as an awaitable of one item.

In: a function, kernel or pipeline that takes a batch, and callers that each bring one item, from
any event loop and thread. Out: each caller's own result, or its own error, computed for many at a
time. What is computed is not known here.
"""

from __future__ import annotations

from treadle.batching.batched import Batched
from treadle.batching.report import BatchReport

__all__ = ["BatchReport", "Batched"]
