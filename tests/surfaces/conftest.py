"""A device that draws, and a display for windows; absent, tests are skipped unless required."""

from __future__ import annotations

import os
import shutil
import subprocess
from importlib.util import find_spec

import pytest

import treadle

REQUIRED = set(os.environ.get("TREADLE_REQUIRE", "").split(","))


def lacking(reason, *needs):
    """Skip, or fail where CI says that what is needed is there."""
    if REQUIRED & set(needs):
        pytest.fail(f"required: {reason}")
    pytest.skip(reason)


@pytest.fixture
def drawing():
    """The device that draws."""
    try:
        found = treadle.device("webgpu")
    except treadle.DeviceUnavailable as error:
        lacking(str(error), "webgpu")
    yield found
    found.synchronize()


@pytest.fixture(scope="session")
def display_server():
    """A display of our own, where there is a program for it; one a process."""
    missing = [name for name in ("glfw", "rendercanvas") if find_spec(name) is None]
    if missing:
        lacking(f"not installed: {', '.join(missing)}", "surface")
    if shutil.which("Xvfb") is None:
        lacking("Xvfb is not installed", "surface")
    reading, writing = os.pipe()
    size = "800x600x24"
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", size, "-nolisten", "tcp"]
    quiet = subprocess.DEVNULL
    server = subprocess.Popen(command, pass_fds=[writing], stdout=quiet, stderr=quiet)
    os.close(writing)
    try:
        with os.fdopen(reading) as told:
            number = told.readline().strip()
        if not number:
            lacking("Xvfb does not start", "surface")
        yield f":{number}"
    finally:
        server.terminate()
        server.wait()


@pytest.fixture
def display(display_server, drawing, monkeypatch):
    """A display to open windows on."""
    if "OpenGL" in drawing.info.driver or drawing.info.driver.startswith("GL"):
        pytest.skip("webgpu runs over OpenGL, which cannot draw on windows")
    monkeypatch.setenv("DISPLAY", display_server)
    return display_server
