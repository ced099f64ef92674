"""Kernels on their way to text, as the runtime takes them: scheduled for a device, then spelt."""

from __future__ import annotations

from treadle.backends.base import Backend, Source
from treadle.ir.nodes import Kernel
from treadle.passes.schedule import schedule


def spelt(backend: Backend, kernel: Kernel) -> Source:
    """Return a kernel's text for a device."""
    return backend.render(schedule(kernel, backend.target))
