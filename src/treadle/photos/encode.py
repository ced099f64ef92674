"""Encoding: a Photo in, the bytes of a file out.

Eight bits go through Pillow; TIFF, and PNG of sixteen bits, which Pillow does not write, are made
here. A format that cannot hold what the photo has (alpha in JPEG) is an error that says what to do,
never a silent loss. Knows nothing about paths.
"""

from __future__ import annotations

import io
import os
import zlib
from contextlib import suppress
from dataclasses import replace
from typing import Any, BinaryIO

import numpy as np

from treadle import png
from treadle.photos import describe, tiff
from treadle.photos.photo import FORMATS, Photo, PhotoError, Pixels
from treadle.photos.readers import library
from treadle.photos.storage import image_over

__all__ = ["encode"]

_LEVEL = 3  # zlib: twice as fast as its default for two per cent more bytes


def encode(photo: Photo, format: str, *, quality: int = 92) -> bytes:
    """Encode a photo; `quality` (1 to 100) is for JPEG and WebP."""
    holds = FORMATS[format]
    height, width = photo.size
    if min(photo.size) < 1:
        raise PhotoError(f"has no pixels left: {width}x{height}")
    if max(photo.size) > holds.largest:
        raise PhotoError(f"{width}x{height} is too large for {format}: {holds.largest} a side")
    if photo.alpha is not None and not holds.alpha:
        peak = np.iinfo(photo.alpha.dtype).max
        if photo.alpha.min() == peak:  # nothing shows through: nothing is lost
            return encode(replace(photo, alpha=None), format, quality=quality)
        fits = ", ".join(each.name for each in FORMATS.values() if each.alpha)
        raise PhotoError(f"has transparency, which {format} cannot hold; --format takes {fits}")
    if photo.colour.dtype == np.uint8 and format != "tiff":
        return _eight(_image(photo, format), photo, format, quality)
    pixels = _together(photo)
    if format == "tiff":
        return _tiff(pixels, photo)
    if holds.sixteen:
        return _wide_png(pixels, photo)
    narrow = np.asarray((pixels.astype(np.uint32) * 255 + 32895) >> 16, np.uint8)
    return _eight(_over(narrow), photo, format, quality)


def _together(photo: Photo) -> Pixels:
    if photo.alpha is None:
        return photo.colour
    return np.concatenate([photo.colour, photo.alpha[:, :, np.newaxis]], axis=2)


def _image(photo: Photo, format: str) -> Any:
    """An image of Pillow's with a photo's pixels: where they lie, if they lie as Pillow's do."""
    padded = photo.padded
    if padded is None or not (padded.flags.c_contiguous and padded.flags.writeable):
        return _over(_together(photo))
    if photo.alpha is not None:
        padded[:, :, 3] = photo.alpha
        return image_over(library(), padded, "RGBA")
    image = image_over(library(), padded, "RGBX")
    return image.convert("RGB") if format == "png" else image  # which takes no other name for them


def _over(pixels: Pixels) -> Any:
    flat = pixels[:, :, 0] if pixels.shape[2] == 1 else pixels
    return library().fromarray(np.ascontiguousarray(flat))


def _eight(image: Any, photo: Photo, format: str, quality: int) -> bytes:
    by_format: dict[str, dict[str, Any]] = {
        "jpeg": {"quality": quality},
        "png": {"compress_level": _LEVEL},
        "webp": {"quality": quality, "method": 2},
    }
    options = by_format[format]
    if photo.icc:
        options["icc_profile"] = photo.icc
    if photo.exif and (format != "jpeg" or len(photo.exif) <= describe.SEGMENT):
        options["exif"] = photo.exif
    if format == "jpeg":
        options["extra"] = describe.jpeg_segments(photo)
    elif format == "png":
        options["pnginfo"] = _chunks(photo)
    elif photo.xmp:
        options["xmp"] = photo.xmp
    try:
        with _scratch() as file:
            image.save(file, format.upper(), **options)
            file.seek(0)
            return bytes(file.read())
    except (OSError, ValueError, KeyError) as error:
        raise PhotoError(f"cannot be written as {format}: {error}") from error


def _chunks(photo: Photo) -> Any:
    from PIL import PngImagePlugin

    chunks = PngImagePlugin.PngInfo()
    for kind, content in describe.png_chunks(photo):
        chunks.add(kind, content)
    return chunks


def _scratch() -> BinaryIO:
    """A file in memory: one of the system's where there are such, because only while it writes to
    a file of the system's does Pillow let other threads run."""
    if hasattr(os, "memfd_create"):
        with suppress(OSError):  # forbidden, as in some sandboxes
            return open(os.memfd_create("treadle"), "w+b")
    return io.BytesIO()


def _wide_png(pixels: Pixels, photo: Photo) -> bytes:
    chunks = []
    if photo.icc:
        chunks.append((b"iCCP", b"icc\0\0" + zlib.compress(photo.icc)))
    if photo.exif:
        chunks.append((b"eXIf", photo.exif.removeprefix(b"Exif\0\0")))
    chunks += describe.png_chunks(photo)
    return png.encode(pixels, level=_LEVEL, chunks=chunks)


def _tiff(pixels: Pixels, photo: Photo) -> bytes:
    return tiff.encode(pixels, library(), level=_LEVEL, photo=photo)
