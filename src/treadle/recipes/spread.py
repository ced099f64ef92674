"""A run over the machines of a cluster: the driver's side, and the workers'.

In: works, and what a journal knows of them. Out: outcomes, as they end. Works travel in shards of
some megabytes; a worker runs the ordinary phases over them, one shard's images being decoded while
another's are computed, and writes the results itself. A shard that cannot be done as a whole is cut
into its images, so that only the one that is to blame is lost. Journals are the driver's: it notes
what is going to be made before a shard goes on its way, and what was made when it hears of it.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import treadle
from treadle.cluster import Connection, Tally, connect, open_stream
from treadle.cluster.worker import StreamHandler
from treadle.photos import allow_pixels
from treadle.recipes.find import Work
from treadle.recipes.journal import FOLDER, JournalIntent, unfinished
from treadle.recipes.options import Options, Outcome
from treadle.recipes.phases import Known, Phases, PhotoBatch
from treadle.recipes.recipe import Recipe
from treadle.recipes.report import cores, spent
from treadle.recipes.results import results_in

__all__ = ["Shard", "ShardMade", "Spread", "Use", "in_rounds"]

_SHOWN = 4  # workers that a line has room for
_WAITING = 2  # more threads, where they wait for files that are elsewhere


@dataclass(frozen=True, slots=True)
class Shard:
    """Works that go to a worker together, each with what is known of it."""

    number: int
    works: tuple[Work, ...]
    known: tuple[Known, ...]


@dataclass(frozen=True, slots=True)
class ShardMade:
    """What became of a shard's works, and who says so."""

    number: int
    outcomes: tuple[Outcome, ...]
    worker: str = ""  # empty where none did it
    reason: str = ""  # of a shard that was given up


@dataclass(frozen=True, slots=True)
class Use:
    """What one worker did."""

    host: str
    process: int
    images: int


class Spread:
    """Shards over workers; entered, it is connected. Leaving it ends the workers, and the cluster
    if it was started for them."""

    def __init__(self, options: Options, quality: int, recipe: str, far: bool) -> None:
        self._options = _travelling(options)
        self._quality, self._recipe, self._far = quality, recipe, far
        self._connection: Connection | None = None
        self._stream: Any = None
        self._busy: list[dict[str, float]] = []  # of workers of streams that have ended
        self.images: dict[str, int] = {}  # by worker
        self.restarts = 0

    def __enter__(self) -> Spread:
        count, each = self._options.workers, self._options.jobs or 1
        cpus = None if count is None else max(cores(), count * each)
        self._connection = connect(self._options.cluster or None, cpus=cpus)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._end()
        finally:
            if self._connection is not None:
                self._connection.close()

    def over(self, shards: Iterable[Shard]) -> Iterator[ShardMade]:
        """Have shards done; each is given once, in the order in which they end."""
        given = self._options
        device = (given.device or "").partition(":")[0]
        make = partial(equip, given, self._quality, self._recipe, _WAITING * self._far)

        def lost(error: treadle.BatchError) -> ShardMade:
            return ShardMade(error.index or 0, (), reason=str(error.__cause__ or error))

        self._stream = open_stream(
            shards, make, workers=given.workers, cores=given.jobs, gpus=int(device == "cuda"),
            ordered=False, on_error=lost, copy=False,
        )  # fmt: skip
        try:
            made: ShardMade
            for made in self._stream:
                if made.worker:
                    done = sum(each.status == "done" for each in made.outcomes)
                    self.images[made.worker] = self.images.get(made.worker, 0) + done
                yield made
        finally:
            self._end()

    def _end(self) -> None:
        """End the stream's workers, and remember what they did."""
        stream, self._stream = self._stream, None
        if stream is not None:
            self._busy += [dict(each.busy) for each in stream.workers]
            self.restarts += stream.restarts
            stream.close()

    def said(self) -> str:
        """What the workers have done, in one line."""
        used = self.use
        if len(used) > _SHOWN:
            return f"{len(used)} workers"
        return " ".join(f"{each.host}/{each.process}: {each.images}" for each in used)

    def mapping(self) -> list[dict[str, Any]]:
        """The same for JSON."""
        return [asdict(each) for each in self.use]

    def busy(self) -> dict[str, float]:
        """Seconds for each phase, of all workers that have done something."""
        stream = self._stream
        now = [dict(each.busy) for each in stream.workers] if stream is not None else []
        summed: dict[str, float] = {}
        for each in (*self._busy, *now):
            for phase, seconds in each.items():
                summed[phase] = summed.get(phase, 0.0) + seconds
        return summed

    @property
    def use(self) -> tuple[Use, ...]:
        """What each worker has done so far."""
        found = []
        for worker, images in sorted(self.images.items()):
            host, _, process = worker.rpartition("/")
            found.append(Use(host, int(process), images))
        return tuple(found)


def in_rounds(
    spread: Spread,
    together: Iterable[list[tuple[Work, Known]]],
    replacing: Callable[[Work, str], object],
) -> Iterator[list[Outcome]]:
    """Have lists of works done, and what could not be done together one by one.

    What may replace an earlier result is done when `replacing` has told a journal."""
    left: list[tuple[Work, Known]] = []
    yield from _round(spread, together, replacing, left)
    if left:
        yield from _round(spread, ([each] for each in left), replacing, None)


