"""What files cost an index: opening one, the first search, saving, and changes that last.

In: an effort. Out: rows. The index has a gigabyte (a tenth with --quick) of normal vectors. Saving
is beside np.save with a sync, durable adds beside SQLite, which writes the same bytes to its own
log with a sync for each; both in the folder for temporary files, TMPDIR.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from bench.table import Bar, Figure, Row
from bench.timing import FULL, Effort, medians
from treadle.search import Index

__all__ = ["LINES"]

DIM = 128
ROWS = 1_600_000  # a gigabyte, with codes, numbers and ids
EACH = 20  # vectors of an add
THREADS = 8
Array = np.ndarray[Any, Any]


def files(effort: Effort) -> list[Row]:
    """Everything about files."""
    count = ROWS if effort.repeats >= FULL.repeats else ROWS // 10
    with tempfile.TemporaryDirectory(prefix="treadle-bench-") as made:
        folder = Path(made)
        return [*_opening(folder, count, effort), *_lasting(folder, effort)]


def _opening(folder: Path, count: int, effort: Effort) -> list[Row]:
    path, plain = folder / "a.index", folder / "a.npy"
    dice = np.random.default_rng(0)
    vectors = dice.standard_normal((count, DIM), np.float32)
    index = Index(DIM)
    index.add(vectors)
    saving = medians(
        {"treadle": lambda: index.save(path), "np.save": lambda: _save(plain, vectors)}, 1, warmup=0
    )
    nbytes = path.stat().st_size
    index.close()
    repeats = max(effort.repeats // 4, 3)
    opening = medians({"treadle": lambda: Index.open(path)}, repeats)["treadle"]
    query = dice.standard_normal(DIM, np.float32)
    opened = Index.open(path)
    first = _timed(lambda: opened.search(query, 10))
    first_again = _timed(lambda: Index.open(path).search(query, 10))
    later = medians({"treadle": lambda: opened.search(query, 10)}, repeats)["treadle"]
    verifying = _timed(opened.verify)
    size = f"{nbytes / 1e9:.2g} GB"
    speeds = {name: (nbytes if name == "treadle" else plain.stat().st_size) / seconds / 1e6
              for name, seconds in saving.items()}  # fmt: skip
    return [
        Row(f"open an index of {size}", Figure(opening * 1e3, "ms"), bar=Bar(50, "ms")),
        Row(
            "its first search, with codes checked",
            Figure(first_again * 1e3, "ms"),
            (("compiling, too", Figure(first * 1e3, "ms")), ("later", Figure(later * 1e3, "ms"))),
        ),
        Row("check every byte of it", Figure(nbytes / verifying / 1e6, "MB/s")),
        Row(
            f"save {size}",
            Figure(speeds["treadle"], "MB/s"),
            (("np.save and fsync", Figure(speeds["np.save"], "MB/s")),),
            ratio=speeds["treadle"] / speeds["np.save"],
        ),
    ]


def _save(path: Path, vectors: Array) -> None:
    with open(path, "wb") as file:
        np.save(file, vectors)
        file.flush()
        os.fsync(file.fileno())


def _timed(call: Callable[[], object]) -> float:
    started = perf_counter()
    call()
    return perf_counter() - started


def _lasting(folder: Path, effort: Effort) -> list[Row]:
    vectors = np.random.default_rng(1).standard_normal((EACH, DIM), np.float32)
    path = folder / "b.index"
    Index(DIM).save(path)
    index = Index.open(path, durable=True)
    base = sqlite3.connect(folder / "b.sqlite", isolation_level=None, check_same_thread=False)
    base.execute("pragma journal_mode=wal")
    base.execute("pragma synchronous=full")
    base.execute("create table rows (id integer primary key, vector blob)")
    texts = [(row.tobytes(),) for row in vectors]

    def insert() -> None:
        base.execute("begin")
        base.executemany("insert into rows (vector) values (?)", texts)
        base.execute("commit")

    contestants: dict[str, Callable[[], object]] = {
        "treadle": lambda: index.add(vectors),
        "sqlite": insert,
    }
    alone = medians(contestants, max(effort.repeats * 4, 20))
    together = _together(lambda: index.add(vectors), effort)
    index.close()
    base.close()
    note = f"{EACH} vectors of {DIM} in each; SQLite with a write-ahead log and synchronous=full"
    return [
        Row(
            "durable adds, one after another",
            Figure(1 / alone["treadle"], "/s"),
            (("sqlite", Figure(1 / alone["sqlite"], "/s")),),
            ratio=alone["sqlite"] / alone["treadle"],
            note=note,
        ),
        Row(
            f"durable adds of {THREADS} threads, which share syncs",
            Figure(together, "/s"),
            (("one thread", Figure(1 / alone["treadle"], "/s")),),
            ratio=together * alone["treadle"],
            note=note,
        ),
    ]


def _together(add: Callable[[], object], effort: Effort) -> float:
    """Adds a second of several threads."""
    each = max(effort.repeats, 10)

    def many() -> None:
        for _ in range(each):
            add()

    threads = [threading.Thread(target=many) for _ in range(THREADS)]
    started = perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return each * THREADS / (perf_counter() - started)


LINES: dict[str, Callable[[Effort], list[Row]]] = {"index-files": files}
