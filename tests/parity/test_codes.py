"""Bytes are the same on every device and however stages are fused: kernels of + - * / and sqrt have
no last bit that a device may choose, so none may round a code to its neighbour."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import treadle

CODES = np.arange(256, dtype=np.uint8).reshape(16, 16)
RNG = np.random.default_rng(12)
RGBA = RNG.integers(0, 256, (37, 53, 4), dtype=np.uint8)
OTHER = RNG.integers(0, 256, RGBA.shape, dtype=np.uint8)


def nearest(contrast: str, brightness: str) -> np.ndarray:
    """(x - 127.5) * contrast + 127.5 + brightness * 255 of every code, in whole numbers."""
    half = Fraction(255, 2)
    made = [
        round((code - half) * Fraction(contrast) + half + Fraction(brightness) * 255)
        for code in range(256)
    ]
    return np.clip(made, 0, 255).astype(np.uint8).reshape(CODES.shape)


@pytest.mark.parametrize("brightness", ["0", "0.5", "-0.1"])
@pytest.mark.parametrize("contrast", ["1", "1.2", "0.8", "1.5", "0.6", "0"])
def test_brightness_and_contrast_are_the_formula_at_every_code(device, contrast, brightness):
    params = {"contrast": float(contrast), "brightness": float(brightness)}
    source, out = treadle.buffer(CODES), treadle.buffer(np.zeros_like(CODES))
    expected = nearest(contrast, brightness)
    alone = treadle.run_kernel("brightness_contrast", [source], **params).to_numpy()
    np.testing.assert_array_equal(alone, expected)
    p = treadle.pipeline(device)
    p.add("flip", source)
    p.add("brightness_contrast", p.last, **params)
    p.add("flip", p.last, out)
    p.run()
    np.testing.assert_array_equal(out.to_numpy(), expected)


@pytest.mark.parametrize(
    "kernel, params",
    [
        ("brightness_contrast", {"contrast": 1.37, "brightness": 0.013}),
        ("saturation", {"amount": 1.3}),
        ("sepia", {"amount": 0.7}),
        ("vignette", {"amount": 0.8}),
        ("grayscale", {}),
        ("sharpen", {"amount": 0.3}),
        ("edge_detect", {"scale": 0.3}),
        ("box_blur", {"radius": 2}),
        ("gaussian_blur", {"radius": 2}),
        ("video_mix", {"ratio": 0.3}),
        ("overlay_alpha", {"alpha": 0.7}),
        ("resize", {"size": (20, 31)}),
        ("resize", {"size": (50, 70), "method": "bicubic"}),
    ],
)
def test_bytes_are_those_of_the_definition(device, kernel, params):
    inputs = (RGBA, OTHER) if kernel in ("video_mix", "overlay_alpha") else (RGBA,)
    made = []
    for where in (device, treadle.device("reference")):
        buffers = [where.buffer(x) for x in inputs]
        made.append(where.run_kernel(kernel, buffers, **params).to_numpy())
    np.testing.assert_array_equal(made[0], made[1])
