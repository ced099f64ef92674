"""The cases of the onnx package, and what becomes of one."""

from __future__ import annotations

import importlib
import warnings
from typing import Any, NamedTuple

import numpy as np

from onnx_nodes.graphs import Graph, check
from onnx_nodes.tensors import Refused, Tensor

NODES = "onnx.backend.test.case.node"
EXPANDED = "_expanded"
# Cases whose outputs were written down with four digits, for which ONNX's own tolerance is meant.
ROUNDED = ("test_averagepool_2d_ceil_last_window_starts_on_pad", "test_gridsample_bicubic")


class Outcome(NamedTuple):
    """How a case ended: passed, refused or failed, and why."""

    status: str
    reason: str = ""


def collect(modules: str | None = None) -> list[Any]:
    """The cases of some modules of the package, or of all of them."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        node = importlib.import_module(NODES)
        if modules is None:
            return list(node.collect_testcases(None))
        for module in modules.split():
            importlib.import_module(f"{NODES}.{module}")
        # The public way imports the modules of every operator: 6 s.
        return list(node._NodeTestCases)


def array(value: Any) -> Any:
    """A value as a tensor; a sequence, an optional value and text are refused."""
    from onnx import TensorProto
    from onnx.numpy_helper import to_array

    if isinstance(value, TensorProto):
        return Tensor(to_array(value))
    if not hasattr(value, "dtype"):
        raise Refused(f"a value of type {type(value).__name__}")
    return Tensor(np.asarray(value))


def values(case: Any) -> list[Any]:
    """The inputs and outputs of a case; refused are those that buffers have no dtype for."""
    return [([array(x) for x in inputs], [array(x) for x in outputs])
            for inputs, outputs in case.data_sets]  # fmt: skip


def run(case: Any, model: Any = None) -> None:
    """Run a case, by another model if one is given; raise what is wrong or cannot be."""
    rtol, atol = (case.rtol, case.atol) if case.name in ROUNDED else (2e-5, 2e-6)
    graph = Graph(model or case.model)
    names = [each.name for each in graph.graph.input]
    for inputs, outputs in values(case):
        given = dict(zip(names, inputs, strict=True))
        for got, want in zip(graph.run(given), outputs, strict=True):
            check(got, want.array, rtol, atol)


def outcome(case: Any, twins: dict[str, Any]) -> Outcome:
    """What becomes of a case; one without a kernel is run as what ONNX defines it by."""
    found = Outcome("failed")
    for model in (None, twins.get(case.name)):
        if found.status == "refused" and model is None:
            break
        try:
            run(case, model)
        except Refused as error:
            found = Outcome("refused", str(error)) if found.status != "refused" else found
        except AssertionError as error:
            return Outcome("failed", " ".join(str(error).split())[:200])
        else:
            return Outcome("passed")
    return found


def twins_of(cases: list[Any]) -> dict[str, Any]:
    """The models that ONNX itself gives for operators that it defines by others, by case."""
    models = {case.name: case.model for case in cases}
    found = {}
    for name, model in models.items():
        if EXPANDED in name:
            found[name.partition(EXPANDED)[0]] = model
    return found
