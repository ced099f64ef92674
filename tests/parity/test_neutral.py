"""Parameters and shares that leave a value alone leave exactly that value, and those of 0 leave
nothing: no NaN from 0 times an infinity, no last bit from a + (b - a), no sign of a zero."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import treadle

INF, NAN = np.inf, np.nan
ODD = np.array([NAN, INF, -INF, 0.0, 1e-30, 0.1, 1 / 3, 1.0, -2.5, 1e30, 16777217.0], np.float32)


class Case(NamedTuple):
    """A kernel with a parameter at its neutral value, and what must come out, bit for bit."""

    kernel: str
    inputs: tuple[Any, ...]
    params: dict[str, Any]
    expected: Any


def picture(*shape: int) -> np.ndarray:
    """Ordinary values with odd ones among them."""
    rng = np.random.default_rng(8)
    flat = rng.random(int(np.prod(shape)), dtype=np.float32)
    flat[:: max(len(flat) // len(ODD), 1)][: len(ODD)] = ODD[: len(flat)]
    return flat.reshape(shape)


RGB, OTHER = picture(6, 7, 3), picture(6, 7, 3)[::-1].copy()
RGBA = picture(6, 7, 4)
GREY = picture(9, 8)
SOUND = picture(40, 2)
COLOURS = np.random.default_rng(3).random((6, 7, 3), dtype=np.float32)
SPOT = np.zeros((7, 7), np.float32)
SPOT[3, 3] = INF
SPOT[1, 5] = NAN
STEP = ((1, 0, 2), (0, 1, 1))  # whole pixels
moved = np.pad(SPOT, ((1, 0), (2, 0)), "edge")[:7, :7]
CURVE = np.array([[0.0], [INF], [1.0]], np.float32)
LATTICE = np.zeros((2, 2, 2, 3), np.float32)
LATTICE[1, 1, 1] = INF
FULL = np.concatenate([COLOURS, np.ones((6, 7, 1), np.float32)], axis=-1)
CLEAR = np.concatenate([RGB, np.zeros((6, 7, 1), np.float32)], axis=-1)


CASES = [
    Case("relu", (ODD,), {}, np.where(ODD < 0, np.float32(0), ODD)),
    Case("relu", (ODD,), {"slope": 1.0}, ODD),
    Case("relu", (np.array([2**24 + 1, -7, 0], np.int32),), {}, np.array([2**24 + 1, 0, 0])),
    Case("relu", (np.array([2**24 + 1, -20, 0], np.int32),), {"slope": 0.5},
         np.array([2**24 + 1, -10, 0])),
    Case("relu", (np.array([2**24 + 1, 2**32 - 1], np.uint32),), {"slope": 0.5},
         np.array([2**24 + 1, 2**32 - 1], np.uint32)),
    Case("clamp", (np.array([2**24 + 1, -7, 2**31 - 1], np.int32),), {"min": -1.5, "max": INF},
         np.array([2**24 + 1, -1, 2**31 - 1])),
    Case("clamp", (np.array([2**24 + 1, 0, 2**32 - 1], np.uint32),), {"min": -3, "max": 4e9},
         np.array([2**24 + 1, 0, 4_000_000_000], np.uint32)),
    Case("clamp", (np.array([200, 0, 255], np.uint8),), {"min": 0.5, "max": 250.5},
         np.array([200, 1, 250], np.uint8)),
    Case("silu", (np.array([-INF, INF, NAN], np.float32),), {}, np.array([-0.0, INF, NAN])),
    Case("gelu", (np.array([-INF, INF, NAN], np.float32),), {}, np.array([-0.0, INF, NAN])),
    Case("sigmoid", (np.array([-INF, INF, NAN], np.float32),), {}, np.array([0.0, 1.0, NAN])),
    *(Case(name, (np.array([0, -(2**31)], np.int32),), {}, np.full(2, name == "isfinite"))
      for name in ("isnan", "isinf", "isfinite")),
    Case("normalize", (np.array([[NAN, 1], [0, 0], [0, 3]], np.float32),), {},
         np.array([[NAN, NAN], [0, 0], [0, 1]])),
    Case("brightness_contrast", (RGBA,), {}, RGBA),
    Case("brightness_contrast", (RGB,), {"contrast": 0.0}, np.full_like(RGB, 0.5)),
    Case("saturation", (RGBA,), {"amount": 1.0}, RGBA),
    Case("saturation", (np.full((2, 2, 3), INF, np.float32),), {"amount": 0.0},
         np.full((2, 2, 3), INF)),
    Case("sepia", (RGBA,), {"amount": 0.0}, RGBA),
    Case("vignette", (RGBA,), {"amount": 0.0}, RGBA),
    Case("vignette", (np.full((5, 5), INF, np.float32),),
         {"amount": 1.0, "radius": 0.0, "softness": 0.001},
         np.where(np.arange(25).reshape(5, 5) == 12, INF, 0.0)),
    Case("sharpen", (RGBA,), {"amount": 0.0}, RGBA),
    Case("edge_detect", (GREY,), {"scale": 0.0}, np.zeros_like(GREY)),
    Case("gaussian_blur", (GREY,), {"radius": 3, "sigma": 0.01}, GREY),
    Case("gaussian_blur", (GREY,), {"radius": 0}, GREY),
    Case("box_blur", (GREY,), {"radius": 0}, GREY),
    Case("lut_apply", (np.array([[0.0, 0.5, 1.0, NAN, INF, -INF]], np.float32), CURVE), {},
         np.array([[0.0, INF, 1.0, NAN, 1.0, 0.0]])),
    Case("lut_apply", (np.zeros((1, 2, 3), np.float32), LATTICE), {}, np.zeros((1, 2, 3))),
    Case("overlay_alpha", (RGB, COLOURS), {}, COLOURS),
    Case("overlay_alpha", (RGB, OTHER), {"alpha": 0.0}, RGB),
    Case("overlay_alpha", (RGB, CLEAR), {}, RGB),
    Case("overlay_alpha", (RGBA, OTHER), {"alpha": 0.0}, RGBA),
    Case("overlay_alpha", (RGBA, FULL), {}, FULL),
    *(Case("video_mix", (RGB, OTHER), {"ratio": 0.0, "mode": mode}, RGB)
      for mode in ("dissolve", "add", "multiply", "screen")),
    Case("video_mix", (RGB, OTHER), {"ratio": 1.0}, OTHER),
    Case("chroma_key", (np.array([[[0, 1, 0, INF], [1, 0, 1, INF]]], np.float32),), {},
         np.array([[[0, 1, 0, 0], [1, 0, 1, INF]]])),
    Case("warp_affine", (SPOT,), {"matrix": STEP}, moved),
    Case("warp_affine", (RGBA,), {"matrix": ((1, 0, 0), (0, 1, 0))}, RGBA),
    *(Case("resize", (RGBA,), {"size": (6, 7), "method": m, "antialias": a}, RGBA)
      for m in ("nearest", "bilinear", "bicubic", "area") for a in (False, True)),
    Case("resize", (SPOT,), {"size": (7, 21)}, None),
    Case("yuv_to_rgb", (np.array([[[0.5, INF, 128 / 255]]], np.float32),),
         {"format": "yuv444", "range": "full"}, None),
    Case("gain", (SOUND,), {"db": 0.0}, SOUND),
    Case("pcm_mix", (COLOURS[0], RGB[0]), {"gains": (1.0, 0.0)}, COLOURS[0]),
    Case("pcm_mix", (RGB[0], RGB[1]), {"gains": (0.0, 0.0)}, np.zeros((7, 3))),
    Case("pcm_normalize", (np.array([0.0, INF, 0.5], np.float32),), {}, np.array([0, INF, 0.5])),
    Case("biquad_filter", (SOUND,), {"kind": "peak", "gain_db": 0.0}, SOUND),
    Case("biquad_filter", (SOUND,), {"kind": "low_shelf", "gain_db": 0.0}, SOUND),
    Case("fft_convolve", (SOUND, SOUND[:5]), {"wet": 0.0}, SOUND),
    Case("fft_convolve", (SOUND, np.ones(300, np.float32)), {"wet": 0.0}, SOUND),
    Case("resample", (SOUND,), {"from_rate": 44100, "to_rate": 44100}, SOUND),
    Case("dynamics_compress", (SOUND,), {"ratio": 1.0}, SOUND),
    Case("duck", (SOUND, SOUND), {"amount_db": 0.0}, SOUND),
    Case("denoise", (SPOT,), {}, np.where(np.isfinite(SPOT), 0.0, SPOT)),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda c: "-".join([c.kernel, *map(str, c.params)]))
def test_nothing_changes_where_nothing_is_asked_for(device, case):
    inputs = [treadle.buffer(np.ascontiguousarray(x)) for x in case.inputs]
    got = treadle.run_kernel(case.kernel, inputs, **case.params).to_numpy()
    if case.expected is not None:
        expected = np.asarray(case.expected, got.dtype)
        np.testing.assert_array_equal(got, expected)
        if case.kernel == "relu":  # no negative zeros
            np.testing.assert_array_equal(np.signbit(got), np.signbit(expected))
    elif case.kernel == "resize":  # three columns of each: the middle one is the pixel itself
        np.testing.assert_array_equal(got[:, 1::3], SPOT)
    else:  # red does not depend on U
        assert np.isfinite(got[0, 0, 0])


def test_a_compressor_gets_over_what_is_not_a_level(device):
    sound = np.full((4000, 1), 0.01, np.float32)
    sound[10], sound[20] = NAN, INF
    params = {"attack_ms": 0.0, "release_ms": 1.0}
    got = treadle.run_kernel("dynamics_compress", [treadle.buffer(sound)], **params).to_numpy()
    assert np.isnan(got[10])
    np.testing.assert_allclose(got[-100:], 0.01, rtol=1e-4)


def test_a_quiet_peak_is_raised(device):
    sound = np.array([0.0, 2e-38, -1e-38], np.float32)
    got = treadle.run_kernel("pcm_normalize", [treadle.buffer(sound)], target_db=0.0).to_numpy()
    np.testing.assert_allclose(got, [0.0, 1.0, -0.5], rtol=1e-6)
