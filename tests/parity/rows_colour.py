"""References for colour: NumPy in f64, OpenCV, Pillow and SciPy."""

from __future__ import annotations

import tempfile
from pathlib import Path

import cv2
import numpy as np
import PIL.Image
import PIL.ImageFilter
import scipy.interpolate

from parity.row import Row
from parity.rows_image import (
    BATCH,
    DOT,
    EMPTY,
    GREY,
    GREYF,
    LINE,
    PAIR,
    RGB,
    RGBA,
    RGBAF,
    RGBD,
    RGBF,
    rounded,
)  # fmt: skip

RNG = np.random.default_rng(23)
EVEN = RNG.integers(0, 256, (18, 26, 3), dtype=np.uint8)  # H / 2 is odd: V starts in mid-row
EVENF = RNG.random((12, 20, 3), dtype=np.float32)
EVENS = RNG.integers(0, 256, (2, 8, 10, 4), dtype=np.uint8)
PLANES = RNG.integers(16, 236, (27, 22), dtype=np.uint8)
PLANES4 = RNG.integers(16, 236, (24, 22), dtype=np.uint8)
SEPIA = np.array([[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]])
FOLDER = Path(tempfile.mkdtemp(prefix="weft-cube-"))


def with_alpha(image, colours):
    """New colours, rounded as the image stores them, with the alpha that was there."""
    out = rounded(image, colours)
    if image.ndim > 2 and image.shape[-1] in (2, 4):
        out = np.concatenate([out[..., : image.shape[-1] - 1], image[..., -1:]], axis=-1)
    return out


def luma(image):
    return image[..., :3].astype(np.float64) @ [0.299, 0.587, 0.114]


def contrast(image, brightness, contrast):
    peak = 255.0 if image.dtype == np.uint8 else 1.0
    x = image.astype(np.float64)
    return with_alpha(image, (x - peak / 2) * contrast + peak / 2 + brightness * peak)


def opencv_contrast(image, brightness, contrast):
    beta = 127.5 * (1 - contrast) + 255 * brightness
    return cv2.addWeighted(image, contrast, image, 0, beta)


def saturated(image, amount):
    grey = luma(image)[..., None]
    return with_alpha(image, grey + amount * (image[..., :3] - grey))


def toned(image, amount):
    x = image[..., :3].astype(np.float64)
    return with_alpha(image, x + amount * (x @ SEPIA.T - x))


def opencv_sepia(image):
    return np.clip(np.rint(cv2.transform(image.astype(np.float64), SEPIA)), 0, 255)


def vignetted(image, amount, radius, softness):
    shape = image.shape[1:3] if image.ndim == 4 else image.shape[:2]
    y, x = np.mgrid[0 : shape[0], 0 : shape[1]]
    cy, cx = (shape[0] - 1) / 2, (shape[1] - 1) / 2
    t = np.clip((np.hypot(y - cy, x - cx) / max(np.hypot(cy, cx), 1e-30) - radius) / softness, 0, 1)
    factor = 1 - amount * t * t * (3 - 2 * t)
    return with_alpha(image, image * (factor if image.ndim == 2 else factor[..., None]))


def chroma(rgb, kr, kb):
    y = kr * rgb[..., 0] + (1 - kr - kb) * rgb[..., 1] + kb * rgb[..., 2]
    return (rgb[..., 2] - y) / (2 * (1 - kb)), (rgb[..., 0] - y) / (2 * (1 - kr))


def keyed(image, color, threshold, softness, kr=0.299, kb=0.114):
    peak = 255.0 if image.dtype == np.uint8 else 1.0
    x = image.astype(np.float64) / peak
    (u, v), (ku, kv) = chroma(x, kr, kb), chroma(np.array(color, float), kr, kb)
    share = np.clip((np.hypot(u - ku, v - kv) - threshold) / max(softness, 1e-6), 0, 1)
    alpha = share * (x[..., 3] if image.shape[-1] == 4 else 1) * peak
    return np.concatenate([image[..., :3], rounded(image, alpha)[..., None]], axis=-1)


KRB = {"bt601": (0.299, 0.114), "bt709": (0.2126, 0.0722)}


