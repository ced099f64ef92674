"""What changes every element on its own."""

from __future__ import annotations

from collections.abc import Iterator

from bench.every.case import Case, of, square

__all__ = ["elements"]

PLAIN = (
    "ceil cos cosh exp exp2 expm1 floor log log10 log1p log2 reciprocal sign sin sinh sqrt tan "
    "tanh trunc abs isfinite isinf isnan logical_not"
).split()
ARCS = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh",
    "atan": "arctan", "atanh": "arctanh",
}  # fmt: skip
FILLS = {
    "acosh": "above 1", "log": "positive", "log2": "positive", "sqrt": "positive",
    "log10": "positive", "log1p": "positive", "acos": "unit", "asin": "unit", "atanh": "unit",
}  # fmt: skip
FUNCTIONAL = "elu gelu mish selu silu softplus softsign".split()
PAIRS = {  # ours: NumPy's, torch's
    "atan2": ("arctan2", "atan2"), "elementwise_add": ("add", "add"),
    "elementwise_div": ("divide", "div"), "elementwise_mul": ("multiply", "mul"),
    "elementwise_pow": ("power", "pow"), "elementwise_sub": ("subtract", "sub"),
    "equal": ("equal", "eq"), "floor_divide": ("floor_divide", "floor_divide"),
    "fmod": ("fmod", "fmod"), "greater": ("greater", "gt"),
    "greater_equal": ("greater_equal", "ge"),
    "hypot": ("hypot", "hypot"), "less": ("less", "lt"), "less_equal": ("less_equal", "le"),
    "logaddexp": ("logaddexp", "logaddexp"), "maximum": ("maximum", "maximum"),
    "minimum": ("minimum", "minimum"), "not_equal": ("not_equal", "ne"),
    "remainder": ("remainder", "remainder"), "logical_and": ("logical_and", "logical_and"),
    "logical_or": ("logical_or", "logical_or"), "logical_xor": ("logical_xor", "logical_xor"),
}  # fmt: skip
BITS = ("bitwise_and", "bitwise_or", "bitwise_xor")
SHIFTS = {"bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift"}


def elements(count: int) -> Iterator[Case]:
    """One input, then two, then those with numbers beside them."""
    x = square(count)
    real, other = (x, "normal"), (x, "normal")
    for name in PLAIN:
        given = (x, FILLS.get(name, "normal"))
        yield Case(
            name, (given,), of(numpy=name, torch=name), close=1e-3 if name == "tan" else 1e-4
        )
    for name, arc in ARCS.items():
        yield Case(name, ((x, FILLS.get(name, "normal")),), of(numpy=arc, torch=name))
    yield Case("neg", (real,), of(numpy="negative", torch="neg"))
    yield Case("round", (real,), of(numpy="rint", torch="round"))
    yield Case("erf", (real,), of(scipy="special.erf", torch="erf"))
    yield Case("sigmoid", (real,), of(scipy="special.expit", torch="sigmoid"))
    yield Case("relu", (real,), of(numpy=lambda n, a: n.maximum(a, 0), torch="relu"))
    for name in FUNCTIONAL:
        yield Case(name, (real,), of(torch=f"nn.functional.{name}"))
    yield Case("hard_sigmoid", (real,), of(torch="nn.functional.hardsigmoid"), {"alpha": 1 / 6})
    yield Case("hard_swish", (real,), of(torch="nn.functional.hardswish"))
    for name, (numpys, torchs) in PAIRS.items():
        fill = "positive" if name == "elementwise_pow" else "normal"
        given = ((x, fill), (x, fill))
        yield Case(name, given, of(numpy=numpys, torch=torchs), close=1e-3)
    whole = ((x, "whole"), (x, "whole"))
    for name in BITS:
        yield Case(name, whole, of(numpy=name, torch=name))
    for name, shift in SHIFTS.items():
        shifts = ((x, "whole"), (x, "below 31"))
        yield Case(name, shifts, of(numpy=shift, torch=f"bitwise_{shift}"))
    yield Case("bitwise_invert", whole[:1], of(numpy="invert", torch="bitwise_not"))
    limits = {"min": -0.5, "max": 0.5}
    yield Case(
        "clamp",
        (real,),
        of(numpy=lambda n, a: n.clip(a, -0.5, 0.5), torch=lambda t, a: a.clamp(-0.5, 0.5)),
        limits,
    )
    power = lambda _, a: a**2.2  # noqa: E731
    yield Case("pow", ((x, "positive"),), of(numpy=power, torch=power), {"exponent": 2.2})
    more = lambda _, a: a + 0.5  # noqa: E731
    yield Case("scalar_add", (real,), of(numpy=more, torch=more), {"scalar": 0.5})
    half = lambda _, a: a * 0.5  # noqa: E731
    yield Case("scalar_mul", (real,), of(numpy=half, torch=half), {"scalar": 0.5})
    yield Case("where", ((x, "truth"), real, other), of(numpy="where", torch="where"))
    yield Case(
        "cast",
        (real,),
        of(numpy=lambda n, a: a.astype(n.int32), torch=lambda t, a: a.to(t.int32)),
        {"dtype": "s32"},
        "to s32",
    )
    yield Case(
        "cast",
        ((x, "byte"),),
        of(numpy=lambda n, a: a.astype(n.float32), torch=lambda t, a: a.to(t.float32)),
        {"dtype": "f32"},
        "u8 to f32",
    )
    yield Case(
        "elementwise_add", (real, (x[1:], "normal")), of(numpy="add", torch="add"), note="a row"
    )
    yield Case(
        "elementwise_mul",
        (real, ((x[0], 1), "normal")),
        of(numpy="multiply", torch="mul"),
        note="a column",
    )
    bytes_ = ((x, "byte"), (x, "byte"))
    yield Case("maximum", bytes_, of(numpy="maximum", torch="maximum"), note="u8")
