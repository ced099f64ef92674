"""A bound's stages as a graph of values, in which fusing is rewriting nodes.

In: a Bound. Out: the same Bound with the nodes that are left, their kernels over symbols again, and
scratch shared by lifetime. Every write of a slot makes a new value, so that who reads what is
plain; where a value lives is its slot. Names are made unique here: a tensor's name is its value's,
locals and parameters carry the number of their stage.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import field, replace
from functools import partial
from itertools import count
from typing import Any

from treadle.data import dataclass
from treadle.dtypes import DType, read_as
from treadle.ir.bound import Bound, Spec, Stage
from treadle.ir.dims import as_size
from treadle.ir.host_call import HostCall
from treadle.ir.nodes import (
    Axis,
    Block,
    Chain,
    For,
    Kernel,
    Load,
    Map,
    Param,
    Tensor,
    While,
    statements,
)
from treadle.ir.repeat import Carried, Loop
from treadle.ir.structures import unique
from treadle.ir.verify import verify
from treadle.passes.fuse.axes import fix_sizes, fold_axes, name_sizes
from treadle.passes.fuse.names import renamed
from treadle.passes.fuse.scratch import share
from treadle.passes.inplace import elementwise

__all__ = ["Graph", "Node", "SlotValue", "joint_name", "joint_params", "unify"]

_NUMBERED = re.compile(r"(?:^(?=s)|(?<=_)(?=v))([sv])([0-9]+)_")


@dataclass(slots=True, eq=False)
class SlotValue:
    """What one stage wrote, or what was there before."""

    number: int
    slot: int
    temp: bool  # scratch: of no interest once it has been read for the last time
    last: bool = True  # the slot's final value, which the user may want to see
    maker: Node | None = None
    users: list[Node] = field(default_factory=list)
    carried: bool = False  # from turn to turn of a loop, or into its first one

    @property
    def name(self) -> str:
        """The name of every tensor that holds it."""
        return f"v{self.number}"

    @property
    def wanted(self) -> bool:
        """Whether it has to be in its slot at the end."""
        return self.maker is not None and (self.carried or (self.last and not self.temp))


@dataclass(slots=True, eq=False)
class Node:
    """A stage, or several fused into one: `stage` is what was given, as long as nothing changed.

    `reads` and `writes` are the values behind the kernel's inputs and outputs, in their order. A
    value that is read under several shapes is there for each of them.
    `settings` has what each of the kernel's parameters is: the number of a launch's value or, where
    `fixed`, the value itself."""

    kernel: Kernel
    reads: tuple[SlotValue, ...]
    writes: tuple[SlotValue, ...]
    settings: dict[str, float]
    fixed: bool
    origin: tuple[int, ...]
    part: int = 0  # how many barriers stand before it
    stage: Stage | None = None

    @property
    def elements(self) -> int:
        """The size of its space."""
        return math.prod(as_size(d) for d in self.kernel.space)

    @property
    def plain(self) -> bool:
        """Whether it is a map that no library's routine does better."""
        form = self.kernel.form
        if not isinstance(form, Map) or not self.elements:
            return False
        loops = any(isinstance(stmt, For | While) for stmt in statements(form.block.body))
        return self.kernel.routine is None or not loops

    def agrees(self, other: Node) -> bool:
        """Whether the parameters of two nodes are set in the same way."""
        return self.fixed == other.fixed or not self.settings or not other.settings

    def joined(
        self,
        other: Node,
        kernel: Kernel,
        reads: tuple[SlotValue, ...],
        writes: tuple[SlotValue, ...],
    ) -> Node:
        """A node that does what this one and another do."""
        settings = self.settings | other.settings
        fixed = self.fixed if self.settings else other.fixed
        origin = tuple(sorted({*self.origin, *other.origin}))
        return Node(kernel, reads, writes, settings, fixed, origin, self.part)


@dataclass(frozen=True, slots=True)
class _Round:
    """A loop: its nodes are those of a few parts, which nothing is fused into or out of."""

    parts: range  # several, where the host calls something inside it
    count: int
    carried: list[tuple[SlotValue, SlotValue, SlotValue]]


