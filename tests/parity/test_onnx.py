"""ONNX's own node test data on every backend, where an operator and a kernel mean the same.

The data is made by the onnx package itself, offline. A case takes part if its dtypes are Treadle's
and its attributes are among those that the table below translates; nothing else is left out."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import treadle
from limits import needs, used
from treadle.dtypes import STORED

pytest.importorskip("onnx", reason="onnx is not installed: the dev extra has it")

DTYPES = {dtype.numpy for dtype in STORED}
MODULES = """relu leakyrelu sigmoid tanh gelu softmax layernormalization matmul gemm conv reducesum
    reducemax reducemin reducemean argmax argmin transpose reshape concat slice gather topk cast
    clip pow where cumsum add sub mul div abs neg exp log sqrt min max resize swish lpnormalization
    squeeze unsqueeze flatten identity sum"""


class Launch(NamedTuple):
    """A kernel with inputs and parameters."""

    kernel: str
    inputs: list[Any]
    params: dict[str, Any]


Attributes = dict[str, Any]
Translate = Callable[[list[Any], Attributes], Launch]


def plain(kernel: str, **names: str) -> Translate:
    """The same inputs, with attributes under other names."""

    def translate(inputs: list[Any], attributes: Attributes) -> Launch:
        return Launch(kernel, inputs, {names[k]: v for k, v in attributes.items()})

    return translate


def binary(kernel: str) -> Translate:
    def translate(inputs: list[Any], attributes: Attributes) -> Launch:
        a, b = inputs
        if a.dtype == np.uint8:
            raise NotTheSame("u8 saturates where ONNX wraps")
        return Launch(kernel, [a, b], {})

    return translate


def reduced(kernel: str) -> Translate:
    def translate(inputs: list[Any], attributes: Attributes) -> Launch:
        axes = tuple(int(a) for a in inputs[1]) if len(inputs) > 1 else ()
        if not axes and attributes.get("noop_with_empty_axes"):
            raise NotTheSame("no axes mean all axes here")
        keep = bool(attributes.get("keepdims", 1))
        return Launch(kernel, inputs[:1], {"axis": axes or None, "keepdims": keep})

    return translate


def positions(kernel: str) -> Translate:
    def translate(inputs: list[Any], attributes: Attributes) -> Launch:
        if attributes.get("select_last_index"):
            raise NotTheSame("the first of equals is found here")
        keep = bool(attributes.get("keepdims", 1))
        return Launch(kernel, inputs, {"axis": attributes.get("axis", 0), "keepdims": keep})

    return translate


def gelu(inputs: list[Any], attributes: Attributes) -> Launch:
    if attributes.get("approximate", "none") != "none":
        raise NotTheSame("the exact function is computed here")
    return Launch("gelu", inputs, {})


def layer_norm(inputs: list[Any], attributes: Attributes) -> Launch:
    x, *more = inputs
    axis = attributes.get("axis", -1) % x.ndim
    # One axis is normalised here: those that ONNX normalises together become one.
    rows = x.reshape(int(np.prod(x.shape[:axis])), -1)
    flat = [part.reshape(-1) for part in more]
    return Launch("layer_norm", [rows, *flat], {"eps": attributes.get("epsilon", 1e-5)})


def matmul(inputs: list[Any], attributes: Attributes) -> Launch:
    if min(x.ndim for x in inputs) < 2:
        raise NotTheSame("matrices only")
    return Launch("matmul", inputs, {})


def gemm(inputs: list[Any], attributes: Attributes) -> Launch:
    if attributes or len(inputs) > 2:
        raise NotTheSame("a plain product")
    return Launch("matmul", inputs, {})


def conv(inputs: list[Any], attributes: Attributes) -> Launch:
    attributes.pop("kernel_shape", None)  # the weight has it
    if attributes.pop("auto_pad", "NOTSET") == "SAME_LOWER":
        taps, strides = inputs[1].shape[2:], attributes.get("strides", (1, 1))
        sizes = inputs[0].shape[2:]
        missing = [max((-(-n // s) - 1) * s + k - n, 0)
                   for n, s, k in zip(sizes, strides, taps, strict=True)]  # fmt: skip
        attributes["pads"] = (*(-(-m // 2) for m in missing), *(m // 2 for m in missing))
    names = {"pads": "padding", "strides": "stride", "dilations": "dilation", "group": "groups"}
    return Launch("conv2d", inputs, {names[k]: v for k, v in attributes.items()})


def reshape(inputs: list[Any], attributes: Attributes) -> Launch:
    x, shape = inputs
    wanted = [int(n) for n in shape]
    if not attributes.get("allowzero"):
        wanted = [x.shape[k] if n == 0 else n for k, n in enumerate(wanted)]
    return Launch("reshape", [x], {"shape": tuple(wanted)})


def slice_(inputs: list[Any], attributes: Attributes) -> Launch:
    names = ("starts", "stops", "axes", "steps")
    values = [tuple(int(v) for v in part) for part in inputs[1:]]
    return Launch("slice", inputs[:1], dict(zip(names, values, strict=False)))


def top_k(inputs: list[Any], attributes: Attributes) -> Launch:
    largest = bool(attributes.get("largest", 1))
    axis = attributes.get("axis", -1)
    return Launch("top_k", inputs[:1], {"k": int(inputs[1][0]), "axis": axis, "largest": largest})


def clip(inputs: list[Any], attributes: Attributes) -> Launch:
    x, *bounds = inputs
    if len(bounds) != 2:
        raise NotTheSame("both bounds are given here, and a case does not say which one it has")
    return Launch("clamp", [x], {"min": bounds[0].item(), "max": bounds[1].item()})


def power(inputs: list[Any], attributes: Attributes) -> Launch:
    x, exponent = inputs
    if exponent.ndim or x.dtype.kind != "f":
        raise NotTheSame("one exponent, and a float result")
    return Launch("pow", [x], {"exponent": exponent.item()})


def resize(inputs: list[Any], attributes: Attributes) -> Launch:
    x, wanted = inputs[0], inputs[-1]
    method = {"linear": "bilinear", "cubic": "bicubic"}.get(attributes["mode"], "nearest")
    if len(inputs) != 2 or attributes.get("keep_aspect_ratio_policy", "stretch") != "stretch":
        raise NotTheSame("the whole image, to a size that is given")
    if attributes.get("coordinate_transformation_mode", "half_pixel") != "half_pixel":
        raise NotTheSame("centres are at half coordinates here")
    if attributes.get("exclude_outside") or attributes.get("antialias"):
        raise NotTheSame("what lies outside counts without antialias, and does not with it")
    axes = attributes.get("axes", (0, 1, 2, 3))
    given = dict(zip(axes, wanted.tolist(), strict=True))
    old = x.shape[2:]
    pair = [given[2], given[3]]
    size = pair if wanted.dtype.kind == "i" else [n * s for n, s in zip(old, pair, strict=True)]
    if any(n != int(n) for n in size):
        raise NotTheSame("scales follow from sizes here")
    if method == "nearest":
        mode = attributes.get("nearest_mode", "round_prefer_floor")
        ties = any((2 * k + 1) * n % (2 * m) == 0 for n, m in zip(old, size, strict=True)
                   for k in range(int(m)))  # fmt: skip
        if mode not in ("round_prefer_floor", "round_prefer_ceil") or ties:
            raise NotTheSame("the pixel under the centre, the later one of two")
    return Launch("resize", [x[0, 0]], {"size": tuple(int(n) for n in size), "method": method})


def swish(inputs: list[Any], attributes: Attributes) -> Launch:
    if attributes.get("alpha", 1.0) != 1.0:
        raise NotTheSame("x * sigmoid(x)")
    return Launch("silu", inputs, {})


def unit_length(inputs: list[Any], attributes: Attributes) -> Launch:
    if attributes.get("p", 2) != 2:
        raise NotTheSame("Euclidean length")
    return Launch("normalize", inputs, {"axis": attributes.get("axis", -1)})


def regrouped(shape: Callable[[Any, list[int], Attributes], Any]) -> Translate:
    """The same elements in a shape that follows from x, the second input and the attributes."""

    def translate(inputs: list[Any], attributes: Attributes) -> Launch:
        axes = [int(a) for a in inputs[1]] if len(inputs) > 1 else []
        return Launch("reshape", inputs[:1], {"shape": shape(inputs[0], axes, attributes)})

    return translate


def cumsum(inputs: list[Any], attributes: Attributes) -> Launch:
    if any(attributes.values()):
        raise NotTheSame("forwards, this element included")
    return Launch("cumsum", inputs[:1], {"axis": int(inputs[1])})


def pair(kernel: str) -> Translate:
    def translate(inputs: list[Any], attributes: Attributes) -> Launch:
        if len(inputs) != 2:
            raise NotTheSame("two inputs")
        return Launch(kernel, inputs, {})

    return translate


def divided(inputs: list[Any], attributes: Attributes) -> Launch:
    if inputs[0].dtype.kind != "f":
        raise NotTheSame("integers divide as floats here")
    return Launch("elementwise_div", inputs, {})


class NotTheSame(Exception):
    """ONNX means something else, or more, than the kernel."""


OPERATORS: dict[str, Translate] = {
    "Relu": plain("relu"),
    "LeakyRelu": lambda x, a: Launch("relu", x, {"slope": a.get("alpha", 0.01)}),
    "Sigmoid": plain("sigmoid"),
    "Tanh": plain("tanh"),
    "Gelu": gelu,
    "Softmax": plain("softmax", axis="axis"),
    "LayerNormalization": layer_norm,
    "MatMul": matmul,
    "Gemm": gemm,
    "Conv": conv,
    "ReduceSum": reduced("reduce_sum"),
    "ReduceMax": reduced("reduce_max"),
    "ReduceMin": reduced("reduce_min"),
    "ReduceMean": reduced("reduce_mean"),
    "ArgMax": positions("argmax"),
    "ArgMin": positions("argmin"),
    "Transpose": plain("transpose", perm="axes"),
    "Reshape": reshape,
    "Concat": plain("concat", axis="axis"),
    "Slice": slice_,
    "Gather": plain("gather", axis="axis"),
    "TopK": top_k,
    "Clip": clip,
    "Pow": power,
    "Where": plain("where"),
    "CumSum": cumsum,
    "Add": binary("elementwise_add"),
    "Sub": binary("elementwise_sub"),
    "Mul": binary("elementwise_mul"),
    "Div": divided,
    "Abs": plain("abs"),
    "Neg": plain("neg"),
    "Exp": plain("exp"),
    "Log": plain("log"),
    "Sqrt": plain("sqrt"),
    "Min": pair("minimum"),
    "Max": pair("maximum"),
    "Cast": lambda x, a: Launch("cast", x, {}),
    "Resize": resize,
    "Swish": swish,
    "LpNormalization": unit_length,
    "Squeeze": regrouped(lambda x, axes, _: np.squeeze(x, tuple(axes) or None).shape),
    "Unsqueeze": regrouped(lambda x, axes, _: np.expand_dims(x, tuple(axes)).shape),
    "Flatten": regrouped(lambda x, _, a: (int(np.prod(x.shape[: a.get("axis", 1)])), -1)),
    "Identity": regrouped(lambda x, *_: x.shape),
    "Sum": pair("elementwise_add"),
}


def attribute(proto: Any) -> Any:
    from onnx.helper import get_attribute_value

    value = get_attribute_value(proto)
    if isinstance(value, bytes):
        return value.decode()
    return tuple(value) if isinstance(value, list) or hasattr(value, "extend") else value


def array(value: Any) -> np.ndarray[Any, Any] | None:
    """The value as an array; None for a sequence or an absent one."""
    from onnx import TensorProto
    from onnx.numpy_helper import to_array

    if isinstance(value, TensorProto):
        return to_array(value)
    return np.asarray(value) if hasattr(value, "dtype") else None


def gather_cases() -> list[Any]:
    """Every case of the modules: a name, a launch and the outputs."""
    node = importlib.import_module("onnx.backend.test.case.node")
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for module in MODULES.split():
            importlib.import_module(f"{node.__name__}.{module}")
    cases = []
    # The public way, collect_testcases(), imports the modules of every operator: 6 s.
    for case in node._NodeTestCases:
        made = case.model.graph.node
        if len(made) != 1 or made[0].op_type not in OPERATORS:
            continue
        inputs, outputs = ([array(x) for x in group] for group in case.data_sets[0])
        if not all(x is not None and x.dtype in DTYPES for x in (*inputs, *outputs)):
            continue
        given = {a.name: attribute(a) for a in made[0].attribute}
        try:
            launch = OPERATORS[made[0].op_type](inputs, given)
        except NotTheSame:
            continue
        cases.append(pytest.param(launch, outputs, made[0].op_type, id=case.name[5:]))
    return cases


CASES = gather_cases()


def test_the_operators_take_part():
    """None is lost when onnx changes its data or its names."""
    assert len(CASES) > 230
    assert {case.values[2] for case in CASES} == set(OPERATORS)


@pytest.mark.parametrize("launch, expected, operator", CASES)
def test_onnx_node(device, launch, expected, operator):
    made = [expected[0].dtype] if launch.kernel == "cast" else []
    needs(device, *used(launch.kernel, launch.inputs, launch.params), *made)
    inputs = [treadle.buffer(x) for x in launch.inputs]
    output = None
    if launch.kernel == "cast":
        output = treadle.empty(expected[0].shape, expected[0].dtype)
    got = treadle.run_kernel(launch.kernel, inputs, output, **launch.params)
    parts = got if isinstance(got, tuple) else (got,)
    # LayerNormalization also gives the mean and the deviation, which the kernel does not.
    for part, want in zip(parts, expected, strict=False):
        out = part.to_numpy()
        if operator in ("LayerNormalization", "Resize"):  # in fewer axes, see above
            out = out.reshape(want.shape)
        assert out.shape == want.shape
        if want.dtype.kind == "f":
            np.testing.assert_allclose(out, want, rtol=2e-5, atol=2e-6)
        else:
            np.testing.assert_array_equal(out.astype(want.dtype), want)
