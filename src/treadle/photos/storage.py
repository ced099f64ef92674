"""The memory of Pillow's images: seen as arrays where it lies, and kept for the next image.

In: a loaded image. Out: an array over its own pixels, which Pillow gives to others in Arrow's
format; nothing is copied, and the image's memory lives as long as the array. Memory of this size is
slow to touch for the first time, so a run asks Pillow to keep some. Knows nothing about files.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from treadle.photos.photo import Pixels

__all__ = ["Recycling", "image_over", "memory_over", "pixels_of"]

_BLOCK = 1 << 30  # bytes that Pillow may allocate in one piece: an image in several cannot be seen
_KEPT = 512 << 20  # bytes of images that are gone


class _Array(ctypes.Structure):
    """Arrow's C data interface: one array."""


_Array._fields_ = [
    *((name, ctypes.c_int64) for name in ("length", "null_count", "offset")),
    *((name, ctypes.c_int64) for name in ("n_buffers", "n_children")),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    *((name, ctypes.c_void_p) for name in ("dictionary", "release", "private_data")),
]


class _Lent:
    """Memory for NumPy, with what keeps it alive."""

    def __init__(self, address: int, shape: tuple[int, ...], capsule: object) -> None:
        self.__array_interface__ = {
            "data": (address, False), "shape": shape, "typestr": "|u1", "version": 3,
        }  # fmt: skip
        self.capsule = capsule


def pixels_of(image: Any) -> Pixels | None:
    """Return the bytes of a loaded image as they lie, height x width x 1, or x 4 where it has
    several channels; None where Pillow cannot show them."""
    try:
        _, capsule = image.__arrow_c_array__()
        get = ctypes.pythonapi.PyCapsule_GetPointer
    except Exception:  # an older Pillow, an image in several pieces, another Python
        return None
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    found = ctypes.cast(get(capsule, b"arrow_array"), ctypes.POINTER(_Array)).contents
    each = 1
    if found.n_children == 1:
        found, each = found.children[0].contents, 4
    count = image.height * image.width * each
    if (found.length, found.offset, found.n_buffers, found.n_children) != (count, 0, 2, 0):
        return None
    shape = image.height, image.width, each
    return np.asarray(_Lent(found.buffers[1], shape, capsule))


def memory_over(image_module: Any, pixels: Pixels, mode: str) -> Any:
    """Return what Pillow keeps an image's pixels in, over an array: height x width x 4, or x 1 for
    grey, one after the other. Of RGB the fourth channel means nothing."""
    height, width = pixels.shape[:2]
    return image_module.core.map_buffer(pixels, (width, height), "raw", 0, (mode, 0, 1))


def image_over(image_module: Any, pixels: Pixels, mode: str) -> Any:
    """Return an image over an array, height x width x 4, one after the other."""
    height, width = pixels.shape[:2]
    return image_module.frombuffer(mode, (width, height), pixels, "raw", mode, 0, 1)


class Recycling:
    """Has Pillow keep the memory of up to `count` images that are gone, while it is entered."""

    def __init__(self, image_module: Any, count: int) -> None:
        self._core = image_module.core
        self._count = count
        self._before = self._core.get_block_size(), self._core.get_blocks_max()
        self._now = self._before[1]

    def fit(self, pixels: int) -> None:
        """Keep fewer where images are large."""
        count = min(self._count, _KEPT // max(pixels * 4, 1))
        if count != self._now:
            self._now = count
            self._core.set_blocks_max(count)

    def __enter__(self) -> Recycling:
        self._core.set_block_size(_BLOCK)
        return self

    def __exit__(self, *_: object) -> None:
        size, count = self._before
        self._core.set_block_size(size)
        self._core.set_blocks_max(count)
