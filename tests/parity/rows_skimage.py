"""References from scikit-image, where it computes the same: blur, edges, sizes, warps.

Machines that cannot install anything may lack it; there its rows are left out, and `FOUND` is
false.
"""

from __future__ import annotations

import numpy as np

from parity.row import Row

try:
    import skimage.filters
    import skimage.transform
    import skimage.util
except ImportError:
    FOUND = False
else:
    FOUND = True

RNG = np.random.default_rng(41)
GREY = RNG.integers(0, 256, (23, 31), dtype=np.uint8)
RGB = RNG.integers(0, 256, (18, 27, 3), dtype=np.uint8)
GREYF = RNG.random((26, 19), dtype=np.float32)
RGBF = RNG.random((21, 24, 3), dtype=np.float32)
TURN = ((0.94, -0.28, 2.5), (0.31, 0.9, -1.25))


def gaussian(image, radius, sigma):
    """As many taps: scikit-image cuts at `truncate` sigmas, rounded."""
    return skimage.filters.gaussian(
        image.astype(np.float64), sigma, mode="nearest", truncate=radius / sigma,
        channel_axis=-1 if image.ndim == 3 else None,
    )  # fmt: skip


def sobel(image):
    """Its masks are divided by 4, and its magnitude by the root of two."""
    wide = image.astype(np.float64)
    return 4.0 * np.sqrt(2.0) * skimage.filters.sobel(wide, mode="nearest")


def resized(image, height, width, order):
    shape = (height, width, *image.shape[2:])
    return skimage.transform.resize(
        image.astype(np.float64), shape, order, mode="edge", anti_aliasing=False
    )


def warped(image, order):
    """Its map goes from the output to the input."""
    forward = np.array([*TURN, (0, 0, 1)])
    return skimage.transform.warp(
        image.astype(np.float64), np.linalg.inv(forward), order=order, mode="edge"
    )


def cut(image):
    return skimage.util.crop(image, ((3, 4), (5, 2), (0, 0)))


ROWS = [
    Row("gaussian_blur", lambda x: gaussian(x, 3, 1.5), (GREY,), {"radius": 3, "sigma": 1.5}),
    Row("gaussian_blur", lambda x: gaussian(x, 2, 0.9), (RGBF,), {"radius": 2, "sigma": 0.9}, 4e-6),
    Row("gaussian_blur", lambda x: gaussian(x, 5, 2.0), (RGB,), {"radius": 5, "sigma": 2.0}),
    Row("edge_detect", sobel, (GREY,)),
    Row("edge_detect", sobel, (GREYF,), atol=4e-6),
    Row("resize", lambda x: resized(x, 31, 17, 1), (RGBF,), {"size": (31, 17)}, 4e-6),
    Row("resize", lambda x: resized(x, 40, 50, 1), (GREY,), {"size": (40, 50)}),
    Row("resize", lambda x: resized(x, 36, 54, 0), (RGB,), {"size": (36, 54), "method": "nearest"}),
    Row("warp_affine", lambda x: warped(x, 1), (RGBF,), {"matrix": TURN}, 4e-6, 2e-5),
    Row("warp_affine", lambda x: warped(x, 1), (GREY,), {"matrix": TURN}),
    Row("crop", cut, (RGB,), {"x": 5, "y": 3, "width": 20, "height": 11}),
] if FOUND else []  # fmt: skip
