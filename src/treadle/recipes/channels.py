"""Kernels between the stages of a recipe: an image with other channels, its pixels as they are.

In: images of a batch. Out: the first three of four channels; grey as RGB, for stages that need
colours.
"""

from __future__ import annotations

from typing import Any

import treadle

__all__ = ["COLOURS", "FROM_GREY", "first_colours"]

COLOURS = 3


def _three(image: Any) -> tuple[int, ...]:
    return (*image.shape[:-1], COLOURS)


@treadle.kernel(shape=_three, dtype="image", name="_colours")
def first_colours(at: Any, image: Any) -> Any:
    """The first three channels of four."""
    return image[at]


@treadle.kernel(shape=_three, dtype="image", name="_grey_as_rgb")
def grey_as_rgb(at: Any, image: Any) -> Any:
    """The one channel three times."""
    return image[(*at[:-1], 0)]


FROM_GREY = "_grey_as_rgb"
