"""Image files, to arrays and back: the one place that knows Pillow (extra `cli`).

In: paths and bytes of JPEG, PNG, WebP and TIFF files. Out: Photos, which are plain arrays with what
has to survive a round trip (alpha, colour profile, EXIF), and bytes to write. Knows nothing about
devices, kernels or recipes.
"""

from __future__ import annotations

from weft.photos.decode import MAX_PIXELS, decode, probe, recycling
from weft.photos.encode import encode
from weft.photos.photo import FORMATS, SUFFIXES, Photo, PhotoError, format_of
from weft.photos.write import sync, sync_folder, write_atomically

__all__ = [
    "FORMATS",
    "MAX_PIXELS",
    "SUFFIXES",
    "Photo",
    "PhotoError",
    "decode",
    "encode",
    "format_of",
    "probe",
    "recycling",
    "sync",
    "sync_folder",
    "write_atomically",
]
