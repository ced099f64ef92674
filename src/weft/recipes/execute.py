"""Running chains over batches while files are read and written: the part that overlaps.

In: batches, and functions that prepare, compute and collect one. Out: results in order, and the
spans of time in which each kind of work was under way. `Engine` runs a chain as one pipeline, with
other buffers for each batch; `overlapped` keeps a bounded number of batches under way. What a batch
is, files included, is `run`'s business.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

import weft
from weft.recipes.fit import Chain, Kind, Step, fit
from weft.recipes.recipe import Recipe, RecipeError

__all__ = ["Clock", "Engine", "Running", "Span", "overlapped"]

Pixels = np.ndarray[Any, np.dtype[Any]]
Batch = TypeVar("Batch")
Ready = TypeVar("Ready")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Span:
    """Work of one kind, under way on one thread from start to end (time.perf_counter)."""

    kind: str
    label: str
    thread: str
    start: float
    end: float


@dataclass(slots=True)
class Clock:
    """When what was under way."""

    spans: list[Span] = field(default_factory=list)

    @contextmanager
    def span(self, kind: str, label: str) -> Iterator[None]:
        """Note that `kind` is under way while the block runs."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.note(kind, label, start)

    def note(self, kind: str, label: str, start: float, thread: str | None = None) -> None:
        """Note that `kind` was under way from `start` until now."""
        here = thread or threading.current_thread().name
        self.spans.append(Span(kind, label, here, start, time.perf_counter()))


@dataclass(slots=True)
class Running:
    """A batch on the device: commands in flight and the buffers that will hold the result."""

    commands: list[weft.Command]
    colour: weft.Buffer
    alpha: weft.Buffer | None

    def result(self) -> tuple[Pixels, Pixels | None]:
        """Wait, and return colours and alpha, N x H x W x C each; raise what went wrong."""
        weft.wait_all(self.commands)
        colour = self.colour.to_numpy(copy=None)
        return colour, None if self.alpha is None else self.alpha.to_numpy(copy=None)


class Engine:
    """A recipe on a device: chains by kind of image, fitted once each."""

    def __init__(self, recipe: Recipe, device: weft.Device) -> None:
        self.recipe = recipe
        self.device = device
        self._chains: dict[Kind, Chain | RecipeError] = {}
        self._pipelines: dict[tuple[Kind, int], weft.Pipeline] = {}
        self._mutex = threading.Lock()

    def chain(self, kind: Kind) -> Chain:
        """Return the chain for images of a kind; RecipeError where the recipe does not fit."""
        with self._mutex:
            found = self._chains.get(kind)
            if found is None:
                try:
                    found = fit(self.recipe, kind)
                except RecipeError as error:
                    found = error
                self._chains[kind] = found
        if isinstance(found, RecipeError):
            raise RecipeError(found.source, found.problems, self.recipe.text)
        return found

    def start(self, chain: Chain, colour: Pixels, alpha: Pixels | None) -> Running:
        """Submit a chain on a batch of N x H x W x C (alpha N x H x W x 1); never waits."""
        count = colour.shape[0]
        bound = {"image": self.device.from_numpy(colour)}
        bound["result"] = self.device.empty(chain.gives.batch(count), chain.gives.dtype)
        veil = None
        if alpha is not None:
            veil = bound["alpha"] = self.device.from_numpy(alpha)
            if any(step.moves for step in chain.steps):
                veil = bound["veil"] = self.device.empty(_one(chain.gives, count), veil.dtype)
        with self._mutex:  # swapping buffers is for one thread at a time
            pipeline = self._pipelines.get((chain.takes, count))
            if pipeline is None:
                pipeline = self._pipelines[chain.takes, count] = self.record(chain, count, bound)
            else:
                pipeline.bind(**{name: bound[name] for name in pipeline.names})
            command = pipeline.submit()
        return Running([command], bound["result"], veil)

    def record(
        self, chain: Chain, count: int, buffers: Mapping[str, weft.Buffer] | None = None
    ) -> weft.Pipeline:
        """Record a chain for batches of `count`, over buffers by name or over new ones."""
        pipeline = weft.pipeline(self.device, name=self.recipe.name)
        made = dict(buffers or {})
        if not made:
            made["image"] = self.device.empty(chain.takes.batch(count), chain.takes.dtype)
            made["result"] = self.device.empty(chain.gives.batch(count), chain.gives.dtype)
        _record(pipeline, chain.steps, made, "image", "result")
        moves = [step for step in chain.steps if step.moves]
        if "veil" in made:
            _record(pipeline, moves, made, "alpha", "veil")
        return pipeline


