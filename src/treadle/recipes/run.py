"""A run: a recipe over many image files, with nothing lost and nothing half-written.

In: options. Out: one outcome for each image, files that appear whole, a journal and a report. An
image that fails costs itself only; a full disk, or --strict, stops the run. Knows nothing about
terminals: its caller hears of each outcome.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import treadle
from treadle.data import dataclass
from treadle.files import sync_folder
from treadle.photos import (
    FORMATS,
    MAX_BYTES,
    MAX_PIXELS,
    Header,
    Photo,
    PhotoError,
    decode,
    encode,
    left_behind,
    probe,
    read_regular,
    recycling,
    write_atomically,
)
from treadle.recipes.execute import RecipeEngine, Running
from treadle.recipes.find import PIPE, Found, Work, find
from treadle.recipes.fit import Kind
from treadle.recipes.journal import Journal, JournalEntry, digest
from treadle.recipes.name import Naming, shown
from treadle.recipes.pixels import Pixels, alpha_of, as_photo, laid_out, stacked
from treadle.recipes.place import Alone
from treadle.recipes.recipe import Recipe, RecipeError
from treadle.recipes.report import RunReport, busiest, cores, make_report
from treadle.recipes.table import ResultTable, table_format

__all__ = ["Options", "Outcome", "RecipeRun", "Summary"]

QUALITY = 92
BATCH_BYTES = 8 << 20  # images of one size share a launch up to here
BATCH_IMAGES = 32
_NO_MEMORY = "not enough memory for it"
_SIZES_KEPT = 2  # upright and across; the buffers of more are better used for the next photos
WINDOW = 128  # images that may wait for others of their size
IN_FLIGHT_BYTES = 1 << 30
# What will not go better with the next image.
_FATAL = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO}


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for.

    `out` is a folder; with `single` it is the path of the one result, or PIPE, whose bytes are then
    left in the run's `piped`. `stdin` is what the input PIPE stands for."""

    recipe: Recipe
    inputs: tuple[str, ...]
    out: Path
    single: bool = False
    name: str | None = None
    stdin: bytes = b""
    device: str | None = None
    jobs: int | None = None
    format: str | None = None
    quality: int | None = None
    overwrite: bool = False
    resume: bool = False
    strict: bool = False
    strip: bool = False
    max_pixels: int = MAX_PIXELS
    max_bytes: int = MAX_BYTES


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one input: done, skipped (made before) or failed, with the reason."""

    source: Path
    output: Path | None
    status: str
    reason: str = ""
    pixels: int = 0
    fatal: bool = False
    size: tuple[int, int] | None = None  # width and height of what was made
    notes: tuple[str, ...] = ()  # what of the input is not in the output


@dataclass(frozen=True, slots=True)
class Summary:
    """A run that has ended."""

    outcomes: tuple[Outcome, ...]
    total: int
    report: RunReport
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


class RecipeRun:
    """One run over what `find` found; `outcomes` grows as images end, also after a stop."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.format = options.format or options.recipe.format
        self.quality = options.quality or options.recipe.quality or QUALITY
        written = self.format if options.recipe.network is None else None  # else a table is
        naming = Naming(written, options.name, options.recipe.name, options.single)
        self.found: Found = find(options.inputs, options.out, naming, stdin=_called(options.stdin))
        self.piped = b""
        self.device = treadle.device(options.device)
        spaced = self.device.limits.shared  # then files are encoded from where results lie
        about: dict[str, Any] = {"keep": _SIZES_KEPT, "spaced": spaced, "verdicts": True}
        self.engine = RecipeEngine(options.recipe, self.device, **about)
        self.table: ResultTable | None = None
        if self.engine.network is not None:
            columns = self.engine.network.columns
            self.table = ResultTable(options.out, table_format(self.format or "csv"), columns)
            self.table.check(resume=options.resume, overwrite=options.overwrite)
        self._under_way: dict[int, _Batch] = {}
        self._memory = recycling(2 * (options.jobs or cores()) + 2)  # decoded, and to be encoded
        self._stream = self._open()
        self.outcomes = [Outcome(p, None, "failed", reason) for p, reason in self.found.problems]
        said = f"{options.recipe.digest} {self.format} {self.quality}{' strip' * options.strip}"
        self._recipe = digest(said.encode())
        self._folders: set[Path] = set()  # that have got new names
        self._instead: dict[str, str] = {}  # lines of a table to be replaced, by name
        self._mutex = threading.Lock()
        self._started = time.perf_counter()

    def _open(self) -> Any:
        threads = self.options.jobs or cores()
        return treadle.stream(
            self._batches(), prepare=self._prepare, compute=self._compute, collect=self._collect,
            on_error=self._lost, max_in_flight=2 * threads + 2, max_bytes=IN_FLIGHT_BYTES,
            workers=threads, device=self.device, copy=False,
        )  # fmt: skip

    @property
    def bound(self) -> str:
        """The part that has been busiest so far."""
        return busiest(self._stream.report, self.engine)

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
        if not self.found.works:
            return ""  # and leave no trace in the output folder
        out = self.options.out
        made = Alone(out) if self.options.single else Journal(out)
        with (
            self._memory,
            made as journal,
            self._lasting(out),
            self._told(journal),
            self._stream as stream,
        ):
            self._journal: Alone | Journal = journal
            batch: _Batch
            for batch in stream:
                for outcome in batch.outcomes:
                    on_outcome(outcome)
                    if outcome.fatal or (self.options.strict and outcome.status == "failed"):
                        return outcome.reason
        return ""

    @contextmanager
    def _told(self, journal: Alone | Journal) -> Iterator[None]:
        """Have the file open to which what a network says is written, if it is a file."""
        table = self.table
        if table is not None and not self.options.single:
            entries = journal.entries.values()
            table.open(journal.part(), [e.made for e in entries] if self.options.resume else None)
            self._folders.add(self.options.out)
        try:
            yield
        finally:
            self.engine.close()
            if table is not None:
                table.close(journal.part())

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
            self.engine,
            recipe=self.options.recipe.name,
            device=f"{info.name} ({info.backend})",
            counts=(done, skipped, failed, self.total - len(outcomes), len(self.found.passed)),
            megapixels=sum(each.pixels for each in outcomes) / 1e6,
            seconds=time.perf_counter() - self._started,
        )
        return Summary(outcomes, self.total, report, stopped)

    # Batches: what has one size goes together.

    def _batches(self) -> Iterator[_Batch]:
        for index, (works, reason) in enumerate(self._grouped()):
            self._under_way[index] = batch = _Batch(index, [] if reason else works)
            for work in works if reason else ():
                self._end(batch, work, "failed", reason)
            yield batch

    @property
    def _most(self) -> int:
        """How many images of a size share a launch."""
        network = self.engine.network
        return BATCH_IMAGES if network is None else network.batch or BATCH_IMAGES

    def header(self, work: Work) -> Header:
        """Read the header of an input; PhotoError where it is not one that can be done."""
        limit = self.options.max_pixels
        if str(work.source) == PIPE:
            return probe(self.options.stdin, max_pixels=limit)
        return probe(work.source, max_pixels=limit, max_bytes=self.options.max_bytes)

    def _grouped(self) -> Iterator[tuple[list[Work], str]]:
        """Works of one size, or works that cannot be done, with the reason."""
        waiting: dict[tuple[int, int, str], list[Work]] = {}
        count = 0
        for work in self.found.works:
            try:
                header = self.header(work)
            except PhotoError as error:
                yield [work], str(error)
                continue
            key = header.height, header.width, header.mode
            pixels = header.height * header.width
            self._memory.fit(pixels)
            works = waiting.setdefault(key, [])
            works.append(work)
            count += 1
            if len(works) >= self._most or len(works) * pixels * 4 >= BATCH_BYTES:
                yield waiting.pop(key), ""
                count -= len(works)
            elif count >= WINDOW:
                oldest = next(iter(waiting))
                works = waiting.pop(oldest)
                count -= len(works)
                yield works, ""
        for works in waiting.values():
            yield works, ""

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
            except MemoryError:
                self._end(batch, work, "failed", _NO_MEMORY)
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
        return batch, *(laid_out(image.photo) for images in groups.values() for image in images)

    def _read(self, work: Work) -> _Image | None:
        """Read and decode an input; None where its output is there already."""
        limit = self.options.max_bytes
        data = self.options.stdin
        if str(work.source) != PIPE:
            data = read_regular(work.source, max_bytes=limit)
        source = digest(data)
        entry = self._journal.entries.get(work.name) if self.options.resume else None
        replace_ = self.options.overwrite
        if self.table is not None:
            if entry is not None and entry.made in self.table.known:
                if (entry.recipe, entry.source) == (self._recipe, source):
                    return None
                self._instead[work.name] = entry.made
        elif str(work.output) != PIPE and os.path.lexists(work.output) and not replace_:
            if not self.options.resume:
                skips = "" if self.options.single else ", --resume skips what an earlier run made"
                raise PhotoError(f"{shown(work.output)} exists; --overwrite replaces it{skips}")
            if entry is None or not self._is(work.output, entry):
                raise PhotoError(
                    f"{shown(work.output)} exists and is not what an earlier run made; "
                    "--overwrite replaces it"
                )
            if (entry.recipe, entry.source) == (self._recipe, source):
                return None
            replace_ = True
        # Into memory from which the device copies fast, or not at all.
        room = partial(self.device.host_array, dtype=treadle.u8)
        photo = decode(data, max_pixels=self.options.max_pixels, room=room)
        return _Image(work, photo, source, replace_)

    def _is(self, output: Path, entry: JournalEntry) -> bool:
        """Whether a file is still what an earlier run made."""
        with suppress(PhotoError):  # something else has taken its place
            return digest(read_regular(output, max_bytes=sys.maxsize)) == entry.made
        return False

    def _compute(self, batch: _Batch, *_: Pixels) -> tuple[Any, ...]:
        for images, kind in batch.groups:
            try:
                chain = self.engine.chain(kind)
                colour = stacked([laid_out(image.photo) for image in images])
                alpha = None
                if kind.alpha:
                    alpha = stacked([alpha_of(image.photo) for image in images])
                batch.running.append((images, self.engine.start(chain, colour, alpha)))
            except (treadle.TreadleError, MemoryError) as error:
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
                if self.table is not None and alpha is not None:
                    self._tell(batch, image, self.table, colour[position], alpha[position])
                    continue
                veil = None if alpha is None else alpha[position, :, :, 0]
                made = as_photo(image.photo, colour[position], veil, spaced=running.spaced)
                self._write(batch, image, made)
        return batch

    def _tell(
        self, batch: _Batch, image: _Image, table: ResultTable, scores: Pixels, places: Pixels
    ) -> None:
        """Write what a network says of an image."""
        assert self.engine.network is not None
        work = image.work
        line = table.line(work.name, self.engine.network.verdicts(scores, places))
        try:
            if self.options.single:
                self.piped = table.header + line
            else:
                entry = JournalEntry(work.name, self._recipe, image.source, digest(line))
                self._journal.add(entry)
                table.add(line, instead=self._instead.get(work.name))
        except OSError as error:
            reason = f"cannot write {shown(table.path)}: {error.strerror or error}"
            self._end(batch, work, "failed", reason, fatal=error.errno in _FATAL)
        else:
            height, width = image.photo.size
            self._end(batch, work, "done", pixels=height * width)

    def _write(self, batch: _Batch, image: _Image, photo: Photo) -> None:
        work = image.work
        format_ = work.format or photo.format
        notes = photo.notes if self.options.strip else (*photo.notes, *left_behind(photo, format_))
        if self.options.strip:
            photo = replace(photo, exif=None, xmp=None, iptc=None)
        try:
            data = encode(photo, format_, quality=self.quality)
            self._put(image, data)
        except FileExistsError:
            self._end(batch, work, "failed", f"{shown(work.output)} appeared meanwhile")
        except (PhotoError, MemoryError) as error:
            self._end(batch, work, "failed", _reason(error))
        except OSError as error:
            reason = f"cannot write {shown(work.output)}: {error.strerror or error}"
            self._end(batch, work, "failed", reason, fatal=error.errno in _FATAL)
        else:
            height, width = image.photo.size
            size = photo.size[1], photo.size[0]
            self._end(batch, work, "done", pixels=height * width, size=size, notes=notes)

    def _put(self, image: _Image, data: bytes) -> None:
        """Have the bytes of a result appear where they belong."""
        work = image.work
        if str(work.output) == PIPE:
            self.piped = data
            return
        work.output.parent.mkdir(parents=True, exist_ok=True)
        entry = JournalEntry(work.name, self._recipe, image.source, digest(data))
        write_atomically(
            data, work.output, self._journal.part(), replace=image.replace,
            announce=lambda: self._journal.add(entry),
        )  # fmt: skip
        self._folders.add(work.output.parent)

    def _end(self, batch: _Batch, work: Work, status: str, reason: str = "", **more: Any) -> None:
        made = work.output if self.table is None else self.table.path
        output = None if status == "failed" else made
        outcome = Outcome(work.source, output, status, reason, **more)
        batch.outcomes.append(outcome)
        with self._mutex:
            self.outcomes.append(outcome)


def _called(data: bytes) -> str:
    """What standard input would be called if it were a file."""
    with suppress(PhotoError):  # it will be said when it is read
        return f"stdin{FORMATS[probe(data).format].suffixes[0]}"
    return "stdin"


def _reason(error: BaseException) -> str:
    if isinstance(error, MemoryError) and not isinstance(error, treadle.TreadleError):
        return _NO_MEMORY
    if isinstance(error, RecipeError):
        return "; ".join(problem.message for problem in error.problems)
    return next(iter(str(error).splitlines()), type(error).__name__)
