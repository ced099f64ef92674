"""A viewer in a window: keys and the pointer change it, and what it is set to is on the picture.

In: a viewer and a surface. Out: what the surface shows, until it is closed.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np

import treadle
from treadle.photos import lettered
from treadle.surfaces import Surface, SurfaceEvent
from treadle.viewing.viewer import Viewer

__all__ = ["KEYS", "WindowView"]

KEYS = """left, right: inputs; up, down: choose a parameter; - and +: change it;
b: before and after; wheel or z, x: zoom; drag: pan; 0: all of it;
s: save the recipe; p: save a picture; h: hide the words; q: end"""

_ZOOM = 1.25


class WindowView:
    """A viewer on a surface."""

    def __init__(self, viewer: Viewer, surface: Surface, folder: Path) -> None:
        self.viewer = viewer
        self.surface = surface
        self.folder = folder
        self.said = ""  # what happened last
        self.shows_before = False
        self.shows_words = True
        self._drag: tuple[float, float] | None = None

    def picture(self) -> np.ndarray[Any, Any]:
        """What is to be shown: before or after, with words over it."""
        viewer = self.viewer
        before, after, wrong = viewer.look(after=not self.shows_before)
        self.said = wrong or self.said
        pixels = before if self.shows_before else after
        return lettered(pixels, self.words()) if self.shows_words else pixels

    def words(self) -> list[str]:
        """The lines over the picture."""
        viewer = self.viewer
        what = "before" if self.shows_before else "after"
        head = f"{viewer.recipe.label}: {viewer.name} ({what})"
        marked = [
            f"{'>' if number == viewer.chosen else ' '} {control}"
            for number, control in enumerate(viewer.controls)
        ]
        return [head, *marked, *([self.said] if self.said else [])]

    def happened(self, event: SurfaceEvent) -> bool:
        """Take an event; return whether there is something new to show."""
        if event.kind == "key_down":
            return self._pressed(event.key)
        if event.kind == "wheel":
            if not event.dy:  # it was turned sideways
                return False
            return self._zoom(_ZOOM if event.dy < 0 else 1 / _ZOOM)
        if event.kind == "pointer_down":
            self._drag = (event.x, event.y)
        elif event.kind == "pointer_up":
            self._drag = None
        elif event.kind == "pointer_move" and self._drag is not None:
            now, before = self.surface.place(event.x, event.y), self.surface.place(*self._drag)
            self._drag = (event.x, event.y)
            return self._pan(before[0] - now[0], before[1] - now[1])
        return event.kind == "resize"

    def _zoom(self, factor: float) -> bool:
        self.surface.zoom = min(max(self.surface.zoom * factor, 1.0), 64.0)
        if self.surface.zoom == 1.0:
            self.surface.centre = None
        return True

    def _pan(self, x: float, y: float) -> bool:
        height, width = self.viewer.look(after=False)[0].shape[:2]
        centre = self.surface.centre or (width / 2, height / 2)
        self.surface.centre = (centre[0] + x, centre[1] + y)
        return True

    def _pressed(self, key: str) -> bool:
        viewer = self.viewer
        count = max(len(viewer.controls), 1)
        self.said = ""
        if key in ("ArrowLeft", "ArrowRight"):
            viewer.step(1 if key == "ArrowRight" else -1)
        elif key in ("ArrowUp", "ArrowDown"):
            viewer.chosen = (viewer.chosen + (1 if key == "ArrowDown" else -1)) % count
        elif key in ("+", "=", "-"):
            self._change(-1 if key == "-" else 1)
        elif key in ("z", "x"):
            return self._zoom(_ZOOM if key == "z" else 1 / _ZOOM)
        elif key == "0":
            self.surface.zoom, self.surface.centre = 1.0, None
        elif key == "b":
            self.shows_before = not self.shows_before
        elif key == "h":
            self.shows_words = not self.shows_words
        elif key in ("s", "p"):
            self._save(key)
        elif key in ("q", "Escape"):
            self.surface.close()
            return False
        else:
            return False
        return True

    def _change(self, sign: int) -> None:
        controls = self.viewer.controls
        if controls:
            control = controls[self.viewer.chosen]
            try:
                self.viewer.set(self.viewer.chosen, control.value + sign * control.step)
            except treadle.TreadleError as error:
                self.said = str(error).splitlines()[0]

    def _save(self, key: str) -> None:
        try:
            save = self.viewer.save_recipe if key == "s" else self.viewer.save_picture
            self.said = f"saved {save(self.folder).name}"
        except (OSError, treadle.TreadleError) as error:
            self.said = f"not saved: {error}"

    async def run(self) -> None:
        """Show it until the surface is closed."""
        came: deque[SurfaceEvent] = deque()
        rung = asyncio.Event()
        listening = asyncio.ensure_future(self._listen(came, rung))
        listening.add_done_callback(lambda _: rung.set())
        new = True
        try:
            while not self.surface.closed:
                if new:
                    pixels = await asyncio.to_thread(self.picture)
                    if not self.surface.closed:
                        await self.surface.show(pixels)
                if not came and listening.done():
                    break
                await rung.wait()
                rung.clear()
                # All that came while the picture was made: one picture follows.
                new = any([self.happened(came.popleft()) for _ in range(len(came))])
        finally:
            listening.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await listening

    async def _listen(self, came: deque[SurfaceEvent], rung: asyncio.Event) -> None:
        async for event in self.surface.events():
            came.append(event)
            rung.set()
