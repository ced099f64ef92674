"""The kernel language: what bodies mean, how types come out, which text is refused and how."""

from __future__ import annotations

import inspect
import linecache
import math
import types

import numpy as np
import pytest

import treadle
from bound import evaluate
from kernel_text import define
from treadle.dtypes import DType
from treadle.errors import KernelError, KernelSyntaxError, KernelTypeError, LaunchError
from treadle.ir.bound import Spec
from treadle.lang.definition import Definition
from treadle.lang.source import parse

F = np.array([-2.0, -0.5, 0.0, 0.5, 2.0], np.float32)
I = np.array([-7, -1, 0, 1, 7], np.int32)  # noqa: E741
SCALE = 3


@treadle.function
def twice(x):
    return x + x


@treadle.function
def order(a, b):
    return (a, b) if a < b else (b, a)


def test_if_statements_with_early_returns():
    @treadle.pointwise
    def steps(x):
        if x > 1:
            return 10.0
        if x > 0:
            y = 1.0
        else:
            y = -1.0
        return y * 2

    np.testing.assert_array_equal(evaluate(steps, F), [-2, -2, -2, 2, 10])


def test_a_variable_set_in_both_branches_has_one_type():
    @treadle.pointwise
    def mixed(x):
        if x > 0:
            y = 1
        else:
            y = x
        return y

    out = evaluate(mixed, F)
    assert out.dtype == np.float32
    np.testing.assert_array_equal(out, [-2, -0.5, 0, 1, 1])


@pytest.mark.parametrize("before", ["", "v = 5.0"])
@pytest.mark.parametrize("value", ["x", "1", "2.5", "True", "(x, x)[1]", "-x", "w"])
@pytest.mark.parametrize("decorator", [treadle.pointwise, treadle.rowwise], ids=["map", "row"])
def test_branches_may_set_a_variable_to_the_same_value(decorator, value, before):
    lines = [
        "w = x + 1",
        before or "pass",
        "if x > 0:",
        f"    v = {value}",
        "else:",
        f"    v = {value}",
    ]
    text = "\n    ".join(["def f(x):", *lines, "return v * 1.0"])
    x = np.array([1.0, -2.0], np.float32)
    wanted = eval(value, {"x": x, "w": x + 1}) * np.ones(2)
    np.testing.assert_array_equal(evaluate(define(text, decorator), x), wanted)


def test_loops_over_runtime_bounds_carry_variables_and_may_swap_them():
    @treadle.pointwise
    def fibonacci(n):
        a = 0
        b = 1
        for _ in range(n):
            a, b = b, a + b
        return a

    np.testing.assert_array_equal(
        evaluate(fibonacci, np.arange(8, dtype=np.int32)), [0, 1, 1, 2, 3, 5, 8, 13]
    )


def test_loop_variables_take_the_type_that_the_body_makes_of_them():
    @treadle.kernel(shape=lambda x: (1,))
    def total(at, x):
        acc = 0
        for i in range(x.shape[0]):
            acc += x[i]
        return acc

    for dtype in (np.float32, np.float64, np.uint32, np.int64):
        assert evaluate(total, np.arange(5, dtype=dtype)).dtype == dtype
    assert evaluate(total, np.arange(5, dtype=np.uint8))[0] == 10


def test_static_parameters_unroll_and_choose():
    @treadle.pointwise(static=("n",))
    def power_or(x, *, n=2, mode="power"):
        if mode == "power":
            y = 1.0
            for _ in range(n):
                y = y * x
            return y
        return x + n

    np.testing.assert_array_equal(evaluate(power_or, F, n=3), F**3)
    np.testing.assert_array_equal(evaluate(power_or, F, mode="add"), F + 2)


def test_helpers_tuples_globals_and_closures():
    offset = 0.25

    @treadle.pointwise
    def spread(a, b):
        low, high = order(twice(a), b)
        return (high - low) * SCALE + offset + math.pi * 0

    b = np.ones_like(F)
    np.testing.assert_allclose(evaluate(spread, F, b), np.abs(2 * F - b) * 3 + 0.25)


