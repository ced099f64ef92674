"""Maps that halve a coordinate, as chroma of half the size does, two elements at a time.

In: a block with `x // 2` or `x % 2` along the inner axis. Out: the block for even and for odd
elements, over an axis that counts pairs. What was a scattered read at x // 2 is then one at the
pair's own index, which can be vectorised.
"""

from __future__ import annotations

from dataclasses import replace

from treadle.dtypes import DType
from treadle.ir.affine import Indexer
from treadle.ir.nodes import Axis, Block, Const, Dim, Expr, Kernel, Load, Op, expressions, walk
from treadle.ir.rewrite import rewrite_block

__all__ = ["halved"]

_TWO = Const(2, DType.S32)


def halved(kernel: Kernel, block: Block, axis: int) -> tuple[Block, Block] | None:
    """The block of even and that of odd elements, with `axis` counting pairs, if the block halves
    that axis and all its reads along it then need no clamp."""
    if not any(
        isinstance(node, Op)
        and node.name in ("floordiv", "mod")
        and node.args == (Axis(axis), _TWO)
        for node in expressions(block)
    ):
        return None
    even, odd = (_half(kernel, block, axis, number) for number in (0, 1))
    for node in (*expressions(even), *expressions(odd)):
        if isinstance(node, Load):
            for index, inside in zip(node.indices, node.inside, strict=True):
                if not inside and Axis(axis) in walk(index):
                    return None
    return even, odd


def _half(kernel: Kernel, block: Block, axis: int, odd: int) -> Block:
    double = Op("mul", (Axis(axis), _TWO), DType.S32)
    element: Expr = Op("add", (double, Const(odd, DType.S32)), DType.S32) if odd else double
    dims = {tensor.name: tensor.dims for tensor in kernel.inputs}
    indexer = Indexer(kernel.space, block)

    def inside(index: Expr, dim: Dim) -> bool:
        """Whether an index is that of one of the pair, in a dimension of the axis' size."""
        form = indexer.affine(index)
        pair = ((("axis", axis), 2),)
        return (
            form is not None
            and form.terms == pair
            and form.offset in (0, 1)
            and dim == kernel.space[axis]
        )

    def change(node: Expr) -> Expr:
        match node:
            case Axis(index=index) if index == axis:
                return element
            case Op(name="floordiv", args=(first, second)) if (first, second) == (element, _TWO):
                return Axis(axis)
            case Op(name="mod", args=(first, second)) if (first, second) == (element, _TWO):
                return Const(odd, DType.S32)
            case Load():
                known = node.inside or (False,) * len(node.indices)
                pairs = zip(known, node.indices, dims[node.tensor], strict=True)
                return replace(node, inside=tuple(ok or inside(i, dim) for ok, i, dim in pairs))
            case _:
                return node

    return rewrite_block(block, change)
