"""Elements of a chain's stages in WGSL.

In: a chain and how it is cut into tiles. Out: for one element of a stage the lines that compute it,
with reads of workgroup memory for what earlier stages computed and of bindings for the kernel's
inputs. WGSL's compilers do not promise to find what neighbours have in common, so a place that
several of them read is read once, into a name, as long as nothing else is asked for in between.
Which invocation computes what is chain's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from treadle.codegen.gpu.cstyle import Scope, indented
from treadle.codegen.wgsl.language import Wgsl
from treadle.codegen.wgsl.math import ZERO
from treadle.dtypes import DType
from treadle.ir.nodes import Chain, Const, Expr, Kernel, Load, Tensor
from treadle.ir.tiles import Part, Tiled, Where, number_of, pool_of

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


@dataclass(frozen=True, slots=True)
class _Spot:
    """The element at hand: of which stage, which channel by axis, and how many rows and columns
    behind its run's first."""

    number: int
    part: Part
    channels: dict[int, int]
    step: tuple[int, int]


class Elements:
    """The elements of one chain. `where` says how all its tiles are computed."""

    def __init__(self, wgsl: Wgsl, form: Chain, tiled: Tiled) -> None:
        self.wgsl, self.form, self.tiled, self.tiles = wgsl, form, tiled, tiled.tiling
        self.where = tiled.border
        self.inputs = {tensor.name: tensor for tensor in wgsl.kernel.inputs}
        self.local = form.local
        self.same: list[dict[str, str]] = [{} for _ in form.stages]  # locals that all share
        self.pixels: dict[tuple[int, int], str] = {}  # functions, by channels and slot
        self._names: dict[str, str] = {}  # what has been read, by its text
        self._pending: list[str] = []
        self._made = 0
        self._settled = self._settle()

    # What is the same for every element

    def _settle(self) -> dict[str, tuple[str, DType]]:
        """What depends on parameters and sizes only, by name: how it is computed, and its type."""
        found: dict[str, tuple[str, DType]] = {}
        for one in self.tiled.settled:
            number, name = one.owner
            scope = Scope({})
            scope.replaced = self.same[one.stage]
            if one.new:
                text = self.wgsl.expr(one.value, scope)
                found[f"s{number}_{name}"] = text, one.value.dtype
            scope.replaced[one.name] = f"s{number}_{name}"
        return found

    def settled(self, stages: list[list[str]]) -> tuple[list[str], list[str]]:
        """Declare the memory for what stages use of that, and have one invocation fill it in.

        The stages' lines begin with taking it out of there."""
        members: list[str] = []
        for lines in stages:
            words = set(re.findall(r"\w+", "\n".join(lines)))
            used = [name for name in self._settled if name in words]
            lines[:0] = [f"let {name} = settled.{name};" for name in used]
            members += [name for name in used if name not in members]
        if not members:
            return [], []
        texts = self._settled
        fields = [f"{name}: {self.wgsl.types[texts[name][1]]}," for name in members]
        declared = ["struct Settled {", *indented(fields), "}", "var<workgroup> settled: Settled;"]
        work = [f"let {name} = {text};" for name, (text, _) in texts.items()]
        work += [f"settled.{name} = {name};" for name in members]
        filled = ["if (local == 0u) {", *indented(work), "}", "workgroupBarrier();"]
        return [*declared, ""], filled

    # An element

    def begin(self) -> None:
        """Forget what was read: another run begins."""
        self._names, self._pending = {}, []

    def element(
        self, number: int, stage: Kernel, part: Part, cell: tuple[int, ...], step: tuple[int, int]
    ) -> tuple[list[str], list[str]]:
        """The lines of one element, and its values as their tensors store them; bytes are u32.

        `y` and `x` are the coordinates of its run's first, `py` and `px` the place of that in what
        the stage computes of the tile; `step` leads from there to the element."""
        wgsl, tiles, block = self.wgsl, self.tiles, self.tiled.blocks[number]
        axes = {k: f"a{k}" for k in range(tiles.first)}
        if tiles.row is not None:
            axes[tiles.row] = _moved("y", step[0])
        axes[tiles.col] = _moved("x", step[1])
        # Channels as values: drivers must not fold what is not finite.
        channels = dict(enumerate(cell, tiles.col + 1))
        axes.update({axis: f"({value} + ({ZERO}))" for axis, value in channels.items()})
        spot = _Spot(number, part, channels, step)
        self._made += 1
        scope = Scope(axes, f"v{self._made}_")
        scope.replaced = dict(self.same[number])

        def reading(load: Load, scope: Scope) -> str:
            return (self._far if load.tensor in self.inputs else self._near)(load, spot, scope)

        wgsl.reading = reading
        body, results = wgsl.block(block, scope)
        wgsl.reading = None
        values: list[str] = []
        for text, expr, tensor in zip(results, block.results, stage.outputs, strict=True):
            byte = tensor.dtype is DType.U8
            values.append(f"{scope.prefix}out{len(values)}")
            stored = (
                wgsl.to_u8(text, expr.dtype)
                if byte
                else wgsl.convert(text, expr.dtype, tensor.dtype)
            )
            body.append(f"let {values[-1]} = {stored};")
        lines = [*self._pending, *body]
        self._pending = []
        return lines, values

    def _once(self, text: str, scope: Scope) -> str:
        """A name for what is read; the text itself where it depends on the element's locals."""
        if re.search(rf"\b{scope.prefix}", text):
            return text
        name = self._names.get(text)
        if name is None:
            name = self._names[text] = f"h{len(self._names)}"
            self._pending.append(f"let {name} = {text};")
        return name

    # Reads of what earlier stages computed

    def _near(self, load: Load, spot: _Spot, scope: Scope) -> str:
        """A read of workgroup memory, where places beyond the edge have the edge's value."""
        tensor, place = self.local[load.tensor], self.tiles.places[load.tensor]
        read = self.tiled.reads[spot.number][load]
        fixed = place.offset // pool_of(tensor.dtype).size
        mine, other = spot.part.halo, place.halo
        lines = [(self.tiles.col, spot.step[1], mine.left, other.left, 1, "x0")]
        if self.tiles.row is not None:
            lines.insert(0, (self.tiles.row, spot.step[0], mine.up, other.up, place.pitch, "y0"))
        at = f"py * {place.pitch} + px" if self.where is Where.EDGE else ""
        for axis, moved, halo, start, times, origin in lines:
            distance = read.step(axis, axis)
            if self.where is Where.EDGE:
                assert distance is not None
                fixed += (moved + distance + start - halo) * times
            else:
                index = self.wgsl.index(load.indices[axis], scope)
                at += f"{' + ' if at else ''}({index} - {origin}) * {times}"
                fixed += start * times
        channel = self._channel(load, tensor, spot, scope)
        name = near_name(tensor.dtype)
        if place.word:
            return self._byte(self._once(f"{name}[{at} + {fixed}]", scope), channel, scope)
        numbers = [number_of(cell, tensor.dims[self.tiles.col + 1 :]) for cell in place.cells]
        if isinstance(channel, int):
            fixed += numbers.index(channel) * place.plane
            return self._once(f"{name}[{at} + {fixed}]", scope)
        plane = "0"  # some channels are not kept
        for k, number in enumerate(numbers[1:], 1):
            plane = f"select({plane}, {k * place.plane}, {channel} >= {number})"
        return self._once(f"{name}[{at} + {fixed} + {plane}]", scope)

    def _byte(self, word: str, channel: int | str, scope: Scope) -> str:
        at = f"{8 * channel}u" if isinstance(channel, int) else f"u32({channel}) * 8u"
        return self._once(f"i32(extractBits({word}, {at}, 8u))", scope)

    def _channel(self, load: Load, tensor: Tensor, spot: _Spot, scope: Scope) -> int | str:
        """The flat number of a read's channel; text where it is not known."""
        number: int | str = 0
        read = self.tiled.reads[spot.number][load]
        for k in range(self.tiles.col + 1, len(tensor.dims)):
            dim = int(tensor.dims[k])
            one: int | str | None = self._constant(load.indices[k], read.steps[k], dim, spot)
            if one is None:
                one = self.wgsl.clamped(self.wgsl.index(load.indices[k], scope), dim)
            if isinstance(number, int) and isinstance(one, int):
                number = number * dim + one
            else:
                number = f"({number} * {dim} + {one})"
        return number

    def _constant(
        self, index: Expr, step: tuple[int, int] | None, size: int, spot: _Spot
    ) -> int | None:
        """The value of an index that is a constant, or a channel's at a constant distance."""
        if isinstance(index, Const):
            return min(max(int(index.value), 0), size - 1)
        if step is not None and step[0] in spot.channels:
            return min(max(spot.channels[step[0]] + step[1], 0), size - 1)
        return None

    # Reads of the kernel's inputs

    def _far(self, load: Load, spot: _Spot, scope: Scope) -> str:
        """A read of one of the kernel's inputs; the bytes of a pixel are read together."""
        wgsl, tensor = self.wgsl, self.inputs[load.tensor]
        read = self.tiled.reads[spot.number][load]
        inside, texts, last = list(read.inside[self.where]), list[str](), None
        for k, (index, dim) in enumerate(zip(load.indices, tensor.dims, strict=True)):
            step = read.steps[k]
            last = self._constant(index, step, dim, spot) if isinstance(dim, int) else None
            inside[k] = inside[k] or last is not None
            texts.append(self._index(index, step, spot, scope) if last is None else str(last))
        count = tensor.dims[-1] if tensor.dims else 1
        if tensor.dtype is not DType.U8 or not isinstance(count, int) or not 1 < count <= 4:
            return self._once(wgsl.read(tensor, wgsl.place(texts, tensor.dims, inside)), scope)
        number, slot = wgsl.places[tensor.name]
        self._pixel(count, slot)
        offset = wgsl.place(texts[:-1], tensor.dims[:-1], inside[:-1])
        word = self._once(f"pixel{count}_b{slot}(args.o_{number} + {offset} * {count})", scope)
        if last is not None:
            return self._byte(word, last, scope)
        return self._byte(word, texts[-1] if inside[-1] else wgsl.clamped(texts[-1], count), scope)

    def _index(self, index: Expr, step: tuple[int, int] | None, spot: _Spot, scope: Scope) -> str:
        """An index, spelt alike for all that are the same place where neighbours meet."""
        axes = (self.tiles.row, self.tiles.col)
        for axis, one, moved in zip(axes, "yx", spot.step, strict=True):
            if step is not None and axis == step[0]:
                return _moved(one, step[1] + moved)
        return self.wgsl.index(index, scope)

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
