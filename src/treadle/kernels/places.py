"""Elements at places that arrays of indices name: read, and written into a copy.

Indices are integers; negative ones count from the end, and those outside mean the edge where they
are read and nothing where they are written. A kernel never stores, so each element of a scatter
looks for the indices that mean it: in their order, so that of several the last one wins, and sums
round alike on every device. Few indices it goes through; many are sorted first, so that those that
mean the same place lie together. The CPU has a routine that goes through the updates once, CUDA
others for updates whose order does not matter."""

from __future__ import annotations

import math

from treadle.errors import LaunchError
from treadle.kernels.arrange import pad
from treadle.kernels.check import AXIS, WHOLE, choice
from treadle.kernels.order import ranked_rows, widened
from treadle.kernels.shape import checked_axis, copied
from treadle.lang.decorators import composite, function, kernel

__all__: list[str] = []

FEW = 64  # indices up to which going through all of them is quicker than sorting them
REDUCTIONS = ("none", "add", "mul", "max", "min")
WRAPPING = ("s32", "s64", "u32")  # what joins to the same in any order


def require_same(x, indices, axis, what):
    """Refuse indices that reach beyond x along another axis than the one that they are for."""
    axis = checked_axis(x, axis, what)
    wider = len(indices.shape) != x.ndim or any(
        m > n for k, (n, m) in enumerate(zip(x.shape, indices.shape, strict=True)) if k != axis
    )
    if wider:
        raise LaunchError(
            f"{what}: indices must have the axes of x {x.shape}, none larger but axis {axis}, got "
            f"{indices.shape}"
        )
    return axis


@kernel(static=("axis",), shape=lambda indices: indices.shape, dtype="x", name="_gather_elements")
def picked(at, x, indices, *, axis):
    """The element at the same place but along one axis, where indices say."""
    n = x.shape[axis]
    i = clamp(indices[at], -n, n - 1)
    place = ()
    for k in range(x.ndim):
        along = s32(i + n if i < 0 else i)
        if k != axis:
            along = at[k]
        place = (*place, along)
    return x[place]


@composite(ranges={"axis": AXIS}, takes={"indices": WHOLE}, gives="that of indices")
def gather_elements(x, indices, *, axis=0):
    """The element of x at each place of indices, but along axis where indices say, as
    np.take_along_axis and ONNX's GatherElements."""
    return picked(x, indices, axis=require_same(x, indices, axis, "gather_elements"))


@kernel(
    shape=lambda x, indices: (x.shape[0], indices.shape[1], x.shape[-1]),
    dtype="x",
    name="_gather_nd",
)
def picked_parts(at, x, indices):
    """The rows at places that have one number for each axis between the first and the last."""
    place = (at[0],)
    for k in range(x.ndim - 2):
        n = x.shape[k + 1]
        i = clamp(indices[at[0], at[1], k], -n, n - 1)
        place = (*place, s32(i + n if i < 0 else i))
    return x[(*place, at[2])]


def places_of(x, indices, batch, what):
    """How many axes an entry of indices names, which must be there."""
    count = indices.shape[-1] if indices.ndim else 0
    if not indices.ndim or not 0 < count <= x.ndim - batch:
        raise LaunchError(
            f"{what}: the last axis of indices must hold 1 to {x.ndim - batch} numbers, a place "
            f"in {x.shape[batch:]}, got shape {indices.shape}"
        )
    return int(count)


@composite(
    ranges={"batch": "a whole number of axes that x and indices begin with alike"},
    takes={"indices": WHOLE},
    gives="that of indices without its last axis, then the axes of x that no place names",
)
def gather_nd(x, indices, *, batch=0):
    """The parts of x at places: the last axis of indices holds the numbers of a place, as in
    ONNX's GatherND. The first `batch` axes are common to both."""
    alike = isinstance(batch, int) and not isinstance(batch, bool)
    alike = alike and 0 <= batch < min(x.ndim, indices.ndim)
    if not alike or x.shape[:batch] != indices.shape[:batch]:
        raise LaunchError(
            f"gather_nd: batch must be a number of axes that {x.shape} and {indices.shape} begin "
            f"with alike, got {batch!r}"
        )
    count = places_of(x, indices, batch, "gather_nd")
    lead, rest = math.prod(x.shape[:batch]), x.shape[batch + count :]
    flat = x.reshape((lead, *x.shape[batch : batch + count], math.prod(rest)))
    listed = indices.reshape((lead, math.prod(indices.shape[batch:-1]), count))
    return picked_parts(flat, listed).reshape((*indices.shape[:-1], *rest))


