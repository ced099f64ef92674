"""Reduce kernels over CUDA threads.

In: a Reduce kernel. Out: entries that fold a share of the reduced extent with a warp or a block for
each kept element, or, where the last axis is kept, with threads side by side along it. Where kept
elements are few, several blocks share one and a second entry folds their partial states. The shares
follow from the sizes alone, so results repeat exactly.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.codegen.cuda.abi import (
    HEAD,
    Call,
    Form,
    Geometry,
    Sizes,
    ceil_div,
    coordinates,
    elements,
)
from treadle.codegen.cuda.map import Flat
from treadle.codegen.cuda.words import STORED_TYPES, CudaC, Names
from treadle.codegen.gpu.cstyle import indented
from treadle.codegen.rounding import Sixteens
from treadle.dtypes import DType
from treadle.ir.nodes import Block, Reduce, Tensor
from treadle.ir.rounding import rounds

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


class _Reduction:
    """The text of one reduction, part by part."""

    def __init__(self, c: CudaC) -> None:
        self.c = c
        kernel = self.kernel = c.kernel
        assert isinstance(kernel.form, Reduce)
        self.form = kernel.form
        rank = len(kernel.space)
        self.reduced = [k for k in range(rank) if k in self.form.axes]
        self.kept = [k for k in range(rank) if k not in self.form.axes]
        self.along = not rank or rank - 1 in self.form.axes
        self.dtypes = [const.dtype for const in self.form.init]
        self.rounds = rounds(self.form.combine)
        self.flat = Flat(kernel, self.form.lift)
        # One row after another in memory, and coordinates that nobody looks at.
        trailing = self.reduced == list(range(len(self.kept), rank))
        self.packed = self.flat.whole and trailing and bool(self.flat.own)

    # The state and what is done with it.

    def state(self) -> list[str]:
        c = self.c
        members = [f"    {c.types[dtype]} s{k};" for k, dtype in enumerate(self.dtypes)]
        first = [c.constant(const.value, const.dtype) for const in self.form.init]
        spots = [
            f"(({c.types[d]}*)(a.scratch + {8 * k}ll * a.rows * a.parts))[at]"
            for k, d in enumerate(self.dtypes)
        ]
        count = range(len(self.dtypes))
        return [
            *["struct State {", *members, "};"],
            *self.function("State treadle_initial()", ["State s;"], first),
            *self.function(
                "State treadle_shuffle(const State s, const int distance)",
                ["State out;"],
                [_SHUFFLE.get(d, _PLAIN).format(f"s{k}") for k, d in enumerate(self.dtypes)],
                name="out",
            ),
            *self.function(
                "void treadle_save(const Args& a, const State s, const idx at)",
                [f"{spots[k]} = s.s{k};" for k in count],
            ),
            *self.function(
                "State treadle_restore(const Args& a, const idx at)", ["State s;"], spots
            ),
        ]

    def function(
        self, head: str, lines: Sequence[str], results: Sequence[str] = (), name: str = "s"
    ) -> list[str]:
        """A function that fills a state member by member and returns it."""
        sets = [f"{name}.s{k} = {text};" for k, text in enumerate(results)]
        end = [f"return {name};"] if head.startswith("State") else []
        return [f"{_INLINE} {head} {{", *indented([*lines, *sets, *end]), "}"]

    def given(self, block: Block, states: Sequence[str]) -> tuple[Names, list[str]]:
        """A scope in which a block's arguments are the members of states."""
        scope = Names({})
        lines = []
        members = [f"{state}.s{k}" for state in states for k in range(len(self.dtypes))]
        for arg, member in zip(block.args, members, strict=True):
            name = scope.local(arg.name)
            lines.append(self.c.declare(name, arg.dtype, member))
            scope.replaced[arg.name] = name
        return scope, lines

    def combine(self) -> list[str]:
        block = self.form.combine
        scope, lines = self.given(block, ["left", "right"])
        body, results = self.c.block(block, scope)
        head = "State treadle_combine(const Args& a, const State left, const State right)"
        return self.function(head, [*lines, *body, "State out;"], results, name="out")

    def finish(self) -> list[str]:
        c, block = self.c, self.form.finish
        scope, lines = self.given(block, ["s"])
        body, results = c.block(block, scope)
        stores = [
            f"a.{c.pointer(t)}[row] = {c.convert(text, expr.dtype, t.dtype)};"
            for t, text, expr in zip(self.kernel.outputs, results, block.results, strict=True)
        ]
        head = "void treadle_finish(const Args& a, const State s, const idx row)"
        return self.function(head, [*lines, *body, *stores])

    def lift(self) -> list[str]:
        """The state of one element, from its coordinates or, packed, from its values."""
        c = self.c
        if self.packed:
            for tensor in self.inputs():
                for load in self.flat.own[tensor.name]:
                    c.resident[load] = f"x_{c.pointer(tensor)}"
            takes = ["const idx c0"]  # a single axis; of several no coordinate is used
            takes += [
                f"const {'int' if t.dtype is DType.U8 else STORED_TYPES[t.dtype]} x_{c.pointer(t)}"
                for t in self.inputs()
            ]
            scope = Names(dict.fromkeys(range(len(self.kernel.space)), "c0"))
        else:
            takes = [f"const idx c{k}" for k in range(len(self.kernel.space))]
            scope = Names({k: f"c{k}" for k in range(len(self.kernel.space))})
        body, results = c.block(self.form.lift, scope)
        head = f"State treadle_lift({', '.join(['const Args& a', *takes])})"
        return self.function(head, [*body, "State out;"], results, name="out")

    def inputs(self) -> list[Tensor]:
        return [t for t in self.kernel.inputs if t.name in self.flat.own]

    # How work is laid over threads.

    def at(self, r: str) -> list[str]:
        """Lines that fold the element at reduced position r into s{which}."""
        names = [f"c{k}" for k in self.reduced]
        dims = [self.kernel.space[k] for k in self.reduced]
        return coordinates(self.c, r, dims, names)

    def kept_coordinates(self, row: str) -> list[str]:
        return coordinates(
            self.c, row, [self.kernel.space[k] for k in self.kept], [f"c{k}" for k in self.kept]
        )

    def element(self) -> list[str]:
        """A lambda from a reduced position to a state, in the scope of a row."""
        all_names = ", ".join(["a", *(f"c{k}" for k in range(len(self.kernel.space)))])
        lines = [*self.at("r"), f"return treadle_lift({all_names});"]
        return ["const auto lift = [&](const idx r) -> State {", *indented(lines), "};"]

    def walk(self, first: str, step: str) -> list[str]:
        """Fold from `first` to `end`; four states at once keep four reads in flight."""
        four = "s = treadle_combine(a, treadle_combine(a, s, s1), treadle_combine(a, s2, s3));"
        levels, after, settled = self.sixteens("s", [four, "s1 = s2 = s3 = treadle_initial();"])
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

    def sixteens(self, state: str, first: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
        """Lines before, inside and after a loop that keep what one thread adds up small, if
        combining rounds; `first` makes one state of several."""
        if not self.rounds:
            return [], [], []
        sums = Sixteens(
            state, "treadle_initial()", lambda a, b: f"treadle_combine(a, {a}, {b})", "sum"
        )
        return sums.declared("State", "unsigned"), sums.after(first), [f"s = {sums.settled()};"]

    def packed_walk(self) -> list[str]:
        """Fold a stretch of memory with accesses of up to 16 bytes."""
        c = self.c
        inputs = self.inputs()
        width = 16 // max(t.dtype.size for t in inputs)
        states = min(width, 4)
        together = " | ".join(f"(unsigned long long)a.{c.pointer(t)}" for t in inputs)
        packs = {t.name: f"Pack<{STORED_TYPES[t.dtype]}, {width}>" for t in inputs}
        values = ", ".join(f"v_{c.pointer(t)}.v[j]" for t in inputs)
        singles = ", ".join(f"a.{c.pointer(t)}[start + r]" for t in inputs)
        one = ["#pragma unroll", f"for (int j = 1; j < {states}; ++j) {{"]
        one += ["    many[0] = treadle_combine(a, many[0], many[j]);"]
        one += ["    many[j] = treadle_initial();", "}"]
        levels, after, settled = self.sixteens("many[0]", one)
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
        if self.packed:
            lines += ["const idx start = row * a.count;", *self.packed_walk()]
        else:
            lines += [*self.kept_coordinates("row"), *self.element()]
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
            *self.kept_coordinates("row"),
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
        lines = [*self.state(), *self.combine(), *self.finish(), _END, _GROUP, *self.lift()]
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


def reduce_form(c: CudaC) -> Form:
    """Render a Reduce kernel."""
    reduction = _Reduction(c)
    first = ("treadle_warps", "treadle_blocks") if reduction.along else ("treadle_columns",)
    members = ("rows", "count", "parts", "share")
    return Form(reduction.text(), (*first, "treadle_merge"), members, reduction.measure)
