"""`treadle run`: a recipe over images, from the arguments to the exit status.

In: what was asked for. Out: files, progress on stderr, the failures and the report at the end, and
the status. Every error that can be foreseen is a sentence; signals stop a run cleanly.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path, PurePath
from typing import Any

import typer

import treadle
from treadle.cli import summary as say
from treadle.cli.console import complain, console, table
from treadle.cli.recipes import checked
from treadle.photos import (
    MAX_BYTES,
    MAX_PIXELS,
    READS,
    SUFFIXES,
    PhotoError,
    allow_pixels,
    format_of,
    read_stream,
)
from treadle.recipes.find import PIPE, Place
from treadle.recipes.fit import Kind
from treadle.recipes.journal import Busy
from treadle.recipes.name import shown
from treadle.recipes.recipe import Recipe, RecipeError
from treadle.recipes.run import Options, Outcome, RecipeRun
from treadle.recipes.table import TABLES, table_format
from treadle.remote import RemotePath, as_local

__all__ = ["run"]

_PICTURES = (".svg", ".html", ".png")
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # glibc's names for mallopt, in malloc.h
_KEPT = 512 << 20
_GREY = ("1", "L", "LA", "I", "I;16", "I;16B")  # Pillow's modes


class _Terminated(KeyboardInterrupt):
    """SIGTERM, as an exception that unwinds like Ctrl-C."""


def run(
    recipe: str,
    inputs: list[str],
    out: str | None,
    *,
    stages: list[str] = [],  # noqa: B006
    settings: list[str] = [],  # noqa: B006
    dry_run: bool = False,
    trace: Path | None = None,
    dashboard: bool = False,
    report: str = "text",
    as_json: bool = False,
    quiet: bool = False,
    max_pixels: float | None = None,
    max_bytes: float | None = None,
    format: str | None = None,
    trust: bool = False,
    **options: Any,
) -> int:
    """Run a recipe over images; return the exit status."""
    given = [recipe, *inputs] if stages else inputs
    found = checked(recipe, stages=stages, settings=settings, trust=trust)
    if found is None:
        return 2
    if not given:
        raise typer.BadParameter("expected files, folders or patterns", param_hint="INPUT")
    if options.get("workers") and options.get("cluster") is None:
        raise typer.BadParameter("expected --cluster beside it", param_hint="--workers")
    _keep_memory()
    limit = MAX_PIXELS if max_pixels is None else round(max_pixels * 1e6)
    allow_pixels(limit)
    try:
        place, single = _target(out, given)
        if single:
            _check_single(place, given, as_json=as_json, dry_run=dry_run, **options)
        if found.network is not None:
            _check_table(place, single=single, **options)
        chosen = None if format is None else _written(found, format)
        if single and str(place) != PIPE:
            chosen = _only(format_of(PurePath(str(place))), chosen, place)
        most = MAX_BYTES if max_bytes is None else round(max_bytes * 1e6)
        job = RecipeRun(
            Options(
                found, tuple(given), place, single=single, format=chosen, max_pixels=limit,
                max_bytes=most, stdin=_stdin(given, most), **options,
            )
        )  # fmt: skip
    except treadle.TreadleError as error:
        return complain(str(error))
    problem = _cannot_start(job, given, stages) or _cannot_trace(trace, place)
    if problem:
        return complain(problem)
    if as_json:
        for path, why in job.found.passed:
            say.print_line(kind="file", status="passed over", input=str(path), reason=why)
    if dry_run:
        return _rehearse(job, report, as_json=as_json)
    quiet = quiet or report == "json" or as_json
    with contextlib.ExitStack() as until:
        if dashboard:
            page = until.enter_context(treadle.dashboard())
            print(f"watch it at {page.address}", file=sys.stderr, flush=True)
        return _go(job, quiet=quiet, report=report, as_json=as_json, trace=trace)


def _target(out: str | None, given: list[str]) -> tuple[Place, bool]:
    """Where results go, and whether that is one file's own path."""
    if out is None:
        if given != [PIPE]:
            raise typer.BadParameter("expected a folder, a file or -, got none", param_hint="--out")
        out = PIPE
    if out == PIPE:
        return Path(out), True
    path: Place = as_local(out) or RemotePath(out.rstrip("/"))
    ending = path.suffix.lower()
    names_a_file = ending in SUFFIXES or ending in READS
    folder = out.endswith(("/", os.sep)) or (isinstance(path, Path) and path.is_dir())
    return path, names_a_file and not folder


