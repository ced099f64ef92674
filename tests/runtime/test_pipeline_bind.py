"""Pipelines over other buffers and scalars, recordings, and functions traced into pipelines."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

import treadle
from runtime.shared import plus, shifted, times, vector
from runtime.test_pipeline import settle


@treadle.composite
def weighted(x, *, count=2, gain=1.0):
    """x shifted `count` times, and times `gain`."""
    for _ in range(count):
        x = shifted(x)
    return times(x, k=gain)


def named(device, size=3, **options):
    x = device.buffer([float(k + 1) for k in range(size)])
    out = device.buffer_zeros(size)
    p = treadle.pipeline(device, **options)
    p.add(times, p.buffer("x", x), k=2.0).barrier().add(shifted, p.last, p.buffer("out", out))
    return p, x, out


# Buffers.


def test_bind_swaps_buffers_for_later_runs_only(manual):
    device, backend = manual
    p, x, out = named(device)
    settle(backend, p.submit())
    out.write([0.0, 0.0, 0.0])
    other, target = vector(device, 10, 20, 30), device.buffer_zeros(3)
    compiled = len(backend.compiled)
    first = p.submit()
    assert p.bind(x=other, out=target) is p
    second = p.submit()
    assert p.names == {"x": other, "out": target}
    assert p.last is target
    backend.complete_all()
    assert first.wait(0).output is out
    assert second.wait(0).output is target
    assert (out.read_list(), target.read_list()) == ([4.0, 6.0, 6.0], [40.0, 60.0, 60.0])
    assert len(backend.compiled) == compiled
    assert p.bind(x=x).stages[0].inputs == (x,)


@pytest.fixture
def lowered(monkeypatch):
    """How often definitions were lowered, and stages fused."""
    from treadle.lang import structure
    from treadle.passes import fuse

    calls = []
    for module, name in ((structure, "lower"), (fuse, "fuse")):
        real = getattr(module, name)

        def counting(*given, real=real, name=name, **options):
            calls.append(name)
            return real(*given, **options)

        monkeypatch.setattr(module, name, counting)
    return calls


def test_another_size_lowers_and_fuses_nothing(inline, lowered):
    x, out = inline.buffer_zeros(10), inline.buffer_zeros(10)
    p = treadle.pipeline(inline)
    p.add(weighted, p.buffer("x", x), count=3, gain=2.0).add(plus, [p.last, x])
    p.add(times, p.last, p.buffer("out", out), k=3.0)
    p.run()

    def at(size):
        values = np.arange(size, dtype=np.float32)
        x, out = inline.buffer(values), inline.buffer_zeros(size)
        return p.bind(x=x, out=out).run().to_numpy()

    at(11)  # the outputs are bound with the inputs now
    before = len(lowered)
    assert before
    for size in (20, 35, 6):
        values = np.arange(size, dtype=np.float32)
        shifts = np.minimum(values + 3, size - 1)
        assert np.array_equal(at(size), 3 * (2 * shifts + values))
    assert len(lowered) == before


def test_bind_with_what_is_bound_changes_nothing(inline):
    p, x, out = named(inline)
    p.run()
    prepared = p._now.prepared
    p.bind(x=x, out=out).bind()
    assert p._now.prepared is prepared


def test_bind_follows_views(inline):
    x = vector(inline, 1, 2, 3, 4)
    out = inline.buffer_zeros(2)
    p = treadle.pipeline(inline)
    p.buffer("x", x)
    p.add(plus, [x[0:2], x[2:4]], out)
    assert p.run().read_list() == [4.0, 6.0]
    p.bind(x=vector(inline, 10, 20, 30, 40))
    assert p.run().read_list() == [40.0, 60.0]
    with pytest.raises(treadle.LaunchError, match="part of what is replaced"):
        p.bind(x=vector(inline, 1, 2, 3))
    assert p.run().read_list() == [40.0, 60.0]


def test_bind_to_a_buffer_that_is_already_there(inline):
    """What was two buffers becomes one: the order of reads and writes has to be seen anew."""
    x, y = vector(inline, 1, 2, 3), inline.buffer_zeros(3)
    p = treadle.pipeline(inline)
    p.add(shifted, p.buffer("x", x), p.buffer("y", y))
    assert p.run().read_list() == [2.0, 3.0, 3.0]
    p.bind(y=x)
    assert p.run().read_list() == [2.0, 3.0, 3.0]
    assert p.run().read_list() == [3.0, 3.0, 3.0]
    p.bind(y=y).run()
    assert x.read_list() == [3.0, 3.0, 3.0]


def test_another_size(inline):
    p, _, out = named(inline)
    p.run()
    x, target = vector(inline, 1, 2, 3, 4, 5), inline.empty(5)
    assert p.bind(x=x, out=target).run().read_list() == [4.0, 6.0, 8.0, 10.0, 10.0]
    assert p.stages[0].outputs[0].shape == (5,)
    with pytest.raises(treadle.KernelError) as caught:
        p.bind(x=inline.empty((2, 2)), out=inline.empty((2, 2)))
    assert caught.value.__notes__ == ["bind: stage 3 (shifted) cannot follow"]
    assert p.stages[0].outputs[0].shape == (5,)
    assert p.run().read_list() == [4.0, 6.0, 8.0, 10.0, 10.0]
    p.bind(x=vector(inline, 7, 8, 9), out=out)
    assert p.run().read_list() == [16.0, 18.0, 18.0]


def test_a_stage_that_cannot_follow_is_named_and_nothing_changes(inline):
    x, y, out = vector(inline, 1, 2, 3), vector(inline, 1, 1, 1), inline.empty(3)
    p = treadle.pipeline(inline)
    p.add(times, p.buffer("x", x)).add(plus, [p.last, y], p.buffer("out", out))
    with pytest.raises(treadle.LaunchError, match=r"bind: stage 2 \(plus\): .*shapes"):
        p.bind(x=vector(inline, 1, 2, 3, 4))
    assert p.names == {"x": x, "out": out}
    assert p.run().read_list() == [3.0, 5.0, 7.0]


def test_scratch_of_a_shape_of_its_own_does_not_follow(inline):
    x, out = vector(inline, 1, 2, 3, 4), inline.empty(4)
    p = treadle.pipeline(inline)
    p.add(times, p.buffer("x", x)).add(
        times, p.last.reshape(2, 2), p.buffer("o", out.reshape(2, 2))
    )
    p.run()
    with pytest.raises(treadle.LaunchError, match="scratch under another shape"):
        p.bind(x=vector(inline, 1, 2))
    p.run()
    assert out.read_list() == [4.0, 8.0, 12.0, 16.0]


def test_what_bind_refuses(inline):
    p, x, _ = named(inline)
    freed = vector(inline, 1, 2, 3)
    freed.free()
    for buffers, error, text in [
        ({"y": x}, treadle.LaunchError, "no buffer is named 'y'"),
        ({"ot": x}, treadle.LaunchError, "did you mean 'out'"),
        ({"x": 3}, treadle.LaunchError, "x: expected a Buffer"),
        ({"x": inline.empty(3, "s32")}, treadle.LaunchError, "x: expected dtype f32, got s32"),
        ({"x": freed}, treadle.BufferFreed, "x: "),
        ({"x": p.stages[0].outputs[0]}, treadle.LaunchError, "x: expected a Buffer, got scratch"),
    ]:
        with pytest.raises(error, match=text):
            p.bind(**buffers)
    with pytest.raises(treadle.LaunchError, match="shares memory with what is called 'x'"):
        p.buffer("part", x[0:1])
    with pytest.raises(treadle.LaunchError, match="expected a Buffer, got scratch"):
        p.buffer("part", p.stages[0].outputs[0])


# Scalars.


def test_set_changes_scalars_without_compiling(make_manual):
    device, backend = make_manual(inline=True)
    p, _, _ = named(device)
    p.run()
    compiled = len(backend.compiled)
    assert p.set("times", k=5.0).run().read_list() == [10.0, 15.0, 15.0]
    assert p.set(0, k=6.0).run().read_list() == [12.0, 18.0, 18.0]
    assert p.set(p.stages[0], k=7.0).run().read_list() == [14.0, 21.0, 21.0]
    assert p.stages[0].params == {"k": 7.0}
    assert len(backend.compiled) == compiled


def test_set_affects_later_runs_only(manual):
    device, backend = manual
    p, _, out = named(device)
    settle(backend, p.submit())
    p.submit()
    p.set("times", k=100.0)
    backend.complete()
    assert out.read_list() == [4.0, 6.0, 6.0]
    settle(backend, p.submit())
    assert out.read_list() == [200.0, 300.0, 300.0]


def test_composite_parameters(make_manual):
    device, backend = make_manual(inline=True)
    x, out = vector(device, 1, 2, 3, 4, 5), device.empty(5)
    p = treadle.pipeline(device).add(weighted, x, out, count=1, gain=10.0)
    assert p.run().read_list() == [20.0, 30.0, 40.0, 50.0, 50.0]
    compiled = len(backend.compiled)
    assert p.set("weighted", gain=1.0).run().read_list() == [2.0, 3.0, 4.0, 5.0, 5.0]
    assert len(backend.compiled) == compiled  # only a value of one of its stages is another
    assert p.set(0, count=3).run().read_list() == [4.0, 5.0, 5.0, 5.0, 5.0]


def test_what_set_refuses(inline):
    x = vector(inline, 1, 2)
    p = treadle.pipeline(inline).add(times, x, label="first").add(times, p_last := x).barrier()
    del p_last
    p.add(plus, [x, x])
    for stage, params, text in [
        ("times", {"k": 1.0}, "stages 0, 1; give the index or a label"),
        ("plsu", {}, "no stage is called 'plsu'; did you mean 'plus'"),
        (9, {"k": 1.0}, "expected one of 4, got 9"),
        (2, {"k": 1.0}, "barrier has no parameters"),
        ("first", {"j": 1.0}, "has no parameter 'j'"),
        ("first", {"k": "x"}, "must be a number"),
    ]:
        with pytest.raises(treadle.LaunchError, match=text):
            p.set(stage, **params)
    p.set("first", k=3.0)


# Recordings.


def test_several_steps_are_recorded_once_and_replayed(make_manual):
    device, backend = make_manual(records=True)
    p, _, out = named(device)
    settle(backend, p.submit())  # waits for its plan, and is not recorded
    settle(backend, p.submit())
    assert len(backend.recordings) == 1
    p.submit()
    (launch,) = backend.pending
    assert launch.kernels == ["times", "shifted"]
    assert len(launch.replays) == 1
    backend.complete()
    assert backend.recordings[0].changes == 0  # the same tuple both times
    assert out.read_list() == [4.0, 6.0, 6.0]
    p.set("times", k=3.0).bind(x=vector(device, 2, 2, 2))
    settle(backend, p.submit())
    assert out.read_list() == [6.0, 6.0, 6.0]
    assert len(backend.recordings) == 1
    assert backend.recordings[0].changes == 1


def test_a_replay_that_fails_names_its_stage(make_manual):
    device, backend = make_manual(records=True)
    p, _, _ = named(device, name="replayed")
    settle(backend, p.submit())
    settle(backend, p.submit())
    run = p.submit()
    backend.fail(1, ValueError("boom"), step=1)
    assert "replayed, stage 3 of 3 (shifted), group 2 of 2," in str(run.error)


def test_a_single_step_is_not_recorded(make_manual):
    device, backend = make_manual(records=True, inline=True)
    x = vector(device, 1, 2)
    treadle.pipeline(device).add(times, x, x).run()
    assert backend.recordings == []


def test_a_backend_may_decline_to_record(make_manual, monkeypatch):
    device, backend = make_manual(records=True, inline=True)
    monkeypatch.setattr(backend, "record", lambda steps: None)
    p, _, _ = named(device)
    assert p.run().read_list() == p.run().read_list() == [4.0, 6.0, 6.0]


# Functions.


def test_a_function_as_a_pipeline(inline):
    calls = []

    @treadle.pipeline
    def enhance(x, *, gain=2.0):
        """Shift and scale."""
        calls.append(x.shape)
        return times(shifted(x), k=gain)

    a, b = vector(inline, 1, 2, 3), vector(inline, 4, 5, 6)
    assert enhance(a).read_list() == [4.0, 6.0, 6.0]
    assert enhance(b).read_list() == [10.0, 12.0, 12.0]
    traced = len(calls)
    assert enhance(a) is not enhance(a)
    assert len(calls) == traced
    assert enhance(a, gain=3.0).read_list() == [6.0, 9.0, 9.0]
    assert enhance(vector(inline, 1, 2)).read_list() == [4.0, 4.0]
    assert enhance.__doc__ == "Shift and scale."
    assert repr(enhance) == "<treadle pipeline enhance(x, *, gain=2.0)>"
    assert "enhance" not in treadle.kernels()
    assert "shifted" in enhance.plan(a).explain()

    async def main():
        return await enhance.submit(a, priority="interactive")

    assert asyncio.run(main()).read_list() == [4.0, 6.0, 6.0]
    enhance.free()
    assert enhance(a).read_list() == [4.0, 6.0, 6.0]


def test_a_function_that_runs_kernels_by_name(inline):
    @treadle.pipeline
    def two(x, y):
        s = treadle.run_kernel("plus", [x, y])
        return s, treadle.run_kernel("times", s, k=10.0)

    s, t = two(vector(inline, 1, 2), vector(inline, 3, 4))
    assert (s.read_list(), t.read_list()) == ([4.0, 6.0], [40.0, 60.0])

    @treadle.pipeline
    def stores(x):
        return treadle.run_kernel("times", x, x)

    with pytest.raises(treadle.LaunchError, match="expected no output"):
        stores(vector(inline, 1))


def test_a_function_as_a_stage_and_inside_another(inline):
    @treadle.pipeline
    def doubled(x):
        return times(x, k=2.0)

    @treadle.pipeline
    def fourfold(x):
        return doubled(doubled(x))

    x, out = vector(inline, 1, 2), inline.empty(2)
    assert fourfold(x).read_list() == [4.0, 8.0]
    assert treadle.pipeline(inline).add(doubled, x).add(fourfold, x, out).run().read_list() == [
        4,
        8,
    ]


def test_what_a_traced_function_refuses(inline):
    @treadle.pipeline
    def enhance(x):
        return times(x)

    with pytest.raises(treadle.LaunchError, match="expected a Buffer"):
        enhance(np.zeros(3))
    with pytest.raises(treadle.LaunchError, match="takes 1 input"):
        enhance(vector(inline, 1), vector(inline, 1))
    with pytest.raises(treadle.LaunchError, match="has no parameter 'gain'"):
        enhance(vector(inline, 1), gain=2.0)


def test_a_failing_traced_function_names_the_stage(make_manual):
    device, backend = make_manual()

    @treadle.pipeline
    def slides(x):
        return shifted(times(x)), shifted(shifted(x))

    run = slides.submit(vector(device, 1, 2, 3))
    backend.expect(1)
    backend.fail(1, ValueError("boom"), step=0)
    assert "slides, stage" in str(run.error)
    assert "boom" in str(run.error)


# Plans.


def test_explain_says_what_runs(inline):
    p, _, _ = named(inline, name="named")
    plan = p.plan()
    text = plan.explain()
    for part in (
        "named on manual: 3 stages in 2 groups", "1. times(k=2.0)", "2. barrier",
        "x f32[3]", "out f32[3]", "memory traffic 48 bytes stage by stage", "scratch 12 bytes",
    ):  # fmt: skip
        assert part in text, text
    assert [group.stages for group in plan.groups] == [(0,), (2,)]
    assert repr(plan) == "<treadle plan named 3 stages in 2 groups on manual>"
    assert plan.bytes_before == 48


def test_drawings(inline):
    import xml.etree.ElementTree as tree

    x, out = vector(inline, 1, 2, 3), inline.empty(3)
    p = treadle.pipeline(inline, name="a<b")
    p.add(times, x, label='"quoted" & <sharp>').barrier().add(shifted, p.last).barrier()
    p.add(plus, [p.last, x], out)
    mermaid = p.plan().to_mermaid()
    assert mermaid.startswith("flowchart")
    assert mermaid.count("-->") == 7
    picture = tree.fromstring(p.plan().to_svg())
    texts = [each.text for each in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert '1. "quoted" & <sharp>' in texts
    assert treadle.pipeline(inline).plan().to_svg().startswith("<svg")
