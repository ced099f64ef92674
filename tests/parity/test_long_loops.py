"""Loops of more rounds than software drivers run before they end one: every device goes on, or
says that it cannot."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from kernel_text import define
from limits import narrowed

LONG = 70_000  # Mesa's drivers for the processor end all loops of an element after 65,535 rounds


@pytest.fixture
def scale(device):
    """What to divide lengths by: the reference walks through loops in Python, and ends none."""
    return 100 if device.info.backend == "reference" else 1


def test_running_sums(device, scale):
    x = np.arange(3 * 200_000 // scale, dtype=np.int32).reshape(3, -1) % 7
    out = treadle.empty(x.shape, narrowed(device, "s64"))
    got = treadle.run_kernel("cumsum", [treadle.buffer(x)], out).to_numpy()
    np.testing.assert_array_equal(got, np.cumsum(x, axis=1, dtype=got.dtype))


def test_a_scan_with_several_states_of_bytes(device, scale):
    kernel = define(
        "def f(state, x):\n"
        "    n, odd = state\n"
        "    n = n + x\n"
        "    return (n, not odd), (n if odd else -n)\n",
        treadle.scan(init=(0, False)),
    )
    x = (np.arange(LONG * 2 // scale) % 5).astype(np.uint8).reshape(-1, 2)
    out = treadle.empty(x.shape, narrowed(device, "s64"))
    got = treadle.run_kernel(kernel, [treadle.buffer(x)], out, axis=0).to_numpy()
    sums = np.cumsum(x, axis=0, dtype=np.int64)
    sums[::2] *= -1
    np.testing.assert_array_equal(got, sums)


@pytest.mark.parametrize("shape, axis", [((9_000_000,), None), ((66_000, 1024), 0)])
def test_sums(device, scale, shape, axis):
    shape = (shape[0] // scale, *shape[1:])
    x = np.ones(shape, np.uint8)
    shape = () if axis is None else shape[1:]
    out = treadle.empty(shape, narrowed(device, "s64"))
    got = treadle.run_kernel("reduce_sum", [treadle.buffer(x)], out, axis=axis).to_numpy()
    np.testing.assert_array_equal(got, np.full(shape, x.size // got.size))


@pytest.mark.parametrize("depth", [60_000, 131_073])
def test_products(device, scale, depth):
    depth //= scale
    a = np.ones((2, depth), np.float32)
    b = np.full((depth, 3), 0.5, np.float32)
    got = treadle.run_kernel("matmul", [treadle.buffer(a), treadle.buffer(b)]).to_numpy()
    np.testing.assert_array_equal(got, np.full((2, 3), depth / 2, np.float32))


def test_products_of_integers(device, scale):
    a = np.ones((2, LONG // scale), np.int32)
    got = treadle.run_kernel("matmul", [treadle.buffer(a), treadle.buffer(a.T.copy())]).to_numpy()
    np.testing.assert_array_equal(got, np.full((2, 2), LONG // scale))


@pytest.mark.parametrize("shape", [(2048, 2048), (600, 4000, 3)])
def test_histograms(device, scale, shape):
    shape = (shape[0] // scale, shape[1] // scale, *shape[2:])
    x = (np.arange(np.prod(shape)) % 251).astype(np.uint8).reshape(shape)
    got = treadle.run_kernel("histogram", [treadle.buffer(x)], bins=4).to_numpy()
    planes = x.reshape(-1, x.shape[2] if x.ndim == 3 else 1)
    expected = [np.bincount(plane // 64, minlength=4) for plane in planes.T]
    np.testing.assert_array_equal(got.reshape(-1, 4), expected)


@pytest.mark.parametrize("shape, axis", [((2, 300_000), 1), ((1, 4_000_003), 1), ((70_001, 2), 0)])
def test_rows(device, scale, shape, axis):
    shape = tuple(n if k != axis else n // scale for k, n in enumerate(shape))
    x = np.zeros(shape, np.float32)
    got = treadle.run_kernel("softmax", [treadle.buffer(x)], axis=axis).to_numpy()
    np.testing.assert_allclose(got, np.full(shape, 1 / shape[axis]), rtol=1e-5)


LOOPS = {
    "up": "for k in range(x.shape[0]):\n    n += k % 3",
    "down": "for k in range(x.shape[0] - 1, -1, -1):\n    n += k % 3",
    "steps": "for k in range(1, 5 * x.shape[0], 5):\n    n += k % 3",
    "steps down": "for k in range(3 * x.shape[0], 1, -3):\n    n += k % 7",
    "nest": "for j in range(x.shape[0] // 100):\n"
    "    for k in range(x.shape[0] // 400):\n        n += (j + k) % 3",
    "around": "m = 1\nfor j in range(3):\n    m += j\n"
    "for k in range(x.shape[0]):\n    n += k % m\nfor k in range(5):\n    n += k * m",
    "no turn": "for k in range(x.shape[0], 0):\n    n += 1",
    "of this element": "for k in range(at[0], at[0] + x.shape[0]):\n    n += k % 3",
}


@pytest.mark.parametrize("dtype", ["s32", "u8"])
@pytest.mark.parametrize("name", LOOPS)
def test_loops_over_sizes(device, scale, name, dtype):
    body = LOOPS[name].replace("\n", "\n    ")
    result = "n" if dtype == "s32" else "n % 251"
    text = f"def f(at, x):\n    n = 0\n    {body}\n    return {result} + at[0]\n"
    kernel = define(text, treadle.kernel(shape=lambda x: (5,), dtype=dtype))
    x = np.zeros(LONG // scale, np.float32)
    got = treadle.run_kernel(kernel, [treadle.buffer(x)]).to_numpy()
    expected = []
    for at in range(5):
        scope = {"x": x, "n": 0, "at": (at,)}
        exec(LOOPS[name], scope)
        expected.append((scope["n"] if dtype == "s32" else scope["n"] % 251) + at)
    np.testing.assert_array_equal(got, expected)


DATA = {
    "for": "for k in range(x):\n    n += 1",
    "while": "while n < x:\n    n += 1",
    "inside": "for k in range(3):\n    j = 0\n    while j < x // 3:\n        j += 1\n    n += j",
    "outside": "for k in range(x // 300):\n    for j in range(300):\n        n += 1",
}


@pytest.mark.parametrize("dtype", ["s32", "u8"])
@pytest.mark.parametrize("name", DATA)
def test_loops_that_only_data_bounds(device, scale, name, dtype):
    body = DATA[name].replace("\n", "\n    ")
    result = "n" if dtype == "s32" else "u8(n % 251)"
    kernel = define(f"def f(x):\n    n = 0\n    {body}\n    return {result}\n")
    short = np.array([0, 3, 900, 6000, 300, 9], np.int32)
    expected = (
        short // 300 * 300 if name == "outside" else short // 3 * 3 if name == "inside" else short
    )
    got = treadle.run_kernel(kernel, [treadle.buffer(short)]).to_numpy()
    np.testing.assert_array_equal(got, expected if dtype == "s32" else expected % 251)
    long = np.array([3, 300 * 1000 // scale, 9], np.int32)
    if not device.limits.rounds:
        got = treadle.run_kernel(kernel, [treadle.buffer(long[1:2])]).to_numpy()
        np.testing.assert_array_equal(got, long[1:2] if dtype == "s32" else long[1:2] % 251)
        return
    with pytest.raises(treadle.CommandFailed, match=r"65,535 rounds"):
        treadle.run_kernel(kernel, [treadle.buffer(long)])
    again = treadle.run_kernel(kernel, [treadle.buffer(short)]).to_numpy()
    np.testing.assert_array_equal(again, got)


def test_a_long_loop_in_a_pipeline_that_runs_again(device, scale):
    text = "def f(at, x):\n    n = 0.0\n    for k in range(x.shape[0]):\n        n += x[k]\n"
    kernel = define(f"{text}    return n\n", treadle.kernel(shape=lambda x: (3,), dtype="f32"))
    size = LONG // scale
    x = treadle.buffer(np.ones(size, np.float32))
    out = treadle.empty(3)
    pipeline = treadle.pipeline(device)
    pipeline.add(kernel, x)
    pipeline.add("scalar_add", pipeline.last, out, scalar=1.0)
    for value in (1, 2):
        x.write(np.full(size, value, np.float32))
        pipeline.run()
        np.testing.assert_array_equal(out.to_numpy(), np.full(3, value * size + 1, np.float32))
