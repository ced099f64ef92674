"""What a submit knows of a kernel's outputs before it is lowered is what lowering finds."""

from __future__ import annotations

import importlib
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treadle
from treadle.dtypes import STORED, as_dtype
from treadle.ir.bound import Spec
from treadle.lang import registry

ROUTINES = (None, frozenset[str]())


def _rows() -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for path in sorted((Path(__file__).parents[1] / "parity").glob("rows_*.py")):
        for row in importlib.import_module(f"parity.{path.stem}").ROWS:
            found.setdefault(row.kernel, []).append(row)
    return found


ROWS = _rows()


def _compare(definition: Any, specs: tuple[Spec, ...], params: dict[str, Any]) -> int:
    """Foretell and bind; both raise, or both give the same. Return whether they gave something."""
    try:
        key, values = definition.arguments(params)
    except treadle.LaunchError:
        return 0
    for routines in ROUTINES:
        try:
            told = definition.foretell(specs, None, key, routines)
        except treadle.LaunchError:
            told = "refused"
        try:
            made = definition.bind(specs, None, key, values, routines).outputs
        except treadle.LaunchError:
            assert told == "refused" or told is not None
            return 0
        assert told == made, (definition.name, specs, params)
    return 1


@pytest.mark.parametrize("name", sorted(ROWS))
def test_shipped_kernels_give_what_they_foretell(name):
    definition = registry.lookup(name)
    compared = 0
    for row in ROWS[name][:4]:
        arrays = [np.asarray(each) for each in row.inputs]
        own = tuple(Spec(array.shape, as_dtype(array.dtype)) for array in arrays)
        compared += _compare(definition, own, dict(row.params))
    row = ROWS[name][0]
    shapes = [np.shape(each) for each in row.inputs]
    count = 1 if definition.composite else min(len(shapes), 2)
    # Of narrow types any one stands for the others of its kind.
    kinds = STORED if count == 1 else [d for d in STORED if d not in ("s8", "s16", "u16", "bf16")]
    for dtypes in product(kinds, repeat=count):
        every = (*dtypes, *[dtypes[-1]] * (len(shapes) - count))
        specs = tuple(Spec(shape, dtype) for shape, dtype in zip(shapes, every, strict=True))
        compared += _compare(definition, specs, dict(row.params))
    assert compared


def test_every_shipped_kernel_with_inputs_is_compared():
    without = {name for name in treadle.kernels() if not registry.lookup(name).inputs}
    named = {name for name in treadle.kernels() if registry.lookup(name).builtin}
    assert named - set(ROWS) <= without


def test_a_users_function_is_not_run_to_foretell():
    def never(x):
        raise AssertionError

    made = treadle.composite(never)
    assert made.foretell((Spec((3,), as_dtype("f32")),), None, made.arguments({})[0]) is None


def test_a_user_may_say_what_comes_out():
    @treadle.pointwise(results=("float", "x"))
    def parts_of(x):
        return x * 0.5, x

    spec = Spec((7,), as_dtype("s32"))
    key, values = parts_of.arguments({})
    told = parts_of.foretell((spec,), None, key)
    assert told == parts_of.bind((spec,), None, key, values).outputs
    assert [str(one) for one in told] == ["f32[7]", "s32[7]"]


@treadle.function
def halved(x):
    return x * 0.5


@treadle.pointwise
def short(x, *, gain=1.0):
    return gain * halved(x), x > 0


@treadle.pointwise
def looped(x):
    total = x
    for _ in range(3):
        total = total * x
    return total


def test_a_short_body_of_a_user_is_foretold_and_a_loop_is_not():
    """So that `output` of a first submit does not wait for the thread that plans."""
    spec = Spec((3,), as_dtype("f32"))
    told = short.foretell((spec,), None, short.arguments({})[0])
    assert told == (spec, Spec((3,), as_dtype("bool")))
    assert short.brief
    assert not looped.brief
    assert looped.foretell((spec,), None, looped.arguments({})[0]) is None
