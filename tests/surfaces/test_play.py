"""Frames in time: every one or the newest, from any source, until it or the surface ends."""

from __future__ import annotations

import asyncio
import threading

import numpy as np
import pytest

import treadle
from surfaces.shown import rgba


def offscreen():
    return treadle.surface(8, 8, kind="offscreen")


def grey(value):
    return np.full((8, 8), value, np.uint8)


class Source:
    """Frames, and whether it was closed."""

    def __init__(self, count):
        self.count, self.given, self.closed = count, 0, False

    def __iter__(self):
        return self

    def __next__(self):
        if self.given == self.count:
            raise StopIteration
        self.given += 1
        return grey(self.given)

    def close(self):
        self.closed = True


async def asked(count):
    for value in range(1, count + 1):
        yield grey(value % 256)


@pytest.mark.parametrize("kind", ["list", "iterator", "asynchronous", "stream", "buffers"])
def test_every_frame_is_shown(drawing, kind):
    sources = {
        "list": lambda: [grey(value) for value in range(1, 13)],
        "iterator": lambda: Source(12),
        "asynchronous": lambda: asked(12),
        "stream": lambda: treadle.stream(
            [grey(value) for value in range(1, 13)], compute="relu", device="cpu"
        ),
        "buffers": lambda: (drawing.buffer(grey(value)) for value in range(1, 13)),
    }

    async def main():
        async with offscreen() as surface:
            report = await surface.play(sources[kind]())
            return report, surface.report, await surface.get_pixels_async()

    report, shown, pixels = asyncio.run(main())
    assert (report.frames, report.presented, report.dropped) == (12, 12, 0)
    assert shown.presented == 12
    assert np.array_equal(pixels, rgba(grey(12)))
    assert len(report.latencies) == 12
    assert 0 < report.latency() <= report.latency(0.99)
    assert not report.closed
    assert "12 of 12 frames" in str(report)


def test_the_newest_frame_is_shown_and_others_are_counted(drawing):
    async def main():
        async with offscreen() as surface:
            report = await surface.play(asked(500), latest=True)
            return report, await surface.get_pixels_async()

    report, pixels = asyncio.run(main())
    assert report.frames == 500
    assert report.presented + report.dropped == 500
    assert report.dropped > 0  # a draw takes longer than a turn of the loop
    assert np.array_equal(pixels, rgba(grey(500 % 256)))


def test_a_realtime_stream_can_be_played(drawing):
    async def main():
        frames = treadle.stream(
            [grey(value) for value in range(50)], compute="relu", device="cpu", latest=True
        )
        async with offscreen() as surface:
            return await surface.play(frames, latest=True)

    report = asyncio.run(main())
    assert report.presented + report.dropped == report.frames > 0


def test_frames_come_at_a_pace_and_late_ones_are_counted(drawing):
    async def main():
        loop = asyncio.get_running_loop()
        times = []

        async def frames():
            for value in range(6):
                times.append(loop.time())
                if value == 3:
                    await asyncio.sleep(0.1)  # the source is late by itself
                yield grey(value)

        async with offscreen() as surface:
            await surface.show(grey(0))  # so that nothing is compiled later
            return await surface.play(frames(), fps=50), times

    report, times = asyncio.run(main())
    assert report.presented == 6
    assert report.late >= 1
    assert report.seconds >= 5 / 50
    assert times[1] - times[0] >= 0.015  # it was asked for when it was due


def test_the_loop_goes_on_while_a_source_blocks(drawing):
    go = threading.Event()

    def frames():
        yield grey(1)
        assert go.wait(30)
        yield grey(2)

    async def main():
        async with offscreen() as surface:
            playing = asyncio.create_task(surface.play(frames()))
            while surface.report.presented < 1:
                await asyncio.sleep(0)
            go.set()  # which could not be said, were the loop blocked
            return await playing

    assert asyncio.run(main()).presented == 2


def test_closing_the_surface_ends_the_play_and_closes_the_source(drawing):
    source = Source(10**9)

    async def main():
        surface = offscreen()
        playing = asyncio.create_task(surface.play(source))
        while source.given < 5:
            await asyncio.sleep(0)
        surface.close()
        return await playing

    report = asyncio.run(main())
    assert report.closed
    assert report.presented >= 2
    assert source.closed


def test_a_cancelled_play_closes_its_source_and_leaves_the_surface(drawing):
    closed = []

    async def frames():
        try:
            while True:
                yield grey(7)
                await asyncio.sleep(0)
        finally:
            closed.append(True)

    async def main():
        async with offscreen() as surface:
            playing = asyncio.create_task(surface.play(frames()))
            while surface.report.presented < 3:
                await asyncio.sleep(0)
            playing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await playing
            assert closed == [True]
            await surface.show(grey(9))
            return await surface.get_pixels_async()

    assert np.array_equal(asyncio.run(main()), rgba(grey(9)))


@pytest.mark.parametrize("latest", [False, True])
def test_what_a_source_raises_ends_the_play(drawing, latest):
    def frames():
        yield grey(1)
        raise RuntimeError("the camera is gone")

    async def main():
        async with offscreen() as surface:
            await surface.play(frames(), latest=latest)

    with pytest.raises(RuntimeError, match="the camera is gone"):
        asyncio.run(main())


def test_a_frame_that_is_no_picture_ends_the_play(drawing):
    async def main(frames, **options):
        async with offscreen() as surface:
            await surface.play(frames, **options)

    with pytest.raises(treadle.LaunchError, match="expected a picture"):
        asyncio.run(main([grey(1), np.zeros(3, np.uint8)]))
    with pytest.raises(treadle.LaunchError, match="expected a stream or another iterable"):
        asyncio.run(main(7))
    for fps in (0, -1, float("nan"), "fast"):
        with pytest.raises(treadle.LaunchError, match="fps: expected"):
            asyncio.run(main([grey(1)], fps=fps))


def test_events_come_in_order_and_end_with_close(drawing):
    from treadle.surfaces import SurfaceEvent

    async def main():
        surface = offscreen()
        called, told = [], []
        surface.on(called.append, "key_down")

        async def listen():
            async for event in surface.events():
                told.append(event.kind)

        listening = asyncio.create_task(listen())
        await asyncio.sleep(0)
        surface.send(SurfaceEvent("key_down", key="a"))
        surface.send(SurfaceEvent("pointer_move", x=3, y=4))
        await asyncio.sleep(0)
        surface.off(called.append)
        threading.Thread(target=surface.resize, args=(9, 9)).start()
        while len(told) < 3:
            await asyncio.sleep(0)
        surface.send(SurfaceEvent("close"))
        await listening
        return told, called

    told, called = asyncio.run(main())
    assert told == ["key_down", "pointer_move", "resize", "close"]
    assert [event.key for event in called] == ["a"]
