"""Chains over CUDA blocks: a tile each, with what is between the stages in shared memory.

In: a Chain kernel. Out: an entry whose blocks walk over tiles, stage by stage. A thread computes
runs of neighbours, which share what they read. Beyond the tensor's edge shared memory holds the
edge's value, so that stages read their neighbourhood without a test. How tiles are cut is
tile's, what an element is stage's.
"""

from __future__ import annotations

from treadle.codegen.cuda.abi import HEAD, Call, Form, Geometry, Sizes, ceil_div, elements
from treadle.codegen.cuda.stage import HELD, Elements
from treadle.codegen.cuda.words import STORED_TYPES, CudaC
from treadle.codegen.gpu.cstyle import indented
from treadle.dtypes import DType
from treadle.errors import LaunchError
from treadle.ir.nodes import Chain, Dim, Kernel, Tensor
from treadle.ir.schedule import Threads
from treadle.ir.tiles import Part, Place, Room, Tiled, Where, number_of

__all__ = ["BLOCK", "chain_form"]

# Neighbours that a thread computes at most; tiles at the border are few, and text is not free.
_RUNS = {Where.INSIDE: 64, Where.EDGE: 7, Where.SINGLE: 1}
CHUNK = 128  # threads of a block: few, so that while some wait for each other, others work
BLOCK = Room(
    threads=CHUNK,
    most=96 << 10,
    comfort=48 << 10,
    together=220 << 10,
    crowd=6,
    worth=(16, 32),
    run=11,
    text=1600,
)
_SHARED = 227 << 10  # of a multiprocessor; where there is less, fewer blocks are resident
_CROWD = 8


def chain_form(c: CudaC, threads: Threads | None) -> Form:
    """Render a Chain kernel; raise LaunchError where tiles with their halos do not fit."""
    kernel, form = c.kernel, c.kernel.form
    assert isinstance(form, Chain)
    if not isinstance(threads, Tiled):
        raise LaunchError(
            f"{kernel.name}: a chain of stages that read further apart than a block's memory "
            "reaches cannot run as one kernel on device 'cuda'; run its stages one by one"
        )
    writer, tiles = _Writer(c, form, threads), threads.tiling

    def measure(sizes: Sizes) -> Geometry:
        down = ceil_div(elements([writer.height], sizes), tiles.height)
        across = ceil_div(elements([writer.width], sizes), tiles.width)
        count = elements(writer.batch, sizes) * down * across
        # A block takes several tiles, for what is the same for all to be computed once.
        call = Call("treadle_chain", count, (CHUNK, 1), shared=max(tiles.nbytes, 1))
        return Geometry((call,), (count, down, across))

    text = "\n".join(writer.lines())
    return Form(text, ("treadle_chain",), ("tiles", "tiles_down", "tiles_across"), measure)


