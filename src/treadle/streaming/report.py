"""What a run of a stream was like: figures, a verdict, and a sentence of advice.

In: a run's figures. Out: an object, the same as text for a terminal, as HTML for a notebook and as
JSON; and while the stream runs, at most ten times a second, a line that is rewritten or a call of
the user's function. It measures nothing.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from time import monotonic
from typing import Any, TextIO

from treadle.tables import listing

__all__ = ["LaneUse", "Report", "StreamProgress", "report_of", "with_lanes"]

KINDS = {
    "source": "CPU",
    "prepare": "CPU",
    "collect": "CPU",
    "consumer": "CPU",
    "upload": "transfer",
    "download": "transfer",
    "send": "transfer",
    "return": "transfer",
    "device": "device",
}
_BALANCED = 0.9  # of the busiest: two kinds that differ by less than this are balanced
_SATURATED = 0.9  # of the wall clock
_EVERY = 0.1  # seconds
_WIDTH = 24

_ADVICE = {
    "source": "the source is the slowest part: read ahead, or from something faster",
    "prepare": "prepare is the slowest part: make it cheaper, raise workers, or move work to the "
    "device",
    "collect": "collect is the slowest part: make it cheaper, raise workers, or reduce the results "
    "on the device first",
    "consumer": "the loop that consumes the results is the slowest part: move its work into "
    "collect, which runs beside it",
    "upload": "copying to the device is the slowest part: send smaller types, or arrays from "
    "device.host_array",
    "download": "copying from the device is the slowest part: reduce the results there first",
    "send": "sending batches to workers is the slowest part: send smaller types, or what batches "
    "are made from, such as paths, and prepare them there",
    "return": "bringing results back from workers is the slowest part: collect them to less there",
    "device": "the device is the slowest part, which is what a stream is for: fuse kernels, or use "
    "a faster device",
}


@dataclass(frozen=True, slots=True)
class LaneUse:
    """How busy one part of a stream was."""

    name: str
    kind: str  # CPU, transfer or device
    busy: float  # seconds
    share: float  # of the whole run

    @property
    def idle(self) -> float:
        """The share of the run in which it had nothing to do."""
        return max(1.0 - self.share, 0.0)


@dataclass(frozen=True, slots=True)
class Report:
    """A run of a stream in figures; print it, or take `to_dict()` and `to_json()`."""

    batches: int  # that came out
    failed: int
    dropped: int  # in realtime mode: superseded or past their deadline before they were computed
    late: int  # came out after their deadline
    seconds: float
    throughput: float  # batches a second
    bytes_in: int
    bytes_out: int
    latency_p50: float  # seconds from the source to the consumer
    latency_p95: float
    latency_p99: float
    depth: int  # batches under way at most
    lanes: tuple[LaneUse, ...]
    bound: str  # the busiest lane
    efficiency: float  # busy share of the busiest lane: 1 is perfect overlap
    speedup: float  # against doing one thing after another
    verdict: str  # CPU-bound, transfer-bound, device-bound, balanced or empty
    advice: str
    compiling: float = (
        0.0  # seconds in which something new was planned or compiled, beside the rest
    )
    compiled: tuple[str, ...] = ()  # of which kernels

    def busy(self, kind: str) -> float:
        """Return the busy share of a kind: CPU, transfer or device; its busiest lane's."""
        return max((lane.share for lane in self.lanes if lane.kind == kind), default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as what JSON can hold."""
        return asdict(self)

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return everything as JSON text."""
        return json.dumps(self.to_dict(), indent=indent)

    def __str__(self) -> str:
        head, *rows = self._lines()
        return "\n".join([head, *("  " + row for row in rows)])

    def _lines(self) -> list[str]:
        lost = [
            f"{count:,} {what}"
            for count, what in (
                (self.failed, "failed"),
                (self.dropped, "dropped"),
                (self.late, "late"),
            )
            if count
        ]
        head = (
            f"{self.batches:,} batches in {self.seconds:.3f} s: {self.throughput:,.1f} a second"
            + (f" ({', '.join(lost)})" if lost else "")
        )
        times = (self.latency_p50, self.latency_p95, self.latency_p99)
        p50, p95, p99 = (f"{seconds * 1e3:.2f} ms" for seconds in times)
        rows = [head, f"latency   p50 {p50}, p95 {p95}, p99 {p99}; {self.depth} under way"]
        for lane in self.lanes:
            if lane.share >= 0.0005:
                bar = "█" * round(lane.share * 20)
                rows.append(f"{lane.name:<9} {lane.share:6.1%} busy {bar}")
        if self.compiled:
            rows.append(f"compile   {self.compiling * 1e3:.0f} ms: {', '.join(self.compiled)}")
        rows.append(
            f"{self.verdict}: {self.efficiency:.1%} of the bound that {self.bound} sets, "
            f"{self.speedup:.2f}x one after another"
        )
        rows.append(self.advice)
        return rows

    def __rich__(self) -> str:
        head, *rows = (line.replace("[", r"\[") for line in self._lines())
        rows[-2] = f"[bold]{rows[-2]}[/bold]"
        rows[-1] = f"[italic]{rows[-1]}[/italic]"
        return "\n".join([f"[bold]{head}[/bold]", *("  " + row for row in rows)])

    def _repr_html_(self) -> str:
        head, *rows = self._lines()
        return listing(head, (), [row.split(None, 1) for row in rows[:-2]] + [rows[-2:]])


def _verdict(shares: dict[str, float]) -> tuple[str, str]:
    """The busiest lane, and what that makes of the run."""
    bound = max(shares, key=lambda name: shares[name])
    if not shares[bound]:
        return bound, "empty"
    kinds: dict[str, float] = {}
    for name, share in shares.items():
        kinds[KINDS[name]] = max(kinds.get(KINDS[name], 0.0), share)
    first, second = sorted(kinds.values(), reverse=True)[:2]
    balanced = second >= _BALANCED * first
    return bound, "balanced" if balanced else f"{KINDS[bound]}-bound"


def _advice(bound: str, verdict: str, efficiency: float, depth: int) -> str:
    if verdict == "empty":
        return "Nothing came through."
    if efficiency < _SATURATED:
        return (
            f"No part was busy all the time ({bound} most, {efficiency:.0%}): raise max_in_flight "
            f"above {depth}, or make batches larger so that handing them over costs less."
        )
    if verdict == "balanced":
        return "Two parts are equally busy: nothing is to be had from one of them alone."
    text = _ADVICE[bound]
    return text[0].upper() + text[1:] + "."


def _judged(busy: Mapping[str, float], wall: float, depth: int) -> dict[str, Any]:
    """What seconds of each lane say about a run of so many."""
    shares = {name: (spent / wall if wall else 0.0) for name, spent in busy.items()}
    bound, verdict = _verdict(shares)
    efficiency = min(shares[bound], 1.0)
    return {
        "lanes": tuple(LaneUse(n, KINDS[n], busy[n], shares[n]) for n in busy),
        "bound": bound,
        "efficiency": efficiency,
        "speedup": sum(shares.values()),
        "verdict": verdict,
        "advice": _advice(bound, verdict, efficiency, depth),
    }


def with_lanes(report: Report, busy: Mapping[str, float]) -> Report:
    """Return the report of the same run with other lanes, of so many seconds each."""
    return replace(report, **_judged(busy, report.seconds, report.depth))


def report_of(
    stats: Any, *, depth: int, dropped: int, compiled: Sequence[tuple[int, int, str]] = ()
) -> Report:
    """Make the report of a run, finished or not; `compiled` says what its device compiled when."""
    during = [
        (max(start, stats.started), min(stop, stats.stopped), name)
        for start, stop, name in compiled
        if start < stats.stopped and stop > stats.started
    ]
    wall = max(stats.stopped - stats.started, 0)
    busy = {name: spent / 1e9 for name, spent in stats.busy().items()}
    batches = stats.taken - stats.failed
    p50, p95, p99 = (stats.latency.at(share) / 1e9 for share in (0.5, 0.95, 0.99))
    return Report(
        batches=batches,
        failed=stats.failed - stats.expired,
        dropped=dropped + stats.expired,
        late=stats.late,
        seconds=wall / 1e9,
        throughput=batches / (wall / 1e9) if wall else 0.0,
        bytes_in=stats.bytes_in,
        bytes_out=stats.bytes_out,
        latency_p50=p50,
        latency_p95=p95,
        latency_p99=p99,
        depth=depth,
        **_judged(busy, wall / 1e9, depth),
        compiling=sum(stop - start for start, stop, _ in during) / 1e9,
        compiled=tuple(dict.fromkeys(name for _, _, name in during)),
    )


class StreamProgress:
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
    def of(cls, wanted: Any, total: int | None) -> StreamProgress | None:
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
