"""What tests of brief launches on a pretended GPU ask about them."""

from __future__ import annotations

from typing import Any


class CUDARuntimeError(RuntimeError):
    """As CuPy's, which is known by its name."""


def runs(device: Any) -> list[Any]:
    """The commands that are in flight like this."""
    return list(device.queue.quick.runs.values())


def relu(command: Any) -> Any:
    """What the driver is given for a command in flight."""
    ((program, _, dims, _),) = command._steps
    return program.handle.prepare(dims)
