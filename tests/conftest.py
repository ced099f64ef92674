"""The `device` fixture: every backend in turn.

An absent one is skipped with the reason; TREADLE_REQUIRE=cpu,webgpu turns absence into failure.
"""

from __future__ import annotations

import gc
import os

import pytest

import treadle
from treadle.runtime import shares
from treadle.runtime.device import BACKENDS

REQUIRED = {name for name in os.environ.get("TREADLE_REQUIRE", "").split(",") if name}


@pytest.fixture(autouse=True, scope="module")
def only_own_garbage():
    """Keep the collector off what earlier files left: tests of leaks collect often."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def no_submitter():
    """Forget that a test named submitters: later ones run as in a process where nobody did."""
    yield
    shares.used = False


@pytest.fixture(params=sorted(BACKENDS | dict.fromkeys(REQUIRED)))
def device(request):
    """Every backend's device, in use as the default one."""
    try:
        found = treadle.device(request.param)
    except treadle.DeviceUnavailable as error:
        if request.param in REQUIRED:
            pytest.fail(f"{request.param} is required: {error}")
        pytest.skip(str(error))
    with treadle.use_device(found):
        yield found
    found.synchronize()
