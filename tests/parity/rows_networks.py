"""References for the kernels of networks: pooling, normalisations, transposed convolution, places
between elements, products, activations: NumPy, SciPy and OpenCV. ONNX's own data is in
test_onnx.py."""

from __future__ import annotations

import itertools

import cv2
import numpy as np
import scipy.ndimage
import scipy.special

from parity.row import Row

RNG = np.random.default_rng(31)
X1 = RNG.normal(size=(2, 3, 17)).astype(np.float32)
X2 = RNG.normal(size=(2, 3, 9, 11)).astype(np.float32)
X3 = RNG.normal(size=(1, 2, 5, 6, 7)).astype(np.float32)
U2 = RNG.integers(0, 256, (1, 2, 8, 9), dtype=np.uint8)
S2 = RNG.integers(-(2**31), 2**31, (1, 1, 6, 7)).astype(np.int32)
ODD = np.array(
    [-np.inf, -200, -88, -3, -1, -0.0, 0, 0.5, 1, 3, 88, 200, np.inf, np.nan], np.float32
)
F2 = RNG.normal(size=(7, 33)).astype(np.float32) * 4
W3, BIAS3 = (RNG.normal(size=3).astype(np.float32) for _ in range(2))
CLOSE = (1e-5, 2e-6)


def seen(x, window, stride, pads, dilation, fill):
    """Every window of x, as N x C x counts x window; what is padded is `fill`."""
    rank = len(window)
    pairs = [(0, 0), (0, 0), *((pads[k], pads[k + rank]) for k in range(rank))]
    padded = np.pad(x.astype(np.float64), pairs, constant_values=fill)
    reach = [d * (w - 1) + 1 for d, w in zip(dilation, window, strict=True)]
    views = np.lib.stride_tricks.sliding_window_view(padded, reach, tuple(range(2, 2 + rank)))
    steps = tuple(slice(None, None, s) for s in stride)
    return views[(slice(None), slice(None), *steps, *(slice(None, None, d) for d in dilation))]


def pooled(fold, window, stride=None, pads=None, dilation=None, fill=np.nan):
    rank = len(window)
    stride, pads, dilation = stride or window, pads or (0,) * 2 * rank, dilation or (1,) * rank

    def reference(x):
        return fold(seen(x, window, stride, pads, dilation, fill), tuple(range(-rank, 0)))

    return reference


def normalised(axes, groups=None):
    def reference(x, scale, bias):
        shape = x.shape
        y = x.astype(np.float64) if groups is None else x.reshape(shape[0], groups, -1)
        spread = y.std(axes, keepdims=True) ** 2 + 0.1
        made = ((y - y.mean(axes, keepdims=True)) / np.sqrt(spread)).reshape(shape)
        each = (-1, *(1 for _ in shape[2:]))
        return made * scale.reshape(each) + bias.reshape(each)

    return reference


def spread(stride, pads, more, dilation, groups):
    """A transposed convolution as what it means: each element adds a filter to the result."""

    def reference(x, weight, bias=None):
        rank = x.ndim - 2
        depth, filters = x.shape[1] // groups, weight.shape[1]
        each = zip(stride, x.shape[2:], dilation, weight.shape[2:], more, strict=True)
        sizes = [s * (n - 1) + d * (k - 1) + 1 + m for s, n, d, k, m in each]
        out = np.zeros((x.shape[0], filters * groups, *sizes))
        for place in itertools.product(*map(range, x.shape[2:])):
            for tap in itertools.product(*map(range, weight.shape[2:])):
                to = tuple(p * s + t * d for p, s, t, d in zip(place, stride, tap, dilation,
                                                               strict=True))  # fmt: skip
                for g in range(groups):
                    part = slice(g * depth, (g + 1) * depth)
                    added = x[(slice(None), part, *place)] @ weight[(part, slice(None), *tap)]
                    out[(slice(None), slice(g * filters, (g + 1) * filters), *to)] += added
        cut = tuple(slice(pads[k], sizes[k] - pads[k + rank]) for k in range(rank))
        out = out[(slice(None), slice(None), *cut)]
        return out if bias is None else out + bias.reshape(-1, *(1,) * rank)

    return reference


def overlapping(x):
    """Blocks of 2 x 3 x 3, 2 apart, in 5 x 5 x 4 with a border of 1: added up where they lie."""
    out = np.zeros((1, 3, 7, 7, 6))
    blocks = x.reshape(1, 3, 2, 3, 3, 3, 3, 2)
    for a, b, c in itertools.product(range(3), range(3), range(2)):
        place = (slice(2 * a, 2 * a + 2), slice(2 * b, 2 * b + 3), slice(2 * c, 2 * c + 3))
        out[(slice(None), slice(None), *place)] += blocks[..., a, b, c]
    return out[:, :, 1:-1, 1:-1, 1:-1]


