"""References for shapes, order along an axis, and conv2d: NumPy and SciPy."""

from __future__ import annotations

import itertools

import numpy as np
import scipy.signal

from parity.row import Row

RNG = np.random.default_rng(11)
F4 = RNG.normal(size=(4, 5, 6, 7)).astype(np.float32)
F2 = RNG.normal(size=(33, 47)).astype(np.float32)
D3 = RNG.normal(size=(3, 8, 5))
U3 = RNG.integers(0, 256, (9, 14, 3), dtype=np.uint8)
S2 = RNG.integers(-99, 99, (12, 31), dtype=np.int32)
L2 = RNG.integers(-(2**40), 2**40, (6, 70))
W1 = RNG.integers(0, 2**32, 500, dtype=np.uint32)
TIES = RNG.integers(-4, 4, (5, 400)).astype(np.float32)
TIES[0, 7] = TIES[1, ::3] = TIES[2, :] = np.nan
TIES[3, 5], TIES[3, 9] = -0.0, np.inf
LONG = RNG.normal(size=(3, 700)).astype(np.float32)
LONG[1, 17] = np.nan
EXACT = {"steps": 0, "share": 0.0, "rtol": 0, "atol": 0}


def exact(kernel, reference, inputs, params=None):
    """A row whose result is the reference's, bit for bit."""
    return Row(kernel, reference, inputs, params or {}, **EXACT)


def order(x, axis, largest):
    """Stable positions in order; NaN counts as largest."""
    key = x.astype(np.float64)
    key = np.where(np.isnan(key), np.finfo(np.float64).max, key)
    return np.argsort(-key if largest else key, axis, kind="stable")


def best(k, axis=-1, largest=True):
    def reference(x):
        places = np.take(order(x, axis, largest), range(k), axis)
        return np.take_along_axis(x, places, axis), places

    return reference


def to_the_right(x, values):
    return np.searchsorted(x, values, "right")


def sorted_down(axis):
    return lambda x: np.take_along_axis(x, order(x, axis, True), axis)


def conv(strides=(1, 1), pads=(0, 0, 0, 0), dilations=(1, 1), groups=1):
    """SciPy's correlation of every channel with a filter spread out by the dilation."""

    def reference(x, weight, bias=None):
        top, left, bottom, right = pads
        padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (top, bottom), (left, right)))
        m, depth, kh, kw = weight.shape
        spread = np.zeros((m, depth, (kh - 1) * dilations[0] + 1, (kw - 1) * dilations[1] + 1))
        spread[:, :, :: dilations[0], :: dilations[1]] = weight
        planes = []
        for n, f in itertools.product(range(len(x)), range(m)):
            first = f // (m // groups) * depth
            image = padded[n, first : first + depth]
            plane = scipy.signal.correlate(image, spread[f], mode="valid")[0]
            planes.append(plane[:: strides[0], :: strides[1]])
        out = np.stack(planes).reshape(len(x), m, *planes[0].shape)
        return out if bias is None else out + bias[:, None, None]

    return reference


def filters(m, depth, *taps):
    return RNG.normal(size=(m, depth, *taps)).astype(np.float32)


X = RNG.normal(size=(2, 6, 13, 17)).astype(np.float32)
PLANE = RNG.normal(size=(1, 1, 40, 70)).astype(np.float32)
BIAS = RNG.normal(size=12).astype(np.float32)
CLOSE = (1e-5, 2e-5)


def different(*asked):
    """What np.unique finds, as the kernel gives it: as long as x, the largest in what is left."""

    def found(x):
        values, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
        left = x.size - len(values)
        out = [np.pad(values, (0, left), mode="edge") if left else values, np.int32(len(values))]
        if "counts" in asked:
            out.append(np.pad(counts, (0, left)).astype(np.int32))
        if "inverse" in asked:
            out.append(inverse.astype(np.int32))
        return tuple(out)

    return found