class _Writer:
    """The text of one chain."""

    def __init__(self, c: CudaC, form: Chain, tiled: Tiled) -> None:
        tiles = tiled.tiling
        self.c, self.form, self.tiled, self.tiles = c, form, tiled, tiles
        self.elements = Elements(c, form, tiled)
        self.outputs = {tensor.name for tensor in c.kernel.outputs}
        space = form.stages[-1].space
        self.height: Dim = 1 if tiles.row is None else space[tiles.row]
        self.width = space[tiles.col]
        self.batch = space[: tiles.first]

    def lines(self) -> list[str]:
        """Functions for elements, and the entry."""
        tiles, made = self.tiles, self.elements
        functions, settled = made.settled()
        ways = (Where.INSIDE, self.tiled.border)
        stages = list(zip(self.form.stages, tiles.parts, strict=True))
        work: dict[Where, list[str]] = {where: [] for where in ways}
        for where in ways:
            for k, (stage, part) in enumerate(stages):
                functions += made.function(k, stage, part, where)
                work[where] += self.stage(k, stage, part, where)
        batch = [f"n{k}" for k in range(tiles.first)]
        aligned = [
            f"((unsigned long long)a.{name} & {size - 1}) == 0"
            for name, size in made.aligned.items()
        ]
        dims: list[Dim] = [*self.batch, "tiles_down", "tiles_across"]
        entry = [
            f"const bool whole = {' && '.join(aligned) or 'true'};",
            *settled,
            "for (idx tile = blockIdx.x; tile < a.tiles; tile += gridDim.x) {",
            *indented(self.c.split("tile", dims, [*batch, "down", "across"])),
            f"    const idx y0 = down * {tiles.height}, x0 = across * {tiles.width};",
            f"    if (whole && {self.far_from_the_border()}) {{",
            *indented(indented(work[ways[0]])),
            "    } else {",
            *indented(indented(work[ways[1]])),
            "    }",
            *(["    __syncthreads();"] if tiles.places else []),
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

    def stage(self, number: int, stage: Kernel, part: Part, where: Where) -> list[str]:
        """One stage of a tile, and what it takes before the next one may read it."""
        lines = self.runs(number, stage, part, where)
        kept = [t for t in stage.outputs if t.name in self.tiles.places]
        if kept:
            lines.append("__syncthreads();")
            if where is Where.EDGE:
                lines += [*self.beyond(part, kept), "__syncthreads();"]
        return lines

    def runs(self, number: int, stage: Kernel, part: Part, where: Where) -> list[str]:
        """Compute runs of neighbours. The last run of a line moves back to its end, where it
        computes some elements again. One by one where coordinates are clamped."""
        halo = part.halo
        rows, cols = self.tiles.area(part)
        run = min(part.run, _RUNS[where])
        count = ceil_div(rows if part.down else cols, run)
        if part.down:
            start = [
                f"const int line = item / {cols};",
                f"const int px = item - line * {cols};",
                f"const int py = min(line * {run}, {rows - run});",
            ]
        else:
            start = [
                f"const int py = item / {count};",
                f"const int px = min((item - py * {count}) * {run}, {cols - run});",
            ]
        y, x = f"y0 + (py - {halo.up})", f"x0 + (px - {halo.left})"
        if where is Where.SINGLE:
            y = f"treadle_clamp({y}, {self.c.size(self.height)})"
            x = f"treadle_clamp({x}, {self.c.size(self.width)})"
        loop = ["#pragma unroll", f"for (int r = 0; r < {run}; ++r) {{"]
        return [
            f"for (int item = threadIdx.x; item < {count * (cols if part.down else rows)}; "
            f"item += {CHUNK}) {{",
            *indented(start),
            f"    const idx y = {y}, x = {x};",
            *(
                f"    {HELD[t.dtype]} v{j}[{run}][{len(part.cells)}];"
                for j, t in enumerate(stage.outputs)
            ),
            *indented(loop),
            *indented(indented(self.elements.calls(number, stage, part, where))),
            "    }",
            *indented(loop),
            *indented(indented(self.stores(stage, part, where))),
            "    }",
            "}",
        ]

    def stores(self, stage: Kernel, part: Part, where: Where) -> list[str]:
        """Keep what is read again, and write what is the kernel's output and the tile's own."""
        lines = []
        own = self.own(part, where)
        for j, tensor in enumerate(stage.outputs):
            values = [f"v{j}[r][{k}]" for k in range(len(part.cells))]
            kept = self.tiles.places.get(tensor.name)
            if kept is not None:
                at = f"py * {kept.pitch} + px"
                at += f" + r * {kept.pitch}" if part.down else " + r"
                lines += self.keep(kept, tensor, at, values)
            if tensor.name in self.outputs:
                written = self.write(stage, tensor, part, values, where)
                lines += [f"if ({own}) {{", *indented(written), "}"] if own else written
        return lines

    def own(self, part: Part, where: Where) -> str:
        """The test for elements that are the tile's, and no other's; empty where all are."""
        halo, tiles = part.halo, self.tiles
        py, px = ("py + r", "px") if part.down else ("py", "px + r")
        tests = []
        if halo.up or halo.down:
            tests.append(f"(unsigned int)({py} - {halo.up}) < {tiles.height}u")
        if halo.left or halo.right:
            tests.append(f"(unsigned int)({px} - {halo.left}) < {tiles.width}u")
        if where is not Where.INSIDE:
            tests.append(f"y0 + ({py} - {halo.up}) < {self.c.size(self.height)}")
            tests.append(f"x0 + ({px} - {halo.left}) < {self.c.size(self.width)}")
        return " && ".join(tests)

    def keep(self, place: Place, tensor: Tensor, at: str, values: list[str]) -> list[str]:
        """Statements that put a pixel into shared memory."""
        base = f"treadle_near + {place.offset}"
        if place.word:
            dims = tensor.dims[self.tiles.col + 1 :]
            word = " | ".join(
                f"({value} << {8 * number_of(cell, dims)})"
                for value, cell in zip(values, place.cells, strict=True)
            )
            return [f"((unsigned int*)({base}))[{at}] = {word};"]
        kind = STORED_TYPES[tensor.dtype]
        return [
            f"(({kind}*)({base}))[{k * place.plane} + {at}] = {value};"
            for k, value in enumerate(values)
        ]

    def write(
        self, stage: Kernel, tensor: Tensor, part: Part, values: list[str], where: Where
    ) -> list[str]:
        """Statements that write a pixel to the output."""
        c, tiles, count = self.c, self.tiles, len(values)
        y, x = ("(y + r)", "x") if part.down else ("y", "(x + r)")
        places = [f"n{k}" for k in range(self.tiles.first)]
        places += [x] if tiles.row is None else [y, x]
        pixel = ""
        for place, dim in zip(places, stage.space, strict=False):
            pixel = f"({pixel} * {c.size(dim)} + {place})" if pixel else place
        pointer = f"a.{c.pointer(tensor)}"
        vector = self.elements.vector(tensor)
        if where is not Where.INSIDE or vector is None or len(stage.space) != tiles.col + 2:
            at = f"{pixel} * {count} + " if count > 1 else ""
            return [
                f"{pointer}[{at + str(k) if at else pixel}] = {value};"
                for k, value in enumerate(values)
            ]
        self.elements.aligned[c.pointer(tensor)] = tensor.dtype.size * count
        if tensor.dtype is DType.U8:
            whole = " | ".join(f"({v} << {8 * k})" for k, v in enumerate(values))
            return [f"(({vector}*){pointer})[{pixel}] = ({vector})({whole});"]
        whole = ", ".join(values)
        return [f"{{ const {vector} w = {{{whole}}}; (({vector}*){pointer})[{pixel}] = w; }}"]

    def beyond(self, part: Part, kept: list[Tensor]) -> list[str]:
        """Give places beyond the tensor's edge the value of the edge."""
        halo = part.halo
        rows, cols = self.tiles.area(part)
        copies = []
        for tensor in kept:
            place = self.tiles.places[tensor.name]
            kind = "unsigned int" if place.word else STORED_TYPES[tensor.dtype]
            for k in range(1 if place.word else len(place.cells)):
                start = f"(({kind}*)(treadle_near + {place.offset}))"
                to = f"{k * place.plane} + item"
                copies.append(f"{start}[{to}] = {start}[{k * place.plane} + from];")
        return [
            f"for (int item = threadIdx.x; item < {rows * cols}; item += {CHUNK}) {{",
            f"    const idx y = y0 + (item / {cols} - {halo.up});",
            f"    const idx x = x0 + (item % {cols} - {halo.left});",
            f"    const int down = (int)(treadle_clamp(y, {self.c.size(self.height)}) - y);",
            f"    const int along = (int)(treadle_clamp(x, {self.c.size(self.width)}) - x);",
            f"    const int from = item + down * {cols} + along;",
            "    if (from != item) {",
            *indented(indented(copies)),
            "    }",
            "}",
        ]
