"""Updates that are scattered on CUDA.

In: kernels that name the routine "scatter_last", where the last update of a place wins;
"scatter_joined", integers that wrap, which join in any order; or "scatter_sorted", floats whose
updates have been put in order of the places. Out: entries. For the first a place notes the largest
number of an update that means it, and is fetched from there; the second are atomic; and of the
third a thread that has the first update of a place joins all of them in their order.
"""

from __future__ import annotations

from collections.abc import Callable

from treadle.backends.cuda.text import filled
from treadle.codegen.cuda.abi import HEAD, Call, FormText, Geometry, Sizes
from treadle.codegen.cuda.words import STORED_TYPES, CudaC
from treadle.codegen.gpu.counts import ceil_div, elements
from treadle.codegen.gpu.cstyle import indented
from treadle.dtypes import DType, read_as
from treadle.ir.nodes import Kernel

__all__ = ["routine_for"]

_THREADS = 256
_EACH = 4  # elements of a thread, all of them in flight
_WORDS = {
    DType.S32: "unsigned int",
    DType.U32: "unsigned int",
    DType.S64: "unsigned long long",
}


def routine_for(kernel: Kernel) -> Callable[[CudaC], FormText] | None:
    """What replaces the form of scattered updates; None for others."""
    if kernel.routine == "scatter_last":
        return _last
    if kernel.routine == "scatter_sorted" and kernel.outputs[0].dtype.is_float:
        return _sorted
    joins = kernel.routine == "scatter_joined" and kernel.outputs[0].dtype in _WORDS
    return _joined if joins else None


# Indices may be the same for the last axis: `width` of them for a place, one or as many as `tail`.
_PLACE = """
__device__ __forceinline__ idx treadle_place(const long long index, const idx count) {
    const long long place = index < 0 ? index + count : index;
    return place < 0 || place >= count ? (idx)-1 : (idx)place;
}
"""

_WALK = """
const idx first = (idx)blockIdx.x * (THREADS * EACH) + threadIdx.x;
#pragma unroll
for (int k = 0; k < EACH; ++k) {
    const idx at = first + k * THREADS;
    BODY
}
"""

_CLEAR = "if (at < a.places) LATEST[at] = 0;"

_NOTE = """
if (at < a.noted) {
    const idx row = WIDTH > 1 ? treadle_quotient(at, WIDTH) : at;
    const idx line = treadle_quotient(row, MANY);
    const idx place = treadle_place((long long)INDEX, COUNT);
    if (place >= 0)
        atomicMax(LATEST + (line * COUNT + place) * WIDTH + (at - row * WIDTH),
                  (int)(row - line * MANY) + 1);
}
"""

_FETCH = """
if (at < a.size) {
    const idx place = WIDTH < TAIL ? treadle_quotient(at, TAIL) : at;
    const int latest = LATEST[place];
    VALUE value;
    if (latest == 0) value = IN[at];
    else {
        const idx row = treadle_quotient(at, TAIL), line = treadle_quotient(row, COUNT);
        value = UPDATES[(line * MANY + latest - 1) * TAIL + (at - row * TAIL)];
    }
    OUT[at] = value;
}
"""

_COPY = "if (at < a.size) OUT[at] = IN[at];"

_JOIN = """
if (at < a.noted) {
    const idx row = treadle_quotient(at, TAIL), tail = at - row * TAIL;
    const idx line = treadle_quotient(row, MANY), where = row * WIDTH + (WIDTH > 1 ? tail : 0);
    const idx place = treadle_place((long long)INDEX, COUNT);
    if (place >= 0) {
        VALUE* const to = OUT + (line * COUNT + place) * TAIL + tail;
        const VALUE more = UPDATES[at];
        if (HOW == 1) atomicAdd((WORD*)to, (WORD)more);
        else if (HOW == 3) atomicMax(to, more);
        else if (HOW == 4) atomicMin(to, more);
        else {
            WORD was = *(volatile WORD*)to, seen;
            do {
                seen = was;
                was = atomicCAS((WORD*)to, seen, seen * (WORD)more);
            } while (was != seen);
        }
    }
}
"""


# Keys may be the same for the last axis, a row of them for a line, or one for each element of it.
_RUNS = """
if (at < a.noted) {
    const idx tail = WIDTH > 1 ? 0 : treadle_remainder(at, TAIL);
    const idx spot = WIDTH > 1 ? at : treadle_quotient(at, TAIL);
    const idx row = treadle_quotient(spot, MANY), first = spot - row * MANY;
    const idx line = treadle_quotient(row, WIDTH), end = WIDTH > 1 ? row - line * WIDTH : tail;
    const int place = KEYS[spot];
    if (place < COUNT && (first == 0 || KEYS[spot - 1] != place)) {
        const idx to = (line * COUNT + place) * TAIL + end;
        REAL value = READ;
        for (idx j = spot; j < (row + 1) * MANY && KEYS[j] == place; ++j) {
            const idx from = (line * MANY + PLACES[j]) * TAIL + end;
            const REAL more = MORE;
            if (HOW == 2) value = value * more;
            else if (HOW == 3) value = treadle_maximum(value, more);
            else if (HOW == 4) value = treadle_minimum(value, more);
            else value = value + more;
        }
        OUT[to] = MADE;
    }
}
"""


