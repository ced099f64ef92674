"""References for the image filters: OpenCV and SciPy, over shapes, channels and types."""

from __future__ import annotations

import cv2
import numpy as np
import scipy.ndimage

from parity.row import Row

RNG = np.random.default_rng(17)
GREY = RNG.integers(0, 256, (29, 41), dtype=np.uint8)
PAIR = RNG.integers(0, 256, (19, 23, 2), dtype=np.uint8)
RGB = RNG.integers(0, 256, (26, 33, 3), dtype=np.uint8)
RGBA = RNG.integers(0, 256, (21, 40, 4), dtype=np.uint8)
BATCH = RNG.integers(0, 256, (3, 14, 17, 3), dtype=np.uint8)
GREYF = RNG.random((31, 22), dtype=np.float32)
RGBF = RNG.random((22, 27, 3), dtype=np.float32)
RGBAF = RNG.random((2, 13, 18, 4), dtype=np.float32)
RGBD = RNG.random((17, 15, 3))
LINE = RNG.integers(0, 256, (1, 25), dtype=np.uint8)
DOT = RNG.integers(0, 256, (1, 1, 3), dtype=np.uint8)
EMPTY = np.zeros((0, 7, 3), np.uint8)
SOFT = cv2.GaussianBlur(RNG.integers(0, 256, (40, 52, 3), dtype=np.uint8), (0, 0), 2)
SOFTF = cv2.GaussianBlur(RNG.random((30, 37, 3), dtype=np.float32), (0, 0), 1.5)


def each(image, function):
    """Apply a function to every image of a batch."""
    return np.stack([function(one) for one in image]) if image.ndim == 4 else function(image)


def box(image, radius):
    """OpenCV in f64."""
    size = (2 * radius + 1,) * 2
    wide = image.astype(np.float64)
    out = each(wide, lambda x: cv2.blur(x, size, borderType=cv2.BORDER_REPLICATE))
    return out.reshape(image.shape)


def scipy_box(image, radius):
    sizes = (2 * radius + 1,) * 2 + (1,) * (image.ndim - 2)
    return scipy.ndimage.uniform_filter(image.astype(np.float64), sizes, mode="nearest")


def edges(image, scale=1.0):
    """OpenCV's Sobel in f64, alpha as it was."""

    def one(x):
        x = x.astype(np.float64)
        gx, gy = (
            cv2.Sobel(x, -1, *d, borderType=cv2.BORDER_REPLICATE).reshape(x.shape)
            for d in ((1, 0), (0, 1))
        )
        return scale * np.hypot(gx, gy)

    out = each(image, one)
    if image.ndim > 2 and image.shape[-1] in (2, 4):
        out[..., -1] = image[..., -1]
    return out


def bilateral(image, strength, radius):
    """OpenCV's, which takes one or three channels."""
    peak = 255.0 if image.dtype == np.uint8 else 1.0
    colours = image if image.ndim == 2 else image[..., :3]
    out = image.copy()
    kept = cv2.bilateralFilter(
        np.ascontiguousarray(colours), 2 * radius + 1, strength * peak, radius / 2,
        borderType=cv2.BORDER_REPLICATE,
    )  # fmt: skip
    if image.ndim == 2:
        return kept
    out[..., :3] = kept
    return out


def exact_bilateral(image, strength, radius):
    """The documented formula in f64, for what OpenCV lacks: batches, grey with alpha, alpha."""
    if image.ndim == 4:
        return np.stack([exact_bilateral(one, strength, radius) for one in image])
    peak = 255.0 if image.dtype == np.uint8 else 1.0
    x = image.astype(np.float64)
    colours = 3 if x.shape[2] > 2 else 1
    padded = np.pad(x, ((radius, radius), (radius, radius), (0, 0)), "edge")
    total, acc = np.zeros((*x.shape[:2], 1)), np.zeros_like(x)
    for dy in range(2 * radius + 1):
        for dx in range(2 * radius + 1):
            d2 = (dy - radius) ** 2 + (dx - radius) ** 2
            if d2 <= radius**2:
                other = padded[dy : dy + x.shape[0], dx : dx + x.shape[1]]
                unlike = np.abs(other - x)[..., :colours].sum(-1, keepdims=True)
                weight = np.exp(-2 * d2 / radius**2 - 0.5 * (unlike / (strength * peak)) ** 2)
                total += weight
                acc += weight * other
    out = acc / total
    if x.shape[2] % 2 == 0:
        out[..., -1] = image[..., -1]
    return out


