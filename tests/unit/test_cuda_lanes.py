"""CUDA streams, events, argument blocks and staging, over a driver that only pretends."""

from __future__ import annotations

import ctypes
import struct
import threading
from types import SimpleNamespace

import numpy as np
import pytest

import treadle
from scheduled import as_cuda
from treadle.backends.base import Carry, Program, Region, Step
from treadle.backends.cuda import CudaBackend
from treadle.backends.cuda import clock as clocks
from treadle.backends.cuda.clock import Clock
from treadle.backends.cuda.copies import Copier
from treadle.backends.cuda.lanes import Lanes
from treadle.backends.cuda.memory import DeviceMemory
from treadle.backends.cuda.program import NativeProgram, Nvrtc
from treadle.codegen.cuda.abi import Call
from treadle.dtypes import DType
from treadle.ir.nodes import Axis, Block, Cast, Kernel, Load, Map, Op, Param, Tensor

AHEAD = 7_000_000  # nanoseconds that the pretended GPU's clock is ahead of the host's


class Runtime:
    """Events that happen when they are recorded, or when the test says so."""

    streamNonBlocking, eventDisableTiming = 1, 2

    def __init__(self):
        self.now = 1_000_000  # the host's clock
        self.happened: dict[int, int] = {}  # event: when, on the GPU's clock
        self.made = self.destroyed = 0
        self.status = 0  # of every query
        self.devices = []
        self.waits = []

    def eventCreate(self):
        self.made += 1
        return self.made

    def eventCreateWithFlags(self, flags):
        return self.eventCreate()

    def eventRecord(self, event, stream):
        self.now += 500
        self.happened[event] = self.now + AHEAD
        self.now += 500

    def eventQuery(self, event):
        return self.status

    def eventElapsedTime(self, first, second):
        return float(np.float32((self.happened[second] - self.happened[first]) / 1e6))

    def eventSynchronize(self, event):
        pass

    def eventDestroy(self, event):
        self.destroyed += 1

    def streamCreateWithFlags(self, flags):
        return 99

    def streamDestroy(self, stream):
        pass

    def streamSynchronize(self, stream):
        pass

    def streamWaitEvent(self, stream, event, flags):
        self.waits.append((stream, event))

    def setDevice(self, index):
        self.devices.append(index)

    def check_status(self, status):
        raise RuntimeError(f"status {status}")

    def pointerGetAttributes(self, address):
        return SimpleNamespace(type=0)

    def memcpyAsync(self, target, source, nbytes, kind, stream):
        ctypes.memmove(target, source, nbytes)


class Pinned(bytearray):
    """Memory with an address."""

    @property
    def ptr(self):
        return np.frombuffer(self, np.uint8).ctypes.data


@pytest.fixture
def cuda(monkeypatch):
    runtime = Runtime()
    monkeypatch.setattr(clocks, "perf_counter_ns", lambda: runtime.now)
    streams = iter(range(1, 100))
    library = SimpleNamespace(
        Stream=lambda **_: SimpleNamespace(ptr=next(streams)), alloc_pinned_memory=Pinned
    )
    return SimpleNamespace(
        runtime=runtime, driver=SimpleNamespace(), cupy=SimpleNamespace(cuda=library)
    )


# Times


def launch(lanes, cuda, takes, *, timed=True):
    lane = lanes.choose(0, 1, ())
    mark = lanes.clock.mark(lane.stream) if timed else None
    began = cuda.runtime.now - 500
    cuda.runtime.now += takes
    fence = lanes.fence(lane, "kept", None, mark)
    return fence, began, cuda.runtime.now - 500


def test_times_are_on_the_hosts_clock(cuda):
    lanes = Lanes(cuda)
    for takes in (1_000, 50_000, 3_000_000, 1_500_000_000):  # the last outlives its reference
        fence, began, ended = launch(lanes, cuda, takes)
        assert fence.times() is None
        assert fence.done()
        begin, end = fence.times()
        # Half of the reference's width, and what f32 makes of milliseconds.
        assert abs(begin - began) <= 600
        assert abs((end - begin) - (ended - began)) <= 200
    assert fence.keep is None


