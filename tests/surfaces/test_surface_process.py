"""Surfaces in a process of their own: Ctrl-C, a fork, and a display that goes away."""

from __future__ import annotations

import subprocess
import sys

import pytest

START = """
import asyncio, os, signal, subprocess, sys
import numpy as np
import treadle

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it

def picture(value):
    return np.full((48, 64, 3), value, np.uint8)
"""

INTERRUPTED = """
closed = []

def frames():
    try:
        for number in range(10_000):
            if number == 5:
                os.kill(os.getpid(), signal.SIGINT)
            yield picture(number % 256)
    finally:
        closed.append(True)

async def main():
    async with treadle.surface(64, 48, kind=KIND) as surface:
        shown.append(surface)
        await surface.play(frames(), fps=500)

shown = []
try:
    asyncio.run(main())
except KeyboardInterrupt:
    print("interrupted", closed, shown[0].closed)
with treadle.surface(64, 48, kind=KIND) as again:
    again.show(picture(7)).wait()
    print(again.get_pixels()[0, 0, 0])
"""

FORKED = """
surface = treadle.surface(64, 48, kind="window")
surface.show(picture(1)).wait()
child = os.fork()
if child == 0:
    surface.poll()
    try:
        surface.resize(32, 32)
    except treadle.DeviceUnavailable as error:
        print(error, flush=True)
    surface.close()
    os._exit(0)
print(os.waitpid(child, 0)[1])
surface.poll()
surface.show(picture(7)).wait()
print(surface.get_pixels()[0, 0, 0], surface.closed)
surface.close()
"""

GONE = """
reading, writing = os.pipe()
command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "200x200x24", "-nolisten", "tcp"]
quiet = subprocess.DEVNULL
server = subprocess.Popen(command, pass_fds=[writing], stdout=quiet, stderr=quiet)
os.close(writing)
os.environ["DISPLAY"] = ":" + os.fdopen(reading).readline().strip()

def frames():
    for number in range(10_000):
        if number == 5:
            server.kill()
            server.wait()
        yield picture(number % 256)

async def main():
    async with treadle.surface(64, 48, kind="window") as surface:
        return await surface.play(frames())

try:
    report = asyncio.run(main())
finally:
    server.kill()
print(report.closed, report.presented >= 4)
try:
    treadle.surface(64, 48, kind="window")
except treadle.DeviceUnavailable as error:
    print("went away" in str(error))
with treadle.surface(64, 48, kind="offscreen") as surface:
    surface.show(picture(7)).wait()
    print(surface.get_pixels()[0, 0, 0])
"""


CUT = (
    GONE.partition("def frames")[0]
    + """
from ctypes import CDLL, c_void_p
from treadle.backends.webgpu.canvas import Canvas

begin = Canvas.begin

def cut_off(self, *given):
    found = begin(self, *given)  # the driver has given a texture, and then the display goes
    server.kill()
    server.wait()
    connection = CDLL("libX11-xcb.so.1").XGetXCBConnection
    connection.argtypes, connection.restype = [c_void_p], c_void_p
    xcb = CDLL("libxcb.so.1")
    ask, flush, failed = xcb.xcb_get_input_focus, xcb.xcb_flush, xcb.xcb_connection_has_error
    ask.argtypes = flush.argtypes = failed.argtypes = [c_void_p]
    display = connection(self.window["display"])
    while not failed(display):
        ask(display)
        flush(display)
    return found

surface = treadle.surface(64, 48, kind="window")
surface.show(picture(1)).wait()
Canvas.begin = cut_off
surface.show(picture(2)).wait()
print(surface.report.skipped)
surface.close()
"""
)


def told(text):
    """What a program prints; it must end well."""
    command = [sys.executable, "-c", START + text]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:-1]


@pytest.mark.parametrize("kind", ["offscreen", "window"])
def test_ctrl_c_ends_a_play_and_closes_its_source_and_the_surface(request, drawing, kind):
    request.getfixturevalue("display" if kind == "window" else "drawing")
    found = told(INTERRUPTED.replace("KIND", repr(kind)))
    assert found == ["interrupted [True] True", "7"]


def test_a_fork_leaves_windows_to_the_parent(display):
    said, status, after = told(FORKED)
    assert "belongs to the process that forked" in said
    assert (status, after) == ("0", "7 False")


def test_a_display_that_goes_away_closes_its_windows_and_nothing_else(display):
    assert told(GONE) == ["True True", "True", "7"]


def test_nothing_is_presented_on_a_display_that_went_after_the_picture_was_begun(display):
    assert told(CUT) == ["1"]  # Mesa's driver would count to two to the thirty-second