def _record(
    pipeline: weft.Pipeline,
    steps: Sequence[Step],
    buffers: Mapping[str, weft.Buffer],
    source: str,
    target: str,
) -> None:
    """Add steps from one buffer to another, with scratch between them."""
    now: Any = pipeline.buffer(source, buffers[source])
    out = pipeline.buffer(target, buffers[target])
    for step in steps[:-1]:
        pipeline.add(step.kernel, [now], params=step.params)
        now = _with_channels(pipeline.last)
    last = steps[-1]
    pipeline.add(last.kernel, [now], out.reshape(out.shape[:3]) if last.flat else out,
                 params=last.params)  # fmt: skip


def _with_channels(image: Any) -> Any:
    """Scratch N x H x W as N x H x W x 1."""
    return image.reshape(*image.shape, 1) if len(image.shape) == 3 else image


def _one(kind: Kind, count: int) -> tuple[int, int, int, int]:
    """The shape of the alpha of `count` images."""
    return count, kind.height, kind.width, 1


@dataclass(slots=True)
class _Under(Generic[Result]):
    """A batch under way and what it holds meanwhile."""

    future: Future[Result]
    nbytes: int


def overlapped(
    batches: Iterable[tuple[Batch, int]],
    *,
    prepare: Callable[[Batch], Ready],
    compute: Callable[[Ready], list[weft.Command]],
    collect: Callable[[Ready], Result],
    max_in_flight: int,
    max_bytes: int,
    threads: int,
) -> Iterator[Result]:
    """Yield the result of each batch, in order, while later ones are under way.

    `prepare` and `collect` run on threads; `compute` submits and returns what to wait for. Batches
    come with the bytes that they will hold; one is always let in, more while they fit. Leaving the
    loop drops what has not begun and finishes what has."""
    pool = ThreadPoolExecutor(threads, thread_name_prefix="files")
    flight: deque[_Under[Result]] = deque()
    source = iter(batches)
    waiting = next(source, None)
    held = 0
    try:
        while waiting is not None or flight:
            while waiting is not None and len(flight) < max_in_flight:
                batch, nbytes = waiting
                if flight and held + nbytes > max_bytes:
                    break
                held += nbytes
                begun = _begin(pool, batch, prepare, compute, collect)
                flight.append(_Under(begun, nbytes))
                waiting = next(source, None)
            oldest = flight.popleft()
            held -= oldest.nbytes
            yield oldest.future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _begin(
    pool: ThreadPoolExecutor,
    batch: Batch,
    prepare: Callable[[Batch], Ready],
    compute: Callable[[Ready], list[weft.Command]],
    collect: Callable[[Ready], Result],
) -> Future[Result]:
    ended: Future[Result] = Future()

    def first() -> None:
        try:
            ready = prepare(batch)
            commands = compute(ready)
        except BaseException as error:
            ended.set_exception(error)
            return
        ends = itertools.count(1)

        def one_less(_: object) -> None:
            if next(ends) == len(commands):
                follow(ready)

        if not commands:
            last(ready)
        for command in commands:
            command.add_done_callback(one_less)

    def follow(ready: Ready) -> None:
        try:
            pool.submit(last, ready)
        except RuntimeError:  # the loop was left meanwhile
            ended.set_exception(CancelledError())

    def last(ready: Ready) -> None:
        try:
            ended.set_result(collect(ready))
        except BaseException as error:
            with suppress(Exception):
                ended.set_exception(error)

    pool.submit(first)
    return ended
