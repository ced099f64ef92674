"""Compiled kernels: pipelines for each pattern of shared memories, and the bind groups they use.

In: rendered text. Out: pipelines, bind groups, argument blocks. Everything is made once and kept,
bind groups in a bounded cache that forgets a buffer when it goes. Only the thread that encodes uses
bind groups; compiling can happen on any.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

from treadle.backends.webgpu.driver import Gpu, says_lost, translate_errors
from treadle.backends.webgpu.memory import MemoryBlock
from treadle.backends.webgpu.routines import routine_for
from treadle.codegen.wgsl import Dispatch, Layout, Rendered, render
from treadle.errors import CompileError, DeviceLost, LaunchError
from treadle.ir.nodes import Kernel

__all__ = ["BESIDE", "BindGroups", "GpuProgram", "Layouts", "Variant"]

BESIDE = 2  # buffers beside the tensors: states between two dispatches, and watched loops
_GROUPS_KEPT = 1024
_SIZES_KEPT = 256


class Layouts:
    """Bind group and pipeline layouts, by which bindings are written."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu
        self._lock = threading.RLock()  # a finalizer may compile, inside it too
        self._made: dict[tuple[bool, ...], tuple[Any, Any, Any]] = {}
        visibility = gpu.wgpu.ShaderStage.COMPUTE
        self._stage = visibility
        # Memory for states between two dispatches, and the number that loops are watched with.
        beside = [
            {"binding": k, "visibility": visibility, "buffer": {"type": "storage"}}
            for k in range(BESIDE)
        ]
        self.beside = gpu.device.create_bind_group_layout(entries=beside)

    def get(self, writable: tuple[bool, ...]) -> tuple[Any, Any, Any]:
        """Return the bind group layout, and pipeline layouts without and with memory beside."""
        with self._lock:
            found = self._made.get(writable)
            if found is None:
                entries = [
                    {
                        "binding": 0,
                        "visibility": self._stage,
                        "buffer": {"type": "uniform", "has_dynamic_offset": True},
                    }
                ]
                entries += [
                    {
                        "binding": k + 1,
                        "visibility": self._stage,
                        "buffer": {"type": "storage" if written else "read-only-storage"},
                    }
                    for k, written in enumerate(writable)
                ]
                device = self._gpu.device
                group = device.create_bind_group_layout(entries=entries)
                plain = device.create_pipeline_layout(bind_group_layouts=[group])
                both = device.create_pipeline_layout(bind_group_layouts=[group, self.beside])
                found = self._made.setdefault(writable, (group, plain, both))
        return found


class Variant:
    """A kernel compiled for one pattern of shared memories."""

    def __init__(self, gpu: Gpu, layouts: Layouts, rendered: Rendered) -> None:
        self.layout: Layout = rendered.layout
        self._gpu = gpu
        name = rendered.layout.kernel.name
        bindings = len(self.layout.writable) + BESIDE * self.layout.beside
        most = gpu.limits["max-storage-buffers-per-shader-stage"]
        if bindings > most:
            raise LaunchError(f"{name} uses {bindings} buffers; this webgpu device binds {most}")
        try:
            self._module = gpu.device.create_shader_module(label=name, code=rendered.text)
        except Exception as error:
            if says_lost(error):
                raise DeviceLost(f"webgpu lost its device before {name} was compiled") from error
            raise CompileError(
                f"{name}: webgpu refused the generated WGSL", source=rendered.text, log=str(error)
            ) from error
        self.group_layout, self._plain, self._both = layouts.get(self.layout.writable)
        self._pipelines: dict[str, Any] = {}
        self._sized: dict[tuple[int, ...], tuple[Dispatch, ...]] = {}

    def pipeline(self, dispatch: Dispatch) -> Any:
        """The pipeline of an entry point."""
        found = self._pipelines.get(dispatch.entry)
        if found is None:
            layout = self._both if self.layout.beside else self._plain
            compute = {"module": self._module, "entry_point": dispatch.entry}
            with translate_errors(f"the pipeline of {self.layout.kernel.name}"):
                found = self._gpu.device.create_compute_pipeline(layout=layout, compute=compute)
            self._pipelines[dispatch.entry] = found
        return found

    def dispatches(self, dims: tuple[int, ...]) -> tuple[Dispatch, ...]:
        """What to dispatch for these sizes, remembered."""
        found = self._sized.get(dims)
        if found is None:
            found = self.layout.dispatches(dims)
            if len(self._sized) >= _SIZES_KEPT:
                self._sized.clear()
            self._sized[dims] = found
        return found


