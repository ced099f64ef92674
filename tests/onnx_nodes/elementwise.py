"""Operators that work element by element, and types."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from onnx_nodes.tensors import Refused, Tensor, call, cast, same_kind, scalar
from treadle.dtypes import as_dtype

Inputs = list[Any]
Attributes = dict[str, Any]


def plain(kernel: str, **names: str) -> Any:
    """The same inputs, with attributes under other names; the type stays."""

    def run(inputs: Inputs, attributes: Attributes) -> Tensor:
        params = {names[k]: v for k, v in attributes.items() if k in names}
        unknown = set(attributes) - set(names)
        if unknown:
            raise Refused(f"{kernel}: attributes {sorted(unknown)}")
        return cast(call(kernel, *inputs, **params), inputs[0].kind)

    return run


def own(kernel: str) -> Any:
    """The same inputs; the type is what the kernel gives."""
    return lambda inputs, attributes: call(kernel, *inputs)


def folded(kernel: str) -> Any:
    """Any number of inputs, two at a time."""

    def run(inputs: Inputs, attributes: Attributes) -> Tensor:
        kind = same_kind(inputs)
        if len(inputs) == 1:
            return inputs[0]
        return reduce(lambda a, b: cast(call(kernel, a, b), kind), inputs)

    return run


def div(inputs: Inputs, attributes: Attributes) -> Tensor:
    a, b = inputs
    if as_dtype(same_kind(inputs)).is_float:
        return call("elementwise_div", a, b)
    rest = call("fmod", a, b)  # C's division of integers: towards 0
    return call("floor_divide", call("elementwise_sub", a, rest), b)


def mod(inputs: Inputs, attributes: Attributes) -> Tensor:
    same_kind(inputs)
    return call("fmod" if attributes.get("fmod") else "remainder", *inputs)


def power(inputs: Inputs, attributes: Attributes) -> Tensor:
    x, exponent = inputs
    return cast(call("elementwise_pow", x, exponent), x.kind)


def clip(inputs: Inputs, attributes: Attributes) -> Tensor:
    x, low, high = (*inputs, None, None)[:3]
    x = x if low is None else call("maximum", x, low)
    return x if high is None else call("minimum", x, high)


def isinf(inputs: Inputs, attributes: Attributes) -> Tensor:
    x = inputs[0]
    found = call("isinf", x)
    for name, other in (("detect_positive", "less"), ("detect_negative", "greater")):
        if not attributes.get(name, 1):
            found = call("logical_and", found, call(other, x, scalar(x, 0)))
    return found


def shift(inputs: Inputs, attributes: Attributes) -> Tensor:
    kernel = f"bitwise_{attributes['direction'].lower()}_shift"
    return call(kernel, *inputs)


def average(inputs: Inputs, attributes: Attributes) -> Tensor:
    total = folded("elementwise_add")(inputs, attributes)
    return call("scalar_mul", total, scalar=1.0 / len(inputs)) if len(inputs) > 1 else total


def where(inputs: Inputs, attributes: Attributes) -> Tensor:
    test, a, b = inputs
    kind = same_kind([a, b])
    return cast(call("where", test, a, b), kind)


def prelu(inputs: Inputs, attributes: Attributes) -> Tensor:
    x, slope = inputs
    return where([call("less", x, scalar(x, 0)), call("elementwise_mul", x, slope), x], {})


def swish(inputs: Inputs, attributes: Attributes) -> Tensor:
    x = inputs[0]
    alpha = attributes.get("alpha", 1.0)
    if alpha == 1.0:
        return call("silu", x)
    return call("elementwise_mul", x, call("sigmoid", call("scalar_mul", x, scalar=alpha)))


def gelu(inputs: Inputs, attributes: Attributes) -> Tensor:
    if attributes.get("approximate", "none") == "none":
        return call("gelu", inputs[0])
    x = inputs[0]
    cube = call("pow", x, exponent=3)
    inner = call("elementwise_add", x, call("scalar_mul", cube, scalar=0.044715))
    turned = call("tanh", call("scalar_mul", inner, scalar=float(np.sqrt(2 / np.pi))))
    half = call("scalar_mul", x, scalar=0.5)
    return call("elementwise_mul", half, call("scalar_add", turned, scalar=1.0))


def cast_to(inputs: Inputs, attributes: Attributes) -> Tensor:
    from onnx.helper import tensor_dtype_to_np_dtype

    return cast(inputs[0], tensor_dtype_to_np_dtype(attributes["to"]))


def shrink(inputs: Inputs, attributes: Attributes) -> Tensor:
    x = inputs[0]
    limit, bias = attributes.get("lambd", 0.5), attributes.get("bias", 0.0)
    if x.whole:
        raise Refused("Shrink of integers")
    down, up = call("scalar_add", x, scalar=-bias), call("scalar_add", x, scalar=bias)
    inner = where([call("less", x, scalar(x, -limit)), up, scalar(x, 0)], {})
    return where([call("greater", x, scalar(x, limit)), down, inner], {})


def thresholded(inputs: Inputs, attributes: Attributes) -> Tensor:
    x = inputs[0]
    above = call("greater", x, scalar(x, attributes.get("alpha", 1.0)))
    return where([above, x, scalar(x, 0)], {})


def celu(inputs: Inputs, attributes: Attributes) -> Tensor:
    alpha = attributes.get("alpha", 1.0)
    scaled = call("scalar_mul", inputs[0], scalar=1.0 / alpha)
    return call("scalar_mul", call("elu", scaled), scalar=alpha)


def dropout(inputs: Inputs, attributes: Attributes) -> tuple[Tensor, Tensor]:
    x, ratio, training = (*inputs, None, None)[:3]
    if training is not None and training.array.item() and (ratio is None or ratio.array.item()):
        raise Refused("Dropout: random numbers")
    return x, Tensor(np.ones(x.shape, bool))


def along(x: Tensor, axis: int, *parts: Any) -> list[Any]:
    """Values for each place along an axis, so that they broadcast with x; single ones stay."""
    shape = [1] * x.ndim
    if x.ndim:
        shape[axis % x.ndim] = x.shape[axis % x.ndim]
    return [p if p is None or not p.ndim else p.reshape(*shape) for p in parts]


def quantized(inputs: Inputs, attributes: Attributes) -> Tensor:
    x, scale, zero = (*inputs, None)[:3]
    if set(attributes) - {"axis"} or scale.ndim > 1 or (zero is not None and zero.kind != np.uint8):
        raise Refused("QuantizeLinear: blocks, or types that no buffer has")
    parts = along(x, attributes.get("axis", 1), scale, zero)
    found = call("round", call("elementwise_div", x, parts[0]))
    if zero is not None:
        found = call("elementwise_add", found, cast(parts[1], np.float32))
    return cast(found, np.uint8)


def dequantized(inputs: Inputs, attributes: Attributes) -> Tensor:
    x, scale, zero = (*inputs, None)[:3]
    if set(attributes) - {"axis"} or scale.ndim > 1 or scale.kind != np.float32:
        raise Refused("DequantizeLinear: blocks, or types that no buffer has")
    parts = along(x, attributes.get("axis", 1), scale, zero)
    found = cast(x, np.float32)
    if zero is not None:
        found = call("elementwise_sub", found, cast(parts[1], np.float32))
    return call("elementwise_mul", found, parts[0])


OPERATORS: dict[str, Any] = {
    **{name: plain(name.lower()) for name in
       "Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh Erf Exp Log Sqrt Floor Ceil "
       "Round Sign Abs Neg Reciprocal Sigmoid Softplus Softsign Mish Relu".split()},
    **{name: own(kernel) for name, kernel in {
        "Equal": "equal", "Less": "less", "LessOrEqual": "less_equal", "Greater": "greater",
        "GreaterOrEqual": "greater_equal", "And": "logical_and", "Or": "logical_or",
        "Xor": "logical_xor", "Not": "logical_not", "IsNaN": "isnan"}.items()},
    **{name: folded(kernel) for name, kernel in {
        "Add": "elementwise_add", "Sub": "elementwise_sub", "Mul": "elementwise_mul",
        "Sum": "elementwise_add", "Min": "minimum", "Max": "maximum",
        "BitwiseAnd": "bitwise_and", "BitwiseOr": "bitwise_or",
        "BitwiseXor": "bitwise_xor"}.items()},
    "BitwiseNot": plain("bitwise_invert"),
    "BitShift": shift,
    "Cast": cast_to,
    "CastLike": lambda x, a: cast(x[0], x[1].kind),
    "Celu": celu,
    "Clip": clip,
    "DequantizeLinear": dequantized,
    "Div": div,
    "Dropout": dropout,
    "Elu": plain("elu", alpha="alpha"),
    "Gelu": gelu,
    "HardSigmoid": plain("hard_sigmoid", alpha="alpha", beta="beta"),
    "HardSwish": plain("hard_swish"),
    "IsInf": isinf,
    "LeakyRelu": lambda x, a: call("relu", x[0], slope=a.get("alpha", 0.01)),
    "Mean": average,
    "Mod": mod,
    "PRelu": prelu,
    "Pow": power,
    "QuantizeLinear": quantized,
    "Selu": plain("selu", alpha="alpha", gamma="gamma"),
    "Shrink": shrink,
    "Swish": swish,
    "ThresholdedRelu": thresholded,
    "Where": where,
}  # fmt: skip
