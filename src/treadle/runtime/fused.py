"""Fuse by structure: the same stages over other sizes are fused by filling in numbers.

In: a bound, where barriers stand and which slots overlap. Out: what fusing it gives. Fusing looks
at sizes as numbers, since whether two stages agree on a shape is a question about numbers; it is
done once for a structure, and each question that it asks is a guard of what it gave (ir.sizes).
Structures are kept in memory and on disk. Knows no definitions, programs or buffers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from treadle.backends.base import Backend
from treadle.ir.bound import Bound, Fused
from treadle.ir.pattern import Structure, fill_fused, with_sizes
from treadle.ir.sizes import Tape
from treadle.ir.structures import Structures
from treadle.passes import fuse as fusing
from treadle.runtime.stored import StoredPlans, sound

__all__ = ["Fusing"]

_LOOKED = 4096


class Fusing:
    """What a device's limits make of stages, by structure."""

    def __init__(self, backend: Backend, later: Callable[[Callable[[], object]], None]) -> None:
        """`later` has something done that no command waits for."""
        self._backend = backend
        self._later = later
        self._made: Structures[Fused] = Structures(fill_fused)
        self._read: Structures[Fused] = Structures(fill_fused)  # from the disk
        self._looked: dict[Structure, None] = {}  # structures that were looked for there
        files = getattr(backend, "files", None)
        limits = backend.limits
        self._stored = (
            None if files is None else StoredPlans(files, backend.name, limits.near, limits.tensors)
        )

    def fuse(self, bound: Bound, key: Structure, numbers: Sequence[Any]) -> Fused:
        """Make few kernels of many stages, as the device's limits allow; `key` and `numbers` are
        the bound's (ir.pattern)."""
        found = self.known(bound, key, numbers)
        if found is not None:
            return found
        found = self._from_disk(key, numbers, bound)
        if found is None:
            make, told = partial(self._fuse, key), partial(self._keep, key)
            found = self._made.make(key, numbers, make, told)
        return _with_tables(found, bound)

    def known(self, bound: Bound, key: Structure, numbers: Sequence[Any]) -> Fused | None:
        """Return what fuse returns where this process has fused or read the like; else None."""
        found = self._made.find(key, numbers)
        if found is None and key in self._looked:
            found = self._from_disk(key, numbers, bound)
        return None if found is None else _with_tables(found, bound)

    def _fuse(self, key: Structure, numbers: Sequence[Any]) -> Fused:
        limits, fits = self._backend.limits, None
        if limits.tiles:
            from treadle.passes.schedule.gpu import fits as chain_fits  # only GPUs pay for it

            fits = partial(chain_fits, target=self._backend.target)
        return fusing.fuse(
            with_sizes(key, numbers),
            near=limits.near,
            tensors=limits.tensors,
            shared=key.shared,
            cuts=key.cuts,
            fits=fits,
        )

    def _from_disk(self, key: Structure, numbers: Sequence[Any], bound: Bound) -> Fused | None:
        if self._stored is None:
            return None
        if key not in self._looked:
            if len(self._looked) >= _LOOKED:
                self._looked.clear()
            self._looked[key] = None
            for tape, template in self._stored.load(key):
                self._read.add(key, tape, template)
        found = self._read.find(key, numbers)
        # What was read has been checked for the sizes that it was made for, not for these.
        return found if found is not None and sound(found, bound) else None

    def _keep(self, key: Structure, tape: Tape, template: Fused) -> None:
        if self._stored is not None:
            self._later(partial(self._stored.store, key, tape, template))


def _with_tables(found: Fused, bound: Bound) -> Fused:
    """Tables are no part of a structure; what they hold is not looked at."""
    return replace(found, bound=replace(found.bound, constants=bound.constants))
