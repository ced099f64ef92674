"""Windows, on a display in memory: what they show is what was computed, and they end cleanly."""

from __future__ import annotations

import asyncio
import os
import shutil
import struct
import subprocess
import sys

import numpy as np
import pytest

import treadle
from surfaces.shown import rgba

RNG = np.random.default_rng(3)


def window(width=64, height=48, **options):
    return treadle.surface(width, height, kind="window", **options)


def screenshot(display, title):
    """What the display shows of a window, as RGB, from a dump of xwd, which is in x11-apps."""
    program = shutil.which("xwd")
    if program is None:
        assert "surface" not in os.environ.get("TREADLE_REQUIRE", ""), "xwd is not installed"
        pytest.skip("xwd is not installed")
    command = [program, "-display", display, "-name", title, "-silent"]
    raw = subprocess.run(command, capture_output=True, check=True).stdout
    head = struct.unpack(">25I", raw[:100])
    width, height, stride, colours = head[4], head[5], head[12], head[19]
    data = np.frombuffer(raw, np.uint8, offset=head[0] + colours * 12)[: stride * height]
    return data.reshape(height, stride)[:, : width * 4].reshape(height, width, 4)[..., 2::-1]


def settled(display, title, want):
    """The screenshot, once it is what is wanted: a display shows a frame a moment later."""
    for _ in range(200):
        found = screenshot(display, title)
        if np.array_equal(found, want):
            break
    return found


def test_the_screen_shows_the_buffer_pixel_by_pixel(display, drawing):
    image = drawing.buffer(RNG.integers(0, 256, (48, 64, 3), dtype=np.uint8))
    with window(title="pixel by pixel") as surface:
        assert surface.size == (64, 48)
        for amount in (0.0, 0.5):
            made = drawing.run_kernel("sharpen", [image], amount=amount)
            surface.show(made).wait()
            want = rgba(made.to_numpy())
            assert np.array_equal(settled(display, "pixel by pixel", want[..., :3]), want[..., :3])
            assert np.array_equal(surface.get_pixels(), want)
        assert surface.report.crossed == 0
        assert surface.report.skipped == 0


def test_a_window_follows_its_size(display, drawing):
    told = []
    with window() as surface:
        surface.on(told.append, "resize")
        surface.set_pixels(np.full((48, 64), 200, np.uint8)).present()
        surface.resize(80, 40)
        while surface.size != (80, 40):
            surface.poll()
        surface.present().wait()
        assert surface.get_pixels().shape == (40, 80, 4)
        assert (told[-1].width, told[-1].height) == (80, 40)
        for side in range(20, 60):  # a storm
            surface.resize(side, 80 - side)
            surface.present()
        surface.present().wait()


def test_a_window_closed_in_the_middle_ends_the_play(display, drawing):
    async def main():
        surface = window()

        async def frames():
            for number in range(10**9):
                if number == 5:
                    surface._window._canvas._on_want_close()  # what a click on its corner calls
                yield np.full((48, 64), number % 256, np.uint8)

        report = await surface.play(frames())
        return report, surface.closed

    report, closed = asyncio.run(main())
    assert report.closed
    assert closed


def test_keys_and_pointers_become_events(display, drawing):
    with window() as surface:
        told = []
        surface.on(told.append)
        canvas = surface._window._canvas
        canvas.submit_event({"event_type": "key_down", "key": "s", "modifiers": ("Shift",)})
        canvas.submit_event({"event_type": "wheel", "x": 3.0, "y": 4.0, "dx": 0.0, "dy": -100.0})
        canvas.submit_event({"event_type": "pointer_down", "x": 5.0, "y": 6.0, "button": 1})
        canvas.submit_event({"event_type": "char", "data": "s"})
        surface.poll()
        assert [(e.kind, e.key, e.x, e.dy, e.button) for e in told] == [
            ("key_down", "s", 0.0, 0.0, 0),
            ("wheel", "", 3.0, -100.0, 0),
            ("pointer_down", "", 5.0, 0.0, 1),
        ]


def test_two_windows_at_once(display, drawing):
    import glfw

    with window(title="first") as first, window(title="second") as second:
        glfw.set_window_pos(second._window._canvas._window, 200, 100)  # beside the other
        for surface, value in ((first, 10), (second, 20)):
            surface.show(np.full((48, 64), value, np.uint8)).wait()
        for title, value in (("first", 10), ("second", 20)):
            want = np.full((48, 64, 3), value, np.uint8)
            assert np.array_equal(settled(display, title, want), want)


def test_without_a_display_there_is_one_clear_error(drawing, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr("treadle.surfaces.window._class", None)
    with pytest.raises(treadle.DeviceUnavailable, match=r"no display for a window.*offscreen"):
        window()
    assert treadle.surface(3, 3).kind == "offscreen"


def test_without_the_extra_there_is_one_clear_error(drawing, monkeypatch):
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("treadle.surfaces.window._class", None)
    monkeypatch.setitem(sys.modules, "rendercanvas.glfw", None)
    with pytest.raises(treadle.DeviceUnavailable, match=r"pip install 'treadle\[surface\]'"):
        window()


FORGOTTEN = """
import numpy as np, treadle
surface = treadle.surface(32, 32, kind="window")
for value in range(5):
    surface.show(np.full((32, 32), value, np.uint8))
print("left open", flush=True)
"""


def test_a_window_that_a_program_forgot_is_closed_at_its_end(display):
    env = dict(os.environ, DISPLAY=display)
    done = subprocess.run(
        [sys.executable, "-c", FORGOTTEN], env=env, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, "left open\n"), done.stderr
