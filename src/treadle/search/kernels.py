"""What is computed for every row: bounds from bytes, bits of those that remain, their distances.

In: the rows' bytes and numbers as treadle.search.bounds lays them out. Out: the best upper bound of
each group of 32 rows, one bit a row for those that cannot be ruled out, the places of these bits,
and partial sums of distances in f64. A backend may have better text for `byte_best` and `byte_near`
(see docs/design/search.md for the layout). Knows no tables and no metrics."""

from __future__ import annotations

from treadle.lang.decorators import function, kernel

__all__: list[str] = []

GROUP = 32  # rows of a group: bits of a word
MORE = 1.0 + 2.0**-20  # what f32 may lose of a sum of squares, on either side
LESS = 1.0 - 2.0**-20


@function
def byte_product(codes, row, queries, query):
    """The sum over all dimensions of a row's byte (unsigned) times a query's byte (signed)."""
    block = row // 16
    lane = row % 16
    total = 0
    for w in range(codes.shape[1]):
        word = codes[block, w, lane]
        other = s32(queries[query, w])
        for j in range(4):
            x = s32((word >> (8 * j)) & 255)
            q = (other << (24 - 8 * j)) >> 24
            total += x * q
    return total


@function
def estimate(codes, numbers, queries, facts, query, row):
    """The inner product of the rounded vectors, and how far it may be from the true one."""
    block = row // 16
    lane = row % 16
    whole = byte_product(codes, row, queries, query) - 128 * s32(facts[query, 3])
    product = (f32(whole) * numbers[block, 0, lane]) * facts[query, 0]
    error = facts[query, 1] * numbers[block, 2, lane] + facts[query, 2] * numbers[block, 3, lane]
    return product, error, numbers[block, 1, lane]


@function
def best_bound(codes, numbers, alive, queries, facts, query, group):
    """The smallest upper bound of a group's rows that are alive."""
    live = alive[group]
    best = inf
    for r in range(32):
        product, error, square = estimate(codes, numbers, queries, facts, query, group * 32 + r)
        high = square * MORE - 2.0 * (product - error)
        if (live >> r) & 1 != 0 and high < best:
            best = high
    return best


@kernel(dtype="f32", results="f32", routine="byte_best", name="_byte_best")
def byte_best(at, codes, numbers, alive, queries, facts, *, first=0, step=1):
    """Of group first + j * step the smallest upper bound of what is compared; infinite where no row
    is alive. A bound that is NaN says nothing. The output, [queries, groups], has to be passed:
    its shape says how many groups are looked at."""
    query, place = at
    return best_bound(codes, numbers, alive, queries, facts, query, first + place * step)


@kernel(
    shape=lambda alive, queries: (queries.shape[0], alive.shape[0]),
    dtype="u32",
    results="u32",
    routine="byte_near",
    name="_byte_near",
)
def byte_near(at, codes, numbers, alive, queries, facts, tau):
    """The rows of a group that are alive and whose lower bound is not above the query's limit, one
    bit each. A bound that is NaN rules nothing out."""
    query, group = at
    live = alive[group]
    limit = tau[query]
    bits = u32(0)
    for r in range(32):
        product, error, square = estimate(codes, numbers, queries, facts, query, group * 32 + r)
        low = square * LESS - 2.0 * (product + error)
        kept = (live >> r) & 1 != 0 and not low > limit
        bits = bits | (u32(kept) << r)
    return bits