def cropped(x):
    """A part of every plane, which reaches beyond one edge, in 7 x 8; -7 lies outside."""
    ys, xs = (np.linspace(a * (n - 1), b * (n - 1), m)
              for a, b, n, m in ((0.2, 0.9, x.shape[2], 7), (0.3, 1.2, x.shape[3], 8)))  # fmt: skip
    at = np.meshgrid(ys, xs, indexing="ij")
    planes = [scipy.ndimage.map_coordinates(p.astype(np.float64), at, order=1, mode="nearest")
              for p in x.reshape(-1, *x.shape[2:])]  # fmt: skip
    made = np.stack(planes).reshape(*x.shape[:2], 7, 8)
    return np.where(at[1] > x.shape[3] - 1, -7.0, made)


def turned(x, grid, order, mode, corners):
    """SciPy's way to read between elements, at the same places."""
    out = np.empty((*x.shape[:2], *grid.shape[1:-1]))
    sizes = np.array(x.shape[:1:-1])
    at = (grid + 1.0) / 2 * (sizes - 1) if corners else ((grid + 1.0) * sizes - 1) / 2
    for n, c in itertools.product(*map(range, x.shape[:2])):
        places = np.moveaxis(at[n][..., ::-1], -1, 0)
        out[n, c] = scipy.ndimage.map_coordinates(
            x[n, c].astype(np.float64), places, order=order, mode=mode, prefilter=False
        )
    return out


def grid(*shape):
    return RNG.uniform(-1.4, 1.4, shape).astype(np.float32)


def sized(height, width, method):
    """OpenCV's resize of every plane."""

    def reference(x):
        planes = x.reshape(-1, *x.shape[-2:]).astype(np.float64)
        made = [cv2.resize(p, (width, height), interpolation=method) for p in planes]
        return np.stack(made).reshape(*x.shape[:-2], height, width)

    return reference


def corner_to_corner(height, width):
    def reference(x):
        ys, xs = np.linspace(0, x.shape[2] - 1, height), np.linspace(0, x.shape[3] - 1, width)
        at = np.meshgrid(ys, xs, indexing="ij")
        planes = [scipy.ndimage.map_coordinates(p.astype(np.float64), at, order=1)
                  for p in x.reshape(-1, *x.shape[2:])]  # fmt: skip
        return np.stack(planes).reshape(*x.shape[:2], height, width)

    return reference


def leaving(x, alpha=1.0):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0).astype(np.float64)))


def softplus(x):
    return np.logaddexp(x.astype(np.float64), 0)


def hard(x, alpha=0.2, beta=0.5):
    return np.clip(alpha * x.astype(np.float64) + beta, 0, 1)


FINITE = ODD[(ODD > -1e30) & (ODD < 1e30)]
LOW = {"padding": (1, 0, 2, 1), "stride": (2, 3), "dilation": (2, 1)}
P3 = RNG.normal(size=(2, 6, 5, 4)).astype(np.float32)
T2 = RNG.normal(size=(6, 2, 3, 2)).astype(np.float32)

