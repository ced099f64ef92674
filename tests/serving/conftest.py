"""What tests of serving share: one service with a cheap recipe, for a file of tests."""

from __future__ import annotations

import pytest

from served import Served
from treadle.recipes import parse
from treadle.serving import Service, ServiceLimits

MIRROR = '[[stage]]\nkernel = "flip"\n'
LIMITS = ServiceLimits(max_bytes=300_000, max_pixels=40_000)


@pytest.fixture(scope="module")
def served():
    """A service that mirrors photos of at most 0.04 megapixels, in at most 0.3 MB."""
    with Served(Service(parse(MIRROR), device="cpu", limits=LIMITS)) as running:
        yield running


@pytest.fixture
def no_memory_held(served):
    """Afterwards nothing is held for requests, and none is in progress."""
    yield
    served.until("treadle_requests_in_progress", 0)
    served.until("treadle_held_bytes", 0)