def to_codes(image, matrix, limited):
    """Y, U and V of every pixel, as 8-bit codes."""
    peak = 255.0 if image.dtype == np.uint8 else 1.0
    x = image[..., :3].astype(np.float64) / peak
    kr, kb = KRB[matrix]
    y = x @ [kr, 1 - kr - kb, kb]
    u, v = chroma(x, kr, kb)
    a, b, c = (16, 219, 224) if limited else (0, 255, 255)
    return np.stack([a + b * y, 128 + c * u, 128 + c * v], -1)


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
    return np.rint(np.clip(codes, 0, 255)) if image.dtype == np.uint8 else codes / 255


def decode(codes, kr, kb, limited=True):
    a, b, c = (16, 219, 224) if limited else (0, 255, 255)
    codes = codes.astype(np.float64)
    y, u, v = (codes[..., 0] - a) / b, (codes[..., 1] - 128) / c, (codes[..., 2] - 128) / c
    red, blue = y + 2 * (1 - kr) * v, y + 2 * (1 - kb) * u
    green = (y - kr * red - kb * blue) / (1 - kr - kb)
    return np.stack([red, green, blue], -1) * 255


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
    return np.clip(np.rint(decode(unpack(planes, format), *KRB[matrix], limited)), 0, 255)


def pillow_ycbcr(image):
    return np.asarray(PIL.Image.fromarray(image).convert("YCbCr"))


def pillow_rgb(image):
    return np.asarray(
        PIL.Image.frombytes("YCbCr", image.shape[1::-1], image.tobytes()).convert("RGB")
    )


def counts(image, bins=256, range=(0, 256)):
    if image.ndim == 2:
        return np.histogram(image, bins, range)[0]
    if image.ndim == 4:
        return np.stack([counts(one, bins, range) for one in image])
    return np.stack([np.histogram(plane, bins, range)[0] for plane in np.moveaxis(image, -1, 0)])


def opencv_counts(image):
    planes = [cv2.calcHist([image], [c], None, [256], [0, 256]) for c in range(image.shape[2])]
    return np.stack(planes).reshape(image.shape[2], 256)


CURVE = RNG.random((17, 1), dtype=np.float32)
CURVES = np.sort(RNG.random((33, 3), dtype=np.float32), axis=0)
CODES = RNG.integers(0, 256, (256, 1), dtype=np.uint8)
LATTICE = RNG.random((5, 6, 7, 3), dtype=np.float32)  # blue, green, red
CUBE = RNG.random((9, 9, 9, 3), dtype=np.float32)


def curved(image, table, low=0.0, high=1.0):
    peak = 255.0 if image.dtype == np.uint8 else 1.0
    scale = 255.0 if image.dtype == np.uint8 and table.dtype != np.uint8 else 1.0
    x = image[..., None] if image.ndim == 2 else image
    colours = x.shape[-1] - (x.shape[-1] % 2 == 0)
    rows = np.linspace(low, high, len(table))
    out = [
        np.interp(x[..., c] / peak, rows, table[:, min(c, table.shape[1] - 1)].astype(float))
        * scale
        for c in range(colours)
    ]
    found = np.stack(out, -1)
    return rounded(image, found[..., 0]) if image.ndim == 2 else with_alpha(image, found)


def latticed(image, table, low=0.0, high=1.0):
    peak = 255.0 if image.dtype == np.uint8 else 1.0
    grid = [np.linspace(low, high, n) for n in table.shape[:3]]
    look = scipy.interpolate.RegularGridInterpolator(grid, table.astype(np.float64))
    points = np.clip(image[..., 2::-1].astype(np.float64) / peak, low, high)
    return with_alpha(image, look(points) * peak)


def pillow_cube(image):
    table = CUBE.reshape(-1, 3).astype(float).ravel().tolist()
    look = PIL.ImageFilter.Color3DLUT(9, table)
    return np.asarray(PIL.Image.fromarray(image).filter(look))


def cube_file(name, text):
    path = FOLDER / name
    path.write_text(text)
    return str(path)


def rows_of(table):
    return "".join(f"{r:.7f} {g:.7f} {b:.7f}\n" for r, g, b in table.reshape(-1, 3))


