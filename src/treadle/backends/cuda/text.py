"""Texts with names in capitals for what a kernel calls things.

In: a text and what stands for its names. Out: the text of one kernel.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["filled"]

_DEEP = 3  # names inside of what stands for names


def filled(text: str, words: Mapping[str, str]) -> str:
    """A text with words in place of their names, inside them too."""
    for _ in range(_DEEP):
        text = re.sub(r"\b[A-Z]+\b", lambda found: words.get(found[0], found[0]), text)
    return text
