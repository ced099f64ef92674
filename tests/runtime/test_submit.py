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
        stages = ()

        def submit(self, *, priority):
            assert priority == "background"
            return inline.submit(times, [vector(inline, 1, 2)])

        def submit_among(self, several, priority):
            raise AssertionError("there are no others")

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
        ({"op": "barrier", "kernel": "times"}, "barrier: expected no kernel.*got 'times'"),
        ({"op": "barrier", "params": {"k": 2}}, "barrier: expected no params"),
        ({"op": "barrier", "fence": None}, "got 'fence'"),
        ({"op": "run_kernel", "kernel": None}, "'kernel' is missing"),
        ({"op": "run_kernel", "kernel": "times", "input": 1, "inputs": 2}, "given twice"),
        (
            {"op": "run_pipeline", "pipeline": None},
            "of recorded stages, got None",
        ),
        ({"op": ["barrier"]}, "op: expected"),
    ],
)
def test_mappings_that_say_nothing_known(inline, spec, text):
    with pytest.raises(treadle.LaunchError, match=text):
        inline.submit(spec)


def five(op, kernel=None, inputs=(), output=None, params=None):
    """A stage as the documents write it: every key, whether the operation uses it or not."""
    return dict(op=op, kernel=kernel, inputs=list(inputs), output=output, params=params or {})


def test_mappings_may_have_every_key(inline):
    a, b, c = vector(inline, 1, 2), inline.empty(2), inline.empty(2)
    assert inline.submit(five("run_kernel", "times", [a], b, {"k": 3})).wait(0).output is b
    assert inline.submit(five("copy_buffer", None, [b], c)).wait(0).output is c
    assert inline.submit(five("barrier")).wait(0).output is None
    assert c.read_list() == [3.0, 6.0]
    p = treadle.pipeline(inline)
    p.add(five("run_kernel", "times", [a], b, {"k": 5})).add(five("barrier"))
    p.add(five("copy_buffer", None, [b], c))
    asked = {**five("run_pipeline"), "pipeline": p, "priority": None}
    assert inline.submit(asked, priority="background").wait(60).output is c
    assert c.read_list() == [5.0, 10.0]
    assert [dict(stage) for stage in p.stages] == [
        five("run_kernel", "times", [a], b, {"k": 5}) | {"inputs": (a,)},
        five("barrier") | {"inputs": ()},
        five("copy_buffer", None, [b], c) | {"inputs": (b,)},
    ]
    again = treadle.pipeline(inline)
    for stage in p.stages:
        again.add(dict(stage))
    c.write([0.0, 0.0])
    assert again.run() is c
    assert c.read_list() == [5.0, 10.0]


def test_keys_that_an_operation_does_not_use_are_refused_unless_empty(inline):
    a = vector(inline, 1, 2)
    p = treadle.pipeline(inline)
    for spec in (
        five("barrier", None, [a]),
        five("barrier", None, (), a),
        five("copy_buffer", "times", [a], inline.empty(2)),
        five("copy_buffer", None, [a], inline.empty(2), {"k": 2}),
        {**five("barrier"), "pipeline": p},
    ):
        with pytest.raises(treadle.LaunchError, match=f"{spec['op']}: expected no "):
            inline.submit(spec)
        with pytest.raises(treadle.LaunchError, match=f"{spec['op']}: expected no "):
            p.add(spec)
    with pytest.raises(treadle.LaunchError, match="priority: a stage has none"):
        p.add({**five("run_kernel", "times", [a]), "priority": "background"})
    with pytest.raises(treadle.LaunchError, match="op: expected one of"):
        p.add({"op": "run_pipeline", "pipeline": p})
    assert not len(p)


def test_pipelines_and_operations_can_be_submitted_by_themselves(inline):
    a, b, c = vector(inline, 1, 2), inline.empty(2), inline.empty(2)
    p = treadle.pipeline(inline).add("times", [a], b, k=3).add("barrier")
    p.add("copy_buffer", [b], c)
    assert [stage.op for stage in p.stages] == ["run_kernel", "barrier", "copy_buffer"]
    for form in (
        lambda: inline.submit(p),
        lambda: inline.submit(p, priority="interactive"),
        lambda: inline.submit("run_pipeline", p),
        lambda: inline.submit("run_pipeline", [p]),
        lambda: treadle.submit(p),  # whatever the default device: a pipeline has its own
        lambda: treadle.submit("run_pipeline", p),
    ):
        c.write([0.0, 0.0])
        command = form()
        assert command.wait(60).output is c
        assert command.submitted_at.startswith(__file__)
        assert c.read_list() == [3.0, 6.0]
    assert inline.submit("copy_buffer", [a], b).wait(0).output is b
    assert b.read_list() == [1.0, 2.0]
    assert inline.submit("barrier").wait(0).kernel == "barrier"
    for bad, text in [
        (lambda: inline.submit(p, [a]), "run_pipeline: expected no inputs"),
        (lambda: inline.submit(p, k=3), "run_pipeline: expected no params"),
        (lambda: inline.submit("run_pipeline"), "expected one pipeline, got 0"),
        (lambda: inline.submit("run_pipeline", a), "run_pipeline: expected a pipeline"),
        (lambda: inline.submit("run_pipeline", p, b), "run_pipeline: expected no output"),
        (lambda: inline.submit("barrier", [a]), "barrier: expected no inputs"),
        (lambda: inline.submit("run_kernel", [a]), "the kernel's name"),
        (lambda: inline.submit(inline), "a kernel made by a decorator or a pipeline"),
        (lambda: p.add("barrier", [a]), "barrier: expected no inputs"),
        (lambda: p.add("run_pipeline", p), "no kernel is named 'run_pipeline'"),
    ]:
        with pytest.raises(treadle.LaunchError, match=text):
            bad()
    p.free()
    with pytest.raises(treadle.TreadleError, match="after free"):
        inline.submit(p)


