"""Composites and declarations: any number of inputs, reshaped handles, shared scratch, dtypes."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import treadle
from bound import evaluate, spec_of
from kernel_text import define
from treadle.backends.cpu.launch import Launch, PartsStep
from treadle.backends.cpu.workers import Workers
from treadle.dtypes import STORED
from treadle.errors import KernelSyntaxError, LaunchError
from treadle.lang.binding import Lowering
from treadle.passes.fuse import fuse

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


@treadle.kernel(shape=lambda inputs: (len(inputs), *inputs[0].shape))
def stacked(at, *inputs):
    value = inputs[0][at[1:]]
    for k in range(1, len(inputs)):
        value = inputs[k][at[1:]] if at[0] == k else value
    return value


@treadle.kernel
def weighed(at, weights, *inputs):
    total = 0.0
    for k in range(len(inputs)):
        total += weights[k] * inputs[k][at[0]]
    return total


@treadle.pointwise
def plus_one(x):
    return x + 1


@treadle.composite
def steps(x, *, count=4):
    for _ in range(count):
        x = plus_one(x)
    return x


@treadle.composite
def flattened(x):
    rows = plus_one(x.reshape((6, 4)))
    return plus_one(rows.reshape((24,)))


def bind(kernel, *arrays, **params):
    key, values = kernel.arguments(params)
    return kernel.bind(tuple(map(spec_of, arrays)), None, key, values)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_kernel_takes_any_number_of_inputs(count):
    arrays = [X[0] * k for k in range(count)]
    np.testing.assert_array_equal(evaluate(stacked, *arrays), np.stack(arrays))


def test_named_inputs_come_before_the_others():
    rows = [np.full(3, k, np.float32) for k in range(2)]
    out = evaluate(weighed, np.array([2, 5, 0], np.float32), *rows, output=spec_of(rows[0]))
    np.testing.assert_array_equal(out, [5, 5, 5])


def test_no_inputs_and_other_forms_are_refused():
    with pytest.raises(LaunchError, match="takes 1 or more inputs, got 0"):
        evaluate(stacked)
    assert stacked.signature == "stacked(*inputs)"
    with pytest.raises(KernelSyntaxError, match="args"):
        define("def f(state, *rest):\n    return state, 1\n", treadle.scan(init=0))


def test_a_handle_can_be_reshaped_without_a_stage():
    bound = bind(flattened, X)
    assert len(bound.stages) == 2
    assert bound.outputs[0].shape == (24,)
    np.testing.assert_array_equal(evaluate(flattened, X), X.reshape(-1) + 2)


def test_a_handle_keeps_its_elements():
    @treadle.composite
    def wrong(x):
        return plus_one(x.reshape((5, 5)))

    with pytest.raises(LaunchError, match=r"24 elements of shape \(2, 3, 4\) cannot be reshaped"):
        bind(wrong, X)


def test_an_output_that_is_read_again_under_another_shape_has_the_type_asked_for():
    @treadle.composite
    def two(x):
        first = plus_one(x)
        return first, plus_one(first.reshape((24,)))

    double = spec_of(X.astype(np.float64)), spec_of(X.reshape(-1))
    first, second = evaluate(two, X, output=double)
    assert first.dtype == np.float64
    np.testing.assert_array_equal(second, first.reshape(-1) + 1)


@pytest.mark.parametrize("count, scratch", [(1, 0), (2, 1), (3, 2), (9, 2)])
def test_scratch_is_used_again_once_nobody_reads_it(count, scratch):
    bound = fuse(bind(steps, X, count=count), tensors=0).bound
    assert len(bound.temps) == scratch
    for stage in bound.stages:
        assert not set(stage.reads) & set(stage.writes)
    np.testing.assert_array_equal(evaluate(steps, X, count=count), X + count)


@treadle.kernel
def looked_up(at, places, table):
    return table[places[at[0]]]


@treadle.composite
def powers(places, *, base=2):
    return looked_up(places, treadle.constant([base**k for k in range(5)]))


def test_a_composite_reads_a_constant_that_it_computed(device):
    places = treadle.buffer([4, 0, 3], dtype="s32")
    for base in (2, 3, 2):
        assert treadle.run_kernel(powers, [places], base=base).read_list() == [base**4, 1, base**3]


@pytest.mark.parametrize(
    "values, dtype, expected",
    [
        ([1, 2], None, "s32"),
        ([1, 2**40], None, "s64"),
        ([1, 2.5], None, "f32"),
        (3.5, None, "f32"),
        ([1, 2], "u8", "u8"),
        ([True, False], None, "bool"),
        (np.ones(3), None, "f64"),
        (np.ones(3), "f32", "f32"),
        (np.arange(3, dtype=np.uint32), None, "u32"),
        (np.arange(3), treadle.s32, "s32"),
    ],
)
def test_the_dtype_of_a_constant(values, dtype, expected):
    made = treadle.constant(values, dtype)
    assert (made.dtype, made.shape, made.ndim) == (expected, np.shape(values), np.ndim(values))


def test_a_constant_is_a_copy():
    values = np.arange(3, dtype=np.float32)
    made = treadle.constant(values)
    values[0] = 9
    assert made.array.tolist() == [0, 1, 2]


@pytest.mark.parametrize("values", ["abc", None, {"a": 1}, [1, "x"], [1j], [[1], [1, 2]]])
def test_what_is_no_numbers_is_no_constant(values):
    with pytest.raises(LaunchError, match="constant: values must be numbers, got"):
        treadle.constant(values)


@pytest.mark.parametrize("dtype", ["f17", np.complex64])
def test_a_constant_has_a_dtype_that_is_stored(dtype):
    with pytest.raises(LaunchError, match="dtype: expected one of f32"):
        treadle.constant([1, 2], dtype)


def test_takes_names_the_dtypes_of_inputs():
    kernel = define(
        "def f(x, places):\n    return x + places\n",
        decorator=lambda f: treadle.pointwise(takes={"places": ("s32", "u8")})(f),
    )
    assert kernel.info().dtypes["places"] == ("s32", "u8")
    assert kernel.info().dtypes["x"] == STORED
    with pytest.raises(LaunchError, match="places must be s32 or u8, got f32"):
        evaluate(kernel, X, X)
    with pytest.raises(LaunchError, match="no input 'place'; did you mean 'places'"):
        define(
            "def f(x, places):\n    return x\n",
            decorator=lambda f: treadle.pointwise(takes={"place": ("s32",)})(f),
        )


@pytest.mark.parametrize("name", [n for n in treadle.kernels() if treadle.kernel_info(n).shipped])
def test_every_shipped_kernel_says_what_it_takes_and_gives(name):
    info = treadle.kernel_info(name)
    assert info.doc
    assert info.shape
    assert set(info.inputs) <= set(info.dtypes)
    text = str(info)
    assert "output: " in text
    for parameter in info.parameters:
        assert f"  {parameter.name}: " in text


def test_parts_of_a_call_are_shared_and_a_failure_ends_the_launch():
    workers = Workers(2)
    try:
        for fails in (False, True):
            seen, ended = [], threading.Event()

            def work(part, fails=fails, seen=seen):
                seen.append(part)
                if fails and part == 3:
                    raise ValueError("no")

            launch = Launch(
                [lambda work=work: PartsStep(work, 7, 2)], lambda _, e=ended: e.set(), workers, 1
            )
            workers.submit(launch, priority=1)
            assert ended.wait(30)
            assert sorted(seen) == list(range(7))
            assert isinstance(launch.error, ValueError) == fails
    finally:
        workers.close()


@pytest.mark.parametrize("dtype, times", [(np.float32, 1), (np.int32, 2)])
def test_calls_that_are_alike_are_lowered_once(monkeypatch, dtype, times):
    """A second time where it matters that the output is given: sums for s32 may wrap."""
    real, lowered = Lowering.evaluate, []
    monkeypatch.setattr(
        Lowering, "evaluate", lambda self, *rest: (lowered.append(self), real(self, *rest))[1]
    )

    @treadle.composite
    def nested(x):
        return steps(steps(x, count=2), count=3)

    x = np.zeros(5, dtype)
    bound = bind(nested, x)
    assert len(bound.stages) == 5
    assert len(lowered) == times
    alone = (
        bind(plus_one, x)
        if times == 1
        else plus_one.bind((spec_of(x),), (spec_of(x),), *plus_one.arguments({}))
    )
    assert {stage.kernel for stage in bound.stages} == {alone.stages[0].kernel}
