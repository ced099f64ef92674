"""How far the last bits of functions may be off, over the whole range of numbers.

Bounds are units in the last place of the result, which docs/kernels.md states. The reference is
NumPy in twice the precision or, for f64, in the 64 bits of x86's long doubles; SciPy for erf. Where
a device has no numbers below the smallest normal one, results there may be 0."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import treadle
from limits import needs
from treadle.dtypes import as_dtype

FUNCTIONS = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh, "erf": scipy.special.erf, "exp": np.exp,
    "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "log2": np.log2,
    "log10": np.log10, "reciprocal": np.reciprocal, "sqrt": np.sqrt, "atan2": np.arctan2,
    "hypot": np.hypot, "elementwise_pow": np.power,
}  # fmt: skip
PAIRS = ("atan2", "hypot", "elementwise_pow")
MADE_OF = {"asinh": "log1p", "acosh": "log1p", "atanh": "log1p", "elementwise_pow": "pow"}
BOUND = 4.0
ROUNDED_ONCE = ("reciprocal", "sqrt")  # where the device is exact
WIDER = np.finfo(np.longdouble).nmant > np.finfo(np.float64).nmant


def everywhere(dtype: type) -> np.ndarray:
    """Zeros, infinities, NaN, ends of the range, numbers of every size, and those near 0 and 1."""
    info = np.finfo(dtype)
    rng = np.random.default_rng(17)
    ends = [0.0, np.inf, np.nan, 1.0, 0.5, 2.0, 88.72, 709.78, 745.1, 710.5, 104.0]
    ends += [info.max, info.tiny, info.smallest_subnormal, info.tiny / 3, info.eps, 1 - info.eps]
    sizes = np.exp2(rng.uniform(np.log2(info.tiny), np.log2(info.max) - 1e-6, 1500))
    usual = np.exp2(rng.uniform(-12, 9, 2000))
    near = 1 + rng.normal(size=300) * 1e-3
    x = np.concatenate([ends, sizes, usual, near]).astype(dtype)
    return np.concatenate([x, -x])


def worst(got: np.ndarray, want: np.ndarray, exact: bool) -> float:
    """The largest difference in units in the last place; what is not finite must be the same."""
    info = np.finfo(got.dtype)
    rounded = want.astype(got.dtype)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(rounded))
    # Whether a result is too large for a number may depend on the last bits.
    clear = ~(np.abs(want) > info.max * (1 - BOUND * info.eps)) | np.isinf(want)
    np.testing.assert_array_equal(np.isinf(got)[clear], np.isinf(rounded)[clear])
    plain = np.isfinite(rounded) & np.isfinite(got)
    got, want, rounded = got[plain], want[plain], rounded[plain]
    small = np.abs(want) < info.tiny
    np.testing.assert_array_equal(np.signbit(got)[~small], np.signbit(want)[~small])
    unit = np.spacing(np.maximum(np.abs(rounded), info.tiny))
    off = np.abs(got.astype(want.dtype) - want) / unit
    return float(np.where(small & (got == 0) & (not exact), 0, off).max())


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["f32", "f64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(device, name, dtype):
    needs(device, dtype)
    if dtype is np.float64 and not WIDER and name != "erf":
        pytest.skip("this machine has no floats that are wider than f64")
    x = everywhere(dtype)
    inputs = [x, np.random.default_rng(3).permutation(x)] if name in PAIRS else [x]
    wide = np.float64 if dtype is np.float32 or name == "erf" else np.longdouble
    buffers = [device.buffer(each) for each in inputs]
    if (MADE_OF.get(name, name), as_dtype(dtype)) in device.limits.unsupported:
        with pytest.raises(treadle.LaunchError, match=f"which {device.name} "):
            device.run_kernel(name, buffers)
        return
    got = device.run_kernel(name, buffers).to_numpy()
    with np.errstate(all="ignore"):
        want = FUNCTIONS[name](*(each.astype(wide) for each in inputs))
        off = worst(got, want, device.limits.exact)
    assert off <= (0.5 if name in ROUNDED_ONCE and device.limits.exact else BOUND)
