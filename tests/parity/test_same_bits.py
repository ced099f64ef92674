"""What every device computes to the last bit: + - * / sqrt, casts, comparisons, integers, and
whatever parameters alone decide. WebGPU's drivers may round quotients, roots and products in sums
in their own way (`limits.exact`); the rest is the same there, too."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import treadle
from kernel_text import define
from limits import narrowed
from treadle.dtypes import DType

FEW = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    derandomize=True,
)
# Functions that devices round in their own ways, of parameters alone.
UNIFORM = ["exp(p)", "log(q)", "sin(p * q)", "q ** 0.3", "tanh(p) / q", "exp(p) * sqrt(q)", "p"]


def tree(draw, leaves, shapes, depth):
    """An expression of such shapes over such leaves."""
    if depth == 0 or draw(st.integers(0, 5)) == 0:
        return draw(st.sampled_from(leaves))
    parts = [tree(draw, leaves, shapes, depth - 1) for _ in range(3)]
    return draw(st.sampled_from(shapes)).format(*parts)


# Constants stand beside what is none: what is too large or divides by 0 is refused in a text.
SUMS = ["({0} + {1})", "({0} - {1})", "({0} + 0.1)", "(-{0})", "({0} if {1} < {2} else {2})"]
CASTS = ["float(s32({0}))", "float(u8({0}))", "float({0} >= {1})", "floor({0})", "round({0})"]
PRODUCTS = [
    "({0} * {1})", "({0} * 0.1)", "({0} / {1})", "({0} / 3.0)", "sqrt(abs({0}))",
    "({0} * {1} + {2})", "({0} % {1})", "({0} // {1})",
]  # fmt: skip
WHOLE = [
    "({0} + {1})", "({0} - {1})", "({0} * {1})", "({0} // {1})", "({0} % {1})", "({0} & {1})",
    "({0} ^ {1})", "({0} << ({1} & 7))", "({0} >> ({1} & 15))", "({0} if {1} == {2} else {1})",
    "s32(float({0}) * 0.5)", "(~{0})", "int({0} != {1})", "({0} + 1000003)", "({0} // 7)",
]  # fmt: skip


@st.composite
def bodies(draw, leaves, shapes):
    """Lines that end in a return."""
    lines = []
    known = list(leaves)
    for number in range(draw(st.integers(1, 3))):
        lines.append(f"    v{number} = {tree(draw, known, shapes, 2)}")
        known.append(f"v{number}")
    return "\n".join([*lines, f"    return {tree(draw, known, shapes, 2)}", ""])


def values(dtype: DType, seed: int, count: int = 300) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype.is_float:
        edges = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, np.inf, -np.inf, np.nan, 1e30, -1e30, 16777217.0]
        plain = rng.normal(scale=30, size=count - len(edges))
        return np.concatenate([edges, plain]).astype(dtype.numpy)
    limits = np.iinfo(dtype.numpy)
    edges = [limits.min, limits.max, 0, 1, 2, 3]
    return np.array([*edges, *rng.integers(limits.min, limits.max, count - 6)], dtype.numpy)


def whole_of(device, dtype: DType) -> DType:
    """A dtype of which the device has all functions."""
    held = narrowed(device, dtype)
    lacking = any(of is held for _, of in device.limits.unsupported)
    return DType.F32 if lacking else held


def same(device, kernel, arrays, text, **params):
    found = []
    for each in (device, treadle.device("reference")):
        buffers = [each.buffer(array) for array in arrays]
        found.append(each.run_kernel(kernel, buffers, **params).to_numpy())
    got, expected = found
    assert got.dtype == expected.dtype
    bits = f"u{got.dtype.itemsize}"
    equal = got.view(bits) == expected.view(bits)
    if got.dtype.kind == "f":
        equal |= np.isnan(got) & np.isnan(expected)  # any NaN is a NaN
    assert equal.all(), f"{text}: {got[~equal][:4]}, not {expected[~equal][:4]}"


@FEW
@given(
    data=st.data(),
    dtypes=st.tuples(*[st.sampled_from([DType.F32, DType.F64, DType.S32, DType.U8])] * 2),
    p=st.floats(-3, 3, width=32),
    q=st.floats(0.125, 8, width=32),
)
def test_floats(device, data, dtypes, p, q):
    shapes = SUMS + CASTS + (PRODUCTS if device.limits.exact else [])
    body = data.draw(bodies(["a", "b"] * 4 + UNIFORM, shapes))
    text = f"def f(a, b, *, p=1.0, q=1.0):\n    a = float(a)\n{body}"
    held = [whole_of(device, dtype) for dtype in dtypes]
    arrays = [values(dtype, k) for k, dtype in enumerate(held)]
    same(device, define(text), arrays, text, p=p, q=q)


@FEW
@given(
    data=st.data(),
    dtypes=st.tuples(*[st.sampled_from([DType.S32, DType.U8])] * 2),
    p=st.integers(-100, 100),
)
def test_integers(device, data, dtypes, p):
    body = data.draw(bodies(["a", "b", "a", "b", "p"], WHOLE))
    text = f"def f(a, b, *, p=1):\n{body}"
    arrays = [values(dtype, k) for k, dtype in enumerate(dtypes)]
    same(device, define(text), arrays, text, p=p)


@pytest.mark.parametrize("dtype", [DType.F32, DType.U8], ids=str)
@pytest.mark.parametrize("radius", [3, 130])
def test_blur_sharpen_grey(device, radius, dtype):
    rng = np.random.default_rng(3)
    image = rng.random((45, 61, 3)) * (255 if dtype is DType.U8 else 1)
    found = []
    for each in (device, treadle.device("reference")):
        pipeline = treadle.pipeline(each)
        x, y = each.buffer(image.astype(dtype.numpy)), each.empty(image.shape[:2], dtype)
        soft, sharp = (pipeline.temp(image.shape, dtype) for _ in range(2))
        pipeline.run_kernel("gaussian_blur", [x], soft, radius=radius)
        pipeline.run_kernel("sharpen", [soft], sharp)
        pipeline.run_kernel("grayscale", [sharp], y)
        pipeline.run()
        found.append(y.to_numpy())
    if device.limits.exact:
        assert found[0].tobytes() == found[1].tobytes()
    else:
        np.testing.assert_allclose(*found, rtol=1e-5, atol=1 if dtype is DType.U8 else 1e-5)


@pytest.mark.parametrize("dtype", [DType.F32, DType.F64], ids=str)
def test_the_factor_of_a_gain(device, dtype):
    held = narrowed(device, dtype)
    for db in (-3.0, 0.1, 6.0, 20.0):
        same(device, "gain", [values(held, 3)], f"gain {db}", db=db)


@treadle.pointwise(name="bits_faded")
def faded(x, *, half=3.0):
    return x * exp2(-1.0 / half) if x > log(half) else x


@treadle.kernel(name="bits_tapered")
def tapered(at, x, *, slope=0.5):
    return x[at] - exp(-slope / x.shape[0])


def test_values_that_are_set_later_reach_fused_stages(device):
    array = values(DType.F32, 3)
    pipeline = treadle.pipeline(device)
    x, y = device.buffer(array), device.empty(array.shape)
    first, second = (pipeline.temp(array.shape, "f32") for _ in range(2))
    pipeline.run_kernel(faded, [x], first, half=3.0)
    pipeline.run_kernel(tapered, [first], second, slope=0.5)
    pipeline.run_kernel(faded, [second], y, half=5.0)
    for half, slope in ((3.0, 0.5), (7.0, 0.5), (7.0, 2.0), (3.0, 0.5)):
        pipeline.set(0, half=half)
        pipeline.set(1, slope=slope)
        pipeline.run()
        reference = treadle.device("reference")
        expected = reference.buffer(array)
        for kernel, params in (
            (faded, {"half": half}),
            (tapered, {"slope": slope}),
            (faded, {"half": 5.0}),
        ):
            expected = reference.run_kernel(kernel, [expected], **params)
        near = 0 if device.limits.exact else 1e-5  # a product meets a difference
        np.testing.assert_allclose(y.to_numpy(), expected.to_numpy(), rtol=near, atol=near)


def test_sizes_in_them_are_those_of_the_launch(device):
    for count in (300, 500, 300):
        same(device, tapered, [values(DType.F32, 3, count)], f"{count} elements", slope=700.0)
