"""WebGPU: when work ran, what is warm when a device opens, and who hears of a loss."""

from __future__ import annotations

import os
import struct
import sys
import threading
from time import perf_counter_ns
from types import SimpleNamespace

import numpy as np
import pytest

import treadle
from scheduled import spelt
from treadle.backends.base import Copy, Region, Step
from treadle.backends.webgpu import clock as clocks
from treadle.backends.webgpu.clock import Clock
from treadle.dtypes import DType
from treadle.ir.nodes import Axis, Block, Kernel, Load, Map, Tensor

REQUIRED = "webgpu" in os.environ.get("TREADLE_REQUIRE", "").split(",")
COUNT = 1000
KERNEL = Kernel(
    "identity", ("n",), (Tensor("a", DType.F32, ("n",)),), (Tensor("out", DType.F32, ("n",)),), (),
    Map(Block((), (), (Load("a", (Axis(0),), DType.F32, (True,)),))),
)  # fmt: skip


def opened(**options):
    try:
        from treadle.backends.webgpu import WebGpuBackend

        return WebGpuBackend(**options)
    except treadle.DeviceUnavailable as error:
        if REQUIRED:
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def backend():
    found = opened()
    yield found
    found.close()


@pytest.fixture
def timed(backend):
    if not backend._gpu.timestamps:
        pytest.skip("this adapter has no timestamps")
    backend.timing = True
    yield backend
    backend.timing = False


def regions(backend):
    source, target = (backend.allocate(COUNT * 4) for _ in range(2))
    backend.write(Region(source, 0), np.arange(COUNT, dtype=np.float32))
    return Region(target, 0), Region(source, 0)


def run(backend, *steps):
    """Launch and wait; return the fence and the host's times around it."""
    ended = threading.Event()
    before = perf_counter_ns()
    fence = backend.launch(steps, lambda _: ended.set())
    assert ended.wait(60)
    assert fence.error is None
    return fence, before, perf_counter_ns()


# Each a list of steps from two regions and a program.
LAUNCHES = {
    "a kernel": lambda t, s, p: [Step(p, (t, s), (COUNT,), ())],
    "a copy": lambda t, s, p: [Copy(t, s, COUNT * 4)],
    "a kernel between copies": lambda t, s, p: [
        Copy(t, s, 400), Step(p, (t, s), (COUNT,), ()), Copy(t, s, 400),
    ],
    "a copy between kernels": lambda t, s, p: [
        Step(p, (t, s), (COUNT,), ()), Copy(t, s, 400), Step(p, (t, s), (COUNT,), ()),
    ],
}  # fmt: skip


@pytest.mark.parametrize("what", LAUNCHES)
def test_times_lie_inside_what_the_host_saw_and_keep_their_order(timed, what):
    program = timed.compile(spelt(timed, KERNEL))
    target, source = regions(timed)
    last = 0
    for _ in range(5):
        fence, before, after = run(timed, *LAUNCHES[what](target, source, program))
        begin, end = fence.times()
        assert before <= begin <= end <= after
        assert begin >= last
        last = before
    out = np.empty(COUNT, np.float32)
    timed.read(target, out)
    np.testing.assert_array_equal(out, np.arange(COUNT))


def test_stamps_are_recycled(timed):
    program = timed.compile(spelt(timed, KERNEL))
    target, source = regions(timed)
    step = Step(program, (target, source), (COUNT,), ())
    run(timed, step)
    made = timed._workers._clock._made
    for _ in range(20):
        assert run(timed, step)[0].times() is not None
    for _ in range(3):  # also from what is refused
        ended = threading.Event()
        bad = Step(program, (Region(target.memory, 2), source), (COUNT,), ())
        fence = timed.launch([bad], lambda _, e=ended: e.set())
        assert ended.wait(60)
        assert isinstance(fence.error, treadle.LaunchError)
        assert fence.times() is None
    assert timed._workers._clock._made == made


def test_times_that_cannot_be_read_cost_nothing_else(timed, monkeypatch):
    def refuse(*_):
        raise RuntimeError("not mapped")

    program = timed.compile(spelt(timed, KERNEL))
    target, source = regions(timed)
    monkeypatch.setattr(timed._workers._clock, "read", refuse)
    fence, _, _ = run(timed, Step(program, (target, source), (COUNT,), ()))
    assert fence.times() is None


def test_without_the_feature_or_the_wish_times_are_unknown(backend, monkeypatch):
    program = backend.compile(spelt(backend, KERNEL))
    target, source = regions(backend)
    step = Step(program, (target, source), (COUNT,), ())
    assert run(backend, step)[0].times() is None
    monkeypatch.setattr(backend._gpu, "timestamps", False)
    monkeypatch.setattr(backend, "timing", True)
    assert run(backend, step)[0].times() is None
    assert run(backend)[0].times() is None


class FakeGpu:
    """Stamps that say what the test wants."""

    timestamps = True
    tick = 2.0

    def __init__(self):
        self.ticks = 0, 0
        self.device = SimpleNamespace(create_query_set=lambda **_: None)

    def buffer(self, *_):
        return object()

    def mapped_bytes(self, _, nbytes):
        return struct.pack("=QQ", *self.ticks)

    def unmap(self, _):
        pass


