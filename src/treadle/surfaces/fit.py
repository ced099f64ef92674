"""Which pixels of a picture a surface shows: shapes and sizes in, a Framing out; just numbers."""

from __future__ import annotations

import math
from typing import Any, SupportsFloat

from treadle.backends.base import Framing
from treadle.dtypes import DType
from treadle.errors import LaunchError, suggest

__all__ = ["FITS", "checked", "picture", "place_of", "view", "zoomed"]

FITS = ("contain", "cover", "stretch", "none")  # CSS's words for the same
_CHANNELS = (1, 3, 4)
_LARGEST = 1 << 16  # pixels along an edge; sizes are counted in floats, too


def picture(shape: tuple[int, ...]) -> tuple[int, int, int]:
    """Rows, columns and channels of what is to be shown; raise for what is no picture."""
    channels = shape[2] if len(shape) == 3 else 1
    if len(shape) not in (2, 3) or channels not in _CHANNELS or 0 in shape:
        raise LaunchError(
            "pixels: expected a picture, of shape (height, width) or (height, width, channels) "
            f"with 1, 3 or 4 channels, got {tuple(shape)}"
        )
    if max(shape) > _LARGEST:
        raise LaunchError(f"pixels: expected at most {_LARGEST} along an edge, got {tuple(shape)}")
    return shape[0], shape[1], channels


def checked(fit: Any) -> str:
    """Return a way to fit; raise for what is none."""
    if fit not in FITS:
        hint = suggest(str(fit), FITS)
        raise LaunchError(f"fit: expected one of {', '.join(FITS)}, got {fit!r}{hint}")
    return str(fit)


def zoomed(zoom: Any) -> float:
    """Return a magnification; raise for what is none."""
    number = isinstance(zoom, SupportsFloat) and not isinstance(zoom, bool | str)
    if not number or not 0 < float(zoom) < math.inf:
        raise LaunchError(f"zoom: expected a number above 0, got {zoom!r}")
    return float(zoom)


def place_of(centre: Any) -> tuple[float, float]:
    """Return a place in a picture; raise for what is none."""
    try:
        x, y = (float(each) for each in centre)
    except (TypeError, ValueError):
        x = y = math.nan
    if not (math.isfinite(x) and math.isfinite(y)):
        raise LaunchError(f"centre: expected x and y in the picture's pixels, got {centre!r}")
    return x, y


def view(
    size: tuple[int, int],
    shape: tuple[int, int, int],
    dtype: DType,
    fit: str,
    zoom: float = 1.0,
    centre: tuple[float, float] | None = None,
) -> Framing:
    """Return the view of a picture on a surface of a size, fitted, then zoomed about a centre."""
    height, width, _ = shape
    across, down = width / size[0], height / size[1]  # pixels of the picture for one of ours
    if fit == "contain":
        across = down = max(across, down)
    elif fit == "cover":
        across = down = min(across, down)
    elif fit == "none":
        across = down = 1.0
    across, down = across / zoom, down / zoom
    x, y = centre or (width / 2, height / 2)
    left, top = x - across * size[0] / 2, y - down * size[1] / 2
    plain = across == down == 1.0
    if plain:
        left, top = float(int(left // 1)), float(int(top // 1))  # no pixel lies between two others
    # A picture that is magnified so far that its pixels can be seen shows them as they are.
    smooth = not plain and max(across, down) > 0.5
    return Framing(size, shape, dtype, (across, down), (left, top), smooth)
