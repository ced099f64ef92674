"""References for colour: NumPy in f64, OpenCV, Pillow and SciPy."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

import cv2
import numpy as np
import PIL.Image
import PIL.ImageFilter
import scipy.interpolate
import scipy.ndimage
from scipy.spatial.distance import cdist

from parity.row import Between, Row
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
)  # fmt: skip
from parity.rows_yuv import analog

RNG = np.random.default_rng(23)
SEPIA = np.array([[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]])
FOLDER = Path(tempfile.mkdtemp(prefix="treadle-cube-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def with_alpha(image, colours):
    """New colours with the alpha that was there."""
    out = colours
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
    return cv2.addWeighted(image.astype(np.float64), contrast, image.astype(np.float64), 0, beta)


def saturated(image, amount):
    grey = luma(image)[..., None]
    return with_alpha(image, grey + amount * (image[..., :3] - grey))


def toned(image, amount):
    x = image[..., :3].astype(np.float64)
    return with_alpha(image, x + amount * (x @ SEPIA.T - x))


def opencv_sepia(image):
    return cv2.transform(image.astype(np.float64), SEPIA)


def poster(image, levels):
    """SciPy's nearest of so many tones."""
    peak = 255.0 if image.dtype == np.uint8 else 1.0
    tones = np.linspace(0, peak, levels)
    nearest = scipy.interpolate.interp1d(
        tones, tones, kind="nearest", bounds_error=False, fill_value="extrapolate"
    )
    return with_alpha(image, nearest(image.astype(np.float64)))


def vignetted(image, amount, radius, softness):
    """SciPy's distances on a grid twice as fine, whose middle is always a point, and its splines:
    the cubic from 0 to 1 that is level at both ends."""
    height, width = image.shape[1:3] if image.ndim == 4 else image.shape[:2]
    grid = np.ones((2 * height - 1, 2 * width - 1))
    grid[height - 1, width - 1] = 0
    far = scipy.ndimage.distance_transform_edt(grid)[::2, ::2]
    ramp = scipy.interpolate.CubicHermiteSpline([0, 1], [0, 1], [0, 0])
    dark = amount * ramp(np.clip((far / max(far[0, 0], 1e-30) - radius) / softness, 0, 1))
    return with_alpha(image, image * (1 - (dark if image.ndim == 2 else dark[..., None])))


def keyed(image, color, threshold, softness, matrix="bt601", blur=0.0):
    """The distance of chroma as SciPy measures it, through a ramp as np.interp draws it. `blur` is
    how far the distance may be off where the ramp is a step."""
    peak = 255.0 if image.dtype == np.uint8 else 1.0
    x = image.astype(np.float64) / peak
    points, key = (c[..., 1:].reshape(-1, 2) for c in (analog(x, matrix), analog(color, matrix)))
    far = cdist(points, key).reshape(image.shape[:-1])
    whole = (x[..., 3] if image.shape[-1] == 4 else 1) * peak

    def drawn(far):
        share = np.interp(far, [threshold, threshold + softness], [0, 1])
        share = share if softness else np.where(far > threshold, 1.0, 0.0)
        return np.concatenate([image[..., :3], (share * whole)[..., None]], axis=-1)

    return Between(drawn(far - blur), drawn(far + blur)) if blur else drawn(far)


def opencv_keyed(image, color, threshold, softness):
    """OpenCV's Cr and Cb of floats, which it computes with factors of three digits."""
    key = np.array(color, np.float32).reshape(1, 1, 3)
    found = cv2.cvtColor(image, cv2.COLOR_RGB2YCrCb) - cv2.cvtColor(key, cv2.COLOR_RGB2YCrCb)
    share = np.clip((np.hypot(found[..., 1], found[..., 2]) - threshold) / softness, 0, 1)
    return np.concatenate([image, share[..., None]], axis=-1)


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
    return found[..., 0] if image.ndim == 2 else with_alpha(image, found)


def latticed(image, table, low=0.0, high=1.0):
    peak = 255.0 if image.dtype == np.uint8 else 1.0
    grid = [np.linspace(low, high, n) for n in table.shape[:3]]
    look = scipy.interpolate.RegularGridInterpolator(grid, table.astype(np.float64))
    points = np.clip(image[..., 2::-1].astype(np.float64) / peak, low, high)
    return with_alpha(image, look(points) * peak)


def pillow_cube(image, _):
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
    Row("posterize", lambda x: poster(x, 4), (RGB,)),
    Row("posterize", lambda x: poster(x, 7), (RGBA,), {"levels": 7}),
    Row("posterize", lambda x: poster(x, 2), (BATCH,), {"levels": 2}),
    Row("posterize", lambda x: poster(x, 3), (GREYF,), {"levels": 3}),
    Row("posterize", lambda x: poster(x, 5), (RGBAF,), {"levels": 5}),
    Row("posterize", lambda x: poster(x, 6), (PAIR,), {"levels": 6}),
    Row("posterize", lambda x: x, (GREY,), {"levels": 256}),
    Row("posterize", lambda x: x, (EMPTY,)),
    Row("chroma_key", lambda x: keyed(x, (0, 1, 0), 0.2, 0.1), (RGB,)),
    Row(
        "chroma_key",
        lambda x: keyed(x, (0, 0, 1), 0.3, 0.5),
        (RGBA,),
        {"color": (0, 0, 1), "threshold": 0.3, "softness": 0.5},
    ),
    Row(
        "chroma_key",
        lambda x: keyed(x, (0.1, 0.8, 0.3), 0.1, 0.4, "bt709"),
        (RGBF,),
        {"color": (0.1, 0.8, 0.3), "threshold": 0.1, "softness": 0.4, "matrix": "bt709"},
        1e-5,
    ),
    Row(
        "chroma_key",
        lambda x: keyed(x, (0, 1, 0), 0.35, 0.0, blur=1e-6),
        (BATCH,),
        {"threshold": 0.35, "softness": 0},
    ),
    Row(
        "chroma_key",
        lambda x: opencv_keyed(x, (0.1, 0.8, 0.3), 0.1, 0.4),
        (RGBF,),
        {"color": (0.1, 0.8, 0.3), "threshold": 0.1, "softness": 0.4},
        0,
        1.5e-3,
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
    # Pillow computes with 15 bits or so and does not round to nearest.
    Row("lut_apply", pillow_cube, (RGB, CUBE), steps=1, share=0.02),
    Row(
        "lut_apply",
        lambda x: curved(x, CURVES, -0.25, 0.75),
        (RGBAF,),
        {"file": FILE_1D},
        1e-5,
        1e-5,
    ),
    Row("lut_apply", lambda x: curved(x, CURVES, -0.25, 0.75), (RGBA,), {"file": FILE_1D}),
    Row("histogram", opencv_counts, (RGB,)),
    Row("histogram", counts, (GREY,)),
    Row("histogram", counts, (BATCH,)),
    Row("histogram", lambda x: counts(x, 16), (RGBA,), {"bins": 16}),
    Row("histogram", lambda x: counts(x, 3000), (RGBA,), {"bins": 3000}),
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
]
