"""The order of straight-line code in which long calculations go side by side.

In: lines of LLVM IR that change no memory. Out: the same lines, those that wait for the fewest
others first. A processor looks ahead by a hundred instructions or two: where one calculation
follows another, it sees a few of them, each of which mostly waits for itself. LLVM keeps the order
roughly, while it finds registers. Knows nothing about what is computed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["by_depth"]

_NAME = re.compile(r"%[\w.]+")
_HINT = "call void @llvm.prefetch"  # the one line that gives nothing and may stand anywhere


def by_depth(lines: Sequence[str]) -> list[str]:
    """Return lines in the order of how many others, one after the other, each waits for; as they
    are where one of them branches or stores."""
    depths: dict[str, int] = {}
    placed: list[tuple[int, str]] = []
    for line in lines:
        name, given, text = line.strip().partition(" = ")
        if not given and not name.startswith(_HINT):
            return list(lines)
        used = _NAME.findall(text if given else name)
        depth = 1 + max((depths.get(each, 0) for each in used), default=0)
        if given:
            depths[name] = depth
        placed.append((depth, line))
    return [line for _, line in sorted(placed, key=lambda pair: pair[0])]
