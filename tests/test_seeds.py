"""The documents that Treadle grew from: every function of theirs is mapped, and every call works.

The documents are not part of the repository; what they define and call is listed here, and their
examples are here as a reader would spell them in Python.
"""

from __future__ import annotations

import asyncio
import re

import numpy as np
import pytest

import treadle
from pages import ROOT
from treadle.kernels import ALIASES

PAGE = (ROOT / "docs" / "seeds.md").read_text(encoding="utf-8")

# By document: the functions that it defines or calls, and its types; losing one is visible.
EXCUBECL = """
    buffer read submit poll wait pipeline pipeline_add pipeline_run pipeline_free
    submit("run_pipeline")
"""
COMPUTE = """
    add buffer buffer_from_binary buffer_zeros device_info dtype free free_many free_pipeline
    from_nx gpu? matmul multiply pipeline pipeline_add pipeline_run poll read read_binary read_list
    relu run_kernel run_kernel_async run_to_surface scale shape size submit to_nx version wait
    Dala.Gpu.create_surface Dala.Gpu.set_pixels Dala.Gpu.present handle_error retry_later t
"""
PIPELINE = "new add run stages stage_count t stage run_kernel copy_buffer barrier mobilenet_v2"
ASYNC = """
    streamingSearch pipelinedExecution activeBuffer context.getBuffer fillBuffer extractResults Task
    task.value pending.value execute kernel.execute executeAndWait makeCommandBuffer
    makeComputeCommandEncoder kernel.encode endEncoding commit waitForCompletion
    completionEvent.notify MTLSharedEventListener withCheckedContinuation continuation.resume
    VectorError.deviceInitializationFailed VectorError.encoderCreationFailed l2DistanceSquared
    index.search
"""
SECTIONS = {
    "ExCubecl (000, 001)": EXCUBECL,
    "Dala.Gpu.Compute (002)": COMPUTE,
    "Dala.Gpu.Compute.Pipeline (003)": PIPELINE,
    "VectorAccelerate, 5.2 Async Compute (004)": ASYNC,
}
NAMED = "elementwise_add relu blur generate_gradient sharpen grayscale preprocess softmax"
# What the words on the right of the tables stand for.
STANDS_FOR = {
    "treadle": treadle,
    "np": np,
    "asyncio": asyncio,
    "p": treadle.Pipeline,
    "pipeline": treadle.Pipeline,
    "buffer": treadle.Buffer,
    "command": treadle.Command,
}


def rows(heading: str) -> list[tuple[str, str]]:
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [tuple(line.strip("| ").split(" | ", 1)) for line in lines[1:]]


ROWS = [(heading, *row) for heading in SECTIONS for row in rows(heading)]


@pytest.mark.parametrize(
    "heading, name", [(h, name) for h, names in SECTIONS.items() for name in names.split()]
)
def test_every_function_is_mapped(heading, name):
    left = " ".join(there for there, _ in rows(heading))
    assert re.search(rf"`{re.escape(name)}[`(, {{]", left), f"{name} is in no row of {heading}"


@pytest.mark.parametrize("heading, there, here", ROWS, ids=lambda text: text[:40])
def test_what_it_is_mapped_to_exists(heading, there, here):
    code = " ".join(re.findall(r"`([^`]+)`", here))
    names = re.findall(r"(?<![\w.\"])([a-z]+)\.(\w+)", code)
    for owner, name in names:
        assert hasattr(STANDS_FOR[owner], name), f"{there}: {owner}.{name} is not there"
    for kernel in re.findall(r"(?:run_kernel|submit)\(\"(\w+)\"", code):
        assert kernel in {*treadle.kernels(), *ALIASES, "run_pipeline"}, kernel
    assert names, f"{there} is mapped to nothing: {here}"


def test_the_kernels_that_they_name_are_there():
    parts = re.findall(r"Kernels that it names: (.*?)\n\n", PAGE, re.DOTALL)
    listed = re.findall(r"`(\w+)`", " ".join(parts))
    assert set(NAMED.split()) <= set(listed)
    for name in NAMED.split():
        treadle.kernel_info(name)


# The examples, on every device.


@pytest.fixture
def numbers(device):
    return [treadle.buffer(values, (3,), "f32") for values in ([1, 2, 3], [4, 5, 6], [0, 0, 0])]


@pytest.fixture
def image(device):
    shape = (8, 8, 3)
    return treadle.buffer(np.arange(192, dtype=np.uint8).reshape(shape), list(shape), "u8")


def like(buffer, shape=None):
    return treadle.buffer_zeros(shape or buffer.shape, buffer.dtype)


