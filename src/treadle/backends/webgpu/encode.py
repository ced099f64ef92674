"""From steps to a command buffer that the driver cannot refuse.

In: the steps of one launch. Out: one finished command buffer and the memory that it must keep. An
invalid submission would abort the process, so everything is checked here: what a region is and how
far it reaches, sizes, alignment, and that no memory is bound twice. Runs on the submit thread only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from treadle.backends.base import Copy, Draw, Region, Replay, Step
from treadle.backends.webgpu.canvas import ROW_ALIGN, Painter
from treadle.backends.webgpu.clock import Stamp
from treadle.backends.webgpu.driver import Gpu, translate_errors
from treadle.backends.webgpu.memory import GpuMemory, MemoryBlock, Pool
from treadle.backends.webgpu.program import BindGroups, GpuProgram, Layouts, Variant
from treadle.codegen.wgsl import Dispatch, pack
from treadle.dtypes import DType
from treadle.errors import DeviceError, LaunchError
from treadle.ir.nodes import Map, Tensor

__all__ = ["Encoded", "Encoder", "Recording", "Watch"]

_ALIGN = 256  # of dynamic offsets; every device accepts it
_WIDEST = 65535  # workgroups along one dimension
_WORD = 4


class _Work(NamedTuple):
    variant: Variant
    dispatch: Dispatch
    blocks: tuple[MemoryBlock, ...]
    position: int  # of its arguments


class _Move(NamedTuple):
    target: MemoryBlock
    target_offset: int
    source: MemoryBlock
    source_offset: int
    nbytes: int


class _Drawing(NamedTuple):
    """A picture to show, or a canvas to copy from; checked."""

    draw: Draw
    source: MemoryBlock | None
    target: MemoryBlock | None


class _Pass(NamedTuple):
    """Kernels that nothing comes between."""

    work: list[_Work]
    first: bool
    last: bool


def _runs(
    work: Sequence[_Work | _Move | _Drawing], *, ends: bool
) -> Iterator[_Pass | _Move | _Drawing]:
    """Cut work into passes and others; with `ends` it begins and ends with a pass, maybe empty,
    because only a pass can be timed."""
    runs: list[_Move | _Drawing | list[_Work]] = []
    if ends and (not work or not isinstance(work[0], _Work)):
        runs.append([])
    for each in work:
        if not isinstance(each, _Work):
            runs.append(each)
        elif runs and isinstance(runs[-1], list):
            runs[-1].append(each)
        else:
            runs.append([each])
    if ends and not isinstance(runs[-1], list):
        runs.append([])
    for at, run in enumerate(runs):
        yield _Pass(run, at == 0, at == len(runs) - 1) if isinstance(run, list) else run


class Watch(NamedTuple):
    """Where the device writes how many loops it ended, and the kernels that have them."""

    gpu: Gpu
    staging: Any
    kernels: tuple[str, ...]
    rounds: int

    def read(self) -> DeviceError | None:
        """What went wrong, if anything; the staging buffer is mapped."""
        ended = any(bytes(self.gpu.mapped_bytes(self.staging, _WORD)))
        self.gpu.unmap(self.staging)
        if not ended:
            return None
        return DeviceError(
            f"{' or '.join(self.kernels)}: a loop took more rounds than device 'webgpu' runs: its "
            f"driver ends the loops of an element after {self.rounds:,} rounds in all "
            "(limits.rounds); use another device, or loops that sizes bound"
        )


class Encoded(NamedTuple):
    """A launch as the driver takes it."""

    commands: Any  # a command buffer; None: nothing to do
    keep: list[Any]  # what must live until it has run
    watch: Watch | None = None  # what to look at then, if the device may end loops in it
    shown: Sequence[Any] = ()  # canvases that show what was drawn, once it is submitted


class Recording:
    """What was planned for the steps of a Replay, for when the same come again."""

    __slots__ = ("memories", "plan", "steps")

    def __init__(self) -> None:
        self.steps: object = None
        self.plan: _Plan | None = None
        self.memories: tuple[GpuMemory, ...] = ()


class Encoder:
    """Turns launches of one device into command buffers."""

    def __init__(
        self, gpu: Gpu, pool: Pool, layouts: Layouts, groups: BindGroups,
        copier: Callable[[], GpuProgram],
    ) -> None:  # fmt: skip
        self._gpu = gpu
        self._painter = Painter(gpu)
        self._pool = pool
        self._layouts = layouts
        self._groups = groups
        self._copier = copier  # makes the program that copies single bytes
        self._uniform = self._make_uniform(1 << 16)
        self._written: object = None  # the arguments that are in the uniform buffer
        self._scratch: GpuMemory | None = None
        self._watch = MemoryBlock(gpu.buffer(_WORD, "STORAGE", "COPY_DST", "COPY_SRC"), _WORD)

    def _make_uniform(self, nbytes: int) -> MemoryBlock:
        return MemoryBlock(self._gpu.buffer(nbytes, "UNIFORM", "COPY_DST"), nbytes)

    def encode(
        self, steps: Sequence[Step | Copy | Replay | Draw], stamp: Stamp | None = None
    ) -> Encoded:
        """Return a launch as a command buffer, with what belongs to it.

        With a stamp there is always something to do: to write down when it was done."""
        self._groups.settle()
        first = steps[0] if steps else None
        if isinstance(first, Replay):
            plan = self._replayed(first.recording, first.steps)
        else:
            plan = self._planned(steps)
        if not plan.work and stamp is None:
            return Encoded(None, plan.keep)
        return self._record(plan, stamp)

    def _replayed(self, recording: Recording, steps: Sequence[Step | Copy]) -> _Plan:
        """What a replay does; planned already, where nothing changed since the last."""
        plan = recording.plan
        if plan is not None and recording.steps is steps:
            for memory in recording.memories:
                memory.usable()
            return plan
        plan = self._planned(steps)
        if not plan.keep:  # else it has memory of its own, for this launch only
            recording.steps, recording.plan = steps, plan
            recording.memories = tuple(plan.memories.values())
        return plan

    def _planned(self, steps: Sequence[Any]) -> _Plan:
        plan = _Plan(self._pool, self._copier)
        for number, step in enumerate(steps):
            try:
                if isinstance(step, Copy):
                    plan.copy(step.target, step.source, step.nbytes)
                elif isinstance(step, Draw):
                    plan.draw(step, self._gpu)
                else:
                    plan.step(step)
            except Exception as error:
                error.step = number  # type: ignore[attr-defined]  # names the stage that failed
                raise
        return plan

    def _record(self, plan: _Plan, stamp: Stamp | None) -> Encoded:
        if plan.arguments and plan.arguments is not self._written:
            self._written = None
            if len(plan.arguments) > self._uniform.capacity:
                self._groups.forget(self._uniform.serial)
                self._groups.settle()
                self._uniform = self._make_uniform(len(plan.arguments) * 2)
            self._gpu.write(self._uniform.buffer, 0, plan.arguments)
            self._written = plan.arguments
        keep = [*plan.keep, *self._grown(plan)]
        watch = self._watched(plan)
        with translate_errors("the encoding of a launch"):
            encoder = self._gpu.device.create_command_encoder()
            if watch is not None:
                encoder.clear_buffer(self._watch.buffer)
            for run in _runs(plan.work, ends=stamp is not None):
                if isinstance(run, _Move):
                    encoder.copy_buffer_to_buffer(
                        run.source.buffer, run.source_offset,
                        run.target.buffer, run.target_offset, run.nbytes,
                    )  # fmt: skip
                    continue
                if isinstance(run, _Drawing):
                    self._paint(encoder, run)
                    continue
                writes = stamp and stamp.writes(begin=run.first, end=run.last)
                compute = encoder.begin_compute_pass(timestamp_writes=writes)
                for each in run.work:
                    self._dispatch(compute, each)
                compute.end()
            if stamp is not None:
                stamp.resolve(encoder)
            if watch is not None:
                encoder.copy_buffer_to_buffer(self._watch.buffer, 0, watch.staging, 0, _WORD)
            return Encoded(encoder.finish(), keep, watch, plan.shown)

    def _paint(self, encoder: Any, work: _Drawing) -> None:
        canvas, view = work.draw.canvas, work.draw.view
        assert view is not None
        if work.source is not None and work.draw.source is not None:
            self._painter.draw(encoder, canvas, view, work.source, work.draw.source.offset)
        if work.target is not None and work.draw.target is not None:
            place = (work.target.buffer, work.draw.target.offset)
            self._painter.copy(encoder, canvas, view.size, place)

    def _watched(self, plan: _Plan) -> Watch | None:
        """A place for the host to look at, if the device may end loops."""
        work = [w for w in plan.work if isinstance(w, _Work) and w.dispatch.watch]
        if not work:
            return None
        names = dict.fromkeys(w.variant.layout.kernel.name for w in work)
        rounds = work[0].variant.layout.rounds
        return Watch(
            self._gpu, self._gpu.buffer(_WORD, "MAP_READ", "COPY_DST"), tuple(names), rounds
        )

    def _grown(self, plan: _Plan) -> list[GpuMemory]:
        """The scratch that all launches share, if this one needs it: as large as it has to be."""
        work = [w for w in plan.work if isinstance(w, _Work) and w.variant.layout.beside]
        if not work:
            return []
        needed = max(_ALIGN, *(w.dispatch.scratch for w in work))
        if self._scratch is None or self._scratch.capacity < needed:
            self._scratch = self._pool.allocate(needed)
        return [self._scratch]

    def _dispatch(self, compute: Any, work: _Work) -> None:
        variant, dispatch = work.variant, work.dispatch
        compute.set_pipeline(variant.pipeline(dispatch))
        group = self._groups.get(variant, self._uniform, work.blocks)
        compute.set_bind_group(0, group, [work.position])
        if variant.layout.beside:
            assert self._scratch is not None
            beside = self._groups.beside(self._layouts, self._scratch.block, self._watch)
            compute.set_bind_group(1, beside)
        across = min(dispatch.groups, _WIDEST)
        compute.dispatch_workgroups(across, -(-dispatch.groups // across))


class _Plan:
    """What one launch does, checked, before anything is recorded."""

    def __init__(self, pool: Pool, copier: Callable[[], GpuProgram]) -> None:
        self._pool = pool
        self._copier = copier
        self.work: list[_Work | _Move | _Drawing] = []
        self.shown: list[Any] = []  # canvases
        self.arguments = bytearray()
        self.keep: list[Any] = []
        self.memories: dict[int, GpuMemory] = {}  # that the steps use, by identity

    def aside(self, nbytes: int) -> Region:
        """Memory for this launch only."""
        memory = self._pool.allocate(nbytes)
        self.keep.append(memory)
        return Region(memory, 0)

    def check(self, region: Region, nbytes: int, align: int) -> GpuMemory:
        """Refuse what is not a piece of this device's memory."""
        memory, offset = region
        if not isinstance(memory, GpuMemory) or memory.owner is not self._pool:
            raise LaunchError(f"webgpu cannot use {memory!r}: it is not this device's memory")
        if offset < 0 or offset % align or offset + nbytes > memory.capacity:
            raise LaunchError(
                f"webgpu: {nbytes} bytes at {offset} are not inside {memory!r}, or not aligned "
                f"to {align}"
            )
        memory.usable()
        self.memories[id(memory)] = memory
        return memory

    # Copies

    def copy(self, target: Region, source: Region, nbytes: int) -> None:
        """Copy bytes: by the driver where whole words move, else by a kernel."""
        if nbytes <= 0:
            return
        to = self.check(target, nbytes, 1)
        of = self.check(source, nbytes, 1)
        size = nbytes
        if nbytes % 4 and target.offset + nbytes == to.nbytes:
            size = -(-nbytes // 4) * 4  # what follows in the target is padding
        words = not (target.offset % 4 or source.offset % 4 or size % 4)
        if words and to is not of and source.offset + size <= of.capacity:
            self.work.append(_Move(to.block, target.offset, of.block, source.offset, size))
            return
        self._kernel(self._copier(), [target, source], (nbytes,), ())

    # Pictures

    def draw(self, draw: Draw, gpu: Gpu) -> None:
        """Plan to show a picture, to copy what is shown, or to let go of a canvas."""
        canvas, view = draw.canvas, draw.view
        if view is None:
            canvas.close()
            return
        source = target = None
        rows, columns, channels = view.picture
        if draw.source is not None:
            nbytes = rows * columns * channels * view.dtype.size
            source = self.check(draw.source, nbytes, view.dtype.size).block
        if draw.target is not None:
            pitch = -(-view.size[0] * 4 // ROW_ALIGN) * ROW_ALIGN
            target = self.check(draw.target, pitch * view.size[1], 4).block
        if canvas.begin(gpu, view.size):
            self.work.append(_Drawing(draw, source, target))
            self.shown.append(canvas)

    # Kernels

    def step(self, step: Step) -> None:
        """Plan one kernel, with copies around it where memory cannot be bound as it is."""
        program: GpuProgram = step.program.handle
        kernel = program.kernel
        sizes = dict(zip(kernel.symbols, step.dims, strict=True))
        tensors = (*kernel.outputs, *kernel.inputs)
        regions = list(step.regions)
        lengths = [_bytes(t, sizes) for t in tensors]
        if not all(lengths[: len(kernel.outputs)]):
            return
        for tensor, region, nbytes in zip(tensors, regions, lengths, strict=True):
            self.check(region, nbytes, tensor.dtype.size)
        after = self._separate(program, tensors, regions, lengths)
        self._kernel(program, regions, step.dims, step.params)
        for target, source, nbytes in after:
            self.copy(target, source, nbytes)

    def _separate(
        self, program: GpuProgram, tensors: Sequence[Tensor], regions: list[Region],
        lengths: Sequence[int],
    ) -> list[tuple[Region, Region, int]]:  # fmt: skip
        """Move aside what cannot share a binding; return the copies to make afterwards."""
        after = []
        count = len(program.kernel.outputs)
        by_words = isinstance(program.kernel.form, Map)
        seen: dict[int, DType] = {}
        phase: int | None = None
        for k, tensor in enumerate(tensors):
            memory, offset = regions[k]
            known = seen.get(id(memory))
            apart = known is not None and known is not tensor.dtype
            if k < count and by_words and tensor.dtype.size < 4:
                # Invocations write whole words: two outputs must lie equally and not meet in one.
                apart = apart or known is not None or (phase is not None and phase != offset % 4)
                phase = offset % 4 if phase is None else phase
            if apart:
                original = regions[k]
                pad = phase if k < count and phase else 0
                regions[k] = self.aside(lengths[k] + pad)._replace(offset=pad)
                if k < count:
                    after.append((original, regions[k], lengths[k]))
                elif lengths[k]:
                    self.copy(regions[k], original, lengths[k])
            seen.setdefault(id(regions[k].memory), tensor.dtype)
        return after

    def _kernel(
        self, program: GpuProgram, regions: Sequence[Region], dims: tuple[int, ...],
        params: Sequence[float],
    ) -> None:  # fmt: skip
        kernel = program.kernel
        tensors = (*kernel.outputs, *kernel.inputs)
        numbers: dict[int, int] = {}
        blocks: list[MemoryBlock] = []
        slots = []
        for memory, _ in regions:
            slot = numbers.setdefault(id(memory), len(blocks))
            if slot == len(blocks):
                blocks.append(memory.block)
            slots.append(slot)
        variant = program.variant(tuple(slots))
        offsets = [r.offset // t.dtype.size for r, t in zip(regions, tensors, strict=True)]
        for dispatch in variant.dispatches(dims):
            if not 0 < dispatch.groups <= _WIDEST * _WIDEST:
                raise LaunchError(f"{kernel.name} needs {dispatch.groups} workgroups")
            values = {
                "param": params, "dim": dims, "offset": offsets,
                "geometry": (*dispatch.geometry, int(dispatch.watch)),
            }  # fmt: skip
            position = len(self.arguments)
            block = pack(variant.layout, values)
            self.arguments += block.ljust(-(-len(block) // _ALIGN) * _ALIGN, b"\0")
            self.work.append(_Work(variant, dispatch, tuple(blocks), position))


def _bytes(tensor: Tensor, sizes: dict[str, int]) -> int:
    return tensor.dtype.size * math.prod(d if isinstance(d, int) else sizes[d] for d in tensor.dims)
