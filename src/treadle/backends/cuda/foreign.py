"""Other libraries' arrays on the same GPU, both ways without a copy.

In: objects with DLPack or `__cuda_array_interface__`, or memory of ours. Out: memory of ours, or an
object that speaks both protocols. The library that made an array has finished with it when it is
taken.
"""

from __future__ import annotations

from typing import Any

from treadle.backends.base import Region
from treadle.backends.cuda.driver import Cuda
from treadle.backends.cuda.memory import DeviceMemory
from treadle.capsule import Unlabelled, give_bfloat
from treadle.dtypes import DType, as_dtype
from treadle.errors import LaunchError

__all__ = ["Exported", "borrow"]

_CUDA_DEVICES = (2, 13)  # of DLPack: GPU memory, and managed memory


def borrow(cuda: Cuda, index: int, data: Any) -> tuple[DeviceMemory, tuple[int, ...], DType] | None:
    """Return memory, shape and dtype of an array that lies on this GPU; None if it does not."""
    if not _is_here(data, index):
        return None
    cupy, given = cuda.cupy, Unlabelled(data)
    if hasattr(data, "__cuda_array_interface__"):
        array = cupy.asarray(data)
    else:
        array = cupy.from_dlpack(given)
    if not array.flags.c_contiguous or array.dtype.kind not in "fiub":
        return None
    try:
        dtype = DType.BF16 if given.bfloat else as_dtype(array.dtype)
    except LaunchError:
        return None
    # The other library's work is ordered before CuPy's current stream, not before our lanes.
    cupy.cuda.get_current_stream().synchronize()
    return DeviceMemory(array.data.ptr, array.nbytes, (array, data)), array.shape, dtype


def _is_here(data: Any, index: int) -> bool:
    if hasattr(data, "__dlpack_device__"):
        kind, number = data.__dlpack_device__()
        return int(kind) in _CUDA_DEVICES and int(number) == index
    return hasattr(data, "__cuda_array_interface__")


class Exported:
    """A view of memory for other libraries; it and whatever is made of it keep the memory alive."""

    __slots__ = ("_array", "_bfloat")

    def __init__(
        self, cuda: Cuda, index: int, source: Region, shape: tuple[int, ...], dtype: DType
    ) -> None:
        memory = source.memory
        holder = cuda.cupy.cuda.UnownedMemory(memory.address, memory.capacity, memory, index)
        start = cuda.cupy.cuda.MemoryPointer(holder, source.offset)
        self._bfloat = dtype is DType.BF16  # which CuPy has no type for
        kind = "uint16" if self._bfloat else dtype.numpy
        self._array = cuda.cupy.ndarray(shape, kind, start)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self._bfloat:
            raise AttributeError("CUDA's array interface has no bf16; DLPack does")
        found: dict[str, Any] = self._array.__cuda_array_interface__
        return found

    def __dlpack__(self, **options: Any) -> Any:
        capsule = self._array.__dlpack__(**options)
        return give_bfloat(capsule) if self._bfloat else capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, number = self._array.__dlpack_device__()
        return int(kind), int(number)
