"""Division with a rest, element by element, with NumPy broadcasting.

Rests of floats are exact, as C's fmod, Python's `%` and NumPy have them; the operator `%` of the
kernel language, a - b * floor(a / b), rounds on the way. Integers over 0 give 0."""

from __future__ import annotations

from math import inf

from treadle.kernels.functions import alike
from treadle.lang.decorators import function, pointwise

__all__: list[str] = []


@function
def rest_of(a, b):
    """The exact rest of |a| / |b| for floats of one type; NaN where there is none.

    |b| is doubled until it is more than half of what is left, taken away where it fits, and halved
    until it is itself again: none of these steps rounds."""
    left, least = abs(a), abs(b)
    step = least
    counts = left < inf and least < inf and least > 0
    while counts and step <= left - step:
        step = step + step
    while counts and step >= least and step > 0:
        left = left - step if left >= step else left
        step = step * 0.5
    return left if abs(a) < inf and least > 0 else a / b * 0.0


@function
def signed_rest(a, b):
    """C's fmod of floats of one type: the rest has the sign of a."""
    rest = rest_of(a, b)
    negative = -rest if a < 0 else rest
    return a if a == 0 and rest == 0 else negative


@function
def floored_rest(a, b):
    """Python's % of floats of one type: the rest has the sign of b."""
    rest = signed_rest(a, b)
    apart = (rest < 0 and b > 0) or (rest > 0 and b < 0)
    return rest + b if apart else ((-0.0 if b < 0 else 0.0) if rest == 0 else rest)


@function
def floored_quotient(a, b):
    """Python's // of floats of one type, from the exact rest."""
    rest = signed_rest(a, b)
    apart = (rest < 0 and b > 0) or (rest > 0 and b < 0)
    found = (a - rest) / b
    found = found - 1.0 if apart else found
    below = floor(found)
    whole = below + 1.0 if found - below > 0.5 else below
    whole = a / b * 0.0 if whole == 0 else whole  # a zero with the quotient's sign
    return a / b if b == 0 else whole


@pointwise(results="arithmetic")
def remainder(a, b):
    """The rest of a / b with the sign of b, as Python's %; exact for floats."""
    if a.dtype[0] == "f" or b.dtype[0] == "f":
        x, y = alike(a, b)
        result = floored_rest(x, y)
    else:
        result = a % b
    return result


@pointwise(results="arithmetic")
def fmod(a, b):
    """The rest of a / b with the sign of a, as in C; exact for floats."""
    if a.dtype[0] == "f" or b.dtype[0] == "f":
        x, y = alike(a, b)
        result = signed_rest(x, y)
    else:
        rest = a % b
        result = rest - b if (rest > 0 and a < 0) or (rest < 0 and a > 0) else rest
    return result


@pointwise(results="arithmetic")
def floor_divide(a, b):
    """a / b towards minus infinity, as Python's //: of floats the quotient that goes with
    `remainder`, and infinite or NaN over 0."""
    if a.dtype[0] == "f" or b.dtype[0] == "f":
        x, y = alike(a, b)
        result = floored_quotient(x, y)
    else:
        result = a // b
    return result


@pointwise(name="_rest", static=("whole", "swap"), results="arithmetic")
def rest_beside_number(x, *, scalar, whole, swap):
    """The rest of a float and a number, which comes first with swap; or the whole quotient."""
    if x.dtype == "f64":
        own, number = f64(x), f64(scalar)
    else:
        own, number = f32(x), f32(scalar)
    a, b = (number, own) if swap else (own, number)
    if whole:
        result = floored_quotient(a, b)
    else:
        result = floored_rest(a, b)
    return result
