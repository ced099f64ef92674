"""Alpha: which channel it is, and colours weighed by it.

The last of two or of four channels is alpha, and colours are stored without it ("straight"). A mean
of pixels that differ in alpha weighs each colour by its own, or colours that cannot be seen would
shine through; so kernels that change places take colours times alpha, and divide by it at the end.
The scale of alpha does not matter to that."""

from __future__ import annotations

from treadle.kernels.blend import scaled
from treadle.lang.decorators import function, kernel

__all__ = ["has_alpha", "is_alpha", "seen", "straight"]


def has_alpha(image):
    """Whether an image has an alpha channel."""
    return len(image.shape) > 2 and image.shape[-1] in (2, 4)


@function
def is_alpha(at, image):
    """Whether this element is an alpha value."""
    if image.ndim == 2:
        return False
    count = image.shape[image.ndim - 1]
    return at[len(at) - 1] == count - 1 if count == 2 or count == 4 else False


@function
def seen(image, index, weighed):
    """An element, times the alpha of its pixel if it is a colour and colours are weighed."""
    value = image[index]
    if not weighed:
        return value
    count = image.shape[image.ndim - 1]
    alpha = image[(*index[:-1], count - 1)]
    factor = 1 if index[len(index) - 1] == count - 1 else alpha
    # Where alpha is 0 it cannot be seen whether a colour is finite.
    return value * factor if image.dtype == "u8" else scaled(value, factor)


@kernel(shape=lambda image: image.shape, name="_straight", results="float")
def straight(at, image):
    """Colours over alpha, 0 where alpha is not above 0; and alpha as it is."""
    value = image[at]
    alpha = image[(*at[:-1], image.shape[image.ndim - 1] - 1)]
    return value if is_alpha(at, image) else (value / alpha if alpha > 0 else 0.0)
