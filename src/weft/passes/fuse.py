"""Join the stages of a bound pipeline into fewer kernels.

In: a Bound. Out: a Bound with the same inputs and outputs whose stages can be launched in order as
they are. This one joins nothing; it only makes in-place stages safe.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from weft.dtypes import read_as
from weft.ir.bound import Bound, Spec, Stage
from weft.ir.nodes import Axis, Block, Kernel, Load, Map, Tensor
from weft.passes.inplace import elementwise

__all__ = ["Fused", "fuse"]


@dataclass(frozen=True, slots=True)
class Fused:
    """A bound with fewer stages, and what became of the given ones."""

    bound: Bound
    groups: tuple[tuple[int, ...], ...]
    notes: tuple[str, ...]


def fuse(bound: Bound, *, near: int = 0, shared: frozenset[tuple[int, int]] = frozenset()) -> Fused:
    """Return the bound with in-place stages made safe."""
    first = len(bound.inputs) + len(bound.outputs)
    last = first + len(bound.temps)
    specs = (*bound.inputs, *bound.outputs, *bound.temps)
    overlaps = {*shared, *((b, a) for a, b in shared)}
    extra: list[Spec] = []
    stages: list[Stage] = []
    groups: list[tuple[int, ...]] = []
    for number, stage in enumerate(bound.stages):
        safe = elementwise(stage.kernel)
        writes = list(stage.writes)
        after: list[Stage] = []
        for k, slot in enumerate(stage.writes):
            spoilt = any(
                (read == slot and not safe[j]) or (read, slot) in overlaps
                for j, read in enumerate(stage.reads)
            )
            if spoilt and specs[slot].elements:
                extra.append(specs[slot])
                writes[k] = -len(extra)
                after.append(_copy(specs[slot], -len(extra), slot))
        stages += [replace(stage, writes=tuple(writes)), *after]
        groups += [(number,)] * (1 + len(after))

    def settled(slots: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(last - 1 - k if k < 0 else k + len(extra) if k >= last else k for k in slots)

    stages = [replace(s, reads=settled(s.reads), writes=settled(s.writes)) for s in stages]
    made = replace(bound, temps=(*bound.temps, *extra), stages=tuple(stages))
    return Fused(made, tuple(groups), ("on its own",) * len(bound.stages))


def _copy(spec: Spec, source: int, target: int) -> Stage:
    size = spec.elements
    dim = "n0" if size > 4 else size
    block = Block((), (), (Load("x", (Axis(0),), read_as(spec.dtype)),))
    tensors = (Tensor("x", spec.dtype, (dim,)),), (Tensor("out", spec.dtype, (dim,)),)
    kernel = Kernel("copy", (dim,), *tensors, (), Map(block))
    return Stage(kernel, (source,), (target,), (size,) if size > 4 else ())
