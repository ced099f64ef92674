"""treadle.ops: every kernel as a function that gives buffers at once."""

from __future__ import annotations

import asyncio
import gc
import inspect
import weakref

import numpy as np
import pytest

import ops_stub
import treadle
from runtime.shared import plus
from treadle import ops
from treadle.arrays import SEVERAL, function_of
from treadle.backends.cpu import CpuBackend
from treadle.kernels import ALIASES
from treadle.lang import registry
from treadle.runtime import registry as commands

A = np.arange(6, dtype=np.float32).reshape(2, 3)


def shipped():
    return [name for name in treadle.kernels() if registry.lookup(name).builtin]


def test_every_kernel_and_every_other_name_is_a_function():
    assert ops.__all__ == sorted({*shipped(), *ALIASES})
    for name in ops.__all__:
        made = getattr(ops, name)
        assert made.__name__ == name
        assert made.__doc__.startswith(registry.lookup(name).doc)


def test_signatures_are_those_of_the_definitions():
    assert str(inspect.signature(ops.gaussian_blur)) == (
        "(image, *, radius=3, sigma=None, output=None)"
    )
    assert str(inspect.signature(ops.concat)) == "(*inputs, axis=0, output=None)"
    assert str(inspect.signature(ops.layer_norm)) == (
        "(row, scale=None, bias=None, *, eps=1e-05, axis=-1, output=None)"
    )


def test_the_stub_is_what_the_definitions_say():
    assert ops_stub.TARGET.read_text(encoding="utf-8") == ops_stub.text(), (
        "run python docs/tools/ops_stub.py"
    )


def test_the_table_of_several_outputs_is_right():
    assert len(ops.top_k([3.0, 1.0], k=1)) == SEVERAL["top_k"]
    assert len(ops.l2_top_k(A, A, k=1)) == SEVERAL["l2_top_k"]
    assert len(ops.quantize_int8(A)) == SEVERAL["quantize_int8"]


def test_a_call_gives_a_buffer(device):
    a = device.buffer(A)
    made = ops.add(a, a)
    assert type(made) is treadle.Buffer
    assert made.device is device
    np.testing.assert_array_equal(made.to_numpy(), A + A)


added = function_of(plus)  # compiled already on the manual device


def test_a_call_does_not_wait_and_a_read_does(manual):
    device, backend = manual
    a = device.buffer([1.0, 2.0])
    made = added(a, a)
    assert not made.ready
    assert made.command.poll() == "running"
    backend.complete()
    assert made.command.wait().output is made
    assert made.read_list() == [2.0, 4.0]


def test_awaiting_a_buffer_suspends_until_it_is_written(manual):
    device, backend = manual
    a = device.buffer([1.0, 2.0])
    made = added(a, a)

    async def main():
        waiting = asyncio.ensure_future(_awaited(made))
        await asyncio.sleep(0)
        assert not waiting.done()
        backend.complete()
        assert await waiting is made
        assert await made is made  # at once, now that it is there

    asyncio.run(main())


async def _awaited(buffer):
    return await buffer


def test_a_caller_that_stops_awaiting_leaves_the_work(manual):
    device, backend = manual
    a = device.buffer([1.0])
    made = added(a, a)

    async def main():
        waiting = asyncio.ensure_future(_awaited(made))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        backend.complete()
        await made

    asyncio.run(main())
    assert made.read_list() == [2.0]


def test_awaiting_raises_what_went_wrong(manual):
    device, backend = manual
    a = device.buffer([1.0])
    made = added(a, a)
    backend.fail(1, RuntimeError("the device is on fire"))
    with pytest.raises(treadle.CommandFailed, match="on fire"):
        asyncio.run(_awaited(made))
    assert made.command.poll() == "failed"


def test_awaiting_a_freed_buffer_says_so():
    a = treadle.device("cpu").buffer([1.0])
    a.free()
    with pytest.raises(treadle.BufferFreed):
        asyncio.run(_awaited(a))


def test_the_command_of_what_the_host_wrote_has_completed():
    a = treadle.device("cpu").buffer([1.0])
    assert a.command.poll() == "completed"
    assert a.command.result() is a
    made = ops.neg(a)
    assert made.command.kernel == "neg"
    made.write([3.0])
    assert made.command.kernel == "write"


def test_a_view_and_what_it_is_a_view_of_have_one_command():
    made = ops.neg(treadle.device("cpu").buffer([1.0, 2.0]))
    assert made[1:].command.id == made.command.id


def test_the_command_of_a_pipeline_is_known_too():
    device = treadle.device("cpu")
    a, out = device.buffer([1.0]), device.empty(1)
    pipeline = treadle.pipeline(device).add("neg", a, out)
    command = pipeline.submit()
    assert out.command.id == command.id
    command.wait()
    traced = treadle.pipeline(lambda_free)
    assert traced(a).command.kernel == "lambda_free"


def lambda_free(x):
    return ops.neg(x)


