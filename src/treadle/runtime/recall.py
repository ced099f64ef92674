"""Programs that an earlier process compiled, found by kernel: no pass looks at it again.

In: a kernel as it is to be optimised, and a backend that can make a program again (backends.base).
Out: the program, where an earlier process kept it; else it is compiled, and what the backend wrote
down of it is kept in the cache, once it has run. The key holds all that the program follows from:
the kernel, what schedules are made for, the machine and compiler that its code is for (several may
share a home folder), and the state of the code that decides and spells. The cache vouches that this
user wrote an entry. Knows neither commands nor queues.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from treadle._version import __version__
from treadle.backends.base import Backend, Program
from treadle.backends.cache import digest
from treadle.ir.plain import write_kernel, write_size
from treadle.runtime.scheduling import load_passes, scheduled
from treadle.runtime.stored import sources_stamp

if TYPE_CHECKING:
    from treadle.ir.nodes import Kernel
    from treadle.ir.schedule import Schedule

__all__ = ["Recall"]

_FORMAT = "program 1"
# Whatever is wrong with an entry, compiling again is the answer.
_UNSOUND = (ValueError, TypeError, KeyError, IndexError, RecursionError, ArithmeticError)


class Recall:
    """The programs that one device keeps on disk, apart from their code."""

    def __init__(self, backend: Any, later: Callable[[Callable[[], object]], None]) -> None:
        """`later` has something done that no command waits for."""
        self._backend = backend
        self._files = backend.files
        self._later = later
        self.closed = False  # what is not needed any more is not made

    @staticmethod
    def of(backend: Backend, later: Callable[[Callable[[], object]], None]) -> Recall | None:
        """Return that of a backend which can make programs again, and has a cache."""
        able = hasattr(backend, "recalled") and hasattr(backend, "files")
        return Recall(backend, later) if able else None

    def program(self, kernel: Kernel) -> Program | None:
        """Return the program of a kernel if it is known."""
        key = self._key(kernel)
        payload = None if key is None else self._files.load(key)
        if payload is None:
            return None

        made: list[Schedule] = []

        def ready() -> None:
            if not made and not self.closed:
                made.append(_scheduled(kernel, self._backend))

        def schedule() -> Schedule:
            if found is not None:
                self.keep(kernel, found)  # with what will be measured now
            if not made:
                made.append(_scheduled(kernel, self._backend))
            return made[0]

        found: Program | None = None
        try:
            found = self._backend.recalled(kernel, json.loads(payload), schedule)
        except _UNSOUND:
            return None
        if found is not None:
            self._later(ready)  # sizes of another structure may be met by a caller, who has no time
        return found

    def keep(self, kernel: Kernel, program: Program) -> None:
        """Have a program written down, once it has run, most often."""
        self._later(lambda: self._store(kernel, program))

    def _store(self, kernel: Kernel, program: Program) -> None:
        value, key = self._backend.plain(program), self._key(kernel)
        if value is not None and key is not None:
            self._files.store(key, json.dumps(value, default=write_size).encode())

    def _key(self, kernel: Kernel) -> str | None:
        try:
            written = json.dumps(write_kernel(kernel))
        except (TypeError, ValueError, KeyError):  # what JSON does not know
            return None
        backend = self._backend
        about = f"{backend.name} {backend.target!r} {backend.machine}"
        return digest(written, about, _FORMAT, __version__, sources_stamp())


def _scheduled(kernel: Kernel, backend: Backend) -> Schedule:
    load_passes()
    from treadle.passes import optimise

    return scheduled(optimise(kernel), backend)
