"""What a surface has to show, in NumPy: the definition that render passes are compared with."""

from __future__ import annotations

import numpy as np


def rgba(picture):
    """A picture's pixels as RGBA bytes."""
    array = np.asarray(picture)
    if array.dtype != np.uint8:
        clean = np.nan_to_num(array.astype(np.float32), nan=0.0, posinf=1.0, neginf=0.0)
        array = np.rint(np.clip(clean, 0, 1) * np.float32(255)).astype(np.uint8)
    array = array.reshape(*array.shape[:2], -1)
    if array.shape[2] == 1:
        array = np.repeat(array, 3, axis=2)
    if array.shape[2] == 3:
        opaque = np.full((*array.shape[:2], 1), 255, np.uint8)
        array = np.concatenate([array, opaque], axis=2)
    return array


def framed(picture, seen):
    """What a framing shows of a picture."""
    source = rgba(picture).astype(np.float32)
    width, height = seen.size
    rows, columns = source.shape[:2]
    x = (np.arange(width, dtype=np.float32) + 0.5) * np.float32(seen.scale[0])
    y = (np.arange(height, dtype=np.float32) + 0.5) * np.float32(seen.scale[1])
    x, y = x + np.float32(seen.offset[0]), y + np.float32(seen.offset[1])
    inside = ((y >= 0) & (y < rows))[:, None] & ((x >= 0) & (x < columns))[None, :]
    if not seen.smooth:
        found = source[np.clip(np.floor(y), 0, rows - 1).astype(int)]
        found = found[:, np.clip(np.floor(x), 0, columns - 1).astype(int)]
    else:
        found = blended(source, y, x)
    return np.where(inside[..., None], np.rint(found), [0, 0, 0, 255]).astype(np.uint8)


def blended(source, y, x):
    """Four neighbours, by how near they are."""
    rows, columns = source.shape[:2]
    top, left = np.floor(y - 0.5), np.floor(x - 0.5)
    down, right = (y - 0.5 - top)[:, None, None], (x - 0.5 - left)[None, :, None]

    def at(dy, dx):
        row = np.clip(top + dy, 0, rows - 1).astype(int)
        column = np.clip(left + dx, 0, columns - 1).astype(int)
        return source[row][:, column]

    above = at(0, 0) * (1 - right) + at(0, 1) * right
    below = at(1, 0) * (1 - right) + at(1, 1) * right
    return above * (1 - down) + below * down
