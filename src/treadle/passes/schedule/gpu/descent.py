"""Which chains walk down strips, and how.

In: a chain that is cut into tiles, and what a device gives to those that walk down. Out: a Descent,
or None where the first stage reads beside its own column, or a later one the kernel's inputs, or
where what is read is too far away to be held. It makes no text.
"""

from __future__ import annotations

from dataclasses import replace

from treadle.data import dataclass
from treadle.dtypes import DType
from treadle.ir.affine import Indexer
from treadle.ir.descent import Descent, KeptRows, Level, RowReading
from treadle.ir.names import lets_of
from treadle.ir.nodes import Chain, Const, Kernel, Load, Tensor
from treadle.ir.tiles import Access, Falling, Part, Tiled, Where
from treadle.passes.schedule.windows import find_window

__all__ = ["descent"]

_HELD = (DType.U8, DType.F32, DType.S32, DType.U32)  # what a pixel's channels may be
_KEPT = (DType.U8, DType.F32, DType.S32, DType.U32)  # kept in words, bytes as what a read gives
_FEWEST = 3  # rows of a column that the first stage reads: below, tiles share as much
_WORDS = 64  # that the last stage reads for a run: half of it at a time, where it is more


def descent(kernel: Kernel, tiled: Tiled, falling: Falling | None) -> Descent | None:
    """Decide how a chain walks down strips; None where it cannot, or where that is not worth it."""
    form = kernel.form
    assert isinstance(form, Chain)
    if falling is None or tiled.tiling.row is None or tiled.border is not Where.EDGE:
        return None
    faller = _Faller(kernel, form, tiled, tiled.tiling.row)
    return faller.best(falling) if faller.fits() else None


