"""Loops in plans against the same turns written out, on every device."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from repeats import PAIRS, doubled, drifted

X, Y = (np.random.default_rng(seed).normal(size=12).astype(np.float32) for seed in (1, 2))


def ran(kernel, count, x=X, y=Y, output=None):
    found = treadle.run_kernel(kernel, [treadle.buffer(x), treadle.buffer(y)], output, count=count)
    found = found if isinstance(found, tuple | list) else (found,)
    return [buffer.to_numpy() for buffer in found]


def same(left, right):
    for a, b in zip(left, right, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("count", [1, 2, 7])
@pytest.mark.parametrize("name", PAIRS)
def test_a_loop_is_its_turns(device, name, count):
    looped, written_out = PAIRS[name]
    same(ran(looped, count), ran(written_out, count))


def test_no_turns_give_the_state_itself(device):
    looped, written_out = PAIRS["beside"]
    same(ran(looped, 0, X, Y), ran(written_out, 0, X, Y))


def test_a_result_that_turns_read_has_the_dtype_of_the_output(device):
    looped, written_out = PAIRS["staying"]
    made = []
    for kernel in (looped, written_out):
        outputs = [treadle.empty(12), treadle.empty(12, "s32")]
        made.append(ran(kernel, 3, 8 * X, 8 * Y, output=outputs))
    same(*made)


def test_an_output_of_another_dtype_is_converted_once(device):
    looped, written_out = PAIRS["two"]
    outputs = [treadle.empty(12, "s32") for _ in range(2)]
    made = ran(looped, 5, 8 * X, 8 * Y, output=outputs)
    want = ran(written_out, 5, 8 * X, 8 * Y)
    for got, exact in zip(made, want, strict=True):
        assert got.dtype == np.int32
        np.testing.assert_array_equal(got, exact.astype(np.int32))


@pytest.mark.parametrize("name, count", [("started", 4), ("early", 2)])
def test_inputs_may_be_outputs(device, name, count):
    looped, written_out = PAIRS[name]
    for place in range(count):
        x, y = treadle.buffer(X), treadle.buffer(Y)
        outputs = [treadle.empty(12) for _ in range(count)]
        outputs[place] = x
        treadle.run_kernel(looped, [x, y], outputs, count=4)
        same([buffer.to_numpy() for buffer in outputs], ran(written_out, 4))


def test_a_loop_in_a_pipeline(device):
    looped, written_out = PAIRS["one"]
    results = []
    for kernel in (looped, written_out):
        x, y = treadle.buffer(X), treadle.buffer(Y)
        out = treadle.empty(12)
        with treadle.Pipeline() as pipeline:
            before = pipeline.temp(12)
            after = pipeline.temp(12)
            pipeline.run_kernel(doubled, [x], before)
            pipeline.run_kernel(kernel, [before, y], after, count=6)
            pipeline.run_kernel(drifted, [after, x], out, by=2)
            pipeline.run_kernel(kernel, [out, y], x, count=3)
            pipeline.run()
            pipeline.run()
            results.append([out.to_numpy(), x.to_numpy()])
    same(*results)


def test_a_loop_in_a_traced_function(device):
    looped, written_out = PAIRS["two"]

    def traced(kernel):
        @treadle.pipeline
        def whole(x, y):
            a, b = kernel(doubled(x), y, count=5)
            return drifted(a, b, by=1)

        return whole(treadle.buffer(X), treadle.buffer(Y)).to_numpy()

    same([traced(looped)], [traced(written_out)])


def test_a_traced_function_may_loop_itself(device):
    @treadle.pipeline
    def whole(x, y):
        return treadle.repeat(lambda turn, x: drifted(x, y, by=turn), 5, x)

    want = X
    for turn in range(5):
        want = np.float32(0.5) * want + Y[np.maximum(np.arange(12) - turn, 0)] + np.float32(turn)
    found = whole(treadle.buffer(X), treadle.buffer(Y)).to_numpy()
    np.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-6)
