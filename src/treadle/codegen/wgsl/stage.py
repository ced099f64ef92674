"""Elements of a chain's stages in WGSL.

In: a chain and how it is laid over tiles. Out: for an element of a stage the lines that compute it,
with reads of workgroup memory for what earlier stages computed and of bindings for the kernel's
inputs. WGSL's compilers do not promise to find what neighbours have in common, so a place that
several of them read is read once, into a name, as long as nothing else is asked for in between.
Which invocation computes what is chain's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from treadle.codegen.gpu.cstyle import Scope
from treadle.codegen.gpu.stage import Spot, StageText
from treadle.codegen.wgsl.language import Wgsl
from treadle.codegen.wgsl.math import ZERO
from treadle.dtypes import DType
from treadle.ir.nodes import Kernel, Load, Tensor
from treadle.ir.tiles import Access, Part, Place, Tiled, Where, pool_of

__all__ = ["Elements", "near_name"]

_PIXEL = """
fn pixelCOUNT_bSLOT(i: i32) -> u32 {
    let shift = (u32(i) & 3u) * 8u;
    let low = LOW >> shift;
    if (shift > REST) { return low | (HIGH << (32u - shift)); }
    return low;
}
"""


def near_name(dtype: DType) -> str:
    """The workgroup's memory for tensors of a type."""
    return f"near_{Wgsl.stored[pool_of(dtype)]}"


