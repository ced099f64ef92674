"""Order and convolution where a device has no library routine for them: merges and transforms as
stages, on every device, with the CPU's routines out of sight."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal

import treadle
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.kernels import convolve, order, vector
from treadle.kernels import places as places_of_updates
from treadle.lang import registry

NOTHING: frozenset[str] = frozenset()


@pytest.fixture
def bare(device, monkeypatch):
    """A device that is said to have no routines."""
    monkeypatch.setattr(device.backend, "routines", NOTHING, raising=False)
    # Plans for the same shapes with routines may be there from other tests, and must not stay.
    monkeypatch.setattr(device._compiler, "_plans", {})
    return device


def tied(shape, dtype="f32", seed=1):
    """Numbers with many ties, NaN and both zeros among floats."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0 if dtype.startswith("u") else -20, 20, shape).astype(DType(dtype).numpy)
    if x.dtype.kind == "f":
        x[rng.random(shape) < 0.1] = np.nan
        x[rng.random(shape) < 0.1] = -0.0
    return x


def places(x, largest):
    """Positions in order: stable, NaN as largest, zeros equal."""
    keys = np.where(np.isnan(x), np.inf, x) if x.dtype.kind == "f" else x.astype(np.int64)
    return np.argsort(-keys if largest else keys, axis=-1, kind="stable")


SIZES = [order.SHORT, order.SHORT + 1, 100, 127, 128, 129, 700]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("descending", [False, True])
def test_sort(bare, n, descending):
    x = tied((3, n))
    out = treadle.run_kernel("sort", [treadle.buffer(x)], descending=descending).to_numpy()
    want = np.take_along_axis(x, places(x, descending), -1)
    np.testing.assert_array_equal(out, want)
    # Equal to each other, but in the order that they had.
    np.testing.assert_array_equal(np.signbit(out[out == 0]), np.signbit(want[want == 0]))


@pytest.mark.parametrize("n", [SIZES[0], SIZES[1], 128, 700])
@pytest.mark.parametrize(
    "k, largest", [(1, False), (1, True), (2, True), (5, False), (33, True), (64, False)]
)
def test_top_k(bare, n, k, largest):
    x = tied((2, n))
    values, found = treadle.run_kernel("top_k", [treadle.buffer(x)], k=k, largest=largest)
    want = places(x, largest)[:, :k]
    np.testing.assert_array_equal(found.to_numpy(), want)
    np.testing.assert_array_equal(values.to_numpy(), np.take_along_axis(x, want, -1))


@pytest.mark.parametrize("dtype", ["f64", "s32", "s64", "u32", "u8"])
def test_every_dtype_along_every_axis(bare, dtype):
    if dtype not in treadle.dtypes():
        pytest.skip(f"{bare.name} has no {dtype}")
    x = tied((90, 3, 70), dtype)
    for axis in (0, 2):
        lined = np.moveaxis(x, axis, -1)
        want = np.moveaxis(np.take_along_axis(lined, places(lined, False), -1), -1, axis)
        out = treadle.run_kernel("sort", [treadle.buffer(x)], axis=axis)
        assert out.dtype == dtype
        np.testing.assert_array_equal(out.to_numpy(), want)
        values, _ = treadle.run_kernel("top_k", [treadle.buffer(x)], k=9, axis=axis, largest=False)
        assert values.dtype == dtype
        np.testing.assert_array_equal(values.to_numpy(), want[(slice(None),) * axis + (slice(9),)])


def test_nearest_neighbours(bare):
    rng = np.random.default_rng(5)
    queries, rows = (rng.normal(size=(n, 3)).astype(np.float32) for n in (4, 900))
    every = np.linalg.norm(queries[:, None].astype(np.float64) - rows, axis=-1)
    _, found = treadle.run_kernel("l2_top_k", [treadle.buffer(queries), treadle.buffer(rows)], k=7)
    np.testing.assert_array_equal(found.to_numpy(), np.argsort(every, 1)[:, :7])


