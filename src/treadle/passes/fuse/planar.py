"""Rows between two stages of a chain, laid out channel after channel where their reader gains.

In: the stages of a chain over plain sizes, of which some only copy pixels. Out: the same stages;
what such a one writes, and no stage outside the chain sees, has its last two axes swapped if all
who read it are heavy stencils. These read each channel at many neighbouring pixels; in one piece
they need not be taken apart, pixel by pixel, for each read.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from typing import TypeVar

from treadle.ir.cost import HEAVY, operations
from treadle.ir.nodes import Axis, Expr, Kernel, Load, Map, Tensor
from treadle.ir.rewrite import rewrite_kernel

__all__ = ["planar"]

T = TypeVar("T")
_CHANNELS = range(2, 5)


def planar(stages: Sequence[Kernel], axis: int, seen: Container[str]) -> tuple[Kernel, ...]:
    """Swap pixels and channels of what is copied for stencils; `axis` counts the chain's rows, and
    `seen` has the names of what others see."""
    made = list(stages)
    for place, stage in enumerate(stages):
        if not _copies(stage) or len(stage.space) < axis + 3:
            continue
        (tensor,) = stage.outputs
        readers = [k for k, other in enumerate(stages) if tensor in other.inputs]
        if tensor.name in seen or not readers or not all(_heavy(stages[k]) for k in readers):
            continue
        made[place] = _turned(made[place])
        for k in readers:
            made[k] = _reading(made[k], tensor)
    return tuple(made)


def _copies(stage: Kernel) -> bool:
    """Whether a stage is a load for each element, of pixels with a few channels."""
    if not isinstance(stage.form, Map) or len(stage.outputs) != 1 or len(stage.space) < 3:
        return False
    block = stage.form.block
    return (
        not block.body
        and isinstance(block.results[0], Load)
        and stage.outputs[0].dims == stage.space
        and stage.space[-1] in _CHANNELS
    )


def _heavy(stage: Kernel) -> bool:
    return isinstance(stage.form, Map) and operations(stage) > HEAVY


def _swapped(items: tuple[T, ...]) -> tuple[T, ...]:
    return (*items[:-2], *items[:-3:-1])


def _turned(stage: Kernel) -> Kernel:
    """A map with the last two axes of its space swapped."""
    last = len(stage.space) - 1
    others = {last: last - 1, last - 1: last}

    def change(node: Expr) -> Expr:
        return Axis(others.get(node.index, node.index)) if isinstance(node, Axis) else node

    (tensor,) = stage.outputs
    return replace(
        rewrite_kernel(stage, change),
        space=_swapped(stage.space),
        outputs=(replace(tensor, dims=_swapped(tensor.dims)),),
    )


def _reading(stage: Kernel, tensor: Tensor) -> Kernel:
    """A map that finds the last two axes of an input swapped."""

    def change(node: Expr) -> Expr:
        if not isinstance(node, Load) or node.tensor != tensor.name:
            return node
        return replace(node, indices=_swapped(node.indices), inside=_swapped(node.inside))

    turned = replace(tensor, dims=_swapped(tensor.dims))
    inputs = tuple(turned if each == tensor else each for each in stage.inputs)
    return replace(rewrite_kernel(stage, change), inputs=inputs)
