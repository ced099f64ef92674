"""A camera, sharpened and toned while it runs; a moving test card where there is none.

Run it with `python examples/webcam.py`; "q" ends it, "+" and "-" change how much is sharpened. The
camera is OpenCV's (`pip install opencv-python`); frames that come too late are dropped before they
are computed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import time
from collections.abc import Iterator

import numpy as np

import treadle
from treadle.pictures import landscape


def card(width: int, height: int, count: int | None) -> Iterator[np.ndarray]:
    """A landscape that wanders, thirty frames a second."""
    picture = landscape(width, height, seed=4)[..., :3]
    start, number = time.perf_counter(), 0
    while number != count:
        yield np.roll(picture, number * 3, axis=1)
        number += 1
        time.sleep(max(start + number / 30 - time.perf_counter(), 0))


def camera(width: int, height: int, count: int | None) -> Iterator[np.ndarray]:
    """What the first camera sees, as RGB; the test card where there is no camera."""
    try:
        import cv2
    except ImportError:
        yield from card(width, height, count)
        return
    found = cv2.VideoCapture(0)
    try:
        good, frame = found.read()
        if not good:
            yield from card(width, height, count)
            return
        number = 0
        while good and number != count:
            yield np.ascontiguousarray(cv2.resize(frame, (width, height))[..., ::-1])
            good, frame = found.read()
            number += 1
    finally:
        found.release()


async def main() -> None:
    """Show it."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--size", type=int, nargs=2, default=(640, 480))
    options.add_argument("--kind", default="auto")
    options.add_argument("--card", action="store_true", help="the test card, even with a camera")
    options.add_argument("--frames", type=int, help="end after so many frames")
    given = options.parse_args()
    width, height = given.size
    async with treadle.surface(width, height, kind=given.kind, title="Camera") as surface:
        amount = 1.0

        def pressed(event: treadle.surfaces.SurfaceEvent) -> None:
            nonlocal amount
            if event.key == "q":
                surface.close()
            amount += {"+": 0.25, "-": -0.25}.get(event.key, 0.0)

        def compute(frame: treadle.Buffer) -> treadle.Command:
            sharp = surface.device.submit("sharpen", [frame], amount=max(amount, 0.0))
            return surface.device.submit("saturation", [sharp.output], amount=1.2)

        surface.on(pressed, "key_down")
        count = 60 if surface.kind == "offscreen" and given.frames is None else given.frames
        source = (card if given.card else camera)(width, height, count)
        # The stream leaves its results on the device, where they are shown.
        device = surface.device
        stream = treadle.stream(
            source, prepare=device.buffer, compute=compute, device=device, latest=True, copy=False
        )
        report = await surface.play(stream)
        print(report, surface.report, sep="\n")


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):  # the surface is closed by then
        asyncio.run(main())