class GpuProgram:
    """A kernel and its variants."""

    def __init__(self, gpu: Gpu, layouts: Layouts, rendered: Rendered) -> None:
        self.kernel: Kernel = rendered.layout.kernel
        self._gpu = gpu
        self._layouts = layouts
        self._schedule, self._rounds = rendered.layout.schedule, rendered.layout.rounds
        first = Variant(gpu, layouts, rendered)
        self._variants = {rendered.layout.slots: first}
        first.pipeline(Dispatch("main", 0, ()))  # most launches need just this one

    def variant(self, slots: tuple[int, ...]) -> Variant:
        """The variant for a pattern, compiled at its first use."""
        found = self._variants.get(slots)
        if found is None:
            routine = routine_for(self.kernel)
            made = render(self._schedule, slots, rounds=self._rounds, routine=routine)
            found = self._variants[slots] = Variant(self._gpu, self._layouts, made)
        return found


class BindGroups:
    """Bind groups by variant and buffers, for as long as the buffers exist."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu
        self._made: dict[tuple[Any, ...], Any] = {}
        self._users: dict[int, set[tuple[Any, ...]]] = {}
        self._gone: deque[int] = deque()

    def forget(self, serial: int) -> None:
        """Drop what uses a block that goes away; may be called on any thread."""
        self._gone.append(serial)

    def settle(self) -> None:
        """Do what forget() noted."""
        while self._gone:
            for key in self._users.pop(self._gone.popleft(), ()):
                self._made.pop(key, None)

    def get(self, variant: Variant, uniform: MemoryBlock, blocks: tuple[MemoryBlock, ...]) -> Any:
        """The bind group for a variant over these blocks."""
        key = (variant, uniform.serial, *[b.serial for b in blocks])
        found = self._made.get(key)
        if found is None:
            if len(self._made) >= _GROUPS_KEPT:
                self._made.clear()
                self._users.clear()
            found = self._made[key] = self._make(variant, uniform, blocks)
            for block in (uniform, *blocks):
                self._users.setdefault(block.serial, set()).add(key)
        return found

    def _make(self, variant: Variant, uniform: MemoryBlock, blocks: tuple[MemoryBlock, ...]) -> Any:
        entries = [_entry(0, uniform, variant.layout.argument_bytes)]
        entries += [_entry(k + 1, block, block.capacity) for k, block in enumerate(blocks)]
        with translate_errors(f"the buffers of {variant.layout.kernel.name}"):
            return self._gpu.device.create_bind_group(layout=variant.group_layout, entries=entries)

    def beside(self, layouts: Layouts, scratch: MemoryBlock, watch: MemoryBlock) -> Any:
        """The bind group for memory beside the tensors."""
        key = ("beside", scratch.serial, watch.serial)
        found = self._made.get(key)
        if found is None:
            entries = [_entry(0, scratch, scratch.capacity), _entry(1, watch, watch.capacity)]
            found = self._gpu.device.create_bind_group(layout=layouts.beside, entries=entries)
            self._made[key] = found
            for block in (scratch, watch):
                self._users.setdefault(block.serial, set()).add(key)
        return found


def _entry(binding: int, block: MemoryBlock, size: int) -> dict[str, Any]:
    resource = {"buffer": block.buffer, "offset": 0, "size": size}
    return {"binding": binding, "resource": resource}
