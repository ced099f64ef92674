"""Batched functions: options and items that are refused, each with its reason."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from runtime.test_batched import gathered
from treadle.errors import LaunchError


@pytest.mark.parametrize(
    "options, said",
    [
        ({"max_size": 0}, "max_size"),
        ({"max_size": True}, "max_size"),
        ({"max_delay": -1}, "max_delay"),
        ({"max_delay": float("nan")}, "max_delay"),
        ({"max_waiting": 0}, "max_waiting"),
        ({"max_in_flight": 0}, "max_in_flight"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": "soon"}, "timeout"),
        ({"priority": "soon"}, "priority"),
        ({"rows": True, "stack": False}, "rows"),
        ({"params": {"k": 1}}, "params"),
    ],
)
def test_options_are_checked(options, said):
    with pytest.raises(LaunchError, match=said):
        treadle.batched(lambda batch: batch, **options)


def test_what_is_no_function_is_refused():
    with pytest.raises(LaunchError, match="function"):
        treadle.batched(7)


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda f: f("text"), "stack=False"),
        (lambda f: f(object()), "stack=False"),
        (lambda f: f(), "an item"),
        (lambda f: f(()), "array or a number"),
        (lambda f: f(1, timeout=-1), "timeout"),
        (lambda f: f(1, timeout="soon"), "timeout"),
        (lambda f: f(1, priority="soon"), "priority"),
        (lambda f: f(1, key=[]), "hashable"),
    ],
)
def test_items_are_checked_where_they_are_brought(call, said):
    with treadle.batched(lambda *batch: batch[0]) as same:
        (error,) = gathered(lambda: call(same))
    assert isinstance(error, LaunchError)
    assert said in str(error)
    assert same.report.batches == 0


def test_rows_need_a_first_axis_and_as_many_in_each_array():
    with treadle.batched(lambda a, b: a, rows=True) as first:
        one, other = gathered(lambda: first(1.0, np.ones(2)), lambda: first(np.ones(1), np.ones(2)))
    assert "first axis" in str(one)
    assert "as many rows" in str(other)
