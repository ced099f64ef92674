"""Fused plans on disk, found by what was to be fused.

In: a bound with everything that fusing depends on, or the Fused that came of it. Out: a key, and
the Fused again where an earlier process kept it. The cache vouches that this user wrote it; it is
checked all the same, as an entry may be of other code: its form, the rules of the IR, and that
every kernel stays inside the slots it is given. Whether a chain's reach is that of its loads is not
looked at. An entry that fails is as good as none. Knows neither devices nor programs.
"""

from __future__ import annotations

import functools
import json
import math
import os
from collections.abc import Hashable, Sequence
from typing import Any

from treadle._version import __version__
from treadle.backends.cache import DiskCache, digest
from treadle.errors import TreadleError
from treadle.ir.bound import Bound, Fused, Stage
from treadle.ir.nodes import Kernel, Tensor
from treadle.ir.plain import (
    read_kernel,
    read_spec,
    read_stage,
    write_kernel,
    write_spec,
    write_stage,
)
from treadle.ir.verify import verify

__all__ = ["StoredPlans"]

_FORMAT = "plan 1"
# What a plan follows from. Versions do not change with every edit of a working copy; files do.
_SOURCES = ("ir", "passes", "codegen")


class StoredPlans:
    """The plans that one device keeps on disk."""

    def __init__(self, files: DiskCache, *facts: Hashable) -> None:
        """`facts` are what else fusing depends on: the device's limits."""
        self._files = files
        self._facts = facts

    def key(
        self, bound: Bound, cuts: Sequence[int], shared: frozenset[tuple[int, int]]
    ) -> str | None:
        """Return the name of a bound's structure; None where it cannot be written down."""
        kernels = _Kernels()
        specs = [[write_spec(s) for s in of] for of in (bound.inputs, bound.outputs, bound.temps)]
        stages = [write_stage(stage, kernels.number(stage.kernel)) for stage in bound.stages]
        tables = [[t.shape, t.dtype.str, digest(t.tobytes())] for t in bound.constants]
        try:
            written = [write_kernel(kernel) for kernel in kernels.known]
            around = [cuts, sorted(shared), repr(self._facts)]
            text = json.dumps([specs, stages, written, tables, around])
        except (TypeError, ValueError):  # a constant that JSON does not know
            return None
        return digest(text, _FORMAT, __version__, _stamp())

    def load(self, key: str, bound: Bound) -> Fused | None:
        """Return what fusing the bound gave, if it is there and sound."""
        payload = self._files.load(key)
        if payload is None:
            return None
        try:
            return _read(json.loads(payload), bound)
        except (ValueError, TypeError, KeyError, IndexError, RecursionError, TreadleError):
            return None  # whatever was wrong with it, fusing again is the answer

    def store(self, key: str, bound: Bound, fused: Fused) -> bool:
        """Keep what fusing the bound gave; return whether that worked."""
        kernels = _Kernels([stage.kernel for stage in bound.stages])
        given = len(kernels.known)
        stages = [write_stage(s, kernels.number(s.kernel)) for s in fused.bound.stages]
        try:
            payload = json.dumps(
                {
                    "temps": [write_spec(spec) for spec in fused.bound.temps],
                    "kernels": [write_kernel(kernel) for kernel in kernels.known[given:]],
                    "stages": stages,
                    "groups": fused.groups,
                    "notes": fused.notes,
                }
            )
        except (TypeError, ValueError):
            return False
        return self._files.store(key, payload.encode())


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
def _stamp() -> str:
    """What tells one state of the code that plans from another."""
    root = os.path.dirname(os.path.dirname(__file__))
    found = []
    for folder in _SOURCES:
        try:
            with os.scandir(os.path.join(root, folder)) as entries:
                for entry in entries:
                    if entry.name.endswith(".py"):
                        info = entry.stat()
                        found.append(f"{folder}/{entry.name} {info.st_size} {info.st_mtime_ns}")
        except OSError:  # not files, as in a zip archive, which is not edited in place
            continue
    return "\n".join(sorted(found))


def _read(value: Any, bound: Bound) -> Fused:
    """Build a Fused from plain values; raise where they are not one of this bound."""
    kernels = _Kernels([stage.kernel for stage in bound.stages]).known
    given = len(kernels)
    kernels += [read_kernel(kernel) for kernel in value["kernels"]]
    for kernel in kernels[given:]:
        verify(kernel)
    temps = tuple([read_spec(spec) for spec in value["temps"]])
    stages = tuple([read_stage(stage, kernels) for stage in value["stages"]])
    slots = [spec.nbytes for spec in (*bound.inputs, *bound.outputs, *temps)]
    writable = range(len(bound.inputs), len(slots))
    slots += [table.nbytes for table in bound.constants]
    picks = {pick for stage in bound.stages for pick in stage.picks}
    for stage in stages:
        _check(stage, slots, writable, picks)
    groups = tuple([tuple(group) for group in value["groups"]])
    notes = tuple(value["notes"])
    count = len(bound.stages)
    _require(len(groups) == len(stages) and len(notes) == count)
    _require(all(type(k) is int and 0 <= k < count for group in groups for k in group))
    _require(all(type(note) is str for note in notes))
    made = Bound(bound.inputs, bound.outputs, temps, stages, bound.constants)
    return Fused(made, groups, notes)


def _check(stage: Stage, slots: Sequence[int], writable: range, picks: set[int]) -> None:
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
