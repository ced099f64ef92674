"""The device "reference": kernels executed by the interpreter that defines them.

In: kernels and host memory. Out: exact, slow results, before `launch` returns. It is for debugging
kernels and for tests of other devices; it renders and compiles nothing.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from time import perf_counter_ns
from typing import Any

import numpy as np

from treadle._version import __version__
from treadle.backends.base import (
    DONE,
    Copy,
    DeviceInfo,
    Done,
    Fence,
    Limits,
    Program,
    Region,
    Source,
    Step,
)
from treadle.dtypes import STORED, DType
from treadle.errors import DeviceLost, OutOfMemory
from treadle.ir.interpret import interpret
from treadle.ir.nodes import Kernel, Tensor
from treadle.ir.schedule import Schedule, Target

__all__ = ["ReferenceBackend"]


class HostMemory:
    """Bytes in a NumPy array."""

    __slots__ = ("data",)

    def __init__(self, data: np.ndarray[Any, Any]) -> None:
        self.data = data

    @property
    def capacity(self) -> int:
        """Usable bytes."""
        return int(self.data.nbytes)

    def __repr__(self) -> str:
        return f"HostMemory({self.capacity} bytes)"


def _bytes(region: Region, nbytes: int) -> np.ndarray[Any, Any]:
    data: np.ndarray[Any, Any] = region.memory.data[region.offset : region.offset + nbytes]
    return data


class ReferenceBackend:
    """Runs every kernel through treadle.ir.interpret."""

    name = "reference"
    routines: frozenset[str] = frozenset()
    target = Target()
    limits = Limits(
        dtypes=frozenset(STORED),
        max_buffer=1 << 40,
        lanes=1,
        signals=True,
        ordered=False,
        tolerance=dict.fromkeys(DType, 0.0),
        tensors=0,  # the definition of what fused kernels have to equal
        shared=True,
    )

    def __init__(self) -> None:
        self.timing = False
        self.pool_limit = 0
        self._closed = False

    def __repr__(self) -> str:
        return "ReferenceBackend()"

    def info(self) -> DeviceInfo:
        """Describe the device."""
        return DeviceInfo(
            name="NumPy interpreter",
            backend=self.name,
            gpu=False,
            memory=0,
            compute_units=1,
            dtypes=STORED,
            version=__version__,
            driver=f"NumPy {np.__version__}, Python {platform.python_version()}",
        )

    def allocate(self, nbytes: int) -> HostMemory:
        """Return uninitialised memory; raise OutOfMemory."""
        try:
            return HostMemory(np.empty(nbytes, np.uint8))
        except MemoryError as error:
            raise OutOfMemory(f"no room for a buffer of {nbytes} bytes") from error

    def trim(self) -> int:
        """Give nothing back: nothing is kept."""
        return 0

    def memory(self) -> tuple[int, int]:
        """Return nothing: what is not used goes back at once."""
        return 0, 0

    def write(self, target: Region, data: np.ndarray[Any, Any]) -> None:
        """Copy an array's bytes into memory."""
        _bytes(target, data.nbytes)[:] = data.reshape(-1).view(np.uint8)

    def read(self, source: Region, out: np.ndarray[Any, Any]) -> None:
        """Copy bytes from memory into an array."""
        out.reshape(-1).view(np.uint8)[:] = _bytes(source, out.nbytes)

    def view(self, source: Region, nbytes: int) -> np.ndarray[Any, Any]:
        """Return the bytes in place."""
        return _bytes(source, nbytes)

    def adopt(self, array: np.ndarray[Any, Any]) -> HostMemory | None:
        """Take a contiguous array as memory."""
        if not (array.flags.c_contiguous and array.flags.aligned and array.flags.writeable):
            return None
        return HostMemory(array.reshape(-1).view(np.uint8))

    def replaces(self, kernel: Kernel) -> bool:
        """Say whether a library routine computes a kernel: there are none."""
        return False

    def render(self, schedule: Schedule) -> Source:
        """Wrap a kernel; its text is its representation."""
        kernel = schedule.kernel
        return Source(kernel, "treadle-ir", kernel.name, repr(kernel))

    def compile(self, source: Source) -> Program:
        """Wrap a source; there is nothing to compile."""
        return Program(source.kernel, None)

    def launch(
        self,
        steps: Sequence[Step | Copy],
        done: Callable[[Fence], None],
        *,
        lane: int = 0,
        priority: int = 1,
        after: Sequence[Fence] = (),
        taken: list[Fence | None] | None = None,
    ) -> Fence:
        """Run the steps now."""
        if self._closed:
            raise DeviceLost("device 'reference' was closed")
        at = -1
        start = perf_counter_ns() if self.timing else 0
        try:
            for step in steps:
                at += 1
                if isinstance(step, Copy):
                    _bytes(step.target, step.nbytes)[:] = _bytes(step.source, step.nbytes)
                else:
                    _run(step)
        except Exception as error:
            error.step = at  # type: ignore[attr-defined]  # the runtime names the stage
            return Done(error, (start, perf_counter_ns()) if start else None)
        return Done(None, (start, perf_counter_ns())) if start else DONE

    def close(self) -> None:
        """Refuse further launches."""
        self._closed = True


def _run(step: Step) -> None:
    kernel = step.program.kernel
    dims = dict(zip(kernel.symbols, step.dims, strict=True))
    params = {p.name: v for p, v in zip(kernel.params, step.params, strict=True)}

    def array(tensor: Tensor, region: Region) -> np.ndarray[Any, Any]:
        shape = tuple(d if isinstance(d, int) else dims[d] for d in tensor.dims)
        count = int(np.prod(shape, dtype=np.int64))
        flat = _bytes(region, count * tensor.dtype.size)
        return flat.view(tensor.dtype.numpy).reshape(shape)

    n = len(kernel.outputs)
    outputs = [array(t, r) for t, r in zip(kernel.outputs, step.regions[:n], strict=True)]
    inputs = [array(t, r) for t, r in zip(kernel.inputs, step.regions[n:], strict=True)]
    results = interpret(kernel, inputs, dims, params)
    for target, result in zip(outputs, results, strict=True):
        target[...] = result
