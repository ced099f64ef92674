"""Histograms on CUDA: one pass that counts, instead of one for every bin.

In: a kernel that names the routine "histogram": images of rows and columns, maybe with a few
channels, maybe as a batch, whose output holds the counts of groups of rows. Out: entries that clear
the counts, and that count parts of a group in memory which a block shares. Where counters are few,
each is there several times, and the threads of a warp take them in turn, so that equal neighbours
do not wait for each other. Bytes are counted by their value, a word at a time, and put into bins at
the end.
"""

from __future__ import annotations

from collections.abc import Callable

from treadle.codegen.cuda.abi import HEAD, Call, FormText, Geometry, Sizes
from treadle.codegen.cuda.words import CudaC
from treadle.codegen.gpu.counts import ceil_div, elements
from treadle.codegen.gpu.cstyle import indented
from treadle.dtypes import DType, read_as
from treadle.ir.nodes import Kernel, Tensor

__all__ = ["routine_for"]

_THREADS = 256
_TABLE = 8192  # counters of a block
_SHARE = 1 << 15  # elements of a block, about: enough to make up for adding its table
_EACH = 8  # elements that a thread has in flight
_WORDS = 8  # of four bytes, likewise
_CODES = 256


def routine_for(kernel: Kernel) -> Callable[[CudaC], FormText] | None:
    """What replaces the form of a kernel that can be counted in one pass; None for others."""
    counts = kernel.routine == "histogram" and kernel.outputs[0].dtype is DType.S32
    return _count if counts else None


