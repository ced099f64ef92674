"""Chains over CUDA blocks: a tile each, with what is between the stages in shared memory.

In: a Chain kernel and how it is laid over tiles. Out: an entry whose blocks walk over tiles, stage
by stage. A thread computes runs of neighbours, which share what they read. Tiles inside have a text
of their own, without tests. What an element is, is stage's.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.codegen.cuda.abi import HEAD, Call, FormText, Geometry, Sizes
from treadle.codegen.cuda.descent import descent_form
from treadle.codegen.cuda.stage import HELD, Elements
from treadle.codegen.cuda.words import CudaC
from treadle.codegen.gpu.chain import ChainText, tiled_or_refused, word
from treadle.codegen.gpu.cstyle import indented
from treadle.dtypes import DType
from treadle.ir.descent import Descent
from treadle.ir.nodes import Dim, Kernel, Tensor
from treadle.ir.schedule import Threads
from treadle.ir.tiles import Falling, Part, Room, Tiled, Where

__all__ = ["BLOCK", "chain_form"]

CHUNK = 128  # threads of a block: few, so that while some wait for each other, others work
BLOCK = Room(
    threads=CHUNK,
    most=96 << 10,
    comfort=48 << 10,
    together=220 << 10,
    crowd=6,
    worth=(16, 32),
    run=11,
    edge=7,
    text=1600,
    falling=Falling(threads=CHUNK, rows=(8, 4), held=48, most=48 << 10),
)
_SHARED = 227 << 10  # of a multiprocessor; where there is less, fewer blocks are resident
_CROWD = 8


def chain_form(c: CudaC, threads: Threads | None) -> FormText:
    """Render a Chain kernel; raise LaunchError where tiles with their halos do not fit."""
    if isinstance(threads, Descent):
        return descent_form(c, threads)
    tiled = tiled_or_refused(c.kernel, threads, "block", "cuda")
    writer, nbytes = _Writer(c, tiled), tiled.tiling.nbytes

    def measure(sizes: Sizes) -> Geometry:
        counts = writer.counts(sizes)
        # A block takes several tiles, for what is the same for all to be computed once.
        call = Call("treadle_chain", counts[0], (CHUNK, 1), shared=max(nbytes, 1))
        return Geometry((call,), counts)

    text = "\n".join(writer.lines())
    return FormText(text, ("treadle_chain",), ("tiles", "tiles_down", "tiles_across"), measure)


class _Writer(ChainText):
    """The text of one chain."""

    def __init__(self, c: CudaC, tiled: Tiled) -> None:
        self.c, self.elements = c, Elements(c, tiled)
        super().__init__(c, tiled, self.elements)

    def lines(self) -> list[str]:
        """Functions for elements, and the entry."""
        tiles, made = self.tiles, self.elements
        functions: list[str] = []
        ways = (Where.INSIDE, self.tiled.border)
        stages = list(zip(self.form.stages, tiles.parts, strict=True))
        work: dict[Where, list[str]] = {where: [] for where in ways}
        for where in ways:
            for k, (stage, part) in enumerate(stages):
                functions += made.function(k, stage, part, where)
                work[where] += self.lines_of(k, stage, part, where)
        aligned = [
            f"((unsigned long long)a.{name} & {size - 1}) == 0"
            for name, size in made.aligned.items()
        ]
        dims: list[Dim] = [*self.batch, "tiles_down", "tiles_across"]
        entry = [
            f"const bool whole = {' && '.join(aligned) or 'true'};",
            "for (idx tile = blockIdx.x; tile < a.tiles; tile += gridDim.x) {",
            *indented(self.c.split("tile", dims, [*self.batches, "down", "across"])),
            f"    const idx y0 = down * {tiles.height}, x0 = across * {tiles.width};",
            f"    if (whole && {self.far_from_the_border()}) {{",
            *indented(indented(work[ways[0]])),
            "    } else {",
            *indented(indented(work[ways[1]])),
            "    }",
            *([f"    {self.c.barrier}"] if tiles.places else []),
            "}",
        ]
        head = HEAD.format(threads=f"{CHUNK}, {self.crowd()}", entry="treadle_chain")
        near = "extern __shared__ __align__(16) unsigned char treadle_near[];"
        return [near, "", *functions, head, *indented(entry), "}"]

    def crowd(self) -> int:
        """How many blocks share a multiprocessor, as far as shared memory goes: registers must not
        be what keeps them out."""
        return max(1, min(_CROWD, _SHARED // (self.tiles.nbytes + 1024)))

    def far_from_the_border(self) -> str:
        """The test for tiles that need no clamp."""
        tiles, margin = self.tiles, self.tiles.margin
        width, height = self.c.size(self.width), self.c.size(self.height)
        tests = [f"x0 >= {margin.left}", f"x0 + {tiles.width + margin.right} <= {width}"]
        if tiles.row is not None:
            tests += [f"y0 >= {margin.up}", f"y0 + {tiles.height + margin.down} <= {height}"]
        return " && ".join(tests)

    def each(self, count: int, lines: Sequence[str]) -> list[str]:
        """Lay a number of items over the block."""
        head = f"for (int item = threadIdx.x; item < {count}; item += {CHUNK}) {{"
        return [head, *indented(lines), "}"]

    def between(self, text: str, size: int) -> list[str]:
        """A test that a number is not below 0 and below a size."""
        return [f"(unsigned int)({text}) < {size}u"]

    def lines_of(self, number: int, stage: Kernel, part: Part, where: Where) -> list[str]:
        """One stage of a tile, and what it takes before the next one may read it."""
        count, place = self.runs(part, where)
        run = part.length(where)
        loop = ["#pragma unroll", f"for (int r = 0; r < {run}; ++r) {{"]
        lines = [
            *place,
            *(
                f"{HELD[t.dtype]} v{j}[{run}][{len(part.cells)}];"
                for j, t in enumerate(stage.outputs)
            ),
            *loop,
            *indented(self.elements.calls(number, stage, part, where)),
            "}",
            *loop,
            *indented(self.stores(stage, part, where)),
            "}",
        ]
        made, kept = self.each(count, lines), self.kept_of(stage)
        if kept:
            made.append(self.c.barrier)
            if where is Where.EDGE:
                made += self.beyond(part, kept)
        return made

    def stores(self, stage: Kernel, part: Part, where: Where) -> list[str]:
        """Keep what is read again, and write what is the kernel's output and the tile's own."""
        lines = []
        py, px = ("py + r", "px") if part.down else ("py", "px + r")
        own = " && ".join(test for tests in self.own(part, where, py, px) for test in tests)
        for j, tensor in enumerate(stage.outputs):
            values = [f"v{j}[r][{k}]" for k in range(len(part.cells))]
            kept = self.tiles.places.get(tensor.name)
            if kept is not None:
                at = f"py * {kept.pitch} + px"
                at += f" + r * {kept.pitch}" if part.down else " + r"
                lines += self.keep(tensor, values, at)
            if tensor.name in self.outputs:
                written = self.write(stage, tensor, part, values, where)
                lines += [f"if ({own}) {{", *indented(written), "}"] if own else written
        return lines

    def write(
        self, stage: Kernel, tensor: Tensor, part: Part, values: list[str], where: Where
    ) -> list[str]:
        """Statements that write a pixel to the output."""
        c, count = self.c, len(values)
        pixel = self.pixel(stage, *(("(y + r)", "x") if part.down else ("y", "(x + r)")))
        pointer = f"a.{c.pointer(tensor)}"
        vector = self.elements.vector(tensor)
        if where is not Where.INSIDE or vector is None or len(stage.space) != self.tiles.col + 2:
            at = f"{pixel} * {count} + " if count > 1 else ""
            return [
                f"{pointer}[{at + str(k) if at else pixel}] = {value};"
                for k, value in enumerate(values)
            ]
        self.elements.aligned[c.pointer(tensor)] = tensor.dtype.size * count
        if tensor.dtype is DType.U8:
            return [f"(({vector}*){pointer})[{pixel}] = ({vector})({word(values, range(count))});"]
        whole = ", ".join(values)
        return [f"{{ const {vector} w = {{{whole}}}; (({vector}*){pointer})[{pixel}] = w; }}"]
