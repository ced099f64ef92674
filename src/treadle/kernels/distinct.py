"""The different elements of an array, how often each is there, and which one every element is.

In: any array. Out: arrays as long as x has elements, and how many entries of them count: shapes of
kernels follow from shapes, and how many elements are different only values know. Elements are
sorted; where a device has a routine for it, that finds the places at which another value begins,
and else each place is found by a binary search in the numbers of the values so far."""

from __future__ import annotations

import math

from treadle.kernels.check import FLAG
from treadle.kernels.digits import added_up
from treadle.kernels.order import sorted_rows
from treadle.kernels.pointwise import converted
from treadle.kernels.shape import copied
from treadle.lang.decorators import composite, function, kernel

__all__: list[str] = []


@function
def begins(row, place):
    """Whether another value than the one before begins at a place of a sorted row."""
    value = row[place]
    before = row[max(place - 1, 0)]
    other = value != before and (value == value or before == before)
    return place == 0 or other


@kernel(shape=lambda row: row.shape, dtype="s32", name="_begins")
def beginnings(at, row):
    """1 where another value begins in a sorted row, else 0."""
    return s32(begins(row, at[0]))


@kernel(shape=lambda numbers: numbers.shape, dtype="s32", name="_found_places")
def found_places(at, numbers):
    """Where each value begins, of how many have begun at each place; beyond the last value, the
    length of the row."""
    low = 0
    high = numbers.shape[0]
    while low < high:
        middle = low + (high - low) // 2
        if numbers[middle] <= at[0]:
            low = middle + 1
        else:
            high = middle
    return low


@kernel(shape=lambda row: row.shape, dtype="s32", routine="distinct", name="_distinct_places")
def distinct_places(at, row):
    """Where each value of a sorted row begins; beyond the last value, the length of the row."""
    number = 0
    place = row.shape[0]
    for j in range(row.shape[0]):
        if begins(row, j):
            place = j if number == at[0] else place
            number = number + 1
    return place


@kernel(shape=lambda places: (), dtype="s32", name="_distinct_number")
def number_of(at, places):
    """How many values begin in a row."""
    low = 0
    high = places.shape[0]
    while low < high:
        middle = low + (high - low) // 2
        if places[middle] < places.shape[0]:
            low = middle + 1
        else:
            high = middle
    return low


@kernel(shape=lambda row: row.shape, dtype="row", name="_distinct_values")
def values_at(at, row, places):
    """The values that begin at places of a sorted row, and after them the last one again."""
    return row[min(places[at[0]], row.shape[0] - 1)]


@kernel(shape=lambda places: places.shape, dtype="s32", name="_distinct_counts")
def counts_of(at, places):
    """How many elements of a row each value has; beyond the last value, 0."""
    n = places.shape[0]
    place = at[0]
    behind = places[min(place + 1, n - 1)] if place + 1 < n else n
    return behind - places[place]


@kernel(shape=lambda x: x.shape, dtype="s32", routine="inverse", name="_distinct_inverse")
def places_among(at, x, values):
    """The first place of each element of x in a sorted row that has all of them."""
    value = x[at]
    low = 0
    high = values.shape[0]
    while low < high:
        middle = low + (high - low) // 2
        other = values[middle]
        if other < value or (value != value and other == other):
            low = middle + 1
        else:
            high = middle
    return low


@kernel(shape=lambda x: (), dtype="s32", name="_no_values")
def no_values(at, x):
    """That there is none."""
    return 0


@composite(
    ranges={"counts": FLAG, "inverse": FLAG},
    gives="N for the N elements of x, () for how many are different (s32), then N and that of x "
    "(s32) for counts and inverse",
)
def unique(x, *, counts=False, inverse=False):
    """The different elements of x in order, and how many there are; as np.unique.

    The values fill the first places of an array that is as long as x has elements, and the largest
    is in all others: `values[:number.item()]` are those that count. With counts, how often each is
    there (0 beyond the last); with inverse, the place of every element of x among the values. NaN
    are one value, the last, and zeros of either sign are equal."""
    n = math.prod(x.shape)
    if n == 0:
        flat = x.reshape((0,))
        nothing = [copied(flat), no_values(x)]
        nothing += [converted(flat, dtype="s32")] * bool(counts)
        return tuple(nothing + [converted(x, dtype="s32")] * bool(inverse))
    row = sorted_rows(x.reshape((1, n)), False).reshape((n,))
    if x.has_routine("distinct"):
        places = distinct_places(row)
    else:
        places = found_places(added_up(beginnings(row)))
    values = values_at(row, places)
    made = [values, number_of(places)]
    if counts:
        made.append(counts_of(places))
    if inverse:
        made.append(places_among(x, values))
    return tuple(made)
