"""A run: a recipe over many image files, with nothing lost and nothing half-written.

In: options. Out: one outcome for each image, files that appear whole, a journal and a report. An
image that fails costs itself only; a full disk, or --strict, stops the run. Knows nothing about
terminals: whoever runs it hears of each outcome.
"""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

import treadle
from treadle.photos import (
    MAX_PIXELS,
    Photo,
    PhotoError,
    decode,
    encode,
    probe,
    recycling,
    sync_folder,
    write_atomically,
)
from treadle.recipes.execute import Engine, Running
from treadle.recipes.find import Found, Work, find, shown
from treadle.recipes.fit import Kind
from treadle.recipes.journal import Entry, Journal, digest
from treadle.recipes.recipe import Recipe, RecipeError
from treadle.recipes.report import PHASES, Report, cores, make_report

__all__ = ["Options", "Outcome", "Run", "Summary"]

QUALITY = 92
BATCH_BYTES = 8 << 20  # images of one size share a launch up to here
BATCH_IMAGES = 32
WINDOW = 128  # images that may wait for others of their size
IN_FLIGHT_BYTES = 1 << 30
# What will not go better with the next image.
_FATAL = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO}
Pixels = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for."""

    recipe: Recipe
    inputs: tuple[str, ...]
    out: Path
    device: str | None = None
    jobs: int | None = None
    format: str | None = None
    quality: int | None = None
    overwrite: bool = False
    resume: bool = False
    strict: bool = False
    max_pixels: int = MAX_PIXELS


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one input: done, skipped (made before) or failed, with the reason."""

    source: Path
    output: Path | None
    status: str
    reason: str = ""
    pixels: int = 0
    fatal: bool = False


@dataclass(frozen=True, slots=True)
class Summary:
    """A run that has ended."""

    outcomes: tuple[Outcome, ...]
    total: int
    report: Report
    stopped: str = ""  # why it ended before its end

    @property
    def failures(self) -> tuple[Outcome, ...]:
        """Those that failed."""
        return tuple(each for each in self.outcomes if each.status == "failed")


@dataclass(slots=True)
class _Image:
    """A work on its way: decoded, with what the journal needs."""

    work: Work
    photo: Photo
    source: str
    replace: bool


@dataclass(slots=True)
class _Batch:
    """Works of one size, and what has been made of them so far."""

    index: int
    works: list[Work]
    outcomes: list[Outcome] = field(default_factory=list)
    groups: list[tuple[list[_Image], Kind]] = field(default_factory=list)
    running: list[tuple[list[_Image], Running]] = field(default_factory=list)


