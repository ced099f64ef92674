"""The Mandelbrot set, computed where it is shown: the wheel zooms in and out around the pointer.

Run it with `python examples/mandelbrot.py`; in a window a click zooms in, a right click out, and
"q" ends it. Without a display it zooms by itself for a moment and says how it went.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib

import treadle

HOME = (-2.35, -1.2, 3.2)  # left, top and width of what is shown at first


@treadle.kernel
def escape(at, *, left=-2.35, top=-1.2, step=0.005, rounds=200):
    """How soon a point leaves: 0 for those that never do, up to 1."""
    row, column = at
    a = left + step * f32(column)
    b = top + step * f32(row)
    x = 0.0
    y = 0.0
    count = 0
    for _ in range(400):
        if x * x + y * y <= 16.0 and count < rounds:
            x, y = x * x - y * y + a, 2.0 * x * y + b
            count = count + 1
    return 0.0 if count >= rounds else sqrt(f32(count) / f32(rounds))


@treadle.kernel
def coloured(at, values):
    """From black through blue and gold to white."""
    row, column, channel = at
    value = values[row, column]
    first = clamp(value * 3.0 - 0.8, 0.0, 1.0)
    second = clamp(value * 2.2 - 0.3, 0.0, 1.0)
    third = clamp(value * 1.6, 0.0, 1.0)
    return first if channel == 0 else (second if channel == 1 else third)


class Explorer:
    """What part of the plane is shown, and the buffers that it is computed in."""

    def __init__(self, surface: treadle.surfaces.Surface) -> None:
        self.surface = surface
        self.left, self.top, self.width = HOME
        self.stale = True
        surface.on(self.happened)

    def happened(self, event: treadle.surfaces.SurfaceEvent) -> None:
        """Follow the pointer."""
        if event.kind == "wheel":
            self.zoom(event.x, event.y, 1.2 if event.dy > 0 else 1 / 1.2)
        elif event.kind == "pointer_down":
            self.zoom(event.x, event.y, 0.5 if event.button == 1 else 2.0)
        elif event.kind == "resize":
            self.stale = True
        elif event.kind == "key_down" and event.key == "q":
            self.surface.close()

    def zoom(self, x: float, y: float, factor: float) -> None:
        """Make what is shown wider or narrower, and leave what is at (x, y) where it is."""
        step = self.width / self.surface.width
        self.left += x * step * (1 - factor)
        self.top += y * step * (1 - factor)
        self.width = max(self.width * factor, 2e-5)  # where f32 ends
        self.stale = True

    def frame(self) -> treadle.Command:
        """Compute the picture, on the device that shows it."""
        device = self.surface.device
        width, height = self.surface.size
        values = device.empty((height, width), "f32")
        device.submit(escape, [], values, left=self.left, top=self.top, step=self.width / width)
        return device.submit(coloured, [values], device.empty((height, width, 3), "f32"))

    async def frames(self, count: int | None):
        """A picture whenever there is something new to see; with a count, a flight of its own."""
        number = 0
        while not self.surface.closed and number != count:
            if count is not None:
                self.zoom(self.surface.width * 0.34, self.surface.height * 0.5, 0.97)
            if self.stale:
                self.stale = False
                yield self.frame()
                number += 1
            else:
                await asyncio.sleep(0.005)


async def main() -> None:
    """Show it."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--size", type=int, nargs=2, default=(640, 480))
    options.add_argument("--kind", default="auto")
    options.add_argument("--frames", type=int, help="fly for so many frames, and end")
    given = options.parse_args()
    async with treadle.surface(*given.size, kind=given.kind, title="Mandelbrot") as surface:
        alone = surface.kind == "offscreen" and given.frames is None
        report = await surface.play(Explorer(surface).frames(60 if alone else given.frames))
        print(report)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):  # the surface is closed by then
        asyncio.run(main())
