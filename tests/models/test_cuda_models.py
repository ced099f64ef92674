"""Models on CUDA, over a stand-in for onnxruntime and a driver that only pretends.

What is checked is what Treadle does: providers and options, addresses, the stream, and that nothing
is waited for between a stage, the network and the next stage.
"""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

import treadle
from pretend_cuda import Runtime, pretended
from treadle.errors import DeviceUnavailable
from treadle.models import session as sessions

X = np.array([[-1.0, 2.0, 3.0]], np.float32)


class Binding:
    """As onnxruntime's IOBinding: notes what is bound."""

    def __init__(self) -> None:
        self.inputs: dict[str, tuple[Any, ...]] = {}
        self.outputs: dict[str, tuple[Any, ...]] = {}

    def bind_input(self, name, *facts):
        self.inputs[name] = facts

    def bind_output(self, name, *facts):
        self.outputs[name] = facts


def array(facts: tuple[Any, ...]) -> np.ndarray:
    """What lies at an address; the pretended GPU's memory is the host's."""
    _, _, dtype, shape, address = facts
    count = int(np.prod(shape))
    raw = (ctypes.c_float * count).from_address(address)
    return np.frombuffer(raw, dtype).reshape(shape)


class StandIn:
    """A session of a network that rectifies, on a GPU."""

    made: ClassVar[list[Any]] = []

    def __init__(self, source, *, sess_options, providers):
        self.providers = providers
        self.options: list[Any] = []
        self.runtime: Runtime | None = None
        StandIn.made.append(self)

    def get_providers(self):
        return [name for name, _ in self.providers]

    def get_inputs(self):
        return [SimpleNamespace(name="x", type="tensor(float)", shape=["N", 3])]

    def get_outputs(self):
        return [SimpleNamespace(name="y", type="tensor(float)", shape=["N", 3])]

    def io_binding(self):
        return Binding()

    def run_with_iobinding(self, binding, options=None):
        (given,), (taken,) = binding.inputs.values(), binding.outputs.values()
        assert given[:2] == taken[:2] == ("cuda", 0)
        self.options.append(options)
        if self.runtime is not None:
            self.runtime.calls.append(("network",))
        array(taken)[...] = np.maximum(array(given), 0)


class Entries:
    """As SessionOptions and RunOptions: keeps what is set."""

    def __init__(self) -> None:
        self.entries: dict[str, str] = {}

    def add_session_config_entry(self, name, value):
        self.entries[name] = value

    add_run_config_entry = add_session_config_entry


def stand_in(*providers: str) -> SimpleNamespace:
    return SimpleNamespace(
        __version__="1.0",
        get_available_providers=lambda: list(providers),
        SessionOptions=Entries,
        RunOptions=Entries,
        InferenceSession=StandIn,
    )


@pytest.fixture
def cuda(monkeypatch, tmp_path):
    made = stand_in("CUDAExecutionProvider", "CPUExecutionProvider")
    monkeypatch.setattr(sessions, "_library", lambda: made)
    StandIn.made.clear()
    device, runtime, _ = pretended(monkeypatch, tmp_path)
    yield device, runtime
    runtime.happen()
    device.close()


def test_the_session_is_given_the_lanes_stream(cuda):
    device, _ = cuda
    model = treadle.model(b"", device=device, precision="exact")
    (name, options), (other, _) = StandIn.made[0].providers
    assert (name, other) == ("CUDAExecutionProvider", "CPUExecutionProvider")
    stream = device.backend.outside_lane().stream
    assert options == {"device_id": 0, "user_compute_stream": str(stream), "use_tf32": "0"}
    assert model.providers == (name, other)


def test_it_runs_over_addresses_and_is_not_waited_for(cuda):
    device, _ = cuda
    model = treadle.model(b"", device=device)
    np.testing.assert_array_equal(model(X).to_numpy(), np.maximum(X, 0))
    (options,) = StandIn.made[0].options
    assert options.entries == {"disable_synchronize_execution_providers": "1"}


def test_between_stages_everything_is_put_on_one_stream_without_waiting(cuda):
    device, runtime = cuda
    model = treadle.model(b"", device=device)
    x, y = device.buffer(X), device.empty(X.shape)
    p = treadle.pipeline(device)
    p.add("scalar_mul", [x], scalar=2.0).add(model, [p.last]).add("softmax", [p.last], y)
    p.run()
    StandIn.made[0].runtime = runtime
    runtime.calls.clear()
    runtime.held = True  # no event happens: what would wait for one would never go on
    command = p.submit()
    while sum(call[0] == "record" for call in runtime.calls) < 3:
        assert not command.done()
    runtime.happen()
    command.wait()
    stream = device.backend.outside_lane().stream
    assert [call[0] for call in runtime.calls] == ["record", "network", "record", "record"]
    assert {call[2] for call in runtime.calls if call[0] == "record"} == {stream}


def test_on_the_cpu_provider_what_it_takes_and_gives_travels(cuda, monkeypatch):
    device, _ = cuda
    monkeypatch.setattr(
        StandIn,
        "run_with_iobinding",
        lambda self, binding, options=None: [
            np.copyto(array(taken), np.maximum(array(given), 0))
            for given, taken in zip(binding.inputs.values(), binding.outputs.values(), strict=True)
        ],
    )
    model = treadle.model(b"", device=device, providers="cpu")
    np.testing.assert_array_equal(model(X).to_numpy(), np.maximum(X, 0))


def test_an_onnxruntime_without_cuda_is_told_and_not_used_instead(cuda, monkeypatch):
    device, _ = cuda
    monkeypatch.setattr(sessions, "_library", lambda: stand_in("CPUExecutionProvider"))
    with pytest.raises(DeviceUnavailable, match=r"no CUDAExecutionProvider.*models-gpu"):
        treadle.model(b"", device=device)
