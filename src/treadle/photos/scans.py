"""How often a JPEG goes over its picture: a file that does so without end would never be decoded.

In: a file's bytes. Out: a PhotoError where there are more passes than any program writes. A pass
may be forty bytes that change nothing, and takes as long as the picture is large; limits on bytes
and pixels do not bound that.
"""

from __future__ import annotations

import re

from treadle.photos.photo import PhotoError

__all__ = ["check_scans"]

_MOST = 200  # programs write about ten, and a script for them rarely thirty
_SEGMENTS = 20_000  # that are looked at
_BEGINS = b"\xff\xda"
_MARKER = re.compile(rb"\xff+([^\x00\x01\xff\xd0-\xd8])")  # those with a length, and the end
_END = 0xD9


def check_scans(data: bytes) -> None:
    """Raise for a JPEG that has too many passes."""
    if data.count(_BEGINS) > _MOST and _count(data) > _MOST:
        raise PhotoError(
            f"has more than {_MOST} passes over its picture, as no camera or program writes them"
        )


def _count(data: bytes) -> int:
    """Count the passes; bytes inside of other segments may look like the beginning of one."""
    count = at = 0
    for _ in range(_SEGMENTS):
        found = _MARKER.search(data, at)
        if found is None or found[1][0] == _END:
            return count
        count += found[1] == _BEGINS[1:]
        at = found.end() + int.from_bytes(data[found.end() : found.end() + 2], "big")
    return _MOST + 1
