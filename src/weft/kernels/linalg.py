"""Products of matrices."""

from __future__ import annotations

from weft.errors import LaunchError
from weft.lang.decorators import kernel

__all__: list[str] = []


def product_shape(a, b):
    """The shape of a @ b, as NumPy has it for two or more dimensions."""
    for name, spec in (("a", a), ("b", b)):
        if len(spec.shape) < 2:
            raise LaunchError(
                f"matmul: {name} must have 2 or more dimensions, got shape {spec.shape}; reshape a "
                "vector to a matrix with one row or one column"
            )
    if a.shape[-1] != b.shape[-2]:
        raise LaunchError(
            f"matmul: the columns of a must be the rows of b, got {a.shape} and {b.shape}: "
            f"{a.shape[-1]} is not {b.shape[-2]}"
        )
    rank = max(len(a.shape), len(b.shape)) - 2
    lead_a, lead_b = ((1,) * (rank - len(s.shape) + 2) + s.shape[:-2] for s in (a, b))
    if any(m != n and 1 not in (m, n) for m, n in zip(lead_a, lead_b, strict=True)):
        raise LaunchError(
            f"matmul: leading dimensions must be equal or 1, got {a.shape} and {b.shape}"
        )
    lead = tuple(n if m == 1 else m for m, n in zip(lead_a, lead_b, strict=True))
    return (*lead, a.shape[-2], b.shape[-1])


@kernel(shape=product_shape, routine="matmul")
def matmul(at, a, b):
    """The matrix product a @ b, of two matrices or of stacks of them; leading axes broadcast."""
    lead = at[:-2]
    # A leading axis of size 1 repeats by itself: an index out of range reads the edge.
    lead_a = lead[len(lead) - (a.ndim - 2) :]
    lead_b = lead[len(lead) - (b.ndim - 2) :]
    acc = 0
    for k in range(a.shape[a.ndim - 1]):
        acc += a[(*lead_a, at[-2], k)] * b[(*lead_b, k, at[-1])]
    return acc