@function
def with_updates(x, indices, updates, line, place, tail, how):
    """An element of x joined with the updates whose indices name its place, one by one."""
    value = x[line, place, tail]
    n = x.shape[1]
    for j in range(indices.shape[1]):
        i = indices[line, j, tail]
        more = updates[line, j, tail]
        joined = value + more if how == 1 else (value * more if how == 2 else more)
        joined = maximum(value, more) if how == 3 else joined
        joined = minimum(value, more) if how == 4 else joined
        value = joined if (i + n if i < 0 else i) == place else value
    return value


@kernel(shape=lambda x: x.shape, dtype="x", routine="scatter", name="_scatter")
def put(at, x, indices, updates, *, how):
    """x with the updates whose indices along the middle axis name this place; `how` they join what
    is there is their place among the reductions. Indices may be the same for the last axis."""
    return with_updates(x, indices, updates, at[0], at[1], at[2], how)


@kernel(shape=lambda x: x.shape, dtype="x", routine="scatter_last", name="_scatter_replaced")
def put_in_place(at, x, indices, updates):
    """The same where the last update of a place replaces what is there."""
    return with_updates(x, indices, updates, at[0], at[1], at[2], 0)


@kernel(shape=lambda x: x.shape, dtype="x", routine="scatter_joined", name="_scatter_in_any_order")
def put_in_any_order(at, x, indices, updates, *, how):
    """The same of integers that wrap, whose updates join in whatever order."""
    return with_updates(x, indices, updates, at[0], at[1], at[2], how)


