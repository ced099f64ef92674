"""A network a second time: loaded when runs are beside each other, and only the same network."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

import treadle
from networks import RELU, network
from treadle.models import session
from treadle.models.beside import Beside

TWICE = RELU.replace("Relu(x)", "Add(x, x)")
X = np.array([[-1.0, 2.0, 3.0], [4.0, -5.0, 6.0]], np.float32)


@pytest.fixture
def loaded():
    """What was loaded, and how that is done."""
    found = []

    def load(data):
        found.append(data)
        return f"session {len(found)}"

    return found, load


def test_it_is_loaded_once_when_it_is_asked_for(loaded):
    found, load = loaded
    beside = Beside(load, network(RELU))
    assert not found
    assert [beside.session() for _ in range(3)] == ["session 1"] * 3
    assert found == [network(RELU)]


def test_a_file_that_changed_is_another_network(loaded, tmp_path):
    found, load = loaded
    path = tmp_path / "net.onnx"
    path.write_bytes(network(RELU))
    same, changed, gone = (Beside(load, str(path)) for _ in range(3))
    assert same.session() == "session 1"
    path.write_bytes(network(RELU) + b"\x12\x00")
    assert changed.session() is None
    path.unlink()
    assert gone.session() is None
    assert len(found) == 1


@pytest.mark.parametrize("becomes", [network(TWICE), None], ids=["another", "gone"])
def test_a_file_that_changes_while_it_is_loaded(becomes, tmp_path, monkeypatch):
    path = tmp_path / "net.onnx"
    path.write_bytes(network(RELU))
    first = session._loaded

    def loaded(*given):
        made = first(*given)
        path.unlink()
        if becomes is not None:
            path.write_bytes(becomes)
        return made

    monkeypatch.setattr(session, "_loaded", loaded)
    monkeypatch.setattr(session, "_cores", lambda: 2)
    with treadle.use_device("cpu"), treadle.model(path) as model:
        alone = model(X).to_numpy()
        model._session._at_work.update({-1: None, -2: None})  # as if other threads had runs
        np.testing.assert_array_equal(model(X).to_numpy(), alone)


def test_weights_in_other_files_may_have_changed(loaded, tmp_path):
    found, load = loaded
    zeros = onnx.numpy_helper.from_array(np.zeros((300, 3), np.float32), "w")
    facts = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [300, 3])
    node = onnx.helper.make_node("Relu", ["w"], ["y"])
    model = onnx.helper.make_model(onnx.helper.make_graph([node], "g", [], [facts], [zeros]))
    path = tmp_path / "net.onnx"
    onnx.save(model, path, save_as_external_data=True, location="w.bin", size_threshold=0)
    assert Beside(load, str(path)).session() is None
    assert not found


def test_large_networks_and_failures_leave_the_first_session_alone(loaded):
    found, load = loaded
    assert Beside(load, bytes((1 << 25) + 1)).session() is None
    assert not found
    tries = []

    def fails(data):
        tries.append(data)
        raise MemoryError

    beside = Beside(fails, network(RELU))
    assert [beside.session() for _ in range(2)] == [None, None]
    assert len(tries) == 1


@pytest.mark.parametrize("threads", [None, 1])
def test_a_run_beside_another_gives_the_same(threads):
    with treadle.use_device("cpu"), treadle.model(network(RELU), threads=threads) as model:
        own = model._session
        alone = model(X).to_numpy()
        others = {-thread: None for thread in range(1, own.threads)}
        own._at_work.update(others)  # as if other threads had runs under way
        beside = model(X).to_numpy()
        if threads is None and others:
            assert own._beside._session is not None
        own._at_work.clear()
        np.testing.assert_array_equal(alone, beside)
        np.testing.assert_array_equal(model(X).to_numpy(), alone)
        if threads is not None:  # the user chose how many
            assert own._beside is None
        assert not own._at_work