@dataclass(frozen=True, slots=True)
class _Faller:
    """One chain."""

    kernel: Kernel
    form: Chain
    tiled: Tiled
    row: int

    @property
    def col(self) -> int:
        """The axis of columns."""
        return self.row + 1

    def fits(self) -> bool:
        """Whether all stages are of the kind that can walk down."""
        stages, form = self.form.stages, self.form
        outputs = {tensor.name for tensor in self.kernel.outputs}
        inputs = {tensor.name for tensor in self.kernel.inputs}
        local = {t.name for stage in stages[:-1] for t in stage.outputs}
        if len(stages) < 2 or len(outputs) != 1 or outputs & local:
            return False
        if any(len(stage.outputs) != 1 for stage in stages):
            return False
        if any(len(stage.space) > self.col + 2 for stage in stages):
            return False
        if any(tensor.dtype not in _KEPT for name, tensor in form.local.items() if name in local):
            return False
        first, *later = self.tiled.reads
        names = {load.tensor for load in first}
        if len(names) != 1 or not names <= inputs:
            return False
        source = self.source
        if source.dtype not in _HELD or len(source.dims) != len(stages[0].space):
            return False
        if any(dim != stages[0].space[k] for k, dim in enumerate(source.dims)):
            return False
        if not all(self._near(load, access, stages[0]) for load, access in first.items()):
            return False
        if any(access.step(self.col, self.col) != 0 for access in first.values()):
            return False
        low, high = self.span
        if high - low + 1 < _FEWEST:
            return False
        return all(
            load.tensor in local and self._near(load, access, stage)
            for stage, reads in zip(stages[1:], later, strict=True)
            for load, access in reads.items()
        ) and all(later)

    @property
    def source(self) -> Tensor:
        """What the first stage reads."""
        name = next(iter(self.tiled.reads[0])).tensor
        return next(tensor for tensor in self.kernel.inputs if tensor.name == name)

    @property
    def span(self) -> tuple[int, int]:
        """From which row to which the first stage reads beside its own."""
        steps = [self._down(access) for access in self.tiled.reads[0].values()]
        return min(steps), max(steps)

    def _near(self, load: Load, access: Access, stage: Kernel) -> bool:
        """Whether a read is at constant distances, and of a channel that is known or its own."""
        for k in range(self.row):
            if access.step(k, k) != 0:
                return False
        if access.step(self.row, self.row) is None or access.step(self.col, self.col) is None:
            return False
        behind = load.indices[self.col + 1 :]
        own = len(stage.space) > self.col + 1
        return all(
            isinstance(index, Const) or (own and access.step(k, k) == 0)
            for k, index in enumerate(behind, self.col + 1)
        )

    def best(self, falling: Falling) -> Descent | None:
        """As many rows at a step as can be held."""
        low, high = self.span
        words = -(-self._channels(self.source) * self.source.dtype.size // 4)
        steps = [rows for rows in falling.rows if (high - low + rows) * words <= falling.held]
        made = self._cut(falling.threads, steps[0]) if steps else None
        return made if made is not None and made.nbytes <= falling.most else None

    def _channels(self, tensor: Tensor) -> int:
        last = tensor.dims[self.col + 1 :]
        return int(last[0]) if last else 1

    def _cut(self, threads: int, rows: int) -> Descent | None:
        parts, run = self.tiled.tiling.parts, rows
        beside = parts[0].halo.left + parts[0].halo.right
        width = (threads - beside) // run * run
        if width < threads // 2:
            return None
        aboves = self._aboves()
        levels = [self._level(k, part, aboves[k], width, run) for k, part in enumerate(parts)]
        columns = [threads] + [-(-level.columns // run) * run for level in levels[1:]]
        together = self._together()
        kept: dict[str, KeptRows] = {}
        offset = 0
        for k, stage in enumerate(self.form.stages[:-1]):
            name = stage.outputs[0].name
            readers = [
                (m, self._down(access))
                for m, reads in enumerate(self.tiled.reads)
                for load, access in reads.items()
                if load.tensor == name
            ]
            behind = max(aboves[m] - aboves[k] - step for m, step in readers)
            passing = not behind and all(m < together and not step for m, step in readers)
            # The last stage has no barrier behind it, and the first none before it.
            late = k == 0 and not passing and any(m == len(parts) - 1 for m, _ in readers)
            left, ends = parts[k].halo.left, [columns[k]]
            for m, level in enumerate(levels):
                level_readings = self._readings(m, level, left, name)
                levels[m] = replace(level, readings=(*level.readings, *level_readings))
                ends += [columns[m] - run + one.first + one.words(run) for one in level_readings]
            cells = parts[k].cells
            pitch = _pitch(max(ends), rows, run)
            height = rows + behind + (rows if late else 0)
            kept[name] = KeptRows(offset, height, pitch, left, cells, passing)
            offset += kept[name].nbytes
        words = sum(one.words(run) for one in levels[-1].readings)
        if together < len(parts) and words > _WORDS:
            levels[-1] = replace(levels[-1], run=max(run // 2, 4))
        return Descent(
            self.row,
            self.col,
            width,
            rows,
            run,
            threads,
            self.source,
            self.span,
            tuple(levels),
            kept,
            together,
            self._rolled(together),
        )

    def _together(self) -> int:
        """How many stages, from the first on, read nothing but their own channel."""
        count = 0
        for part, reads in zip(self.tiled.tiling.parts, self.tiled.reads, strict=True):
            cells = part.cells
            if cells != self.tiled.tiling.parts[0].cells:
                break
            if cells not in (((),), tuple((k,) for k in range(len(cells)))):
                break
            if len(cells) > 1 and any(isinstance(load.indices[-1], Const) for load in reads):
                break
            count += 1
        return count

    def _rolled(self, together: int) -> bool:
        """Whether channels that are the bytes of a word are taken in turns."""
        last = self.form.stages[-1].outputs[0]
        ends = together < len(self.form.stages) or last.dtype is DType.U8
        return together > 0 and self.source.dtype is DType.U8 and ends

    def _aboves(self) -> list[int]:
        """How many rows above the strip's first each stage begins: those that it reads have been
        computed then."""
        above = [self.tiled.tiling.parts[0].halo.up]
        numbers = {stage.outputs[0].name: k for k, stage in enumerate(self.form.stages)}
        for reads in self.tiled.reads[1:]:
            ends = [above[numbers[load.tensor]] + self._down(read) for load, read in reads.items()]
            above.append(max(ends))
        return above

    def _down(self, access: Access) -> int:
        """How many rows below its own a stage reads."""
        return access.step(self.row, self.row) or 0

    def _level(self, number: int, part: Part, above: int, width: int, run: int) -> Level:
        stage, block = self.form.stages[number], self.tiled.blocks[number]
        indexer = Indexer(stage.space, block, lets=lets_of(block))
        window = find_window(block, indexer)
        axis = self.col if number else self.row
        if window is not None and not (window.dtype.is_integer and window.axis == axis):
            window = None  # floats would round in another order
        halo = part.halo
        return Level(
            above,
            halo.left,
            width + halo.left + halo.right,
            part.cells,
            block if window is None else window.block,
            self.tiled.reads[number],
            (),
            window,
            run,
        )

    def _readings(self, number: int, level: Level, left: int, name: str) -> tuple[RowReading, ...]:
        """The neighbours that a stage reads of a tensor that is kept with `left` columns before the
        strip's; what is read begins at a multiple of four."""
        found: dict[tuple[int, int | None], list[int]] = {}
        for load, access in self.tiled.reads[number].items():
            if number and load.tensor == name:
                step = self._down(access)
                across = access.step(self.col, self.col) or 0
                found.setdefault((step, self.channel(load)), []).append(across)
        made = []
        for (step, channel), columns in found.items():
            first = (min(columns) + left - level.left) // 4 * 4
            last = max(columns) + left - level.left
            made.append(RowReading(name, step, channel, first, last - first + 1))
        return tuple(made)

    def channel(self, load: Load) -> int | None:
        """The channel of a read; None for that of the element at hand."""
        behind = load.indices[self.col + 1 :]
        if not behind:
            return 0
        dim = int(self.form.local[load.tensor].dims[-1])
        index = behind[0]
        return min(max(int(index.value), 0), dim - 1) if isinstance(index, Const) else None


def _pitch(least: int, rows: int, run: int) -> int:
    """Elements from one row to the next, with which threads that read four at once, one below the
    other and then a run further, meet on different banks."""
    least = -(-least // 4) * 4

    def met(pitch: int) -> int:
        groups = [(k % rows) * pitch // 4 + k // rows * run // 4 for k in range(8)]
        return 8 - len({group % 8 for group in groups})

    return min(range(least, least + 32, 4), key=lambda pitch: (met(pitch), pitch))
