"""The WebGPU backend where parity does not look: memory, threads, loss, and the end of things.

What could abort the process runs in a process of its own."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import textwrap
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import treadle
from scheduled import spelt
from treadle.backends.base import Copy, Program, Region, Replay, Step
from treadle.dtypes import DType
from treadle.ir.nodes import Axis, Block, Kernel, Load, Map, Op, Tensor

TESTS = Path(__file__).resolve().parents[1]
REQUIRED = "webgpu" in os.environ.get("TREADLE_REQUIRE", "").split(",")


@pytest.fixture(scope="module")
def backend():
    try:
        from treadle.backends.webgpu import WebGpuBackend

        opened = WebGpuBackend()
    except treadle.DeviceUnavailable as error:
        if REQUIRED:
            pytest.fail(str(error))
        pytest.skip(str(error))
    yield opened
    opened.close()


def put(backend, array):
    memory = backend.allocate(max(array.nbytes, 1))
    backend.write(Region(memory, 0), array)
    return memory


def get(backend, memory, dtype, count, offset=0):
    out = np.empty(count, dtype)
    backend.read(Region(memory, offset), out)
    return out


def run(backend, *steps, **options):
    """Launch steps and wait; return the error."""
    ended = threading.Event()
    fence = backend.launch(steps, lambda _: ended.set(), **options)
    assert ended.wait(60)
    assert fence.done()
    return fence.error


def identity(dtype, outputs=1):
    read = Load("a", (Axis(0),), DType.S32 if dtype is DType.U8 else dtype, (True,))
    return Kernel(
        "identity", ("n",), (Tensor("a", dtype, ("n",)),),
        tuple(Tensor(f"out{k}", dtype, ("n",)) for k in range(outputs)), (),
        Map(Block((), (), (read,) * outputs)),
    )  # fmt: skip


def compiled(backend, kernel):
    return backend.compile(spelt(backend, kernel))


# Bytes and words


@pytest.mark.parametrize("target", range(5))
@pytest.mark.parametrize("source", [0, 1, 3])
@pytest.mark.parametrize("nbytes", [1, 3, 4, 5, 8, 64])
def test_copies_leave_the_neighbouring_bytes_alone(backend, target, source, nbytes):
    data = np.arange(100, dtype=np.uint8)
    a, b = put(backend, data), put(backend, np.full(100, 200, np.uint8))
    assert run(backend, Copy(Region(b, target), Region(a, source), nbytes)) is None
    expected = np.full(100, 200, np.uint8)
    expected[target : target + nbytes] = data[source : source + nbytes]
    np.testing.assert_array_equal(get(backend, b, np.uint8, 100), expected)


def test_copies_inside_one_memory(backend):
    for shift in (32, 33):  # whole words, and not
        memory = put(backend, np.arange(100, dtype=np.uint8))
        assert run(backend, Copy(Region(memory, shift), Region(memory, 0), 20)) is None
        expected = np.arange(100, dtype=np.uint8)
        expected[shift : shift + 20] = np.arange(20)
        np.testing.assert_array_equal(get(backend, memory, np.uint8, 100), expected)


@pytest.mark.parametrize("offset", [0, 1, 2, 3, 4, 7])
@pytest.mark.parametrize("count", [1, 2, 5, 8])
def test_writes_and_reads_at_any_byte(backend, offset, count):
    memory = put(backend, np.zeros(21, np.uint8))
    backend.write(Region(memory, offset), np.full(count, 9, np.uint8))
    expected = np.zeros(21, np.uint8)
    expected[offset : offset + count] = 9
    np.testing.assert_array_equal(get(backend, memory, np.uint8, 21), expected)
    np.testing.assert_array_equal(get(backend, memory, np.uint8, count, offset), [9] * count)


@pytest.mark.parametrize("first, second", [(0, 13), (1, 14), (3, 24), (2, 32)])
def test_u8_outputs_that_share_words_or_lie_differently(backend, first, second):
    kernel = identity(DType.U8, outputs=2)
    data = np.arange(1, 11, dtype=np.uint8)
    a, out = put(backend, data), put(backend, np.full(48, 77, np.uint8))
    regions = (Region(out, first), Region(out, second), Region(a, 0))
    assert run(backend, Step(compiled(backend, kernel), regions, (10,), ())) is None
    expected = np.full(48, 77, np.uint8)
    expected[first : first + 10] = expected[second : second + 10] = data
    np.testing.assert_array_equal(get(backend, out, np.uint8, 48), expected)


def test_one_memory_as_two_types(backend):
    """Scratch can hold different things in one memory; a binding has one type."""
    kernel = Kernel(
        "mixed", ("n",), (Tensor("a", DType.U8, ("n",)),), (Tensor("out", DType.F32, ("n",)),), (),
        Map(Block((), (), (Load("a", (Axis(0),), DType.S32, (True,)),))),
    )  # fmt: skip
    memory = put(backend, np.arange(64, dtype=np.uint8))
    regions = (Region(memory, 16), Region(memory, 1))
    assert run(backend, Step(compiled(backend, kernel), regions, (8,), ())) is None
    np.testing.assert_array_equal(get(backend, memory, np.float32, 8, 16), np.arange(1, 9))


def test_more_than_65535_workgroups(backend):
    count = 65535 * 64 + 77
    data = np.arange(count, dtype=np.uint32)
    a, out = put(backend, data), backend.allocate(data.nbytes)
    step = Step(
        compiled(backend, identity(DType.U32)), (Region(out, 0), Region(a, 0)), (count,), ()
    )
    assert run(backend, step) is None
    np.testing.assert_array_equal(get(backend, out, np.uint32, count), data)


# Memory


def test_memory_comes_back_also_out_of_a_cycle(backend):
    backend.trim()
    before = backend._pool.total_bytes

    class Cycle:
        pass

    for _ in range(3):
        cycle = Cycle()
        cycle.itself, cycle.memory = cycle, put(backend, np.arange(1000, dtype=np.float32))
        del cycle
        gc.collect()
        again = put(backend, np.arange(1000, dtype=np.float32))
        np.testing.assert_array_equal(get(backend, again, np.float32, 1000), np.arange(1000))
        del again
    assert backend.trim() >= 4000
    assert backend._pool.total_bytes == before
    assert backend._pool.idle_bytes == 0


def test_the_budget_is_kept(backend, monkeypatch):
    monkeypatch.setattr(backend._pool, "limit", backend._pool.total_bytes + 4096)
    with pytest.raises(treadle.OutOfMemory, match="do not fit"):
        backend.allocate(1 << 20)
    assert backend.allocate(1024).capacity >= 1024


def test_what_the_driver_refuses_is_out_of_memory(backend, monkeypatch):
    def refuse(**_):
        raise RuntimeError("Validation Error: Not enough memory left.")

    monkeypatch.setattr(backend._gpu.device, "create_buffer", refuse)
    before = backend._pool.total_bytes
    with pytest.raises(treadle.OutOfMemory):
        backend.allocate(12_345_678)
    assert backend._pool.total_bytes == before


# What must not reach the driver


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda b: Region(b.allocate(16), 4096), "not inside"),
        (lambda b: Region(b.allocate(4000), 2), "not aligned"),
        (lambda b: Region(b.allocate(4000), -4), "not inside"),
        (lambda b: Region(np.zeros(4000, np.uint8), 0), "not this device's memory"),
    ],
)
def test_bad_regions_fail_their_launch_and_no_other(backend, make, said):
    program = compiled(backend, identity(DType.F32))
    good = put(backend, np.ones(100, np.float32))
    out = backend.allocate(400)
    error = run(backend, Step(program, (make(backend), Region(good, 0)), (100,), ()))
    assert isinstance(error, treadle.LaunchError)
    assert said in str(error)
    assert run(backend, Step(program, (Region(out, 0), Region(good, 0)), (100,), ())) is None
    np.testing.assert_array_equal(get(backend, out, np.float32, 100), np.ones(100))


def test_text_that_the_driver_refuses_is_a_compile_error(backend, monkeypatch):
    made = spelt(backend, identity(DType.F32))
    broken = replace(made, layout=replace(made.layout, text="fn main( {"))
    with pytest.raises(treadle.CompileError) as caught:
        backend.compile(broken)
    assert caught.value.source == "fn main( {"
    assert "error" in caught.value.log
    assert isinstance(backend.compile(made), Program)


def test_a_write_that_fails_is_told_to_whoever_uses_the_memory(backend, monkeypatch):
    memory = put(backend, np.ones(10, np.float32))
    get(backend, memory, np.float32, 10)

    def refuse(*_):
        raise treadle.DeviceError("no")

    with monkeypatch.context() as patch:
        patch.setattr(backend._gpu, "write", refuse)
        backend.write(Region(memory, 0), np.zeros(10, np.float32))
        other = threading.Event()
        backend.launch((), lambda _: other.set())  # ends after the write was tried
        assert other.wait(60)
    with pytest.raises(treadle.DeviceError, match="did not reach"):
        get(backend, memory, np.float32, 10)


# Order


# Runs again


def double(backend):
    """out = value + value."""
    value = Load("value", (Axis(0),), DType.F32)
    body = Block((), (), (Op("add", (value, value), DType.F32),))
    source, target = Tensor("value", DType.F32, ("n",)), Tensor("out", DType.F32, ("n",))
    kernel = Kernel("double", ("n",), (source,), (target,), (), Map(body))
    return backend.compile(spelt(backend, kernel))


def test_a_replay_is_planned_once_and_submitted_as_one(backend, monkeypatch):
    program = double(backend)
    memories = [put(backend, np.full(8, k, np.float32)) for k in (1.0, 0.0, 0.0, 5.0)]
    a, b, c, d = (Region(memory, 0) for memory in memories)
    steps = (Step(program, (b, a), (8,), ()), Step(program, (c, b), (8,), ()))
    other = (Step(program, (b, d), (8,), ()), Step(program, (c, b), (8,), ()))
    submitted, planned = [], []
    submit, plan = backend._gpu.submit, backend._encoder._planned
    monkeypatch.setattr(
        backend._gpu, "submit", lambda buffers: (submitted.append(len(buffers)), submit(buffers))
    )
    monkeypatch.setattr(
        backend._encoder, "_planned", lambda steps: (planned.append(steps), plan(steps))[1]
    )
    recording = backend.record(steps)
    for given, expected in ((steps, 4.0), (steps, 4.0), (other, 20.0), (steps, 4.0)):
        submitted.clear()
        assert run(backend, Replay(recording, given)) is None
        assert submitted == [1]
        assert get(backend, memories[2], np.float32, 8).tolist() == [expected] * 8
    assert [id(s) for s in planned if s] == [id(steps), id(other), id(steps)]


def test_a_replay_between_other_launches_finds_its_arguments(backend):
    program = double(backend)
    memories = [put(backend, np.arange(k, dtype=np.float32)) for k in (8, 8, 3, 3)]
    a, b, c, d = (Region(memory, 0) for memory in memories)
    steps = (Step(program, (b, a), (8,), ()),)
    replay = Replay(backend.record(steps), steps)
    for _ in range(3):
        assert run(backend, replay) is None
        assert run(backend, Step(program, (d, c), (3,), ())) is None
        assert get(backend, memories[1], np.float32, 8).tolist() == [2.0 * k for k in range(8)]
        assert get(backend, memories[3], np.float32, 3).tolist() == [0.0, 2.0, 4.0]


def test_a_replay_over_memory_that_a_write_did_not_reach_fails(backend):
    program = double(backend)
    memories = [put(backend, np.ones(8, np.float32)) for _ in range(2)]
    a, b = (Region(memory, 0) for memory in memories)
    steps = (Step(program, (b, a), (8,), ()),)
    replay = Replay(backend.record(steps), steps)
    assert run(backend, replay) is None
    memories[0].error = RuntimeError("lost on the way")
    assert "lost on the way" in str(run(backend, replay))
    memories[0].error = None
    assert run(backend, replay) is None


def test_memory_for_one_launch_is_not_kept_for_the_next(backend):
    program = double(backend)
    bytes_of = put(backend, np.arange(64, dtype=np.uint8))
    # A copy inside one memory goes by way of other memory.
    value = put(backend, np.ones(8, np.float32))
    steps = (
        Copy(Region(bytes_of, 1), Region(bytes_of, 32), 7),
        Step(program, (Region(value, 0), Region(value, 0)), (8,), ()),
    )
    recording = backend.record(steps)
    for k in range(1, 4):
        assert run(backend, Replay(recording, steps)) is None
        assert get(backend, value, np.float32, 8).tolist() == [2.0**k] * 8
    assert get(backend, bytes_of, np.uint8, 8).tolist() == [0, *range(32, 39)]


def test_the_urgent_overtake_only_what_they_do_not_come_after(backend):
    entered, go_on = threading.Event(), threading.Event()
    order = []
    workers = backend._workers
    usual = workers._submit

    def held(job):
        order.append(job)
        entered.set()
        assert go_on.wait(60)
        usual(job)

    ended = [threading.Event() for _ in range(4)]
    workers._submit = held
    try:
        first = backend.launch((), lambda _: ended[0].set(), priority=1)
        assert entered.wait(60)
        slow = backend.launch((), lambda _: ended[1].set(), priority=2)
        bound = backend.launch((), lambda _: ended[2].set(), priority=0, after=(slow,))
        free = backend.launch((), lambda _: ended[3].set(), priority=1)
        go_on.set()
        assert all(each.wait(60) for each in ended)
    finally:
        del workers._submit
    assert order == [first, free, slow, bound]


# The end


def test_a_lost_device_fails_everything_open(backend):
    from treadle.backends.webgpu import WebGpuBackend

    lost = WebGpuBackend(warm=False)
    entered, go_on = threading.Event(), threading.Event()

    def submit(_):
        entered.set()
        assert go_on.wait(60)
        raise RuntimeError("Parent device is lost")

    lost._gpu.submit = submit
    program = compiled(lost, identity(DType.F32))
    a, b = lost.allocate(400), lost.allocate(400)
    step = Step(program, (Region(b, 0), Region(a, 0)), (100,), ())
    ended = [threading.Event() for _ in range(3)]
    fences = [lost.launch([step], lambda _, e=e: e.set()) for e in ended]
    assert entered.wait(60)
    go_on.set()
    assert all(each.wait(60) for each in ended)
    assert all(isinstance(fence.error, treadle.DeviceLost) for fence in fences)
    with pytest.raises(treadle.DeviceLost):
        lost.launch([step], lambda _: None)
    lost.close()


def test_closing_finishes_what_runs_and_fails_what_waits(backend):
    from treadle.backends.webgpu import WebGpuBackend

    closing = WebGpuBackend()
    program = compiled(closing, identity(DType.F32))
    a, b = closing.allocate(4 << 20), closing.allocate(4 << 20)
    step = Step(program, (Region(b, 0), Region(a, 0)), (1 << 20,), ())
    told = []
    fences = [closing.launch([step], told.append) for _ in range(50)]
    closing.close()
    assert all(fence.done() for fence in fences)
    assert len(told) == len(fences)
    assert {type(f.error) for f in fences} <= {type(None), treadle.DeviceLost}
    with pytest.raises(treadle.DeviceLost):
        closing.launch([step], told.append)
    closing.close()


def script(text, tmp_path, count=1):
    """Run a script in `count` fresh interpreters at once; return what each printed."""
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(text), "utf-8")
    env = dict(os.environ, PYTHONPATH=os.pathsep.join([str(TESTS), *sys.path]))
    processes = [
        subprocess.Popen(
            [sys.executable, str(path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=env,
        )
        for _ in range(count)
    ]
    said = []
    for process in processes:
        out, error = process.communicate(timeout=120)
        assert process.returncode == 0, error
        assert "Traceback" not in error, error
        said.append(out.split())
    return said


def test_an_exit_with_work_in_flight(backend, tmp_path):
    text = """
    import numpy as np, treadle
    treadle.use_device("webgpu").__enter__()
    x = treadle.buffer(np.ones((300, 300), np.float32))
    for _ in range(40):
        y = treadle.submit("matmul", [x, x]).output
    print("leaving")
    """
    assert script(text, tmp_path) == [["leaving"]]


def test_two_processes_with_two_threads_and_two_loops_each(backend, tmp_path):
    text = """
    import asyncio, threading
    import numpy as np, treadle
    device = treadle.device("webgpu")
    right = []

    async def work(seed):
        x = device.buffer(np.full(1000, seed, np.float32))
        for _ in range(20):
            x = await device.run_kernel_async("add", [x, device.buffer(np.ones(1000, np.float32))])
        right.append(bool((x.to_numpy() == seed + 20).all()))

    async def several(seed):
        await asyncio.gather(*[work(seed + k) for k in range(4)])

    threads = [threading.Thread(target=lambda s=s: asyncio.run(several(s))) for s in (0, 100)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    print(all(right), len(right))
    """
    assert script(text, tmp_path, count=2) == [["True", "8"]] * 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_is_told(backend, tmp_path):
    text = """
    import os, warnings, treadle
    warnings.simplefilter("ignore")
    device = treadle.device("webgpu")
    held = device.buffer([1.0])
    child = os.fork()
    if not child:
        try:
            treadle.device("webgpu")
        except treadle.DeviceUnavailable as error:
            os._exit(7 if "spawn" in str(error) else 1)
        os._exit(2)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), held.read_list())
    """
    assert script(text, tmp_path) == [["7", "[1.0]"]]


def test_without_an_adapter_the_error_says_what_to_install(backend, tmp_path):
    text = """
    import os
    os.environ["VK_ICD_FILENAMES"] = os.environ["__EGL_VENDOR_LIBRARY_FILENAMES"] = "/nonexistent"
    os.environ["VK_DRIVER_FILES"] = "/nonexistent"
    import treadle
    try:
        treadle.device("webgpu")
    except treadle.DeviceUnavailable as error:
        print("mesa-vulkan-drivers" in str(error))
    else:
        print(treadle.device("webgpu").info.driver)
    """
    if backend._gpu.info["backend_type"] == "Vulkan":
        assert script(text, tmp_path) == [["True"]]


def test_without_the_library_the_error_names_the_extra(monkeypatch):
    from treadle.backends.webgpu import driver

    monkeypatch.setitem(sys.modules, "wgpu", None)
    with pytest.raises(treadle.DeviceUnavailable, match=r"treadle\[webgpu\]"):
        driver.adapters()


def test_software_is_no_gpu(backend):
    info = backend.info()
    software = any(word in info.name.lower() for word in ("llvmpipe", "lavapipe", "swiftshader"))
    assert info.gpu is not software
    assert ":" in info.driver
