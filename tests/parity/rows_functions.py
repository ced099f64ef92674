"""References for functions of numbers, division with a rest, comparisons, logic and bits: NumPy
and SciPy. test_accuracy.py looks at the last bits, and at the ends of the range."""

from __future__ import annotations

import numpy as np
import scipy.special

from parity.row import Row

RNG = np.random.default_rng(21)
ODD = [0.0, -0.0, np.inf, -np.inf, np.nan, 0.5, 1.5, -2.5, 1.0, -1.0, 3.0, 1e30, 1e-30]
F1 = np.concatenate([ODD, RNG.normal(size=100) * 3]).astype(np.float32)
A2 = np.repeat(F1[:40], 40).reshape(40, 40)
B2 = A2.T.copy()
UNIT = np.concatenate([[0.0, -0.0, 1.0, -1.0, 1.1], RNG.uniform(-1, 1, 60)]).astype(np.float32)
S1 = RNG.integers(-99, 99, 37, dtype=np.int32)
WHOLE = np.concatenate([[-(2**31), 2**31 - 1, 0, -1, 1, 7, -7], S1[:9]]).astype(np.int32)
SA, SB = (m.astype(np.int32) for m in np.meshgrid(WHOLE, WHOLE))
UA, UB = (m.astype(np.uint8) for m in np.meshgrid([0, 1, 2, 7, 8, 9, 200, 255], [0, 1, 3, 7, 255]))
WA, WB = (m.astype(np.uint32) for m in np.meshgrid([0, 1, 2**31, 2**32 - 1], [1, 3, 2**32 - 1]))
LA, LB = np.meshgrid([-(2**63), 2**63 - 1, 0, -5, 2**40 + 3], [1, -3, 2**33, 7])


def over(function):
    """A quotient or rest of integers, which is 0 over 0."""
    return lambda a, b: np.where(b == 0, 0, function(a, np.where(b == 0, 1, b)))


FLOATS = {
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "atan": np.arctan, "sinh": np.sinh,
    "cosh": np.cosh, "asinh": np.arcsinh, "acosh": np.arccosh, "erf": scipy.special.erf,
    "exp2": np.exp2, "expm1": np.expm1, "log1p": np.log1p, "log2": np.log2, "log10": np.log10,
    "reciprocal": np.reciprocal,
}  # fmt: skip
ROUNDING = {"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "round": np.rint}
PAIRS = {
    "equal": np.equal, "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal,
    "greater": np.greater, "greater_equal": np.greater_equal, "logical_and": np.logical_and,
    "logical_or": np.logical_or, "logical_xor": np.logical_xor,
}  # fmt: skip
TESTS = {
    "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "logical_not": np.logical_not,
}  # fmt: skip
BITS = {
    "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor,
}  # fmt: skip
RESTS = {"remainder": np.remainder, "fmod": np.fmod, "floor_divide": np.floor_divide}
INTEGERS = ((SA, SB), (UA, UB), (WA, WB), (LA, LB))


def saturated(a, b):
    return np.minimum(np.power(a.astype(np.float64), b), 255)


ROWS = [
    *(Row(name, lambda x, f=f: f(x.astype(np.float64)), (F1,)) for name, f in FLOATS.items()),
    Row("sin", lambda x: np.sin(x.astype(np.float64)), (S1,)),
    Row("log2", lambda x: np.log2(x.astype(np.float64)), (LA,), {}, 1e-14, 0),
    *(Row(name, f, (UNIT,)) for name, f in
      {"asin": np.arcsin, "acos": np.arccos, "atanh": np.arctanh}.items()),
    *(Row(name, f, (F1,), {}, 0, 0) for name, f in ROUNDING.items()),
    *(Row(name, lambda x: x, (x,)) for name, x in (("floor", S1), ("round", UA), ("trunc", LA))),
    Row("sign", np.sign, (F1,), {}, 0, 0),
    Row("sign", np.sign, (WHOLE,)),
    Row("sign", np.sign, (WA,)),
    Row("atan2", np.arctan2, (A2, B2)),
    Row("hypot", np.hypot, (A2, B2)),
    Row("logaddexp", np.logaddexp, (A2, B2)),
    Row("logaddexp", np.logaddexp, (F1[20:], F1[:1])),
    Row("elementwise_pow", np.power, (A2, B2), {}, 4e-6),
    Row("elementwise_pow", np.power, (np.abs(F1), S1[:1].astype(np.float32))),
    Row("elementwise_pow", np.power, (SA, np.abs(SB) % 9)),
    Row("elementwise_pow", saturated, (UA, UB), tie=0.0),
    *(Row(name, f, (A2, B2), {}, 0, 0) for name, f in RESTS.items()),
    *(Row(name, over(f), pair, tie=0.0) for name, f in RESTS.items() for pair in INTEGERS),
    *(Row(name, f, (A2, B2), tie=0.0) for name, f in PAIRS.items()),
    *(Row(name, f, pair, tie=0.0) for name, f in (*PAIRS.items(),)[2::4] for pair in INTEGERS),
    *(Row(name, f, (x,), tie=0.0) for name, f in TESTS.items() for x in (F1,)),
    Row("logical_not", np.logical_not, (WHOLE,), tie=0.0),
    *(Row(name, f, pair, tie=0.0) for name, f in BITS.items() for pair in INTEGERS[:2]),
    Row("bitwise_and", np.bitwise_and, (LA, LB)),
    *(Row("bitwise_invert", np.invert, (a,), tie=0.0) for a, _ in INTEGERS),
    *(
        Row(name, f, (a, b), tie=0.0)
        for name, f in
        {"bitwise_left_shift": np.left_shift, "bitwise_right_shift": np.right_shift}.items()
        for a, b in INTEGERS
    ),
]  # fmt: skip
