"""What kernel_info says of every kernel that ships, held against what the kernels do.

A row of the table of references gives each kernel inputs and parameters that it takes; every test
changes one of them and binds. Nothing is computed here, so no device is needed."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any

import numpy as np
import pytest

import treadle
from parity.test_kernels import ROWS
from treadle.dtypes import STORED, as_dtype
from treadle.errors import LaunchError
from treadle.ir.bound import Bound, Spec
from treadle.lang import registry
from treadle.lang.parameters import REQUIRED, Parameter

NAN, INF = math.nan, math.inf
SHIPPED = [name for name in treadle.kernels() if treadle.kernel_info(name).shipped]
PARAMETERS = [(name, p) for name in SHIPPED for p in treadle.kernel_info(name).parameters]

NO_AXIS = [7, -8, 0.5, NAN, "x", True]
# Parameters whose range is a sentence: values outside it, each with what the error says it must be.
RULES: dict[tuple[str, str], tuple[list[Any], str]] = {
    ("cast", "dtype"): (["f17", 7, NAN], "f32.*u8"),
    ("pad", "amounts"): ([0.5, (1, 2, 3), ((1, 2),), NAN, "x", True], "pair for each of"),
    ("tile", "repeats"): ([-1, 0.5, NAN, "x", (1, -2)], "integers|at least 0"),
    ("expand", "shape"): ([7, (-1, 5, 6), 0.5, NAN, None], "does not broadcast|integers"),
    ("split", "parts"): ([0, -1, 0.5, NAN, (1, 2), "x"], "at least 1|add up|integers"),
    ("gather_nd", "batch"): ([-1, 9, 0.5, NAN, True], "begin with alike"),
    ("fold", "shape"): ([5, (1, 2, 3, 4), (0, 5), (0.5, 5), NAN], "1 to 3 sizes|at least 1"),
    ("conv_transpose", "more"): ([-1, 1.5, NAN, (1, 2, 3)], "at least 0"),
    ("interpolate", "sizes"): ([0, -1, (3,) * 5, NAN, "x", 1.5], "numbers above 0|whole numbers"),
    ("interpolate", "scales"): ([0, -1.0, (1.0,) * 5, NAN, "x", INF], "numbers above 0"),
    ("interpolate", "axes"): ([9, (0, 9), 0.5, NAN, "x"], "different ones"),
    ("interpolate", "region"): (["x", NAN, (0.0,) * 5], "numbers above"),
    **{
        (name, word): ([low - 1, 1.5, NAN, (1, 2, 3, 4, 5), "x"], f"at least {low}")
        for name, word, low in (
            *(
                (pool, word, 1)
                for pool in ("max_pool", "average_pool", "fold")
                for word in ("window", "stride", "dilation")
            ),
            *(
                (pool, "padding", 0)
                for pool in ("max_pool", "average_pool", "fold", "conv_transpose")
            ),
            *(("conv_transpose", word, 1) for word in ("stride", "dilation")),
        )
    },
    ("transpose", "axes"): ([(0, 0), 9, NAN, "x"], "permutation of 0 to|integers"),
    ("reshape", "shape"): ([7, (-1, -1), 0.5, NAN, None], "elements|integers"),
    ("slice", "starts"): ([0.5, NAN, "x", True], "whole numbers"),
    ("slice", "stops"): ([0.5, NAN, "x", True], "whole numbers"),
    ("slice", "steps"): ([0, 0.5, NAN, "x"], "whole numbers|other than 0"),
    ("slice", "axes"): ([7, 0.5, NAN, "x"], "whole numbers|different ones"),
    ("top_k", "k"): ([0, -1, 10**6, 1.5, NAN, True], "1 to 61"),
    ("l2_top_k", "k"): ([0, -1, 10**6, 1.5, NAN, True], "1 to 90"),
    ("conv2d", "stride"): ([0, -1, 1.5, NAN, (1, 2, 3)], "at least 1"),
    ("conv2d", "padding"): ([-1, 1.5, NAN, (1, 2, 3)], "at least 0"),
    ("conv2d", "dilation"): ([0, -1, 1.5, NAN, (1, 2, 3)], "at least 1"),
    ("pcm_mix", "gains"): ([(1.0,), (1.0, NAN), (INF, 1.0), "loud"], "2 finite numbers"),
    ("biquad_filter", "frequency"): ([0, -5, 24000, 1e9, NAN, "x"], "above 0 and below 24000"),
    ("chroma_key", "color"): ([(0, 1), (0, 1, 1.5), (0, NAN, 0), "green", -1], "from 0 to 1"),
    ("histogram", "range"): ([(3, 3), (1, 0), (0, INF), (NAN, 1), "all"], "low < high|2 finite"),
    ("lut_apply", "file"): (["missing.cube", 5, NAN], "missing.cube|path"),
    ("crop", "x"): ([-1, 34, 0.5, NAN, "x"], "0 to 33"),
    ("crop", "y"): ([-1, 27, 0.5, NAN, "x"], "0 to 26"),
    ("crop", "width"): ([-1, 31, 0.5, NAN, "x"], "0 to 30"),
    ("crop", "height"): ([-1, 23, 0.5, NAN, "x"], "0 to 22"),
    ("warp_affine", "matrix"): ([((1, 2, 0), (2, 4, 0)), (1, 2), NAN, "x"], "invertible|6 finite"),
    ("warp_affine", "value"): ([NAN, INF, "white"], "finite number"),
    ("preprocess", "mean"): ([NAN, (1.0, 2.0), "x"], "3 finite numbers"),
    ("preprocess", "std"): ([NAN, 0.0, -1.0, (1.0, 0.0, 1.0), "x"], "3 finite numbers|above 0"),
}
SIZES = ([0, -4, 0.5, 65537, NAN, "x", (3, 4, 5), (3, 0)], r"1 to 65536|\(height, width\)")


@cache
def example(name: str) -> tuple[tuple[Spec, ...], tuple[Spec, ...] | None, dict[str, Any]]:
    """Inputs, output and parameters that a kernel takes."""
    if name == "generate_gradient":
        return (), (Spec((4, 6, 3), as_dtype("u8")),), {}
    full = [r for r in ROWS if r.kernel == name and all(np.asarray(x).size for x in r.inputs)]
    # A matrix that maps back need not be inverted, so that its rule would not hold.
    row = next(r for r in full if not r.params.get("inverse"))
    specs = tuple(Spec(np.shape(x), as_dtype(np.asarray(x).dtype)) for x in row.inputs)
    return specs, None, dict(row.params)


def bind(name: str, specs: tuple[Spec, ...], params: dict[str, Any]) -> Bound:
    kernel = registry.lookup(name)
    return kernel.bind(specs, example(name)[1], *kernel.arguments(params))


def outside(name: str, parameter: Parameter) -> tuple[list[Any], str]:
    """Values that a parameter must not have, and a pattern of what it must be instead."""
    if parameter.name == "size":
        return SIZES
    if parameter.rule.startswith("an axis of"):
        return NO_AXIS, r"axis must be|out of range for \d dimensions|must be an integer"
    if parameter.rule:
        return RULES[name, parameter.name]
    if parameter.choices:
        return ["nonsense", 7, NAN, None, (1, 2)], re.escape(parameter.range)
    values: list[Any] = [NAN, "nonsense", (0.5, 0.5)]
    values += [parameter.low - 1, -INF] if parameter.low not in (None, -INF) else []
    values += [parameter.high + 1, INF] if parameter.high not in (None, INF) else []
    return values, re.escape(parameter.range) if (parameter.low, parameter.high) != (
        -INF,
        INF,
    ) else "a number"


@pytest.mark.parametrize("name, parameter", PARAMETERS, ids=lambda x: getattr(x, "name", x))
def test_a_value_outside_the_range_is_refused_by_name(name, parameter):
    specs, _, params = example(name)
    values, says = outside(name, parameter)
    for value in values:
        with pytest.raises(LaunchError, match=f"(?s){says}") as caught:
            bind(name, specs, params | {parameter.name: value})
        text = str(caught.value)
        assert name in text
        assert re.search(rf"\b{parameter.name}\b", text), text
        parts = np.ravel(value).tolist() if isinstance(value, tuple) else [value]
        assert all(str(p) in text or f"{p:g}" in text for p in parts), text


@pytest.mark.parametrize("name, parameter", PARAMETERS, ids=lambda x: getattr(x, "name", x))
def test_every_parameter_says_what_it_may_be_and_takes_its_default_and_its_bounds(name, parameter):
    assert parameter.range
    specs, _, params = example(name)
    taken = [v for v in (parameter.low, parameter.high) if v is not None and math.isfinite(v)]
    taken += parameter.choices
    taken += [] if parameter.default is REQUIRED else [parameter.default]
    refused = []
    for value in taken:
        try:
            bind(name, specs, params | {parameter.name: value})
        except LaunchError as error:
            refused.append((value, str(error)))
    # A bound may need another parameter to follow; what is refused then is not this one.
    assert not [r for r in refused if re.search(rf"'{parameter.name}' must|: {parameter.name} must",
                                                r[1])], refused  # fmt: skip


def retyped(specs: tuple[Spec, ...], where: list[int], dtype: Any) -> tuple[Spec, ...]:
    return tuple(Spec(s.shape, dtype) if k in where else s for k, s in enumerate(specs))


@pytest.mark.parametrize("name", SHIPPED)
def test_inputs_take_exactly_the_dtypes_that_are_listed(name):
    info = treadle.kernel_info(name)
    specs, _, params = example(name)
    names = [*info.inputs, *info.optional_inputs]
    names = names[: len(specs)] if names else list(info.dtypes) * len(specs)
    for place, each in enumerate(names):
        for dtype in STORED:
            alone = retyped(specs, [place], dtype)
            # Where inputs must agree, all that may be of this dtype are.
            together = [k for k, other in enumerate(names) if dtype in info.dtypes[other]]
            if dtype not in info.dtypes[each]:
                with pytest.raises(LaunchError, match=f"must be .*, got {dtype}"):
                    bind(name, alone, params)
                continue
            try:
                bind(name, alone, params)
            except LaunchError:
                bind(name, retyped(specs, together, dtype), params)


@pytest.mark.parametrize("name", SHIPPED)
def test_signature_shape_and_text_are_there(name):
    info = treadle.kernel_info(name)
    assert info.doc
    for text in (*info.inputs, *info.optional_inputs, *(p.name for p in info.parameters)):
        assert re.search(rf"\b{text}\b", info.signature)
    assert info.shape[0].islower() or info.shape[0].isdigit() or info.shape[:1] in "QNHM"
    assert "described" not in info.shape
    assert info.shape in str(info)
    assert all(p.range in str(info) for p in info.parameters)


def test_every_rule_has_values_that_break_it():
    ruled = {(name, p.name) for name, p in PARAMETERS if p.rule}
    ruled = {pair for pair in ruled if pair[1] not in ("size", "axis")}
    assert ruled == set(RULES)
