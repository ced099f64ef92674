"""Shape, linear algebra, audio and vector kernels: what they refuse, and edge shapes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import treadle
from bound import evaluate
from treadle.errors import LaunchError
from treadle.kernels import vector
from treadle.lang import registry
from treadle.passes.fuse import fuse

X = np.zeros((4, 5, 6), np.float32)
IMAGE, FILTERS = np.zeros((1, 4, 8, 8), np.float32), np.zeros((6, 4, 3, 3), np.float32)
SOUND = np.zeros((100, 2), np.float32)
WHOLE = np.zeros((100, 2), np.int32)
ROWS = np.zeros((3, 8), np.float32)
NAN = math.nan

REFUSED = [
    ("transpose", [X], {"axes": (0, 1)}, r"axes must be a permutation of 0 to 2"),
    ("transpose", [X], {"axes": (0, 0, 1)}, r"got \(0, 0, 1\)"),
    ("transpose", [X], {"axes": (0, 1, 3)}, "axes"),
    ("transpose", [X], {"axes": (0, 1, 2.0)}, "axes must be integers"),
    ("reshape", [X], {"shape": (7, -1)}, r"shape must hold the 120 elements"),
    ("reshape", [X], {"shape": (-1, -1)}, "-1 at most once"),
    ("reshape", [X], {"shape": (119,)}, "120 elements"),
    ("reshape", [X], {}, "needs the parameter 'shape'"),
    ("concat", [], {}, "1 or more inputs"),
    ("concat", [X, X[:, :2]], {}, "input 1 must be f32"),
    ("concat", [X, X.astype(np.float64)], {}, "got f64"),
    ("concat", [X], {"axis": 3}, "axis must be -3 to 2, got 3"),
    ("concat", [X], {"axis": True}, "axis"),
    ("slice", [X], {"starts": (0, 1), "stops": (1,)}, "stops must have 2 entries"),
    ("slice", [X], {"starts": 0, "steps": 0}, "steps must be other than 0"),
    ("slice", [X], {"starts": 0.5}, "whole numbers"),
    ("slice", [X], {"starts": (0, 0), "axes": (1, -2)}, "axes must be different"),
    ("slice", [X], {"starts": 0, "axes": 7}, "axes must be"),
    ("gather", [X, X[0, 0]], {}, "indices must be s32, s64, u32, u8, s8, s16 or u16, got f32"),
    ("gather", [X, np.zeros(2, np.int32)], {"axis": -4}, "axis"),
    ("gather", [X[:0], np.zeros(2, np.int32)], {}, "empty"),
    ("sort", [X], {"axis": 3}, "axis must be -3 to 2"),
    ("top_k", [X], {"k": 7}, "k must be 1 to 6, the size of axis 2, got 7"),
    ("top_k", [X], {"k": 0}, "k must be"),
    ("top_k", [X], {"k": 2.0}, "k must be"),
    ("top_k", [np.float32(1)], {"k": 1}, "single element"),
    ("conv2d", [IMAGE, FILTERS], {"stride": 0}, "stride must be an integer of at least 1"),
    ("conv2d", [IMAGE, FILTERS], {"padding": (1, 2, 3)}, "2 or 4 of them"),
    ("conv2d", [IMAGE, FILTERS], {"padding": -1}, "at least 0"),
    ("conv2d", [IMAGE, FILTERS], {"dilation": 1.5}, "dilation"),
    ("conv2d", [IMAGE, FILTERS], {"dilation": 4}, "does not fit"),
    ("conv2d", [IMAGE, FILTERS], {"groups": 2}, "needs 8 channels"),
    ("conv2d", [IMAGE, FILTERS], {"groups": 0}, "groups"),
    ("conv2d", [IMAGE[0], FILTERS], {}, "N x C x H x W"),
    ("conv2d", [IMAGE, FILTERS.astype(np.float64)], {}, "weight must be f32"),
    ("conv2d", [IMAGE.astype(np.uint8), FILTERS], {}, "x must be f32, f64, f16 or bf16, got u8"),
    ("conv2d", [IMAGE, FILTERS, FILTERS[0, 0, 0]], {}, r"bias must have shape \(6,\)"),
    ("gain", [WHOLE], {"db": 1.0}, "audio must be f32 or f64, got s32"),
    ("gain", [SOUND], {"db": NAN}, "'db' must be -300.0 to 300.0"),
    ("pcm_mix", [SOUND, SOUND], {"gains": (1.0,)}, "gains must be 2 finite numbers"),
    ("pcm_mix", [SOUND], {"gains": (NAN,)}, "gains"),
    ("pcm_mix", [SOUND, SOUND[:, :1]], {}, "input 1 must be f32 with the channels"),
    ("pcm_mix", [X], {}, "frames x channels"),
    ("pcm_normalize", [SOUND], {"target_db": NAN}, "target_db"),
    ("biquad_filter", [SOUND], {"kind": "lowpass"}, "one of 'low', 'high', 'band'"),
    ("biquad_filter", [SOUND], {"frequency": 24000}, "below 24000.0, half the sample_rate"),
    ("biquad_filter", [SOUND], {"frequency": 0}, "above 0"),
    ("biquad_filter", [SOUND], {"frequency": NAN}, "frequency"),
    ("biquad_filter", [SOUND], {"q": 0}, "'q' must be 0.001 to 1000.0, got 0"),
    ("biquad_filter", [SOUND], {"sample_rate": 0}, "sample_rate"),
    ("fft_convolve", [SOUND, SOUND], {"wet": 1.5}, "'wet' must be 0.0 to 1.0, got 1.5"),
    ("fft_convolve", [SOUND, SOUND[:0]], {}, "at least one frame"),
    ("fft_convolve", [SOUND, np.zeros((5, 3), np.float32)], {}, "1 or 2 channels"),
    ("resample", [SOUND], {"from_rate": 0, "to_rate": 48000}, "from_rate"),
    ("resample", [SOUND], {"from_rate": 44100.5, "to_rate": 48000}, "whole number of Hz"),
    ("resample", [SOUND], {"from_rate": 1, "to_rate": 2, "quality": "superb"}, "quality"),
    ("resample", [SOUND], {"from_rate": 9_999_991, "to_rate": 9_999_990}, "ratio of smaller"),
    ("resample", [SOUND], {"from_rate": 44100}, "needs the parameter 'to_rate'"),
    ("dynamics_compress", [SOUND], {"ratio": 0.5}, "'ratio' must be 1.0 to"),
    ("dynamics_compress", [SOUND], {"attack_ms": -1}, "attack_ms"),
    ("dynamics_compress", [SOUND], {"threshold_db": NAN}, "threshold_db"),
    ("duck", [SOUND, SOUND[:99]], {}, "sidechain must be f32 with 100 frames"),
    ("duck", [SOUND], {}, "takes 2 inputs"),
    ("l2_distance", [ROWS, ROWS[:, :3]], {}, "rows of one length"),
    ("dot", [ROWS[0], ROWS], {}, "queries must be a matrix"),
    ("cosine_similarity", [ROWS, ROWS.astype(np.float64)], {}, "one dtype"),
    ("hamming", [ROWS, ROWS], {}, "queries must be u32 or u8, got f32"),
    ("l2_top_k", [ROWS, ROWS], {"k": 4}, "k must be 1 to 3, the database's rows, got 4"),
    ("l2_top_k", [ROWS, ROWS], {"k": 0}, "k must be"),
    ("quantize_int8", [WHOLE], {}, "x must be f32 or f64, got s32"),
    ("dequantize_int8", [ROWS, ROWS[:, 0]], {}, "codes must be u8"),
    ("dequantize_int8", [ROWS.astype(np.uint8), ROWS[0]], {}, "one value for each row"),
    ("quantize_binary", [np.float32(1)], {}, "single element"),
]


@pytest.mark.parametrize(
    "name, inputs, params, says", REFUSED, ids=[f"{r[0]}-{k}" for k, r in enumerate(REFUSED)]
)
def test_bad_input_names_kernel_and_argument(name, inputs, params, says):
    with pytest.raises(LaunchError, match=says) as caught:
        evaluate(registry.lookup(name), *inputs, **params)
    assert name in str(caught.value)


EDGES = [
    ("transpose", [(0, 4)], {}, (4, 0)),
    ("concat", [(0, 4), (0, 4)], {}, (0, 4)),
    ("concat", [(0, 4), (2, 4)], {}, (2, 4)),
    ("slice", [(5, 4)], {"starts": 9}, (0, 4)),
    ("slice", [(1, 1)], {"starts": 0}, (1, 1)),
    ("sort", [(0,)], {}, (0,)),
    ("sort", [(0, 3)], {}, (0, 3)),
    ("sort", [(1,)], {}, (1,)),
    ("conv2d", [(0, 4, 8, 8), (6, 4, 3, 3)], {}, (0, 6, 6, 6)),
    ("conv2d", [(1, 1, 1, 1), (1, 1, 1, 1)], {}, (1, 1, 1, 1)),
    ("gain", [(0, 2)], {}, (0, 2)),
    ("pcm_mix", [(0,), (0,)], {}, (0,)),
    ("pcm_mix", [(1, 1), (3, 1)], {}, (3, 1)),
    ("pcm_normalize", [(0, 2)], {}, (0, 2)),
    ("biquad_filter", [(0, 2)], {}, (0, 2)),
    ("biquad_filter", [(1,)], {}, (1,)),
    ("fft_convolve", [(0, 2), (4,)], {}, (0, 2)),
    ("fft_convolve", [(1,), (1,)], {"tail": True}, (1,)),
    ("resample", [(0, 2)], {"from_rate": 1, "to_rate": 2}, (0, 2)),
    ("resample", [(1,)], {"from_rate": 1, "to_rate": 3}, (3,)),
    ("dynamics_compress", [(0,)], {}, (0,)),
    ("duck", [(1, 2), (1,)], {}, (1, 2)),
    ("l2_distance", [(0, 3), (4, 3)], {}, (0, 4)),
    ("l2_distance", [(2, 3), (0, 3)], {}, (2, 0)),
    ("l1", [(1, 1), (1, 1)], {}, (1, 1)),
    ("normalize", [(3, 0)], {}, (3, 0)),
    ("quantize_binary", [(2, 0)], {}, (2, 0)),
    ("quantize_binary", [(1, 1)], {}, (1, 1)),
]


@pytest.mark.parametrize(
    "name, shapes, params, expected", EDGES, ids=[f"{e[0]}-{k}" for k, e in enumerate(EDGES)]
)
def test_edge_shapes(device, name, shapes, params, expected):
    inputs = [treadle.buffer(np.ones(shape, np.float32)) for shape in shapes]
    out = treadle.run_kernel(name, inputs, **params)
    assert out.shape == expected
    assert np.isfinite(out.to_numpy()).all()


def test_l2_top_k_takes_the_database_in_blocks(device, monkeypatch):
    monkeypatch.setattr(vector, "BLOCK", 1)
    rng = np.random.default_rng(3)
    queries, rows = (rng.normal(size=(n, 3)).astype(np.float32) for n in (2, 2500))
    distances, places = treadle.run_kernel(
        "l2_top_k", [treadle.buffer(queries), treadle.buffer(rows)], k=4
    )
    every = np.linalg.norm(queries[:, None].astype(np.float64) - rows, axis=-1)
    best = np.argsort(every, 1, kind="stable")[:, :4]
    np.testing.assert_array_equal(places.to_numpy(), best)
    np.testing.assert_allclose(distances.to_numpy(), np.take_along_axis(every, best, 1), rtol=1e-6)


@pytest.mark.parametrize("rows, lost", [(2048, 0), (2500, 0.5), (3073, 0.998), (7000, 0.998)])
def test_of_equal_distances_l2_top_k_gives_the_earlier_row(device, monkeypatch, rows, lost):
    monkeypatch.setattr(vector, "BLOCK", 1)
    rng = np.random.default_rng(rows)
    queries, database = (rng.integers(-2, 3, (n, 4)).astype(np.float32) for n in (3, rows))
    database[rng.random(rows) < 0.9] = 9  # so that the nearest are in many blocks
    database[rng.random(rows) < lost] = np.nan  # further than all others
    every = np.nan_to_num(((queries[:, None] - database) ** 2).sum(-1), nan=np.inf)
    inputs = [treadle.buffer(queries), treadle.buffer(database)]
    for k in (1, 40):
        _, places = treadle.run_kernel("l2_top_k", inputs, k=k)
        best = np.argsort(every, 1, kind="stable")[:, :k]
        np.testing.assert_array_equal(places.to_numpy(), best)


def test_l2_top_k_never_holds_all_distances():
    from treadle.dtypes import DType
    from treadle.ir.bound import Spec

    kernel = registry.lookup("l2_top_k")
    key, values = kernel.arguments({"k": 10})
    specs = Spec((64, 8), DType.F32), Spec((1_000_000, 8), DType.F32)
    bound = fuse(kernel.bind(specs, None, key, values)).bound
    assert sum(temp.nbytes for temp in bound.temps) < 64 * 1_000_000 * 4 / 2
