"""Sums that undo each other, signs of zero, NaN in comparisons: no compiler may simplify them.

Graphics compilers treat floats as real numbers unless they are stopped: they cancel (x + c) - c,
move factors around, and turn a comparison and a choice into a minimum. Every device has to give
the bits that the definition gives."""

from __future__ import annotations

import re

import numpy as np
import pytest

import treadle
from kernel_text import define
from treadle.dtypes import DType


def kernel_of(text: str):
    """A pointwise kernel of an expression of a and b, or of lines that end in a return."""
    body = text if "return" in text else f"return {text}"
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return define(f"def f(a, b):\n{lines}\n")


def results(kernel, *arrays: np.ndarray) -> list[np.ndarray]:
    """What a kernel gives, one output or several."""
    made = treadle.run_kernel(kernel, [treadle.buffer(each) for each in arrays])
    return [each.to_numpy() for each in (made if isinstance(made, tuple) else (made,))]


def awkward(dtype: DType, count: int = 400) -> np.ndarray:
    """Ordinary values, awkward ones, numbers beside which small ones vanish, denormal ones."""
    tiny = float(np.finfo(dtype.numpy).tiny)
    edges = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, np.inf, -np.inf, np.nan, 1e-30, 1e30]
    edges += [tiny, -tiny, 88.0, 100.0, -104.0, 0.999999, 1.000001, 3e9, -3e9, 1e19, 1e38, -1e38]
    edges += [36e6, -36e6, 16777217.0, 2.0**24, 1e-7, -1e-7, tiny / 8, -tiny / 1024]
    plain = np.random.default_rng(5).normal(scale=3, size=count - len(edges))
    return np.concatenate([edges, plain]).astype(dtype.numpy)


def same(got: np.ndarray, expected: np.ndarray, text: str = "") -> None:
    """The same bits; any NaN is a NaN."""
    assert got.dtype == expected.dtype, text
    if got.dtype.kind != "f":
        np.testing.assert_array_equal(got, expected, err_msg=text)
        return
    equal = got.view(f"u{got.dtype.itemsize}") == expected.view(f"u{got.dtype.itemsize}")
    equal |= np.isnan(got) & np.isnan(expected)
    where = np.argwhere(~equal)[:5].tolist()
    assert equal.all(), f"{text} {where}: got {got[~equal][:5]}, not {expected[~equal][:5]}"


