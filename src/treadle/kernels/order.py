"""Rows in order: the first k elements of each row of a matrix, and where they were.

In: rows, how many are wanted, and the direction. Out: values and positions; stable, NaN counting as
largest. Where a device has a library routine for sorting, it sorts values, of long rows both halves
at the same time if it merges those; where it has one for the first few, it finds them; where it has
none, long rows are merged from sorted runs, which takes log2(n) stages of about log2(n) reads each.
Knows no axes."""

from __future__ import annotations

from treadle.dtypes import read_as
from treadle.kernels.digits import numbered, places_by_digits
from treadle.kernels.pointwise import converted
from treadle.lang.decorators import function, kernel

__all__ = ["at_places", "first_of_rows", "order_of_rows", "ranked_rows", "sorted_rows", "widened"]

FEW = 1024  # of a row that the routine "first" gives at most
WORDS = "f32", "s32", "u32"  # whose positions the routine "word_places" gives
HALVED = 1 << 18  # elements of a row whose halves are sorted at the same time
MANY = 4096  # elements of a row from which order by digits is quicker than merging
SHORT = 64  # elements of a row up to which counting those before each one is quicker than merging


@function
def comes_before(a, b, descending):
    """Whether a must come before b; of equals, and of two NaN, neither must."""
    smaller = a < b or (b != b and a == a)
    larger = a > b or (a != a and b == b)
    return larger if descending != 0 else smaller


@function
def others_before(x, row, place, descending):
    """How many elements of the row come before the one at this place in sorted order; stable."""
    before = 0
    for i in range(x.shape[1]):
        first = comes_before(x[row, i], x[row, place], descending)
        second = comes_before(x[row, place], x[row, i], descending)
        before += int(first or (i < place and not second))
    return before


@kernel(dtype="s32", name="_rank", shape=lambda x: x.shape)
def rank_of(at, x, *, descending=0, limit=2147483647):
    """How many elements of the row come before this one in sorted order, at most `limit`."""
    row, place = at
    value = x[at]
    rank = 0
    for j in range(x.shape[1]):
        other = x[row, j]
        smaller = other < value or (value != value and other == other)
        larger = other > value or (other != other and value == value)
        same = other == value or (other != other and value != value)
        before = larger if descending != 0 else smaller
        rank += int(before or (same and j < place))
    return min(rank, limit)


@kernel(
    static=("k",),
    shape=lambda x, k: (x.shape[0], k),
    name="_pick",
    results=lambda x: (read_as(x.dtype), "s32"),
)
def pick_ranked(at, x, ranks, *, k):
    """The elements of the row with ranks 0 to k - 1, and their positions."""
    row, rank = at
    value = x[at]
    where_found = 0
    for j in range(x.shape[1]):
        hit = ranks[row, j] == rank
        value = x[row, j] if hit else value
        where_found = j if hit else where_found
    return value, where_found


@kernel(routine="sort", dtype="x", name="_sorted", shape=lambda x: x.shape)
def in_order(at, x, *, descending=0):
    """The element that so many others of its row come before."""
    row, place = at
    value = x[at]
    for j in range(x.shape[1]):
        before = others_before(x, row, j, descending)
        value = x[row, j] if before == place else value
    return value


@function
def in_place(x, row, place, descending):
    """The element of a row that so many others come before, and its position."""
    value = x[row, place]
    position = 0
    for j in range(x.shape[1]):
        before = others_before(x, row, j, descending)
        value = x[row, j] if before == place else value
        position = j if before == place else position
    return value, position


@kernel(
    static=("k",),
    shape=lambda x, k: (x.shape[0], k),
    routine="first",
    name="_first",
    results=lambda x: (x.dtype, "s32"),
)
def first_in_order(at, x, *, k, descending=0):
    """The first k of each row in order, and their positions: few of them."""
    return in_place(x, at[0], at[1], descending)


