"""What the threads of a GPU do about a kernel, as data: passes.schedule makes it, the languages of
GPUs spell it. Chains, which go over tiles, have ir.tiles.

Dictionaries here are made once and left alone.
"""

from __future__ import annotations

from collections.abc import Mapping

from treadle.data import dataclass
from treadle.dtypes import DType
from treadle.ir.nodes import Assign, Block, Const, Dim, Expr, Load, Op, Tensor
from treadle.ir.transition import Transition

__all__ = [
    "Fold",
    "Folded",
    "Neighbours",
    "Pixels",
    "Run",
    "Strips",
    "Summed",
    "Sweep",
    "Sweeps",
    "has_channels",
]

_MOST_CHANNELS = 4


# Maps


@dataclass(frozen=True, slots=True)
class Neighbours:
    """A map whose elements are told apart by their flat position alone: a thread computes `width`
    neighbours, with one access to each tensor. `own` has the reads of each input, all of them at
    the element's own place; inputs of one element are not in it."""

    own: Mapping[str, tuple[Load, ...]]
    width: int

    @property
    def words(self) -> str:
        """It in plain words."""
        return f"{self.width} neighbours by a thread"


def has_channels(dims: tuple[Dim, ...]) -> int:
    """How many channels the last axis counts; 0 where it counts something else."""
    last = dims[-1] if len(dims) > 1 else 0
    return last if isinstance(last, int) and last <= _MOST_CHANNELS else 0


@dataclass(frozen=True, slots=True)
class Pixels:
    """Which axis counts pixels along a row, and which one their channels, if there is one."""

    x: int
    channel: int | None
    channels: int

    @classmethod
    def of(cls, space: tuple[Dim, ...]) -> Pixels:
        """The last axis counts channels where there are few of them and something before it."""
        last = len(space) - 1
        channels = has_channels(space)
        return cls(last - 1, last, channels) if channels else cls(last, None, 1)


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring pixels of one row of a tensor, from column `low` to `high` beside the pixel's.

    `rest` is added to the column, or the pixel's column is taken from it where `back`. `places` has
    for each read that is served by it the column and, if it is fixed, the channel."""

    tensor: Tensor
    outer: tuple[tuple[Expr, bool], ...]  # indices of the row, and whether each is proved inside
    rest: Expr | None
    back: bool
    channels: int
    low: int
    high: int
    inside: bool
    places: Mapping[Load, tuple[int, int | None]]

    def pixels(self, count: int) -> int:
        """How many pixels `count` neighbours read."""
        return count + self.high - self.low

    def words(self, count: int) -> int:
        """The registers that they take."""
        return -(-self.pixels(count) * self.channels * self.tensor.dtype.size // 4)


@dataclass(frozen=True, slots=True)
class Strips:
    """A map of which a thread computes all channels of `count` neighbouring pixels.

    Threads fill squares where it is `square`, else they go along rows. `divisors` has what is
    divided by and the same for all elements, and what that is made of. `shared` has the locals that
    all channels of a pixel have in common."""

    pixels: Pixels
    count: int
    runs: tuple[Run, ...]
    square: bool
    divisors: Mapping[Expr, Expr]
    shared: frozenset[str] = frozenset()

    @property
    def words(self) -> str:
        """It in plain words."""
        pixels = "1 pixel" if self.count == 1 else f"{self.count} pixels"
        runs = "1 run" if len(self.runs) == 1 else f"{len(self.runs)} runs"
        return f"{pixels} by a thread, {runs} of pixels read at once"


# Folds


@dataclass(frozen=True, slots=True)
class Folded:
    """A reduction. `rounds` says that combining two states does. Where rows lie one after another
    in memory and coordinates are used for nothing else, `own` has the reads of each input, and a
    thread reads `width` neighbours at once."""

    rounds: bool
    own: Mapping[str, tuple[Load, ...]]
    width: int

    @property
    def words(self) -> str:
        """It in plain words."""
        return (
            f"{self.width} neighbours folded at once" if self.own else "elements folded one by one"
        )


@dataclass(frozen=True, slots=True)
class Summed:
    """A scan. Where there are few lines and they are long, groups of threads take tiles of them:
    each thread sums some neighbours up, the group joins that, and `pieces` say how. Otherwise, and
    where they are None, a thread walks a line. `own` has reads at the element's own place."""

    pieces: Transition | None
    own: tuple[Load, ...] = ()

    @property
    def words(self) -> str:
        """It in plain words."""
        if self.pieces is None:
            return "lines that carry a state, each from its first element to its last"
        return f"lines that carry a state, in tiles, summed up ({self.pieces.kind}) and joined"


@dataclass(frozen=True, slots=True)
class Fold:
    """A fold of a row: `join` combines two partial results, its arguments, and `start` is the one
    of nothing. `rounds` says that joining does."""

    kind: str
    name: str
    value: Expr
    join: Op
    start: Const
    rounds: bool


@dataclass(frozen=True, slots=True)
class Sweep:
    """One sweep over a row, for some folds or, where there are none, for the results.

    `lets` are the per-position locals that it computes when nothing is kept of earlier sweeps, in
    order, and `fresh` those when what Sweeps.kept says is; of these, `taken` are at hand."""

    folds: tuple[Fold, ...]
    lets: tuple[str, ...]
    fresh: tuple[str, ...]
    taken: frozenset[str]


@dataclass(frozen=True, slots=True)
class Sweeps:
    """A row kernel: scalars of the row and sweeps over it, in order. Every local has one value.

    Where a row's positions stay with their threads, `kept` names the per-position locals that are
    worth keeping from one sweep to the next, and `held` the reads. `divisors` has by name the
    scalars by which every position is divided."""

    block: Block
    dtypes: Mapping[str, DType]  # of all locals
    lets: Mapping[str, Expr]  # those that every position has its own value of
    steps: tuple[Assign | Sweep, ...]
    kept: tuple[str, ...]
    held: tuple[Load, ...]
    divisors: Mapping[str, Expr]

    @property
    def folds(self) -> tuple[Fold, ...]:
        """Every fold, in order."""
        return tuple(f for step in self.steps if isinstance(step, Sweep) for f in step.folds)

    @property
    def words(self) -> str:
        """It in plain words."""
        return f"{sum(isinstance(step, Sweep) for step in self.steps)} sweeps over a row"