@pytest.fixture
def fake(monkeypatch):
    """A clock over a device that is 1,000,000 ns behind, and a way to time work with it."""
    gpu = FakeGpu()
    clock = Clock(gpu)
    host = SimpleNamespace(now=0)
    monkeypatch.setattr(clocks, "perf_counter_ns", lambda: host.now)

    def work(submitted, begin, end, seen):
        stamp = clock.stamp()
        stamp.before, host.now = submitted, seen
        gpu.ticks = (begin - 1_000_000) // 2, (end - 1_000_000) // 2
        return clock.read(stamp)

    return SimpleNamespace(clock=clock, gpu=gpu, host=host, work=work)


def test_every_submission_narrows_what_is_known(fake):
    assert fake.clock.stale
    # 100 us before it and 300 us behind it: the middle is 100 us off.
    assert fake.work(5_000_000, 5_100_000, 5_200_000, 5_500_000) == (5_200_000, 5_300_000)
    assert not fake.clock.stale
    # The lower bound is better now, the upper one stays.
    assert fake.work(5_600_000, 5_602_000, 5_700_000, 6_900_000)[0] == pytest.approx(5_751_000, 20)
    # And now both are: right to within a microsecond, also for what waited long.
    fake.work(7_000_000, 7_001_000, 7_002_000, 7_003_000)
    begin, end = fake.work(8_000_000, 9_000_000, 9_500_000, 9_900_000)
    assert abs(begin - 9_000_000) <= 1_100
    assert end - begin == 500_000
    fake.host.now += 2_000_000_000
    assert fake.clock.stale


def test_a_clock_that_jumps_starts_again(fake):
    fake.work(5_000_000, 5_001_000, 5_002_000, 5_003_000)
    gap = 10_000_000_000
    # As if the device's counter had begun anew: the old difference cannot be right any more.
    begin, end = fake.work(6_000_000 + gap, 6_001_000, 6_002_000, 6_003_000 + gap)
    assert 6_000_000 + gap <= begin <= end <= 6_003_000 + gap


@pytest.mark.parametrize("ticks", [(0, 0), (900, 800), (1, 1 << 60)])
def test_times_that_cannot_be_are_unknown(fake, ticks):
    stamp = fake.clock.stamp()
    fake.gpu.ticks = ticks
    assert fake.clock.read(stamp) is None
    assert fake.clock.stamp() is stamp


def test_more_launches_than_stamps_are_not_timed(fake, monkeypatch):
    monkeypatch.setattr(clocks, "_MOST", 2)
    taken = [fake.clock.stamp() for _ in range(3)]
    assert taken[2] is None
    fake.clock.give(taken[0])
    assert fake.clock.stamp() is taken[0]


# The beginning and the end of a device


def test_a_device_that_opens_warms_up():
    warm = opened()
    run(warm)  # comes after it
    assert warm._copy_program is not None
    warm.close()
    cold = opened(warm=False)
    run(cold)
    assert cold._copy_program is None
    cold.close()


def test_the_driver_tells_each_device_of_its_own_loss(backend, monkeypatch):
    native = sys.modules["wgpu.backends.wgpu_native._api"]
    usual, told = native.new_struct, []

    def spy(name, **fields):
        if name == "WGPUDeviceLostCallbackInfo":
            told.append(fields["callback"])
        return usual(name, **fields)

    monkeypatch.setattr(native, "new_struct", spy)
    lost = opened(warm=False)
    assert told == [lost._gpu._on_loss]
    assert native.new_struct is spy
    text = native.ffi.new("char[]", b"the cable was cut")
    view = native.ffi.new("WGPUStringView *", {"data": text, "length": 17})[0]

    def poll():  # the driver calls it from inside
        told[0](native.ffi.NULL, 1, view, native.ffi.NULL, native.ffi.NULL)

    monkeypatch.setattr(lost._gpu, "poll", poll)
    monkeypatch.setattr(lost._gpu, "when_done", lambda serial: None)  # and nothing ends any more
    program = lost.compile(spelt(lost, KERNEL))
    target, source = (Region(lost.allocate(COUNT * 4), 0) for _ in range(2))
    step = Step(program, (target, source), (COUNT,), ())
    gate = threading.Event()
    usual_submit = lost._gpu.submit

    def submit(commands):
        assert gate.wait(60)
        usual_submit(commands)

    lost._gpu.submit = submit
    ended = [threading.Event() for _ in range(3)]
    fences = [lost.launch([step], lambda _, e=e: e.set()) for e in ended]
    gate.set()
    assert all(each.wait(60) for each in ended)
    assert lost._gpu.lost == "the cable was cut"
    assert all(type(f.error) is treadle.DeviceLost and "cable" in str(f.error) for f in fences)
    with pytest.raises(treadle.DeviceLost):
        lost.launch([step], lambda _: None)
    lost.close()
    assert backend._gpu.lost is None
    assert run(backend)[0].done()


def test_a_destroyed_device_is_a_lost_one(backend):
    lost = opened(warm=False)
    target, source = regions(lost)
    program = lost.compile(spelt(lost, KERNEL))
    run(lost, Step(program, (target, source), (COUNT,), ()))
    lost._gpu._call.wgpuDeviceDestroy(lost._gpu.device._internal)
    with pytest.raises(treadle.DeviceLost):
        lost.allocate(12345)
    with pytest.raises(treadle.DeviceLost):
        lost.compile(spelt(lost, KERNEL))
    ended = threading.Event()
    fence = lost.launch([Step(program, (target, source), (COUNT,), ())], lambda _: ended.set())
    assert ended.wait(60)
    assert type(fence.error) is treadle.DeviceLost
    lost.close()
