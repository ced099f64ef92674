"""MobileNetV2 of examples/mobilenet.py, and the photo's way through it: equal to onnxruntime."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

import treadle

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def example():
    """Import an example by its name, as its own folder's programs do."""

    def load(name: str):
        if name not in sys.modules:
            spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
            sys.modules[name] = module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        return sys.modules[name]

    yield load
    for name in ("mobilenet", "classify"):
        sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def small(example):
    return example("mobilenet").build(size=64, width=0.25, classes=20)


def session(network: bytes):
    return onnxruntime.InferenceSession(network, providers=["CPUExecutionProvider"])


def test_it_is_the_real_architecture(example):
    network = example("mobilenet").build()
    graph = onnx.load_from_string(network).graph
    assert graph.doc_string == "3504872 parameters"
    with treadle.model(network, device="cpu") as model:
        assert [str(each) for each in (*model.inputs, *model.outputs)] == [
            "input f32[N, 3, 224, 224]",
            "logits f32[N, 1000]",
        ]
        x = np.random.default_rng(1).normal(size=(1, 3, 224, 224)).astype(np.float32)
        expected = session(network).run(None, {"input": x})[0]
        np.testing.assert_allclose(model(x).to_numpy(), expected, rtol=1e-5, atol=1e-5)


def test_preprocess_network_softmax_and_top_k_are_three_groups_and_equal(small):
    photos = np.random.default_rng(1).integers(0, 256, (3, 90, 70, 3), np.uint8)
    with treadle.use_device("cpu") as device, treadle.model(small) as model:

        @treadle.pipeline
        def classified(image):
            ready = treadle.run_kernel("preprocess", [image], size=(64, 64))
            chances = treadle.run_kernel("softmax", [model(ready)])
            return treadle.run_kernel("top_k", [chances], k=5)

        values, places = classified(device.buffer(photos))
        ready = device.run_kernel("preprocess", [device.buffer(photos)], size=(64, 64)).to_numpy()
        logits = session(small).run(None, {"input": ready})[0].astype(np.float64)
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        order = np.argsort(-chances, axis=1)[:, :5]
        np.testing.assert_array_equal(places.to_numpy(), order)
        np.testing.assert_allclose(
            values.to_numpy(), np.take_along_axis(chances, order, axis=1), rtol=1e-4
        )
        plan = classified.plan(device.buffer(photos))
        kernels = [group.kernel for group in plan.groups]
        at = next(k for k, kernel in enumerate(kernels) if kernel == model.name)
        # What the stage before writes is what the network reads, in its own layout.
        assert plan.groups[at].reads[0].endswith("f32[3, 3, 64, 64]")
        assert plan.groups[at - 1].writes == plan.groups[at].reads
        assert plan.groups[at + 1].reads == plan.groups[at].writes


def test_the_example_of_the_document_as_it_is_written(example, small, tmp_path, capsys):
    image = pytest.importorskip("PIL.Image")
    photo, network, labels = (tmp_path / name for name in ("p.png", "net.onnx", "labels.txt"))
    pixels = np.random.default_rng(1).integers(0, 256, (40, 60, 3), np.uint8)
    image.fromarray(pixels).save(photo)
    network.write_bytes(small)
    labels.write_text("\n".join(f"thing {k}" for k in range(20)))
    files = [str(photo), "--model", str(network), "--labels", str(labels)]
    example("classify").main([*files, "--top", "3", "--device", "cpu"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert all("thing " in line and "%" in line for line in lines)
    assert "mobilenet_v2" not in treadle.kernels()