def joint_name(nodes: Sequence[Node]) -> str:
    """The name of a kernel that does what all of these do."""
    names = dict.fromkeys(part for node in nodes for part in node.kernel.name.split("+"))
    joined = "+".join(names)
    return joined if len(joined) <= 80 else f"{joined[:77]}..."


def joint_params(nodes: Sequence[Node]) -> tuple[Param, ...]:
    """The parameters of a kernel that does what all of these do."""
    return tuple(dict.fromkeys(param for node in nodes for param in node.kernel.params))


def unify(
    kernel: Kernel, reads: Sequence[SlotValue], known: dict[str, Tensor]
) -> tuple[Kernel, tuple[SlotValue, ...]]:
    """Name a kernel's inputs so that one name is one value under one shape, here and in `known`.

    A buffer may be read under several shapes: each is a tensor of its own. Inputs that are the same
    become one. Adds what the kernel has to `known`; returns also the value of each input."""
    names: dict[str, str] = {}
    inputs: dict[str, Tensor] = {}
    values: dict[str, SlotValue] = {}
    for tensor, value in zip(kernel.inputs, reads, strict=True):
        tries = (f"{value.name}_{k}" if k else value.name for k in count())
        name = next(n for n in tries if known.setdefault(n, tensor).dims == tensor.dims)
        names[tensor.name] = name
        inputs[name] = replace(tensor, name=name)
        values[name] = value
    made = kernel
    if any(old != new for old, new in names.items()):
        made = renamed(kernel, names)
    return replace(made, inputs=tuple(inputs.values())), tuple(values.values())


