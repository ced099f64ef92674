"""Threads that use the same device and buffers while another is disturbed: they get through.

In: a moment to begin. Out: what each did, or which of them hangs. They are woken at the very place
where the disturbed thread is about to be interrupted, so that they queue up behind what it holds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np

import treadle
from chaos.ground import LENGTH, Ground
from chaos.watch import PATIENCE, Failure, Watch
from runtime.shared import times

# What a command or an access may be told that comes behind something that was interrupted.
FINE = (treadle.CommandFailed, treadle.CommandCancelled)


def _submit(g: Ground) -> None:
    g.device.submit(times, g.a, g.out, k=1.0).wait(PATIENCE)


def _replace(g: Ground) -> None:
    g.a.write(np.ones(LENGTH, np.float32))


def _read(g: Ground) -> None:
    found = g.out.to_numpy()
    if not (found == found[0]).all():
        raise Failure(f"half of a write was read: {found.tolist()}")


def _large(g: Ground) -> None:
    g.device.submit(times, g.large, k=1.0).wait(PATIENCE)


def _everything(g: Ground) -> None:
    g.device.synchronize(PATIENCE)


DEEDS: dict[str, Callable[[Ground], None]] = {
    "submit": _submit,
    "write": _replace,
    "read": _read,
    "large": _large,
    "synchronize": _everything,
}


class Bystanders:
    """One thread for each deed."""

    def __init__(self, ground: Ground, fine: tuple[type[BaseException], ...] = FINE) -> None:
        self._ground = ground
        self._fine = fine
        self._go = {name: threading.Semaphore(0) for name in DEEDS}
        self._busy: set[str] = set()
        self._over = False
        self._wrong: list[str] = []
        for name in DEEDS:
            threading.Thread(target=self._serve, args=(name,), name=name, daemon=True).start()

    def start(self) -> None:
        """Have every thread do its deed once, and let them come as far as they can."""
        for name, go in self._go.items():
            self._busy.add(name)
            go.release()
        threading.Event().wait(0.0005)

    def _serve(self, name: str) -> None:
        while True:
            self._go[name].acquire()
            if self._over:
                return
            try:
                DEEDS[name](self._ground)
            except self._fine:
                pass
            except BaseException as error:
                self._wrong.append(f"a thread that does {name}: {type(error).__name__}: {error}")
            self._busy.discard(name)

    def join(self, watch: Watch) -> None:
        """Wait until all are through."""
        try:
            watch.until(lambda: not self._busy, "", 1.5 * PATIENCE)
        except Failure:
            raise Failure(f"threads hang: {', '.join(sorted(self._busy))}") from None
        if self._wrong:
            raise Failure("; ".join(self._wrong))

    def close(self) -> None:
        """End the threads."""
        self._over = True
        for go in self._go.values():
            go.release()
