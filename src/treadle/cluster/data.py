"""Columns of a dataset through a stream's functions: what one worker of Ray Data does.

In: which columns of a batch are computed with, and what they are called that come of it. Out: the
batch with those columns beside the others. The handler stays with its worker, and so do its plans
and buffers. How datasets are read and batches travel is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from treadle.cluster.parcel import Parcel, unpack
from treadle.cluster.worker import Handler
from treadle.errors import LaunchError

__all__ = ["ColumnMap", "names_of"]

Columns = Mapping[str, np.ndarray[Any, Any]]


def names_of(name: str, value: str | Sequence[str] | None) -> tuple[str, ...]:
    """Read names of columns: one, or several."""
    found = (value,) if isinstance(value, str) else tuple(value or ())
    if not all(isinstance(each, str) and each for each in found):
        raise LaunchError(f"{name}: expected a column's name or several, got {value!r}")
    return found


class ColumnMap:
    """What Ray Data calls with each batch, on one of its actors."""

    def __init__(self, make: Parcel, columns: tuple[str, ...], outputs: tuple[str, ...]) -> None:
        self._handler: Handler = unpack(make, copy=False)()
        self._columns = columns
        self._outputs = outputs

    def __call__(self, batch: Columns) -> dict[str, Any]:
        """Return the batch with what was computed from its columns."""
        missing = [name for name in self._columns if name not in batch]
        if missing:
            raise LaunchError(
                f"columns: the dataset has {', '.join(batch)}; it has no {', '.join(missing)}"
            )
        given = tuple([batch[name] for name in self._columns]) or dict(batch)
        only = given[0] if type(given) is tuple and len(given) == 1 else given
        result = self._handler.handle(only, _always)
        return {**batch, **self._named(result)}

    def _named(self, result: Any) -> dict[str, Any]:
        if isinstance(result, dict):
            return result
        several = tuple(result) if isinstance(result, (tuple, list)) else (result,)
        if len(several) != len(self._outputs):
            raise LaunchError(
                f"outputs: expected names for {len(several)} results, got {self._outputs!r}"
            )
        return dict(zip(self._outputs, several, strict=True))


def _always() -> bool:
    return True
