"""Decoding: the bytes of a file in, a Photo out, or a PhotoError that says what is wrong with it.

Orientation is applied, palettes and print colours become RGB, sixteen bits stay sixteen. Whatever a
damaged or hostile file makes Pillow raise becomes one PhotoError; images of more pixels than a
limit are refused from their header, before anything is allocated. Knows nothing about devices.
"""

from __future__ import annotations

import io
import math
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from treadle.data import dataclass
from treadle.photos import describe, exif
from treadle.photos.photo import FORMATS, READS, Photo, PhotoError, PhotoTooLarge, Pixels
from treadle.photos.readers import READERS, library, open_image
from treadle.photos.regular import MAX_BYTES, open_regular
from treadle.photos.scans import check_scans
from treadle.photos.storage import Recycling, memory_over, pixels_of

__all__ = ["MAX_PIXELS", "Header", "decode", "probe", "recycling"]

MAX_PIXELS = 178_956_970  # twice what Pillow warns about: where it refuses by itself
_GAP = 2.0  # times the size that is asked for: what has more is reduced by a whole factor first
# Times the size that is asked for, of what a JPEG's decoder is to give: what it averages away is
# then as near to the photo decoded whole as OpenCV's average over areas is.
_DRAFT = 1.25
# Of several pictures the first is the photo: an MPO's others are previews or another eye's view.
_FIRST = {"MPO", "GIF", "HEIF"}
_PLACED = {"JPEG", "MPO", "PNG", "WEBP"}  # whose readers leave the memory for pixels to others
_BLOCK = 1 << 22  # bytes of a file that are decoded in one go
# What EXIF's orientation asks for, after a transpose where the second number says so.
_UPRIGHT = {
    2: (np.s_[:, ::-1], False),
    3: (np.s_[::-1, ::-1], False),
    4: (np.s_[::-1, :], False),
    5: (np.s_[:, :], True),
    6: (np.s_[:, ::-1], True),
    7: (np.s_[::-1, ::-1], True),
    8: (np.s_[::-1, :], True),
}


@dataclass(frozen=True, slots=True)
class Header:
    """What a file's header says; height and width are those of the photo standing upright, and
    `format` is what the photo is written as where nothing else is asked for."""

    height: int
    width: int
    mode: str
    format: str


def recycling(count: int) -> Recycling:
    """Return what makes Pillow keep the memory of `count` images for others."""
    return Recycling(library(), count)


def probe(
    source: str | os.PathLike[str] | bytes,
    *,
    max_pixels: int = MAX_PIXELS,
    max_bytes: int = MAX_BYTES,
) -> Header:
    """Read the header of a file, or of its bytes; cheap. Refuse what `decode` would refuse."""
    if isinstance(source, bytes):
        return _header(io.BytesIO(source), len(source), max_pixels)
    with (
        open_regular(source, max_bytes=max_bytes) as (opened, status),
        open(opened, "rb", closefd=False) as file,
    ):
        return _header(file, status.st_size, max_pixels)


def _header(file: Any, size: int, max_pixels: int) -> Header:
    image_module = library()
    if not size:
        raise PhotoError("the file is empty")
    with _one_error(image_module), open_image(file, image_module) as image:
        _check(image, max_pixels)
        width, height = exif.upright_size(image)
        return Header(height, width, image.mode, READERS[image.format])


