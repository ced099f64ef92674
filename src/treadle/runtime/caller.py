"""Where a command was submitted: the line of the user's program that led to it.

In: a depth of calls, or code and one of its instructions. Out: the first frame outside this
package, as what costs least to keep, and its line, which is looked for when it is asked for.
"""

from __future__ import annotations

import sys
from types import CodeType

from treadle.errors import PACKAGE

__all__ = ["caller", "line", "theirs"]

_FILES_KEPT = 4096

# Files outside this package, and inside: asking is quicker than comparing paths.
theirs: set[str] = set()
_ours: set[str] = set()


def caller(depth: int) -> tuple[CodeType, int]:
    """Return code and instruction of the first frame outside this package."""
    frame = sys._getframe(depth)
    while (file := frame.f_code.co_filename) not in theirs:
        if file not in _ours:
            if not file.startswith(PACKAGE):
                if len(theirs) >= _FILES_KEPT:
                    theirs.clear()
                theirs.add(file)
                break
            _ours.add(file)
        if frame.f_back is None:
            break
        frame = frame.f_back
    return frame.f_code, frame.f_lasti


def line(code: CodeType, at: int) -> int:
    """Return the line of an instruction."""
    for start, stop, found in code.co_lines():
        if start <= at < stop and found is not None:
            return found
    return code.co_firstlineno
