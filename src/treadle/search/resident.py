"""A search that never leaves its device: one command from the queries to the nearest rows.

In: a view whose rows a device keeps in memory of its own, and queries. Out: what the nearest rows
are, or None where a query has more candidates than there is room for, so that the drive of
treadle.search.nearest takes over. Only the queries and the answer travel. A number of queries that
comes again is recorded as a pipeline, which a device launches at once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Mapping, Sequence

import numpy as np

from treadle.data import dataclass
from treadle.errors import TreadleError
from treadle.lang.composite import constant
from treadle.lang.decorators import composite
from treadle.pipeline.record import Pipeline
from treadle.runtime.buffer import Buffer
from treadle.runtime.command import Command
from treadle.runtime.device import Device
from treadle.search import kernels, steps
from treadle.search.bounds import BLOCK, GROUP, words_of
from treadle.search.measure import cuts_of, joins_of
from treadle.search.runs import Runs
from treadle.search.table import Array, Metric, View

__all__ = ["prepare", "resides", "search_there"]

_SAMPLE = 512  # groups that a limit is taken from, at least
_EACH = 16  # groups of the sample for each row that is wanted
_SHARE = 8  # of how many groups one is in the sample: more of them leave fewer candidates,
_SHARE_OF_MANY = 4  # and candidates of many queries take longer than the sample
_MANY = 32  # queries
_ROOM = 4096  # candidates of a query, for few rows that are wanted
_FEW = 32
_MOST = 256  # rows that are wanted, at most
_BITS = 1 << 26  # words of candidates that are held at a time,
_QUERIES = 4096  # and queries, each with its room
_TURNS = 16  # searches, after which it is tried again whether there is room
# What is compiled while rows are added: one query and many, over so many bytes of rows at most.
_COMMON, _USUAL, _COMPILED = (1, 100, 1000), 10, 1 << 29
_APART = 4099  # vectors, which none is looked at of: as many as nothing else, since sizes that are
# equal make another plan


@composite(name="_search")
def found_there(codes, numbers, alive, vectors, queries, mean, *, k, room, per):  # type: ignore[no-untyped-def]
    """The k nearest rows of each query, as `steps.chosen` has them; `room` candidates at most."""
    facts = steps.query_facts(queries, mean, per=per)
    scale, allowed = facts[0], facts[4]
    asked = steps.query_numbers(*facts[:4])
    words = steps.query_words(queries, mean, scale, per=per, words=codes.shape[1])
    groups = alive.shape[0]
    share = _SHARE_OF_MANY if queries.shape[0] >= _MANY else _SHARE
    samples = min(groups, max(_SAMPLE, _EACH * k, groups // share))
    given = codes, numbers, alive, words, asked
    best = steps.sample(*given, step=groups // samples, groups=samples)
    bits = kernels.byte_near(*given, steps.limit(best, allowed, wanted=k))
    found = steps.places(bits, most=room)
    dim = int(queries.shape[1])
    cuts, joins = constant(cuts_of(dim), "s32"), constant(joins_of(dim), "s32")
    far = steps.distances(found, queries, vectors, cuts, joins)
    return steps.chosen(far, found, k=k)


def _suits(device: Device, metric: str, dtype: str) -> bool:
    """Whether a device has what it takes, and vectors are such as are searched here."""
    return device.limits.searches and metric == Metric.L2 and dtype == "f32"


def resides(view: View, queries: Array, wanted: int) -> bool:
    """Whether the view's device can search on its own."""
    return (
        _suits(view.device, view.metric, view.dtype)
        and view.codes is not None
        and view.shown is not None
        and 2 * wanted <= view.groups
        and wanted <= _MOST
        and queries.dtype == np.float32
    )


