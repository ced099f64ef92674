"""A surface: pixels set by a program, shown by a device that draws, read back only when asked.

In: buffers, arrays, or bytes. Out: commands that end when a picture is on its surface. What is
shown where is fit's, windows are window's, frames in time are play's business.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

import numpy as np

from treadle.backends.base import Framing
from treadle.dtypes import DType
from treadle.errors import CommandError, DeviceError, LaunchError, SurfaceClosed
from treadle.runtime.buffer import Buffer
from treadle.runtime.command import Command
from treadle.runtime.device import Device, device
from treadle.runtime.draw import Easel, bring
from treadle.runtime.waiters import refuse_trio
from treadle.surfaces import notebook
from treadle.surfaces.event import Listeners, SurfaceEvent
from treadle.surfaces.fit import checked, picture, place_of, view, zoomed
from treadle.surfaces.play import PlayReport, play
from treadle.surfaces.report import SurfaceReport
from treadle.surfaces.window import ScreenWindow, chosen

__all__ = ["Surface", "run_to_surface"]

_ROW = 256  # bytes, of what is copied out of a canvas: rows are multiples of it
_SETS = 2  # of pixels that were brought: one is shown while the next is on its way
_POLL = 1 / 120  # seconds between two looks at a window's events, while a task waits for them


class Surface:
    """Something that shows pictures; made by treadle.surface(width, height).

    Pixels are sRGB's values and are shown as they are, bytes or floats from 0 to 1. `fit` says how
    a picture of another size is shown: whole ("contain"), so that no pixel is left black ("cover"),
    distorted ("stretch"), or pixel by pixel ("none"); `zoom` and `centre`, in the picture's pixels,
    show a part. All three hold from the next present on."""

    def __init__(
        self,
        width: int,
        height: int,
        kind: str = "auto",
        title: str = "Treadle",
        *,
        fit: str = "contain",
        where: Device | str | None = None,
    ) -> None:
        self._size = _size(width, height)
        self.kind = chosen(kind)
        self.title = title
        self._fit = checked(fit)
        self._zoom = 1.0
        self._centre: tuple[float, float] | None = None
        self.device = _drawing(where)
        self._listeners = Listeners()
        self._closed = False
        self._presented = self._uploaded = self._downloaded = self._read = 0
        self._pixels: Buffer | None = None
        self._view: Framing | None = None  # of what was presented last
        self._brought: deque[Buffer] = deque(maxlen=_SETS)
        self._cell = notebook.Cell() if self.kind == "notebook" else None
        self._window: ScreenWindow | None = None
        if self.kind != "window":
            self._easel = Easel(self.device)
        else:
            self._window = ScreenWindow(self._size, title, self._happened)
            try:
                self._easel = Easel(self.device, self._window.place)
            except BaseException:
                self._window.close()
                raise
            self._size = self._window.size

    # What it is.

    @property
    def width(self) -> int:
        """Pixels from left to right."""
        return self._size[0]

    @property
    def height(self) -> int:
        """Pixels from top to bottom."""
        return self._size[1]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self._size

    @property
    def fit(self) -> str:
        """How a picture of another size is shown: "contain", "cover", "stretch" or "none"."""
        return self._fit

    @fit.setter
    def fit(self, fit: str) -> None:
        self._fit = checked(fit)

    @property
    def zoom(self) -> float:
        """How many times as large the fitted picture is shown."""
        return self._zoom

    @zoom.setter
    def zoom(self, zoom: float) -> None:
        self._zoom = zoomed(zoom)

    @property
    def centre(self) -> tuple[float, float] | None:
        """Which place of the picture, as x and y, is in the middle; None: that of the picture."""
        return self._centre

    @centre.setter
    def centre(self, centre: tuple[float, float] | None) -> None:
        self._centre = None if centre is None else place_of(centre)

    @property
    def closed(self) -> bool:
        """Whether it, or its window, was closed."""
        return self._closed

    @property
    def report(self) -> SurfaceReport:
        """What it did so far: pictures presented, and bytes that crossed for them."""
        return SurfaceReport(
            self._presented, self._easel.skipped, self._uploaded, self._downloaded, self._read
        )

    def __repr__(self) -> str:
        state = "closed" if self._closed else self.kind
        return f"<treadle.Surface {self.width}x{self.height} {state} on {self.device.name}>"

    def __reduce__(self) -> Any:
        raise TypeError(f"{self!r} is a place on this machine and cannot be copied or pickled")

    # Pixels.

    def set_pixels(self, pixels: Any) -> Surface:
        """Choose what the next present shows, and return the surface; never waits.

        Takes a buffer of any device, an array, a command that gives one, or bytes of the surface's
        own size: u8 or floats, (height, width) grey or with 1, 3 or 4 channels. A buffer of the
        device that draws is not copied: what it holds when it is presented is shown."""
        self._open()
        self._set(np.array(pixels) if isinstance(pixels, np.ndarray) else pixels)
        return self

    def _set(self, pixels: Any) -> None:
        found = pixels.output if isinstance(pixels, Command) else pixels
        if isinstance(found, Buffer):
            self._pixels = self._here(found)
            return
        if isinstance(pixels, Command):
            several = "nothing" if found is None else "several outputs: give one of them"
            raise LaunchError(f"pixels: expected a picture, but {pixels!r} gives {several}")
        array = _array(found, self._size)
        picture(array.shape)
        target = self._room(array.shape, DType.U8 if array.dtype == np.uint8 else DType.F32)
        self.device.upload(target, array)
        self._uploaded += target.size
        self._pixels = target

    def _here(self, buffer: Buffer) -> Buffer:
        """A buffer as the device that draws can show it: itself, wherever that is possible."""
        picture(buffer.shape)
        if buffer.dtype is DType.F64:
            narrow = buffer.device.empty(buffer.shape, DType.F32)
            buffer.device.submit("cast", [buffer], narrow)
            buffer = narrow
        if buffer.dtype not in (DType.U8, DType.F32):
            raise LaunchError(f"pixels: expected u8 or floats from 0 to 1, got {buffer!r}")
        if buffer.device is self.device:
            if not buffer.valid:
                buffer.reshape(buffer.shape)  # raises BufferFreed
            return buffer
        target = self._room(buffer.shape, buffer.dtype)
        bring(buffer, target)
        self._uploaded += target.size
        if not buffer.device.limits.shared:  # else the host sees it where it is
            self._downloaded += target.size
        return target

    def _room(self, shape: tuple[int, ...], dtype: DType) -> Buffer:
        """A buffer for what is brought: the oldest of those that take turns."""
        if len(self._brought) == _SETS:
            oldest = self._brought.popleft()
            if oldest.shape == shape and oldest.dtype is dtype:
                self._brought.append(oldest)
                return oldest
        made = self.device.empty(shape, dtype)
        self._brought.append(made)
        return made

    def present(self) -> Command:
        """Show what was set, and return the command at once; awaited, it is on the surface.

        It comes after the commands that write the buffer, and before those that write it again."""
        self.poll()
        self._open()
        if self._pixels is None:
            raise LaunchError("present: nothing was set to be shown; see set_pixels")
        self._view = self._seen(self._pixels)
        command = self._easel.draw(self._view, self._pixels)
        self._presented += 1
        if self._cell is not None:
            self._cell.update(self)
        return command

    def show(self, pixels: Any) -> Command:
        """Set pixels and present them. An array is to be left alone until the command has ended."""
        self._open()
        self._set(pixels)
        return self.present()

    def _seen(self, pixels: Buffer) -> Framing:
        shape = picture(pixels.shape)
        return view(self._size, shape, pixels.dtype, self.fit, self.zoom, self.centre)

    def get_pixels(self) -> np.ndarray[Any, Any]:
        """Wait for what was presented last and return it: u8, (height, width, 4), RGBA.

        A window does not give back what it shows: it is drawn again, from the same buffer."""
        return self._rows(self._captured().wait().output.to_numpy())

    async def get_pixels_async(self) -> np.ndarray[Any, Any]:
        """Do what get_pixels does, but suspend the task meanwhile."""
        command = self._captured()
        target = await command
        raw = await target.read_async()
        return self._rows(np.frombuffer(raw, np.uint8).reshape(target.shape))

    def _captured(self) -> Command:
        self._open()
        shown = self._view
        if shown is None or self._pixels is None:
            raise LaunchError("get_pixels: nothing was presented yet; see present")
        width, height = shown.size
        target = self.device.empty((height, -(-width * 4 // _ROW) * _ROW), DType.U8)
        self._read += width * height * 4
        if self._window is None:
            return self._easel.capture(shown, target)
        return Easel(self.device).capture(shown, target, self._pixels)

    def _rows(self, padded: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        assert self._view is not None
        width, height = self._view.size
        rows = padded[:, : width * 4].reshape(height, width, 4)
        return np.ascontiguousarray(rows)

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return where in the picture a pixel of the surface lies, as x and y."""
        if self._pixels is None:
            raise LaunchError("place: nothing was set to be shown; see set_pixels")
        seen = self._seen(self._pixels)
        return x * seen.scale[0] + seen.offset[0], y * seen.scale[1] + seen.offset[1]

    # Events.

    def on(self, function: Callable[[SurfaceEvent], object], *kinds: str) -> Surface:
        """Have a function called with each event, or with those of some kinds.

        It is called where events are looked for: by poll, present, play and events."""
        self._listeners.add(function, kinds)
        return self

    def off(self, function: Callable[[SurfaceEvent], object]) -> Surface:
        """Have a function called no more."""
        self._listeners.remove(function)
        return self

    async def events(self) -> AsyncIterator[SurfaceEvent]:
        """Yield events as they come; the last is "close"."""
        refuse_trio()
        with self._listeners.listening() as ear:
            while True:
                self.poll()
                while ear.waiting:
                    event = ear.waiting.popleft()
                    yield event
                    if event.kind == "close":
                        return
                if self._closed:
                    return
                await ear.wait(None if self._window is None else _POLL)

    def send(self, event: SurfaceEvent) -> None:
        """Take an event as if a user had caused it: for programs that drive a surface, and tests.

        "close" closes it, "resize" gives it another size."""
        self._open()
        if not isinstance(event, SurfaceEvent):
            raise LaunchError(f"event: expected a SurfaceEvent, got {event!r}")
        if event.kind == "close":
            self.close()
        elif event.kind == "resize":
            self.resize(event.width, event.height)
        else:
            self._happened(event)

    def poll(self) -> None:
        """Look for what users did with the window, and tell it; a surface without one does nothing.

        On the thread that made the surface; elsewhere it does nothing."""
        if self._window is not None and not self._closed:
            self._window.poll()

    def _happened(self, event: SurfaceEvent) -> None:
        if event.kind == "resize":
            self._size = (max(event.width, 1), max(event.height, 1))
        elif event.kind == "close":
            self.close()
            return
        self._listeners.tell(event)

    # Frames in time.

    async def play(
        self, frames: Any, fps: float | None = None, *, latest: bool = False
    ) -> PlayReport:
        """Show frames as they come, at most `fps` a second, and return a report at their end.

        `frames` is a stream, or any iterable or asynchronous iterable of what set_pixels takes.
        Every frame is shown; with `latest`, those are dropped that a newer one overtakes. It ends
        early where the surface is closed, and never keeps the event loop waiting."""
        refuse_trio()
        self._open()
        return await play(self, frames, fps, latest)

    # Its size, and its end.

    def resize(self, width: int, height: int) -> Surface:
        """Give it another size, from the next present on."""
        self._open()
        size = _size(width, height)
        if self._window is not None:
            self._window.resize(size)
        elif size != self._size:
            self._size = size
            self._listeners.tell(SurfaceEvent("resize", width=width, height=height))
        return self

    def close(self) -> None:
        """Close it, and its window, after what is being shown; a second time does nothing."""
        if self._closed:
            return
        window, gone = self._left()
        try:
            if window is not None and gone is not None:
                gone.wait()  # the window must not go before what draws on it has
        except (DeviceError, CommandError):
            pass  # the device went first, and all of its canvases with it
        finally:
            self._ended(window)

    async def aclose(self) -> None:
        """Do what close does, but suspend the task meanwhile."""
        if self._closed:
            return
        window, gone = self._left()
        try:
            if window is not None and gone is not None:
                await gone
        except (DeviceError, CommandError):
            pass
        finally:
            self._ended(window)

    def _left(self) -> tuple[ScreenWindow | None, Command | None]:
        """Take it out of use; return what is to be closed, and after what."""
        self._closed = True
        window, self._window = self._window, None
        self._pixels = None
        self._brought.clear()
        try:
            return window, self._easel.let_go()
        except DeviceError:
            return window, None

    def _ended(self, window: ScreenWindow | None) -> None:
        if window is not None:
            window.close()
        self._listeners.tell(SurfaceEvent("close"))

    def _open(self) -> None:
        if self._closed:
            raise SurfaceClosed(f"{self!r} was used after it was closed")

    def __enter__(self) -> Surface:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Surface:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def _repr_png_(self) -> bytes | None:
        if self._closed or self._view is None:
            return None
        return notebook.png(self.get_pixels())


