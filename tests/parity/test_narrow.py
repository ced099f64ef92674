"""Types of storage: what kernels of every form make of them, on every device, against the
definition; and what is rounded, against NumPy and against exact arithmetic."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import treadle
from treadle import ops
from treadle.bfloat import bfloat_bits, bfloat_values
from treadle.dtypes import STORED, DType
from treadle.ir.casts import convert, widened

NARROW = [dtype for dtype in STORED if dtype.is_narrow]
FLOATS = st.floats(width=64) | st.floats(-1e5, 1e5) | st.floats(-1e-4, 1e-4)


def picture(dtype: DType, shape: tuple[int, ...] = (23, 37)) -> np.ndarray:
    """Values of a type; no row is a whole number of words."""
    rng = np.random.default_rng(5)
    if dtype.is_float:
        return convert(rng.normal(size=shape) * 40, dtype)
    low, high = dtype.limits
    return rng.integers(max(low, -3000), min(high, 3000), shape).astype(dtype.numpy)


def values(buffer: treadle.Buffer) -> np.ndarray:
    return widened(buffer.to_numpy(), buffer.dtype)


@treadle.kernel(dtype="x")
def crossed(at, x):
    """The mean of an element and its neighbours, stored as x is."""
    y, z = at
    return (x[y - 1, z] + x[y, z] + x[y + 1, z] + x[y, z - 1] + x[y, z + 1]) / 5


@treadle.pipeline
def stages(x):
    """A chain: what is between the stages is rounded as if it had been stored."""
    once = treadle.run_kernel(crossed, [x])
    twice = treadle.run_kernel(crossed, [once * 2])
    return twice - x, once > 3


FORMS = {
    "sum": (lambda x: x + x, 0),
    "condition": (lambda x: ops.where(x > 1, x, -x), 0),
    "stencil": (lambda x: treadle.run_kernel(crossed, [x]), 0),
    "chain": (lambda x: stages(x)[0], 0),
    "part": (lambda x: x[1::3, 2:31:2], 0),
    "largest": (lambda x: x.max(axis=0), 0),
    "order": (lambda x: ops.sort(x), 0),
    "first": (lambda x: ops.top_k(x, k=3)[0], 0),
    "mean": (lambda x: x.mean(axis=1), 1e-2),
    "softmax": (lambda x: ops.softmax(x), 1e-2),
}


# One type of each size in all forms, and others in those that read and write it differently.
WHERE = {
    "s8": [*FORMS],
    "f16": [*FORMS],
    "s16": ["sum", "chain"],
    "u16": ["chain"],
    "bf16": ["chain"],
}


@pytest.mark.parametrize("dtype", [*map(DType, WHERE)])
def test_forms_of_kernels(device, dtype):
    data = picture(dtype)
    forms = {name: FORMS[name] for name in WHERE[dtype]}
    with treadle.use_device("reference") as reference:
        known = {name: form(reference.buffer(data)) for name, (form, _) in forms.items()}
    x = device.buffer(data)
    for name, (form, tolerance) in forms.items():
        if name == "mean" and dtype.is_integer and DType.S64 not in device.limits.dtypes:
            with pytest.raises(treadle.CommandFailed, match="means of integers add up"):
                form(x).to_numpy()  # only planning finds the dtype inside of it
            continue
        made = form(x)
        assert made.dtype is known[name].dtype, name
        got, wanted = values(made), values(known[name])
        if tolerance:
            np.testing.assert_allclose(got, wanted, tolerance, tolerance, err_msg=name)
        else:
            np.testing.assert_array_equal(got, wanted, name)
    np.testing.assert_array_equal(values(x), widened(data, dtype))


@pytest.mark.parametrize("dtype", [DType.S8, DType.F16])
def test_elements_beside_what_is_written_stay(device, dtype):
    x = device.buffer(picture(dtype, (41,)))
    before = values(x)
    x[3:10] = 7
    wanted = before.copy()
    wanted[3:10] = 7
    np.testing.assert_array_equal(values(x), wanted)
    treadle.run_kernel("scalar_add", [x[20:27]], x[11:18], scalar=1)
    wanted[11:18] = widened(convert(before[20:27] + 1, dtype), dtype)
    np.testing.assert_array_equal(values(x), wanted)


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_products_add_up_in_f32(device, dtype):
    rng = np.random.default_rng(8)
    a, b = (rng.normal(size=shape).astype(np.float32) for shape in ((9, 600), (600, 7)))
    x, y = (device.buffer(each, dtype=dtype) for each in (a, b))
    made = x @ y
    assert made.dtype == dtype
    exact = values(x).astype(np.float64) @ values(y).astype(np.float64)
    unit = 2.0**-11 if dtype == "f16" else 2.0**-8
    np.testing.assert_allclose(values(made), exact, rtol=unit * 1.01, atol=1e-3 * unit * 600)
    image, weight = (
        device.buffer(a[:4].reshape(1, 4, 24, 25), dtype=dtype),
        rng.normal(size=(8, 4, 3, 3)),
    )
    made = ops.conv2d(image, device.buffer(weight, dtype=dtype), padding=1)
    assert (made.dtype, made.shape) == (dtype, (1, 8, 24, 25))


def test_integers_saturate_and_floats_round(device):
    x = device.buffer([1.5, 2.5, -0.5, 1e9, -1e9, float("nan"), 126.5, 65534.5])
    assert x.astype("s8").tolist() == [2, 2, 0, 127, -128, 0, 126, 127]
    assert x.astype("s16").tolist() == [2, 2, 0, 32767, -32768, 0, 126, 32767]
    assert x.astype("u16").tolist() == [2, 2, 0, 65535, 0, 0, 126, 65534]
    assert (device.buffer([100, -100], dtype="s8") * 2).tolist() == [127, -128]


@treadle.pointwise
def rounded(x):
    """What a kernel rounds by itself, it stores so, and computes in a wider type."""
    return f16(x), bf16(x * 3), s16(x * 100), f16(x) * 2 + bf16(x)


def test_conversions_inside_kernels(device):
    x = np.float32([0.1, 3.14159, -2.7e5, 1e-7])
    made = treadle.run_kernel(rounded, [device.buffer(x)])
    assert [each.dtype for each in made] == ["f16", "bf16", "s16", "f32"]
    near = [
        widened(convert(np.float32(v), dtype), dtype)
        for v, dtype in ((x, DType.F16), (x * 3, DType.BF16))
    ]
    for got, wanted in zip(made, near, strict=False):
        np.testing.assert_array_equal(values(got), wanted)
    other = widened(convert(x, DType.BF16), DType.BF16)
    np.testing.assert_allclose(values(made[3]), near[0] * 2 + other, rtol=1e-6)


@settings(max_examples=200, deadline=None)
@given(FLOATS)
@example(1 + 2.0**-8 + 2.0**-40)
@example(1 + 3 * 2.0**-8)
@example(3.3961775292304597e38)
def test_bf16_is_the_nearest(value):
    """Of an f64 too, which is not rounded twice."""
    found = float(bfloat_values(bfloat_bits(np.float64([value])))[0])
    if not np.isfinite(value):
        assert found == value or (found != found and value != value)
        return
    bits = int(bfloat_bits(np.float64([abs(value)]))[0])
    near = [float(bfloat_values(np.uint16([k]))[0]) for k in range(max(bits - 1, 0), bits + 2)]
    finite = [each for each in near if np.isfinite(each)]
    if np.isfinite(found):
        exact = Fraction(abs(value))
        best = min(finite, key=lambda each: abs(Fraction(each) - exact))
        assert abs(Fraction(abs(found)) - exact) == abs(Fraction(best) - exact)


@settings(max_examples=30, deadline=None)
@given(st.lists(FLOATS, min_size=1, max_size=9), st.sampled_from(["f16", "s8", "s16", "u16", "u8"]))
def test_what_numpy_defines_is_numpys(numbers, dtype):
    kind = DType(dtype)
    x = np.float64(numbers)
    with np.errstate(all="ignore"):
        if kind.is_float:
            wanted = x.astype(np.float16)
        else:
            x = np.clip(np.nan_to_num(x), *kind.limits)
            wanted = np.rint(x).astype(kind.numpy)
    with treadle.use_device("cpu") as cpu:
        got = cpu.buffer(x).astype(dtype).to_numpy()
    np.testing.assert_array_equal(got, wanted)


def test_numpys_arrays_go_in_and_come_out(device):
    for dtype in NARROW:
        data = picture(dtype)
        assert device.buffer(data).dtype is dtype
        np.testing.assert_array_equal(device.buffer(data).to_numpy().view("V1"), data.view("V1"))
    floats = device.buffer([[1.0, 2.5], [-3.0, 1e-3]], dtype="bf16")
    assert repr(floats).startswith("<treadle.Buffer bf16[2, 2]")
    assert floats.astype("f32").tolist()[0] == [1.0, 2.5]
    with pytest.raises(treadle.LaunchError, match="do not fit dtype f16"):
        device.buffer([1e6], dtype="f16")
    with pytest.raises(treadle.LaunchError, match="do not fit dtype s8"):
        device.buffer([128], dtype="s8")


def test_without_ml_dtypes_bf16_is_two_bytes():
    text = """
import sys
sys.modules["ml_dtypes"] = None
import numpy as np, treadle
with treadle.use_device("cpu"):
    x = treadle.buffer([1.0, 1.00390625, -2.5], dtype="bf16")
    print((x * 2).astype("f32").tolist(), x.to_numpy().dtype, x.to_numpy().view("u2").tolist())
    y = treadle.buffer(np.uint16([0x3F80]).view("V2"))
    print((x @ x).astype("f32").tolist(), float(y.astype("f32")))
    print(x.tolist(), x[2].item(), float(y), bool(y - y))
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "[2.0, 2.0, -5.0] |V2 [16256, 16256, 49184]",
        "8.25 1.0",
        "[1.0, 1.0, -2.5] -2.5 1.0 False",
    ]
