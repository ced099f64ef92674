"""The module-level functions: everything on the default device.

In: what users write. Out: calls of Device, Buffer and Command, which do the work; there is no logic
here but the choice of the device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import PathLike
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

import numpy as np

from treadle._version import __version__
from treadle.backends.base import DeviceInfo
from treadle.dtypes import STORED, DType
from treadle.errors import entrance
from treadle.lang import registry as definitions
from treadle.runtime import registry
from treadle.runtime.buffer import Buffer
from treadle.runtime.buffer import free_many as free_many
from treadle.runtime.command import Command, Status
from treadle.runtime.device import Device, device, devices
from treadle.runtime.registry import AsCompleted
from treadle.trace import Trace
from treadle.typed import DTypeLike, ShapeLike

if TYPE_CHECKING:
    from treadle.lang.definition import KernelInfo
    from treadle.pipeline import Pipeline, Traced

P = ParamSpec("P")
R = TypeVar("R")


# Devices.


@entrance
def device_info(name: str | Device | None = None) -> DeviceInfo:
    """Describe a device, by default the one in use; `dict(...)` of it works."""
    return device(name).info


def device_count() -> int:
    """Count the devices that are present here."""
    return len(devices())


def gpu_available() -> bool:
    """Say whether a device on real graphics hardware is present."""
    return any(device_info(name).gpu for name in devices())


def dtypes(name: str | Device | None = None) -> list[DType]:
    """Return the element types that a device has, by default the one in use."""
    have = device(name).limits.dtypes
    return [dtype for dtype in STORED if dtype in have]


def kernels() -> list[str]:
    """Return the names of all kernels, those registered at run time included."""
    return definitions.names()


@entrance
def kernel_info(name: str) -> KernelInfo:
    """Describe a kernel: its signature, parameters and documentation."""
    from treadle.runtime.informed import describe  # which few programs ask for

    return describe(definitions.lookup(name))


def version() -> str:
    """Return the version of Treadle."""
    return __version__


# Buffers.


@entrance
def buffer(data: Any, shape: ShapeLike | None = None, dtype: DTypeLike | None = None) -> Buffer:
    """Copy data into a new buffer; see Device.buffer for what it takes."""
    return device().buffer(data, shape, dtype)


@entrance
def buffer_zeros(shape: ShapeLike, dtype: DTypeLike = DType.F32) -> Buffer:
    """Make a buffer of zeros."""
    return device().buffer_zeros(shape, dtype)


@entrance
def buffer_from_binary(data: Any, shape: ShapeLike, dtype: DTypeLike) -> Buffer:
    """Copy raw bytes into a new buffer of the given shape and dtype."""
    return device().buffer_from_binary(data, shape, dtype)


@entrance
def empty(shape: ShapeLike, dtype: DTypeLike = DType.F32) -> Buffer:
    """Make a buffer without setting its contents."""
    return device().empty(shape, dtype)


@entrance
def from_numpy(array: Any, *, copy: bool | None = None) -> Buffer:
    """Make a buffer from an array, in place where the device can; see Device.from_numpy."""
    return device().from_numpy(array, copy=copy)


@entrance
def from_dlpack(data: Any, *, copy: bool | None = None) -> Buffer:
    """Make a buffer from another library's array through DLPack, in place where possible."""
    return device().from_dlpack(data, copy=copy)


@entrance
def to_numpy(buffer: Buffer, *, copy: bool | None = True) -> np.ndarray[Any, Any]:
    """Wait for pending writers and return a buffer's contents as an array; see Buffer.to_numpy."""
    return buffer.to_numpy(copy=copy)


@entrance
def read(buffer: Buffer) -> bytes:
    """Wait for pending writers and return a buffer's contents as bytes."""
    return buffer.read()


@entrance
def read_binary(buffer: Buffer) -> memoryview:
    """Wait for pending writers and return a buffer's contents, in place where possible."""
    return buffer.read_binary()


