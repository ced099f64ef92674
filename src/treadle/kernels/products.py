"""Products over axes, and running products.

As sums are: integers multiply in s64, and wrap there; axis and keepdims are as in reduce."""

from __future__ import annotations

from treadle.dtypes import as_dtype
from treadle.kernels.check import AXIS
from treadle.kernels.shape import checked_axis
from treadle.lang.decorators import composite, reduction, scan

__all__: list[str] = []


@reduction(init=1, results="sum")
def reduce_prod(acc, x):
    """The product; of nothing, 1. Of integers it is s64, or what the output holds."""
    return acc * x


@scan(init=1, name="_running_product_of_integers", results="sum")
def running_product(total, x):
    """The running product of integers."""
    total = total * x
    return total, total


@scan(init=1.0, name="_running_product_of_floats", results="float")
def running_product_of_floats(total, x):
    """The running product of floats."""
    total = total * x
    return total, total


@composite(ranges={"axis": AXIS}, gives="that of x; s64 for integers, or what the output holds")
def cumprod(x, *, axis=-1):
    """The running product along axis (default: the last)."""
    axis = checked_axis(x, axis, "cumprod")
    real = as_dtype(x.dtype).is_float
    return (running_product_of_floats if real else running_product)(x, axis=axis)
