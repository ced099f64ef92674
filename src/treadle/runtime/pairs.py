"""Complex numbers as pairs of f32: what operators on buffers of c64 run.

In: a kernel's name as operators have it, and operands. Out: a buffer, made by kernels of f32 over
the same memory with one axis more, its real and its imaginary part. What complex numbers do not
have, or what is not written yet, is refused here. Kernels of users see real numbers only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from treadle.dtypes import DType
from treadle.errors import LaunchError
from treadle.runtime.eager import run_now

__all__ = ["applied", "as_complex", "as_pairs", "joined"]

# What takes part in an operation beside complex numbers: what NumPy makes complex64 of.
_BESIDE = ("f32", "f16", "bf16", "u8", "s8", "s16", "u16", "bool")
_OPS = {
    "elementwise_add": "add", "elementwise_sub": "sub", "elementwise_mul": "mul",
    "elementwise_div": "div", "scalar_add": "add", "scalar_mul": "mul",
}  # fmt: skip
_NAMED = {"add": "elementwise_add", "sub": "elementwise_sub"}


def as_pairs(buffer: Any) -> Any:
    """Return the memory of complex numbers as real ones, with an axis of two more."""
    return buffer._seen_as((*buffer.shape, 2), DType.F32)


def joined(pairs: Any) -> Any:
    """Return pairs of f32 as complex numbers, in place."""
    return pairs._seen_as(pairs.shape[:-1], DType.C64)


def as_complex(value: Any, device: Any) -> Any:
    """Return a number or a buffer of real or complex numbers as a buffer of complex ones."""
    if not hasattr(value, "dtype"):
        return device.buffer(np.asarray(value, np.complex64))
    if value.dtype is DType.C64:
        return value
    if value.dtype not in _BESIDE:
        raise LaunchError(
            f"{value.dtype} beside c64: what holds both is complex128, which no buffer does; "
            "convert it with astype('f32')"
        )
    return joined(run_now(device, "_pairs_of", (value,), {}))


def applied(
    device: Any, kernel: str, inputs: Sequence[Any], params: Mapping[str, Any], output: Any
) -> Any:
    """Do to complex numbers what a kernel of this name does to real ones."""
    if kernel == "cast":
        return _cast(inputs[0], params["dtype"], device)
    op = params.get("op", _OPS.get(kernel))
    if op is not None:
        return _binary(device, op, inputs, params, output)
    found = _UNARY.get(kernel)
    if found is None or output is not None:
        raise _refused(kernel)
    return found(inputs[0], params)


def _refused(what: str) -> LaunchError:
    return LaunchError(
        f"{what}: complex numbers have + - * / == != abs, conj, sum, mean and parts, but not this; "
        "take x.real and x.imag"
    )


def _cast(x: Any, dtype: DType, device: Any) -> Any:
    if dtype is not DType.C64:
        raise LaunchError(
            f"astype: a complex number is no {dtype}; take x.real, x.imag or abs(x) of it"
        )
    return as_complex(x, device) if x.dtype is not DType.C64 else _copied(x, {})


def _binary(
    device: Any, op: str, inputs: Sequence[Any], params: Mapping[str, Any], output: Any
) -> Any:
    given = list(inputs) if len(inputs) == 2 else [inputs[0], params["scalar"]]
    if params.get("swap"):
        given.reverse()
    a, b = (as_pairs(as_complex(each, device)) for each in given)
    into = None if output is None else as_pairs(output)
    if op in _NAMED:
        return joined(run_now(device, _NAMED[op], (a, b), {}, into))
    if op in ("mul", "div"):
        return joined(run_now(device, "_pairs_product", (a, b), {"op": op}, into))
    if op in ("eq", "ne") and output is None:
        same = a == b
        both = same[..., 0] & same[..., 1]
        return both if op == "eq" else ~both
    raise _refused(op)


def _copied(x: Any, _: Mapping[str, Any]) -> Any:
    return joined(run_now(x.device, "_copy", (as_pairs(x),), {}))


def _folded(kernel: str) -> Callable[[Any, Mapping[str, Any]], Any]:
    def fold(x: Any, params: Mapping[str, Any]) -> Any:
        axis, rank = params.get("axis"), len(x.shape)
        axes = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        for each in axes:
            if not isinstance(each, int) or not -rank <= each < rank:
                raise LaunchError(f"axis: expected one of {rank} axes, got {each!r}")
        if not axes:  # of a single element
            return _copied(x, {})
        where = {"axis": tuple(each % rank for each in axes), "keepdims": params["keepdims"]}
        return joined(run_now(x.device, kernel, (as_pairs(x),), where))

    return fold


def _transposed(x: Any, params: Mapping[str, Any]) -> Any:
    rank = len(x.shape)
    axes = params.get("axes") or tuple(reversed(range(rank)))
    order = (*(each % rank if isinstance(each, int) else each for each in axes), rank)
    return joined(run_now(x.device, "transpose", (as_pairs(x),), {"axes": order}))


_UNARY: dict[str, Callable[[Any, Mapping[str, Any]], Any]] = {
    "_copy": _copied,
    "neg": lambda x, _: joined(run_now(x.device, "neg", (as_pairs(x),), {})),
    "abs": lambda x, _: run_now(x.device, "hypot", (x.real, x.imag), {}),
    "_real": lambda x, _: as_pairs(x)[..., 0],
    "_imaginary": lambda x, _: as_pairs(x)[..., 1],
    "_conjugate": lambda x, _: joined(run_now(x.device, "_conjugate", (as_pairs(x),), {})),
    "reduce_sum": _folded("reduce_sum"),
    "reduce_mean": _folded("reduce_mean"),
    "transpose": _transposed,
}
