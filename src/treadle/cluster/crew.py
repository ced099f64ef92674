"""What the driver knows of its workers: a contract, and the events that come from them.

In: orders. Out: events, in the order in which they happened to each worker. Every order returns at
once; what comes of it is an event. `engine` keeps the contract with Ray; tests keep it by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from treadle.cluster.parcel import Parcel
from treadle.cluster.worker import Reply

__all__ = ["Arrived", "Crew", "Equipped", "Event", "Lost", "Missed", "Refused", "Returned"]


@dataclass(frozen=True, slots=True)
class Arrived:
    """A worker's process has started; `versions` are those of what it runs."""

    worker: str
    host: str
    versions: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Equipped:
    """A worker has its handler and waits for batches."""

    worker: str


@dataclass(frozen=True, slots=True)
class Refused:
    """A worker could not make its handler."""

    worker: str
    reply: Reply


@dataclass(frozen=True, slots=True)
class Returned:
    """A worker has replied for a batch."""

    worker: str
    batch: int
    reply: Reply


@dataclass(frozen=True, slots=True)
class Missed:
    """A worker's reply for a batch did not arrive, though the worker may be well."""

    worker: str
    batch: int
    why: str


@dataclass(frozen=True, slots=True)
class Lost:
    """A worker has died, or could not start."""

    worker: str
    why: str


Event = Arrived | Equipped | Refused | Returned | Missed | Lost


class Crew(Protocol):
    """Workers that can be started, given batches, and ended."""

    def open(self, post: Callable[[Event], None]) -> int:
        """Connect to where workers can be had; return how many to start. Events go to `post`, from
        any thread."""
        ...

    def start(self, worker: str) -> None:
        """Start a worker's process, under this name."""
        ...

    def equip(self, worker: str, make: Parcel) -> None:
        """Have a worker that has arrived make its handler."""
        ...

    def send(self, parcel: Parcel) -> Any:
        """Put a batch where workers can get it; return what `give` takes. Any thread."""
        ...

    def give(self, worker: str, batch: int, sent: Any) -> None:
        """Have a worker do a batch."""
        ...

    def withdraw(self, worker: str, batch: int) -> None:
        """Tell a worker that a batch is not wanted any more."""
        ...

    def end(self, worker: str) -> None:
        """End a worker at once, whatever it does."""
        ...

    def close(self) -> None:
        """End every worker, and what was started for them."""
        ...
