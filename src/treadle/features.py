"""The module-level functions of what many programs never use: streams, models, surfaces, batching.

In: what users write. Out: calls of the packages that do the work, each of which is loaded when the
first function of its own is called; there is no logic here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar, overload

from treadle.errors import entrance
from treadle.lang import operators
from treadle.runtime.buffer import Buffer
from treadle.runtime.command import Command
from treadle.runtime.device import Device
from treadle.runtime.priority import Priority

if TYPE_CHECKING:
    from treadle.batching import Batched
    from treadle.lang.definition import Definition
    from treadle.models import Model
    from treadle.pages import Dashboard
    from treadle.pipeline import Pipeline
    from treadle.streaming.report import Report
    from treadle.streaming.stream import Stream
    from treadle.surfaces import Surface

Params = Mapping[str, object]
R = TypeVar("R")


# Streams.


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


# Models.


@entrance
def model(
    source: str | PathLike[str] | bytes,
    *,
    device: Device | str | None = None,
    threads: int | None = None,
    providers: Sequence[Any] | str | None = None,
    precision: str | None = None,
    outputs: Sequence[str] | None = None,
    state: Mapping[str, str] | None = None,
    name: str | None = None,
) -> Model:
    """Load a network from an ONNX file, or from its bytes, to call, to await and for pipelines.

    `threads` is how many compute one run (all cores); `providers` are onnxruntime's, by their names
    or as 'cpu', 'cuda' (what fits the device); `precision` is 'exact', 'fast' (less of it on
    hardware that gains by that) or None (as the provider does it). `outputs` are those that are
    wanted (all); `state` maps an output to the input that takes it in the next call. By a `name`
    that is given, it can be submitted like a kernel's."""
    from treadle.models import Model

    return Model(
        source,
        device=device,
        threads=threads,
        providers=providers,
        precision=precision,
        outputs=outputs,
        state=state,
        name=name,
    )


# Surfaces.


@entrance
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


@entrance
def set_pixels(surface: Surface, pixels: Any) -> Surface:
    """Choose what a surface shows next, and return it; see Surface.set_pixels for what it takes."""
    return surface.set_pixels(pixels)


@entrance
def present(surface: Surface) -> Command:
    """Show what was set on a surface, and return the command at once."""
    return surface.present()


@entrance
def run_to_surface(
    kernel: Any, inputs: Sequence[Buffer] | Buffer, *target: Any, **params: Any
) -> Command:
    """Run a kernel and show what it gives; return the command that ends it, at once.

    `target` is the surface, or the output and the surface, and then perhaps a mapping of
    parameters, as the documents have it."""
    from treadle.surfaces import run_to_surface as run

    return run(kernel, inputs, *target, **params)


# Batching.


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


# Pages.


def dashboard(port: int = 0) -> Dashboard:
    """Serve a live page of devices, memory, streams and the timeline to this machine's browser.

    Open the `address` of what it returns, and `close` it. Nothing is recorded while no page is
    open."""
    from treadle.pages import Dashboard

    return Dashboard(port)


# Arrays.


def _array_namespace(version: str | None) -> Any:
    """The functions of the array API standard, which know its versions up to one."""
    from treadle import array_api

    newest = array_api.__array_api_version__
    if version is not None and not "2021.12" <= version <= newest:
        raise ValueError(f"api_version: expected 2021.12 to {newest}, got {version!r}")
    return array_api


operators.array_namespace = _array_namespace
