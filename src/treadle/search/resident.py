"""A search that never leaves its device: one command from the queries to the nearest rows.

In: a view whose rows a device keeps in memory of its own, and queries. Out: what the nearest rows
are, or None where a query has more candidates than there is room for, so that the drive of
treadle.search.nearest takes over. Only the queries and the answer travel.
"""

from __future__ import annotations

from collections.abc import Generator
from weakref import WeakKeyDictionary

import numpy as np

from treadle.lang.composite import constant
from treadle.lang.decorators import composite
from treadle.runtime.buffer import Buffer
from treadle.runtime.command import Command
from treadle.search import kernels, steps
from treadle.search.measure import cuts_of, joins_of
from treadle.search.table import Array, Metric, View

__all__ = ["resides", "search_there"]

_SAMPLE = 512  # groups that a limit is taken from, at least
_EACH = 16  # groups of the sample for each row that is wanted
_SHARE = 8  # of how many groups one is in the sample: more of them leave fewer candidates
_ROOM = 4096  # candidates of a query, for few rows that are wanted
_MOST = 256  # rows that are wanted, at most
_BITS = 1 << 26  # words of candidates that are held at a time


@composite(name="_search")
def found_there(codes, numbers, alive, vectors, queries, mean, *, k, room, per):  # type: ignore[no-untyped-def]
    """The k nearest rows of each query, as `steps.chosen` has them; `room` candidates at most."""
    facts = steps.query_facts(queries, mean, per=per)
    scale, allowed = facts[0], facts[4]
    asked = steps.query_numbers(*facts[:4])
    words = steps.query_words(queries, mean, scale, per=per, words=codes.shape[1])
    groups = alive.shape[0]
    samples = min(groups, max(_SAMPLE, _EACH * k, groups // _SHARE))
    given = codes, numbers, alive, words, asked
    best = steps.sample(*given, step=groups // samples, groups=samples)
    bits = kernels.byte_near(*given, steps.limit(best, allowed, wanted=k))
    found = steps.places(bits, most=room)
    dim = int(queries.shape[1])
    cuts, joins = constant(cuts_of(dim), "s32"), constant(joins_of(dim), "s32")
    far = steps.distances(found, queries, vectors, cuts, joins)
    return steps.chosen(far, found, k=k)


def resides(view: View, queries: Array, wanted: int) -> bool:
    """Whether the view's device can search on its own: it has memory of its own and f64."""
    limits = view.device.limits
    return (
        not limits.shared
        and "f64" in limits.dtypes
        and view.metric == Metric.L2
        and view.dtype == "f32"
        and view.codes is not None
        and 2 * wanted <= view.groups
        and wanted <= _MOST
        and queries.dtype == np.float32
    )


_means: WeakKeyDictionary[Buffer, Buffer] = WeakKeyDictionary()  # by the codes they belong to


def _mean_of(view: View, codes: Buffer) -> Buffer:
    """What is taken from queries, on the device."""
    found = _means.get(codes)
    if found is None:
        found = _means[codes] = view.device.buffer(view.mean)
    return found


def search_there(
    view: View, queries: Array, wanted: int, alive: Array | None, ties: bool
) -> Generator[Command, None, tuple[Array, Array] | None]:
    """Search; give keys and rows, or None where there was too little room.

    With `ties` that is also where a row that was not wanted is as far as the last that was."""
    device = view.device
    asked, wanted = wanted, wanted + ties
    whole = view.all_alive if alive is None else device.buffer(alive)
    kept = (view.codes, view.numbers, whole, view.shown)
    rows = [buffer for buffer in kept if buffer is not None]
    mean = _mean_of(view, rows[0])
    room = _ROOM if wanted <= 32 else 2 * _ROOM
    each = max(_BITS // view.groups, 1)
    answers = []
    for first in range(0, len(queries), each):
        given = (*rows, device.buffer(queries[first : first + each]), mean)
        command = device.submit(found_there, given, k=wanted, room=room, per=1.0 / view.unit)
        yield command
        answers.append(command.output.to_numpy())
    answer = np.concatenate(answers) if len(answers) > 1 else answers[0]
    if (answer[:, -1] > room).any() or (ties and (answer[:, asked - 1] == answer[:, asked]).any()):
        return None
    return answer[:, :asked].copy(), answer[:, wanted : wanted + asked].astype(np.int64)
