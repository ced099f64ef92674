"""Arithmetic on whole arrays, element by element, with NumPy broadcasting."""

from __future__ import annotations

from treadle.dtypes import STORED, as_dtype, promote
from treadle.kernels.check import NUMBER
from treadle.lang.decorators import pointwise
from treadle.lang.promotion import storage_type

__all__: list[str] = []


@pointwise(results="arithmetic")
def elementwise_add(a, b):
    """a + b; integers wrap, those narrower than 32 bits saturate."""
    return a + b


@pointwise(results="arithmetic")
def elementwise_sub(a, b):
    """a - b; integers wrap, those narrower than 32 bits saturate."""
    return a - b


@pointwise(results="arithmetic")
def elementwise_mul(a, b):
    """a * b; integers wrap, those narrower than 32 bits saturate."""
    return a * b


@pointwise(results="float")
def elementwise_div(a, b):
    """a / b as floats (IEEE: 1 / 0 is inf); integers divide as f32, s64 as f64."""
    return a / b


@pointwise(ranges={"scalar": NUMBER}, results="arithmetic")
def scalar_mul(x, *, scalar):
    """x * scalar."""
    return x * scalar


@pointwise(ranges={"scalar": NUMBER}, results="arithmetic")
def scalar_add(x, *, scalar):
    """x + scalar."""
    return x + scalar


@pointwise(name="clamp", dtype="x", ranges={"min": NUMBER, "max": NUMBER})
def clamp_between(x, *, min, max):
    """The nearest value to x in [min, max]; NaN stays NaN; max wins where max < min. Integers are
    compared as such, with the next whole numbers inside the bounds."""
    low, high = min, max
    if x.dtype == "s32":
        low, high = s32(ceil(min)), s32(floor(max))
    if x.dtype == "s64":
        low, high = s64(ceil(min)), s64(floor(max))
    if x.dtype == "u32":
        low, high = u32(maximum(ceil(min), 0)), u32(maximum(floor(max), 0))
    return minimum(maximum(x, low), high)


@pointwise(name="abs", results="arithmetic")
def absolute(x):
    """|x|; the smallest integer stays as it is."""
    return abs(x)


@pointwise(name="neg", results="arithmetic")
def negated(x):
    """-x; integers wrap, those narrower than 32 bits saturate: -x of u8 is 0."""
    return -x


@pointwise(name="exp", results="float")
def exponential(x):
    """e to the power of x."""
    return exp(x)


@pointwise(name="log", results="float")
def logarithm(x):
    """Natural logarithm; NaN below 0, -inf at 0."""
    return log(x)


@pointwise(name="sqrt", results="float")
def square_root(x):
    """Square root; NaN below 0."""
    return sqrt(x)


@pointwise(name="pow", ranges={"exponent": NUMBER}, results="float")
def power(x, *, exponent):
    """x to the power of exponent, as floats."""
    return x**exponent


@pointwise(name="minimum", results="arithmetic")
def smaller(a, b):
    """The smaller of a and b; NaN if either is NaN."""
    return minimum(a, b)


@pointwise(name="maximum", results="arithmetic")
def larger(a, b):
    """The larger of a and b; NaN if either is NaN."""
    return maximum(a, b)


def either_dtype(condition, a, b):
    """The dtype of what is chosen; of one narrow type, that."""
    if a.dtype == b.dtype == "bool":
        return a.dtype
    dtypes = (condition.dtype, a.dtype, b.dtype)
    return storage_type(promote(a.dtype, b.dtype), dtypes, elementwise=True)


@pointwise(name="where", results=either_dtype)
def chosen(condition, a, b):
    """a where condition is not 0, else b."""
    return a if condition != 0 else b


@pointwise(
    name="cast",
    dtype=lambda x, dtype: dtype or x.dtype,
    convert={"dtype": lambda dtype: None if dtype is None else as_dtype(dtype)},
    ranges={"dtype": f"one of {', '.join(STORED)}, or None for the output's"},
)
def converted(x, *, dtype=None):
    """x as another dtype: floats to integers of 32 bits or more truncate and saturate, NaN gives 0,
    and such integers wrap. To narrower types the nearest value, ties to even; integers saturate.
    Without dtype the output's decides."""
    return x
