"""Every row of the table of references can fail: it notices a wrong parameter or a wrong input.

A row is run again with one parameter changed by as little as its kind allows, a number by a
fiftieth, and must then disagree with its reference. Kernels without parameters are given other
numbers instead. What a row cannot notice (the gain of a low-pass filter) another row must. The
definition computes: rows are the same for every device, and hundreds of mutants not compiled."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import treadle
from parity.row import Row, check
from parity.test_kernels import ROWS as EVERY
from treadle.lang.parameters import REQUIRED, Parameter

# The definition takes minutes for millions of elements; such a row is there for its size alone, and
# others of its kernel say what it computes.
ROWS = [row for row in EVERY if sum(np.size(x) for x in row.inputs) < 1_000_000]

# What no row can notice.
ELSEWHERE = {
    ("lut_apply", "file"): "another file is another row",
    ("cast", "dtype"): "a row compares values; the test below compares dtypes",
    ("conv2d", "groups"): "follows from the inputs: any other number is refused",
}


def nudged(value: float, parameter: Parameter) -> float | None:
    """A number a little off, within the parameter's bounds."""
    low = -math.inf if parameter.low is None else parameter.low
    high = math.inf if parameter.high is None else parameter.high
    step = max(1, abs(value) // 50) if isinstance(value, int) else 0.02 * (abs(value) or 1.0)
    return next((v for v in (value + step, value - step) if low <= v <= high), None)


def mutants(parameter: Parameter, value: Any) -> Iterator[Any]:
    """Other values of a parameter."""
    if isinstance(value, str | bool):
        yield from (word for word in parameter.choices if word != value)
    elif isinstance(value, int | float):
        yield nudged(value, parameter)
    elif isinstance(value, tuple):
        yield value[::-1]
        for place, item in enumerate(value):
            for other in mutants(parameter, item):
                yield (*value[:place], other, *value[place + 1 :])
    elif value is None:
        yield from (1, 0, (1.0, 2.0), (0.4, 0.5, 0.6), 0.5)


def run(row: Row, inputs: tuple[Any, ...], params: dict[str, Any]) -> list[Any]:
    buffers = [treadle.buffer(np.ascontiguousarray(x)) for x in inputs]
    got = treadle.run_kernel(row.kernel, buffers, params=params)
    return [part.to_numpy() for part in (got if isinstance(got, tuple) else (got,))]


def notices(row: Row, inputs: tuple[Any, ...], params: dict[str, Any]) -> bool:
    try:
        results = run(row, inputs, params)
    except treadle.LaunchError:
        return False  # refused: nothing was compared
    try:
        check(row, results)
    except AssertionError:
        return True
    return False


def changed(row: Row, parameter: Parameter) -> bool:
    """Whether some other value of a parameter is noticed."""
    value = row.params.get(parameter.name, parameter.default)
    if value is REQUIRED or isinstance(value, dict):
        return False
    plain = tuple(value) if isinstance(value, list) else value
    return any(
        notices(row, row.inputs, dict(row.params) | {parameter.name: other})
        for other in mutants(parameter, plain)
        if other is not None
    )


def other_inputs(row: Row) -> Iterator[tuple[Any, ...]]:
    for place, x in enumerate(row.inputs):
        x = np.asarray(x)
        wrong = x ^ x.dtype.type(8) if x.dtype.kind != "f" else (x * 1.02 + 0.02).astype(x.dtype)
        for other in (wrong, np.roll(x, 1)):  # another NaN is none to be noticed
            yield (*row.inputs[:place], other, *row.inputs[place + 1 :])


@pytest.fixture(scope="module")
def noticed() -> dict[int, set[str]]:
    """Parameters that each row notices, by the row's place in the table: all that no row before it
    has noticed, or else one."""
    found: dict[int, set[str]] = {}
    seen: set[tuple[str, str]] = set()
    with treadle.use_device("reference"):
        for place, row in enumerate(ROWS):
            found[place] = set()
            parameters = treadle.kernel_info(row.kernel).parameters
            for parameter in sorted(parameters, key=lambda p: (row.kernel, p.name) in seen):
                known = (row.kernel, parameter.name) in seen
                if not (known and found[place]) and changed(row, parameter):
                    found[place].add(parameter.name)
                    seen.add((row.kernel, parameter.name))
    return found


def test_every_row_notices_a_wrong_parameter_or_a_wrong_input(noticed):
    blind = []
    with treadle.use_device("reference"):
        for place, row in enumerate(ROWS):
            empty = not all(np.size(x) for x in row.inputs)
            if noticed[place] or (
                empty and not any(x.size for x in run(row, row.inputs, row.params))
            ):
                continue  # of nothing there is only the shape to get wrong
            if not any(notices(row, inputs, dict(row.params)) for inputs in other_inputs(row)):
                blind.append((place, row.kernel, dict(row.params)))
    assert not blind, blind


def test_every_parameter_is_noticed_by_a_row(noticed):
    seen = {(row.kernel, name) for place, row in enumerate(ROWS) for name in noticed[place]}
    every = {
        (row.kernel, p.name) for row in ROWS for p in treadle.kernel_info(row.kernel).parameters
    }
    assert every - seen == set(ELSEWHERE)


@pytest.mark.parametrize("dtype", treadle.dtypes("reference"))
def test_cast_gives_the_dtype_that_it_is_asked_for(dtype):
    with treadle.use_device("reference"):
        assert treadle.run_kernel("cast", [treadle.buffer([1.0])], dtype=dtype).dtype == dtype
