"""References for geometry and composition: OpenCV, Pillow, SciPy and NumPy."""

from __future__ import annotations

import cv2
import numpy as np
import PIL.Image
import scipy.ndimage

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
    each,
)  # fmt: skip

RNG = np.random.default_rng(29)
SMALL = RNG.integers(0, 256, (7, 9, 4), dtype=np.uint8)
SMALLF = RNG.random((6, 5, 4), dtype=np.float32)
PATCH = RNG.integers(0, 256, (8, 11), dtype=np.uint8)
OTHER = RNG.integers(0, 256, RGB.shape, dtype=np.uint8)
OTHERF = RNG.random(RGBAF.shape, dtype=np.float32)
TURN = ((0.8, -0.3, 4.5), (0.25, 1.1, -2.25))
SHIFT = ((1.0, 0.0, 3.0), (0.0, 1.0, -2.0))


def opencv_resize(image, size, method):
    """OpenCV in f64, not rounded."""
    flag = getattr(cv2, f"INTER_{method}")
    wide = image.astype(np.float64) if method != "NEAREST_EXACT" else image

    def one(x):
        out = cv2.resize(x, size[::-1], interpolation=flag)
        return out.reshape(*size, *x.shape[2:])

    return each(wide, one)


def pillow_resize(image, size, method):
    """Pillow channel by channel in f32."""
    planes = np.moveaxis(image.reshape(*image.shape[:2], -1), -1, 0).astype(np.float32)
    flag = getattr(PIL.Image.Resampling, method)
    out = [np.asarray(PIL.Image.fromarray(p).resize(size[::-1], flag)) for p in planes]
    return np.stack(out, -1).reshape(*size, *image.shape[2:])


def coverage(source, target):
    """How much of each source pixel lies under each target pixel, as a matrix, in f64."""
    low = np.arange(target)[:, None] * source / target
    high = (np.arange(target)[:, None] + 1) * source / target
    at = np.arange(source)
    return np.clip(np.minimum(high, at + 1) - np.maximum(low, at), 0, None) * target / source


def covered(image, size):
    rows, columns = coverage(image.shape[0], size[0]), coverage(image.shape[1], size[1])
    return np.einsum("yi,xj,ij...->yx...", rows, columns, image.astype(float))


def scipy_warp(image, matrix, size=None, inverse=False, border="nearest", value=0.0):
    """SciPy in f64: exact positions."""
    full = np.vstack([np.array(matrix, float), [0, 0, 1]])
    back = full if inverse else np.linalg.inv(full)
    swap = np.array([[back[1, 1], back[1, 0]], [back[0, 1], back[0, 0]]])
    offset = [back[1, 2], back[0, 2]]

    def one(x):
        size_of = size or x.shape[:2]
        planes = np.moveaxis(x.reshape(*x.shape[:2], -1), -1, 0)
        out = [
            scipy.ndimage.affine_transform(
                p.astype(float), swap, offset, size_of, order=1, mode=border, cval=value
            )
            for p in planes
        ]
        return np.stack(out, -1).reshape(*size_of, *x.shape[2:])

    return each(image, one)


def opencv_warp(image, matrix, flags=cv2.INTER_NEAREST, border=cv2.BORDER_REPLICATE):
    size = image.shape[1::-1]
    return cv2.warpAffine(image, np.array(matrix), size, flags=flags, borderMode=border)


def over(base, top, x, y, alpha):
    """Porter and Duff's over, by cutting out what lies under top."""
    if base.ndim == 4:
        tops = top if top.ndim == 4 else [top] * len(base)
        return np.stack([over(b, t, x, y, alpha) for b, t in zip(base, tops, strict=True)])
    peak = 255.0 if base.dtype == np.uint8 else 1.0
    h, w = base.shape[:2]
    b = base.reshape(h, w, -1).astype(np.float64) / peak
    t = top.reshape(*top.shape[:2], -1).astype(np.float64) / peak
    rows, columns = slice(max(y, 0), y + len(t)), slice(max(x, 0), x + t.shape[1])
    t = t[max(-y, 0) :, max(-x, 0) :][: h - rows.start, : w - columns.start]
    under = b[rows, columns]
    share = alpha * (t[..., -1:] if t.shape[-1] % 2 == 0 else np.ones_like(t[..., :1]))
    colour = t[..., : t.shape[-1] - (t.shape[-1] % 2 == 0)]
    if b.shape[-1] % 2:
        b[rows, columns] = share * colour + (1 - share) * under
    else:
        rest = under[..., -1:] * (1 - share)
        union = share + rest
        with np.errstate(invalid="ignore"):
            mixed = (share * colour + rest * under[..., :-1]) / union
        mixed = np.where(share > 0, mixed, under[..., :-1])
        b[rows, columns] = np.concatenate([mixed, union], -1)
    return (b * peak).reshape(base.shape)


