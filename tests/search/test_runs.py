"""Memory of searches that comes to the next one: to one at a time, and with nothing of the last."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import treadle
from search import oracle
from treadle.search.nearest import nearest, scan
from treadle.search.runs import Runs
from treadle.search.table import Table


def test_what_is_asked_for_the_first_time_keeps_nothing():
    runs = Runs()
    assert runs.take("a") == (False, None)
    assert runs.take("a") == (True, None)
    runs.give("a", "run")
    assert runs.take("a") == (True, "run")
    assert runs.take("a") == (True, None)  # one search at a time has it


def test_the_oldest_kind_is_forgotten_and_what_it_had_is_not_taken_back():
    runs = Runs()
    for kind in "abcde":
        runs.take(kind)
    runs.give("a", "run")
    assert runs.take("a") == (False, None)


def test_single_searches_of_one_view_do_not_disturb_each_other():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((3000, 24)).astype(np.float32)
    table = Table(24, "l2", "f32", treadle.device("cpu"))
    table.append(rows)
    view = table.view()
    queries = rng.standard_normal((24, 1, 24)).astype(np.float32)
    some = rng.random(len(rows)) < 0.5

    def ask(n):
        alive = some if n % 3 == 0 else None
        words = None if alive is None else oracle.words(alive)
        found, got = nearest(view, queries[n], 1 + n % 5, words)
        expected, wanted = oracle.nearest(rows, queries[n], 1 + n % 5, "l2", alive)
        np.testing.assert_array_equal(got, wanted)
        np.testing.assert_array_equal(found, expected)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(ask, [*range(24), *range(24)]))


def test_a_search_that_its_caller_lets_go_leaves_the_next_alone():
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((4000, 8)).astype(np.float32)
    table = Table(8, "l2", "f32", treadle.device("cpu"))
    table.append(rows)
    view = table.view()
    for query in rng.standard_normal((4, 1, 8)).astype(np.float32):
        scan(view, query, 3)  # under way, and nobody waits for it
        _, got = nearest(view, query, 3)
        np.testing.assert_array_equal(got, oracle.nearest(rows, query, 3, "l2")[1])
