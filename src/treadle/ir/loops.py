"""How loops walk a kernel's elements on a processor: the part of a Schedule that is about loops.

In: nothing; this is data, which passes.schedule makes and a code generator spells. Out: for each
form of kernel the rows, vectors, windows and rings that were chosen. Sizes are symbols here; what
follows from their values is arithmetic that is done for each launch.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from treadle.data import dataclass
from treadle.dtypes import DType
from treadle.ir.nodes import Assign, Block, Dim, Expr, Load, RowFold, Tensor
from treadle.ir.transition import Transition

__all__ = [
    "ByteScan",
    "Carrying",
    "Convolving",
    "Counting",
    "Effort",
    "Folding",
    "Halves",
    "Keeps",
    "Laying",
    "Limit",
    "Loops",
    "Measuring",
    "Merging",
    "Nest",
    "PixelCode",
    "PositionLocal",
    "Products",
    "Ring",
    "Rolling",
    "RowCode",
    "RowPass",
    "RowPasses",
    "StageRows",
    "Sure",
    "Terms",
    "Trips",
    "Vectors",
    "WindowSum",
]


@dataclass(frozen=True, slots=True)
class Nest:
    """How the axes of a Map are walked: rows over `outer`, runs over `first` and what merges with
    it, the last axis unrolled where `unrolled` says so."""

    outer: tuple[Dim, ...]
    first: int
    inner: tuple[Dim, ...]
    unrolled: int | None = None


class Limit(NamedTuple):
    """An index that is `scale` times the inner axis and something between `lowest` and `highest`,
    in a dimension: what bounds the interior, where it needs no clamp."""

    scale: int
    lowest: int
    highest: int
    dim: Dim


class Vectors(StrEnum):
    """Which elements are computed as one vector."""

    NONE = "none"  # one element at a time; what compiles the text may make vectors of that
    ALONG = "along"  # neighbours along the inner axis
    PIXELS = "pixels"  # neighbouring pixels, each with all its channels
    BYTES = "bytes"  # neighbours along the inner axis, bytes that one instruction puts in order


@dataclass(frozen=True, slots=True)
class Sure:
    """What one test proves to be inside a dimension, wherever it is shifted to: an expression that
    is at least -`low` and, with `high` added, below the dimension's size."""

    expr: Expr
    dim: Dim
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class PixelCode:
    """A block for whole pixels: statements from `start` on load them from places that only running
    tells; what precedes those finds the places, and `sure` is tested in between."""

    block: Block
    start: int
    sure: tuple[Sure, ...] = ()


@dataclass(frozen=True, slots=True)
class RowCode:
    """A function that computes part of a row, or of some rows side by side."""

    block: Block
    vectors: Vectors = Vectors.NONE
    width: int = 1  # elements of a vector, or pixels
    rows: int = 1  # that are computed side by side
    inside: bool = False  # constant offsets along the inner axis need no clamp
    straight: bool = True  # no loop is left in the block
    abreast: bool = False  # its calculations go side by side, and not one after the other
    few: bool = False  # it has next to nothing to do
    narrow: bool = False  # vectors of half a register are quicker
    packs: bool = False  # bytes of four vectors are stored together
    streams: bool = False  # stores go past the caches
    pixels: PixelCode | None = None  # how whole pixels are found
    channels: Block | None = None  # `block` for all channels of a pixel, one after the other
    # The bytes by which tables are read, and the dimensions that they index, where that is all.
    lookups: tuple[tuple[Expr, Dim], ...] = ()
    table: tuple[Load, Load] | None = None  # a load from one table of bytes, and that of the byte
    parts: int = 0  # elements of a step, where sums along the row are made of parts


@dataclass(frozen=True, slots=True)
class Halves:
    """A block that halves the inner axis, once for even and once for odd elements, over an axis
    that counts pairs."""

    even: Block
    odd: Block
    bytes: bool = False  # pairs are vectors of bytes


@dataclass(frozen=True, slots=True)
class Loops:
    """A Map: rows over the outer axes, in blocks of the inner one."""

    nest: Nest
    edge: RowCode  # all that no other code does
    limits: tuple[Limit, ...] = ()  # of the interior, where `inside` is used
    inside: RowCode | None = None
    halves: Halves | None = None
    stream: RowCode | None = None  # for what starts at a cache line
    tiled: bool = False  # rows are grouped, since neighbouring rows read the same cache lines