EXPRESSIONS = """
    (a + 16777216.0) - 16777216.0 | 16777216.0 - (16777216.0 - a) | (a + b) - a | (a + b) - b
    (a - b) + b | a - (a - b) | (a + 1.0) - a | (a + 1e8) + b | ((a + 3.0) + b) - 3.0
    a - a | a + -a | -a + a | a * 0.0 | a * -0.0 | a + 0.0 | 0.0 + a | 0.0 - a | a - 0.0
    -(0.0 - a) | a + -0.0 | -0.0 - a | a * 1.0 | a * -1.0 | a / 1.0 | a / a
    a / b * b | 1.0 / (1.0 / a)
    (a * 0.1) * 10.0 | (a * 1e30) * 1e-30 | (a * b) * 3.0 - (a * b) * 3.0 | a * b - a * b
    (a * 3.0) / 3.0
    sqrt(a) * sqrt(a) | sqrt(a) * sqrt(b) | sqrt(a * a) | abs(a) * abs(b) | abs(-a) - abs(a)
    1.0 + a % 360.0 | (a % 360.0) - a | a % b | a - a % 1.0
    floor(a) - a | a - trunc(a) | round(a) - a | a if a > b else b | a if a < b else b
    a if a >= b else b | a if a <= b else b | b if a > b else a | b if a <= b else a
    a if a > 0.0 else 0.0 | 0.0 if a <= 0.0 else a | 0.0 if a < 0.0 else a
    a if not a < 0.0 else 0.0
    1.0 if not a > b else 2.0 | 1.0 if not a <= b else 2.0 | 1.0 if a != a else 2.0
    1.0 if a == a else 2.0 | 1.0 if a + 1.0 > a else 2.0 | 1.0 if a + b == a else 2.0
    1.0 if a > 0.0 and b > 0.0 else 2.0 | 1.0 if a > 0.0 or b > 0.0 else 2.0
    1.0 if not (a > 0.0 and b <= 1.0) else 2.0 | 1.0 if not (a < b or b < 1.0) else 2.0
    1.0 if (a > 0.0 and b > 0.0) and a < 9.0 else 2.0 | 1.0 if a > b or a > 3.0 or a < b else 2.0
    (a < b) and (a < 3.0) | (a < b) or (3.0 < b) | not (a < b) | a <= b and b >= 0.0
    a != b or a > b
    1.0 if a - b > 0.0 else 2.0 | 1.0 if a - b < 0.0 else 2.0 | 1.0 if a * b >= 0.0 else 2.0
    1.0 if -a < -b else 2.0 | 1.0 if abs(a) >= 0.0 else 2.0 | 1.0 if a < inf else 2.0
    minimum(a, b) | maximum(a, b) | minimum(maximum(a, 0.0), 1.0) | maximum(minimum(a, 1.0), 0.0)
    clamp(a, 0.0, 1.0) | maximum(a, b) - minimum(a, b) | maximum(a, -a) + 0.0 | minimum(a, a)
    sign(a) | sign(a) * abs(a) | s32(a) | u32(a) | s32(a) - s32(b) | f32(s32(a)) - a
""".replace("\n", "|")
LINES = [
    # A sum and what it lost, as compensated sums have it.
    "s = a + b\nt = s - a\nreturn (a - (s - t)) + (b - t)",
    "s = a + b\nt = s - b\nreturn s - t",
    "s = 0.0\nlost = 0.0\nfor k in range(5):\n    y = a * 0.1 - lost\n    t = s + y\n"
    "    lost = (t - s) - y\n    s = t\nreturn lost",
    "n = 0\nx = a\nwhile x < b and n < 9:\n    x = x + 3.0\n    n += 1\nreturn x",
    "n = 0\nx = a\nwhile not x >= b and n < 20:\n    x = x + 1.0\n    n += 1\nreturn n",
    "if a > b:\n    x = a - b\nelse:\n    x = b - a\nreturn x + 1.0",
    "if a <= b:\n    x = a\nelse:\n    x = b\nreturn x",
    "n = 0\nfor k in range(s32(minimum(a, 9.0))):\n    n += k\nreturn n",
]
TEXTS = [text.strip() for text in EXPRESSIONS.split("|") if text.strip()]
# Several are the outputs of one kernel, since compiling one takes longer than all else. Neighbours
# are shuffled, so that hardly any two of a kernel have a part in common.
TOGETHER = 5
SHUFFLED = [TEXTS[k * 37 % len(TEXTS)] for k in range(len(TEXTS))]
GROUPS = [SHUFFLED[k : k + TOGETHER] for k in range(0, len(TEXTS), TOGETHER)]


def test_every_expression_is_in_a_group():
    assert sorted(text for group in GROUPS for text in group) == sorted(TEXTS)


@pytest.mark.parametrize("dtype", [DType.F32, DType.F64], ids=str)
@pytest.mark.parametrize("texts", [*GROUPS, *([text] for text in LINES)], ids=lambda t: t[0])
def test_nothing_is_simplified(device, texts, dtype):
    if device.name == "reference":
        pytest.skip("it is what others are compared with")
    if dtype not in device.limits.dtypes:
        pytest.skip(f"{device} declares that it has no {dtype}")
    kernel = kernel_of(", ".join(texts))
    a = awkward(dtype)
    b = np.roll(a, 7)
    with treadle.use_device("reference"):
        expected = results(kernel, a, b)
    for text, got, wanted in zip(texts, results(kernel, a, b), expected, strict=True):
        same(got, wanted, text)


# Where a product is added to something, a device may round once instead of twice.
PRODUCTS = {
    "a * b + a * 2.0": lambda a, b: abs(a * b) + abs(a * 2),
    "a * b - a * 3.0": lambda a, b: abs(a * b) + abs(a * 3),
    "a + a * b": lambda a, b: abs(a) + abs(a * b),
    "a * (1.0 - b) + b * b": lambda a, b: abs(a) + abs(a * b) + b * b,
    "(a // 3.0) * 3.0 - a": lambda a, b: 2 * abs(a),
}


