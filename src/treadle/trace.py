"""Traces: what ran when, on the host and on devices, as a file for Perfetto and as a picture.

In: a stretch of the program, between `with` and its end. Out: records of every command, transfer,
host access and stream phase in it, on one clock. While no trace is on, recording costs a glance at
a name. How a picture is drawn is the timeline's business.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from treadle.errors import LaunchError
from treadle.runtime import observe, registry
from treadle.runtime.observe import Record, Recorder

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Trace", "begin_recording", "end_recording", "lanes_of", "row_of"]

_lock = threading.RLock()  # a finalizer may stop a trace, inside it too
_MOMENT = 1000  # nanoseconds for which a submit is shown


class Trace:
    """A recording of what runs inside a `with` block; made by treadle.trace.

    One can be on at a time. With a path it is written there at the end, in the Trace Event Format,
    which ui.perfetto.dev and chrome://tracing open."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self._path = None if path is None else os.fspath(path)
        self._recorder: Recorder | None = None
        self._records: list[Record] | None = None

    def start(self) -> Trace:
        """Begin to record; `with` does it for you."""
        with _lock:
            if self._recorder is not None and observe.active is not self._recorder:
                raise LaunchError("a trace records once; make a new one")
            recorder = Recorder()
            begin_recording(recorder)
            self._recorder = recorder
        return self

    def stop(self) -> Trace:
        """Stop recording, and write the file if there is one to write."""
        with _lock:
            if self._recorder is not None and end_recording(self._recorder):
                self._records = sorted(self._recorder.records, key=lambda r: r.start)
                if self._path is not None:
                    self.save(self._path)
        return self

    def __enter__(self) -> Trace:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def records(self) -> list[Record]:
        """What has ended so far, in order of start; times are those of time.perf_counter_ns()."""
        if self._records is not None:
            return self._records
        recorder = self._recorder
        return sorted(recorder.records, key=lambda r: r.start) if recorder is not None else []

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        on = self._recorder is not None and self._recorder is observe.active
        return f"<treadle.Trace {len(self)} records{', recording' if on else ''}>"

    # The file.

    def to_dict(self) -> dict[str, Any]:
        """Return the trace in the Trace Event Format, as what JSON can hold."""
        return {"displayTimeUnit": "ms", "traceEvents": list(_events(self.records))}

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the trace as JSON for Perfetto, and return where."""
        import json  # both load when a trace is written: `import treadle` need not pay for them
        from pathlib import Path

        where = Path(path)
        where.write_text(json.dumps(self.to_dict()), encoding="utf-8")
        return where

    # The picture.

    def timeline(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        width: int = 1000,
        last: int = 4000,
        theme: str = "auto",
    ) -> Any:
        """Draw lanes as rows and batches in colours; write SVG, HTML or PNG by the path's ending.

        Of a long trace the `last` records are drawn. The theme is light, dark, or auto: as the
        reader's system asks for, and light in a PNG. What it returns shows itself in a notebook."""
        from treadle.timeline import Timeline  # drawing is loaded by those who draw

        drawn = Timeline(lanes_of(self.records[-last:]), width=width, theme=theme)
        if path is not None:
            drawn.save(path)
        return drawn

    def _repr_html_(self) -> str:
        shown: str = self.timeline()._repr_html_()
        return shown


def begin_recording(recorder: Recorder) -> None:
    """Have a recorder told of everything from now on; raise where another is that does not give
    way."""
    with _lock:
        if observe.active is not None and not observe.active.gives_way:
            raise LaunchError("a trace is on already; one can be on at a time")
        observe.record(recorder)
        for queue in list(registry.owners):
            queue.record(recorder)


def end_recording(recorder: Recorder) -> bool:
    """Have a recorder told of nothing more; false where it was not told any more before."""
    with _lock:
        if recorder is not observe.active:
            return False
        observe.record(None)
        for queue in list(registry.owners):
            queue.record(None)
        return True


