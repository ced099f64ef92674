"""Put other buffers and parameters in place of recorded ones, and let shapes follow.

In: entries, and pairs of an old and a new buffer, or a stage's parameters. Out: new entries, bound
to them; the given ones are left as they are if something does not fit. It plans and runs nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from treadle.data import dataclass
from treadle.errors import KernelError, LaunchError
from treadle.ir.bound import Bound, Spec
from treadle.pipeline.entry import Entry, Operand, Temp, bind, natural, spec_of
from treadle.pipeline.recorded import make_room
from treadle.runtime.buffer import Buffer
from treadle.runtime.plan import overlap
from treadle.runtime.prepared import Planner

__all__ = ["Following", "changed", "followed", "rebound"]

Pairs = Sequence[tuple[Buffer, Buffer]]

_SHAPES_KEPT = 16


@dataclass(frozen=True, slots=True)
class Following:
    """What buffers of other shapes make of a pipeline's stages, whichever buffers those are."""

    scratch: dict[Temp, Temp]  # of these shapes, in place of the recorded
    bounds: tuple[Bound | None, ...]  # by entry


def rebound(
    entries: Sequence[Entry], pairs: Pairs, planner: Planner, *, lasts: bool = True
) -> list[Entry]:
    """Return entries over the new buffers; raise LaunchError where a stage cannot follow.

    Without `lasts` they are for one run, and what is displayed keeps its shape."""
    made = _over(entries, pairs)
    if all(old.shape == new.shape for old, new in pairs):
        return made
    temps = {
        item.root: item.root.spec
        for entry in entries
        for item in (*entry.inputs, *entry.outputs)
        if isinstance(item, Temp)
    }
    try:
        _follow(entries, made, planner, lasts)
    except BaseException:
        for temp, spec in temps.items():
            temp.spec = spec
        raise
    return made


def followed(
    entries: Sequence[Entry], pairs: Pairs, planner: Planner, known: dict[Hashable, Following]
) -> list[Entry]:
    """Return entries over the new buffers, for one run: what is recorded stays as it is.

    `known` has what was found for other shapes before."""
    if all(old.shape == new.shape for old, new in pairs):
        return rebound(entries, pairs, planner)
    shapes = tuple([(id(old), new.shape) for old, new in pairs])  # the old ones are recorded
    key = (shapes, tuple([entry.key for entry in entries]))
    found = known.get(key)
    if found is None:
        scratch = _copies(entries)
        made = rebound(_over(entries, (), scratch), pairs, planner, lasts=False)
        make_room(known, _SHAPES_KEPT)
        known[key] = Following(scratch, tuple([entry.bound for entry in made]))
        return made
    made = _over(entries, pairs, found.scratch)
    for entry, bound in zip(made, found.bounds, strict=True):
        entry.take(bound)
    return made


def _copies(entries: Sequence[Entry]) -> dict[Temp, Temp]:
    """Scratch like that of entries, and views of it like theirs."""
    made: dict[Temp, Temp] = {}
    for entry in entries:
        for item in (*entry.inputs, *entry.outputs):
            if isinstance(item, Temp):
                for each in (item.root, item):
                    if each not in made:
                        root = None if each.root is each else made[each.root]
                        made[each] = Temp(each.owner, each.shape, each.dtype, root)
    return made


def changed(entry: Entry, params: Mapping[str, Any], planner: Planner) -> Entry:
    """Return an entry with other parameters; the others stay."""
    if entry.definition is None or entry.op != "run_kernel":
        raise LaunchError(f"stage: {entry.op} has no parameters")
    given = {**entry.params, **params}
    made = entry.over(entry.inputs, entry.outputs)
    made.params = given
    made.key, made.values = entry.definition.arguments(given)
    if made.key != entry.key or entry.definition.composite:
        made.take(bind(made, planner))
        made.natural = False
    return made


def _over(
    entries: Sequence[Entry], pairs: Pairs, scratch: Mapping[Temp, Temp] | None = None
) -> list[Entry]:
    """Entries over other buffers, and over other scratch where it is given."""
    return [
        entry.over(
            tuple([_swapped(item, pairs, scratch) for item in entry.inputs]),
            tuple([_swapped(item, pairs, scratch) for item in entry.outputs]),
        )
        for entry in entries
    ]