def prepare(device: Device, count: int, dim: int, metric: str, dtype: str) -> None:
    """Have a device compile what searches of so many rows need, behind the caller, who is about to
    add them: it searches as many, of which none is alive, since texts are chosen by sizes."""
    if not _suits(device, metric, dtype):
        return
    words = words_of(dim)
    groups = max(1, min(count // GROUP, _COMPILED // (4 * words * GROUP)))
    blocks = groups * GROUP // BLOCK
    shapes = ((blocks, words, BLOCK), "u32"), ((blocks, 4, BLOCK), "f32")
    with contextlib.suppress(TreadleError):  # no room, say: the first search takes longer then
        rows = [device.empty(shape, kind) for shape, kind in shapes]
        rows += [device.buffer_zeros((groups,), "u32"), device.empty((_APART, dim), "f32")]
        mean = device.buffer_zeros((dim,), "f64")
        params = {"k": _USUAL, "room": _ROOM, "per": 1.0}
        for count in _COMMON:
            given = (*rows, device.buffer_zeros((count, dim)), mean)
            device.submit(found_there, given, params=params)
            _recorded(device, (*rows, mean), count, dim, params).pipeline.submit()


@dataclass(frozen=True, slots=True)
class _Run:
    """A recorded search with memory of its own on both sides; one caller at a time has it."""

    pipeline: Pipeline
    asked: Array  # from which the device takes the queries
    alive: Buffer | None  # None: the view's
    told: Array  # into which it writes the answer

    def submit(self, queries: Array, alive: Array | None) -> Command:
        """Have a search enqueued, which is one command: nothing but it travels."""
        self.asked[...] = queries
        if self.alive is not None:
            self.alive.write(alive)
        return self.pipeline.submit()


def _recorded(
    device: Device,
    given: Sequence[Buffer],
    count: int,
    dim: int,
    params: Mapping[str, float],
    alive: Buffer | None = None,
) -> _Run:
    """Record a search for so many queries: rows as `found_there` takes them, and the mean.

    The device reaches the arrays of both ends over its bus, and the host does nothing in between.
    Steps look at the queries again and again, and write an answer here and there, so that both are
    copied as a whole."""
    asked = device.host_array((count, dim), "f32")
    told = device.host_array((count, 2 * int(params["k"]) + 1), "f64")
    queries, answer = device.empty(asked.shape, "f32"), device.empty(told.shape, "f64")
    *rows, mean = given
    pipeline = Pipeline(device, "search")
    pipeline.copy_buffer(device.from_numpy(asked, copy=False), queries).barrier()
    pipeline.add(found_there, (*rows, queries, mean), answer, params).barrier()
    pipeline.copy_buffer(answer, device.from_numpy(told, copy=False))
    return _Run(pipeline, asked, alive, told)


class _Known:
    """What belongs to a view: its mean on the device, and recorded searches of it."""

    def __init__(self, view: View) -> None:
        self.mean = view.device.buffer(view.mean)
        self.turns = 0  # searches that the other drive has from now on: there was too little room
        self.runs: Runs[_Run] = Runs()


class _Portion:
    """One portion of queries, searched for in a view."""

    def __init__(self, view: View, alive: Array | None, wanted: int) -> None:
        whole = view.all_alive
        assert view.codes is not None
        assert view.numbers is not None
        assert view.shown is not None
        assert whole is not None
        self._view = view
        self._alive = alive
        self._whole = whole
        self._rows = view.codes, view.numbers
        self._shown = view.shown
        self.room = _ROOM if wanted <= _FEW else 2 * _ROOM
        self._params = {"k": wanted, "room": self.room, "per": 1.0 / view.unit}
        known = view.memo.get(__name__)
        if known is None:
            known = view.memo.setdefault(__name__, _Known(view))
        self._known: _Known = known

    def skipped(self) -> bool:
        """Say whether there was too little room lately; now and then it is tried again."""
        self._known.turns -= 1
        return self._known.turns > 0

    def note_short(self) -> None:
        """Remember that there was too little room."""
        self._known.turns = _TURNS

    def answer(self, queries: Array) -> Generator[Command, None, Array]:
        """Give what `found_there` gives."""
        device, known = self._view.device, self._known
        key = len(queries), int(self._params["k"]), self._alive is None
        again, run = known.runs.take(key)
        if not again:  # it may be the only one of its kind
            whole = self._whole if self._alive is None else device.buffer(self._alive)
            given = (*self._rows, whole, self._shown, device.buffer(queries), known.mean)
            command = device.submit(found_there, given, params=self._params)
            yield command
            found: Array = command.output.to_numpy()
            return found
        if run is None:
            run = self._made(len(queries))
        yield run.submit(queries, self._alive)
        found = run.told.copy()
        known.runs.give(key, run)
        return found

    def _made(self, count: int) -> _Run:
        device = self._view.device
        alive = None if self._alive is None else device.empty(self._alive.shape, "u32")
        whole = self._whole if alive is None else alive
        given = (*self._rows, whole, self._shown, self._known.mean)
        return _recorded(device, given, count, self._view.dim, self._params, alive)


def search_there(
    view: View, queries: Array, wanted: int, alive: Array | None, ties: bool
) -> Generator[Command, None, tuple[Array, Array] | None]:
    """Search; give keys and rows, or None where there was too little room.

    With `ties` that is also where a row that was not wanted is as far as the last that was."""
    k = wanted + ties
    asked = _Portion(view, alive, k)
    if asked.skipped():
        return None
    each = max(min(_BITS // view.groups, _QUERIES), 1)
    answers = []
    for first in range(0, len(queries), each):
        found = yield from asked.answer(queries[first : first + each])
        answers.append(found)
    answer = np.concatenate(answers) if len(answers) > 1 else answers[0]
    if (answer[:, -1] > asked.room).any():
        asked.note_short()
        return None
    if ties and (answer[:, wanted - 1] == answer[:, wanted]).any():
        return None
    return answer[:, :wanted].copy(), answer[:, k : k + wanted].astype(np.int64)
