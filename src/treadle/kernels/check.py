"""What kernels ask of their arguments before anything is compiled.

In: specs or handles of inputs, and parameters as the caller gave them. Out: shapes, numbers, or a
LaunchError that names kernel, argument, value and what it must be. Knows no kernel's body."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from treadle.dtypes import STORED
from treadle.errors import LaunchError, suggest

__all__ = [
    "AXIS",
    "FLAG",
    "IMAGES",
    "NUMBER",
    "REAL",
    "WHOLE",
    "choice",
    "image_like",
    "numbers",
    "require_image",
    "size_of",
    "whole",
]

IMAGES = ("u8", "f32", "f64")  # dtypes of images
REAL = tuple(str(dtype) for dtype in STORED if dtype.is_float)  # dtypes of floats
WHOLE = tuple(str(dtype) for dtype in STORED if dtype.is_integer)  # dtypes of integers
NUMBER = (-math.inf, math.inf)  # a range that only NaN is outside of
FLAG = (False, True)
AXIS = "an axis of the input; negative ones count from the end"
_COLOURS = {"colour": (3, 4), "any": (1, 2, 3, 4)}


def require_image(
    image: Any, what: str, *, channels: str | None = None, name: str = "image"
) -> None:
    """Refuse what is not an image: HxW, HxWxC or NxHxWxC, u8 or float."""
    shape, dtype = tuple(image.shape), str(image.dtype)
    if len(shape) not in (2, 3, 4):
        raise LaunchError(f"{what}: {name} must be HxW, HxWxC or NxHxWxC, got shape {shape}")
    if dtype not in IMAGES:
        raise LaunchError(
            f"{what}: {name} must be u8, f32 or f64, got {dtype}; convert it with cast"
        )
    count = shape[-1] if len(shape) > 2 else 1
    if channels is not None and count not in _COLOURS[channels]:
        wanted = "3 or 4 channels (RGB, RGBA)" if channels == "colour" else "1 to 4 channels"
        raise LaunchError(f"{what}: {name} must have {wanted}, got {count} in shape {shape}")


def image_like(what: str, *, channels: str | None = None) -> Callable[[Any], tuple[int, ...]]:
    """Make a shape rule: as the image, once it is known to be one."""

    def rule(image: Any) -> tuple[int, ...]:
        require_image(image, what, channels=channels)
        return tuple(image.shape)

    return rule


def size_of(image: Any) -> tuple[int, int]:
    """Height and width of an image."""
    first = 1 if len(image.shape) == 4 else 0
    return image.shape[first], image.shape[first + 1]


def choice(what: str, name: str, value: Any, known: tuple[str, ...]) -> str:
    """Return a word that must be one of a few."""
    if value not in known:
        hint = suggest(value, known) if isinstance(value, str) else ""
        listed = ", ".join(map(repr, known))
        raise LaunchError(f"{what}: {name} must be one of {listed}, got {value!r}{hint}")
    return str(value)


def whole(what: str, name: str, value: Any, low: int, high: int) -> int:
    """Return an integer that must lie in low..high."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise LaunchError(f"{what}: {name} must be an integer from {low} to {high}, got {value!r}")
    return value


def numbers(
    what: str, name: str, value: Any, count: int, low: float = -math.inf, high: float = math.inf
) -> tuple[float, ...]:
    """Return `count` finite numbers in low..high; a single number stands for all of them."""
    given = value if isinstance(value, tuple | list) else (value,) * count
    fits = len(given) == count and all(
        isinstance(n, int | float)
        and not isinstance(n, bool)
        and math.isfinite(n)
        and low <= n <= high
        for n in given
    )
    if not fits:
        bounds = f" from {low:g} to {high:g}" if math.isfinite(low) and math.isfinite(high) else ""
        plural = f"{count} finite numbers" if count > 1 else "a finite number"
        raise LaunchError(f"{what}: {name} must be {plural}{bounds}, got {value!r}")
    return tuple(float(n) for n in given)
