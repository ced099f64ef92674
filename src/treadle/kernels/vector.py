"""Vectors: distances between rows of two matrices, nearest neighbours, and smaller codes.

queries is Q x D, database N x D, a distance or similarity Q x N: entry (i, j) is between query i
and row j of the database. f32 or f64, except where bits are counted."""

from __future__ import annotations

from treadle.dtypes import DType
from treadle.errors import LaunchError
from treadle.kernels.check import NUMBER
from treadle.kernels.linalg import matmul, products
from treadle.kernels.order import comes_before, first_of_rows
from treadle.kernels.shape import sliced, transpose
from treadle.lang.composite import foretold
from treadle.lang.decorators import composite, function, kernel, rowwise
from treadle.lang.repeat import repeat

__all__: list[str] = []

BLOCK = 1 << 22  # distances that are held at a time
FEWEST = 1024  # rows of a block, unless there are no more
ROUND = 256  # rows that the size of a block is a multiple of
MANY = 32  # queries from which on a product of matrices is worth turning the database for
FLOATS = ("f32", "f64")
PAIRS = "Q x N"
NEAR = 1e-3  # of |q|^2 + |x|^2: below it the product's rounding shows, and differences are summed


def check_pair(queries, database, what):
    """Refuse what is not two matrices of one dtype with rows of equal length."""
    for name, x in (("queries", queries), ("database", database)):
        if x.ndim != 2:
            raise LaunchError(
                f"{what}: {name} must be a matrix with one vector in each row, got shape {x.shape}"
            )
    if queries.shape[1] != database.shape[1] or queries.dtype != database.dtype:
        raise LaunchError(
            f"{what}: queries and database must have one dtype and rows of one length, got "
            f"{queries.dtype} {queries.shape} and {database.dtype} {database.shape}"
        )


def row_products(queries, database, columns, first=0):
    """Queries times rows of the database, q.x, from row `first` on."""
    if queries.has_routine("matmul_rows") or queries.shape[0] < MANY:
        return products(queries, database, columns=columns, first=first)
    # A product of matrices is tiled on every device; turning the database pays from a few on.
    taken = database
    if columns != database.shape[0]:
        taken = sliced(database, shape=(columns, database.shape[1]), b0=first)
    return matmul(queries, transpose(taken))


@rowwise(name="_square_norm", results="float", single=True)
def square_norm(row):
    """The sum of squares of a row."""
    return sum(row * row)


@function
def square_distance(queries, i, database, j):
    """|q - x|^2 as the sum of squared differences."""
    total = 0.0
    for k in range(queries.shape[1]):
        difference = queries[i, k] - database[j, k]
        total += difference * difference
    return total


@kernel(static=("root",), shape=lambda product: product.shape, dtype="product", name="_l2")
def from_products(at, product, queries, database, query_norms, norms, *, first=0, root=True):
    """|q - x|^2 = |q|^2 + |x|^2 - 2 q.x, summed directly where that would cancel."""
    i, j = at
    both = query_norms[i] + norms[first + j]
    squared = both - 2.0 * product[i, j]
    if squared < NEAR * both:
        squared = square_distance(queries, i, database, first + j)
    return sqrt(squared) if root else squared


@composite(takes=FLOATS, gives=PAIRS)
def l2_distance(queries, database):
    """Euclidean distance, sqrt(sum((q - x)^2)), of every query to every row of the database.

    Through a matrix product, |q|^2 + |x|^2 - 2 q.x; where that would cancel to less than 0.001 of
    its terms the differences are summed instead. So equal vectors have distance 0, and others are
    right to about 1e-4 in f32 in the worst case, 1e-6 where vectors are as far apart as long."""
    check_pair(queries, database, "l2_distance")
    product = row_products(queries, database, database.shape[0])
    norms = square_norm(queries), square_norm(database)
    return from_products(product, queries, database, *norms)


@composite(takes=FLOATS, gives=PAIRS, name="dot")
def inner(queries, database):
    """Inner product, sum(q * x), of every query with every row of the database."""
    check_pair(queries, database, "dot")
    return row_products(queries, database, database.shape[0])


@rowwise(takes=FLOATS, gives="that of row", results="float")
def normalize(row):
    """x / sqrt(sum(x^2)) along axis (default: the last); rows of zeros stay zero, and a NaN makes
    its whole row NaN."""
    length = sqrt(sum(row * row))
    return row / (length if length != 0 else 1.0)


