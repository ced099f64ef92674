"""What functions gave, by structure: for sizes that they have not seen, mostly without a call.

In: a key, numbers, and a function that makes something of them. Out: what it makes of these
numbers. The function is called once on Sizes (ir.sizes); what it returned, with Sizes where numbers
depend on sizes, is kept with its tape. Other numbers of the same key fill it, where the tape's
guards hold; else the function is called again, and what it gives is kept beside.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from treadle.ir.nodes import Kernel
from treadle.ir.sizes import Number, Tape, Values

__all__ = ["Structures", "unique"]

T = TypeVar("T")
Make = Callable[[Sequence[Any]], T]

_KEYS_KEPT = 1024
_KEPT = 32  # structures of one key and the same pinned numbers,
_PINS_KEPT = 256  # and how many such numbers


_ONES: dict[Kernel, Kernel] = {}
_ONES_KEPT = 1024


def unique(kernel: Kernel) -> Kernel:
    """The one of all equal kernels, so that they are compared by looking at which they are."""
    found = _ONES.get(kernel)
    if found is None:
        if len(_ONES) >= _ONES_KEPT:
            for key in list(_ONES)[: _ONES_KEPT // 4]:
                _ONES.pop(key, None)
        found = _ONES.setdefault(kernel, kernel)
    return found


class Structures(Generic[T]):
    """What a function gave, by structure: a bounded number of tapes, found by a key.

    The key holds all that is not a number, and the numbers' places. Tapes that hold for one value
    of a number only are found by these values, so that many of them are not tried in vain."""

    __slots__ = ("_fill", "_kept")

    def __init__(self, fill: Callable[[T, Values], T]) -> None:
        """`fill` replaces the Sizes in what a function returned by numbers."""
        self._fill = fill
        self._kept: dict[Hashable, _Family[T] | None] = {}  # None: has to be made each time

    def get(self, key: Hashable, numbers: Sequence[Number], make: Make[T]) -> T:
        """Return what `make` gives for these numbers, without calling it where the way that it
        would go is known."""
        found = self.find(key, numbers)
        return self.make(key, numbers, make) if found is None else found

    def find(self, key: Hashable, numbers: Sequence[Number]) -> T | None:
        """Return what is known to be made of these numbers, or None."""
        family = self._kept.get(key)
        found = None if family is None else family.find(numbers)
        return None if found is None else self._fill(*found)

    def make(
        self,
        key: Hashable,
        numbers: Sequence[Number],
        make: Make[T],
        told: Callable[[Tape, T], object] | None = None,
    ) -> T:
        """Call `make`, and keep its structure; `told` gets the tape and what it made as well."""
        if key in self._kept and self._kept[key] is None:
            return make(numbers)
        tape = Tape(numbers)
        try:
            template = make(tape.sizes())
            made = self._fill(template, tape.values)
        except Exception:
            template = None
        if template is None:
            # Either there is something wrong with these numbers, and it is said again without Sizes
            # in the message, or it is something that cannot be done with Sizes.
            made = make(numbers)
            self._room()
            self._kept.setdefault(key, None)
            return made
        tape.end()
        self.add(key, tape, template)
        if told is not None:
            told(tape, template)
        return made

    def add(self, key: Hashable, tape: Tape, template: T) -> None:
        """Keep what a tape that has ended made."""
        self._room()
        family = self._kept.get(key) or _Family()
        family.add(tape, template)
        self._kept[key] = family

    def _room(self) -> None:
        if len(self._kept) >= _KEYS_KEPT:
            for key in list(self._kept)[: _KEYS_KEPT // 4]:
                self._kept.pop(key, None)

    def __iter__(self) -> Iterator[tuple[Hashable, Tape, T]]:
        """The key, the tape and what was made, of each structure."""
        for key, family in list(self._kept.items()):
            for tape, template in () if family is None else family:
                yield key, tape, template

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _Family(Generic[T]):
    """The structures of one key, by the numbers that they are pinned to."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: dict[tuple[int, ...], dict[Hashable, list[tuple[Tape, T]]]] = {}

    def find(self, numbers: Sequence[Number]) -> tuple[T, list[Any]] | None:
        for pins, known in list(self._found.items()):
            for tape, template in known.get(tuple([numbers[k] for k in pins]), ()):
                values = tape.play(numbers)
                if values is not None:
                    return template, values
        return None

    def add(self, tape: Tape, template: T) -> None:
        pins = tape.pinned
        known = self._found.setdefault(pins, {})
        value = tuple([tape.given[k] for k in pins])
        while len(known) >= _PINS_KEPT:
            known.pop(next(iter(known)))
        known[value] = [(tape, template), *known.get(value, ())][:_KEPT]

    def __iter__(self) -> Iterator[tuple[Tape, T]]:
        for known in list(self._found.values()):
            for each in list(known.values()):
                yield from each
