"""One buffer under several shapes and in several roles, fused, on every backend."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import treadle
from limits import needs
from parity.stages import added, inc, parted, product

X = np.arange(6, dtype=np.float32).reshape(2, 3)
EXAMPLES = int(os.environ.get("TREADLE_EXAMPLES", "0"))  # more of them, others each time


def recorded(x, out):
    p = treadle.pipeline().add("transpose", x)
    return p.add("add", [p.last, x.reshape(3, 2)], out).run()


@treadle.pipeline
def traced(x):
    turned = treadle.run_kernel("transpose", x)
    return treadle.run_kernel("elementwise_add", [turned, x.reshape((3, 2))])


@treadle.composite(name="turned_and_added")
def composed(x):
    from treadle.kernels.shape import transpose

    return added(transpose(x), x.reshape((3, 2)))


@pytest.mark.parametrize("way", ["pipeline", "traced", "composite"])
def test_a_buffer_beside_its_own_reshape(device, way):
    x, out = treadle.buffer(X), treadle.empty((3, 2))
    run = {
        "pipeline": lambda: recorded(x, out),
        "traced": lambda: traced(x),
        "composite": lambda: treadle.run_kernel(composed, x),
    }
    np.testing.assert_array_equal(run[way]().to_numpy(), X.T + X.reshape(3, 2))


def calls(x, y, stages):
    """Kernels on what earlier ones gave, as small numbers say: buffers and handles alike."""
    values = [x, y]
    for kind, a, b, k in stages:
        value = values[a % len(values)]
        size = math.prod(value.shape)
        alike = [v for v in values if math.prod(v.shape) == size and v.dtype == value.dtype]
        other = alike[b % len(alike)].reshape(value.shape)
        if kind == 0:
            made = treadle.run_kernel("transpose", value)
        elif kind == 1:
            shapes = [(size,), (1, size), *((n, size // n) for n in (2, 3, 4) if size % n == 0)]
            values.append(value.reshape(shapes[k % len(shapes)]))
            continue
        elif kind == 2 and size <= 200:
            made = treadle.run_kernel("concat", [value, other], axis=k % len(value.shape))
        elif kind == 3 and size <= 30:
            made = treadle.run_kernel("gather", [value, other], axis=k % len(value.shape))
        elif kind == 4:
            made = treadle.run_kernel("scalar_add", value, scalar=k)
        else:
            made = treadle.run_kernel(added if kind % 2 else product, [value, other])
        values.append(made)
    last = [treadle.run_kernel("scalar_add", value, scalar=1) for value in values[-2:]]
    return tuple(last)


@settings(max_examples=EXAMPLES or 15, deadline=None, derandomize=not EXAMPLES,
          suppress_health_check=list(HealthCheck))  # fmt: skip
@given(
    stages=st.lists(st.tuples(*[st.integers(0, 6)] * 4), min_size=2, max_size=8),
    shapes=st.tuples(*[st.sampled_from([(2, 3), (6,), (3, 4), (12,), (2, 2, 3)])] * 2),
)
def test_generated_functions(device, stages, shapes):
    """A function of buffers, traced, and a composite of it, equal its calls one after the other."""
    arrays = [np.arange(math.prod(s), dtype=np.int32).reshape(s) % 7 for s in shapes]
    x, y = map(treadle.buffer, arrays)

    def function(x, y):
        return calls(x, y, stages)

    expected = [found.to_numpy() for found in calls(x, y, stages)]
    with treadle.use_device("reference"):
        exact = [found.to_numpy() for found in calls(*map(treadle.buffer, arrays), stages)]
    traced_ones = treadle.pipeline(function)(x, y)
    composed_ones = treadle.run_kernel(treadle.composite(name="calls_in_turn")(function), [x, y])
    for number, want in enumerate(expected):
        np.testing.assert_array_equal(want, exact[number])
        np.testing.assert_array_equal(traced_ones[number].to_numpy(), want)
        np.testing.assert_array_equal(composed_ones[number].to_numpy(), want)


def test_an_index_that_is_also_a_factor(device):
    places, table = np.array([[0, 2], [1, 1]], np.int32), np.arange(5, dtype=np.float32) + 10
    index, out = treadle.buffer(places), treadle.empty((2, 2))
    p = treadle.pipeline().add("gather", [treadle.buffer(table), index])
    np.testing.assert_array_equal(
        p.add("mul", [p.last, index], out).run().to_numpy(), table[places] * places
    )


def test_a_buffer_that_is_gathered_from_itself(device):
    values = np.array([[3, 1, 0], [5, 2, 4]], np.int32)
    x, out = treadle.buffer(values), treadle.empty((2, 3, 3), "s32")
    p = treadle.pipeline().add("gather", [x, x])
    p.add("add", [p.last, x.reshape(2, 3, 1)], out)
    clamped = np.clip(values, 0, 1)
    expected = values[clamped] + values.reshape(2, 3, 1)
    np.testing.assert_array_equal(p.run().to_numpy(), expected)


def test_scratch_under_two_shapes(device):
    x, out = treadle.buffer(X), treadle.empty((3, 2))
    p = treadle.pipeline().add(inc, x, k=1.0)
    soft = p.last
    p.add("transpose", soft).add(product, [p.last, soft.reshape(3, 2)], out)
    more = X + 1
    np.testing.assert_array_equal(p.run().to_numpy(), more.T * more.reshape(3, 2))


@treadle.kernel
def woven(at, plane, line):
    i, j = at
    return plane[i, j] - line[i * 5 + j]


def test_two_results_of_one_stage_under_different_shapes(device):
    """No shape of the first stage suits both of what the second reads."""
    values = np.arange(40, dtype=np.float32).reshape(8, 5)
    x, y, out = treadle.buffer(values), treadle.buffer(values[::-1].copy()), treadle.empty((8, 5))
    p = treadle.pipeline().add(parted, [x, y])
    less, most = p.last
    p.add(woven, [less, most.reshape(40)], out)
    expected = (values - values[::-1]) - np.maximum(values, values[::-1])
    np.testing.assert_array_equal(p.run().to_numpy(), expected)


def test_a_buffer_joined_to_its_reshape_and_written_over(device):
    """The buffer is read under three shapes, and its second half takes the result."""
    whole = np.arange(12, dtype=np.float32).reshape(4, 3)
    x = treadle.buffer(whole)
    p = treadle.pipeline().add("transpose", x)
    p.add("concat", [p.last.reshape(12), x.reshape(12)])
    p.add("slice", p.last, starts=0, stops=12, steps=2)
    p.add(added, [p.last.reshape(2, 3), x[0:2]], x[2:4])
    p.run()
    joined = np.concatenate([whole.T.ravel(), whole.ravel()])[0:12:2].reshape(2, 3)
    expected = np.concatenate([whole[:2], joined + whole[:2]])
    np.testing.assert_array_equal(x.to_numpy(), expected)


@treadle.kernel
def beside(at, x):
    i, j, c = at
    return x[i, j - 1, c] + 2 * x[i, j + 1, c]


@treadle.kernel
def placed(at, x, table):
    i, j, c = at
    return x[i, j + 1, c] + c + 2 * j + table[0, c] - table[0, 0] * (c + 1)


@treadle.kernel
def strewn(at, x, table):
    i, j, c = at
    return x[i, j + 1, c] + table[2 * j, c] + table[table.shape[0] - 1 - j, c]


# Any two of the three as in the whole product: each is a program of its own.
@pytest.mark.parametrize(
    "dtype, channels, middle",
    [
        (dtype, *other)
        for number, dtype in enumerate(["f32", "f64", "s32", "s64", "u32", "u8"])
        for other in ([(1, placed), (3, strewn)], [(1, strewn), (3, placed)])[number % 2]
    ],
)
def test_chains_over_channels(device, dtype, channels, middle):
    """A last axis of size 1 is no vector: what is repeated, strided or a coordinate there is."""
    # A coordinate is s32, and with u32 they compute in s64.
    needs(device, dtype, *(["s64"] if dtype == "u32" and middle is placed else []))
    kind = treadle.DType(dtype).numpy
    x = treadle.buffer(np.random.default_rng(1).integers(0, 9, (6, 100, channels)).astype(kind))
    table = treadle.buffer((np.arange(200 * channels) % 11).reshape(200, channels).astype(kind))
    out = treadle.empty(x.shape, dtype)
    p = treadle.pipeline()
    p.add(beside, x, p.temp(x.shape, dtype)).add(middle, [p.last, table], p.temp(x.shape, dtype))
    got = p.add(beside, p.last, out).run().to_numpy()
    if device.limits.near:
        assert "in a chain" in p.plan().explain()
    reference = treadle.device("reference")  # one by one, and without a compiler
    at = reference.from_numpy(x.to_numpy())
    for kernel in (beside, middle, beside):
        others = [reference.from_numpy(table.to_numpy())] if kernel is middle else []
        at = reference.run_kernel(kernel, [at, *others], reference.empty(x.shape, dtype))
    np.testing.assert_array_equal(got, at.to_numpy())


@pytest.mark.parametrize("dtype", ["f32", "f64", "s32", "s64", "u32", "u8"])
@pytest.mark.parametrize("to", ["s32", "s64", "u32", "u8", "f32"])
def test_three_joined_cast_shifted_and_subtracted(device, dtype, to):
    mixed = "u32" in (dtype, to) and dtype != to and "f32" not in (dtype, to)
    needs(device, dtype, to, *(["s64"] if mixed else []))
    kind, other = treadle.DType(dtype).numpy, treadle.DType(to).numpy
    parts = [(np.arange(n) % 200).astype(kind) for n in (5, 1, 100)]
    shift = treadle.buffer(np.array([3], other))
    out = treadle.empty((106,), "s32")
    p = treadle.pipeline().add("concat", [treadle.buffer(part) for part in parts])
    joined = p.last
    p.add("cast", joined, dtype=to).add("add", [p.last, shift])
    got = p.add("sub", [p.last, joined], out).run().to_numpy()
    np.testing.assert_array_equal(got, np.full(106, 3, np.int32))
