"""The live page: devices, memory, streams and the timeline, as they are while a program runs.

In: what is open in this process, and stretches of it that are recorded while a page asks. Out: one
page on loopback that asks twice a second, for what is new to it. While none is open nothing is
recorded and no thread wakes; how little is recorded while one is, is decided in `samples`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from importlib import resources
from time import perf_counter_ns
from typing import Any

from treadle.pages.loopback import LoopbackPage
from treadle.pages.samples import Sampler
from treadle.runtime.present import opened
from treadle.streaming.stream import begun
from treadle.trace import row_of

__all__ = ["Dashboard"]

_SHOWN = 10.0  # seconds of the timeline
_MOST = 1500  # records that are sent at once: the newest


class Dashboard:
    """What `treadle.dashboard()` returns: an address to open; `close` or `with` ends it."""

    def __init__(self, port: int = 0) -> None:
        text = (resources.files("treadle.pages") / "dashboard.html").read_text("utf-8")
        self._samples = Sampler(_SHOWN)
        self._page = LoopbackPage(text, port=port, data=self._answer)

    @property
    def address(self) -> str:
        """What to open, token included: do not pass it on."""
        return self._page.address

    def __repr__(self) -> str:
        return f"<treadle.Dashboard {self._page!r}>"

    def data(self, since: int = 0) -> dict[str, Any]:
        """What the page shows: what is now, and what ended since a moment, which is what `now` was
        in an earlier answer. Recording begins with the first call and ends after the last."""
        self._samples.ask()
        now = perf_counter_ns()
        since = max(since, now - int(_SHOWN * 1e9))
        records, stretches = self._samples.since(since)
        lanes: dict[tuple[str, str], list[tuple[str, float, float]]] = {}
        for each in records[-_MOST:]:
            box = (each.label, (each.start - now) / 1e9, (each.stop - each.start) / 1e9)
            lanes.setdefault(row_of(each), []).append(box)
        return {
            "devices": [_device(each) for each in list(opened)],
            "streams": [_stream(each) for each in list(begun) if each.running],
            "lanes": [
                {"process": process, "name": name, "boxes": boxes}
                for (process, name), boxes in lanes.items()
            ],
            "recorded": [((start - now) / 1e9, (stop - start) / 1e9) for start, stop in stretches],
            "seconds": _SHOWN,
            "now": str(now),  # too long for a number of a page's
        }

    def _answer(self, query: Mapping[str, str]) -> dict[str, Any]:
        given = query.get("since", "")
        return self.data(int(given[:20]) if given.isascii() and given.isdigit() else 0)

    def rest(self) -> None:
        """Stop recording until a page asks again, as is done after a moment without one."""
        self._samples.stop()

    def close(self) -> None:
        """Stop the page, and recording."""
        self._page.close()
        self._samples.close()

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