def row_of(record: Record) -> tuple[str, str]:
    """The process and thread that a record is shown in."""
    if record.kind == "phase":
        return f"stream {record.device.rpartition('-')[2]}", record.label
    if record.kind == "transfer":
        return f"device {record.device}", record.label
    if record.kind == "host":
        return f"device {record.device}", "host access"
    if record.kind in ("submit", "compile"):
        return f"device {record.device}", record.kind
    return f"device {record.device}", "groups" if record.kind == "group" else "compute"


def lanes_of(records: Iterable[Record]) -> list[tuple[str, str, list[Record]]]:
    """Sort records into rows (process, lane, records) in which no two overlap."""
    rows: dict[tuple[str, str], list[list[Record]]] = {}
    for record in sorted(records, key=lambda r: (r.start, r.stop)):
        lanes = rows.setdefault(row_of(record), [])
        for lane in lanes:
            if lane[-1].stop <= record.start:
                lane.append(record)
                break
        else:
            lanes.append([record])
    return [
        (process, name if len(lanes) == 1 else f"{name} {number}", lane)
        for (process, name), lanes in sorted(rows.items(), key=_rank)
        for number, lane in enumerate(lanes)
    ]


_PHASES = ("source", "prepare", "upload", "device", "download", "collect", "consumer")


def _rank(item: tuple[tuple[str, str], Any]) -> tuple[str, int, str]:
    process, name = item[0]
    first = "a" if process.startswith("stream") else "b"
    return first + process, _PHASES.index(name) if name in _PHASES else 99, name


def _submits(records: Iterable[Record]) -> Iterable[Record]:
    """The moments of submitting, as short boxes: an arrow has to start in one."""
    for each in records:
        if each.kind in ("command", "transfer") and each.submit < each.start:
            stop = min(each.submit + _MOMENT, each.start)
            yield replace(each, kind="submit", start=each.submit, stop=stop)


def _events(records: list[Record]) -> Iterable[dict[str, Any]]:
    """Events of the Trace Event Format: a process for each device and stream, a thread a lane."""
    origin = min((min(r.submit, r.start) for r in records), default=0)
    submits = list(_submits(records))
    arrows = {record.number for record in submits}
    processes: dict[str, int] = {}
    for thread, (process, name, lane) in enumerate(lanes_of([*records, *submits]), 1):
        pid = processes.get(process)
        if pid is None:
            pid = processes[process] = len(processes) + 1
            yield _named("process_name", pid, 0, process)
        yield _named("thread_name", pid, thread, name)
        for record in lane:
            at = {"pid": pid, "tid": thread, "ts": _microseconds(record.start - origin)}
            yield {
                "ph": "X",
                "name": record.label if record.batch < 0 else f"{record.label} #{record.batch}",
                "cat": record.kind,
                **at,
                "dur": _microseconds(record.stop - record.start),
                "args": _details(record, origin),
            }
            # An arrow from where it was submitted to where it ran. Perfetto ties each end to the
            # box that is open in its row at that time, and drops an end that lies in none.
            arrow = {"cat": "submit", "name": "submit", "id": record.number, **at}
            if record.kind == "submit":
                yield {"ph": "s", **arrow}
            elif record.kind in ("command", "transfer") and record.number in arrows:
                yield {"ph": "f", "bp": "e", **arrow}


def _microseconds(nanoseconds: int) -> float:
    """The format's unit. Readers that cut off what is less than a nanosecond get this one, too:
    else what follows at once would overlap, and they drop what does."""
    given = nanoseconds / 1e3
    return given if int(given * 1e3) == nanoseconds else math.nextafter(given, math.inf)


def _named(what: str, pid: int, tid: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {"name": name}}


def _details(record: Record, origin: int) -> dict[str, Any]:
    details: dict[str, Any] = {"bytes": record.nbytes}
    if record.kind != "phase":
        details |= {
            "command": record.number,
            "status": record.status,
            "submit_us": _microseconds(record.submit - origin),
            "launch_us": _microseconds(record.launch - origin),
            "noticed_us": _microseconds(record.end - origin),
        }
    if record.steps > 1:
        details["steps"] = record.steps
    if record.lane and record.kind == "command":
        details["lane"] = record.lane
    if record.batch >= 0:
        details["batch"] = record.batch
    return details
