"""Rows of pairs: two elements of a row at a time, for maps that halve a coordinate.

In: the blocks of even and of odd elements, over an axis that counts pairs. Out: the row function
that runs both.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.codegen.llvm.abi import Abi, plus, times
from treadle.codegen.llvm.bytes import BYTE_LANES, ByteEmitter
from treadle.codegen.llvm.emit import Emitter
from treadle.codegen.llvm.nest import decode, store_all
from treadle.codegen.llvm.text import Function, Module, Value, const
from treadle.ir.affine import Indexer
from treadle.ir.loops import Halves, Nest

__all__ = ["define_pairs"]

_ROW_PARAMS = (("ptr", "block"), ("i64", "row"), ("i64", "lo"), ("i64", "hi"))


def define_pairs(module: Module, abi: Abi, nest: Nest, halves: Halves) -> None:
    """Define row_pairs."""
    f = Function(module, "row_pairs", list(_ROW_PARAMS))
    row = f.params["row"]
    start = row * abi.product(f, nest.inner)
    _emit_pairs(f, abi, nest, halves, decode(f, abi, row, nest.outer), start)
    f.finish()


def _emit_pairs(
    f: Function,
    abi: Abi,
    nest: Nest,
    halves: Halves,
    outer: Sequence[Value],
    start: Value,
) -> None:
    """Emit the loop over pairs lo..hi-1 of a row; `start` is the row's first element."""
    pairs, axis, channels = (halves.even, halves.odd), nest.first, nest.unrolled
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

    if halves.bytes:
        count = f.binary("sdiv", hi - lo, BYTE_LANES)
        middle = lo + f.intrinsic("smax", count, 0) * BYTE_LANES
        with f.loop(lo, middle, step=BYTE_LANES) as i:
            emit(ByteEmitter(f, abi, indexer, pairs, axis=axis), i)
        lo = middle
    with f.loop(lo, hi, parallel=not halves.bytes, rest=halves.bytes) as i:
        emit(Emitter(f, abi, indexer), i)
