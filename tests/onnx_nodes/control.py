"""Operators that run graphs: a choice, loops, and scans."""

from __future__ import annotations

from typing import Any

import numpy as np

from onnx_nodes.tensors import Refused, Tensor, call


def choose(graph: Any, node: Any, inputs: list[Any], given: dict[str, Any], known: Any) -> Any:
    """If: one of two graphs, which see what is around them."""
    branch = given["then_branch" if inputs[0].array.item() else "else_branch"]
    return tuple(graph.nodes(branch, dict(known)))


def stacked(parts: list[Tensor], axis: int = 0) -> Tensor:
    """Tensors one after the other along a new axis."""
    if not parts:
        raise Refused("a loop that gives nothing")
    shape = parts[0].shape
    axis = axis % (len(shape) + 1)
    lined = [part.reshape(*shape[:axis], 1, *shape[axis:]) for part in parts]
    made: Tensor = call("concat", *lined, axis=axis)
    return made


def loop(graph: Any, node: Any, inputs: list[Any], given: dict[str, Any], known: Any) -> Any:
    """Loop: a graph that carries state, as often as a count and a condition allow."""
    most, test, *state = inputs
    body = given["body"]
    if any(not isinstance(each, Tensor) for each in state):
        raise Refused("a loop over sequences")
    names = [each.name for each in body.input]
    going = test is None or bool(test.array.item())
    limit = 2**31 if most is None else int(most.array.item())
    scanned: list[list[Tensor]] = []
    turn = 0
    while going and turn < limit:
        first = [Tensor(np.asarray(turn, np.int64)), Tensor(np.asarray(going))]
        inner = {**known, **dict(zip(names, [*first, *state], strict=True))}
        test, *made = graph.nodes(body, inner)
        going = bool(test.array.item())
        state, rest = made[: len(state)], made[len(state) :]
        scanned = scanned or [[] for _ in rest]
        for line, part in zip(scanned, rest, strict=True):
            line.append(part)
        turn += 1
    return (*state, *(stacked(line) for line in scanned))


def scan(graph: Any, node: Any, inputs: list[Any], given: dict[str, Any], known: Any) -> Any:
    """Scan: a graph that carries state along the first axis of some inputs."""
    body, count = given["body"], given["num_scan_inputs"]
    directions = given.get("scan_input_directions", (0,) * count)
    turned = given.get("scan_output_directions")
    if len(body.input) != len(inputs):
        raise Refused("Scan: lengths of sequences")
    axes = given.get("scan_input_axes", (0,) * count)
    state, lines = inputs[: len(inputs) - count], inputs[len(inputs) - count :]
    names = [each.name for each in body.input]
    length = lines[0].shape[axes[0]]
    scanned: list[list[Tensor]] = []
    for step in range(length):
        now = []
        for line, axis, back in zip(lines, axes, directions, strict=True):
            place = length - 1 - step if back else step
            cut = call("slice", line, starts=place, stops=place + 1, axes=axis)
            shape = list(line.shape)
            del shape[axis % len(shape)]
            now.append(cut.reshape(*shape))
        made = graph.nodes(body, {**known, **dict(zip(names, [*state, *now], strict=True))})
        state, rest = made[: len(state)], made[len(state) :]
        scanned = scanned or [[] for _ in rest]
        for line, part in zip(scanned, rest, strict=True):
            line.append(part)
    outputs = given.get("scan_output_axes", (0,) * len(scanned))
    lined = []
    for k, (line, axis) in enumerate(zip(scanned, outputs, strict=True)):
        lined.append(stacked(line[::-1] if turned and turned[k] else line, axis))
    return (*state, *lined)


OPERATORS: dict[str, Any] = {"If": choose, "Loop": loop, "Scan": scan}
