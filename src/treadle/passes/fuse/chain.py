"""Make chains of maps that follow each other and read neighbourhoods.

In: a graph of stages and a device's fast memory. Out: the same graph, runs of maps replaced by one
Chain each. A chain needs rows: an axis along which everything inside is read at a constant
distance, with enough elements behind it, and few enough rows to keep or to compute twice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from treadle.data import dataclass
from treadle.ir.dims import as_size
from treadle.ir.nodes import Chain, Dim, Kernel, Reach, Span, Tensor
from treadle.passes.fuse.axes import reshape
from treadle.passes.fuse.graph import Graph, Node, SlotValue, joint_name, joint_params, unify
from treadle.passes.fuse.planar import planar
from treadle.passes.fuse.reach import reach

__all__ = ["chain_all"]

_LONGEST = 12  # stages
_MOST_ROWS = 64  # that may be computed again at the border of a band
_SHORTEST_ROW = 64  # elements: less is not worth a row's overhead


@dataclass(frozen=True, slots=True)
class _Room:
    """What a device has: bytes for rows, tensors of a kernel, and its own judgement, if any."""

    near: int
    tensors: int
    fits: Callable[[Kernel], bool] | None


Reaches = tuple[tuple[Reach | None, ...], ...]


def chain_all(
    graph: Graph, near: int, tensors: int, fits: Callable[[Kernel], bool] | None = None
) -> None:
    """Replace runs of maps by chains whose intermediates fit: rows of them into `near` bytes, or as
    `fits` says."""
    room = _Room(near, tensors, fits)
    group: list[Node] = []
    for node in [*graph.nodes, None]:
        if node is not None and node.plain and graph.alone(node):
            made = _build(graph, [*group, node], room) if group else None
            if isinstance(made, Node):
                group.append(node)
                continue
            _explain(graph, group, node, made)
            _close(graph, group, room)
            group = [node]
        else:
            _close(graph, group, room)
            group = []


def _explain(graph: Graph, group: list[Node], node: Node, reason: str | None) -> None:
    """Note why a stage is not in a chain with those whose results it reads."""
    read = [other.kernel.name for other in group if set(other.writes) & set(node.reads)]
    if reason is not None and read:
        line = f"no chain with {', '.join(read)}: {reason}"
        graph.unchained.update(dict.fromkeys(node.origin, line))


def _close(graph: Graph, group: list[Node], room: _Room) -> None:
    chain = _build(graph, group, room) if len(group) > 1 else None
    if not isinstance(chain, Node):
        return
    graph.replace(group, chain)
    for node in group:
        others = ", ".join(other.kernel.name for other in group if other is not node)
        kept = "rows" if room.fits is None else "tiles"
        graph.note(node, f"in a chain, {kept} kept near, with {others}")
        if node.origin[0] in graph.unchained:  # with what came before this one
            graph.note(node, graph.unchained[node.origin[0]])


def _build(graph: Graph, group: list[Node], room: _Room) -> Node | str:
    """The chain of some nodes, or why they do not make one."""
    first = group[0]
    if len(group) > _LONGEST:
        return f"a chain has at most {_LONGEST} stages"
    if first.part != group[-1].part:
        return f"{graph.border(first, group[-1])} is between them"
    if not all(a.agrees(b) for a in group for b in group):
        return "their parameters are set in different ways"
    shaped = _shaped([node.kernel for node in group])
    if shaped is None:
        return "it does not read around its own place"
    stages, values = _named(group, shaped)
    spans = _spans(stages)
    if spans is None:
        return "it does not read around its own place"
    axis = next((a for a in _axes(spans) if _worth(stages, spans, a, room)), None)
    if axis is None:
        return "rows are too short, or too many to keep near"
    made = {tensor.name for stage in stages for tensor in stage.outputs}
    inputs = {t.name: t for stage in stages for t in stage.inputs if t.name not in made}
    if any(values[name].name in made for name in inputs):
        return "what is between them is read under two shapes"
    outputs = [
        tensor
        for node, stage in zip(group, stages, strict=True)
        for tensor, value in zip(stage.outputs, node.writes, strict=True)
        if value.wanted or not set(group).issuperset(value.users)
    ]
    if len(inputs) + len(outputs) > room.tensors or not outputs:
        return f"a kernel has at most {room.tensors} buffers here"
    if room.fits is None:  # tiles have layouts of their own
        stages = planar(stages, axis, {tensor.name for tensor in outputs})
        spans = _spans(stages)
        assert spans is not None
    form = Chain(stages, axis, spans)
    space, given, results = stages[-1].space, tuple(inputs.values()), tuple(outputs)
    kernel = Kernel(joint_name(group), space, given, results, joint_params(group), form)
    reads = tuple(values[name] for name in inputs)
    writes = tuple(values[tensor.name] for tensor in outputs)
    if not graph.safe(kernel, reads, writes):
        return "one writes what another still reads"
    if room.fits and not room.fits(kernel):
        return "tiles with what is read around them do not fit the device's near memory"
    chain = group[0]
    for node in group[1:]:
        chain = chain.joined(node, kernel, reads, writes)
    return chain


def _named(
    group: Sequence[Node], stages: Sequence[Kernel]
) -> tuple[tuple[Kernel, ...], dict[str, SlotValue]]:
    """Stages in which one name is one value under one shape, and the value of every name."""
    known: dict[str, Tensor] = {}
    values: dict[str, SlotValue] = {}
    done: list[Kernel] = []
    for node, stage in zip(group, stages, strict=True):
        stage, reads = unify(stage, node.reads, known)
        known |= {tensor.name: tensor for tensor in stage.outputs}
        pairs = zip((*stage.inputs, *stage.outputs), (*reads, *node.writes), strict=True)
        values |= {tensor.name: value for tensor, value in pairs}
        done.append(stage)
    return tuple(done), values


def _spans(stages: Sequence[Kernel]) -> Reaches | None:
    """Where each stage reads what earlier ones wrote; None if one reads none of
    that, or it is not known where."""
    made: set[str] = set()
    found: list[tuple[Reach | None, ...]] = []
    for stage in stages:
        spans = tuple(reach(stage, t.name) if t.name in made else None for t in stage.inputs)
        inside = sum(t.name in made for t in stage.inputs)
        if (made and not inside) or sum(span is not None for span in spans) != inside:
            return None
        found.append(spans)
        made.update(tensor.name for tensor in stage.outputs)
    return tuple(found)


def _axes(spans: Reaches) -> list[int]:
    """The axes that a chain could walk along, the innermost first: everything is read at a constant
    distance along it, and at the element's own coordinates before it."""
    inside = [places for stage in spans for places in stage if places is not None]
    found: list[int] = []
    for axis in range(min((len(places) for places in inside), default=0)):
        near = [places[axis] for places in inside]
        if all(span is not None and span.axis == axis for span in near):
            found.insert(0, axis)
        if any(span != Span(axis, 0, 0) for span in near):
            break
    return found