def test_timing_events_are_recycled_and_others_left_alone(cuda):
    lanes = Lanes(cuda)
    launch(lanes, cuda, 10)[0].done()
    made = cuda.runtime.made
    for _ in range(50):
        assert launch(lanes, cuda, 400_000_000)[0].done()
    assert cuda.runtime.made <= made + clocks._TRIES
    fence, _, _ = launch(lanes, cuda, 10, timed=False)
    made = cuda.runtime.made
    assert fence.done()
    assert fence.times() is None
    again, _, _ = launch(lanes, cuda, 10, timed=False)
    assert again.done()
    assert cuda.runtime.made == made


def test_a_gpu_that_does_not_answer_is_not_timed(cuda, monkeypatch):
    lanes = Lanes(cuda)
    cuda.runtime.status = 600
    ticking = iter(range(0, 10**9, 100_000))
    monkeypatch.setattr(clocks, "perf_counter_ns", lambda: next(ticking))
    fence, _, _ = launch(lanes, cuda, 10)
    assert not fence.done()
    cuda.runtime.status = 0
    assert fence.done()
    assert fence.times() is None


def test_the_narrowest_of_several_references_counts(cuda):
    clock = Clock(cuda)
    widths = iter([9_000, 300, 4_000, 5_000, 6_000])
    usual = cuda.runtime.eventQuery

    def slow(event):
        cuda.runtime.now += next(widths)
        return usual(event)

    cuda.runtime.eventQuery = slow
    reference = clock._align(cuda.runtime.now + 10**9)
    assert reference.width == 1_300
    assert sorted([*clock.spare, reference.event]) == list(range(1, cuda.runtime.made + 1))


def test_what_ends_after_closing_has_no_times(cuda):
    lanes = Lanes(cuda)
    fence, _, _ = launch(lanes, cuda, 10)
    lanes.close()
    assert fence.done()
    assert fence.times() is None
    assert cuda.runtime.destroyed == cuda.runtime.made


def test_a_failure_reaches_the_fence(cuda):
    lanes = Lanes(cuda)
    lane = lanes.choose(0, 1, ())
    refused = treadle.LaunchError("refused")
    fence = lanes.fence(lane, None, refused)
    assert fence.done()
    assert fence.error is refused
    fence, _, _ = launch(lanes, cuda, 10)
    cuda.runtime.status = 700
    assert fence.done()
    assert fence.times() is None
    assert isinstance(fence.error, treadle.DeviceError)
    assert lanes.lost is fence.error


# Order


def test_what_follows_the_last_of_a_lane_goes_there_and_waits_for_nothing_else(cuda):
    lanes = Lanes(cuda)
    first = lanes.fence(lanes.choose(0, 1, ()), None)
    assert lanes.choose(2, 1, (first,)) is first.lane
    assert lanes.choose(2, 1, (object(),)) is not first.lane  # done, or not a launch
    second = lanes.fence(lanes.choose(1, 1, ()), None)
    assert second.lane is not first.lane
    assert not cuda.runtime.waits
    joined = lanes.choose(3, 1, (first, second))
    assert joined in (first.lane, second.lane)
    other = second if joined is first.lane else first
    assert cuda.runtime.waits == [(joined.stream, other.event)]


def test_order_across_priorities_and_behind_what_is_not_last_takes_an_event(cuda):
    lanes = Lanes(cuda)
    first = lanes.fence(lanes.choose(0, 1, ()), None)
    urgent = lanes.choose(0, 0, (first,))
    assert urgent is not first.lane
    assert cuda.runtime.waits == [(urgent.stream, first.event)]
    last = lanes.fence(first.lane, None)
    lane = lanes.choose(1, 1, (first,))
    assert lane is not first.lane
    assert cuda.runtime.waits[1:] == [(lane.stream, first.event)]
    assert first.done()
    assert last.done()
    lanes.choose(1, 1, (first, last))
    assert len(cuda.runtime.waits) == 2


