"""Surfaces in a notebook: a cell whose picture is replaced by the next.

In: a surface. Out: PNGs for IPython, one at a time: while one is on its way, newer ones wait, and
only the newest of them follows. IPython is asked for only where it runs already.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.attendant import start
from treadle.errors import TreadleError
from treadle.png import encode

if TYPE_CHECKING:
    from treadle.surfaces.surface import Surface

__all__ = ["Cell", "png", "runs_here"]

_LEVEL = 1  # of zlib: a frame is looked at for a moment


def png(pixels: np.ndarray[Any, Any]) -> bytes:
    """Return RGBA pixels as a PNG, without what is opaque everywhere."""
    opaque = bool((pixels[..., 3] == 255).all())
    return encode(pixels[..., :3] if opaque else pixels, level=_LEVEL)


def runs_here() -> bool:
    """Whether this is a notebook's process: IPython runs in it, with a kernel."""
    module = sys.modules.get("IPython")
    shell = None if module is None else module.get_ipython()
    return shell is not None and hasattr(shell, "kernel")


class Cell:
    """Where a surface of kind "notebook" shows itself."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._newest: list[Surface] = []
        self._lock = threading.RLock()
        self._shows = False  # a thread does

    def update(self, surface: Surface) -> None:
        """Show what the surface shows, soon; the first time, in the cell that runs now."""
        if self._handle is None:
            from IPython.display import display

            self._handle = display(_Frame(surface), display_id=True)
            return
        with self._lock:
            self._newest[:] = [surface]
            if self._shows:
                return
            self._shows = True
        start("treadle-notebook", self._show)

    def _show(self) -> None:
        while True:
            with self._lock:
                if not self._newest:
                    self._shows = False
                    return
                surface = self._newest.pop()
            try:
                self._handle.update(_Frame(surface))
            except TreadleError:  # it ended meanwhile
                pass
            except BaseException:  # of the notebook's: later pictures may be shown again
                with self._lock:
                    self._shows = False
                raise


class _Frame:
    """What IPython is given to show."""

    def __init__(self, surface: Surface) -> None:
        self._png = surface._repr_png_()

    def _repr_png_(self) -> bytes | None:
        return self._png
