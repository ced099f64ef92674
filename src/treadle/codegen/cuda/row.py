"""Row kernels over CUDA threads.

In: a Row kernel and its sweeps. Out: entries for rows of different lengths. Along the last axis a
warp takes a short row and a block a longer one, with reads and costly per-position values in
registers from one sweep to the next; the longest are walked again from memory. Along another axis
neighbouring threads take neighbouring rows, several threads for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from treadle.codegen.cuda.abi import HEAD, Call, FormText, Geometry, Sizes
from treadle.codegen.cuda.words import CudaC
from treadle.codegen.gpu.counts import ceil_div, elements
from treadle.codegen.gpu.cstyle import indented
from treadle.codegen.gpu.row import RowText
from treadle.ir.nodes import Op, Row
from treadle.ir.schedule import Threads
from treadle.ir.threads import Fold, Sweep, Sweeps

__all__ = ["row_form"]

_THREADS = 256
_LONG = 512  # threads of a block that sweeps a row from memory
_ACROSS = 8
# Threads for a row and positions that each keeps in registers; the first that is large enough.
_HELD = (
    *((32, 1), (32, 2), (32, 4), (32, 8), (32, 16), (32, 32)),
    *((256, 8), (256, 16), (256, 32), (512, 32), (1024, 32)),
)
_CROWDED = 1024  # threads of a block that have no registers for so many values of eight bytes
_CHAINS = 4  # partial folds of one thread, so that one addition need not wait for the last

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


class _Lines(RowText):
    """The lines of one row. `positions` opens and closes a loop over it, `gather` names the
    function that folds over threads. Where the row is `held`, element j of an array is what the
    thread has at its j-th position."""

    language: CudaC

    def __init__(
        self,
        rows: _Rows,
        positions: tuple[Sequence[str], Sequence[str]],
        gather: str,
        *,
        held: bool = False,
    ) -> None:
        super().__init__(rows.c, rows.sweeps, rows.c.scope())
        self.rows, self.positions, self.gather, self.held = rows, positions, gather, held
        rows.c.resident, rows.c.divisors = {}, {}

    def loop(self, lines: Sequence[str]) -> list[str]:
        """Do something at every position of this thread."""
        return [*self.positions[0], *indented(indented(lines)), *self.positions[1]]

    def join(self, fold: Fold, left: str, right: str) -> str:
        """Two partial results as one."""
        return f"treadle_join{self.rows.number(fold)}({left}, {right})"

    def gathered(self, folds: Sequence[Fold]) -> list[str]:
        """Make one result of those of a row's threads."""
        lines = []
        for fold in folds:
            name = self.scope.local(fold.name)
            lines.append(f"{name} = {self.gather.format(n=self.rows.number(fold))}({name});")
        return lines

    def placed(self) -> list[str]:
        """The place of a position's results."""
        return ["const idx at = start + i * stride;"]

    def known(self, name: str) -> list[str]:
        """Make what positions are divided by ready."""
        if name not in self.sweeps.divisors:
            return []
        text = self.scope.local(name)
        self.language.divisors[self.sweeps.divisors[name]] = f"by_{text}"
        return [f"const treadle_Divisor by_{text} = treadle_divisor({text});"]

    def filled(self) -> list[str]:
        """Read what several sweeps need into registers, and make place there for other things."""
        c, sweeps = self.language, self.sweeps
        names = {load: f"held_{k}" for k, load in enumerate(sweeps.held)}
        lines = [f"{c.types[load.dtype]} {name}[E];" for load, name in names.items()]
        for name in sweeps.kept:
            lines.append(f"{c.types[sweeps.dtypes[name]]} kept_{self.scope.local(name)}[E];")
        fill = [f"{name}[j] = {c.expr(load, self.scope)};" for load, name in names.items()]
        c.resident = {load: f"{name}[j]" for load, name in names.items()}
        return [*lines, *(self.loop(fill) if fill else [])]

    def position(self, sweep: Sweep) -> list[str]:
        """Compute the per-position locals that a sweep needs, or take them out of registers."""
        if not self.held:
            return super().position(sweep)
        lines = []
        for name in sweep.fresh:
            text = self.scope.local(name)
            if name in sweep.taken:
                lines.append(self.declared(name, f"kept_{text}[j]"))
                continue
            value = self.language.expr(self.sweeps.lets[name], self.scope)
            lines.append(self.declared(name, value))
            if name in self.sweeps.kept:
                lines.append(f"kept_{text}[j] = {text};")
        return lines

    def folded(self, sweep: Sweep) -> list[str]:
        """Fold along the row; what is held is folded in several parts at once."""
        if not self.held:
            return super().folded(sweep)
        c, (fold,) = self.language, sweep.folds
        name, dtype = self.scope.local(fold.name), fold.value.dtype
        part, inside = f"part_{name}", self.position(sweep)
        spot, value = f"{part}[j % {_CHAINS}]", c.expr(fold.value, self.scope)
        inside.append(f"{spot} = {self.join(fold, spot, value)};")
        return [
            f"{c.types[dtype]} {part}[{_CHAINS}];",
            "#pragma unroll",
            f"for (int j = 0; j < {_CHAINS}; ++j)",
            f"    {part}[j] = {c.constant(fold.start.value, dtype)};",
            *self.loop(inside),
            c.declare(name, dtype, f"{part}[0]"),
            "#pragma unroll",
            f"for (int j = 1; j < {_CHAINS}; ++j)",
            f"    {name} = {self.join(fold, name, f'{part}[j]')};",
            *self.gathered(sweep.folds),
        ]


