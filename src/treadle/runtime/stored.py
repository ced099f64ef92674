"""Fused plans on disk, found by the structure of what was to be fused.

In: the structure of a bound with everything that fusing depends on, or what came of it and the tape
that says for which sizes. Out: the same again where an earlier process kept it. The cache vouches
that this user wrote it; it is checked all the same, as an entry may be of other code: its form, the
rules of the IR, and that every kernel stays inside the slots it is given, for the sizes that it was
made for; `sound` asks the latter for other sizes. Whether a chain's reach is that of its loads is
not looked at. An entry that fails is as good as none. Knows neither devices nor programs.
"""

from __future__ import annotations

import functools
import json
import math
import os
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from treadle._version import __version__
from treadle.backends.cache import DiskCache, digest
from treadle.errors import TreadleError
from treadle.ir.bound import Bound, Fused, Spec, Stage
from treadle.ir.nodes import Kernel, Tensor
from treadle.ir.pattern import Structure, with_sizes
from treadle.ir.plain import (
    fill_plain,
    read_kernel,
    read_loop,
    read_size,
    read_spec,
    read_stage,
    read_tape,
    write_kernel,
    write_loop,
    write_size,
    write_spec,
    write_stage,
    write_tape,
)
from treadle.ir.sizes import Tape
from treadle.ir.structures import unique
from treadle.ir.verify import verify

__all__ = ["StoredPlans", "sound", "sources_stamp"]

_FORMAT = "plan 3"
# What a plan follows from. Versions do not change with every edit of a working copy; files do.
_SOURCES = ("ir", "passes", "codegen")
_KEPT = 8  # plans of one structure, for sizes about which questions have different answers
# Whatever is wrong with an entry, fusing again is the answer.
_UNSOUND = (
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    RecursionError,
    ArithmeticError,
    TreadleError,
)


class StoredPlans:
    """The plans that one device keeps on disk."""

    def __init__(self, files: DiskCache, *facts: Hashable) -> None:
        """`facts` are what else fusing depends on: the device's limits."""
        self._files = files
        self._facts = facts

    def key(self, structure: Structure) -> str | None:
        """Return the name of a structure; None where it cannot be written down."""
        kernels = _Kernels()
        numbered = [(kernels.number(kernel), *rest) for kernel, *rest in structure.stages]
        try:
            written = [write_kernel(kernel) for kernel in kernels.known]
            around = [structure.tables, structure.cuts, sorted(structure.shared), repr(self._facts)]
            text = json.dumps([structure.specs, numbered, written, around, structure.loops])
        except (TypeError, ValueError, KeyError):  # what JSON does not know: a host's function
            return None
        return digest(text, _FORMAT, __version__, sources_stamp())

    def load(self, structure: Structure) -> Iterator[tuple[Tape, Fused]]:
        """Give what fusing the structure gave, for some sizes each, where it is there and sound."""
        key = self.key(structure)
        for value in [] if key is None else self._entries(key):
            try:
                yield _read(value, structure)
            except _UNSOUND:
                continue

    def store(self, structure: Structure, tape: Tape, fused: Fused) -> bool:
        """Keep what fusing the structure gave; return whether that worked."""
        key = self.key(structure)
        if key is None:
            return False
        kernels = _Kernels([kernel for kernel, *_ in structure.stages])
        given = len(kernels.known)
        stages = [write_stage(s, kernels.number(s.kernel)) for s in fused.bound.stages]
        try:
            written = json.dumps(
                {
                    "tape": write_tape(tape),
                    "temps": [write_spec(spec) for spec in fused.bound.temps],
                    "kernels": [write_kernel(kernel) for kernel in kernels.known[given:]],
                    "stages": stages,
                    "loops": [write_loop(loop) for loop in fused.bound.loops],
                    "groups": fused.groups,
                    "notes": fused.notes,
                },
                default=write_size,
            )
        except (TypeError, ValueError):
            return False
        made = json.loads(written)
        others = [value for value in self._entries(key) if value != made]
        payload = json.dumps([made, *others[: _KEPT - 1]])
        return self._files.store(key, payload.encode())

    def _entries(self, key: str) -> list[Any]:
        payload = self._files.load(key)
        try:
            found = json.loads(payload or b"[]")
        except (ValueError, RecursionError):
            return []
        return found[:_KEPT] if isinstance(found, list) else []


def sound(fused: Fused, bound: Bound) -> bool:
    """Whether every stage of what fusing a bound gave stays inside its slots."""
    try:
        _check_stages(fused, bound)
    except _UNSOUND:
        return False
    return True


class _Kernels:
    """Kernels by number; the same object has one number."""

    def __init__(self, known: Sequence[Kernel] = ()) -> None:
        self.known: list[Kernel] = []
        self._numbers: dict[int, int] = {}
        for kernel in known:
            self.number(kernel)

    def number(self, kernel: Kernel) -> int:
        found = self._numbers.setdefault(id(kernel), len(self.known))
        if found == len(self.known):
            self.known.append(kernel)
        return found


@functools.cache
def sources_stamp() -> str:
    """What tells one state of the code that plans from another."""
    root = os.path.dirname(os.path.dirname(__file__))
    found: list[str] = []
    for folder in _SOURCES:
        _note_files(os.path.join(root, folder), f"/{folder}", found)
    return "\n".join(sorted(found))


def _note_files(folder: str, name: str, found: list[str]) -> None:
    """Add the name, size and time of each file of Python below a folder."""
    try:
        listed = os.scandir(folder)
    except OSError:  # where there are no files, as in a zip archive, there is none to edit
        return
    with listed:
        for entry in listed:
            if entry.name.endswith(".py"):
                info = entry.stat()
                found.append(f"{name}/{entry.name} {info.st_size} {info.st_mtime_ns}")
            elif "." not in entry.name and entry.is_dir():
                _note_files(entry.path, f"{name}/{entry.name}", found)


