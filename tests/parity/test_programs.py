"""Generated kernels on every backend against interpret().

Values are small integers held in floats and the operations keep them exact, so that the comparison
is exact too; what rounds has its own tests."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import treadle
from bound import evaluate
from kernel_text import define
from limits import narrowed

FEW = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    derandomize=True,
)


@st.composite
def expressions(draw, names, depth=3):
    """A numeric expression over the given names."""
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        return draw(st.sampled_from([*names, *map(str, range(-3, 4))]))
    a = draw(expressions(names, depth - 1))
    b = draw(expressions(names, depth - 1))
    c = draw(expressions(names, depth - 1))
    shapes = [
        f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"min({a}, {b})", f"max({a}, {b})",
        f"abs({a})", f"({a} if {b} < {c} else {c})", f"(-{a})", f"clamp({a}, -9, {b})",
        f"float({a} > {b} and {b} >= {c})", f"floor({a})", f"({b} if {a} == {c} or {b} != {c} "
        "else 1)",
    ]  # fmt: skip
    return draw(st.sampled_from(shapes))


@st.composite
def bodies(draw, reads):
    """The lines of a kernel's body over input reads, with locals, ifs and loops."""
    names = [*reads]
    lines = []
    for number in range(draw(st.integers(1, 4))):
        name = f"v{number}"
        value = draw(expressions(names, 2))
        kind = draw(st.sampled_from(["plain", "if", "for", "while", "static"]))
        if kind == "plain":
            lines.append(f"{name} = {value}")
        elif kind == "if":
            test = f"{draw(st.sampled_from(names))} > {draw(st.integers(-3, 3))}"
            other = draw(expressions(names, 2))
            lines += [f"if {test}:", f"    {name} = {value}", "else:", f"    {name} = {other}"]
        elif kind == "for":
            bound = f"int(clamp({draw(st.sampled_from(names))}, 0, 3))"
            lines += [
                f"{name} = 0.0",
                f"for k in range({bound}):",
                f"    {name} = min({name} + {value}, 99) + k",
            ]
        elif kind == "while":
            lines += [
                f"{name} = 0.0",
                f"while {name} < 5 and {draw(st.sampled_from(names))} > 0:",
                f"    {name} = {name} + 1 + abs(clamp({value}, -2, 2))",
            ]
        else:
            lines += [
                f"{name} = {value}",
                "for k in range(3):",
                f"    {name} = clamp({name} + k, -50, 50)",
            ]
        lines[-1:] = [lines[-1], f"{name} = clamp({name}, -99, 99)"]
        names.append(name)
    lines.append(f"return {draw(expressions(names, 2))}")
    return "\n".join(f"    {line}" for line in lines)


def whole(shape, dtype, seed):
    values = np.random.default_rng(seed).integers(-4, 5, shape)
    return (np.abs(values) if dtype in (np.uint8, np.uint32) else values).astype(dtype)


def compare(kernel, arrays, text, **params):
    got = treadle.run_kernel(kernel, [treadle.buffer(x) for x in arrays], **params).to_numpy()
    expected = evaluate(kernel, *arrays, **params)
    np.testing.assert_array_equal(got, expected, err_msg=text)


@FEW
@given(
    body=bodies(["x", "y"]),
    dtypes=st.tuples(*[st.sampled_from([np.float32, np.float64, np.int32, np.uint8])] * 2),
    shapes=st.sampled_from(
        [((70,), (70,)), ((9, 33), (33,)), ((4, 1), (1, 37)), ((5, 3), ()), ((2, 3, 4), (3, 1))]
    ),
)
def test_pointwise(device, body, dtypes, shapes):
    text = f"def f(x, y):\n{body}\n"
    held = [narrowed(device, each).numpy for each in dtypes]
    arrays = [whole(s, d, k) for k, (s, d) in enumerate(zip(shapes, held, strict=True))]
    compare(define(text), arrays, text)


@FEW
@given(
    body=bodies(
        ["x[i, j]", "x[i + 1, j - 2]", "x[i - 1, j + 3]", "x[j, i]", "x[i, int(x[i, j])]", "i", "j"]
    ),
    shape=st.sampled_from([(1, 1), (2, 3), (7, 50), (30, 4), (16, 16)]),
    dtype=st.sampled_from([np.float32, np.int32, np.uint8]),
)
def test_stencils_and_gathers(device, body, shape, dtype):
    text = f"def f(at, x):\n    i, j = at\n{body}\n"
    compare(define(text, treadle.kernel), [whole(shape, dtype, 3)], text)


