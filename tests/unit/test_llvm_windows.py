"""Sums over windows on the CPU, and pixels picked out of rows that a chain keeps: against the
interpreter, at sizes that are no multiple of anything, and at every edge."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from handmade import F32, F64, S32, axes, f32, load, op, plus
from treadle.backends.cpu import CpuBackend
from treadle.codegen.llvm import chain as llvm_chain
from treadle.codegen.llvm.chain_ring import ring_bytes
from treadle.codegen.llvm.nest import CACHE_LINE
from treadle.ir.affine import Indexer
from treadle.ir.loops import Ring
from treadle.ir.nodes import Assign, Block, Expr, Local, Tensor
from treadle.passes.schedule import windows
from treadle.passes.schedule.windows import find_window
from treadle.runtime.device import Device

Y, X, C = axes(3)
RNG = np.random.default_rng(5)
SHAPES = [(1, 70, 1), (3, 17, 4), (33, 90, 3), (50, 130, 2), (70, 700, 4), (21, 66), (9, 2100, 3)]


@pytest.fixture(scope="module")
def cpu():
    with Device(CpuBackend(workers=2)) as device:
        yield device


@pytest.fixture(scope="module")
def reference():
    return treadle.device("reference")


@pytest.fixture
def short_units(monkeypatch):
    """Units of a few rows, so that most rows are near the border of one."""
    monkeypatch.setattr(llvm_chain, "_UNIT_NS", 0.0)
    monkeypatch.setattr(llvm_chain, "_UNIT_HALO", 1)


def picture(*shape: int, dtype: str = "u8") -> np.ndarray:
    values = RNG.random(shape)
    return (values * 255).astype(np.uint8) if dtype == "u8" else values.astype(np.float32)


def both(cpu, reference, kernel, image, **params):
    """What both devices compute."""
    return (
        device.run_kernel(kernel, [device.from_numpy(image)], **params).to_numpy()
        for device in (cpu, reference)
    )


# Every shape with one radius and every radius with one shape: each pair is a program of its own.
@pytest.mark.parametrize(
    "shape, radius", [(s, 11) for s in SHAPES] + [((50, 130, 2), r) for r in (4, 6, 15, 40)]
)
def test_whole_numbers_are_added_up_exactly(cpu, reference, short_units, shape, radius):
    got, want = both(cpu, reference, "box_blur", picture(*shape), radius=radius)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("shape, radius", [(s, 5) for s in SHAPES] + [((33, 90, 3), 15)])
def test_floats_are_added_up_as_exactly(cpu, reference, short_units, shape, radius):
    got, want = both(cpu, reference, "box_blur", picture(*shape, dtype="f32"), radius=radius)
    np.testing.assert_allclose(got, want, rtol=2e-6)


def test_what_is_not_a_number_stays_within_its_windows(cpu, reference):
    image = picture(60, 90, 3, dtype="f32")
    image[20, 30, 1], image[40, 60, 0] = np.inf, np.nan
    got, want = both(cpu, reference, "box_blur", image, radius=12)
    np.testing.assert_allclose(got, want, rtol=2e-6)
    assert np.isinf(want).sum() == np.isnan(want).sum() == 25 * 25


@treadle.kernel(static=("radius",), name="window_sum")
def window_sum(at, signal, *, radius):
    total = 0.0
    for i in range(-radius, radius + 1):
        total += signal[at[0] + i]
    return total


@treadle.composite(name="window_sums")
def window_sums(signal, *, radius):
    return window_sum(window_sum(signal, radius=radius), radius=radius)


@pytest.mark.parametrize("length", [1, 30, 100, 20_000])
def test_windows_of_a_signal(cpu, reference, length):
    got, want = both(cpu, reference, window_sums, picture(length, dtype="f32"), radius=7)
    np.testing.assert_allclose(got, want, rtol=3e-6)


def block(*terms: Expr) -> Block:
    """A sum as the language writes it: a variable after each term."""
    body = [Assign("t0", terms[0])]
    for k, term in enumerate(terms[1:]):
        last = Local(f"t{k}", term.dtype)
        body.append(Assign(f"t{k + 1}", op("add", last, term)))
    return Block((), tuple(body), (Local(body[-1].name, terms[0].dtype),))


def places(*offsets: int, dtype=F32) -> list[Expr]:
    return [load("image", plus(Y, k), X, C, dtype=dtype) for k in offsets]


def found(*terms: Expr):
    made = block(*terms)
    return find_window(made, Indexer(("h", "w", 3), made))


def test_a_window_is_found_in_any_order():
    window = found(*places(3, -4, *range(-3, 3), 4, dtype=S32))
    assert window is not None
    assert (window.axis, window.terms) == (0, tuple(places(*range(-4, 5), dtype=S32)))
    assert window.block.body == ()
    assert window.parts == (3, 3)


def test_sums_that_are_no_windows():
    nine = places(*range(-4, 5))
    assert found(*nine) is not None
    assert found(*nine[:-1]) is None  # there is little to share
    assert found(*nine[:-1], *places(9)) is None  # a place is left out
    assert found(*nine[:-1], *places(0)) is None  # or there twice
    weighted = [op("mul", f32(0.5 * k), term) for k, term in enumerate(nine)]
    assert found(*weighted) is None  # terms are not alike
    own = load("image", Y, X, C)
    assert found(*[op("mul", own, term) for term in nine]) is None  # nor when moved together
    two_rows = [op("mul", load("other", plus(Y, k), X, C), nine[k + 4]) for k in range(-4, 5)]
    assert found(*two_rows) is not None


def test_each_term_is_looked_at_once(monkeypatch):
    looked = []
    placed = windows._placed
    monkeypatch.setattr(windows, "_placed", lambda *all: looked.append(0) or placed(*all))
    assert found(load("x", Y, Y, C), *places(*range(60))) is None  # the last one fits no window
    assert len(looked) <= 3 * 61


def test_a_sum_that_is_used_on_the_way_stays():
    made = block(*places(*range(-5, 6)))
    extra = Assign("twice", op("mul", Local("t2", F32), f32(2.0)))
    used = Block((), (*made.body, extra), (op("add", Local("twice", F32), made.results[0]),))
    assert find_window(used, Indexer(("h", "w", 3), used)) is None


# Every size with one number of channels, and every number of channels with a size.
@pytest.mark.parametrize(
    "channels, size",
    [
        *((3, size) for size in ((31, 57), (90, 190), (1, 40), (23, 4))),
        *((1, (31, 57)), (2, (90, 190)), (4, (31, 57))),
    ],
)
@pytest.mark.parametrize("dtype", ["u8", "f32"])
@pytest.mark.parametrize("method", ["bilinear", "bicubic"])
def test_pixels_out_of_rows_that_are_kept(
    cpu, reference, short_units, channels, dtype, method, size
):
    image = picture(40, 97, channels, dtype=dtype)
    got, want = both(cpu, reference, "resize", image, size=size, method=method)
    if dtype == "f32":
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=2e-6)
    else:  # sums that lie half-way between two numbers may round to either
        off = np.abs(got.astype(int) - want)
        assert off.max() <= 1
        assert np.count_nonzero(off) <= 0.001 * off.size


@pytest.mark.parametrize("dtype", [F32, F64])
def test_a_ring_has_room_behind_its_last_row(dtype):
    ring = Ring(Tensor("row", dtype, ("h", "w", 3)), 4)
    rows = 4 * 48 * 3 * dtype.size
    assert rows % CACHE_LINE == 0
    assert ring_bytes(ring, 0, {"h": 9, "w": 48}, 0) >= rows + 15 * dtype.size


@pytest.mark.parametrize("channels", [2, 3, 4])
@pytest.mark.parametrize("dtype", ["u8", "f32"])
def test_pixels_that_only_move_are_stored_one_by_one(cpu, reference, channels, dtype):
    image = picture(12, 45, channels, dtype=dtype)
    got, want = both(cpu, reference, "resize", image, size=(17, 61), method="nearest")
    np.testing.assert_array_equal(got, want)
