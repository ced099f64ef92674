"""The live page: devices, memory, streams and the timeline, as they are while a program runs.

In: what is open in this process, and a trace that runs only while a page asks. Out: one page on
loopback that asks twice a second. While none is open nothing is recorded and no thread wakes.
"""

from __future__ import annotations

import contextlib
import threading
from importlib import resources
from time import monotonic, perf_counter_ns
from typing import Any

from treadle.pages.loopback import LoopbackPage
from treadle.runtime import observe
from treadle.runtime.present import opened
from treadle.streaming.stream import begun
from treadle.trace import Trace, lanes_of

__all__ = ["Dashboard"]

_SHOWN = 10.0  # seconds of the timeline
_MOST = 1500  # records of it that are sent: the newest
_LOOK = 1.0  # seconds between two looks whether a page still asks


class Dashboard:
    """What `treadle.dashboard()` returns: an address to open; `close` or `with` ends it."""

    def __init__(self, port: int = 0) -> None:
        text = (resources.files("treadle.pages") / "dashboard.html").read_text("utf-8")
        self._lock = threading.Lock()
        self._trace: Trace | None = None
        self._before: list[observe.Record] = []  # of the trace before this one
        self._began = self._asked = 0.0
        self._stopper: threading.Timer | None = None
        self._page = LoopbackPage(text, port=port, data=self.data)

    @property
    def address(self) -> str:
        """What to open, token included: do not pass it on."""
        return self._page.address

    def __repr__(self) -> str:
        return f"<treadle.Dashboard {self._page!r}>"

    def data(self) -> dict[str, Any]:
        """What the page shows now; recording begins with the first call and ends after the last."""
        with self._lock:
            self._asked = monotonic()
            self._record()
            return {
                "devices": [_device(each) for each in list(opened)],
                "streams": [_stream(each) for each in list(begun) if each.running],
                "lanes": self._lanes(),
                "seconds": _SHOWN,
            }

    def rest(self) -> None:
        """Stop recording until a page asks again, as is done after a moment without one."""
        with self._lock:
            self._stop()

    def _record(self) -> None:
        """Have a trace run that is not older than what is shown, unless the program has its own."""
        now = monotonic()
        if self._trace is None and observe.active is None:
            self._trace, self._began = Trace().start(), now
        elif self._trace is not None and now - self._began > _SHOWN:
            self._before = self._trace.stop().records[-_MOST:]  # it does not grow without end
            self._trace, self._began = Trace().start(), now
        if self._stopper is None:
            self._watch()

    def _watch(self) -> None:
        self._stopper = threading.Timer(_LOOK, self._look)
        self._stopper.daemon = True
        self._stopper.start()

    def _look(self) -> None:
        """Stop recording when no page asks any more."""
        with self._lock:
            self._stopper = None
            if monotonic() - self._asked > 2 * _LOOK:
                self._stop()
            else:
                self._watch()

    def _stop(self) -> None:
        if self._trace is not None:
            self._trace.stop()
            self._trace, self._before = None, []

    def _lanes(self) -> list[dict[str, Any]]:
        recorder = observe.active
        if recorder is None:
            return []
        now = perf_counter_ns()
        since = now - int(_SHOWN * 1e9)
        known = [*self._before, *recorder.newest(_MOST)]
        records = [each for each in known[-_MOST:] if each.stop > since]
        found = []
        for process, name, lane in lanes_of(records):
            boxes = [
                (each.label, (each.start - now) / 1e9, (each.stop - each.start) / 1e9)
                for each in lane
            ]
            found.append({"process": process, "name": name, "boxes": boxes})
        return found

    def close(self) -> None:
        """Stop recording, and the page."""
        with self._lock:
            if self._stopper is not None:
                self._stopper.cancel()
            self._stop()
        self._page.close()

    def __enter__(self) -> Dashboard:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _device(device: Any) -> dict[str, Any]:
    memory = device.memory
    return {
        "name": device.name,
        "about": device.info.name,
        "in flight": device.in_flight,
        "held": memory.held,
        "used": memory.used,
        "pooled": memory.pooled,
        "limit": memory.limit,
    }


def _stream(stream: Any) -> dict[str, Any]:
    with contextlib.suppress(Exception):  # it ends this very moment
        report = stream.report
        return {
            "name": repr(stream),
            "batches": report.batches,
            "throughput": report.throughput,
            "verdict": report.verdict,
            "lanes": {lane.name: lane.share for lane in report.lanes},
        }
    return {"name": repr(stream), "batches": 0, "throughput": 0.0, "verdict": "", "lanes": {}}
