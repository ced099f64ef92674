"""Image files, to arrays and back: the one place that knows Pillow (extra `cli`).

In: paths and bytes of JPEG, PNG, WebP and TIFF files. Out: Photos, which are plain arrays with what
has to survive a round trip (alpha, colour profile, EXIF), and bytes to write. Knows nothing about
devices, kernels or recipes.
"""

from __future__ import annotations

from treadle.photos.decode import MAX_PIXELS, decode, probe, recycling
from treadle.photos.encode import encode
from treadle.photos.photo import FORMATS, SUFFIXES, Photo, PhotoError, format_of
from treadle.photos.write import sync, sync_folder, write_atomically

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
