"""Chains over CUDA blocks: a tile each, with what is between the stages in shared memory.

In: a Chain kernel. Out: an entry whose blocks walk over tiles. Of a tile inside the tensor a thread
computes a run of neighbours, which share what they read, with no clamp and whole pixels at a time;
at the border it computes one element at a time, at clamped coordinates, so that a place beyond the
edge holds the edge's value. How tiles are cut is cuda_c_tile's.
"""

from __future__ import annotations

from dataclasses import replace

from weft.codegen.cstyle import Scope, indented
from weft.codegen.cuda_c_abi import Call, Form, Geometry, Sizes, ceil_div, coordinates, elements
from weft.codegen.cuda_c_map import HEAD
from weft.codegen.cuda_c_tile import CHUNK, Part, Place, Tiling, known, near, offset_of, tiling
from weft.codegen.cuda_c_words import STORED_TYPES, CudaC, Names, clean
from weft.dtypes import DType
from weft.errors import LaunchError
from weft.ir.nodes import (
    Assign,
    Axis,
    Chain,
    Const,
    Dim,
    Expr,
    Kernel,
    Load,
    Local,
    Map,
    Op,
    Tensor,
    walk,
)

__all__ = ["chain_form", "fits"]

_BLOCKS = 2048  # a block takes several tiles, for what is the same for all to be computed once
# Vectors that hold a pixel: type and number of channels to the type that a read asks for.
_VECTORS = {
    (DType.U8, 4): "unsigned int",
    (DType.U8, 2): "unsigned short",
    (DType.F32, 4): "float4",
    (DType.F32, 2): "float2",
    (DType.S32, 4): "int4",
    (DType.S32, 2): "int2",
    (DType.U32, 4): "uint4",
    (DType.U32, 2): "uint2",
    (DType.F64, 2): "double2",
    (DType.S64, 2): "longlong2",
}


def fits(kernel: Kernel, near: int) -> bool:
    """Whether a chain can be rendered for a device with so many bytes near a block."""
    found = tiling(kernel)
    return found is not None and found.nbytes <= near


def chain_form(c: CudaC) -> Form:
    """Render a Chain kernel; raise LaunchError where tiles with their halos do not fit."""
    kernel = c.kernel
    assert isinstance(kernel.form, Chain)
    tiles = tiling(kernel)
    if tiles is None:
        raise LaunchError(
            f"{kernel.name}: a chain of stages that read further apart than a block's memory "
            "reaches cannot run as one kernel on device 'cuda'; run its stages one by one"
        )
    writer = _Writer(c, kernel.form, tiles)
    form = kernel.form
    height: Dim = 1 if tiles.row is None else form.stages[-1].space[tiles.row]
    width = form.stages[-1].space[tiles.col]
    batch = form.stages[-1].space[: tiles.col if tiles.row is None else tiles.row]

    def measure(sizes: Sizes) -> Geometry:
        down = ceil_div(elements([height], sizes), tiles.height)
        across = ceil_div(elements([width], sizes), tiles.width)
        count = elements(batch, sizes) * down * across
        call = Call("weft_chain", min(count, _BLOCKS), (CHUNK, 1), tiles.nbytes)
        return Geometry((call,), (count, down, across))

    text = "\n".join(writer.lines())
    return Form(text, ("weft_chain",), ("tiles", "tiles_down", "tiles_across"), measure)


