"""Playing the device for a stream: a diary of events, a consumer on its own thread, launches by
batch."""

from __future__ import annotations

import gc
import threading

import numpy as np

from treadle.testing import Launch, ManualBackend

PATIENCE = 30.0


class Diary:
    """Events in the order in which they happen; a test waits for them instead of sleeping."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self._changed = threading.Condition()

    def note(self, event: str) -> None:
        with self._changed:
            self.events.append(event)
            self._changed.notify_all()

    def expect(self, *events: str) -> None:
        with self._changed:
            found = self._changed.wait_for(
                lambda: all(event in self.events for event in events), PATIENCE
            )
            assert found, f"expected {events}, got {self.events}"


def batch(value: float, size: int = 3) -> np.ndarray:
    return np.full(size, value, np.float32)


def own_threads() -> list[str]:
    names = [thread.name for thread in threading.enumerate()]
    return [name for name in names if name.startswith("treadle-stream")]


def assert_nothing_left(device, backend) -> None:
    gc.collect()
    assert own_threads() == []
    assert device.in_flight == 0
    assert device.memory_in_use == 0


class Loop(threading.Thread):
    """A consumer on a thread of its own, so that the test can play the device."""

    def __init__(self, stream) -> None:
        super().__init__(daemon=True)
        self.results: list[object] = []
        self.error: BaseException | None = None
        self._stream = stream
        self.start()

    def run(self) -> None:
        try:
            for result in self._stream:
                self.results.append(result)
        except BaseException as error:
            self.error = error

    def end(self) -> list[object]:
        self.join(PATIENCE)
        assert not self.is_alive()
        if self.error is not None:
            raise self.error
        return self.results


def complete(backend: ManualBackend, count: int = 1) -> None:
    for _ in range(count):
        backend.expect(1)
        backend.complete()


def of_batch(backend: ManualBackend, n: int, count: int = 1) -> Launch:
    """The launch that computes batch n; where data travels, a later one may be launched first."""
    for launch in backend.expect(count):
        region = launch.steps[0].regions[-1]
        first = region.memory.data[region.offset : region.offset + 4].view(np.float32)
        if first[0] == n:
            return launch
    raise AssertionError(f"batch {n} is not among {backend.pending}")
