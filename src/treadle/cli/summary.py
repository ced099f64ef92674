"""What `treadle run` says: text for people, lines of JSON for programs.

In: outcomes and reports. Out: text on the consoles it is given, JSON on stdout. Names of files are
shown on one line each, whatever is in them; JSON has them as they are.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from treadle.cli.console import bar, console
from treadle.recipes.find import Place
from treadle.recipes.name import shown
from treadle.recipes.report import RunReport
from treadle.recipes.run import Outcome, RecipeRun, Summary

__all__ = ["as_line", "as_mapping", "figures", "list_failures", "list_passed", "print_line"]

_SHOWN = 20  # names that are listed; JSON has all
_COLOURS = {"decode": "blue", "compiling": "yellow", "compute": "green", "encode": "magenta"}


def print_line(**fields: Any) -> None:
    """Print one line of JSON; empty fields are left out."""
    print(json.dumps({name: value for name, value in fields.items() if value}), flush=True)


def as_line(outcome: Outcome) -> None:
    """Print what became of one input as a line of JSON."""
    print_line(
        kind="file", status=outcome.status, input=str(outcome.source),
        output="" if outcome.output is None else str(outcome.output), reason=outcome.reason,
        size=list(outcome.size or ()), notes=list(outcome.notes),
    )  # fmt: skip


def as_mapping(job: RecipeRun, summary: Summary) -> dict[str, Any]:
    """The end of a run as what JSON can hold."""
    return {
        "stopped": summary.stopped,
        **summary.report.mapping(),
        **({} if job.spread is None else {"workers": job.spread.mapping()}),
        "failures": [
            {"input": str(each.source), "reason": each.reason} for each in summary.failures
        ],
        "passed": [{"input": str(path), "reason": why} for path, why in job.found.passed],
    }


def list_failures(failures: Sequence[tuple[Place, str]]) -> None:
    """Print what failed, and why, to stderr."""
    if not failures:
        return
    from rich.text import Text

    out = console(stderr=True)
    for path, reason in failures[:_SHOWN]:
        _row(out, "failed", "red", Text.assemble((shown(path), "red"), f": {shown(reason)}"))
    if len(failures) > _SHOWN:
        out.print(f"and {len(failures) - _SHOWN} more; --json lists all")


def list_passed(passed: Sequence[tuple[Place, str]], *, stderr: bool = False) -> None:
    """Print which files were passed over, and once for each reason why."""
    if not passed:
        return
    from rich.text import Text

    out = console(stderr=stderr)
    for why, count in Counter(why for _, why in passed).items():
        names = [shown(path) for path, reason in passed if reason == why]
        listed = ", ".join(names[:_SHOWN])
        more = f" and {count - _SHOWN} more; --json lists all" if count > _SHOWN else ""
        said = f"{count} file{'s' * (count != 1)} passed over ({why}): {listed}{more}"
        _row(out, "not read", "yellow", Text(said))


def figures(job: RecipeRun, summary: Summary, *, stderr: bool = False) -> None:
    """Print what was done, how fast, and what bounded it."""
    from rich.text import Text

    report = summary.report
    out = console(stderr=stderr)
    rows = [
        ("recipe", f"{report.recipe} on {report.device}"),
        ("images", f"{_counts(report)}, in {shown(job.options.out)}"),
    ]
    if report.done:
        speed = report.megapixels_per_second
        rate = f"{report.images_per_second:.1f} images/s, {speed:.{0 if speed >= 10 else 1}f} MP/s"
        rows.append(("time", f"{report.seconds:.2f} s: {rate}"))
    spread = job.spread
    if spread is not None:
        restarts = f"; {spread.restarts} died and were replaced" if spread.restarts else ""
        each = [f"{use.host}/{use.process}: {use.images}" for use in spread.use[:_SHOWN]]
        more = f" and {len(spread.use) - _SHOWN} more" if len(spread.use) > _SHOWN else ""
        rows.append(("workers", f"{', '.join(each)}{more}{restarts}"))
    for name, text in rows:
        out.print(Text(f"{name:<9}", style="bold"), Text(text))
    list_passed(job.found.passed, stderr=stderr)
    _notes(summary, out)
    if not report.done:
        return
    for phase, share in report.phases.items():
        drawn = Text(bar(share, 30).ljust(30), style=_COLOURS[phase])
        out.print(Text(f"{phase:<9}", style="bold"), drawn, Text(f"{share:.0%} of the time"))
    said = f"{report.verdict}, {report.efficiency:.0%} of the bound that {report.bound} sets"
    out.print(Text(f"{'bound':<9}", style="bold"), Text(said))
    out.print(Text(report.advice, style="dim"))


def _counts(report: RunReport) -> str:
    counts = [f"{report.done} done"]
    counts += [f"{report.skipped} made before"] if report.skipped else []
    counts += [f"{report.failed} failed"] if report.failed else []
    counts += [f"{report.left} left"] if report.left else []
    counts += [f"{report.passed_over} passed over"] if report.passed_over else []
    return ", ".join(counts)


def _notes(summary: Summary, out: Any) -> None:
    """Print what of the inputs is not in the outputs, together where it is the same."""
    from rich.text import Text

    said: dict[str, list[str]] = {}
    for each in summary.outcomes:
        for note in each.notes:
            said.setdefault(note, []).append(shown(each.source.name))
    for note, names in said.items():
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        _row(out, "note", "yellow", Text(f"{note}: {', '.join(names[:3])}{more}"))


def _row(out: Any, title: str, colour: str, text: Any) -> None:
    """Print a title and a text on a line of its own, however long it is."""
    from rich.text import Text

    out.print(Text(f"{title:<9}", style=f"bold {colour}"), text, soft_wrap=True)
