"""The examples of the documents that Weft grew from, spelt the Python way, as far as they need no
pipelines, streams or surfaces. Each test is one example; what they only promised is checked."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

import weft


@pytest.fixture
def abc():
    a = weft.buffer([1.0, 2.0, 3.0], (3,), "f32")
    b = weft.buffer([4.0, 5.0, 6.0], (3,), "f32")
    c = weft.buffer([0.0, 0.0, 0.0], (3,), "f32")
    return a, b, c


# Asynchronous execution


def test_submit_poll_wait(abc):
    a, b, _ = abc
    command = weft.submit("relu", [a], b)
    assert weft.poll(command.id) in set(weft.Status)
    weft.wait(command.id)
    assert weft.poll(command.id) == "completed"
    assert b.read_list() == [1.0, 2.0, 3.0]


def test_the_polling_pattern():
    x = weft.buffer(np.linspace(-1, 1, 1 << 20, dtype=np.float32))
    command = weft.submit("exp", [x])
    polls = 0
    while weft.poll(command) in ("pending", "running"):
        polls += 1
        if polls > 10**7:
            pytest.fail("the command never ends")
    assert weft.poll(command) == "completed"
    np.testing.assert_allclose(command.output.to_numpy(), np.exp(x.to_numpy()), rtol=2e-6)


def test_parallel_work():
    inputs = [weft.buffer([float(k)] * 100, (100,), "f32") for k in range(8)]
    outputs = [weft.buffer([0.0] * 100, (100,), "f32") for _ in inputs]
    ids = [
        weft.submit("scalar_mul", [x], out, scalar=2.0).id
        for x, out in zip(inputs, outputs, strict=True)
    ]
    for command_id in ids:
        weft.wait(command_id)
    assert [out.read_list()[0] for out in outputs] == [2.0 * k for k in range(8)]


def test_the_event_loop_goes_on_while_work_is_awaited():
    async def main():
        x = weft.buffer(np.ones((2048, 2048), np.float32))
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        ticker = asyncio.create_task(tick())
        commands = [weft.submit("softmax", [x]) for _ in range(4)]
        await asyncio.gather(*commands)
        ticker.cancel()
        return ticks, [command.output.to_numpy().sum() for command in commands]

    ticks, sums = asyncio.run(main())
    assert ticks > 1
    assert sums == pytest.approx([2048] * 4, rel=1e-4)


# Quick start


def test_device_info():
    info = weft.device_info()
    assert info.gpu is False or weft.gpu_available()
    assert info["name"] == info.name
    assert info.version == weft.version() == weft.__version__
    assert {"name", "backend", "gpu", "memory", "compute_units", "dtypes", "version"} <= set(
        dict(info)
    )


def test_quick_start(abc):
    a, b, c = abc
    weft.run_kernel("elementwise_add", [a, b], c, {})
    assert np.frombuffer(weft.read(c), np.float32).tolist() == [5.0, 7.0, 9.0]
    weft.free(a)
    weft.free_many([b, c])
    assert not (a.valid)
    assert not (b.valid)
    assert not (c.valid)
    with pytest.raises(weft.BufferFreed):
        weft.read(c)


def test_submit_with_a_mapping(abc):
    a, b, _ = abc
    command = weft.submit(
        {"op": "run_kernel", "kernel": "relu", "inputs": [a], "output": b, "params": {}}
    )
    weft.wait(command)
    assert b.read_list() == [1.0, 2.0, 3.0]


def test_stage_specs_that_need_no_pipeline(abc):
    a, b, c = abc
    weft.submit({"op": "copy_buffer", "inputs": [a], "output": c})
    weft.submit({"op": "barrier"})
    weft.submit(
        {"op": "run_kernel", "kernel": "add", "inputs": [a, c], "output": b, "params": {}}
    ).wait()
    assert b.read_list() == [2.0, 4.0, 6.0]


# Buffers


def test_buffers(abc):
    a, _, _ = abc
    assert weft.shape(a) == (3,)
    assert weft.dtype(a) == "f32"
    assert weft.size(a) == 12
    assert weft.read_list(a) == [1.0, 2.0, 3.0]
    assert bytes(weft.read_binary(a)) == weft.read(a)
    assert weft.buffer_zeros((256, 256), "f32").to_numpy().sum() == 0


def test_buffer_from_binary():
    data = np.arange(640 * 480 * 4, dtype=np.uint32).astype(np.uint8).tobytes()
    image = weft.buffer_from_binary(data, (640, 480, 4), "u8")
    assert image.shape == (640, 480, 4)
    assert image.read() == data


def test_tensors_in_and_out():
    tensor = np.array([1.0, 2.0, 3.0], np.float32)
    buffer = weft.from_numpy(tensor)
    np.testing.assert_array_equal(weft.to_numpy(buffer), tensor)
    np.testing.assert_array_equal(np.from_dlpack(buffer), tensor)
    np.testing.assert_array_equal(np.asarray(buffer), tensor)


@pytest.mark.parametrize("dtype", ["f32", "f64", "s32", "s64", "u32", "u8"])
def test_supported_types(dtype):
    values = [0, 1, 2, 3]
    buffer = weft.buffer(values, (2, 2), dtype)
    assert buffer.read_list() == [[0, 1], [2, 3]]
    assert isinstance(buffer.read_list()[0][0], float if dtype.startswith("f") else int)


# Kernels


def test_helpers(abc):
    a, b, _ = abc
    c = weft.buffer_zeros((3,), "f32")
    weft.add(a, b, c)
    assert c.read_list() == [5.0, 7.0, 9.0]
    weft.multiply(a, b, c)
    assert c.read_list() == [4.0, 10.0, 18.0]
    weft.scale(a, 2.5, c)
    assert c.read_list() == [2.5, 5.0, 7.5]
    weft.relu(weft.buffer([-1.0, 0.0, 2.0]), c)
    assert c.read_list() == [0.0, 0.0, 2.0]


def test_matmul():
    a = weft.buffer([1.0, 2.0, 3.0, 4.0], (2, 2), "f32")
    c = weft.buffer_zeros((2, 2), "f32")
    weft.matmul(a, a, c)
    assert c.read_list() == [[7.0, 10.0], [15.0, 22.0]]


def test_run_kernel_with_parameters():
    a = weft.buffer([-1.0, 1.0])
    b = weft.buffer_zeros((2,), "f32")
    weft.run_kernel("relu", [a], b, {"slope": 0.5})
    assert b.read_list() == [-0.5, 1.0]
    image = weft.buffer(np.full((8, 8, 3), 100, np.uint8))
    out = weft.empty((8, 8, 3), "u8")
    weft.run_kernel("blur", [image], out, {"radius": 3, "sigma": 1.5})
    assert (out.to_numpy() == 100).all()


def test_run_kernel_async(abc):
    a, b, c = abc
    assert asyncio.run(weft.run_kernel_async("elementwise_add", [a, b], c)) is c
    assert c.read_list() == [5.0, 7.0, 9.0]


def test_a_gradient_for_a_surface():
    pixels = weft.buffer_zeros((480, 640, 4), "u8")
    weft.run_kernel("generate_gradient", [], pixels, {})
    assert len(weft.read(pixels)) == 640 * 480 * 4


def test_the_image_chain_step_by_step():
    image = weft.buffer(np.random.default_rng(0).integers(0, 256, (48, 64, 4), dtype=np.uint8))
    blurred = weft.empty((48, 64, 4), "u8")
    sharpened = weft.empty((48, 64, 4), "u8")
    grey = weft.empty((48, 64), "u8")
    weft.submit("blur", [image], blurred, radius=3, sigma=1.5)
    weft.submit("sharpen", [blurred], sharpened, amount=0.5)
    weft.submit("grayscale", [sharpened], grey).wait()
    assert 100 < grey.to_numpy().mean() < 155
