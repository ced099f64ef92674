"""Whether a queue takes one more command.

In: a queue, a command and the buffers it touches. Out: nothing, or the error that says why not and
what to do. Counts bytes in flight where those are limited. Called with the queue's lock held.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from treadle.errors import DeviceLost, QueueFull
from treadle.runtime.buffer import Buffer
from treadle.runtime.command import Command
from treadle.runtime.graph import Graph

__all__ = ["admit"]


class Limited(Protocol):
    """A queue's limits, and what is in flight."""

    name: str
    gone: str | None
    max_in_flight: int
    max_bytes: int | None
    graph: Graph
    open: dict[int, Any]


def admit(
    queue: Limited, command: Command, inputs: Iterable[Buffer], outputs: Iterable[Buffer]
) -> None:
    """Raise if a command cannot be taken now; count its bytes."""
    if queue.gone is not None:
        raise DeviceLost(queue.gone)
    if len(queue.open) >= queue.max_in_flight:
        raise QueueFull(
            f"{len(queue.open)} commands are in flight on {queue.name}, its max_in_flight; "
            "wait for some of them, use run_kernel or run_kernel_async, which wait for room, "
            "or raise device.max_in_flight"
        )
    if queue.max_bytes is not None:
        nbytes = command._charge + sum(b._high - b._low for b in (*inputs, *outputs))
        # Something larger than the limit may run when nothing else does.
        if queue.open and queue.graph.nbytes + nbytes > queue.max_bytes:
            raise QueueFull(
                f"{queue.graph.nbytes:,} bytes are in flight on {queue.name}, and {nbytes:,} "
                f"more would exceed its max_bytes_in_flight of {queue.max_bytes:,}; wait for "
                "some commands, use run_kernel or run_kernel_async, which wait for room, or "
                "raise the limit"
            )
        command._nbytes = nbytes
        queue.graph.nbytes += nbytes
