"""Graphs of nodes, run one node after the other.

An operator without a kernel of its own that ONNX defines by others is run as these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from onnx_nodes import control, elementwise, networks, shapes
from onnx_nodes.tensors import Refused, Tensor
from treadle.dtypes import as_dtype

OPERATORS: dict[str, Any] = {
    **elementwise.OPERATORS, **shapes.OPERATORS, **networks.OPERATORS,
}  # fmt: skip


def attribute(proto: Any) -> Any:
    """An attribute as numbers, text, tuples of them, an array or a graph."""
    from onnx import TensorProto
    from onnx.helper import get_attribute_value
    from onnx.numpy_helper import to_array

    value = get_attribute_value(proto)
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, TensorProto):
        return to_array(value)
    return tuple(value) if isinstance(value, list) or hasattr(value, "extend") else value


class Graph:
    """The nodes of a model or of a function in it, which may call the model's functions."""

    def __init__(self, model: Any) -> None:
        self.functions = {(f.domain, f.name): f for f in model.functions}
        self.graph = model.graph

    def run(self, inputs: Mapping[str, Any]) -> list[Any]:
        """The outputs of the model for its inputs."""
        return self.nodes(self.graph, dict(inputs))

    def nodes(self, graph: Any, known: dict[str, Any]) -> list[Any]:
        """Run the nodes of a graph whose values from outside are known."""
        from onnx.numpy_helper import to_array

        for each in getattr(graph, "initializer", ()):
            known[each.name] = Tensor(to_array(each))
        for node in graph.node:
            inputs = [known[name] if name else None for name in node.input]
            while inputs and inputs[-1] is None:
                inputs.pop()
            made = self.node(node, inputs, known)
            several = made if isinstance(made, tuple | list) else (made,)
            wanted = sum(1 for name in node.output if name)
            if len([m for m in several if m is not None]) < wanted:
                raise Refused(f"{node.op_type}: output {len(several)}")
            for name, value in zip(node.output, several, strict=False):
                if name:
                    known[name] = value
        return [known[v if isinstance(v, str) else v.name] for v in graph.output]

    def node(self, node: Any, inputs: list[Any], known: dict[str, Any]) -> Any:
        """Run one node."""
        given = {a.name: attribute(a) for a in node.attribute}
        function = self.functions.get((node.domain, node.op_type))
        if function is not None:
            return self.call(function, inputs, given)
        if node.op_type in control.OPERATORS:
            return control.OPERATORS[node.op_type](self, node, inputs, given, known)
        if node.domain not in ("", "ai.onnx") or node.op_type not in OPERATORS:
            raise Refused(f"operator {node.op_type}")
        outputs = sum(1 for name in node.output if name)
        counted = ("LayerNormalization", "MaxPool", "Split")
        if node.op_type in counted:
            given["outputs"] = outputs
        return OPERATORS[node.op_type](inputs, given)

    def call(self, function: Any, inputs: list[Any], given: Mapping[str, Any]) -> Any:
        """Run a function of the model; attributes of its nodes may name its own."""
        from onnx import FunctionProto

        inner = FunctionProto()
        inner.CopyFrom(function)
        if any(a.ref_attr_name for n in inner.node for a in n.attribute) or given:
            raise Refused(f"function {function.name} with attributes")
        known = dict(zip(function.input, inputs, strict=False))
        for name in function.input[len(inputs) :]:
            known[name] = None
        return tuple(self.nodes(function, known))


def check(got: Any, want: Any, rtol: float, atol: float) -> None:
    """Fail unless an output is what ONNX has for it."""
    array = got.array
    assert array.dtype == want.dtype, f"dtype {array.dtype} where {want.dtype} is wanted"
    assert array.shape == want.shape, f"shape {array.shape} where {want.shape} is wanted"
    if want.dtype.itemsize == 2 and as_dtype(want.dtype).is_float:
        # Sixteen bits: ONNX rounds after every step, kernels once; two units in the last place.
        unit = 2.0**-7 if want.dtype.name == "bfloat16" else 2.0**-10
        array, want = array.astype(np.float32), want.astype(np.float32)
        rtol = atol = 2 * unit
    if want.dtype.kind == "f":
        np.testing.assert_allclose(array, want, rtol=rtol, atol=atol)
    else:
        np.testing.assert_array_equal(array, want)