@kernel(
    shape=lambda alive, queries: (queries.shape[0], alive.shape[0] * 34),
    dtype="f32",
    results="f32",
    routine="byte_reach",
    name="_byte_reach",
)
def byte_reach(at, codes, numbers, alive, queries, facts):
    """All that one scan knows: for each query the smallest upper bound of each group, the smallest
    lower bound of each group, then the lower bound of each row. A lower bound that is NaN is
    -infinite here, so that it rules nothing out; NaN stands for rows and groups without life."""
    query, place = at
    groups = alive.shape[0]
    group = place if place < groups else place - groups
    group = group if place < 2 * groups else (place - 2 * groups) // 32
    live = alive[group]
    high, low = inf, inf
    own = nan
    for r in range(32):
        product, error, square = estimate(codes, numbers, queries, facts, query, group * 32 + r)
        above = square * MORE - 2.0 * (product - error)
        below = square * LESS - 2.0 * (product + error)
        below = below if below == below else -inf
        if (live >> r) & 1 != 0:
            high = above if above < high else high
            low = below if below < low else low
            own = below if r == (place - 2 * groups) % 32 else own
    least = low if live != 0 else nan
    return high if place < groups else least if place < 2 * groups else own


@function
def term(q, x, how):
    """What one dimension adds."""
    a = f64(q)
    b = f64(x)
    if how == "squares":
        return (a - b) * (a - b)
    if how == "apart":
        return abs(a - b)
    return a * b


@function
def leaf_sum(at, rows, owners, queries, vectors, cuts, how):
    """The sum of one leaf of dimensions of a row and its query, in eight partial sums: the order in
    which NumPy adds up, so that the sum is the same to the last bit."""
    place, leaf = at
    row = rows[place]
    query = owners[place]
    start = cuts[leaf]
    stop = cuts[leaf + 1]
    eights = start + (stop - start) // 8 * 8
    a, b, c, d, e, f, g, h = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(start, eights, 8):
        a = a + term(queries[query, k], vectors[row, k], how)
        b = b + term(queries[query, k + 1], vectors[row, k + 1], how)
        c = c + term(queries[query, k + 2], vectors[row, k + 2], how)
        d = d + term(queries[query, k + 3], vectors[row, k + 3], how)
        e = e + term(queries[query, k + 4], vectors[row, k + 4], how)
        f = f + term(queries[query, k + 5], vectors[row, k + 5], how)
        g = g + term(queries[query, k + 6], vectors[row, k + 6], how)
        h = h + term(queries[query, k + 7], vectors[row, k + 7], how)
    total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for k in range(eights, stop):
        total = total + term(queries[query, k], vectors[row, k], how)
    return total


def leaves(rows, cuts):
    """A sum for each leaf of each row that is measured."""
    return (rows.shape[0], cuts.shape[0] - 1)


@kernel(shape=leaves, dtype="f64", results="f64", routine="sum_squares", name="_sum_squares")
def sum_squares(at, rows, owners, queries, vectors, cuts):
    """(q - x)^2, summed over each leaf."""
    return leaf_sum(at, rows, owners, queries, vectors, cuts, "squares")


@kernel(shape=leaves, dtype="f64", results="f64", routine="sum_apart", name="_sum_apart")
def sum_apart(at, rows, owners, queries, vectors, cuts):
    """|q - x|, summed over each leaf."""
    return leaf_sum(at, rows, owners, queries, vectors, cuts, "apart")


@kernel(shape=leaves, dtype="f64", results="f64", routine="sum_products", name="_sum_products")
def sum_products(at, rows, owners, queries, vectors, cuts):
    """q x, summed over each leaf."""
    return leaf_sum(at, rows, owners, queries, vectors, cuts, "products")


@kernel(
    shape=lambda groups: (groups.shape[0], groups.shape[1] * 32),
    dtype="f32",
    results=("f32", "f32"),
    routine="byte_bounds",
    name="_byte_bounds",
)
def byte_bounds(at, codes, numbers, alive, queries, facts, groups):
    """The upper and the lower bound of each row of the groups that a table names for each query;
    infinite where the row is not alive, or the table has -1."""
    query, place = at
    group = groups[query, place // 32]
    lane = place % 32
    high, low = inf, inf
    if group >= 0:
        product, error, square = estimate(codes, numbers, queries, facts, query, group * 32 + lane)
        if (alive[group] >> u32(lane)) & 1 != 0:
            high = square * MORE - 2.0 * (product - error)
            low = square * LESS - 2.0 * (product + error)
    return high, low
