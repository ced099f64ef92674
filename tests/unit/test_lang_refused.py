"""What the kernel language refuses: at once, as one of Treadle's errors, with the place shown."""

from __future__ import annotations

import ast
import functools

import numpy as np
import pytest

import treadle
from bound import evaluate, spec_of
from kernel_text import define
from treadle.errors import KernelError, KernelSyntaxError, KernelTypeError, LaunchError
from treadle.lang.registry import lookup

X = np.arange(6, dtype=np.float32).reshape(2, 3)
I = X.astype(np.int32)  # noqa: E741


def pointwise(expression: str, before: str = "") -> str:
    return f"{before}def f(x):\n    return {expression}\n"


def indexed(expression: str) -> str:
    return f"def f(at, x):\n    i, j = at\n    return {expression}\n"


STEP = "def f(s, x):\n    return s, {}\n"

CASES = {
    "an integer that fits no default type": (pointwise("2147483648"), treadle.pointwise, X),
    "below the smallest": (pointwise("-2147483649"), treadle.pointwise, X),
    "beyond every type": (pointwise("2**63"), treadle.pointwise, X),
    "one of several results": (pointwise("(x, 2**40)"), treadle.pointwise, X),
    "at an index": (indexed("2147483648"), treadle.kernel, X),
    "of a row": ("def f(r):\n    return 2**40\n", treadle.rowwise, I),
    "of a scan": (STEP.format("2**40"), treadle.scan(init=0), I),
    "of a reduction": ("def f(a, b):\n    return 2**40\n", treadle.reduction(init=0), I),
    "a power of powers": (pointwise("x + 9**9**8"), treadle.pointwise, X),
    "a power of powers of powers": (pointwise("9**9**9**9"), treadle.pointwise, X),
    "a huge shift": (pointwise("x + (1 << 10**10)"), treadle.pointwise, X),
    "a negative shift": (pointwise("x + (1 << -1)"), treadle.pointwise, X),
    "squares of squares": (
        "def f(x):\n    k = 3\n    for n in range(200):\n        k = k * k\n    return x + k\n",
        treadle.pointwise,
        X,
    ),
    "tuples of tuples": (
        "def f(x):\n    t = (1, 2)\n    for n in range(60):\n        t = t + t\n"
        "    return x + t[0]\n",
        treadle.pointwise,
        X,
    ),
    "a huge index": (indexed("x[2**40, j]"), treadle.kernel, X),
    "a huge index in hex": (indexed(f"x[0x{'f' * 6000}, j]"), treadle.kernel, X),
    "a huge place in a tuple": (
        pointwise("(1, 2)[T]", "T = 10**5000\n"), treadle.pointwise, X
    ),
    "a huge number from outside": (pointwise("T", "T = 10**5000\n"), treadle.pointwise, I),
    "a step of 0 in a tuple": (pointwise("x + (1, 2, 3)[::0][0]"), treadle.pointwise, X),
    "a range without end": (
        "def f(x):\n    for k in range(10**30):\n        x = x + 1\n    return x\n",
        treadle.pointwise,
        X,
    ),
    "a step that no loop counts in": (
        "def f(at, x):\n    i, j = at\n    t = 0\n    for k in range(0, j, 10**12):\n"
        "        t = t + k\n    return t\n",
        treadle.kernel,
        X,
    ),
    "nothing returned": (pointwise("()"), treadle.pointwise, X),
    "None returned": (pointwise("None"), treadle.pointwise, X),
    "signs of signs": (pointwise("-" * 900 + "x"), treadle.pointwise, X),
    "calls in calls": (pointwise("abs(" * 150 + "x" + ")" * 150), treadle.pointwise, X),
    "choices in choices": (
        pointwise("".join(f"{k} if x > {k} else " for k in range(300)) + "x"),
        treadle.pointwise,
        X,
    ),
    "four hundred branches": (
        "def f(x):\n    if x > 999:\n        y = 0.0\n"
        + "".join(f"    elif x > {k}:\n        y = {k}.0\n" for k in range(400))
        + "    else:\n        y = 1.0\n    return y\n",
        treadle.pointwise,
        X,
    ),
    "thousands of statements": (
        "def f(x):\n" + "".join(f"    x = x * 2 + {k}\n" for k in range(4500)) + "    return x\n",
        treadle.pointwise,
        X,
    ),
    "functions that call each other": (
        "import treadle\n@treadle.function\ndef g(x):\n    return h(x)\n"
        "@treadle.function\ndef h(x):\n    return g(x) + g(x)\n" + pointwise("g(x)"),
        treadle.pointwise,
        X,
    ),
    "functions, each nested deeply": (
        "import treadle\n"
        + "".join(
            f"@treadle.function\ndef g{k}(x):\n    return {'abs(' * 60}"
            f"{f'g{k - 1}(x)' if k else 'x'}{')' * 60}\n"
            for k in range(28)
        )
        + pointwise("g27(x)"),
        treadle.pointwise,
        X,
    ),
    "an unknown word": (pointwise("größe * x"), treadle.pointwise, X),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_refused_with_a_caret(case):
    text, decorator, array = CASES[case]
    with pytest.raises(KernelError) as caught:
        evaluate(define(text, decorator), array)
    assert "^" in str(caught.value)


@pytest.mark.parametrize("form", [treadle.scan, treadle.reduction])
@pytest.mark.parametrize("init", ["low", None, [0.0], 1j, (), ((0, 1), 2)])
def test_initial_values_of_other_kinds(form, init):
    text = "def f(a, b):\n    return a, b\n"
    with pytest.raises(KernelTypeError, match="init") as caught:
        define(text, form(init=init))
    assert "^" in str(caught.value)


@pytest.mark.parametrize("form", [treadle.scan, treadle.reduction])
def test_an_initial_value_that_does_not_fit(form):
    result = "(a, a)" if form is treadle.scan else "max(a, b)"  # a sum would be s64
    kernel = define(f"def f(a, b):\n    return {result}\n", form(init=2**40))
    with pytest.raises(KernelTypeError, match="init: 1099511627776 does not fit s32"):
        evaluate(kernel, I)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.uint32, np.uint8])
