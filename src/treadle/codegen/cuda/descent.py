"""Chains that walk down strips, as CUDA text.

In: a Chain kernel and how it walks down. Out: an entry whose blocks take strips. Each thread holds
the pixels of its column that the first stage reads, and asks for those of the next step before it
computes this one; later stages take rows out of shared memory, a run of neighbours for a thread.
Rows beyond the tensor's edge are those of the edge, found by their numbers; columns beyond it only
concern strips at the border, which read one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from treadle.codegen.cuda.abi import HEAD, Call, FormText, Geometry, Sizes
from treadle.codegen.cuda.stage import VECTORS
from treadle.codegen.cuda.words import STORED_TYPES, CudaC
from treadle.codegen.gpu.counts import ceil_div, elements
from treadle.codegen.gpu.cstyle import indented
from treadle.dtypes import DType, read_as
from treadle.ir.descent import Descent, KeptRows, Level
from treadle.ir.nodes import Chain, Const, Dim, Expr, Load, Tensor
from treadle.ir.tiles import Cell

__all__ = ["descent_form"]

_Reading = Callable[[Load, Cell, str], str]  # a read, by the channel and the neighbour at hand
_Store = Callable[[str, Expr], list[str]]  # what is done with a result and its expression

_STRIPS = 4096  # more bring nothing: strips are higher then, which costs less
_FAR = 1 << 12  # columns: further than any strip is wide
_STEPS = (2, 16)  # of a strip, at least and at most


def descent_form(c: CudaC, descent: Descent) -> FormText:
    """Render a Chain kernel that walks down strips."""
    writer = _Writer(c, descent)

    def measure(sizes: Sizes) -> Geometry:
        values = writer.counts(sizes)
        call = Call("treadle_chain", values[0], (descent.threads, 1), shared=descent.nbytes)
        return Geometry((call,), values)

    members = ("strips", "strips_down", "strips_across", "steps")
    return FormText("\n".join(writer.lines()), ("treadle_chain",), members, measure)


def _row(stage: int, step: int) -> str:
    """The name of where a row of what a stage has computed is."""
    return f"row{stage}_{'up' if step < 0 else ''}{abs(step)}"


class _Writer:
    """The text of one chain."""

    def __init__(self, c: CudaC, descent: Descent) -> None:
        form = c.kernel.form
        assert isinstance(form, Chain)
        self.c, self.form, self.descent = c, form, descent
        self.stages = form.stages
        self.batches = [c.coordinate.format(k) for k in range(descent.first)]
        space = form.stages[-1].space
        self.height, self.width = space[descent.row], space[descent.col]
        self.batch = space[: descent.first]
        source = descent.source
        self.channels = int(source.dims[-1]) if len(source.dims) > descent.col + 1 else 1
        self.vector = VECTORS.get((source.dtype, self.channels))
        self.pixel = f"treadle_Pixel<{STORED_TYPES[source.dtype]}, {self.channels}>"

    # What the host computes.

    def counts(self, sizes: Sizes) -> tuple[int, int, int, int]:
        """How many strips there are, down and across, and the steps of each: few where there would
        not be enough strips otherwise."""
        descent = self.descent
        height = elements([self.height], sizes)
        across = ceil_div(elements([self.width], sizes), descent.width)
        lines = elements(self.batch, sizes) * across
        least, most = _STEPS
        steps = least
        while steps < most:
            rows = 2 * steps * descent.rows - descent.behind
            if lines * ceil_div(height, rows) < _STRIPS:
                break
            steps *= 2
        steps = max(steps, ceil_div(descent.behind + 1, descent.rows))
        down = ceil_div(height, steps * descent.rows - descent.behind)
        return lines * down, down, across, steps

    # The text.

    def lines(self) -> list[str]:
        """The entry."""
        c, descent = self.c, self.descent
        source = f"a.{c.pointer(descent.source)}"
        low, high = descent.span
        keep, rows = high - low, descent.rows
        dims: list[Dim] = [*self.batch, "strips_down", "strips_across"]
        top = descent.levels[0].above - low  # of what the first step reads
        body = [
            *c.split("strip", dims, [*self.batches, "down", "across"]),
            f"const idx height = a.steps * {rows} - {descent.behind};",
            f"const idx y0 = down * height, x0 = across * {descent.width};",
            f"const idx end = min(y0 + height, {c.size(self.height)});",
            f"const bool inside = {self.inside()};",
            # The first and the last column of the tensor, as far as they concern this strip.
            f"const int low = {c.narrow(f'max(-x0, (idx)-{_FAR})')};",
            f"const int high = {c.narrow(f'min({c.size(self.width)} - 1 - x0, (idx){_FAR})')};",
            f"const idx mine = {self.column()};",
            f"{self.pixel} held[{keep + rows}], next[{rows}];",
            *self.loads("held", rows, keep, f"y0 - {top}"),
            *self.loads("next", 0, rows, f"y0 - {top} + {keep}"),
            *[f"int slot{k} = 0;" for k in range(len(self.stages) - 1)],
            "for (int step = 0; step < a.steps; ++step) {",
            f"    const idx y = y0 + step * {rows};",
            *indented(self.moved(keep, top)),
            *indented(self.first()),
            *(line for k in range(1, len(self.stages)) for line in indented(self.stage(k))),
            *(line for k in range(len(self.stages) - 1) for line in indented(self.turned(k))),
            "}",
            c.barrier,
        ]
        entry = [
            f"const bool aligned = ((unsigned long long){source} & {self.alignment - 1}) == 0;",
            "for (idx strip = blockIdx.x; strip < a.strips; strip += gridDim.x) {",
            *indented(body),
            "}",
        ]
        head = HEAD.format(threads=descent.threads, entry="treadle_chain")
        near = "extern __shared__ __align__(16) unsigned char treadle_near[];"
        return [near, "", head, *indented(entry), "}"]

    @property
    def alignment(self) -> int:
        """The bytes of a pixel, if it is read at once."""
        return self.descent.source.dtype.size * self.channels if self.vector else 1

    def inside(self) -> str:
        """Whether no column that is read or written is beyond the edge."""
        levels = self.descent.levels
        left = max(level.left for level in levels)
        right = max(level.columns - level.left for level in levels)
        return f"x0 >= {left} && x0 + {right} <= {self.c.size(self.width)}"

    def column(self) -> str:
        """Where a thread's column begins in the source, in elements; beyond the edge it is that of
        the edge."""
        left = self.descent.levels[0].left
        return self.c.clamped(f"x0 - {left} + (idx)threadIdx.x", self.width)

    def loads(self, name: str, first: int, count: int, y: str) -> list[str]:
        """Load pixels of the thread's column, from a row on."""
        c, text = self.c, ""
        for batch, dim in zip(self.batches, self.batch, strict=True):
            text = f"({text} * {c.size(dim)} + {batch})" if text else batch
        row = c.clamped(f"{y} + r", self.height)
        row = f"({text} * {c.size(self.height)} + {row})" if text else row
        pixel = f"{row} * {c.size(self.width)} + mine"
        at = f"a.{c.pointer(self.descent.source)} + ({pixel}) * {self.channels}"
        return [
            "#pragma unroll",
            f"for (int r = 0; r < {count}; ++r) {name}[r + {first}].load({at}, aligned);",
        ]

    def moved(self, keep: int, top: int) -> list[str]:
        """Go on to the rows of this step, and ask for those of the next."""
        rows = self.descent.rows
        following = self.loads("next", 0, rows, f"y - {top - keep - rows}")
        return [
            "#pragma unroll",
            f"for (int r = 0; r < {keep}; ++r) held[r] = held[r + {rows}];",
            "#pragma unroll",
            f"for (int r = 0; r < {rows}; ++r) held[r + {keep}] = next[r];",
            "if (step + 1 < a.steps) {",
            *indented(following),
            "}",
        ]

    def first(self) -> list[str]:
        """The first stage: rows of the thread's own column."""
        descent, level = self.descent, self.descent.levels[0]
        stage = self.stages[0]
        kept, tensor = descent.kept[stage.outputs[0].name], stage.outputs[0]
        low = descent.span[0]

        def reading(load: Load, cell: Cell, move: str) -> str:
            step = level.reads[load].step(descent.row, descent.row) or 0
            channel = self.number(load, cell, descent.source)
            value = f"treadle_channel(held[{move} + {step - low}], {channel})"
            return self.c.loaded(value, descent.source.dtype)

        lines = []
        for plane, cell in enumerate(level.cells):
            row = self.place(kept, "slot0 + r")
            at = f"{row} * {kept.pitch} + {plane * kept.plane} + (int)threadIdx.x"
            store = self.keep(tensor, kept, at)
            axes = {descent.row: f"(y - {level.above} + r)", descent.col: "mine"}
            lines += self.neighbours(0, cell, axes, reading, descent.rows, store)
        return [*lines, self.c.barrier]

    def stage(self, number: int) -> list[str]:
        """A later stage: runs of neighbours, rows beside each other."""
        c, descent, level = self.c, self.descent, self.descent.levels[number]
        stage, rows, run = self.stages[number], descent.rows, descent.run
        tensor, kept = stage.outputs[0], descent.kept.get(stage.outputs[0].name)
        runs = -(-level.columns // run)
        lines = [
            f"const int py = item % {rows}, px = item / {rows} * {run};",
            f"const idx own = y - {level.above} + py;",
            f"const idx x = x0 - {level.left} + px;",
            *self.rows_of(number),
        ]
        if kept is None:
            count = len(level.cells)
            lines.append(f"treadle_Out<{STORED_TYPES[tensor.dtype]}, {run * count}> out;")
        else:
            put = self.place(kept, f"slot{number} + py")
            lines.append(f"const int put = {put} * {kept.pitch} + px;")

        def reading(load: Load, cell: Cell, move: str) -> str:
            step = level.reads[load].step(descent.row, descent.row) or 0
            across = level.reads[load].step(descent.col, descent.col) or 0
            source = descent.kept[load.tensor]
            channel = self.number(load, cell, self.form.local[load.tensor])
            one = self.found(level, load, step, cell, channel)
            at = across + source.left - level.left - level.readings[one].first
            value = f"w{one}.v[{move} + {at}]"
            dtype = self.form.local[load.tensor].dtype
            return value if dtype is DType.U8 else c.loaded(value, dtype)

        for plane, cell in enumerate(level.cells):
            if kept is None:
                store = self.written(tensor, f"r * {len(level.cells)} + {plane}")
            else:
                store = self.keep(tensor, kept, f"put + {plane * kept.plane} + r")
            axes = {descent.row: "own", descent.col: "(x + r)"}
            reads = self.windows(level, cell)
            lines += self.neighbours(number, cell, axes, reading, run, store, reads)
        if kept is None:
            lines += self.stored(tensor, len(level.cells))
        head = f"for (int item = threadIdx.x; item < {rows * runs}; item += {descent.threads}) {{"
        body = [head, *indented(lines), "}"]
        return body if kept is None else [*body, c.barrier]

    def found(self, level: Level, load: Load, step: int, cell: Cell, channel: int) -> int:
        """Which of a stage's readings has a read."""
        own = cell[0] if cell else 0
        for k, one in enumerate(level.readings):
            at = own if one.channel is None else one.channel
            if (one.tensor, one.step, at) == (load.tensor, step, channel):
                return k
        raise AssertionError("every read of what is kept is in a reading")

    def rows_of(self, number: int) -> list[str]:
        """Where the rows are that a stage reads, each found once."""
        descent, level = self.descent, self.descent.levels[number]
        numbers = {stage.outputs[0].name: k for k, stage in enumerate(self.stages)}
        lines = []
        for name, step in sorted({(one.tensor, one.step) for one in level.readings}):
            kept, k = descent.kept[name], numbers[name]
            behind = level.above - descent.levels[k].above
            row = _row(k, step)
            if not step and not behind and kept.rows % descent.rows == 0:
                lines.append(f"const int {row} = (slot{k} + py) * {kept.pitch};")
                continue
            move = f"slot{k} + py - {behind}"
            if step:
                move += f" + treadle_beside(own, {step}, {self.c.size(self.height)})"
            lines.append(f"const int {row} = treadle_turn({move}, {kept.rows}) * {kept.pitch};")
        return lines

    def windows(self, level: Level, cell: Cell) -> list[str]:
        """Load the neighbours that a channel of a stage reads."""
        descent = self.descent
        numbers = {stage.outputs[0].name: k for k, stage in enumerate(self.stages)}
        lines = []
        for k, one in enumerate(level.readings):
            kept, step = descent.kept[one.tensor], one.step
            row = _row(numbers[one.tensor], step)
            channel = (cell[0] if cell else 0) if one.channel is None else one.channel
            plane = self.plane(kept, channel)
            dtype = self.form.local[one.tensor].dtype
            kind = f"treadle_Near<{self.c.register(dtype)}, {one.words(descent.run)}>"
            from_ = f"treadle_near + {kept.offset + 4 * plane * kept.plane}"
            place = f"px + {one.first}, inside, low + {kept.left}, high + {kept.left}"
            lines.append(f"const {kind} w{k}({from_}, {row}, {place});")
        return lines

    def place(self, kept: KeptRows, row: str) -> str:
        """The place of one of the rows that this step computes."""
        whole = kept.rows % self.descent.rows == 0
        return f"({row})" if whole else f"treadle_turn({row}, {kept.rows})"

    def plane(self, kept: KeptRows, channel: int) -> int:
        """Which plane has a channel."""
        return kept.cells.index((channel,)) if kept.cells != ((),) else 0

    def number(self, load: Load, cell: Cell, tensor: Tensor) -> int:
        """The channel of a read, as a number."""
        behind = load.indices[self.descent.col + 1 :]
        if not behind:
            return 0
        index, size = behind[0], int(tensor.dims[-1])
        wanted = int(index.value) if isinstance(index, Const) else (cell[0] if cell else 0)
        return min(max(wanted, 0), size - 1)

    def neighbours(
        self,
        number: int,
        cell: Cell,
        axes: Mapping[int, str],
        reading: _Reading,
        count: int,
        store: _Store,
        before: Sequence[str] = (),
    ) -> list[str]:
        """One channel of neighbours, with `r` for their number."""
        c, level, descent = self.c, self.descent.levels[number], self.descent
        places = dict(enumerate(self.batches)) | dict(axes)
        if cell:
            places[descent.col + 1] = str(cell[0])
        scope = c.scope(places)
        move = "r"
        c.reading = lambda load, _: reading(load, cell, move)
        lines: list[str] = []
        inner: list[str] = []
        if level.sum is not None:
            total = scope.local(level.sum.total)
            lines.append(c.declare(total, level.sum.dtype))
            terms = level.sum.terms
            whole = " + ".join(c.expr(term, scope) for term in terms)
            entering = c.expr(terms[-1], scope)
            move = "(r - 1)"
            leaving = c.expr(terms[0], scope)
            move = "r"
            inner += [f"if (r == 0) {total} = {whole};", f"else {total} += {entering} - {leaving};"]
        body, results = c.block(level.block, scope)
        c.reading = None
        (result,), (text,) = level.block.results, results
        inner += [*body, *store(text, result)]
        return [
            "{",
            *indented([*before, *lines, "#pragma unroll", f"for (int r = 0; r < {count}; ++r) {{"]),
            *indented(indented(inner)),
            "    }",
            "}",
        ]

    def value(self, text: str, source: DType, target: DType) -> str:
        """A value as it is stored, bytes as words."""
        if (source, target) == (DType.F32, DType.U8):
            return f"treadle_f32_byte({text})"
        return self.c.convert(text, source, target)

    def keep(self, tensor: Tensor, kept: KeptRows, at: str) -> _Store:
        """Keep a value in shared memory, as what a read of it gives."""
        kind = self.c.types[read_as(tensor.dtype)]

        def store(text: str, result: Expr) -> list[str]:
            value = self.value(text, result.dtype, tensor.dtype)
            return [f"(({kind}*)(treadle_near + {kept.offset}))[{at}] = {value};"]

        return store

    def written(self, tensor: Tensor, at: str) -> _Store:
        """Put a value among those that are written together."""

        def store(text: str, result: Expr) -> list[str]:
            return [f"out.v[{at}] = {self.value(text, result.dtype, tensor.dtype)};"]

        return store

    def stored(self, tensor: Tensor, count: int) -> list[str]:
        """Write what is the strip's own and in the tensor."""
        c, level, run = self.c, self.descent.levels[-1], self.descent.run
        text = ""
        for batch, dim in zip([*self.batches, "own"], self.stages[-1].space, strict=False):
            text = f"({text} * {c.size(dim)} + {batch})" if text else batch
        to = f"a.{c.pointer(tensor)} + ({text} * {c.size(self.width)} + x) * {count}"
        test = "own >= y0 && own < end" if level.above else "own < end"
        return [
            f"if ({test}) {{",
            f"    if (inside) out.store({to});",
            "    else {",
            "        #pragma unroll",
            f"        for (int r = 0; r < {run * count}; ++r)",
            f"            if (x + r / {count} < {c.size(self.width)}) ({to})[r] = out.v[r];",
            "    }",
            "}",
        ]

    def turned(self, number: int) -> list[str]:
        """Go on to the next rows of what is kept."""
        kept = self.descent.kept[self.stages[number].outputs[0].name]
        rows, slot = self.descent.rows, f"slot{number}"
        if kept.rows == rows:
            return []
        return [f"{slot} = treadle_turn({slot} + {rows}, {kept.rows});"]
