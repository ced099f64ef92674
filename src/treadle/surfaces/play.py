"""Frames in time: what a stream or any other source gives, shown at its pace or at one of ours.

In: a surface, and frames as they come. Out: a report: how many were shown, which were late or
dropped, and how long each took from its source to the surface. A source that blocks is asked on
another thread, so that the event loop never waits; a window's events are looked for meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections import deque
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from treadle.data import dataclass
from treadle.errors import LaunchError, SurfaceClosed
from treadle.runtime import observe
from treadle.runtime.command import Command
from treadle.tables import facts

if TYPE_CHECKING:
    from treadle.surfaces.surface import Surface

__all__ = ["PlayReport", "play"]

_IN_FLIGHT = 2  # frames: one is drawn while the next is brought
_POLL = 1 / 120  # seconds between two looks at a window's events
_END = object()


@dataclass(slots=True)
class PlayReport:
    """How a play went. Latencies are seconds from when the source gave a frame until it was on the
    surface."""

    frames: int = 0  # that the source gave
    dropped: int = 0  # that a newer one overtook
    late: int = 0  # that were presented more than one period after they were due
    closed: bool = False  # whether the surface was closed before the source ended
    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list, repr=False)

    @property
    def presented(self) -> int:
        """How many frames were shown."""
        return len(self.latencies)

    @property
    def fps(self) -> float:
        """Frames presented a second."""
        return self.presented / self.seconds if self.seconds else 0.0

    def latency(self, share: float = 0.5) -> float:
        """Return the latency in seconds that a share of the frames did not exceed."""
        known = sorted(self.latencies)
        return known[min(int(share * len(known)), len(known) - 1)] if known else math.nan

    def _repr_html_(self) -> str:
        return facts(
            "play",
            {
                "frames": self.frames,
                "presented": self.presented,
                "frames a second": self.fps,
                "dropped": self.dropped,
                "late": self.late,
                "latency": f"{self.latency() * 1e3:.1f} ms, p99 {self.latency(0.99) * 1e3:.1f} ms",
            },
        )

    def __str__(self) -> str:
        return (
            f"{self.presented} of {self.frames} frames in {self.seconds:.2f} s, {self.fps:.1f} a "
            f"second; {self.dropped} dropped, {self.late} late; latency "
            f"{self.latency() * 1e3:.1f} ms, p99 {self.latency(0.99) * 1e3:.1f} ms"
        )


async def play(surface: Surface, frames: Any, fps: float | None, latest: bool) -> PlayReport:
    """Show frames until their source ends or the surface is closed."""
    if fps is not None and not (isinstance(fps, int | float) and 0 < fps < math.inf):
        raise LaunchError(f"fps: expected frames a second above 0, or None, got {fps!r}")
    given = _frames(frames)
    report = PlayReport()
    player = _Player(surface, fps, report)
    closed = asyncio.get_running_loop().create_future()

    def noted(_: object) -> None:
        if not closed.done():
            closed.set_result(None)

    surface.on(noted, "close")
    start = perf_counter()
    running = asyncio.ensure_future(player.newest(given) if latest else player.every(given))
    try:
        while not (running.done() or surface.closed):
            surface.poll()
            wait = _POLL if surface.kind == "window" else None
            await asyncio.wait({running, closed}, timeout=wait, return_when="FIRST_COMPLETED")
    finally:
        surface.off(noted)
        if not running.done():
            running.cancel()
        try:
            with contextlib.suppress(asyncio.CancelledError):
                await running
        except SurfaceClosed:
            report.closed = True
        report.closed = report.closed or (surface.closed and running.cancelled())
        report.seconds = perf_counter() - start
    return report


class _Player:
    """What shows the frames of one play."""

    def __init__(self, surface: Surface, fps: float | None, report: PlayReport) -> None:
        self._surface = surface
        self._period = 0.0 if fps is None else 1 / fps
        self._report = report
        self._flying: deque[Command] = deque()
        self._due = 0.0

    async def every(self, frames: AsyncIterator[Any]) -> None:
        """Show each frame, one after the other."""
        async with contextlib.aclosing(frames):  # type: ignore[type-var]
            async for frame in frames:
                self._report.frames += 1
                await self._show(frame, perf_counter())
                await self._rest()
        await self._landed(0)

    async def newest(self, frames: AsyncIterator[Any]) -> None:
        """Show the newest frame there is, and drop those that it overtook."""
        newest: deque[tuple[Any, float]] = deque(maxlen=1)
        come = asyncio.Event()

        async def take() -> None:
            async with contextlib.aclosing(frames):  # type: ignore[type-var]
                async for frame in frames:
                    self._report.frames += 1
                    self._report.dropped += len(newest)
                    newest.append((frame, perf_counter()))
                    come.set()
                    await asyncio.sleep(0)  # a source that never waits lets others have a turn

        taking = asyncio.ensure_future(take())
        taking.add_done_callback(lambda _: come.set())
        try:
            while newest or not taking.done():
                if not newest:
                    await come.wait()
                    come.clear()
                    continue
                await self._show(*newest.pop())
                await self._rest()
            await taking
        finally:
            taking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await taking
        await self._landed(0)

    async def _show(self, frame: Any, since: float) -> None:
        await self._landed(_IN_FLIGHT - 1)
        now = perf_counter()
        self._due = self._due or now
        if self._period and now > self._due + self._period:
            self._report.late += 1
            self._due = now  # those that follow are not hurried for it
        self._due += self._period
        command = self._surface.show(frame)
        shown = _Shown(self._report, since)
        if not observe.watch(command, shown):
            shown.wake(command)
        self._flying.append(command)

    async def _rest(self) -> None:
        """Wait until the next frame is due; it is asked for then, and so is fresh."""
        left = self._due - perf_counter()
        if self._period and left > 0:
            await asyncio.sleep(left)

    async def _landed(self, most: int) -> None:
        """Wait until at most so many frames are on their way."""
        while len(self._flying) > most:
            await self._flying.popleft()


class _Shown:
    """Notes that a frame is on its surface, on the thread that notices it: an event loop that was
    woken for that, sixty times a second, would be late for what else it has to do."""

    __slots__ = ("_report", "_since")

    def __init__(self, report: PlayReport, since: float) -> None:
        self._report: PlayReport | None = report
        self._since = since

    def wake(self, command: Command) -> None:
        """Take note; the second time does nothing."""
        report, self._report = self._report, None
        if report is not None and command.error is None:
            report.latencies.append(perf_counter() - self._since)


def _frames(given: Any) -> AsyncIterator[Any]:
    """Frames as an asynchronous generator, from whatever gives them."""
    if hasattr(given, "__aiter__"):
        return _asked(given)
    if isinstance(given, Sequence):
        return _listed(given)
    if isinstance(given, Iterable):
        return _threaded(given)
    raise LaunchError(
        f"frames: expected a stream or another iterable of pictures, got {type(given).__name__}"
    )


async def _asked(given: Any) -> AsyncIterator[Any]:
    frames = aiter(given)
    try:
        async for frame in frames:
            yield frame
    finally:
        close = getattr(frames, "aclose", None)
        if close is not None:
            await close()


async def _listed(given: Sequence[Any]) -> AsyncIterator[Any]:
    for frame in given:
        yield frame


async def _threaded(given: Iterable[Any]) -> AsyncIterator[Any]:
    """Ask an iterator that may block on another thread. One that is asked when the play ends is
    closed once it has answered."""
    frames = iter(given)
    asked: asyncio.Future[Any] | None = None
    loop = asyncio.get_running_loop()
    try:
        while True:
            asked = loop.run_in_executor(None, next, frames, _END)
            frame = await asyncio.shield(asked)
            if frame is _END:
                return
            yield frame
    finally:
        close = getattr(frames, "close", None)
        if close is not None and asked is not None:
            if asked.done():
                close()
            else:
                asked.add_done_callback(lambda _: close())