class Run:
    """One run over what `find` found; `outcomes` grows as images end, also after a stop."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.format = options.format or options.recipe.format
        self.quality = options.quality or options.recipe.quality or QUALITY
        self.found: Found = find(options.inputs, options.out, format=self.format)
        self.device = treadle.device(options.device)
        self.engine = Engine(options.recipe, self.device)
        self._under_way: dict[int, _Batch] = {}
        self._memory = recycling(2 * (options.jobs or cores()) + 2)  # decoded, and to be encoded
        self._stream = self._open()
        self.outcomes = [Outcome(p, None, "failed", reason) for p, reason in self.found.problems]
        said = f"{options.recipe.digest} {self.format} {self.quality}"
        self._recipe = digest(said.encode())
        self._folders: set[Path] = set()  # that have got new names
        self._mutex = threading.Lock()
        self._started = time.perf_counter()

    def _open(self) -> Any:
        threads = self.options.jobs or cores()
        return treadle.stream(
            self._batches(), prepare=self._prepare, compute=self._compute, collect=self._collect,
            on_error=self._lost, max_in_flight=threads + 2, max_bytes=IN_FLIGHT_BYTES,
            workers=threads, device=self.device, copy=False,
        )  # fmt: skip

    @property
    def bound(self) -> str:
        """The phase that has been busiest so far."""
        found = str(self._stream.report.bound)
        return PHASES.get(found, found)

    @property
    def total(self) -> int:
        """How many inputs there are, those that cannot be read included."""
        return len(self.found.works) + len(self.found.problems)

    def go(self, on_outcome: Callable[[Outcome], object] = lambda outcome: None) -> str:
        """Process everything; return why it stopped early, or an empty string.

        Raises OSError or Busy where the output folder cannot be used."""
        for outcome in self.outcomes:
            on_outcome(outcome)
        if self.options.strict and self.outcomes:
            return self.outcomes[0].reason
        out = self.options.out
        with self._memory, Journal(out) as journal, self._lasting(out), self._stream as stream:
            self._journal = journal
            batch: _Batch
            for batch in stream:
                for outcome in batch.outcomes:
                    on_outcome(outcome)
                    if outcome.fatal or (self.options.strict and outcome.status == "failed"):
                        return outcome.reason
        return ""

    @contextmanager
    def _lasting(self, out: Path) -> Iterator[None]:
        """Have everything that was done last through a power cut, however the run ends."""
        try:
            yield
        finally:
            named = {up for each in self._folders for up in (each, *each.parents)}
            for folder in named if self._folders else ():
                if folder == out.parent or folder.is_relative_to(out):
                    sync_folder(folder)

    def summary(self, stopped: str = "") -> Summary:
        """What has happened so far."""
        with self._mutex:
            outcomes = tuple(self.outcomes)
        done, skipped, failed = (
            sum(each.status == status for each in outcomes)
            for status in ("done", "skipped", "failed")
        )
        info = self.device.info
        report = make_report(
            self._stream.report,
            recipe=self.options.recipe.name,
            device=f"{info.name} ({info.backend})",
            counts=(done, skipped, failed, self.total - len(outcomes)),
            megapixels=sum(each.pixels for each in outcomes) / 1e6,
            seconds=time.perf_counter() - self._started,
        )
        return Summary(outcomes, self.total, report, stopped)

    # Batches: what has one size goes together.

    def _batches(self) -> Iterator[_Batch]:
        for index, works in enumerate(self._grouped()):
            self._under_way[index] = batch = _Batch(index, works)
            yield batch

    def _grouped(self) -> Iterator[list[Work]]:
        waiting: dict[tuple[int, int, str], list[Work]] = {}
        sizes: dict[tuple[int, int, str], int] = {}
        count = 0
        for work in self.found.works:
            try:
                height, width, mode = probe(work.source)
            except PhotoError:
                height, width, mode = 0, 0, str(work.source)  # decoding it will say why
            key = height, width, mode
            self._memory.fit(height * width)
            sizes[key] = height * width * 4
            waiting.setdefault(key, []).append(work)
            count += 1
            works = waiting[key]
            if len(works) >= BATCH_IMAGES or len(works) * sizes[key] >= BATCH_BYTES:
                yield waiting.pop(key)
                count -= len(works)
            elif count >= WINDOW:
                oldest = next(iter(waiting))
                works = waiting.pop(oldest)
                count -= len(works)
                yield works
        yield from waiting.values()

    # The three phases of a batch; what goes wrong with an image stays with it.

    def _prepare(self, batch: _Batch) -> tuple[_Batch, *tuple[Pixels, ...]]:
        """Decode; the arrays come along so that the stream can count their bytes."""
        groups: dict[Kind, list[_Image]] = {}
        for work in batch.works:
            try:
                image = self._read(work)
            except PhotoError as error:
                self._end(batch, work, "failed", str(error))
                continue
            except OSError as error:
                self._end(batch, work, "failed", error.strerror or str(error))
                continue
            if image is None:
                self._end(batch, work, "skipped")
                continue
            height, width = image.photo.size
            dtype = treadle.u8 if image.photo.colour.dtype == np.uint8 else treadle.f32
            channels = image.photo.colour.shape[2]
            kind = Kind(height, width, channels, dtype, image.photo.alpha is not None)
            groups.setdefault(kind, []).append(image)
        batch.groups = [(images, kind) for kind, images in groups.items()]
        return batch, *(_laid_out(image.photo) for images in groups.values() for image in images)

    def _read(self, work: Work) -> _Image | None:
        """Read and decode an input; None where its output is there already."""
        with open(work.source, "rb") as file:
            data = file.read()
        source = digest(data)
        entry = self._journal.entries.get(work.name) if self.options.resume else None
        replace_ = self.options.overwrite
        if os.path.lexists(work.output) and not replace_:
            if not self.options.resume:
                raise PhotoError(
                    f"{shown(work.output)} exists; --overwrite replaces it, --resume skips what "
                    "an earlier run made"
                )
            if entry is None or digest(work.output.read_bytes()) != entry.made:
                raise PhotoError(
                    f"{shown(work.output)} exists and is not what an earlier run made; "
                    "--overwrite replaces it"
                )
            if (entry.recipe, entry.source) == (self._recipe, source):
                return None
            replace_ = True
        return _Image(work, decode(data, max_pixels=self.options.max_pixels), source, replace_)

    def _compute(self, batch: _Batch, *_: Pixels) -> tuple[Any, ...]:
        for images, kind in batch.groups:
            try:
                chain = self.engine.chain(kind)
                colour = _stacked([_laid_out(image.photo) for image in images])
                alpha = None
                if kind.alpha:
                    alpha = _stacked([_alpha(image.photo)[:, :, np.newaxis] for image in images])
                batch.running.append((images, self.engine.start(chain, colour, alpha)))
            except treadle.TreadleError as error:
                for image in images:
                    self._end(batch, image.work, "failed", _reason(error))
        batch.groups = []
        return batch, *(command for _, running in batch.running for command in running.commands)

    def _lost(self, error: treadle.BatchError) -> _Batch:
        """Take the failure of a batch on the device as that of its images."""
        batch = self._under_way.pop(error.index, None)
        cause = error.__cause__
        if batch is None or not isinstance(cause, treadle.TreadleError):
            raise error  # not foreseen: nothing to go on with
        for images, _ in batch.running:
            for image in images:
                self._end(batch, image.work, "failed", _reason(cause))
        return batch

    def _collect(self, given: tuple[Any, ...]) -> _Batch:
        batch: _Batch = given[0]
        del self._under_way[batch.index]
        while batch.running:
            images, running = batch.running.pop(0)
            try:
                colour, alpha = running.result()
            except treadle.TreadleError as error:
                for image in images:
                    self._end(batch, image.work, "failed", _reason(error))
                continue
            for position, image in enumerate(images):
                veil = None if alpha is None else alpha[position, :, :, 0]
                self._write(batch, image, _photo(image.photo, colour[position], veil))
        return batch

    def _write(self, batch: _Batch, image: _Image, photo: Photo) -> None:
        work = image.work
        try:
            data = encode(photo, self.format or photo.format, quality=self.quality)
            work.output.parent.mkdir(parents=True, exist_ok=True)
            entry = Entry(work.name, self._recipe, image.source, digest(data))
            write_atomically(
                data, work.output, self._journal.part(), replace=image.replace,
                announce=lambda: self._journal.add(entry),
            )  # fmt: skip
            self._folders.add(work.output.parent)
        except FileExistsError:
            self._end(batch, work, "failed", f"{shown(work.output)} appeared meanwhile")
        except PhotoError as error:
            self._end(batch, work, "failed", str(error))
        except OSError as error:
            reason = f"cannot write {shown(work.output)}: {error.strerror or error}"
            self._end(batch, work, "failed", reason, fatal=error.errno in _FATAL)
        else:
            height, width = image.photo.size
            self._end(batch, work, "done", pixels=height * width)

    def _end(self, batch: _Batch, work: Work, status: str, reason: str = "", **more: Any) -> None:
        output = None if status == "failed" else work.output
        outcome = Outcome(work.source, output, status, reason, **more)
        batch.outcomes.append(outcome)
        with self._mutex:
            self.outcomes.append(outcome)


def _reason(error: treadle.TreadleError) -> str:
    if isinstance(error, RecipeError):
        return "; ".join(problem.message for problem in error.problems)
    return str(error).splitlines()[0]


def _stacked(images: list[Pixels]) -> Pixels:
    """Images as one batch; sixteen bits become floats from 0 to 1."""
    if images[0].dtype == np.uint16:
        return np.stack(images).astype(np.float32) / np.float32(65535)
    return images[0][np.newaxis] if len(images) == 1 else np.stack(images)


def _laid_out(photo: Photo) -> Pixels:
    """The colours as they lie in memory, which may be four bytes apart."""
    return photo.colour if photo.padded is None else photo.padded


def _alpha(photo: Photo) -> Pixels:
    assert photo.alpha is not None
    return photo.alpha


def _photo(source: Photo, colour: Pixels, alpha: Pixels | None) -> Photo:
    """The result as a photo of the source's depth, with what described the source."""
    if source.colour.dtype == np.uint16:
        colour, alpha = _sixteen(colour), None if alpha is None else _sixteen(alpha)
    if colour.shape[2] % 2 == 0:  # a stage made alpha of its own: both must let light through
        own = colour[:, :, -1]
        colour = colour[:, :, :-1]
        peak = np.iinfo(own.dtype).max
        both = own if alpha is None else (own.astype(np.uint64) * alpha + peak // 2) // peak
        alpha = both.astype(own.dtype)
    grey = colour.shape[2] == 1 and source.colour.shape[2] == 3
    # A profile of RGB describes no grey.
    icc = None if grey else source.icc
    return replace(source, colour=colour, alpha=alpha, icc=icc, padded=None)


def _sixteen(values: Pixels) -> Pixels:
    scaled = np.clip(np.nan_to_num(values), 0, 1) * np.float32(65535)
    return np.asarray(np.rint(scaled), np.uint16)