def test_kernels_call_other_kernels_bodies():
    @treadle.pointwise
    def leak(x, *, slope=0.5):
        return x if x > 0 else slope * x

    @treadle.pointwise
    def both_leaks(x):
        return leak(x) + leak(x, slope=0.0)

    np.testing.assert_array_equal(evaluate(both_leaks, F), [-1, -0.25, 0, 1, 4])


def test_while_loops_end_after_a_bound():
    @treadle.pointwise
    def halvings(x):
        n = 0
        while x > 1.0 and n < 10:
            x = x / 2
            n += 1
        return n

    np.testing.assert_array_equal(
        evaluate(halvings, np.array([1, 2, 8, 1e30], np.float32)), [0, 1, 3, 10]
    )


def test_several_outputs():
    @treadle.pointwise
    def polar(x, y):
        return sqrt(x * x + y * y), atan2(y, x)

    r, t = evaluate(polar, F, F[::-1].copy())
    np.testing.assert_allclose(r, np.hypot(F, F[::-1]), rtol=1e-6)
    np.testing.assert_allclose(t, np.arctan2(F[::-1], F), rtol=1e-6)


@pytest.mark.parametrize(
    "expression, inputs, dtype",
    [
        ("x + 1", np.float32, np.float32),
        ("x + 1.5", np.int32, np.float32),
        ("x + 1.5", np.int64, np.float64),
        ("x + 1", np.uint8, np.uint8),
        ("x * 0.5", np.uint8, np.float32),
        ("x / 2", np.int32, np.float32),
        ("x // 2", np.int32, np.int32),
        ("x > 1", np.float64, np.bool_),
        ("x + p", np.uint32, np.uint32),
        ("sqrt(x)", np.int32, np.float32),
        ("s64(x) * 2", np.int32, np.int64),
        ("f64(x)", np.float32, np.float64),
        ("u8(x)", np.float32, np.uint8),
        ("x ** 2", np.int32, np.int32),
        ("x ** -1", np.float32, np.float32),
        ("x & 3", np.int32, np.int32),
    ],
)
def test_types_of_results(expression, inputs, dtype):
    kernel = define(f"def f(x, *, p=2):\n    return {expression}\n")
    assert evaluate(kernel, np.array([1, 2, 3], inputs)).dtype == dtype


