"""Compiled kernels with what a launch needs to know about sizes.

In: a kernel's code and layout, or a library routine's kernel. Out: costs, inline runs and prepared
steps. What follows from the sizes alone is computed once for each set of sizes and remembered, for
a bounded number of them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from weft.backends.base import Region, Step
from weft.backends.cpu.jit import Code
from weft.backends.cpu.launch import CallStep, NativeStep, Prepared
from weft.backends.cpu.memory import Pool
from weft.codegen.llvm import Layout
from weft.errors import LaunchError
from weft.ir.nodes import Kernel, Tensor

__all__ = ["NativeProgram", "RoutineProgram"]

_REMEMBERED = 256
_NS_PER_MULTIPLY_ADD = 0.03


class _Sized(NamedTuple):
    """What follows from the sizes: units, cost, scratch bytes, packed tail, whether to merge."""

    units: int
    cost: float
    scratch: int
    tail: bytes
    merges: bool


class NativeProgram:
    """Machine code and its argument block."""

    __slots__ = ("_code", "_integers", "_kernel", "_layout", "_pack", "_sized", "_symbols")

    def __init__(self, kernel: Kernel, layout: Layout, code: Code) -> None:
        self._kernel = kernel
        self._layout = layout
        self._code = code
        self._symbols = kernel.symbols
        regions = len(kernel.outputs) + len(kernel.inputs)
        params = "".join("d" if is_float else "q" for is_float in layout.float_params)
        self._pack = struct.Struct(f"={1 + regions}q{params}").pack
        self._integers = [i for i, is_float in enumerate(layout.float_params) if not is_float]
        self._sized: dict[tuple[int, ...], _Sized] = {}

    def _measure(self, dims: tuple[int, ...]) -> _Sized:
        geometry = self._layout.measure(dict(zip(self._symbols, dims, strict=True)))
        numbers = (*dims, *geometry.values)
        tail = struct.pack(f"={len(numbers)}q", *numbers)
        sized = _Sized(geometry.units, geometry.cost, geometry.scratch, tail, geometry.merges)
        if len(self._sized) >= _REMEMBERED:
            self._sized.clear()
        self._sized[dims] = sized
        return sized

    def cost(self, dims: tuple[int, ...]) -> float:
        """Estimated nanoseconds on one core."""
        return (self._sized.get(dims) or self._measure(dims)).cost

    def _block(self, step: Step, sized: _Sized, scratch: int) -> bytes:
        addresses = [memory.address + offset for memory, offset in step.regions]
        params: Any = step.params
        try:
            if self._integers:
                params = list(params)
                for i in self._integers:
                    params[i] = int(params[i])
            return self._pack(scratch, *addresses, *params) + sized.tail
        except (struct.error, OverflowError, ValueError) as error:
            names = ", ".join(p.name for p in self._kernel.params)
            raise LaunchError(
                f"parameters ({names}): {step.params!r} do not fit their types: {error}"
            ) from error

    def run(self, step: Step, pool: Pool) -> None:
        """Run everything on this thread."""
        sized = self._sized.get(step.dims) or self._measure(step.dims)
        scratch = pool.allocate(sized.scratch) if sized.scratch else None
        block = self._block(step, sized, scratch.address if scratch is not None else 0)
        self._code.run(block, 0, sized.units)
        if sized.merges:
            self._code.finish(block)

    def prepare(self, step: Step, pool: Pool, workers: int) -> Prepared:
        """Make a step that workers can share."""
        sized = self._sized.get(step.dims) or self._measure(step.dims)
        scratch = pool.allocate(sized.scratch) if sized.scratch else None
        block = self._block(step, sized, scratch.address if scratch is not None else 0)
        keep = (step, scratch)
        return NativeStep(self._code, block, sized.units, sized.cost, workers, keep)


class RoutineProgram:
    """A library routine: np.matmul, which calls BLAS."""

    __slots__ = ("_costs", "_kernel")

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._costs: dict[tuple[int, ...], float] = {}

    def _shape(self, tensor: Tensor, dims: tuple[int, ...]) -> tuple[int, ...]:
        sizes = dict(zip(self._kernel.symbols, dims, strict=True))
        return tuple(d if isinstance(d, int) else sizes[d] for d in tensor.dims)

    def cost(self, dims: tuple[int, ...]) -> float:
        """Estimated nanoseconds on one core."""
        found = self._costs.get(dims)
        if found is None:
            kernel = self._kernel
            inner = self._shape(kernel.inputs[0], dims)[-1]
            outputs = float(np.prod(self._shape(kernel.outputs[0], dims), dtype=np.float64))
            found = 3000.0 + outputs * inner * _NS_PER_MULTIPLY_ADD
            if len(self._costs) >= _REMEMBERED:
                self._costs.clear()
            self._costs[dims] = found
        return found

    def run(self, step: Step, pool: Pool) -> None:
        """Run the routine on this thread."""
        kernel = self._kernel
        tensors = (*kernel.outputs, *kernel.inputs)
        out, a, b = (
            self._array(t, r, step.dims) for t, r in zip(tensors, step.regions, strict=True)
        )
        np.matmul(a, b, out=out)

    def _array(self, tensor: Tensor, region: Region, dims: tuple[int, ...]) -> np.ndarray[Any, Any]:
        shape = self._shape(tensor, dims)
        return np.ndarray(shape, tensor.dtype.numpy, region.memory, region.offset)

    def prepare(self, step: Step, pool: Pool, workers: int) -> Prepared:
        """Make a step that one worker runs."""
        call: Callable[[], None] = lambda: self.run(step, pool)  # noqa: E731
        return CallStep(call)