def _size(width: Any, height: Any) -> tuple[int, int]:
    for name, given in (("width", width), ("height", height)):
        whole = isinstance(given, int | np.integer) and not isinstance(given, bool)
        if not whole or not 1 <= given <= 16384:
            raise LaunchError(f"{name}: expected pixels, from 1 to 16384, got {given!r}")
    return int(width), int(height)


def _drawing(where: Device | str | None) -> Device:
    """The device that draws: the one in use where it can, else WebGPU's."""
    found = device(where)
    if found.limits.draws:
        return found
    if where is not None:
        raise LaunchError(f"where: {found.name} cannot draw; webgpu can")
    return device("webgpu")


def _array(pixels: Any, size: tuple[int, int]) -> np.ndarray[Any, Any]:
    """Pixels as an array that can be uploaded: contiguous, u8 or f32."""
    if isinstance(pixels, bytes | bytearray | memoryview):
        raw = np.frombuffer(pixels, np.uint8)
        channels, rest = divmod(raw.size, size[0] * size[1])
        if rest or channels not in (1, 3, 4):
            raise LaunchError(
                f"pixels: expected bytes of a {size[0]}x{size[1]} picture with 1, 3 or 4 channels, "
                f"got {raw.size} bytes"
            )
        return raw.reshape(size[1], size[0], channels)
    array = np.asarray(pixels)
    if array.dtype == bool:
        array = array * np.uint8(255)
    elif array.dtype.kind == "f":
        array = array.astype(np.float32, copy=False)
    elif array.dtype != np.uint8:
        raise LaunchError(f"pixels: expected u8 or floats from 0 to 1, got {array.dtype}")
    return np.ascontiguousarray(array)


def run_to_surface(
    kernel: Any,
    inputs: Sequence[Buffer] | Buffer,
    *target: Any,
    **params: Any,
) -> Command:
    """Run a kernel and show what it gives on a surface; return the command that ends it, at once.

    `target` is the surface, or the output and the surface, and then perhaps a mapping of
    parameters, as the documents have it."""
    given = list(target)
    more = given.pop() if given and isinstance(given[-1], Mapping) else {}
    surface = given.pop() if given else None
    if not isinstance(surface, Surface) or len(given) > 1:
        raise LaunchError(f"surface: expected one made by treadle.surface(), got {surface!r}")
    surface._open()  # before anything is submitted
    operands = [inputs] if isinstance(inputs, Buffer) else list(inputs)
    first = next((each for each in (*operands, *given) if isinstance(each, Buffer)), None)
    where: Device = surface.device if first is None else first.device
    command = where.submit(kernel, operands, given[0] if given else None, more, **params)
    return surface.show(command)
