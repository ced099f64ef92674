"""bf16 through DLPack, which has it, for NumPy, which has not.

In: capsules of u16, and objects that give capsules of bf16. Out: capsules that say bf16, and arrays
of it. The one field in a capsule that names the type is changed.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from treadle.bfloat import bfloat_dtype

__all__ = ["give_bfloat", "take_bfloat"]

Array = np.ndarray[Any, Any]

# Where a capsule's structure has the code of its type: behind data, device and number of axes, and
# in newer ones behind version, context, deleter and flags too.
_CODE = {b"dltensor": 20, b"dltensor_versioned": 52}
_UNSIGNED, _BFLOAT = 1, 4

_python = ctypes.pythonapi
_python.PyCapsule_GetName.restype = ctypes.c_char_p
_python.PyCapsule_GetName.argtypes = [ctypes.py_object]
_python.PyCapsule_GetPointer.restype = ctypes.c_void_p
_python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def give_bfloat(capsule: Any) -> Any:
    """Return a capsule of u16 as one of bf16."""
    _code(capsule).value = _BFLOAT
    return capsule


def take_bfloat(data: Any) -> Array | None:
    """Return the array of bf16 that an object in host memory gives; None where it gives others."""
    capsule = data.__dlpack__()
    code = _code(capsule)
    if code.value != _BFLOAT:
        return None
    code.value = _UNSIGNED
    return np.asarray(np.from_dlpack(_Given(capsule)).view(bfloat_dtype()))


def _code(capsule: Any) -> ctypes.c_uint8:
    name = _python.PyCapsule_GetName(capsule)
    start = _python.PyCapsule_GetPointer(capsule, name)
    return ctypes.c_uint8.from_address(start + _CODE[name])


class _Given:
    """What NumPy asks for a capsule."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # kDLCPU
