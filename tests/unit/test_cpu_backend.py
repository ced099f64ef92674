"""The CPU backend as the runtime sees it: launches, routines, compilation, closing."""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest

from handmade import F32, F64, S32, Const, Runner, f32, load, mapped, op, pointwise, s32
from scheduled import spelt
from treadle.backends.base import DONE, Copy, Done, Region, Step
from treadle.backends.cache import DiskCache
from treadle.backends.cpu import CpuBackend
from treadle.dtypes import STORED
from treadle.errors import CompileError, DeviceLost, LaunchError
from treadle.ir.nodes import Assign, Axis, Block, Extent, For, Kernel, Local, Map, Param, Tensor

WAIT = 30
BIG = 4_000_000
DOUBLE = pointwise(op("mul", load("a", Axis(0)), f32(2)), inputs={"a": F32})


@pytest.fixture
def backend(tmp_path):
    made = CpuBackend(workers=3, cache=DiskCache(tmp_path))
    yield made
    made.close()


@pytest.fixture
def run(backend):
    return Runner(backend)


def filled(backend, array):
    memory = backend.allocate(array.nbytes)
    backend.write(Region(memory, 0), array)
    return memory


def launched(backend, steps, **options):
    ended = threading.Event()
    told = []

    def done(fence):
        told.append(fence)
        ended.set()

    fence = backend.launch(steps, done, **options)
    if not isinstance(fence, Done):
        assert ended.wait(WAIT)
    return fence, told


def test_small_work_is_done_on_return(backend, run):
    a = filled(backend, np.arange(100, dtype=np.float32))
    out = backend.allocate(400)

    def never(fence):
        raise AssertionError("a finished launch is not signalled")

    step = Step(run.program(DOUBLE), (Region(out, 0), Region(a, 0)), (100,), ())
    assert backend.launch([step], never) is DONE
    assert backend.view(Region(out, 0), 400).view(np.float32).tolist() == list(range(0, 200, 2))


def test_large_work_is_signalled_once_from_a_worker(backend, run):
    data = np.arange(BIG, dtype=np.float32)
    a, out = filled(backend, data), backend.allocate(data.nbytes)
    names = []
    ended = threading.Event()

    def done(fence):
        names.append(threading.current_thread().name)
        ended.set()

    step = Step(run.program(DOUBLE), (Region(out, 0), Region(a, 0)), (BIG,), ())
    fence = backend.launch([step], done, priority=2)
    assert ended.wait(WAIT)
    assert fence.done()
    assert fence.error is None
    assert len(names) == 1
    assert names[0].startswith("treadle-cpu-")
    got = backend.view(Region(out, 0), data.nbytes).view(np.float32)
    np.testing.assert_array_equal(got, data * 2)


@pytest.mark.parametrize("count", [100, BIG])
def test_steps_and_copies_run_in_order(backend, run, count):
    data = np.arange(count, dtype=np.float32)
    a, b, c = filled(backend, data), backend.allocate(data.nbytes), backend.allocate(data.nbytes)
    program = run.program(DOUBLE)
    steps = [
        Step(program, (Region(b, 0), Region(a, 0)), (count,), ()),
        Copy(Region(c, 0), Region(b, 0), data.nbytes),
        Step(program, (Region(c, 0), Region(c, 0)), (count,), ()),
        Step(program, (Region(b, 0), Region(c, 0)), (count,), ()),
    ]
    fence, _ = launched(backend, steps)
    assert fence.error is None
    got = backend.view(Region(b, 0), data.nbytes).view(np.float32)
    np.testing.assert_array_equal(got, data * 8)


def test_regions_start_where_they_say(backend, run):
    a = filled(backend, np.arange(20, dtype=np.float32))
    step = Step(run.program(DOUBLE), (Region(a, 40), Region(a, 8)), (4,), ())
    assert backend.launch([step], lambda fence: None) is DONE
    got = backend.view(Region(a, 0), 80).view(np.float32)
    assert got[10:14].tolist() == [4, 6, 8, 10]
    assert got[14] == 14


def test_memory_in_flight_is_kept_by_its_steps(backend, run):
    data = np.ones(BIG, np.float32)
    out = backend.allocate(data.nbytes)
    for _ in range(5):
        a = filled(backend, data)
        step = Step(run.program(DOUBLE), (Region(out, 0), Region(a, 0)), (BIG,), ())
        ended = threading.Event()
        backend.launch([step], lambda fence, e=ended: e.set())
        del a, step
        filled(backend, np.zeros(BIG, np.float32))  # would take the storage if it were free
        assert ended.wait(WAIT)
        assert (backend.view(Region(out, 0), data.nbytes).view(np.float32) == 2).all()


