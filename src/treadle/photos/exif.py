"""EXIF: what describes a photo, between files of different formats.

In: an open image, or the block that was taken from one. Out: the block without the orientation,
which has been applied, and entries for the directory of a TIFF file, where EXIF is spread among
what the pixels need. A broken block is left behind: it must not cost the photo.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

__all__ = ["entries", "read", "upright_size"]

_ORIENTATION = 0x0112
_EXIF, _GPS = 0x8769, 0x8825
_PARTS = (_EXIF, _GPS)  # which are directories of their own
# What EXIF has in the first directory of a TIFF. All else there is about how pixels are stored.
_DESCRIBES = {
    0x010E: "ImageDescription", 0x010F: "Make", 0x0110: "Model", 0x011A: "XResolution",
    0x011B: "YResolution", 0x0128: "ResolutionUnit", 0x0131: "Software", 0x0132: "DateTime",
    0x013B: "Artist", 0x013C: "HostComputer", 0x4746: "Rating", 0x4749: "RatingPercent",
    0x8298: "Copyright", 0x9C9B: "XPTitle", 0x9C9C: "XPComment", 0x9C9D: "XPAuthor",
    0x9C9E: "XPKeywords", 0x9C9F: "XPSubject", _EXIF: "Exif", _GPS: "GPS",
}  # fmt: skip


_TURNED = range(5, 9)  # orientations that swap width and height
_CHUNKS = 100_000  # of a PNG, that are looked through at most


def upright_size(image: Any) -> tuple[int, int]:
    """Return width and height of an image that is open and not loaded, standing upright."""
    width, height = image.size
    with suppress(Exception):  # damage shows when it is loaded
        if image.format == "TIFF":  # which Pillow turns, and of which some versions swap the size
            width, height = image.tag_v2[256], image.tag_v2[257]
            turned = image.tag_v2.get(_ORIENTATION) in _TURNED
        elif image.format == "PNG" and "exif" not in image.info:
            turned = _late_orientation(image) in _TURNED  # Pillow would load all of it to look
        else:
            turned = image.getexif().get(_ORIENTATION) in _TURNED
        return (height, width) if turned else (width, height)
    return image.width, image.height


def _late_orientation(image: Any) -> Any:
    """The orientation in a PNG's EXIF that comes after the pixels, as some editors write it."""
    from PIL import Image

    found, file, at = Image.Exif(), image.fp, 8
    before = file.tell()
    try:
        for _ in range(_CHUNKS):
            file.seek(at)
            head = file.read(8)
            if len(head) < 8 or head[4:] == b"IEND":
                break
            size = int.from_bytes(head[:4], "big")
            if head[4:] == b"eXIf":
                found.load(file.read(size))
                break
            at += 12 + size
    finally:
        file.seek(before)
    return found.get(_ORIENTATION)


def read(image: Any) -> tuple[int, bytes | None]:
    """Return the orientation that is still to be applied, and the block without it or None."""
    try:
        found = image.getexif()
        if not len(found):
            return 1, None
        orientation = found.get(_ORIENTATION, 1)
        dropped = [_ORIENTATION] if _ORIENTATION in found else []
        if image.format == "TIFF":
            orientation = 1  # Pillow turns a TIFF upright itself, while it loads it
            dropped = [tag for tag in found if tag not in _DESCRIBES]
        for tag in dropped:
            del found[tag]
        kept = found.tobytes() if len(found) else None
    except Exception:
        return 1, None
    return orientation if isinstance(orientation, int) else 1, kept


def entries(block: bytes, image_module: Any) -> Iterator[tuple[int, Any]]:
    """Take a block apart into tags and values for the first directory of a TIFF file."""
    found = image_module.Exif()
    found.load(block)
    for tag in found:
        if tag in _DESCRIBES:
            yield tag, found.get_ifd(tag) if tag in _PARTS else found[tag]
