"""Every operation and conversion on every backend, over edge values, against its definition."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from kernel_text import define
from limits import needs
from treadle.dtypes import STORED, DType
from treadle.ir.casts import convert, widened
from treadle.ir.ops import OPS, Rule

NUMBERS = (DType.F32, DType.F64, DType.S32, DType.S64, DType.U32)
INFIX = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%", "shl": "<<",
    "shr": ">>", "bitand": "&", "bitor": "|", "bitxor": "^", "lt": "<", "le": "<=", "gt": ">",
    "ge": ">=", "eq": "==", "ne": "!=", "and": "and", "or": "or",
}  # fmt: skip
PREFIX = {"neg": "-", "bitnot": "~", "not": "not "}


def values(dtype: DType, count: int = 400) -> np.ndarray:
    """Ordinary values and every awkward one."""
    rng = np.random.default_rng(11)
    if dtype.is_narrow and dtype.is_float:
        wide = values(DType.F32, count) * np.where(rng.random(count) < 0.3, 3e-6, 1)
        return convert(wide, dtype)
    if dtype.is_float:
        edges = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, np.inf, -np.inf, np.nan, 1e-30, 1e30]
        tiny = float(np.finfo(dtype.numpy).tiny)
        edges += [65504.0, 65519.9, 65520.0, 6e-8, 2.0**-25, 1.5 * 2.0**-24, 6.1e-5]  # of f16
        edges += [1 + 2.0**-11, 1 + 3 * 2.0**-11, 1 + 2.0**-8, 1 + 2.0**-8 + 2.0**-20, -32768.5]
        edges += [tiny, -tiny, 88.0, -88.0, 100.0, -104.0, 0.999999, 1.000001, 3e9, -3e9, 1e19]
        plain = rng.normal(scale=3, size=count - len(edges))
        return np.concatenate([edges, plain]).astype(dtype.numpy)
    if dtype is DType.BOOL:
        return rng.random(count) > 0.5
    info = np.iinfo(dtype.numpy)
    edges = [info.min, info.max, info.max - 1, 0, 1, 2, 3, 31, 32, 33, 63, 64]
    edges += [-1, -2] if info.min < 0 else []
    plain = rng.integers(max(info.min, -1000), min(info.max, 1000), count - len(edges))
    return np.concatenate([np.array(edges, object), plain]).astype(dtype.numpy)


def accepted(name: str) -> list[DType]:
    """The types that an operation's operands can have."""
    row = OPS[name]
    if row.rule in (Rule.SELECT, Rule.LOGIC):
        return [DType.F32] if row.rule is Rule.LOGIC else list(NUMBERS)
    return [dtype for dtype in NUMBERS if row.accepts((dtype,) * row.arity)]


CASES = [(name, dtype) for name in OPS for dtype in accepted(name)]


@pytest.mark.parametrize("name, dtype", CASES, ids=[f"{n}-{d}" for n, d in CASES])
def test_operations(device, name, dtype):
    row = OPS[name]
    needs(device, dtype)
    names = "abc"[: row.arity]
    left = values(dtype)
    operands = [left, np.roll(left, 7), np.roll(left, 13)][: row.arity]
    if name == "pow":
        operands[1] = np.clip(operands[1], -8, 8)
    if row.rule is Rule.SELECT:
        text = "b if a > 0 else c"
    elif name in INFIX:
        joined = f" {INFIX[name]} ".join(names)
        text = (
            joined
            if row.rule is not Rule.LOGIC
            else joined.replace("a", "(a > 0)", 1).replace("b", "(b > 0)")
        )
    elif name in PREFIX:
        text = f"{PREFIX[name]}{'(a > 0)' if row.rule is Rule.LOGIC else 'a'}"
    else:
        text = f"{name}({', '.join(names)})"
    kernel = define(f"def f({', '.join(names)}):\n    return {text}\n")
    if (name, dtype) in device.limits.unsupported:
        with pytest.raises(treadle.LaunchError, match=f"{name} on {dtype}, which {device.name} "):
            treadle.run_kernel(kernel, [treadle.buffer(x) for x in operands])
        return
    with np.errstate(all="ignore"):
        tests = [x > 0 for x in operands]
        given = tests if row.rule is Rule.LOGIC else operands
        if row.rule is Rule.SELECT:
            given = [tests[0], *operands[1:]]
        expected = np.asarray(row.numpy(*given))
    made = treadle.run_kernel(kernel, [treadle.buffer(x) for x in operands])
    got = widened(made.to_numpy(), made.dtype)
    exact = row.rule is not Rule.FLOAT and not (dtype.is_float and name == "mod")
    tolerance = 0 if exact else device.limits.tolerance[dtype]
    close(got, expected, tolerance, dtype)


