"""A pretended GPU on which brief launches may be made."""

from __future__ import annotations

import pytest

import pretend_cuda
import treadle

PATIENCE = 10.0


@pytest.fixture
def cuda(monkeypatch, tmp_path):
    device, runtime, library = pretend_cuda.pretended(monkeypatch, tmp_path)
    yield device, runtime, library
    runtime.happen()
    device.close()


@pytest.fixture
def ready(cuda):
    """A device, its runtime, and buffers; what the tests launch is compiled."""
    device, runtime, _ = cuda
    a, b, c = (device.empty(1000) for _ in range(3))
    device.run_kernel("relu", [a], b)
    device.run_kernel("add", [a, b], c)
    prepared = treadle.prepare("relu", [a], b)
    for _ in range(3):
        prepared.run()
    device.synchronize(PATIENCE)
    runtime.calls.clear()
    runtime.held = True
    return device, runtime, (a, b, c), prepared
