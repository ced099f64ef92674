"""Row kernels over CUDA threads.

In: a Row kernel. Out: entries for rows of different lengths. Along the last axis a warp takes a
short row and a block a longer one, with reads and costly per-position values in registers from one
walk to the next; the longest are walked again from memory. Along another axis neighbouring threads
take neighbouring rows, several threads for each.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

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
from treadle.codegen.cuda.words import CudaC, Names
from treadle.codegen.gpu.cstyle import indented
from treadle.codegen.rounding import Sixteens
from treadle.dtypes import DType
from treadle.ir.names import single_names
from treadle.ir.nodes import (
    Assign,
    Axis,
    Expr,
    Load,
    Local,
    Op,
    Row,
    RowFold,
    RowLet,
    walk,
)
from treadle.ir.rounding import fold_rounds

__all__ = ["row_form"]

_THREADS = 256
_LONG = 512  # threads of a block that walks a row from memory
_ACROSS = 8
# Threads for a row and positions that each keeps in registers; the first that is large enough.
_HELD = ((32, 1), (32, 2), (32, 4), (32, 8), (32, 16), (32, 32), (256, 8), (256, 16), (256, 32))
_CHAINS = 4  # partial folds of one thread, so that one addition need not wait for the last

_COMBINE = {"sum": "add", "prod": "mul", "max": "maximum", "min": "minimum"}
_CHEAP = frozenset(
    "add sub mul neg abs minimum maximum select lt le gt ge eq ne and or not".split()
)

_FOLD = """template <int G> static __device__ __forceinline__ {t} treadle_fold{n}({t} x) {{
    #pragma unroll
    for (int distance = 16; distance > 0; distance >>= 1)
        x = treadle_join{n}(x, __shfl_xor_sync(0xffffffffu, x, distance));
    if constexpr (G > 32) {{
        __shared__ {t} box[G / 32];
        __syncthreads();
        if ((threadIdx.x & 31) == 0) box[threadIdx.x >> 5] = x;
        __syncthreads();
        x = box[0];
        #pragma unroll
        for (int w = 1; w < G / 32; ++w) x = treadle_join{n}(x, box[w]);
    }}
    return x;
}}"""

_FOLD_ACROSS = """static __device__ __forceinline__ {t} treadle_across{n}({t} x) {{
    __shared__ {t} box[{across}][32];
    __syncthreads();
    box[threadIdx.y][threadIdx.x] = x;
    __syncthreads();
    x = box[0][threadIdx.x];
    #pragma unroll
    for (int y = 1; y < {across}; ++y) x = treadle_join{n}(x, box[y][threadIdx.x]);
    return x;
}}"""


def _identity(kind: str, dtype: DType) -> float:
    """What folding nothing gives."""
    if kind in ("sum", "prod"):
        return float(kind == "prod") if dtype.is_float else int(kind == "prod")
    if dtype.is_float:
        return -math.inf if kind == "max" else math.inf
    bits = dtype.size * 8
    low, high = (0, 1 << bits) if dtype is DType.U32 else (-(1 << bits - 1), 1 << bits - 1)
    return low if kind == "max" else high - 1


class _Rows:
    """The text of one row kernel, part by part."""

    def __init__(self, c: CudaC) -> None:
        self.c = c
        kernel = self.kernel = c.kernel
        form = kernel.form
        assert isinstance(form, Row)
        self.axis, self.scalar = form.axis, form.scalar
        self.block = single_names(form.block, "_")
        self.last = form.axis == len(kernel.space) - 1
        self.lets = {s.name: s.value for s in self.block.body if isinstance(s, RowLet)}
        self.folds = [s for s in self.block.body if isinstance(s, RowFold)]
        self.dtypes = sorted({(f.kind, f.value.dtype) for f in self.folds})
        self.inner = c.product(kernel.space[form.axis + 1 :])
        walks = self.walks()
        self.kept = [n for n in self.lets if self.worth(n, walks)]
        self.loads = self.repeated(walks)
        self.divided = self.divisors(walks)

    # What is computed when.

    def walks(self) -> list[list[Expr]]:
        """What each walk over the row computes, the results last."""
        found: list[list[Expr]] = [[fold.value] for fold in self.folds]
        return found if self.scalar else [*found, list(self.block.results)]

    def needs(self, exprs: Sequence[Expr], stop: Sequence[str] = ()) -> set[str]:
        """The per-position locals that expressions use, through others but not through `stop`."""
        found: set[str] = set()
        todo = list(exprs)
        while todo:
            for node in walk(todo.pop()):
                if isinstance(node, Local) and node.name in self.lets and node.name not in found:
                    found.add(node.name)
                    if node.name not in stop:
                        todo.append(self.lets[node.name])
        return found

    def worth(self, name: str, walks: list[list[Expr]]) -> bool:
        costly = any(isinstance(n, Op) and n.name not in _CHEAP for n in walk(self.lets[name]))
        return costly and sum(name in self.needs(w) for w in walks) > 1

    def repeated(self, walks: list[list[Expr]]) -> dict[Load, str]:
        """Reads at this position that several walks make."""
        uses: dict[Load, int] = {}
        done: set[str] = set()
        for exprs in walks:
            names = self.needs(exprs, tuple(done))
            every = [*exprs, *(self.lets[n] for n in names - done)]
            done |= names & set(self.kept)
            loads = {n for e in every for n in walk(e) if isinstance(n, Load)}
            for load in loads:
                parts = [n for index in load.indices for n in walk(index)]
                if Axis(self.axis) in parts and not any(isinstance(n, Local) for n in parts):
                    uses[load] = uses.get(load, 0) + 1
        ordered = sorted((x for x, n in uses.items() if n > 1), key=repr)
        return {load: f"held_{k}" for k, load in enumerate(ordered)}

    def divisors(self, walks: list[list[Expr]]) -> set[str]:
        """The scalars of a row that every position is divided by."""
        every = [*self.lets.values(), *(e for exprs in walks for e in exprs)]
        found = (
            node.args[1].name
            for e in every
            for node in walk(e)
            if isinstance(node, Op) and node.name == "div" and node.dtype is DType.F32
            if isinstance(node.args[1], Local)
        )
        return set(found) - set(self.lets)

    # Text.

    def functions(self) -> list[str]:
        lines: list[str] = []
        for n, (kind, dtype) in enumerate(self.dtypes):
            t = self.c.types[dtype]
            op = Op(_COMBINE[kind], (Local("x", dtype), Local("y", dtype)), dtype)
            joined = self.c.operation(op, ["x", "y"])
            head = f"static __device__ __forceinline__ {t} treadle_join{n}({t} x, {t} y)"
            lines.append(f"{head} {{ return {joined}; }}")
            template = _FOLD if self.last else _FOLD_ACROSS
            lines += template.format(t=t, n=n, across=_ACROSS).split("\n")
        return lines

    def scope(self) -> Names:
        return Names({k: f"c{k}" for k in range(len(self.kernel.space))})

    def passes(
        self, positions: tuple[Sequence[str], Sequence[str]], held: bool, fold: str
    ) -> list[str]:
        """Every statement in order; `positions` opens and closes a loop over the row."""
        c, scope = self.c, self.scope()
        lines: list[str] = []
        c.resident, c.divisors = {}, {}
        have: set[str] = set()
        if held:
            for load, name in self.loads.items():
                lines.append(f"{c.types[load.dtype]} {name}[E];")
            for name in self.kept:
                lines.append(f"{c.types[self.lets[name].dtype]} kept_{scope.local(name)}[E];")
            fill = [f"{name}[j] = {c.expr(load, scope)};" for load, name in self.loads.items()]
            if fill:
                lines += [*positions[0], *indented(indented(fill)), *positions[1]]
            c.resident = {load: f"{name}[j]" for load, name in self.loads.items()}
        for stmt in self.block.body:
            assert isinstance(stmt, Assign | RowLet | RowFold)
            name = scope.local(stmt.name)
            if isinstance(stmt, Assign):
                lines.append(c.declare(name, stmt.value.dtype, c.expr(stmt.value, scope)))
            elif isinstance(stmt, RowFold):
                dtype = stmt.value.dtype
                which = self.dtypes.index((stmt.kind, dtype))
                start = c.constant(_identity(stmt.kind, dtype), dtype)
                inside = self.position([stmt.value], scope, have, held)
                value = c.expr(stmt.value, scope)
                if held:
                    part = f"part_{name}"
                    lines.append(f"{c.types[dtype]} {part}[{_CHAINS}];")
                    lines += ["#pragma unroll", f"for (int j = 0; j < {_CHAINS}; ++j)"]
                    lines.append(f"    {part}[j] = {start};")
                    spot = f"{part}[j % {_CHAINS}]"
                    inside.append(f"{spot} = treadle_join{which}({spot}, {value});")
                    lines += [*positions[0], *indented(indented(inside)), *positions[1]]
                    lines.append(c.declare(name, dtype, f"{part}[0]"))
                    lines += ["#pragma unroll", f"for (int j = 1; j < {_CHAINS}; ++j)"]
                    lines.append(f"    {name} = treadle_join{which}({name}, {part}[j]);")
                else:
                    lines.append(c.declare(name, dtype, start))
                    inside.append(f"{name} = treadle_join{which}({name}, {value});")
                    after = []
                    if fold_rounds(stmt.kind, dtype):
                        join = f"treadle_join{which}"
                        sums = Sixteens(name, start, partial("{0}({1}, {2})".format, join), name)
                        lines += sums.declared(c.types[dtype], "unsigned")
                        inside += sums.after()
                        after.append(f"{name} = {sums.settled()};")
                    lines += [*positions[0], *indented(indented(inside)), *positions[1], *after]
                lines.append(f"{name} = {fold.format(n=which)}({name});")
            if stmt.name in self.divided:
                lines.append(f"const treadle_Divisor by_{name} = treadle_divisor({name});")
                c.divisors[Local(stmt.name, stmt.value.dtype)] = f"by_{name}"
        if not self.scalar:
            results = self.block.results
            inside = [*self.position(results, scope, have, held), *self.stores("at", scope)]
            place = "const idx at = start + i * stride;"
            lines += [*positions[0], f"    {place}", *indented(indented(inside)), *positions[1]]
        return lines

    def position(
        self, exprs: Sequence[Expr], scope: Names, have: set[str], held: bool
    ) -> list[str]:
        """Lines that compute the per-position locals which expressions need."""
        kept = set(self.kept) if held else set()
        needed = self.needs(exprs, tuple(have))
        lines = []
        for name, value in self.lets.items():
            if name not in needed:
                continue
            text = scope.local(name)
            if name in have:
                lines.append(self.c.declare(text, value.dtype, f"kept_{text}[j]"))
                continue
            lines.append(self.c.declare(text, value.dtype, self.c.expr(value, scope)))
            if name in kept:
                lines.append(f"kept_{text}[j] = {text};")
                have.add(name)
        return lines

    def stores(self, at: str, scope: Names) -> list[str]:
        c = self.c
        return [
            f"a.{c.pointer(t)}[{at}] = {c.convert(c.expr(e, scope), e.dtype, t.dtype)};"
            for t, e in zip(self.kernel.outputs, self.block.results, strict=True)
        ]

    def row_start(self) -> list[str]:
        """Coordinates of a row, and where it begins in the outputs."""
        others = [k for k in range(len(self.kernel.space)) if k != self.axis]
        dims = [self.kernel.space[k] for k in others]
        lines = coordinates(self.c, "row", dims, [f"c{k}" for k in others])
        if self.scalar:
            return lines
        lines.append(f"const idx stride = {self.inner};")
        if self.last:
            return [*lines, "const idx start = row * a.length;"]
        lines.append("const idx above = treadle_quotient(row, stride);")
        return [*lines, "const idx start = (above * a.length - above) * stride + row;"]

    def scalars(self, test: str) -> list[str]:
        """Store the results of a row, by one thread."""
        if not self.scalar:
            return []
        self.c.resident = {}
        return [f"if ({test}) {{", *indented(self.stores("row", self.scope())), "}"]

    def held(self) -> list[str]:
        """Rows in registers."""
        loop = [
            "#pragma unroll",
            "for (int j = 0; j < E; ++j) {",
            "    const idx i = lane + j * G;",
            f"    const idx c{self.axis} = i;",
            "    if (Full || i < a.length) {",
        ]
        lines = [
            f"const idx row = (idx)blockIdx.x * ({_THREADS} / G) + threadIdx.x / G;",
            "const int lane = threadIdx.x % G;",
            "if (row >= a.rows) return;",  # whole groups leave
            *self.row_start(),
            *self.passes((loop, ["    }", "}"]), True, "treadle_fold{n}<G>"),
            *self.scalars("lane == 0"),
        ]
        head = "template <int G, int E, bool Full> static __device__ __forceinline__ void "
        head += "treadle_held("
        return [f"{head}const Args& a) {{", *indented(lines), "}"]

    def long(self) -> list[str]:
        """Rows that are walked from memory."""
        loop = [
            "#pragma unroll 4",
            f"for (idx i = threadIdx.x; i < a.length; i += {_LONG}) {{",
            f"    const idx c{self.axis} = i;",
        ]
        return [
            "const idx row = blockIdx.x;",
            *self.row_start(),
            *self.passes((loop, ["}"]), False, f"treadle_fold{{n}}<{_LONG}>"),
            *self.scalars("threadIdx.x == 0"),
        ]

    def across(self) -> list[str]:
        """Rows side by side."""
        loop = [
            f"for (idx i = threadIdx.y; i < length; i += {_ACROSS}) {{",
            f"    const idx c{self.axis} = i;",
        ]
        return [
            "const idx row = (idx)blockIdx.x * 32 + threadIdx.x;",
            "const idx length = row < a.rows ? a.length : 0;",  # all threads reach the barriers
            *self.row_start(),
            *self.passes((loop, ["}"]), False, "treadle_across{n}"),
            *self.scalars("threadIdx.y == 0 && row < a.rows"),
        ]

    def entry(self, name: str, threads: int, lines: Sequence[str]) -> str:
        return "\n".join([HEAD.format(threads=threads, entry=name), *indented(lines), "}"])

    def entries(self) -> dict[str, str]:
        """Every entry by its name; one launch needs one of them."""
        if not self.last:
            return {"treadle_across": self.entry("treadle_across", _THREADS, self.across())}
        found = {}
        for g, e in _HELD:
            for full in (False, True):
                name = _held_name(g, e, full)
                call = f"treadle_held<{g}, {e}, {str(full).lower()}>(a);"
                found[name] = self.entry(name, _THREADS, [call])
        return found | {"treadle_long": self.entry("treadle_long", _LONG, self.long())}

    def measure(self, sizes: Sizes) -> Geometry:
        """Choose the entry for a row's length."""
        length = elements([self.kernel.space[self.axis]], sizes)
        rows = elements([d for k, d in enumerate(self.kernel.space) if k != self.axis], sizes)
        values = (rows, length)
        if not self.last:
            return Geometry((Call("treadle_across", ceil_div(rows, 32), (32, _ACROSS)),), values)
        for g, e in _HELD:
            if length <= g * e:
                blocks = ceil_div(rows, _THREADS // g)
                call = Call(_held_name(g, e, length == g * e), blocks, (_THREADS, 1))
                return Geometry((call,), values)
        return Geometry((Call("treadle_long", rows, (_LONG, 1)),), values)


def _held_name(threads: int, each: int, full: bool) -> str:
    return f"treadle_held_{threads}_{each}{'_full' if full else ''}"


def row_form(c: CudaC) -> Form:
    """Render a Row kernel."""
    rows = _Rows(c)
    apart = rows.entries()
    text = "\n".join([*rows.functions(), *(rows.held() if rows.last else ())])
    return Form(text, tuple(apart), ("rows", "length"), rows.measure, apart)