def close(got: np.ndarray, expected: np.ndarray, tolerance: float, dtype: DType) -> None:
    """Equal within the tolerance, relative to the value; denormal results may flush."""
    if got.dtype.kind != "f":
        np.testing.assert_array_equal(got, expected.astype(got.dtype))
        return
    floor = float(np.finfo(dtype.numpy).tiny) if tolerance else 0.0
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=floor, equal_nan=True)


@pytest.mark.parametrize("source", STORED)
def test_storing_converts(device, source):
    """To all types, a few at a time: elements of all sizes lie beside each other."""
    needs(device, source)
    x = values(source)
    targets = [dtype for dtype in STORED if dtype in device.limits.dtypes]
    for some in (targets[k::3] for k in range(3)):
        outs = [treadle.empty(x.shape, target) for target in some]
        kernel = define(f"def f(x):\n    return {', '.join(['x'] * len(some))}\n")
        treadle.run_kernel(kernel, [treadle.buffer(x)], outs)
        for out, target in zip(outs, some, strict=True):
            with np.errstate(all="ignore"):
                expected = convert(widened(x, source), target)
            got, wanted = (widened(each, target) for each in (out.to_numpy(), expected))
            np.testing.assert_array_equal(got, wanted, f"{source} to {target}")


@pytest.mark.parametrize("source, target", [(a, b) for a in NUMBERS for b in NUMBERS])
def test_conversions_inside_kernels(device, source, target):
    needs(device, source, target)
    kernel = define(f"def f(x):\n    return {target}(x)\n")
    x = values(source)
    got = treadle.run_kernel(kernel, [treadle.buffer(x)])
    assert got.dtype is target
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(got.to_numpy(), convert(x, target))


LITERALS = [
    *((text, DType.F32) for text in ("x / 0", "x / -0.0", "0 / x", "x // 0.0", "x % 0.0")),
    *((text, DType.F32) for text in ("0 * x", "5 / (0 / x)", "x ** inf")),
    *((text, d) for text in ("x >> 3", "x << 65", "x << -3") for d in (DType.S32, DType.S64)),
    *((f"s64(x) {op} {k}", DType.S32) for op in ("<", ">", ">=") for k in (0, 1000)),
    *((text, DType.S32) for text in ("s64(x) // -7", "s64(-4) // x", "abs(s64(x))")),
]


@pytest.mark.parametrize("text, dtype", LITERALS, ids=[f"{t}-{d}" for t, d in LITERALS])
def test_operations_with_literals(device, text, dtype):
    # Compilers know what literals are, and fold what they should not.
    needs(device, dtype, "s64" if "s64" in text else dtype)
    kernel = define(f"def f(x):\n    return {text}\n")
    x = values(dtype)
    with np.errstate(all="ignore"), treadle.use_device("reference"):
        expected = treadle.run_kernel(kernel, [treadle.buffer(x)]).to_numpy()
    out = treadle.buffer(np.full_like(expected, 7))
    treadle.run_kernel(kernel, [treadle.buffer(x)], out)
    np.testing.assert_array_equal(out.to_numpy(), expected)
