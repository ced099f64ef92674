"""How far a run is: a live bar on a terminal, a line every tenth of the way elsewhere.

In: outcomes or counts as they come. Out: text on stderr with the rate, the time left and what
bounds it. Knows nothing about files.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

__all__ = ["Progress"]


class Progress:
    """Shows the progress of `total` inputs; `bound` says what is busiest, where that is known, and
    `beside` what else there is to say."""

    def __init__(
        self,
        total: int,
        bound: Callable[[], str] | None,
        *,
        quiet: bool,
        unit: str = "images",
        beside: Callable[[], str] | None = None,
        doing: str = "weaving",
    ) -> None:
        from treadle.cli.console import console

        self._total = total
        self._bound = bound
        self._unit = unit
        self._beside = beside
        self._doing = doing
        self._out = console(stderr=True)
        self._live = self._out.is_terminal and not quiet
        self._quiet = quiet
        self._done = self._failed = self._tenth = 0
        self._started = time.perf_counter()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        if self._live:
            from rich import progress as parts

            self._bar = parts.Progress(
                parts.TextColumn("{task.description}"),
                parts.BarColumn(bar_width=None),
                parts.MofNCompleteColumn(),
                parts.TextColumn("[green]{task.fields[rate]}"),
                parts.TextColumn("[cyan]{task.fields[left]}"),
                parts.TextColumn("[dim]{task.fields[bound]}"),
                console=self._out, expand=True,
            )  # fmt: skip
            fields = {"rate": "", "left": "", "bound": ""}
            self._task = self._bar.add_task(self._doing, total=self._total, **fields)
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def heard(self, outcome: Any) -> None:
        """Count an outcome and show where the run stands."""
        self._failed += outcome.status == "failed"
        self.passed(1)

    def passed(self, count: int) -> None:
        """Count inputs that are done and show where the run stands."""
        self._done += count
        if self._quiet:
            return
        rate = self._done / max(time.perf_counter() - self._started, 1e-9)
        # What cannot be read ends at once, and says nothing about the rate.
        speed = f"{rate:,.{int(rate < 1000)}f}/s" if self._done > self._failed else ""
        if self._live:
            failed = f" [red]{self._failed} failed" if self._failed else ""
            left = _clock((self._total - self._done) / rate) if speed else ""
            bound = f"bound by {self._bound()}" if self._bound is not None else ""
            bound = self._beside() if self._beside is not None else bound
            self._bar.update(
                self._task, completed=self._done, description=f"{self._doing}{failed}",
                rate=speed, left=left, bound=bound,
            )  # fmt: skip
        elif (tenth := 10 * self._done // self._total) > self._tenth:
            self._tenth = tenth
            failed = f", {self._failed} failed" if self._failed else ""
            speed = f", {speed}" if speed else ""
            beside = f", {self._beside()}" if self._beside is not None else ""
            self._out.print(f"{self._done}/{self._total} {self._unit}{speed}{failed}{beside}")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d} left"
