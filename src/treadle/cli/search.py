"""`treadle search`: build an index from files of vectors, ask it, describe it.

In: paths and options. Out: an index file; the nearest rows as a table, JSON or an array; progress
and problems on stderr. A build that is stopped or fails leaves what was there before.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import treadle
from treadle.cli.console import complain, console, table
from treadle.cli.progress import Progress
from treadle.cli.vectors import Rows, open_rows
from treadle.search import Index, Result, Sharded

__all__ = ["build", "info", "query"]

_SHOWN = 20  # queries that a table shows; a file has them all


def build(
    inputs: Sequence[Path],
    out: Path,
    *,
    metric: str,
    dtype: str | None,
    key: str | None,
    ids: str | None,
    first_id: int,
    columns: Sequence[str],
    add: bool,
    overwrite: bool,
    device: str | None,
    quiet: bool,
) -> int:
    """Make an index of files of vectors, or add to one; return the status."""
    try:
        if add and overwrite:
            return complain("--add adds to an index, --overwrite replaces it; choose one of them")
        if first_id and (ids or add):
            other = "--ids" if ids else "--add"
            return complain(f"--first-id numbers the rows of a new index; leave {other} away")
        _check_out(out, inputs)
        files = [open_rows(path, key, ids, columns) for path in inputs]
        dim = _one_dim(files)
        if out.exists() and not (add or overwrite):
            return complain(f"{out}: exists; --add adds to it, --overwrite replaces it")
        if add and out.exists():
            index = Index.open(out, device=device)
            if index.dim != dim:
                return complain(f"{out}: has {index.dim} dimensions, {inputs[0]} has {dim}")
        else:
            index = Index(dim, metric, dtype, device)
        with index:
            _fill(index, files, first_id, quiet=quiet)
            index.save(out)
            if not quiet:
                console(stderr=True).print(f"{out}: {_described(index)}")
    except treadle.TreadleError as error:
        return complain(str(error))
    return 0


def _check_out(out: Path, inputs: Sequence[Path]) -> None:
    """Refuse, before anything is read, to write over an input or where there is no folder."""
    if not out.absolute().parent.is_dir():
        raise treadle.SearchError(f"{out}: there is no folder {out.parent}")
    for each in inputs:
        if out.exists() and each.exists() and out.samefile(each):
            raise treadle.SearchError(f"{out}: is read from; write to another file")


def _one_dim(files: Sequence[Rows]) -> int:
    first = files[0]
    for each in files:
        if each.dim != first.dim:
            raise treadle.SearchError(
                f"{each.path}: has {each.dim} dimensions, {first.path} has {first.dim}"
            )
    return first.dim


def _fill(index: Index, files: Sequence[Rows], first_id: int, *, quiet: bool) -> None:
    total = sum(each.total for each in files)
    with Progress(total, None, quiet=quiet, unit="vectors", doing="adding") as progress:
        for each in files:
            for batch in each.batches:
                ids = batch.ids
                if first_id and not len(index):  # those that follow are numbered from there
                    ids = np.arange(first_id, first_id + len(batch.vectors))
                try:
                    index.add(batch.vectors, ids, batch.columns)
                except treadle.SearchError as error:
                    raise treadle.SearchError(f"{each.path}: {error}") from error
                progress.passed(len(batch.vectors))


def query(
    paths: Sequence[Path],
    queries: Path,
    *,
    k: int,
    where: str | None,
    probes: int | None,
    partial: bool,
    key: str | None,
    out: Path | None,
    as_json: bool,
    device: str | None,
) -> int:
    """Find what is nearest to each vector of a file; return the status: 1 if indexes are left out
    that cannot be read."""
    try:
        if out is not None:
            _check_out(out, (*paths, queries))
        with _opened(paths, partial=partial, device=device) as index:
            asked = open_rows(queries, key).whole()
            found = index.search(asked, k, where, probes=probes)
            for why in found.missing.values():
                complain(f"left out: {why}")
            if out is not None:
                _write(out, found)
            elif as_json:
                _print_json(found)
            else:
                _print(index, found)
    except treadle.TreadleError as error:
        return complain(str(error))
    except OSError as error:
        return complain(f"{out}: {error.strerror or error}")
    return 1 if found.missing else 0


def _opened(paths: Sequence[Path], *, partial: bool, device: str | None) -> Index | Sharded:
    if len(paths) == 1 and not partial:
        return Index.open(paths[0], device=device)
    return Sharded(paths, partial=partial, device=device)


def _write(out: Path, found: Result) -> None:
    """Write ids and distances: as fields of one .npy, arrays of an .npz, or lines of JSON."""
    kind = out.suffix.lower()
    if kind == ".npy":
        fields = np.dtype([("id", "<i8"), ("distance", "<f8")])
        rows = np.empty(found.ids.shape, fields)
        rows["id"], rows["distance"] = found.ids, found.distances
        np.save(out, rows)
    elif kind == ".npz":
        np.savez(out, ids=found.ids, distances=found.distances)
    elif kind in (".json", ".jsonl"):
        out.write_text("".join(line + "\n" for line in _lines(found)), encoding="utf-8")
    else:
        raise treadle.SearchError(f"{out}: expected .npy, .npz or .jsonl")


def _lines(found: Result) -> list[str]:
    """A line of JSON for each query; what was not found in its lists is not in it."""
    lines = []
    for number, (ids, distances) in enumerate(zip(found.ids, found.distances, strict=True)):
        there = ~np.isinf(distances)  # JSON has no word for infinity either
        said = {"ids": ids[there].tolist(), "distances": distances[there].tolist()}
        if found.missing:
            said["missing"] = list(found.missing)
        lines.append(json.dumps({"query": number, **said}, allow_nan=False))
    return lines


def _print_json(found: Result) -> None:
    for line in _lines(found):
        sys.stdout.write(line + "\n")


def _print(index: Index | Sharded, found: Result) -> None:
    named = list(index.columns)
    rows = table("query", "rank", "id", "distance", *named, right=("query", "rank", "id"))
    for number in range(min(len(found.ids), _SHOWN)):
        there = ~np.isinf(found.distances[number])  # some lists may have had too few rows
        ids, distances = found.ids[number][there], found.distances[number][there]
        values = index.get_columns(ids) if named and len(ids) else {}
        for rank, (an_id, distance) in enumerate(zip(ids, distances, strict=True)):
            shown = [_text(values[name][rank]) for name in named]
            first = str(number) if rank == 0 else ""
            rows.add_row(first, str(rank + 1), str(an_id), f"{distance:.6g}", *shown)
    out = console()
    out.print(rows)
    if len(found.ids) > _SHOWN:
        left = len(found.ids) - _SHOWN
        out.print(f"and {left:,} more; --json or -o has them all", style="dim")


def _text(value: Any) -> Any:
    from rich.text import Text

    return Text("-" if value is None else str(value))


def info(path: Path, *, verify: bool, as_json: bool) -> int:
    """Describe an index file; return the status."""
    try:
        with Index.open(path, device="cpu") as index:
            if verify:
                index.verify()
            said = {
                "file": str(path),
                "rows": len(index),
                "dim": index.dim,
                "metric": index.metric,
                "dtype": index.dtype,
                "columns": index.columns,
                "bytes": path.stat().st_size,
            }
    except treadle.TreadleError as error:
        return complain(str(error))
    if verify:
        said["verified"] = True
    if as_json:
        print(json.dumps(said, indent=2))
        return 0
    rows = table("what", "")
    for name, value in said.items():
        shown = value
        if isinstance(value, dict):
            shown = ", ".join(f"{n} ({kind or 'null'})" for n, kind in value.items()) or "none"
        elif isinstance(value, int) and not isinstance(value, bool):
            shown = f"{value:,}"
        rows.add_row(name, _text(shown))
    console().print(rows)
    return 0


def _described(index: Index) -> str:
    return f"{len(index):,} rows of {index.dim} dimensions, {index.metric}, {index.dtype}"