class Graph:
    """The stages of one bound, being fused."""

    def __init__(
        self, bound: Bound, shared: frozenset[tuple[int, int]], cuts: Sequence[int]
    ) -> None:
        self.bound = bound
        # What is in a loop runs several times: nothing is fused into it or out of it.
        edges = {edge for loop in bound.loops for edge in (loop.first, loop.last)}
        forms = [stage.kernel.form for stage in bound.stages]
        calls = [number for number, form in enumerate(forms) if isinstance(form, HostCall)]
        self.calls = {edge for number in calls for edge in (number, number + 1)}
        self.cuts = sorted({*cuts, *edges, *self.calls})
        self.barriers = set(cuts)
        self.grows: dict[str, float] = {}  # by parameter, of those that do
        self.first_temp = len(bound.inputs) + len(bound.outputs)
        self.first_constant = self.first_temp + len(bound.temps)
        self.overlaps: dict[int, set[int]] = {}
        for a, b in shared:
            self.overlaps.setdefault(a, set()).add(b)
            self.overlaps.setdefault(b, set()).add(a)
        self.values: list[SlotValue] = []
        self.specs: dict[int, Spec] = {}  # of temps that were added, by slot
        self.current: dict[int, SlotValue] = {}
        self.nodes: list[Node] = []
        self.notes: list[dict[str, None]] = [{} for _ in bound.stages]
        # Why a stage was left as it is, the latest.
        self.reasons: dict[int, str] = dict.fromkeys(calls, "the host calls it")
        self.unchained: dict[int, str] = {}  # and why it is not in a chain with the one before
        starts: list[list[SlotValue]] = []
        entered = {loop.first: loop for loop in bound.loops}
        for number, stage in enumerate(bound.stages):
            if number in entered:
                slots = [start for start, _, _ in entered[number].carried]
                starts.append([self._read(slot) for slot in slots])
            self._add(number, stage)
        self.loops = [self._loop(*pair) for pair in zip(bound.loops, starts, strict=True)]
        # A slot's final value is wanted unless it is scratch.
        for value in self.values:
            value.last = self.current.get(value.slot) is value

    # Building

    def _loop(self, loop: Loop, starts: list[SlotValue]) -> _Round:
        """Note which values a loop carries, so that they are in memory."""
        pairs = zip(starts, loop.carried, strict=True)
        trios = [(start, self._read(b), self._read(a)) for start, (_, b, a) in pairs]
        for trio in trios:
            for value in trio:
                value.carried = True
        for node in [start.maker for start in starts if start.maker is not None]:
            self.reasons.update(dict.fromkeys(node.origin, "a loop begins with what it computes"))
        first, last = (sum(cut <= at for cut in self.cuts) for at in (loop.first, loop.last - 1))
        return _Round(range(first, last + 1), loop.count, trios)

    def _value(self, slot: int, maker: Node | None) -> SlotValue:
        temp = self.first_temp <= slot < self.first_constant or slot in self.specs
        value = SlotValue(len(self.values), slot, temp, maker=maker)
        self.values.append(value)
        self.current[slot] = value
        return value

    def _read(self, slot: int) -> SlotValue:
        return self.current.get(slot) or self._value(slot, None)

    def _add(self, number: int, stage: Stage) -> None:
        sizes = dict(zip(stage.kernel.symbols, stage.dims, strict=True))
        kernel = fix_sizes(stage.kernel, sizes)
        clash = self._clashes(stage)
        if clash:
            # Written to the side first: an input shares the output's memory.
            moved = {slot: self._scratch(self._spec(slot)) for slot in clash}
            writes = tuple(moved.get(slot, slot) for slot in stage.writes)
            self._append(number, replace(stage, writes=writes), kernel)
            for slot, aside in moved.items():
                spec = self._spec(slot)
                copy = _copy(spec.dtype, spec.elements)
                named, dims = name_sizes(copy)
                fixed = None if stage.fixed is None else ()
                self._append(number, Stage(named, (aside,), (slot,), dims, (), fixed), copy)
        else:
            self._append(number, stage, kernel)

    def _append(self, number: int, stage: Stage, kernel: Kernel) -> None:
        reads = tuple(self._read(slot) for slot in stage.reads)
        given = stage.picks if stage.fixed is None else stage.fixed
        names = [f"s{number}_{param.name}" for param in kernel.params]
        settings: dict[str, float] = dict(zip(names, given, strict=True))
        if stage.grows:
            self.grows.update(zip(names, stage.grows, strict=True))
        part = sum(cut <= number for cut in self.cuts)
        fixed = stage.fixed is not None
        node = Node(kernel, reads, (), settings, fixed, (number,), part, stage)
        for value in dict.fromkeys(reads):
            value.users.append(node)
        for slot in stage.writes:
            for other in self.overlaps.get(slot, ()):
                self._value(other, node)  # changed under its name; no pass may skip this write
        node.writes = tuple(self._value(slot, node) for slot in stage.writes)
        node.kernel = self._named(node, number)
        self.nodes.append(node)

    def _named(self, node: Node, number: int) -> Kernel:
        """Give tensors the names of their values, and everything else the stage's number."""
        outputs = zip(node.kernel.outputs, node.writes, strict=True)
        names = {tensor.name: value.name for tensor, value in outputs}
        made = renamed(node.kernel, names, f"s{number}_".__add__)
        made, node.reads = unify(made, node.reads, {})
        return made

    def _spec(self, slot: int) -> Spec:
        if slot in self.specs:
            return self.specs[slot]
        bound = self.bound
        return (*bound.inputs, *bound.outputs, *bound.temps)[slot]

    def _scratch(self, spec: Spec) -> int:
        slot = self.first_constant + len(self.bound.constants) + len(self.specs)
        self.specs[slot] = spec
        return slot

    def _clashes(self, stage: Stage) -> list[int]:
        """The slots that a stage must not write in place, because it reads the same memory."""
        safe = elementwise(stage.kernel)
        found = []
        for slot in stage.writes:
            near = self.overlaps.get(slot, set())
            reads = list(zip(stage.reads, safe, strict=True))
            if any(s in near or (s == slot and not fine) for s, fine in reads):
                found.append(slot)
        return found

    # Questions

    def alone(self, node: Node) -> bool:
        """Whether all that a node uses shares no memory with another slot."""
        return not any(value.slot in self.overlaps for value in (*node.reads, *node.writes))

    def between(self, first: Node, second: Node) -> list[Node]:
        """The nodes that run after one and before another."""
        start = self.nodes.index(first)
        return self.nodes[start + 1 : self.nodes.index(second)]

    def border(self, first: Node, second: Node) -> str:
        """What is between the parts of two nodes, in words."""
        between = self.cuts[first.part : second.part]
        if self.barriers.intersection(between):
            return "a barrier"
        return "a call" if self.calls.intersection(between) else "the edge of a loop"

    def safe(self, kernel: Kernel, reads: Sequence[SlotValue], writes: Sequence[SlotValue]) -> bool:
        """Whether a kernel may read and write these at once."""
        places = {self.place(value) for value in writes}
        if len(places) != len(writes):
            return False
        pairs = zip(reads, elementwise(kernel), strict=True)
        return all(fine or self.place(value) not in places for value, fine in pairs)

    @staticmethod
    def place(value: SlotValue) -> tuple[int, int]:
        """What identifies a value's memory: scratch has one for each value."""
        return (value.slot, value.number if value.temp else -1)

    # Changes

    def remove(self, node: Node) -> None:
        """Take a node out."""
        self.nodes.remove(node)
        for value in dict.fromkeys(node.reads):
            value.users.remove(node)

    def replace(self, old: Sequence[Node], new: Node) -> None:
        """Put one node where the last of some was."""
        place = self.nodes.index(old[-1])
        self.nodes[place] = new
        for node in old:
            for value in dict.fromkeys(node.reads):
                value.users.remove(node)
            if node is not old[-1]:
                self.nodes.remove(node)
        for value in dict.fromkeys(new.reads):
            value.users.append(new)
        for value in new.writes:
            value.maker = new

    def drop_dead(self) -> list[Node]:
        """Take out, and return, what computes nothing that a stage or the user reads."""
        used = {value.maker for value in self.values if value.wanted}
        dropped = []
        for node in reversed(list(self.nodes)):
            if node in used or any(value.slot in self.overlaps for value in node.writes):
                continue  # what overlaps may be seen through another slot
            if not any(value.users for value in node.writes):
                self.remove(node)
                dropped.append(node)
        return dropped

    def note(self, node: Node, line: str) -> None:
        """Say what became of a node's stages."""
        for number in node.origin:
            self.notes[number][line] = None

    def remarks(self) -> tuple[str, ...]:
        """A line for each given stage: what became of it, or why nothing did."""
        return tuple(
            "; ".join(lines) or f"on its own: {self._reason(number)}"
            for number, lines in enumerate(self.notes)
        )

    def _reason(self, number: int) -> str:
        found = [why[number] for why in (self.reasons, self.unchained) if number in why]
        return "; ".join(found) or "nothing to fuse with"

    # The result

    def finish(self) -> tuple[Bound, tuple[tuple[int, ...], ...]]:
        """The bound that is left, and which given stages each of its stages does."""
        bound = self.bound
        stages = [self._stage(node) for node in self.nodes]
        specs = dict(enumerate(bound.temps, self.first_temp)) | self.specs
        # Constants keep their place behind the temps, whose number changes.
        temps: dict[SlotValue, Spec] = {}
        for node in self.nodes:
            for value in (*node.writes, *node.reads):
                if value.temp:
                    temps.setdefault(value, specs[value.slot])
        rounds = [(self._range(each), each) for each in self.loops]
        for _, each in rounds:
            slots = [value for trio in each.carried for value in trio if value.temp]
            temps.update({value: specs[value.slot] for value in slots})
        uses = [((*node.writes,), (*node.reads,)) for node in self.nodes]
        for span, each in rounds:
            self._hold(uses, span, each)
        places, kept = share(uses, temps)
        last = self.first_temp + len(kept)

        def slot(value: SlotValue) -> int:
            if value.temp:
                return self.first_temp + places[value]
            if value.slot >= self.first_constant:
                return last + value.slot - self.first_constant
            return value.slot

        def slots_of(trio: tuple[SlotValue, SlotValue, SlotValue]) -> Carried:
            return slot(trio[0]), slot(trio[1]), slot(trio[2])

        made = tuple(
            replace(
                stage,
                reads=tuple(slot(value) for value in self._order(node, stage)),
                writes=tuple(slot(value) for value in node.writes),
            )
            for node, stage in zip(self.nodes, stages, strict=True)
        )
        loops = [
            Loop(span.start, span.stop, each.count, tuple(map(slots_of, each.carried)))
            for span, each in rounds
        ]
        result = replace(bound, temps=tuple(kept), stages=made, loops=tuple(loops))
        return result, tuple(node.origin for node in self.nodes)

    def _range(self, each: _Round) -> range:
        """The nodes of a loop: fusing leaves them together."""
        found = [k for k, node in enumerate(self.nodes) if node.part in each.parts]
        return range(found[0], found[-1] + 1)

    def _hold(self, uses: list[tuple[Any, Any]], span: range, each: _Round) -> None:
        """Have the first and the last step of a loop use all that lives longer than a turn, so that
        nothing else in the loop gets its memory."""
        inside = self.nodes[span.start : span.stop]
        longer = [value for trio in each.carried for value in trio]
        longer += [v for node in inside for v in node.reads if v.maker not in inside]
        for at in (span.start, span.stop - 1):
            uses[at] = (uses[at][0], (*uses[at][1], *longer))

    def _order(self, node: Node, stage: Stage) -> tuple[SlotValue, ...]:
        if node.stage is None:
            return node.reads
        # Unchanged: the stage's own inputs, which may name one value twice.
        by_slot = {value.slot: value for value in node.reads}
        return tuple(by_slot[slot] for slot in node.stage.reads)

    def _stage(self, node: Node) -> Stage:
        if node.stage is not None:
            return node.stage
        tensors = {t.name: f"x{k}" for k, t in enumerate(node.kernel.inputs)}
        tensors |= {t.name: f"y{k}" for k, t in enumerate(node.kernel.outputs)}
        if isinstance(node.kernel.form, Chain):
            inner = [name for name in node.kernel.form.local if name not in tensors]
            tensors |= {name: f"v{k}" for k, name in enumerate(inner)}
        # Stages are counted from the first one in it, so that it is the same kernel wherever in a
        # pipeline they come.
        stages = {str(number): k for k, number in enumerate(sorted({*node.origin}))}
        folded = fold_axes(node.kernel)
        names = [param.name for param in folded.params]
        kernel = renamed(folded, tensors, partial(_counted, stages, {}))
        kernel, dims = name_sizes(kernel)
        verify(kernel)
        kernel = unique(kernel)
        given = tuple(node.settings[name] for name in names)
        grows: tuple[float, ...] = ()
        if any(name in self.grows for name in names):
            grows = tuple(self.grows.get(name, 0) for name in names)
        if node.fixed:
            return Stage(kernel, (), (), dims, (), given, grows)
        return Stage(kernel, (), (), dims, tuple(int(pick) for pick in given), None, grows)


def _counted(stages: dict[str, int], values: dict[str, int], name: str) -> str:
    """A name that has numbers of stages and values in it, with those that they have in a kernel:
    values are counted as they come."""

    def counted(found: re.Match[str]) -> str:
        known = stages if found[1] == "s" else values
        return f"{found[1]}{known.setdefault(found[2], len(known))}_"

    return _NUMBERED.sub(counted, name)


def _copy(dtype: DType, size: int) -> Kernel:
    """The kernel that copies an array."""
    source, target = Tensor("value", dtype, (size,)), Tensor("out", dtype, (size,))
    block = Block((), (), (Load("value", (Axis(0),), read_as(dtype)),))
    return Kernel("copy", (size,), (source,), (target,), (), Map(block))
