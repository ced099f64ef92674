"""Buffers as a notebook shows them: pictures as pictures, others as values.

In: an array. Out: what IPython takes, by kind. What looks like a picture is a guess, and a careful
one: bytes of a picture's shape, or floats of three or four channels between 0 and 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["bundle"]

_LEAST = 16  # pixels along an edge: what is smaller is read better as numbers
_MOST = 2048  # pixels along an edge that are sent; of a larger picture every second, or third, ...
_SHOWN = 64  # elements of an array that are printed whole

Array = np.ndarray[Any, Any]


def bundle(heading: str, array: Array) -> dict[str, Any]:
    """Return an array's contents by MIME type."""
    pixels = _pixels(array)
    plain = {"text/plain": heading}
    if pixels is None:
        text = np.array2string(array, threshold=_SHOWN)
        from html import escape  # which only notebooks need

        return {**plain, "text/html": f"<code>{escape(heading)}</code><pre>{escape(text)}</pre>"}
    from treadle.png import encode

    return {**plain, "image/png": encode(pixels, level=3)}


def _pixels(array: Array) -> Array | None:
    """A picture's bytes, of at most so many pixels; None for what does not look like one."""
    shape = array.shape
    channels = shape[2] if array.ndim == 3 else 1
    if array.ndim not in (2, 3) or channels not in (1, 3, 4) or min(shape[:2]) < _LEAST:
        return None
    step = -(-max(shape[:2]) // _MOST)
    part = array[::step, ::step]
    if array.dtype == np.uint8:
        return part
    if array.dtype.kind != "f" or channels == 1:
        return None
    with np.errstate(invalid="ignore"):
        if not (part.min() >= 0 and part.max() <= 1):  # false, too, where one is no number
            return None
    return np.asarray(np.rint(part * 255), np.uint8)
