"""Find the inputs that an output may replace.

In: a kernel. Out: for each input, whether it may be exactly the same memory as an output: each of
its elements is read only to compute the output element at the same place.
"""

from __future__ import annotations

from treadle.ir.affine import reads_own_place
from treadle.ir.nodes import Kernel, Load, Map, Scan, Tensor, expressions

__all__ = ["elementwise"]


def elementwise(kernel: Kernel) -> tuple[bool, ...]:
    """Return, for each input, whether sharing memory with an output is safe."""
    if not isinstance(kernel.form, Map | Scan):
        return (False,) * len(kernel.inputs)
    loads = [
        node for block in kernel.blocks for node in expressions(block) if isinstance(node, Load)
    ]
    return tuple(_safe(kernel, tensor, loads) for tensor in kernel.inputs)


def _safe(kernel: Kernel, tensor: Tensor, loads: list[Load]) -> bool:
    if tensor.dims != kernel.space:
        return False
    if any(output.dtype.size != tensor.dtype.size for output in kernel.outputs):
        return False
    return all(
        reads_own_place(load, tensor.dims, kernel.space)
        for load in loads
        if load.tensor == tensor.name
    )
