"""`treadle run`: a recipe over images, from the arguments to the exit status.

In: what was asked for. Out: files, progress on stderr, the failures and the report at the end, and
the status. Every error that can be foreseen is a sentence; signals stop a run cleanly.
"""

from __future__ import annotations

import json
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import treadle
from treadle.cli.console import bar, complain, console, table
from treadle.cli.recipes import checked
from treadle.photos import MAX_PIXELS, PhotoError, format_of, probe
from treadle.recipes.find import shown
from treadle.recipes.fit import Kind
from treadle.recipes.journal import Busy
from treadle.recipes.recipe import RecipeError
from treadle.recipes.report import Report
from treadle.recipes.run import Options, Run, Summary

__all__ = ["run"]

_PICTURES = (".svg", ".html", ".png")
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # glibc's names for mallopt, in malloc.h
_KEPT = 512 << 20
_SHOWN = 20  # failures that are listed; JSON has all


class _Terminated(KeyboardInterrupt):
    """SIGTERM, as an exception that unwinds like Ctrl-C."""


def run(
    recipe: str,
    inputs: list[str],
    out: Path,
    *,
    dry_run: bool = False,
    trace: Path | None = None,
    report: str = "text",
    quiet: bool = False,
    max_pixels: float | None = None,
    format: str | None = None,
    trust: bool = False,
    **options: Any,
) -> int:
    """Run a recipe over images; return the exit status."""
    found = checked(recipe, trust=trust)
    if found is None:
        return 2
    _keep_memory()
    limit = MAX_PIXELS if max_pixels is None else round(max_pixels * 1e6)
    _allow(limit)
    try:
        chosen = None if format is None else format_of(format)
        job = Run(Options(found, tuple(inputs), out, format=chosen, max_pixels=limit, **options))
    except treadle.TreadleError as error:
        return complain(str(error))
    if out.exists() and not out.is_dir():
        return complain(f"--out: expected a folder, got the file {shown(out)}")
    if not job.total:
        return complain(f"no images in {', '.join(map(shown, inputs))}: nothing to do")
    if dry_run:
        return _rehearse(job, report)
    return _go(job, quiet=quiet or report == "json", report=report, trace=trace)


def _go(job: Run, *, quiet: bool, report: str, trace: Path | None) -> int:
    from treadle.cli.progress import Progress

    status, stopped = 0, ""
    progress = Progress(job.total, lambda: job.bound, quiet=quiet)
    recording = treadle.trace() if trace is not None else nullcontext()
    try:
        with _terminable(), progress, recording:
            stopped = job.go(progress.heard)
    except KeyboardInterrupt as stop:
        stopped = "interrupted"
        status = 143 if isinstance(stop, _Terminated) else 130
    except Busy:
        return complain(f"another treadle run is writing to {shown(job.options.out)}")
    except OSError as error:
        return complain(f"cannot write to {shown(job.options.out)}: {error.strerror or error}")
    except treadle.TreadleError as error:
        stopped = str(error)
    summary = job.summary(stopped)
    if trace is not None:
        try:
            _save(recording, trace)
        except OSError as error:
            complain(f"--trace: cannot write {shown(trace)}: {error.strerror}")
            status = status or 1
    _print(job, summary, report)
    return status or int(bool(summary.failures or stopped))


def _save(recording: Any, path: Path) -> None:
    """Write a trace: a picture where the name says so, else what Perfetto opens."""
    if path.suffix.lower() in _PICTURES:
        recording.timeline(path)
    else:
        recording.save(path)


def _print(job: Run, summary: Summary, report: str) -> None:
    if report == "json":
        failures = [
            {"input": shown(each.source), "reason": each.reason} for each in summary.failures
        ]
        said = {"stopped": summary.stopped, **summary.report.mapping(), "failures": failures}
        print(json.dumps(said, indent=2))
        return
    _failures(summary)
    if report == "text":
        _figures(job, summary.report)
    if summary.stopped:
        out = console(stderr=True)
        left = summary.report.left
        text = f"Stopped ({summary.stopped}): {summary.report.done} done, {left} left in "
        out.print(text + shown(job.options.out) + "; --resume goes on.")


