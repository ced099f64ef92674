"""Elements of a chain's stages as CUDA functions.

In: a chain, how it is cut into tiles, and where a tile lies. Out: for each stage a function that
computes one element, with reads of shared memory for what earlier stages computed and of global
memory for the kernel's inputs. What stages have in common is tile_stage's, which thread computes
what chain's.
"""

from __future__ import annotations

from treadle.codegen.cuda.words import STORED_TYPES, CudaC, Names, clean
from treadle.codegen.gpu.cstyle import Scope, indented
from treadle.dtypes import DType
from treadle.ir.nodes import Chain, Const, Kernel, Load, Tensor
from treadle.ir.tiles import Part, Place, Reading, Tiled, Where, number_of

__all__ = ["HELD", "VECTORS", "Elements"]

# Vectors that hold a pixel: type and number of channels to the type that a read asks for.
VECTORS = {
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

HELD = STORED_TYPES | {DType.U8: "unsigned int"}


class Elements:
    """The functions of one chain."""

    def __init__(self, c: CudaC, form: Chain, tiled: Tiled) -> None:
        self.c, self.form, self.tiled, self.tiles = c, form, tiled, tiled.tiling
        self.first = self.tiles.first
        self.inputs = {tensor.name: tensor for tensor in c.kernel.inputs}
        self.local = form.local
        self.same: dict[int, dict[str, str]] = {}  # by stage: locals that all elements share
        self.aligned: dict[str, int] = {}  # pointers that must be multiples of these bytes

    # What is the same for every element

    def settled(self) -> tuple[list[str], list[str]]:
        """The struct of locals that depend on parameters and sizes only, and lines that fill it."""
        members: list[str] = []
        lines: list[str] = []
        scopes = [Names({}) for _ in self.form.stages]
        self.same = {number: scope.replaced for number, scope in enumerate(scopes)}
        for one in self.tiled.settled:
            number, name = one.owner
            member, scope = f"s{number}_{clean(name)}", scopes[one.stage]
            if one.new:
                members.append(self.c.declare(member, one.value.dtype))
                lines.append(f"u.{member} = {self.c.expr(one.value, scope)};")
            scope.replaced[one.name] = f"u.{member}"
        if not members:
            return [], []
        return ["struct Settled {", *indented(members), "};", ""], ["Settled u;", *lines]

    # An element

    def function(self, number: int, stage: Kernel, part: Part, where: Where) -> list[str]:
        """A function that computes one element of a stage. `y` and `x` are the coordinates of its
        run's first, `py` and `px` the place of that in what the stage computes of the tile; `dy`
        and `dx`, constants once all is inlined, lead from there to the element, so that neighbours
        read alike."""
        c, tiles, block = self.c, self.tiles, self.tiled.blocks[number]
        reads = self.tiled.reads[number]
        axes = {k: f"n{k}" for k in range(self.first)}
        if tiles.row is not None:
            axes[tiles.row] = "(y + dy)"
        axes[tiles.col] = "(x + dx)"
        channels = range(tiles.col + 1, len(stage.space))
        axes.update({axis: f"k{axis}" for axis in channels})
        scope = Names(axes)
        scope.replaced = dict(self.same[number])

        def reading(load: Load, scope: Scope) -> str:
            if load.tensor in self.inputs:
                return self.far(load, reads[load], scope, where)
            return self.near(load, reads[load], part, scope, where)

        c.reading = reading
        body, results = c.block(block, scope)
        c.reading = None
        stores = [
            f"o{k} = {self.stored(text, expr.dtype, t.dtype)};"
            for k, (t, text, expr) in enumerate(
                zip(stage.outputs, results, block.results, strict=True)
            )
        ]
        takes = ["const Args& a", *(f"const idx n{k}" for k in range(self.first))]
        takes += ["const Settled& u"] if any(self.same.values()) else []
        takes += ["const idx y0", "const idx x0", "const int py", "const int px"]
        takes += ["const idx y", "const idx x", "const int dy", "const int dx"]
        takes += [f"{HELD[t.dtype]}& o{k}" for k, t in enumerate(stage.outputs)]
        constants = ", ".join(f"int k{axis}" for axis in channels)
        return [
            *([f"template <{constants}>"] if constants else []),
            f"static __device__ __forceinline__ void treadle_stage{number}_{where}(",
            f"    {', '.join(takes)}) {{",
            *indented([*body, *stores]),
            "}",
            "",
        ]

    def stored(self, text: str, source: DType, target: DType) -> str:
        """A value as its tensor stores it, in a register: bytes are whole words there, so that
        several go into one without being masked again."""
        if (source, target) == (DType.F32, DType.U8):
            return f"(unsigned int)treadle_f32_byte({text})"
        return self.c.convert(text, source, target)

    def calls(self, number: int, stage: Kernel, part: Part, where: Where) -> list[str]:
        """Compute all channels of one element into `v<output>[r][<channel>]`."""
        shared = "".join(f"n{k}, " for k in range(self.first))
        shared += "u, " if any(self.same.values()) else ""
        move = "0, 0" if where is Where.SINGLE else "r, 0" if part.down else "0, r"
        lines = []
        for k, cell in enumerate(part.cells):
            given = f"<{', '.join(map(str, cell))}>" if cell else ""
            outs = ", ".join(f"v{j}[r][{k}]" for j in range(len(stage.outputs)))
            name = f"treadle_stage{number}_{where}{given}"
            lines.append(f"{name}(a, {shared}y0, x0, py, px, y, x, {move}, {outs});")
        return lines

    # Reads of what earlier stages computed

    def near(self, load: Load, read: Reading, part: Part, scope: Scope, where: Where) -> str:
        """A read of shared memory, where places beyond the edge have the edge's value."""
        tensor, place = self.local[load.tensor], self.tiles.places[load.tensor]
        at = self._position(load, read, self.tiles.col, part, place, scope, where)
        if self.tiles.row is not None:
            row = self._position(load, read, self.tiles.row, part, place, scope, where)
            at = f"({row} * {place.pitch} + {at})"
        channel = self._channel(load, tensor, scope)
        base = f"treadle_near + {place.offset}"
        if place.word:
            return f"treadle_byte(((const unsigned int*)({base}))[{at}], {channel})"
        plane = self._plane(channel, place, tensor)
        if plane != "0":
            at = f"{plane} * {place.plane} + {at}"
        text = f"((const {STORED_TYPES[tensor.dtype]}*)({base}))[{at}]"
        return f"((int){text})" if tensor.dtype is DType.U8 else text

    def _position(
        self,
        load: Load,
        read: Reading,
        axis: int,
        part: Part,
        place: Place,
        scope: Scope,
        where: Where,
    ) -> str:
        index = load.indices[axis]
        rows = axis == self.tiles.row
        mine = part.halo.up if rows else part.halo.left
        other = place.halo.up if rows else place.halo.left
        offset = read.step(axis, axis)
        if where is not Where.SINGLE and offset is not None:
            one = "y" if rows else "x"
            return f"(p{one} + (d{one} + {other - mine + offset}))"
        return f"((int)({self.c.index(index, scope)} - {'y0' if rows else 'x0'}) + {other})"

    def _channel(self, load: Load, tensor: Tensor, scope: Scope) -> str:
        """The flat number of a read's channel."""
        c, behind = self.c, slice(self.tiles.col + 1, None)
        text = ""
        proved = load.inside or (False,) * len(load.indices)
        for index, dim, inside in zip(
            load.indices[behind], tensor.dims[behind], proved[behind], strict=True
        ):
            one = c.index(index, scope)
            if not inside and not (isinstance(index, Const) and 0 <= index.value < int(dim)):
                one = f"(int){c.clamped(one, dim)}"
            text = f"({text} * {dim} + {one})" if text else one
        return text or "0"

    def _plane(self, channel: str, place: Place, tensor: Tensor) -> str:
        """The number of a channel's plane, where some channels are not kept."""
        numbers = [number_of(cell, tensor.dims[self.tiles.col + 1 :]) for cell in place.cells]
        if numbers == list(range(len(numbers))):
            return channel
        text = "0"
        for k, number in enumerate(numbers[1:], 1):
            text = f"({channel} >= {number} ? {k} : {text})"
        return text

    # Reads of the kernel's inputs

    def far(self, load: Load, read: Reading, scope: Scope, where: Where) -> str:
        """A read of one of the kernel's inputs; a whole pixel at once where it has one."""
        c, tensor, inside = self.c, self.inputs[load.tensor], read.inside[where]
        texts = [c.index(index, scope) for index in load.indices]
        if where is not Where.SINGLE:  # spelt alike for all that are the same place
            for one, axis in (("y", self.tiles.row), ("x", self.tiles.col)):
                for k in range(len(texts)):
                    step = None if axis is None else read.step(k, axis)
                    texts[k] = texts[k] if step is None else f"({one} + (d{one} + {step}))"
        vector = self.vector(tensor)
        if where is not Where.INSIDE or vector is None:
            return c.read(tensor, c.place(texts, tensor.dims, inside))
        pixel = c.place(texts[:-1], tensor.dims[:-1], inside[:-1])
        channel = texts[-1] if inside[-1] else f"(int){c.clamped(texts[-1], tensor.dims[-1])}"
        self.aligned[c.pointer(tensor)] = tensor.dtype.size * int(tensor.dims[-1])
        value = f"((const {vector}*)a.{c.pointer(tensor)})[{pixel}]"
        return f"treadle_{'byte' if tensor.dtype is DType.U8 else 'part'}({value}, {channel})"

    def vector(self, tensor: Tensor) -> str | None:
        """The type that holds a pixel of a tensor, if there is one."""
        last = tensor.dims[-1] if len(tensor.dims) > self.tiles.col + 1 else 1
        return VECTORS.get((tensor.dtype, last)) if isinstance(last, int) else None
