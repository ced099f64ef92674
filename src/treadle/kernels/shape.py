"""Shapes: the same elements in another order, in part, or together with others.

Any dtype. Axes count from 0, negative ones from the end. Copies are made: a buffer's views share
its memory, what a kernel returns does not."""

from __future__ import annotations

import math

from treadle.errors import LaunchError
from treadle.kernels.check import AXIS
from treadle.lang.decorators import composite, kernel, pointwise

__all__: list[str] = []

CHANNELS = 4  # of a picture or a sound, next to each other
AXES = 6  # that differ after neighbours have been merged


def checked_axis(x, axis, what):
    """Refuse an axis that x does not have; return it counted from 0."""
    if not isinstance(axis, int) or isinstance(axis, bool) or not -x.ndim <= axis < x.ndim:
        wanted = f"-{x.ndim} to {x.ndim - 1}" if x.ndim else "absent: a single element has none"
        raise LaunchError(f"{what}: axis must be {wanted}, got {axis!r}")
    return axis % x.ndim


def whole_numbers(values, name, what):
    """Refuse what is not an int or a tuple of them; return a tuple."""
    items = values if isinstance(values, tuple) else (values,)
    if any(not isinstance(item, int) or isinstance(item, bool) for item in items):
        raise LaunchError(f"{what}: {name} must be integers, got {values!r}")
    return items


@pointwise(name="_copy", dtype="x")
def copied(x):
    """x."""
    return x


@kernel(static=("places", "shape"), shape=lambda shape: shape, dtype="x", name="_transpose")
def transposed(at, x, *, places, shape):
    """Axis k of x lies along axis places[k] of the output."""
    index = ()
    for k in range(x.ndim):
        index = (*index, at[places[k]])
    return x[index]


@kernel(
    shape=lambda x: (x.shape[0], x.shape[2], x.shape[1]),
    dtype="x",
    routine="planes",
    name="_planes",
)
def planes(at, x):
    """Channels as planes: the last two of three axes change places, the last one being short."""
    lead, channel, place = at
    return x[lead, place, channel]


@composite(
    ranges={"axes": "every axis of x once, or None for the reverse order"},
    gives="the sizes of x in the order of axes",
)
def transpose(x, *, axes=None):
    """Axes in another order: axis k of the output is axis axes[k] of x, as in np.transpose.

    axes is a permutation; without it the axes are reversed."""
    order = (
        tuple(reversed(range(x.ndim))) if axes is None else whole_numbers(axes, "axes", "transpose")
    )
    order = tuple(a % x.ndim if -x.ndim <= a < x.ndim else a for a in order)
    if sorted(order) != list(range(x.ndim)):
        raise LaunchError(
            f"transpose: axes must be a permutation of 0 to {x.ndim - 1} for shape {x.shape}, got "
            f"{axes!r}"
        )
    shape = tuple(x.shape[a] for a in order)
    # Axes that stay next to each other move as one, and those of size 1 do not matter.
    groups: list[list[int]] = []
    for a in order:
        if x.shape[a] == 1:
            continue
        if groups and a == groups[-1][-1] + 1:
            groups[-1].append(a)
        else:
            groups.append([a])
    if len(groups) < 2:
        return copied(x.reshape(shape))
    sources = sorted(groups)
    sizes = [math.prod(x.shape[a] for a in group) for group in sources]
    places = tuple(groups.index(group) for group in sources)
    moved = tuple(sizes[sources.index(group)] for group in groups)
    if places in ((1, 0), (0, 2, 1)) and sizes[-1] <= CHANNELS:
        stacked = x.reshape((math.prod(sizes[:-2]), *sizes[-2:]))
        return planes(stacked).reshape(shape)
    return transposed(x.reshape(tuple(sizes)), places=places, shape=moved).reshape(shape)


