"""Elements of a chain's stages as CUDA functions.

In: a chain, how it is laid over tiles, and where a tile lies. Out: for each stage a function that
computes one element, with reads of shared memory for what earlier stages computed and of global
memory for the kernel's inputs. Which thread computes what is chain's.
"""

from __future__ import annotations

from treadle.codegen.cuda.words import STORED_TYPES, CudaC
from treadle.codegen.gpu.cstyle import Scope, indented
from treadle.codegen.gpu.stage import Spot, StageText
from treadle.dtypes import DType
from treadle.ir.nodes import Kernel, Load, Tensor
from treadle.ir.tiles import Access, Part, Place, Tiled, Where

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


class Elements(StageText):
    """The functions of one chain."""

    language: CudaC

    def __init__(self, c: CudaC, tiled: Tiled) -> None:
        super().__init__(c, tiled)
        self.c = c
        self.aligned: dict[str, int] = {}  # pointers that must be multiples of these bytes
        self.batches = [c.coordinate.format(k) for k in range(self.tiles.first)]

    # An element

    def function(self, number: int, stage: Kernel, part: Part, where: Where) -> list[str]:
        """A function that computes one element of a stage. `y` and `x` are the coordinates of its
        run's first, `py` and `px` the place of that in what the stage computes of the tile; `dy`
        and `dx`, constants once all is inlined, lead from there to the element, so that neighbours
        read alike."""
        c, tiles, block = self.c, self.tiles, self.tiled.blocks[number]
        axes = dict(enumerate(self.batches))
        if tiles.row is not None:
            axes[tiles.row] = "(y + dy)"
        axes[tiles.col] = "(x + dx)"
        channels = range(tiles.col + 1, len(stage.space))
        axes.update({axis: f"k{axis}" for axis in channels})
        scope, spot = c.scope(axes), Spot(number, part, where)

        def reading(load: Load, scope: Scope) -> str:
            return (self.far if load.tensor in self.inputs else self.near)(load, spot, scope)

        c.reading = reading
        body, results = c.block(block, scope)
        c.reading = None
        stores = [
            f"o{k} = {self.stored(text, expr.dtype, t.dtype)};"
            for k, (t, text, expr) in enumerate(
                zip(stage.outputs, results, block.results, strict=True)
            )
        ]
        takes = ["const Args& a", *(f"const idx {name}" for name in self.batches)]
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
        shared = "".join(f"{name}, " for name in self.batches)
        move = "0, 0" if where is Where.SINGLE else "r, 0" if part.down else "0, r"
        lines = []
        for k, cell in enumerate(part.cells):
            given = f"<{', '.join(map(str, cell))}>" if cell else ""
            outs = ", ".join(f"v{j}[r][{k}]" for j in range(len(stage.outputs)))
            name = f"treadle_stage{number}_{where}{given}"
            lines.append(f"{name}(a, {shared}y0, x0, py, px, y, x, {move}, {outs});")
        return lines

    # Reads of what earlier stages computed

    def kept(self, tensor: Tensor, at: str, plane: int | str = 0, shift: int = 0) -> str:
        """An element of shared memory."""
        place = self.tiles.places[tensor.name]
        kind = "unsigned int" if place.word else STORED_TYPES[tensor.dtype]
        before = f"{plane * place.plane}" if isinstance(plane, int) else f"{plane} * {place.plane}"
        index = at if plane == 0 else f"{before} + {at}"
        return f"(({kind}*)(treadle_near + {place.offset}))[{index}]"

    def near(self, load: Load, spot: Spot, scope: Scope) -> str:
        """A read of shared memory; a byte of a word is a number already."""
        text = super().near(load, spot, scope)
        alone = not self.tiles.places[load.tensor].word
        return self.c.loaded(text, self.local[load.tensor].dtype) if alone else text

    def position(self, load: Load, read: Access, place: Place, spot: Spot, scope: Scope) -> str:
        """Where in a plane of shared memory a read is."""
        mine, other = spot.part.halo, place.halo
        at = self._along(load, read, self.tiles.col, "x", other.left - mine.left, spot, scope)
        if self.tiles.row is None:
            return at
        row = self._along(load, read, self.tiles.row, "y", other.up - mine.up, spot, scope)
        return f"({row} * {place.pitch} + {at})"

    def _along(
        self, load: Load, read: Access, axis: int, one: str, apart: int, spot: Spot, scope: Scope
    ) -> str:
        """The place along an axis, where halos are so far apart."""
        step = read.step(axis, axis)
        if spot.where is not Where.SINGLE and step is not None:
            return f"(p{one} + (d{one} + {apart + step}))"
        halo = spot.part.halo
        start = apart + (halo.up if one == "y" else halo.left)
        return f"((int)({self.c.index(load.indices[axis], scope)} - {one}0) + {start})"

    def byte(self, word: str, channel: int | str, scope: Scope) -> str:
        """A byte of a word, as a number."""
        return f"treadle_byte({word}, {channel})"

    # Reads of the kernel's inputs

    def moved(self, name: str, step: int, spot: Spot) -> str:
        """A coordinate of the element, and a distance."""
        return f"({name} + (d{name} + {step}))"

    def far(self, load: Load, spot: Spot, scope: Scope) -> str:
        """A read of one of the kernel's inputs; a whole pixel at once where it has one."""
        c, tensor = self.c, self.inputs[load.tensor]
        texts, inside = self.indices(load, spot, scope)
        vector = self.vector(tensor)
        if spot.where is not Where.INSIDE or vector is None:
            return c.read(tensor, c.place(texts, tensor.dims, inside))
        pixel = c.place(texts[:-1], tensor.dims[:-1], inside[:-1])
        channel = texts[-1] if inside[-1] else c.narrow(c.clamped(texts[-1], tensor.dims[-1]))
        self.aligned[c.pointer(tensor)] = tensor.dtype.size * int(tensor.dims[-1])
        value = f"((const {vector}*)a.{c.pointer(tensor)})[{pixel}]"
        return f"treadle_{'byte' if tensor.dtype is DType.U8 else 'part'}({value}, {channel})"

    def vector(self, tensor: Tensor) -> str | None:
        """The type that holds a pixel of a tensor, if there is one."""
        last = tensor.dims[-1] if len(tensor.dims) > self.tiles.col + 1 else 1
        return VECTORS.get((tensor.dtype, last)) if isinstance(last, int) else None
