"""Other libraries' arrays as buffers, in place where a device can use their memory; and back.

In: a device and an array, or anything with DLPack. Out: a buffer that shares the memory or holds a
copy, or a LaunchError that says why it cannot; and from a buffer, an array. What the device later
does with it is not known here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.backends.base import Memory
from treadle.bfloat import bfloat_dtype
from treadle.capsule import Unlabelled
from treadle.dtypes import as_dtype
from treadle.errors import DeviceLost, LaunchError
from treadle.runtime.buffer import Buffer
from treadle.runtime.convert import foreign_array
from treadle.runtime.memory import Storage, layout

__all__ = ["give", "take", "take_dlpack"]


def give(buffer: Buffer) -> np.ndarray[Any, Any]:
    """Return what a buffer holds, in place where possible, without waiting for the host's turn.

    For a buffer that only the caller has, when all commands that use it have ended."""
    return buffer._fetch(buffer._region(), None)


def take(device: Any, data: Any, copy: bool | None) -> Buffer:
    """Make a buffer from an array; with copy=True always copied, with copy=False never."""
    borrowed = _borrow(device, data, copy)
    return _adopt(device, foreign_array(data), copy) if borrowed is None else borrowed


def take_dlpack(device: Any, data: Any, copy: bool | None) -> Buffer:
    """Make a buffer from what another library gives through DLPack."""
    if not hasattr(data, "__dlpack__"):
        raise LaunchError(f"data: expected an object with __dlpack__, got {type(data).__name__}")
    borrowed = _borrow(device, data, copy)
    if borrowed is not None:
        return borrowed
    return _adopt(device, _from_dlpack(data), copy)


def _from_dlpack(data: Any) -> np.ndarray[Any, Any]:
    given = Unlabelled(data)
    try:
        found: np.ndarray[Any, Any] = np.from_dlpack(given)
    except (BufferError, TypeError, RuntimeError, ValueError) as error:
        raise LaunchError(f"data: cannot be taken through DLPack: {error}") from error
    return found.view(bfloat_dtype()) if given.bfloat else found


def _borrow(device: Any, data: Any, copy: bool | None) -> Buffer | None:
    """Take an array that lies in the device's own memory, where a backend can (`borrow`)."""
    borrow = getattr(device.backend, "borrow", None)
    if copy or borrow is None or isinstance(data, np.ndarray):
        return None
    if device.queue.gone is not None:
        raise DeviceLost(device.queue.gone)
    found = borrow(data)
    if found is None:
        return None
    memory, shape, dtype = found
    made = layout(shape, dtype)
    return Buffer(device, Storage(memory, made.nbytes), 0, made)


def _adopt(device: Any, array: np.ndarray[Any, Any], copy: bool | None) -> Buffer:
    if device.queue.gone is not None:
        raise DeviceLost(device.queue.gone)
    memory: Memory | None = None
    # Where memory is not shared, a device that reaches the host's does so over a bus: not unasked.
    if copy is False or (copy is None and device.limits.shared):
        made = layout(array.shape, as_dtype(array.dtype))
        if array.flags.c_contiguous and array.flags.writeable and array.dtype.isnative:
            memory = device.backend.adopt(array)
        if memory is not None:
            return Buffer(device, Storage(memory, made.nbytes), 0, made)
    if copy is False:
        raise LaunchError(
            f"array: {device.name} cannot use this array without a copy; that needs a "
            "contiguous, writable array of a stored dtype in memory that the device reaches"
        )
    copied: Buffer = device.buffer(array)
    return copied
