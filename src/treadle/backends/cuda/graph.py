"""Recorded sequences as CUDA graphs, built node by node.

In: steps, as a launch takes them. Out: a Recording that a Replay launches with one call. Edges come
from what the steps read and write, so independent branches run side by side. What changed since the
last run is set in the instantiated graph; where new regions conflict in a way that no edge covers,
the graph is built again. Nothing is captured from a stream, so that what other threads or the
collector do meanwhile cannot matter. CuPy binds none of this; the driver's library is called.
"""

from __future__ import annotations

import contextlib
import ctypes
from ctypes import POINTER, byref, c_int, c_size_t, c_uint, c_void_p
from typing import Any

from treadle.backends.base import Copy, Step
from treadle.backends.cuda.clock import Clock
from treadle.backends.cuda.driver import DriverError, library
from treadle.backends.cuda.memory import Pool
from treadle.backends.cuda.program import BYTE, STARTS, NativeProgram
from treadle.errors import DeviceError
from treadle.ir.nodes import Kernel

__all__ = ["SIGNATURES", "CopyNode", "Graphs", "KernelNode", "Recording", "conflicts"]

_HOST_MEMORY, _DEVICE_MEMORY = 1, 2  # CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE


class KernelNode(ctypes.Structure):
    """CUDA_KERNEL_NODE_PARAMS, version 2; version 1 is its beginning."""

    _fields_ = (
        ("function", c_void_p),
        ("grid", c_uint * 3),
        ("block", c_uint * 3),
        ("shared", c_uint),
        ("arguments", c_void_p),
        ("extra", c_void_p),
        ("kernel", c_void_p),
        ("context", c_void_p),
    )


class _Side(ctypes.Structure):
    _fields_ = (
        ("x", c_size_t),
        ("y", c_size_t),
        ("z", c_size_t),
        ("level", c_size_t),
        ("kind", c_int),
        ("host", c_void_p),
        ("device", c_void_p),
        ("array", c_void_p),
        ("reserved", c_void_p),
        ("pitch", c_size_t),
        ("height", c_size_t),
    )


class CopyNode(ctypes.Structure):
    """CUDA_MEMCPY3D, version 2."""

    _fields_ = (
        ("source", _Side),
        ("target", _Side),
        ("width", c_size_t),
        ("height", c_size_t),
        ("depth", c_size_t),
    )


SIGNATURES: dict[str, tuple[Any, ...]] = {
    "cuGraphCreate": (c_void_p, c_uint),
    "cuGraphDestroy": (c_void_p,),
    "cuGraphAddKernelNode": (c_void_p, c_void_p, c_void_p, c_size_t, c_void_p),
    "cuGraphAddMemcpyNode": (c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p),
    "cuGraphAddEventRecordNode": (c_void_p, c_void_p, c_void_p, c_size_t, c_void_p),
    "cuGraphInstantiateWithFlags": (c_void_p, c_void_p, ctypes.c_ulonglong),
    "cuGraphExecDestroy": (c_void_p,),
    "cuGraphExecKernelNodeSetParams": (c_void_p, c_void_p, c_void_p),
    "cuGraphExecMemcpyNodeSetParams": (c_void_p, c_void_p, c_void_p, c_void_p),
    "cuGraphLaunch": (c_void_p, c_void_p),
    "cuCtxGetCurrent": (POINTER(c_void_p),),
}


