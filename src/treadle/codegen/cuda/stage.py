"""Elements of a chain's stages as CUDA functions.

In: a chain, how it is cut into tiles, and where a tile lies. Out: for each stage a function that
computes one element, with reads of shared memory for what earlier stages computed and of global
memory for the kernel's inputs. What stages have in common is tile_stage's, which thread computes
what chain's.
"""

from __future__ import annotations

from dataclasses import replace

from treadle.codegen.cuda.words import STORED_TYPES, CudaC, Names, clean
from treadle.codegen.gpu.cstyle import Scope, indented
from treadle.codegen.gpu.tile import Part, Place, Tiling
from treadle.codegen.gpu.tile_stage import Lets, Signs, Where, exact, number_of, proved, settle
from treadle.dtypes import DType
from treadle.ir.names import lets_of
from treadle.ir.nodes import (
    Assign,
    Chain,
    Const,
    Expr,
    Kernel,
    Load,
    Local,
    Map,
    Tensor,
)

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

    def __init__(self, c: CudaC, form: Chain, tiles: Tiling) -> None:
        self.c, self.form, self.tiles = c, form, tiles
        self.first = tiles.col if tiles.row is None else tiles.row
        self.inputs = {tensor.name: tensor for tensor in c.kernel.inputs}
        self.local = form.local
        self.same: dict[int, dict[str, str]] = {}  # by stage: locals that all elements share
        self.signs = Signs(c.kernel, form)
        self.aligned: dict[str, int] = {}  # pointers that must be multiples of these bytes

    # What is the same for every element

    def settled(self) -> tuple[list[str], list[str]]:
        """The struct of locals that depend on parameters and sizes only, and lines that fill it."""
        members: list[str] = []
        lines: list[str] = []
        scopes = [Names({}) for _ in self.form.stages]
        self.same = {number: scope.replaced for number, scope in enumerate(scopes)}
        for one in settle(self.form):
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
        assert isinstance(stage.form, Map)
        c, tiles = self.c, self.tiles
        lets = lets_of(stage.form.block)
        block = self.signs.plain(stage)
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
                return self.far(load, stage, lets, scope, where)
            return self.near(load, part, lets, scope, where)

        varying = tuple(
            s for s in block.body if not (isinstance(s, Assign) and s.name in scope.replaced)
        )
        c.reading = reading
        body, results = c.block(replace(block, body=varying), scope)
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

    def near(self, load: Load, part: Part, lets: Lets, scope: Scope, where: Where) -> str:
        """A read of shared memory, where places beyond the edge have the edge's value."""
        tensor, place = self.local[load.tensor], self.tiles.places[load.tensor]
        at = self._position(load, self.tiles.col, part, place, lets, scope, where)
        if self.tiles.row is not None:
            row = self._position(load, self.tiles.row, part, place, lets, scope, where)
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
        axis: int,
        part: Part,
        place: Place,
        lets: Lets,
        scope: Scope,
        where: Where,
    ) -> str:
        index = load.indices[axis]
        rows = axis == self.tiles.row
        mine = part.halo.up if rows else part.halo.left
        other = place.halo.up if rows else place.halo.left
        offset = exact(index, axis, lets)
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

    def far(self, load: Load, stage: Kernel, lets: Lets, scope: Scope, where: Where) -> str:
        """A read of one of the kernel's inputs; a whole pixel at once where it has one."""
        c, tensor = self.c, self.inputs[load.tensor]
        axes = [axis for axis in (self.tiles.row, self.tiles.col) if axis is not None]
        inside = proved(load, tensor, stage, self.tiles, where)
        indices = load.indices
        if where is not Where.SINGLE:
            indices = tuple(self._plain(index, axes, lets, scope) for index in indices)
        vector = self.vector(tensor)
        if where is not Where.INSIDE or vector is None:
            whole = Load(load.tensor, indices, load.dtype, tuple(inside))
            return c.read(tensor, c.offset(whole, tensor, scope))
        short = Tensor(tensor.name, tensor.dtype, tensor.dims[:-1])
        part = Load(load.tensor, indices[:-1], load.dtype, tuple(inside[:-1]))
        pixel = c.offset(part, short, scope)
        channel = c.index(indices[-1], scope)
        if not inside[-1]:
            channel = f"(int){c.clamped(channel, tensor.dims[-1])}"
        self.aligned[c.pointer(tensor)] = tensor.dtype.size * int(tensor.dims[-1])
        read = f"((const {vector}*)a.{c.pointer(tensor)})[{pixel}]"
        return f"treadle_{'byte' if tensor.dtype is DType.U8 else 'part'}({read}, {channel})"

    def _plain(self, index: Expr, axes: list[int], lets: Lets, scope: Scope) -> Expr:
        """An index, spelt alike for all that are the same place where neighbours meet."""
        for axis in axes:
            found = exact(index, axis, lets)
            if found is not None:
                one = "y" if axis == self.tiles.row else "x"
                same = Local(f"{one} {found}", DType.S32)
                scope.replaced[same.name] = f"({one} + (d{one} + {found}))"
                return same
        return index

    def vector(self, tensor: Tensor) -> str | None:
        """The type that holds a pixel of a tensor, if there is one."""
        last = tensor.dims[-1] if len(tensor.dims) > self.tiles.col + 1 else 1
        return VECTORS.get((tensor.dtype, last)) if isinstance(last, int) else None
