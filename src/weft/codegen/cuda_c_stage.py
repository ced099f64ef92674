"""Elements of a chain's stages as CUDA functions.

In: a chain, how it is cut into tiles, and where a tile lies. Out: for each stage a function that
computes one element, with reads of shared memory for what earlier stages computed and of global
memory for the kernel's inputs. Which thread computes what is cuda_c_chain's.

    inside  the tile and all that is read around it are in the tensor: no clamp, whole pixels
    edge    some of it is not; places beyond the edge are computed too, and replaced afterwards
    single  the element's coordinates are clamped, one by one, so that any index is in range
"""

from __future__ import annotations

import math
from dataclasses import replace
from enum import StrEnum

from weft.codegen.cstyle import Scope, indented
from weft.codegen.cuda_c_tile import Part, Place, Tiling, known, near, offset_of
from weft.codegen.cuda_c_words import STORED_TYPES, CudaC, Names, clean
from weft.dtypes import DType
from weft.ir.nodes import (
    Assign,
    Axis,
    Cast,
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
    expressions,
    rewrite_block,
    walk,
)

__all__ = ["HELD", "VECTORS", "Elements", "Where", "number_of"]

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

Lets = dict[str, Expr]
Loops = dict[str, tuple[int, int]]


class Where(StrEnum):
    """Where a tile lies, and so how its elements are computed."""

    INSIDE = "inside"
    EDGE = "edge"
    SINGLE = "single"


def number_of(cell: tuple[int, ...], dims: tuple[Dim, ...]) -> int:
    """The flat number of a channel."""
    number = 0
    for one, dim in zip(cell, dims, strict=True):
        number = number * int(dim) + one
    return number


class Elements:
    """The functions of one chain."""

    def __init__(self, c: CudaC, form: Chain, tiles: Tiling) -> None:
        self.c, self.form, self.tiles = c, form, tiles
        self.first = tiles.col if tiles.row is None else tiles.row
        self.inputs = {tensor.name: tensor for tensor in c.kernel.inputs}
        self.local = form.local
        self.same: dict[int, dict[str, str]] = {}  # by stage: locals that all elements share
        self.positive: set[str] = set()  # what is kept and never below 0, nor -0
        self.steady: set[str] = set()  # locals of the stage at hand of which that is true
        self.aligned: dict[str, int] = {}  # pointers that must be multiples of these bytes

    @property
    def border(self) -> Where:
        """How tiles at the border are computed: places beyond the edge can be computed like others
        only where what is kept is read at constant distances."""
        for stage in self.form.stages:
            assert isinstance(stage.form, Map)
            lets, _ = known(stage.form.block)
            for node in expressions(stage.form.block):
                if isinstance(node, Load) and node.tensor in self.local:
                    for axis in (self.tiles.row, self.tiles.col):
                        if axis is not None and _exact(node.indices[axis], axis, lets) is None:
                            return Where.SINGLE
        return Where.EDGE

    # What is the same for every element

    def settled(self) -> tuple[list[str], list[str]]:
        """The struct of locals that depend on parameters and sizes only, and lines that fill it."""
        members: list[str] = []
        lines: list[str] = []
        meanings = _Meanings()
        found: dict[int, str] = {}  # what is equal is one value, and products with it are one too
        for number, stage in enumerate(self.form.stages):
            assert isinstance(stage.form, Map)
            lets, _ = known(stage.form.block)
            scope = Names({})
            self.same[number] = scope.replaced
            meanings.locals = {}
            for name, value in lets.items():
                if not _uniform(value, scope.replaced):
                    continue
                meanings.locals[name] = meanings.of(value)
                member = f"s{number}_{clean(name)}"
                same = found.setdefault(meanings.locals[name][0], f"u.{member}")
                if same == f"u.{member}":
                    members.append(self.c.declare(member, value.dtype))
                    lines.append(f"{same} = {self.c.expr(value, scope)};")
                scope.replaced[name] = same
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
        lets, loops = known(stage.form.block)
        self.steady = set()
        for name, value in lets.items():
            if self._not_negative(value, lets):
                self.steady.add(name)
        for tensor, result in zip(stage.outputs, stage.form.block.results, strict=True):
            if self._not_negative(result, lets):
                self.positive.add(tensor.name)
        block = rewrite_block(stage.form.block, lambda node: self._sum(node, lets))
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
                return self.far(load, stage, lets, loops, scope, where)
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
            f"static __device__ __forceinline__ void weft_stage{number}_{where}(",
            f"    {', '.join(takes)}) {{",
            *indented([*body, *stores]),
            "}",
            "",
        ]

    def stored(self, text: str, source: DType, target: DType) -> str:
        """A value as its tensor stores it, in a register: bytes are whole words there, so that
        several go into one without being masked again."""
        if (source, target) == (DType.F32, DType.U8):
            return f"(unsigned int)weft_f32_byte({text})"
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
            name = f"weft_stage{number}_{where}{given}"
            lines.append(f"{name}(a, {shared}y0, x0, py, px, y, x, {move}, {outs});")
        return lines

    def _sum(self, node: Expr, lets: Lets) -> Expr:
        """A sum that starts with 0 is what is added, unless that can be -0."""
        match node:
            case Op("add", (Const(value=0.0) as zero, other)) if zero.dtype.is_float:
                plus = math.copysign(1.0, zero.value) > 0
                return other if plus and self._not_negative(other, lets) else node
            case _:
                return node

    def _not_negative(self, node: Expr, lets: Lets) -> bool:
        """Whether a value is never below 0, nor -0; it may be NaN."""
        match node:
            case Const():
                return math.copysign(1.0, node.value) > 0
            case Load():
                tensor = self.inputs.get(node.tensor) or self.local[node.tensor]
                return tensor.dtype is DType.U8 or node.tensor in self.positive
            case Cast() if node.dtype.is_float:
                return self._not_negative(node.value, lets)
            case Op("exp" | "exp2" | "abs") if node.dtype.is_float:
                return True
            case Op("add" | "mul" | "div") if node.dtype.is_float:
                return all(self._not_negative(arg, lets) for arg in node.args)
            case Local():
                return node.name in self.steady and node.name in lets
            case _:
                return False

    # Reads of what earlier stages computed

    def near(self, load: Load, part: Part, lets: Lets, scope: Scope, where: Where) -> str:
        """A read of shared memory, where places beyond the edge have the edge's value."""
        tensor, place = self.local[load.tensor], self.tiles.places[load.tensor]
        at = self._position(load, self.tiles.col, part, place, lets, scope, where)
        if self.tiles.row is not None:
            row = self._position(load, self.tiles.row, part, place, lets, scope, where)
            at = f"({row} * {place.pitch} + {at})"
        channel = self._channel(load, tensor, scope)
        base = f"weft_near + {place.offset}"
        if place.word:
            return f"weft_byte(((const unsigned int*)({base}))[{at}], {channel})"
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
        offset = _exact(index, axis, lets)
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

    def far(
        self, load: Load, stage: Kernel, lets: Lets, loops: Loops, scope: Scope, where: Where
    ) -> str:
        """A read of one of the kernel's inputs; a whole pixel at once where it has one."""
        c, tensor = self.c, self.inputs[load.tensor]
        axes = [axis for axis in (self.tiles.row, self.tiles.col) if axis is not None]
        proved = list(load.inside or (False,) * len(load.indices))
        for k, index in enumerate(load.indices):
            if where is Where.INSIDE:
                proved[k] = proved[k] or any(
                    tensor.dims[k] == stage.space[axis]
                    and near(index, axis, lets, loops) is not None
                    for axis in axes
                )
            elif where is Where.EDGE:  # what was proved, was for coordinates in range
                apart = isinstance(index, Axis) and index.index not in axes
                proved[k] = proved[k] and (apart or isinstance(index, Const))
        indices = load.indices
        if where is not Where.SINGLE:
            indices = tuple(self._plain(index, axes, lets, scope) for index in indices)
        vector = self.vector(tensor)
        if where is not Where.INSIDE or vector is None:
            whole = Load(load.tensor, indices, load.dtype, tuple(proved))
            return c.read(tensor, c.offset(whole, tensor, scope))
        short = Tensor(tensor.name, tensor.dtype, tensor.dims[:-1])
        part = Load(load.tensor, indices[:-1], load.dtype, tuple(proved[:-1]))
        pixel = c.offset(part, short, scope)
        channel = c.index(indices[-1], scope)
        if not proved[-1]:
            channel = f"(int){c.clamped(channel, tensor.dims[-1])}"
        self.aligned[c.pointer(tensor)] = tensor.dtype.size * int(tensor.dims[-1])
        read = f"((const {vector}*)a.{c.pointer(tensor)})[{pixel}]"
        return f"weft_{'byte' if tensor.dtype is DType.U8 else 'part'}({read}, {channel})"

    def _plain(self, index: Expr, axes: list[int], lets: Lets, scope: Scope) -> Expr:
        """An index, spelt alike for all that are the same place where neighbours meet."""
        for axis in axes:
            found = _exact(index, axis, lets)
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


