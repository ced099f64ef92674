"""Where vectors lie, and how large they are: what is taken from each of them before it is rounded.

In: a sample of vectors, as f64. Out: their middle, the unit that they are counted in, and how much
rounding takes away with one or another. Knows no tables.
"""

from __future__ import annotations

import numpy as np

from treadle.search.bounds import Array, code_rows

__all__ = ["lost", "middle_of", "normalised", "power_of_two", "unit_of"]


def power_of_two(largest: Array) -> Array:
    """The power of two just above numbers; 1 for 0."""
    _, exponent = np.frexp(np.where(largest > 0, largest, 0.5))
    found: Array = np.ldexp(1.0, exponent)
    return found


def normalised(vectors: Array) -> Array:
    """Vectors of length 1, those of zeros as they are; scaled first, so that nothing overflows."""
    largest = np.abs(vectors).max(axis=1, initial=0.0)
    scaled = vectors / power_of_two(largest)[:, None]
    length = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))
    found: Array = scaled / np.where(length > 0, length, 1.0)[:, None]
    return found


def middle_of(vectors: Array) -> Array:
    """The median of each dimension: one vector may be larger than all others together."""
    found: Array = np.median(vectors, axis=0)
    return found


def unit_of(vectors: Array) -> float:
    """A power of two: what the largest number of a vector is, usually, apart from vectors of zeros;
    1 for those alone."""
    largest = np.abs(vectors).max(axis=1)
    usual = np.median(largest[largest > 0]) if largest.any() else 0.0
    return float(power_of_two(np.asarray(usual)))


def lost(vectors: Array, middle: Array, unit: float) -> float:
    """How much rounding takes away from most vectors; infinite where it leaves nothing known."""
    numbers = code_rows((vectors - middle) / unit).numbers
    return float(np.median(numbers[:, 2].astype(np.float64))) * unit