def test_operators_mean_what_python_means():
    kernel = define("def f(x, y):\n    return x // y, x % y, -x, abs(x), ~x, x << 1, x >> 1\n")
    x = np.array([-7, 7, -7, 7, 5], np.int32)
    y = np.array([2, -2, -2, 2, 0], np.int32)
    floor, mod, neg, magnitude, inverted, left, right = evaluate(kernel, x, y)
    np.testing.assert_array_equal(floor[:4], (x // np.where(y, y, 1))[:4])
    np.testing.assert_array_equal(mod[:4], (x % np.where(y, y, 1))[:4])
    assert floor[4] == 0
    assert mod[4] == 0
    np.testing.assert_array_equal(neg, -x)
    np.testing.assert_array_equal(magnitude, abs(x))
    np.testing.assert_array_equal(inverted, ~x)
    np.testing.assert_array_equal(left, x << 1)
    np.testing.assert_array_equal(right, x >> 1)


def test_an_index_out_of_range_reads_the_edge():
    @treadle.kernel
    def shifted(at, x, *, by=0):
        (i,) = at
        return x[i + by]

    x = np.arange(5, dtype=np.float32)
    np.testing.assert_array_equal(evaluate(shifted, x, by=3), [3, 4, 4, 4, 4])
    np.testing.assert_array_equal(evaluate(shifted, x, by=-9), np.zeros(5))


def test_storing_to_u8_rounds_to_even_and_saturates():
    kernel = define("def f(x):\n    return x\n")
    x = np.array([-3, 0.5, 1.5, 2.5, 254.5, 255.5, 999, np.nan, np.inf, -np.inf], np.float32)
    out = evaluate(kernel, x, output=Spec(x.shape, DType.U8))
    np.testing.assert_array_equal(out, [0, 0, 2, 2, 254, 255, 255, 0, 255, 0])


def test_float_to_integer_truncates_and_saturates():
    kernel = define("def f(x):\n    return int(x)\n")
    x = np.array([-1.9, 1.9, 3e9, -3e9, np.nan, np.inf], np.float32)
    expected = [-1, 1, 2**31 - 1, -(2**31), 0, 2**31 - 1]
    np.testing.assert_array_equal(evaluate(kernel, x), expected)


REFUSED = [
    ("def f(x):\n    y = [i for i in x]\n    return y\n", KernelSyntaxError, "for"),
    ("def f(x):\n    x[0] = 1\n    return x\n", KernelSyntaxError, "never store"),
    ("def f(x):\n    print(x)\n    return x\n", KernelSyntaxError, "no effect"),
    ("def f(x):\n    y = x\n", KernelSyntaxError, "return"),
    ("def f(x):\n    for i in range(3):\n        return x\n", KernelSyntaxError, "loop"),
    (
        "def f(x):\n    try:\n        return x\n    except E:\n        return x\n",
        KernelSyntaxError,
        "try",
    ),
    ("def f(x):\n    while x > 0:\n        break\n    return x\n", KernelSyntaxError, "while"),
    ("def f(x, *rest):\n    return x\n", KernelSyntaxError, "args"),
    ("def f(x):\n    return lambda y: y\n", KernelSyntaxError, "treadle.function"),
    ("def f(x):\n    return x @ x\n", KernelSyntaxError, "@"),
    ("def f(x):\n    if x > 0:\n        return x\n", KernelSyntaxError, "every path"),
    ("def f(x):\n    if x > 0:\n        y = 1\n    return y\n", KernelTypeError, "only one branch"),
    ("def f(x):\n    return sqtr(x)\n", KernelTypeError, "sqrt"),
    ("def f(x):\n    return foo + x\n", KernelTypeError, "foo"),
    ("def f(x):\n    return x + 'a'\n", KernelTypeError, "str"),
    ("def f(x):\n    return sum(x)\n", KernelTypeError, "rowwise"),
    ("def f(x):\n    a, b = x\n    return a\n", KernelTypeError, "unpack"),
    ("def f(x):\n    return x & 1.5\n", KernelTypeError, "integers"),
    ("def f(x):\n    return x + ordinal(1.5)\n", KernelTypeError, "f32"),
    ("def f(x):\n    return open(x)\n", KernelTypeError, "treadle.function"),
    ("def f(x):\n    return x if x > 0 else None\n", KernelTypeError, "number"),
    ("def f(x):\n    return int(x) + 10**12\n", KernelTypeError, "s64"),
    ("def f(x):\n    return x.real\n", KernelTypeError, "real"),
    ("def f(x):\n    return sqrt(x, x)\n", KernelTypeError, "arguments"),
]


@pytest.mark.parametrize(
    "text, kind, says", REFUSED, ids=[t[0].split("\n")[1].strip() for t in REFUSED]
)
def test_what_is_not_in_the_language_is_refused_with_a_caret(text, kind, says):
    with pytest.raises(kind) as caught:
        evaluate(define(text), F)
    error = caught.value
    assert isinstance(error, KernelError)
    assert says in str(error)
    assert error.filename is not None
    assert error.lineno is not None
    assert str(error).splitlines()[-1].strip() == "^"
    assert text.splitlines()[error.lineno - 1].strip() in str(error)


def test_recursion_is_refused():
    scope: dict = {}
    text = "@function\ndef g(x):\n    return g(x)\n"
    linecache.cache["<rec>"] = (len(text), None, text.splitlines(keepends=True), "<rec>")
    scope["function"] = treadle.function
    exec(compile(text, "<rec>", "exec"), scope)
    kernel = define("def f(x):\n    return g(x)\n", g=scope["g"])
    with pytest.raises(KernelTypeError, match="recurse"):
        evaluate(kernel, F)


def test_calls_that_are_nested_too_deep_are_not_called_recursion():
    text = "@function\ndef g0(x):\n    return x\n"
    text += "".join(f"@function\ndef g{n}(x):\n    return g{n - 1}(x)\n" for n in range(1, 40))
    scope: dict = {"function": treadle.function}
    exec(compile(text, "<deep>", "exec"), scope)
    kernel = define("def f(x):\n    return g39(x)\n", g39=scope["g39"])
    with pytest.raises(KernelTypeError, match="nested more than 32 deep"):
        evaluate(kernel, F)


def _with_dead_code(x):
    y = x + 1
    return (
        y
        # nothing here
    )
    # a comment
    z = 2  # Python makes no code of it
    return z


# what comes after it
def _on_one_line(x): return x  # fmt: skip


def _with_others_inside(x):
    """Docs."""

    def inner(y):
        return [y for y in (1, 2)]

    return inner(x)


@pytest.mark.parametrize("kept", [True, False], ids=["positions", "none"])
@pytest.mark.parametrize("function", [_with_dead_code, _on_one_line, _with_others_inside])
def test_the_lines_of_a_function_are_those_that_a_tokenizer_finds(function, kept):
    if not kept:  # as python -X no_debug_ranges compiles it
        code = function.__code__.replace(co_linetable=b"")
        function = types.FunctionType(code, {}, function.__name__)
    lines, first = inspect.getsourcelines(function)
    found = parse(function)
    assert found.lines == tuple(line.rstrip("\n") for line in lines)
    assert found.first_line == first


def test_lambdas_and_coroutines_are_refused():
    with pytest.raises(KernelSyntaxError, match="lambda"):
        treadle.pointwise(lambda x: x)
    with pytest.raises(KernelSyntaxError, match="await"):

        @treadle.pointwise
        async def f(x):
            return x


@pytest.mark.parametrize(
    "params, says",
    [
        ({"slop": 1.0}, "slope"),
        ({"slope": "a"}, "number"),
        ({"slope": None}, "number"),
        ({"slope": 1 << 70}, "64 bits"),
    ],
)
def test_bad_parameters_name_the_parameter(params, says):
    kernel = define("def f(x, *, slope=0):\n    return x * slope\n")
    with pytest.raises(LaunchError, match="slope") as caught:
        evaluate(kernel, F, **params)
    assert says in str(caught.value)


def test_a_required_parameter_is_asked_for():
    kernel = define("def f(x, *, by):\n    return x * by\n")
    with pytest.raises(LaunchError, match="needs the parameter 'by'"):
        evaluate(kernel, F)


def test_ranges_refuse_values_and_nan():
    kernel = define(
        "def f(x, *, by=1.0):\n    return x * by\n",
        decorator=lambda f: treadle.pointwise(ranges={"by": (0.0, 2.0)})(f),
    )
    for bad in (-1.0, 3, math.nan):
        with pytest.raises(LaunchError, match=r"0\.0 to 2\.0"):
            evaluate(kernel, F, by=bad)
    np.testing.assert_array_equal(evaluate(kernel, F, by=2), F * 2)


def test_equal_numbers_of_different_type_specialise_apart():
    kernel = define(
        "def f(x, *, k=1):\n    return x * k\n",
        decorator=lambda f: treadle.pointwise(static=("k",))(f),
    )
    assert evaluate(kernel, I, k=2).dtype == np.int32
    assert evaluate(kernel, I, k=2.0).dtype == np.float32
    assert kernel.arguments({"k": 1})[0] != kernel.arguments({"k": 1.0})[0]
    assert kernel.arguments({"k": 1})[0] != kernel.arguments({"k": True})[0]


def test_calling_a_kernel_says_how_to_run_it():
    kernel = define("def f(x):\n    return x\n")
    with pytest.raises(TypeError, match="run_kernel"):
        kernel(F)


def test_shipped_names_are_not_replaced_but_own_names_are():
    from treadle.lang import registry

    shipped = registry.lookup("relu")
    mine = define(
        "def f(x):\n    return x\n", decorator=lambda f: treadle.pointwise(name="relu")(f)
    )
    assert registry.lookup("relu") is shipped
    assert mine is not shipped
    first = define(
        "def f(x):\n    return x\n", decorator=lambda f: treadle.pointwise(name="mine")(f)
    )
    second = define(
        "def f(x):\n    return -x\n", decorator=lambda f: treadle.pointwise(name="mine")(f)
    )
    assert registry.lookup("mine") is second
    assert first is not second
    with pytest.raises(treadle.TreadleError, match="two kernels"):
        Definition(first.function, first.form, name="relu", builtin=True)


@pytest.mark.parametrize("n, last", [(0, 7), (3, 2)])
def test_a_loop_variable_keeps_its_last_value(n, last):
    text = (
        "def f(x, *, n=0):\n    j = 7\n    t = 0\n    for j in range(n):\n        t += 1\n"
        "    return x * 0 + j\n"
    )
    runtime = define(text)
    static = define(text, decorator=lambda f: treadle.pointwise(static=("n",))(f))
    assert evaluate(runtime, I, n=n).tolist() == [last] * len(I)
    assert evaluate(static, I, n=n).tolist() == [last] * len(I)


@pytest.mark.parametrize(
    "body",
    [
        "x + 10**400",
        "x + 2.0**5000",
        "x + 1.0 * 10**400",
        "x + sqrt(10**400)",
        "x + int(inf)",
        "x + (1 << -1)",
    ],
)
def test_constants_beyond_every_type_are_the_kernels_error(body):
    kernel = define(f"def f(x):\n    return {body}\n")
    with pytest.raises(KernelTypeError) as caught:
        evaluate(kernel, F)
    assert caught.value.lineno == 2


def test_constants_that_do_not_fit_a_variable_are_the_kernels_error():
    kernel = define("def f(x):\n    if x > 3:\n        x = -3\n    return x\n")
    with pytest.raises(KernelTypeError, match="-3 does not fit u32") as caught:
        evaluate(kernel, np.array([1, 5], np.uint32))
    assert caught.value.lineno == 2


def test_powers_that_are_not_finite():
    with np.errstate(all="ignore"):
        infinite = evaluate(define("def f(x):\n    return x ** inf\n"), F)
        undefined = evaluate(define("def f(x):\n    return x ** nan\n"), F)
    assert infinite.tolist() == [math.inf, 0.0, 0.0, 0.0, math.inf]
    assert np.isnan(undefined).all()


def test_constants_saturate_as_u8():
    kernel = define("def f(x):\n    return x * 0 + u8(-3), x * 0 + u8(300)\n")
    low, high = evaluate(kernel, I)
    assert (low == 0).all()
    assert (high == 255).all()


def test_a_kernel_is_not_decorated_twice():
    with pytest.raises(KernelSyntaxError, match="written with def"):
        treadle.pointwise(define("def f(x):\n    return x\n"))


def test_an_integer_too_large_for_a_float_parameter():
    kernel = define("def f(x, *, b=1.5):\n    return x * b\n")
    with pytest.raises(LaunchError, match="'b' is an integer too large"):
        kernel.arguments({"b": 10**400})


def test_a_kernel_that_expands_without_end_is_refused():
    doubling = "".join(
        f"    if x > {n}:\n        t = t + 1\n        if x < 0:\n            return t\n"
        for n in range(20)
    )
    with pytest.raises(KernelSyntaxError, match="expands to more than"):
        evaluate(define(f"def f(x):\n    t = 0.0\n{doubling}    return t\n"), F)
