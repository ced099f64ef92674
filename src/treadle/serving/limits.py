"""What a service accepts, as numbers, and what it says to a client that asks for more.

In: what the user allows. Out: a frozen ServiceLimits, and Refusal, the one exception that becomes
an answer. Knows nothing about HTTP but the numbers of its statuses.
"""

from __future__ import annotations

from dataclasses import fields

from treadle.data import dataclass
from treadle.errors import LaunchError, TreadleError

__all__ = ["Refusal", "ServiceLimits"]


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """What a service accepts; more is an answer that names the limit."""

    max_bytes: int = 32_000_000  # of an upload
    max_pixels: int = 50_000_000  # of a photo, read from its header before it is decoded
    max_requests: int = 512  # that are accepted and not answered yet
    max_memory: int = 1 << 30  # bytes of uploads, pixels and answers at the same time
    patience: float = 20.0  # seconds for an upload to begin,
    pace: int = 16_384  # and bytes for each further second
    drain: float = 30.0  # seconds in which a shutdown finishes what was accepted

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise LaunchError(f"{each.name}: expected a number above 0, got {value!r}")


class Refusal(TreadleError):
    """A request that gets an error for an answer: a status of HTTP and one sentence."""

    def __init__(self, status: int, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
