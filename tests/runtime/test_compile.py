"""Compiling: never on the caller's thread, once for each kernel, failing as commands fail."""

from __future__ import annotations

import threading

import pytest

import treadle
from runtime.shared import plus, shifted, times, twice_shifted, vector
from treadle import DType
from treadle.testing import manual_device


@pytest.fixture
def held():
    device, backend = manual_device(hold_compiles=True)
    yield device, backend
    device.close()


def big(device, size=8):
    return device.buffer([float(i) for i in range(size)])


def test_submit_does_not_wait_for_the_compiler(held):
    device, backend = held
    command = device.submit(times, [big(device)])
    assert command.status == "pending"
    assert backend.pending == []
    backend.release_compiles()
    backend.expect(1)
    assert command.status == "running"
    backend.complete()
    assert command.wait().output.read_list() == [2.0 * i for i in range(8)]


def test_one_compilation_for_all_that_want_it(held):
    device, backend = held
    commands = [device.submit(times, [big(device, size)]) for size in (8, 8, 9, 10)]
    backend.release_compiles(10)
    backend.expect(4)
    backend.complete_all()
    treadle.wait_all(commands)
    commands = [device.submit(times, [big(device, 11)], k=3.0)]
    assert commands[0].status == "running"  # another size, another parameter: no compilation
    assert backend.compiled == ["times"]


def test_what_waits_for_a_compilation_keeps_its_place(held):
    device, backend = held
    a = big(device)
    first = device.submit(times, [a], a)
    second = device.submit(plus, [a, a], a)
    backend.release_compiles(2)
    backend.expect(1)
    assert (first.status, second.status) == ("running", "pending")
    backend.complete()
    backend.expect(1)
    backend.complete()
    second.wait()
    assert a.read_list() == [4.0 * i for i in range(8)]


def test_cancel_while_compiling(held):
    device, backend = held
    a = big(device)
    command = device.submit(times, [a], a)
    follower = device.submit(times, [big(device)], a)
    assert command.cancel()
    assert follower.status == "pending"
    backend.release_compiles(2)
    backend.expect(1)
    assert follower.status == "running"
    assert len(backend.pending) == 1


def test_a_compile_error_fails_the_command_and_is_tried_again():
    device, backend = manual_device()
    a = big(device)
    backend.refused["times"] = treadle.CompileError("refused", source="text", log="line 1")
    command = device.submit(times, [a])
    dependent = device.submit(plus, [command.output, a])
    with pytest.raises(treadle.CommandFailed, match="refused") as caught:
        command.wait(30)
    assert isinstance(caught.value.__cause__, treadle.CompileError)
    assert caught.value.__cause__.log == "line 1"
    with pytest.raises(treadle.CommandFailed, match="refused"):
        dependent.wait(30)
    del backend.refused["times"]
    command = device.submit(times, [a])
    backend.expect(1)
    backend.complete()
    assert command.wait(30).status == "completed"
    device.close()


def test_a_foreign_error_in_a_compiler_is_a_compile_error():
    device, backend = manual_device()
    backend.refused["times"] = ZeroDivisionError("inside")
    command = device.submit(times, [big(device)])
    with pytest.raises(treadle.CommandFailed) as caught:
        command.wait(30)
    assert isinstance(caught.value.__cause__, treadle.CompileError)
    assert isinstance(caught.value.__cause__.__cause__, ZeroDivisionError)
    assert caught.value.__cause__.__cause__.__traceback__ is None  # frames would keep memory
    device.close()


def test_a_composite_waits_for_all_its_stages(held):
    device, backend = held
    command = device.submit(twice_shifted, [big(device)])
    backend.release_compiles()
    backend.expect(1)  # both stages are one kernel: one compilation
    backend.complete()
    assert command.wait().output.read_list() == [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 7.0, 7.0]
    assert backend.compiled == ["shifted"]


def refused(command, text):
    with pytest.raises(treadle.CommandFailed, match=text) as caught:
        command.wait(30)
    assert isinstance(caught.value.__cause__, treadle.LaunchError)


def test_types_and_operations_that_a_device_lacks_are_refused():
    device, _ = manual_device(dtypes=[DType.F32, DType.S32])
    with pytest.raises(treadle.LaunchError, match=r"manual lacks f64; it has f32, s32"):
        device.buffer_zeros(3, "f64")
    a = device.buffer_zeros(3)

    @treadle.pointwise
    def widened(x):
        return f64(x) * 2.0

    with pytest.raises(treadle.LaunchError, match=r"widened.*f64.*manual"):
        device.run_kernel(widened, [a], device.empty(3))
    with pytest.raises(treadle.LaunchError, match=r"widened.*f64.*manual"):
        device.submit(widened, [a])  # so short that the submit knows what it gives
    device.close()
    device, _ = manual_device(dtypes=[DType.F32, DType.S32])

    @treadle.pointwise  # a loop: what it gives is what the planner finds out
    def widened_again(x):
        total = f64(x)
        for _ in range(3):
            total = total * 2.0
        return total

    refused(device.submit(widened_again, [device.buffer_zeros(3)]), r"widened_again.*f64.*manual")
    device.close()

    device, _ = manual_device(unsupported=[("mul", DType.F32)])
    with pytest.raises(treadle.LaunchError, match=r"times.*mul.*f32.*manual"):
        device.run_kernel(times, [device.buffer_zeros(3)])
    device.submit(plus, [device.buffer_zeros(3)] * 2)
    device.close()


def test_closing_while_something_compiles_ends_everything(held):
    device, backend = held
    commands = [device.submit(kernel, [big(device)]) for kernel in (times, shifted)]
    closing = threading.Thread(target=device.close)
    closing.start()
    for command in commands:
        with pytest.raises(treadle.CommandError):
            command.wait(30)
    backend.release_compiles(10)
    closing.join(30)
    assert not closing.is_alive()


def test_caches_are_bounded(monkeypatch):
    from treadle.runtime import alike, compile, programs

    monkeypatch.setattr(compile, "_PLANS_KEPT", 8)
    monkeypatch.setattr(compile, "PROGRAMS_KEPT", 8)
    monkeypatch.setattr(programs, "PROGRAMS_KEPT", 8)
    monkeypatch.setattr(alike, "_CACHED", 8)
    device, _ = manual_device(inline=True)
    for size in range(5, 60):
        a = big(device, size)
        device.run_kernel(times, [a], a)
        device.run_kernel(times, [a], a)
        assert a.read_list()[-1] == 4.0 * (size - 1)
    assert len(device._compiler._plans) <= 8
    assert len(device._launcher._plain) <= 8
    device.close()


def test_vector_of_other_dtype_compiles_its_own_program():
    device, backend = manual_device(inline=True)
    device.run_kernel(plus, [vector(device, 1, 2)] * 2)
    device.run_kernel(plus, [device.buffer([1, 2])] * 2)
    assert backend.compiled == ["plus", "plus"]
    device.close()