class Graphs:
    """The driver's functions for graphs; the context is the thread's current one."""

    def __init__(self, calls: dict[str, Any], device: Any) -> None:
        self._calls = calls
        self._device = device  # CuPy's, which makes it the current one inside a `with`
        # The one call that every run makes, as it is: run an instance behind what is on a stream,
        # and behind its own last run; returns the driver's status.
        self.launch: Any = calls["cuGraphLaunch"]

    @classmethod
    def load(cls, device: Any) -> Graphs | None:
        """Return them; None where the driver has no such library or functions."""
        found = library()
        if found is None:
            return None
        calls: dict[str, Any] = {}
        for name, signature in SIGNATURES.items():
            call = getattr(found, name, None)
            if call is None:
                return None
            call.argtypes, call.restype = signature, c_int
            calls[name] = call
        return cls(calls, device)

    def _call(self, name: str, *arguments: Any) -> None:
        status = self._calls[name](*arguments)
        if status:
            raise DriverError(name, status)

    def create(self) -> int:
        """Return an empty graph."""
        made = c_void_p()
        self._call("cuGraphCreate", byref(made), 0)
        return made.value or 0

    def add_kernel(self, graph: int, after: list[int], node: KernelNode) -> int:
        """Add a launch; its arguments are copied now."""
        made, before = c_void_p(), (c_void_p * len(after))(*after)
        self._call("cuGraphAddKernelNode", byref(made), graph, before, len(after), byref(node))
        return made.value or 0

    def add_call(
        self, graph: int, after: list[int], call: tuple[int, int, int, int, int], arguments: int
    ) -> int:
        """Add a launch as a program has it, with the arguments that are at an address now."""
        return self.add_kernel(graph, after, _kernel(call, arguments))

    def add_copy(self, graph: int, after: list[int], node: CopyNode) -> int:
        """Add a copy between two places on the device."""
        made, before = c_void_p(), (c_void_p * len(after))(*after)
        self._call(
            "cuGraphAddMemcpyNode", byref(made), graph, before, len(after), byref(node),
            self._context(),
        )  # fmt: skip
        return made.value or 0

    def add_event(self, graph: int, after: list[int], event: int) -> int:
        """Add the recording of an event: it happens when those before it are done."""
        made, before = c_void_p(), (c_void_p * len(after))(*after)
        self._call("cuGraphAddEventRecordNode", byref(made), graph, before, len(after), event)
        return made.value or 0

    def _context(self) -> c_void_p:
        current = c_void_p()
        self._call("cuCtxGetCurrent", byref(current))
        return current

    def instantiate(self, graph: int) -> int:
        """Return what can be launched; the graph may be destroyed only after it."""
        made = c_void_p()
        self._call("cuGraphInstantiateWithFlags", byref(made), graph, 0)
        return made.value or 0

    def set_kernel(self, instance: int, node: int, values: KernelNode) -> None:
        """Change a launch, from the next run on."""
        self._call("cuGraphExecKernelNodeSetParams", instance, node, byref(values))

    def set_copy(self, instance: int, node: int, values: CopyNode) -> None:
        """Change a copy, from the next run on."""
        self._call("cuGraphExecMemcpyNodeSetParams", instance, node, byref(values), self._context())

    def destroy(self, graph: int, instance: int) -> None:
        """Release both; the driver keeps what still runs."""
        # The collector may be on a thread where another device, or none, is current.
        with contextlib.suppress(Exception), self._device:
            if instance:
                self._call("cuGraphExecDestroy", instance)
            if graph:
                self._call("cuGraphDestroy", graph)


class _Steps:
    """The nodes of one step: launches one after the other, or one copy."""

    def __init__(self, sized: Any, scratch: Any) -> None:
        self.sized = sized  # None: a copy
        self.scratch = scratch
        self.arguments: Any = None if sized is None else sized.arguments()
        self.nodes: list[tuple[int, Any]] = []