@kernel(
    shape=lambda indices: (indices.shape[0] * indices.shape[2], indices.shape[1]),
    dtype="s32",
    name="_scatter_keys",
)
def place_keys(at, indices, x):
    """The place that each index of a line means; those outside come after all others."""
    width, n = indices.shape[2], x.shape[1]
    i = indices[at[0] // width, at[1], at[0] % width]
    i = i + n if i < 0 else i
    return s32(i) if i >= 0 and i < n else s32(n)


@function
def first_not_before(keys, row, place):
    """Where in a sorted row of places those that are not before this one begin."""
    low = 0
    high = keys.shape[1]
    while low < high:
        middle = low + (high - low) // 2
        if keys[row, middle] < place:
            low = middle + 1
        else:
            high = middle
    return low


@function
def row_of_keys(x, keys, line, tail):
    """Which row of keys is about this line: there may be one for each element of the last axis."""
    width = keys.shape[0] // x.shape[0]
    return line * width + min(tail, width - 1)


@kernel(shape=lambda x: x.shape, dtype="x", name="_scatter_last")
def put_last(at, x, keys, order, updates):
    """x with the last of the updates that mean each place; keys are sorted, and order says where
    each of them was."""
    line, place, tail = at
    row = row_of_keys(x, keys, line, tail)
    behind = first_not_before(keys, row, place + 1)
    last = max(behind - 1, 0)
    there = behind > 0 and keys[row, last] == place
    return updates[line, order[row, last], tail] if there else x[at]


@function
def with_run(x, keys, order, updates, line, place, tail, how):
    """An element of x joined with the updates that mean its place, one after the other."""
    row = row_of_keys(x, keys, line, tail)
    value = x[line, place, tail]
    j = first_not_before(keys, row, place)
    while j < keys.shape[1] and keys[row, min(j, keys.shape[1] - 1)] == place:
        more = updates[line, order[row, j], tail]
        joined = value * more if how == 2 else value + more
        joined = maximum(value, more) if how == 3 else joined
        value = minimum(value, more) if how == 4 else joined
        j = j + 1
    return value


@kernel(shape=lambda x: x.shape, dtype="x", name="_scatter_joined")
def put_joined(at, x, keys, order, updates, *, how):
    """x joined with the updates that mean each place, in their order."""
    return with_run(x, keys, order, updates, at[0], at[1], at[2], how)


@kernel(shape=lambda x: x.shape, dtype="x", routine="scatter_sorted", name="_scatter_runs")
def put_runs(at, x, keys, order, updates, *, how):
    """The same where there is a routine for it."""
    return with_run(x, keys, order, updates, at[0], at[1], at[2], how)


def put_all(x, indices, updates, reduction):
    """x with updates along its middle axis, in the way that suits the device and their number."""
    how = REDUCTIONS.index(reduction)
    if reduction == "none" and x.has_routine("scatter_last"):
        return put_in_place(x, indices, updates)
    if reduction != "none" and x.dtype in WRAPPING and x.has_routine("scatter_joined"):
        return put_in_any_order(x, indices, updates, how=how)
    if x.has_routine("scatter") or indices.shape[1] <= FEW:
        return put(x, indices, updates, how=how)
    keys, order = ranked_rows(place_keys(indices, x))
    if reduction == "none":
        return put_last(x, keys, order, updates)
    if x.has_routine("scatter_sorted"):
        return put_runs(x, keys, order, updates, how=how)
    return put_joined(x, keys, order, updates, how=how)


def check_updates(x, indices, updates, shape, reduction, what):
    """Refuse updates that are not what indices ask for."""
    choice(what, "reduction", reduction, REDUCTIONS)
    if updates.shape != shape or updates.dtype != x.dtype:
        raise LaunchError(
            f"{what}: updates must be {x.dtype} as x is, of shape {tuple(shape)}, got "
            f"{updates.dtype} {updates.shape}"
        )


@composite(
    ranges={"axis": AXIS, "reduction": REDUCTIONS},
    takes={"indices": WHOLE},
    gives="that of x",
    dtype="x",
)
def scatter_elements(x, indices, updates, *, axis=0, reduction="none"):
    """x with updates put at their own places but along axis where indices say, as ONNX's
    ScatterElements and np.put_along_axis. With a reduction an update joins what is there."""
    axis = require_same(x, indices, axis, "scatter_elements")
    check_updates(x, indices, updates, indices.shape, reduction, "scatter_elements")
    if 0 in indices.shape:
        return copied(x)
    missing = tuple(
        (0, 0 if k == axis else n - m)
        for k, (n, m) in enumerate(zip(x.shape, indices.shape, strict=True))
    )
    if any(more for _, more in missing):  # beyond the indices nothing is named
        # In a type that holds the number of a place behind the last one.
        indices = pad(widened(indices), amounts=missing, value=int(x.shape[axis]))
        updates = pad(updates, amounts=missing)
    lead, tail = math.prod(x.shape[:axis]), math.prod(x.shape[axis + 1 :])
    lined = [each.reshape((lead, each.shape[axis], tail)) for each in (x, indices, updates)]
    return put_all(*lined, reduction).reshape(tuple(x.shape))


@kernel(shape=lambda indices: (indices.shape[0],), dtype="s32", name="_row_numbers")
def row_numbers(at, indices, x):
    """The number of a place among the rows of x, or one that no row has."""
    number = 0
    inside = True
    for k in range(x.ndim - 1):
        i, n = indices[at[0], k], x.shape[k]
        i = i + n if i < 0 else i
        inside = inside and i >= 0 and i < n
        number = number * n + s32(i)
    return number if inside else 2147483647


@composite(ranges={"reduction": REDUCTIONS}, takes={"indices": WHOLE}, gives="that of x", dtype="x")
def scatter_nd(x, indices, updates, *, reduction="none"):
    """x with updates put at places: the last axis of indices holds the numbers of a place, as in
    ONNX's ScatterND. With a reduction an update joins what is there."""
    count = places_of(x, indices, 0, "scatter_nd")
    rest = x.shape[count:]
    check_updates(x, indices, updates, (*indices.shape[:-1], *rest), reduction, "scatter_nd")
    if 0 in updates.shape or 0 in x.shape:
        return copied(x)
    many, tail = math.prod(indices.shape[:-1]), math.prod(rest)
    rows = row_numbers(indices.reshape((many, count)), x.reshape((*x.shape[:count], tail)))
    lined = x.reshape((1, math.prod(x.shape[:count]), tail))
    made = put_all(lined, rows.reshape((1, many, 1)), updates.reshape((1, many, tail)), reduction)
    return made.reshape(tuple(x.shape))
