"""What a surface did, in numbers."""

from __future__ import annotations

from dataclasses import asdict

from treadle.data import dataclass
from treadle.tables import facts

__all__ = ["SurfaceReport"]


@dataclass(frozen=True, slots=True)
class SurfaceReport:
    """What a surface did since it was made. Bytes are those that crossed between a device and the
    host so that they could be shown: none for buffers of the device that draws."""

    presented: int = 0  # calls of present
    skipped: int = 0  # of those, how often the window had no room: it was hidden, or changed size
    uploaded: int = 0  # bytes, to the device that draws
    downloaded: int = 0  # bytes, from the device that computed
    read: int = 0  # bytes, by get_pixels

    @property
    def crossed(self) -> int:
        """Bytes that crossed between a device and the host in order to be shown."""
        return self.uploaded + self.downloaded

    def _repr_html_(self) -> str:
        return facts("surface", asdict(self))

    def __str__(self) -> str:
        shown = f"{self.presented} presented"
        if self.skipped:
            shown += f", {self.skipped} of them not shown"
        return f"{shown}; {self.uploaded:,} bytes uploaded, {self.downloaded:,} downloaded"
