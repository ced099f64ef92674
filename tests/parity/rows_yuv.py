"""References for YUV: the equations of ITU-R BT.601 and BT.709 in f64, and what libraries make of
them."""

from __future__ import annotations

import cv2
import numpy as np
import PIL.Image

from parity.row import Row
from parity.rows_image import RGB, RGBAF, RGBF

RNG = np.random.default_rng(24)
EVEN = RNG.integers(0, 256, (18, 26, 3), dtype=np.uint8)  # H / 2 is odd: V starts in mid-row
EVENF = RNG.random((12, 20, 3), dtype=np.float32)
EVENS = RNG.integers(0, 256, (2, 8, 10, 4), dtype=np.uint8)
PLANES = RNG.integers(16, 236, (27, 22), dtype=np.uint8)
PLANES4 = RNG.integers(16, 236, (24, 22), dtype=np.uint8)

# BT.601-7, 2.5.1 and BT.709-6, 3.2 and 3.3, as they are printed: the shares of R, G and B in Y, and
# what B - Y and R - Y are divided by.
STANDARDS = {
    "bt601": ((0.299, 0.587, 0.114), 1.772, 1.402),
    "bt709": ((0.2126, 0.7152, 0.0722), 1.8556, 1.5748),
}
QUANTISED = {True: (16, 219, 224), False: (0, 255, 255)}  # limited, full: black, luma, chroma


def equations(matrix):
    """Y, Cb and Cr of R, G and B, as a matrix."""
    y, blue, red = (np.array(part) for part in STANDARDS[matrix])
    return np.stack([y, ((0, 0, 1) - y) / blue, ((1, 0, 0) - y) / red])


def analog(rgb, matrix):
    """Y, Cb and Cr of colours from 0 to 1."""
    return np.asarray(rgb, float)[..., :3] @ equations(matrix).T


def to_codes(image, matrix, limited):
    """Y, U and V of every pixel, as codes before rounding."""
    black, luma, chroma = QUANTISED[limited]
    peak = 255.0 if image.dtype == np.uint8 else 1.0
    signals = analog(image.astype(np.float64) / peak, matrix)
    return signals * (luma, chroma, chroma) + (black, 128, 128)


def encode(image, format="yuv420p", matrix="bt601", limited=True):
    if image.ndim == 4:
        return np.stack([encode(one, format, matrix, limited) for one in image])
    codes = to_codes(image, matrix, limited)
    h, w = codes.shape[:2]
    small = codes.reshape(h // 2, 2, w // 2, 2, 3).mean((1, 3))
    if format == "nv12":
        under = small[..., 1:].reshape(h // 2, w)
    else:
        under = np.concatenate([small[..., 1].ravel(), small[..., 2].ravel()]).reshape(h // 2, w)
    codes = np.concatenate([codes[..., 0], under])
    return codes if image.dtype == np.uint8 else codes / 255


def decode(codes, matrix="bt601", limited=True):
    """RGB of Y, U and V as codes, by solving the standard's equations."""
    black, luma, chroma = QUANTISED[limited]
    signals = (codes.astype(np.float64) - (black, 128, 128)) / (luma, chroma, chroma)
    return signals @ np.linalg.inv(equations(matrix)).T * 255


def unpack(planes, format):
    """Y, U and V of every pixel of a 4:2:0 picture."""
    h, w = planes.shape[0] // 3 * 2, planes.shape[1]
    under = planes[h:].reshape(-1)
    if format == "nv12":
        u, v = under[::2], under[1::2]
    else:
        u, v = np.split(under, 2)
    big = [p.reshape(h // 2, w // 2).repeat(2, 0).repeat(2, 1) for p in (u, v)]
    return np.stack([planes[:h], *big], -1)


def decode420(planes, format="yuv420p", matrix="bt601", limited=True):
    if planes.ndim == 3:
        return np.stack([decode420(one, format, matrix, limited) for one in planes])
    return decode(unpack(planes, format), matrix, limited)


def pillow_ycbcr(image):
    return np.asarray(PIL.Image.fromarray(image).convert("YCbCr"))


def pillow_rgb(image):
    return np.asarray(
        PIL.Image.frombytes("YCbCr", image.shape[1::-1], image.tobytes()).convert("RGB")
    )


ROWS = [
    Row("rgb_to_yuv", encode, (EVEN,)),
    Row(
        "rgb_to_yuv",
        lambda x: encode(x, "nv12", "bt709"),
        (EVEN,),
        {"format": "nv12", "matrix": "bt709"},
    ),
    Row(
        "rgb_to_yuv",
        lambda x: encode(x, "yuv420p", "bt709", False),
        (EVENF,),
        {"matrix": "bt709", "range": "full"},
    ),
    Row("rgb_to_yuv", encode, (EVENS,)),
    Row("rgb_to_yuv", lambda x: encode(x, "nv12"), (EVENS,), {"format": "nv12"}),
    Row(
        "rgb_to_yuv",
        lambda x: to_codes(x, "bt601", False),
        (RGB,),
        {"format": "yuv444", "range": "full"},
    ),
    # Pillow and OpenCV compute in whole numbers of 6 to 20 bits and do not round to nearest: the
    # rows of this file without a share are the ones that hold the kernels to the standards.
    Row(
        "rgb_to_yuv",
        pillow_ycbcr,
        (RGB,),
        {"format": "yuv444", "range": "full"},
        steps=1,
        share=0.6,
    ),
    Row(
        "rgb_to_yuv",
        lambda x: to_codes(x, "bt709", True) / 255,
        (RGBAF,),
        {"format": "yuv444", "matrix": "bt709"},
    ),
    Row("yuv_to_rgb", decode420, (PLANES,)),
    Row(
        "yuv_to_rgb",
        lambda x: cv2.cvtColor(x, cv2.COLOR_YUV2RGB_I420),
        (PLANES4,),
        steps=1,
        share=0.06,
    ),
    Row(
        "yuv_to_rgb",
        lambda x: cv2.cvtColor(x, cv2.COLOR_YUV2RGB_NV12),
        (PLANES4,),
        {"format": "nv12"},
        steps=1,
        share=0.06,
    ),
    Row(
        "yuv_to_rgb",
        lambda x: decode420(x, "nv12", "bt709", False),
        (PLANES,),
        {"format": "nv12", "matrix": "bt709", "range": "full"},
    ),
    Row("yuv_to_rgb", decode420, (np.stack([PLANES, PLANES[::-1]]),)),
    Row(
        "yuv_to_rgb",
        lambda x: decode(x * 255.0, "bt709") / 255,
        (RGBF,),
        {"format": "yuv444", "matrix": "bt709"},
        1e-5,
        1e-5,
    ),
    Row(
        "yuv_to_rgb", pillow_rgb, (RGB,), {"format": "yuv444", "range": "full"}, steps=1, share=0.4
    ),
]
