"""Streams: the CPU, the copies and the device busy at the same time, over batches without end.

In: batches, and how to prepare, compute and collect them. Out: results in order, and a report.

`stream` is what users have, `engine` its threads. Batches come from `source` into the `window` of
those under way; `batch` is one of them and what is done with it, with `buffers` to hold its arrays,
`compute` for what the device does, and `coroutines` for what an event loop does. `stats` adds up
what the time went into, `report` says what that means, and `tuning` decides by it.
"""

from __future__ import annotations

from treadle.streaming.report import LaneUse, Report
from treadle.streaming.stream import Stream

__all__ = ["LaneUse", "Report", "Stream"]
