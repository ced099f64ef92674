"""Chains that walk down strips, as CUDA text.

In: a Chain kernel and how it walks down. Out: an entry whose blocks take a strip each. A thread
holds the pixels of its column that the first stage reads, and asks for those of the next step
before it computes this one; later stages take rows out of shared memory, a run of neighbours for a
thread. Rows beyond the tensor's edge are those of the edge, found by their numbers; columns beyond
it only concern strips at the border, which read one by one.

Stages that do not mix channels run for one channel after the other, in a loop: unrolled, the text
of a step is longer than what a multiprocessor holds of a program, and half of the time goes into
fetching it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from treadle.codegen.cuda.abi import HEAD, Call, FormText, Geometry, Sizes
from treadle.codegen.cuda.stage import VECTORS
from treadle.codegen.cuda.words import STORED_TYPES, CudaC
from treadle.codegen.gpu.counts import ceil_div, elements
from treadle.codegen.gpu.cstyle import indented
from treadle.dtypes import DType
from treadle.ir.descent import Descent, KeptRows, Level
from treadle.ir.nodes import Chain, Const, Dim, Load, Tensor
from treadle.ir.tiles import Cell

__all__ = ["descent_form"]

_Reading = Callable[[Load, str], str]  # the text of a read by a neighbour

_STRIPS = 4096  # more bring nothing: strips are higher then, which costs less
_FAR = 1 << 12  # columns: further than any strip is wide
_STEPS = (2, 8)  # of a strip, at least and at most


def descent_form(c: CudaC, descent: Descent) -> FormText:
    """Render a Chain kernel that walks down strips."""
    writer = _Writer(c, descent)

    def measure(sizes: Sizes) -> Geometry:
        strips, *values = writer.counts(sizes)
        call = Call("treadle_chain", strips, (descent.threads, 1))
        return Geometry((call,), tuple(values))

    members = ("strips_down", "strips_across", "steps")
    return FormText("\n".join(writer.lines()), ("treadle_chain",), members, measure)


def _row(stage: int, step: int) -> str:
    """The name of where a row of what a stage has computed is."""
    return f"row{stage}_{'up' if step < 0 else ''}{abs(step)}"


def _channels(cells: Sequence[Cell]) -> list[str]:
    """The numbers of channels, as text."""
    return [str(cell[0]) if cell else "0" for cell in cells]


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
        entry = [
            f"__shared__ __align__(16) unsigned char treadle_near[{descent.nbytes}];",
            f"const bool aligned = ((unsigned long long){source} & {self.alignment - 1}) == 0;",
            "const idx strip = (idx)blockIdx.x;",
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
            *self.loads(f"held[r + {rows}]", keep, f"y0 - {top}"),
            *self.loads("next[r]", rows, f"y0 - {top} + {keep}"),
            # Which row and which columns of a step are this thread's, in stages along rows.
            f"const int py = (int)threadIdx.x % {rows};",
            f"const int px = (int)threadIdx.x / {rows} * {descent.run};",
            *[f"int slot{k} = 0;" for k, _ in self.circles()],
            *[f"int side{k} = 0;" for k, kept in self.numbered() if kept.passing],
            "for (int step = 0; step < a.steps; ++step) {",
            f"    const idx y = y0 + step * {rows};",
            *indented(self.moved(keep, top)),
            *indented(self.step()),
            *(
                f"    slot{k} = treadle_turn(slot{k} + {rows}, {kept.rows});"
                for k, kept in self.circles()
            ),
            "}",
        ]
        head = HEAD.format(threads=descent.threads, entry="treadle_chain")
        return [head, *indented(entry), "}"]

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
        """A thread's column of the source; beyond the edge it is that of the edge."""
        left = self.descent.levels[0].left
        return self.c.clamped(f"x0 - {left} + (idx)threadIdx.x", self.width)

    def loads(self, into: str, count: int, y: str) -> list[str]:
        """Load pixels of the thread's column, from a row on: at once where that is inside. A branch
        for each pixel would wait for the one before."""
        c, text, width = self.c, "", self.c.size(self.width)
        for batch, dim in zip(self.batches, self.batch, strict=True):
            text = f"({text} * {c.size(dim)} + {batch})" if text else batch

        def at(row: str) -> str:
            row = f"({text} * {c.size(self.height)} + {row})" if text else row
            return (
                f"a.{c.pointer(self.descent.source)} + ({row} * {width} + mine) * {self.channels}"
            )

        each = ["#pragma unroll", f"for (int r = 0; r < {count}; ++r)"]
        return [
            "{",
            f"    const idx top = {y};",
            f"    if (aligned && top >= 0 && top + {count} <= {c.size(self.height)}) {{",
            f"        const auto* const from = {at('top')};",
            f"        const idx pitch = {width} * {self.channels};",
            *indented(indented([*each, f"    {into}.whole(from + r * pitch);"])),
            "    } else {",
            *indented(
                indented([*each, f"    {into}.parts({at(c.clamped('top + r', self.height))});"])
            ),
            "    }",
            "}",
        ]

    def moved(self, keep: int, top: int) -> list[str]:
        """Go on to the rows of this step, and ask for those of the next."""
        rows = self.descent.rows
        return [
            "#pragma unroll",
            f"for (int r = 0; r < {keep}; ++r) held[r] = held[r + {rows}];",
            "#pragma unroll",
            f"for (int r = 0; r < {rows}; ++r) held[r + {keep}] = next[r];",
            "if (step + 1 < a.steps) {",
            *indented(self.loads("next[r]", rows, f"y - {top - keep - rows}")),
            "}",
        ]

    def numbered(self) -> Iterator[tuple[int, KeptRows]]:
        """What is kept, by the number of its stage."""
        for k, stage in enumerate(self.stages[:-1]):
            yield k, self.descent.kept[stage.outputs[0].name]

    def circles(self) -> list[tuple[int, KeptRows]]:
        """What is kept for longer than a step."""
        return [(k, kept) for k, kept in self.numbered() if kept.rows > self.descent.rows]

    def step(self) -> list[str]:
        """All stages, a step each: those that do not mix channels for one channel after another."""
        descent = self.descent
        count, cells = len(self.stages), descent.levels[0].cells
        together = descent.together if len(cells) > 1 else 0
        lines: list[str] = []
        if together:
            inner = [f"side{k} ^= 1;" for k, kept in self.numbered() if kept.passing]
            inner += [line for n in range(together) for line in self.stage(n, ["k"])]
            if together == count:
                whole = f"unsigned int whole[{descent.run}] = {{}};"  # the bytes of each pixel
                lines.append(whole if descent.rolled else f"{self.out} out;")
            lines.append("#pragma unroll 1" if descent.rolled else "#pragma unroll")
            lines += [f"for (int k = 0; k < {len(cells)}; ++k) {{", *indented(inner), "}"]
        for number in range(together, count):
            sides = [
                f"side{k} ^= 1;" for k, kept in self.numbered() if kept.passing and not together
            ]
            lines += [] if number else sides
            channels = _channels(descent.levels[number].cells)
            if number == count - 1:
                return [*lines, *self.ended(channels)]
            lines += self.stage(number, channels)
        return [*lines, *self.stored(descent.rolled)]

    def ended(self, channels: Sequence[str]) -> list[str]:
        """The last stage with all its channels: a whole run at a time, or some of it."""
        descent, level = self.descent, self.descent.levels[-1]
        lines = [
            f"{self.out} out;",
            *self.stage(len(self.stages) - 1, channels),
            *self.stored(False),
        ]
        if level.run == descent.run:
            return lines
        return [
            "#pragma unroll 1",
            f"for (int part = 0; part < {descent.run}; part += {level.run}) {{",
            *indented(lines),
            "}",
        ]

    def across(self, level: Level) -> str:
        """The first column of a run, in what a stage computes."""
        return "px" if level.run == self.descent.run else "(px + part)"

    @property
    def out(self) -> str:
        """What holds the results of a thread that are written together."""
        count = self.descent.levels[-1].run * len(self.descent.levels[-1].cells)
        return f"treadle_Out<{STORED_TYPES[self.stages[-1].outputs[0].dtype]}, {count}>"

    def stage(self, number: int, channels: Sequence[str]) -> list[str]:
        """A stage for some channels."""
        c, descent, level = self.c, self.descent, self.descent.levels[number]
        kept = descent.kept.get(self.stages[number].outputs[0].name)
        if not number:
            lines = [line for k in channels for line in self.down(k)]
        else:
            lines = [
                f"const idx own = y - {level.above} + py;",
                f"const idx x = x0 - {level.left} + {self.across(level)};",
                *self.rows_of(number),
            ]
            if kept is not None:
                row = self.place(number, kept, "py")
                lines.append(f"const int put = {row} * {kept.pitch} + px;")
            lines += [line for k in channels for line in self.along(number, k)]
            columns = -(-level.columns // descent.run) * descent.run
            all_ = columns * descent.rows == descent.threads * descent.run
            head = "{" if all_ else f"if (px < {columns}) {{"
            lines = [head, *indented(lines), "}"]
        return lines if kept is None else [*lines, c.barrier]

    def down(self, channel: str) -> list[str]:
        """A channel of the first stage: rows of the thread's own column."""
        descent, level = self.descent, self.descent.levels[0]
        kept = descent.kept[self.stages[0].outputs[0].name]

        def reading(load: Load, move: str) -> str:
            step = (level.reads[load].step(descent.row, descent.row) or 0) - descent.span[0]
            number = self.number(load, channel, descent.source)
            value = f"treadle_channel(held[{move} + {step}], {number})"
            return self.c.loaded(value, descent.source.dtype)

        row, plane = self.place(0, kept, "r"), self.plane(0, kept, channel)
        at = f"{plane} + {row} * {kept.pitch} + (int)threadIdx.x"
        axes = {descent.row: f"(y - {level.above} + r)", descent.col: "mine"}
        return self.neighbours(0, channel, axes, reading, descent.rows, self.keep(0, kept, at))

    def along(self, number: int, channel: str) -> list[str]:
        """A channel of a later stage: neighbours along a row."""
        c, descent, level = self.c, self.descent, self.descent.levels[number]
        kept = descent.kept.get(self.stages[number].outputs[0].name)

        def reading(load: Load, move: str) -> str:
            tensor, access = self.form.local[load.tensor], level.reads[load]
            step = access.step(descent.row, descent.row) or 0
            across = access.step(descent.col, descent.col) or 0
            wanted = self.number(load, channel, tensor)
            found, one = next(
                (k, one)
                for k, one in enumerate(level.readings)
                if (one.tensor, one.step) == (load.tensor, step)
                and wanted == (channel if one.channel is None else str(one.channel))
            )
            at = across + descent.kept[load.tensor].left - level.left - one.first
            value = f"w{found}.v[{move} + {at}]"
            return value if tensor.dtype is DType.U8 else c.loaded(value, tensor.dtype)

        if kept is not None:
            store = self.keep(number, kept, f"{self.plane(number, kept, channel)} + put + r")
        elif channel == "k" and descent.rolled:
            store = "whole[r] = treadle_put(whole[r], {value}, k);"
        else:
            order = channel if channel == "k" else _channels(level.cells).index(channel)
            store = f"out.v[r * {len(level.cells)} + {order}] = {{value}};"
        axes = {descent.row: "own", descent.col: "(x + r)"}
        reads = self.windows(level, channel)
        return self.neighbours(number, channel, axes, reading, level.run, store, reads)

    def number(self, load: Load, channel: str, tensor: Tensor) -> str:
        """The channel of a read."""
        behind = load.indices[self.descent.col + 1 :]
        if not behind:
            return "0"
        index, size = behind[0], int(tensor.dims[-1])
        return str(min(max(int(index.value), 0), size - 1)) if isinstance(index, Const) else channel

    def plane(self, number: int, kept: KeptRows, channel: str) -> str:
        """Where a channel of what is kept begins."""
        if kept.passing:
            return f"side{number} * {kept.plane}"
        if channel == "k":
            return f"k * {kept.plane}"
        return str(_channels(kept.cells).index(channel) * kept.plane)

    def place(self, number: int, kept: KeptRows, row: str) -> str:
        """Where a row of this step is kept."""
        if kept.rows == self.descent.rows:
            return row
        whole = kept.rows % self.descent.rows == 0
        text = f"slot{number} + {row}"
        return f"({text})" if whole else f"treadle_turn({text}, {kept.rows})"

    def rows_of(self, number: int) -> list[str]:
        """Where the rows are that a stage reads, each found once."""
        descent, level = self.descent, self.descent.levels[number]
        lines = []
        for k, kept in self.numbered():
            name = self.stages[k].outputs[0].name
            for step in sorted({one.step for one in level.readings if one.tensor == name}):
                behind = level.above - descent.levels[k].above
                if step or behind:
                    place = f"slot{k} + py - {behind}"
                    if step:
                        place += f" + treadle_beside(own, {step}, {self.c.size(self.height)})"
                    place = f"treadle_turn({place}, {kept.rows})"
                else:
                    place = self.place(k, kept, "py")
                lines.append(f"const int {_row(k, step)} = {place} * {kept.pitch};")
        return lines

    def windows(self, level: Level, channel: str) -> list[str]:
        """Read the neighbours that a channel of a stage needs."""
        descent = self.descent
        numbers = {stage.outputs[0].name: k for k, stage in enumerate(self.stages)}
        lines = []
        for n, one in enumerate(level.readings):
            kept, k = descent.kept[one.tensor], numbers[one.tensor]
            kind = self.c.register(self.form.local[one.tensor].dtype)
            plane = self.plane(k, kept, channel if one.channel is None else str(one.channel))
            near = f"({kind}*)(treadle_near + {kept.offset}) + {plane} + {_row(k, one.step)}"
            place = (
                f"{self.across(level)} + {one.first}, inside, low + {kept.left}, high + {kept.left}"
            )
            lines.append(
                f"const treadle_Near<{kind}, {one.words(level.run)}> w{n}({near}, {place});"
            )
        return lines

    def keep(self, number: int, kept: KeptRows, at: str) -> str:
        """Keep a value, as what a read of it gives."""
        kind = self.c.register(self.stages[number].outputs[0].dtype)
        return f"(({kind}*)(treadle_near + {kept.offset}))[{at}] = {{value}};"

    def neighbours(
        self,
        number: int,
        channel: str,
        axes: dict[int, str],
        reading: _Reading,
        count: int,
        store: str,
        before: Sequence[str] = (),
    ) -> list[str]:
        """One channel of neighbours, whose number is `r`."""
        c, level, descent = self.c, self.descent.levels[number], self.descent
        places = {**dict(enumerate(self.batches)), **axes, descent.col + 1: channel}
        scope, lines, inner = c.scope(places), list[str](), list[str]()
        c.reading = lambda load, _: reading(load, "r")
        if level.sum is not None:
            total, terms = scope.local(level.sum.total), level.sum.terms
            lines.append(c.declare(total, level.sum.dtype))
            whole = " + ".join(c.expr(term, scope) for term in terms)
            entering = c.expr(terms[-1], scope)
            c.reading = lambda load, _: reading(load, "(r - 1)")
            leaving = c.expr(terms[0], scope)
            c.reading = lambda load, _: reading(load, "r")
            inner += [
                f"if (r == 0) {total} = {whole};",
                f"else {total} += {entering} - {leaving};",
            ]
        body, (text,) = c.block(level.block, scope)
        c.reading = None
        (result,), tensor = level.block.results, self.stages[number].outputs[0]
        byte = (result.dtype, tensor.dtype) == (DType.F32, DType.U8)
        value = f"treadle_f32_byte({text})" if byte else c.convert(text, result.dtype, tensor.dtype)
        return [
            "{",
            *indented([*before, *lines, "#pragma unroll", f"for (int r = 0; r < {count}; ++r) {{"]),
            *indented(indented([*inner, *body, store.replace("{value}", value)])),
            "    }",
            "}",
        ]

    def stored(self, rolled: bool) -> list[str]:
        """Write what is the strip's own and in the tensor."""
        c, descent, level = self.c, self.descent, self.descent.levels[-1]
        tensor, run, count = self.stages[-1].outputs[0], level.run, len(level.cells)
        text = ""
        for batch, dim in zip([*self.batches, "own"], self.stages[-1].space, strict=False):
            text = f"({text} * {c.size(dim)} + {batch})" if text else batch
        to = f"a.{c.pointer(tensor)} + ({text} * {c.size(self.width)} + x) * {count}"
        test = f"px < {descent.width} && own < end" + (" && own >= y0" if level.above else "")
        words = [
            f"{self.out} out;",
            "#pragma unroll",
            f"for (int r = 0; r < {run * count}; ++r)",
            f"    out.v[r] = (unsigned char)(whole[r / {count}] >> r % {count} * 8);",
        ]
        return [
            f"const idx own = y - {level.above} + py, x = x0 + {self.across(level)};",
            f"if ({test}) {{",
            *(indented(words) if rolled else ()),
            f"    if (inside) out.store({to});",
            "    else {",
            "        #pragma unroll",
            f"        for (int r = 0; r < {run * count}; ++r)",
            f"            if (x + r / {count} < {c.size(self.width)}) ({to})[r] = out.v[r];",
            "    }",
            "}",
        ]