def _exact(index: Expr, axis: int, lets: Lets) -> int | None:
    """The constant distance of an index from the element's coordinate, if there is one."""
    found = offset_of(index, axis, lets, {})
    return found[0] if found is not None and found[0] == found[1] else None


def _uniform(node: Expr, shared: dict[str, str]) -> bool:
    """Whether an expression has one value for all elements, and is worth computing once."""
    nodes = list(walk(node))
    return any(isinstance(n, Op) for n in nodes) and not any(
        isinstance(n, Axis | Load) or (isinstance(n, Local) and n.name not in shared) for n in nodes
    )


class _Meanings:
    """Numbers for expressions that are equal where their values are. A second number is equal up to
    the sign, which no square has: the weights on both sides of a symmetric filter are such."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self.locals: dict[str, tuple[int, int]] = {}  # of the stage at hand

    def of(self, node: Expr) -> tuple[int, int]:
        """The number of an expression, and the one of its magnitude."""
        match node:
            case Local() if node.name in self.locals:
                return self.locals[node.name]
            case Const():
                value = node.value
                return self._both((node.dtype, repr(value)), (node.dtype, "size", repr(abs(value))))
            case Op("neg", (value,)) if node.dtype.is_float:
                number, size = self.of(value)
                return self._number(("neg", number)), size
            case Op(name, args):
                parts = [self.of(arg) for arg in args]
                whole = (name, node.dtype, *(number for number, _ in parts))
                sizes = (name, node.dtype, "size", *(size for _, size in parts))
                if not node.dtype.is_float or name not in ("mul", "div"):
                    return self._both(whole, whole)
                square = name == "mul" and parts[0] == parts[1]
                return self._both(sizes if square else whole, sizes)
            case Cast():
                whole = ("cast", node.dtype, self.of(node.value)[0])
                return self._both(whole, whole)
            case _:
                return self._both(node, node)

    def _both(self, whole: object, size: object) -> tuple[int, int]:
        return self._number(whole), self._number(size)

    def _number(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))
