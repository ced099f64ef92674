"""The forms that work along axes, composites, shapes and output rules, without a device."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from bound import evaluate, spec_of
from treadle.dtypes import DType
from treadle.errors import KernelSyntaxError, LaunchError
from treadle.ir.bound import Spec
from treadle.ir.dims import coalesce
from treadle.lang.composite import constant

RNG = np.random.default_rng(7)
X = RNG.normal(size=(3, 4, 5)).astype(np.float32)


@treadle.reduction(init=0.0)
def total(acc, x):
    return acc + x


@treadle.rowwise
def centred(row):
    return row - mean(row)


@treadle.rowwise
def norm(row):
    return sqrt(sum(row * row))


@treadle.scan(init=(0.0, 0.0))
def smooth(state, x, *, keep=0.5):
    level, count = state
    level = keep * level + (1 - keep) * x
    return (level, count + 1), level * count


@treadle.function
def pair(x, y):
    return x * y


@treadle.reduction(init=0.0, lift=pair)
def dot(acc, item):
    return acc + item


@treadle.function
def moments(x):
    return x, x * x


@treadle.function
def variance(acc, count):
    return acc[1] / count - (acc[0] / count) ** 2


@treadle.reduction(init=(0.0, 0.0), lift=moments, finish=variance)
def spread(acc, item):
    return acc[0] + item[0], acc[1] + item[1]


@treadle.kernel
def mirrored(at, x):
    return x[(at[0], x.shape[1] - 1 - at[1], *at[2:])]


@treadle.composite
def mirrored_twice(x):
    return mirrored(mirrored(x))


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1, (0, 1), (0, 2), (1, 2), (0, 1, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions_over_any_axes(axis, keepdims):
    out = evaluate(total, X, axis=axis, keepdims=keepdims)
    expected = X.sum(axis=axis, keepdims=keepdims)
    assert out.shape == expected.shape
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (1, 5), (5, 1), (1, 3, 1)])
def test_reductions_of_single_elements_and_thin_shapes(shape):
    x = RNG.normal(size=shape).astype(np.float32)
    np.testing.assert_allclose(evaluate(total, x), x.sum(), rtol=1e-6)
    for axis in range(len(shape)):
        np.testing.assert_allclose(evaluate(total, x, axis=axis), x.sum(axis=axis), rtol=1e-6)


def test_an_empty_reduced_axis_gives_the_identity():
    assert evaluate(total, np.zeros((3, 0), np.float32), axis=1).tolist() == [0, 0, 0]
    assert evaluate(total, np.zeros((0, 3), np.float32), axis=1).shape == (0,)


def test_lift_and_finish():
    y = RNG.normal(size=X.shape).astype(np.float32)
    np.testing.assert_allclose(evaluate(dot, X, y), (X * y).sum(), rtol=1e-5)
    np.testing.assert_allclose(evaluate(spread, X, axis=1), X.var(axis=1), rtol=1e-4)


def test_inputs_of_a_reduction_have_one_shape():
    with pytest.raises(LaunchError, match="shape of x"):
        evaluate(dot, X, X[0])


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_rows_along_any_axis(axis):
    np.testing.assert_allclose(
        evaluate(centred, X, axis=axis), X - X.mean(axis=axis, keepdims=True), rtol=1e-5, atol=1e-6
    )
    np.testing.assert_allclose(
        evaluate(norm, X, axis=axis), np.linalg.norm(X, axis=axis), rtol=1e-6
    )


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_scans_along_any_axis(axis):
    moved = np.moveaxis(X, axis, 0)
    level = np.zeros_like(moved[0])
    expected = []
    for count, x in enumerate(moved):
        level = 0.25 * level + 0.75 * x
        expected.append(level * count)
    out = evaluate(smooth, X, axis=axis, keep=0.25)
    np.testing.assert_allclose(out, np.moveaxis(np.array(expected), 0, axis), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "definition, axis",
    [(total, 3), (total, (0, 0)), (total, ()), (total, "x"), (norm, 5), (smooth, -4)],
)
def test_bad_axes_are_refused(definition, axis):
    with pytest.raises(LaunchError, match="axis"):
        evaluate(definition, X, axis=axis)


def test_rows_of_a_single_element_are_refused():
    for definition in (norm, smooth):
        with pytest.raises(LaunchError, match="single element"):
            evaluate(definition, np.float32(1))


def test_composites_expand_and_take_the_outputs_type():
    np.testing.assert_array_equal(evaluate(mirrored_twice, X), X)
    out = evaluate(mirrored_twice, X, output=Spec(X.shape, DType.F64))
    assert out.dtype == np.float64
    bound = mirrored_twice.bind((spec_of(X),), None, *mirrored_twice.arguments({}))
    assert len(bound.stages) == 2
    assert len(bound.temps) == 1


def test_a_composite_returns_what_its_kernels_computed():
    @treadle.composite
    def nothing(x):
        return x

    with pytest.raises(KernelSyntaxError, match="composite returns"):
        evaluate(nothing, X)


@pytest.mark.parametrize(
    "output, says",
    [
        (Spec((3, 4), DType.F32), "shape"),
        ((Spec(X.shape, DType.F32), Spec(X.shape, DType.F32)), "1 output"),
    ],
)
def test_outputs_that_do_not_fit_are_refused(output, says):
    with pytest.raises(LaunchError, match=says):
        evaluate(centred, X, output=output)


def test_reading_an_empty_input_is_refused():
    @treadle.kernel(shape=lambda x: (2,))
    def first(at, x):
        return x[0]

    with pytest.raises(LaunchError, match="empty"):
        evaluate(first, np.zeros(0, np.float32))


@pytest.mark.parametrize(
    "shapes, expected",
    [
        ([(6, 7), (6, 7)], [(42,), (42,)]),
        ([(6, 7), (1, 7)], [(6, 7), (1, 7)]),
        ([(2, 6, 7), (1, 1, 7)], [(12, 7), (1, 7)]),
        ([(2, 6, 7), (1, 1, 1)], [(84,), (1,)]),
        ([(1, 1), (1, 1)], [(1,), (1,)]),
        ([(5, 1, 3), (5, 4, 3)], [(5, 1, 3), (5, 4, 3)]),
    ],
)
def test_axes_that_walk_together_merge(shapes, expected):
    space = tuple(max(sizes) for sizes in zip(*shapes, strict=True))
    merged, _, _ = coalesce(shapes, space, [0] * len(space))
    assert merged == expected


def test_one_program_serves_every_size_of_a_pattern():
    def kernel_for(*shapes):
        specs = tuple(Spec(shape, DType.F32) for shape in shapes)
        return mirrored.bind(specs, None, *mirrored.arguments({})).stages[0].kernel

    assert kernel_for((10, 20, 3)) == kernel_for((30, 40, 3))
    assert kernel_for((10, 20, 3)) != kernel_for((10, 20, 4))
    assert kernel_for((10, 20, 3)) != kernel_for((20, 20, 3))


@treadle.kernel
def weighted(at, x, table):
    return x[at] * table[at[0]]


@treadle.composite
def weighted_once(x):
    return weighted(x, constant(np.arange(3, dtype=np.float32)))


@treadle.composite(dtype="f64")
def weighted_thrice(x):
    table = constant([1.0, 2.0, 3.0], "f32")
    return weighted(weighted_once(weighted(x, table)), table)


def test_constants_are_inputs_that_a_composite_makes():
    factor = np.array([0, 4, 18], np.float32)[:, None, None]
    out = evaluate(weighted_thrice, X)
    np.testing.assert_allclose(out, X * factor, rtol=1e-6)
    assert out.dtype == np.float64
    bound = weighted_thrice.bind((spec_of(X),), None, *weighted_thrice.arguments({}))
    assert [len(table) for table in bound.constants] == [3, 3]


def test_constants_on_a_device(device):
    got = treadle.run_kernel(weighted_thrice, [treadle.buffer(X)], treadle.empty(X.shape, "f32"))
    np.testing.assert_allclose(got.to_numpy()[2], X[2] * 18, rtol=1e-6)


def test_a_converted_parameter_is_what_the_function_gets():
    seen = []

    @treadle.composite(convert={"word": len})
    def sized(x, *, word="abc"):
        seen.append(word)
        return total(x, axis=word - 1)

    evaluate(sized, X)
    evaluate(sized, X, word="a")
    assert seen == [3, 1]
    with pytest.raises(LaunchError, match="no parameter 'wort'"):
        treadle.composite(convert={"wort": len})(sized.function)
