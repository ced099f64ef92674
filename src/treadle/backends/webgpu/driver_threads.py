"""The threads that a driver on the processor computes with: they give way to others.

In: the threads that there were before a driver was called. Out: nothing; those that the driver
started are less urgent from then on. A software adapter computes on every core, and an event loop
that wakes up meanwhile would wait for the system's next tick, which takes up to four milliseconds.
The workers of the CPU device give way too, but a kernel there ends its pieces soon; a driver's
threads run on for as long as a frame takes, so these give way as far as the system allows.
"""

from __future__ import annotations

import os
import threading

from treadle.courtesy import compute_behind, threads_have_priorities

__all__ = ["give_way", "tasks"]

# A ticker beside a surface that plays was late by more than a millisecond in 7 to 11% of its ticks
# with 0, in 4% with 10, in 1% with 19.
_NICE = 19
_TASKS = "/proc/self/task"


def tasks() -> set[int]:
    """The threads of this process, as the system numbers them; none where it does not say."""
    if not threads_have_priorities():
        return set()
    try:
        return {int(name) for name in os.listdir(_TASKS)}
    except OSError:
        return set()


def give_way(before: set[int]) -> None:
    """Have the threads that a driver started since give way to others.

    Whose a thread is cannot be asked: only those of Python are known, and left alone."""
    known = before | {thread.native_id or 0 for thread in threading.enumerate()}
    for task in tasks() - known:
        compute_behind(task, _NICE)
