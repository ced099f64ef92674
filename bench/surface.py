"""Frames from a source to a surface: how many a second, how late, and what the event loop feels.

In: an effort. Out: rows. 1080p frames go through blur and sharpen and are shown, offscreen and, on
a display (`xvfb-run make bench ARGS="--only surface"`), in a window; beside OpenCV doing the same
work and, where it has windows, showing it with imshow.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from statistics import median
from time import perf_counter, process_time, sleep
from typing import Any

import numpy as np

import treadle
from bench import peers
from bench.loop import tick, woken
from bench.table import Bar, Figure, Row
from bench.timing import Effort, quantile
from treadle.pictures import landscape

__all__ = ["LINES"]

WIDTH, HEIGHT = 1920, 1080
SMALL = (640, 360)  # what a machine without a GPU shows sixty times a second
AMOUNT, RADIUS, SIGMA = 0.8, 2, 1.0


def _frames(
    device: treadle.Device, images: list[Any], seconds: float
) -> Callable[[], AsyncIterator[Any]]:
    """What gives computed frames for some time, each when it is asked for."""
    sources = [device.buffer(image) for image in images]
    pipelines = []
    for source in sources:
        pipeline = treadle.pipeline(device)
        pipeline.add("blur", [source], radius=RADIUS, sigma=SIGMA)
        pipeline.add("sharpen", [pipeline.last], device.empty(source.shape, "u8"), amount=AMOUNT)
        pipeline.run()
        pipelines.append(pipeline)

    async def given() -> AsyncIterator[Any]:
        end, number = perf_counter() + seconds, 0
        while perf_counter() < end:
            yield pipelines[number % len(pipelines)].submit()
            number += 1

    return given


def _opencv(image: Any, seconds: float, *, shown: bool) -> float | None:
    """Frames a second of OpenCV, or None where it cannot."""
    cv2 = peers.opencv()
    if cv2 is None:
        return None
    side = 2 * RADIUS + 1
    count, start = 0, perf_counter()
    try:
        while perf_counter() - start < seconds:
            soft = cv2.GaussianBlur(image, (side, side), SIGMA)
            again = cv2.GaussianBlur(soft, (3, 3), 0)
            result = cv2.addWeighted(soft, 1 + AMOUNT, again, -AMOUNT, 0)
            if shown:
                cv2.imshow("OpenCV", result)
                cv2.waitKey(1)
            count += 1
        if shown:
            cv2.destroyAllWindows()
    except cv2.error:  # it was built without windows
        return None
    return count / (perf_counter() - start)


def _played(kind: str, device: treadle.Device, seconds: float) -> tuple[Any, Any]:
    images = [np.ascontiguousarray(landscape(WIDTH, HEIGHT, seed=n)[..., :3]) for n in range(3)]
    frames = _frames(device, images, seconds)

    async def main() -> tuple[Any, Any]:
        async with treadle.surface(WIDTH, HEIGHT, kind=kind) as surface:
            await surface.show(surface.device.buffer(images[0]))
            return await surface.play(frames()), surface.report

    return asyncio.run(main())


def _lateness(device: treadle.Device, seconds: float) -> tuple[list[float], Any]:
    """How late a 1 ms ticker is while a small surface plays sixty frames a second."""
    images = [np.ascontiguousarray(landscape(*SMALL, seed=n)[..., :3]) for n in range(3)]
    frames = _frames(device, images, seconds + 0.3)

    async def main() -> tuple[list[float], Any]:
        late: list[float] = []
        async with treadle.surface(*SMALL, kind="offscreen") as surface:
            await surface.show(surface.device.buffer(images[0]))
            playing = asyncio.create_task(surface.play(frames(), fps=60))
            await asyncio.sleep(0.2)
            await tick(seconds, late)
            return late, await playing

    return asyncio.run(main())


def surface(effort: Effort) -> list[Row]:
    """1080p through blur and sharpen to a surface, and a ticker beside one that plays."""
    if "webgpu" not in treadle.devices():
        return []
    image = np.ascontiguousarray(landscape(WIDTH, HEIGHT, seed=0)[..., :3])
    rows = []
    kinds = ["offscreen", *(["window"] if os.environ.get("DISPLAY") else [])]
    for kind in kinds:
        other = _opencv(image, effort.seconds, shown=kind == "window")
        for name in dict.fromkeys(("webgpu", treadle.device().name)):
            played, crossed = _played(kind, treadle.device(name), effort.seconds)
            beside = [] if other is None else [("opencv", Figure(other, "fps"))]
            note = (
                f"{played.presented} of {played.frames} frames presented, "
                f"{crossed.crossed / max(crossed.presented, 1) / 1e6:.1f} MB crossed for each. "
                f"Latency from the source to the surface: p50 {played.latency() * 1e3:.1f} ms, "
                f"p99 {played.latency(0.99) * 1e3:.1f} ms. OpenCV "
                + (
                    "computes the same, unseen."
                    if kind == "offscreen"
                    else "has no windows here."
                    if other is None
                    else "shows with imshow."
                )
            )
            rows.append(
                Row(
                    f"1080p blur -> sharpen -> surface, {kind}, on {name}",
                    Figure(played.fps, "fps"),
                    tuple(beside),
                    None if other is None else played.fps / other,
                    None,
                    note,
                )
            )
    idle: list[float] = []
    asyncio.run(tick(effort.seconds, idle))
    rung = woken(effort.seconds, 60)
    late, played = _lateness(treadle.device("webgpu"), effort.seconds)
    rows.append(
        Row(
            "lateness of a 1 ms ticker, p99, while a surface plays 60 fps",
            Figure(quantile(late, 0.99) * 1e3, "ms"),
            (
                ("idle", Figure(quantile(idle, 0.99) * 1e3, "ms")),
                ("woken 60 times", Figure(quantile(rung, 0.99) * 1e3, "ms")),
                ("p50", Figure(quantile(late, 0.5) * 1e3, "ms")),
            ),
            None,
            Bar(1, "ms"),
            f"{SMALL[0]}x{SMALL[1]}, computed and drawn by webgpu: {played}. 'Woken' has nothing "
            "to do: what is left of a millisecond then is rounded up by Python's selectors.",
        )
    )
    return rows


_BROWSER = """
import json, sys, time, urllib.request
while sys.stdin.readline():  # a line for every turn that is watched
    last, end = "", time.monotonic() + float(sys.argv[2])
    while time.monotonic() < end:
        with urllib.request.urlopen(sys.argv[1].replace("/?", "/data?") + last) as answer:
            last = "&since=" + json.load(answer)["now"]
        time.sleep(0.5)