def _count(c: CudaC) -> FormText:
    """Spell a histogram."""
    kernel = c.kernel
    image, out = kernel.inputs[0], kernel.outputs[0]
    lead = image.dims[:1] if len(image.dims) == 4 else ()
    rows, columns, *channels = image.dims[len(lead) :]
    groups, bins = out.dims[len(lead)], out.dims[-1]
    low, high = (f"a.p_{param.name}" for param in kernel.params)
    real = kernel.params[0].dtype
    t = c.types[real]
    floor = "floorf" if real is DType.F32 else "floor"
    place = c.convert(f"{floor}((value - {low}) * scale)", real, DType.S32)
    value = c.convert(c.read(image, "at"), read_as(image.dtype), real)
    clear = [
        "const idx at = (idx)blockIdx.x * blockDim.x + threadIdx.x;",
        f"if (at < a.entries) a.{c.pointer(out)}[at] = 0;",
    ]
    bytes_ = image.dtype is DType.U8
    placed = [
        f"const auto placed = [&](const {t} value, const idx channel) -> idx {{",
        f"    int index = {place};",
        "    index = index < (int)bins - 1 ? index : (int)bins - 1;",
        f"    return value >= {low} && value <= {high} ? channel * bins + index : -1;",
        "};",
    ]
    count = [
        f"__shared__ int table[{_TABLE}];",
        f"const idx bins = {c.size(bins)}, depth = {c.product(channels)};",
        f"const idx each = {_CODES} * depth;" if bytes_ else "const idx each = bins * depth;",
        "for (int i = threadIdx.x; i < a.copies * each; i += blockDim.x) table[i] = 0;",
        "__syncthreads();",
        "const idx unit = treadle_quotient((idx)blockIdx.x, a.parts);",
        "const idx part = (idx)blockIdx.x - unit * a.parts;",
        f"const idx groups = {c.size(groups)}, rows = {c.size(rows)};",
        "const idx which = treadle_quotient(unit, groups), group = unit - which * groups;",
        "const idx first = (idx)((long long)group * rows / groups);",
        "const idx last = (idx)(((long long)group + 1) * rows / groups);",
        f"const idx length = {c.size(columns)} * depth;",
        "const idx begin = (which * rows + first) * length;",
        "const idx end = (which * rows + last) * length;",
        f"const {t} scale = ({t})bins / ({high} - {low});",
        f"int* const counts = a.{c.pointer(out)} + unit * bins * depth;",
        "const idx copy = a.copies > 1 ? (idx)threadIdx.x & (a.copies - 1) : 0;",
        "const idx step = a.parts * blockDim.x, mine = part * blockDim.x + threadIdx.x;",
        "const auto channel = [&](const idx at) -> idx {",
        "    return depth > 1 ? treadle_remainder(at, depth) : 0;",
        "};",
        *placed,
        *(_bytes(c, image) if bytes_ else _values(value, t)),
    ]
    text = [
        HEAD.format(threads=_THREADS, entry="treadle_clear"),
        *indented(clear),
        "}",
        HEAD.format(threads=_THREADS, entry="treadle_count"),
        *indented(count),
        "}",
    ]

    def measure(sizes: Sizes) -> Geometry:
        entries = elements(out.dims, sizes)
        units = elements((*lead, groups), sizes)
        each = _CODES * elements(channels, sizes) if bytes_ else entries // max(units, 1)
        copies = 0 if each > _TABLE else 1 << min((_TABLE // max(each, 1)).bit_length() - 1, 5)
        values = elements(image.dims, sizes) // max(units, 1)
        parts = max(1, ceil_div(values, _SHARE))
        calls = (
            Call("treadle_clear", ceil_div(entries, _THREADS), (_THREADS, 1)),
            Call("treadle_count", units * parts, (_THREADS, 1)),
        )
        return Geometry(calls, (entries, parts, copies))

    return FormText(
        "\n".join(text), ("treadle_clear", "treadle_count"), ("entries", "parts", "copies"), measure
    )


def _values(value: str, kind: str) -> list[str]:
    """Count values in their bins."""
    return [
        f"const auto taken = [&](const idx at) -> {kind} {{ return {value}; }};",
        f"const auto note = [&](const {kind} value, const idx at) {{",
        "    const idx entry = placed(value, channel(at));",
        "    if (entry < 0) return;",
        "    atomicAdd(a.copies > 0 ? table + (entry * a.copies + copy) : counts + entry, 1);",
        "};",
        "idx at = begin + mine;",
        f"for (; (long long)at + {_EACH - 1} * step < end; at += {_EACH} * step) {{",
        f"    {kind} held[{_EACH}];",
        "    #pragma unroll",
        f"    for (int k = 0; k < {_EACH}; ++k) held[k] = taken(at + k * step);",
        "    #pragma unroll",
        f"    for (int k = 0; k < {_EACH}; ++k) note(held[k], at + k * step);",
        "}",
        "for (; at < end; at += step) note(taken(at), at);",
        "if (a.copies == 0) return;",
        "__syncthreads();",
        "for (int i = threadIdx.x; i < each; i += blockDim.x) {",
        "    int total = 0;",
        "    for (int k = 0; k < a.copies; ++k) total += table[i * a.copies + k];",
        "    if (total != 0) atomicAdd(counts + i, total);",
        "}",
    ]


def _bytes(c: CudaC, image: Tensor) -> list[str]:
    """Count bytes by their value; every word that is loaded has one of the group at least."""
    pointer = f"a.{c.pointer(image)}"
    binned = c.convert("(i & 255)", DType.S32, DType.F32)
    return [
        f"const unsigned char* const from = {pointer} + begin;",
        "const int off = (int)((unsigned long long)from & 3);",
        "const unsigned int* const words = (const unsigned int*)(from - off);",
        "const idx number = end > begin ? (end - begin + off + 3) / 4 : 0;",
        "const auto note = [&](const unsigned int code, const idx at) {",
        "    const idx which_one = channel(at) * 256 + (idx)code;",
        "    if (a.copies > 0) atomicAdd(table + (which_one * a.copies + copy), 1);",
        "    else if (const idx entry = placed((float)(int)code, channel(at)); entry >= 0)",
        "        atomicAdd(counts + entry, 1);",
        "};",
        f"for (idx first = mine; first < number; first += {_WORDS} * step) {{",
        f"    unsigned int held[{_WORDS}];",
        "    #pragma unroll",
        f"    for (int n = 0; n < {_WORDS}; ++n) {{",
        "        const idx i = first + n * step;",
        "        held[n] = i < number ? words[i] : 0;",
        "    }",
        "    #pragma unroll",
        f"    for (int n = 0; n < {_WORDS}; ++n) {{",
        "        const idx at = (first + n * step) * 4 - off;",
        "        if (at >= 0 && at + 4 <= end - begin) {",
        "            #pragma unroll",
        "            for (int k = 0; k < 4; ++k) note(held[n] >> 8 * k & 255u, at + k);",
        "        } else {",
        "            for (int k = 0; k < 4; ++k)",
        "                if (at + k >= 0 && at + k < end - begin)",
        "                    note(held[n] >> 8 * k & 255u, at + k);",
        "        }",
        "    }",
        "}",
        "if (a.copies == 0) return;",
        "__syncthreads();",
        "for (int i = threadIdx.x; i < each; i += blockDim.x) {",
        "    int total = 0;",
        "    for (int k = 0; k < a.copies; ++k) total += table[i * a.copies + k];",
        f"    const idx entry = placed({binned}, i >> 8);",
        "    if (total != 0 && entry >= 0) atomicAdd(counts + entry, total);",
        "}",
    ]