def _check_single(
    place: Place, given: list[str], *, as_json: bool, dry_run: bool, **options: Any
) -> None:
    """Refuse what makes no sense for one file."""
    named = shown(place)
    if options.get("resume"):
        raise PhotoError(f"--resume: expected a folder to go on in, got -o {named}")
    if options.get("name"):
        raise PhotoError(f"--name: expected a folder for the results, got -o {named}")
    if str(place) != PIPE:
        return
    if as_json and not dry_run:
        raise PhotoError("--json: standard output is the image's, with -o -")
    if sys.stdout.isatty() and not dry_run:
        raise PhotoError("-o -: standard output is a terminal, which shows no images")


def _check_table(place: Place, *, single: bool, **options: Any) -> None:
    """Refuse what makes no sense for a recipe that ends with a model."""
    if options.get("name"):
        raise PhotoError("--name: a recipe with a model makes one file, results.csv or .jsonl")
    named = place.suffix.lower().removeprefix(".")
    if (single and str(place) != PIPE) or named in TABLES:
        raise PhotoError(
            f"-o {shown(place)}: expected a folder, in which a recipe with a model makes "
            "results.csv or results.jsonl"
        )


def _written(found: Recipe, format: str) -> str:
    """The format that is asked for: an image's, or a table's."""
    return format_of(format) if found.network is None else table_format(format)


def _only(named: str, chosen: str | None, place: Place) -> str:
    if chosen is not None and chosen != named:
        raise PhotoError(f"--format: {chosen} is not what -o {shown(place)} says, which is {named}")
    return named


def _stdin(given: list[str], most: int) -> bytes:
    """What standard input gives, where it is asked for."""
    if PIPE not in given:
        return b""
    if sys.stdin is None or sys.stdin.isatty():
        found = "closed" if sys.stdin is None else "a terminal"
        raise PhotoError(f"-: expected an image on standard input, which is {found}")
    try:
        return read_stream(sys.stdin.buffer, max_bytes=most)
    except PhotoError as error:
        raise PhotoError(f"-: standard input {error}") from error


def _cannot_start(job: RecipeRun, given: list[str], stages: list[str]) -> str:
    """Say why nothing will be started, if so."""
    options, found = job.options, job.found
    if found.absent:
        from treadle.recipes import shipped

        lines = [f"{shown(path)}: {why}" for path, why in found.absent]
        for path, _ in found.absent:
            if stages and str(path) in shipped():
                lines.append(f"with --stage every word is an input, and {path} is a recipe's name")
        return "\n".join(lines)
    if options.single:
        if job.total > 1:
            called = "standard output is" if str(options.out) == PIPE else "a file is"
            said = f"{called} for one result, and there are {job.total} inputs; name a folder"
            return f"-o {shown(options.out)}: {said}"
    elif isinstance(options.out, Path) and options.out.exists() and not options.out.is_dir():
        return f"--out: expected a folder, got the file {shown(options.out)}"
    if options.name is not None and found.clashes:
        lines = [f"{shown(path)}: {why}" for path, why in found.clashes]
        return "\n".join(["--name: two results would have one name; {n} counts them", *lines])
    if not job.total:
        passed = f"; {len(found.passed)} files are no images" if found.passed else ""
        return f"no images in {', '.join(map(shown, given))}: nothing to do{passed}"
    return ""


def _cannot_trace(trace: Path | None, out: Place) -> str:
    """Say why no trace could be written when the run is over, if so."""
    if trace is None:
        return ""
    if os.path.isdir(trace):
        return f"--trace: expected a file's name, got the folder {shown(trace)}"
    folder = trace.absolute().parent
    made = isinstance(out, Path) and out.absolute().is_relative_to(folder)  # by the run itself
    if os.path.isdir(folder) or made:
        return ""
    return f"--trace: cannot write {shown(trace)}: there is no folder {shown(trace.parent)}"


def _go(job: RecipeRun, *, quiet: bool, report: str, as_json: bool, trace: Path | None) -> int:
    from treadle.cli.progress import Progress

    status, stopped = 0, ""
    spread = job.spread
    progress = Progress(
        job.total, lambda: job.bound, quiet=quiet, beside=None if spread is None else spread.said
    )
    recording = treadle.trace() if trace is not None else nullcontext()

    told: set[int] = set()

    def heard(outcome: Outcome) -> None:
        progress.heard(outcome)
        if as_json:
            try:
                say.as_line(outcome)
            except OSError as error:  # of another file than those that the run writes
                raise treadle.TreadleError(f"standard output: {error.strerror}") from error
            told.add(id(outcome))

    try:
        with _terminable(), progress, recording:
            stopped = job.go(heard)
    except KeyboardInterrupt as stop:
        stopped = "interrupted"
        status = 143 if isinstance(stop, _Terminated) else 130
    except Busy as busy:
        who = f": {busy}" if str(busy) else ""
        return complain(f"another treadle run is writing to {shown(job.options.out)}{who}")
    except OSError as error:
        return complain(f"cannot write to {shown(job.options.out)}: {error.strerror or error}")
    except treadle.TreadleError as error:
        if spread is not None and not job.outcomes:  # nothing has begun
            return complain(f"--cluster: {error}")
        stopped = str(error)
    summary = job.summary(stopped)
    for outcome in summary.outcomes if as_json else ():
        if id(outcome) not in told:  # it ended while the run was being stopped
            say.as_line(outcome)
    if trace is not None:
        try:
            _save(recording, trace)
        except OSError as error:
            complain(f"--trace: cannot write {shown(trace)}: {error.strerror}")
            status = status or 1
    if job.piped and not stopped:
        status = _pipe(job.piped) or status
    _print(job, summary, report, as_json=as_json)
    return status or int(bool(summary.failures or stopped))


