"""The mistakes of every day: each says what to write instead, from the function that was called."""

from __future__ import annotations

import asyncio
import traceback
import types

import numpy as np
import pytest

import treadle
from treadle import ops
from treadle.errors import PACKAGE

A = [1.0, 2.0, 3.0]
TABLE = np.array([1.0, 2.0, 3.0])
GAIN = 2.0
settings = types.ModuleType("settings")
settings.gain = 2.0


@pytest.fixture
def x():
    with treadle.use_device("cpu") as device:
        yield device.buffer(A)


def plain(v):
    return v


class Thing:
    def method(self, v):
        return v * 2


def decorated_method():
    class Inner:
        @treadle.pointwise
        def method(self, v):
            return v * 2

    return Inner


@treadle.kernel
def reads_a_global_array(at, a):
    (i,) = at
    return a[i] * TABLE[i]


@treadle.pointwise
def adds_a_global_array(a):
    return a + TABLE


MISTAKES = {
    "a command": (lambda x: treadle.submit("relu", treadle.submit("relu", x)), "command.output"),
    "a command to ops": (lambda x: ops.relu(treadle.submit("relu", x)), "await command"),
    "a coroutine": (
        lambda x: treadle.submit("relu", treadle.run_kernel_async("relu", x)),
        r"await run_kernel_async\(",
    ),
    "a pipeline": (
        lambda x: treadle.run_kernel("relu", treadle.pipeline().add("relu", x)),
        r"pipeline\.run\(\)",
    ),
    "a traced pipeline": (
        lambda x: treadle.run_kernel("relu", [treadle.pipeline(plain)]),
        "call it with its inputs",
    ),
    "a kernel": (lambda x: treadle.run_kernel("relu", [adds_a_global_array]), "run it first"),
    "an array": (lambda x: treadle.run_kernel("relu", np.zeros(3)), "treadle.ops"),
    "a list in a pipeline": (lambda x: treadle.pipeline().add("relu", [1.0]), "treadle.ops"),
    "a method of an object": (lambda x: treadle.run_kernel(Thing().method, x), "beside the class"),
    "a bound method": (lambda x: treadle.pointwise(Thing().method), "beside the class"),
    "a method of a class": (lambda x: decorated_method(), "beside the class"),
    "a plain function": (lambda x: treadle.submit(plain, x), "decorate plain with @treadle"),
    "a global array": (
        lambda x: treadle.run_kernel(reads_a_global_array, x),
        "make the array an input",
    ),
    "a global array, whole": (
        lambda x: treadle.run_kernel(adds_a_global_array, x),
        "make the array an input",
    ),
    "a parameter that s32 cannot hold": (
        lambda x: treadle.submit("scalar_add", treadle.buffer([1, 2]), scalar=2**40),
        "must be an integer from",
    ),
    "a number as text": (lambda x: treadle.run_kernel("relu", x, slope="3"), "3 without quotes"),
    "a radius as text": (
        lambda x: ops.gaussian_blur(np.zeros((4, 4, 3), np.float32), radius="3"),
        "3 without quotes",
    ),
    "a size as text": (lambda x: treadle.buffer_zeros("3"), "3 without quotes"),
    "u64": (lambda x: treadle.buffer(np.zeros(3, np.uint64)), r"astype\(np.int64\)"),
    "u64 by name": (lambda x: treadle.empty(3, "u64"), r"astype\(np.int64\)"),
    "f16 to a kernel of images": (
        lambda x: ops.gaussian_blur(np.zeros((4, 4, 3), np.float16)),
        "convert it with cast",
    ),
    "complex": (lambda x: treadle.buffer(np.zeros(3, np.complex128)), r"astype\(np.complex64\)"),
    "shapes": (lambda x: treadle.run_kernel("add", [x, treadle.buffer([1.0, 2.0])]), "broadcast"),
    "a name": (lambda x: treadle.run_kernel("gausian_blur", x), "did you mean 'gaussian_blur'"),
    "a device": (lambda x: treadle.device("cpuu"), "did you mean 'cpu'"),
    "a shape": (lambda x: x.reshape(7), "7 elements"),
    "freed": (lambda x: (x.free(), x.to_numpy()), "after free"),
    "nothing": (lambda x: treadle.submit("relu", None), "treadle.buffer"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_says_what_to_write_and_shows_no_frame_of_ours(x, name):
    mistake, says = MISTAKES[name]
    with pytest.raises(treadle.TreadleError, match=says) as caught:
        mistake(x)
    frames = traceback.extract_tb(caught.value.__traceback__)
    ours = [frame.name for frame in frames if frame.filename.startswith(PACKAGE)]
    assert len(ours) == 1, ours


def test_a_forgotten_await_says_so(x):
    command = treadle.submit("relu", x)
    with pytest.raises(AttributeError, match=r"\(await command\)\.to_numpy"):
        command.to_numpy()
    with pytest.raises(AttributeError, match=r"command\.output\.shape"):
        command.shape  # noqa: B018
    with pytest.raises(AttributeError, match=r"^'Command' object has no attribute 'colour'$"):
        command.colour  # noqa: B018


def test_awaiting_run_kernel_gives_its_buffer(x):
    async def main():
        return await treadle.run_kernel("relu", x)

    assert asyncio.run(main()).read_list() == A


def test_the_lines_of_a_traced_function_are_shown(x):
    @treadle.pipeline
    def wrong(a):
        return ops.gaussian_blur(a, radius="3")

    with pytest.raises(treadle.LaunchError) as caught:
        wrong(x)
    frames = traceback.extract_tb(caught.value.__cause__.__traceback__)
    assert [frame.name for frame in frames] == ["wrong"]


def test_an_async_function_raises_by_itself(x):
    with pytest.raises(treadle.LaunchError) as caught:
        asyncio.run(treadle.run_kernel_async("relu", x, slope="3"))
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert [f.name for f in frames if f.filename.startswith(PACKAGE)] == ["run_kernel_async"]


def scaled_by_global():
    @treadle.pointwise(name="scaled_by_global")
    def scaled(v):
        return v * GAIN

    return scaled


@pytest.fixture
def gain():
    yield
    globals()["GAIN"] = settings.gain = 2.0


def test_a_global_that_changes_is_never_frozen_in_silence(x, gain):
    kernel = scaled_by_global()
    pipeline = treadle.pipeline().add(kernel, x, treadle.empty(3))
    traced = treadle.pipeline(lambda_free)
    assert treadle.run_kernel(kernel, x).read_list() == [2.0, 4.0, 6.0]
    pipeline.run()
    traced(x)
    globals()["GAIN"] = 3.0
    message = r"reads 'GAIN' from outside, which was 2\.0 .* is 3\.0 now.*`\*, gain`"
    for run in (
        lambda: treadle.run_kernel(kernel, x),
        lambda: treadle.submit(kernel, [x]),
        lambda: treadle.pipeline().add(kernel, x),
        pipeline.run,
        pipeline.submit,
        lambda: traced(x),
    ):
        with pytest.raises(treadle.LaunchError, match=message):
            run()
    assert treadle.run_kernel(scaled_by_global(), x).read_list() == [3.0, 6.0, 9.0]
    globals()["GAIN"] = 2.0
    assert treadle.run_kernel(kernel, x).read_list() == [2.0, 4.0, 6.0]


def lambda_free(v):
    return ops.scalar_mul(v, scalar=GAIN)


def test_members_of_modules_and_names_around_a_function_are_watched_too(x, gain):
    factor = 2.0

    @treadle.pointwise(name="reads_around")
    def reads_around(v):
        return v * factor + settings.gain

    assert treadle.run_kernel(reads_around, x).read_list() == [4.0, 6.0, 8.0]
    settings.gain = 5.0
    with pytest.raises(treadle.LaunchError, match=r"'settings\.gain' .* was 2\.0"):
        treadle.run_kernel(reads_around, x)
    settings.gain = 2.0
    factor = 7.0
    with pytest.raises(treadle.LaunchError, match=r"'factor' .* is 7\.0 now"):
        treadle.run_kernel(reads_around, x)


@treadle.function
def doubled(v):
    return v * GAIN


@treadle.pointwise(name="calls_doubled")
def calls_doubled(v):
    return doubled(v)


def test_functions_that_a_kernel_calls_are_watched(x, gain):
    assert treadle.run_kernel(calls_doubled, x).read_list() == [2.0, 4.0, 6.0]
    globals()["GAIN"] = 4.0
    with pytest.raises(treadle.LaunchError, match="'GAIN'"):
        treadle.run_kernel(calls_doubled, x)
    globals()["GAIN"] = 2.0
    first = doubled
    globals()["doubled"] = treadle.function(doubled.function)
    try:
        with pytest.raises(treadle.LaunchError, match="'doubled', which was defined again"):
            treadle.run_kernel(calls_doubled, x)
    finally:
        globals()["doubled"] = first