class Recording:
    """A graph of steps, instantiated once and launched many times.

    Every method is called with its device current. Making one needs no lock, because it has
    arguments of its own: a finalizer may come in the middle, and launch the same programs or make
    another. What changes or launches one is called with the backend's lock held."""

    def __init__(
        self,
        graphs: Graphs,
        pool: Pool,
        steps: tuple[Step | Copy, ...],
        lane: int = 0,
        clock: Clock | None = None,
    ) -> None:
        """With a clock, each step stands between two events."""
        self._graph = self._instance = 0
        self._graphs = graphs
        self._pool = pool
        self._clock = clock
        self._twin: Recording | None = None
        self.events = [] if clock is None else [(clock.event(), clock.event()) for _ in steps]
        self.unread = False  # whether its events tell of a run whose times are still to be read
        self._launch: Any = graphs.launch
        self.lane = lane  # always the same: it runs behind its own last run anyway
        self._parts: list[_Steps] = []
        for step in steps:
            sized = step.program.handle.prepare(step.dims) if isinstance(step, Step) else None
            scratch = pool.allocate(sized.scratch) if sized is not None and sized.scratch else None
            self._parts.append(_Steps(sized, scratch))
        self._build(steps)

    @classmethod
    def of(
        cls, graphs: Graphs, pool: Pool, steps: tuple[Step | Copy, ...], lane: int = 0
    ) -> Recording | None:
        """Record steps; None where one of them is not a kernel of ours."""
        for step in steps:
            if isinstance(step, Step) and not isinstance(step.program.handle, NativeProgram):
                return None
        return cls(graphs, pool, steps, lane)

    def __repr__(self) -> str:
        return f"Recording({len(self._parts)} steps)"

    def __del__(self) -> None:
        graphs = getattr(self, "_graphs", None)
        if graphs is not None:
            graphs.destroy(self._graph, self._instance)
            if self._clock is not None:
                self._clock.spare += [event for pair in self.events for event in pair]

    @property
    def seconds(self) -> float:
        """How long it takes, roughly."""
        takes = 0.0
        for step, part in zip(self._steps, self._parts, strict=True):
            takes += STARTS + BYTE * step.nbytes if isinstance(step, Copy) else part.sized.seconds
        return takes

    def timed(self, clock: Clock) -> Recording | None:
        """The same with a time for each step; None where the last times are still to be read."""
        if self._twin is None:
            self._twin = Recording(self._graphs, self._pool, self._steps, self.lane, clock)
        return None if self._twin.unread else self._twin

    def launch(self, steps: tuple[Step | Copy, ...], stream: int) -> None:
        """Run the steps behind what is on a stream."""
        if steps is not self._steps:
            self._change(steps)
        status = self._launch(self._instance, stream)
        if status:
            raise DriverError("cuGraphLaunch", status)

    def _build(self, steps: tuple[Step | Copy, ...]) -> None:
        graphs = self._graphs
        graphs.destroy(self._graph, self._instance)
        self._graph = self._instance = 0
        self._graph = graph = graphs.create()
        before, self._reach = _edges(conflicts(steps))
        ends: list[list[int]] = []  # for each step, the nodes that those behind it wait for
        for step, part, earlier in zip(steps, self._parts, before, strict=True):
            part.nodes.clear()
            after = [node for k in earlier for node in ends[k]]
            if self.events:
                after = [graphs.add_event(graph, after, self.events[len(ends)][0])]
            if isinstance(step, Copy):
                values = _copy(step)
                part.nodes.append((graphs.add_copy(graph, after, values), values))
            else:
                self._pack(step, part)
                for call in part.sized.calls:
                    node = _kernel(call, part.arguments.address)
                    made = graphs.add_kernel(graph, after, node)
                    after = [made]
                    part.nodes.append((made, node))
            # A step that launches nothing passes on what it would have waited for.
            ends.append([part.nodes[-1][0]] if part.nodes else after)
            if self.events:
                graphs.add_event(graph, ends[-1], self.events[len(ends) - 1][1])
        self._instance = graphs.instantiate(graph)
        self._steps = steps

    def _pack(self, step: Step, part: _Steps) -> None:
        scratch = 0 if part.scratch is None else part.scratch.address
        part.sized.pack(step, scratch, part.arguments)

    def _change(self, steps: tuple[Step | Copy, ...]) -> None:
        old = self._steps
        if len(steps) != len(old):
            raise DeviceError(f"a recording of {len(old)} steps was asked to run {len(steps)}")
        moved = False
        for k, (new, was) in enumerate(zip(steps, old, strict=True)):
            if new is was or new == was:
                continue
            if _shape(new) != _shape(was):
                raise DeviceError(f"step {k} of a recording differs in more than places and values")
            moved = moved or _places(new) != _places(was)
        if moved and not self._covered(steps):
            self._build(steps)
            return
        for new, was, part in zip(steps, old, self._parts, strict=True):
            if new is not was and new != was:
                self._set(new, part)
        self._steps = steps

    def _covered(self, steps: tuple[Step | Copy, ...]) -> bool:
        """Whether the graph's edges keep the order that these steps need."""
        return all(
            k in self._reach[j] for j, earlier in enumerate(conflicts(steps)) for k in earlier
        )

    def _set(self, step: Step | Copy, part: _Steps) -> None:
        if isinstance(step, Copy):
            ((node, _),) = part.nodes
            self._graphs.set_copy(self._instance, node, _copy(step))
            return
        self._pack(step, part)
        for node, values in part.nodes:
            self._graphs.set_kernel(self._instance, node, values)


