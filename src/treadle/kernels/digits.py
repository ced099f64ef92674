"""The order of long rows by the digits of keys, the last digit first.

In: rows of words and the direction. Out: positions, stable, NaN counting as largest. Keys are
numbers that compare as the elements do. Each pass counts, block by block of a row, how often each
digit is there, adds the counts up, and moves every key behind those with smaller digits and behind
those with the same digit that were before it. Knows no axes, and no values after keys are made."""

from __future__ import annotations

from treadle.lang.decorators import function, kernel, scan

__all__ = ["added_up", "numbered", "places_by_digits"]

BLOCK = 2048  # elements of a row that are counted, and moved, together
DIGITS = 16
BITS = 4  # of a digit
LAST = 28  # how far the highest digit of a word is shifted


@kernel(shape=lambda x: x.shape, dtype="s32", name="_places")
def numbered(at, x):
    """The position of each element in its row."""
    return at[1]


@scan(init=0, dtype="s32", name="_added_up")
def added_up(total, x):
    """How many there are so far."""
    total = total + x
    return total, total


@kernel(shape=lambda x: x.shape, dtype="u32", name="_keys_of_floats")
def keys_of_floats(at, x, *, descending):
    """Numbers in the order of the elements, or in the opposite one."""
    key = u32(ordinal(x[at])) ^ u32(2147483648)
    return ~key if descending != 0 else key


@kernel(shape=lambda x: x.shape, dtype="u32", name="_keys_of_integers")
def keys_of_integers(at, x, *, descending):
    """The same for elements with a sign."""
    key = u32(x[at]) ^ u32(2147483648)
    return ~key if descending != 0 else key


@kernel(shape=lambda x: x.shape, dtype="u32", name="_keys_of_words")
def keys_of_words(at, x, *, descending):
    """The same for elements without one."""
    return ~x[at] if descending != 0 else x[at]


KEYS = {"f32": keys_of_floats, "s32": keys_of_integers, "u32": keys_of_words}


@function
def digit_of(key, shift):
    """The digit that lies so many bits from the lowest one."""
    return s32((key >> u32(shift)) & u32(DIGITS - 1))


@kernel(
    routine="digit_counts",
    shape=lambda keys: (keys.shape[0], DIGITS, -(-keys.shape[1] // BLOCK)),
    dtype="s32",
    name="_digit_counts",
)
def digit_counts(at, keys, *, shift):
    """How often each digit is there in each block of a row."""
    row, digit, block = at
    count = 0
    for i in range(BLOCK):
        place = block * BLOCK + i
        there = place < keys.shape[1] and digit_of(keys[row, place], shift) == digit
        count += int(there)
    return count


@function
def origin_of(keys, ends, row, place, shift):
    """Where the key that belongs at this place of its row comes from.

    `ends` are the counts of digits in blocks, added up: the first of them that is above the place
    says which digit, and which block the key is in."""
    low = 0
    high = ends.shape[1] - 1
    while low < high:
        middle = (low + high) // 2
        if ends[row, middle] > place:
            high = middle
        else:
            low = middle + 1
    blocks = ends.shape[1] // DIGITS
    before = ends[row, low - 1] if low > 0 else 0
    found = 0
    count = 0
    for i in range(BLOCK):
        at = low % blocks * BLOCK + i
        same = at < keys.shape[1] and digit_of(keys[row, at], shift) == low // blocks
        found = at if same and count == place - before else found
        count += int(same)
    return found


@kernel(
    routine="digit_moves",
    shape=lambda keys: keys.shape,
    name="_digit_moves",
    results=("u32", "s32"),
)
def moved(at, keys, places, ends, *, shift):
    """Keys in the order of one digit, stable, and what their positions once were."""
    origin = origin_of(keys, ends, at[0], at[1], shift)
    return keys[at[0], origin], places[at[0], origin]


@kernel(routine="digit_moves", shape=lambda keys: keys.shape, name="_digit_places", dtype="s32")
def moved_places(at, keys, places, ends, *, shift):
    """The same for the last digit, when only the positions are of use."""
    return places[at[0], origin_of(keys, ends, at[0], at[1], shift)]


def places_by_digits(rows, descending):
    """The positions of the elements of each row in order."""
    keys = KEYS[rows.dtype](rows, descending=descending)
    places = numbered(rows)
    for shift in range(0, LAST + 1, BITS):
        counts = digit_counts(keys, shift=shift)
        ends = added_up(counts.reshape((rows.shape[0], -1)), axis=1)
        if shift == LAST:
            return moved_places(keys, places, ends, shift=shift)
        keys, places = moved(keys, places, ends, shift=shift)
    return places
