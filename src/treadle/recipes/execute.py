"""Running chains on a device: each as one pipeline, with other buffers for each batch.

In: a recipe, a device and batches of pixels. Out: commands under way and the buffers that will hold
the results. What a batch is, files included, and what overlaps with what is `run`'s business.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

import numpy as np

import treadle
from treadle.recipes.channels import COLOURS, SPACED, first_colours, spaced_colours
from treadle.recipes.fit import FittedChain, FittedStep, Kind, fit
from treadle.recipes.network import LoadedNetwork
from treadle.recipes.recipe import Problem, Recipe, RecipeError
from treadle.recipes.spans import Spans

__all__ = ["RecipeEngine", "Running"]

_CHAINS_KEPT = 512  # a service meets sizes without end
_Key = tuple[Kind, tuple[int, ...]]  # a kind of image, and the shape of a batch
Pixels = np.ndarray[Any, np.dtype[Any]]


@dataclass(slots=True)
class Running:
    """A batch on the device: commands in flight and the buffers that will hold the result: colours
    and alpha or, of a network, scores and places. `spaced` says that colours are four bytes apart,
    of which the last means nothing."""

    commands: list[treadle.Command]
    colour: treadle.Buffer
    alpha: treadle.Buffer | None
    spaced: bool = False

    def result(self) -> tuple[Pixels, Pixels | None]:
        """Wait, and return colours and alpha, N x H x W x C each, or what a network gives, N x K
        each; raise what went wrong."""
        treadle.wait_all(self.commands)
        colour = self.colour.to_numpy(copy=None)
        return colour, None if self.alpha is None else self.alpha.to_numpy(copy=None)


class RecipeEngine:
    """A recipe on a device: chains by kind of image, fitted once each.

    A pipeline for batches of more than `keep_bytes` bytes is let go when it has been submitted,
    and its buffers with it; those of the latest `keep` sizes are kept for images to come.
    With `spaced` colours of 8 bits come out four bytes apart, as they may come in. A recipe that
    ends with a network is for those who ask for `verdicts`."""

    def __init__(
        self,
        recipe: Recipe,
        device: treadle.Device,
        *,
        keep: int = 8,
        keep_bytes: int = sys.maxsize,
        spaced: bool = False,
        verdicts: bool = False,
    ) -> None:
        if recipe.network is not None and not verdicts:
            said = "it ends with a model and gives no images; `treadle run` writes what it says"
            raise RecipeError(recipe.source, [Problem(said, recipe.network.line)], recipe.text)
        self.recipe = recipe
        self.network = None if recipe.network is None else LoadedNetwork(recipe.network, device)
        self.device = device
        self._keep = keep
        self._keep_bytes = keep_bytes
        self._spaced = spaced
        self._chains: dict[Kind, FittedChain | RecipeError] = {}
        self._pipelines: dict[_Key, treadle.Pipeline] = {}
        self._untried: set[_Key] = set()  # pipelines of which no command has ended yet
        self._mutex = threading.Lock()
        self._opened = perf_counter_ns()
        self.compiling = Spans()  # fitting and planning: what a new size costs before it can run
        self.computing = Spans()  # from the submit to the end, as the device goes

    def chain(self, kind: Kind) -> FittedChain:
        """Return the chain for images of a kind; RecipeError where the recipe does not fit."""
        with self._mutex:
            found = self._chains.get(kind)
            if found is None:
                began = perf_counter_ns()
                try:
                    found = fit(self.recipe, kind)
                except RecipeError as error:
                    found = error
                while len(self._chains) >= _CHAINS_KEPT:
                    del self._chains[next(iter(self._chains))]
                self._chains[kind] = found
                self.compiling.add(began, perf_counter_ns())
        if isinstance(found, RecipeError):
            raise RecipeError(found.source, found.problems, self.recipe.text)
        return found

    def start(self, chain: FittedChain, colour: Pixels, alpha: Pixels | None) -> Running:
        """Submit a chain on a batch of N x H x W x C (alpha N x H x W x 1); never waits.

        Three channels may come as four, of which the last is left out."""
        count = colour.shape[0]
        bound = {"image": self.device.from_numpy(colour)}
        bound |= self._results(chain, count)
        veil = bound.get("places")
        if alpha is not None and self.network is None:
            veil = bound["alpha"] = self.device.from_numpy(alpha)
            if any(step.moves for step in chain.steps):
                veil = bound["veil"] = self.device.empty(_one(chain.gives, count), veil.dtype)
        with self._mutex:  # swapping buffers is for one thread at a time
            key = chain.takes, colour.shape
            pipeline = self._pipelines.get(key)
            new = pipeline is None
            began = perf_counter_ns()
            if pipeline is None:
                # A pipeline holds the buffers that it ran over last, so only a few are kept.
                while len(self._pipelines) >= self._keep:
                    self._pipelines.pop(next(iter(self._pipelines))).free()
                pipeline = self._pipelines[key] = self.record(chain, count, bound)
                self._untried.add(key)
            else:
                self._pipelines[key] = self._pipelines.pop(key)  # the latest
                pipeline.bind(**{name: bound[name] for name in pipeline.names})
            command = pipeline.submit()
            waits = key in self._untried
            if colour.nbytes > self._keep_bytes:
                self._pipelines.pop(key).free()
        submitted = perf_counter_ns()
        if new:
            self.compiling.add(began, submitted)
        command.add_done_callback(lambda _: self._ended(key, submitted, waits=waits))
        return Running([command], bound["result"], veil, self._spaces(chain))

    def _ended(self, key: _Key, submitted: int, *, waits: bool) -> None:
        """Count what the device did; commands that were submitted before the first of a pipeline
        had ended may have waited for its plan and programs, and that is not the device's time."""
        now = perf_counter_ns()
        self._untried.discard(key)
        for start, stop, _ in self.device.planner.compiled if waits else ():
            if submitted < stop <= now:
                self.compiling.add(max(start, self._opened), stop)
                submitted = stop
        self.computing.add(submitted, now)

    def record(
        self, chain: FittedChain, count: int, buffers: Mapping[str, treadle.Buffer] | None = None
    ) -> treadle.Pipeline:
        """Record a chain for batches of `count`, over buffers by name or over new ones."""
        pipeline = treadle.pipeline(
            self.device, name=self.recipe.label, tolerance=self.recipe.tolerance
        )
        made = dict(buffers or {})
        if not made:
            made["image"] = self.device.empty(chain.takes.batch(count), chain.takes.dtype)
            made |= self._results(chain, count)
        if self.network is not None:
            image = _through(pipeline, chain.steps, made, "image", chain.takes.channels)
            out = [pipeline.buffer(name, made[name]) for name in ("result", "places")]
            self.network.add(pipeline, image, (out[0], out[1]))
            return pipeline
        _record(pipeline, chain.steps, made, "image", "result", chain.takes.channels)
        moves = [step for step in chain.steps if step.moves]
        if "veil" in made:
            _record(pipeline, moves, made, "alpha", "veil")
        return pipeline

    def _spaces(self, chain: FittedChain) -> bool:
        """Whether the colours that come out are four bytes apart."""
        wanted = self._spaced and self.network is None
        return wanted and chain.gives.channels == COLOURS and chain.gives.dtype == treadle.u8

    def _results(self, chain: FittedChain, count: int) -> dict[str, treadle.Buffer]:
        """New buffers for what comes out."""
        if self.network is None:
            *image, channels = chain.gives.batch(count)
            if self._spaces(chain):
                channels = SPACED
            return {"result": self.device.empty((*image, channels), chain.gives.dtype)}
        shape = count, self.network.columns
        return {"result": self.device.empty(shape), "places": self.device.empty(shape, treadle.s32)}

    def close(self) -> None:
        """Let go of pipelines, and of the network; what is in flight runs to its end."""
        with self._mutex:
            while self._pipelines:
                self._pipelines.popitem()[1].free()
        if self.network is not None:
            self.network.free()


