"""Compute maps inside those that read them, where that pays.

In: a graph of stages. Out: the same graph with fewer nodes. Each value is either computed inside
all who read it, and never stored, or together with one of them, as one more output; else it stays.
Which of these is a question of how often it would be computed and of the bytes that are saved.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from treadle.ir.cost import HEAVY, operations
from treadle.ir.dims import as_size
from treadle.ir.nodes import Assign, Axis, Expr, Kernel, Local, Map, Tensor
from treadle.ir.sizes import as_text
from treadle.passes.fuse.axes import is_elementwise, reshape
from treadle.passes.fuse.graph import Graph, Node, SlotValue, joint_name, joint_params, unify
from treadle.passes.fuse.substitute import inline, reads_of

__all__ = ["inline_all"]

_LARGEST = 600  # operations of one kernel: more compile slowly and gain nothing


def inline_all(graph: Graph, spare: int, tensors: int, *, chains: bool) -> None:
    """Inline what can be; `spare` operations may be computed again to save a trip through memory,
    and a kernel may have as many `tensors`. Before chains are made, what reads a neighbourhood is
    left to them, unless it is read where it was computed: one stage after another over whole rows
    is quicker than both at once over single pixels."""
    # Producers in order: what went into a producer goes with it into its consumer.
    place = 0
    while place < len(graph.nodes):
        node = graph.nodes[place]
        if node.plain and graph.alone(node) and len(node.writes) == 1:
            _Producer(graph, node, spare, tensors, chains).run()
        if graph.nodes[place] is node:
            place += 1


class _Producer:
    """One map, and those who read what it writes."""

    def __init__(self, graph: Graph, node: Node, spare: int, tensors: int, chains: bool) -> None:
        self.graph = graph
        self.node = node
        self.spare = spare
        self.tensors = tensors
        self.chains = chains
        (self.value,) = node.writes

    def run(self) -> None:
        graph, node, value = self.graph, self.node, self.value
        readers = list(value.users)
        made = [(reader, self.inside(reader)) for reader in readers]
        reasons = [found for _, found in made if isinstance(found, str)]
        if readers and not reasons and not value.wanted and self.pays(len(readers)):
            for reader, new in made:
                assert isinstance(new, Node)
                graph.replace([reader], new)
            graph.remove(node)
            where = " and ".join(reader.kernel.name for reader in readers)
            graph.note(node, f"computed inside {where}")
            return
        for reader, new in made:
            both = self.together(reader, new) if isinstance(new, Node) else None
            if both is not None:
                graph.replace([node, reader], both)
                graph.note(node, f"computed together with {reader.kernel.name}, its other output")
                return
        if reasons:
            graph.reasons.update(dict.fromkeys(node.origin, reasons[0]))

    def pays(self, readers: int) -> bool:
        """Whether several readers that each compute the value move no more bytes than before."""
        if readers == 1:
            return True
        kernel = self.node.kernel
        read = sum(_bytes(tensor) for tensor in kernel.inputs)
        stored = _bytes(kernel.outputs[0])
        return operations(kernel) <= self.spare and (readers - 1) * read <= (1 + readers) * stored

    def inside(self, reader: Node) -> Node | str:
        """The reader with the node inside, or why not."""
        graph, node, value = self.graph, self.node, self.value
        name = reader.kernel.name
        if not graph.alone(reader):
            return f"{name} uses buffers that overlap"
        if reader.part != node.part:
            return f"{graph.border(node, reader)} stands before {name}"
        if reader.kernel.routine is not None:
            return f"{name} is a library's routine"
        if not reader.elements:
            return f"{name} computes nothing"
        goes = not value.wanted and len(value.users) == 1
        others = (*graph.between(node, reader), *(() if goes else (node,)))
        written = {graph.place(v) for other in others for v in other.writes}
        if any(graph.place(v) in written for v in node.reads):
            return "its inputs are overwritten before its result is used"
        if not reader.agrees(node):
            return f"the parameters of {name} are set in another way"
        fitted = _fitted(node.kernel, reader.kernel, value.name)
        if fitted is None:
            return f"{name} sees another shape"
        producer, consumer = fitted
        reads = reads_of(consumer, value.name)
        count = reads.count
        if self.chains and reads.places != {_own(producer)} and not is_elementwise(producer):
            return f"{name} reads it elsewhere than where it is computed"
        times = count * reader.elements / node.elements
        cost = operations(producer)
        if self.chains and cost > HEAVY and not is_elementwise(producer):
            return f"{name} is quicker after it than inside it, which needs all registers"
        if times > 1 and (times - 1) * cost > self.spare:
            return f"{name} would compute it {as_text(times, '.0f')} times"
        if count * cost + operations(consumer) > _LARGEST:
            return f"{name} would grow too large"
        producer, made_of = unify(producer, node.reads, {t.name: t for t in consumer.inputs})
        made = inline(consumer, producer, 0)
        if made is None:
            return f"{name} has no room for statements"
        if len(made.inputs) + len(made.outputs) > self.tensors:
            return f"{name} would have too many tensors"
        known = _by_name(producer, made_of) | _by_name(consumer, reader.reads)
        inputs = tuple(known[tensor.name] for tensor in made.inputs)
        if value in inputs:
            return f"{name} reads it under two shapes"
        if not graph.safe(made, inputs, reader.writes):
            return "an input would be overwritten while it is read"
        nodes = [reader, node]
        made = replace(made, name=joint_name([node, reader]), params=joint_params(nodes))
        return reader.joined(node, made, inputs, reader.writes)

    def together(self, reader: Node, new: Node) -> Node | None:
        """The reader with the node inside, and the node's own result as another output."""
        graph, value = self.graph, self.value
        fitted = _fitted(self.node.kernel, reader.kernel, value.name)
        if fitted is None or not isinstance(new.kernel.form, Map):
            return None
        producer, consumer = fitted
        own = {_own(producer)}
        if producer.space != consumer.space or reads_of(consumer, value.name).places != own:
            return None
        place = graph.place(value)
        for other in graph.between(self.node, reader):
            if any(graph.place(v) == place for v in (*other.reads, *other.writes)):
                return None
        kernel = _exposed(new.kernel, producer.outputs[0])
        writes = (*new.writes, value)
        if kernel is None or len(kernel.inputs) + len(kernel.outputs) > self.tensors:
            return None
        if not graph.safe(kernel, new.reads, writes):
            return None
        return replace(new, kernel=kernel, writes=writes)


