"""References for arithmetic, activations, reductions, matmul and the first image kernels."""

from __future__ import annotations

import cv2
import numpy as np
import scipy.ndimage
import scipy.special

from parity.row import Row

RNG = np.random.default_rng(5)
F1 = RNG.normal(size=1000).astype(np.float32)
F2 = RNG.normal(size=(37, 61)).astype(np.float32)
G2 = RNG.normal(size=(37, 61)).astype(np.float32)
F3 = RNG.normal(size=(5, 17, 9)).astype(np.float32)
D2 = RNG.normal(size=(13, 29))
S2 = RNG.integers(-50, 50, (11, 23), dtype=np.int32)
L1 = RNG.integers(-(10**12), 10**12, 77)
U1 = RNG.integers(0, 2**32, 77, dtype=np.uint32)
RGBA = RNG.integers(0, 256, (33, 47, 4), dtype=np.uint8)
RGB = RNG.integers(0, 256, (20, 31, 3), dtype=np.uint8)
GREY = RNG.integers(0, 256, (40, 26), dtype=np.uint8)
RGBF = RNG.random((21, 18, 3), dtype=np.float32)
BATCH = RNG.integers(0, 256, (3, 12, 15, 3), dtype=np.uint8)
NAN = np.array([[1, np.nan, 3, 3], [5, 5, -np.inf, np.inf], [0, -0.0, 2, 2]], np.float32)


def opencv_blur(image, radius, sigma):
    """OpenCV in f64, not rounded."""
    size = 2 * radius + 1
    taps = cv2.getGaussianKernel(size, sigma, cv2.CV_64F)
    return cv2.sepFilter2D(
        image.astype(np.float64), -1, taps, taps, borderType=cv2.BORDER_REPLICATE
    )


def opencv_sharpen(image, amount):
    taps = np.array([[0, -1, 0], [-1, 4, -1], [0, -1, 0]], np.float64) * amount
    taps[1, 1] += 1
    out = cv2.filter2D(image.astype(np.float64), -1, taps, borderType=cv2.BORDER_REPLICATE)
    if image.ndim == 3 and image.shape[2] == 4:
        out[..., 3] = image[..., 3]
    return out


def scipy_blur(image, radius, sigma):
    return scipy.ndimage.gaussian_filter(
        image.astype(np.float64), (0, sigma, sigma, 0), radius=radius, mode="nearest"
    )


def luma(image):
    return image[..., :3] @ np.array([0.299, 0.587, 0.114])


def layer_norm(x, scale=1.0, bias=0.0, eps=1e-5):
    x = x.astype(np.float64)
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) * scale + bias