@kernel(
    static=("k",),
    shape=lambda x, k: (x.shape[0], k),
    routine="leading",
    name="_leading",
    results=lambda x: (x.dtype, "s32"),
)
def leading_in_order(at, x, *, k, descending=0):
    """The first k of each row in order, and their positions: any number of any rows."""
    return in_place(x, at[0], at[1], descending)


@kernel(routine="word_places", dtype="s32", name="_places_of_words", shape=lambda x: x.shape)
def word_places_in_order(at, x, *, descending=0):
    """The position of the element that so many others of its row come before: of four bytes, or
    fewer."""
    return in_place(x, at[0], at[1], descending)[1]


@kernel(shape=lambda x: x.shape, dtype="s32", name="_high_words")
def high_words(at, x):
    """The upper half of an element of eight bytes, in the order of the elements."""
    value = ordinal(x[at]) if x.dtype == "f64" else x[at]
    return s32(value >> 32)


@kernel(shape=lambda x: x.shape, dtype="u32", name="_low_words")
def low_words(at, x):
    """The lower half, in the order of elements whose upper halves are equal."""
    value = ordinal(x[at]) if x.dtype == "f64" else x[at]
    return u32(value & 4294967295)


@kernel(routine="places", dtype="s32", name="_places_in_order", shape=lambda x: x.shape)
def places_in_order(at, x, *, descending=0):
    """The position of the element that so many others of its row come before."""
    return in_place(x, at[0], at[1], descending)[1]


@kernel(routine="sort_halves", dtype="x", name="_sorted_halves", shape=lambda x: x.shape)
def halves_in_order(at, x, *, run, descending=0):
    """The first `run` elements of each row in order, and the others too."""
    row, place = at
    first = 0 if place < run else run
    last = run if place < run else x.shape[1]
    value = x[at]
    for j in range(first, last):
        rank = first
        for i in range(first, last):
            ahead = comes_before(x[row, i], x[row, j], descending)
            behind = comes_before(x[row, j], x[row, i], descending)
            rank += int(ahead or (i < j and not behind))
        value = x[row, j] if rank == place else value
    return value


@function
def source_of(x, row, place, run, keep, descending):
    """Where the element at this place of the merged runs comes from.

    The row consists of sorted runs of length `run`; every two of them become one, of which the
    first `keep` elements stay. Of the first p elements of two merged runs, m come from the first
    one: the smallest m for which no more of its elements come before what the second one gives."""
    n = x.shape[1]
    p = place % keep
    first = place // keep * (2 * run)
    second = min(first + run, n)
    ours = second - first
    theirs = min(second + run, n) - second
    low = max(p - theirs, 0)
    high = min(p, ours)
    while low < high:
        middle = (low + high) // 2
        if comes_before(x[row, second + p - 1 - middle], x[row, first + middle], descending):
            high = middle
        else:
            low = middle + 1
    a = first + low
    b = second + p - low
    behind = p - low < theirs and comes_before(x[row, b], x[row, a], descending)
    return b if low >= ours or behind else a


@kernel(static=("width",), shape=lambda x, width: (x.shape[0], width), dtype="x", name="_merge")
def merged(at, x, *, width, run, keep, descending):
    """Sorted runs merged two by two."""
    row, place = at
    return x[row, source_of(x, row, place, run, keep, descending)]


@kernel(
    static=("width",),
    shape=lambda x, width: (x.shape[0], width),
    name="_merge_places",
    results=lambda x: (read_as(x.dtype), "s32"),
)
def merged_places(at, x, places, *, width, run, keep, descending):
    """Sorted runs merged two by two, with the positions that their elements once had."""
    row, place = at
    source = source_of(x, row, place, run, keep, descending)
    return x[row, source], places[row, source]


@kernel(routine="merge_halves", dtype="x", name="_merged_halves", shape=lambda x: x.shape)
def halves_merged(at, x, *, run, descending=0):
    """Rows whose first `run` elements are sorted, and the others too, as a whole."""
    row, place = at
    return x[row, source_of(x, row, place, run, 2 * run, descending)]