def _round(
    spread: Spread,
    together: Iterable[list[tuple[Work, Known]]],
    replacing: Callable[[Work, str], object],
    left: list[tuple[Work, Known]] | None,
) -> Iterator[list[Outcome]]:
    """Have lists of works done; those that are to be done again go to `left`."""
    sent: dict[int, list[tuple[Work, Known]]] = {}

    def shards() -> Iterator[Shard]:
        for number, pairs in enumerate(together):
            sent[number] = pairs
            works = tuple(_sent(work) for work, _ in pairs)
            yield Shard(number, works, tuple(known for _, known in pairs))

    for made in spread.over(shards()):
        pairs = sent.pop(made.number)
        if not made.worker and left is not None and len(pairs) > 1:
            left += pairs
            continue
        works = {work.name: (work, known) for work, known in pairs}
        outcomes = []
        for each in made.outcomes or (_failed(work, made.reason) for work, _ in pairs):
            work, known = works[each.name]
            if each.status == "again" and left is not None:
                replacing(work, known.there)
                intent = JournalIntent(work.name, "", "", known.there)
                left.append((work, replace(known, intent=intent)))
                continue
            output = None if each.output is None else work.output
            outcomes.append(replace(each, source=work.source, output=output))
        yield outcomes


def _failed(work: Work, reason: str) -> Outcome:
    return Outcome(work.source, None, "failed", reason, name=work.name)


def _travelling(options: Options) -> Options:
    """Options that mean the same in another folder."""
    recipe: Recipe = options.recipe
    stages = tuple(
        replace(stage, params={name: _absolute(value) for name, value in stage.params.items()})
        for stage in recipe.stages
    )
    return replace(
        options, recipe=replace(recipe, stages=stages), out=_absolute(options.out), inputs=()
    )


def _absolute(value: Any) -> Any:
    return Path(os.path.abspath(value)) if isinstance(value, Path) else value


def _sent(work: Work) -> Work:
    """Return a work that means the same on another machine."""
    return replace(work, source=_absolute(work.source), output=_absolute(work.output))


# On a worker


def equip(options: Options, quality: int, recipe: str, waiting: int) -> ShardHandler:
    """Return what does shards; called once on each worker, which has cores of its own by then.

    It has a thread for each of them, and so many for waiting."""
    out = options.out
    if isinstance(out, Path) and not (out / FOLDER).is_dir():
        raise treadle.ClusterError(
            f"the output folder {out} is not seen on {socket.gethostname()}: the machines of a "
            "cluster need a folder that they share, at the same path, or a store such as s3://"
        )
    allow_pixels(options.max_pixels)
    return ShardHandler(options, quality, recipe, (options.jobs or cores()) + waiting)


class ShardHandler:
    """The phases of a run in a stream that goes on from shard to shard."""

    def __init__(self, options: Options, quality: int, recipe: str, threads: int) -> None:
        self._known: dict[str, Known] = {}
        self._me = f"{socket.gethostname()}/{os.getpid()}"
        out = options.out
        folder = out / FOLDER if isinstance(out, Path) else Path()
        self._phases = Phases(
            options, results_in(out, partial(unfinished, folder), {}),
            known=lambda work: self._known[work.name], announce=_nothing, replacing=_not_yet,
            ended=_nothing, quality=quality, recipe=recipe,
        )  # fmt: skip
        self._done = 0
        phases = self._phases
        self._stream = StreamHandler(
            {
                "prepare": self._prepare, "compute": phases.compute, "collect": self._collect,
                "max_in_flight": 2 * threads + 2, "max_bytes": 1 << 30, "workers": threads,
                "device": phases.device, "copy": False,
            }
        )  # fmt: skip

    def handle(self, shard: Shard, wanted: Callable[[], bool]) -> ShardMade:
        """Do a shard's works."""
        found: ShardMade = self._stream.handle(shard, wanted)
        return found

    def _prepare(self, shard: Shard) -> Any:
        for work, known in zip(shard.works, shard.known, strict=True):
            self._known[work.name] = known
        return self._phases.prepare(PhotoBatch(shard.number, list(shard.works)))

    def _collect(self, given: tuple[Any, ...]) -> ShardMade:
        batch = self._phases.collect(given)
        for work in batch.works:
            self._known.pop(work.name, None)
        return ShardMade(batch.index, tuple(batch.outcomes), self._me)

    def tally(self) -> Tally:
        """Seconds for each phase so far."""
        found = self._stream.tally()
        return replace(found, busy=spent(found.busy, self._phases.engine))

    def close(self) -> None:
        """End the stream, and let go of the engine."""
        self._stream.close()
        with suppress(treadle.TreadleError):
            self._phases.close()


def _nothing(_: object) -> None:
    pass


def _not_yet(work: Work, there: str) -> bool:
    """Whether a result may be replaced of which no journal was told that it will be."""
    return False
