"""Reduce kernels over CUDA threads.

In: a Reduce kernel. Out: entries that fold a share of the reduced extent with a warp or a block for
each kept element, or, where the last axis is kept, with threads side by side along it. Where kept
elements are few, several blocks share one and a second entry folds their partial states. The shares
follow from the sizes alone, so results repeat exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.codegen.cuda.abi import HEAD, Call, FormText, Geometry, Sizes
from treadle.codegen.cuda.words import STORED_TYPES, CudaC
from treadle.codegen.gpu.counts import ceil_div, elements
from treadle.codegen.gpu.cstyle import indented
from treadle.codegen.gpu.reduce import ReduceText
from treadle.dtypes import DType
from treadle.ir.nodes import Tensor
from treadle.ir.schedule import Threads

__all__ = ["reduce_form"]

_THREADS = 256
_SHORT = 1024  # up to this many elements a warp folds a row alone
_BLOCKS = 1024  # that fill a large GPU; fewer rows are shared among that many
_LEAST = 4096  # elements that are worth a block
_ACROSS = 8  # threads that share one column

_INLINE = "static __device__ __forceinline__"

_SHUFFLE = {DType.BOOL: "(bool)__shfl_down_sync(0xffffffffu, (int)s.{0}, distance)"}
_PLAIN = "__shfl_down_sync(0xffffffffu, s.{0}, distance)"

_GROUP = """template <int G> static __device__ __forceinline__ State treadle_group(
    const Args& a, State s) {
    #pragma unroll
    for (int distance = 16; distance > 0; distance >>= 1)
        s = treadle_combine(a, s, treadle_shuffle(s, distance));
    if constexpr (G > 32) {
        __shared__ State box[G / 32];
        if ((threadIdx.x & 31) == 0) box[threadIdx.x >> 5] = s;
        __syncthreads();
        s = threadIdx.x < G / 32 ? box[threadIdx.x] : treadle_initial();
        #pragma unroll
        for (int distance = G / 64; distance > 0; distance >>= 1)
            s = treadle_combine(a, s, treadle_shuffle(s, distance));
    }
    return s;
}"""

_END = """static __device__ __forceinline__ void treadle_end(
    const Args& a, const State s, const idx row, const idx part) {
    if (a.parts == 1) treadle_finish(a, s, row);
    else treadle_save(a, s, row * a.parts + part);
}"""

_MERGE = """const idx row = (idx)blockIdx.x * {warps} + (threadIdx.x >> 5);
if (row >= a.rows) return;
State s = treadle_initial();
for (idx part = threadIdx.x & 31; part < a.parts; part += 32)
    s = treadle_combine(a, s, treadle_restore(a, row * a.parts + part));
