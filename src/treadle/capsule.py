"""bf16 through DLPack, which has it, for NumPy and CuPy, which have not.

In: capsules of u16, and objects that give capsules of bf16. Out: capsules that say bf16, and
objects that give u16 instead. The one field in a capsule that names the type is changed.
"""

from __future__ import annotations

import ctypes
from typing import Any

__all__ = ["Unlabelled", "give_bfloat"]

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
    code = _code(capsule)
    assert code is not None
    code.value = _BFLOAT
    return capsule


class Unlabelled:
    """What gives the capsules of another object, with u16 in place of bf16.

    `bfloat` says afterwards whether it was."""

    def __init__(self, data: Any) -> None:
        self._data = data
        self.bfloat = False

    def __dlpack__(self, **options: Any) -> Any:
        capsule = self._data.__dlpack__(**options)
        code = _code(capsule)
        if code is not None and code.value == _BFLOAT:
            code.value, self.bfloat = _UNSIGNED, True
        return capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, number = self._data.__dlpack_device__()
        return int(kind), int(number)


def _code(capsule: Any) -> ctypes.c_uint8 | None:
    name = _python.PyCapsule_GetName(capsule)
    if name not in _CODE:
        return None
    start = _python.PyCapsule_GetPointer(capsule, name)
    return ctypes.c_uint8.from_address(start + _CODE[name])