def test_a_command_that_ended_long_ago_has_completed(monkeypatch):
    made = ops.neg(treadle.device("cpu").buffer([1.0]))
    made.command.wait()
    monkeypatch.setattr(commands, "ring", [None] * commands.REMEMBERED)
    assert made.command.wait().output is made


def test_a_buffer_and_its_command_do_not_keep_each_other():
    gc.disable()
    try:
        made = ops.neg(treadle.device("cpu").buffer([1.0]))
        made.command.wait()
        gone = weakref.ref(made)
        del made
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(
    "b, dtype",
    [
        (2, "f32"),
        (2.5, "f32"),
        ([1.0, 2.0, 3.0], "f32"),
        (np.float64(2.5), "f64"),
        (np.arange(3), "f32"),
        (memoryview(np.arange(3, dtype=np.float32)), "f32"),
        (True, "f32"),
    ],
)
def test_arrays_lists_and_numbers_are_taken(b, dtype):
    with treadle.use_device("cpu"):
        made = ops.add(A, b)
    assert made.dtype == dtype
    np.testing.assert_allclose(made.to_numpy(), A + np.asarray(b), rtol=1e-6)


@pytest.mark.parametrize(
    "dtype, number, gives",
    [("s32", 2, "s32"), ("u8", 2, "u8"), ("s64", 2**40, "s64"), ("s32", 0.5, "f32"),
     ("f64", 1, "f64"), ("s32", 2**40, "s64"), ("u8", -1, "s32")],
)  # fmt: skip
def test_python_numbers_are_weak(dtype, number, gives):
    with treadle.use_device("cpu"):
        made = ops.mul(treadle.buffer([1, 2], dtype=dtype), number)
    assert made.dtype == gives
    assert made.read_list() == [number, 2 * number]


def test_the_device_is_that_of_the_buffers():
    reference = treadle.device("reference")
    with treadle.use_device("cpu"):
        assert ops.add([1.0], reference.buffer([1.0])).device is reference
        assert ops.add([1.0], 2).device.name == "cpu"


def test_inputs_can_be_named():
    with treadle.use_device("cpu"):
        made = ops.layer_norm(A, bias=[1.0, 1.0, 1.0], scale=[1.0, 1.0, 1.0])
        np.testing.assert_allclose(made.to_numpy().mean(), 1.0, atol=1e-6)
        assert ops.sub(a=3, b=1).read_list() == 2
        with pytest.raises(treadle.LaunchError, match="'a' is given twice"):
            ops.sub(1, a=2)
        with pytest.raises(treadle.LaunchError, match="'bias' is given, but 'scale'"):
            ops.layer_norm(A, bias=[1.0, 1.0, 1.0])


def test_an_output_can_be_given():
    out = treadle.device("cpu").empty((4, 4))
    assert ops.generate_gradient(output=out) is out
    a = treadle.device("cpu").buffer([1.0, 2.0])
    assert ops.add(a, a, output=a) is a
    assert a.read_list() == [2.0, 4.0]


def test_calls_wait_for_room():
    with treadle.Device(CpuBackend(workers=1), "small") as device:
        device.max_in_flight = 2
        x = device.buffer(np.zeros(100_000, np.float32))
        for _ in range(50):
            x = ops.add(x, x)
        assert x.to_numpy().sum() == 0


@treadle.pointwise(name="tripled_here")
def tripled(x):
    return 3 * x


def test_kernels_of_the_user_are_functions_too():
    with treadle.use_device("cpu"):
        assert ops.tripled_here([1.0]).read_list() == [3.0]
    assert "tripled_here" in dir(ops)
    with pytest.raises(AttributeError, match="gaussian_blur"):
        ops.gausian_blur  # noqa: B018


@treadle.pipeline
def edges(image, *, radius=2):
    soft = ops.gaussian_blur(image, radius=radius)
    return ops.mul(ops.sub(image, soft), [2.0, 1.0, 1.0])


def test_functions_in_a_pipeline_record():
    image = treadle.device("cpu").buffer(np.random.default_rng(0).random((8, 8, 3), np.float32))
    soft = ops.gaussian_blur(image, radius=2)
    eager = ops.mul(ops.sub(image, soft), [2.0, 1.0, 1.0])
    np.testing.assert_array_equal(edges(image).to_numpy(), eager.to_numpy())


def test_a_function_that_is_traced_takes_no_buffer_from_outside():
    outside = treadle.device("cpu").buffer([1.0])

    @treadle.pipeline
    def with_outside(x):
        return ops.add(x, outside)

    with pytest.raises(treadle.LaunchError, match="pass the buffer as an argument"):
        with_outside(outside)


def test_errors_come_from_the_function_itself():
    with pytest.raises(treadle.LaunchError) as caught:
        ops.gaussian_blur(A, radius="3")
    frames = [entry.name for entry in caught.traceback]
    assert frames[1:] == ["gaussian_blur"]
