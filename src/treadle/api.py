"""The module-level functions: everything on the default device.

In: what users write. Out: calls of Device, Buffer and Command, which do the work; there is no logic
here but the choice of the device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

import numpy as np

from treadle._version import __version__
from treadle.backends.base import DeviceInfo
from treadle.dtypes import STORED, DType
from treadle.errors import entrance
from treadle.lang import registry as definitions
from treadle.pipeline import Pipeline, Traced
from treadle.runtime import registry
from treadle.runtime.buffer import Buffer
from treadle.runtime.buffer import free_many as free_many
from treadle.runtime.command import Command, Status
from treadle.runtime.device import Device, device, devices
from treadle.runtime.priority import Priority
from treadle.runtime.registry import AsCompleted
from treadle.trace import Trace
from treadle.typed import DTypeLike, ShapeLike

if TYPE_CHECKING:
    from treadle.batching import Batched
    from treadle.lang.definition import Definition, KernelInfo
    from treadle.models import Model
    from treadle.streaming.report import Report
    from treadle.streaming.stream import Stream
    from treadle.surfaces import Surface

Params = Mapping[str, object]
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
    found: KernelInfo = definitions.lookup(name).info()
    return found


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


# Streams. Their machinery is loaded when the first one is made.


@overload
def stream(
    batches: Any,
    *,
    compute: Any,
    prepare: Callable[[Any], Any] | None = ...,
    collect: Callable[[Any], R],
    max_in_flight: int | str = ...,
    max_bytes: int | None = ...,
    ordered: bool = ...,
    on_error: str | Callable[[Any], Any] = ...,
    device: Device | str | None = ...,
    params: Params | None = ...,
    priority: Priority | str | None = ...,
    inputs: str | Sequence[str] | None = ...,
    outputs: Mapping[str, Any] | None = ...,
    copy: bool = ...,
    workers: int = ...,
    latest: bool = ...,
    deadline: float | None = ...,
    progress: bool | Callable[[Report], Any] = ...,
) -> Stream[R]: ...
@overload
def stream(
    batches: Any,
    *,
    compute: Any,
    prepare: Callable[[Any], Any] | None = ...,
    collect: None = ...,
    max_in_flight: int | str = ...,
    max_bytes: int | None = ...,
    ordered: bool = ...,
    on_error: str | Callable[[Any], Any] = ...,
    device: Device | str | None = ...,
    params: Params | None = ...,
    priority: Priority | str | None = ...,
    inputs: str | Sequence[str] | None = ...,
    outputs: Mapping[str, Any] | None = ...,
    copy: bool = ...,
    workers: int = ...,
    latest: bool = ...,
    deadline: float | None = ...,
    progress: bool | Callable[[Report], Any] = ...,
) -> Stream[Any]: ...
@entrance
def stream(
    batches: Any,
    *,
    compute: Any,
    prepare: Callable[[Any], Any] | None = None,
    collect: Callable[[Any], Any] | None = None,
    max_in_flight: int | str = 3,
    max_bytes: int | None = None,
    ordered: bool = True,
    on_error: str | Callable[[Any], Any] = "raise",
    device: Device | str | None = None,
    params: Params | None = None,
    priority: Priority | str | None = None,
    inputs: str | Sequence[str] | None = None,
    outputs: Mapping[str, Any] | None = None,
    copy: bool = True,
    workers: int = 1,
    latest: bool = False,
    deadline: float | None = None,
    progress: bool | Callable[[Report], Any] = False,
) -> Stream:
    """Run batches through prepare, compute and collect, all three at the same time.

    Iterate over what it returns, with `for` or `async for`: results come in order, each once. While
    the device computes one batch, threads prepare the next and collect the one before. Its `report`
    says what the time went into."""
    from treadle.streaming.stream import Stream

    return Stream(
        batches,
        compute=compute,
        prepare=prepare,
        collect=collect,
        max_in_flight=max_in_flight,
        max_bytes=max_bytes,
        ordered=ordered,
        on_error=on_error,
        device=device,
        params=params,
        priority=priority,
        inputs=inputs,
        outputs=outputs,
        copy=copy,
        workers=workers,
        latest=latest,
        deadline=deadline,
        progress=progress,
    )


@entrance
def pipelined(
    batches: Any, encode: Callable[[Any], Any], max_in_flight: int | str = 3, **options: Any
) -> Stream:
    """Keep several batches under way, each started by `encode(batch)`, and yield what they gave.

    `encode` submits commands and returns them, or awaits them; it gets each batch as it is, and
    buffers come out as buffers. Options are those of stream."""
    from treadle.streaming.stream import Stream

    options = {"copy": False, **options}
    return Stream(batches, compute=encode, max_in_flight=max_in_flight, **options)


@entrance
def double_buffered(batches: Any, **options: Any) -> Stream:
    """Run a stream with two sets of buffers that take turns; options are those of stream."""
    from treadle.streaming.stream import Stream

    return Stream(batches, max_in_flight=2, **options)


# Models, loaded with the first one.


@entrance
def model(source: str | PathLike[str] | bytes, **options: Any) -> Model:
    """Load a network from an ONNX file, or from its bytes, to call, to await and for pipelines.

    Options are those of treadle.models.Model: device, threads, providers, precision, outputs, state
    and name; by a name that is given, the network can be submitted like a kernel."""
    from treadle.models import Model

    return Model(source, **options)


# Surfaces, loaded with the first one that is made.


def surface(
    width: int,
    height: int,
    kind: str = "auto",
    title: str = "Treadle",
    *,
    fit: str = "contain",
    device: Device | str | None = None,
) -> Surface:
    """Make a surface that shows pictures: a window, a notebook's cell, or pixels in memory.

    `kind` is "window", "notebook" or "offscreen"; "auto" takes what is there. A device that draws
    shows its own buffers without a copy: `device`, else the one in use if it can, else webgpu."""
    from treadle.surfaces import Surface

    return Surface(width, height, kind, title, fit=fit, where=device)


create_surface = surface  # the documents' name


def set_pixels(surface: Surface, pixels: Any) -> Surface:
    """Choose what a surface shows next, and return it; see Surface.set_pixels for what it takes."""
    return surface.set_pixels(pixels)


def present(surface: Surface) -> Command:
    """Show what was set on a surface, and return the command at once."""
    return surface.present()


def run_to_surface(
    kernel: Any, inputs: Sequence[Buffer] | Buffer, *target: Any, **params: Any
) -> Command:
    """Run a kernel and show what it gives; return the command that ends it, at once.

    `target` is the surface, or the output and the surface, and then perhaps a mapping of
    parameters, as the documents have it."""
    from treadle.surfaces import run_to_surface as run

    return run(kernel, inputs, *target, **params)


# Batching, loaded with the first function that is made one.


@overload
def batched(
    function: Callable[..., Any] | str | Definition | Pipeline, /, **options: Any
) -> Batched: ...
@overload
def batched(
    function: None = None,
    /,
    *,
    max_size: int = 32,
    max_delay: float = 0.002,
    stack: bool = True,
    rows: bool = False,
    max_waiting: int = 4096,
    max_in_flight: int | None = None,
    timeout: float | None = None,
    priority: Priority | str | None = None,
    retry: bool = True,
    device: Device | str | None = None,
    params: Params | None = None,
    inputs: str | Sequence[str] | None = None,
    outputs: Mapping[str, Any] | None = None,
    name: str | None = None,
) -> Callable[[Any], Batched]: ...
@entrance
def batched(function: Any = None, /, **options: Any) -> Any:
    """Turn a function of a batch into an awaitable of one item; a decorator, or a call.

    Callers that come at the same time are answered by one call of the function, kernel or
    pipeline, of at most `max_size` items, none of which waits longer than `max_delay` seconds for
    the others; a caller that is alone does not wait. With `stack` items are put behind each other
    along a new first axis, with `rows` each brings rows of its own, and with stack=False the
    function gets a list. More than `max_waiting` items are QueueFull. A batch that fails is run
    again in halves, unless `retry` is false."""
    from treadle.batching import Batched

    if function is None:
        return lambda function: Batched(function, **options)
    return Batched(function, **options)