ROWS = [
    Row("box_blur", lambda x: box(x, 3), (RGBA,)),
    Row("box_blur", lambda x: box(x, 1), (GREY,), {"radius": 1}),
    Row("box_blur", lambda x: box(x, 2), (PAIR,), {"radius": 2}),
    Row("box_blur", lambda x: box(x, 5), (RGBF,), {"radius": 5}),
    Row("box_blur", lambda x: scipy_box(x, 4), (RGB,), {"radius": 4}),
    Row("box_blur", lambda x: box(x, 2), (BATCH,), {"radius": 2}),
    Row("box_blur", lambda x: box(x, 2), (RGBAF,), {"radius": 2}),
    Row("box_blur", lambda x: scipy_box(x, 2), (RGBD,), {"radius": 2}, 1e-6),
    Row("box_blur", lambda x: scipy_box(x, 40), (GREYF,), {"radius": 40}, 1e-5),
    Row("box_blur", lambda x: x, (RGB,), {"radius": 0}),
    Row("box_blur", lambda x: scipy_box(x, 2), (LINE,), {"radius": 2}),
    Row("box_blur", lambda x: x, (DOT,)),
    Row("box_blur", lambda x: x, (EMPTY,)),
    Row("gaussian_blur", lambda x: x, (DOT,)),
    Row("gaussian_blur", lambda x: x, (EMPTY,)),
    Row("sharpen", lambda x: x, (DOT,)),
    Row("edge_detect", edges, (GREY,)),
    Row("edge_detect", lambda x: edges(x, 0.25), (RGB,), {"scale": 0.25}),
    Row("edge_detect", lambda x: edges(x, 0.25), (RGBA,), {"scale": 0.25}),
    Row("edge_detect", lambda x: edges(x, 0.1), (PAIR,), {"scale": 0.1}),
    Row("edge_detect", edges, (RGBF,), {}, 1e-5, 2e-6),
    Row("edge_detect", edges, (RGBAF,), {}, 1e-5, 2e-6),
    Row("edge_detect", edges, (RGBD,), {}, 1e-12, 1e-12),
    Row("edge_detect", lambda x: edges(x, 0.2), (BATCH,), {"scale": 0.2}),
    Row("edge_detect", edges, (LINE,)),
    Row("edge_detect", lambda x: x * (0, 0, 0, 1), (RGBA[:1, :1],)),
    Row("edge_detect", lambda x: x, (EMPTY,)),
    Row("denoise", lambda x: exact_bilateral(x, 0.1, 2), (RGB,)),
    Row("denoise", lambda x: exact_bilateral(x, 0.3, 1), (RGBA,), {"strength": 0.3, "radius": 1}),
    # A disc of so many pixels is a loop in the kernel.
    Row("denoise", lambda x: exact_bilateral(x, 0.1, 8), (RGB,), {"radius": 8}),
    Row("denoise", lambda x: exact_bilateral(x, 0.2, 2), (PAIR,), {"strength": 0.2}),
    Row("denoise", lambda x: exact_bilateral(x, 0.1, 1), (BATCH,), {"radius": 1}),
    Row("denoise", lambda x: exact_bilateral(x, 0.2, 2), (RGBAF,), {"strength": 0.2}, 1e-5),
    # OpenCV has weights from a table (u8: exact steps, f32: 4096 of them) and sums in f32.
    Row("denoise", lambda x: bilateral(x, 0.1, 2), (SOFT,)),
    Row("denoise", lambda x: bilateral(x, 0.2, 3), (GREY,), {"strength": 0.2, "radius": 3}),
    Row("denoise", lambda x: bilateral(x, 0.1, 2), (SOFTF,), {}, 1e-4, 1e-4),
    Row("denoise", lambda x: exact_bilateral(x, 0.1, 2), (SOFTF,), {}, 1e-5),
    Row(
        "denoise",
        lambda x: exact_bilateral(x[..., None], 0.3, 4)[..., 0],
        (GREYF,),
        {"strength": 0.3, "radius": 4},
        1e-5,
    ),
    Row(
        "denoise",
        lambda x: bilateral(x, 0.3, 4),
        (GREYF,),
        {"strength": 0.3, "radius": 4},
        1e-3,
        1e-3,
    ),
    Row("denoise", lambda x: x, (DOT,)),
]
