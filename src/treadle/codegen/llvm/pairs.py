"""Maps that halve a coordinate, as chroma of half the size does, two elements at a time.

In: a block with `x // 2` or `x % 2` along the inner axis. Out: the block for even and for odd
elements, over an axis that counts pairs, and the row function that runs both. What was a scattered
read at x // 2 is then one at the pair's own index, which LLVM can vectorise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from treadle.codegen.llvm.abi import Abi, plus, times
from treadle.codegen.llvm.bytes import BYTE_LANES, ByteEmitter
from treadle.codegen.llvm.emit import CannotWiden, Emitter
from treadle.codegen.llvm.nest import decode, store_all
from treadle.codegen.llvm.text import Function, Module, Value, const
from treadle.dtypes import DType
from treadle.ir.affine import Indexer
from treadle.ir.nodes import (
    Axis,
    Block,
    Const,
    Dim,
    Expr,
    Kernel,
    Load,
    Op,
    expressions,
    rewrite_block,
    walk,
)

__all__ = ["define_pairs", "halved"]

_TWO = Const(2, DType.S32)
_ROW_PARAMS = (("ptr", "block"), ("i64", "row"), ("i64", "lo"), ("i64", "hi"))


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


def define_pairs(
    module: Module,
    abi: Abi,
    pairs: tuple[Block, Block],
    outer: tuple[Dim, ...],
    inner: tuple[Dim, ...],
    axis: int,
    channels: int | None,
    *,
    bytewise: bool,
) -> None:
    """Define row_pairs, for rows of `inner` elements over `outer`; `bytewise` if that can be."""
    f = Function(module, "row_pairs", list(_ROW_PARAMS))
    row = f.params["row"]
    start = row * abi.product(f, inner)
    try:
        at = decode(f, abi, row, outer)
        _emit_pairs(f, abi, pairs, axis, channels, at, start, bytewise=bytewise)
    except CannotWiden:
        define_pairs(module, abi, pairs, outer, inner, axis, channels, bytewise=False)
        return
    f.finish()


def _emit_pairs(
    f: Function,
    abi: Abi,
    pairs: tuple[Block, Block],
    axis: int,
    channels: int | None,
    outer: Sequence[Value],
    start: Value,
    *,
    bytewise: bool,
) -> None:
    """Emit the loop over pairs lo..hi-1 of a row; `start` is the row's first element. `bytewise`
    asks for explicit lanes of bytes, and raises CannotWiden where there are none."""
    indexer = Indexer(abi.kernel.space, *pairs)
    numbers = [None] if channels is None else list(range(channels))
    lo, hi = f.params["lo"], f.params["hi"]

    def emit(e: Emitter, i: Value) -> None:
        e.axes = {**dict(enumerate(outer)), axis: i}
        values = []
        for half in pairs:
            for c in numbers:
                if c is not None:
                    e.axes[axis + 1] = const(f, c, "i64")
                values.append(e.run(half))
        position = times(plus(start, times(i, const(f, 2, "i64"))), const(f, channels or 1, "i64"))
        if isinstance(e, ByteEmitter):
            count = len(numbers)
            e.store_pixels([values[:count], values[count:]], pairs[0].results, position)
            return
        for k, found in enumerate(values):
            store_all(e, pairs[0].results, found, plus(position, const(f, k, "i64")))

    if bytewise:
        if any(t.dtype is not DType.U8 for t in abi.kernel.outputs):
            raise CannotWiden
        count = f.binary("sdiv", hi - lo, BYTE_LANES)
        middle = lo + f.intrinsic("smax", count, 0) * BYTE_LANES
        with f.loop(lo, middle, step=BYTE_LANES) as i:
            emit(ByteEmitter(f, abi, indexer, pairs, axis=axis), i)
        lo = middle
    with f.loop(lo, hi, parallel=not bytewise, rest=bytewise) as i:
        emit(Emitter(f, abi, indexer), i)