def _by_name(kernel: Kernel, reads: Sequence[SlotValue]) -> dict[str, SlotValue]:
    return {tensor.name: value for tensor, value in zip(kernel.inputs, reads, strict=True)}


def _own(kernel: Kernel) -> tuple[Expr, ...]:
    """The element's own place."""
    return tuple(Axis(k) for k in range(len(kernel.space)))


def _bytes(tensor: Tensor) -> int:
    return math.prod(as_size(d) for d in tensor.dims) * tensor.dtype.size


def _fitted(producer: Kernel, consumer: Kernel, name: str) -> tuple[Kernel, Kernel] | None:
    """Two kernels that agree on the shape of what one writes and the other reads."""
    wanted = next((t.dims for t in consumer.inputs if t.name == name), None)
    if wanted is None:
        return None
    if wanted == producer.space:
        return producer, consumer
    shaped = reshape(producer, wanted)
    if shaped is not None:
        return shaped, consumer
    shaped = reshape(consumer, producer.space) if wanted == consumer.space else None
    return None if shaped is None else (producer, shaped)


def _exposed(kernel: Kernel, tensor: Tensor) -> Kernel | None:
    """A kernel that computes a tensor's value for itself, with that as one more output."""
    form = kernel.form
    assert isinstance(form, Map)
    for stmt in form.block.body:
        if isinstance(stmt, Assign) and stmt.name == f"value_{tensor.name}_1":
            result = Local(stmt.name, stmt.value.dtype)
            block = replace(form.block, results=(*form.block.results, result))
            return replace(kernel, outputs=(*kernel.outputs, tensor), form=Map(block))
    return None
