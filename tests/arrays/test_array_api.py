"""The array API standard: names, signatures, and what they compute beside array-api-strict."""

from __future__ import annotations

import asyncio
import inspect
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from bench.array_calls import (
    FLOAT_BINARY,
    FLOAT_UNARY,
    NUMBER_BINARY,
    NUMBER_UNARY,
    REAL_BINARY,
    REAL_UNARY,
)  # fmt: skip
from bench.array_programs import run_program
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.array_api import make_strategies_namespace

import treadle
from treadle import array_api as xp
from treadle.dtypes import DType

strict = pytest.importorskip("array_api_strict")

# What the standard has and Treadle has not, as docs/arrays.md says with the reasons.
LEFT_OUT = {"complex128", "complex64", "fft", "uint64"}
# What array-api-strict has beside the standard's version 2024.12.
OTHERS = {
    "ArrayAPIStrictFlags", "Device", "broadcast_shapes", "get_array_api_strict_flags", "isin",
    "reset_array_api_strict_flags", "set_array_api_strict_flags",
}  # fmt: skip
LATER = {"astype", "expand_dims", "from_dlpack"}  # what strict spells in another way


def standard(module) -> list[str]:
    return [name for name in module.__all__ if not name.startswith("_")]


def test_what_is_left_out_is_said():
    lacking = {name for name in standard(strict) if not hasattr(xp, name)} - OTHERS
    assert lacking == LEFT_OUT
    assert not {name for name in strict.linalg.__all__ if not hasattr(xp.linalg, name)}
    page = (treadle_docs() / "arrays.md").read_text(encoding="utf-8")
    section = page.partition("## The array API standard")[2]
    assert all(f"`{name}`" in section for name in LEFT_OUT)


def treadle_docs():
    return Path(__file__).resolve().parents[2] / "docs"


def test_what_numpy_computes_is_said():
    folder = Path(xp.__file__).parent
    texts = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    page = (treadle_docs() / "arrays.md").read_text(encoding="utf-8")
    said = page.partition("as a stage in its turn")[2].partition("\n- ")[0]
    names = set(re.findall(r"`(\w+)`", said)) - {"linalg"}
    assert names == set(re.findall(r'hosted\(\s*"(\w+)"', texts))


@pytest.mark.parametrize("module", ["", "linalg"])
def test_signatures_are_the_standards(module):
    ours, theirs = (getattr(xp, module), getattr(strict, module)) if module else (xp, strict)
    for name in standard(theirs):
        function = getattr(theirs, name)
        if name in LATER or not inspect.isfunction(function) or not hasattr(ours, name):
            continue
        found, wanted = (
            [(p.name, p.kind, p.default) for p in inspect.signature(f).parameters.values()]
            for f in (getattr(ours, name), function)
        )
        assert found == wanted, name
        assert getattr(ours, name).__doc__


def test_every_name_says_what_it_is():
    for name in xp.__all__:
        found = getattr(xp, name)
        assert not callable(found) or found.__doc__, name


@pytest.mark.parametrize("seeds", [range(0, 15), range(15, 30)], ids=str)
def test_programs_are_equal_to_strict(seeds):
    """A sample; `python -m bench.array_programs --count 10000` runs more."""
    wrong = {}
    with treadle.use_device("cpu"):
        for seed in seeds:
            outcome = run_program(strict, xp, seed)
            if outcome.wrong:
                wrong[seed] = outcome.wrong
    assert not wrong


def test_programs_on_the_reference():
    with treadle.use_device("reference") as device:
        found = [run_program(strict, xp, seed, device).wrong for seed in range(100, 160)]
    assert not [each for each in found if each]


SPECIAL = np.array(
    [0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 0.5, -0.5, 1.5, -2.5, 1e-30, 1e30, -1e30, 2, -7]
)
FLOATS = [*FLOAT_UNARY, *NUMBER_UNARY, *REAL_UNARY]
PAIRS = [*FLOAT_BINARY, *REAL_BINARY, *NUMBER_BINARY, "nextafter"]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("name", [*FLOATS, *PAIRS])
def test_special_values_and_signs_of_zeros(name, kind):
    values = SPECIAL.astype(kind)
    given = [values] if name in FLOATS else [np.repeat(values, 16), np.tile(values, 16)]
    with np.errstate(all="ignore"):
        wanted = np.asarray(getattr(strict, name)(*map(strict.asarray, given)))
    device = treadle.device("reference")
    found = getattr(xp, name)(*[xp.asarray(x, device=device, copy=True) for x in given]).to_numpy()
    assert found.dtype == wanted.dtype
    if wanted.dtype.kind == "f":
        np.testing.assert_allclose(found, wanted, rtol=1e-6 if kind is np.float32 else 1e-14)
        numbers = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(found)[numbers], np.signbit(wanted)[numbers])
    else:
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("number", [2.0, -3.0, 0.5, 0.0, np.inf])
@pytest.mark.parametrize("op", ["__mod__", "__rmod__", "__floordiv__", "__rfloordiv__"])
def test_rests_beside_numbers_are_numpys(op, number):
    x = treadle.device("reference").buffer(SPECIAL)
    with np.errstate(all="ignore"):
        wanted = getattr(SPECIAL, op)(number)
    np.testing.assert_array_equal(getattr(x, op)(number).to_numpy(), wanted)