def test_quick_start(numbers):
    a, b, c = numbers
    info = treadle.device_info()
    assert {"name", "gpu", "version"} <= set(dict(info))
    assert info["gpu"] in (True, False)
    treadle.run_kernel("elementwise_add", [a, b], c, {})
    assert treadle.read(c) == np.array([5, 7, 9], np.float32).tobytes()
    assert bytes(treadle.read_binary(c)) == treadle.read(c)
    assert treadle.read_list(c) == [5.0, 7.0, 9.0]
    assert (treadle.shape(c), treadle.dtype(c), treadle.size(c)) == ((3,), "f32", 12)
    assert treadle.to_numpy(treadle.from_numpy(np.float32([1, 2, 3]))).tolist() == [1, 2, 3]
    treadle.free(a)
    treadle.free_many([b, c])
    assert not c.valid


def test_helpers(numbers):
    a, b, output = numbers
    treadle.add(a, b, output)
    assert output.read_list() == [5, 7, 9]
    treadle.multiply(a, b, output)
    assert output.read_list() == [4, 10, 18]
    treadle.relu(a, output)
    assert output.read_list() == [1, 2, 3]
    treadle.scale(a, 2.5, output)
    assert output.read_list() == [2.5, 5, 7.5]
    left, right = (treadle.buffer([1, 2, 3, 4], (2, 2), "f32") for _ in range(2))
    square = treadle.buffer_zeros((2, 2), "f32")
    treadle.matmul(left, right, square)
    assert square.read_list() == [[7, 10], [15, 22]]


def test_parameters_by_position(image, numbers):
    a, b, _ = numbers
    treadle.run_kernel("relu", [a], b, {"slope": 0.1})
    treadle.run_kernel("blur", [image], like(image), {"radius": 3, "sigma": 1.5})
    treadle.run_kernel("generate_gradient", [], like(image), {})
    asyncio.run(treadle.run_kernel_async("relu", [a], b, {}))
    assert b.read_list() == [1, 2, 3]


def test_submit_poll_and_wait_by_id(numbers):
    a, b, _ = numbers
    spec = {"op": "run_kernel", "kernel": "relu", "inputs": [a], "output": b, "params": {}}
    number = treadle.submit(spec).id
    assert treadle.poll(number) in ("pending", "running", "completed")
    assert treadle.wait(number).output is b  # whether it had ended by then or not
    assert treadle.poll(number) == "completed"
    assert treadle.wait(number).output is b
    numbers = [treadle.submit("relu", [a], treadle.buffer([0.0] * 3, [3], "f32")).id for _ in "ab"]
    assert all(treadle.wait(number) for number in numbers)


def test_pipelines_of_excubecl(numbers):
    a, b, out = numbers
    result = like(out)
    pipeline = treadle.pipeline()
    treadle.pipeline_add(pipeline, "elementwise_add", [a, b], out)
    treadle.pipeline_add(pipeline, "relu", [out], result)
    treadle.pipeline_run(pipeline)
    assert result.read_list() == [5, 7, 9]
    number = treadle.submit("run_pipeline", pipeline).id
    assert treadle.wait(number).output is result
    assert treadle.submit(pipeline).wait().output is result
    treadle.pipeline_free(pipeline)
    with pytest.raises(treadle.TreadleError, match="after free"):
        treadle.submit("run_pipeline", pipeline)


def stage(op, kernel=None, inputs=(), output=None, params=None):
    return dict(op=op, kernel=kernel, inputs=list(inputs), output=output, params=params or {})


def test_pipelines_of_dala(image):
    blurred, sharpened, copied = like(image), like(image), like(image, (8, 8))
    grey = like(image, (8, 8))
    pipeline = treadle.pipeline()
    blurring = stage("run_kernel", "blur", [image], blurred, {"radius": 3, "sigma": 1.5})
    chained = treadle.pipeline_add(pipeline, blurring)
    assert chained is pipeline
    pipeline.add(stage("run_kernel", "sharpen", [blurred], sharpened, {"amount": 0.5}))
    pipeline.add(stage("barrier"))
    pipeline.add(stage("run_kernel", "grayscale", [sharpened], grey))
    pipeline.add(stage("copy_buffer", None, [grey], copied))
    assert pipeline.stage_count == 5
    assert [each["op"] for each in pipeline.stages].count("barrier") == 1
    assert [each["kernel"] for each in pipeline.stages][-2:] == ["grayscale", None]
    treadle.pipeline_run(pipeline)
    assert copied.read() == grey.read()
    treadle.free_pipeline(pipeline)
    assert not pipeline.valid


def test_inference_pipeline_but_for_the_model(image):
    size = (4, 4)
    ready = treadle.buffer_zeros((1, 3, *size), "f32")
    probabilities = like(ready)
    pipeline = treadle.pipeline()
    params = {"normalize": True, "size": size}
    pipeline.add(stage("run_kernel", "preprocess", [image], ready, params))
    with pytest.raises(treadle.LaunchError, match="no kernel is named 'mobilenet_v2'"):
        pipeline.add(stage("run_kernel", "mobilenet_v2", [ready], probabilities))
    pipeline.add(stage("run_kernel", "softmax", [ready], probabilities))
    pipeline.run()
    np.testing.assert_allclose(probabilities.to_numpy().sum(axis=-1), 1.0, rtol=1e-5)