def pillow_over(base, top):
    under, above = PIL.Image.fromarray(base), PIL.Image.fromarray(top)
    under.alpha_composite(above, (4, 3))
    return np.asarray(under)


def blended(a, b, mode, ratio):
    peak = 255.0 if a.dtype == np.uint8 else 1.0
    x, y = a.astype(np.float64) / peak, b.astype(np.float64) / peak
    m = {"dissolve": y, "multiply": x * y, "screen": 1 - (1 - x) * (1 - y)}.get(mode)
    out = x + ratio * y if m is None else x + ratio * (m - x)
    return out * peak


def model_input(image, size, mean, std, layout, resized=opencv_resize, scale=None):
    peak = 255.0 if image.dtype == np.uint8 else 1.0
    x = (
        image.astype(np.float64)
        if size is None
        else resized(image.astype(np.float64), size, "LINEAR")
    )
    x = x[..., None] if x.ndim == 2 else x[..., : 3 if x.shape[-1] > 2 else 1]
    x = (x / peak - np.array(mean)) / np.array(std)
    x = x if layout.endswith("hwc") else np.moveaxis(x, -1, -3)
    return x[None] if len(layout) == 4 and x.ndim == 3 else x


MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)

ROWS = [
    Row("resize", lambda x: x, (RGBAF,), {"size": RGBAF.shape[1:3]}, 0, 0),
    Row("resize", lambda x: opencv_resize(x, (9, 60), "LINEAR"), (RGBF,), {"size": (9, 60)}, 1e-5),
    Row("resize", lambda x: opencv_resize(x, (33, 33), "LINEAR"), (GREY,), {"size": 33}),
    Row("resize", lambda x: opencv_resize(x, (19, 31), "LINEAR"), (BATCH,), {"size": (19, 31)}),
    Row(
        "resize",
        lambda x: opencv_resize(x, (30, 20), "LINEAR"),
        (RGBD,),
        {"size": (30, 20)},
        1e-5,
        1e-5,
    ),
    Row(
        "resize",
        lambda x: opencv_resize(x, (31, 17), "CUBIC"),
        (RGB,),
        {"size": (31, 17), "method": "bicubic"},
    ),
    Row(
        "resize",
        lambda x: opencv_resize(x, (70, 50), "CUBIC"),
        (GREYF,),
        {"size": (70, 50), "method": "bicubic"},
        1e-5,
        2e-6,
    ),
    Row(
        "resize",
        lambda x: opencv_resize(x, (11, 13), "AREA"),
        (RGB,),
        {"size": (11, 13), "method": "area"},
    ),
    Row(
        "resize",
        lambda x: covered(x, (10, 17)),
        (RGBF,),
        {"size": (10, 17), "method": "area"},
        1e-5,
    ),
    Row(
        "resize",
        lambda x: np.full((1, 1), 255),
        (np.full((3000, 3000), 255, np.uint8),),
        {"size": 1, "method": "area"},
    ),
    Row(
        "resize",
        lambda x: pillow_resize(x, (16, 48), "NEAREST"),
        (RGB,),
        {"size": (16, 48), "method": "nearest"},
    ),
    Row(
        "resize",
        lambda x: opencv_resize(x, (9, 9), "NEAREST_EXACT"),
        (BATCH,),
        {"size": 9, "method": "nearest"},
    ),
    Row(
        "resize",
        lambda x: pillow_resize(x, (11, 13), "BILINEAR"),
        (RGB,),
        {"size": (11, 13), "antialias": True},
    ),
    Row(
        "resize",
        lambda x: pillow_resize(x, (9, 40), "BILINEAR"),
        (RGBF,),
        {"size": (9, 40), "antialias": True},
        1e-5,
    ),
    Row(
        "resize",
        lambda x: pillow_resize(x, (12, 50), "BICUBIC"),
        (GREYF,),
        {"size": (12, 50), "method": "bicubic", "antialias": True},
        1e-5,
        2e-6,
    ),
    # So many weights for each pixel that they are a loop, along one axis and along both.
    Row(
        "resize",
        lambda x: pillow_resize(x, (3, 40), "BILINEAR"),
        (RGBF,),
        {"size": (3, 40), "antialias": True},
        1e-5,
        2e-6,
    ),
    Row(
        "resize",
        lambda x: pillow_resize(x, (2, 3), "BICUBIC"),
        (RGB,),
        {"size": (2, 3), "method": "bicubic", "antialias": True},
    ),
    Row("resize", lambda x: x, (RGB,), {"size": RGB.shape[:2]}),
    Row(
        "resize",
        lambda x: np.broadcast_to(x, (4, 5, 3)),
        (DOT,),
        {"size": (4, 5), "method": "bicubic"},
    ),
    Row("resize", lambda x: opencv_resize(x, (3, 7), "LINEAR"), (LINE,), {"size": (3, 7)}),
    Row(
        "bicubic_scale",
        lambda x: pillow_resize(x, (9, 9), "BICUBIC"),
        (RGBF,),
        {"size": 9, "antialias": True},
        1e-5,
        2e-6,
    ),
    Row("crop", lambda x: x[4:9, 3:13], (RGB,), {"x": 3, "y": 4, "width": 10, "height": 5}),
    Row("crop", lambda x: x[:, 2:, 5:], (BATCH,), {"x": 5, "y": 2}),
    Row("crop", lambda x: x[5:6, 7:8], (GREYF,), {"x": 7, "y": 5, "width": 1, "height": 1}),
    Row("crop", lambda x: x[:0], (GREY,), {"height": 0}),
    Row("flip", lambda x: cv2.flip(x, 1), (RGBA,)),
    Row("flip", lambda x: cv2.flip(x, 0), (GREYF,), {"direction": "vertical"}),
    Row("flip", lambda x: x[:, ::-1, ::-1], (BATCH,), {"direction": "both"}),
    Row("flip", lambda x: x, (EMPTY,)),
    Row("rotate90", np.rot90, (RGBA,)),
    Row("rotate90", lambda x: cv2.rotate(x, cv2.ROTATE_90_CLOCKWISE), (RGB,), {"turns": -1}),
    Row("rotate90", lambda x: np.rot90(x, 2, (1, 2)), (BATCH,), {"turns": 2}),
    Row("rotate90", lambda x: np.rot90(x, 3), (GREYF,), {"turns": 7}),
    Row("rotate90", lambda x: x, (PAIR,), {"turns": 0}),
    Row("rotate90", lambda x: np.rot90(x), (LINE,)),
    Row("warp_affine", lambda x: scipy_warp(x, TURN), (RGB,), {"matrix": TURN}),
    Row("warp_affine", lambda x: scipy_warp(x, TURN), (GREYF,), {"matrix": TURN}, 2e-5, 2e-5),
    Row("warp_affine", lambda x: scipy_warp(x, TURN), (BATCH,), {"matrix": TURN}),
    Row(
        "warp_affine",
        lambda x: opencv_warp(x, SHIFT, cv2.INTER_LINEAR, cv2.BORDER_CONSTANT),
        (RGBA,),
        {"matrix": SHIFT, "border": "constant"},
    ),
    Row(
        "warp_affine",
        lambda x: opencv_warp(x, SHIFT),
        (RGB,),
        {"matrix": SHIFT, "method": "nearest"},
    ),
    Row(
        "warp_affine",
        lambda x: scipy_warp(x, TURN, border="grid-constant", value=0.6),
        (RGBF,),
        {"matrix": TURN, "border": "constant", "value": 0.6},
        2e-5,
        2e-5,
    ),
    # OpenCV places samples in steps of 1/32 of a pixel.
    Row(
        "warp_affine",
        lambda x: opencv_warp(x, TURN, cv2.INTER_LINEAR),
        (RGBF,),
        {"matrix": TURN},
        0,
        0.04,
    ),
    Row("warp_affine", lambda x: x, (DOT,), {"matrix": (2, 0, 0, 0, 2, 0)}),
    Row("overlay_alpha", lambda b, t: over(b, t, 5, 3, 1.0), (RGB, SMALL), {"x": 5, "y": 3}),
    Row(
        "overlay_alpha",
        lambda b, t: over(b, t, -4, 17, 0.6),
        (RGBA, SMALL),
        {"x": -4, "y": 17, "alpha": 0.6},
    ),
    # Pillow composes in whole numbers of 7 more bits and truncates colours on the way.
    Row("overlay_alpha", pillow_over, (RGBA, SMALL), {"x": 4, "y": 3}, steps=1, share=0.01),
    Row("overlay_alpha", lambda b, t: over(b, t, 4, 3, 1.0), (RGBA, SMALL), {"x": 4, "y": 3}),
    Row("overlay_alpha", lambda b, t: over(b, t, 0, 0, 0.5), (RGB, PATCH), {"alpha": 0.5}),
    Row(
        "overlay_alpha",
        lambda b, t: over(b, t, 2, 1, 0.5),
        (RGBAF, SMALLF),
        {"x": 2, "y": 1, "alpha": 0.5},
        1e-5,
    ),
    Row(
        "overlay_alpha",
        lambda b, t: over(b, t, 6, -3, 0.25),
        (GREY, PATCH),
        {"x": 6, "y": -3, "alpha": 0.25},
    ),
    Row("overlay_alpha", lambda b, t: over(b, t, 0, 0, 0.43), (RGB, PATCH), {"alpha": 0.43}),
    Row(
        "overlay_alpha",
        lambda b, t: over(b, t, 1, 1, 1.0),
        (BATCH, np.stack([SMALL[:5]] * 3)),
        {"x": 1, "y": 1},
    ),
    Row("overlay_alpha", lambda b, t: b, (RGB, SMALL), {"x": 500, "y": 3}),
    Row("video_mix", lambda a, b: cv2.addWeighted(a, 0.5, b, 0.5, 0), (RGB, OTHER), tie=0),
    Row("video_mix", lambda a, b: blended(a, b, "dissolve", 0.2), (RGBAF, OTHERF), {"ratio": 0.2}),
    Row(
        "video_mix",
        lambda a, b: cv2.addWeighted(a, 1, b, 0.75, 0),
        (RGB, OTHER),
        {"mode": "add", "ratio": 0.75},
    ),
    Row(
        "video_mix",
        lambda a, b: cv2.multiply(a, b, scale=1 / 255),
        (RGB, OTHER),
        {"mode": "multiply", "ratio": 1.0},
    ),
    Row(
        "video_mix",
        lambda a, b: blended(a, b, "screen", 0.7),
        (RGB, OTHER),
        {"mode": "screen", "ratio": 0.7},
    ),
    Row(
        "video_mix",
        lambda a, b: blended(a, b, "screen", 1.0),
        (RGBAF, OTHERF),
        {"mode": "screen", "ratio": 1},
        1e-5,
    ),
    Row(
        "video_mix",
        lambda a, b: blended(a, b, "screen", 0.5),
        (RGB, OTHER),
        {"mode": "screen", "ratio": 0.5},
    ),
    Row("video_mix", lambda a, b: a, (EMPTY, EMPTY)),
    Row(
        "preprocess",
        lambda x: model_input(x, (16, 12), MEAN, STD, "nchw"),
        (RGB,),
        {"size": (16, 12), "antialias": False},
        1e-5,
        1e-5,
    ),
    Row(
        "preprocess",
        lambda x: model_input(x, None, MEAN, STD, "nhwc"),
        (RGBA,),
        {"layout": "nhwc"},
        1e-5,
        1e-5,
    ),
    Row(
        "preprocess",
        lambda x: model_input(x, None, 0.0, 1.0, "nchw"),
        (BATCH,),
        {"normalize": False},
        1e-5,
    ),
    Row(
        "preprocess",
        lambda x: model_input(x, (9, 9), 0.5, 0.25, "hwc"),
        (GREYF,),
        {"size": 9, "antialias": False, "mean": 0.5, "std": 0.25, "layout": "hwc"},
        1e-5,
        1e-5,
    ),
    Row(
        "preprocess",
        lambda x: model_input(x, None, 0.449, 0.226, "chw"),
        (GREY,),
        {"layout": "chw"},
        1e-5,
        1e-5,
    ),
    Row(
        "preprocess",
        lambda x: model_input(
            x, (10, 8), MEAN, STD, "nchw", lambda i, s, _: pillow_resize(i, s, "BILINEAR")
        ),
        (RGBF,),
        {"size": (10, 8)},
        1e-5,
        1e-5,
    ),
]
