"""Chains that walk down strips, as data: passes.schedule makes it, the languages of GPUs spell it.

A strip is some columns wide and many rows high. A group of threads walks down it, some rows at a
step: at each step the first stage computes rows out of pixels that its threads hold, each those of
its own column, and later stages compute rows out of what was computed before, of which the group's
own memory keeps the last few rows. Nothing is computed twice down a column, and along a row only
what a strip reads beside itself.
"""

from __future__ import annotations

from collections.abc import Mapping

from treadle.data import dataclass
from treadle.ir.loops import WindowSum
from treadle.ir.nodes import Block, Load, Tensor
from treadle.ir.tiles import Access, Cell

__all__ = ["Descent", "KeptRows", "Level", "RowReading"]


@dataclass(frozen=True, slots=True)
class KeptRows:
    """Where the last rows of a tensor are: bytes from the start, how many rows, elements from one
    row to the next, the columns before the strip's first, and which channels, a plane each.

    Where it is `passing`, only stages read it that run for the same channel and the same rows: then
    there are two planes, one of which is written while the other is read."""

    offset: int
    rows: int
    pitch: int
    left: int
    cells: tuple[Cell, ...]
    passing: bool

    @property
    def plane(self) -> int:
        """Elements from one plane to the next."""
        return self.rows * self.pitch

    @property
    def nbytes(self) -> int:
        """All that it takes, in words."""
        return 4 * self.plane * (2 if self.passing else len(self.cells))


@dataclass(frozen=True, slots=True)
class RowReading:
    """Neighbours of one row of what an earlier stage computed, which a thread reads at once: which
    row beside its own, which channel (None: the one at hand), from which column beside its own
    place, and how many."""

    tensor: str
    step: int
    channel: int | None
    first: int
    count: int

    def words(self, run: int) -> int:
        """How many elements `run` neighbours read, in fours."""
        return -(-(self.count + run - 1) // 4) * 4


@dataclass(frozen=True, slots=True)
class Level:
    """One stage's share: how many rows above the strip's first its first step begins, columns
    beside the strip, channels, what is computed for an element, and what is known of its reads.

    `sum` is the one of neighbours that share its terms, which its block leaves out: down a column
    in the first stage, along a row in others. `run` neighbours along a row are computed at once."""

    above: int
    left: int
    columns: int
    cells: tuple[Cell, ...]
    block: Block
    reads: Mapping[Load, Access]
    readings: tuple[RowReading, ...]
    sum: WindowSum | None
    run: int


@dataclass(frozen=True, slots=True)
class Descent:
    """A chain that walks down strips of `width` columns, `rows` of them at a step.

    The first stage reads `source` from `span[0]` to `span[1]` rows beside its own. Others compute
    `run` neighbours along a row. `row` and `col` are the axes of rows and columns. The first
    `together` stages read only their own channel and run one after the other for each: as a loop
    where `rolled`, which is less text for the same work."""

    row: int
    col: int
    width: int
    rows: int
    run: int
    threads: int
    source: Tensor
    span: tuple[int, int]
    levels: tuple[Level, ...]
    kept: Mapping[str, KeptRows]
    together: int
    rolled: bool

    @property
    def nbytes(self) -> int:
        """What a group of threads keeps."""
        return sum(kept.nbytes for kept in self.kept.values())

    @property
    def first(self) -> int:
        """How many axes are before the rows and columns."""
        return self.row

    @property
    def behind(self) -> int:
        """How many rows the last stage is behind the first: so many are computed before its own."""
        return self.levels[-1].above

    @property
    def words(self) -> str:
        """It in plain words."""
        return f"strips of {self.width} columns, {self.rows} rows at a step"
