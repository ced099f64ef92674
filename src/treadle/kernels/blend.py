"""Products and mixtures in which a share of nothing is nothing.

In: values and the shares that parameters or places give them. Out: what the formula says, where a
factor of 0 leaves nothing of an infinity or a NaN behind, and a share of 1 gives the other value
itself and not what rounding makes of it. Knows no kernel."""

from __future__ import annotations

from treadle.lang.decorators import function

__all__ = ["blend", "scaled"]


@function
def scaled(x, factor):
    """x * factor; 0 for a factor of 0, whatever x is."""
    return x * factor if factor != 0 else 0.0


@function
def blend(a, b, share):
    """a + share * (b - a): a itself for a share of 0, b itself for one of 1."""
    between = a + share * (b - a)
    return a if share == 0 else (b if share == 1 else between)