FILE_3D = cube_file("cube.cube", f'TITLE "nine"\n# made up\nLUT_3D_SIZE 9\n\n{rows_of(CUBE)}')
FILE_1D = cube_file(
    "curve.cube",
    f"LUT_1D_SIZE 33\nDOMAIN_MIN -0.25 -0.25 -0.25\nDOMAIN_MAX 0.75 0.75 0.75\n{rows_of(CURVES)}",
)

ROWS = [
    Row("brightness_contrast", lambda x: x, (RGB,)),
    Row(
        "brightness_contrast",
        lambda x: opencv_contrast(x, 0.1, 1.5),
        (RGB,),
        {"brightness": 0.1, "contrast": 1.5},
    ),
    Row(
        "brightness_contrast",
        lambda x: contrast(x, -0.2, 0.7),
        (RGBA,),
        {"brightness": -0.2, "contrast": 0.7},
    ),
    Row(
        "brightness_contrast",
        lambda x: contrast(x, 0.3, 2.0),
        (RGBAF,),
        {"brightness": 0.3, "contrast": 2.0},
    ),
    Row("brightness_contrast", lambda x: contrast(x, 0, 0), (GREYF,), {"contrast": 0}),
    Row(
        "brightness_contrast",
        lambda x: contrast(x, 0.03, 1.13),
        (PAIR,),
        {"brightness": 0.03, "contrast": 1.13},
    ),
    Row(
        "brightness_contrast",
        lambda x: contrast(x, 0.03, 1.13),
        (BATCH,),
        {"brightness": 0.03, "contrast": 1.13},
    ),
    Row("brightness_contrast", lambda x: x, (EMPTY,), {"contrast": 3.0}),
    Row("saturation", lambda x: saturated(x, 0.0), (RGB,), {"amount": 0}),
    Row("saturation", lambda x: saturated(x, 2.5), (RGBA,), {"amount": 2.5}),
    Row("saturation", lambda x: saturated(x, 0.4), (RGBAF,), {"amount": 0.4}),
    Row("saturation", lambda x: saturated(x, 1.7), (RGBD,), {"amount": 1.7}, 1e-6),
    Row("saturation", lambda x: saturated(x, 0.4), (BATCH,), {"amount": 0.4}),
    Row("saturation", lambda x: x, (GREY,), {"amount": 0.4}),
    Row("saturation", lambda x: x, (PAIR,), {"amount": 0.4}),
    Row("sepia", opencv_sepia, (RGB,)),
    Row("sepia", lambda x: toned(x, 0.6), (RGBA,), {"amount": 0.6}),
    Row("sepia", lambda x: toned(x, 1.0), (RGBF,)),
    Row("sepia", lambda x: toned(x, 0.3), (BATCH,), {"amount": 0.3}),
    Row("sepia", lambda x: x, (EMPTY,)),
    Row("vignette", lambda x: vignetted(x, 0.5, 0.4, 0.6), (RGB,)),
    Row(
        "vignette",
        lambda x: vignetted(x, 1.0, 0.1, 0.5),
        (RGBA,),
        {"amount": 1.0, "radius": 0.1, "softness": 0.5},
    ),
    Row(
        "vignette",
        lambda x: vignetted(x, 0.8, 0.2, 2.0),
        (GREYF,),
        {"amount": 0.8, "radius": 0.2, "softness": 2.0},
    ),
    Row("vignette", lambda x: vignetted(x, 0.5, 0.4, 0.6), (RGBAF,)),
    Row("vignette", lambda x: vignetted(x, 0.5, 0.4, 0.6), (LINE,)),
    Row("vignette", lambda x: x, (DOT,)),
    Row("chroma_key", lambda x: keyed(x, (0, 1, 0), 0.2, 0.1), (RGB,)),
    Row(
        "chroma_key",
        lambda x: keyed(x, (0, 0, 1), 0.3, 0.5),
        (RGBA,),
        {"color": (0, 0, 1), "threshold": 0.3, "softness": 0.5},
    ),
    Row(
        "chroma_key",
        lambda x: keyed(x, (0.1, 0.8, 0.3), 0.1, 0.4, 0.2126, 0.0722),
        (RGBF,),
        {"color": (0.1, 0.8, 0.3), "threshold": 0.1, "softness": 0.4, "matrix": "bt709"},
        1e-5,
    ),
    Row(
        "chroma_key",
        lambda x: keyed(x, (0, 1, 0), 0.35, 0.0),
        (BATCH,),
        {"threshold": 0.35, "softness": 0},
        steps=255,
    ),
    Row(
        "chroma_key",
        lambda x: keyed(x, (1, 1, 1), 0.1, 0.2),
        (RGBAF,),
        {"color": 1.0, "threshold": 0.1, "softness": 0.2},
        1e-5,
        1e-5,
    ),
    Row("lut_apply", curved, (RGB, CURVE)),
    Row("lut_apply", curved, (RGBA, CURVES)),
    Row("lut_apply", curved, (PAIR, CURVE)),
    Row("lut_apply", curved, (GREY, CURVE)),
    Row("lut_apply", curved, (RGBAF * 1.4 - 0.2, CURVES)),
    Row("lut_apply", cv2.LUT, (RGB, CODES)),
    Row("lut_apply", lambda x, t: cv2.LUT(x.reshape(-1, 1), t).reshape(x.shape), (BATCH, CODES)),
    Row("lut_apply", latticed, (RGBF, LATTICE), {}, 1e-5),
    Row("lut_apply", latticed, (RGBA, LATTICE)),
    Row("lut_apply", latticed, (BATCH, CUBE)),
    Row("lut_apply", lambda x: latticed(x, CUBE), (RGBF,), {"file": FILE_3D}, 1e-5, 1e-5),
    Row("lut_apply", lambda x: latticed(x, CUBE), (RGBA,), {"file": FILE_3D}),
    Row(
        "lut_apply",
        lambda x: curved(x, CURVES, -0.25, 0.75),
        (RGBAF,),
        {"file": FILE_1D},
        1e-5,
        1e-5,
    ),
    Row("histogram", opencv_counts, (RGB,)),
    Row("histogram", counts, (GREY,)),
    Row("histogram", counts, (BATCH,)),
    Row("histogram", lambda x: counts(x, 16), (RGBA,), {"bins": 16}),
    Row("histogram", lambda x: counts(x, 10, (20, 120)), (RGBA,), {"bins": 10, "range": (20, 120)}),
    Row("histogram", lambda x: counts(x, 8, (0, 1)), (RGBF,), {"bins": 8}),
    Row(
        "histogram", lambda x: counts(x, 32, (-1, 2)), (RGBAF,), {"bins": 32, "range": (-1.0, 2.0)}
    ),
    Row(
        "histogram",
        lambda x: counts(x, 8, (0, 1)),
        (np.array([[0.0, 1.0, np.nan, 2.0, -0.5, 0.5]], np.float32),),
        {"bins": 8},
    ),
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
        lambda x: np.rint(to_codes(x, "bt601", False)),
        (RGB,),
        {"format": "yuv444", "range": "full"},
    ),
    # Pillow and OpenCV compute in whole numbers of 6 to 20 bits and do not round to nearest.
    Row("rgb_to_yuv", pillow_ycbcr, (RGB,), {"format": "yuv444", "range": "full"}, share=0.6),
    Row(
        "rgb_to_yuv",
        lambda x: to_codes(x, "bt709", True) / 255,
        (RGBAF,),
        {"format": "yuv444", "matrix": "bt709"},
    ),
    Row("yuv_to_rgb", decode420, (PLANES,)),
    Row("yuv_to_rgb", lambda x: cv2.cvtColor(x, cv2.COLOR_YUV2RGB_I420), (PLANES4,), share=0.06),
    Row(
        "yuv_to_rgb",
        lambda x: cv2.cvtColor(x, cv2.COLOR_YUV2RGB_NV12),
        (PLANES4,),
        {"format": "nv12"},
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
        lambda x: decode(x * 255.0, 0.2126, 0.0722) / 255,
        (RGBF,),
        {"format": "yuv444", "matrix": "bt709"},
        1e-5,
        1e-5,
    ),
    Row("yuv_to_rgb", pillow_rgb, (RGB,), {"format": "yuv444", "range": "full"}, share=0.4),
]
