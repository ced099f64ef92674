"""What is wrong with a model, or with what it is given: one clear error each."""

from __future__ import annotations

import re
import sys

import numpy as np
import onnx
import pytest

import treadle
from networks import FAILING, RELU, TWO, network
from treadle.errors import CommandFailed, DeviceUnavailable, LaunchError, ModelError

X = np.ones((2, 3), np.float32)


@pytest.fixture(autouse=True)
def cpu():
    with treadle.use_device("cpu") as device:
        yield device


@pytest.mark.parametrize("data", [b"", b"hello", b"\x08\x08" * 9, network(RELU)[:-9]])
def test_bytes_that_are_no_network(data):
    with pytest.raises(ModelError, match="model 'model': it cannot be loaded"):
        treadle.model(data)


def test_a_file_that_is_none(tmp_path):
    text = tmp_path / "notes.onnx"
    text.write_text("not a network")
    with pytest.raises(ModelError, match="model 'notes': it cannot be loaded"):
        treadle.model(text)
    with pytest.raises(ModelError, match="there is no such file"):
        treadle.model(tmp_path / "absent.onnx")
    with pytest.raises(ModelError, match="it is no file"):
        treadle.model(tmp_path)
    with pytest.raises(LaunchError, match="the path of an ONNX file, or its bytes, got list"):
        treadle.model([1, 2])


def test_an_operator_set_or_an_operator_that_is_not_known():
    with pytest.raises(ModelError, match=r"[Oo]pset"):
        treadle.model(network(RELU, opset=999))
    with pytest.raises(ModelError, match="Frobnicate"):
        treadle.model(network("(float[N] x) => (float[N] y) { y = Frobnicate(x) }"))


def test_what_is_said_is_about_the_network_and_not_about_the_runtime_s_own_text(tmp_path):
    path = tmp_path / "net.onnx"
    path.write_bytes(network(RELU, opset=999))
    for source in (path, path.read_bytes(), b"\x08\x63" + network(RELU)[2:], b"hello"):
        with pytest.raises(ModelError) as caught:
            treadle.model(source)
        assert not re.search(r"ONNXRuntimeError|\.(h|cc):\d+|std::", str(caught.value))
    with pytest.raises(CommandFailed, match="requested shape") as failed:
        treadle.model(network(FAILING))(X)
    assert not re.search(r"ONNXRuntimeError|\.(h|cc):\d+|std::", str(failed.value))


@pytest.mark.parametrize(
    "text, said",
    [
        ("(string[N] x) => (string[N] y) { y = Identity(x) }", r"input 'x' is a tensor\(string\)"),
        ("(uint64[N] x) => (uint64[N] y) { y = Identity(x) }", r"tensor\(uint64\).*Cast"),
        (
            "(float[N] x) => (uint64[N] y) { y = Cast <to: int = 13> (x) }",
            r"output 'y' is a tensor\(uint64\).*outputs=",
        ),
    ],
)
def test_ports_that_no_buffer_holds(text, said):
    with pytest.raises(ModelError, match=said):
        treadle.model(network(text))


@pytest.mark.parametrize(
    "given, said",
    [
        (([X, X], {}), r"takes 1 input \(x f32\[N, 3\]\), got 2"),
        (([], {}), "takes 1 input"),
        (([], {"y": X}), "has no input 'y'"),
        (([X], {"x": X}), "'x' is given twice"),
        (([X[0]], {}), r"must be \[N, 3\], got \[3\]; add the batch dimension"),
        (([np.ones((2, 4), np.float32)], {}), r"must be \[N, 3\], got \[2, 4\]"),
        (([X.astype(np.int32)], {}), "x must be f32, got s32; convert it with cast"),
    ],
)
def test_inputs_that_do_not_fit_are_refused_at_submit(given, said):
    model = treadle.model(network(RELU))
    inputs, named = given
    with pytest.raises(LaunchError, match=said):
        model.submit(*inputs, **named)
    assert model(X).shape == (2, 3)


def test_sizes_that_contradict_each_other():
    model = treadle.model(network(TWO))
    with pytest.raises(LaunchError, match="N is 2 in 'a' and 1 in 'b'"):
        model(X, X[:1])


