"""Lower the two map forms: pointwise (broadcast scalars) and kernel (explicit indices).

In: a Lowering. Out: a Bound with a Map kernel.
"""

from __future__ import annotations

from treadle.dtypes import DType
from treadle.errors import LaunchError
from treadle.ir.bound import Bound, Spec
from treadle.ir.dims import coalesce, symbolise
from treadle.ir.nodes import Axis, Block, Extent, Load, Map, expressions
from treadle.lang.binding import Lowering, broadcast_read
from treadle.lang.builder import Builder
from treadle.lang.foretell import kernel_shape, pointwise_shape
from treadle.lang.shapes import pad
from treadle.lang.values import ArrayRef, coordinates

__all__ = ["kernel", "pointwise"]

MAX_EXTENT = 2**31 - 2**24  # leaves room for an offset in an s32 index


def pointwise(low: Lowering) -> Bound:
    """Scalars in, scalar out, with NumPy broadcasting."""
    shapes = [spec.shape for spec in low.inputs]
    shape = pointwise_shape(low.asked)
    rank = len(shape)
    merged, space, _ = coalesce([pad(s, rank) for s in shapes], shape, [0] * rank)
    dims, sizes = symbolise([*merged, space])
    inputs = low.tensors(dims)
    builder = Builder(low.typing)
    env = low.scalars()
    for tensor in inputs:
        env[tensor.name] = builder.bind(tensor.name, broadcast_read(tensor))
    results = low.results(low.evaluate(builder, env))
    specs = low.output_specs(shape, results)
    block = Block((), tuple(builder.body), tuple(results))
    return low.finish(Map(block), dims[-1], inputs, dims[-1], specs, sizes)


def kernel(low: Lowering) -> Bound:
    """One output element from inputs read at any index."""
    shape = kernel_shape(low.asked)
    for name, spec in zip(
        (*low.names, "output"), (*low.inputs, Spec(shape, DType.U8)), strict=True
    ):
        if spec.shape and max(spec.shape) > MAX_EXTENT:
            raise LaunchError(
                f"kernel {low.name!r}: {name} has an axis of {max(spec.shape)} elements; indices "
                "reach "
                f"{MAX_EXTENT}"
            )
    dims, sizes = symbolise([*(spec.shape for spec in low.inputs), shape])
    inputs = low.tensors(dims)
    space = dims[-1]
    builder = Builder(low.typing)
    env = low.scalars()
    env.update({tensor.name: ArrayRef(tensor) for tensor in inputs})
    if low.definition.variadic:
        rest = inputs[len(low.definition.inputs) :]
        env[low.definition.variadic] = tuple(ArrayRef(tensor) for tensor in rest)
    extents = tuple(dim if isinstance(dim, int) else Extent(dim) for dim in space)
    dtype = low.given[0].dtype if low.given else low.asked.ruled_dtype()
    first = low.definition.function.__code__.co_varnames[0]
    env[first] = coordinates(tuple(Axis(k) for k in range(len(space))), extents, dtype)
    results = low.results(low.evaluate(builder, env))
    specs = low.output_specs(shape, results)
    block = Block((), tuple(builder.body), tuple(results))
    if 0 not in shape:
        _check_reads(low, block, shape)
    return low.finish(Map(block), space, inputs, space, specs, sizes)


def _check_reads(low: Lowering, block: Block, shape: tuple[int, ...]) -> None:
    """Raise for a read of an input that has no elements; a sum over none of them reads nothing."""
    read = {node.tensor for node in expressions(block) if isinstance(node, Load)}
    for name, spec in zip(low.names, low.inputs, strict=True):
        if 0 in spec.shape and name in read:
            raise LaunchError(
                f"kernel {low.name!r}: {name} is empty {spec.shape}, so there is nothing to read "
                f"for an output of shape {shape}"
            )
