"""What every form's loop nest has in common: its contract, coordinates and stores.

In: flat counters and blocks. Out: coordinates, stores, and the `Geometry` of a launch. Parallel
units are numbered from 0; any thread may run any of them, in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from treadle.codegen.llvm.abi import Abi, plus, times
from treadle.codegen.llvm.emit import Emitter
from treadle.codegen.llvm.ops import to_memory
from treadle.codegen.llvm.text import Function, Module, Value, const
from treadle.data import dataclass
from treadle.ir.loops import Effort, Limit
from treadle.ir.nodes import Dim, Expr, Kernel
from treadle.ir.schedule import Schedule
from treadle.ir.sizes import Values, fill

__all__ = [
    "CACHE_LINE",
    "FormEmitter",
    "Geometry",
    "Lines",
    "Sizes",
    "ceil_div",
    "decode",
    "estimate",
    "fill_geometry",
    "interior",
    "position",
    "product",
    "store_all",
    "units_of",
]

CACHE_LINE = 64
_NS_OVERHEAD = 150.0
_LANES = 16  # that efforts are estimated for
# For each byte that is read or written: of as many as a core's own cache holds, of as many as its
# share of the larger one may, and of those that come from memory. Small arrays have mostly just
# been touched; where they have not, the estimate is three times too small, which does no harm.
_NEAR, _CACHED = 512 << 10, 4 << 20
_NS_NEAR, _NS_CACHED, _NS_BYTE = 0.01, 0.015, 0.06
Sizes = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Geometry:
    """How one launch is split: units, values of the form's geometry entries, bytes of scratch, and
    the estimated cost of the whole in nanoseconds on one core."""

    units: int
    values: tuple[int, ...]
    scratch: int
    cost: float
    merges: bool = False
    streams: bool = False  # it takes the variant for large arrays, if there is one
    near: int = 0  # bytes of scratch for each worker, after a line of bits that say which are taken
    ordered: bool = False  # a unit needs what those before it leave; the scratch is zeros at first


def units_of(module: Module) -> Function:
    """Begin treadle_run, with which the host has parallel units lo..hi-1 run."""
    arguments = [("ptr", "block"), ("i64", "lo"), ("i64", "hi")]
    return Function(module, "treadle_run", arguments, linkage="dso_local")


def fill_geometry(found: Geometry, values: Values) -> Geometry:
    """Put numbers in place of Sizes."""
    single = (found.units, found.scratch, found.cost, found.near)
    units, scratch, cost, near = fill(single, values)
    own = fill(found.values, values)
    return Geometry(units, own, scratch, cost, found.merges, found.streams, near, found.ordered)


@dataclass(frozen=True, slots=True)
class FormEmitter:
    """One way to walk: names of its geometry entries, `emit`, which defines treadle_run (and
    treadle_merge, then returning True), and `measure`, which gives the geometry for sizes and a
    cost."""

    geometry: tuple[str, ...]
    emit: Callable[[Module, Schedule, Abi], bool]
    measure: Callable[[Schedule, Sizes, float], Geometry]


def product(dims: Sequence[Dim], sizes: Sizes) -> int:
    """Multiply dimensions."""
    result = 1
    for dim in dims:
        result *= dim if isinstance(dim, int) else sizes[dim]
    return result


def estimate(schedule: Schedule, sizes: Sizes) -> float:
    """Return the estimated time of a launch in nanoseconds on one core."""
    kernel = schedule.kernel
    points = [product(space, sizes) for space, _ in schedule.efforts]
    work = sum(
        _in_lanes(count) * _effort(effort, sizes)
        for count, (_, effort) in zip(points, schedule.efforts, strict=True)
    )
    moved = sum(product(t.dims, sizes) * t.dtype.size for t in kernel.outputs)
    moved += sum(min(product(t.dims, sizes), max(points)) * t.dtype.size for t in kernel.inputs)
    return _NS_OVERHEAD + work + _moving(moved)


def _in_lanes(count: int) -> int:
    """As how many elements so many count: few take as long as fill the lanes of registers."""
    return count and max(count, _LANES)


def _moving(nbytes: int) -> float:
    near, cached = min(nbytes, _NEAR), min(nbytes, _CACHED)
    return near * _NS_NEAR + (cached - near) * _NS_CACHED + (nbytes - cached) * _NS_BYTE


def _effort(effort: Effort, sizes: Sizes) -> float:
    total = effort.each
    for (start, stop, step), inner in effort.loops:
        first, last = product((start,), sizes), product((stop,), sizes)
        total += max(-((first - last) // step), 0) * _effort(inner, sizes)
    return total


def ceil_div(a: int, b: int) -> int:
    """Divide, rounding up."""
    return -(-a // b)


def decode(f: Function, abi: Abi, flat: Value, dims: Sequence[Dim]) -> list[Value]:
    """Split a flat counter into coordinates."""
    result: list[Value] = []
    for k in range(len(dims) - 1, 0, -1):
        size = abi.size(f, dims[k])
        result.append(f.binary("urem", flat, size))
        flat = f.binary("udiv", flat, size)
    return [flat, *reversed(result)] if dims else []


def interior(
    f: Function, abi: Abi, limits: Sequence[Limit], total: Value, inner: Value
) -> tuple[Value, Value]:
    """Where a run of `total` elements is away from both edges; `inner` elements are one step."""
    low, high = const(f, 0, "i64"), total
    for scale, lowest, highest, dim in limits:
        start = const(f, max(-(lowest // scale), 0), "i64")
        room = plus(abi.size(f, dim), const(f, -1 - highest, "i64"))
        # Rounds towards zero; a negative room means an empty interior, which min and max give.
        stop = f.binary("sdiv", room + scale, scale)
        stop = f.select(room.compare("slt", 0), 0, stop)
        low = f.intrinsic("smax", low, times(start, inner))
        high = f.intrinsic("smin", high, times(stop, inner))
    low = f.intrinsic("smin", low, total)
    high = f.intrinsic("smax", high, low)
    return low, high


def store_all(
    e: Emitter,
    results: Sequence[Expr],
    values: Sequence[Value],
    position: Value,
    *,
    streaming: bool = False,
) -> None:
    """Store one value for each output at a flat position; along lanes, at those after it.

    `streaming` stores go past the caches; they need addresses aligned to the lanes, or to a
    line."""
    f = e.function
    for tensor, expr, value in zip(e.abi.kernel.outputs, results, values, strict=True):
        stored, type_ = e.packed(to_memory(value, expr.dtype, tensor.dtype)), tensor.dtype.llvm
        address = f.address(e.abi.pointer(f, "output", tensor), position, type_)
        align, mark = tensor.dtype.size, f", !noalias {f.module.read_only}"
        pieces = [] if streaming else e.pieces(value, tensor.dtype)
        if streaming:
            align = min(stored.lanes * tensor.dtype.size, CACHE_LINE)
            mark += f", !nontemporal {f.module.metadata('!{i32 1}')}"
        for offset, piece in pieces or [(0, stored)]:
            at = f.address(address, const(f, offset, "i64"), type_) if offset else address
            f.store(piece, at, align=align, tail=mark)


def position(f: Function, abi: Abi, dims: Sequence[Dim], at: Sequence[Value]) -> Value:
    """The flat position of coordinates in a dense array."""
    total = const(f, 0, "i64")
    for k, value in enumerate(at):
        total = plus(total, times(value, abi.product(f, dims[k + 1 :])))
    return total


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a space along one axis, shared out among units.

    Where the axis is the last, a unit is one line. Elsewhere lines that are neighbours along the
    last axis are taken together, `width` at a time, as lanes."""

    kernel: Kernel
    axis: int
    width: int

    @property
    def last(self) -> int:
        """The last axis."""
        return len(self.kernel.space) - 1

    @property
    def across(self) -> bool:
        """Whether lanes are different lines."""
        return self.axis != self.last

    @property
    def outer(self) -> list[int]:
        """The axes that units count over."""
        return [k for k in range(len(self.kernel.space)) if k not in (self.axis, self.last)]

    def units(self, sizes: Sizes) -> int:
        """How many units there are."""
        space = self.kernel.space
        outer = product([space[k] for k in self.outer], sizes)
        return outer * (ceil_div(product(space[-1:], sizes), self.width) if self.across else 1)

    def emit(
        self, f: Function, abi: Abi, body: Callable[[dict[int, Value], int], None], lanes: int
    ) -> None:
        """Emit units lo..hi-1; `body` gets the coordinates without the line's own, and how many
        lines it does at once: `lanes` (the unit's width, or 1) or 1."""
        dims = [self.kernel.space[k] for k in self.outer]
        length = abi.size(f, self.kernel.space[self.last])
        tiles = f.binary("udiv", length + (self.width - 1), self.width) if self.across else None
        with f.loop(f.params["lo"], f.params["hi"]) as unit:
            row = f.binary("udiv", unit, tiles) if tiles is not None else unit
            axes = dict(zip(self.outer, decode(f, abi, row, dims), strict=True))
            if tiles is None:
                body(axes, 1)
            else:
                start = (unit - row * tiles) * self.width
                full = (start + self.width).compare("sle", length)
                if lanes > 1:
                    with f.when(full):
                        body(axes | {self.last: start}, lanes)
                with f.when(full ^ 1 if lanes > 1 else const(f, 1, "i1")):
                    stop = f.intrinsic("smin", start + self.width, length)
                    with f.loop(start, stop) as column:
                        body(axes | {self.last: column}, 1)
