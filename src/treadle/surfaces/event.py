"""What users do with a surface, as events, and the functions and tasks that are told of them.

In: events, from a window's callbacks or from a program, on any thread. Out: calls of functions, and
events in the order in which they came for each task that asks. Where they come from is the
window's business.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable

from treadle.data import dataclass
from treadle.errors import LaunchError, suggest

__all__ = ["KINDS", "Listeners", "SurfaceEvent"]

KINDS = ("key_down", "key_up", "pointer_down", "pointer_up", "pointer_move", "wheel", "resize",
         "close")  # fmt: skip


@dataclass(frozen=True, slots=True)
class SurfaceEvent:
    """Something that a user did: a key, a pointer, a new size, or the end.

    Places are in pixels of the surface, from its upper left corner."""

    kind: str  # one of surfaces.event.KINDS
    key: str = ""  # of key_down and key_up: "a", "A", "Escape", "ArrowLeft"
    x: float = 0.0
    y: float = 0.0
    button: int = 0  # 1 left, 2 right, 3 middle
    dx: float = 0.0  # of wheel
    dy: float = 0.0
    width: int = 0  # of resize
    height: int = 0
    modifiers: tuple[str, ...] = ()  # "Shift", "Control", "Alt", "Meta"


class _Ear:
    """One task that asks for events."""

    def __init__(self) -> None:
        self.waiting: deque[SurfaceEvent] = deque()
        self._loop = asyncio.get_running_loop()
        self._ring = asyncio.Event()

    def hear(self, event: SurfaceEvent) -> None:
        self.waiting.append(event)
        with contextlib.suppress(RuntimeError):  # its loop is closed
            self._loop.call_soon_threadsafe(self._ring.set)

    async def wait(self, seconds: float | None) -> None:
        """Suspend until something was heard, or for some time."""
        if not self.waiting:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ring.wait(), seconds)
        self._ring.clear()


class Listeners:
    """Who is told of a surface's events."""

    def __init__(self) -> None:
        self._functions: list[tuple[frozenset[str], Callable[[SurfaceEvent], object]]] = []
        self._ears: list[_Ear] = []

    def add(self, function: Callable[[SurfaceEvent], object], kinds: tuple[str, ...]) -> None:
        """Have a function called for events of some kinds; for all, where none is named."""
        for kind in kinds:
            if kind not in KINDS:
                known = ", ".join(KINDS)
                hint = suggest(str(kind), KINDS)
                raise LaunchError(f"kind: expected some of {known}, got {kind!r}{hint}")
        self._functions.append((frozenset(kinds or KINDS), function))

    def remove(self, function: Callable[[SurfaceEvent], object]) -> None:
        """Have a function called no more."""
        self._functions = [each for each in self._functions if each[1] is not function]

    def tell(self, event: SurfaceEvent) -> None:
        """Call the functions, on this thread, and wake the tasks."""
        for ear in list(self._ears):
            ear.hear(event)
        for kinds, function in list(self._functions):
            if event.kind in kinds:
                function(event)

    @contextlib.contextmanager
    def listening(self):  # type: ignore[no-untyped-def]
        """Hear what comes while the block runs."""
        ear = _Ear()
        self._ears.append(ear)
        try:
            yield ear
        finally:
            self._ears.remove(ear)
