"""Values of a graph: buffers, and calls of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import treadle
from treadle.dtypes import STORED

Array = np.ndarray[Any, Any]
BOOL = np.dtype(bool)
KINDS = {dtype.numpy for dtype in STORED}


class Refused(Exception):
    """Something that no kernel here means, or a dtype that no buffer has."""


class Tensor:
    """An array of a graph; it is where it was made, and goes to the device when a kernel asks."""

    def __init__(self, value: Any) -> None:
        self._array: Array | None = None
        self._buffer: Any = None
        if isinstance(value, treadle.Buffer):
            self._buffer = value
            self.kind: np.dtype[Any] = value.dtype.numpy
        else:
            self._array = np.asarray(value)
            self.kind = self._array.dtype
        if self.kind not in KINDS:
            raise Refused(f"dtype {self.kind}")
        self.shape: tuple[int, ...] = tuple((self._buffer if self._array is None else value).shape)
        self.ndim = len(self.shape)
        self.whole = self.kind.kind in "iu"

    @property
    def buffer(self) -> Any:
        """The array on the device."""
        if self._buffer is None:
            self._buffer = treadle.buffer(np.ascontiguousarray(self.array).reshape(self.shape))
        return self._buffer

    @property
    def array(self) -> Array:
        """The array on the host."""
        if self._array is None:
            self._array = self._buffer.to_numpy()
        return self._array

    def numbers(self) -> tuple[int, ...]:
        """Whole numbers that a kernel takes as a parameter."""
        return tuple(int(n) for n in self.array.reshape(-1))

    def reshape(self, *shape: int) -> Tensor:
        """The same elements under another shape."""
        if self._buffer is None:
            return Tensor(self.array.reshape(shape))
        return Tensor(self._buffer.reshape(shape))


def call(kernel: str, *inputs: Tensor | None, **params: Any) -> Any:
    """Run a kernel; what it refuses is refused."""
    try:
        given = [t.buffer for t in inputs if t is not None]
        made = treadle.run_kernel(kernel, given, **params)
    except treadle.LaunchError as error:
        raise Refused(f"{kernel}: {error}") from error
    return tuple(map(Tensor, made)) if isinstance(made, tuple) else Tensor(made)


def cast(x: Tensor, kind: Any) -> Tensor:
    """The same numbers in another type."""
    kind = np.dtype(kind)
    if kind not in KINDS:
        raise Refused(f"dtype {kind}")
    made: Tensor = x if kind == x.kind else call("cast", x, dtype=kind)
    return made


def same_kind(inputs: Sequence[Tensor]) -> np.dtype[Any]:
    """The one type of several inputs."""
    kinds = {x.kind for x in inputs}
    if len(kinds) != 1:
        raise Refused(f"inputs of several types: {sorted(map(str, kinds))}")
    return inputs[0].kind


def scalar(x: Tensor, value: Any) -> Tensor:
    """A number of the type that a tensor has."""
    return Tensor(np.asarray(value, x.kind))
