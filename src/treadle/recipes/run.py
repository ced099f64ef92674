"""A run: a recipe over many image files, with nothing lost and nothing half-written.

In: options. Out: one outcome for each image, files that appear whole, a journal and a report. An
image that fails costs itself only; a full disk, or --strict, stops the run. Knows nothing about
terminals: its caller hears of each outcome.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import treadle
from treadle.files import sync_folder
from treadle.photos import (
    FORMATS,
    Header,
    PhotoError,
    probe,
    recycling,
)
from treadle.recipes.execute import RecipeEngine
from treadle.recipes.find import PIPE, Found, Work, find
from treadle.recipes.journal import Journal, JournalEntry, JournalIntent
from treadle.recipes.name import Naming
from treadle.recipes.options import QUALITY, Options, Outcome, recipe_hash
from treadle.recipes.phases import Known, Phases, PhotoBatch
from treadle.recipes.place import Alone
from treadle.recipes.remote_journal import RemoteJournal
from treadle.recipes.report import RunReport, busiest, cores, make_report, shares, spent
from treadle.recipes.results import results_in, stamp_of
from treadle.recipes.shards import cut
from treadle.recipes.table import ResultTable, table_format
from treadle.remote import RemotePath, remote_path

if TYPE_CHECKING:
    from treadle.recipes.spread import Spread

__all__ = ["Options", "Outcome", "RecipeRun", "Summary"]

BATCH_BYTES = 8 << 20  # images of one size share a launch up to here
BATCH_IMAGES = 32
WINDOW = 128  # images that may wait for others of their size
SHARDS = 32  # for each worker at least, so that all end at about the same time
INTENTS = 256  # that are noted together
IN_FLIGHT_BYTES = 1 << 30
_WAITING = 2  # more threads where they wait for a store


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


class RecipeRun:
    """One run over what `find` found; `outcomes` grows as images end, also after a stop."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.format = options.format or options.recipe.format
        self.quality = options.quality or options.recipe.quality or QUALITY
        written = self.format if options.recipe.network is None else None  # else a table is
        naming = Naming(written, options.name, options.recipe.name, options.single)
        if isinstance(options.out, RemotePath):
            _reachable(options.out)
        self.found: Found = find(options.inputs, options.out, naming, stdin=_called(options.stdin))
        self._recipe = recipe_hash(options, self.format, self.quality)
        self._there: dict[str, str] = {}  # stamps of what is in the store, by URL
        self.phases = Phases(
            options, results_in(options.out, self._part, self._there),
            known=self._known, announce=self._announced, replacing=self._replacing,
            ended=self._ended, quality=self.quality, recipe=self._recipe,
        )  # fmt: skip
        self.table: ResultTable | None = None
        if options.recipe.network is not None:
            self.table = self._table(options)
            self.phases.table = self.table
        # Who writes results does not hold the journal, or the journal is too far for each of them.
        away = isinstance(options.out, RemotePath) or options.cluster is not None
        self._away = away and not options.single
        self._memory = recycling(2 * (options.jobs or cores()) + 2)  # decoded, and to be encoded
        self.spread: Spread | None = None
        if options.cluster is None:
            self._stream = self._open()
        else:
            from treadle.recipes.spread import Spread  # which no other run has to import

            self._check_cluster(options)
            self.spread = Spread(options, self.quality, self._recipe, self._far)
        self.outcomes = [Outcome(p, None, "failed", reason) for p, reason in self.found.problems]
        self._folders: set[Path] = set()  # that have got new names
        self._mutex = threading.Lock()
        self._started = time.perf_counter()

    @property
    def device(self) -> treadle.Device:
        """What computes."""
        return self.phases.device

    @property
    def engine(self) -> RecipeEngine:
        """The recipe on the device."""
        return self.phases.engine

    @property
    def piped(self) -> bytes:
        """The one result, where it goes to standard output."""
        return self.phases.piped

    def _table(self, options: Options) -> ResultTable:
        """Where what a network says is written."""
        if isinstance(options.out, RemotePath):
            raise PhotoError(
                f"-o {options.out}: expected a local folder, as what a model says is one file that "
                "grows; copy it there afterwards"
            )
        assert self.engine.network is not None
        columns = self.engine.network.columns
        table = ResultTable(options.out, table_format(self.format or "csv"), columns)
        table.check(resume=options.resume, overwrite=options.overwrite)
        return table

    def _check_cluster(self, options: Options) -> None:
        """Refuse what one machine has to do."""
        if options.single:
            raise PhotoError("--cluster: expected a folder or a store for the results")
        if options.recipe.network is not None:
            raise PhotoError("--cluster: a recipe with a model writes one file; run it without")
        if PIPE in options.inputs:
            raise PhotoError("--cluster: expected files, got - for standard input")

    @property
    def _far(self) -> bool:
        """Whether something has to be waited for that a store does."""
        out = isinstance(self.options.out, RemotePath)
        return out or any(isinstance(each.source, RemotePath) for each in self.found.works)

    def _open(self) -> Any:
        threads = self.options.jobs or cores()
        workers = threads + _WAITING * self._far
        phases = self.phases
        return treadle.stream(
            self._batches(), prepare=phases.prepare, compute=phases.compute,
            collect=phases.collect, on_error=phases.lost, max_in_flight=2 * workers + 2,
            max_bytes=IN_FLIGHT_BYTES, workers=workers, device=self.device, copy=False,
        )  # fmt: skip

    @property
    def bound(self) -> str:
        """The part that has been busiest so far."""
        return busiest(self._shares())

    def _shares(self) -> dict[str, float]:
        """The share of the time in which each part was under way, of all workers where there are
        several."""
        if self.spread is not None:
            count = max(len(self.spread.use), 1)
            return shares(self.spread.busy(), (time.perf_counter() - self._started) * count)
        report = self._stream.report
        return shares(spent({e.name: e.busy for e in report.lanes}, self.engine), report.seconds)

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
        with (
            self._memory,
            self.spread or nullcontext(),  # before there is a trace of the run in the output folder
            self._book() as journal,
            self._lasting(),
            self._told(journal),
            self._done() as done,
        ):
            self._look()
            for outcomes in done:
                for outcome in outcomes:
                    on_outcome(outcome)
                    if outcome.fatal or (self.options.strict and outcome.status == "failed"):
                        return outcome.reason
        return ""

    @contextmanager
    def _done(self) -> Iterator[Iterator[Sequence[Outcome]]]:
        """What ends, together with what ended with it; leaving ends what is under way."""
        if self.spread is None:
            with self._stream as stream:
                yield (batch.outcomes for batch in stream)
            return
        try:
            with closing(self._spread(self.spread)) as outcomes:
                yield outcomes
        finally:  # what workers that were killed have left
            if isinstance(self._journal, Journal):
                self._journal.sweep()

    # Over a cluster.

    def _spread(self, spread: Spread) -> Generator[Sequence[Outcome], None, None]:
        """Have workers do everything; what ends is given as it ends."""
        from treadle.recipes.spread import in_rounds

        most = len(self.found.works) // (SHARDS * (self.options.workers or cores()))
        together = (
            [(work, self._known(work)) for work in works]
            for some in self._noted()
            for works in cut(some, most)
        )
        for outcomes in in_rounds(spread, together, self._replacing):
            for outcome in outcomes:
                self._ended(outcome)
            yield outcomes

    # What was made before, and what is noted of what is made now.

    def _book(self) -> Alone | Journal | RemoteJournal:
        """Open the journal."""
        out = self.options.out
        self._journal: Alone | Journal | RemoteJournal
        if self.options.single:
            self._journal = Alone(out)
        elif isinstance(out, RemotePath):
            self._journal = RemoteJournal(out)
        else:
            self._journal = Journal(out)
        return self._journal

    def _look(self) -> None:
        """See what is there already, where a list says it for all; the run holds the journal."""
        if isinstance(self.options.out, RemotePath) and not self.options.single:
            with suppress(FileNotFoundError):  # nothing is
                for each, _ in self.options.out.files():
                    self._there[each.url] = each.stamp or "?"
        elif isinstance(self.options.out, RemotePath):
            found = self.options.out.look()
            if found is not None:
                self._there[found.url] = found.stamp or "?"

    def _part(self) -> Path:
        """A new path for an unfinished file."""
        assert not isinstance(self._journal, RemoteJournal)
        return self._journal.part()

    def _known(self, work: Work) -> Known:
        """What is known of a work, on any thread."""
        if str(work.output) == PIPE:
            return Known()
        there = self.phases.results.look(work.output)
        if not self.options.resume:
            return Known(there=there)
        journal = self._journal
        return Known(journal.entries.get(work.name), journal.intents.get(work.name), there)

    def _announced(self, entry: JournalEntry) -> None:
        """Have a journal say what is about to appear, where it was not told before."""
        if not self._away:
            self._journal.add(entry)

    def _replacing(self, work: Work, there: str) -> bool:
        """Have a journal say that a result of an earlier run is about to be replaced; it may be."""
        if self._away:
            self._journal.add(JournalIntent(work.name, self._recipe, stamp_of(work.source), there))
        return True

    def _ended(self, outcome: Outcome) -> None:
        """Take note of an outcome, on any thread."""
        with self._mutex:
            self.outcomes.append(outcome)
            if outcome.entry is not None and isinstance(outcome.output, Path):
                self._folders.add(outcome.output.parent)
        if self._away and outcome.entry is not None:
            self._journal.note(outcome.entry)

    def _intend(self, works: list[Work]) -> None:
        """Have the journal say what is going to be made, unless something is in its way.

        What that is, is looked at before it is replaced; an intent would say that it may be."""
        lines = []
        for work in works:
            known, stamp = self._known(work), stamp_of(work.source)
            if known.intent is not None:
                if (known.intent.recipe, known.intent.source) == (self._recipe, stamp):
                    continue  # it says what was there before the run that was stopped
            elif known.there and not self.options.overwrite:
                continue
            lines.append(JournalIntent(work.name, self._recipe, stamp, known.there))
        if lines:
            self._journal.add(*lines)

    @contextmanager
    def _told(self, journal: Alone | Journal | RemoteJournal) -> Iterator[None]:
        """Have the file open to which what a network says is written, if it is a file."""
        table = self.table
        if table is not None and isinstance(journal, Journal):
            entries = journal.entries.values()
            table.open(journal.part(), [e.made for e in entries] if self.options.resume else None)
            self._folders.add(journal.folder.parent)
        try:
            yield
        finally:
            self.phases.close()
            if table is not None and isinstance(journal, Journal):
                table.close(journal.part())

    @contextmanager
    def _lasting(self) -> Iterator[None]:
        """Have everything that was done last through a power cut, however the run ends."""
        try:
            yield
        finally:
            out = self.options.out
            named = {up for each in self._folders for up in (each, *each.parents)}
            for folder in named:
                assert isinstance(out, Path)
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
        if self.spread is None:
            info = self.device.info
            device = f"{info.name} ({info.backend})"
        else:
            device = f"{len(self.spread.use)} workers"
        report = make_report(
            self._shares(),
            recipe=self.options.recipe.name,
            device=device,
            counts=(done, skipped, failed, self.total - len(outcomes), len(self.found.passed)),
            megapixels=sum(each.pixels for each in outcomes) / 1e6,
            seconds=time.perf_counter() - self._started,
        )
        return Summary(outcomes, self.total, report, stopped)

    # Batches: what has one size goes together.

    def _batches(self) -> Iterator[PhotoBatch]:
        for index, (works, reason) in enumerate(self._grouped()):
            yield self.phases.begin(PhotoBatch(index, works), reason)

    @property
    def _most(self) -> int:
        """How many images of a size share a launch."""
        network = self.engine.network
        return BATCH_IMAGES if network is None else network.batch or BATCH_IMAGES

    def header(self, work: Work) -> Header:
        """Read the header of an input; PhotoError where it is not one that can be done."""
        limits = {"max_pixels": self.options.max_pixels}
        if str(work.source) == PIPE:
            return probe(self.options.stdin, **limits)
        if isinstance(work.source, RemotePath):
            try:
                data = work.source.read(limit=self.options.max_bytes)
            except OSError as error:
                raise PhotoError(error.strerror or str(error)) from error
            return probe(data, **limits)
        return probe(work.source, max_bytes=self.options.max_bytes, **limits)

    def _noted(self) -> Iterator[list[Work]]:
        """Works that the journal has been told of, many together."""
        works = self.found.works
        if not self._away:
            yield works
            return
        for first in range(0, len(works), INTENTS):
            some = works[first : first + INTENTS]
            self._intend(some)
            yield some

    def _grouped(self) -> Iterator[tuple[list[Work], str]]:
        """Works of one size, or works that cannot be done, with the reason.

        Those whose header would cost a request go together as they come."""
        for some in self._noted():
            near = [each for each in some if isinstance(each.source, Path)]
            yield from self._alike(near)
            for works in cut([each for each in some if isinstance(each.source, RemotePath)]):
                yield works, ""

    def _alike(self, some: list[Work]) -> Iterator[tuple[list[Work], str]]:
        waiting: dict[tuple[int, int, str], list[Work]] = {}
        count = 0
        for work in some:
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


def _reachable(out: RemotePath) -> None:
    """Raise PhotoError where nothing can be asked about an output folder."""
    try:
        remote_path(out.url)
    except OSError as error:
        raise PhotoError(f"-o {out}: {error.strerror or error}") from error


def _called(data: bytes) -> str:
    """What standard input would be called if it were a file."""
    with suppress(PhotoError):  # it will be said when it is read
        return f"stdin{FORMATS[probe(data).format].suffixes[0]}"
    return "stdin"
