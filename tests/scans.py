"""Scans of every kind that is summed up, what each computes, and how far rounding may take it.

In: nothing. Out: kernels, and functions that compute them by NumPy, element after element.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import treadle

Array = np.ndarray[Any, Any]


@treadle.scan(init=0)
def total(state, x):
    state = state + x
    return state, state


@treadle.scan(init=1)
def product(state, x):
    state = state * x
    return state, state


@treadle.scan(init="lowest")
def largest(state, x):
    state = maximum(state, x)
    return state, state


@treadle.scan(init="highest")
def smallest(state, x):
    state = minimum(x, state)
    return state, state


@treadle.scan(init=0)
def parity(state, x):
    state = state ^ x
    return state, state


@treadle.scan(init=(0, "lowest"))
def count_and_largest(state, x):
    """How many before were above zero, and the largest before; two outputs."""
    return (state[0] + (1 if x > 0 else 0), maximum(state[1], x)), (state[0], state[1])


@treadle.scan(init=0.0)
def leaky(state, x, *, decay=0.99):
    state = decay * state + x
    return state, state


@treadle.scan(init=1.5)
def leaky_from(state, x, *, decay=0.99):
    """Begins with something; gives the state before the element."""
    return decay * state + x, state


@treadle.scan(init=0.0)
def weighted(state, a, x):
    """Every element has a factor of its own, and every hundredth begins anew."""
    state = (0.0 if a > 0.99 else a * state) - x / 2.0
    return state, state


@treadle.scan(init=(0.0, 0.0))
def section(state, x, *, a1=-1.8, a2=0.9, b0=1.0, b1=0.5, b2=0.25):
    """A biquad, transposed direct form II."""
    y = b0 * x + state[0]
    return (b1 * x - a1 * y + state[1], b2 * x - a2 * y), y


@treadle.scan(init=(0.0, 0.0, 0.0))
def third_order(state, x):
    a, b, c = state
    y = x + 0.5 * a - 0.3 * b + 0.1 * c
    return (y, a, b), y


@treadle.function
def later(before, after):
    """The last of both that is a number; none is -1."""
    return after if after >= 0.0 else before


@treadle.scan(init=-1.0, combine=later)
def last_seen(state, x):
    state = x if x >= 0.0 else state
    return state, state


@treadle.scan(init=0.0)
def follower(state, x):
    """Cannot be summed up: the factor depends on the state."""
    state = x + (0.5 if x > state else 0.9) * (state - x)
    return state, state


@treadle.scan(init=(0.0, 0.0))
def kept_loss(state, x):
    """Kahan's sum gives what rounding takes from it: linear in real numbers, where that is 0."""
    total, lost = state
    y = x - lost
    t = total + y
    lost = (t - total) - y
    return (t, lost), lost


def walked(matrix: Array, entry: Array, x: Array) -> Array:
    """The states of s = matrix s + entry x, before every element and after the last, in f64."""
    states = np.zeros((len(x) + 1, len(entry)))
    state = [0.0] * len(entry)
    rows, enters = matrix.tolist(), entry.tolist()
    for n, value in enumerate(x.astype(np.float64).tolist()):
        state = [
            sum(f * s for f, s in zip(row, state, strict=True)) + e * value
            for row, e in zip(rows, enters, strict=True)
        ]
        states[n + 1] = state
    return states


def rounding(matrix: Array, states: Array, x: Array, eps: float) -> float:
    """How far the states of a linear recurrence may be from exact ones.

    An element rounds to within a few parts of eps of what it adds up; that goes on through powers
    of the matrix, whose sum is finite where it decays. States at the beginnings of stretches are
    products of those powers with states before, which rounds as often again."""
    power, reach = np.eye(len(matrix)), 0.0
    for _ in range(min(len(x), 4000)):
        reach += float(np.abs(power).sum(1).max())
        power = power @ matrix
    each = float(np.abs(matrix).sum(1).max() * np.abs(states).max() + np.abs(x).max())
    return 2 * reach * 8 * eps * each