def decode(
    data: bytes,
    *,
    max_pixels: int = MAX_PIXELS,
    size: tuple[int, int] | None = None,
    room: Callable[[tuple[int, int, int]], Pixels] | None = None,
) -> Photo:
    """Decode a file's bytes; refuse more than `max_pixels` pixels before reading any.

    With `size`, a height and a width, the photo is resized to it, in 8 bits, while it is decoded:
    a JPEG that is much larger is never decoded whole. `room` makes a u8 array of the shape that it
    is given, into which the photo is decoded if it can be."""
    image_module = library()
    if not data:
        raise PhotoError("the file is empty")
    with _one_error(image_module), open_image(io.BytesIO(data), image_module) as image:
        _check(image, max_pixels)
        name = READERS[image.format]
        if name == "jpeg":  # one that is not progressive may have passes for each channel, too
            check_scans(data)
        notes = _notes(image)
        placed: Pixels | None = None
        if size is not None:
            image, wide = _sized(image, data, image_module, size), None
        else:
            wide = _sixteen(image, data, image_module)
            if wide is None:
                placed = _load(image, image_module, room)
                loaded, image = image, _plain(image, image_module)
                if image is not loaded:  # a chunk behind the pixels said that a colour is none
                    placed = None
        profile = image.info.get("icc_profile")
        orientation, block = exif.read(image)
        xmp, iptc = describe.read_xmp(image), describe.read_iptc(image)
        if wide is None and image.mode in ("L", "RGB", "RGBA"):
            wide = pixels_of(image) if placed is None else placed
        pixels = np.asarray(image) if wide is None else wide
    pixels = _upright(pixels[:, :, np.newaxis] if pixels.ndim == 2 else pixels, orientation)
    alpha = padded = None
    if image.mode in ("RGB", "RGBA") and pixels.dtype == np.uint8 and pixels.shape[2] == 4:
        padded = pixels
    if image.mode in ("LA", "RGBA") or (pixels.dtype == np.uint16 and pixels.shape[2] % 2 == 0):
        alpha = np.ascontiguousarray(pixels[:, :, -1])
        pixels = pixels[:, :, :-1]
    elif padded is not None:
        pixels = pixels[:, :, :3]
    if padded is None:
        pixels = np.ascontiguousarray(pixels)
    return Photo(pixels, alpha, name, profile or None, block, padded, xmp, iptc, notes)


def _load(image: Any, image_module: Any, room: Any) -> Pixels | None:
    """Decode an open image; return where its pixels are if they are in a place from `room`.

    A JPEG is there whole or is an error. Of other formats parts may be missing without a word, and
    must not show what was in the same place before. A file that says of no part where it is has
    nothing to decode: Pillow refuses it, but not once it has been given memory."""
    placed: Pixels | None = None
    plain = image.mode in ("L", "RGB", "RGBA") and "transparency" not in image.info
    parts = image.tile or image.format == "WEBP"  # whose reader finds them while it decodes
    if room is not None and plain and parts and image.format in _PLACED:
        with suppress(AttributeError, TypeError):  # a Pillow that has no such call
            width, height = image.size
            made = room((height, width, 1 if image.mode == "L" else 4))
            if [tile[:2] for tile in image.tile] != [("jpeg", (0, 0, width, height))]:
                made.fill(0)
            image.im = memory = memory_over(image_module, made, image.mode)
            placed = made
    image.decodermaxblock = _BLOCK  # each block of a file is a turn of the interpreter's lock
    image.load()
    return placed if placed is not None and image.im is memory else None


def _sized(image: Any, data: bytes, image_module: Any, size: tuple[int, int]) -> Any:
    """The image in 8 bits and in another size, which is that of the photo standing upright."""
    side = math.ceil(_DRAFT * max(size))  # decoders of JPEG give a half, a quarter or an eighth
    image.draft(None, (side, side))
    wide = _sixteen(image, data, image_module)
    if wide is None:
        image.load()
        image = _plain(image, image_module)
    about = image.info
    orientation, _ = exif.read(image)
    turned = orientation in _UPRIGHT and _UPRIGHT[orientation][1]
    target = size if turned else size[::-1]  # width and height, as Pillow says it
    if wide is not None:
        image = image_module.fromarray(np.ascontiguousarray(wide >> 8, np.uint8))
    small = image.resize(target, image_module.Resampling.BILINEAR, reducing_gap=_GAP)
    small.info = {**about, **small.info}
    return small


def _upright(pixels: Pixels, orientation: int) -> Pixels:
    """Pixels turned as EXIF's orientation asks, one after the other in memory."""
    if orientation not in _UPRIGHT:
        return pixels
    cut, turned = _UPRIGHT[orientation]
    whole = pixels.view(f"V{pixels.shape[2] * pixels.itemsize}") if pixels.shape[2] > 1 else pixels
    if whole.dtype.itemsize == 4:
        whole = whole.view(np.uint32)  # which NumPy moves much faster than bytes
    whole = np.ascontiguousarray((whole.swapaxes(0, 1) if turned else whole)[cut])
    return whole.view(pixels.dtype).reshape(*whole.shape[:2], pixels.shape[2])


