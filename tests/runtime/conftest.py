from __future__ import annotations

import pytest

from runtime.shared import ready_device


@pytest.fixture
def manual():
    """A device and its ManualBackend, with the shared kernels compiled."""
    device, backend = ready_device()
    yield device, backend
    device.close()


@pytest.fixture
def make_manual():
    """Make devices with options; all are closed afterwards."""
    made = []

    def make(**options):
        pair = ready_device(**options)
        made.append(pair[0])
        return pair

    yield make
    for device in made:
        device.close()


@pytest.fixture(params=[True, False], ids=["shared", "apart"])
def apart(request):
    """A manual device whose memory the host sees, and one to which data has to travel."""
    device, backend = ready_device(shared=request.param)
    yield device, backend
    device.close()


@pytest.fixture
def inline(make_manual):
    """A manual device whose launches end before launch returns."""
    return make_manual(inline=True)[0]