def test_a_batch_that_the_network_fixes():
    model = treadle.model(network("(float[4, 3] x) => (float[4, 3] y) { y = Relu(x) }"))
    with pytest.raises(LaunchError, match="exported for batches of 4"):
        model(X)
    assert model(np.ones((4, 3), np.float32)).shape == (4, 3)


def test_outputs_that_do_not_fit(cpu):
    model = treadle.model(network(RELU))
    with pytest.raises(LaunchError, match=r"output must be f32\[2, 3\], got f32\[3, 3\]"):
        model.submit(X, output=cpu.empty((3, 3)))
    with pytest.raises(LaunchError, match="no output 'z'; it has y"):
        treadle.model(network(RELU), outputs=["z"])


def test_a_failure_when_it_runs_names_the_model_and_its_stage(cpu):
    model = treadle.model(network(FAILING), name="_seven")
    with pytest.raises(CommandFailed, match=r"_seven.*it failed") as caught:
        model(X)
    assert isinstance(caught.value.__cause__, ModelError)
    p = treadle.pipeline()
    y = cpu.empty((2, 7))
    p.add("scalar_mul", [cpu.buffer(X)], scalar=2.0).add(model, [p.last]).add(
        "softmax", [p.last], y
    )
    with pytest.raises(CommandFailed, match=r"stage 2 of 3 \(_seven\)"):
        p.run()
    follower = cpu.submit("relu", [y])
    with pytest.raises(CommandFailed):
        follower.wait()
    model.free()


def test_a_provider_that_is_not_there():
    with pytest.raises(DeviceUnavailable, match=r"CUDAExecutionProvider.*treadle\[models-gpu\]"):
        treadle.model(network(RELU), providers=["cuda"])
    with pytest.raises(DeviceUnavailable, match="no cpuu; did you mean 'cpu'"):
        treadle.model(network(RELU), providers="cpuu")
    with pytest.raises(LaunchError, match="at least one"):
        treadle.model(network(RELU), providers=[])


def test_onnxruntime_that_is_not_there(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(DeviceUnavailable, match=r"pip install 'treadle\[models\]'"):
        treadle.model(network(RELU))


@pytest.mark.parametrize(
    "options, said",
    [
        ({"threads": 0}, "threads: expected a number above 0"),
        ({"precision": "half"}, "precision: expected 'exact', 'fast' or None"),
    ],
)
def test_options_that_are_none(options, said):
    with pytest.raises(LaunchError, match=said):
        treadle.model(network(RELU), **options)


def test_buffers_of_another_device_and_freed_ones(cpu):
    model = treadle.model(network(RELU))
    freed = cpu.buffer(X)
    freed.free()
    with pytest.raises(treadle.BufferFreed):
        model(freed)
    with pytest.raises(LaunchError, match="not on cpu"):
        model(treadle.device("reference").buffer(X))


def test_weights_in_other_files_are_read_from_a_path_and_never_from_bytes(tmp_path, monkeypatch):
    weights = onnx.numpy_helper.from_array(np.full((3, 3), 2.0, np.float32), "w")
    made = onnx.load_from_string(_with_weights())
    made.graph.initializer.append(weights)
    path = tmp_path / "net.onnx"
    onnx.save(made, path, save_as_external_data=True, location="w.bin", size_threshold=0)
    np.testing.assert_array_equal(treadle.model(path)(X).to_numpy(), X @ np.full((3, 3), 2.0))
    monkeypatch.chdir(tmp_path)  # where onnxruntime would look
    with pytest.raises(ModelError, match="weights lie in other files"):
        treadle.model(path.read_bytes())


def _with_weights() -> bytes:
    node = onnx.helper.make_node("MatMul", ["x", "w"], ["y"])
    ports = [
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["N", 3]) for name in "xy"
    ]
    graph = onnx.helper.make_graph([node], "net", ports[:1], ports[1:])
    opset = onnx.helper.make_opsetid("", 17)
    made = onnx.helper.make_model(graph, opset_imports=[opset], ir_version=8)
    return made.SerializeToString()
