"""A stream's progress: one line that is rewritten, or calls of the user's function.

In: a stream, after each batch. Out: at most ten times a second, a line on standard error or a call
with the report so far.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import monotonic
from typing import Any, TextIO

__all__ = ["Progress"]

_EVERY = 0.1  # seconds
_WIDTH = 24


class Progress:
    """Shows how far a stream has come."""

    def __init__(
        self, function: Callable[[Any], Any] | None, total: int | None, file: TextIO | None = None
    ) -> None:
        self._function = function
        self._total = total
        self._file = file
        self._last = -1e9
        self._ended = False

    @classmethod
    def of(cls, wanted: Any, total: int | None) -> Progress | None:
        """Return what shows the progress that was asked for, if any was."""
        if not wanted:
            return None
        return cls(wanted if callable(wanted) else None, total)

    def show(self, stream: Any) -> None:
        """Show it, unless it was shown a moment ago."""
        now = monotonic()
        if now - self._last >= _EVERY:
            self._last = now
            self._put(stream, "")

    def end(self, stream: Any) -> None:
        """Show how it ended, once."""
        if not self._ended:
            self._ended = True
            self._put(stream, "\n")

    def _put(self, stream: Any, after: str) -> None:
        report = stream.report
        if self._function is not None:
            self._function(report)
            return
        text = f"{report.batches:,}"
        if self._total:
            share = min(report.batches / self._total, 1.0)
            filled = round(share * _WIDTH)
            bar = "█" * filled + "·" * (_WIDTH - filled)
            left = (self._total - report.batches) / report.throughput if report.throughput else 0.0
            text = f"{bar} {text}/{self._total:,} batches, {left:.1f} s left"
        else:
            text += " batches"
        file = self._file or sys.stderr
        file.write(f"\r\x1b[K{text}, {report.throughput:,.1f} a second{after}")
        file.flush()
