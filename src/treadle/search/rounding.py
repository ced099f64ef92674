"""Rows to bytes on a device: what `bounds.code_rows` does on the host, for many rows at a time.

In: vectors in memory that the device shares, their mean and unit. Out: words and numbers of each
row, as `bounds.code_rows` gives them but for the last bit of what is rounded: every number bounds
what it has to, and that is all a search asks of it. Knows no layout and no tables.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from treadle.runtime.command import Command, Status
from treadle.runtime.device import Device
from treadle.search.bounds import Array, Coded, words_of
from treadle.search.steps import row_facts, row_words

__all__ = ["code_there", "rounds_there"]

_MANY = 1 << 19  # numbers, from which on a device is asked
_WORTH = 1 << 22  # numbers, from which on it is worth while to compile for it
_FEW = 64  # rows that it is tried with


_tried: WeakKeyDictionary[Device, dict[int, Command | bool]] = WeakKeyDictionary()


def rounds_there(device: Device, count: int, dim: int) -> bool:
    """Whether rows are rounded by the device: one that shares the host's memory and has f64. The
    host goes on until what the device needs is compiled, which takes longer than a first add."""
    limits = device.limits
    if not limits.shared or "f64" not in limits.dtypes or count * dim < _MANY:
        return False
    tried = _tried.setdefault(device, {})
    known = tried.get(dim)
    if known is None:
        if count * dim < _WORTH:
            return False
        given = np.zeros((_FEW, dim), np.float32), np.zeros(dim), 1.0
        known = tried[dim] = _submitted(device, *given)[1]
    if isinstance(known, Command) and known.done():
        known = tried[dim] = known.status == Status.COMPLETED  # and its memory is free
    return known is True


def code_there(device: Device, vectors: Array, mean: Array, unit: float) -> Coded:
    """Round rows to bytes."""
    facts, words = _submitted(device, vectors, mean, unit)
    words.wait()
    with np.errstate(over="ignore"):
        numbers = np.stack([each.to_numpy() for each in facts.output], axis=1)
        return Coded(words.output.to_numpy(copy=None), numbers.astype(np.float32))


def _submitted(device: Device, vectors: Array, mean: Array, unit: float) -> tuple[Command, Command]:
    rows, centre, per = device.from_numpy(vectors), device.buffer(mean), 1.0 / unit
    facts = device.submit(row_facts, (rows, centre), per=per)
    inputs = (rows, centre, facts.output[0])
    words = words_of(vectors.shape[1])
    return facts, device.submit(row_words, inputs, per=per, words=words)
