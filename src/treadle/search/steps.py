"""The steps of a search on a device with memory of its own, from queries to the nearest rows.

In: queries and rows as they came, and what a table keeps of its rows. Out: both as bytes, the limit
of each query, the places of rows within it, their distances as NumPy adds them up, and the nearest
in order. A backend may have better text for each (routines "search_...", by the same rules to the
last bit); what stands here is what they mean. Knows no tables."""

from __future__ import annotations

from treadle.lang.decorators import function, kernel, rowwise
from treadle.search.kernels import best_bound

__all__: list[str] = []

STEPS = 127.0
SLACK = 2.0**-20  # as in treadle.search.bounds
FLOOR = 2.0**-40
CEILING = 2.0**55
ALLOWED = 2.0**-30 * (1.0 + 2.0**-20)  # of |q|^2: more than f64 loses when it measures
UP = 2.0**-22  # of a limit that was rounded: two units in its last place at least
LEAST = 2.0**-120


@rowwise(name="_query_facts", results=("f64",) * 5, single=True)
def query_facts(row, mean, *, per):
    """The scale of a query's bytes, |q'| and |q - q'| rounded up, the sum of the bytes, and what
    the limit has to allow for; `per` is 1 / unit, a power of two."""
    x = (f64(row) - mean) * per
    largest = max(abs(x))
    fits = largest < CEILING
    scale = f64(f32(largest / STEPS)) if fits and largest > FLOOR else 0.0
    whole = min(max(round(x * (1.0 / scale if scale > 0 else 0.0)), -STEPS), STEPS)
    coded = whole * scale
    square = sum(x * x)
    length = sqrt(square)
    rest = sqrt(sum((x - coded) * (x - coded)))
    shown = sqrt(sum(coded * coded)) * (1 + SLACK) + FLOOR
    lost = (rest + SLACK * length) * (1 + SLACK) + FLOOR
    return (
        scale,
        shown if fits else 0.0,
        lost if fits else inf,
        sum(whole) if fits else 0.0,
        square * ALLOWED,
    )


@kernel(shape=lambda scale: (scale.shape[0], 4), dtype="f32", name="_query_numbers", results="f32")
def query_numbers(at, scale, shown, lost, total):
    """What the byte scan takes of each query, side by side."""
    query, which = at
    first = scale[query] if which == 0 else shown[query]
    last = lost[query] if which == 2 else total[query]
    return f32(first) if which < 2 else f32(last)


@kernel(
    static=("words",),
    shape=lambda queries, words: (queries.shape[0], words),
    dtype="u32",
    name="_query_words",
    results="u32",
)
def query_words(at, queries, mean, scale, *, per, words):
    """Four dimensions of a query as signed bytes; those beyond the last are 0."""
    query, word = at
    steps = 1.0 / scale[query] if scale[query] > 0 else f64(0.0)
    bits = u32(0)
    for j in range(4):
        d = word * 4 + j
        x = (f64(queries[query, d]) - mean[d]) * per
        whole = min(max(round(x * steps), -STEPS), STEPS)
        byte = s32(whole) if d < queries.shape[1] else 0
        bits = bits | (u32(byte & 255) << (8 * j))
    return bits


@rowwise(name="_row_facts", results=("f64",) * 4, single=True)
def row_facts(row, mean, *, per):
    """The scale of a row's bytes, |x|^2, and |x - x'| and |x| rounded up; `per` is 1 / unit, a
    power of two."""
    x = (f64(row) - mean) * per
    largest = max(abs(x))
    fits = largest < CEILING
    scale = f64(f32(largest / STEPS)) if fits and largest > FLOOR else 0.0
    whole = min(max(round(x * (1.0 / scale if scale > 0 else 0.0)), -STEPS), STEPS)
    lost = x - whole * scale
    square = sum(x * x)
    length = sqrt(square)
    rest = sqrt(sum(lost * lost))
    return (
        scale,
        square if fits else 0.0,
        (rest + SLACK * (length + rest)) * (1 + SLACK) + FLOOR if fits else inf,
        length * (1 + SLACK) + FLOOR if fits else 0.0,
    )


@kernel(
    static=("words",),
    shape=lambda rows, words: (rows.shape[0], words),
    dtype="u32",
    name="_row_words",
    results="u32",
)
def row_words(at, rows, mean, scale, *, per, words):
    """Four dimensions of a row as unsigned bytes, of which 128 stands for 0."""
    row, word = at
    steps = 1.0 / scale[row] if scale[row] > 0 else f64(0.0)
    bits = u32(0)
    for j in range(4):
        d = word * 4 + j
        x = (f64(rows[row, d]) - mean[d]) * per
        whole = min(max(round(x * steps), -STEPS), STEPS)
        byte = s32(whole) + 128 if d < rows.shape[1] else 128
        bits = bits | (u32(byte) << (8 * j))
    return bits


