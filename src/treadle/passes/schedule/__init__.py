"""Decide how a kernel is computed, before anything is spelt.

In: an optimised kernel and the target it is for. Out: a frozen Schedule, which holds the kernel to
spell and every choice about it. The same kernel and target give equal schedules. Knows no language
and no sizes.
"""

from __future__ import annotations

from collections.abc import Callable

from treadle.ir.nodes import Kernel
from treadle.ir.schedule import Execution, Schedule, Target
from treadle.passes.schedule.cpu import schedule_loops
from treadle.passes.schedule.gpu import schedule_threads

__all__ = ["schedule"]

_MAKERS: dict[Execution, Callable[[Kernel, Target], Schedule]] = {
    Execution.LOOPS: schedule_loops,
    Execution.THREADS: schedule_threads,
}


def schedule(kernel: Kernel, target: Target) -> Schedule:
    """Return what is decided about a kernel for a target."""
    maker = _MAKERS.get(target.execution)
    return Schedule(kernel) if maker is None else maker(kernel, target)