@pytest.mark.parametrize("count", [vector.MANY - 1, vector.MANY, 40])
def test_products_of_few_and_of_many_queries(bare, monkeypatch, count):
    monkeypatch.setattr(vector, "BLOCK", 1)
    rng = np.random.default_rng(6)
    queries, rows = (rng.normal(size=(n, 12)).astype(np.float32) for n in (count, 2100))
    inputs = [treadle.buffer(queries), treadle.buffer(rows)]
    exact = queries.astype(np.float64) @ rows.astype(np.float64).T
    np.testing.assert_allclose(treadle.run_kernel("dot", inputs).to_numpy(), exact, atol=1e-5)
    every = np.linalg.norm(queries[:, None].astype(np.float64) - rows, axis=-1)
    far = treadle.run_kernel("l2_distance", inputs).to_numpy()
    np.testing.assert_allclose(far, every, rtol=2e-5)
    _, found = treadle.run_kernel("l2_top_k", inputs, k=3)
    np.testing.assert_array_equal(found.to_numpy(), np.argsort(every, 1)[:, :3])


def stages(name, specs, **params):
    kernel = registry.lookup(name)
    return kernel.bind(specs, None, *kernel.arguments(params), NOTHING).stages


@pytest.mark.parametrize("name, params", [("sort", {}), ("top_k", {"k": 10})])
def test_a_long_row_takes_as_many_stages_as_its_length_has_bits(name, params):
    made = stages(name, (Spec((1, 1 << 20), DType.F32),), **params)
    assert len(made) <= 22
    assert len({stage.kernel for stage in made}) <= 3  # one program merges at every level


SOUNDS = [
    (2000, 2, 300, 2), (2000, 2, 300, 1), (5000, 1, 129, 1), (50, 2, 300, 2), (1, 1, 200, 1),
    (900, 3, 2000, 3), (3000, 1, 128, 1),
]  # fmt: skip


def convolved(x, impulse, wet, tail):
    full = wet * scipy.signal.fftconvolve(x.astype(np.float64), impulse.astype(np.float64), axes=0)
    full[: len(x)] += (1 - wet) * x
    return full if tail else full[: len(x)]


def sound_and_hall(frames, channels, taps, own, dtype=np.float32):
    rng = np.random.default_rng(frames)
    fade = np.exp(-np.arange(taps) / (taps / 5))[:, None]
    return rng.normal(size=(frames, channels)).astype(dtype), (
        rng.normal(size=(taps, own)) * fade
    ).astype(dtype)


@pytest.mark.parametrize(
    "sizes, tail", [(s, k % 2 == 0) for k, s in enumerate(SOUNDS)] + [(SOUNDS[0], False)], ids=str
)
def test_fft_convolve(bare, sizes, tail):
    x, hall = sound_and_hall(*sizes)
    out = treadle.run_kernel(
        "fft_convolve", [treadle.buffer(x), treadle.buffer(hall)], wet=0.7, tail=tail
    )
    want = convolved(x, hall, 0.7, tail)
    np.testing.assert_allclose(out.to_numpy(), want, rtol=0, atol=1e-6 * np.abs(want).max())


@pytest.mark.parametrize("held, largest", [(1, 22), (1 << 12, 22), (1 << 24, 10), (1 << 24, 11)])
def test_fft_convolve_in_parts_and_with_every_last_radix(bare, monkeypatch, held, largest):
    monkeypatch.setattr(convolve, "HELD", held)
    monkeypatch.setattr(convolve, "LARGEST", largest)
    x, hall = sound_and_hall(7000, 2, 300, 2)
    out = treadle.run_kernel("fft_convolve", [treadle.buffer(x), treadle.buffer(hall)])
    want = convolved(x, hall, 1.0, False)
    np.testing.assert_allclose(out.to_numpy(), want, rtol=0, atol=1e-6 * np.abs(want).max())


