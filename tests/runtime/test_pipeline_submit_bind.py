"""Pipelines submitted with bindings of their own: for one run, and from any thread."""

from __future__ import annotations

import gc
import sys
import threading

import numpy as np
import pytest

import treadle
from runtime.shared import ready_device, shifted, times, vector
from runtime.test_pipeline import settle
from runtime.test_pipeline_bind import named, weighted
from treadle.pipeline import recorded


def test_bindings_of_a_submit_hold_for_that_run_only(manual):
    device, backend = manual
    p, x, out = named(device)
    settle(backend, p.submit())
    compiled = len(backend.compiled)
    other, target = vector(device, 10, 20, 30), device.buffer_zeros(3)
    out.write([0.0, 0.0, 0.0])
    run = p.submit(bind={"x": other, "out": target})
    assert p.names == {"x": x, "out": out}
    assert p.last is out
    settle(backend, run)
    assert run.output is target
    assert (target.read_list(), out.read_list()) == ([40.0, 60.0, 60.0], [0.0, 0.0, 0.0])
    settle(backend, p.submit())
    assert out.read_list() == [4.0, 6.0, 6.0]
    assert len(backend.compiled) == compiled


def test_parameters_of_a_submit_hold_for_that_run_only(make_manual):
    device, backend = make_manual(inline=True)
    p, _, _ = named(device)
    p.run()
    compiled = len(backend.compiled)
    for stage in ("times", 0, -3):
        assert p.run(bind={stage: {"k": 5.0}}).read_list() == [10.0, 15.0, 15.0]
    assert p.stages[0].params == {"k": 2.0}
    assert p.run().read_list() == [4.0, 6.0, 6.0]
    x = vector(device, 10, 20, 30)
    assert p.run(bind={"x": x, "times": {"k": 1.0}}).read_list() == [20.0, 30.0, 30.0]
    assert len(backend.compiled) == compiled


def test_static_parameters_of_one_run(inline):
    x, out = vector(inline, 1, 2, 3, 4, 5), inline.empty(5)
    p = treadle.pipeline(inline).add(weighted, x, out, count=1)
    assert p.run(bind={"weighted": {"count": 3, "gain": 10.0}}).read_list() == [40.0] + [50.0] * 4
    assert p.run().read_list() == [2.0, 3.0, 4.0, 5.0, 5.0]


def test_parameters_of_a_composite_and_another_shape_for_one_run(inline):
    x, out = vector(inline, 1, 2), inline.empty(2)
    p = treadle.pipeline(inline)
    p.add(weighted, p.buffer("x", x), p.buffer("out", out), count=1, gain=1.0)
    other = {"x": vector(inline, 1, 2, 3), "out": inline.empty(3)}
    for _ in range(3):
        for gain in (2.0, 10.0):
            found = p.run(bind={**other, "weighted": {"gain": gain}})
            assert found.read_list() == [2 * gain, 3 * gain, 3 * gain]
    assert p.run(bind=other).read_list() == [2.0, 3.0, 3.0]
    assert p.run().read_list() == [2.0, 2.0]


def test_zero_and_minus_zero_are_different_parameters(inline):
    x, out = vector(inline, 1), inline.empty(1)
    p = treadle.pipeline(inline).add(times, x, out)
    for _ in range(3):
        for k in (0.0, -0.0):
            assert str(p.run(bind={0: {"k": k}}).read_list()[0]) == str(k)


def test_other_shapes_for_one_run(inline):
    """Scratch follows for that run, and what is recorded keeps its shape."""
    p, _, out = named(inline)
    scratch = p.stages[0].outputs[0]
    for size in (5, 2, 5):
        x, target = vector(inline, *range(1, size + 1)), inline.empty(size)
        expected = [2.0 * min(k + 1, size) for k in range(1, size + 1)]
        assert p.run(bind={"x": x, "out": target}).read_list() == expected
        assert scratch.shape == p.stages[0].outputs[0].shape == (3,)
        assert p.run() is out
        assert out.read_list() == [4.0, 6.0, 6.0]
    with pytest.raises(treadle.KernelError) as caught:
        p.submit(bind={"x": inline.empty((2, 2)), "out": inline.empty((2, 2))})
    assert caught.value.__notes__ == ["bind: stage 3 (shifted) cannot follow"]
    p.bind(x=vector(inline, 1, 2), out=inline.empty(2))
    assert scratch.shape == (2,)
    assert p.run().read_list() == [4.0, 4.0]


def test_views_follow_for_one_run(inline):
    x, out = vector(inline, 1, 2, 3, 4), inline.empty((2, 2))
    p = treadle.pipeline(inline)
    p.add(times, p.buffer("x", x)).add(times, p.last.reshape(2, 2), p.buffer("out", out))
    other = vector(inline, 10, 20, 30, 40)
    assert p.run(bind={"x": other}).read_list() == [[40.0, 80.0], [120.0, 160.0]]
    with pytest.raises(treadle.LaunchError, match="scratch under another shape"):
        p.run(bind={"x": vector(inline, 1, 2)})
    assert p.run().read_list() == [[4.0, 8.0], [12.0, 16.0]]


