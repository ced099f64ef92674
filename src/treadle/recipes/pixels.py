"""Photos as batches for a device, and what comes back as photos.

In: photos of one kind. Out: their pixels as one array; and, the other way, a photo of the source's
depth with what described the source. Knows nothing about files and runs nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from treadle.photos import Photo

__all__ = ["Pixels", "alpha_of", "as_photo", "laid_out", "stacked"]

Pixels = np.ndarray[Any, np.dtype[Any]]


def stacked(images: list[Pixels]) -> Pixels:
    """Return images as one batch; sixteen bits become floats from 0 to 1."""
    if images[0].dtype == np.uint16:
        return np.stack(images).astype(np.float32) / np.float32(65535)
    return images[0][np.newaxis] if len(images) == 1 else np.stack(images)


def laid_out(photo: Photo) -> Pixels:
    """Return the colours as they lie in memory, which may be four bytes apart."""
    return photo.colour if photo.padded is None else photo.padded


def alpha_of(photo: Photo) -> Pixels:
    """Return the alpha of a photo that has some, height x width x 1."""
    assert photo.alpha is not None
    return photo.alpha[:, :, np.newaxis]


def as_photo(source: Photo, colour: Pixels, alpha: Pixels | None, *, spaced: bool = False) -> Photo:
    """Return the result as a photo of the source's depth, with what described the source.

    `spaced` colours have a fourth channel that means nothing."""
    padded = colour if spaced else None
    if spaced:
        colour = colour[:, :, :3]
    if source.colour.dtype == np.uint16:
        colour, alpha = _sixteen(colour), None if alpha is None else _sixteen(alpha)
    if colour.shape[2] % 2 == 0:  # a stage made alpha of its own: both must let light through
        own = colour[:, :, -1]
        colour = colour[:, :, :-1]
        peak = np.iinfo(own.dtype).max
        both = own if alpha is None else (own.astype(np.uint64) * alpha + peak // 2) // peak
        alpha = both.astype(own.dtype)
    # A profile of RGB describes no grey, and one of grey no RGB.
    icc = source.icc if colour.shape[2] == source.colour.shape[2] else None
    return replace(source, colour=colour, alpha=alpha, icc=icc, padded=padded)


def _sixteen(values: Pixels) -> Pixels:
    scaled = np.clip(np.nan_to_num(values), 0, 1) * np.float32(65535)
    return np.asarray(np.rint(scaled), np.uint16)