def _read(value: Any, structure: Structure) -> tuple[Tape, Fused]:
    """Build a Fused over Sizes from plain values; raise where they are not one of this structure.

    It is checked as it is for the sizes that it was made for."""
    tape = read_tape(value["tape"])
    values = tape.play(tape.given)
    _require(values is not None and tape.count == structure.count)
    bound = with_sizes(structure, tape.given)
    kernels = _Kernels([kernel for kernel, *_ in structure.stages]).known
    given = len(kernels)
    kernels += [read_kernel(kernel) for kernel in value["kernels"]]
    for number, kernel in enumerate(kernels[given:], given):
        verify(kernel)
        kernels[number] = unique(kernel)
    temps = tuple([read_spec(spec) for spec in fill_plain(value["temps"], values or ())])
    stages = tuple([read_stage(s, kernels) for s in fill_plain(value["stages"], values or ())])
    loops = tuple([read_loop(loop) for loop in fill_plain(value["loops"], values or ())])
    groups = tuple([tuple(group) for group in value["groups"]])
    notes = tuple(value["notes"])
    count = len(bound.stages)
    _require(len(groups) == len(stages) and len(notes) == count)
    _require(all(type(k) is int and 0 <= k < count for group in groups for k in group))
    _require(all(type(note) is str for note in notes))
    fill_plain(value["notes"], values or ())
    made = Bound(bound.inputs, bound.outputs, temps, stages, bound.constants, loops)
    _check_stages(Fused(made, groups, notes), bound)
    return tape, Fused(_over_sizes(made, value, tape, structure), groups, notes)


def _over_sizes(made: Bound, value: Any, tape: Tape, structure: Structure) -> Bound:
    """What was read, with Sizes again where it has them."""

    def sizes(values: Any) -> Any:
        return None if values is None else tuple([read_size(item, tape) for item in values])

    given = with_sizes(structure, tape.sizes())
    temps = [
        Spec(sizes(written[1]), spec.dtype)
        for spec, written in zip(made.temps, value["temps"], strict=True)
    ]
    stages = [
        replace(stage, dims=sizes(written[3]), fixed=sizes(written[5]), grows=sizes(written[6]))
        for stage, written in zip(made.stages, value["stages"], strict=True)
    ]
    loops = [
        replace(loop, count=read_size(written[2], tape))
        for loop, written in zip(made.loops, value["loops"], strict=True)
    ]
    return replace(given, temps=tuple(temps), stages=tuple(stages), loops=tuple(loops))


def _check_stages(fused: Fused, bound: Bound) -> None:
    """Raise unless every stage stays inside the slots of a bound, and sets each parameter."""
    made = fused.bound
    slots: list[float] = [s.nbytes for s in (*bound.inputs, *bound.outputs, *made.temps)]
    writable = range(len(bound.inputs), len(slots))
    # What a table holds is as large as the kernels that were given say.
    slots += [math.inf if table is None else table.nbytes for table in bound.constants]
    picks = {pick for stage in bound.stages for pick in stage.picks}
    scratch = range(len(bound.inputs) + len(bound.outputs), writable.stop)
    within = _check_loops(made, bound, slots, scratch)
    for number, stage in enumerate(made.stages):
        _check(stage, within.get(number, slots), writable, picks)


def _check_loops(
    made: Bound, bound: Bound, slots: Sequence[float], scratch: range
) -> dict[int, Sequence[float]]:
    """Raise unless the loops are those of a bound; return for each stage of a loop how large its
    slots are: as the smallest piece of memory that stands for one in some turn."""
    _require(len(made.loops) == len(bound.loops))
    found: dict[int, Sequence[float]] = {}
    done = 0
    for loop, given in zip(made.loops, bound.loops, strict=True):
        _require(done <= loop.first < loop.last <= len(made.stages))
        _require(loop.count == given.count and loop.count > 0)
        _require(len(loop.carried) == len(given.carried))
        sizes = list(slots)
        for start, before, after in loop.carried:
            _require(0 <= start < len(slots) and before in scratch and after in scratch)
            sizes[after] = min(slots[before], slots[after])
            sizes[before] = min(slots[start], sizes[after])
        taken = [slot for trio in loop.carried for slot in trio[1:]]
        _require(len({*taken}) == len(taken))
        found.update(dict.fromkeys(range(loop.first, loop.last), sizes))
        done = loop.last
    return found


def _check(stage: Stage, slots: Sequence[float], writable: range, picks: set[int]) -> None:
    """Raise unless a stage stays inside its slots and sets each parameter."""
    kernel = stage.kernel
    sizes = dict(zip(kernel.symbols, stage.dims, strict=True))
    _require(all(size >= 0 for size in stage.dims))
    _require(all(slot in writable for slot in stage.writes))
    pairs = [
        *zip(kernel.inputs, stage.reads, strict=True),
        *zip(kernel.outputs, stage.writes, strict=True),
    ]
    for tensor, slot in pairs:
        _require(0 <= slot < len(slots) and _nbytes(tensor, sizes) <= slots[slot])
    _require(len(stage.grows) in (0, len(kernel.params)))
    if stage.fixed is None:
        _require(len(stage.picks) == len(kernel.params) and picks.issuperset(stage.picks))
    else:
        _require(len(stage.fixed) == len(kernel.params) and not stage.picks)


def _nbytes(tensor: Tensor, sizes: dict[str, int]) -> int:
    dims = [dim if isinstance(dim, int) else sizes[dim] for dim in tensor.dims]
    return math.prod(dims) * tensor.dtype.size


def _require(holds: bool) -> None:
    if not holds:
        raise ValueError("not a plan of these stages")