@pytest.mark.parametrize("text", PRODUCTS)
def test_products_are_not_taken_apart(device, text):
    kernel = kernel_of(text)
    a = awkward(DType.F32)
    b = np.roll(a, 7)
    with treadle.use_device("reference"):
        expected = treadle.run_kernel(kernel, [treadle.buffer(a), treadle.buffer(b)]).to_numpy()
    got = treadle.run_kernel(kernel, [treadle.buffer(a), treadle.buffer(b)]).to_numpy()
    with np.errstate(all="ignore"):
        size = PRODUCTS[text](a.astype(np.float64), b.astype(np.float64))
        wrong = abs(got.astype(np.float64) - expected) > 3e-7 * size + 1e-44
    finite = np.isfinite(expected) & (size <= np.finfo(np.float32).max)
    assert not wrong[finite].any()
    # A device that rounds once does not overflow in between.
    lost = ~np.isfinite(expected) & (size > np.finfo(np.float32).max) & np.isfinite(size)
    same(got[~finite & ~lost], expected[~finite & ~lost])


FUNCTIONS = """
    exp(a) | exp2(a) | expm1(a) | log(a) | log2(a) | log10(a) | log1p(a) | sin(a) | cos(a) | tan(a)
    asin(a) | acos(a) | atan(a) | sinh(a) | cosh(a) | tanh(a) | erf(a) | sqrt(a) | rsqrt(a)
    a ** 0.5 | abs(a) ** 0.25 | a ** 2.0 | a ** 3.0 | a ** -1.0 | 2.0 ** a | atan2(a, b)
    atan2(b, 0.0)
    1.0 / (1.0 + exp(-a)) | exp(a) if a < b else log(b) | erf(a) * 0.0
    log(abs(a)) if abs(a) < 1.0 else exp(-abs(a)) | maximum(exp(a), 1.0) | minimum(log(a), 0.0)
""".replace("\n", "|")
POWER = re.compile(r"\*\* (a|0.25)")
TINY = 1.4e-45, 1e-44, 1e-40, -1e-40, 5.877e-39, 1.1754942e-38


def used(text: str) -> set[str]:
    """The names of the functions in an expression; powers such as a ** 2.0 are products."""
    return set(re.findall(r"[a-z]+[0-9a-z]*(?=\()", text)) | set(
        re.findall("pow", POWER.sub("pow", text))
    )


@pytest.mark.parametrize("dtype", [DType.F32, DType.F64], ids=str)
@pytest.mark.parametrize("text", [text.strip() for text in FUNCTIONS.split("|") if text.strip()])
def test_functions_at_the_edges(device, text, dtype):
    kernel = kernel_of(text)
    a = np.concatenate([awkward(dtype), np.array(TINY, dtype.numpy)])
    if "tan" in text or "sin" in text or "cos" in text:
        a = a[~(np.isfinite(a) & (abs(a) > 1e8))]  # where the outside libraries differ, too
    b = np.roll(a, 7)
    with treadle.use_device("reference"):
        expected = treadle.run_kernel(kernel, [treadle.buffer(a), treadle.buffer(b)]).to_numpy()
    lacking = {name for name, of in device.limits.unsupported if of is dtype} & used(text)
    if dtype not in device.limits.dtypes or lacking:
        with pytest.raises(treadle.LaunchError):
            treadle.run_kernel(kernel, [treadle.buffer(a), treadle.buffer(b)])
        return
    got = treadle.run_kernel(kernel, [treadle.buffer(a), treadle.buffer(b)]).to_numpy()
    special = ~np.isfinite(expected) | (expected == 0)
    same(got[special], expected[special])
    small = float(np.finfo(dtype.numpy).tiny)
    error = abs(got[~special].astype(np.float64) - expected[~special])
    bound = abs(expected[~special] * (4 * device.limits.tolerance[dtype]))
    wrong = error > np.maximum(bound, small)
    assert not wrong.any(), (a[~special][wrong][:5], got[~special][wrong][:5])


@pytest.mark.parametrize("name", ["reduce_max", "reduce_min", "argmax", "argmin", "sort"])
@pytest.mark.parametrize("axis", [0, 1])
def test_order_with_nan_and_zeros(device, name, axis):
    x = np.random.default_rng(3).permutation(awkward(DType.F32)).reshape(20, 20)
    x[x == 0] = 0.0  # which of two zeros comes first is nobody's promise
    with treadle.use_device("reference"):
        expected = treadle.run_kernel(name, [treadle.buffer(x)], axis=axis).to_numpy()
    same(treadle.run_kernel(name, [treadle.buffer(x)], axis=axis).to_numpy(), expected)


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf, 3e38])
def test_rows_with_what_is_not_finite(device, special):
    x = np.random.default_rng(4).normal(size=(6, 37)).astype(np.float32)
    x[1, 5] = x[3] = special
    with treadle.use_device("reference"):
        expected = treadle.run_kernel("softmax", [treadle.buffer(x)]).to_numpy()
    got = treadle.run_kernel("softmax", [treadle.buffer(x)]).to_numpy()
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    np.testing.assert_allclose(got, expected, rtol=1e-5)


