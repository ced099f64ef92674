"""XMP and IPTC: what editors and agencies write about a photo, between files of different formats.

In: an open image, or the blocks that were taken from one. Out: the blocks, and the segments, chunks
and entries in which each format holds them. XMP that says how a photo is turned is corrected, as
the photo has been turned upright. What a format has no room for is named, so that it can be told.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from treadle.photos.photo import Photo

__all__ = ["jpeg_segments", "left_behind", "png_chunks", "read_iptc", "read_xmp", "tiff_entries"]

SEGMENT = 65533  # bytes that one segment of a JPEG holds
_XMP_IN_JPEG = b"http://ns.adobe.com/xap/1.0/\0"
_PHOTOSHOP = b"Photoshop 3.0\0"
_XMP_IN_PNG, _IPTC_IN_PNG = "XML:com.adobe.xmp", "Raw profile type iptc"
_XMP_IN_TIFF, _IPTC_IN_TIFF = 700, 33723
_IPTC = 0x0404  # among Photoshop's resources
# As an attribute and as an element.
_TURNED = re.compile(rb"(tiff:Orientation\s*(?:=\s*[\"']|>\s*))[2-8](?=\s*[\"'<])")


def read_xmp(image: Any) -> bytes | None:
    """Return an image's XMP packet, saying that the photo stands upright, or None."""
    with suppress(Exception):  # what describes a photo must not cost the photo
        found = image.info.get("xmp") or image.info.get(_XMP_IN_PNG)
        if found is None and image.format == "TIFF":
            found = image.tag_v2.get(_XMP_IN_TIFF)
        if isinstance(found, str):
            found = found.encode("utf-8")
        if isinstance(found, tuple):
            found = bytes(found)
        if found:
            return _TURNED.sub(rb"\g<1>1", found.rstrip(b"\0"))
    return None


def read_iptc(image: Any) -> bytes | None:
    """Return an image's IPTC records, or None."""
    with suppress(Exception):
        found = (image.info.get("photoshop") or {}).get(_IPTC)
        if found is None and _IPTC_IN_PNG in image.info:
            found = _unresourced(_from_hex(image.info[_IPTC_IN_PNG]))
        if found is None and image.format == "TIFF":
            found = image.tag_v2.get(_IPTC_IN_TIFF)
            if isinstance(found, tuple):  # some write it as whole numbers of four bytes
                found = b"".join(struct.pack("<I", each) for each in found)
        return bytes(found) or None if found is not None else None
    return None


def jpeg_segments(photo: Photo) -> bytes:
    """The segments of a JPEG that hold them."""
    found = b""
    if photo.xmp and len(_XMP_IN_JPEG) + len(photo.xmp) <= SEGMENT:
        found += _segment(0xE1, _XMP_IN_JPEG + photo.xmp)
    if photo.iptc and len(_PHOTOSHOP) + len(photo.iptc) + 13 <= SEGMENT:
        found += _segment(0xED, _PHOTOSHOP + _resource(photo.iptc))
    return found


def png_chunks(photo: Photo) -> Iterator[tuple[bytes, bytes]]:
    """The chunks of a PNG that hold them, by kind and content."""
    if photo.xmp:
        yield b"iTXt", _XMP_IN_PNG.encode() + b"\0\0\0\0\0" + photo.xmp
    if photo.iptc:
        data = _resource(photo.iptc)
        text = f"\niptc\n{len(data):8d}\n{data.hex()}\n".encode()
        yield b"zTXt", _IPTC_IN_PNG.encode() + b"\0\0" + zlib.compress(text)


def tiff_entries(photo: Photo) -> Iterator[tuple[int, bytes]]:
    """The entries of a TIFF's directory that hold them."""
    if photo.xmp:
        yield _XMP_IN_TIFF, photo.xmp
    if photo.iptc:
        yield _IPTC_IN_TIFF, photo.iptc


def left_behind(photo: Photo, format: str) -> list[str]:
    """Say what a format has no room for."""
    sizes = {"EXIF": len(photo.exif or b""), "XMP": len(photo.xmp or b"")}
    sizes["IPTC"] = len(photo.iptc or b"")
    most = {"EXIF": SEGMENT, "XMP": SEGMENT - len(_XMP_IN_JPEG), "IPTC": SEGMENT - 27}
    said = []
    if format == "jpeg":
        said = [
            f"{size // 1000} kB of {name} are more than a JPEG holds, and were left out"
            for name, size in sizes.items()
            if size > most[name]
        ]
    if format == "webp" and photo.iptc:
        said.append("WebP has no place for IPTC, which was left out")
    return said


def _segment(marker: int, content: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content


def _resource(iptc: bytes) -> bytes:
    """IPTC as one of Photoshop's resources, without a name, of an even number of bytes."""
    head = b"8BIM" + struct.pack(">HHI", _IPTC, 0, len(iptc))
    return head + iptc + b"\0" * (len(iptc) % 2)


def _unresourced(data: bytes) -> bytes:
    """The IPTC among Photoshop's resources; others write it without."""
    at = 0
    while data[at : at + 4] == b"8BIM":
        code = int.from_bytes(data[at + 4 : at + 6], "big")
        name = data[at + 6] + 1
        start = at + 6 + name + name % 2
        size = int.from_bytes(data[start : start + 4], "big")
        if code == _IPTC:
            return data[start + 4 : start + 4 + size]
        at = start + 4 + size + size % 2
    return data if data.startswith(b"\x1c") else b""


def _from_hex(text: str | bytes) -> bytes:
    """What a raw profile holds: its kind, its length and then digits, on lines of their own."""
    words = (text if isinstance(text, str) else text.decode("latin-1")).split()
    return bytes.fromhex("".join(words[2:]))
