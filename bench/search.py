"""Exact nearest neighbours, beside the libraries that people search with.

In: an effort. Out: rows, one for each table and number of queries. Everyone finds the same ten
nearest rows of the same normal data with as many threads as Treadle has workers; the ids of all
are compared with brute force in f64 before anything is timed. faiss is set to its faster way for
few queries, and NumPy does what people write: a product of matrices and a partition. The bar is
about the best of the peers that are installed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import treadle
from bench import peers
from bench.table import Bar, Figure, Row
from bench.timing import Effort, medians
from treadle.search import kernels
from treadle.search.lists import Lists
from treadle.search.nearest import nearest
from treadle.search.table import Table, View

__all__ = ["LINES", "numpy_search"]

TABLES = ((200_000, 128), (100_000, 768))
COUNTS = ((1, 5.0), (64, 2.5), (512, 2.5))  # queries, and how many times the best peer's speed
NEAREST = 10
CHECKED = 8  # queries whose ids are compared with f64
# Rows around centres, for searches of some lists.
LISTED, CLUSTERS = 1_000_000, 2000
SPREADS = {"tight": 0.6, "overlapping": 1.2}
LISTS, RECALL = 1024, 0.95
Array = np.ndarray[Any, Any]
Search = Callable[[Array], Array]


def _viewed(rows: Array) -> View:
    table = Table(rows.shape[1], "l2", "f32", treadle.device())
    table.append(rows)
    return table.view()


def _faiss(rows: Array) -> Search | None:
    faiss = peers.faiss()
    if faiss is None:
        return None
    index = faiss.IndexFlatL2(rows.shape[1])
    index.add(rows)
    return lambda queries: index.search(queries, NEAREST)[1]


def _usearch(rows: Array) -> Search | None:
    usearch = peers.usearch()
    if usearch is None:
        return None
    squares = usearch.MetricKind.L2sq
    return lambda queries: usearch.search(
        rows, queries, NEAREST, squares, exact=True, threads=peers.CORES
    ).keys.reshape(len(queries), NEAREST)


def numpy_search(rows: Array) -> Search:
    """What people write: a product of matrices, and a partition."""
    squares = np.einsum("ij,ij->i", rows, rows)

    def search(queries: Array) -> Array:
        found = squares - 2.0 * (queries @ rows.T)
        some = np.argpartition(found, NEAREST, axis=1)[:, :NEAREST]
        order = np.argsort(np.take_along_axis(found, some, 1), axis=1)
        return np.take_along_axis(some, order, 1)

    return search


PEERS: dict[str, Callable[[Array], Search | None]] = {
    "faiss": _faiss,
    "usearch": _usearch,
    "numpy": numpy_search,
}


def _right(rows: Array, queries: Array) -> Array:
    """The nearest rows by brute force in f64."""
    exact = rows.astype(np.float64)
    found = [np.square(exact - q).sum(axis=1) for q in queries.astype(np.float64)]
    return np.argsort(found, axis=1, kind="stable")[:, :NEAREST]


def _rates(rows: Array, view: View, query: Array, repeats: int) -> str:
    """How fast memory is read for one query, by the scan alone and by NumPy's product alone: the
    ratio of their times is the most that bytes can give where both are as fast as memory."""
    assert view.codes is not None
    assert view.numbers is not None
    assert view.all_alive is not None
    device = view.device
    given = [device.from_numpy(each) for each in view.code(query).coded]
    kept = device.empty((1, 34 * view.groups), "f32")
    inputs = (view.codes, view.numbers, view.all_alive, *given)
    times = medians(
        {
            "scan": lambda: device.submit(kernels.byte_reach, inputs, kept).wait(),
            "product": lambda: query @ rows.T,
        },
        repeats,
        warmup=1,
    )
    sizes = {"scan": rows.size + 16 * len(rows), "product": rows.nbytes}
    scan, product = (
        f"{size / 1e6:.0f} MB at {size / times[name] / 1e9:.0f} GB/s"
        for name, size in sizes.items()
    )
    most = times["product"] / times["scan"]
    return f" The scan alone reads {scan}, NumPy's product {product}: {most:.1f} times as long."


def _rows(count: int, dim: int, effort: Effort) -> list[Row]:
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((count, dim), np.float32)
    queries = rng.standard_normal((COUNTS[-1][0], dim), np.float32)
    view = _viewed(rows)
    searches: dict[str, Search] = {"treadle": lambda queries: nearest(view, queries, NEAREST)[1]}
    searches |= {name: made for name, make in PEERS.items() if (made := make(rows)) is not None}
    right = _right(rows, queries[:CHECKED])
    wrong = {
        name: int((search(queries)[:CHECKED] != right).any(axis=1).sum())
        for name, search in searches.items()
    }
    found = []
    for asked, bar in COUNTS:
        taken = queries[:asked]
        repeats = max(effort.repeats // (4 if asked == 1 else 20), 1)
        calls = {name: partial(search, taken) for name, search in searches.items()}
        times = medians(calls, repeats, warmup=1)
        own = times.pop("treadle")
        best = sorted((seconds, name) for name, seconds in times.items())
        beside = tuple((name, Figure(seconds * 1e3, "ms")) for seconds, name in best)
        ratio = best[0][0] / own
        note = f"Queries of {CHECKED} whose ids differ from f64 brute force: {wrong}."
        if asked == 1:
            note += _rates(rows, view, taken, repeats)
        found.append(
            Row(
                f"{asked} quer{'y' if asked == 1 else 'ies'}, top {NEAREST} of {count:,} x {dim}",
                Figure(own * 1e3, "ms"),
                beside,
                ratio,
                Bar(bar, "x", least=True, ratio=True),
                note,
                headline=asked == 64,
            )
        )
    return found


def search(effort: Effort) -> list[Row]:
    """Exact search over bytes."""
    return [row for count, dim in TABLES for row in _rows(count, dim, effort)]


def _clustered(rng: np.random.Generator, centres: Array, count: int, spread: float) -> Array:
    noise = rng.standard_normal((count, centres.shape[1]), np.float32)
    found: Array = centres[rng.integers(0, len(centres), count)] + np.float32(spread) * noise
    return found


def _recall(found: Array, right: Array) -> float:
    return float(np.mean([np.isin(a, b).mean() for a, b in zip(right, found, strict=True)]))


def _enough(search: Callable[[int], Array], right: Array) -> tuple[int, float]:
    """The fewest lists that find enough, and how much they find."""
    for probes in (1, 2, 4, 8, 16, 32, 64, 128, LISTS):
        found = _recall(search(probes), right)
        if found >= RECALL:
            break
    return probes, found


def lists(effort: Effort) -> list[Row]:
    """Searches of some lists, at the recall that faiss has with as many lists."""
    return [row for name in SPREADS for row in _lists(name, effort)]


def _lists(name: str, effort: Effort) -> list[Row]:
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((CLUSTERS, 128), np.float32)
    rows, queries = (_clustered(rng, centres, count, SPREADS[name]) for count in (LISTED, 1000))
    table = Table(128, "l2", "f32", treadle.device())
    table.append(rows)
    view = table.view()
    made = Lists(view, LISTS)
    right = nearest(view, queries, NEAREST)[1]

    def ours(asked: Array, probes: int) -> Array:
        return made.search(view, asked, NEAREST, probes).wait()[1]

    searches = {"treadle": ours}
    faiss = peers.faiss()
    if faiss is not None:
        coarse = faiss.IndexFlatL2(128)
        theirs = faiss.IndexIVFFlat(coarse, 128, LISTS)
        theirs.train(rows[:: max(1, LISTED // (64 * LISTS))])
        theirs.add(rows)

        def search_theirs(asked: Array, probes: int) -> Array:
            theirs.nprobe = probes
            found: Array = theirs.search(asked, NEAREST)[1]
            return found

        searches["faiss IVFFlat"] = search_theirs
    enough = {who: _enough(partial(each, queries), right) for who, each in searches.items()}
    told = ", ".join(f"{who} {n} lists {found:.3f}" for who, (n, found) in enough.items())
    result = []
    for asked in (1, 1000):
        calls = {
            who: partial(each, queries[:asked], enough[who][0]) for who, each in searches.items()
        }
        times = medians(calls, max(effort.repeats // (4 if asked == 1 else 20), 1), warmup=1)
        own = times.pop("treadle")
        beside = tuple((who, Figure(asked / each, "/s")) for who, each in times.items())
        ratio = min(times.values()) / own if times else None
        what = f"{asked} at a time, {LISTS} lists of {LISTED:,} x 128, {name} clusters"
        note = f"Recall of the ten nearest, at least {RECALL}: {told}."
        bar = Bar(1.0, "x", least=True, ratio=True)
        result.append(Row(what, Figure(asked / own, "/s"), beside, ratio, bar, note))
    return result


LINES: dict[str, Callable[[Effort], list[Row]]] = {"search": search, "lists": lists}