def _save(recording: Any, path: Path) -> None:
    """Write a trace: a picture where the name says so, else what Perfetto opens."""
    if path.suffix.lower() in _PICTURES:
        recording.timeline(path)
    else:
        recording.save(path)


def _pipe(data: bytes) -> int:
    """Write the one result to standard output; the status."""
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        complain(f"-o -: cannot write to standard output: {error.strerror}")
        sys.stdout = None  # nothing more can go there, at the exit neither
        return 1
    return 0


def _print(job: RecipeRun, summary: Any, report: str, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"kind": "summary", **say.as_mapping(job, summary)}))
        return
    if report == "json":
        print(json.dumps(say.as_mapping(job, summary), indent=2))
        return
    piped = str(job.options.out) == PIPE
    say.list_failures([(each.source, each.reason) for each in summary.failures])
    if report == "text":
        say.figures(job, summary, stderr=piped)
    if summary.stopped:
        left = summary.report.left
        text = f"Stopped ({summary.stopped}): {summary.report.done} done, {left} left in "
        out = console(stderr=True)
        out.print(text + shown(job.options.out) + "; --resume goes on.")


def _rehearse(job: RecipeRun, report: str, *, as_json: bool) -> int:
    """Say what a run would do, from headers alone."""
    from rich.text import Text

    rows = table("input", "size", "output")
    failures = [(each.source, each.reason) for each in job.outcomes]
    planned: list[dict[str, Any]] = []
    for work in job.found.works:
        try:
            header = job.header(work)
            channels = 1 if header.mode in _GREY else 3
            alpha = "A" in header.mode
            kind = Kind(header.height, header.width, channels, treadle.u8, alpha)
            gives = job.engine.chain(kind).gives
        except (PhotoError, RecipeError) as error:
            message = error.problems[0].message if isinstance(error, RecipeError) else str(error)
            failures.append((work.source, message))
            continue
        size = f"{header.width}x{header.height} -> {gives.width}x{gives.height}"
        output = work.output if job.table is None else job.table.path
        rows.add_row(Text(shown(work.source)), size, Text(shown(output)))
        made = {"output": str(output), "size": [gives.width, gives.height]}
        planned.append({"input": str(work.source), **made})
    failed = [{"input": str(path), "reason": reason} for path, reason in failures]
    passed = [{"input": str(path), "reason": why} for path, why in job.found.passed]
    status = int(bool(failures))
    if as_json:
        for each in planned:
            say.print_line(kind="file", status="planned", **each)
        for each in failed:
            say.print_line(kind="file", status="failed", **each)
        counts = {"planned": len(planned), "failed": len(failed), "passed_over": len(passed)}
        print(json.dumps({"kind": "summary", "dry_run": True, **counts}))
        return status
    if report == "json":
        print(json.dumps({"planned": planned, "failures": failed, "passed": passed}, indent=2))
        return status
    out = console()
    out.print(rows)
    say.list_failures(failures)
    say.list_passed(job.found.passed)
    over = f", {len(passed)} passed over" if passed else ""
    out.print(f"{len(planned)} to do, {len(failures)} that cannot be{over}; nothing was written.")
    return status


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM unwind the run as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: object) -> None:
        raise _Terminated

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _keep_memory() -> None:
    """Have the C library keep freed images for the next ones instead of giving them back.

    glibc maps anew what is larger than 32 MiB, and the system clears every page of it: 45 of 310 ms
    for a photo of 12 megapixels. Elsewhere there is no such call, and nothing is changed."""
    if sys.platform != "linux":
        return
    import ctypes

    with suppress(OSError, AttributeError):  # a C library without it, such as musl
        library = ctypes.CDLL(None)
        library.mallopt(_MMAP_THRESHOLD, _KEPT)
        library.mallopt(_TRIM_THRESHOLD, 2 * _KEPT)