s = treadle_group<32>(a, s);
if ((threadIdx.x & 31) == 0) treadle_finish(a, s, row);"""


class _Reduction(ReduceText):
    """The text of one reduction, part by part."""

    language: CudaC
    initial = "treadle_initial()"
    joined = "treadle_combine(a, {0}, {1})"
    state = "s"
    heads: Mapping[str, str] = {
        "initial": "State treadle_initial()",
        "combine": "State treadle_combine(const Args& a, const State left, const State right)",
        "finish": "void treadle_finish(const Args& a, const State s, const idx row)",
    }

    def __init__(self, c: CudaC, threads: Threads | None) -> None:
        super().__init__(c, threads)
        self.c = c
        self.along = not self.kernel.space or len(self.kernel.space) - 1 in self.form.axes

    def memory(self) -> list[str]:
        """How states go from one thread to another, and between the two entries."""
        types = [self.c.types[dtype] for dtype in self.dtypes]
        spots = [
            f"(({t}*)(a.scratch + {8 * k}ll * a.rows * a.parts))[at]" for k, t in enumerate(types)
        ]
        moved = [_SHUFFLE.get(d, _PLAIN).format(f"s{k}") for k, d in enumerate(self.dtypes)]
        shuffle = "State treadle_shuffle(const State s, const int distance)"
        save = "void treadle_save(const Args& a, const State s, const idx at)"
        restore = "State treadle_restore(const Args& a, const idx at)"
        return [
            *self.function(shuffle, [], moved),
            *self.function(save, [f"{spot} = s.s{k};" for k, spot in enumerate(spots)]),
            *self.function(restore, [], spots),
        ]

    def function(
        self, head: str, lines: Sequence[str], values: Sequence[str] | None = None
    ) -> list[str]:
        """A function; one that gives a state fills it member by member."""
        if values is not None:
            sets = [f"out.s{k} = {text};" for k, text in enumerate(values)]
            lines = [*lines, "State out;", *sets, "return out;"]
        return [f"{_INLINE} {head} {{", *indented(lines), "}"]

    def lift(self) -> list[str]:
        """The state of one element, from its coordinates or, packed, from its values."""
        c = self.c
        if self.threads.own:
            for tensor in self.inputs():
                for load in self.threads.own[tensor.name]:
                    c.resident[load] = f"x_{c.pointer(tensor)}"
            takes = ["const idx c0"]  # a single axis; of several no coordinate is used
            takes += [f"const {c.register(t.dtype)} x_{c.pointer(t)}" for t in self.inputs()]
            scope = c.scope(dict.fromkeys(range(len(self.kernel.space)), "c0"))
        else:
            takes = [f"const idx c{k}" for k in range(len(self.kernel.space))]
            scope = c.scope()
        body, results = c.block(self.form.lift, scope)
        head = f"State treadle_lift({', '.join(['const Args& a', *takes])})"
        return self.function(head, body, results)

    def inputs(self) -> list[Tensor]:
        return [t for t in self.kernel.inputs if t.name in self.threads.own]

    # How work is laid over threads.

    def element(self) -> list[str]:
        """A lambda from a reduced position to a state, in the scope of a row."""
        all_names = ", ".join(["a", *(f"c{k}" for k in range(len(self.kernel.space)))])
        lines = [*self.c.coordinates("r", self.reduced), f"return treadle_lift({all_names});"]
        return ["const auto lift = [&](const idx r) -> State {", *indented(lines), "};"]

    def walk(self, first: str, step: str) -> list[str]:
        """Fold from `first` to `end`; four states at once keep four reads in flight."""
        four = "s = treadle_combine(a, treadle_combine(a, s, s1), treadle_combine(a, s2, s3));"
        levels, after, settled = self.sixteens(
            "s", "sum", "s", [four, "s1 = s2 = s3 = treadle_initial();"]
        )
        return [
            "State s = treadle_initial(), s1 = s, s2 = s, s3 = s;",
            *levels,
            f"idx r = {first};",
            f"for (; r + 3 * {step} < end; r += 4 * {step}) {{",
            "    const State t0 = lift(r);",
            *(f"    const State t{j} = lift(r + {j} * {step});" for j in (1, 2, 3)),
            "    s = treadle_combine(a, s, t0);",
            *(f"    s{j} = treadle_combine(a, s{j}, t{j});" for j in (1, 2, 3)),
            *indented(after),
            "}",
            f"for (; r < end; r += {step}) s = treadle_combine(a, s, lift(r));",
            four,
            *settled,
        ]

    def packed_walk(self) -> list[str]:
        """Fold a stretch of memory with accesses of up to 16 bytes."""
        c = self.c
        inputs = self.inputs()
        width = self.threads.width
        states = min(width, 4)
        together = " | ".join(f"(unsigned long long)a.{c.pointer(t)}" for t in inputs)
        packs = {t.name: f"Pack<{STORED_TYPES[t.dtype]}, {width}>" for t in inputs}
        values = ", ".join(c.passed(f"v_{c.pointer(t)}.v[j]", t.dtype) for t in inputs)
        singles = ", ".join(c.passed(f"a.{c.pointer(t)}[start + r]", t.dtype) for t in inputs)
        one = ["#pragma unroll", f"for (int j = 1; j < {states}; ++j) {{"]
        one += ["    many[0] = treadle_combine(a, many[0], many[j]);"]
        one += ["    many[j] = treadle_initial();", "}"]
        levels, after, settled = self.sixteens("many[0]", "sum", "s", one)
        return [
            *levels,
            f"State many[{states}];",
            "#pragma unroll",
            f"for (int j = 0; j < {states}; ++j) many[j] = treadle_initial();",
            "idx r = begin;",
            f"if ((start & {width - 1}) == 0 && (({together}) & 15) == 0) {{",
            f"    const idx packs = (end - begin) / {width};",
            "    #pragma unroll 4",
            "    for (idx p = lane; p < packs; p += G) {",
            *(
                f"        const {packs[t.name]} v_{c.pointer(t)} = "
                f"((const {packs[t.name]}*)(a.{c.pointer(t)} + start + begin))[p];"
                for t in inputs
            ),
            "        #pragma unroll",
            f"        for (int j = 0; j < {width}; ++j)",
            f"            many[j % {states}] = treadle_combine(a, many[j % {states}],",
            f"                treadle_lift(a, begin + p * {width} + j, {values}));",
            *indented(indented(after)),
            "    }",
            f"    r = begin + packs * {width};",
            "}",
            "for (r += lane; r < end; r += G) {",
            f"    many[0] = treadle_combine(a, many[0], treadle_lift(a, r, {singles}));",
            *indented(after),
            "}",
            "#pragma unroll",
            f"for (int j = 1; j < {states}; ++j)",
            "    many[0] = treadle_combine(a, many[0], many[j]);",
            "State s = many[0];",
            *settled,
        ]

    def rows(self) -> list[str]:
        """A warp or a block for each share of a row."""
        lines = [
            f"const idx group = (idx)blockIdx.x * ({_THREADS} / G) + threadIdx.x / G;",
            "const int lane = threadIdx.x % G;",
            "const idx row = treadle_quotient(group, a.parts);",
            "const idx part = group - row * a.parts;",
            "if (row >= a.rows) return;",  # whole groups leave
            "const idx begin = part * a.share;",
            "const idx end = begin + a.share < a.count ? begin + a.share : a.count;",
        ]
        if self.threads.own:
            lines += ["const idx start = row * a.count;", *self.packed_walk()]
        else:
            lines += [*self.c.coordinates("row", self.kept), *self.element()]
            lines += self.walk("begin + lane", "G")
        lines += ["s = treadle_group<G>(a, s);", "if (lane == 0) treadle_end(a, s, row, part);"]
        head = (
            "template <int G> static __device__ __forceinline__ void treadle_rows(const Args& a) {"
        )
        return [
            head,
            *indented(lines),
            "}",
            *self.entry("treadle_warps", ["treadle_rows<32>(a);"]),
            *self.entry("treadle_blocks", [f"treadle_rows<{_THREADS}>(a);"]),
        ]

    def columns(self) -> list[str]:
        """Neighbouring threads on neighbouring columns, several threads for each."""
        lines = [
            f"__shared__ State box[{_ACROSS}][32];",
            "const idx stripe = treadle_quotient((idx)blockIdx.x, a.parts);",
            "const idx part = (idx)blockIdx.x - stripe * a.parts;",
            "const idx row = stripe * 32 + threadIdx.x;",
            "const idx begin = part * a.share;",
            "const idx last = begin + a.share < a.count ? begin + a.share : a.count;",
            "const idx end = row < a.rows ? last : begin;",  # a column too many folds nothing
            *self.c.coordinates("row", self.kept),
            *self.element(),
            *self.walk("begin + (idx)threadIdx.y", str(_ACROSS)),
            "box[threadIdx.y][threadIdx.x] = s;",
            "__syncthreads();",
            "if (threadIdx.y != 0 || row >= a.rows) return;",
            "#pragma unroll",
            f"for (int y = 1; y < {_ACROSS}; ++y)",
            "    s = treadle_combine(a, s, box[y][threadIdx.x]);",
            "treadle_end(a, s, row, part);",
        ]
        return self.entry("treadle_columns", lines)

    def entry(self, name: str, lines: Sequence[str]) -> list[str]:
        return [HEAD.format(threads=_THREADS, entry=name), *indented(lines), "}"]

    def text(self) -> str:
        members = [f"    {self.c.types[d]} s{k};" for k, d in enumerate(self.dtypes)]
        lines = ["struct State {", *members, "};", *self.functions(), *self.memory()]
        lines += [_END, _GROUP, *self.lift()]
        lines += self.rows() if self.along else self.columns()
        merge = _MERGE.format(warps=_THREADS // 32).split("\n")
        return "\n".join([*lines, *self.entry("treadle_merge", merge)])

    def measure(self, sizes: Sizes) -> Geometry:
        """Choose groups and shares."""
        rows = elements([self.kernel.space[k] for k in self.kept], sizes)
        count = elements([self.kernel.space[k] for k in self.reduced], sizes)
        warps = _THREADS // 32
        if not self.along:
            stripes = ceil_div(rows, 32)
            parts, share = _shares(count, max(_BLOCKS // max(stripes, 1), 1), _LEAST // 32, 1)
            first = Call("treadle_columns", stripes * parts, (32, _ACROSS))
        elif count <= _SHORT:
            parts, share = 1, max(count, 1)
            first = Call("treadle_warps", ceil_div(rows, warps), (_THREADS, 1))
        else:
            wanted = max(_BLOCKS // max(rows, 1), 1)
            parts, share = _shares(count, wanted, _LEAST, _THREADS * 16)
            first = Call("treadle_blocks", rows * parts, (_THREADS, 1))
        values = (rows, count, parts, share)
        if parts == 1:
            return Geometry((first,), values)
        merge = Call("treadle_merge", ceil_div(rows, warps), (_THREADS, 1))
        return Geometry((first, merge), values, 8 * len(self.dtypes) * rows * parts)


def _shares(count: int, wanted: int, least: int, multiple: int) -> tuple[int, int]:
    """Cut `count` into at most `wanted` equal shares; return how many and how large."""
    parts = max(min(wanted, ceil_div(count, least)), 1)
    share = max(ceil_div(ceil_div(count, parts), multiple) * multiple, 1)
    return max(ceil_div(count, share), 1), share


def reduce_form(c: CudaC, threads: Threads | None) -> FormText:
    """Render a Reduce kernel."""
    reduction = _Reduction(c, threads)
    first = ("treadle_warps", "treadle_blocks") if reduction.along else ("treadle_columns",)
    members = ("rows", "count", "parts", "share")
    return FormText(reduction.text(), (*first, "treadle_merge"), members, reduction.measure)
