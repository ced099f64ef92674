"""Image files as arrays: read_image and write_image.

In: paths. Out: arrays of height x width x channels, standing upright, and files that are there
whole or not at all. What describes a photo (profile, EXIF) is not kept; recipes over folders keep
it. What a format can hold is `photos`' business.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from treadle.errors import LaunchError, entrance
from treadle.photos import (
    MAX_BYTES,
    MAX_PIXELS,
    Photo,
    PhotoError,
    decode,
    encode,
    format_of,
    read_regular,
    write_atomically,
)
from treadle.runtime.buffer import Buffer

__all__ = ["as_image", "read_image", "write_image"]

Array = np.ndarray[Any, Any]


@entrance
def read_image(path: str | os.PathLike[str], *, max_pixels: int = MAX_PIXELS) -> Array:
    """Read an image file as an array of height x width x channels, standing upright.

    One channel is grey, two are grey and alpha, three RGB and four RGBA; u8, or u16 where the file
    has sixteen bits. Reads JPEG, PNG, WebP, TIFF, BMP, GIF, AVIF and, with pillow-heif, HEIC."""
    try:
        photo = decode(read_regular(Path(path), max_bytes=MAX_BYTES), max_pixels=max_pixels)
    except PhotoError as error:
        raise PhotoError(f"{os.fspath(path)}: {error}") from error
    if photo.alpha is None:
        return np.ascontiguousarray(photo.colour)
    return np.concatenate([photo.colour, photo.alpha[:, :, np.newaxis]], axis=2)


@entrance
def write_image(
    path: str | os.PathLike[str],
    image: Array | Buffer,
    *,
    format: str | None = None,
    quality: int = 92,
    replace: bool = True,
) -> None:
    """Write an array or a buffer of height x width, or with 1 to 4 channels, as an image file.

    The format follows from the path's ending (jpeg, png, webp, tiff). u8 and u16 are written as
    they are; floats are colours from 0 to 1 and become u8. `quality` is for JPEG and WebP."""
    try:
        target = Path(path)
    except TypeError:
        given = type(path).__name__
        said = f"path: expected a file's name, got {given}; write_image(path, image)"
        raise LaunchError(said) from None
    kind = format_of(target if format is None else format)
    pixels = as_image(image)
    if pixels.dtype.kind == "f":
        pixels = np.rint(np.clip(np.nan_to_num(pixels), 0, 1) * 255).astype(np.uint8)
    alpha = np.ascontiguousarray(pixels[:, :, -1]) if pixels.shape[2] % 2 == 0 else None
    colour = np.ascontiguousarray(pixels if alpha is None else pixels[:, :, :-1])
    try:
        data = encode(Photo(colour, alpha, kind), kind, quality=quality)
    except PhotoError as error:
        raise PhotoError(f"{os.fspath(path)}: {error}") from error
    part = target.with_name(f".{target.name}.{uuid4().hex}")
    try:
        write_atomically(data, target, part, replace=replace)
    except FileExistsError:
        raise
    except OSError as error:  # which names the unfinished file
        named = os.fspath(path)
        raise PhotoError(f"{named}: cannot be written: {error.strerror or error}") from error


def as_image(image: Any) -> Array:
    """Return an image as an array of height x width x channels; raise for what is none."""
    pixels = image.to_numpy() if isinstance(image, Buffer) else np.asarray(image)
    if pixels.dtype == np.float64:
        pixels = pixels.astype(np.float32)
    known = pixels.dtype in (np.uint8, np.uint16, np.float32)
    if (
        not known
        or pixels.ndim not in (2, 3)
        or (pixels.ndim == 3 and not 1 <= pixels.shape[2] <= 4)
    ):
        named = isinstance(image, str | os.PathLike)
        raise LaunchError(
            "image: expected height x width, or with 1 to 4 channels, of u8, u16 or floats, got "
            + ("a file's name; read_image reads it" if named else f"{pixels.dtype} {pixels.shape}")
        )
    return pixels if pixels.ndim == 3 else pixels[:, :, np.newaxis]
