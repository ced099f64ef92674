"""Compute at compile time what does not depend on the launch.

In: a kernel. Out: the same kernel with constant operations folded. Only rewrites that are exact for
every value are made: no `x * 0`, no `x + 0.0`.
"""

from __future__ import annotations

import numpy as np

from treadle.dtypes import DType
from treadle.ir.casts import convert
from treadle.ir.nodes import Cast, Const, Expr, Kernel, Op
from treadle.ir.ops import OPS
from treadle.ir.rewrite import rewrite_kernel

__all__ = ["folded", "simplify"]


def simplify(kernel: Kernel) -> Kernel:
    """Fold every operation on constants."""
    return rewrite_kernel(kernel, folded)


def folded(node: Expr) -> Expr:
    """An operation whose operands are folded, folded too."""
    match node:
        case Cast(value=Const() as inner):
            return _constant(convert(_array(inner), node.dtype), node.dtype)
        case Cast(value=inner) if inner.dtype is node.dtype:
            return inner
        case Op(name="select", args=(Const(value=test), then, orelse)):
            return then if test else orelse
        case Op(name="and", args=(Const(value=test), other) | (other, Const(value=test))):
            return other if test else Const(False, DType.BOOL)
        case Op() if all(isinstance(arg, Const) for arg in node.args):
            with np.errstate(all="ignore"):
                value = OPS[node.name].numpy(*(_array(a) for a in node.args))  # type: ignore[arg-type]
            return _constant(np.asarray(value), node.dtype)
        case Op(name="add" | "sub", args=(first, Const(value=0))) if node.dtype.is_integer:
            return first
        case Op(name="add", args=(Const(value=0), second)) if node.dtype.is_integer:
            return second
        case Op(name="mul", args=(first, Const(value=1))):
            return first
        case Op(name="mul", args=(Const(value=1), second)):
            return second
        case _:
            return node


def _array(node: Const) -> np.ndarray[tuple[()], np.dtype[np.generic]]:
    return np.asarray(node.value, node.dtype.numpy)


def _constant(value: np.ndarray[tuple[int, ...], np.dtype[np.generic]], dtype: DType) -> Const:
    return Const(value.astype(dtype.numpy).item(), dtype)