def _record(
    pipeline: treadle.Pipeline,
    steps: Sequence[FittedStep],
    buffers: Mapping[str, treadle.Buffer],
    source: str,
    target: str,
    channels: int | None = None,
) -> None:
    """Add steps from one buffer to another, with scratch between them; the steps want `channels` of
    what the buffer has."""
    last = steps[-1]
    if buffers[target].shape[-1] > last.gives.channels:
        now = _through(pipeline, steps, buffers, source, channels)
        pipeline.add(spaced_colours, [now], pipeline.buffer(target, buffers[target]))
        return
    now = _through(pipeline, steps[:-1], buffers, source, channels)
    out = pipeline.buffer(target, buffers[target])
    pipeline.add(last.kernel, [now], out.reshape(out.shape[:3]) if last.flat else out,
                 params=last.params)  # fmt: skip


def _through(
    pipeline: treadle.Pipeline,
    steps: Sequence[FittedStep],
    buffers: Mapping[str, treadle.Buffer],
    source: str,
    channels: int | None,
) -> Any:
    """Add steps from a buffer on; return the scratch that they end in, or the buffer."""
    now: Any = pipeline.buffer(source, buffers[source])
    if channels is not None and now.shape[-1] > channels:
        pipeline.add(first_colours, [now])
        now = pipeline.last
    for step in steps:
        pipeline.add(step.kernel, [now], params=step.params)
        now = _with_channels(pipeline.last)
    return now


def _with_channels(image: Any) -> Any:
    """Scratch N x H x W as N x H x W x 1."""
    return image.reshape(*image.shape, 1) if len(image.shape) == 3 else image


def _one(kind: Kind, count: int) -> tuple[int, int, int, int]:
    """The shape of the alpha of `count` images."""
    return count, kind.height, kind.width, 1