def levels(n, k):
    """Length of the runs, elements kept of two of them, and elements left, for each merge."""
    run = 1
    while run < n:
        keep = min(2 * run, k)
        pairs, rest = divmod(n, 2 * run)
        n = pairs * keep + min(rest, keep)
        yield run, keep, n
        run = keep


def widened(rows):
    """Rows of a type that routines know and that holds positions: of what is stored in fewer bits,
    the same numbers."""
    wide = "s32" if rows.dtype == "bool" else read_as(rows.dtype)
    return rows if rows.dtype == wide else converted(rows, dtype=wide)


def sorted_rows(rows, descending):
    """Each row in order."""
    wide = rows if rows.dtype == "u8" else widened(rows)
    made = sorted_wide(wide, int(descending))
    return made if made.dtype == rows.dtype else converted(made, dtype=rows.dtype)


def sorted_wide(rows, turned):
    """The same of a type that routines know."""
    n = rows.shape[1]
    if rows.has_routine("merge_halves") and n >= HALVED:
        run = (n + 1) // 2
        halves = halves_in_order(rows, run=run, descending=turned)
        return halves_merged(halves, run=run, descending=turned)
    if rows.has_routine("sort"):
        return in_order(rows, descending=turned)
    if has_digits(rows):
        return at_places(rows, places_by_digits(rows, turned))
    if n <= SHORT:
        return pick_ranked(rows, rank_of(rows, descending=turned, limit=n), k=n)[0]
    for run, keep, width in levels(n, n):
        rows = merged(rows, width=width, run=run, keep=keep, descending=turned)
    return rows


def first_of_rows(rows, k, descending):
    """The first k of each row in order, maybe as a wider type, and their positions."""
    rows, n, turned = widened(rows), rows.shape[1], int(descending)
    if rows.has_routine("leading"):
        return leading_in_order(rows, k=k, descending=turned)
    if n <= SHORT:
        return pick_ranked(rows, rank_of(rows, descending=turned, limit=k), k=k)
    if rows.has_routine("first") and k <= FEW:
        return first_in_order(rows, k=k, descending=turned)
    if rows.has_routine("word_places"):
        places = places_by_words(rows, turned)[:, :k]
        return at_places(rows, places), places
    if has_digits(rows) and k >= FEW:
        places = places_by_digits(rows, turned)[:, :k]
        return at_places(rows, places), places
    places = numbered(rows)
    for run, keep, width in levels(n, k):
        rows, places = merged_places(
            rows, places, width=width, run=run, keep=keep, descending=turned
        )
    return rows, places


def has_digits(rows):
    """Whether the device orders such rows by their digits."""
    return rows.dtype in WORDS and rows.shape[1] >= MANY and rows.has_routine("digits")


def places_by_words(rows, turned):
    """The positions of the elements of each row in order where there is a routine for words: those
    of eight bytes are ordered by one half and then, since that is stable, by the other."""
    if rows.dtype in WORDS:
        return word_places_in_order(rows, descending=turned)
    first = word_places_in_order(low_words(rows), descending=turned)
    then = word_places_in_order(at_places(high_words(rows), first), descending=turned)
    return at_places(first, then)


def order_of_rows(rows, descending):
    """The positions of the elements of each row in order."""
    rows, turned = widened(rows), int(descending)
    if rows.has_routine("word_places"):
        return places_by_words(rows, turned)
    if rows.has_routine("places"):
        return places_in_order(rows, descending=turned)
    return first_of_rows(rows, rows.shape[1], descending)[1]


@kernel(shape=lambda places: places.shape, dtype="x", name="_at_places")
def at_places(at, x, places):
    """The element of the row at each of these places."""
    return x[at[0], places[at]]


def ranked_rows(rows):
    """Each row in order, and the positions that its elements had; stable."""
    if rows.has_routine("places") or rows.has_routine("word_places"):
        order = order_of_rows(rows, False)
        return at_places(rows, order), order
    return first_of_rows(rows, rows.shape[1], False)