def _swapped(item: Operand, pairs: Pairs, scratch: Mapping[Temp, Temp] | None) -> Operand:
    if isinstance(item, Temp):
        return item if scratch is None else scratch[item]
    for old, new in pairs:
        if not overlap(item, old) and item is not old:
            continue
        whole = item._low == old._low and item._high == old._high
        if whole and item.shape == old.shape:
            return new
        inside = old._low <= item._low and item._high <= old._high
        if inside and old.shape == new.shape:
            return new._view(item._low - old._low, item.shape)
        raise LaunchError(
            f"bind: a stage uses {item!r}, which is part of what is replaced; that can follow "
            f"only a buffer of shape {old.shape}, got {new.shape}"
        )
    return item


def _follow(old: Sequence[Entry], made: list[Entry], planner: Planner, lasts: bool) -> None:
    """Bind every entry again, in order; scratch takes the shape of what is first written to it, and
    a display gets another buffer where it has to."""
    # Which scratch follows is asked before any of it has.
    follows = [_followers(entry, planner) for entry in old]
    done: set[Temp] = set()
    for index, entry in enumerate(made):
        if entry.definition is None:
            continue
        try:
            for item in entry.inputs:
                _checked_view(item)
            if entry.display is not None:
                entry = made[index] = _displayed(entry, made, planner, lasts)
            fresh = [
                k
                for k, item in enumerate(entry.outputs)
                if k in follows[index] and isinstance(item, Temp) and item not in done
            ]
            by_itself = natural(entry, planner) if fresh and entry.op == "run_kernel" else None
            for k in fresh:
                temp = entry.outputs[k]
                assert isinstance(temp, Temp)
                given = spec_of(entry.inputs[0]) if by_itself is None else by_itself.outputs[k]
                temp.spec = Spec(given.shape, temp.dtype)
            done.update(item.root for item in entry.outputs if isinstance(item, Temp))
            for item in entry.outputs:
                _checked_view(item)
            if by_itself is None or not _gives(entry, fresh, by_itself):
                entry.natural, by_itself = False, bind(entry, planner)
            entry.take(by_itself)
        except LaunchError as error:
            raise LaunchError(f"bind: stage {index + 1} ({entry.kernel}): {error}") from error
        except KernelError as error:
            error.add_note(f"bind: stage {index + 1} ({entry.kernel}) cannot follow")
            raise


def _gives(entry: Entry, fresh: Sequence[int], by_itself: Bound) -> bool:
    """Whether an entry that its kernel gave outputs to is still to write just what it gives."""
    if not entry.natural or len(fresh) != len(entry.outputs):
        return False
    return by_itself.outputs == tuple([spec_of(item) for item in entry.outputs])


def _displayed(entry: Entry, made: list[Entry], planner: Planner, lasts: bool) -> Entry:
    """An entry whose output is displayed, over a buffer of the shape that its kernel gives."""
    if len(entry.outputs) > 1:
        return entry
    (output,) = entry.outputs
    shape = natural(entry, planner).outputs[0].shape  # its bound is that of the shapes before
    if output.shape == shape or isinstance(output, Temp):
        return entry
    if not lasts:
        raise LaunchError(
            f"what {entry.display!r} shows would have shape {shape}, not {output.shape}: give "
            "buffers of other shapes to bind(), not to one run"
        )
    other = output.device.empty(shape, output.dtype)
    for later, each in enumerate(made):
        if any(item is output for item in each.inputs):
            swapped = tuple([other if item is output else item for item in each.inputs])
            made[later] = each.over(swapped, each.outputs)
    return entry.over(entry.inputs, (other,))


def _checked_view(item: Operand) -> None:
    if isinstance(item, Temp) and item.spec.elements != item.root.spec.elements:
        raise LaunchError(
            f"{item!r} is scratch under another shape, which cannot follow {item.root!r}"
        )


def _shapes(entry: Entry, planner: Planner) -> list[tuple[int, ...]]:
    """The shapes that an entry's kernel gives its outputs by itself."""
    if entry.op == "copy_buffer":
        return [spec_of(entry.inputs[0]).shape]
    known = entry.bound if entry.natural and entry.is_bound else natural(entry, planner)
    assert known is not None
    return [spec.shape for spec in known.outputs]


def _followers(entry: Entry, planner: Planner) -> frozenset[int]:
    """The outputs of an entry that are scratch of just the shape that the kernel gives."""
    temps = [k for k, item in enumerate(entry.outputs) if isinstance(item, Temp)]
    if entry.definition is None or not temps:
        return frozenset()
    try:
        shapes = _shapes(entry, planner)
    except LaunchError:  # its kernel takes the shape from the output
        return frozenset()
    return frozenset(
        k for k in temps if shapes[k] == entry.outputs[k].shape and _is_root(entry.outputs[k])
    )


def _is_root(item: Operand) -> bool:
    return isinstance(item, Temp) and item.root is item