def test_what_a_submit_refuses(inline):
    p, x, _ = named(inline)
    freed = vector(inline, 1, 2, 3)
    freed.free()
    for bind, error, text in [
        ([x], treadle.LaunchError, "expected a mapping of names"),
        ({"y": x}, treadle.LaunchError, "no buffer is named 'y'"),
        ({"ot": x}, treadle.LaunchError, "did you mean 'out'"),
        ({"x": 3}, treadle.LaunchError, "x: expected a Buffer"),
        ({"x": inline.empty(3, "s32")}, treadle.LaunchError, "x: expected dtype f32, got s32"),
        ({"x": freed}, treadle.BufferFreed, "x: "),
        ({"tims": {"k": 1.0}}, treadle.LaunchError, "did you mean 'times'"),
        ({"times": {"j": 1.0}}, treadle.LaunchError, "has no parameter 'j'"),
        ({"times": {"k": "x"}}, treadle.LaunchError, "must be a number"),
        ({1: {"k": 1.0}}, treadle.LaunchError, "barrier has no parameters"),
    ]:
        for submit in (p.submit, p.run):
            with pytest.raises(error, match=text):
                submit(bind=bind)
    assert p.run().read_list() == [4.0, 6.0, 6.0]
    p.free()
    with pytest.raises(treadle.TreadleError, match=r"after free\(\)"):
        p.submit(bind={"x": x})


# What is kept.


def test_bindings_that_come_again_share_what_was_prepared(inline):
    p, _, _ = named(inline)
    sets = [{"x": vector(inline, k, k, k), "out": inline.empty(3)} for k in range(3)]
    for _ in range(2):
        for bind in sets:
            p.run(bind=bind)
    kept = [p._now.known(bind) for bind in sets]
    assert all(kept)
    for k, bind in enumerate(sets):
        assert p.run(bind=bind).read_list() == [2.0 * k] * 3
    assert [p._now.known(bind) for bind in sets] == kept
    p.set("times", k=3.0)  # all of them are other runs now
    assert [p.run(bind=bind).read_list() for bind in sets] == [[3.0 * k] * 3 for k in range(3)]


def test_a_binding_whose_buffer_was_freed_is_an_error_again_and_again(inline):
    p, _, _ = named(inline)
    bind = {"x": vector(inline, 1, 1, 1), "out": inline.empty(3)}
    for _ in range(3):
        p.run(bind=bind)
    bind["x"].free()
    for _ in range(2):
        with pytest.raises(treadle.BufferFreed):
            p.run(bind=bind)


def test_buffers_that_are_new_at_each_run_do_not_outlive_it(inline):
    p, _, _ = named(inline)
    p.run()
    gc.collect()
    before = inline.memory_in_use
    for k in range(50):
        x, out = vector(inline, k, k, k), inline.empty(3)
        assert p.run(bind={"x": x, "out": out}).read_list() == [2.0 * k] * 3
        del x, out
        assert inline.memory_in_use <= before


def test_few_sets_of_bindings_are_kept(inline):
    p, _, _ = named(inline)
    sets = [{"x": vector(inline, k, k, k), "out": inline.empty(3)} for k in range(30)]
    for bind in sets:
        p.run(bind=bind)
        p.run(bind=bind)
    assert sum(p._now.known(bind) is not None for bind in sets) == recorded._RUNS_KEPT


# Threads.


@pytest.mark.parametrize("sizes", [(8,), (8, 16)], ids=["one shape", "two shapes"])
@pytest.mark.parametrize("again", [True, False], ids=["same buffers", "new buffers"])
def test_threads_that_submit_one_pipeline_never_mix_their_bindings(sizes, again):
    device = treadle.device("cpu")
    x, out = device.buffer_zeros(8), device.buffer_zeros(8)
    p = treadle.pipeline(device)
    p.add(times, p.buffer("x", x), k=1.0, label="scale").add(shifted, p.last)
    p.add(shifted, p.last, p.buffer("out", out))
    p.run()
    wrong: list[object] = []

    def make(value: float, size: int) -> dict:
        return {"x": device.buffer(np.full(size, value, np.float32)), "out": device.empty(size)}

    def work(number: int) -> None:
        try:
            size = sizes[number % len(sizes)]
            bind = make(number, size)
            for turn in range(60):
                if not again:
                    bind = make(number, size)
                factor = float(1 + turn % 3)
                found = p.run(bind={**bind, "scale": {"k": factor}})
                if found is not bind["out"] or found.read_list() != [number * factor] * size:
                    wrong.append((number, turn, found.read_list()))
        except BaseException as error:
            wrong.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert wrong == []
    assert p.names == {"x": x, "out": out}
    assert p.run().read_list() == [0.0] * 8


def test_a_plan_that_is_forgotten_leaves_runs_that_are_kept():
    """More shapes than plans are kept: a run of an early shape still has its scratch."""
    device, _ = ready_device(inline=True)
    p, _, _ = named(device)
    first = {"x": vector(device, 1, 2, 3, 4), "out": device.empty(4)}
    for _ in range(2):
        p.run(bind=first)
    assert p._now.known(first) is not None
    for size in range(5, 40):
        p.run(bind={"x": device.buffer_zeros(size), "out": device.empty(size)})
    assert p.run(bind=first).read_list() == [4.0, 6.0, 8.0, 8.0]
    device.close()
