"""Which library reads which format: Pillow, and pillow-heif (extra `heif`) for what it lacks.

In: a file's first bytes. Out: an open image of Pillow's. Both libraries are loaded when they are
needed, and their absence is one sentence that names the extra. Knows nothing about pixels.
"""

from __future__ import annotations

import warnings
from contextlib import suppress
from importlib import import_module
from typing import Any

from treadle.photos.photo import READS, SUFFIXES, PhotoError

__all__ = ["READERS", "allow_pixels", "library", "missing", "open_image"]

# Pillow's readers, and the format that a photo from each is written in.
READERS = {
    "JPEG": "jpeg", "MPO": "jpeg", "PNG": "png", "WEBP": "webp", "TIFF": "tiff", "BMP": "png",
    "DIB": "png", "GIF": "png", "AVIF": "webp", "HEIF": "jpeg",
}  # fmt: skip
_NEEDS_HEIF = "HEIC files need pillow-heif: pip install 'treadle[heif]'"
_HEIF_BRANDS = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"}
_READ_BY = {"webp": "WEBP", "avif": "AVIF"}  # what builds of Pillow may lack


def library() -> Any:
    """Return Pillow's Image module, or say what to install."""
    try:
        # Plugins by name: Image.init() would load forty formats that are not read here.
        from PIL import (
            BmpImagePlugin,  # noqa: F401
            GifImagePlugin,  # noqa: F401
            Image,
            JpegImagePlugin,  # noqa: F401
            MpoImagePlugin,  # noqa: F401
            PngImagePlugin,  # noqa: F401
            TiffImagePlugin,  # noqa: F401
            WebPImagePlugin,  # noqa: F401
        )
    except ImportError as error:
        raise PhotoError("image files need Pillow: pip install 'treadle[cli]'") from error
    with suppress(ImportError):  # Pillow has it since 11.3
        from PIL import AvifImagePlugin  # noqa: F401
    return Image


def allow_pixels(limit: int) -> None:
    """Let Pillow's own guard in as far as ours; it warns at half of where it refuses."""
    with suppress(PhotoError):  # without Pillow every image will say so
        image = library()
        if image.MAX_IMAGE_PIXELS is not None and limit > 2 * image.MAX_IMAGE_PIXELS:
            image.MAX_IMAGE_PIXELS = limit // 2 + 1
        warnings.simplefilter("ignore", image.DecompressionBombWarning)


def _with_heif(image_module: Any) -> None:
    """Let Pillow read HEIC, or say what to install."""
    if "HEIF" not in image_module.OPEN:
        try:
            heif = import_module("pillow_heif")
        except ImportError as error:
            raise PhotoError(_NEEDS_HEIF) from error
        heif.register_heif_opener()


def missing(suffix: str) -> str:
    """Say why files with an ending that Treadle knows cannot be read here, if they cannot."""
    ending = suffix.lower()
    name = SUFFIXES.get(ending) or READS[ending].name
    try:
        image_module = library()
        if name == "heic":
            _with_heif(image_module)
    except PhotoError as error:
        return str(error)
    if name in _READ_BY and _READ_BY[name] not in _usable(image_module):
        return f"this Pillow does not read {name}: pip install --upgrade pillow"
    return ""


def _usable(image_module: Any) -> list[str]:
    """Pillow's readers that are here. A plugin may be there while its library is not."""
    from PIL import features

    return [
        name
        for name in READERS
        if name in image_module.OPEN
        and (name not in _READ_BY.values() or features.check(name.lower()))
    ]


def open_image(file: Any, image_module: Any) -> Any:
    """Open an image in a format that is read here; raise what Pillow raises."""
    head = file.read(64)
    file.seek(0)
    # Pictures of both formats may call themselves mif1 first.
    if head[4:8] == b"ftyp" and head[8:12] in _HEIF_BRANDS and b"avif" not in head:
        _with_heif(image_module)
    # A build without libwebp has no reader for it, and asking for one would be an error.
    return image_module.open(file, formats=_usable(image_module))
