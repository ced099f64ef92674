"""Kernels that run as soon as they are asked for: what functions and operators of arrays do.

In: a kernel and buffers. Out: the buffers that will hold the result, at once. Where the queue is
full the caller waits for room, since code that reads like arithmetic has no place to catch
QueueFull.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from treadle.errors import QueueFull, TreadleError, without_our_frames
from treadle.runtime.command import Command

__all__ = ["open_device", "run_now"]

_NOTHING: dict[str, Any] = {}  # parameters as keywords

open_device: Callable[[Any], Any]  # set by runtime.device, which is above: a device by name


def run_now(
    device: Any,
    kernel: Any,
    inputs: Sequence[Any],
    params: Mapping[str, Any] | None = None,
    output: Any = None,
) -> Any:
    """Submit a kernel on a device and return its output, a tuple where it has several."""
    while True:
        try:
            made: Any = device.enqueue(kernel, inputs, output, params, None, _NOTHING, plain=True)
            return made.output if type(made) is Command else made
        except QueueFull:
            device.queue.wait_for_room()
        except TreadleError as error:  # straight to the launcher, as treadle.submit goes
            raise without_our_frames(error)  # noqa: B904  # the same one