ROWS = [
    Row("elementwise_add", np.add, (F2, G2)),
    Row("elementwise_add", np.add, (F2, F2[0])),
    Row("elementwise_add", np.add, (F3, F3[:, :1])),
    Row("elementwise_add", np.add, (F2[:, :1].copy(), F2[:1])),
    Row("elementwise_add", np.add, (S2, S2)),
    Row("elementwise_add", np.add, (L1, L1)),
    Row("elementwise_add", np.add, (U1, U1)),
    Row("elementwise_add", np.add, (D2, D2)),
    Row("elementwise_add", cv2.add, (GREY, GREY)),  # saturates, as OpenCV does
    Row("elementwise_sub", cv2.subtract, (GREY, 255 - GREY)),
    Row("elementwise_sub", np.subtract, (F2, G2)),
    Row("elementwise_mul", np.multiply, (F2, G2)),
    Row("elementwise_mul", np.multiply, (S2, S2)),
    Row("elementwise_div", np.divide, (F2, G2)),
    Row("elementwise_div", np.divide, (S2, np.where(S2 == 0, 3, S2).astype(np.int32))),
    Row("scalar_mul", lambda x: x * 2.5, (F2,), {"scalar": 2.5}),
    Row("scalar_mul", lambda x: x * 3, (S2,), {"scalar": 3}),
    Row("scalar_add", lambda x: x + 0.5, (F1,), {"scalar": 0.5}),
    Row("clamp", lambda x: np.clip(x, -0.5, 0.25), (F2,), {"min": -0.5, "max": 0.25}),
    Row("clamp", lambda x: np.clip(x, -3, 9), (S2,), {"min": -3, "max": 9}),
    Row("abs", np.abs, (F2,)),
    Row("abs", np.abs, (S2,)),
    Row("neg", np.negative, (F2,)),
    Row("exp", np.exp, (F2,)),
    Row("exp", np.exp, (D2,), {}, 1e-14, 0),
    Row("log", np.log, (np.abs(F2),)),
    Row("sqrt", np.sqrt, (np.abs(F2),)),
    Row("pow", lambda x: x**1.7, (np.abs(F2),), {"exponent": 1.7}),
    Row("pow", lambda x: x**3.0, (F2,), {"exponent": 3}),
    Row("minimum", np.minimum, (F2, G2)),
    Row("maximum", np.maximum, (NAN, NAN[::-1].copy())),
    Row("where", lambda c, a, b: np.where(c, a, b), ((F2 > 0).astype(np.uint8), F2, G2)),
    Row("cast", lambda x: x.astype(np.float64), (F2,), {"dtype": "f64"}),
    Row("relu", lambda x: np.maximum(x, 0), (F2,)),
    Row("relu", lambda x: np.where(x > 0, x, 0.1 * x), (F2,), {"slope": 0.1}),
    Row("relu", lambda x: np.maximum(x, 0), (S2,)),
    Row("sigmoid", scipy.special.expit, (F2 * 8,)),
    Row("tanh", np.tanh, (F2,)),
    Row("gelu", lambda x: x * scipy.special.ndtr(x.astype(np.float64)), (F2,), {}, 4e-6),
    Row("silu", lambda x: x * scipy.special.expit(x), (F2 * 5,)),
    Row("softmax", lambda x: scipy.special.softmax(x, -1), (F2 * 4,)),
    Row("softmax", lambda x: scipy.special.softmax(x, 0), (F2,), {"axis": 0}),
    Row("softmax", lambda x: scipy.special.softmax(x, 1), (F3,), {"axis": 1}),
    Row("softmax", lambda x: scipy.special.softmax(x, -1), (D2,), {}, 1e-12, 0),
    Row("layer_norm", layer_norm, (F2,), {}, 1e-5, 1e-6),
    Row("layer_norm", layer_norm, (F2, F1[:61], F1[61:122]), {}, 1e-5, 1e-6),
    Row("layer_norm", lambda x: layer_norm(x, eps=0.1), (F3,), {"eps": 0.1}, 1e-5, 1e-6),
    Row("reduce_sum", np.sum, (F2,), {}, 1e-5, 1e-5),
    Row("reduce_sum", lambda x: x.sum(0), (F2,), {"axis": 0}, 1e-5, 1e-5),
    Row("reduce_sum", lambda x: x.sum(-1), (F2,), {"axis": -1}, 1e-5, 1e-5),
    Row(
        "reduce_sum",
        lambda x: x.sum(1, keepdims=True),
        (F3,),
        {"axis": 1, "keepdims": True},
        1e-5,
        1e-5,
    ),
    Row("reduce_sum", lambda x: x.sum((0, 2)), (F3,), {"axis": (0, 2)}, 1e-5, 1e-5),
    Row("reduce_sum", np.sum, (S2,)),
    Row("reduce_sum", np.sum, (L1,)),
    Row("reduce_max", np.max, (F2,)),
    Row("reduce_max", lambda x: x.max(1), (NAN,), {"axis": 1}),
    Row("reduce_max", lambda x: x.max(0), (GREY,), {"axis": 0}),
    Row("reduce_min", lambda x: x.min(0), (F3,), {"axis": 0}),
    Row("reduce_min", np.min, (S2,)),
    Row("reduce_mean", np.mean, (F2,), {}, 1e-5, 1e-6),
    Row("reduce_mean", lambda x: x.mean(-1), (S2,), {"axis": -1}, 1e-5),
    Row("argmax", np.argmax, (F2,)),
    Row("argmax", lambda x: x.argmax(0), (F2,), {"axis": 0}),
    Row("argmax", lambda x: x.argmax(1), (NAN,), {"axis": 1}),
    Row("argmin", lambda x: x.argmin(-1), (F3,), {"axis": -1}),
    Row("argmin", np.argmin, (S2,)),
    Row("cumsum", lambda x: x.cumsum(-1), (F2,), {}, 1e-5, 1e-5),
    Row("cumsum", lambda x: x.cumsum(0), (S2,), {"axis": 0}),
    Row("sort", np.sort, (NAN,)),
    Row("sort", lambda x: np.sort(x, 0)[::-1], (S2,), {"axis": 0, "descending": True}),
    Row(
        "top_k",
        lambda x: (np.sort(x, -1)[:, ::-1][:, :5], np.argsort(-x, -1, kind="stable")[:, :5]),
        (F2,),
        {"k": 5},
    ),
    Row("matmul", np.matmul, (F2, G2.T.copy()), {}, 1e-5, 1e-5),
    Row("matmul", np.matmul, (D2, D2.T.copy()), {}, 1e-12, 1e-12),
    Row("matmul", np.matmul, (F3, F3.transpose(0, 2, 1).copy()), {}, 1e-5, 1e-5),
    Row("matmul", np.matmul, (F3, F3[0].T.copy()), {}, 1e-5, 1e-5),
    Row("matmul", np.matmul, (S2, S2.T.copy())),
    Row("grayscale", luma, (RGBA,)),
    Row("grayscale", luma, (RGBF,)),
    Row("grayscale", luma, (BATCH,)),
    Row("grayscale", lambda x: x, (GREY,)),
    Row("gaussian_blur", lambda x: opencv_blur(x, 3, 1.5), (RGBA,), {"radius": 3, "sigma": 1.5}),
    Row("gaussian_blur", lambda x: opencv_blur(x, 3, 1.4), (RGBF,)),
    Row("gaussian_blur", lambda x: opencv_blur(x, 9, 4.0), (GREY,), {"radius": 9, "sigma": 4.0}),
    Row("gaussian_blur", lambda x: opencv_blur(x, 30, 9.5), (RGBF,), {"radius": 30}),
    Row(
        "gaussian_blur",
        lambda x: opencv_blur(x, 130, 50.0),
        (RGBF,),
        {"radius": 130, "sigma": 50.0},
    ),
    Row("gaussian_blur", lambda x: scipy_blur(x, 2, 1.0), (BATCH,), {"radius": 2, "sigma": 1.0}),
    Row("gaussian_blur", lambda x: x, (RGB,), {"radius": 0, "sigma": 1.0}),
    Row("sharpen", lambda x: opencv_sharpen(x, 0.5), (RGBA,), {"amount": 0.5}),
    Row("sharpen", lambda x: opencv_sharpen(x, 1.0), (GREY,)),
    Row("sharpen", lambda x: opencv_sharpen(x, 0.25), (RGBF,), {"amount": 0.25}),
]
