"""Which figures a service shows to Prometheus, and where each is read.

In: a service. Out: declarations in its Metrics. Nothing is counted here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from treadle.batching import BatchReport
from treadle.serving.metrics import Metrics, Sample

if TYPE_CHECKING:
    from treadle.serving.app import Service

__all__ = ["declare"]

_STATUS = Path("/proc/self/statm")  # where the system has it


def declare(metrics: Metrics, service: Service) -> None:
    """Declare every figure of a service."""
    metrics.counter("treadle_requests_total", "Requests that were answered, by status.")
    metrics.times("treadle_request_seconds", "Seconds from a request's headers to its answer.")
    metrics.times("treadle_stage_seconds", "Seconds that a photo spent in each stage.")
    metrics.counter("treadle_upload_bytes_total", "Bytes that clients sent.")
    metrics.counter("treadle_answer_bytes_total", "Bytes of photos that were sent back.")
    metrics.figure(
        "treadle_requests_in_progress",
        "Requests that are accepted and not answered yet.",
        lambda: [({}, service.in_progress)],
    )
    metrics.figure(
        "treadle_batches_total",
        "Batches that were computed, by endpoint.",
        lambda: [({"endpoint": name}, each.batches) for name, each in _reports(service)],
        grows=True,
    )
    metrics.figure(
        "treadle_batch_items_total",
        "Items that were computed in batches, by endpoint.",
        lambda: [({"endpoint": name}, each.items) for name, each in _reports(service)],
        grows=True,
    )
    metrics.figure(
        "treadle_waiting",
        "What waits: photos for a batch, uploads and photos for memory.",
        lambda: _waiting(service),
    )
    metrics.figure(
        "treadle_held_bytes",
        "Bytes that are held for uploads and photos of requests in progress.",
        lambda: [
            ({"what": "uploads"}, service.uploads.held),
            ({"what": "photos"}, service.threads.budget.held),
        ],
    )
    metrics.figure("treadle_device_memory_bytes", "Memory of the device.", lambda: _memory(service))
    metrics.figure("process_resident_memory_bytes", "Memory of this process.", _resident)


def _reports(service: Service) -> Iterable[tuple[str, BatchReport]]:
    if service.photos is not None:
        yield "image", service.photos.report
    if service.network is not None:
        yield "classify", service.network.report
    if service.vectors is not None:
        yield "nearest", service.vectors.index.report


def _waiting(service: Service) -> Iterable[Sample]:
    batched = [each.waiting for each in (service.photos, service.network) if each is not None]
    yield {"what": "batch"}, sum(batched)
    yield {"what": "upload"}, service.uploads.waiting
    yield {"what": "photo"}, service.threads.budget.waiting


def _memory(service: Service) -> Iterable[Sample]:
    found = service.device.memory
    for kind in ("held", "used", "pooled"):
        yield {"device": service.device.name, "kind": kind}, getattr(found, kind)


def _resident() -> Iterable[Sample]:
    if _STATUS.exists():
        yield {}, int(_STATUS.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