def _words(c: CudaC, index: str) -> dict[str, str]:
    """What stands for the names in the texts; `index` is where an update's index lies."""
    (x, indices, updates), (out,) = c.kernel.inputs, c.kernel.outputs
    return {
        "THREADS": str(_THREADS),
        "EACH": str(_EACH),
        "VALUE": STORED_TYPES[x.dtype],
        "IN": f"a.{c.pointer(x)}",
        "OUT": f"a.{c.pointer(out)}",
        "UPDATES": f"a.{c.pointer(updates)}",
        "INDEX": c.read(indices, index),
        "COUNT": c.size(x.dims[1]),
        "MANY": c.size(indices.dims[1]),
        "TAIL": c.size(x.dims[2]),
        "WIDTH": c.size(indices.dims[2]),
        "LATEST": "((int*)a.scratch)",
    }


def _spelt(bodies: dict[str, str], words: dict[str, str]) -> str:
    """The text of entries that walk over elements."""
    text = [filled(_PLACE, words)]
    for entry, body in bodies.items():
        walk = filled(_WALK, {"BODY": body.strip("\n").replace("\n", "\n    ")} | words)
        lines = filled(walk, words).strip("\n").split("\n")
        text += [HEAD.format(threads=_THREADS, entry=entry), *indented(lines), "}"]
    return "\n".join(text)


def _walk(entry: str, count: int) -> Call:
    return Call(entry, ceil_div(count, _THREADS * _EACH), (_THREADS, 1))


def _last(c: CudaC) -> FormText:
    """Spell updates of which the last one wins."""
    (x, indices, _), _ = c.kernel.inputs, c.kernel.outputs
    bodies = {"treadle_clear": _CLEAR, "treadle_note": _NOTE, "treadle_fetch": _FETCH}

    def measure(sizes: Sizes) -> Geometry:
        size, noted = elements(x.dims, sizes), elements(indices.dims, sizes)
        places = elements((*x.dims[:2], indices.dims[2]), sizes)
        counts = (places, noted, size)
        calls = tuple(map(_walk, bodies, counts))
        return Geometry(calls, counts, 4 * places)

    text = _spelt(bodies, _words(c, "at"))
    return FormText(text, tuple(bodies), ("places", "noted", "size"), measure)


def _joined(c: CudaC) -> FormText:
    """Spell updates that join what is there."""
    x, _, updates = c.kernel.inputs
    words = {"WORD": _WORDS[x.dtype], "HOW": c.parameter(c.kernel.params[0])}
    bodies = {"treadle_copy": _COPY, "treadle_join": _JOIN}

    def measure(sizes: Sizes) -> Geometry:
        counts = (elements(x.dims, sizes), elements(updates.dims, sizes))
        return Geometry(tuple(map(_walk, bodies, counts)), counts)

    text = _spelt(bodies, _words(c, "where") | words)
    return FormText(text, tuple(bodies), ("size", "noted"), measure)


def _sorted(c: CudaC) -> FormText:
    """Spell updates in order of their places."""
    (x, keys, places, updates), (out,) = c.kernel.inputs, c.kernel.outputs
    read = read_as(x.dtype)
    words = {
        "THREADS": str(_THREADS),
        "EACH": str(_EACH),
        "REAL": c.types[read],
        "HOW": c.parameter(c.kernel.params[0]),
        "IN": f"a.{c.pointer(x)}",
        "OUT": f"a.{c.pointer(out)}",
        "KEYS": f"a.{c.pointer(keys)}",
        "PLACES": f"a.{c.pointer(places)}",
        "READ": c.read(x, "to"),
        "MORE": c.read(updates, "from"),
        "MADE": c.convert("value", read, out.dtype),
        "COUNT": c.size(x.dims[1]),
        "MANY": c.size(keys.dims[1]),
        "TAIL": c.size(x.dims[2]),
        "WIDTH": "a.width",
    }
    bodies = {"treadle_copy": _COPY, "treadle_runs": _RUNS}

    def measure(sizes: Sizes) -> Geometry:
        size, noted = elements(x.dims, sizes), elements(updates.dims, sizes)
        lines = elements(x.dims[:1], sizes)
        width = elements(keys.dims[:1], sizes) // max(lines, 1)
        return Geometry(tuple(map(_walk, bodies, (size, noted))), (size, noted, width))

    return FormText(_spelt(bodies, words), tuple(bodies), ("size", "noted", "width"), measure)
