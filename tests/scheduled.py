"""Kernels on their way to text, as the runtime takes them: scheduled for a device, then spelt."""

from __future__ import annotations

from treadle.backends.base import Backend, Source
from treadle.codegen.llvm import Rendered, render
from treadle.ir.nodes import Kernel
from treadle.ir.schedule import Execution, Schedule, Target
from treadle.passes.schedule import schedule
from treadle.runtime.scheduling import scheduled


def spelt(backend: Backend, kernel: Kernel) -> Source:
    """Return a kernel's text for a device."""
    return backend.render(scheduled(kernel, backend))


def for_cpu(kernel: Kernel, *, permutes_bytes: bool = False) -> Schedule:
    """Schedule a kernel for a processor."""
    return schedule(kernel, Target(Execution.LOOPS, permutes_bytes=permutes_bytes))


def as_llvm(kernel: Kernel, *, permutes_bytes: bool = False) -> Rendered:
    """Spell a kernel for a processor."""
    return render(for_cpu(kernel, permutes_bytes=permutes_bytes))