@composite(
    ranges={"shape": "whole numbers whose product is the number of elements, one of them -1"},
    gives="shape, with what -1 stands for",
)
def reshape(x, *, shape):
    """The same elements in another shape, in row-major order; one size may be -1 and follows."""
    wanted = whole_numbers(shape, "shape", "reshape")
    count = math.prod(x.shape)
    known = math.prod(n for n in wanted if n != -1)
    if wanted.count(-1) == 1 and known > 0 and count % known == 0:
        wanted = tuple(count // known if n == -1 else n for n in wanted)
    if any(n < 0 for n in wanted) or math.prod(wanted) != count:
        raise LaunchError(
            f"reshape: shape must hold the {count} elements of {x.shape}, with -1 at most once, "
            f"got {shape!r}"
        )
    return copied(x.reshape(wanted))


def joined_shape(inputs):
    """The shape of matrices next to each other along the middle axis."""
    lead, _, tail = inputs[0].shape
    return (lead, sum(spec.shape[1] for spec in inputs), tail)


@kernel(shape=joined_shape, routine="concat", name="_concat", dtype=lambda inputs: inputs[0].dtype)
def joined(at, *inputs):
    """Inputs of three axes one after the other along the middle one."""
    lead, place, tail = at
    value = inputs[0][at]
    start = inputs[0].shape[1]
    for k in range(1, len(inputs)):
        value = inputs[k][lead, place - start, tail] if place >= start else value
        start += inputs[k].shape[1]
    return value


@composite(ranges={"axis": AXIS}, gives="that of the inputs, with their sizes along axis added up")
def concat(*inputs, axis=0):
    """One or more arrays of one dtype one after the other along axis; other sizes must agree."""
    first = inputs[0]
    axis = checked_axis(first, axis, "concat")
    for k, x in enumerate(inputs):
        rest, wanted = (s.shape[:axis] + s.shape[axis + 1 :] for s in (x, first))
        if x.dtype != first.dtype or x.ndim != first.ndim or rest != wanted:
            raise LaunchError(
                f"concat: input {k} must be {first.dtype} and have the shape {first.shape} except "
                f"along axis {axis}, got {x.dtype} {x.shape}"
            )
    lead, tail = math.prod(first.shape[:axis]), math.prod(first.shape[axis + 1 :])
    total = sum(x.shape[axis] for x in inputs)
    shape = (*first.shape[:axis], total, *first.shape[axis + 1 :])
    flat = [x.reshape((lead, x.shape[axis], tail)) for x in inputs]
    full = [x for x in flat if x.shape[1]] or flat[:1]
    return (joined(*full) if len(full) > 1 else copied(full[0])).reshape(shape)


@kernel(static=("shape",), shape=lambda shape: shape, dtype="x", routine="slice", name="_slice")
def sliced(
    at, x, *, shape, b0=0, b1=0, b2=0, b3=0, b4=0, b5=0, s0=1, s1=1, s2=1, s3=1, s4=1, s5=1
):  # fmt: skip
    """The element at begin + at * step along every axis."""
    begins = (b0, b1, b2, b3, b4, b5)
    steps = (s0, s1, s2, s3, s4, s5)
    index = ()
    for k in range(x.ndim):
        index = (*index, begins[k] + at[k] * steps[k])
    return x[index]


EACH = ", one for each of axes or one number"
CUTS = {
    "starts": f"whole numbers or None{EACH}",
    "stops": f"whole numbers or None{EACH}",
    "steps": f"whole numbers other than 0, or None{EACH}",
    "axes": "different axes of x, or None for the first ones",
}


def spans(x, starts, stops, steps, axes):
    """Begin, count and step for every axis of x, from Python's meaning of start:stop:step."""
    given = {}
    for name, values in (("starts", starts), ("stops", stops), ("steps", steps), ("axes", axes)):
        given[name] = values if values is None or isinstance(values, tuple) else (values,)
        whole = all(
            n is None or (isinstance(n, int) and not isinstance(n, bool)) for n in given[name] or ()
        )
        if not whole or (name == "axes" and None in (given[name] or ())):
            raise LaunchError(f"slice: {name} must be whole numbers, got {values!r}")
    count = len(given["starts"] or given["stops"] or given["steps"] or ())
    where = given["axes"] if given["axes"] is not None else tuple(range(count))
    for name, values in given.items():
        if values is not None and len(values) != len(where):
            raise LaunchError(f"slice: {name} must have {len(where)} entries, got {values!r}")
    cuts = {}
    for k, axis in enumerate(where):
        parts = [None if given[n] is None else given[n][k] for n in ("starts", "stops", "steps")]
        if not -x.ndim <= axis < x.ndim or axis % x.ndim in cuts:
            raise LaunchError(
                f"slice: axes must be different ones from -{x.ndim} to {x.ndim - 1}, got {where}"
            )
        axis %= x.ndim
        if parts[2] == 0:
            raise LaunchError(f"slice: steps must be other than 0, got {given['steps']!r}")
        cuts[axis] = slice(*parts)
    return [range(*cuts.get(k, slice(None)).indices(n)) for k, n in enumerate(x.shape)]


@composite(ranges=CUTS, gives="that of x[start:stop:step]", name="slice")
def cut(x, *, starts=None, stops=None, steps=None, axes=None):
    """x[start:stop:step] along each of the axes, with Python's rules: negative places count from
    the end, places outside are moved to the edge, a negative step goes backwards.

    Each parameter is a tuple with one entry for each of axes (a single number will do for one
    axis); an entry None is Python's omitted value. Without axes they are the first ones."""
    ranges = spans(x, starts, stops, steps, axes)
    shape = tuple(len(r) for r in ranges)
    # An axis that is taken whole belongs to the one before it, if that one is read in order.
    begins, sizes, counts, strides = [0], [1], [1], [1]
    for r, n in zip(ranges, x.shape, strict=True):
        if strides[-1] == 1 and r == range(n):
            begins[-1], sizes[-1], counts[-1] = begins[-1] * n, sizes[-1] * n, counts[-1] * n
        else:
            begins.append(r.start)
            sizes.append(n)
            counts.append(len(r))
            strides.append(r.step)
    if len(sizes) > AXES:
        raise LaunchError(
            f"slice: at most {AXES - 1} axes can be cut at once, got {len(sizes) - 1}"
        )
    if math.prod(counts) == 0:
        begins, sizes, counts, strides = [0], [math.prod(x.shape)], [0], [1]
    first = int(sizes[0] == 1 and len(sizes) > 1)
    places = {f"b{k}": begin for k, begin in enumerate(begins[first:])}
    places |= {f"s{k}": step for k, step in enumerate(strides[first:])}
    flat = x.reshape(tuple(sizes[first:]))
    return sliced(flat, shape=tuple(counts[first:]), **places).reshape(shape)


def gathered_shape(x, indices):
    """The shape of the entries that indices name along the middle axis."""
    return (x.shape[0], indices.shape[0], x.shape[2])


@kernel(shape=gathered_shape, dtype="x", name="_gather")
def gathered(at, x, indices):
    """The entry along the middle axis that indices name."""
    lead, place, tail = at
    n = x.shape[1]
    i = clamp(indices[place], -n, n - 1)
    return x[lead, s32(i + n if i < 0 else i), tail]


@composite(
    ranges={"axis": AXIS},
    takes={"indices": ("s32", "s64", "u32", "u8", "s8", "s16", "u16")},
    gives="that of x, with the shape of indices in place of axis",
)
def gather(x, indices, *, axis=0):
    """The entries of x along axis that indices name, as np.take and ONNX's Gather.

    The axis is replaced by the axes of indices. Negative ones count from the end; those outside
    read the edge."""
    axis = checked_axis(x, axis, "gather")
    shape = (*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :])
    lead, tail = math.prod(x.shape[:axis]), math.prod(x.shape[axis + 1 :])
    flat = indices.reshape((math.prod(indices.shape),))
    return gathered(x.reshape((lead, x.shape[axis], tail)), flat).reshape(shape)
