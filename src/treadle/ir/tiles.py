"""Chains over tiles, as data: passes.schedule makes it, the languages of GPUs spell it.

A tile is a rectangle of rows (the chain's axis) and columns (the axis behind it) with all channels.
A group of threads computes it stage after stage, with what later stages read around it, and keeps
in its own memory what is read again.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from treadle.data import dataclass
from treadle.dtypes import DType
from treadle.ir.nodes import Block, Dim, Load

__all__ = [
    "Access",
    "Cell",
    "Falling",
    "Halo",
    "Part",
    "Place",
    "Room",
    "Tiled",
    "Tiling",
    "Where",
    "number_of",
    "pool_of",
]

Cell = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Room:
    """What a group of threads has, and what is worth doing there.

    Where memory is `typed`, tensors of different types never take each other's place, and a byte
    takes a word: in the tile, and in the output, whose words are written by one thread each."""

    threads: int
    most: int  # bytes of a tile
    comfort: int  # bytes that any device gives a group
    together: int  # bytes that the groups on one processor share
    crowd: int  # groups there that work while others wait: more bring nothing
    worth: tuple[int, int]  # rows and columns of the smallest tile that is worth its halo
    run: int  # neighbours that a thread computes at most
    edge: int  # the same in tiles at the border, which are few, and text is not free
    text: int  # operations of one run: more are slow to compile
    typed: bool = False
    falling: Falling | None = None  # for chains that walk down strips instead; None: none do


@dataclass(frozen=True, slots=True)
class Falling:
    """What a device gives to chains that walk down strips: threads of a group, rows of a step and
    as many neighbours along a row that a thread computes, many and few, words of pixels that it can
    hold, and bytes that are worth sharing."""

    threads: int
    rows: tuple[int, ...]
    held: int
    most: int


@dataclass(frozen=True, slots=True)
class Halo:
    """How far something goes beyond the tile: rows above and below, columns left and right."""

    up: int = 0
    down: int = 0
    left: int = 0
    right: int = 0

    def union(self, other: Halo) -> Halo:
        """What covers both."""
        return Halo(
            max(self.up, other.up),
            max(self.down, other.down),
            max(self.left, other.left),
            max(self.right, other.right),
        )

    def reading(self, rows: tuple[int, int], cols: tuple[int, int]) -> Halo:
        """What is read from everywhere in this one, at these ranges of offsets."""
        return Halo(
            self.up - rows[0], self.down + rows[1], self.left - cols[0], self.right + cols[1]
        )


@dataclass(frozen=True, slots=True)
class Part:
    """One stage's share: what it computes around a tile, which channels, and how many neighbours
    a thread takes, down a column or along a row, inside and at the border."""

    halo: Halo
    cells: tuple[Cell, ...]
    down: bool
    run: int
    edge: int

    def length(self, where: Where) -> int:
        """How many neighbours a thread takes of a tile that lies somewhere."""
        return {Where.INSIDE: self.run, Where.EDGE: self.edge, Where.SINGLE: 1}[where]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a tensor is kept: bytes from the start, its halo, and the channels that are there.

    Where `word`, the channels of a pixel are the bytes of one word; else they are planes."""

    offset: int
    halo: Halo
    cells: tuple[Cell, ...]
    word: bool
    pitch: int
    plane: int  # elements


@dataclass(frozen=True, slots=True)
class Tiling:
    """How a chain is cut. `row` is None where it has no axis but columns and channels."""

    row: int | None
    col: int
    height: int
    width: int
    parts: tuple[Part, ...]
    places: dict[str, Place]
    nbytes: int
    margin: Halo  # tiles at least this far from the border need no clamp

    @property
    def first(self) -> int:
        """How many axes are before the rows and columns of a tile."""
        return self.col if self.row is None else self.row

    def area(self, part: Part) -> tuple[int, int]:
        """Rows and columns that a stage computes of a tile."""
        halo = part.halo
        return self.height + halo.up + halo.down, self.width + halo.left + halo.right


class Where(StrEnum):
    """Where a tile lies, and so how its elements are computed."""

    INSIDE = "inside"  # with all that is read around it in the tensor: no clamp, whole pixels
    EDGE = "edge"  # some of that is not; places beyond the edge are computed, and replaced then
    SINGLE = "single"  # elements' coordinates are clamped one by one, so that any index is right


@dataclass(frozen=True, slots=True)
class Access:
    """How one read of a stage finds its place.

    `steps` has for each index the axis from which it is a constant distance away, and that
    distance; None where it is something else. `inside` has for tiles that lie somewhere which of
    the indices need no clamp, of reads of the kernel's inputs."""

    steps: tuple[tuple[int, int] | None, ...]
    inside: Mapping[Where, tuple[bool, ...]]

    def step(self, index: int, axis: int | None) -> int | None:
        """The distance of an index from the element's coordinate on an axis, if it is constant."""
        found = self.steps[index]
        return found[1] if found is not None and found[0] == axis else None


@dataclass(frozen=True, slots=True)
class Tiled:
    """A chain over tiles.

    `border` is how tiles at the border are computed. `blocks` has for each stage what is computed
    for an element, and `reads` what is to be known of its reads."""

    tiling: Tiling
    border: Where
    blocks: tuple[Block, ...]
    reads: tuple[Mapping[Load, Access], ...]

    @property
    def words(self) -> str:
        """It in plain words."""
        return f"tiles of {self.tiling.height} x {self.tiling.width}"


def pool_of(dtype: DType) -> DType:
    """The type of what is kept where memory is typed; what is narrower than a word is its bits."""
    return DType.U32 if dtype.size < 4 else dtype


def number_of(cell: Cell, dims: tuple[Dim, ...]) -> int:
    """The flat number of a channel."""
    number = 0
    for one, dim in zip(cell, dims, strict=True):
        number = number * int(dim) + one
    return number
