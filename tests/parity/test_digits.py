"""Order by digits: on devices that have it as a routine, and on others what the routine means."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from treadle.ir.bound import Spec
from treadle.kernels import digits, order
from treadle.lang.registry import lookup

# The interpreter would take minutes for what the CPU's compiler makes of the same forms.
DEVICES = pytest.mark.parametrize("device", ["cpu", "cuda", "webgpu"], indirect=True)
SHAPES = [(2, order.MANY + 1), (1, order.MANY), (2, 3 * digits.BLOCK - 1), (3, 3 * digits.BLOCK)]


@pytest.fixture
def shapes(device, monkeypatch):
    """The device is said to order by digits, and to have no other routine. One that has not even
    that one looks at a block for each element, which is seconds for each shape."""
    found = SHAPES if "digits" in getattr(device.backend, "routines", ()) else SHAPES[:2]
    monkeypatch.setattr(device.backend, "routines", frozenset({"digits"}), raising=False)
    # Plans for the same shapes with other routines may be there, and must not stay.
    monkeypatch.setattr(device._compiler, "_plans", {})
    return found


def words(shape, dtype):
    """Every kind of bits, many of them several times."""
    rng = np.random.default_rng(11)
    made = rng.integers(0, 2**32, shape, np.uint32)
    made[rng.random(shape) < 0.2] &= 0x80000001  # zeros and the smallest float, of both signs
    made[rng.random(shape) < 0.2] |= 0x7F800000  # infinities and NaN of both signs
    return made.view(treadle.DType(dtype).numpy)


def places(x, descending):
    """Positions in order: stable, NaN as largest, zeros equal."""
    keys = np.unique(x, return_inverse=True)[1].reshape(x.shape).astype(np.int64)
    return np.argsort(-keys if descending else keys, axis=-1, kind="stable")


@DEVICES
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", ["f32", "s32", "u32"])
def test_rows_in_order(shapes, dtype, descending):
    for shape in shapes if dtype == "f32" else shapes[:1]:
        x = words(shape, dtype)
        wanted = places(x, descending)
        found = treadle.run_kernel("argsort", [treadle.buffer(x)], descending=descending)
        np.testing.assert_array_equal(found.to_numpy(), wanted)
        made = treadle.run_kernel("sort", [treadle.buffer(x)], descending=descending).to_numpy()
        # NaN in their order too, with the bits that they had where a device keeps those.
        np.testing.assert_array_equal(made, np.take_along_axis(x, wanted, -1))
        zeros = np.take_along_axis(x, wanted, -1) == 0
        np.testing.assert_array_equal(
            np.signbit(made[zeros]), np.signbit(np.take_along_axis(x, wanted, -1)[zeros])
        )


@DEVICES
@pytest.mark.parametrize("k", [order.FEW, order.MANY])
def test_many_of_the_first(shapes, k):
    x = words(shapes[-1], "f32")
    values, found = treadle.run_kernel("top_k", [treadle.buffer(x)], k=k)
    wanted = places(x, True)[:, :k]
    np.testing.assert_array_equal(found.to_numpy(), wanted)
    np.testing.assert_array_equal(values.to_numpy(), np.take_along_axis(x, wanted, -1))


@DEVICES
def test_different_elements_of_a_long_row(shapes):
    x = words((order.MANY,), "s32")
    made = treadle.run_kernel("unique", [treadle.buffer(x)], counts=True, inverse=True)
    values, number, counts, inverse = (each.to_numpy() for each in made)
    wanted, where, how_often = np.unique(x, return_inverse=True, return_counts=True)
    np.testing.assert_array_equal(values[: int(number)], wanted)
    np.testing.assert_array_equal(counts[: int(number)], how_often)
    np.testing.assert_array_equal(inverse, where)


def test_an_order_takes_few_programs():
    """The shift is a parameter: all passes share a program, whatever the length."""
    kernel = lookup("argsort")
    given = (Spec((1, 1 << 20), treadle.f32),)
    made = kernel.bind(given, None, *kernel.arguments({}), frozenset({"digits"})).stages
    assert len(made) == 3 + 3 * 8  # keys, positions and a copy besides
    assert len({stage.kernel for stage in made}) == 7