ROWS = [
    Row("max_pool", pooled(np.nanmax, (3, 2), (2, 3), (1, 0, 2, 1), (2, 1)), (X2,),
        {"window": (3, 2), **LOW}, 0, 0),
    Row("max_pool", pooled(np.nanmax, (4,), (2,)), (X1,), {"window": 4, "stride": 2}, 0, 0),
    Row("max_pool", pooled(np.nanmax, (2, 3, 2)), (X3,), {"window": (2, 3, 2)}, 0, 0),
    Row("max_pool", pooled(np.nanmax, (2, 2), (1, 1)), (U2,), {"window": 2, "stride": 1}, tie=0.0),
    Row("max_pool", pooled(np.nanmax, (3, 3), (2, 2), (1,) * 4), (S2,),
        {"window": 3, "stride": 2, "padding": 1}),
    Row("average_pool", pooled(np.nanmean, (3, 2), (2, 3), (1, 0, 2, 1), (2, 1)), (X2,),
        {"window": (3, 2), **LOW}, *CLOSE),
    Row("average_pool", pooled(np.mean, (3,), (1,), (1, 1), fill=0.0), (X1,),
        {"window": 3, "stride": 1, "padding": 1, "padded": True}, *CLOSE),
    Row("average_pool", pooled(np.nanmean, (4, 4), (2, 2), (0, 0, 1, 1)), (X2,),
        {"window": 4, "stride": 2, "ceil": True}, *CLOSE),
    Row("global_max_pool", lambda x: x.max((2, 3), keepdims=True), (X2,)),
    Row("global_average_pool", lambda x: x.mean((2, 3, 4), keepdims=True), (X3,), {}, *CLOSE),
    Row("batch_norm",
        lambda x, w, b, m, v: (x - m.reshape(3, 1, 1)) / np.sqrt(v.reshape(3, 1, 1) + 0.1)
        * w.reshape(3, 1, 1) + b.reshape(3, 1, 1), (X2, W3, BIAS3, BIAS3, W3**2),
        {"eps": 0.1}, *CLOSE),
    Row("instance_norm", normalised((2, 3)), (X2, W3, BIAS3), {"eps": 0.1}, *CLOSE),
    Row("group_norm", normalised((2,), 2), (P3, *(RNG.normal(size=(2, 6)).astype(np.float32))),
        {"groups": 2, "eps": 0.1}, *CLOSE),
    Row("conv_transpose", spread((2, 3), (1, 0, 2, 1), (1, 0), (1, 2), 2),
        (P3, T2, RNG.normal(size=4).astype(np.float32)),
        {"stride": (2, 3), "padding": (1, 0, 2, 1), "more": (1, 0), "dilation": (1, 2),
         "groups": 2}, *CLOSE),
    Row("conv_transpose", spread((3,), (1, 1), (0,), (1,), 1), (X1, T2[:3, :, :, 0].copy()),
        {"stride": 3, "padding": 1}, *CLOSE),
    Row("conv_transpose", spread((1, 2, 1), (0,) * 6, (0, 0, 0), (1, 1, 1), 1),
        (X3, RNG.normal(size=(2, 1, 2, 2, 3)).astype(np.float32)), {"stride": (1, 2, 1)}, *CLOSE),
    Row("fold", overlapping, (RNG.normal(size=(1, 54, 18)).astype(np.float32),),
        {"shape": (5, 5, 4), "window": (2, 3, 3), "stride": (2, 2, 2), "padding": (1,) * 6,
         "dilation": (1, 1, 1)}, *CLOSE),
    Row("grid_sample", lambda x, g: turned(x, g, 1, "grid-constant", False),
        (X2, grid(2, 5, 6, 2)), {}, 1e-4, 1e-5),
    Row("grid_sample", lambda x, g: turned(x, g, 1, "nearest", True), (X2, grid(2, 5, 6, 2)),
        {"outside": "border", "corners": True}, 1e-4, 1e-5),
    Row("grid_sample", lambda x, g: turned(x, g, 1, "reflect", False), (X2, grid(2, 4, 3, 2)),
        {"outside": "reflection"}, 1e-4, 1e-5),
    Row("grid_sample", lambda x, g: turned(x, g, 1, "mirror", True), (X3, grid(1, 2, 3, 4, 3)),
        {"outside": "reflection", "corners": True}, 1e-4, 1e-5),
    Row("grid_sample", lambda x, g: turned(x, g, 0, "nearest", False), (X2, grid(2, 5, 6, 2)),
        {"method": "nearest", "outside": "border"}, 1e-4, 1e-5),
    Row("interpolate", sized(13, 7, cv2.INTER_LINEAR), (X2,),
        {"sizes": (13, 7), "axes": (2, 3)}, 1e-5, 1e-5),
    Row("interpolate", sized(20, 22, cv2.INTER_CUBIC), (X2,),
        {"sizes": (20, 22), "axes": (-2, -1), "method": "cubic"}, 1e-5, 1e-5),
    Row("interpolate", lambda x: x.repeat(2, 2).repeat(3, 3), (X2,),
        {"scales": (1.0, 1.0, 2.0, 3.0), "method": "nearest", "mapping": "asymmetric",
         "nearest": "floor"}, 0, 0),
    Row("interpolate", corner_to_corner(14, 5), (X2,),
        {"sizes": (14, 5), "axes": (2, 3), "mapping": "align_corners"}, 1e-5, 1e-5),
    Row("interpolate", cropped, (X2,),
        {"sizes": (7, 8), "axes": (2, 3), "mapping": "crop_and_resize",
         "region": (0.2, 0.3, 0.9, 1.2), "value": -7.0}, 1e-5, 1e-5),
    Row("reduce_prod", np.prod, (F2[:3, :9],), {}, 1e-5, 0),
    Row("reduce_prod", lambda x: x.prod(0), (F2,), {"axis": 0}, 1e-5, 0),
    Row("reduce_prod", np.prod, (S2,)),
    Row("cumprod", lambda x: x.cumprod(-1), (F2[:, :12],), {}, 1e-5, 0),
    Row("cumprod", lambda x: x.cumprod(0), (np.array([[3, -2], [5, 7], [2, 9]], np.int32),),
        {"axis": 0}),
    Row("log_softmax", lambda x: scipy.special.log_softmax(x.astype(np.float64), -1), (F2,)),
    Row("log_softmax", lambda x: scipy.special.log_softmax(x.astype(np.float64), 1), (X2 * 50,),
        {"axis": 1}, 1e-5, 1e-5),
    Row("elu", leaving, (ODD,)),
    Row("elu", lambda x: leaving(x, 0.7), (F2,), {"alpha": 0.7}),
    Row("selu", lambda x: 1.0507009873554805 * leaving(x, 1.6732632423543772), (ODD,)),
    Row("softplus", softplus, (ODD,)),
    Row("softsign", lambda x: x / (1 + np.abs(x)), (FINITE,)),
    Row("softsign", np.sign, (ODD[[0, 12, 13]],)),
    Row("mish", lambda x: x * np.tanh(softplus(x)), (FINITE,)),
    Row("hard_sigmoid", hard, (ODD,)),
    Row("hard_sigmoid", lambda x: hard(x, 0.5, 0.1), (F2,), {"alpha": 0.5, "beta": 0.1}),
    Row("hard_swish", lambda x: x * hard(x, 1 / 6, 0.5), (FINITE,)),
]  # fmt: skip
