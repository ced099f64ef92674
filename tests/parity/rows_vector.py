"""References for vectors: scipy.spatial.distance in f64, and NumPy for codes."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from parity.row import Row

RNG = np.random.default_rng(13)
Q = RNG.normal(size=(7, 33)).astype(np.float32)
DB = RNG.normal(size=(90, 33)).astype(np.float32)
DB[3], DB[4] = Q[2], Q[1] * np.float32(1 + 1e-4)  # equal, and so near that a product cancels
DB[5] = 0
WIDE = (RNG.normal(size=(2, 300)) * 100 + 1000).astype(np.float32)
FAR = (RNG.normal(size=(700, 300)) * 100 + 1000).astype(np.float32)
CODES = RNG.integers(0, 2**32, (6, 5), dtype=np.uint32)
BYTES = RNG.integers(0, 256, (40, 9), dtype=np.uint8)


def distance(metric):
    return lambda q, x: cdist(q.astype(np.float64), x.astype(np.float64), metric)


def cosine(q, x):
    with np.errstate(all="ignore"):
        return np.nan_to_num(1 - distance("cosine")(q, x))


def nearest(k):
    def reference(q, x):
        every = distance("euclidean")(q, x)
        places = np.argsort(every, 1, kind="stable")[:, :k]
        return np.take_along_axis(every, places, 1), places

    return reference


def bits(codes):
    return np.unpackbits(np.ascontiguousarray(codes).view(np.uint8), axis=-1)


def differing(q, x):
    width = bits(q).shape[1]
    return np.rint(cdist(bits(q), bits(x), "hamming") * width)


def packed(x, threshold=0.0):
    room = [(0, 0)] * (x.ndim - 1) + [(0, -x.shape[-1] % 32)]
    flags = np.pad(x > threshold, room)
    return np.packbits(flags, axis=-1, bitorder="little").view(np.uint32)


def int8_codes(x):
    """Codes before rounding, negative ones in two's complement, and scales."""
    scale = np.abs(x.astype(np.float64)).max(-1) / 127
    codes = x / np.where(scale > 0, scale, 1)[..., None]
    return np.where(codes < -0.5, codes + 256, codes), scale


def unit(x):
    length = np.linalg.norm(x.astype(np.float64), axis=-1, keepdims=True)
    return x / np.where(length > 0, length, 1)


ROWS = [
    Row("l2_distance", distance("euclidean"), (Q, DB), {}, 2e-5, 1e-8),
    Row("l2_distance", distance("euclidean"), (WIDE, FAR), {}, 1e-4, 0),
    Row("l2_distance", distance("euclidean"), (Q.astype(float), DB.astype(float)), {}, 1e-12, 0),
    Row("l2_distance", distance("euclidean"), (Q[:1, :1], DB[:1, :1])),
    Row("cosine_similarity", cosine, (Q, DB), {}, 1e-5, 1e-6),
    Row("cosine_similarity", cosine, (Q.astype(float), DB.astype(float)), {}, 1e-12, 1e-14),
    Row("dot", lambda q, x: q @ x.T, (Q, DB), {}, 1e-5, 1e-5),
    Row("dot", lambda q, x: q @ x.T, (Q.astype(float), DB.astype(float)), {}, 1e-12, 1e-12),
    Row("l1", distance("cityblock"), (Q, DB), {}, 1e-5),
    Row("l1", distance("cityblock"), (WIDE, FAR[:50]), {}, 1e-5),
    Row("linf", distance("chebyshev"), (Q, DB), {}, 1e-6),
    Row("linf", distance("chebyshev"), (Q.astype(float), DB.astype(float)), {}, 1e-14, 0),
    Row("hamming", differing, (CODES, CODES[::-1].copy())),
    Row("hamming", differing, (BYTES[:3], BYTES)),
    Row("normalize", unit, (DB,)),
    Row("normalize", lambda x: unit(x.T).T, (Q,), {"axis": 0}),
    Row("l2_top_k", nearest(1), (Q, DB), {"k": 1}, 2e-5, 1e-8),
    Row("l2_top_k", nearest(10), (Q, DB), {"k": 10}, 2e-5, 1e-8),
    Row("l2_top_k", nearest(90), (Q, DB), {"k": 90}, 2e-5, 1e-8),
    Row("l2_top_k", nearest(5), (WIDE, FAR), {"k": 5}, 1e-5, 0),
    Row("quantize_int8", int8_codes, (DB,), {}, 1e-6, 0),
    Row("quantize_int8", int8_codes, (RNG.normal(size=(2, 3, 40)),), {}, 1e-14, 0, tie=1e-9),
    Row("dequantize_int8", lambda c, s: c.view(np.int8) * s[:, None],
        (BYTES, np.abs(Q.reshape(-1)[:40]))),
    Row("quantize_binary", packed, (DB,)),
    Row("quantize_binary", lambda x: packed(x, 0.5), (RNG.normal(size=(2, 3, 64)),),
        {"threshold": 0.5}),
    Row("quantize_binary", lambda x: packed(x, 100), (BYTES,), {"threshold": 100}),
]  # fmt: skip
