"""A CUDA device without a GPU: memory is the host's, kernels compute nothing, graphs take notes.

In: nothing. Out: a CudaBackend over modules that answer as CuPy's do, and a library that answers as
the driver's. Everything launched is done at once, or when the test says so. What is real is all of
Treadle: planning, hazards, lanes, recordings.
"""

from __future__ import annotations

import ctypes
import itertools
from time import perf_counter_ns
from types import SimpleNamespace
from typing import Any

import numpy as np

from treadle.backends.cache import DiskCache
from treadle.backends.cuda import CudaBackend, driver, graph
from treadle.runtime.device import Device

NOT_READY = driver.NOT_READY


class _Block:
    def __init__(self, nbytes: int) -> None:
        self._data = np.zeros(nbytes + 256, np.uint8)
        self.ptr = self._data.ctypes.data


class _Pool:
    def malloc(self, nbytes: int) -> _Block:
        return _Block(nbytes)

    def total_bytes(self) -> int:
        return 0

    def free_bytes(self) -> int:
        return 0

    def free_all_blocks(self) -> None:
        pass


class _CurrentDevice:
    compute_capability = "90"

    def __init__(self, index: int) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


class Runtime:
    """As cupy.cuda.runtime; `held` keeps events from happening."""

    streamNonBlocking, eventDisableTiming = 1, 2

    def __init__(self) -> None:
        self._numbers = itertools.count(1).__next__
        self.held = False
        self.pending: set[int] = set()
        self.happened: dict[int, int] = {}  # event: when
        self.calls: list[tuple[Any, ...]] = []
        self.pinned: set[int] = set()  # addresses that are taken for page-locked memory

    def getDeviceCount(self) -> int:
        return 1

    def getDeviceProperties(self, index: int) -> dict[str, Any]:
        return {
            "name": b"Pretended GPU",
            "totalGlobalMem": 1 << 40,
            "multiProcessorCount": 132,
            "sharedMemPerBlockOptin": 227 << 10,
        }

    def driverGetVersion(self) -> int:
        return 12040

    def getDevice(self) -> int:
        return 0

    def setDevice(self, index: int) -> None:
        pass

    def eventCreate(self) -> int:
        return self._numbers()

    def eventCreateWithFlags(self, flags: int) -> int:
        return self._numbers()

    def eventRecord(self, event: int, stream: int) -> None:
        self.calls.append(("record", event, stream))
        if self.held:
            self.pending.add(event)
        self.happened[event] = perf_counter_ns()

    def eventQuery(self, event: int) -> int:
        return NOT_READY if event in self.pending else 0

    def eventElapsedTime(self, first: int, second: int) -> float:
        return (self.happened[second] - self.happened[first]) / 1e6

    def eventSynchronize(self, event: int) -> None:
        pass

    def eventDestroy(self, event: int) -> None:
        pass

    def streamCreateWithFlags(self, flags: int) -> int:
        return self._numbers()

    def streamDestroy(self, stream: int) -> None:
        pass

    def streamSynchronize(self, stream: int) -> None:
        pass

    def streamWaitEvent(self, stream: int, event: int, flags: int) -> None:
        self.calls.append(("wait", stream, event))

    def check_status(self, status: int) -> None:
        raise RuntimeError(f"status {status}")

    def pointerGetAttributes(self, address: int) -> Any:
        pinned = address in self.pinned
        return SimpleNamespace(type=int(pinned), devicePointer=address if pinned else 0)

    def memcpyAsync(self, target: int, source: int, nbytes: int, kind: int, stream: int) -> None:
        ctypes.memmove(target, source, nbytes)

    def happen(self) -> None:
        """Let everything that was launched end."""
        self.held = False
        self.pending.clear()