@kernel(
    static=("groups",),
    shape=lambda queries, groups: (queries.shape[0], groups),
    dtype="f32",
    routine="byte_best",
    name="_search_sample",
    results="f32",
)
def sample(at, codes, numbers, alive, queries, facts, *, first=0, step, groups):
    """Of every `step`-th group the smallest upper bound, as kernels.byte_best has it."""
    query, place = at
    return best_bound(codes, numbers, alive, queries, facts, query, first + place * step)


@kernel(
    shape=lambda best: (best.shape[0],),
    dtype="f32",
    routine="search_limit",
    name="_search_limit",
    results="f32",
)
def limit(at, best, allowed, *, wanted):
    """The wanted-th smallest of a query's bounds, and what it has to allow for, rounded up."""
    query = at[0]
    found = f32(inf)
    for i in range(best.shape[1]):
        before = 0
        for j in range(best.shape[1]):
            less = best[query, j] < best[query, i]
            same = best[query, j] == best[query, i] and j < i
            before += 1 if less or same else 0
        if before == wanted - 1:
            found = best[query, i]
    total = f32(f64(found) + allowed[query])
    return total + (abs(total) * UP + LEAST)


@kernel(
    static=("most",),
    shape=lambda bits, most: (bits.shape[0], most + 1),
    dtype="s32",
    routine="search_places",
    name="_search_places",
    results="s32",
)
def places(at, bits, *, most):
    """How many bits of a query are set, then the first `most` of them in order; -1 where there are
    no more."""
    query, place = at
    seen = 0
    found = -1
    for g in range(bits.shape[1]):
        word = bits[query, g]
        here = s32(popcount(word))
        if seen < place and seen + here >= place:
            left = place - seen
            lane = 0
            for halving in range(5):
                width = 16 >> halving
                here_low = s32(popcount((word >> lane) & ((1 << width) - 1)))
                above = here_low < left
                left = left - here_low if above else left
                lane = lane + width if above else lane
            found = g * 32 + lane
        seen += here
    return seen if place == 0 else found


@function
def term(q, x):
    """What one dimension adds."""
    difference = f64(q) - f64(x)
    return difference * difference


@kernel(
    shape=lambda found: (found.shape[0], found.shape[1] - 1),
    dtype="f64",
    routine="search_distances",
    name="_search_distances",
    results="f64",
)
def distances(at, found, queries, vectors, cuts, joins):
    """The distance of each row that was found, infinite where there is none. The parts of a sum
    begin at `cuts`; after part i the last two sums become one joins[i] times."""
    query, place = at
    row = found[query, place + 1]
    no = f64(0.0)
    s0, s1, s2, s3, s4, s5 = no, no, no, no, no, no
    s6, s7, s8, s9, s10, s11 = no, no, no, no, no, no
    parts = cuts.shape[0] - 1 if row >= 0 else 0
    for part in range(parts):
        start = cuts[part]
        stop = cuts[part + 1]
        eights = start + (stop - start) // 8 * 8
        a, b, c, d, e, f, g, h = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(start, eights, 8):
            a = a + term(queries[query, k], vectors[row, k])
            b = b + term(queries[query, k + 1], vectors[row, k + 1])
            c = c + term(queries[query, k + 2], vectors[row, k + 2])
            d = d + term(queries[query, k + 3], vectors[row, k + 3])
            e = e + term(queries[query, k + 4], vectors[row, k + 4])
            f = f + term(queries[query, k + 5], vectors[row, k + 5])
            g = g + term(queries[query, k + 6], vectors[row, k + 6])
            h = h + term(queries[query, k + 7], vectors[row, k + 7])
        total = ((a + b) + (c + d)) + ((e + f) + (g + h))
        for k in range(eights, stop):
            total = total + term(queries[query, k], vectors[row, k])
        s11, s10, s9, s8, s7, s6 = s10, s9, s8, s7, s6, s5
        s5, s4, s3, s2, s1, s0 = s4, s3, s2, s1, s0, total
        for _ in range(joins[part]):
            s0, s1, s2, s3, s4, s5 = s1 + s0, s2, s3, s4, s5, s6
            s6, s7, s8, s9, s10 = s7, s8, s9, s10, s11
    return sqrt(s0) if row >= 0 else inf


@kernel(
    static=("k",),
    shape=lambda far, k: (far.shape[0], 2 * k + 1),
    dtype="f64",
    routine="search_chosen",
    name="_search_chosen",
    results="f64",
)
def chosen(at, far, found, *, k):
    """The k smallest distances of each query in order, then their rows, of equal ones the lowest
    first, then how many rows were found."""
    query, place = at
    turns = (place if place < k else place - k) + 1 if place < 2 * k else 0
    last = -1
    least = f64(-inf)
    for _ in range(turns):
        best = f64(inf)
        at_best = -1
        for i in range(far.shape[1]):
            value = far[query, i]
            behind = value > least or (value == least and i > last)
            if behind and (value < best or at_best < 0):
                best = value
                at_best = i
        least = best
        last = at_best
    row = found[query, last + 1]
    return f64(found[query, 0]) if place == 2 * k else f64(row) if place >= k else least
