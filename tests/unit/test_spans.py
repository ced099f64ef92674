"""Spans of time that a service adds without end: the sum stays right, and the memory small."""

from __future__ import annotations

from treadle.recipes.spans import Spans


def test_spans_that_never_overlap_are_summed_up():
    spans = Spans()
    for n in range(10_000):
        spans.add(10 * n, 10 * n + 3)
    assert spans.total() == 30_000
    assert len(spans._spans) <= 1024


def test_spans_overlap_and_come_late():
    spans = Spans()
    for n in range(3000):
        spans.add(10 * n, 10 * n + 15)
    assert spans.total() == 30_005
    spans.add(0, 20_000)  # all of it counted already
    assert spans.total() == 30_005
