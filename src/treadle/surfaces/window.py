"""Windows: rendercanvas makes them and hears what users do; nothing is drawn here.

In: a size and a title. Out: what names the window to a graphics driver, and events. A window
belongs to the thread that made it. Those that are open are closed before the process ends, and
before the devices that draw on them are.
"""

from __future__ import annotations

import atexit
import importlib.util
import os
import sys
import threading
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from treadle.errors import DeviceUnavailable, LaunchError, suggest
from treadle.surfaces import notebook
from treadle.surfaces.event import SurfaceEvent

__all__ = ["SURFACE_KINDS", "ScreenWindow", "chosen"]

SURFACE_KINDS = ("auto", "offscreen", "window", "notebook")
_INSTALL = "install it with `pip install 'treadle[surface]'`"

_opened: dict[
    int, ScreenWindow
] = {}  # they live until they are closed, whatever the program forgets


def chosen(kind: Any) -> str:
    """Return the kind of surface that a name stands for here."""
    if kind not in SURFACE_KINDS:
        hint = suggest(str(kind), SURFACE_KINDS)
        raise LaunchError(f"kind: expected one of {', '.join(SURFACE_KINDS)}, got {kind!r}{hint}")
    if kind == "notebook" and not notebook.runs_here():
        raise DeviceUnavailable(
            "surface: no notebook runs here; use kind='window', or 'offscreen' without a display"
        )
    if kind != "auto":
        return str(kind)
    if notebook.runs_here():
        return "notebook"
    return "window" if _display() and _installed() else "offscreen"


def _display() -> bool:
    """Whether there is something to open a window on."""
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _installed() -> bool:
    return all(importlib.util.find_spec(name) for name in ("rendercanvas", "glfw"))


def _canvas_class() -> Any:
    """The class of rendercanvas's windows, whose events only we look for, and when we like."""
    if not _display():
        raise DeviceUnavailable(
            "surface: there is no display for a window: neither DISPLAY nor WAYLAND_DISPLAY is "
            "set; use kind='offscreen', or run under `xvfb-run`"
        )
    try:
        import glfw
        from rendercanvas.glfw import GlfwCanvasGroup, GlfwRenderCanvas
    except ImportError as error:
        raise DeviceUnavailable(
            f"surface: a window needs rendercanvas and glfw ({error}); {_INSTALL}"
        ) from error
    with warnings.catch_warnings(record=True) as said:  # which is how it tells what is wrong
        warnings.simplefilter("always")
        works = glfw.init()
    if not works:
        why = "; ".join(str(each.message) for each in said) or "glfw does not say why"
        raise DeviceUnavailable(f"surface: no window can be opened: {why}; use kind='offscreen'")

    class WindowCanvas(GlfwRenderCanvas):  # type: ignore[misc]
        """A window without an event loop of its own."""

        _rc_canvas_group = GlfwCanvasGroup(None)

        wanted_away = False  # the user wants it closed

        def look(self) -> None:
            """Have handlers called for what users did."""
            self._process_events()

        def place(self) -> Mapping[str, Any]:
            """What names it to a graphics driver."""
            return dict(self._rc_get_present_info(["screen"]))

        def _rc_request_paint(self) -> None:
            pass  # frames come when they are presented

        def _on_want_close(self, *_: object) -> None:
            self.wanted_away = True

        def _maybe_close(self) -> None:
            pass  # it closes when nothing draws on it any more

    return WindowCanvas


_class: Any = None


class ScreenWindow:
    """One window on the screen."""

    def __init__(
        self, size: tuple[int, int], title: str, tell: Callable[[SurfaceEvent], None]
    ) -> None:
        global _class
        self._tell = tell
        self._thread = threading.get_ident()
        self._waiting: list[Mapping[str, Any]] = []
        _class = _class or _canvas_class()
        try:
            self._canvas = _class(size=size, title=title)
        except Exception as error:
            raise DeviceUnavailable(
                f"surface: no window can be opened: {error}; use kind='offscreen'"
            ) from error
        self._canvas.add_event_handler(self._waiting.append, "*")
        _opened[id(self)] = self
        self._canvas.look()
        self._waiting.clear()  # that it has a size is no news

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, in the screen's pixels."""
        width, height = self._canvas.get_physical_size()
        return max(int(width), 1), max(int(height), 1)

    @property
    def place(self) -> Mapping[str, Any]:
        """What names it to a graphics driver."""
        found: Mapping[str, Any] = self._canvas.place()
        return found

    def poll(self) -> None:
        """Tell what users did since the last call."""
        if threading.get_ident() != self._thread:
            return
        self._canvas.look()
        while self._waiting:
            found = _event(self._waiting.pop(0), self.size, self._canvas.get_pixel_ratio())
            if found is not None:
                self._tell(found)
        if self._canvas.wanted_away:
            self._tell(SurfaceEvent("close"))

    def resize(self, size: tuple[int, int]) -> None:
        """Ask for another size; an event tells when it is there."""
        ratio = self._canvas.get_pixel_ratio()
        self._canvas.set_logical_size(size[0] / ratio, size[1] / ratio)

    def close(self) -> None:
        """Close it."""
        _opened.pop(id(self), None)
        self._canvas.close()


def _event(given: Mapping[str, Any], size: tuple[int, int], ratio: float) -> SurfaceEvent | None:
    """What rendercanvas tells, in our words; None for what surfaces do not tell."""
    kind = given["event_type"]
    if kind == "resize":
        return SurfaceEvent("resize", width=size[0], height=size[1])
    held = tuple(given.get("modifiers", ()))
    if kind in ("key_down", "key_up"):
        return SurfaceEvent(kind, key=given["key"], modifiers=held)
    if kind not in ("pointer_down", "pointer_up", "pointer_move", "wheel"):
        return None
    return SurfaceEvent(
        kind,
        x=given["x"] * ratio,
        y=given["y"] * ratio,
        button=given.get("button", 0),
        dx=given.get("dx", 0.0),
        dy=given.get("dy", 0.0),
        modifiers=held,
    )


def _close_all() -> None:
    for window in list(_opened.values()):
        window._tell(SurfaceEvent("close"))  # which closes it, after what draws on it


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_opened.clear)  # windows are the parent's