@entrance
def read_list(buffer: Buffer) -> Any:
    """Wait for pending writers and return a buffer's contents as a nested list."""
    return buffer.read_list()


@entrance
def write(buffer: Buffer, data: Any) -> Buffer:
    """Wait for pending users, replace a buffer's contents, and return it."""
    return buffer.write(data)


def shape(buffer: Buffer) -> tuple[int, ...]:
    """Return a buffer's shape."""
    return buffer.shape


def dtype(buffer: Buffer) -> DType:
    """Return a buffer's element type."""
    return buffer.dtype


def size(buffer: Buffer) -> int:
    """Return a buffer's size in bytes."""
    return buffer.size


@entrance
def free(buffer: Buffer) -> None:
    """Release a buffer at once."""
    buffer.free()


# Commands.


@entrance
def poll(command: Command | int) -> Status:
    """Return where a command, or the one with this id, stands; never blocks."""
    return registry.find(command).poll()


@overload
def wait(command: Command[R], timeout: float | None = ...) -> Command[R]: ...
@overload
def wait(command: int, timeout: float | None = ...) -> Command[Any]: ...
@entrance
def wait(command: Command | int, timeout: float | None = None) -> Command:
    """Block until a command, or the one with this id, ends, and return it; raise what went wrong.

    A CommandTimeout leaves it running. Of one that has ended, an id gives those outputs that
    the caller still holds; asking for another is BufferFreed."""
    return registry.find(command).wait(timeout)


@entrance
def cancel(command: Command | int) -> bool:
    """Drop a command that has not started, and say whether that was so."""
    return registry.find(command).cancel()


@entrance
def wait_all(
    commands: Iterable[Command[R] | int], timeout: float | None = None
) -> list[Command[R]]:
    """Block until all have ended and return them; raise the first failure in their order."""
    return registry.wait_all(commands, timeout)


def as_completed(commands: Iterable[Command | int], timeout: float | None = None) -> AsCompleted:
    """Yield commands in the order in which they end, for `for` and for `async for`.

    Failed and cancelled ones come too, and raise nothing; CommandTimeout comes after `timeout`."""
    return AsCompleted(commands, timeout)


# Pipelines.


@overload
def pipeline(device: Callable[P, R], *, tolerance: float = 0.0) -> Traced[P, R]: ...
@overload
def pipeline(
    device: str | Device | None = None, *, name: str | None = None, tolerance: float = 0.0
) -> Pipeline: ...
@entrance
def pipeline(device: Any = None, *, name: str | None = None, tolerance: float = 0.0) -> Any:
    """Make an empty pipeline on a device, by default the one in use; or decorate a function.

    `@treadle.pipeline` on a function of buffers that calls kernels makes it a pipeline: it is
    traced once for each set of shapes and dtypes, fused, and run when it is called.

    `tolerance` is how many steps of 255 a u8 output may be away from the exact result: a device
    may then compute in fixed point, where it can prove that it stays within; plan() says so."""
    from treadle.pipeline import Pipeline, Traced  # with the first pipeline

    if callable(device) and not isinstance(device, Device):
        return Traced(device, tolerance)
    return Pipeline(device, name, tolerance)


@entrance
def pipeline_add(pipeline: Pipeline, *stage: Any, **options: Any) -> Pipeline:
    """Add a stage to a pipeline and return it; see Pipeline.add for the forms it takes."""
    return pipeline.add(*stage, **options)


@entrance
def pipeline_run(pipeline: Pipeline) -> Any:
    """Run a pipeline, wait for it, and return what its last stage wrote."""
    return pipeline.run()


def pipeline_free(pipeline: Pipeline) -> None:
    """Let go of a pipeline's buffers and scratch; what is in flight runs to its end."""
    pipeline.free()


free_pipeline = pipeline_free  # the documents have both names


# Traces.


def trace(path: str | PathLike[str] | None = None) -> Trace:
    """Record what runs inside a `with` block; with a path, write it there for Perfetto."""
    return Trace(path)
