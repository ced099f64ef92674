"""What a pipeline is at one moment: its stages, its named buffers, and the runs that are prepared.

In: entries and names; a change of the pipeline makes another of these, so that a thread that
submits meanwhile sees the pipeline as it was or as it is. Out: what runs over other buffers and
parameters share, where the same ones come again. It plans and submits nothing.
"""

from __future__ import annotations

import weakref
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from treadle.errors import LaunchError, SurfaceClosed
from treadle.pipeline.entry import Entry
from treadle.runtime.buffer import Buffer

if TYPE_CHECKING:
    from treadle.pipeline.rebind import Following
    from treadle.runtime.prepared import Prepared

__all__ = ["Recorded", "make_room", "names_of", "written_last"]

_RUNS_KEPT = 8  # sets of bindings that came more than once
_PLAIN = (float, int, bool, str)  # parameters that say all in their text


class Recorded:
    """Stages, names, and what was prepared of them; replaced as a whole, never changed."""

    __slots__ = (
        "_runs",
        "_seen",
        "displayed",
        "entries",
        "following",
        "last",
        "named",
        "prepared",
        "users",
    )

    def __init__(
        self,
        entries: tuple[Entry, ...] = (),
        named: Mapping[str, Buffer] | None = None,
        last: Any = None,
    ) -> None:
        self.entries = entries
        self.named: Mapping[str, Buffer] = named or {}
        self.last = last
        found = [entry.definition for entry in entries if entry.definition is not None]
        self.users = tuple([each for each in found if not each.builtin])  # kernels of the user
        self.displayed = [each for each in entries if each.display is not None]
        self.prepared: Prepared | None = None  # for runs over what is recorded
        self.following: dict[Hashable, Following] = {}  # what other shapes make of the stages
        # A set of bindings is kept, and keeps its buffers, when it comes for the second time:
        # buffers that are new at each run are not to outlive it.
        self._runs: dict[Hashable, tuple[Prepared, tuple[Buffer, ...]]] = {}
        self._seen: dict[Hashable, tuple[weakref.ref[Buffer], ...]] = {}

    def check_displays(self) -> None:
        """Raise, before anything is submitted, where a display was closed."""
        for each in self.displayed:
            if each.display is not None and each.display.closed:
                raise SurfaceClosed(f"output: {each.display!r} of {each.kernel} was closed")

    def show(self) -> None:
        """Have displays show what the run writes that was submitted last."""
        for each in self.displayed:
            assert each.display is not None
            each.display.show(each.outputs[0])

    def known(self, bind: Mapping[Any, Any]) -> Prepared | None:
        """Return what was prepared for just these bindings, if it was kept."""
        found = self._runs.get(_key(bind))
        return None if found is None else found[0]

    def keep(self, bind: Mapping[Any, Any], prepared: Prepared) -> None:
        """Keep what was prepared for bindings, if they came before."""
        key = _key(bind)
        if key is None:
            return
        buffers = tuple([value for value in bind.values() if type(value) is Buffer])
        seen = self._seen.pop(key, None)
        if seen is not None and all(a() is b for a, b in zip(seen, buffers, strict=True)):
            make_room(self._runs, _RUNS_KEPT)
            self._runs[key] = prepared, buffers
        else:
            make_room(self._seen, _RUNS_KEPT)
            self._seen[key] = tuple([weakref.ref(buffer) for buffer in buffers])


def _key(bind: Mapping[Any, Any]) -> Hashable:
    """Bindings as a key: buffers are themselves, parameters their values; None: not to be kept."""
    if type(bind) is not dict and not isinstance(bind, Mapping):
        raise LaunchError(f"bind: expected a mapping of names to buffers, got {bind!r:.80}")
    parts: list[Hashable] = []
    for name, value in bind.items():
        if type(value) is Buffer:
            parts.append((name, id(value)))
            continue
        if not isinstance(value, Mapping):  # and wrong, as is said where it is bound
            return None
        for parameter, given in value.items():
            if type(given) not in _PLAIN:
                return None
            parts.append((name, parameter, type(given), repr(given)))  # 0.0 is not -0.0
    return tuple(parts)


def make_room(kept: dict[Hashable, Any], most: int) -> None:
    """Forget the oldest of what is kept until there is room for one more.

    Several threads may do so at the same time."""
    while len(kept) >= most:
        for oldest in list(kept)[:1]:
            kept.pop(oldest, None)


def written_last(entries: Sequence[Entry]) -> tuple[Buffer, ...]:
    """What the last stage that writes buffers writes."""
    for entry in reversed(entries):
        found = tuple([item for item in entry.outputs if isinstance(item, Buffer)])
        if found:
            return found
    return ()


def names_of(entries: Sequence[Entry]) -> list[str]:
    """The names by which stages can be found."""
    from treadle.lang import registry

    kernels = [entry.kernel for entry in entries]
    others = [alias for name in kernels for alias in registry.aliases(name)]
    return [*kernels, *others, *(e.label for e in entries if e.label)]
