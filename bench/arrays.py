"""Functions and operators of arrays beside the calls that they stand for.

In: an effort. Out: rows: a function beside run_kernel of the same kernel, and a chain of operators
in a function that is a pipeline beside the pipeline recorded by hand.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import treadle
from bench.table import Bar, Figure, Row
from bench.timing import Effort, medians

__all__ = ["LINES"]

BLOCK = 100  # calls in a row, so that reading the clock does not count
MANY = 1_000_000


@treadle.pipeline
def chain(x: Any, y: Any) -> Any:
    """Ten operators."""
    a = (x + y) * 2.0 - y
    b = a * x + 1.0
    c = abs(-(b / y))
    return c * y + x


def by_hand(x: treadle.Buffer, y: treadle.Buffer) -> treadle.Pipeline:
    """The same, recorded stage by stage."""
    made = treadle.pipeline(name="chain")

    def add(kernel: str, *inputs: Any, **params: Any) -> Any:
        made.add(kernel, list(inputs), **params)
        return made.last

    a = add("sub", add("scalar_mul", add("add", x, y), scalar=2.0), y)
    b = add("scalar_add", add("mul", a, x), scalar=1.0)
    c = add("abs", add("neg", add("div", b, y)))
    made.add("add", [add("mul", c, y), x], made.buffer("out", treadle.empty(x.shape)))
    return made


def arrays(effort: Effort) -> list[Row]:
    """One function on 1,000 elements; ten operators on a million."""
    few = np.arange(1000, dtype=np.float32)
    a, b = treadle.buffer(few), treadle.buffer(few)
    add = treadle.ops.add
    small = medians(
        {
            "ops": lambda: add(a, b),
            "operator": lambda: a + b,
            "run_kernel": lambda: treadle.run_kernel("elementwise_add", [a, b]),
        },
        effort.calls // BLOCK,
        inner=BLOCK,
    )
    many = np.linspace(1, 2, MANY, dtype=np.float32)
    x, y = treadle.buffer(many), treadle.buffer(many)
    hand = by_hand(x, y)
    out = hand.run()
    large = medians(
        {
            "operators": lambda: chain(x, y),
            "by hand": lambda: hand.run(bind={"out": treadle.empty(MANY)}),
        },
        max(effort.calls // BLOCK, 20),
    )
    assert np.array_equal(chain(x, y).to_numpy(), out.to_numpy())

    def us(seconds: float) -> Figure:
        return Figure(seconds * 1e6, "us")

    peer = (("run_kernel", us(small["run_kernel"])),)
    return [
        Row(
            f"{name}, 1,000 f32",
            us(small[key]),
            peer,
            small["run_kernel"] / small[key],
            Bar(1 / 1.15, least=True, ratio=True),
        )
        for name, key in (("ops.add(a, b)", "ops"), ("a + b", "operator"))
    ] + [
        Row(
            "ten operators in a pipeline, 1M f32",
            us(large["operators"]),
            (("recorded by hand", us(large["by hand"])),),
            large["by hand"] / large["operators"],
            Bar(0.95, least=True, ratio=True),
            note="Both write a new buffer at each call.",
        )
    ]


LINES = {"arrays": arrays}