def _worth(stages: Sequence[Kernel], spans: Reaches, axis: int, room: _Room) -> bool:
    """Whether rows are long enough, fit the fast memory, and few are computed twice."""
    shared = stages[0].space[: axis + 1]
    if any(stage.space[: axis + 1] != shared for stage in stages):
        return False
    again = size = 0
    for stage, found in zip(stages, spans, strict=True):
        if _row(stage.space, axis) < _SHORTEST_ROW:
            return False
        for tensor, places in zip(stage.inputs, found, strict=True):
            span = None if places is None else places[axis]
            if span is not None:
                again += span.high - span.low
                size += (span.high - span.low + 2) * _row(tensor.dims, axis) * tensor.dtype.size
    return again <= _MOST_ROWS and (size <= room.near or room.fits is not None)


def _row(dims: Sequence[int | str], axis: int) -> int:
    return math.prod(as_size(d) for d in dims[axis + 1 :])


def _shaped(kernels: Sequence[Kernel]) -> tuple[Kernel, ...] | None:
    """Kernels that agree on the shapes of what passes between them: the later follow the earlier,
    or, once, the first takes the shape that the second wants."""
    found = _following(kernels)
    if isinstance(found, tuple):
        return found
    shaped = None if found.place != 1 else reshape(kernels[0], found.dims)
    again = None if shaped is None else _following([shaped, *kernels[1:]])
    return again if isinstance(again, tuple) else None


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The dimensions in which the kernel at a place wants what an earlier one wrote in others."""

    place: int
    dims: tuple[Dim, ...]


def _following(kernels: Sequence[Kernel]) -> tuple[Kernel, ...] | _Wanted:
    """Kernels in the shapes in which earlier ones write what they read, or what one wants that
    cannot follow."""
    made: list[Kernel] = []
    for place, kernel in enumerate(kernels):
        done = kernel
        for tensor in [t for earlier in made for t in earlier.outputs]:
            wanted = next((t.dims for t in done.inputs if t.name == tensor.name), None)
            if wanted is None or wanted == tensor.dims:
                continue
            shaped = reshape(done, tensor.dims) if wanted == done.space else None
            if shaped is None:
                return _Wanted(place, wanted)
            done = shaped
        made.append(done)
    return tuple(made)
