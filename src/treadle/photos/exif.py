"""EXIF: what describes a photo, between files of different formats.

In: an open image, or the block that was taken from one. Out: the block without the orientation,
which has been applied, and entries for the directory of a TIFF file, where EXIF is spread among
what the pixels need. A broken block is left behind: it must not cost the photo.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["entries", "read"]

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
