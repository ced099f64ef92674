"""Streams over the machines of a cluster, with Ray.

In: batches and functions. Out: results, each exactly once, although workers die, hang or are slow.

How it is built, for those who drive workers with something else than a stream's functions:

- `open_stream(batches, make, ...)` runs `make().handle(batch, wanted)` for each batch, on
  long-lived workers. `make` is pickled once and called once on each worker; what it returns is a
  `Handler` (worker.py) and stays as long as the worker: handle(batch, wanted), tally(), close(). It
  is called by up to `depth` threads at a time.
- What it returns is a ClusterStream: iterate with `for` or `async for`; results come in the order
  of the batches, or with ordered=False as they end. Each comes exactly once, or a BatchError with
  its index in its place (on_error="raise", "skip", or a function of the error).
- A batch counts against `max_in_flight` and `max_bytes` from the moment it is taken from `batches`
  until the consumer has its result: a slow consumer stops the feeding.
- A batch that fails is tried `attempts` times; one that takes `straggler` times as long as others
  is started elsewhere too, and the first result counts. A worker that dies is replaced. rota.py
  has the rules.
- `workers` is the progress of each worker, `report` that of all; close(), leaving the loop, or
  Ctrl-C ends the workers, and the cluster if it was started here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from treadle.cluster import engine
from treadle.cluster.data import ColumnMap, names_of
from treadle.cluster.engine import Connection
from treadle.cluster.foreman import WorkerUse
from treadle.cluster.parcel import pack
from treadle.cluster.stream import DEPTH, ClusterStream, at_least, stream_over
from treadle.cluster.worker import Handler, MadeThere, StreamHandler, Tally, Unwanted
from treadle.errors import LaunchError, entrance
from treadle.lang.registry import lookup
from treadle.streaming.report import Report

__all__ = [
    "ClusterStream",
    "Connection",
    "Handler",
    "Tally",
    "Unwanted",
    "WorkerUse",
    "connect",
    "made_there",
    "map_batches",
    "open_stream",
    "stream",
]


@entrance
def connect(address: str | None = None, *, cpus: int | None = None) -> Connection:
    """Connect to a cluster for several streams, or start one on this machine.

    `address` is host:port of its head, "auto" for one that runs on this machine, "local" to start
    one; without it, what RAY_ADDRESS says, or "local". Close what it returns, or use it in a `with`
    block."""
    return Connection(address, cpus=cpus)


@entrance
def open_stream(
    batches: Any,
    make: Callable[[], Handler],
    *,
    workers: int | None = None,
    address: str | None = None,
    cores: int | None = None,
    gpus: float = 0,
    depth: int = DEPTH,
    max_in_flight: int | None = None,
    max_bytes: int | None = None,
    ordered: bool = True,
    on_error: str | Callable[[Any], Any] = "raise",
    copy: bool = True,
    attempts: int = 3,
    straggler: float | None = 4.0,
    progress: bool | Callable[[Report], Any] = False,
) -> ClusterStream[Any]:
    """Have each batch done by a handler that `make()` makes on every worker."""
    if workers is not None:
        at_least("workers", workers, 1, whole=True)
    if cores is not None:
        at_least("cores", cores, 1, whole=True)
    at_least("gpus", gpus, 0)
    crew = engine.RayCrew(address=address, workers=workers, cores=cores, gpus=gpus, depth=depth)
    return stream_over(
        batches, make, crew, engine.dumps, depth=depth,
        max_in_flight=max_in_flight, max_bytes=max_bytes,
        ordered=ordered, on_error=on_error, copy=copy, attempts=attempts, straggler=straggler,
        progress=progress,
    )  # fmt: skip


@entrance
def stream(
    batches: Any,
    *,
    compute: Any,
    prepare: Callable[[Any], Any] | None = None,
    collect: Callable[[Any], Any] | None = None,
    workers: int | None = None,
    address: str | None = None,
    cores: int | None = None,
    gpus: float = 0,
    max_in_flight: int | None = None,
    max_bytes: int | None = None,
    ordered: bool = True,
    on_error: str | Callable[[Any], Any] = "raise",
    device: str | None = None,
    params: Mapping[str, object] | None = None,
    priority: str | None = None,
    inputs: str | Sequence[str] | None = None,
    outputs: Mapping[str, Any] | None = None,
    threads: int = 1,
    copy: bool = True,
    attempts: int = 3,
    straggler: float | None = 4.0,
    progress: bool | Callable[[Report], Any] = False,
) -> ClusterStream[Any]:
    """Run batches through prepare, compute and collect on the workers of a cluster.

    Each worker runs an ordinary stream. Iterate over what it returns, with `for` or `async for`:
    results come in order, each once."""
    options = _options(
        prepare=prepare, compute=compute, collect=collect, device=device, params=params,
        priority=priority, inputs=inputs, outputs=outputs, workers=threads,
    )  # fmt: skip
    return open_stream(
        batches, partial(StreamHandler, options), workers=workers, address=address, cores=cores,
        gpus=gpus, max_in_flight=max_in_flight, max_bytes=max_bytes, ordered=ordered,
        on_error=on_error, copy=copy, attempts=attempts, straggler=straggler, progress=progress,
    )  # fmt: skip


@entrance
def map_batches(
    dataset: Any,
    compute: Any,
    *,
    columns: str | Sequence[str] | None = None,
    outputs: str | Sequence[str] = "result",
    prepare: Callable[[Any], Any] | None = None,
    collect: Callable[[Any], Any] | None = None,
    workers: int = 1,
    cores: int = 1,
    gpus: float = 0,
    batch_size: int | None = 1024,
    device: str | None = None,
    params: Mapping[str, object] | None = None,
) -> Any:
    """Return a Ray Data dataset with what `compute` makes of its columns, on a pool of workers.

    `columns` are those that it computes with, in the order of its inputs (all, by their names);
    `outputs` are the names of its results. Workers keep plans and buffers from batch to batch."""
    given, made = names_of("columns", columns), names_of("outputs", outputs)
    for name, value in (("workers", workers), ("cores", cores)):
        at_least(name, value, 1, whole=True)
    options = _options(
        prepare=prepare, compute=compute, collect=collect, device=device, params=params
    )
    make = pack(partial(StreamHandler, options), "the functions", engine.dumps)
    return engine.pool(
        dataset, ColumnMap, workers=workers, num_cpus=cores, num_gpus=gpus or None,
        batch_size=batch_size, fn_constructor_args=(make, given, made),
    )  # fmt: skip


def made_there(make: Callable[[], Any]) -> Any:
    """Have each worker call `make` once and use what it returns as its prepare, compute or collect.

    For what cannot be sent: a pipeline, a model, a handle of a library."""
    if not callable(make):
        raise LaunchError(f"make: expected a function without arguments, got {make!r}")
    return MadeThere(make)


def _options(**options: Any) -> dict[str, Any]:
    """The options of a worker's stream, checked as far as they can be here."""
    engine.library()
    for name in ("prepare", "collect"):
        function = options[name]
        if not (function is None or callable(function) or isinstance(function, MadeThere)):
            raise LaunchError(f"{name}: expected a function or None, got {function!r}")
    compute, device = options["compute"], options["device"]
    if isinstance(compute, str) and not (found := lookup(compute)).builtin:
        options["compute"] = found  # a kernel of the program's own, which workers do not know
    if not (device is None or isinstance(device, str)):
        raise LaunchError(f"device: expected the name that it has on workers, got {device!r}")
    for name, value in options.items():
        pack(value, name, engine.dumps)  # what cannot be sent is known by its argument
    return options
