"""Surfaces in a notebook, on an IPython that only remembers what it was given."""

from __future__ import annotations

import sys
import threading
import types

import numpy as np
import pytest

import treadle


class Handle:
    """What IPython gives for a display that can be updated."""

    def __init__(self):
        self.shown = []
        self.updated = threading.Event()
        self.broken = False

    def update(self, frame):
        if self.broken:
            raise OSError("the notebook's connection is closed")
        self.shown.append(frame._repr_png_())
        self.updated.set()


@pytest.fixture
def handle(monkeypatch):
    found = Handle()

    def display(frame, display_id):
        assert display_id
        found.shown.append(frame._repr_png_())
        return found

    shell = types.SimpleNamespace(kernel=object())
    module = types.ModuleType("IPython")
    module.get_ipython = lambda: shell
    inner = types.ModuleType("IPython.display")
    inner.display = display
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(sys.modules, "IPython.display", inner)
    return found


def test_a_surface_shows_itself_in_the_cell_that_presents_first(drawing, handle):
    with treadle.surface(8, 8) as surface:
        assert surface.kind == "notebook"
        surface.show(np.zeros((8, 8), np.uint8))
        assert len(handle.shown) == 1
        surface.show(np.full((8, 8), 9, np.uint8))
        assert handle.updated.wait(30)
        assert len(handle.shown) == 2
        assert handle.shown[0] != handle.shown[1]
        assert all(each.startswith(b"\x89PNG") for each in handle.shown)


def test_a_notebook_that_fails_once_shows_the_next_picture(drawing, handle, monkeypatch):
    failed = threading.Event()
    monkeypatch.setattr(threading, "excepthook", lambda _: failed.set())
    with treadle.surface(8, 8) as surface:
        surface.show(np.zeros((8, 8), np.uint8))
        handle.broken = True
        surface.show(np.full((8, 8), 9, np.uint8))
        assert failed.wait(30)
        handle.broken = False
        surface.show(np.full((8, 8), 99, np.uint8))
        assert handle.updated.wait(30)
