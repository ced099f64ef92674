"""Kernels between the stages of a recipe: an image with other channels, its pixels as they are.

In: images of a batch. Out: the first three of four channels, and four of three; grey as RGB, for
stages that need colours.
"""

from __future__ import annotations

from typing import Any

import treadle

__all__ = ["COLOURS", "FROM_GREY", "SPACED", "first_colours", "spaced_colours"]

COLOURS, SPACED = 3, 4  # channels of a colour, and bytes from one to the next where they are spaced


def _three(image: Any) -> tuple[int, ...]:
    return (*image.shape[:-1], COLOURS)


@treadle.kernel(shape=_three, dtype="image", name="_colours")
def first_colours(at: Any, image: Any) -> Any:
    """The first three channels of four."""
    return image[at]


def _four(image: Any) -> tuple[int, ...]:
    return (*image.shape[:-1], SPACED)


@treadle.kernel(shape=_four, dtype="image", name="_spaced_colours")
def spaced_colours(at: Any, image: Any) -> Any:
    """Three channels as the first of four; the fourth repeats the third, as it means nothing."""
    channel = at[-1]
    return image[(*at[:-1], channel if channel < COLOURS - 1 else COLOURS - 1)]


@treadle.kernel(shape=_three, dtype="image", name="_grey_as_rgb")
def grey_as_rgb(at: Any, image: Any) -> Any:
    """The one channel three times."""
    return image[(*at[:-1], 0)]


FROM_GREY = "_grey_as_rgb"
