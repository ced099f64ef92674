"""What a photo is between a file and a device, and the formats it can come from and go to.

In: arrays. Out: the frozen dataclass that decoding makes and encoding takes. Knows no library.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import numpy as np

from treadle.data import dataclass
from treadle.errors import TreadleError, suggest

__all__ = [
    "FORMATS",
    "READS",
    "SUFFIXES",
    "FileFormat",
    "Photo",
    "PhotoError",
    "PhotoTooLarge",
    "ReadOnly",
    "format_of",
    "format_written_for",
]

Pixels = np.ndarray[Any, np.dtype[Any]]


class PhotoError(TreadleError):
    """A file is not an image that Treadle reads, or an image does not fit the file's format."""


class PhotoTooLarge(PhotoError):
    """An image has more pixels than the limit, by its header."""


@dataclass(frozen=True, slots=True)
class FileFormat:
    """What a file format can hold."""

    name: str
    suffixes: tuple[str, ...]  # the first is the usual one
    alpha: bool
    sixteen: bool
    largest: int  # pixels along a side


FORMATS = {
    each.name: each
    for each in (
        FileFormat("jpeg", (".jpg", ".jpeg", ".jpe", ".jfif"), False, False, 65500),
        FileFormat("png", (".png",), True, True, 2**31 - 1),
        FileFormat("webp", (".webp",), True, False, 16383),
        FileFormat("tiff", (".tif", ".tiff"), True, True, 2**31 - 1),
    )
}
SUFFIXES = {suffix: each.name for each in FORMATS.values() for suffix in each.suffixes}
_ALSO = {"jpg": "jpeg", "tif": "tiff"}


@dataclass(frozen=True, slots=True)
class ReadOnly:
    """A format that is read and not written; its photos go to another one."""

    name: str
    suffixes: tuple[str, ...]
    becomes: str


READS = {
    suffix: each
    for each in (
        ReadOnly("bmp", (".bmp", ".dib"), "png"),
        ReadOnly("gif", (".gif",), "png"),
        ReadOnly("avif", (".avif",), "webp"),  # which has alpha and loses as little
        ReadOnly("heic", (".heic", ".heif", ".hif"), "jpeg"),
    )
    for suffix in each.suffixes
}


@dataclass(frozen=True, slots=True)
class Photo:
    """An image upright, its alpha apart, with the bytes of what describes it.

    `colour` is height x width x channels, one channel (grey) or three (RGB), and `alpha` height x
    width or None; both u8, or both u16 where the file has sixteen bits. Where `padded` is given,
    `colour` is its first three channels: height x width x 4, whose last one means nothing here.
    `format` is what it is written as where nothing else is asked for, `notes` say what of the file
    is not in here."""

    colour: Pixels
    alpha: Pixels | None
    format: str
    icc: bytes | None = None
    exif: bytes | None = None
    padded: Pixels | None = None
    xmp: bytes | None = None
    iptc: bytes | None = None
    notes: tuple[str, ...] = ()

    @property
    def size(self) -> tuple[int, int]:
        """Height and width."""
        return self.colour.shape[0], self.colour.shape[1]


def format_of(name: str | PurePath) -> str:
    """Return the format that a name ("jpeg", ".jpg", a path) stands for."""
    word = name.suffix if isinstance(name, PurePath) else name
    word = word.lower().removeprefix(".")
    found = SUFFIXES.get(f".{word}") or _ALSO.get(word, word)
    if found not in FORMATS:
        hint = suggest(word, FORMATS)
        known = ", ".join(FORMATS)
        raise PhotoError(f"format: expected one of {known}, got {str(name)!r}{hint}")
    return found


def format_written_for(suffix: str) -> str | None:
    """Return the format in which a photo from a file with this ending is written, if it is read."""
    ending = suffix.lower()
    return SUFFIXES.get(ending) or (READS[ending].becomes if ending in READS else None)
