"""Concrete sizes and the shape of elementwise kernels: fix, name, split and merge their axes.

In: kernels. Out: the same kernels over other dimensions. While stages are being fused, dimensions
are plain sizes, so that equal means equal; `name_sizes` turns them into symbols again. A kernel is
elementwise where every input is read at the element's own place, repeated along axes of size 1;
the shape of such a kernel can follow that of its neighbours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from treadle.dtypes import DType
from treadle.ir.affine import reads_own_place
from treadle.ir.dims import LARGEST_CONSTANT, as_size, coalesce, name_of
from treadle.ir.nodes import (
    Axis,
    Chain,
    Const,
    Dim,
    Expr,
    Extent,
    Kernel,
    Load,
    Map,
    Tensor,
    expressions,
)
from treadle.ir.rewrite import rewrite_block, rewrite_kernel

__all__ = ["fix_sizes", "fold_axes", "is_elementwise", "name_sizes", "reshape"]

Sizes = tuple[int, ...]


def fix_sizes(kernel: Kernel, sizes: dict[str, int]) -> Kernel:
    """Replace every symbol by its size."""

    def fixed(dim: Dim) -> Dim:
        return dim if isinstance(dim, int) else sizes[dim]

    def change(node: Expr) -> Expr:
        if isinstance(node, Extent):
            return Extent(fixed(node.dim))
        return replace(node, inside=()) if isinstance(node, Load) and node.inside else node

    return _over(rewrite_kernel(kernel, change), fixed)


def name_sizes(kernel: Kernel) -> tuple[Kernel, Sizes]:
    """Replace sizes by symbols, equal sizes by one; return the sizes of `kernel.symbols` as well.

    Sizes up to LARGEST_CONSTANT stay: batches, channels."""
    names: list[tuple[str, int]] = []

    def named(dim: Dim) -> Dim:
        size = as_size(dim)
        return int(size) if size <= LARGEST_CONSTANT else name_of(size, names)

    def change(node: Expr) -> Expr:
        if not isinstance(node, Extent):
            return node
        # The edge of what was computed inside is no tensor's size any more: it has no symbol.
        size = as_size(node.dim)
        lost = size > LARGEST_CONSTANT and not any(size == known for _, known in names)
        return Const(int(size), DType.S32) if lost else Extent(named(size))

    made = rewrite_kernel(_over(kernel, named), change)
    sizes = dict(names)
    return made, tuple(sizes[symbol] for symbol in made.symbols)


def _over(kernel: Kernel, change: object) -> Kernel:
    """The kernel with every dimension of its tensors and space passed through `change`."""

    def dims(old: tuple[Dim, ...]) -> tuple[Dim, ...]:
        return tuple(change(dim) for dim in old)  # type: ignore[operator]

    def tensors(old: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return tuple(replace(tensor, dims=dims(tensor.dims)) for tensor in old)

    form = kernel.form
    inputs, outputs = tensors(kernel.inputs), tensors(kernel.outputs)
    if isinstance(form, Chain):
        form = replace(form, stages=tuple(_over(stage, change) for stage in form.stages))
    return replace(kernel, space=dims(kernel.space), inputs=inputs, outputs=outputs, form=form)


def is_elementwise(kernel: Kernel) -> bool:
    """Whether every input is read at the element's own place and coordinates serve nothing else."""
    if not isinstance(kernel.form, Map):
        return False
    tensors = {tensor.name: tensor for tensor in kernel.inputs}
    if any(len(tensor.dims) != len(kernel.space) for tensor in kernel.inputs):
        return False  # an input that a sum over nothing does not read may have other axes
    reads = uses = 0
    for node in expressions(kernel.form.block):
        if isinstance(node, Axis):
            uses += 1
        elif isinstance(node, Load):
            if not reads_own_place(node, tensors[node.tensor].dims, kernel.space):
                return False
            reads += sum(isinstance(index, Axis) for index in node.indices)
    return uses == reads


def _rebuilt(kernel: Kernel, dims: dict[str, Sizes], space: Sizes) -> Kernel:
    """An elementwise kernel over another space, its inputs with other dimensions."""
    form = kernel.form
    assert isinstance(form, Map)

    def change(node: Expr) -> Expr:
        if not isinstance(node, Load):
            return node
        indices = tuple(
            Const(0, DType.S32) if dim == 1 and space[axis] != 1 else Axis(axis)
            for axis, dim in enumerate(dims[node.tensor])
        )
        return replace(node, indices=indices, inside=())

    return replace(
        kernel,
        space=space,
        inputs=tuple(replace(t, dims=dims[t.name]) for t in kernel.inputs),
        outputs=tuple(replace(t, dims=space) for t in kernel.outputs),
        form=Map(rewrite_block(form.block, change)),
    )


def fold_axes(kernel: Kernel) -> Kernel:
    """Merge the axes of an elementwise kernel that all inputs walk together."""
    if not is_elementwise(kernel):
        return kernel
    shapes = [tuple(as_size(d) for d in tensor.dims) for tensor in kernel.inputs]
    space = tuple(as_size(d) for d in kernel.space)
    merged, folded, _ = coalesce(shapes, space, [0] * len(space))
    names = [tensor.name for tensor in kernel.inputs]
    return _rebuilt(kernel, dict(zip(names, merged, strict=True)), folded)


def reshape(kernel: Kernel, shape: Sequence[Dim]) -> Kernel | None:
    """Give an elementwise kernel another shape of its space, of as many elements; None where an
    input is repeated along a part of an axis, or the kernel is not elementwise."""
    target = tuple(as_size(d) for d in shape)
    if kernel.space == target:
        return kernel
    if not is_elementwise(kernel) or math.prod(target) != math.prod(map(as_size, kernel.space)):
        return None
    kernel = fold_axes(kernel)
    groups = _groups(tuple(as_size(d) for d in kernel.space), target)
    if groups is None:
        return None
    dims = {
        tensor.name: tuple(
            size if dim == kernel.space[axis] else 1
            for axis, dim in enumerate(tensor.dims)
            for size in groups[axis]
        )
        for tensor in kernel.inputs
    }
    return _rebuilt(kernel, dims, target)


def _groups(space: Sizes, target: Sizes) -> list[Sizes] | None:
    """Cut the target's axes into runs whose products are the space's sizes."""
    found: list[Sizes] = []
    rest = list(target)
    for size in space:
        run: list[int] = []
        while rest and math.prod(run) != size:
            run.append(rest.pop(0))
        if math.prod(run) != size:
            return None
        found.append(tuple(run))
    if any(size != 1 for size in rest):
        return None
    return [*found[:-1], (*found[-1], *rest)] if found else None
