"""Windows: rendercanvas makes them and hears what users do; nothing is drawn here.

In: a size and a title. Out: what names the window to a graphics driver, and events. A window
belongs to the thread that made it, and to its process: a fork leaves it alone, since both would
talk to the display as one. Those that are open are closed before the process ends, and before the
devices that draw on them are. A display that goes away closes its windows.
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
from treadle.surfaces.display import gone, outlive
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
    if _forked:
        raise DeviceUnavailable(
            "surface: this process was forked from one with windows, and cannot have its own: "
            "start processes with the spawn method"
        )
    if gone:
        raise DeviceUnavailable(
            "surface: the display that this process had windows on went away, and it cannot have "
            "another; use kind='offscreen'"
        )
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

        def forget(self) -> None:
            """Have nothing left to close."""
            self._window = None

        def _rc_request_paint(self) -> None:
            pass  # frames come when they are presented

        def _on_want_close(self, *_: object) -> None:
            self.wanted_away = True

        def _maybe_close(self) -> None:
            pass  # it closes when nothing draws on it any more

    return WindowCanvas


_class: Any = None
_forked = False  # from a process that has windows


class ScreenWindow:
    """One window on the screen."""

    def __init__(
        self, size: tuple[int, int], title: str, tell: Callable[[SurfaceEvent], None]
    ) -> None:
        global _class
        self._tell = tell
        self._thread = threading.get_ident()
        self._waiting: list[Mapping[str, Any]] = []
        self._size = size
        self._lost = False  # whether it is another process's, or its display is gone
        _class = _canvas_class() if _class is None or gone else _class
        try:
            self._canvas = _class(size=size, title=title)
        except Exception as error:
            raise DeviceUnavailable(
                f"surface: no window can be opened: {error}; use kind='offscreen'"
            ) from error
        self._display = int(self._canvas.place().get("display") or 0)
        if self._canvas.place().get("platform") == "x11":
            outlive(self._display)
        self._canvas.add_event_handler(self._waiting.append, "*")
        _opened[id(self)] = self
        self._canvas.look()
        self._waiting.clear()  # that it has a size is no news

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, in the screen's pixels."""
        if not self._lost:
            width, height = self._canvas.get_physical_size()
            self._size = max(int(width), 1), max(int(height), 1)
        return self._size

    @property
    def place(self) -> Mapping[str, Any]:
        """What names it to a graphics driver."""
        found: Mapping[str, Any] = self._canvas.place()
        return found

    def poll(self) -> None:
        """Tell what users did since the last call."""
        if threading.get_ident() != self._thread or self._lost:
            return
        self._canvas.look()
        if self._display in gone:
            self.disown()
            self._tell(SurfaceEvent("close"))
            return
        while self._waiting:
            found = _event(self._waiting.pop(0), self.size, self._canvas.get_pixel_ratio())
            if found is not None:
                self._tell(found)
        if self._canvas.wanted_away:
            self._tell(SurfaceEvent("close"))

    def resize(self, size: tuple[int, int]) -> None:
        """Ask for another size; an event tells when it is there."""
        if self._lost:
            raise DeviceUnavailable("surface: the window belongs to the process that forked")
        ratio = self._canvas.get_pixel_ratio()
        self._canvas.set_logical_size(size[0] / ratio, size[1] / ratio)

    def close(self) -> None:
        """Close it."""
        _opened.pop(id(self), None)
        if not self._lost:
            self._canvas.close()

    def disown(self) -> None:
        """Leave it alone from now on: neither its display nor its memory is touched again."""
        self._lost = True
        self._canvas.forget()


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


def _disown_all() -> None:
    """Leave the parent's windows to the parent, and its connection to the display."""
    global _class, _forked
    _forked = _forked or _class is not None
    _class = None
    for window in _opened.values():
        window.disown()
    _opened.clear()
    library = sys.modules.get("rendercanvas.glfw")
    if library is not None:  # which would end the connection at exit, for the parent as well
        library.GlfwCanvasGroup.glfw = None


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_disown_all)