@pytest.mark.parametrize("init, fold", [("lowest", "max"), ("highest", "min")])
def test_scans_that_begin_at_the_end_of_the_type(init, fold, dtype):
    text = f"def f(s, x):\n    s = {fold}(s, x)\n    return s, s\n"
    array = np.array([[3, 1, 2], [1, 5, 0]], dtype)
    ufunc = {"max": np.maximum, "min": np.minimum}[fold]
    got = evaluate(define(text, treadle.scan(init=init)), array)
    np.testing.assert_array_equal(got, ufunc.accumulate(array, axis=-1))


@pytest.mark.parametrize(
    "expression, dtype, values",
    [
        ("u8(5)", np.uint8, 5),
        ("u8(300)", np.uint8, 255),
        ("u8(-1)", np.uint8, 0),
        ("u8(2.5)", np.uint8, 2),
        ("u8(nan)", np.uint8, 0),
        ("u8(inf)", np.uint8, 255),
        ("u8(s32(7))", np.uint8, 7),
        ("u8(x)", np.uint8, X),
        ("u8(x) if x > 2 else u8(9)", np.uint8, np.where(X > 2, X, 9)),
        ("where(x > 2, u8(x), u8(9))", np.uint8, np.where(X > 2, X, 9)),
        ("u8(x) if x > 2 else 9", np.int32, np.where(X > 2, X, 9)),
        ("u8(x) + 1", np.int32, X + 1),
        ("x + u8(5)", np.float32, X + 5),
    ],
)
def test_u8_is_stored_as_u8(expression, dtype, values):
    got = evaluate(define(pointwise(expression)), X)
    assert got.dtype == dtype
    np.testing.assert_array_equal(got, np.broadcast_to(values, X.shape))


