"""The steps of a search that stays on its device, on every device: against NumPy, and together."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest

from treadle.search import steps
from treadle.search.bounds import code_queries
from treadle.search.measure import cuts_of, joins_of
from treadle.search.resident import search_there
from treadle.search.table import Table


@pytest.fixture
def exact(device):
    """A device that has f64."""
    if "f64" not in device.limits.dtypes:
        pytest.skip(f"{device.name} lacks f64: the host does these steps")
    return device


def sizes(device, *every):
    """The first two sizes, and all of them on a device that has its own text for these steps: what
    kernels say is slow, and there to be compared with."""
    return every if device.limits.searches else every[:2]


def test_queries_become_bytes_as_the_host_makes_them(exact):
    rng = np.random.default_rng(0)
    queries = rng.standard_normal((5, 70)).astype(np.float32)
    queries[1] = 3.0  # the mean: nothing is left
    queries[2] = 1e-13
    queries[3, 7] = 1e30
    mean = np.full(70, 3.0)
    unit = 4.0
    with np.errstate(over="ignore"):
        coded = code_queries((queries.astype(np.float64) - mean) / unit)
    given = [exact.buffer(queries), exact.buffer(mean)]
    facts = exact.run_kernel(steps.query_facts, given, per=1 / unit)
    numbers = exact.run_kernel(steps.query_numbers, facts[:4]).to_numpy()
    np.testing.assert_allclose(numbers, coded.numbers, rtol=3e-7)
    words = exact.run_kernel(steps.query_words, [*given, facts[0]], per=1 / unit, words=24)
    whole = coded.words.copy()
    whole[3] = 0  # what cannot be bounded has no bytes
    np.testing.assert_array_equal(words.to_numpy(), whole)


def test_a_limit_is_above_the_wanted_smallest(exact):
    rng = np.random.default_rng(1)
    allowed = np.array([0.0, 1e-3, 0.0, 1.0])
    for number, wanted in sizes(exact, (30, 1), (30, 11), (700, 299), (2000, 10)):
        best = rng.standard_normal((4, number)).astype(np.float32)
        best[1] = np.round(best[1])  # many are equal
        best[2, wanted:] = np.inf
        given = [exact.buffer(best), exact.buffer(allowed)]
        limit = exact.run_kernel(steps.limit, given, wanted=wanted).to_numpy()
        least = np.sort(best, axis=1)[:, wanted - 1].astype(np.float64) + allowed
        assert (limit > least).all()
        np.testing.assert_allclose(limit, least, rtol=1e-6)


def test_places_are_those_of_bits(exact):
    rng = np.random.default_rng(2)
    for groups, share in sizes(exact, (1, 0.5), (9, 0.1), (1100, 0.001), (40000, 0.3)):
        rows = rng.random((3, groups * 32)) < share
        rows[1] = False
        bits = np.packbits(rows, axis=1, bitorder="little").view("<u4")
        most = 20 if groups < 1000 else 500
        found = exact.run_kernel(steps.places, exact.buffer(bits), most=most).to_numpy()
        for row, line in zip(rows, found, strict=True):
            at = np.flatnonzero(row)
            assert line[0] == len(at)
            wanted = np.full(most, -1)
            wanted[: min(len(at), most)] = at[:most]
            np.testing.assert_array_equal(line[1:], wanted)


def test_distances_are_numpys_to_the_last_bit(exact):
    rng = np.random.default_rng(3)
    for dim in sizes(exact, 13, 259, 1, 7, 8, 128, 129, 257, 300, 768, 1001, 5000):
        vectors = rng.standard_normal((20, dim)).astype(np.float32)
        queries = rng.standard_normal((2, dim)).astype(np.float32)
        found = np.full((2, 40), -1, np.int32)
        found[0, :31] = [30, *rng.integers(0, 20, 30)]
        found[1, :3] = [2, 19, 0]
        inputs = [found, queries, vectors, cuts_of(dim), joins_of(dim)]
        far = exact.run_kernel(steps.distances, [exact.buffer(a) for a in inputs]).to_numpy()
        for q, line, distances in zip(queries, found, far, strict=True):
            off = q.astype(np.float64) - vectors[line[1 : 1 + line[0]]].astype(np.float64)
            wanted = np.sqrt(np.square(off).sum(axis=1))
            np.testing.assert_array_equal(distances[: line[0]], wanted)
            assert np.isinf(distances[line[0] :]).all()


def test_the_nearest_are_put_in_order(exact):
    rng = np.random.default_rng(4)
    room, k = (200, 60) if exact.limits.searches else (20, 3)
    far = np.round(rng.random((4, room)) * 20)  # many are equal
    found = np.sort(rng.integers(0, 1000, (4, room + 1)), axis=1).astype(np.int32)
    found[:, 0] = room - 1, 4, 500, 0  # candidates: more than there is room for, and none
    for line, distances in zip(found, far, strict=True):
        line[1 + line[0] :] = -1
        distances[line[0] :] = np.inf
    given = [exact.buffer(far), exact.buffer(found)]
    answer = exact.run_kernel(steps.chosen, given, k=k).to_numpy()
    for line, distances, got in zip(found, far, answer, strict=True):
        order = np.argsort(distances, kind="stable")[:k]
        np.testing.assert_array_equal(got[:k], distances[order])
        np.testing.assert_array_equal(got[k : 2 * k], line[1:][order])
        assert got[2 * k] == line[0]


def answered(table, queries, wanted, alive=None, ties=False):
    """What a search gives that stays on its device."""
    drive = search_there(table.view(), queries, wanted, alive, ties)
    try:
        while True:
            next(drive).wait()
    except StopIteration as ended:
        return ended.value


def test_a_search_stays_on_its_device(exact):
    if not (exact.limits.searches or exact.limits.helps):
        pytest.skip(f"{exact.name} is never asked to; its steps are compared above")
    rng = np.random.default_rng(5)
    vectors = rng.standard_normal((2000, 40)).astype(np.float32) + 3
    vectors[1500] = vectors[20]
    queries = np.concatenate([rng.standard_normal((2, 40)).astype(np.float32) + 3, vectors[20:21]])
    alive = np.full(63, 0xFFFFFFFF, np.uint32)
    alive[-1] = 0xFFFF
    alive[:10] = 0x55555555
    table = Table(40, "l2", "f32", exact)
    table.append(vectors)
    off = queries.astype(np.float64)[:, None] - vectors.astype(np.float64)[None]
    far = np.sqrt(np.square(off).sum(axis=2))
    dead = np.zeros(2000, bool)
    dead[1:320:2] = True
    live = np.where(dead, np.inf, far)
    # The second and the third time it is a recorded search, over other queries and rows.
    for words, turned in product((None, alive), (False, True, False)):
        distances = (far if words is None else live)[:: -1 if turned else 1]
        order = np.argsort(distances, axis=1, kind="stable")[:, :5]
        keys, rows = answered(table, queries[:: -1 if turned else 1].copy(), 5, words)
        np.testing.assert_array_equal(rows, order)
        np.testing.assert_array_equal(keys, np.take_along_axis(distances, order, 1))
    assert answered(table, queries, 1, ties=True) is None  # two rows are as near
    keys, rows = answered(table, queries[:2], 3, ties=True)
    np.testing.assert_array_equal(rows, np.argsort(far[:2], axis=1, kind="stable")[:, :3])


def test_searches_at_the_same_time_have_runs_of_their_own(exact):
    if not (exact.limits.searches or exact.limits.helps):
        pytest.skip(f"{exact.name} is never asked to; its steps are compared above")
    rng = np.random.default_rng(6)
    vectors = rng.standard_normal((2000, 40)).astype(np.float32)
    table = Table(40, "l2", "f32", exact)
    table.append(vectors)

    def search(number):
        queries = vectors[number : number + 3]
        return [answered(table, queries, 5)[1][:, 0].tolist() for _ in range(3)]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(search, range(12)))
    assert found == [[[n, n + 1, n + 2]] * 3 for n in range(12)]


def test_too_many_candidates_are_noticed_and_not_looked_for_each_time(exact):
    if not (exact.limits.searches or exact.limits.helps):
        pytest.skip(f"{exact.name} is never asked to, and would take long")
    table = Table(8, "l2", "f32", exact)
    table.append(np.zeros((5000, 8), np.float32))  # all are equally far

    query = np.ones((1, 8), np.float32)

    def commands():
        drive = search_there(table.view(), query, 3, None, False)
        return len([command.wait() for command in drive])

    assert answered(table, query, 3) is None
    asked = [commands() for _ in range(40)]
    assert asked[:15] == [0] * 15  # the host searches meanwhile
    assert sum(asked) == 2  # now and then it is tried again