@FEW
@given(
    offsets=st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=5),
    channels=st.integers(1, 5),
    shape=st.sampled_from([(1, 1), (2, 5), (5, 2), (9, 40)]),
    dtype=st.sampled_from([np.float32, np.uint8]),
)
def test_image_stencils(device, offsets, channels, shape, dtype):
    taps = " + ".join(f"x[y + {dy}, x_ + {dx}, c]" for dy, dx in offsets)
    text = f"def f(at, x):\n    y, x_, c = at\n    return {taps}\n"
    compare(define(text, treadle.kernel), [whole((*shape, channels), dtype, 4)], text)


def summed(device, dtype):
    """A dtype whose sums a device has: those of integers are s64."""
    exact = treadle.s64 in device.limits.dtypes or np.dtype(dtype).kind == "f"
    return narrowed(device, dtype).numpy if exact else np.float32


@FEW
@given(
    combine=st.sampled_from(["acc + x", "max(acc, x)", "min(x, acc)"]),
    shape=st.sampled_from([(5,), (300,), (3, 130), (130, 3), (2, 65, 9), (7, 1, 40)]),
    dtype=st.sampled_from([np.float32, np.float64, np.int32, np.uint8, np.int64]),
    data=st.data(),
)
def test_reductions(device, combine, shape, dtype, data):
    axes = st.sets(st.integers(0, len(shape) - 1), min_size=1).map(lambda s: tuple(sorted(s)))
    axis = data.draw(st.one_of(st.none(), axes))
    init = {"acc + x": 0, "max(acc, x)": "lowest", "min(x, acc)": "highest"}[combine]
    text = f"def f(acc, x):\n    return {combine}\n"
    kernel = define(text, treadle.reduction(init=init))
    held = summed(device, dtype) if combine == "acc + x" else narrowed(device, dtype).numpy
    compare(kernel, [whole(shape, held, 5)], text, axis=axis)


@FEW
@given(
    steps=st.lists(
        st.sampled_from(["r = r - max(r)", "r = r * 2 + sum(r)", "r = abs(r)",
                         "r = r if r > min(r) else r + len(r)",
                         "s = sum(r)\n    r = r - s", "r = r + other", "r = clamp(r, -40, 40)"]),
        min_size=1, max_size=3,
    ),
    result=st.sampled_from(["r", "max(r)", "sum(r) + min(r)"]),
    shape=st.sampled_from([(1,), (70,), (3, 50), (4, 5, 6), (2, 1)]),
    data=st.data(),
)  # fmt: skip
def test_rows(device, steps, result, shape, data):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    body = "\n    ".join(steps)
    text = f"def f(r, other):\n    {body}\n    return {result}\n"
    arrays = [whole(shape, np.float32, 6), whole(shape[axis], np.float32, 7)]
    compare(define(text, treadle.rowwise), arrays, text, axis=axis)


@FEW
@given(
    step=st.sampled_from(["s + x", "max(s, x)", "clamp(s * 2 - x, -9, 9)", "s if x < 0 else x"]),
    shape=st.sampled_from([(1,), (40,), (3, 50), (50, 3), (4, 5, 6)]),
    dtype=st.sampled_from([np.float32, np.int32]),
    data=st.data(),
)
def test_scans(device, step, shape, dtype, data):
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    text = f"def f(s, x):\n    s = {step}\n    return s, s + x\n"
    held = summed(device, dtype) if step == "s + x" else dtype
    compare(define(text, treadle.scan(init=0)), [whole(shape, held, 8)], text, axis=axis)


@pytest.mark.parametrize("size", [1, 7, 8, 31, 32, 33, 255, 1000, 65536, 65537, 300_001])
def test_sizes_around_the_widths_of_lanes_and_blocks(device, size):
    if device.name == "reference" and size > 70_000:
        return
    x = whole(size, np.float32, size)
    assert treadle.run_kernel("reduce_sum", [treadle.buffer(x)]).to_numpy() == x.sum()
    assert treadle.run_kernel("argmax", [treadle.buffer(x)]).to_numpy() == x.argmax()
    np.testing.assert_array_equal(
        treadle.run_kernel("elementwise_add", [treadle.buffer(x), treadle.buffer(x)]).to_numpy(),
        x + x,
    )