# Copies that the GPU makes by itself


def carrier(cuda) -> CudaBackend:
    """As much of a backend as a copy needs."""
    backend = object.__new__(CudaBackend)
    backend._cuda, backend._lanes, backend._copier = cuda, Lanes(cuda), Copier(cuda, 0)
    backend._lock, backend._local = threading.Lock(), threading.local()
    backend._many = backend._closed = backend.timing = False
    backend._index, backend._memcpy = 0, cuda.runtime.memcpyAsync
    return backend


def test_copies_of_pinned_arrays_are_put_on_streams_of_their_own(cuda):
    backend = carrier(cuda)
    memory = np.zeros(6, np.float32)
    region = Region(DeviceMemory(memory.ctypes.data, 24, None), 8)
    given, back = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)

    def never(stream):
        raise AssertionError("nobody waits")

    cuda.runtime.streamSynchronize = never
    up = backend.launch((Carry(region, given, True),), None, lane=0)
    assert memory.tolist() == [0.0, 0.0, 0.0, 1.0, 2.0, 3.0]
    kernel = backend._lanes.fence(backend._lanes.choose(1, 1, (up,)), None)
    assert kernel.lane is not up.lane  # nor does another kernel queue up behind a copy
    assert cuda.runtime.waits == [(kernel.lane.stream, up.event)]
    down = backend.launch((Carry(region, back, False),), None, lane=2, after=(kernel,))
    assert back.tolist() == given.tolist()
    assert cuda.runtime.waits[1:] == [(down.lane.stream, kernel.event)]
    assert (str(up.lane), str(down.lane)) == ("upload 0", "download 0")
    assert up.keep[0].array is given  # until it is done
    for fence in (up, down):
        assert fence.done()
        start, stop = fence.times()  # also where nobody traces
        assert start < stop
    assert up.keep is None


def test_only_pinned_arrays_are_carried(cuda):
    backend = carrier(cuda)
    array = np.zeros(3, np.float32)
    assert not backend.carries(array)
    cuda.runtime.pointerGetAttributes = lambda address: SimpleNamespace(
        type=1 if address == array.ctypes.data else 0
    )
    assert backend.carries(array)


# Launches


def scaled(*dtypes: DType) -> Kernel:
    """A kernel with a parameter of each type."""
    value = Load("a", (Axis(0),), DType.F32, (True,))
    for k, dtype in enumerate(dtypes):
        factor = Cast(Param(f"p{k}", dtype), DType.F32)
        value = Op("mul", (value, factor), DType.F32)
    a, out = Tensor("a", DType.F32, ("n",)), Tensor("out", DType.F32, ("n",))
    params = tuple(Param(f"p{k}", dtype) for k, dtype in enumerate(dtypes))
    return Kernel("scaled", ("n",), (a,), (out,), params, Map(Block((), (), (value,))))