def test_a_triangle_of_infinite_numbers_has_zeros_beside_it():
    found = xp.triu(xp.full((2, 2), float("inf"))).tolist()
    assert found == [[np.inf, np.inf], [0.0, np.inf]]


def test_a_condition_of_no_axes_is_all_or_nothing():
    x = xp.asarray([[1, 2], [3, 4]])
    yes, no = xp.asarray(True), xp.asarray(False)
    assert x[yes].tolist() == [[[1, 2], [3, 4]]]
    assert x[no].shape == (0, 2, 2)
    x[no] = 9
    assert x.tolist() == [[1, 2], [3, 4]]
    x[yes] = xp.asarray([7, 8])
    assert x.tolist() == [[7, 8], [7, 8]]
    assert xp.asarray(5)[yes].tolist() == [5]


def test_ints_beside_arrays_of_positions():
    x = xp.asarray([[1, 2], [3, 4]])
    assert x[xp.asarray([0, 1]), 1].tolist() == [2, 4]
    assert x[1, xp.asarray([0, -1])].tolist() == [3, 4]


def test_numbers_become_conditions():
    x = treadle.buffer([2, 0, 1], dtype="bool")
    assert x.tolist() == [True, False, True]
    x[::-2] = False
    assert x.tolist() == [False, False, False]


def test_a_buffer_knows_its_namespace():
    x = treadle.buffer([1.0, 2.0])
    assert x.__array_namespace__() is xp
    assert x.__array_namespace__(api_version="2023.12") is xp
    with pytest.raises(ValueError, match=r"api_version: expected 2021\.12 to 2024\.12"):
        x.__array_namespace__(api_version="2030.12")
    assert x.to_device(x.device) is x
    info = xp.__array_namespace_info__()
    assert info.default_dtypes()["real floating"] is xp.float32
    assert info.default_device() in info.devices()
    assert info.dtypes(kind="bool") == {"bool": xp.bool}


def test_functions_wait_for_nothing(manual):
    device, backend = manual
    x = xp.asarray(np.float32([1, 2, 3]), device=device)
    backend.hold = True
    made = xp.add(x, x)
    assert not made.ready


def test_functions_of_the_host_are_stages_that_can_be_awaited():
    async def main():
        a = xp.asarray([[2.0, 0.0], [0.0, 4.0]])
        found = await xp.linalg.inv(a)
        return found.tolist()

    assert asyncio.run(main()) == [[0.5, 0.0], [0.0, 0.25]]


def test_arrays_of_others_are_copied_unless_they_must_not_be():
    theirs = np.arange(3.0)
    copied, shared = xp.asarray(theirs), xp.asarray(theirs, copy=False)
    theirs[0] = 9
    assert (copied.tolist(), shared.tolist()) == ([0, 1, 2], [9, 1, 2])
    with pytest.raises(ValueError, match="without a copy"):
        xp.asarray(theirs, dtype=xp.float32, copy=False)
    with pytest.raises(ValueError, match="copy: Python's numbers are copied"):
        xp.asarray([1.0], copy=False)


