"""What submit takes, and what it refuses before anything is enqueued."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from runtime.shared import both, plus, times, vector
from treadle.testing import manual_device


@pytest.fixture
def inline(make_manual):
    return make_manual(inline=True)[0]


def test_forms_of_run_kernel(inline):
    a, out = vector(inline, 1, 2), inline.empty(2)
    spec = {"op": "run_kernel", "kernel": "times", "inputs": [a], "output": out}
    for given, expected in [
        (inline.submit(spec), 2),
        (inline.submit({**spec, "params": {"k": 3}}), 3),
        (inline.submit({"kernel": times, "input": a, "output": out, "params": {"k": 4}}), 4),
        (inline.submit("times", [a], out, k=5), 5),
        (inline.submit(times, (a,), out, {"k": 6}), 6),
        (inline.submit(times, a, out, {"k": 6}, k=7), 7),
    ]:
        assert given.wait(0).output is out
        assert given.kernel == "times"
        del expected
    assert out.read_list() == [7.0, 14.0]
    assert inline.run_kernel(times, [a], k=8).read_list() == [8.0, 16.0]


def test_a_parameter_called_priority_goes_through_params(inline):
    @treadle.pointwise
    def ranked(x, *, priority=1.0):
        return x * priority

    a = vector(inline, 1, 2)
    out = inline.run_kernel(ranked, [a], params={"priority": 5.0}, priority="background")
    assert out.read_list() == [5.0, 10.0]


def test_run_pipeline_submits_the_pipeline(inline):
    class Recorded:
        def submit(self, *, priority):
            assert priority == "background"
            return inline.submit(times, [vector(inline, 1, 2)])

    spec = {"op": "run_pipeline", "pipeline": Recorded(), "priority": "background"}
    command = inline.submit(spec)
    assert command.wait(0).output.read_list() == [2.0, 4.0]
    with pytest.raises(treadle.LaunchError, match="pipeline"):
        inline.submit({"op": "run_pipeline", "pipeline": 3})


@pytest.mark.parametrize(
    "spec, text",
    [
        ({"op": "run_kernal", "kernel": "times"}, "did you mean 'run_kernel'"),
        ({"op": "run_kernel", "kernel": "times", "imputs": []}, "did you mean 'inputs'"),
        ({"op": "run_kernel"}, "'kernel' is missing"),
        ({"op": "barrier", "inputs": []}, "got 'inputs'"),
        ({"op": ["barrier"]}, "op: expected"),
    ],
)
def test_mappings_that_say_nothing_known(inline, spec, text):
    with pytest.raises(treadle.LaunchError, match=text):
        inline.submit(spec)


def test_a_mapping_stands_alone(inline):
    with pytest.raises(treadle.LaunchError, match="no other arguments"):
        inline.submit({"op": "barrier"}, [vector(inline, 1)])


def test_unknown_names_suggest_the_nearest(inline):
    a = vector(inline, 1, 2)
    with pytest.raises(treadle.LaunchError, match="did you mean 'times'"):
        inline.submit("timse", [a])
    with pytest.raises(treadle.LaunchError, match=r"slop.*did you mean 'slope'"):
        inline.submit("relu", [a], slop=1)


@pytest.mark.parametrize("bad", [3, None, lambda x: x, object()])
def test_what_is_no_kernel(inline, bad):
    with pytest.raises(treadle.LaunchError, match="kernel: expected"):
        inline.submit(bad, [vector(inline, 1, 2)])


@pytest.mark.parametrize("bad", [np.zeros(2), [1.0, 2.0], 3.0, "a", None])
def test_what_is_no_buffer(inline, bad):
    a = vector(inline, 1, 2)
    with pytest.raises(treadle.LaunchError, match=r"inputs: expected a Buffer.*treadle\.buffer"):
        inline.submit(plus, [a, bad])
    with pytest.raises(treadle.LaunchError, match=r"inputs: expected a Buffer.*treadle\.buffer"):
        inline.submit(times, bad)
    if bad is not None:
        with pytest.raises(treadle.LaunchError, match="output: expected a Buffer"):
            inline.submit(times, [a], bad)
        with pytest.raises(treadle.LaunchError, match="output: expected a Buffer"):
            inline.submit(both, [a, a], [a, bad])


def test_arity_shape_and_dtype_are_checked(inline):
    a, b = vector(inline, 1, 2), vector(inline, 1, 2, 3)
    for inputs, output in (([a], None), ([a, a, a], None), ([a, b], None), ([a, a], b)):
        with pytest.raises((treadle.LaunchError, treadle.KernelError)):
            inline.submit(plus, inputs, output)
    with pytest.raises(treadle.LaunchError):
        inline.submit(both, [a, a], a)  # two outputs
    assert inline.in_flight == 0


def test_a_freed_buffer_is_refused(inline):
    a, b = vector(inline, 1, 2), vector(inline, 3, 4)
    view = a[:1]
    a.free()
    for inputs, output in (([a, b], None), ([b, b], a), ([view, view], None)):
        with pytest.raises(treadle.BufferFreed):
            inline.submit(plus, inputs, output)


def test_a_buffer_of_another_device_is_refused(inline):
    other, _ = manual_device()
    a, foreign = vector(inline, 1, 2), vector(other, 3, 4)
    with pytest.raises(treadle.LaunchError, match="opened separately"):
        inline.submit(plus, [a, foreign])
    with pytest.raises(treadle.LaunchError, match="output"):
        inline.submit(plus, [a, a], foreign)
    other.close()


def test_copies_are_checked(inline):
    a = vector(inline, 1, 2)
    for spec in (
        {"op": "copy_buffer", "input": a},
        {"op": "copy_buffer", "output": a},
        {"op": "copy_buffer", "inputs": [a, a], "output": a},
        {"op": "copy_buffer", "input": a, "output": inline.empty(3)},
        {"op": "copy_buffer", "input": a, "output": inline.empty(2, "s32")},
    ):
        with pytest.raises(treadle.LaunchError):
            inline.submit(spec)
    target = inline.empty((2, 1))
    inline.submit({"op": "copy_buffer", "input": a, "output": target})
    assert target.read_list() == [[1.0], [2.0]]


def test_submit_while_others_fail_goes_on(inline):
    a = vector(inline, 1, 2)
    for _ in range(3):
        with pytest.raises(treadle.LaunchError):
            inline.submit(plus, [a])
        assert inline.run_kernel(times, [a]).read_list() == [2.0, 4.0]
