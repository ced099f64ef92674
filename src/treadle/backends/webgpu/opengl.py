"""OpenGL: one call into the driver at a time.

In: wgpu's functions. Out: the same functions, each waiting for its turn. An OpenGL context belongs
to one thread at a time, and all adapters and devices of a process share one. wgpu makes it current
for each call, and ends the process where another adapter's call has it, or where it does not come
free within six seconds: software drivers run kernels inside the call that submits them. So no
thread may even try while another is inside. What finalizers call never waits: they run anywhere,
inside the driver's own callbacks too, and what they let go of can go later. Devices, memory and
work are not known here.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["Turns"]

T = TypeVar("T")

# Not put off: a device's callbacks live only as long as its Python object, and whatever is called
# after its end must see it.
_AT_ONCE = {
    "wgpuAdapterRelease",
    "wgpuDeviceDestroy",
    "wgpuDeviceRelease",
    "wgpuInstanceRelease",
    "wgpuQueueRelease",
}


class Turns:
    """Whose turn it is to be in the driver."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        # Held by the first thread in line, so that one that comes back at once does not overtake
        # it: the submitter submits without end while the poller waits to look.
        self._first = threading.RLock()
        self._later: deque[tuple[Callable[..., Any], tuple[Any, ...]]] = deque()

    def install(self, native: Any) -> None:
        """Have every function that wgpu's Python layer calls take turns."""
        functions = native.libf
        for name, call in list(vars(functions).items()):
            if not name.startswith("wgpu"):
                continue
            if name.endswith(("Release", "Destroy")) and name not in _AT_ONCE:
                # The bare function: no caller could be given an error.
                setattr(functions, name, self._never_waiting(getattr(native.lib, name)))
            else:
                setattr(functions, name, self.waiting(call))
        for each in vars(native).values():  # classes hold the functions that release them
            held = vars(each).get("_release_function") if isinstance(each, type) else None
            if held is not None:
                each._release_function = getattr(functions, held.__name__)

    def waiting(self, call: Callable[..., T]) -> Callable[..., T | None]:
        """Return the same function, waiting for its turn."""

        def taking_a_turn(*args: Any) -> T | None:
            if self._mine():  # inside a callback of the driver
                return call(*args)
            if sys.is_finalizing():  # the thread that is inside may never leave
                return None
            try:
                with self._first:
                    self._lock.acquire()
                self._empty()
                return call(*args)
            finally:
                try:  # noqa: SIM105  # the first call here: Ctrl-C cannot keep us from it
                    self._lock.release()
                except RuntimeError:  # it was not taken
                    pass
                self._settle()

        return taking_a_turn

    def _never_waiting(self, call: Callable[..., Any]) -> Callable[..., None]:
        """Return the same function, called now or by the thread that is in the driver."""

        def at_some_time(*args: Any) -> None:
            self._later.append((call, args))
            self._settle()

        return at_some_time

    def attempt(self, do: Callable[[], T]) -> T | None:
        """Do something if no thread is in the driver; else return None."""
        if self._mine():
            return None
        try:
            return do() if self._lock.acquire(blocking=False) else None
        finally:
            try:  # noqa: SIM105  # the first call here: Ctrl-C cannot keep us from it
                self._lock.release()
            except RuntimeError:  # it was not taken
                pass
            self._settle()

    def _settle(self) -> None:
        """Do what was put off; where a thread is in the driver, it does that on leaving."""
        while self._later and not self._mine():
            try:
                if not self._lock.acquire(blocking=False):
                    return
                self._empty()
            finally:
                try:  # noqa: SIM105  # the first call here: Ctrl-C cannot keep us from it
                    self._lock.release()
                except RuntimeError:  # it was not taken
                    pass

    def _empty(self) -> None:
        with contextlib.suppress(IndexError):
            while True:
                call, args = self._later.popleft()
                call(*args)

    def _mine(self) -> bool:
        return bool(self._lock._is_owned())  # type: ignore[attr-defined]
