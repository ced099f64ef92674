"""Values of a graph: buffers with the element type that ONNX has for them, and calls of kernels.

A condition is bool to ONNX; where buffers hold no bool it is a u8 buffer, known to be one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import treadle
from treadle.dtypes import STORED

Array = np.ndarray[Any, Any]
BOOL = np.dtype(bool)
KINDS = {dtype.numpy for dtype in STORED} | {BOOL}
STORES_BOOL = BOOL in {dtype.numpy for dtype in STORED}


class Refused(Exception):
    """Something that no kernel here means, or a dtype that no buffer has."""


class Tensor:
    """An array of a graph; it is where it was made, and goes to the device when a kernel asks."""

    def __init__(self, value: Any, kind: Any = None) -> None:
        self._array: Array | None = None
        self._buffer: Any = None
        if isinstance(value, treadle.Buffer):
            self._buffer = value
            self.kind = np.dtype(kind) if kind is not None else value.dtype.numpy
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
            array = np.ascontiguousarray(self.array).reshape(self.shape)
            bare = self.kind == BOOL and not STORES_BOOL
            self._buffer = treadle.buffer(array.view(np.uint8) if bare else array)
        return self._buffer

    @property
    def array(self) -> Array:
        """The array on the host."""
        if self._array is None:
            found = self._buffer.to_numpy()
            self._array = found.astype(bool) if self.kind == BOOL else found
        return self._array

    def numbers(self) -> tuple[int, ...]:
        """Whole numbers that a kernel takes as a parameter."""
        return tuple(int(n) for n in self.array.reshape(-1))

    def reshape(self, *shape: int) -> Tensor:
        """The same elements under another shape."""
        if self._buffer is None:
            return Tensor(self.array.reshape(shape))
        return Tensor(self._buffer.reshape(shape), self.kind)


def call(kernel: str, *inputs: Tensor | None, kind: Any = None, **params: Any) -> Any:
    """Run a kernel; what it gives is of a kind that differs from its dtype only for conditions."""
    try:
        given = [t.buffer for t in inputs if t is not None]
        made = treadle.run_kernel(kernel, given, **params)
    except treadle.LaunchError as error:
        raise Refused(f"{kernel}: {error}") from error
    several = made if isinstance(made, tuple) else (made,)
    out = [Tensor(buffer, kind) for buffer in several]
    return tuple(out) if isinstance(made, tuple) else out[0]


def cast(x: Tensor, kind: Any) -> Tensor:
    """The same numbers in another type."""
    kind = np.dtype(kind)
    if kind not in KINDS:
        raise Refused(f"dtype {kind}")
    if kind == x.kind:
        return x
    if kind == BOOL:
        zero = Tensor(np.zeros((), np.uint8 if x.kind == BOOL else x.kind))
        return condition("not_equal", x, zero)
    made: Tensor = call("cast", x, dtype=kind)
    return made


def condition(kernel: str, *inputs: Tensor) -> Tensor:
    """Run a kernel that gives conditions."""
    made: Tensor = call(kernel, *inputs, kind=BOOL)
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
