from __future__ import annotations

import pytest

from runtime.shared import ready_device


@pytest.fixture
def manual():
    """A device and its ManualBackend, with the shared kernels compiled."""
    device, backend = ready_device()
    yield device, backend
    device.close()