def test_folds_and_signs_on_every_device(device):
    x = xp.asarray(np.float32([[0, 1, 2], [-0.0, np.nan, -3]]), device=device)
    assert xp.all(x, axis=0).tolist() == [False, True, True]
    assert xp.any(x, axis=1).tolist() == [True, True]
    assert xp.signbit(x).tolist() == [[False, False, False], [True, False, True]]
    signed = xp.copysign(xp.full_like(x, 2), x)
    assert signed.tolist() == [[2, 2, 2], [-2, 2, -2]]
    assert (x[0] % 1.5).tolist() == [0, 1, 0.5]
    assert (5.0 // x[0]).tolist() == [np.inf, 5, 2]


def test_what_numpy_refuses_is_raised_by_what_reads():
    made = xp.linalg.inv(xp.zeros((2, 2)))
    with pytest.raises(treadle.CommandFailed, match="Singular"):
        made.tolist()


def test_a_pipeline_records_functions_of_the_standard():
    @treadle.pipeline
    def standardised(x):
        namespace = x.__array_namespace__()
        apart = x - namespace.mean(x, axis=0, keepdims=True)
        return apart / namespace.std(x, axis=0, keepdims=True)

    values = np.random.default_rng(0).random((8, 3))
    found = standardised(treadle.buffer(values)).to_numpy()
    np.testing.assert_allclose(found, (values - values.mean(0)) / values.std(0), rtol=1e-12)


TRACED = {
    "sums": lambda x: x + xp.sum(x, axis=0) / xp.prod(x, axis=1, keepdims=True),
    "like": lambda x: xp.add(xp.ones_like(x), x) * xp.zeros_like(x) + 1,
    "shapes": lambda x: xp.concat([xp.flip(x, axis=0), xp.roll(x, 1, axis=1)], axis=1),
    "stack": lambda x: xp.stack([x, xp.square(x)], axis=-1),
    "tile": lambda x: xp.tile(x, (2, 1)) + xp.repeat(x, 2, axis=0),
    "broadcast": lambda x: xp.broadcast_to(xp.mean(x, axis=0), (5, 3)),
    "choice": lambda x: xp.where(xp.logical_and(x > 0.2, xp.isfinite(x)), x, -x),
    "order": lambda x: xp.take_along_axis(x, xp.argsort(x, axis=1), axis=1),
    "running": lambda x: xp.cumulative_sum(x, axis=0) + xp.cumulative_prod(x, axis=0),
    "types": lambda x: xp.astype(xp.round(x * 10), xp.int32) // 2 % 3,
    "matrices": lambda x: xp.matmul(x, xp.matrix_transpose(x)) + xp.tensordot(x, x.mT, axes=1),
    "triangles": lambda x: xp.tril(x) + xp.triu(x, k=1),
    "linalg": lambda x: xp.linalg.svdvals(x) + xp.linalg.vector_norm(x, axis=0),
    "mixed": lambda x: xp.atan2(x, xp.clip(x, 0.1, 0.5)) + xp.maximum(x, 0.3) + xp.pow(x, 2),
    "tests": lambda x: xp.all(x > 0, axis=1) | xp.any(x > 2, axis=1),
    "counts": lambda x: xp.count_nonzero(x > 0.5, axis=0) + xp.argmax(x, axis=0),
    "variance": lambda x: xp.var(x, axis=0, correction=1) + xp.diff(x, axis=0)[0],
}


@pytest.mark.parametrize("name", TRACED)
def test_functions_record_what_they_would_compute(name):
    with treadle.use_device("reference"):
        x = treadle.buffer(np.random.default_rng(0).random((4, 3)))
        wanted = TRACED[name](x).to_numpy()
        found = treadle.pipeline(TRACED[name])(x).to_numpy()
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_parts_of_complex_and_of_real_numbers():
    z = treadle.buffer(np.array([1 + 2j, 3 - 1j], np.complex64))
    assert (xp.real(z).tolist(), xp.imag(z).tolist()) == ([1, 3], [2, -1])
    assert xp.conj(z).tolist() == [1 - 2j, 3 + 1j]
    x = xp.asarray([-2.0, float("inf")])
    assert (xp.real(x).tolist(), xp.conj(x).tolist()) == (x.tolist(), x.tolist())
    assert xp.imag(x).tolist() == [0, 0]


def test_dtypes_that_a_function_does_not_take_are_refused_by_name():
    with pytest.raises(TypeError, match="sin: expected floating dtypes, got s32"):
        xp.sin(xp.asarray([1, 2], dtype=xp.int32))
    with pytest.raises(TypeError, match="x: expected an array, got list; see"):
        xp.sin([1.0])
    with pytest.raises(TypeError, match="where: expected an array"):
        xp.where(xp.asarray([True]), 1, 2)


def test_hypothesis_makes_arrays_of_the_namespace():
    """As the standard's own test suite does, which asks types for their names."""
    assert xp.float32 == "float32" == treadle.buffer([1.0]).dtype
    assert xp.float32 != "float64"
    assert all((a == b) is (a is b) for a in DType for b in DType)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about what is left out
        known = make_strategies_namespace(xp, api_version="2024.12")

        @settings(max_examples=10, deadline=None, database=None)
        @given(known.arrays(known.real_dtypes() | known.boolean_dtypes(), (2, 3)), st.data())
        def parts(x, data):
            index = data.draw(known.indices((2, 3), allow_newaxis=True))
            np.testing.assert_array_equal(x[index].to_numpy(), x.to_numpy()[index])

        with treadle.use_device("reference"):
            parts()


def test_python_numbers_become_what_the_device_has():
    assert xp.asarray([1, 2]).dtype == "s64"
    assert xp.asarray([1.0]).dtype == "f32"
    assert xp.asarray([True]).dtype == "bool"
    assert xp.asarray([]).dtype == "f32"
    assert xp.asarray(3, dtype=xp.float64).item() == 3.0


def test_array_api_compat_recognises_buffers():
    compat = pytest.importorskip("array_api_compat")
    x = treadle.buffer([[1.0, 2.0]])
    assert compat.is_array_api_obj(x)
    assert compat.array_namespace(x, x * 2) is xp
    assert compat.size(x) == 2
    assert compat.device(x) is x.device


SCIPY = """
import numpy as np, treadle
from scipy import special
data = np.random.default_rng(0).random((20, 3))
x = treadle.buffer(data)
for function in (
    lambda x: special.logsumexp(x, axis=0),
    lambda x: special.softmax(x, axis=1),
    lambda x: special.log_softmax(x, axis=0),
    lambda x: special.entr(x),
):
    found = function(x)
    assert type(found) is treadle.Buffer, found
    np.testing.assert_allclose(found.to_numpy(), function(data), rtol=1e-10)
print("equal")
"""


def test_scipy_computes_with_buffers():
    pytest.importorskip("scipy")
    done = subprocess.run(
        [sys.executable, "-c", SCIPY],
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.stdout.strip() == "equal", done.stderr
