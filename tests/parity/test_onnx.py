"""ONNX's own node test data: a case or two of every operator that kernels cover.

`make onnx` runs all of them, and counts. What works element by element runs on the reference alone,
since test_kernels.py has it on every backend. The data of an operator is made when its test runs:
the package takes seconds for that of all operators."""

from __future__ import annotations

import functools
import pkgutil

import pytest

import treadle

pytest.importorskip("onnx", reason="onnx is not installed: the dev extra has it")

from onnx_nodes import networks, shapes
from onnx_nodes.cases import NODES, collect, run
from onnx_nodes.graphs import OPERATORS
from onnx_nodes.tensors import Refused

SLOW = {"AveragePool", "LpPool", "MaxPool"}  # the package takes more than a second for each
FEW = 2  # cases of an operator
COVERED = 130  # operators; more is fine


@functools.cache
def modules() -> dict[str, str]:
    """The package's modules, by their operators in small letters."""
    path = pkgutil.resolve_name(NODES).__path__
    names = {each.name.replace("_", ""): each.name for each in pkgutil.iter_modules(path)}
    return {**names, "range": "rangeop"}


@functools.cache
def cases(operator: str) -> list[object]:
    """A few cases of an operator that kernels can express, right on the reference; they are taken
    from all over its module."""
    made = collect(modules()[operator.lower()])
    own = [c for c in made if [n.op_type for n in c.model.graph.node] == [operator]]
    found = []
    for k in sorted(range(len(own)), key=lambda k: k * 7 % len(own)):
        try:
            with treadle.use_device("reference"):
                run(own[k])
        except Refused:
            continue
        found.append(own[k])
        if len(found) == FEW:
            break
    return found


@pytest.mark.parametrize("operator", sorted(set(OPERATORS) - SLOW))
def test_operators(operator):
    assert cases(operator), f"the onnx package has no case of {operator} that kernels can express"


@pytest.mark.parametrize("operator", sorted({*shapes.OPERATORS, *networks.OPERATORS} - SLOW))
def test_operators_on_devices(device, operator):
    try:
        run(cases(operator)[0])
    except Refused as error:
        if f"{device.name} lacks" not in str(error):
            raise
        pytest.skip(str(error))


def test_the_operators_take_part():
    """None is lost when onnx changes its data or its names."""
    assert len(OPERATORS) >= COVERED
    assert not [name for name in OPERATORS if name.lower() not in modules()]
