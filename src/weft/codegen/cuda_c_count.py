"""Histograms over CUDA threads: one pass that counts, instead of one for every bin.

In: a Map kernel that names the routine "histogram": images of rows and columns, maybe with a few
channels, maybe as a batch, whose output holds the counts of groups of rows. Out: entries that clear
the counts, and that count parts of a group in memory which a block shares. Where bins are few, each
has several counters there, which the threads of a warp take in turn, so that equal neighbours do
not wait for each other.
"""

from __future__ import annotations

from weft.codegen.cstyle import indented
from weft.codegen.cuda_c_abi import HEAD, Call, Form, Geometry, Sizes, ceil_div, elements
from weft.codegen.cuda_c_words import CudaC
from weft.dtypes import DType
from weft.ir.nodes import Kernel

__all__ = ["count_form", "countable"]

_THREADS = 256
_TABLE = 8192  # counters of a block
_SHARE = 1 << 15  # elements of a block, about: enough to make up for adding its table
_EACH = 8  # elements that a thread has in flight


def countable(kernel: Kernel) -> bool:
    """Whether a kernel is a histogram that can be counted in one pass."""
    return kernel.routine == "histogram" and kernel.outputs[0].dtype is DType.S32


def count_form(c: CudaC) -> Form:
    """Render a histogram."""
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
    value = c.convert(
        c.read(image, "at"), DType.S32 if image.dtype is DType.U8 else image.dtype, real
    )
    clear = [
        "const idx at = (idx)blockIdx.x * blockDim.x + threadIdx.x;",
        f"if (at < a.entries) a.{c.pointer(out)}[at] = 0;",
    ]
    count = [
        f"__shared__ int table[{_TABLE}];",
        f"const idx bins = {c.size(bins)}, depth = {c.product(channels)}, each = bins * depth;",
        "for (int i = threadIdx.x; i < a.copies * each; i += blockDim.x) table[i] = 0;",
        "__syncthreads();",
        "const idx unit = weft_quotient((idx)blockIdx.x, a.parts);",
        "const idx part = (idx)blockIdx.x - unit * a.parts;",
        f"const idx groups = {c.size(groups)}, rows = {c.size(rows)};",
        "const idx which = weft_quotient(unit, groups), group = unit - which * groups;",
        "const idx first = (idx)((long long)group * rows / groups);",
        "const idx last = (idx)(((long long)group + 1) * rows / groups);",
        f"const idx length = {c.size(columns)} * depth;",
        "const idx begin = (which * rows + first) * length;",
        "const idx end = (which * rows + last) * length;",
        f"const {t} scale = ({t})bins / ({high} - {low});",
        f"int* const counts = a.{c.pointer(out)} + unit * each;",
        "const idx copy = a.copies > 1 ? (idx)threadIdx.x & (a.copies - 1) : 0;",
        "const auto note = [&](const idx at) {",
        f"    const {t} value = {value};",
        f"    int index = {place};",
        "    index = index < (int)bins - 1 ? index : (int)bins - 1;",
        f"    if (!(value >= {low} && value <= {high}) || index < 0) return;",
        "    const idx entry = (depth > 1 ? weft_remainder(at, depth) * bins : 0) + index;",
        "    if (a.copies > 0) atomicAdd(table + (entry * a.copies + copy), 1);",
        "    else atomicAdd(counts + entry, 1);",
        "};",
        "const idx step = a.parts * blockDim.x;",
        "idx at = begin + part * blockDim.x + threadIdx.x;",
        f"for (; (long long)at + {_EACH - 1} * step < end; at += {_EACH} * step) {{",
        "    #pragma unroll",
        f"    for (int k = 0; k < {_EACH}; ++k) note(at + k * step);",
        "}",
        "for (; at < end; at += step) note(at);",
        "if (a.copies == 0) return;",
        "__syncthreads();",
        "for (int i = threadIdx.x; i < each; i += blockDim.x) {",
        "    int total = 0;",
        "    for (int k = 0; k < a.copies; ++k) total += table[i * a.copies + k];",
        "    if (total != 0) atomicAdd(counts + i, total);",
        "}",
    ]
    text = [
        HEAD.format(threads=_THREADS, entry="weft_clear"),
        *indented(clear),
        "}",
        HEAD.format(threads=_THREADS, entry="weft_count"),
        *indented(count),
        "}",
    ]

    def measure(sizes: Sizes) -> Geometry:
        entries = elements(out.dims, sizes)
        units = elements((*lead, groups), sizes)
        each = entries // max(units, 1)
        copies = 0 if each > _TABLE else 1 << min((_TABLE // max(each, 1)).bit_length() - 1, 5)
        values = elements(image.dims, sizes) // max(units, 1)
        parts = max(1, ceil_div(values, _SHARE))
        calls = (
            Call("weft_clear", ceil_div(entries, _THREADS), (_THREADS, 1)),
            Call("weft_count", units * parts, (_THREADS, 1)),
        )
        return Geometry(calls, (entries, parts, copies))

    return Form(
        "\n".join(text), ("weft_clear", "weft_count"), ("entries", "parts", "copies"), measure
    )
