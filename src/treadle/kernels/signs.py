"""Signs of floats, of zeros too: which of two zeros a 0 is, only a quotient tells."""

from __future__ import annotations

from treadle.lang.decorators import function, pointwise

__all__: list[str] = []


@function
def below(x):
    """Whether the sign of x is negative; of NaN it is not."""
    return x < 0 or (x == 0 and 1.0 / x < 0)


@pointwise(name="_signbit", results="s32")
def sign_bit(x):
    """1 where the sign is negative, else 0."""
    return 1 if below(x) else 0


@pointwise(name="_copysign", results="arithmetic")
def with_sign_of(a, b):
    """|a| with the sign of b."""
    size = abs(a)
    return -size if below(b) else size
