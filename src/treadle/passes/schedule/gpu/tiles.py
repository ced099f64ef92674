"""How a chain is cut into tiles: what each stage computes of one, and where it is kept.

In: a Chain kernel, and the room that a group of threads has. Out: a Tiling, or None where tiles
with their halos do not fit. A tile is a rectangle of rows (the chain's axis) and columns (the axis
behind it) with all channels; stages compute the tile and what later stages read around it. It knows
sizes only as symbols, no language, and makes no text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import product

from treadle.data import dataclass
from treadle.dtypes import DType
from treadle.ir.affine import Indexer
from treadle.ir.names import Range, lets_of
from treadle.ir.nodes import (
    Assign,
    Axis,
    Block,
    Cast,
    Chain,
    Dim,
    Expr,
    Kernel,
    Load,
    Local,
    Map,
    Op,
    Tensor,
    children,
    expressions,
    statements,
    walk,
)
from treadle.ir.tiles import Cell, Halo, Part, Place, Room, Tiling, pool_of

__all__ = ["near", "seeing", "smallest", "tiling"]

_CELLS = 4  # channels of a pixel
_FAR = 64  # an offset beyond this keeps its clamp, so that small tensors have an inside
_HEIGHTS = (8, 14, 16, 22, 24, 30, 32, 36, 38, 40, 46, 48, 54, 64)
_WIDTHS = (16, 32, 48, 64, 96, 128)
_LONG = (128, 256, 512, 1024)
# Prices: of a read, and of what a run costs besides, in operations.
_READ, _ITEM = 2.0, 20


def tiling(kernel: Kernel, room: Room) -> Tiling | None:
    """Cut a chain into tiles; None where that cannot be done in the memory that there is."""
    form = kernel.form
    assert isinstance(form, Chain)
    axes = _axes(kernel, form)
    return None if axes is None else _Cutter(kernel, form, room, *axes).best()


def smallest(kernel: Kernel, room: Room) -> int | None:
    """The bytes of a tile that is just worth it; None where there is none."""
    form = kernel.form
    assert isinstance(form, Chain)
    axes = _axes(kernel, form)
    if axes is None:
        return None
    cutter = _Cutter(kernel, form, room, *axes)
    nbytes = cutter.places(*((1, _LONG[0]) if axes[0] is None else room.worth))[1]
    return nbytes if nbytes <= room.most else None


def _axes(kernel: Kernel, form: Chain) -> tuple[int | None, int] | None:
    """Which axes are rows and columns; what is behind them must be few channels."""
    spaces = [stage.space for stage in form.stages]
    behind = {space[form.axis + 1 : form.axis + 2] for space in spaces}
    options: list[tuple[int | None, int]] = [(None, form.axis)]
    if len(behind) == 1 and behind != {()}:
        options.insert(0, (form.axis, form.axis + 1))
    if all(_few(space[form.axis + 1 :]) for space in spaces):
        options.reverse()
    for row, col in options:
        near = all(
            span is not None and span.axis == k
            for reach in form.reach
            for spans in reach
            if spans is not None
            for k, span in enumerate(spans[: col + 1])
        )
        if near and all(_few(space[col + 1 :]) for space in spaces):
            return row, col
    return None


def _few(dims: tuple[Dim, ...]) -> bool:
    count = 1
    for dim in dims:
        count *= dim if isinstance(dim, int) else _CELLS + 1
    return 0 < count <= _CELLS


def _every(dims: tuple[Dim, ...]) -> tuple[Cell, ...]:
    return tuple(product(*(range(int(dim)) for dim in dims)))


class _Cutter:
    """What does not depend on the tile's size, and the choice of that size."""

    def __init__(self, kernel: Kernel, form: Chain, room: Room, row: int | None, col: int) -> None:
        self.kernel, self.form, self.room, self.row, self.col = kernel, form, room, row, col
        self.outputs = {tensor.name for tensor in kernel.outputs}
        self.wide = {tensor.name for tensor in kernel.inputs}
        self.halos: dict[str, Halo] = {}
        self.cells: dict[str, set[Cell]] = {}
        self.margin = Halo()
        self.taps: list[tuple[int, int]] = []  # rows and columns that a stage reads, by stage
        for stage, reach in zip(reversed(form.stages), reversed(form.reach), strict=True):
            self._stage(stage, reach)
        self.taps.reverse()
        self.loads = [
            self._load(stage, taps) for stage, taps in zip(form.stages, self.taps, strict=True)
        ]
        self.last = {  # the last stage that reads a tensor
            tensor.name: k for k, stage in enumerate(form.stages) for tensor in stage.inputs
        }

    def _load(self, stage: Kernel, taps: tuple[int, int]) -> _Work:
        assert isinstance(stage.form, Map)
        block = stage.form.block
        halo, cells = self.work(stage)
        reads = len({node for node in expressions(block) if isinstance(node, Load)})
        work = len(cells) * (2 * len(stage.outputs) + _operations(block))
        return _Work(halo, cells, work, len(cells) * reads, taps, self._unit(stage))

    def _unit(self, stage: Kernel) -> int:
        """Pixels along a row whose bytes are whole words of the output."""
        packed = any(t.dtype is DType.U8 and t.name in self.outputs for t in stage.outputs)
        channels = math.prod(int(dim) for dim in stage.space[self.col + 1 :])
        return 4 // math.gcd(channels, 4) if packed and self.room.typed else 1

    def _stage(self, stage: Kernel, reach: Iterable[object]) -> None:
        halo, cells = self.work(stage)
        self.margin = self.margin.union(halo)
        rows, cols = (0, 0), (0, 0)
        assert isinstance(stage.form, Map)
        for tensor, spans in zip(stage.inputs, reach, strict=True):
            if spans is None:
                for down, across in self._far(stage, tensor):
                    rows, cols = _cover(rows, down), _cover(cols, across)
                    self.margin = self.margin.union(halo.reading(down, across))
                continue
            assert isinstance(spans, tuple)
            down = (0, 0) if self.row is None else (spans[self.row].low, spans[self.row].high)
            across = (spans[self.col].low, spans[self.col].high)
            rows, cols = _cover(rows, down), _cover(cols, across)
            read = halo.reading(down, across)
            self.halos[tensor.name] = self.halos.get(tensor.name, Halo()).union(read)
            wanted = [
                self._channels(span, int(dim), cells)
                for span, dim in zip(
                    spans[self.col + 1 :], tensor.dims[self.col + 1 :], strict=True
                )
            ]
            self.cells.setdefault(tensor.name, set()).update(product(*wanted))
        self.taps.append((rows[1] - rows[0] + 1, cols[1] - cols[0] + 1))

    def _channels(self, span: object, size: int, cells: tuple[Cell, ...]) -> list[int]:
        axis, low, high = (
            getattr(span, "axis", -1),
            getattr(span, "low", 0),
            getattr(span, "high", 0),
        )
        if span is None or (axis is not None and axis <= self.col):
            return list(range(size))
        starts = {0} if axis is None else {cell[axis - self.col - 1] for cell in cells}
        found = {min(max(start + k, 0), size - 1) for start in starts for k in range(low, high + 1)}
        return sorted(found)

    def _far(
        self, stage: Kernel, tensor: Tensor
    ) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
        """The offsets at which the kernel's own input is read, as far as they need no clamp."""
        assert isinstance(stage.form, Map)
        indexer = seeing(stage)
        for node in expressions(stage.form.block):
            if isinstance(node, Load) and node.tensor == tensor.name:
                ranges = {self.row: (0, 0), self.col: (0, 0)}
                for axis in ranges:
                    if axis is not None:
                        for index, dim in zip(node.indices, tensor.dims, strict=True):
                            if dim == stage.space[axis]:
                                found = near(index, axis, indexer)
                                ranges[axis] = _cover(ranges[axis], found or (0, 0))
                yield ranges[self.row], ranges[self.col]

    def work(self, stage: Kernel) -> tuple[Halo, tuple[Cell, ...]]:
        """What a stage computes: around the tile, and of a pixel."""
        halo, cells = Halo(), set[Cell]()
        for tensor in stage.outputs:
            halo = halo.union(self.halos.get(tensor.name, Halo()))
            cells |= self.cells.get(tensor.name, set())
            if tensor.name in self.outputs:
                cells |= set(_every(stage.space[self.col + 1 :]))
        return halo, tuple(sorted(cells or _every(stage.space[self.col + 1 :])))

    def best(self) -> Tiling | None:
        """The size that costs least, of those that leave room for other blocks if there are any."""
        sizes = (
            [(1, width) for width in _LONG]
            if self.row is None
            else list(product(_HEIGHTS, _WIDTHS))
        )
        found: Tiling | None = None
        least = float("inf")
        for height, width in sizes:
            made, cost = self._cut(height, width)
            crowd = min(self.room.crowd, self.room.together // (made.nbytes + 1024))
            if made.nbytes > self.room.most:
                continue
            cost *= (
                1.0
                + 0.1 * (self.room.crowd - crowd)
                + (1.0 if made.nbytes > self.room.comfort else 0.0)
            )
            if cost < least:
                found, least = made, cost
        return found

    def _cut(self, height: int, width: int) -> tuple[Tiling, float]:
        parts = []
        cost = 0.0
        for load in self.loads:
            part, price = load.part(height, width, self.room)
            parts.append(part)
            cost += price
        places, nbytes = self.places(height, width)
        made = Tiling(self.row, self.col, height, width, tuple(parts), places, nbytes, self.margin)
        return made, cost / (height * width)

    def places(self, height: int, width: int) -> tuple[dict[str, Place], int]:
        """A place for everything that is read again; free again behind its last reader."""
        places: dict[str, Place] = {}
        pools: dict[DType | None, list[tuple[int, int, int]]] = {}  # start, end, last reader
        most: dict[DType | None, int] = {}
        for k, stage in enumerate(self.form.stages):
            for tensor in stage.outputs:
                if tensor.name not in self.last:
                    continue
                halo, cells = self.work(stage)
                word = tensor.dtype is DType.U8 and (self.room.typed or len(cells) > 1)
                pitch = width + halo.left + halo.right
                plane = pitch * (height + halo.up + halo.down)
                pool = pool_of(tensor.dtype) if self.room.typed else None
                each = (pool or tensor.dtype).size
                size = 4 * plane if word else len(cells) * plane * each
                live = pools[pool] = [one for one in pools.get(pool, []) if one[2] >= k]
                at = 0
                for start, end, _ in sorted(live):
                    if at + size <= start:
                        break
                    at = max(at, -(-end // 16) * 16)
                live.append((at, at + size, self.last[tensor.name]))
                most[pool] = max(most.get(pool, 0), at + size)
                places[tensor.name] = Place(at, halo, cells, word, pitch, plane)
        return places, sum(most.values())


def seeing(stage: Kernel) -> Indexer:
    """The reader of a stage's indices, which sees through its locals."""
    assert isinstance(stage.form, Map)
    block = stage.form.block
    return Indexer(stage.space, block, lets=lets_of(block))


def near(index: Expr, axis: int, indexer: Indexer) -> Range | None:
    """The offsets of an index that stays close to the element's own place, else None."""
    found = indexer.distance(index, axis)
    return found if found is not None and -_FAR <= found[0] <= found[1] <= _FAR else None


def _cover(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    return min(a[0], b[0]), max(a[1], b[1])


@dataclass(frozen=True, slots=True)
class _Work:
    """What a stage does, whatever the tile: where it works, and for each element how many
    operations and reads; `taps` rows and columns; `unit` pixels are written together."""

    halo: Halo
    cells: tuple[Cell, ...]
    work: int
    loads: int
    taps: tuple[int, int]
    unit: int

    def part(self, height: int, width: int, room: Room) -> tuple[Part, float]:
        """How many neighbours a thread takes, so that what it reads serves several; and the
        price."""
        halo = self.halo
        rows, cols = height + halo.up + halo.down, width + halo.left + halo.right
        down = rows > 1 and self.taps[0] >= self.taps[1] and self.unit == 1
        size, others, taps = (rows, cols, self.taps[0]) if down else (cols, rows, self.taps[1])
        # Along a row, neighbouring threads are `run` words apart: odd, so that no two share a bank.
        step = self.unit if self.unit > 1 else 1 if down else 2
        runs = range(self.unit, room.run + 1, step)
        best = (float("inf"), self.unit)
        for run in runs:
            if run > size or (run > self.unit and run * self.work > room.text):
                break
            items = others * -(-size // run)
            again = _READ * self.loads * (run + taps - 1) / taps
            # Warps that have nothing left to do wait for the others, while other blocks work.
            warps, turns = -(-items // 32) * 32, -(-items // room.threads) * room.threads
            price = (0.7 * warps + 0.3 * turns) * (run * self.work + again + _ITEM)
            best = min(best, (price, run))
        run = best[1]
        return Part(halo, self.cells, down, run, min(run, room.edge)), best[0]


def _operations(block: Block) -> int:
    """Operations of an element, those aside that are the same for all."""
    lets = lets_of(block)
    same: set[str] = set()
    count = 0
    heads = [(s.name if isinstance(s, Assign) else None, e) for s in statements(block.body)
             for e in children(s)]  # fmt: skip
    for name, expr in [*heads, *((None, result) for result in block.results)]:
        nodes = list(walk(expr))
        varies = any(
            isinstance(n, Axis | Load) or (isinstance(n, Local) and n.name not in same)
            for n in nodes
        )
        if not varies and name in lets:
            same.add(str(name))
        else:
            count += sum(isinstance(n, Op | Cast) and n.dtype is not DType.BOOL for n in nodes)
    return count