class Loaded:
    """A compiler that loads nothing; functions are numbered."""

    def __init__(self, residency=None):
        self.residency = residency or {}  # of a size of block: blocks on a multiprocessor

    def load(self, text):
        return SimpleNamespace(function=lambda name: 5)

    def block(self, function, most):
        def occupancy(function, size, shared):
            return self.residency.get(size, 2048 // size)

        driver = SimpleNamespace(occupancyMaxActiveBlocksPerMultiprocessor=occupancy)
        found = object.__new__(Nvrtc)
        found._cuda = SimpleNamespace(driver=driver)
        return found.block(function, most)


def launched(cuda, kernel, compiler=None):
    """A program, and a list of what is launched of it: grid, block, and the argument block."""
    seen = []
    layout = as_cuda(kernel).layout
    size = struct.calcsize(layout.format)

    def launch(function, grid, _y, _z, x, y, _, shared, stream, arguments, extra):
        pointer = ctypes.cast(arguments, ctypes.POINTER(ctypes.c_void_p))[0]
        seen.append((grid, (x, y), struct.unpack(layout.format, ctypes.string_at(pointer, size))))

    cuda.driver.launchKernel = launch
    return NativeProgram(cuda, compiler or Loaded(), layout), seen


def put(program, kernel, addresses, n, params=()):
    regions = tuple(Region(DeviceMemory(a, 4 * n, None), 16) for a in addresses)
    step = Step(Program(kernel, program), regions, (n,), params)
    program.prepare((n,)).enqueue(step, SimpleNamespace(stream=3), 0)


def test_arguments_of_sizes_do_not_mix(cuda):
    kernel = scaled()
    program, seen = launched(cuda, kernel)
    for addresses, n in (((1024, 2048), 10), ((4096, 8192), 99), ((512, 256), 10)):
        put(program, kernel, addresses, n)
        assert seen[-1][2] == (addresses[0] + 16, addresses[1] + 16, 0, n, n)


def test_parameters_go_where_their_size_puts_them(cuda):
    kernel = scaled(DType.F32, DType.F64, DType.S32)
    program, seen = launched(cuda, kernel)
    put(program, kernel, (1024, 2048), 10, (0.5, 0.25, 7))
    assert seen[-1][2] == (1040, 2064, 0, 0.25, 10, 10, 0.5, 7)
    put(program, kernel, (1024, 2048), 10, (1.5, 2, 7.9))  # an int for a float, and the reverse
    assert seen[-1][2] == (1040, 2064, 0, 2.0, 10, 10, 1.5, 7)


@pytest.mark.parametrize(
    "n, residency, block",
    [
        (1 << 24, {}, 256),
        # Registers: of blocks of 256 fewer threads would be resident.
        (1 << 24, {256: 2}, 128),
        (1 << 24, {256: 2, 128: 2, 64: 2, 32: 2}, 224),
        (1 << 24, {256: 1, 224: 1, 192: 1, 160: 1}, 128),
        (1000, {}, 256),
        (1, {256: 2}, 128),
    ],
)
def test_blocks_are_of_the_size_that_keeps_most_threads_resident(cuda, n, residency, block):
    kernel = scaled()
    program, seen = launched(cuda, kernel, Loaded(residency))
    put(program, kernel, (1024, 2048), n)
    (grid, shape, _) = seen[-1]
    assert shape == (block, 1)
    assert (grid - 1) * block * 4 < n <= grid * block * 4  # four elements a thread


def test_forms_that_fix_their_blocks_keep_them(cuda):
    program, _ = launched(cuda, scaled())
    code = program._codes[False]
    assert code.shape(Call("treadle_map", 3, (32, 4))) == (3, 32, 4)


def test_a_real_gpu_tells_when_work_ran():
    try:
        device = treadle.device("cuda")
    except treadle.DeviceUnavailable as error:
        pytest.skip(str(error))
    backend = device.backend
    usual, fences = device.queue._launch_on, []

    def spy(*args, **options):
        fences.append(usual(*args, **options))
        return fences[-1]

    x = device.buffer(np.arange(1000, dtype=np.float32))
    device.run_kernel("relu", [x])
    device.queue._launch_on = spy
    try:
        device.run_kernel("relu", [x], priority="interactive")  # which the graph launches
        backend.timing = True
        for _ in range(5):
            device.run_kernel("relu", [x])
    finally:
        backend.timing = False
        device.queue._launch_on = usual
    untimed, *timed = [fence.times() for fence in fences]
    assert untimed is None
    assert all(begin < end for begin, end in timed)
    assert timed == sorted(timed)
