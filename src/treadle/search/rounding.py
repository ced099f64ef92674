"""Rows to bytes on a device: what `bounds.code_rows` does on the host, for many rows at a time.

In: vectors in memory that the device shares, their mean and unit. Out: words and numbers of each
row, as `bounds.code_rows` gives them but for the last bit of what is rounded: every number bounds
what it has to, and that is all a search asks of it. Knows no layout and no tables.
"""

from __future__ import annotations

import numpy as np

from treadle.runtime.device import Device
from treadle.search.bounds import Array, Coded, words_of
from treadle.search.steps import row_facts, row_words

__all__ = ["code_there", "rounds_there"]

_MANY = 1 << 19  # numbers, from which on a device is asked


def rounds_there(device: Device, count: int, dim: int) -> bool:
    """Whether rows are rounded by the device: one that shares the host's memory and has f64."""
    limits = device.limits
    return limits.shared and "f64" in limits.dtypes and count * dim >= _MANY


def code_there(device: Device, vectors: Array, mean: Array, unit: float) -> Coded:
    """Round rows to bytes."""
    rows, centre, per = device.from_numpy(vectors), device.buffer(mean), 1.0 / unit
    facts = device.submit(row_facts, (rows, centre), per=per)
    inputs = (rows, centre, facts.output[0])
    words = device.submit(row_words, inputs, per=per, words=words_of(vectors.shape[1]))
    words.wait()
    with np.errstate(over="ignore"):
        numbers = np.stack([each.to_numpy() for each in facts.output], axis=1)
        return Coded(words.output.to_numpy(copy=None), numbers.astype(np.float32))