def test_fft_convolve_of_doubles(bare):
    if "f64" not in treadle.dtypes():
        pytest.skip(f"{bare.name} has no f64")
    x, hall = sound_and_hall(3000, 2, 400, 1, np.float64)
    out = treadle.run_kernel("fft_convolve", [treadle.buffer(x), treadle.buffer(hall)], tail=True)
    np.testing.assert_allclose(out.to_numpy(), convolved(x, hall, 1.0, True), atol=1e-13)


def test_a_long_impulse_takes_transforms_and_a_short_one_its_sum():
    sound = Spec((480_000, 2), DType.F32)
    short = stages("fft_convolve", (sound, Spec((convolve.DIRECT, 2), DType.F32)))
    long = stages("fft_convolve", (sound, Spec((24_000, 2), DType.F32)))
    assert [stage.kernel.name for stage in short] == ["_fft_convolve"]
    assert "_fft_convolve" not in {stage.kernel.name for stage in long}
    assert len(long) < 40


# Every reduction of floats, whose order decides, and of integers those that go another way.
@pytest.mark.parametrize(
    "dtype, reduction",
    [("f32", reduction) for reduction in places_of_updates.REDUCTIONS]
    + [(dtype, reduction) for dtype in ("s32", "u8") for reduction in ("none", "add")],
)
def test_scatter_of_many_is_that_of_few(bare, monkeypatch, dtype, reduction):
    """Sorted first, and joined in the same order: the same bits, places outside left out."""
    rng = np.random.default_rng(2)
    x, updates = (rng.integers(0, 9, (3, n, 4)).astype(DType(dtype).numpy) for n in (20, 300))
    if dtype == "f32":
        updates = (rng.random(updates.shape) - 0.5).astype(np.float32)
    indices = rng.integers(-25, 25, updates.shape).astype(np.int32)
    given = [treadle.buffer(each) for each in (x, indices, updates)]
    many = treadle.run_kernel("scatter_elements", given, axis=1, reduction=reduction)
    rows = [given[0], treadle.buffer(indices[0, :, :1]), treadle.buffer(updates[:, :20].copy())]
    rows[2] = treadle.buffer(rng.integers(0, 9, (300, 20, 4)).astype(x.dtype))
    parts = treadle.run_kernel("scatter_nd", rows, reduction=reduction)
    monkeypatch.setattr(places_of_updates, "FEW", 1000)
    monkeypatch.setattr(bare._compiler, "_plans", {})
    with treadle.use_device("reference"):
        given, rows = ([treadle.buffer(each.to_numpy()) for each in g] for g in (given, rows))
        want = treadle.run_kernel("scatter_elements", given, axis=1, reduction=reduction)
        these = treadle.run_kernel("scatter_nd", rows, reduction=reduction)
    np.testing.assert_array_equal(many.to_numpy(), want.to_numpy())
    np.testing.assert_array_equal(parts.to_numpy(), these.to_numpy())


def test_many_updates_take_as_many_stages_as_their_number_has_bits():
    specs = (Spec((50,), DType.F32), Spec((5000,), DType.S32), Spec((5000,), DType.F32))
    assert len(stages("scatter_elements", specs, reduction="add")) < 20


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 700])
@pytest.mark.parametrize("dtype", ["f32", "s32", "bool"])
def test_unique(bare, n, dtype):
    x = tied((n,), "f32" if dtype == "bool" else dtype)
    x = x > 0 if dtype == "bool" else x
    given = [treadle.buffer(x)]
    made = treadle.run_kernel("unique", given, counts=True, inverse=True)
    values, number, counts, where = (each.to_numpy() for each in made)
    want = np.unique(x, return_counts=True, return_inverse=True)
    np.testing.assert_array_equal(values[:number], want[0])
    assert all(
        np.array_equal(v, values[-1:], equal_nan=dtype == "f32") for v in values[number:, None]
    )
    np.testing.assert_array_equal(where, want[1])
    np.testing.assert_array_equal(counts, np.pad(want[2], (0, n - number)))