def _shape(step: Step | Copy) -> object:
    if isinstance(step, Copy):
        return step.nbytes
    return step.program, step.dims, len(step.regions), len(step.params)


def _places(step: Step | Copy) -> object:
    return (step.target, step.source) if isinstance(step, Copy) else step.regions


def _kernel(call: tuple[int, int, int, int, int], arguments: int) -> KernelNode:
    function, grid, x, y, shared = call
    node = KernelNode(function=function, shared=shared, arguments=arguments)
    node.grid[:] = grid, 1, 1
    node.block[:] = x, y, 1
    return node


def _copy(step: Copy) -> CopyNode:
    (target, at), (source, start), nbytes = step
    node = CopyNode(width=nbytes, height=1, depth=1)
    _place(node.source, source, start)
    _place(node.target, target, at)
    return node


def _place(side: _Side, memory: Any, offset: int) -> None:
    if memory.host is None:
        side.kind, side.device = _DEVICE_MEMORY, memory.address + offset
    else:
        side.kind, side.host = _HOST_MEMORY, memory.host.ctypes.data + offset


def _ranges(step: Step | Copy) -> list[tuple[int, int, bool]]:
    """The addresses that a step touches: first, behind the last, whether it writes."""
    if isinstance(step, Copy):
        (target, at), (source, start), nbytes = step
        first, second = target.address + at, source.address + start
        return [(first, first + nbytes, True), (second, second + nbytes, False)]
    kernel: Kernel = step.program.kernel
    sizes = dict(zip(kernel.symbols, step.dims, strict=True))
    found = []
    for k, (tensor, (memory, offset)) in enumerate(
        zip((*kernel.outputs, *kernel.inputs), step.regions, strict=True)
    ):
        nbytes = tensor.dtype.size
        for dim in tensor.dims:
            nbytes *= dim if isinstance(dim, int) else sizes[dim]
        start = memory.address + offset
        found.append((start, start + nbytes, k < len(kernel.outputs)))
    return found


def conflicts(steps: tuple[Step | Copy, ...]) -> list[list[int]]:
    """For each step, the earlier ones that write what it touches or touch what it writes.

    Steps of a loop touch the same few ranges again and again: what overlaps is found once for each
    range, not for every two steps."""
    touched = [_ranges(step) for step in steps]
    ranges = {(start, end) for each in touched for start, end, _ in each}
    near = {a: [b for b in ranges if a[0] < b[1] and b[0] < a[1]] for a in ranges}
    users: dict[tuple[int, int], list[int]] = {each: [] for each in ranges}
    writers: dict[tuple[int, int], list[int]] = {each: [] for each in ranges}
    found = []
    for number, each in enumerate(touched):
        earlier: set[int] = set()
        for start, end, writes in each:
            for other in near[start, end]:
                earlier.update((users if writes else writers)[other])
        found.append(sorted(earlier))
        for start, end, writes in each:
            users[start, end].append(number)
            if writes:
                writers[start, end].append(number)
    return found


def _edges(earlier: list[list[int]]) -> tuple[list[list[int]], list[set[int]]]:
    """The edges that are needed, without those that follow from others; and for each step all that
    come before it."""
    before: list[list[int]] = []
    reach: list[set[int]] = []
    for found in earlier:
        seen: set[int] = set()
        direct = []
        for k in reversed(found):
            if k not in seen:
                direct.append(k)
                seen |= {k, *reach[k]}
        before.append(direct)
        reach.append(seen)
    return before, reach
