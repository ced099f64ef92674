"""Threads that compute let those go first that only look up for a moment.

In: a thread of this process. Out: nothing; from then on it gives way. An event loop that wakes up
while every core computes would wait for the system's next tick, up to four milliseconds: a lower
priority alone only has it wait less often. Linux lets one that wakes up go first where its turns
are shorter than those of who is at work (since 6.12), so threads that compute ask for longer ones.
Their share of a core is as before.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import struct
import sys
import threading
from functools import cache
from typing import Any

__all__ = ["compute_behind", "compute_behind_here", "give_way", "threads_have_priorities"]

# Nanoseconds: longer than a thread's usual turn (0.7 to 2.8 ms), and no longer than need be: one
# that holds the interpreter may have to wait for the end of another one's turn. Those that are as
# urgent as others go before those that are not.
_TURN, _LESS_URGENT = 3_000_000, 4_000_000
_FORMAT = "=IIQiIQQQ"  # struct sched_attr, as it was first
_OTHER = 0  # the usual policy
_here = threading.local()  # whether it gives way
_CALLS = {"x86_64": 314, "aarch64": 274, "riscv64": 274, "ppc64le": 355, "s390x": 345}


def threads_have_priorities() -> bool:
    """Whether a priority belongs to a thread here; elsewhere it is the process's."""
    return sys.platform.startswith("linux")


def compute_behind(task: int, nice: int) -> None:
    """Have a thread, as the system numbers it, give way to others: by so many steps of nice, and
    by turns that a thread which wakes up need not wait for."""
    if not threads_have_priorities():
        return
    with contextlib.suppress(OSError):  # it has ended, or may not be changed
        turn = _LESS_URGENT if nice else _TURN
        nice = min(os.getpriority(os.PRIO_PROCESS, task) + nice, 19)
        os.setpriority(os.PRIO_PROCESS, task, nice)
        if os.sched_getscheduler(task) == _OTHER:  # else the user has other plans for it
            _ask_for_long_turns(task, nice, turn)


def compute_behind_here(nice: int) -> None:
    """Have this thread give way; the second time and later nothing is left to do."""
    if not hasattr(_here, "gives_way"):
        _here.gives_way = True
        compute_behind(threading.get_native_id(), nice)


def give_way() -> None:
    """Have this thread, if it is one that gives way, let those go first that wake up while it
    computes; to be called before something that takes milliseconds.

    One that has slept is owed time by one that has worked, and an event loop has just worked, if
    only for microseconds: the system would let this thread compute until its next tick before it
    looks again. Who yields is owed nothing, and gets less beside threads that never rest."""
    if hasattr(_here, "gives_way") and threads_have_priorities():
        os.sched_yield()


def _ask_for_long_turns(task: int, nice: int, turn: int) -> None:
    call, number = _system(), _CALLS.get(platform.machine())
    if call is not None and number is not None:
        size = struct.calcsize(_FORMAT)
        asked = struct.pack(_FORMAT, size, _OTHER, 0, nice, 0, turn, 0, 0)
        call(number, task, ctypes.c_char_p(asked), 0)  # an older system minds it not


@cache
def _system() -> Any:
    """The C library's way to call the system, if it has one."""
    try:
        call = ctypes.CDLL(None).syscall
    except (OSError, AttributeError):
        return None
    call.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    call.restype = ctypes.c_long
    return call