@composite(takes=FLOATS, gives=PAIRS)
def cosine_similarity(queries, database):
    """sum(q * x) / (|q| |x|), -1 to 1, of every query with every row; 0 where one is all zeros."""
    check_pair(queries, database, "cosine_similarity")
    return row_products(normalize(queries), normalize(database), database.shape[0])


def every_pair(queries, columns):
    """One value for each query and each column."""
    return (queries.shape[0], columns.shape[1])


@kernel(shape=every_pair, name="_l1", results="float")
def summed(at, queries, columns):
    """sum(|q - x|) with the database's vectors in columns, which neighbours read together."""
    i, j = at
    total = 0.0
    for k in range(queries.shape[1]):
        total += abs(queries[i, k] - columns[k, j])
    return total


@kernel(shape=every_pair, name="_linf", results="float")
def furthest(at, queries, columns):
    """max(|q - x|) with the database's vectors in columns."""
    i, j = at
    most = 0.0
    for k in range(queries.shape[1]):
        most = max(most, abs(queries[i, k] - columns[k, j]))
    return most


@kernel(shape=every_pair, dtype="s32", name="_hamming")
def differing(at, queries, columns):
    """popcount(q ^ x) with the database's codes in columns."""
    i, j = at
    bits = 0
    for k in range(queries.shape[1]):
        bits += s32(popcount(queries[i, k] ^ columns[k, j]))
    return bits


@composite(takes=FLOATS, gives=PAIRS)
def l1(queries, database):
    """Manhattan distance, sum(|q - x|), of every query to every row of the database."""
    check_pair(queries, database, "l1")
    return summed(queries, transpose(database))


@composite(takes=FLOATS, gives=PAIRS)
def linf(queries, database):
    """Chebyshev distance, max(|q - x|), of every query to every row; NaN where one is NaN."""
    check_pair(queries, database, "linf")
    return furthest(queries, transpose(database))


@composite(takes=("u32", "u8"), gives="Q x N, s32")
def hamming(queries, database):
    """How many bits differ (s32) between packed codes of u32 or u8, as quantize_binary makes."""
    check_pair(queries, database, "hamming")
    return differing(queries, transpose(database))


@kernel(shape=lambda near: near.shape, name="_nearer")
def nearer(at, near, rows, values, found, *, first):
    """The nearest so far, and of those the rows: merged with the nearest of a block that begins at
    row `first`. Both are in order, and of equal ones those of the earlier row stay in front."""
    query, place = at
    low = max(place - values.shape[1], 0)
    high = min(place, near.shape[1])
    while low < high:
        middle = (low + high) // 2
        if comes_before(values[query, place - 1 - middle], near[query, middle], 0):
            high = middle
        else:
            low = middle + 1
    other = place - low
    behind = other < values.shape[1] and comes_before(values[query, other], near[query, low], 0)
    ours = low < near.shape[1] and not behind
    value = near[query, low] if ours else values[query, other]
    row = rows[query, low] if ours else found[query, other] + first
    return value, row


@kernel(shape=lambda distances: distances.shape, dtype="distances", name="_unseen")
def unseen(at, distances, *, seen):
    """Distances without the first `seen` rows of a block, which an earlier block had: NaN comes
    last, and as many others as are wanted are there already."""
    return nan if at[1] < seen else distances[at]


