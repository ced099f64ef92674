"""Kernels on their way to text, as the runtime takes them: scheduled for a device, then spelt."""

from __future__ import annotations

from treadle.backends.base import Backend, Source
from treadle.backends.cuda.routines import routine_for
from treadle.backends.webgpu import matmul
from treadle.codegen import cuda, llvm, wgsl
from treadle.codegen.wgsl.chain import LEAST_NEAR
from treadle.ir.nodes import Kernel
from treadle.ir.schedule import Execution, Schedule, Target
from treadle.passes import optimise
from treadle.passes.schedule import schedule
from treadle.passes.uniform import hoist
from treadle.runtime.scheduling import scheduled

HOPPER = 90  # the compute capability that texts for CUDA are spelt for


def best(kernel: Kernel) -> Kernel:
    """Return a kernel as the runtime schedules it: it takes what is uniform as parameters."""
    hoisted = hoist(kernel)
    return optimise(kernel if hoisted is None else hoisted.kernel)


def spelt(backend: Backend, kernel: Kernel) -> Source:
    """Return a kernel's text for a device."""
    return backend.render(scheduled(kernel, backend))


def for_cpu(kernel: Kernel, *, permutes_bytes: bool = False) -> Schedule:
    """Schedule a kernel for a processor."""
    return schedule(kernel, Target(Execution.LOOPS, permutes_bytes=permutes_bytes))


def as_llvm(kernel: Kernel, *, permutes_bytes: bool = False) -> llvm.Rendered:
    """Spell a kernel for a processor."""
    return llvm.render(for_cpu(kernel, permutes_bytes=permutes_bytes))


def as_cuda(kernel: Kernel, *, wide: bool = False, capability: int = HOPPER) -> cuda.Rendered:
    """Spell a kernel for an NVIDIA GPU."""
    routine = routine_for(kernel, capability)
    return cuda.render(schedule(kernel, cuda.target()), wide=wide, routine=routine)


def as_wgsl(
    kernel: Kernel,
    slots: tuple[int, ...] | None = None,
    *,
    near: int = LEAST_NEAR,
    rounds: int = 0,
) -> wgsl.Rendered:
    """Spell a kernel for a WebGPU device."""
    made = schedule(kernel, wgsl.target(near, rounds))
    return wgsl.render(made, slots, rounds=rounds, routine=matmul.routine_for(kernel))
