"""Colour: what changes each pixel on its own."""

from __future__ import annotations

from weft.errors import LaunchError
from weft.lang.decorators import kernel

__all__: list[str] = []


def one_channel(image):
    """The shape of an image without its channels."""
    rank = len(image.shape)
    if rank not in (2, 3, 4):
        raise LaunchError(
            f"grayscale: image must be HxW, HxWxC or NxHxWxC, got shape {image.shape}"
        )
    return image.shape if rank == 2 else image.shape[:-1]


@kernel(shape=one_channel, dtype="image")
def grayscale(at, image):
    """Luma of BT.601: 0.299 R + 0.587 G + 0.114 B. Alpha is dropped; one or two channels give the
    first."""
    if image.ndim == 2:
        return image[at]
    if image.shape[image.ndim - 1] < 3:
        return image[(*at, 0)]
    return 0.299 * image[(*at, 0)] + 0.587 * image[(*at, 1)] + 0.114 * image[(*at, 2)]
