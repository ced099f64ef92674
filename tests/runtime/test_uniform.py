"""What parameters alone decide is computed when they are given, once for the same values."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from treadle.passes.uniform import Hoisted


@treadle.pointwise
def over(x, *, by=1.0):
    return x * (1.0 / by)


@pytest.fixture
def asked(monkeypatch):
    """What values were computed for."""
    known: list[tuple[float, ...]] = []
    values = Hoisted.values

    def counted(self, given, dims):
        known.append(given)
        return values(self, given, dims)

    monkeypatch.setattr(Hoisted, "values", counted)
    return known


@pytest.fixture
def reference():
    return treadle.device("reference")


def test_the_same_values_are_computed_once(reference, asked):
    x = reference.buffer(np.ones(3, np.float32))
    for db in (1.25, 2.5, 1.25, 2.5, 1.25):
        reference.run_kernel("gain", [x], db=db)
    assert asked == [(1.25,), (2.5,)]


def test_a_pipeline_computes_them_when_they_are_set(reference, asked):
    pipeline = treadle.pipeline("reference")
    x, y = reference.buffer(np.ones(3, np.float32)), reference.empty(3)
    pipeline.run_kernel("gain", [x], y, db=6.0)
    pipeline.run()
    pipeline.run()
    assert asked == [(6.0,)]
    pipeline.set(0, db=0.0)
    pipeline.run()
    assert asked == [(6.0,), (0.0,)]
    assert y.to_numpy().tolist() == [1.0, 1.0, 1.0]


def test_zeros_have_signs(device):
    x = device.buffer(np.ones(3, np.float32))
    for by, expected in ((0.0, np.inf), (-0.0, -np.inf), (0.0, np.inf)):
        assert device.run_kernel(over, [x], by=by).to_numpy().tolist() == [expected] * 3


def test_many_values_are_not_kept_for_ever(reference, asked):
    x = reference.buffer(np.ones(3, np.float32))
    for k in range(200):
        reference.run_kernel(over, [x], by=1.0 + k)
    reference.run_kernel(over, [x], by=1.0)
    assert len(asked) == 201


@treadle.rowwise
def tempered(row, *, heat=0.7):
    e = row / exp(heat)
    return e * max(e) + sin(heat)


@treadle.scan(init=0.0)
def leaky(state, x, *, half=3.0):
    kept = exp2(-1.0 / half)
    state = state * kept + x * (1.0 - kept)
    return state, state


@treadle.reduction(init=0.0)
def weighed(a, b, *, heat=0.7):
    return a + b * log(exp(heat)) / heat


@pytest.mark.parametrize("kernel", [tempered, leaky, weighed], ids=lambda k: k.name)
def test_every_form_is_given_them(device, kernel):
    x = np.random.default_rng(3).random((5, 8)).astype(np.float32)
    found = []
    for each in (device, treadle.device("reference")):
        found.append(each.run_kernel(kernel, [each.buffer(x)], axis=1).to_numpy())
    np.testing.assert_allclose(*found, rtol=1e-5)


def test_a_wide_blur_follows_its_sigma(device):
    x = np.random.default_rng(3).random((9, 300, 1)).astype(np.float32)
    reference = treadle.device("reference")
    made = []
    for sigma in (40.0, 60.0, 40.0):
        for each in (device, reference):
            blurred = each.run_kernel("gaussian_blur", [each.buffer(x)], radius=130, sigma=sigma)
            made.append(blurred.to_numpy())
        np.testing.assert_allclose(made[-2], made[-1], rtol=1e-5)
    assert abs(made[0] - made[2]).max() > 1e-3