class _Writer:
    """The text of one chain."""

    def __init__(self, c: CudaC, form: Chain, tiles: Tiling) -> None:
        self.c, self.form, self.tiles = c, form, tiles
        self.first = tiles.col if tiles.row is None else tiles.row
        self.inputs = {tensor.name: tensor for tensor in c.kernel.inputs}
        self.outputs = {tensor.name for tensor in c.kernel.outputs}
        self.local = form.local
        self.same: dict[int, dict[str, str]] = {}  # by stage: locals that all elements share
        self.aligned: dict[str, int] = {}  # pointers that must be multiples of these bytes

    def lines(self) -> list[str]:
        """Functions for elements, and the entry."""
        functions, settled = self.settled()
        fast: list[str] = []
        slow: list[str] = []
        for k, (stage, part) in enumerate(zip(self.form.stages, self.tiles.parts, strict=True)):
            functions += self.element(k, stage, part, fast=True)
            functions += self.element(k, stage, part, fast=False)
            fast += self.inside(k, stage, part)
            slow += self.border(k, stage, part)
            if any(t.name in self.tiles.places for t in stage.outputs):
                fast.append("__syncthreads();")
                slow.append("__syncthreads();")
        batch = [f"n{k}" for k in range(self.first)]
        dims: list[Dim] = [*self.form.stages[-1].space[: self.first], "tiles_down", "tiles_across"]
        together = [
            f"((unsigned long long)a.{name} & {size - 1}) == 0"
            for name, size in self.aligned.items()
        ]
        entry = [
            f"const bool whole = {' && '.join(together) or 'true'};",
            *settled,
            "for (idx tile = blockIdx.x; tile < a.tiles; tile += gridDim.x) {",
            *indented(coordinates(self.c, "tile", dims, [*batch, "down", "across"])),
            f"    const idx y0 = down * {self.tiles.height}, x0 = across * {self.tiles.width};",
            f"    if (whole && {self.far_from_the_border()}) {{",
            *indented(indented(fast)),
            "    } else {",
            *indented(indented(slow)),
            "    }",
            *(["    __syncthreads();"] if self.tiles.places else []),
            "}",
        ]
        head = HEAD.format(threads=CHUNK, entry="weft_chain")
        near = "extern __shared__ __align__(16) unsigned char weft_near[];"
        return [near, "", *functions, head, *indented(entry), "}"]

    def far_from_the_border(self) -> str:
        """The test for tiles that need no clamp."""
        tiles, margin = self.tiles, self.tiles.margin
        width = self.c.size(self.form.stages[-1].space[tiles.col])
        tests = [
            f"x0 >= {margin.left}",
            f"x0 + {tiles.width + margin.right} <= {width}",
        ]
        if tiles.row is not None:
            height = self.c.size(self.form.stages[-1].space[tiles.row])
            tests += [f"y0 >= {margin.up}", f"y0 + {tiles.height + margin.down} <= {height}"]
        return " && ".join(tests)

    # What is the same for every element

    def settled(self) -> tuple[list[str], list[str]]:
        """The struct of locals that depend on parameters and sizes only, and lines that fill it."""
        members: list[str] = []
        lines: list[str] = []
        for number, stage in enumerate(self.form.stages):
            assert isinstance(stage.form, Map)
            lets, _ = known(stage.form.block)
            replaced = self.same[number] = {}
            scope = Names({}, prefix=f"u.s{number}_")
            for name, value in lets.items():
                if _uniform(value, replaced):
                    members.append(self.c.declare(f"s{number}_{clean(name)}", value.dtype))
                    lines.append(f"{scope.local(name)} = {self.c.expr(value, scope)};")
                    replaced[name] = scope.local(name)
        if not members:
            return [], []
        return ["struct Settled {", *indented(members), "};", ""], ["Settled u;", *lines]

    # An element

    def cells(self, stage: Kernel) -> list[str]:
        """Names of the channel coordinates."""
        return [f"k{axis}" for axis in range(self.tiles.col + 1, len(stage.space))]

    def element(self, number: int, stage: Kernel, part: Part, *, fast: bool) -> list[str]:
        """A function that computes one element of a stage. `y` and `x` are the coordinates of its
        run's first, `py` and `px` the place of that in what the stage computes of the tile; `dy`
        and `dx`, constants once all is inlined, lead from there to the element, so that neighbours
        read alike."""
        assert isinstance(stage.form, Map)
        c, tiles = self.c, self.tiles
        axes = {k: f"n{k}" for k in range(self.first)}
        if tiles.row is not None:
            axes[tiles.row] = "(y + dy)"
        axes[tiles.col] = "(x + dx)"
        names = self.cells(stage)
        axes.update({tiles.col + 1 + k: name for k, name in enumerate(names)})
        scope = Names(axes)
        scope.replaced = dict(self.same[number])
        lets, loops = known(stage.form.block)
        block = stage.form.block
        varying = tuple(
            s for s in block.body if not (isinstance(s, Assign) and s.name in scope.replaced)
        )

        def reading(load: Load, scope: Scope) -> str:
            if load.tensor in self.inputs:
                tensor = self.inputs[load.tensor]
                return self.far(load, tensor, stage, lets, loops, scope, fast=fast)
            return self.near(load, part, lets, scope, fast=fast)

        c.reading = reading
        body, results = c.block(replace(block, body=varying), scope)
        c.reading = None
        stores = [
            f"o{k} = {c.convert(text, expr.dtype, t.dtype)};"
            for k, (t, text, expr) in enumerate(
                zip(stage.outputs, results, stage.form.block.results, strict=True)
            )
        ]
        takes = ["const Args& a", *(f"const idx n{k}" for k in range(self.first))]
        takes += ["const Settled& u"] if any(self.same.values()) else []
        takes += ["const idx y0", "const idx x0", "const int py", "const int px"]
        takes += ["const idx y", "const idx x", "const int dy", "const int dx"]
        takes += [f"{STORED_TYPES[t.dtype]}& o{k}" for k, t in enumerate(stage.outputs)]
        template = f"template <{', '.join(f'int {n}' for n in names)}>\n" if names else ""
        name = f"weft_stage{number}_{'inside' if fast else 'border'}"
        head = f"{template}static __device__ __forceinline__ void {name}(\n    {', '.join(takes)})"
        return [f"{head} {{", *indented([*body, *stores]), "}", ""]

    def near(
        self, load: Load, part: Part, lets: dict[str, Expr], scope: Scope, *, fast: bool
    ) -> str:
        """A read of what an earlier stage computed; beyond the edge is the edge's value."""
        tensor, place = self.local[load.tensor], self.tiles.places[load.tensor]
        row = ""
        if self.tiles.row is not None:
            row = self.position(load, self.tiles.row, part, place, lets, scope, fast=fast)
        column = self.position(load, self.tiles.col, part, place, lets, scope, fast=fast)
        at = f"({row} * {place.pitch} + {column})" if row else column
        channel = self.channel(load, tensor, scope)
        base = f"weft_near + {place.offset}"
        if place.word:
            text = f"((((const unsigned int*)({base}))[{at}] >> (8 * ({channel}))) & 255u)"
            return f"((int){text})"
        if len(place.cells) < _count(tensor, self.tiles.col):
            channel = self.dense(channel, place, tensor)
        if channel != "0":
            at = f"{channel} * {place.plane} + {at}"
        text = f"((const {STORED_TYPES[tensor.dtype]}*)({base}))[{at}]"
        return f"((int){text})" if tensor.dtype is DType.U8 else text

    def dense(self, channel: str, place: Place, tensor: Tensor) -> str:
        """The number of a channel's plane, where some channels are not there."""
        numbers = [_number(cell, tensor.dims[self.tiles.col + 1 :]) for cell in place.cells]
        if numbers == list(range(len(numbers))):
            return channel
        text = "0"
        for k, number in enumerate(numbers[1:], 1):
            text = f"({channel} >= {number} ? {k} : {text})"
        return text

    def position(
        self,
        load: Load,
        axis: int,
        part: Part,
        place: Place,
        lets: dict[str, Expr],
        scope: Scope,
        *,
        fast: bool,
    ) -> str:
        """Where along one axis of a kept tensor a read goes."""
        index = load.indices[axis]
        rows = axis == self.tiles.row
        mine = part.halo.up if rows else part.halo.left
        other = place.halo.up if rows else place.halo.left
        offset = offset_of(index, axis, lets, {})
        if fast and offset is not None and offset[0] == offset[1]:
            one = "y" if rows else "x"
            return f"(p{one} + (d{one} + {other - mine + offset[0]}))"
        return f"((int)({self.c.index(index, scope)} - {'y0' if rows else 'x0'}) + {other})"

    def channel(self, load: Load, tensor: Tensor, scope: Scope) -> str:
        """The flat number of a read's channel."""
        c = self.c
        col = self.tiles.col
        text = "0"
        proved = load.inside or (False,) * len(load.indices)
        for index, dim, inside in list(zip(load.indices, tensor.dims, proved, strict=True))[
            col + 1 :
        ]:
            one = c.index(index, scope)
            if not inside and not (isinstance(index, Const) and 0 <= index.value < int(dim)):
                one = f"(int){c.clamped(one, dim)}"
            text = one if text == "0" else f"({text} * {dim} + {one})"
        return text

    def far(
        self,
        load: Load,
        tensor: Tensor,
        stage: Kernel,
        lets: dict[str, Expr],
        loops: dict[str, tuple[int, int]],
        scope: Scope,
        *,
        fast: bool,
    ) -> str:
        """A read of one of the kernel's inputs; a whole pixel at once where it has one."""
        c = self.c
        proved = list(load.inside or (False,) * len(load.indices))
        if fast:
            for axis in (self.tiles.row, self.tiles.col):
                for k, index in enumerate(load.indices):
                    if axis is not None and tensor.dims[k] == stage.space[axis]:
                        proved[k] = proved[k] or near(index, axis, lets, loops) is not None
        indices = tuple(self.plain(i, lets) if fast else i for i in load.indices)
        vector = self.vector(tensor)
        if not fast or vector is None:
            whole = Load(load.tensor, indices, load.dtype, tuple(proved))
            return c.read(tensor, c.offset(whole, tensor, scope))
        short = Tensor(tensor.name, tensor.dtype, tensor.dims[:-1])
        part = Load(load.tensor, indices[:-1], load.dtype, tuple(proved[:-1]))
        pixel = c.offset(part, short, scope)
        channel = c.index(load.indices[-1], scope)
        if not proved[-1]:
            channel = f"(int){c.clamped(channel, tensor.dims[-1])}"
        self.aligned[c.pointer(tensor)] = tensor.dtype.size * int(tensor.dims[-1])
        read = f"((const {vector}*)a.{c.pointer(tensor)})[{pixel}]"
        if tensor.dtype is DType.U8:
            return f"((int)(((unsigned int){read} >> (8 * ({channel}))) & 255u))"
        return f"weft_part({read}, {channel})"

    def plain(self, index: Expr, lets: dict[str, Expr]) -> Expr:
        """An index as coordinate plus constant, if it is one, whatever it was spelt like."""
        for axis in (self.tiles.row, self.tiles.col):
            found = None if axis is None else offset_of(index, axis, lets, {})
            if axis is not None and found is not None and found[0] == found[1]:
                return Op("add", (Axis(axis), Const(found[0], DType.S32)), DType.S32)
        return index

    def vector(self, tensor: Tensor) -> str | None:
        """The type that holds a pixel of a tensor, if there is one."""
        dims = tensor.dims
        last = dims[-1] if len(dims) > self.tiles.col + 1 else 1
        return _VECTORS.get((tensor.dtype, last)) if isinstance(last, int) else None

    # A stage of a tile

    def calls(self, number: int, stage: Kernel, part: Part, *, fast: bool) -> list[str]:
        """Compute all channels of one element into `v<output>[r][<channel>]`."""
        batch = "".join(f"n{k}, " for k in range(self.first))
        batch += "u, " if any(self.same.values()) else ""
        move = ("r, 0" if part.down else "0, r") if fast else "0, 0"
        name = f"weft_stage{number}_{'inside' if fast else 'border'}"
        lines = []
        for k, cell in enumerate(part.cells):
            given = f"<{', '.join(map(str, cell))}>" if cell else ""
            outs = ", ".join(f"v{j}[r][{k}]" for j in range(len(stage.outputs)))
            lines.append(f"{name}{given}(a, {batch}y0, x0, py, px, y, x, {move}, {outs});")
        return lines

    def stores(self, stage: Kernel, part: Part, own: str, *, fast: bool) -> list[str]:
        """Keep what is read again, and write what is the kernel's output and the tile's own."""
        lines = []
        for j, tensor in enumerate(stage.outputs):
            values = [f"v{j}[r][{k}]" for k in range(len(part.cells))]
            kept = self.tiles.places.get(tensor.name)
            if kept is not None:
                lines += self.keep(kept, tensor, part, values, fast=fast)
            if tensor.name in self.outputs:
                written = self.write(stage, tensor, part, values, fast=fast)
                lines += [f"if ({own}) {{", *indented(written), "}"] if own else written
        return lines

    def keep(
        self, place: Place, tensor: Tensor, part: Part, values: list[str], *, fast: bool
    ) -> list[str]:
        """Statements that put a pixel into shared memory."""
        at = f"py * {place.pitch} + px"
        if fast:
            at += f" + r * {place.pitch}" if part.down else " + r"
        base = f"weft_near + {place.offset}"
        if place.word:
            numbers = [_number(cell, tensor.dims[self.tiles.col + 1 :]) for cell in part.cells]
            word = " | ".join(
                f"((unsigned int){value} << {8 * number})"
                for value, number in zip(values, numbers, strict=True)
            )
            return [f"((unsigned int*)({base}))[{at}] = {word};"]
        kind = STORED_TYPES[tensor.dtype]
        return [
            f"(({kind}*)({base}))[{k * place.plane} + {at}] = {value};"
            for k, value in enumerate(values)
        ]

    def write(
        self, stage: Kernel, tensor: Tensor, part: Part, values: list[str], *, fast: bool
    ) -> list[str]:
        """Statements that write a pixel to the output."""
        c, tiles = self.c, self.tiles
        pixel = ""
        for k in range(self.first):
            pixel = f"({pixel} * {c.size(stage.space[k])} + n{k})" if pixel else f"n{k}"
        y, x = ("(y + r)", "x") if part.down else ("y", "(x + r)")
        if tiles.row is not None:
            pixel = f"({pixel} * {c.size(stage.space[tiles.row])} + {y})" if pixel else y
        pixel = f"({pixel} * {c.size(stage.space[tiles.col])} + {x})" if pixel else x
        pointer = f"a.{c.pointer(tensor)}"
        vector = self.vector(tensor)
        count = len(values)
        if not fast or vector is None or len(stage.space) != tiles.col + 2:
            each = f"{pixel} * {count} + " if count > 1 else f"{pixel}"
            return [
                f"{pointer}[{each}{k if count > 1 else ''}] = {value};"
                for k, value in enumerate(values)
            ]
        self.aligned[c.pointer(tensor)] = tensor.dtype.size * count
        if tensor.dtype is DType.U8:
            whole = " | ".join(f"((unsigned int){v} << {8 * k})" for k, v in enumerate(values))
            return [f"(({vector}*){pointer})[{pixel}] = ({vector})({whole});"]
        whole = ", ".join(values)
        return [f"{{ const {vector} w = {{{whole}}}; (({vector}*){pointer})[{pixel}] = w; }}"]

    def values(self, stage: Kernel, part: Part, run: int) -> list[str]:
        return [
            f"{STORED_TYPES[t.dtype]} v{j}[{run}][{len(part.cells)}];"
            for j, t in enumerate(stage.outputs)
        ]

    def inside(self, number: int, stage: Kernel, part: Part) -> list[str]:
        """A stage of a tile that needs no clamp: runs of neighbours. The last run of a line moves
        back to its end, where it computes some elements again."""
        halo, tiles, run = part.halo, self.tiles, part.run
        rows = tiles.height + halo.up + halo.down
        cols = tiles.width + halo.left + halo.right
        count = -(-(rows if part.down else cols) // run)
        items = count * (cols if part.down else rows)
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
        start.append(f"const idx y = y0 + (py - {halo.up}), x = x0 + (px - {halo.left});")
        down, along = ("r", "0") if part.down else ("0", "r")
        tests = []
        if halo.up or halo.down:
            tests.append(f"(unsigned int)(py + {down} - {halo.up}) < {tiles.height}u")
        if halo.left or halo.right:
            tests.append(f"(unsigned int)(px + {along} - {halo.left}) < {tiles.width}u")
        loop = ["#pragma unroll", f"for (int r = 0; r < {run}; ++r) {{"]
        stores = self.stores(stage, part, " && ".join(tests), fast=True)
        return [
            f"for (int item = threadIdx.x; item < {items}; item += {CHUNK}) {{",
            *indented(start),
            *indented(self.values(stage, part, run)),
            *indented(loop),
            *indented(indented(self.calls(number, stage, part, fast=True))),
            "    }",
            *indented(loop),
            *indented(indented(stores)),
            "    }",
            "}",
        ]

    def border(self, number: int, stage: Kernel, part: Part) -> list[str]:
        """A stage of a tile at the border, element by element at clamped coordinates."""
        halo, tiles, c = part.halo, self.tiles, self.c
        rows = tiles.height + halo.up + halo.down
        cols = tiles.width + halo.left + halo.right
        height = "1" if tiles.row is None else c.size(stage.space[tiles.row])
        width = c.size(stage.space[tiles.col])
        own = (
            f"(unsigned int)(py - {halo.up}) < {tiles.height}u && "
            f"(unsigned int)(px - {halo.left}) < {tiles.width}u && "
            f"y0 + (py - {halo.up}) < {height} && x0 + (px - {halo.left}) < {width}"
        )
        body = [
            f"const int py = item / {cols};",
            f"const int px = item - py * {cols};",
            f"const idx y = weft_clamp(y0 + (py - {halo.up}), {height});",
            f"const idx x = weft_clamp(x0 + (px - {halo.left}), {width});",
            *self.values(stage, part, 1),
            "const int r = 0;",
            *self.calls(number, stage, part, fast=False),
            *self.stores(stage, part, own, fast=False),
        ]
        return [
            f"for (int item = threadIdx.x; item < {rows * cols}; item += {CHUNK}) {{",
            *indented(body),
            "}",
        ]


def _number(cell: tuple[int, ...], dims: tuple[Dim, ...]) -> int:
    number = 0
    for one, dim in zip(cell, dims, strict=True):
        number = number * int(dim) + one
    return number


def _count(tensor: Tensor, col: int) -> int:
    count = 1
    for dim in tensor.dims[col + 1 :]:
        count *= int(dim)
    return count


def _uniform(node: Expr, shared: dict[str, str]) -> bool:
    """Whether an expression has one value for all elements, and is worth computing once."""
    nodes = list(walk(node))
    return any(isinstance(n, Op) for n in nodes) and not any(
        isinstance(n, Axis | Load) or (isinstance(n, Local) and n.name not in shared) for n in nodes
    )
