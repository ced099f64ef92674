"""Submits that come again: what was kept of them is found, and never taken for another one's."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import treadle
from kernel_text import define
from runtime.test_interrupt import Interrupt
from treadle.backends.cpu import CpuBackend
from treadle.runtime import alike
from treadle.runtime.device import Device

TIMES = 6  # a submit is kept when its kind is known and it came before: then it is found


@pytest.fixture
def device():
    with Device(CpuBackend(workers=1), "again") as opened:
        yield opened


def kept(device):
    return len(device.queue.kept.keys() - {None})


def again(device, kernel, inputs, output, **params):
    """Run a kernel until it is found by one look, and return what it gives then."""
    for _ in range(TIMES):
        output.write(np.zeros(output.shape, output.dtype.numpy))
        device.run_kernel(kernel, inputs, output, **params)
    return output.read_list()


def ones(device, count=4, value=1.0):
    return device.buffer(np.full(count, value, np.float32))


def test_it_computes_from_what_the_buffers_hold_now(device):
    a, b = ones(device), ones(device)
    assert again(device, "relu", [a], b) == [1.0] * 4
    assert kept(device) == 1
    a.write([1.0, -2.0, 3.0, -4.0])
    command = device.submit("relu", [a], b)
    assert command.status == "completed"
    assert command.output is b
    assert b.read_list() == [1.0, 0.0, 3.0, 0.0]
    assert kept(device) == 1


def test_the_steps_are_not_made_again(device, monkeypatch):
    a, b, c = ones(device), ones(device), ones(device, value=-1.0)
    again(device, "relu", [a], b)
    for _ in range(TIMES):
        device.run_kernel("relu", [a])
    looked = []
    compiler = device._compiler
    monkeypatch.setattr(type(compiler), "plan", lambda *_: looked.append(1))
    monkeypatch.setattr(type(device.backend), "at_once", lambda *_: looked.append(1))
    assert device.run_kernel("relu", [a], b) is b
    assert device.run_kernel("relu", [c], a) is a  # other buffers of the same kind
    assert device.run_kernel("relu", [a]).read_list() == [0.0] * 4  # and one that is allocated
    assert not looked


def test_what_is_known_of_a_command_afterwards(device):
    a, b = ones(device), ones(device)
    again(device, "relu", [a], b)
    device.run_kernel("relu", [a], b)  # the line that is told
    told = b.command
    assert (told.kernel, told.status, told.output) == ("relu", "completed", b)
    assert "test_alike.py" in told.submitted_at
    first, second = device.submit("relu", [a], b), device.submit("relu", [a], b)
    assert first.id < second.id
    assert treadle.wait(first.id).output is b
    assert first.submitted_at == second.submitted_at


@pytest.mark.parametrize("which", ["input", "output", "root", "view"])
def test_a_buffer_that_was_freed_is_refused(device, which):
    root = device.buffer(np.ones(8, np.float32))
    a, b = root[:4], ones(device)
    again(device, "relu", [a], b)
    {"input": a, "output": b, "root": root, "view": a}[which].free()
    assert not kept(device)
    for _ in range(TIMES):
        with pytest.raises(treadle.BufferFreed):
            device.submit("relu", [a], b)
        with pytest.raises(treadle.BufferFreed):
            device.run_kernel("relu", [a], b)


def test_an_array_that_was_lent_and_freed_is_refused(device):
    a, b = device.from_numpy(np.ones(4, np.float32), copy=False), ones(device)
    again(device, "relu", [a], b)
    assert kept(device) == 1
    a.free()
    with pytest.raises(treadle.BufferFreed):
        device.run_kernel("relu", [a], b)


def test_what_is_freed_while_it_is_submitted_is_not_kept(device, monkeypatch):
    """By another thread, between the look at the buffers and the note of them."""
    a, b = ones(device), ones(device)
    again(device, "relu", [a], b)
    b.write([0.0] * 4)
    device.queue.kept.clear()
    device.run_kernel("relu", [a], b)  # it came once
    keep = alike.keep

    def freed(*given):
        a.free()
        keep(*given)

    monkeypatch.setattr("treadle.runtime.launch.keep", freed)
    device.run_kernel("relu", [a], b)
    assert not a.valid
    assert not kept(device)
    with pytest.raises(treadle.BufferFreed):
        device.run_kernel("relu", [a], b)


def test_a_list_that_is_changed_meanwhile_is_not_what_was_submitted(device, monkeypatch):
    a, other, out = ones(device), ones(device, value=2.0), ones(device)
    again(device, "relu", [other], out)
    device.queue.kept.clear()
    given = [a]

    def changed(*_):
        given[0] = other
        return True

    monkeypatch.setattr("treadle.runtime.launch.came", changed)
    assert device.run_kernel("relu", given, out).read_list() == [1.0] * 4
    monkeypatch.undo()
    assert device.run_kernel("relu", given, out).read_list() == [2.0] * 4
    assert device.run_kernel("relu", [a], out).read_list() == [1.0] * 4
    assert kept(device) == 1
    del a
    assert not kept(device)


def test_ctrl_c_in_free_leaves_nothing_that_a_freed_buffer_is_found_by(device):
    for at in range(1, 40):
        a, b = ones(device), ones(device)
        again(device, "relu", [a], b)
        interrupt = Interrupt(at)
        try:
            with interrupt:
                a.free()
        except KeyboardInterrupt:
            pass
        if a.valid:  # it had not begun
            device.run_kernel("relu", [a], b)
        else:
            with pytest.raises(treadle.BufferFreed):
                device.run_kernel("relu", [a], b)
        if not interrupt.fired:
            break
    assert not interrupt.fired
    assert at > 3


def test_an_object_that_comes_where_another_was_is_another(device):
    """CPython gives the place of an object that went to the next of its size."""
    root = device.buffer(np.arange(64, dtype=np.float32))
    out, places = ones(device), []
    for first in range(0, 60, 4):
        view = root[first : first + 4]
        places.append(id(view))
        assert again(device, "relu", [view], out) == [first + k for k in range(4)]
        del view
        assert not kept(device)
    assert len(set(places)) < len(places)


def test_one_that_went_in_a_cycle_of_garbage_and_one_that_a_finalizer_used(device):
    class Holder:
        def __init__(self, buffer):
            self.buffer, self.me = buffer, self

        def __del__(self):
            for _ in range(TIMES):
                device.run_kernel("relu", [self.buffer], out)

    out = ones(device)
    device.run_kernel("relu", [out], out)
    before = device.memory_in_use
    for value in (1.0, 2.0, 3.0):
        holder = Holder(ones(device, value=value))
        assert again(device, "relu", [holder.buffer], out) == [value] * 4
        out.write([0.0] * 4)
        gone = weakref.ref(holder.buffer)
        del holder
        gc.collect()
        assert gone() is None
        assert out.read_list() == [value] * 4  # what the finalizer did
        assert not kept(device)
    assert device.memory_in_use == before


def test_no_memory_is_kept_and_no_more_than_some(device, monkeypatch):
    monkeypatch.setattr(alike, "_KEPT", 8)
    monkeypatch.setattr(alike, "_SEEN", 16)
    a = ones(device)
    start = device.memory_in_use
    held = [ones(device) for _ in range(30)]
    for out in held:
        again(device, "relu", [a], out)
    assert 0 < kept(device) <= 9
    assert len(device.queue.kept[None]) <= 16
    del out
    held.clear()
    gc.collect()
    assert not kept(device)
    assert device.memory_in_use == start
    for _ in range(40):  # ever other ones
        device.run_kernel("relu", [a], ones(device))
    assert not kept(device)


def test_views_of_the_same_memory_are_told_apart(device):
    root = device.buffer(np.arange(8, dtype=np.float32))
    low, high, out = root[:4], root[4:], device.buffer_zeros(8)
    left, right = out[:4], out[4:]
    assert again(device, "relu", [low], left) == [0, 1, 2, 3]
    assert again(device, "relu", [high], left) == [4, 5, 6, 7]
    assert again(device, "relu", [low], right) == [0, 1, 2, 3]
    assert out.read_list() == [4, 5, 6, 7, 0, 1, 2, 3]
    assert kept(device) == 3


def test_the_same_buffers_in_other_roles(device):
    a, b, c = ones(device, value=5.0), ones(device, value=3.0), ones(device)
    assert again(device, "sub", [a, b], c) == [2.0] * 4
    assert again(device, "sub", [b, a], c) == [-2.0] * 4
    assert again(device, "sub", [a, a], c) == [0.0] * 4
    assert again(device, "add", [a, a], c) == [10.0] * 4
    assert kept(device) == 4
    for expected in (8.0, 11.0, 14.0, 17.0, 20.0):  # in place
        assert device.run_kernel("add", [a, b], a).read_list() == [expected] * 4
    for count in range(1, 6):
        assert device.run_kernel("add", [b, b], b).read_list() == [3.0 * 2**count] * 4


def test_work_that_spoils_its_input_goes_by_way_of_scratch_each_time(device):
    shift = define("def f(at, x):\n    return x[at[0] + 1]\n", treadle.kernel)
    a = device.buffer(np.arange(8, dtype=np.float32))
    for _ in range(TIMES):
        device.run_kernel(shift, [a], device.empty(8))
    for count in range(1, 6):
        device.run_kernel(shift, [a], a)
        assert a.read_list() == [min(k + count, 7) for k in range(8)]
    assert not kept(device)
    assert device.memory_in_use == a.size


_SIGNED = "def f(x, *, k=1.0):\n    return x * k\n"
_ADDED = "def f(x, *, n=1):\n    return x + n\n"


def bits(values):
    return np.asarray(values, np.float32).view(np.uint32).tolist()


def test_parameters_that_are_equal_and_not_the_same(device):
    signed, counted = define(_SIGNED), define(_ADDED)
    a, out = ones(device, 1), ones(device, 1)
    nan = float("nan")
    for _ in range(2):
        for k in (0.0, -0.0, 1.0, -1.0, nan, float("nan"), 1, 0, np.float32(-0.0), 2.0):
            found = bits(again(device, signed, [a], out, k=k))
            assert found == bits([float(k)]), k
        for n, expected in ((1, 2.0), (True, 2.0), (1.0, 2.0), (1.5, 2.5)):
            assert again(device, counted, [a], out, n=n) == [expected]
        with pytest.raises(treadle.LaunchError, match="quotes"):
            device.submit(counted, [a], out, n="1")
        with pytest.raises(treadle.LaunchError):
            device.submit(counted, [a], out, m=1)


def test_parameters_in_either_way_and_in_another_order(device):
    a, out = device.buffer([1.0, 5.0, 9.0]), device.buffer_zeros(3)
    for _ in range(TIMES):
        for given in ({"min": 2.0, "max": 6.0}, {"max": 6.0, "min": 2.0}):
            assert device.run_kernel("clamp", [a], out, given).read_list() == [2.0, 5.0, 6.0]
            assert device.run_kernel("clamp", [a], out, **given).read_list() == [2.0, 5.0, 6.0]
        swapped = device.run_kernel("clamp", [a], out, min=2.0, max=5.0).read_list()
        assert swapped == [2.0, 5.0, 5.0]


def test_a_parameter_that_is_none_is_one_to_be_known_by(device):
    a, every = device.buffer(np.arange(6, dtype=np.float32).reshape(2, 3)), ones(device, ())
    assert again(device, "reduce_sum", [a], every, axis=None) == 15.0
    assert again(device, "reduce_sum", [a], ones(device, 3), axis=0) == [3.0, 5.0, 7.0]
    assert again(device, "reduce_sum", [a], ones(device, 2), axis=1) == [3.0, 12.0]
    assert kept(device) == 1  # the outputs of the others have gone


def test_what_is_no_buffer_is_refused_as_before(device):
    a, out = ones(device), ones(device)
    again(device, "relu", [a], out)
    for wrong in (np.ones(4, np.float32), None, 3, [a]):
        with pytest.raises(treadle.LaunchError, match="expected"):
            device.submit("relu", [wrong], out)
    with pytest.raises(treadle.LaunchError):
        device.submit("relu", [a, a], out)
    with pytest.raises(treadle.LaunchError):
        device.submit("relu", [a], a[:2])


def test_a_kernel_of_the_same_name_is_another(device):
    a, out = ones(device), ones(device)

    def named(text):
        return define(text, treadle.pointwise(name="of_the_same_name"))

    first = named("def f(x):\n    return x + 1.0\n")
    assert again(device, "of_the_same_name", [a], out) == [2.0] * 4
    second = named("def f(x):\n    return x + 2.0\n")
    assert again(device, "of_the_same_name", [a], out) == [3.0] * 4
    assert again(device, first, [a], out) == [2.0] * 4
    assert again(device, second, [a], out) == [3.0] * 4


def test_a_kernel_that_reads_a_name_from_outside_is_asked_each_time(device):
    kernel = define("def f(x):\n    return x + AMOUNT\n", AMOUNT=2.0)
    a, out = ones(device), ones(device)
    assert again(device, kernel, [a], out) == [3.0] * 4
    kernel.function.__globals__["AMOUNT"] = 5.0
    with pytest.raises(treadle.LaunchError, match="AMOUNT"):
        device.run_kernel(kernel, [a], out)


def test_each_device_keeps_its_own(device):
    with Device(CpuBackend(workers=1), "other") as other:
        a, b, there = ones(device), ones(device), ones(other)
        again(device, "relu", [a], b)
        for _ in range(2):
            with treadle.use_device(device):
                assert treadle.run_kernel("relu", [a], b) is b
            with treadle.use_device(other), pytest.raises(treadle.LaunchError, match="is on"):
                treadle.run_kernel("relu", [a], b)
            with treadle.use_device(device), pytest.raises(treadle.LaunchError, match="is on"):
                treadle.run_kernel("relu", [there], b)
    with pytest.raises(treadle.DeviceLost):
        other.submit("relu", [there], there)


def test_a_closed_device_is_told_of():
    device = Device(CpuBackend(workers=1), "closing")
    a, b = ones(device), ones(device)
    again(device, "relu", [a], b)
    device.close()
    with pytest.raises(treadle.DeviceLost):
        device.submit("relu", [a], b)


def test_every_way_to_ask_gives_the_same(device):
    a, b, out = ones(device, value=-2.0), ones(device, value=3.0), ones(device)
    with treadle.use_device(device):
        for _ in range(TIMES):
            asked = {
                "run_kernel": lambda: treadle.run_kernel("relu", [a], out),
                "a tuple": lambda: treadle.run_kernel("relu", (a,), out),
                "one buffer": lambda: treadle.run_kernel("relu", a, out),
                "of outputs": lambda: treadle.run_kernel("relu", [a], [out]),
                "submit": lambda: treadle.submit("relu", [a], out).output,
                "urgent": lambda: treadle.submit("relu", [a], out, priority="interactive").output,
                "a mapping": lambda: (
                    treadle.submit(
                        {"op": "run_kernel", "kernel": "relu", "inputs": [a], "output": out}
                    ).output
                ),
                "many": lambda: treadle.submit_many([("relu", [a], out)])[0].output,
                "a helper": lambda: treadle.relu(a, out),
                "a function": lambda: treadle.ops.relu(a, output=out),
            }
            for way, ask in asked.items():
                out.write([7.0] * 4)
                assert ask() is out, way
                device.synchronize()
                assert out.read_list() == [0.0] * 4, way
            assert (a + b).read_list() == [1.0] * 4
            assert treadle.ops.relu(b).read_list() == [3.0] * 4
            assert treadle.run_kernel("relu", [b]).read_list() == [3.0] * 4
