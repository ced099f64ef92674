"""Whether commands leave anything behind.

In: an effort. Out: rows. A child process submits very many small commands and compares the memory
it holds after the first ten thousand with what it holds at the end.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from bench.fresh import run_module
from bench.table import Bar, Figure, Row
from bench.timing import Effort

__all__ = ["LINES"]

SETTLED = 10_000
BATCH = 1_000
STATM = Path("/proc/self/statm")


def resident() -> int | None:
    """Bytes of memory that this process holds (its peak where nothing better is known)."""
    if STATM.exists():
        pages = int(STATM.read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def child(commands: int) -> dict[str, float | None]:
    """Submit, poll and wait for many commands; return the growth in bytes and the seconds."""
    import treadle

    a, b, c = treadle.buffer_zeros(16), treadle.buffer_zeros(16), treadle.empty(16)
    settled = None
    started = perf_counter()
    for done in range(0, commands, BATCH):
        if done == SETTLED:
            settled = resident()
        batch = [treadle.submit("elementwise_add", [a, b], c) for _ in range(BATCH)]
        for command in batch:
            treadle.poll(command.id)
        treadle.wait_all(batch)
    seconds = perf_counter() - started
    now = resident()
    growth = None if now is None or settled is None else now - settled
    return {"growth": growth, "seconds": seconds}


def endurance(effort: Effort) -> list[Row]:
    """Memory after a million commands."""
    result = run_module("bench.memory", [str(effort.commands)])
    growth = result["growth"]
    if growth is None:
        return []
    return [
        Row(
            f"memory grown by {effort.commands:,} commands",
            Figure(growth / 1e6, "MB"),
            (("submit, poll, wait", Figure(result["seconds"] / effort.commands * 1e6, "us each")),),
            bar=Bar(5, "MB"),
            note=f"Resident memory at the end less that after the first {SETTLED:,}.",
        )
    ]


LINES: dict[str, Callable[[Effort], list[Row]]] = {"memory": endurance}

if __name__ == "__main__":
    print(json.dumps(child(int(sys.argv[1]))))