def test_u8_of_branches_rows_and_helpers():
    text = (
        "def f(x):\n    if x > 2:\n        y = u8(x)\n    else:\n        y = u8(1)\n    return y\n"
    )
    assert evaluate(define(text), X).dtype == np.uint8
    assert evaluate(define("def f(r):\n    return u8(sum(r))\n", treadle.rowwise), X).tolist() == [
        3, 12,
    ]  # fmt: skip
    helper = "import treadle\n@treadle.function\ndef g(x):\n    return u8(x * 2)\n"
    assert evaluate(define(helper + pointwise("g(x)")), X).dtype == np.uint8


def test_long_sums_and_folds_are_flat():
    many = " + ".join(["x"] * 900)
    np.testing.assert_array_equal(evaluate(define(pointwise(many)), X), X * 900)
    most = f"max({', '.join(['x', *map(str, range(-600, 0))])})"
    np.testing.assert_array_equal(evaluate(define(pointwise(most)), X), X)
    all_of = " and ".join(f"x > {-k}" for k in range(1, 600))
    assert evaluate(define(pointwise(all_of)), X).all()
    chained = "x < " + " < ".join(f"x + {k}" for k in range(1, 500))
    assert evaluate(define(pointwise(chained)), X).all()


def test_names_in_any_script():
    text = "def f(größe):\n    π = 3.0\n    return größe * π\n"
    np.testing.assert_array_equal(evaluate(define(text), X), X * 3)


def test_a_name_from_outside_that_changes_is_refused():
    """A kernel means one thing: what changes is a parameter, and that is said."""
    scope = {"k": 2.0}
    kernel = define("def f(x):\n    return x * k\n", **scope)
    np.testing.assert_array_equal(evaluate(kernel, X), X * 2)
    kernel.function.__globals__["k"] = 3.0
    with pytest.raises(LaunchError, match=r"reads 'k' from outside, which was 2\.0"):
        evaluate(kernel, X)
    with pytest.raises(LaunchError, match="make it a parameter"):
        evaluate(kernel, X.astype(np.float64))
    kernel.function.__globals__["k"] = 2.0
    np.testing.assert_array_equal(evaluate(kernel, X.astype(np.float64)), X * 2)


def test_a_text_that_is_not_the_function(tmp_path, monkeypatch):
    """The file changed after it was loaded."""
    file = tmp_path / "changed_kernels.py"
    file.write_text("def f(x):\n    return x * 2\n")
    scope: dict = {}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    file.write_text("def g(a, b):\n    return a + b\n")
    with pytest.raises(KernelSyntaxError, match="not what was loaded"):
        treadle.pointwise(scope["f"])
    file.write_text("    )(\n")
    with pytest.raises(KernelSyntaxError):
        treadle.pointwise(scope["f"])


def plain(x, *, k=1):
    return x * k


def folded(a, b):
    return a + b


@functools.wraps(plain)
def wrapping(*args):
    return plain(*args)


@pytest.mark.parametrize(
    "make, word",
    [
        (lambda: treadle.pointwise(static="k")(plain), "static"),
        (lambda: treadle.pointwise(static=5)(plain), "static"),
        (lambda: treadle.pointwise(ranges={"k": 5})(plain), "ranges"),
        (lambda: treadle.pointwise(ranges={"k": (0, 1, 2)})(plain), "ranges"),
        (lambda: treadle.pointwise(convert={"k": 5})(plain), "convert"),
        (lambda: treadle.pointwise(takes="f32")(plain), "takes"),
        (lambda: treadle.pointwise(name=5)(plain), "name"),
        (lambda: treadle.pointwise(gives=5)(plain), "gives"),
        (lambda: treadle.kernel(shape=(2, 3))(plain), "shape"),
        (lambda: treadle.kernel(rank="2")(plain), "rank"),
        (lambda: treadle.reduction(init=0, lift=plain)(folded), "lift: .*@treadle.function"),
        (lambda: treadle.reduction(init=0, finish=plain)(folded), "finish: .*@treadle.function"),
        (lambda: treadle.function(5), "def"),
        (lambda: treadle.function(lambda x: x), "lambda"),
        (lambda: treadle.pointwise(wrapping), "wraps another function"),
        (lambda: treadle.pointwise(functools.partial(plain)), "def"),
    ],
)
def test_decorators_with_wrong_arguments(make, word):
    with pytest.raises(KernelSyntaxError, match=word):
        make()