class _Rows:
    """The text of one row kernel, part by part."""

    def __init__(self, c: CudaC, sweeps: Sweeps) -> None:
        self.c, self.sweeps = c, sweeps
        kernel = self.kernel = c.kernel
        form = kernel.form
        assert isinstance(form, Row)
        self.axis, self.scalar = form.axis, form.scalar
        self.last = form.axis == len(kernel.space) - 1
        joins = {(fold.kind, fold.value.dtype): fold.join for fold in sweeps.folds}
        self.joins: dict[object, Op] = dict(sorted(joins.items()))

    def number(self, fold: Fold) -> int:
        """Which function joins two results of a fold."""
        return list(self.joins).index((fold.kind, fold.value.dtype))

    def functions(self) -> list[str]:
        """How partial results are joined: two of them, and those of threads."""
        lines: list[str] = []
        for n, join in enumerate(self.joins.values()):
            t = self.c.types[join.dtype]
            joined = self.c.operation(join, ["x", "y"])
            head = f"static __device__ __forceinline__ {t} treadle_join{n}({t} x, {t} y)"
            lines.append(f"{head} {{ return {joined}; }}")
            template = _FOLD if self.last else _FOLD_ACROSS
            lines += template.format(t=t, n=n, across=_ACROSS).split("\n")
        return lines

    def row_start(self) -> list[str]:
        """Coordinates of a row, and where it begins in the outputs."""
        space = self.kernel.space
        lines = self.c.coordinates("row", [k for k in range(len(space)) if k != self.axis])
        if self.scalar:
            return lines
        lines.append(f"const idx stride = {self.c.product(space[self.axis + 1 :])};")
        if self.last:
            return [*lines, "const idx start = row * a.length;"]
        lines.append("const idx above = treadle_quotient(row, stride);")
        return [*lines, "const idx start = (above * a.length - above) * stride + row;"]

    def row(self, lines: _Lines, first: str) -> list[str]:
        """All that is done about a row; its scalar results are stored by the first thread."""
        made = [*(lines.filled() if lines.held else []), *lines.lines("at")]
        if self.scalar:
            self.c.resident = {}
            made += [f"if ({first}) {{", *indented(lines.stores("row")), "}"]
        return made

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
            f"const int rows = G < {_THREADS} ? {_THREADS} / G : 1;",
            "const idx row = (idx)blockIdx.x * rows + threadIdx.x / G;",
            "const int lane = threadIdx.x % G;",
            "if (row >= a.rows) return;",  # whole groups leave
            *self.row_start(),
            *self.row(
                _Lines(self, (loop, ["    }", "}"]), "treadle_fold{n}<G>", held=True), "lane == 0"
            ),
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
            *self.row(
                _Lines(self, (loop, ["}"]), f"treadle_fold{{n}}<{_LONG}>"), "threadIdx.x == 0"
            ),
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
            *self.row(
                _Lines(self, (loop, ["}"]), "treadle_across{n}"), "threadIdx.y == 0 && row < a.rows"
            ),
        ]

    def entry(self, name: str, threads: int, lines: Sequence[str]) -> str:
        return "\n".join([HEAD.format(threads=threads, entry=name), *indented(lines), "}"])

    def tiers(self) -> Iterator[tuple[int, int]]:
        """Threads for a row and positions of each, for rows in registers."""
        sweeps = self.sweeps
        dtypes = [load.dtype for load in sweeps.held]
        dtypes += [sweeps.dtypes[name] for name in sweeps.kept]
        wide = any(dtype.size > 4 for dtype in dtypes)
        return ((g, e) for g, e in _HELD if not wide or g < _CROWDED)

    def entries(self) -> dict[str, str]:
        """Every entry by its name; one launch needs one of them."""
        if not self.last:
            return {"treadle_across": self.entry("treadle_across", _THREADS, self.across())}
        found = {}
        for g, e in self.tiers():
            for full in (False, True):
                name = _held_name(g, e, full)
                call = f"treadle_held<{g}, {e}, {str(full).lower()}>(a);"
                found[name] = self.entry(name, max(_THREADS, g), [call])
        return found | {"treadle_long": self.entry("treadle_long", _LONG, self.long())}

    def measure(self, sizes: Sizes) -> Geometry:
        """Choose the entry for a row's length."""
        length = elements([self.kernel.space[self.axis]], sizes)
        rows = elements([d for k, d in enumerate(self.kernel.space) if k != self.axis], sizes)
        values = (rows, length)
        if not self.last:
            return Geometry((Call("treadle_across", ceil_div(rows, 32), (32, _ACROSS)),), values)
        for g, e in self.tiers():
            if length <= g * e:
                threads = max(_THREADS, g)
                blocks = ceil_div(rows, threads // g)
                call = Call(_held_name(g, e, length == g * e), blocks, (threads, 1))
                return Geometry((call,), values)
        return Geometry((Call("treadle_long", rows, (_LONG, 1)),), values)


def _held_name(threads: int, each: int, full: bool) -> str:
    return f"treadle_held_{threads}_{each}{'_full' if full else ''}"


def row_form(c: CudaC, threads: Threads | None) -> FormText:
    """Render a Row kernel."""
    assert isinstance(threads, Sweeps)
    rows = _Rows(c, threads)
    apart = rows.entries()
    text = "\n".join([*rows.functions(), *(rows.held() if rows.last else ())])
    return FormText(text, tuple(apart), ("rows", "length"), rows.measure, apart)
