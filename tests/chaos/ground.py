"""A device to be harsh to, and what must hold of it afterwards.

In: the kind of device. Out: a device with a few buffers, a pump that ends a manual device's
launches, and a check: it computes right values, nothing is left in flight, memory and threads are
what they were. The calls to disturb are in calls.py.
"""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import treadle
from chaos.watch import PATIENCE, Failure, Watch
from kernel_text import define
from runtime.shared import both, plus, shifted, times, twice_shifted
from treadle.backends.cpu import CpuBackend
from treadle.testing import ManualBackend

LENGTH = 8
LARGE = 100_000  # elements: long enough for the CPU to be still at it when a call returns

KINDS: dict[str, dict[str, Any]] = {
    "cpu": {},
    "manual": {},
    "ordered": {"ordered": True, "lanes": 2},
    "polled": {"signals": False},
    "apart": {"shared": False, "carries": True},
    "webgpu": {},
}


def present(kind: str) -> bool:
    """Whether this machine has it."""
    return kind != "webgpu" or "webgpu" in treadle.devices()


class Pump:
    """Ends the launches of a manual device while it is on, well or, at times, badly."""

    def __init__(self, backend: ManualBackend, fails: Callable[[], bool] | None = None) -> None:
        self._backend = backend
        self._fails = fails
        self._on = threading.Event()
        self._over = False
        self._thread = threading.Thread(target=self._run, name="pump", daemon=True)
        self._thread.start()

    def on(self) -> None:
        self._on.set()

    def off(self) -> None:
        self._on.clear()

    def _run(self) -> None:
        nap = threading.Event()
        while not self._over:
            self._on.wait()
            with contextlib.suppress(AssertionError):  # closed or cancelled between the two
                if any(launch.startable for launch in list(self._backend.pending)):
                    if self._fails is not None and self._fails():
                        self._backend.fail(1, ValueError("failed by chance"))
                    else:
                        self._backend.complete(1)
                    continue
            nap.wait(0.0002)

    def close(self) -> None:
        self._over = True
        self._on.set()
        self._thread.join(PATIENCE)


class Ground:
    """A device, its buffers, and what they should hold."""

    def __init__(self, kind: str, fails: Callable[[], bool] | None = None) -> None:
        self.kind = kind
        self.pump: Pump | None = None
        if kind == "cpu":
            self.device = treadle.Device(CpuBackend(workers=2), "chaos")
        elif kind == "webgpu":
            self.device = treadle.device("webgpu")
        else:
            backend = ManualBackend(**KINDS[kind])
            self.device = treadle.Device(backend, "chaos")
            self.pump = Pump(backend, fails)
        self.on()
        device = self.device
        self.ones = np.ones(LENGTH, np.float32)
        self.a = device.buffer(self.ones)
        self.out = device.buffer_zeros(LENGTH)
        self.large = device.buffer_zeros(LARGE if self.pump is None else 2 * LENGTH)
        self.pipeline = treadle.pipeline(device)
        self.pipeline.buffer("given", self.a)
        self.pipeline.add(times, self.a, k=2.0).add(plus, [self.pipeline.last, self.a], self.out)
        self.other = device.buffer(self.ones)
        self.rebound = False  # the pipeline may have other buffers and parameters than these
        for kernel, count in ((plus, 2), (times, 1), (both, 2), (shifted, 1), (twice_shifted, 1)):
            device.run_kernel(kernel, [self.a] * count)
            device.run_kernel(kernel, [self.large] * count)
        self.pipeline.run()
        self.called: list[threading.Thread] = []  # who calls a batched kernel beside
        self._serve()
        gc.collect()
        gc.freeze()
        self.in_use = device.memory_in_use
        self._names = 0

    def on(self) -> None:
        """Have launches end by themselves."""
        if self.pump is not None:
            self.pump.on()

    def off(self) -> None:
        """Leave launches unfinished, where the device lets us."""
        if self.pump is not None:
            self.pump.off()

    def _serve(self) -> None:
        self.served = treadle.batched(times, device=self.device, params={"k": 2.0}, max_in_flight=1)

    def new_kernel(self) -> Any:
        """A kernel that nobody has compiled yet."""
        self._names += 1
        return define(f"def f(x):\n    return x * 2 + {self._names}\n")

    def check(self, watch: Watch) -> None:
        """Check that the device is as good as new."""
        device = self.device
        self.on()
        device.power_saving = False
        try:
            device.synchronize(PATIENCE)
        except treadle.CommandTimeout as error:
            raise Failure(f"work that never ends: {error}") from None
        watch.until(lambda: device.in_flight == 0, f"left in flight: {device.queue.snapshot()}")
        watch.until(
            lambda: not any(thread.is_alive() for thread in self.called),
            f"callers that were not answered: {self.served!r}",
        )
        self.called.clear()
        if not (self.served.run(self.ones, timeout=PATIENCE) == 2.0).all():
            raise Failure("a batched kernel gives wrong values")
        self.served.close()  # with the buffers that it keeps
        self._serve()
        for buffer, values in ((self.a, self.ones), (self.other, self.ones)):
            buffer.write(values)
        self.out.write(np.zeros(LENGTH, np.float32))
        for _ in range(2):
            device.submit(plus, [self.a, self.other], self.out).wait(PATIENCE)
            self._expect(self.out.to_numpy(), 2.0)
        if self.rebound:
            self.pipeline.bind(given=self.a).set(0, k=2.0)
            self.rebound = False
        self.pipeline.submit().wait(PATIENCE)
        self._expect(self.out.to_numpy(), 3.0)
        watch.until(lambda: device.in_flight == 0, f"left in flight: {device.queue.snapshot()}")
        running = device.queue.graph.pace.running
        watch.until(lambda: not running, "counted as running, and ended")

    def _expect(self, found: np.ndarray[Any, Any], value: float) -> None:
        if not (found == value).all():
            raise Failure(f"expected {value} everywhere, got {found.tolist()}")

    def check_memory(self, watch: Watch) -> None:
        """Check that nothing holds memory that nobody refers to."""

        def back() -> bool:
            gc.collect()
            return self.device.memory_in_use == self.in_use

        if self.device.memory_in_use != self.in_use and not back():
            held = self.device.memory_in_use
            watch.until(back, f"memory in use: {held} bytes, at first {self.in_use}")

    def check_threads(self) -> None:
        """Check that no thread was started again and again."""
        names = [thread.name for thread in threading.enumerate() if thread.is_alive()]
        for name in set(names):
            if name.startswith("treadle") and names.count(name) > 4:
                raise Failure(f"{names.count(name)} threads are called {name}")

    def close(self, watch: Watch) -> None:
        """Close the device, and check that its threads end."""
        self.on()
        self.device.close()
        if self.pump is not None:
            self.pump.close()

        def left() -> list[str]:
            # A start() that was interrupted stays in Python's own list, without a thread.
            threads = [each for each in threading.enumerate() if each.is_alive()]
            return [each.name for each in threads if each.name.startswith("treadle-chaos")]

        watch.until(lambda: not left(), f"threads of a closed device: {left()}")
