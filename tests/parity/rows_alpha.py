"""References for what alpha does where pixels are mixed: colours are weighed by it."""

from __future__ import annotations

import numpy as np
import PIL.Image

from parity.row import Between, Row
from parity.rows_geometry import TURN, covered, opencv_resize, pillow_resize, scipy_warp
from parity.rows_image import PAIR, RGBA, RGBAF

# Colours that nobody sees are no part of a mean; with a filter that has negative weights only what
# is well seen is well defined.
CUTOUT = RGBA.copy()
CUTOUT[..., 3] = np.where(CUTOUT[..., 3] > 128, 255, 0)
VISIBLE = RGBA.copy()
VISIBLE[..., 3] = 100 + VISIBLE[..., 3] // 2


def seen(image, change):
    """A change of an image with alpha, colours being weighed by it, in f64."""
    wide = image.astype(np.float64)
    weighed = wide.copy()
    weighed[..., :-1] *= wide[..., -1:]
    out = np.array(change(weighed))
    alpha = out[..., -1:]
    out[..., :-1] = np.where(alpha > 0, out[..., :-1] / np.where(alpha > 0, alpha, 1), 0)
    return out


def pillow_seen(image, size, method):
    """Pillow's own resize of RGBA, which rounds colours times alpha to bytes."""
    flag = getattr(PIL.Image.Resampling, method)
    out = np.asarray(PIL.Image.fromarray(image).resize(size[::-1], flag)).astype(np.float64)
    off = np.full(out.shape, 0.6)
    off[..., :-1] += 255 * 1.1 / np.maximum(out[..., -1:], 1)
    return Between(out - off, out + off)


ROWS = [
    Row(
        "resize",
        lambda x: seen(x, lambda x: opencv_resize(x, (40, 19), "LINEAR")),
        (RGBA,),
        {"size": (40, 19)},
    ),
    Row(
        "resize",
        lambda x: opencv_resize(x, (40, 19), "LINEAR"),
        (RGBA,),
        {"size": (40, 19), "premultiply": False},
    ),
    Row(
        "resize",
        lambda x: pillow_seen(x, (8, 17), "BILINEAR"),
        (CUTOUT,),
        {"size": (8, 17), "antialias": True},
    ),
    Row(
        "resize",
        lambda x: pillow_seen(x, (33, 66), "BILINEAR"),
        (CUTOUT,),
        {"size": (33, 66), "antialias": True},
    ),
    Row(
        "resize",
        lambda x: pillow_seen(x, (8, 17), "BICUBIC"),
        (VISIBLE,),
        {"size": (8, 17), "method": "bicubic", "antialias": True},
    ),
    Row(
        "resize",
        lambda x: seen(x, lambda x: opencv_resize(x, (20, 30), "LINEAR")),
        (RGBAF,),
        {"size": (20, 30)},
        1e-5,
    ),
    Row(
        "resize",
        lambda x: seen(x, lambda x: covered(x, (40, 50))),
        (PAIR,),
        {"size": (40, 50), "method": "area"},
    ),
    Row(
        "resize",
        lambda x: seen(x, lambda x: covered(x, (7, 10))),
        (RGBA,),
        {"size": (7, 10), "method": "area"},
    ),
    Row(
        "resize",
        lambda x: seen(x, lambda x: pillow_resize(x, (7, 8), "BICUBIC")),
        (VISIBLE,),
        {"size": (7, 8), "method": "bicubic", "antialias": True},
    ),
    Row(
        "bicubic_scale",
        lambda x: seen(x, lambda x: opencv_resize(x, (31, 17), "CUBIC")),
        (VISIBLE,),
        {"size": (31, 17)},
    ),
    Row(
        "bicubic_scale",
        lambda x: opencv_resize(x, (31, 17), "CUBIC"),
        (RGBA,),
        {"size": (31, 17), "premultiply": False},
    ),
    Row(
        "warp_affine",
        lambda x: seen(x, lambda x: scipy_warp(x, TURN, (12, 19), True)),
        (RGBAF,),
        {"matrix": TURN, "size": (12, 19), "inverse": True},
        2e-5,
        2e-5,
    ),
    Row(
        "warp_affine",
        lambda x: scipy_warp(x, TURN, (12, 19), True),
        (RGBAF,),
        {"matrix": TURN, "size": (12, 19), "inverse": True, "premultiply": False},
        2e-5,
        2e-5,
    ),
]
