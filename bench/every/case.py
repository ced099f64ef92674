"""What one line of the table runs: a kernel, what fills its inputs, and who else can do it.

In: shapes and the names of fillings. Out: arrays, the same ones in every run. It knows no device
and no library; a peer gets its library as an argument.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["LARGE", "SMALL", "Case", "Given", "Peer", "filled", "of", "same", "square"]

LARGE, SMALL = 1 << 24, 1 << 16
Peer = Callable[..., Any]  # takes its library and the inputs as that library holds them
Given = tuple[tuple[int, ...], str]  # a shape, and what fills it
Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """A kernel over inputs, and what other libraries call the same."""

    kernel: str
    inputs: tuple[Given | Array, ...]
    peers: Mapping[str, Peer] = field(default_factory=dict)  # by library: numpy, scipy, torch, cv2
    params: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    close: float = 1e-4  # of the largest number; whole numbers are equal but for roundings
    read: float = 1.0  # the share of the first input that the result depends on

    @property
    def size(self) -> str:
        """The shape of the largest input."""
        shapes = [one[0] if isinstance(one, tuple) else one.shape for one in self.inputs]
        return "x".join(map(str, max(shapes, key=lambda shape: np.prod(shape))))


def of(**peers: str | Peer) -> dict[str, Peer]:
    """Peers by library; a name stands for a function of that library that takes the inputs."""
    return {
        library: _called(peer) if isinstance(peer, str) else peer for library, peer in peers.items()
    }


def _called(path: str) -> Peer:
    def call(library: Any, *arrays: Any) -> Any:
        for name in path.split("."):
            library = getattr(library, name)
        return library(*arrays)

    return call


def square(count: int) -> tuple[int, int]:
    """The shape of a square of about so many elements, a power of two of them."""
    side = 1 << (count.bit_length() // 2)
    return side, count // side


def filled(given: Given | Array, number: int, dtype: str = "f4") -> Array:
    """The array of an input; `dtype` is that of real numbers."""
    if not isinstance(given, tuple):
        return given
    shape, fill = given
    rng = np.random.default_rng((7, number))
    kind, _, most = fill.partition("below ")
    if kind == "apart ":  # each once
        if len(shape) == 2 and shape[1] == 1:
            return rng.permutation(int(most))[: shape[0], None].astype(np.int32)
        rows = [rng.permutation(int(most))[: shape[1]] for _ in range(min(shape[0], 64))]
        return np.resize(np.array(rows, np.int32), shape)
    if most:
        return rng.integers(0, int(most), shape, np.int32)
    if fill == "whole":
        return rng.integers(0, 1 << 30, shape, np.int32)
    if fill == "bits":
        return rng.integers(0, 1 << 32, shape, np.uint32)
    if fill == "byte":
        return rng.integers(0, 256, shape, np.uint8)
    if fill == "truth":
        return rng.integers(0, 2, shape, np.uint8).astype(bool)
    if fill == "unit":
        return rng.uniform(-1, 1, shape).astype(dtype)
    values = rng.standard_normal(shape, np.float32).astype(dtype)
    if fill == "about 1":
        return (1 + values * 1e-4).astype(dtype)
    if fill == "sorted":
        return np.sort(values)
    if fill in ("positive", "above 1"):
        return np.abs(values) + values.dtype.type(fill == "above 1")
    return values


def same(ours: Array, theirs: Array, close: float) -> bool:
    """Whether two answers are one, but for a ten-thousandth of the numbers that round elsewhere."""
    a, b = ours.reshape(-1), theirs.reshape(-1)
    if a.size != b.size:
        return False
    if a.dtype.kind != "f":
        step = 1 if a.dtype == np.uint8 else 0
        apart = np.abs(a.astype(np.int64) - b.astype(np.int64)) > step
        return bool(apart.mean() <= 1e-4)
    a, b = a.astype(np.float64), b.astype(np.float64)
    plain = np.isfinite(a) & np.isfinite(b)
    if (np.isfinite(a) != np.isfinite(b)).mean() > 1e-4:
        return False
    limit = close * max(np.abs(b[plain]).max(initial=0), 1e-30)
    return bool((np.abs(a - b)[plain] > limit).mean() <= 1e-4) if plain.any() else True