def block_of(total, most):
    """How many rows to take at a time, about `most`. The last block begins where it ends with the
    rows, so that all are of one size and planned once; it goes over few rows again, since blocks
    are as large as each other but for what is rounded. Rounded sizes have more plans in common."""
    if total <= most:
        return total
    even = -(-total // -(-total // most))
    return min(total, -(-even // ROUND) * ROUND)


@kernel(shape=lambda places: places.shape, dtype="queries", name="_l2_exact")
def exact(at, places, queries, database):
    """The distance of query i to its candidate, from differences."""
    return sqrt(square_distance(queries, at[0], database, places[at]))


@kernel(shape=lambda places: places.shape, name="_look_up", results="table")
def looked_up(at, places, table):
    """The entry of this row of the table that places name."""
    return table[at[0], places[at]]


@composite(
    ranges={"k": "a whole number from 1 to the rows of the database"},
    takes=FLOATS,
    gives="Q x k, for distances and for positions (s32)",
)
def l2_top_k(queries, database, *, k):
    """The k rows of the database nearest to each query: Euclidean distances and positions (s32).

    Q x k, nearest first; of equal distances the earlier row. The database is taken in blocks, so
    that at most about 4 million distances exist at a time; the 16 next best candidates are kept
    too, and all are measured again from differences, so that rounding does not decide."""
    check_pair(queries, database, "l2_top_k")
    count, total = queries.shape[0], database.shape[0]
    if not isinstance(k, int) or isinstance(k, bool) or not 0 < k <= total:
        raise LaunchError(f"l2_top_k: k must be 1 to {total}, the database's rows, got {k!r}")
    told = foretold(queries, (count, k)), foretold(queries, (count, k), DType.S32)
    if None not in told:
        return told
    kept = min(k + 16, total)
    block = block_of(total, max(BLOCK // max(count, 1), 4 * kept, FEWEST))
    norms = square_norm(queries), square_norm(database)

    def nearest(first, seen=0):
        product = row_products(queries, database, block, first)
        distances = from_products(product, queries, database, *norms, first=first, root=False)
        distances = unseen(distances, seen=seen) if seen else distances
        return first_of_rows(distances, kept, False)

    def next_block(turn, near, rows):
        first = (turn + 1) * block
        return nearer(near, rows, *nearest(first), first=first)

    near, rows = nearest(0)
    whole = total // block
    near, rows = repeat(next_block, whole - 1, near, rows)
    if whole * block < total:
        first = total - block
        near, rows = nearer(near, rows, *nearest(first, whole * block - first), first=first)
    distances, order = first_of_rows(exact(rows, queries, database), k, False)
    return distances, looked_up(order, rows)


@rowwise(name="_row_scale", results="float", single=True)
def row_scale(row):
    """What one step of int8 is worth: max(|x|) / 127."""
    return max(abs(row)) / 127.0


@kernel(shape=lambda x: x.shape, dtype="u8", name="_to_int8")
def to_int8(at, x, scale):
    """x / scale to the nearest whole number, ties to even, in two's complement."""
    step = scale[at[:-1]]
    q = s32(round(x[at] / (step if step > 0 else 1.0)))
    q = clamp(q, -127, 127)
    return q + 256 if q < 0 else q


@composite(takes=FLOATS, gives="that of x for codes (u8), without the last axis for scales")
def quantize_int8(x):
    """Symmetric int8 codes for each row (last axis), and the scale of each row: x ~ code * scale.

    scale = max(|x|) / 127 has x's shape without the last axis; a row of zeros has scale 0. There is
    no signed byte among the dtypes: codes are -127 to 127 as u8 in two's complement, which
    `codes.to_numpy().view(np.int8)` reads."""
    scale = row_scale(x)
    return to_int8(x, scale), scale


def code_rows(codes, scale):
    """The codes' shape, once they are known to fit their scales."""
    if scale.shape != codes.shape[:-1] or not codes.shape:
        raise LaunchError(
            "dequantize_int8: scale must have one value for each row of codes, got shapes "
            f"{scale.shape} and {codes.shape}"
        )
    return codes.shape


@kernel(
    shape=code_rows,
    dtype="scale",
    takes={"codes": ("u8",), "scale": FLOATS},
    gives="that of codes, as scale's dtype",
)
def dequantize_int8(at, codes, scale):
    """code * scale of its row, with codes as quantize_int8 makes them."""
    code = codes[at]
    return (code - 256 if code > 127 else code) * scale[at[:-1]]


def packed_shape(x):
    """Whole words of 32 bits for each row."""
    if not x.shape:
        raise LaunchError("quantize_binary: x must have rows; a single element has none")
    return (*x.shape[:-1], -(-x.shape[-1] // 32))


@kernel(
    shape=packed_shape,
    dtype="u32",
    ranges={"threshold": NUMBER},
    gives="that of x with ceil(n / 32) words (u32) for the n elements of a row",
)
def quantize_binary(at, x, *, threshold=0.0):
    """One bit for each element, 1 where x > threshold, 32 to a u32 along the last axis.

    Element k is bit k % 32 of word k // 32; bits beyond the row are 0. As np.packbits with
    bitorder="little", seen as u32."""
    word = u32(0)
    for b in range(32):
        k = at[len(at) - 1] * 32 + b
        bit = x[(*at[:-1], k)] > threshold and k < x.shape[x.ndim - 1]
        word = word | (u32(bit) << b)
    return word
