"""The examples of the documents that Treadle grew from, spelt the Python way, where they need no
pipelines, streams or surfaces. Each test is one example; what they only promised is checked."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

import treadle


@pytest.fixture
def abc():
    a = treadle.buffer([1.0, 2.0, 3.0], (3,), "f32")
    b = treadle.buffer([4.0, 5.0, 6.0], (3,), "f32")
    c = treadle.buffer([0.0, 0.0, 0.0], (3,), "f32")
    return a, b, c


# Asynchronous execution


def test_submit_poll_wait(abc):
    a, b, _ = abc
    command = treadle.submit("relu", [a], b)
    assert treadle.poll(command.id) in set(treadle.Status)
    treadle.wait(command.id)
    assert treadle.poll(command.id) == "completed"
    assert b.read_list() == [1.0, 2.0, 3.0]


def test_the_polling_pattern():
    x = treadle.buffer(np.linspace(-1, 1, 1 << 20, dtype=np.float32))
    command = treadle.submit("exp", [x])
    polls = 0
    while treadle.poll(command) in ("pending", "running"):
        polls += 1
        if polls > 10**7:
            pytest.fail("the command never ends")
    assert treadle.poll(command) == "completed"
    np.testing.assert_allclose(command.output.to_numpy(), np.exp(x.to_numpy()), rtol=2e-6)


def test_parallel_work():
    inputs = [treadle.buffer([float(k)] * 100, (100,), "f32") for k in range(8)]
    outputs = [treadle.buffer([0.0] * 100, (100,), "f32") for _ in inputs]
    ids = [
        treadle.submit("scalar_mul", [x], out, scalar=2.0).id
        for x, out in zip(inputs, outputs, strict=True)
    ]
    for command_id in ids:
        treadle.wait(command_id)
    assert [out.read_list()[0] for out in outputs] == [2.0 * k for k in range(8)]


def test_the_event_loop_goes_on_while_work_is_awaited():
    async def main():
        x = treadle.buffer(np.ones((2048, 2048), np.float32))
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        ticker = asyncio.create_task(tick())
        commands = [treadle.submit("softmax", [x]) for _ in range(4)]
        await asyncio.gather(*commands)
        ticker.cancel()
        return ticks, [command.output.to_numpy().sum() for command in commands]

    ticks, sums = asyncio.run(main())
    assert ticks > 1
    assert sums == pytest.approx([2048] * 4, rel=1e-4)


# Quick start


def test_device_info():
    info = treadle.device_info()
    assert info.gpu is False or treadle.gpu_available()
    assert info["name"] == info.name
    assert info.version == treadle.version() == treadle.__version__
    assert {"name", "backend", "gpu", "memory", "compute_units", "dtypes", "version"} <= set(
        dict(info)
    )


def test_quick_start(abc):
    a, b, c = abc
    treadle.run_kernel("elementwise_add", [a, b], c, {})
    assert np.frombuffer(treadle.read(c), np.float32).tolist() == [5.0, 7.0, 9.0]
    treadle.free(a)
    treadle.free_many([b, c])
    assert not (a.valid)
    assert not (b.valid)
    assert not (c.valid)
    with pytest.raises(treadle.BufferFreed):
        treadle.read(c)


def test_submit_with_a_mapping(abc):
    a, b, _ = abc
    command = treadle.submit(
        {"op": "run_kernel", "kernel": "relu", "inputs": [a], "output": b, "params": {}}
    )
    treadle.wait(command)
    assert b.read_list() == [1.0, 2.0, 3.0]


def test_stage_specs_that_need_no_pipeline(abc):
    a, b, c = abc
    treadle.submit({"op": "copy_buffer", "inputs": [a], "output": c})
    treadle.submit({"op": "barrier"})
    treadle.submit(
        {"op": "run_kernel", "kernel": "add", "inputs": [a, c], "output": b, "params": {}}
    ).wait()
    assert b.read_list() == [2.0, 4.0, 6.0]


# Buffers


def test_buffers(abc):
    a, _, _ = abc
    assert treadle.shape(a) == (3,)
    assert treadle.dtype(a) == "f32"
    assert treadle.size(a) == 12
    assert treadle.read_list(a) == [1.0, 2.0, 3.0]
    assert bytes(treadle.read_binary(a)) == treadle.read(a)
    assert treadle.buffer_zeros((256, 256), "f32").to_numpy().sum() == 0


def test_buffer_from_binary():
    data = np.arange(640 * 480 * 4, dtype=np.uint32).astype(np.uint8).tobytes()
    image = treadle.buffer_from_binary(data, (640, 480, 4), "u8")
    assert image.shape == (640, 480, 4)
    assert image.read() == data


def test_tensors_in_and_out():
    tensor = np.array([1.0, 2.0, 3.0], np.float32)
    buffer = treadle.from_numpy(tensor)
    np.testing.assert_array_equal(treadle.to_numpy(buffer), tensor)
    np.testing.assert_array_equal(np.from_dlpack(buffer), tensor)
    np.testing.assert_array_equal(np.asarray(buffer), tensor)


@pytest.mark.parametrize("dtype", ["f32", "f64", "s32", "s64", "u32", "u8"])
def test_supported_types(dtype):
    values = [0, 1, 2, 3]
    buffer = treadle.buffer(values, (2, 2), dtype)
    assert buffer.read_list() == [[0, 1], [2, 3]]
    assert isinstance(buffer.read_list()[0][0], float if dtype.startswith("f") else int)


# Kernels


def test_helpers(abc):
    a, b, _ = abc
    c = treadle.buffer_zeros((3,), "f32")
    treadle.add(a, b, c)
    assert c.read_list() == [5.0, 7.0, 9.0]
    treadle.multiply(a, b, c)
    assert c.read_list() == [4.0, 10.0, 18.0]
    treadle.scale(a, 2.5, c)
    assert c.read_list() == [2.5, 5.0, 7.5]
    treadle.relu(treadle.buffer([-1.0, 0.0, 2.0]), c)
    assert c.read_list() == [0.0, 0.0, 2.0]


def test_matmul():
    a = treadle.buffer([1.0, 2.0, 3.0, 4.0], (2, 2), "f32")
    c = treadle.buffer_zeros((2, 2), "f32")
    treadle.matmul(a, a, c)
    assert c.read_list() == [[7.0, 10.0], [15.0, 22.0]]


def test_run_kernel_with_parameters():
    a = treadle.buffer([-1.0, 1.0])
    b = treadle.buffer_zeros((2,), "f32")
    treadle.run_kernel("relu", [a], b, {"slope": 0.5})
    assert b.read_list() == [-0.5, 1.0]
    image = treadle.buffer(np.full((8, 8, 3), 100, np.uint8))
    out = treadle.empty((8, 8, 3), "u8")
    treadle.run_kernel("blur", [image], out, {"radius": 3, "sigma": 1.5})
    assert (out.to_numpy() == 100).all()


def test_run_kernel_async(abc):
    a, b, c = abc
    assert asyncio.run(treadle.run_kernel_async("elementwise_add", [a, b], c)) is c
    assert c.read_list() == [5.0, 7.0, 9.0]


def test_a_gradient_for_a_surface():
    pixels = treadle.buffer_zeros((480, 640, 4), "u8")
    treadle.run_kernel("generate_gradient", [], pixels, {})
    assert len(treadle.read(pixels)) == 640 * 480 * 4


def test_the_image_chain_step_by_step():
    image = treadle.buffer(np.random.default_rng(0).integers(0, 256, (48, 64, 4), dtype=np.uint8))
    blurred = treadle.empty((48, 64, 4), "u8")
    sharpened = treadle.empty((48, 64, 4), "u8")
    grey = treadle.empty((48, 64), "u8")
    treadle.submit("blur", [image], blurred, radius=3, sigma=1.5)
    treadle.submit("sharpen", [blurred], sharpened, amount=0.5)
    treadle.submit("grayscale", [sharpened], grey).wait()
    assert 100 < grey.to_numpy().mean() < 155