@contextmanager
def _one_error(image_module: Any) -> Iterator[None]:
    try:
        yield
    except PhotoError:
        raise
    except image_module.DecompressionBombError as error:
        found = re.search(r"\d+", str(error))
        size = f"{int(found[0]) / 1e6:.0f} megapixels are " if found else ""
        said = f"{size}too many, as in a decompression bomb; --max-pixels raises the limit"
        raise PhotoTooLarge(said) from error
    except image_module.UnidentifiedImageError as error:
        known = ", ".join([*FORMATS, *dict.fromkeys(each.name for each in READS.values())])
        raise PhotoError(f"not an image in a known format ({known})") from error
    except MemoryError as error:
        raise PhotoError("not enough memory to decode it") from error
    except OSError as error:
        # A system's error (no permission, no such file) says more in its own words.
        reason = error.strerror if error.errno else str(error)
        raise PhotoError(reason or "cannot be read") from error
    # Damaged files reach every corner of a decoder; which exception comes out is an accident.
    except Exception as error:
        reason = str(error) or type(error).__name__
        raise PhotoError(f"damaged: {reason}") from error


def _check(image: Any, max_pixels: int) -> None:
    pixels = image.width * image.height
    if pixels > max_pixels:
        raise PhotoTooLarge(
            f"{image.width}x{image.height} is {pixels / 1e6:.0f} megapixels, more than the limit "
            f"of {max_pixels / 1e6:g}; --max-pixels raises it"
        )
    if image.format not in _FIRST and getattr(image, "n_frames", 1) > 1:
        raise PhotoError(f"has {image.n_frames} frames or pages; split it into single images")


def _notes(image: Any) -> tuple[str, ...]:
    frames = getattr(image, "n_frames", 1) if image.format in _FIRST else 1
    return (f"the first of {frames} frames was taken",) if frames > 1 else ()


def _plain(image: Any, image_module: Any) -> Any:
    """The image in a mode whose array is grey, grey and alpha, RGB or RGBA."""
    mode = image.mode
    if mode in ("L", "LA", "RGB", "RGBA"):
        # A colour that stands for transparent is alpha by another name.
        if mode in ("L", "RGB") and "transparency" in image.info:
            return image.convert("LA" if mode == "L" else "RGBA")
        return image
    if mode in ("P", "PA"):
        return image.convert("RGBA" if mode == "PA" or "transparency" in image.info else "RGB")
    if mode == "1":
        return image.convert("L")
    if mode in ("CMYK", "YCbCr", "LAB", "HSV", "RGBX", "RGBa", "La"):
        other = {"RGBa": "RGBA", "La": "LA"}.get(mode, "RGB")
        converted = image.convert(other)
        if other == "RGB":
            converted.info.pop("icc_profile", None)  # it described the inks, not these colours
        return converted
    raise PhotoError(f"has pixels of kind {mode!r}; convert it to 8 or 16 bits a channel")


def _sixteen(image: Any, data: bytes, image_module: Any) -> Pixels | None:
    """The pixels of a file with sixteen bits a channel, or None.

    Pillow keeps sixteen bits of grey only. Of colours its unpackers keep the high byte; asked for
    the other byte order, the same unpackers keep the low one."""
    if image.mode.startswith("I;16") or (image.mode == "I" and image.format == "PNG"):
        image.load()
        return np.asarray(image).astype(np.uint16)
    raw = _raw_mode(image)
    if ";16" not in raw:
        return None
    if raw == "LA;16B":  # no unpacker for its low bytes, but four bytes a pixel are RGBA's
        parts = _unpacked(data, "RGBA", "RGBA", image_module)
        return np.ascontiguousarray(parts).view(">u2").astype(np.uint16)
    first, second = "BL" if raw.endswith("B") else "LB"
    if raw.endswith("N") and sys.byteorder == "big":
        first, second = "BL"
    base = raw.partition(";")[0]
    if base not in ("RGB", "RGBA"):
        raise PhotoError(f"has pixels of kind {raw!r}; convert it to 8 or 16 bits of RGB or RGBA")
    high = _unpacked(data, base, f"{base};16{first}", image_module)
    low = _unpacked(data, base, f"{base};16{second}", image_module)
    return (high.astype(np.uint16) << 8) | low


def _raw_mode(image: Any) -> str:
    args = image.tile[0][3] if image.tile else ""
    return str(args if isinstance(args, str) else args[0] if args else "")


def _unpacked(data: bytes, mode: str, raw: str, image_module: Any) -> Pixels:
    """Decode once more with another unpacker."""
    with open_image(io.BytesIO(data), image_module) as image:
        tiles = []
        for tile in image.tile:
            args = raw if isinstance(tile[3], str) else (raw, *tile[3][1:])
            parts = (*tile[:3], args)
            tiles.append(type(tile)(*parts) if hasattr(tile, "_fields") else parts)
        image.tile = tiles
        image._mode = mode
        image.load()
        return np.asarray(image)
