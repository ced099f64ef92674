"""Decide what the threads of a GPU do about a kernel.

In: an optimised kernel and the target it is for. Out: a Schedule with everything that its language
has to know beyond the kernel. How many groups of threads there are follows from sizes, at a launch.
"""

from __future__ import annotations

from dataclasses import replace

from treadle.ir.nodes import Chain, Const, For, Kernel, Map, Reduce, Row, Scan
from treadle.ir.rounding import rounds
from treadle.ir.schedule import Schedule, Target, Threads
from treadle.ir.threads import Folded, Summed
from treadle.ir.tiles import Room, pool_of
from treadle.passes.schedule.gpu.descent import descent
from treadle.passes.schedule.gpu.maps import map_over, own_places, reads_here
from treadle.passes.schedule.gpu.stages import tiled
from treadle.passes.schedule.gpu.sweeps import sweeps_over
from treadle.passes.schedule.gpu.tiles import smallest, tiling
from treadle.passes.transitions import transition_of

__all__ = ["fits", "schedule_threads"]


def schedule_threads(kernel: Kernel, target: Target) -> Schedule:
    """Decide about a kernel; what threads cannot do has no `threads`, as what needs none."""
    return Schedule(kernel, threads=_threads(kernel, target), cut=_cut(kernel, target))


def _cut(kernel: Kernel, target: Target) -> int | None:
    """Which loop of a map goes on where an earlier launch left off, where the device ends long
    ones: the first whose turns are not in the text, or else the first."""
    if not target.rounds or not isinstance(kernel.form, Map):
        return None
    loops = [(k, s) for k, s in enumerate(kernel.form.block.body) if isinstance(s, For)]
    unknown = [k for k, s in loops if not all(isinstance(e, Const) for e in (s.start, s.stop))]
    return next(iter([*unknown, *[k for k, _ in loops]]), None)


def _threads(kernel: Kernel, target: Target) -> Threads | None:
    match kernel.form:
        case Map() if target.access:
            return map_over(kernel, target.access)
        case Reduce():
            return _folded(kernel, kernel.form, target.access)
        case Row():
            return sweeps_over(kernel, together=not target.holds)
        case Scan():
            return Summed(transition_of(kernel.form), reads_here(kernel, kernel.form.step))
        case Chain() if target.room is not None:
            found = tiling(kernel, _room_of(kernel, kernel.form, target.room, target.near))
            if found is None:
                return None
            made = tiled(kernel, found)
            return descent(kernel, made, target.room.falling) or made
        case _:
            return None


def _folded(kernel: Kernel, form: Reduce, access: int) -> Folded:
    """Whether a thread folds neighbours that it reads at once."""
    kept = len(kernel.space) - len(form.axes)
    trailing = all(axis >= kept for axis in form.axes)  # rows lie one after another
    own = own_places(kernel, form.lift) if access and trailing else None
    sizes = [t.dtype.size for t in kernel.inputs if own and t.name in own]
    return Folded(rounds(form.combine), own or {}, access // max(sizes, default=1))


def _room_of(kernel: Kernel, form: Chain, room: Room, near: int) -> Room:
    """What there is for tiles; where memory is typed, each array begins at a multiple of 16."""
    if not room.typed:
        return room
    pools = {pool_of(tensor.dtype) for tensor in form.local.values()}
    return replace(room, most=near - 16 * len(pools))


def fits(kernel: Kernel, target: Target) -> bool:
    """Whether a chain can be cut into tiles that a group of threads has memory for."""
    assert target.room is not None
    assert isinstance(kernel.form, Chain)
    found = smallest(kernel, _room_of(kernel, kernel.form, target.room, target.near))
    return found is not None and found <= target.near