ROWS = [
    *(
        exact("transpose", lambda x, axes=axes: x.transpose(axes), (F4,), {"axes": axes})
        for axes in [None, (0, 2, 3, 1), (3, 0, 1, 2), (1, 0, 3, 2), (0, 1, 2, 3), (-1, 1, 0, 2)]
    ),
    exact("transpose", np.transpose, (F2,)),
    exact("transpose", lambda x: x.transpose(2, 0, 1), (U3,), {"axes": (2, 0, 1)}),
    exact(
        "transpose",
        lambda x: x.transpose(0, 3, 1, 2),
        (RNG.normal(size=(5, 200, 150, 3)).astype(np.float32),),
        {"axes": (0, 3, 1, 2)},
    ),
    exact("transpose", np.transpose, (U3,)),
    exact("transpose", np.transpose, (D3[:, :1].copy(),)),
    exact("transpose", np.transpose, (W1,)),
    exact("transpose", np.transpose, (F4[:0],)),
    exact("reshape", lambda x: x.reshape(7, 120), (F4,), {"shape": (7, -1)}),
    exact("reshape", lambda x: x.reshape(-1), (U3,), {"shape": -1}),
    exact("reshape", lambda x: x.reshape(()), (F2[:1, 0],), {"shape": ()}),
    exact("reshape", lambda x: x.reshape(3, 0), (F2[:0],), {"shape": (3, 0)}),
    exact("concat", lambda *x: np.concatenate(x), (F2, F2[:1], F2[5:])),
    exact("concat", lambda *x: np.concatenate(x, 1), (F4, F4[:, :0], F4[:, 3:]), {"axis": 1}),
    exact("concat", lambda *x: np.concatenate(x, -1), (U3, U3[..., :1]), {"axis": -1}),
    exact("concat", lambda *x: np.concatenate(x, 1), (F4, F4[::-1]), {"axis": 1}),
    exact("concat", lambda x: x, (L2,)),
    exact("concat", lambda *x: np.concatenate(x), (W1,) * 9),
    exact("slice", lambda x: x[1:], (F4,), {"starts": 1}),
    exact(
        "slice",
        lambda x: x[1::2, :-1, :, -3:0:-1],
        (F4,),
        {
            "starts": (1, None, -3),
            "stops": (None, -1, 0),
            "steps": (2, 1, -1),
            "axes": (0, 1, -1),
        },
    ),
    exact("slice", lambda x: x[2:5, 3:9], (U3,), {"starts": (2, 3), "stops": (5, 9)}),
    exact("slice", lambda x: x[:, 5:5], (S2,), {"starts": 5, "stops": 5, "axes": 1}),
    exact("slice", lambda x: x[::-1], (L2,), {"steps": -1}),
    exact("slice", lambda x: x[-999:999], (W1,), {"starts": -999, "stops": 999}),
    exact("gather", lambda x, i: np.take(x, i, 0), (F2, np.array([3, -1, 0, 3], np.int32))),
    exact("gather", lambda x, i: np.take(x, i, 2), (F4, np.array([[0, -1], [5, 2]])), {"axis": 2}),
    exact(
        "gather",
        lambda x, i: np.take(x, i, -1),
        (U3, np.array([2, 1, 0, 1], np.uint8)),
        {"axis": -1},
    ),
    exact("gather", lambda x, i: np.take(x, i, mode="clip"), (W1, np.array([499, 500, 10**9]))),
    exact("sort", np.sort, (TIES,)),
    exact("sort", lambda x: np.sort(x, 0), (D3,), {"axis": 0}),
    exact("sort", lambda x: np.sort(x, 1), (U3,), {"axis": 1}),
    exact("sort", np.sort, (W1,)),
    exact("sort", sorted_down(-1), (L2,), {"descending": True}),
    exact("sort", sorted_down(1), (TIES,), {"descending": True}),
    exact("sort", lambda x: x, (F2[:0],)),
    exact("argsort", lambda x: np.argsort(x, -1, kind="stable"), (TIES,)),
    exact("argsort", lambda x: np.argsort(x, 0, kind="stable"), (D3,), {"axis": 0}),
    exact("argsort", lambda x: np.argsort(x, 1, kind="stable"), (U3,), {"axis": 1}),
    exact("argsort", lambda x: np.argsort(x, -1, kind="stable"), (LONG,)),
    exact("argsort", lambda x: best(x.shape[-1])(x)[1], (TIES,), {"descending": True}),
    exact("argsort", lambda x: best(x.shape[-1])(x)[1], (L2,), {"descending": True}),
    exact("argsort", lambda x: np.zeros(x.shape, np.int32), (F2[:0],)),
    exact("searchsorted", np.searchsorted, (np.sort(F2[0]), F2)),
    exact("searchsorted", np.searchsorted, (np.sort(TIES[0]), TIES)),
    exact("searchsorted", to_the_right, (np.sort(TIES[0]), TIES), {"right": True}),
    exact("searchsorted", to_the_right, (np.sort(U3.ravel()), U3), {"right": True}),
    exact("unique", different(), (TIES,)),
    exact("unique", different("counts"), (S2,), {"counts": True}),
    exact("unique", different("inverse"), (U3,), {"inverse": True}),
    exact("unique", different("counts", "inverse"), (W1,), {"counts": True, "inverse": True}),
    exact("unique", different("counts", "inverse"), (L2 % 5,), {"counts": True, "inverse": True}),
    exact("unique", different("counts", "inverse"), (F2[:0],), {"counts": True, "inverse": True}),
    exact("top_k", best(1), (S2,), {"k": 1}),
    exact("top_k", best(1), (TIES,), {"k": 1}),
    exact("top_k", best(1, largest=False), (TIES,), {"k": 1, "largest": False}),
    exact("top_k", best(1, 1, largest=False), (U3,), {"k": 1, "axis": 1, "largest": False}),
    exact("top_k", best(7), (TIES,), {"k": 7}),
    exact("top_k", best(9, largest=False), (TIES,), {"k": 9, "largest": False}),
    exact("top_k", best(3), (LONG,), {"k": 3}),
    exact("top_k", best(5, largest=False), (LONG,), {"k": 5, "largest": False}),
    exact("top_k", best(4, 0), (F2,), {"k": 4, "axis": 0}),
    exact("top_k", best(2, 1), (U3,), {"k": 2, "axis": 1}),
    exact("top_k", best(70), (L2,), {"k": 70}),
    Row("conv2d", conv(), (X, filters(12, 6, 3, 3), BIAS), {}, *CLOSE),
    Row("conv2d", conv(), (X, filters(12, 6, 1, 1)), {}, *CLOSE),
    Row("conv2d", conv(pads=(2,) * 4), (PLANE, filters(1, 1, 5, 5)), {"padding": 2}, *CLOSE),
    Row(
        "conv2d",
        conv((2, 2), (3,) * 4, (2, 3)),
        (PLANE, filters(2, 1, 4, 3)),
        {"padding": 3, "stride": 2, "dilation": (2, 3)},
        *CLOSE,
    ),
    Row("conv2d", conv(), (X[:, :1].copy(), filters(2, 1, 5, 3)), {}, *CLOSE),
    Row(
        "conv2d",
        conv((2, 2), (1, 1, 1, 1)),
        (X, filters(8, 6, 3, 3)),
        {"stride": 2, "padding": 1},
        *CLOSE,
    ),
    Row(
        "conv2d",
        conv((2, 1), (2, 0, 1, 3), (1, 2), 2),
        (X, filters(12, 3, 3, 2), BIAS),
        {"stride": (2, 1), "padding": (2, 0, 1, 3), "dilation": (1, 2), "groups": 2},
        *CLOSE,
    ),
    Row(
        "conv2d",
        conv((1, 1), (1, 2, 1, 2), groups=6),
        (X, filters(12, 1, 3, 5), BIAS),
        {"padding": (1, 2), "groups": 6},
        *CLOSE,
    ),
    Row(
        "conv2d",
        conv((3, 3), groups=3),
        (X.astype(np.float64), filters(12, 2, 3, 3).astype(np.float64)),
        {"stride": 3, "groups": 3},
        1e-12,
        1e-12,
    ),
]
