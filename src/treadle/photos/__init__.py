"""Image files, to arrays and back: the one place that knows Pillow (extra `cli`).

In: paths and bytes of JPEG, PNG, WebP and TIFF files, and of formats that are only read. Out:
Photos, which are plain arrays with what has to survive a round trip (alpha, colour profile, EXIF,
XMP, IPTC), and bytes to write. Knows nothing about devices, kernels or recipes.
"""

from __future__ import annotations

from treadle.photos.decode import MAX_PIXELS, Header, decode, probe, recycling
from treadle.photos.describe import left_behind
from treadle.photos.encode import encode
from treadle.photos.lettering import lettered
from treadle.photos.photo import (
    FORMATS,
    READS,
    SUFFIXES,
    Photo,
    PhotoError,
    PhotoTooLarge,
    format_of,
    format_written_for,
)
from treadle.photos.readers import allow_pixels, library, missing
from treadle.photos.regular import MAX_BYTES, read_regular, read_stream
from treadle.photos.write import write_atomically

__all__ = [
    "FORMATS",
    "MAX_BYTES",
    "MAX_PIXELS",
    "READS",
    "SUFFIXES",
    "Header",
    "Photo",
    "PhotoError",
    "PhotoTooLarge",
    "allow_pixels",
    "decode",
    "encode",
    "format_of",
    "format_written_for",
    "left_behind",
    "lettered",
    "library",
    "missing",
    "probe",
    "read_regular",
    "read_stream",
    "recycling",
    "write_atomically",
]
