"""A tolerance and what else pipelines can do: scalars and buffers that change, results in
the middle, work in place, decorated functions, plans that are shared and plans that are not."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from treadle.lang import registry

NOISE = np.random.default_rng(5).integers(0, 256, (40, 70, 4), np.uint8)


@pytest.fixture
def cpu():
    with treadle.use_device("cpu") as device:
        yield device


def far(got: treadle.Buffer, want: treadle.Buffer) -> int:
    return int(np.abs(got.to_numpy().astype(int) - want.to_numpy().astype(int)).max())


def chain(tolerance: float, source: np.ndarray = NOISE, amount: float = 0.5):
    image, out = treadle.buffer(source), treadle.empty(source.shape, "u8")
    p = treadle.pipeline(tolerance=tolerance)
    p.buffer("image", image)
    p.buffer("out", out)
    p.add("blur", image, radius=2).add("sharpen", p.last, out, amount=amount, label="sharp")
    return p, out


def test_a_scalar_that_changes_is_planned_again(cpu):
    close, got = chain(8)
    first = close.plan()
    for amount in (0.5, 1.25, 0.1, 0.5):
        exact, want = chain(0, amount=amount)
        exact.run()
        close.set("sharp", amount=amount).run()
        plan = close.plan()
        assert plan.groups[0].arithmetic.startswith("fixed point")
        assert far(got, want) <= plan.steps
    assert plan._planned is first._planned  # the last amount was the first


def test_another_size_is_not_proved_again(cpu, monkeypatch):
    from treadle.passes import fixed

    close, _ = chain(8, amount=0.4375)
    first = close.plan()

    def refused(*_):
        raise AssertionError("bounds do not depend on sizes")

    monkeypatch.setattr(fixed, "settle", refused)
    for shape in ((41, 71, 4), (100, 66, 4)):
        source = np.random.default_rng(7).integers(0, 256, shape, np.uint8)
        image, out = treadle.buffer(source), treadle.empty(shape, "u8")
        exact, want = chain(0, source, 0.4375)
        exact.run()
        close.bind(image=image, out=out).run()
        plan = close.plan()
        assert plan.groups[0].arithmetic == first.groups[0].arithmetic
        assert far(out, want) <= plan.steps == first.steps


def test_a_scalar_may_take_it_out_of_fixed_point(cpu):
    close, got = chain(4)
    assert close.plan().steps == 3
    close.set("sharp", amount=3.0).run()
    assert close.plan().groups[0].arithmetic == "f32: a bound of 16 steps is above the tolerance 4"
    exact, want = chain(0, amount=3.0)
    exact.run()
    assert far(got, want) == 0


def test_exact_and_close_pipelines_do_not_share_a_plan(cpu):
    (close, got), (exact, want) = chain(8), chain(0)
    close.run()
    exact.run()
    assert far(got, want) > 0
    assert exact.plan().steps == 0
    assert "fixed point" not in exact.plan().explain()
    assert close.tolerance == 8


def test_other_buffers_and_shapes(cpu):
    close, _ = chain(8)
    close.run()
    for shape in ((40, 70, 4), (9, 200, 4), (64, 3, 4)):
        source = np.random.default_rng(1).integers(0, 256, shape, np.uint8)
        exact, want = chain(0, source)
        exact.run()
        out = treadle.empty(shape, "u8")
        close.bind(image=treadle.buffer(source), out=out).run()
        assert far(out, want) <= close.plan().steps


def test_results_in_the_middle(cpu):
    results = []
    for tolerance in (0, 20):
        image, soft, sharp = (
            treadle.buffer(NOISE),
            *(treadle.empty(NOISE.shape, "u8") for _ in range(2)),
        )
        p = treadle.pipeline(tolerance=tolerance)
        p.add("blur", image, soft, radius=2).add("sharpen", soft, sharp, amount=0.5).run()
        results.append((soft, sharp))
    plan = p.plan()
    assert len(plan.groups) == 1
    # The blurred picture is rounded, since it is seen: a step off, five times in the next.
    assert plan.steps == 6
    assert far(results[0][0], results[1][0]) <= 1
    assert far(results[0][1], results[1][1]) <= plan.steps


def test_in_place(cpu):
    pictures = []
    for tolerance in (0, 20):
        image = treadle.buffer(NOISE)
        p = treadle.pipeline(tolerance=tolerance)
        p.add("brightness_contrast", image, image, contrast=1.3)
        p.add("sharpen", image, image, amount=0.3).run()
        pictures.append(image)
    assert far(*pictures) <= max(p.plan().steps, 1)


def test_a_decorated_function(cpu):
    blur, grayscale = registry.lookup("blur"), registry.lookup("grayscale")

    def made(image):
        return grayscale(blur(image, radius=2))

    close, exact = treadle.pipeline(made, tolerance=1), treadle.pipeline(made)
    image = treadle.buffer(NOISE)
    assert far(close(image), exact(image)) == close.plan(image).steps == 1
    assert exact.plan(image).steps == 0