@dataclass(frozen=True, slots=True)
class WindowSum:
    """A sum of terms that are equal but for their place along an axis, one for each place in order.
    `block` is the one that it was found in, with the sum as a variable that is not assigned."""

    block: Block
    total: str
    axis: int
    terms: tuple[Expr, ...]

    @property
    def dtype(self) -> DType:
        """The type of the sum."""
        return self.terms[0].dtype

    @property
    def parts(self) -> tuple[int, int]:
        """How many places make a part, and how many whole parts there are: what adds least."""
        count = len(self.terms)
        size = min(range(1, count + 1), key=lambda k: k + count // k + count % k)
        return size, count // size


@dataclass(frozen=True, slots=True)
class Ring:
    """Where the rows of a tensor are while the chain runs.

    Row y is at y modulo `capacity`; where that is None, all rows of a unit are there, from `before`
    rows ahead of its first on, and `rows` counts those beyond the unit's own. `over` says how far
    rows are read beyond their start and their end, in steps of the axis after the rows'."""

    tensor: Tensor
    capacity: int | None
    before: int = 0
    rows: int = 0
    over: tuple[int, int] = (0, 0)

    def single(self, axis: int) -> bool:
        """Whether a row is one element; then rows follow one another without gaps."""
        return len(self.tensor.dims) == axis + 1


@dataclass(frozen=True, slots=True)
class StageRows:
    """A stage of a Chain. For rows a..b-1 of the last stage it computes a + low .. b - 1 + high,
    cut to the tensor: what its readers reach, and always its own rows as well, so that a row that
    an index beyond the edge is clamped to is there in time."""

    nest: Nest
    low: int
    high: int
    along: bool  # rows are one element, and walked along their own axis
    limits: tuple[Limit, ...]
    # Whole rows; with limits there are the ends of rows and their interior instead.
    codes: tuple[tuple[str, RowCode], ...]
    window: WindowSum | None
    ends: tuple[Ring, ...]  # that it writes, and whose rows are read beyond their ends


@dataclass(frozen=True, slots=True)
class Rolling:
    """A Chain: units of rows, each `step` rows at a time, stage after stage, with what is between
    the stages in rings of rows."""

    axis: int
    step: int  # rows of the last stage
    flat: bool  # some stage's rows are single elements: a unit is one step
    rings: tuple[Ring, ...]
    stages: tuple[StageRows, ...]

    @property
    def halo(self) -> int:
        """The most rows that a stage computes beyond a unit's own."""
        return max(stage.high - stage.low for stage in self.stages)


@dataclass(frozen=True, slots=True)
class Folding:
    """A Reduce: states in vectors along the last axis, whether it is reduced or kept."""

    width: int
    along: bool  # the last axis is reduced: the elements of a vector become one state in the end
    rounds: bool  # combining rounds, so states join in pairs of pairs
    abreast: int = 1  # rows that are folded into the states of their columns at once


@dataclass(frozen=True, slots=True)
class PositionLocal:
    """A local with one value for each position of a row, as one pass over the row has it."""

    name: str
    value: Expr
    output: str | None = None  # whose row keeps it between passes
    kept: bool = False  # an earlier pass computed it, and it is read from there


@dataclass(frozen=True, slots=True)
class RowPass:
    """A walk over the row, or (`assign`) what is computed once between walks."""

    folds: tuple[RowFold, ...] = ()
    locals: tuple[PositionLocal, ...] = ()
    assign: Assign | None = None
    results: tuple[Expr, ...] = ()  # of the last one


@dataclass(frozen=True, slots=True)
class RowPasses:
    """A Row: passes over each row, with vectors along it, or of neighbouring rows where the row is
    not the last axis."""

    passes: tuple[RowPass, ...]
    lines: int  # neighbouring rows that one unit takes
    width: int


@dataclass(frozen=True, slots=True)
class Carrying:
    """A Scan: lines that each carry a state, those that are neighbours in memory as vectors, and
    along the last axis some `abreast`. Long lines, where there are few of them, are cut into
    pieces, if `pieces` says how to sum them up: a unit takes one, as so many `lanes` that each walk
    a stretch of it."""

    lines: int  # neighbouring lines that one unit takes
    width: int
    pieces: Transition | None = None
    lanes: int = 1
    cut: bool = False  # this is the variant that walks pieces, and nothing else
    abreast: int = 1  # lines that are walked at the same time, each with a state of its own


class Products(StrEnum):
    """What a processor has to multiply unsigned by signed bytes and add up, without saturating."""

    PLAIN = "plain"  # nothing of its own: whole numbers of 32 bits
    PAIRS = "pairs"  # two products of 16 bits: AVX2
    FOURS = "fours"  # four products of bytes in 256 bits: AVX-VNNI
    WIDE_FOURS = "wide fours"  # the same in 512 bits: AVX-512 VNNI


@dataclass(frozen=True, slots=True)
class Counting:
    """A histogram: one pass that counts, for each group of rows in a table of its own."""

    lead: tuple[Dim, ...]  # of a batch
    rows: Dim
    columns: Dim
    channels: int


class Keeps(StrEnum):
    """What a scan of rows' bytes keeps of the bounds of distances."""

    BEST = "the best of each group"  # of rows
    WITHIN = "those within a limit"  # as one bit a row
    NAMED = "those of groups that a table names"  # for each query
    ALL = "the best of each group and every lower one"


@dataclass(frozen=True, slots=True)
class ByteScan:
    """A scan of rows' bytes for bounds of distances."""

    keeps: Keeps
    products: Products


class Terms(StrEnum):
    """What each dimension adds to a distance."""

    SQUARES = "squares"  # of differences
    APART = "apart"  # how far numbers are apart
    PRODUCTS = "products"


@dataclass(frozen=True, slots=True)
class Measuring:
    """Distances of some rows to their queries, in f64: eight partial sums as the lanes of a vector,
    added up at the end of each leaf."""

    terms: Terms


@dataclass(frozen=True, slots=True)
class Merging:
    """Rows whose halves are sorted: parts of each row, in each of which the next of either half is
    taken, one by one."""


@dataclass(frozen=True, slots=True)
class Convolving:
    """Sums of shifted planes: `filters` by `vectors` of so many `lanes` are what registers hold."""

    filters: int
    vectors: int
    lanes: int


@dataclass(frozen=True, slots=True)
class Laying:
    """Pictures laid out as the planes that a convolution reads, row by row."""

    lanes: int


class Trips(NamedTuple):
    """How often a loop runs: the bounds are numbers or sizes."""

    start: Dim
    stop: Dim
    step: int


@dataclass(frozen=True, slots=True)
class Effort:
    """Nanoseconds on one core for one element: `each`, and what loops repeat."""

    each: float
    loops: tuple[tuple[Trips, Effort], ...] = ()


Walk = (
    Loops
    | Rolling
    | Folding
    | RowPasses
    | Carrying
    | Counting
    | ByteScan
    | Measuring
    | Merging
    | Convolving
    | Laying
)
