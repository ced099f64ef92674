"""Operators that move, choose or repeat elements, and those that the host knows the answer of."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from onnx_nodes.tensors import Refused, Tensor, call, cast, scalar

Inputs = list[Any]
Attributes = dict[str, Any]


def reshape(inputs: Inputs, attributes: Attributes) -> Tensor:
    x, shape = inputs
    wanted = list(shape.numbers())
    if not attributes.get("allowzero"):
        wanted = [x.shape[k] if n == 0 else n for k, n in enumerate(wanted)]
    return call("reshape", x, shape=tuple(wanted))


def axes_of(inputs: Inputs, attributes: Attributes) -> tuple[int, ...] | None:
    if len(inputs) > 1 and inputs[1] is not None:
        return tuple(inputs[1].numbers())
    return attributes.get("axes")


def squeeze(inputs: Inputs, attributes: Attributes) -> Tensor:
    axes = axes_of(inputs, attributes)
    return call("reshape", inputs[0], shape=np.squeeze(np.empty(inputs[0].shape, bool), axes).shape)


def unsqueeze(inputs: Inputs, attributes: Attributes) -> Tensor:
    shape = np.expand_dims(np.empty(inputs[0].shape, bool), axes_of(inputs, attributes)).shape
    return call("reshape", inputs[0], shape=shape)


def flatten(inputs: Inputs, attributes: Attributes) -> Tensor:
    x = inputs[0]
    axis = attributes.get("axis", 1)
    axis = axis + x.ndim if axis < 0 else axis
    return call("reshape", x, shape=(math.prod(x.shape[:axis]), math.prod(x.shape[axis:])))


def concat(inputs: Inputs, attributes: Attributes) -> Tensor:
    return call("concat", *inputs, axis=attributes["axis"])


def slice_(inputs: Inputs, attributes: Attributes) -> Tensor:
    x, starts, stops, axes, steps = (*inputs, None, None)[:5]
    params = {"starts": starts.numbers(), "stops": stops.numbers()}
    params["axes"] = axes.numbers() if axes is not None else tuple(range(len(params["starts"])))
    if steps is not None:
        params["steps"] = steps.numbers()
        # To the front and beyond: ONNX has the smallest number for it, Python has nothing.
        each = zip(params["steps"], params["stops"], params["axes"], strict=True)
        params["stops"] = tuple(None if s < 0 and e < -x.shape[a] else e for s, e, a in each)
    return call("slice", x, **params)


def gather(inputs: Inputs, attributes: Attributes) -> Tensor:
    return call("gather", *inputs, axis=attributes.get("axis", 0))


def split(inputs: Inputs, attributes: Attributes) -> Any:
    x, sizes = (*inputs, None)[:2]
    parts = sizes.numbers() if sizes is not None else attributes.get("split")
    parts = parts if parts is not None else attributes.get("num_outputs", attributes["outputs"])
    made = call("split", x, parts=parts, axis=attributes.get("axis", 0))
    return made if isinstance(made, tuple) else (made,)


def pad(inputs: Inputs, attributes: Attributes) -> Tensor:
    x, amounts, value, axes = (*inputs, None, None)[:4]
    given = amounts.numbers()
    where = axes.numbers() if axes is not None else tuple(range(x.ndim))
    pairs = [(0, 0)] * x.ndim
    for k, axis in enumerate(where):
        pairs[axis] = (given[k], given[k + len(where)])
    params: Attributes = {"amounts": tuple(pairs), "mode": attributes.get("mode", "constant")}
    if value is not None:
        params["value"] = value.array.item()
    return call("pad", x, **params)


def trilu(inputs: Inputs, attributes: Attributes) -> Tensor:
    x, k = (*inputs, None)[:2]
    name = "triu" if attributes.get("upper", 1) else "tril"
    if 0 in x.shape:
        return x
    return call(name, x, diagonal=0 if k is None else int(k.array.item()))


def scatter(kernel: str) -> Any:
    def run(inputs: Inputs, attributes: Attributes) -> Tensor:
        params = {k: v for k, v in attributes.items() if k in ("axis", "reduction")}
        return call(kernel, *inputs, **params)

    return run


def one_hot(inputs: Inputs, attributes: Attributes) -> Tensor:
    indices, depth, values = inputs
    count = int(depth.array.item())
    axis = attributes.get("axis", -1) % (indices.ndim + 1)
    places = cast(indices, np.float32)
    low = call("less", places, scalar(places, 0))
    places = call("where", low, call("scalar_add", places, scalar=count), places)
    shape = (*indices.shape[:axis], 1, *indices.shape[axis:])
    row = np.arange(count, dtype=np.float32).reshape((count,) + (1,) * (indices.ndim - axis))
    hit = call("equal", places.reshape(*shape), Tensor(row))
    off, on = (values.array[k] for k in (0, 1))
    return call("where", hit, scalar(values, on), scalar(values, off))


def depth_to_space(inputs: Inputs, attributes: Attributes) -> Tensor:
    x, b = inputs[0], attributes["blocksize"]
    n, c, h, w = x.shape
    if attributes.get("mode", "DCR") == "DCR":
        made = x.reshape(n, b, b, c // (b * b), h, w)
        order = (0, 3, 4, 1, 5, 2)
    else:
        made, order = x.reshape(n, c // (b * b), b, b, h, w), (0, 1, 4, 2, 5, 3)
    return call("transpose", made, axes=order).reshape(n, c // (b * b), h * b, w * b)


def space_to_depth(inputs: Inputs, attributes: Attributes) -> Tensor:
    x, b = inputs[0], attributes["blocksize"]
    n, c, h, w = x.shape
    if attributes.get("mode", "DCR") == "DCR":
        made, order = x.reshape(n, c, h // b, b, w // b, b), (0, 3, 5, 1, 2, 4)
    else:
        made, order = x.reshape(n, c, h // b, b, w // b, b), (0, 1, 3, 5, 2, 4)
    return call("transpose", made, axes=order).reshape(n, c * b * b, h // b, w // b)


def reverse_sequence(inputs: Inputs, attributes: Attributes) -> Tensor:
    x, lengths = inputs
    time, batch = attributes.get("time_axis", 0), attributes.get("batch_axis", 1)
    steps = np.arange(x.shape[time])[:, None]
    counts = np.asarray(lengths.numbers())
    places = np.where(steps < counts, counts - 1 - steps, steps)  # time x batch
    shape = [1] * x.ndim
    shape[time], shape[batch] = x.shape[time], x.shape[batch]
    table = (places if time < batch else places.T).reshape(shape)
    indices = np.ascontiguousarray(np.broadcast_to(table, x.shape)).astype(np.int32)
    return call("gather_elements", x, Tensor(indices), axis=time)


def compress(inputs: Inputs, attributes: Attributes) -> Tensor:
    x, test = inputs
    axis = attributes.get("axis")
    flat = x.reshape(math.prod(x.shape)) if axis is None else x
    places = Tensor(np.flatnonzero(test.array).astype(np.int32))  # how many is a shape
    return call("gather", flat, places, axis=axis or 0)


def constant(inputs: Inputs, attributes: Attributes) -> Tensor:
    (name, value), *rest = attributes.items()
    if rest or name not in ("value", "value_int", "value_ints", "value_float", "value_floats"):
        raise Refused(f"Constant: {name}")
    kinds = {"value_int": np.int64, "value_ints": np.int64, "value_float": np.float32,
             "value_floats": np.float32}  # fmt: skip
    return Tensor(value if name == "value" else np.asarray(value, kinds[name]))


def constant_of_shape(inputs: Inputs, attributes: Attributes) -> Tensor:
    value = attributes.get("value", np.zeros(1, np.float32))
    return Tensor(np.full(inputs[0].numbers(), value.reshape(-1)[0], value.dtype))


def shape_of(inputs: Inputs, attributes: Attributes) -> Tensor:
    found = inputs[0].shape[attributes.get("start", 0) : attributes.get("end")]
    return Tensor(np.asarray(found, np.int64))


def range_of(inputs: Inputs, attributes: Attributes) -> Tensor:
    start, stop, step = (x.array.item() for x in inputs)
    return Tensor(np.arange(start, stop, step).astype(inputs[0].kind))


def eye_like(inputs: Inputs, attributes: Attributes) -> Tensor:
    from onnx.helper import tensor_dtype_to_np_dtype

    x = inputs[0]
    kind = tensor_dtype_to_np_dtype(attributes["dtype"]) if "dtype" in attributes else x.kind
    return Tensor(np.eye(*x.shape, k=attributes.get("k", 0), dtype=kind))


def tile(inputs: Inputs, attributes: Attributes) -> Tensor:
    return call("tile", inputs[0], repeats=inputs[1].numbers())


OPERATORS: dict[str, Any] = {
    "Compress": compress,
    "Concat": concat,
    "Constant": constant,
    "ConstantOfShape": constant_of_shape,
    "DepthToSpace": depth_to_space,
    "Expand": lambda x, a: call("expand", x[0], shape=x[1].numbers()),
    "EyeLike": eye_like,
    "Flatten": flatten,
    "Gather": gather,
    "GatherElements": lambda x, a: call("gather_elements", *x, axis=a.get("axis", 0)),
    "GatherND": lambda x, a: call("gather_nd", *x, batch=a.get("batch_dims", 0)),
    "Identity": lambda x, a: x[0],
    "OneHot": one_hot,
    "Pad": pad,
    "Range": range_of,
    "Reshape": reshape,
    "ReverseSequence": reverse_sequence,
    "Scatter": scatter("scatter_elements"),
    "ScatterElements": scatter("scatter_elements"),
    "ScatterND": scatter("scatter_nd"),
    "Shape": shape_of,
    "Size": lambda x, a: Tensor(np.asarray(math.prod(x[0].shape), np.int64)),
    "Slice": slice_,
    "SpaceToDepth": space_to_depth,
    "Split": split,
    "Squeeze": squeeze,
    "Tile": tile,
    "Transpose": lambda x, a: call("transpose", x[0], axes=a.get("perm")),
    "Trilu": trilu,
    "Unsqueeze": unsqueeze,
}