def test_many_launches_from_many_threads(backend, run):
    data = np.arange(300_000, dtype=np.float32)
    program = run.program(DOUBLE)
    a = filled(backend, data)
    wrong = []

    def submit():
        for _ in range(20):
            out = backend.allocate(data.nbytes)
            step = Step(program, (Region(out, 0), Region(a, 0)), (data.size,), ())
            fence, _ = launched(backend, [step])
            got = backend.view(Region(out, 0), data.nbytes).view(np.float32)
            if fence.error is not None or not np.array_equal(got, data * 2):
                wrong.append(fence)

    threads = [threading.Thread(target=submit) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_parameter_that_does_not_fit_fails_the_launch(backend, run):
    kernel = pointwise(
        op("add", load("a", Axis(0), dtype=S32), Param("p", S32)),
        inputs={"a": S32},
        output=S32,
        params=[Param("p", S32)],
    )
    a = filled(backend, np.zeros(4, np.int32))
    for bad in (float("inf"), 2.0**70):
        step = Step(run.program(kernel), (Region(a, 0), Region(a, 0)), (4,), (bad,))
        fence = backend.launch([step], lambda fence: None)
        assert fence.done()
        assert isinstance(fence.error, LaunchError)


def test_more_sizes_than_are_remembered(run):
    for n in range(1, 400):
        assert run(DOUBLE, np.ones(n, np.float32))[0].sum() == 2 * n


# Routines


def matmul_kernel(dtype, a, b, out):
    i = Local("i", S32)
    rank = len(out)
    lead = tuple(Axis(k) for k in range(rank - 2))

    def indices(dims, *last):
        mine = [s32(0) if d == 1 else x for d, x in zip(dims[:-2], lead, strict=True)]
        return (*mine, *last)

    term = op(
        "mul",
        load("a", *indices(a, Axis(rank - 2), i), dtype=dtype),
        load("b", *indices(b, i, Axis(rank - 1)), dtype=dtype),
    )
    body = (
        Assign("sum", Const(0, dtype)),
        For("i", s32(0), Extent(a[-1]), 1, (Assign("sum", op("add", Local("sum", dtype), term)),)),
    )
    form = Map(Block((), body, (Local("sum", dtype),)))
    tensors = (Tensor("a", dtype, a), Tensor("b", dtype, b))
    return Kernel("matmul", out, tensors, (Tensor("c", dtype, out),), (), form, routine="matmul")


@pytest.mark.parametrize("dtype", [F32, F64, S32], ids=str)
@pytest.mark.parametrize("size", [3, 300])
def test_matmul(run, dtype, size):
    kernel = matmul_kernel(dtype, ("m", "k"), ("k", "n"), ("m", "n"))
    rng = np.random.default_rng(0)
    a = rng.integers(-9, 9, (size, size + 1)).astype(dtype.numpy)
    b = rng.integers(-9, 9, (size + 1, size + 2)).astype(dtype.numpy)
    np.testing.assert_array_equal(run(kernel, a, b)[0], a @ b)


def test_batched_matmul_with_a_broadcast_operand(run):
    kernel = matmul_kernel(F32, ("n", "m", "k"), (1, "k", "j"), ("n", "m", "j"))
    rng = np.random.default_rng(0)
    a = rng.integers(-9, 9, (4, 5, 6)).astype(np.float32)
    b = rng.integers(-9, 9, (1, 6, 7)).astype(np.float32)
    np.testing.assert_array_equal(run(kernel, a, b)[0], a @ b)


def test_only_float_matmul_is_a_routine(backend):
    floats = matmul_kernel(F32, ("m", "k"), ("k", "n"), ("m", "n"))
    integers = matmul_kernel(S32, ("m", "k"), ("k", "n"), ("m", "n"))
    assert spelt(backend, floats).text == ""
    assert spelt(backend, integers).language == "llvm"


# Compilation


def test_a_cached_program_needs_no_compiler(tmp_path, monkeypatch):
    from treadle.backends.cpu.jit import Jit

    cache = DiskCache(tmp_path)
    data = np.arange(10, dtype=np.float32)
    first = CpuBackend(cache=cache)
    assert Runner(first)(DOUBLE, data)[0][3] == 6
    first.close()

    def refuse(self, text):
        raise AssertionError("compiled again")

    monkeypatch.setattr(Jit, "_build", refuse)
    second = CpuBackend(cache=cache)
    assert Runner(second)(DOUBLE, data)[0][3] == 6
    second.close()


def test_a_corrupt_cache_entry_is_built_again(tmp_path):
    data = np.arange(10, dtype=np.float32)
    for _ in range(2):
        backend = CpuBackend(cache=DiskCache(tmp_path))
        assert Runner(backend)(DOUBLE, data)[0][3] == 6
        backend.close()
        entries = list(tmp_path.rglob("*.bin"))
        assert len(entries) == 2  # the kernel, and what all kernels share
        for entry in entries:
            content = bytearray(entry.read_bytes())
            content[len(content) // 2] ^= 0xFF
            entry.write_bytes(content)


def test_a_whole_entry_that_is_not_code_is_built_again(tmp_path):
    cache = DiskCache(tmp_path)
    data = np.arange(10, dtype=np.float32)
    backend = CpuBackend(cache=cache)
    Runner(backend)(DOUBLE, data)
    backend.close()
    for entry in tmp_path.rglob("*.bin"):
        assert cache.store(entry.stem, b"not an object file")
    backend = CpuBackend(cache=cache)
    assert Runner(backend)(DOUBLE, data)[0][3] == 6
    backend.close()


def test_what_all_kernels_share_is_compiled_once(tmp_path, monkeypatch):
    """How workers take chunks is in no kernel's text: it took a fifth of a small one's build."""
    from treadle.backends.cpu.jit import Jit

    texts, build = [], Jit._build
    monkeypatch.setattr(Jit, "_build", lambda self, text: texts.append(text) or build(self, text))
    backend = CpuBackend(cache=DiskCache(tmp_path))
    for number in range(3):
        kernel = pointwise(op("add", load("a", Axis(0)), f32(number)), inputs={"a": F32})
        Runner(backend)(kernel, np.arange(100_000, dtype=np.float32))
    backend.close()
    assert len(texts) == 4
    assert ["@treadle_work" in text for text in texts] == [True, False, False, False]


def test_refused_text_is_a_compile_error_with_source_and_log(backend):
    made = spelt(backend, DOUBLE)
    broken = replace(made, text="define nonsense")
    with pytest.raises(CompileError) as caught:
        backend.compile(broken)
    assert caught.value.source == "define nonsense"
    assert "error" in caught.value.log


def test_programs_compile_from_several_threads(backend):
    results = []

    def build(i):
        kernel = pointwise(op("add", load("a", Axis(0)), f32(i)), inputs={"a": F32})
        results.append(Runner(backend)(kernel, np.zeros(3, np.float32))[0][0] == i)

    threads = [threading.Thread(target=build, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 4


def test_llvm_is_loaded_at_the_first_compile():
    code = (
        "import sys; from treadle.backends.cpu import CpuBackend; b = CpuBackend(); b.info();"
        "b.allocate(10); assert 'llvmlite.binding' not in sys.modules"  # the rest is its version
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


# Description and end


def test_info_and_limits(backend):
    info = backend.info()
    assert info.backend == "cpu"
    assert not info.gpu
    assert info.memory > 0
    assert info.compute_units == backend.limits.lanes == 3
    assert backend.limits.dtypes == frozenset(STORED)
    assert backend.limits.signals
    assert "llvmlite" in info.driver


def test_close_fails_what_has_not_started_and_finishes_what_has(run, tmp_path):
    backend = CpuBackend(workers=1, cache=DiskCache(tmp_path))
    entered, opened = threading.Event(), threading.Event()
    fences, ended, dropped = [], [], threading.Semaphore(0)

    def drop(fence):
        ended.append(fence)
        dropped.release()

    class Slow:
        parts = 1

        def work(self):
            entered.set()
            assert opened.wait(WAIT)
            return 1

    from treadle.backends.cpu.launch import Launch

    first = Launch([Slow], ended.append, backend._workers, 1)
    backend._workers.submit(first, priority=1)
    assert entered.wait(WAIT)
    program = backend.compile(spelt(backend, DOUBLE))
    memory = backend.allocate(BIG * 4)
    for _ in range(3):
        step = Step(program, (Region(memory, 0), Region(memory, 0)), (BIG,), ())
        fences.append(backend.launch([step], drop))
    closer = threading.Thread(target=backend.close)
    closer.start()
    for _ in fences:  # close() fails the queued ones before it waits for the running one
        assert dropped.acquire(timeout=WAIT)
    assert not first.done()
    opened.set()
    closer.join(WAIT)
    assert not closer.is_alive()
    assert first.done()
    assert first.error is None
    assert all(isinstance(fence.error, DeviceLost) for fence in fences)
    assert len(ended) == 4
    backend.close()
    with pytest.raises(DeviceLost):
        backend.launch([], ended.append)


def test_scalar_output_of_a_map_over_nothing_but_parameters(run):
    kernel = mapped(Param("p", F32), inputs=[], space=("n",), params=[Param("p", F32)])
    assert run(kernel, params={"p": 1.5}, n=3)[0].tolist() == [1.5] * 3
