"""The three phases of a batch of images: read, compute, write.

In: what was asked for, and works of one batch. Out: one outcome for each work, and files that
appear whole. What goes wrong with an image costs itself only. Finds no images and keeps no journal:
what a journal knows of a work, and what it is to be told, goes through the two functions that the
run gives; so that the phases are the same in the run's own process and on another machine.
"""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

import treadle
from treadle.data import dataclass
from treadle.photos import (
    Photo,
    PhotoError,
    decode,
    encode,
    left_behind,
    read_regular,
)
from treadle.recipes.execute import RecipeEngine, Running
from treadle.recipes.find import PIPE, Work
from treadle.recipes.fit import Kind
from treadle.recipes.journal import JournalEntry, JournalIntent, digest
from treadle.recipes.name import shown
from treadle.recipes.options import Options, Outcome
from treadle.recipes.pixels import Pixels, alpha_of, as_photo, laid_out, stacked
from treadle.recipes.recipe import RecipeError
from treadle.recipes.results import Results, stamp_of
from treadle.recipes.table import ResultTable
from treadle.remote import RemotePath

__all__ = ["Again", "Known", "Phases", "PhotoBatch"]

_NO_MEMORY = "not enough memory for it"
_SIZES_KEPT = 2  # upright and across; the buffers of more are better used for the next photos
_READERS = 16  # requests to a store at the same time
# What will not go better with the next image.
_FATAL = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO}


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a work before it is read: what a run that goes on finds in its journal, and
    the stamp of what lies where the result goes, or nothing."""

    entry: JournalEntry | None = None
    intent: JournalIntent | None = None
    there: str = ""


class Again(Exception):
    """A result may be replaced, but a journal has to be told first: the run will ask again."""


@dataclass(slots=True)
class _Image:
    """A work on its way: decoded, with what the journal needs."""

    work: Work
    photo: Photo
    source: str
    replace: bool


@dataclass(slots=True)
class PhotoBatch:
    """Works that go together, and what has been made of them so far."""

    index: int
    works: list[Work]
    outcomes: list[Outcome] = field(default_factory=list)
    groups: list[tuple[list[_Image], Kind]] = field(default_factory=list)
    running: list[tuple[list[_Image], Running]] = field(default_factory=list)


class Phases:
    """What happens to a batch. `known` says what is known of a work, `announce` hears of a result
    right before it appears, `replacing` of one that is to take the place of an earlier run's and
    whether it may by now, and `ended` of each outcome."""

    def __init__(
        self,
        options: Options,
        results: Results,
        *,
        known: Callable[[Work], Known],
        announce: Callable[[JournalEntry], object],
        replacing: Callable[[Work, str], bool],
        ended: Callable[[Outcome], object],
        quality: int,
        recipe: str,
    ) -> None:
        self.options = options
        self.results = results
        self.quality = quality
        self.piped = b""
        self.table: ResultTable | None = None
        self._known, self._announce, self._ended = known, announce, ended
        self._replacing = replacing
        self._recipe = recipe
        self._under_way: dict[int, PhotoBatch] = {}
        self._instead: dict[str, str] = {}  # lines of a table to be replaced, by name
        self._mutex = threading.Lock()

    @cached_property
    def device(self) -> treadle.Device:
        """What computes."""
        return treadle.device(self.options.device)

    @cached_property
    def engine(self) -> RecipeEngine:
        """The recipe on the device."""
        spaced = self.device.limits.shared  # then files are encoded from where results lie
        about: dict[str, Any] = {"keep": _SIZES_KEPT, "spaced": spaced, "verdicts": True}
        return RecipeEngine(self.options.recipe, self.device, **about)

    @cached_property
    def _requests(self) -> ThreadPoolExecutor:
        """Threads that wait for a store."""
        return ThreadPoolExecutor(_READERS, thread_name_prefix="treadle store")

    def close(self) -> None:
        """Let go of the engine, and of threads."""
        if "engine" in self.__dict__:
            self.engine.close()
        if "_requests" in self.__dict__:
            self._requests.shutdown(cancel_futures=True)

    def begin(self, batch: PhotoBatch, reason: str = "") -> PhotoBatch:
        """Take note of a batch that is on its way; with a reason, all of it has failed."""
        with self._mutex:
            self._under_way[batch.index] = batch
        if reason:
            works, batch.works = batch.works, []
            for work in works:
                self._end(batch, work, "failed", reason)
        return batch

    # The phases

    def prepare(self, batch: PhotoBatch) -> tuple[PhotoBatch, *tuple[Pixels, ...]]:
        """Decode; the arrays come along so that the stream can count their bytes."""
        groups: dict[Kind, list[_Image]] = {}
        for work, read in self._reads(batch):
            try:
                image = read()
            except Again:
                self._end(batch, work, "again")
                continue
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

    def _reads(self, batch: PhotoBatch) -> Iterator[tuple[Work, Callable[[], _Image | None]]]:
        """What reads and decodes each work; a store is asked for all of them at once."""
        asked: dict[str, Future[tuple[bytes, bool] | None]] = {}
        for work in batch.works:
            if isinstance(work.source, RemotePath):
                asked[work.name] = self._requests.submit(self._request, work, work.source)
        for work in batch.works:
            if work.name in asked:
                request = asked.pop(work.name)
                yield work, lambda work=work, request=request: self._answer(work, request)  # type: ignore[misc]
            else:
                yield work, lambda work=work: self._read(work)  # type: ignore[misc]

    def _request(self, work: Work, source: RemotePath) -> tuple[bytes, bool] | None:
        """The bytes of an object, and whether its result may replace what is there; None where that
        was made of it."""
        replace_ = None
        if source.stamp:
            replace_ = self._decide(work, source.stamp)
            if replace_ is None:
                return None
        data = source.read(limit=self.options.max_bytes)
        if replace_ is None:  # a store that says nothing of what it holds
            replace_ = self._decide(work, digest(data))
        return None if replace_ is None else (data, replace_)

    def _answer(self, work: Work, request: Future[tuple[bytes, bool] | None]) -> _Image | None:
        found = request.result()
        if found is None:
            return None
        assert isinstance(work.source, RemotePath)
        data, replace_ = found
        return _Image(work, self._decoded(data), work.source.stamp or digest(data), replace_)

    def _read(self, work: Work) -> _Image | None:
        """Read and decode an input; None where its output is there already."""
        assert isinstance(work.source, Path)
        data = self.options.stdin
        if str(work.source) != PIPE:
            data = read_regular(work.source, max_bytes=self.options.max_bytes)
        source = digest(data)
        replace_ = self._decide(work, source)
        if replace_ is None:
            return None
        return _Image(work, self._decoded(data), source, replace_)

    def _decoded(self, data: bytes) -> Photo:
        """Decode into memory from which the device copies fast, or not at all."""
        room = partial(self.device.host_array, dtype=treadle.u8)
        return decode(data, max_pixels=self.options.max_pixels, room=room)

    def _decide(self, work: Work, source: str) -> bool | None:
        """Whether a result may replace what is there; None where that is the result already."""
        options, known = self.options, self._known(work)
        entry, intent = known.entry, known.intent
        if self.table is not None:
            if entry is not None and entry.made in self.table.known:
                if (entry.recipe, entry.source) == (self._recipe, source):
                    return None
                self._instead[work.name] = entry.made
            return True
        if not known.there or options.overwrite:
            return options.overwrite
        output = shown(work.output)
        if not options.resume:
            skips = "" if options.single else ", --resume skips what an earlier run made"
            raise PhotoError(f"{output} exists; --overwrite replaces it{skips}")
        if intent is not None:  # its run was killed before it heard what became of that
            if known.there == intent.was:
                return True
            if (intent.recipe, intent.source) == (self._recipe, stamp_of(work.source)):
                return None
            raise PhotoError(  # a user may have put it there after that run
                f"{output} exists and may not be what an earlier run made; --overwrite replaces it"
            )
        if entry is None or not self.results.holds(work.output, known.there, entry.made):
            raise PhotoError(
                f"{output} exists and is not what an earlier run made; --overwrite replaces it"
            )
        if (entry.recipe, entry.source) == (self._recipe, source):
            return None
        if not self._replacing(work, known.there):
            raise Again
        return True

    def compute(self, batch: PhotoBatch, *_: Pixels) -> tuple[Any, ...]:
        """Start the recipe on what was decoded."""
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

    def lost(self, error: treadle.BatchError) -> PhotoBatch:
        """Take the failure of a batch on the device as that of its images."""
        with self._mutex:
            batch = self._under_way.pop(error.index, None)
        cause = error.__cause__
        if batch is None or not isinstance(cause, treadle.TreadleError):
            raise error  # not foreseen: nothing to go on with
        for images, _ in batch.running:
            for image in images:
                self._end(batch, image.work, "failed", _reason(cause))
        return batch

    def collect(self, given: tuple[Any, ...]) -> PhotoBatch:
        """Encode and write."""
        batch: PhotoBatch = given[0]
        with self._mutex:
            self._under_way.pop(batch.index, None)
        puts: list[Future[None]] = []
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
                puts += self._write(batch, image, made)
        for put in puts:
            put.result()
        return batch

    def _tell(
        self, batch: PhotoBatch, image: _Image, table: ResultTable, scores: Pixels, places: Pixels
    ) -> None:
        """Write what a network says of an image."""
        assert self.engine.network is not None
        work = image.work
        line = table.line(work.name, self.engine.network.verdicts(scores, places))
        try:
            if self.options.single:
                self.piped = table.header + line
            else:
                self._announce(JournalEntry(work.name, self._recipe, image.source, digest(line)))
                table.add(line, instead=self._instead.get(work.name))
        except OSError as error:
            reason = f"cannot write {shown(table.path)}: {error.strerror or error}"
            self._end(batch, work, "failed", reason, fatal=error.errno in _FATAL)
        else:
            height, width = image.photo.size
            self._end(batch, work, "done", pixels=height * width)

    def _write(self, batch: PhotoBatch, image: _Image, photo: Photo) -> Iterator[Future[None]]:
        """Encode a result and have it written; what has been left to a thread is given."""
        work = image.work
        format_ = work.format or photo.format
        notes = photo.notes if self.options.strip else (*photo.notes, *left_behind(photo, format_))
        if self.options.strip:
            photo = replace(photo, exif=None, xmp=None, iptc=None)
        try:
            data = encode(photo, format_, quality=self.quality)
        except (PhotoError, MemoryError) as error:
            self._end(batch, work, "failed", _reason(error))
            return
        height, width = image.photo.size
        size = photo.size[1], photo.size[0]
        more = {"pixels": height * width, "size": size, "notes": notes}
        if isinstance(work.output, RemotePath):
            yield self._requests.submit(self._put, batch, image, data, more)
        else:
            self._put(batch, image, data, more)

    def _put(self, batch: PhotoBatch, image: _Image, data: bytes, more: dict[str, Any]) -> None:
        """Have the bytes of a result appear where they belong."""
        work = image.work
        if str(work.output) == PIPE:
            self.piped = data
            self._end(batch, work, "done", **more)
            return
        entry = JournalEntry(work.name, self._recipe, image.source, self.results.digest(data))
        try:
            self.results.put(
                work.output, data, replace=image.replace, announce=lambda: self._announce(entry)
            )
        except FileExistsError:
            # Who did the same work before, and could not say so any more, made the same bytes.
            if self.results.holds(work.output, "", entry.made):
                self._end(batch, work, "done", entry=entry, **more)
            else:
                self._end(batch, work, "failed", f"{shown(work.output)} appeared meanwhile")
        except (PhotoError, MemoryError) as error:
            self._end(batch, work, "failed", _reason(error))
        except OSError as error:
            reason = f"cannot write {shown(work.output)}: {error.strerror or error}"
            # What a store refuses one image it refuses the next, after all its own tries.
            remote = isinstance(work.output, RemotePath) and error.errno != errno.ENAMETOOLONG
            fatal = remote or error.errno in _FATAL
            self._end(batch, work, "failed", reason, fatal=fatal)
        else:
            self._end(batch, work, "done", entry=entry, **more)

    def _end(
        self, batch: PhotoBatch, work: Work, status: str, reason: str = "", **more: Any
    ) -> None:
        made = work.output if self.table is None else self.table.path
        output = None if status == "failed" else made
        outcome = Outcome(work.source, output, status, reason, name=work.name, **more)
        batch.outcomes.append(outcome)
        self._ended(outcome)


def _reason(error: BaseException) -> str:
    if isinstance(error, MemoryError) and not isinstance(error, treadle.TreadleError):
        return _NO_MEMORY
    if isinstance(error, RecipeError):
        return "; ".join(problem.message for problem in error.problems)
    return next(iter(str(error).splitlines()), type(error).__name__)
