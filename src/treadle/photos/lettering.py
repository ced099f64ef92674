"""Words on pictures: an array and lines of text in, another array out, in Pillow's own letters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle.photos.readers import library

__all__ = ["LINE", "lettered"]

LINE = 16  # pixels from one line to the next
_MARGIN = 6


def lettered(pixels: np.ndarray[Any, Any], lines: Sequence[str]) -> np.ndarray[Any, Any]:
    """Return RGB pixels with lines written on them in white, from the top, on darkened ground."""
    image_module = library()
    from PIL import ImageDraw

    made = pixels.copy()
    made[: LINE * len(lines) + _MARGIN] //= 3
    image = image_module.fromarray(made)
    pen = ImageDraw.Draw(image)
    for number, line in enumerate(lines):
        pen.text((_MARGIN, _MARGIN // 2 + LINE * number), line, fill=(255, 255, 255))
    return np.asarray(image)