def _failures(summary: Summary) -> None:
    if not summary.failures:
        return
    from rich.text import Text

    out = console(stderr=True)
    rows = table("failed", "why")
    for each in summary.failures[:_SHOWN]:
        rows.add_row(Text(shown(each.source), style="red"), Text(each.reason))
    out.print(rows)
    if len(summary.failures) > _SHOWN:
        out.print(f"and {len(summary.failures) - _SHOWN} more; --report json lists all")


def _figures(job: Run, report: Report) -> None:
    from rich.text import Text

    out = console()
    counts = [f"{report.done} done"]
    counts += [f"{report.skipped} made before"] if report.skipped else []
    counts += [f"{report.failed} failed"] if report.failed else []
    counts += [f"{report.left} left"] if report.left else []
    rows = [
        ("recipe", f"{report.recipe} on {report.device}"),
        ("images", ", ".join(counts) + f", in {shown(job.options.out)}"),
    ]
    if report.done:
        speed = report.megapixels_per_second
        rate = f"{report.images_per_second:.1f} images/s, {speed:.{0 if speed >= 10 else 1}f} MP/s"
        rows.append(("time", f"{report.seconds:.2f} s: {rate}"))
    for name, text in rows:
        out.print(Text(f"{name:<9}", style="bold"), Text(text))
    if not report.done:
        return
    colours = {"decode": "blue", "compute": "green", "encode": "magenta"}
    for phase, share in report.phases.items():
        drawn = Text(bar(share, 30).ljust(30), style=colours[phase])
        out.print(Text(f"{phase:<9}", style="bold"), drawn, Text(f"{share:.0%} of the time"))
    said = f"{report.verdict}, {report.efficiency:.0%} of the bound that {report.bound} sets"
    out.print(Text(f"{'bound':<9}", style="bold"), Text(said))
    out.print(Text(report.advice, style="dim"))


def _rehearse(job: Run, report: str) -> int:
    """Say what a run would do, from headers alone."""
    from rich.text import Text

    rows = table("input", "size", "output")
    failures = [(shown(each.source), each.reason) for each in job.outcomes]
    planned = []
    for work in job.found.works:
        try:
            height, width, mode = probe(work.source)
            grey = mode in ("1", "L", "LA", "I", "I;16", "I;16B")
            kind = Kind(height, width, 1 if grey else 3, treadle.u8, "A" in mode)
            gives = job.engine.chain(kind).gives
        except (PhotoError, RecipeError) as error:
            message = error.problems[0].message if isinstance(error, RecipeError) else str(error)
            failures.append((shown(work.source), message))
            continue
        size = f"{width}x{height} -> {gives.width}x{gives.height}"
        rows.add_row(Text(shown(work.source)), size, Text(shown(work.output)))
        planned.append({"input": shown(work.source), "output": shown(work.output), "size": size})
    if report == "json":
        failed = [{"input": name, "reason": reason} for name, reason in failures]
        print(json.dumps({"planned": planned, "failures": failed}, indent=2))
        return int(bool(failures))
    out = console()
    out.print(rows)
    for name, reason in failures:
        out.print(Text(f"{name}: {reason}", style="red"))
    out.print(f"{len(planned)} to do, {len(failures)} that cannot be; nothing was written.")
    return int(bool(failures))


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


def _allow(limit: int) -> None:
    """Let Pillow's own guard in as far as ours; it warns at half of where it refuses."""
    with suppress(PhotoError):  # without Pillow every image will say so
        from treadle.photos.decode import library

        image = library()
        if image.MAX_IMAGE_PIXELS is not None and limit > 2 * image.MAX_IMAGE_PIXELS:
            image.MAX_IMAGE_PIXELS = limit // 2 + 1
        warnings.simplefilter("ignore", image.DecompressionBombWarning)
