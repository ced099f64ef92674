"""The table of parts: what each is about, and how much of the time it gets."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Part:
    """A part: a module of its name with `cases()` and `run(case, watch)`."""

    about: str
    share: float  # of the time, relative to the others


PARTS = {
    "interrupts": Part("Ctrl-C at every place of every call, once and twice", 8.0),
    "signals": Part("real signals at random moments of every call", 3.0),
    "finalizers": Part("finalizers that use the device, wherever the collector runs them", 2.0),
    "programs": Part("random programs of several threads against NumPy", 2.0),
    "forks": Part("forks in the middle of work", 1.0),
    "loops": Part("event loops closed and tasks cancelled while something is awaited", 1.0),
    "threads": Part("threads that cannot start, and threads that die", 1.0),
    "kills": Part("runs of the command line, killed and resumed", 2.0),
    "workers": Part("streams over a cluster, whose workers and machines are killed", 1.0),
    "search": Part("writers of a durable index, killed between any two bytes", 1.0),
}


def load(name: str) -> Any:
    """The module of a part."""
    return importlib.import_module(f"chaos.{name}")
