"""Surfaces: places that show what is computed, a window, a notebook's cell or memory alone.

In: buffers of any device, and arrays. Out: pixels that a person sees or a program reads. A device
that draws shows its own buffers where they are; what others computed is brought to it, one upload a
frame, while they go on. The package is called as its contents are, in the plural: treadle.surface
is the function that makes one.
"""

from __future__ import annotations

from treadle.surfaces.event import SurfaceEvent
from treadle.surfaces.play import PlayReport
from treadle.surfaces.report import SurfaceReport
from treadle.surfaces.surface import Surface, run_to_surface

__all__ = ["PlayReport", "Surface", "SurfaceEvent", "SurfaceReport", "run_to_surface"]
