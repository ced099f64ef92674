"""What the host needs to launch a kernel's code, and the same as plain values.

In: how launches are measured. Out: a Layout, whose geometry for sizes that were not seen before is
arithmetic (ir.sizes). Written down, a layout is enough to launch code that was compiled before,
without a look at the kernel: the schedule is made again only for what was not measured then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from treadle.codegen.llvm.nest import Geometry, fill_geometry
from treadle.data import dataclass
from treadle.ir.nodes import Kernel
from treadle.ir.plain import read_size, read_tape, write_tape
from treadle.ir.sizes import placed, places
from treadle.ir.structures import Structures

__all__ = ["Layout", "Measure", "Rendered", "read_layout", "write_layout"]

_WRITTEN = 8  # structures of sizes


class Measure:
    """The geometry of a kernel's launches: its schedule is looked at once, and other sizes are
    arithmetic."""

    __slots__ = ("_measured", "known")

    def __init__(self, measured: Callable[[Mapping[str, int]], Geometry]) -> None:
        self._measured = measured
        self.known: Structures[Geometry] = Structures(fill_geometry)

    def __call__(self, sizes: Mapping[str, int]) -> Geometry:
        """Return the geometry of a launch over these sizes."""
        seen: dict[int, int] = {}
        pattern = places(sizes.values(), seen)
        return self.known.get(pattern, list(seen), partial(self._made, tuple(sizes), pattern))

    def _made(
        self, names: tuple[str, ...], pattern: tuple[int, ...], numbers: Sequence[int]
    ) -> Geometry:
        return self._measured(dict(zip(names, placed(pattern, numbers), strict=True)))


@dataclass(frozen=True, slots=True)
class Layout:
    """What the host needs: `float_params` says which parameters are packed as f64, `external` which
    C functions the text calls, `measure` gives the geometry for sizes of the kernel's symbols, and
    `streamed` renders the variant for launches whose geometry asks for it."""

    float_params: tuple[bool, ...]
    external: tuple[str, ...]
    measure: Measure
    streamed: Callable[[], Rendered] | None = None


@dataclass(frozen=True, slots=True)
class Rendered:
    """A kernel's text and layout."""

    text: str
    layout: Layout


def write_layout(layout: Layout) -> dict[str, Any] | None:
    """Return a layout as values for json.dumps with `write_size`; None where nothing was measured
    of it yet that can be written down."""
    measured = []
    for pattern, tape, found in layout.measure.known:
        try:
            written = write_tape(tape)
        except ValueError:  # it calls functions
            continue
        each = [found.units, found.values, found.scratch, found.cost, found.near]
        measured.append([pattern, written, each, [found.merges, found.streams, found.ordered]])
    if not measured:
        return None
    streams = layout.streamed is not None
    return {"external": layout.external, "streams": streams, "measured": measured[:_WRITTEN]}


def read_layout(
    kernel: Kernel, value: Any, measure: Measure, streamed: Callable[[], Rendered]
) -> Layout:
    """Return the layout that values stand for; raise ValueError, TypeError or KeyError."""
    external = tuple(value["external"])
    if not all(type(name) is str and name.isidentifier() for name in external):
        raise ValueError(f"expected names, got {external!r}")
    for pattern, written, each, flags in value["measured"]:
        tape = read_tape(written)
        units, values, scratch, cost, near = each
        own = tuple([_number(item, tape) for item in values])
        units, scratch, cost, near = [_number(n, tape) for n in (units, scratch, cost, near)]
        merges, streams, ordered = [_flag(flag) for flag in flags]
        found = Geometry(units, own, scratch, cost, merges, streams, near, ordered)
        measure.known.add(tuple(pattern), tape, found)
    floats = tuple([param.dtype.is_float for param in kernel.params])
    return Layout(floats, external, measure, streamed if _flag(value["streams"]) else None)


def _number(value: Any, tape: Any) -> Any:
    if type(value) not in (int, float, dict):
        raise ValueError(f"expected a number, got {value!r}")
    return read_size(value, tape)


def _flag(value: Any) -> bool:
    if type(value) is not bool:
        raise ValueError(f"expected true or false, got {value!r}")
    return value