def test_a_function_that_was_made_a_pipeline_is_submitted_like_a_kernel(inline):
    @treadle.pipeline
    def scaled(x, *, k=2.0):
        return treadle.run_kernel("times", [treadle.run_kernel("times", [x], k=k)], k=10.0)

    a, out = vector(inline, 1, 2), inline.empty(2)
    spec = {"op": "run_kernel", "kernel": scaled, "inputs": [a], "output": out, "params": {"k": 4}}
    for command in (
        inline.submit(scaled, [a], k=4),
        inline.submit(scaled, [a], out, {"k": 4}),
        inline.submit(spec),
    ):
        assert command.wait(60).output.read_list() == [40.0, 80.0]
        assert command.submitted_at.startswith(__file__)
    assert out.read_list() == [40.0, 80.0]
    assert inline.run_kernel(scaled, [a]).read_list() == [20.0, 40.0]
    for form in (
        lambda: inline.submit("run_pipeline", scaled),
        lambda: inline.submit({"op": "run_pipeline", "pipeline": scaled}),
    ):
        with pytest.raises(treadle.LaunchError, match="submitted like a kernel, with its inputs"):
            form()


def test_a_mapping_stands_alone(inline):
    with pytest.raises(treadle.LaunchError, match="no other arguments"):
        inline.submit({"op": "barrier"}, [vector(inline, 1)])


def test_unknown_names_suggest_the_nearest(inline):
    a = vector(inline, 1, 2)
    with pytest.raises(treadle.LaunchError, match="did you mean 'times'"):
        inline.submit("timse", [a])
    with pytest.raises(treadle.LaunchError, match="did you mean 'relu'"):
        inline.submit("ReLU", [a])
    with pytest.raises(treadle.LaunchError, match=r"got 2; parameters go by name: slope=\.\.\."):
        inline.submit("relu", [a, a])
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


def test_parameters_that_are_equal_and_not_the_same_are_told_apart():
    """What was found for parameters is kept for the next submit with the same."""
    device = treadle.device("cpu")
    x, rows = vector(device, 1, -2), device.buffer([[1.0, 2.0], [3.0, 4.0]])
    for _ in range(3):
        signs = [
            np.signbit(device.run_kernel("scale", [x], scalar=zero).to_numpy()).tolist()
            for zero in (0.0, -0.0, 0, False)
        ]
        assert signs == [[False, True], [True, False], [False, True], [False, True]]
        sums = [device.run_kernel("reduce_sum", [rows], axis=a) for a in (0, 1, None)]
        assert [each.read_list() for each in sums] == [[4.0, 6.0], [3.0, 7.0], 10.0]
        for wrong in (True, 2, "0"):
            with pytest.raises(treadle.LaunchError, match="axis"):
                device.run_kernel("reduce_sum", [rows], axis=wrong)
        assert device.run_kernel("scale", [x], scalar=np.float32(2)).read_list() == [2.0, -4.0]


def test_a_file_that_changed_is_read_again(tmp_path):
    """A name says nothing of what the file holds by now."""
    device, path = treadle.device("cpu"), tmp_path / "look.cube"
    image = device.buffer(np.full((2, 2, 3), 0.5, np.float32))
    for high in (1.0, 0.5, 0.25):
        path.write_text(f"LUT_1D_SIZE 2\n0 0 0\n{high} {high} {high}\n")
        for _ in range(2):  # the second finds what the first left
            made = device.submit("lut_apply", [image], params={"file": str(path)})
            made.wait()
            np.testing.assert_allclose(made.result().to_numpy(), high / 2)


@pytest.mark.parametrize("params", [[1], "slope", 5])
def test_parameters_that_are_no_mapping_are_refused(inline, params):
    with pytest.raises(treadle.LaunchError, match="params: expected a mapping"):
        inline.submit("relu", [vector(inline, 1)], params=params)
