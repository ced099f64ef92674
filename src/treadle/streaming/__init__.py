"""Streams: the CPU, the copies and the device busy at the same time, over batches without end.

In: batches, and how to prepare, compute and collect them. Out: results in order, and a report. The
engine has the threads, the carrier the buffers, work the forms that a computation can have.
"""

from __future__ import annotations

from treadle.streaming.report import LaneUse, Report
from treadle.streaming.stream import Stream

__all__ = ["LaneUse", "Report", "Stream"]
