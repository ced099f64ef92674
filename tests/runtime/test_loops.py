"""Loops of composites in launches: steps, memory, failure, words and pictures."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from repeats import PAIRS, doubled, drifted
from runtime.shared import times, vector
from treadle.passes import fuse


@treadle.composite
def fallen(x, *, count):
    return doubled(treadle.repeat(lambda turn, x: drifted(x, x, by=turn + 1), count, x))


def launched(device, backend, kernel, *inputs, **params):
    """The steps of a run, once it is compiled."""
    command = device.submit(kernel, list(inputs), **params)
    (launch,) = backend.expect(1)
    steps = launch.steps
    backend.complete()
    command.wait(0)
    return steps


@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_turns_are_steps_that_pass_their_state_on(manual, count):
    device, backend = manual
    steps = launched(device, backend, fallen, vector(device, 1, 2, 3), count=count)
    *turns, last = steps
    assert [step.params for step in turns] == [(turn + 1,) for turn in range(count)]
    for step, follows in zip(turns, steps[1:], strict=True):
        assert step.regions[0] in follows.regions[1:]  # what one writes, the next reads
        assert step.regions[0] not in step.regions[1:]
    assert last.program.kernel.name == "doubled"
    assert len({step.regions[0] for step in turns}) == min(count, 2)


def test_a_launch_of_many_turns_keeps_nothing_for_each(manual):
    device, backend = manual
    x = vector(device, 1, 2, 3)
    assert len(launched(device, backend, fallen, x, count=100)) == 101
    (plan,) = [plan for plan in device._compiler._plans.values() if plan.name == "fallen"]
    assert len(plan.stages) == 2
    assert not any(stage.compiled.taken for stage in plan.stages)


def test_what_the_host_computes_is_computed_once_a_turn(manual, monkeypatch):
    from treadle.passes.uniform import Hoisted

    calls = []
    inner = Hoisted.values
    monkeypatch.setattr(Hoisted, "values", lambda *a: calls.append(a) or inner(*a))
    device, backend = manual
    x = device.buffer(np.zeros(12, np.float32))
    kernel = PAIRS["started"][0]
    for _ in range(2):
        launched(device, backend, kernel, x, x, count=70)
    assert len(calls) == 70


def test_a_failing_turn_names_its_stage(manual):
    device, backend = manual
    x, before, after = vector(device, 1, 2, 3), device.empty(3), device.empty(3)
    p = treadle.pipeline(device, name="falling")
    p.add(times, [x], before).add(fallen, [before], after, count=5)
    p.submit()
    backend.expect(1)
    backend.complete()
    assert [len(p.plan().groups), p.plan().groups[1].times] == [3, 5]
    for step, group in ((0, 1), (1, 2), (3, 2), (5, 2), (6, 3)):
        run = p.submit()
        backend.fail(backend.expect(1)[0], ValueError("boom"), step=step)
        with pytest.raises(treadle.CommandFailed, match=f"group {group} of 3") as caught:
            run.wait(0)
        assert ("stage 1 of 2" if group == 1 else "stage 2 of 2") in str(caught.value)
        with pytest.raises(treadle.CommandFailed):
            after.read()
        if step:
            assert before.read_list() == [2.0, 4.0, 6.0]  # complete when the loop began


def test_a_plan_says_how_often(inline):
    x, out = inline.buffer(np.ones(12, np.float32)), inline.empty(12)
    p = treadle.pipeline(inline, name="often")
    p.add(fallen, [x], out, count=250)
    plan = p.plan()
    text = plan.explain()
    assert "often on manual: 1 stage in 2 groups" in text
    assert "  1. 250 times: 1 fallen: in1 f32[12] -> scratch" in text
    assert [group.times for group in plan.groups] == [250, 1]
    assert plan.bytes_after == 251 * 2 * 48
    assert "250 times" in plan.to_mermaid()
    assert "250 times" in plan.to_svg()


def test_a_tolerance_leaves_loops_exact(inline):
    @treadle.pointwise(dtype="u8")
    def dimmed(x, *, by):
        return x * 0.875 + by

    @treadle.composite
    def dimming(x):
        return dimmed(treadle.repeat(lambda turn, x: dimmed(x, by=turn), 4, x), by=0.5)

    x = inline.buffer(np.arange(64, dtype=np.uint8))
    found = []
    for tolerance in (0.0, 1.0):
        out = inline.empty(64, "u8")
        p = treadle.pipeline(inline, tolerance=tolerance)
        p.add(dimming, [x], out)
        p.run()
        found.append(out.to_numpy().astype(int))
    assert abs(found[0] - found[1]).max() <= 1


@pytest.mark.parametrize("count", [4, 5])
@pytest.mark.parametrize("name", ["two", "early"])
def test_inputs_that_are_outputs_are_read_before_they_are_written(inline, name, count):
    looped, written_out = PAIRS[name]
    for place in (0, 1):
        x, y = (inline.buffer(np.arange(12, dtype=np.float32) + k) for k in (1, 2))
        want = inline.submit(written_out, [x, y], count=count).wait().output
        outputs = [inline.empty(12), inline.empty(12)]
        outputs[place] = x
        p = treadle.pipeline(inline)
        p.add(looped, [x, y], outputs, count=count)
        want = [each.to_numpy() for each in want]
        p.run()
        for got, exact in zip(outputs, want, strict=True):
            np.testing.assert_array_equal(got.to_numpy(), exact)


def test_other_sizes_and_counts_fuse_nothing(inline, monkeypatch):
    fused = []
    inner = fuse.fuse
    monkeypatch.setattr(fuse, "fuse", lambda *a, **k: fused.append(a) or inner(*a, **k))
    p = treadle.pipeline(inline)
    x = p.buffer("x", inline.buffer(np.ones(12, np.float32)))
    p.add(fallen, x, p.buffer("out", inline.empty(12)), count=6)
    p.run()
    assert len(fused) == 1
    for size, count in ((12, 9), (31, 9), (31, 60), (8, 7)):
        x = inline.buffer(np.arange(size, dtype=np.float32))
        p.bind(x=x, out=inline.empty(size)).set(0, count=count)
        got, want = p.run().to_numpy(), x.to_numpy()
        for turn in range(count):
            shifted = want[np.clip(np.arange(size) - turn - 1, 0, size - 1)]
            want = np.float32(0.5) * want + shifted + np.float32(turn + 1)
        np.testing.assert_allclose(got, 2 * want, rtol=1e-6)
    assert len(fused) == 1