class Elements(StageText):
    """The elements of one chain."""

    language: Wgsl

    def __init__(self, wgsl: Wgsl, tiled: Tiled) -> None:
        super().__init__(wgsl, tiled)
        self.wgsl = wgsl
        self.pixels: dict[tuple[int, int], str] = {}  # functions, by channels and slot
        self._names: dict[str, str] = {}  # what has been read, by its text
        self._pending: list[str] = []
        self._made = 0

    # An element

    def begin(self) -> None:
        """Forget what was read: another run begins."""
        self._names, self._pending = {}, []

    def element(
        self, number: int, stage: Kernel, part: Part, cell: Sequence[int], step: tuple[int, int]
    ) -> tuple[list[str], list[str]]:
        """The lines of one element, and its values as their tensors store them; what is narrower
        than a word is its bits in a u32.

        `y` and `x` are the coordinates of its run's first, `py` and `px` the place of that in what
        the stage computes of the tile; `step` leads from there to the element."""
        wgsl, tiles, block = self.wgsl, self.tiles, self.tiled.blocks[number]
        axes = {k: wgsl.coordinate.format(k) for k in range(tiles.first)}
        if tiles.row is not None:
            axes[tiles.row] = _moved("y", step[0])
        axes[tiles.col] = _moved("x", step[1])
        # Channels as values: drivers must not fold what is not finite.
        channels = dict(enumerate(cell, tiles.col + 1))
        axes.update({axis: f"({value} + ({ZERO}))" for axis, value in channels.items()})
        spot = Spot(number, part, self.tiled.border, step, channels)
        self._made += 1
        scope = wgsl.scope(axes, f"v{self._made}_")

        def reading(load: Load, scope: Scope) -> str:
            return (self.far if load.tensor in self.inputs else self.near)(load, spot, scope)

        wgsl.reading = reading
        body, results = wgsl.block(block, scope)
        wgsl.reading = None
        values: list[str] = []
        for text, expr, tensor in zip(results, block.results, stage.outputs, strict=True):
            narrow = tensor.dtype.size < 4
            values.append(f"{scope.prefix}out{len(values)}")
            stored = (
                wgsl.to_bits(text, expr.dtype, tensor.dtype)
                if narrow
                else wgsl.convert(text, expr.dtype, tensor.dtype)
            )
            body.append(f"let {values[-1]} = {stored};")
        lines = [*self._pending, *body]
        self._pending = []
        return lines, values

    def held(self, text: str, scope: Scope) -> str:
        """A name for what is read; the text itself where it depends on the element's locals."""
        if re.search(rf"\b{scope.prefix}", text):
            return text
        name = self._names.get(text)
        if name is None:
            name = self._names[text] = f"h{len(self._names)}"
            self._pending.append(f"let {name} = {text};")
        return name

    # Reads of what earlier stages computed

    def kept(self, tensor: Tensor, at: str, plane: int | str = 0, shift: int = 0) -> str:
        """An element of the workgroup's memory."""
        place = self.tiles.places[tensor.name]
        start = place.offset // pool_of(tensor.dtype).size + shift
        start += plane * place.plane if isinstance(plane, int) else 0
        beside = "" if isinstance(plane, int) else f" + {plane} * {place.plane}"
        return f"{near_name(tensor.dtype)}[{at} + {start}{beside}]"

    def near(self, load: Load, spot: Spot, scope: Scope) -> str:
        """A read of the workgroup's memory; a byte of a word is a number already."""
        text, dtype = super().near(load, spot, scope), self.local[load.tensor].dtype
        alone = dtype.size < 4 and not self.tiles.places[load.tensor].word
        return self.wgsl.from_bits(text, dtype) if alone else text

    def position(self, load: Load, read: Access, place: Place, spot: Spot, scope: Scope) -> str:
        """Where in a plane a read is; beside its distance, where that is constant."""
        if spot.where is Where.EDGE:
            return f"py * {place.pitch} + px"
        tiles, index = self.tiles, self.wgsl.index
        at = f"({index(load.indices[tiles.col], scope)} - x0) * 1"
        if tiles.row is None:
            return at
        return f"({index(load.indices[tiles.row], scope)} - y0) * {place.pitch} + {at}"

    def shift(self, read: Access, place: Place, spot: Spot) -> int:
        """The distance of a read from there."""
        tiles, mine, other = self.tiles, spot.part.halo, place.halo
        down, along = (0 if tiles.row is None else other.up), other.left
        if spot.where is Where.EDGE:
            along += (read.step(tiles.col, tiles.col) or 0) + spot.step[1] - mine.left
            if tiles.row is not None:
                down += (read.step(tiles.row, tiles.row) or 0) + spot.step[0] - mine.up
        return down * place.pitch + along

    def byte(self, word: str, channel: int | str, scope: Scope) -> str:
        """A byte of a word, as a number."""
        at = f"{8 * channel}u" if isinstance(channel, int) else f"u32({channel}) * 8u"
        return self.held(f"i32(extractBits({word}, {at}, 8u))", scope)

    # Reads of the kernel's inputs

    def moved(self, name: str, step: int, spot: Spot) -> str:
        """A coordinate of the element, and a distance."""
        return _moved(name, step + spot.step[0 if name == "y" else 1])

    def far(self, load: Load, spot: Spot, scope: Scope) -> str:
        """A read of one of the kernel's inputs; the bytes of a pixel are read together."""
        wgsl, tensor = self.wgsl, self.inputs[load.tensor]
        texts, inside = self.indices(load, spot, scope)
        count = tensor.dims[-1] if tensor.dims else 1
        if tensor.dtype is not DType.U8 or not isinstance(count, int) or not 1 < count <= 4:
            return self.held(wgsl.read(tensor, wgsl.place(texts, tensor.dims, inside)), scope)
        number, slot = wgsl.places[tensor.name]
        self._pixel(count, slot)
        offset = wgsl.place(texts[:-1], tensor.dims[:-1], inside[:-1])
        word = self.held(f"pixel{count}_b{slot}(args.o_{number} + {offset} * {count})", scope)
        last = texts[-1] if inside[-1] else wgsl.clamped(texts[-1], count)
        return self.byte(word, int(last) if last.isdecimal() else last, scope)

    def _pixel(self, count: int, slot: int) -> None:
        """Have a function that reads the bytes of a pixel, wherever in its words they lie."""
        word = "atomicLoad(&bSLOT[AT])" if slot in self.wgsl.atomic else "bSLOT[AT]"
        parts = {
            "LOW": word.replace("AT", "i >> 2u"),
            "HIGH": word.replace("AT", "(i >> 2u) + 1"),
            "REST": f"{32 - 8 * count}u",
            "COUNT": str(count),
            "SLOT": str(slot),
        }
        text = _PIXEL.strip()
        for key, value in parts.items():
            text = text.replace(key, value)
        self.pixels[count, slot] = text


def _moved(name: str, distance: int) -> str:
    return name if not distance else f"({name} {'+' if distance > 0 else '-'} {abs(distance)})"