"""
WATCHED = 3.0  # seconds of a turn: what is recorded, now and again, is to have its mean in it


def dashboard(effort: Effort) -> list[Row]:
    """What the live page costs a program whose commands take less than a millisecond."""
    device = treadle.device()
    source = device.buffer(np.ones(1 << 20, np.float32))
    target = device.empty(source.shape)

    def work(seconds: float) -> float:
        """Seconds of processor time that a command takes, of all threads."""
        end, start, count = perf_counter() + seconds, process_time(), 0
        while perf_counter() < end:
            device.run_kernel("exp", [source], target)
            count += 1
        return (process_time() - start) / count

    alone: list[float] = []
    shares: list[float] = []
    with treadle.dashboard() as page:
        command = [sys.executable, "-c", _BROWSER, page.address, str(WATCHED)]
        asking = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)
        assert asking.stdin is not None
        try:
            work(0.5)
            for _ in range(min(max(effort.repeats, 3), 12)):
                page.rest()
                before = work(WATCHED / 2)
                print(file=asking.stdin, flush=True)
                watched = work(WATCHED)
                sleep(0.6)  # its last pause
                page.rest()
                before = (before + work(WATCHED / 2)) / 2
                alone.append(before)
                shares.append(watched / before - 1)
        finally:
            asking.stdin.close()
            asking.wait()
    return [
        Row(
            "the dashboard, open: processor time that it adds",
            Figure(median(shares) * 100, "%"),
            (("alone", Figure(median(alone) * 1e3, "ms")),),
            None,
            Bar(1, "%"),
            f"Commands of less than a millisecond, for {WATCHED:.0f} seconds at a time; another "
            "process asks as a browser does.",
        )
    ]


LINES = {"surface": surface, "dashboard": dashboard}
