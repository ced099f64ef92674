"""Lengths that grow with the picture: `radius = "0.2%"` in a recipe.

In: a kernel's parameter and what a recipe gives for it. Out: whether that is a share of the
picture's longer side, what is wrong with it, and the length in pixels for a picture of a size.
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["LENGTHS", "in_pixels", "is_share", "share_problem"]

# The parameters that are lengths in pixels, by kernel.
LENGTHS = {
    "gaussian_blur": ("radius", "sigma"),
    "box_blur": ("radius",),
    "denoise": ("radius",),
}
_SHARE = re.compile(r"\s*(\d{1,3}(?:\.\d{1,9})?|\.\d{1,9})\s*%\s*")


def is_share(value: Any) -> bool:
    """Whether a value is written as a share."""
    return isinstance(value, str) and value.rstrip().endswith("%")


def share_problem(kernel: str, parameter: str, value: str) -> str:
    """Say why a share cannot stand for a parameter, or nothing where it can."""
    if parameter not in LENGTHS.get(kernel, ()):
        return f"expected no share of the picture, as it is not a length in pixels, got {value!r}"
    found = _SHARE.fullmatch(value)
    if found is None or not 0 < float(found[1]) <= 100:
        return f"expected a share of the longer side such as '0.2%', up to 100%, got {value!r}"
    return ""


def in_pixels(parameter: Any, value: str, height: int, width: int) -> Any:
    """Return the length that a share stands for, as near as the parameter's range allows."""
    found = _SHARE.fullmatch(value)
    assert found is not None, value
    length: float = float(found[1]) / 100 * max(height, width)
    if isinstance(parameter.default, int):
        length = round(length)
    low, high = parameter.low, parameter.high
    length = length if low is None else max(length, low)
    return length if high is None else min(length, high)
