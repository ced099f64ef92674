"""Displays of X that go away: the process goes on without them.

In: a display that a window is on. Out: whether it is gone. Xlib ends the process when the server of
a display ends, unless it is told otherwise; what is told here holds for our displays alone.
"""

from __future__ import annotations

import contextlib
import ctypes
from typing import Any

__all__ = ["gone", "outlive"]

gone: set[int] = set()  # displays, by their addresses
_ours: set[int] = set()
_NOTE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
_END = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
_before: list[Any] = []  # what was called before us


def _note(display: int) -> int:
    if display in _ours:
        gone.add(display)
    else:
        for each in _before:
            each(display)  # which ends the process
    return 0


def _go_on(display: int, _: Any) -> None:
    pass  # where Xlib would end the process


_noted, _ended = _NOTE(_note), _END(_go_on)  # which must live as long as the process


def outlive(display: int) -> None:
    """Have the process go on where a display goes away."""
    with contextlib.suppress(OSError, AttributeError):  # there is no Xlib, or an old one
        library = ctypes.CDLL("libX11.so.6")
        library.XSetIOErrorExitHandler.argtypes = [ctypes.c_void_p, _END, ctypes.c_void_p]
        library.XSetIOErrorHandler.argtypes = [_NOTE]
        library.XSetIOErrorHandler.restype = ctypes.c_void_p
        gone.discard(display)  # the address of one that is gone may be another's now
        _ours.add(display)
        library.XSetIOErrorExitHandler(display, _ended, None)
        if not _before:
            _before.append(_NOTE(library.XSetIOErrorHandler(_noted)))