class Library:
    """As libcuda.so.1, for what graphs need; every call succeeds and is noted."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.edges: dict[int, list[int]] = {}  # node: those before it
        self.kinds: dict[int, str] = {}
        self.events: dict[int, int] = {}  # node: the event that it records
        self.launches: list[tuple[int, int]] = []
        self.takes = 1_000_000  # nanoseconds, of every kernel and copy in a graph
        self._numbers = itertools.count(1000).__next__
        for name in graph.SIGNATURES:
            setattr(self, name, self._bound(name))

    def _bound(self, name: str) -> Any:
        method = getattr(type(self), f"_{name}", None)

        def call(*arguments: Any) -> int:
            if method is not None:
                method(self, *arguments)
            return 0

        return call

    def _made(self, out: Any) -> int:
        number = self._numbers()
        out._obj.value = number
        return number

    def _add(self, kind: str, out: Any, after: Any, count: int) -> int:
        node = self._made(out)
        self.kinds[node] = kind
        self.edges[node] = sorted(after[:count])
        return node

    def _cuGraphCreate(self, out: Any, flags: int) -> None:
        self.edges, self.kinds, self.events = {}, {}, {}
        self._made(out)

    def _cuGraphAddKernelNode(self, out: Any, graph: int, after: Any, count: int, _: Any) -> None:
        self._add("kernel", out, after, count)

    def _cuGraphAddMemcpyNode(
        self, out: Any, graph: int, after: Any, count: int, _: Any, __: Any
    ) -> None:
        self._add("copy", out, after, count)

    def _cuGraphAddEventRecordNode(
        self, out: Any, graph: int, after: Any, count: int, event: int
    ) -> None:
        self.events[self._add("event", out, after, count)] = event

    def _cuGraphInstantiateWithFlags(self, out: Any, graph: int, flags: int) -> None:
        self._made(out)

    def _cuGraphLaunch(self, instance: int, stream: int) -> None:
        """Each node runs when those before it are done, as if there were room for all."""
        self.launches.append((instance, stream))
        done: dict[int, int] = {}
        for node, before in self.edges.items():
            takes = 0 if node in self.events else self.takes
            done[node] = max((done[k] for k in before), default=perf_counter_ns()) + takes
            if node in self.events:
                self.runtime.happened[self.events[node]] = done[node]


class Quiet(Runtime):
    """The same, taking no notes: its calls cost next to nothing."""

    eventRecord = staticmethod(lambda event, stream: None)  # type: ignore[assignment]
    eventQuery = staticmethod(lambda event: 0)  # type: ignore[assignment]


def pretended(
    monkeypatch: Any, folder: Any, *, quiet: bool = False
) -> tuple[Device, Runtime, Library]:
    """Open a device on a pretended GPU; with `quiet` what is left to measure is Treadle's part."""
    runtime = Quiet() if quiet else Runtime()
    streams = itertools.count(1)
    numbers = itertools.count(1)
    fake = SimpleNamespace(
        __version__="0",
        cuda=SimpleNamespace(
            Device=_CurrentDevice,
            Stream=lambda **_: SimpleNamespace(ptr=next(streams)),
            MemoryPool=_Pool,
            PinnedMemoryPool=lambda: SimpleNamespace(
                malloc=bytearray, free_all_blocks=lambda: None
            ),
            alloc_pinned_memory=bytearray,
            runtime=runtime,
            driver=SimpleNamespace(
                moduleLoadData=lambda image: next(numbers),
                moduleGetFunction=lambda module, name: next(numbers),
                moduleUnload=lambda module: None,
                launchKernel=lambda *arguments: None,
                funcSetAttribute=lambda *arguments: None,
                occupancyMaxActiveBlocksPerMultiprocessor=lambda *arguments: 2,
            ),
            nvrtc=SimpleNamespace(
                getSupportedArchs=lambda: [90],
                getVersion=lambda: (12, 4),
                createProgram=lambda *arguments: 1,
                compileProgram=lambda *arguments: None,
                getCUBIN=lambda program: b"code",
                destroyProgram=lambda program: None,
                NVRTCError=RuntimeError,
            ),
        ),
    )
    library = Library(runtime)
    if quiet:
        library.cuGraphLaunch = lambda instance, stream: 0  # type: ignore[attr-defined]
    monkeypatch.setattr("treadle.backends.cuda.load", lambda: driver.Cuda(fake))
    monkeypatch.setattr(graph, "library", lambda: library)
    backend = CudaBackend(cache=DiskCache(folder))
    return Device(backend, "cuda"), runtime, library