@pytest.mark.parametrize("axis", [(0, 1), None])
def test_rows_lie_along_one_axis(axis):
    for decorator in (treadle.rowwise, treadle.scan(init=0)):
        text = "def f(s):\n    return s\n" if decorator is treadle.rowwise else STEP.format("x")
        with pytest.raises(treadle.LaunchError, match="one axis"):
            evaluate(define(text, decorator), X, axis=axis)


@pytest.mark.parametrize("found", [5, (2.0, 3.0), None, (-1, 3), "ab"])
def test_shape_rules_that_give_no_shape(found):
    kernel = define(indexed("x[i, j]"), treadle.kernel(shape=lambda x: found))
    with pytest.raises(treadle.LaunchError, match="shape rule"):
        evaluate(kernel, X)


@pytest.mark.parametrize("kernel", ["scalar_add", "scalar_mul"])
@pytest.mark.parametrize(
    "dtype, scalar",
    [
        ("int32", 2**40),
        ("int32", -(2**31) - 1),
        ("int32", 3_000_000_000),
        ("uint8", 2**40),
        ("uint32", -1),
        ("uint32", 2**32),
        ("int64", 2**70),
        ("int32", np.int64(2**40)),
    ],
)
def test_parameters_that_do_not_fit_what_they_meet(kernel, dtype, scalar):
    with pytest.raises(treadle.LaunchError, match=r"'scalar' (meets|does not fit)"):
        evaluate(lookup(kernel), I.astype(dtype), scalar=scalar)


@pytest.mark.parametrize(
    "dtype, scalar", [("int32", -(2**31)), ("uint32", 2**32 - 6), ("int64", 2**62), ("uint8", -300)]
)
def test_parameters_that_fit(dtype, scalar):
    array = I.astype(dtype)
    whole = array.astype(object) + scalar
    expected = np.clip(whole.astype(np.int64), 0, 255) if dtype == "uint8" else whole
    got = evaluate(lookup("scalar_add"), array, scalar=scalar)
    np.testing.assert_array_equal(got, expected.astype(dtype))


def test_the_sign_of_a_parameter_makes_no_other_kernel():
    kernel = define("def f(x, *, k=1):\n    return x * k\n")
    made = []
    for k in (1, -1):
        key, values = kernel.arguments({"k": k})
        (stage,) = kernel.bind((spec_of(I),), None, key, values).stages
        made.append(stage.kernel)
    assert made[0] == made[1]


def plain(x):
    return x + 1


def test_a_function_of_the_users_own_is_no_misspelt_intrinsic():
    @treadle.pointwise
    def calls_it(x):
        return plain(x)

    with pytest.raises(KernelTypeError, match=r"mark your function @treadle\.function") as caught:
        evaluate(calls_it, [1.0])
    assert "did you mean" not in str(caught.value)


def test_what_others_hang_on_shared_nodes_is_no_part_of_a_kernel(monkeypatch):
    tree = ast.parse("x + y")
    for node in ast.walk(tree):  # as the tracebacks of notebooks do
        for child in ast.iter_child_nodes(node):
            monkeypatch.setattr(child, "parent", node, raising=False)

    @treadle.pointwise
    def summed(x, y):
        return x + y

    assert evaluate(summed, [1.0], [2.0]).tolist() == [3.0]
