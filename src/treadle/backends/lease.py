"""Leases: who has something of a pool's, until nothing refers to it any more.

In: something to lend, and where to put word of its return. Out: a token to keep beside it. The
token is an array, which the garbage collector does not follow: it goes when nothing refers to it,
and not when the collector finds it in a cycle of garbage. The finalizers of such a cycle are all
run, those of things that another one is about to give to the user again too, and references to it
are cleared before; what was taken back then would have two users.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["Lease", "Token", "lend", "newest", "oldest", "unless_held"]

Token = np.ndarray[Any, np.dtype[np.uint8]]

_NOTHING: Token = np.empty(0, np.uint8)  # a view of it is the cheapest array


class Lease(weakref.ref[Token]):
    """Word of a token: it is put into a queue when the token goes. The pool has to keep it."""

    __slots__ = ("nudge", "what")
    what: Any
    nudge: Any


def lend(
    what: Any, back: deque[Any], nudge: Callable[[object], object] | None = None
) -> tuple[Token, Lease]:
    """Return a token and its lease, which is appended to `back` when the token goes.

    That is done by C code, because Ctrl-C in a finalizer ends it and no caller is told. `nudge` is
    called afterwards, wherever the finalizers of the token's owner run, unless Ctrl-C comes."""
    token: Token = _NOTHING[:]
    noticed = None if nudge is None else weakref.ref(token, nudge)  # first made, last called
    lease = Lease(token, back.append)
    lease.what, lease.nudge = what, noticed
    return token, lease


def unless_held(lock: Any, take_back: Callable[[], object]) -> None:
    """Call something with an RLock, unless a thread has it already: that may be this one."""
    if lock._is_owned():
        return
    try:
        if lock.acquire(blocking=False):
            take_back()
    finally:
        try:  # noqa: SIM105  # the first call here, which Ctrl-C cannot prevent
            lock.release()
        except RuntimeError:  # another thread has it
            pass


def newest(of: dict[int, Any]) -> int:
    """The key that was put in last, or 0; a finalizer may change the dict at any moment."""
    while True:
        try:
            return next(reversed(of), 0)
        except RuntimeError:  # one came between the two calls
            continue


def oldest(of: dict[int, Any]) -> int:
    """The key that was put in first, or 0; a finalizer may change the dict at any moment."""
    while True:
        try:
            return next(iter(of), 0)
        except RuntimeError:  # one came between the two calls
            continue