def test_a_compensated_running_sum(device):
    kernel = define(
        "def f(state, x):\n"
        "    total, lost = state\n"
        "    y = x - lost\n"
        "    t = total + y\n"
        "    lost = (t - total) - y\n"
        "    return (t, lost), lost\n",
        treadle.scan(init=(0.0, 0.0)),
    )
    x = np.random.default_rng(6).normal(size=(3, 500)).astype(np.float32)
    with treadle.use_device("reference"):
        expected = treadle.run_kernel(kernel, [treadle.buffer(x)], axis=1).to_numpy()
    assert expected.any()
    same(treadle.run_kernel(kernel, [treadle.buffer(x)], axis=1).to_numpy(), expected)


def test_a_compensated_sum(device):
    kernel = define(
        "def f(a, b):\n"
        "    s = a[0] + b[0]\n"
        "    t = s - a[0]\n"
        "    return s, a[1] + b[1] + ((a[0] - (s - t)) + (b[0] - t))\n",
        treadle.reduction(
            init=(0.0, 0.0),
            lift=define("def f(at, x):\n    return x, 0.0 * x\n", treadle.function),
            finish=define("def f(a):\n    return a[1]\n", treadle.function),
        ),
    )
    x = np.full(100_001, 0.1, np.float32)
    x[::2] *= 1000
    exact = np.sum(x, dtype=np.float64)
    lost = float(treadle.run_kernel(kernel, [treadle.buffer(x)], axis=0).to_numpy())
    ulp = np.spacing(np.float32(exact))
    # Only what was lost comes out: it must make the rounded sum of some order exact again.
    assert lost != 0
    assert abs((exact - lost) / ulp - round((exact - lost) / ulp)) < 0.02


def test_stages_that_undo_each_other(device):
    x = awkward(DType.F32).reshape(10, 40)
    kernel = define(
        "def f(at, x):\n"
        "    y, k = at\n"
        "    return (x[y, k - 1] - 16777216.0) + (x[y, k + 1] - 16777216.0)\n",
        treadle.kernel,
    )
    results = []
    for each in (treadle.device("reference"), device):
        with treadle.use_device(each):
            source, near, far = treadle.buffer(x), treadle.empty(x.shape), treadle.empty(x.shape)
            pipeline = treadle.pipeline(each)
            pipeline.add("scalar_add", source, scalar=16777216.0)
            pipeline.add("scalar_add", pipeline.last, near, scalar=-16777216.0)
            pipeline.add("scalar_add", source, scalar=16777216.0)
            pipeline.add(kernel, pipeline.last, far)
            pipeline.run()
            results.append((near.to_numpy(), far.to_numpy()))
    for expected, got in zip(*results, strict=True):
        same(got, expected)


def test_kernels_that_differ_in_the_sign_of_a_zero(device):
    plus, minus = (
        define(f"def f(x):\n    return 1.0 / (x * {zero})\n") for zero in ("0.0", "-0.0")
    )
    chosen = define(
        "def f(at, x, *, zero):\n    return 1.0 / (x[at] * zero)\n",
        treadle.kernel(static=("zero",)),
    )
    x, inf = treadle.buffer([2.0]), float("inf")
    assert [treadle.run_kernel(f, [x]).read_list() for f in (plus, minus)] == [[inf], [-inf]]
    found = [treadle.run_kernel(chosen, [x], zero=zero).read_list() for zero in (0.0, -0.0)]
    assert found == [[inf], [-inf]]
    pipeline = treadle.pipeline(device)
    results = [treadle.empty((1,)) for _ in range(2)]
    for kernel, result in zip((plus, minus), results, strict=True):
        pipeline.add(kernel, x, result)
    pipeline.run()
    assert [result.read_list() for result in results] == [[inf], [-inf]]
