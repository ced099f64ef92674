"""Maps over pixels on the CPU against the interpreter: scattered, mirrored and halved reads, tables
of bytes, histograms; at sizes that are no multiple of anything, and at every edge."""

from __future__ import annotations

import ctypes
import mmap
import sys

import numpy as np
import pytest

import treadle
from treadle.backends.cpu import CpuBackend
from treadle.codegen.llvm import map as llvm_map
from treadle.runtime.device import Device

RNG = np.random.default_rng(11)


@pytest.fixture(scope="module")
def cpu():
    with Device(CpuBackend(workers=2)) as device:
        yield device


@pytest.fixture(scope="module")
def reference():
    return treadle.device("reference")


def picture(*shape: int, dtype: str = "u8") -> np.ndarray:
    values = RNG.random(shape)
    return (values * 255).astype(np.uint8) if dtype == "u8" else values.astype(np.float32)


def alike(cpu, reference, kernel, *arrays, **params):
    """Run on both devices; bytes and integers must be equal, floats nearly."""
    got, want = (
        device.run_kernel(kernel, [device.from_numpy(a) for a in arrays], **params).to_numpy()
        for device in (cpu, reference)
    )
    if want.dtype.kind == "f":
        np.testing.assert_allclose(got, want, rtol=2e-6, atol=1e-6)
    else:
        np.testing.assert_array_equal(got, want)
    return got


@treadle.kernel(name="pixels_by_table", shape=lambda image, columns: (*image.shape[:1], 21, 3))
def by_table(at, image, columns):
    y, x, c = at
    middle = columns[x] + 1
    return (
        0.25 * image[y, columns[x], c] + 0.5 * image[y, middle, c] + 0.25 * image[y, middle + 1, c]
    )


@pytest.mark.parametrize("dtype", ["u8", "f32"])
@pytest.mark.parametrize("width", [2, 9, 40])
def test_pixels_by_a_table_that_leaves_the_image(cpu, reference, dtype, width):
    image = picture(5, width, 3, dtype=dtype)
    inside = RNG.integers(0, width, 21).astype(np.int32)
    alike(cpu, reference, by_table, image, inside)
    anywhere = np.array([-(2**31), 2**31 - 1, 2**31 - 2, -1, width, *inside[5:]], np.int32)
    alike(cpu, reference, by_table, image, anywhere)


@pytest.mark.parametrize("channels", [2, 3, 4])
@pytest.mark.parametrize("method", ["nearest", "bilinear"])
@pytest.mark.parametrize("dtype", ["u8", "f32"])
def test_slanted_reads_cross_every_edge(cpu, reference, channels, method, dtype):
    image = picture(37, 53, channels, dtype=dtype)
    matrix = ((0.75, -0.5, 11.25), (0.5, 0.75, -9.5))  # exact, with or without fused products
    alike(cpu, reference, "warp_affine", image, matrix=matrix, method=method, inverse=True)


@treadle.kernel(name="pixels_by_channel", shape=lambda image, columns: image.shape)
def by_channel(at, image, columns):
    """Each channel has its own column, so that no pixel is read whole."""
    y, x, c = at
    return image[y, columns[x] + c, c] + image[y, columns[x], c]


def test_pixels_that_are_not_read_whole(cpu, reference):
    columns = RNG.integers(-3, 30, 19).astype(np.int32)
    alike(cpu, reference, by_channel, picture(4, 19, 3, dtype="f32"), columns)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="guard pages are made by mprotect")
@pytest.mark.parametrize("dtype", ["u8", "f32"])
def test_nothing_behind_the_last_pixel_is_read(cpu, reference, dtype):
    image = picture(6, 24, 3, dtype=dtype)
    memory = mmap.mmap(-1, 2 * mmap.PAGESIZE)
    anchor = ctypes.c_char.from_buffer(memory)
    guard = ctypes.c_void_p(ctypes.addressof(anchor) + mmap.PAGESIZE)
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.mprotect(guard, mmap.PAGESIZE, 0) == 0
    start = mmap.PAGESIZE - image.nbytes
    last = np.frombuffer(memory, image.dtype, image.size, start).reshape(image.shape)
    last[...] = image
    turned = alike(cpu, reference, "rotate90", last, turns=1)
    np.testing.assert_array_equal(turned, np.rot90(image))
    alike(cpu, reference, "flip", last)
    alike(cpu, reference, by_table, last, np.arange(21, dtype=np.int32) + 3)
    alike(cpu, reference, "warp_affine", last, matrix=((1, 0, 0.25), (0, 1, 0.25)))
    assert libc.mprotect(guard, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE) == 0


@pytest.mark.parametrize("shape", [(7, 1, 3), (3, 33, 3), (5, 16, 4), (2, 40, 2)])
@pytest.mark.parametrize("dtype", ["u8", "f32"])
@pytest.mark.parametrize("direction", ["horizontal", "vertical", "both"])
def test_mirrored_pixels_also_streamed(cpu, reference, monkeypatch, shape, dtype, direction):
    image = picture(*shape, dtype=dtype)
    alike(cpu, reference, "flip", image, direction=direction)
    monkeypatch.setattr(llvm_map, "_STREAMED", 1)
    with Device(CpuBackend(workers=2)) as fresh:
        tall = np.concatenate([image] * 2000)  # what takes no time at all is never streamed
        alike(fresh, reference, "flip", tall, direction=direction)


@treadle.kernel(name="halved_columns", shape=lambda image, colour: image.shape)
def halved_columns(at, image, colour):
    y, x = at
    return image[y, x] + colour[y, x // 2] * (x % 2) + colour[y, x // 2 * 2]


@pytest.mark.parametrize("width", [1, 2, 3, 16, 45, 130])
def test_halved_columns_of_odd_and_even_widths(cpu, reference, width):
    image, colour = picture(4, width, dtype="f32"), picture(4, width, dtype="f32")
    alike(cpu, reference, halved_columns, image, colour)


@pytest.mark.parametrize("rows", [3, 255, 256, 300])
@pytest.mark.parametrize("channels", [1, 3])
def test_tables_of_bytes_smaller_and_larger_than_a_byte(cpu, reference, rows, channels):
    @treadle.kernel(name=f"looked_up_{rows}_{channels}", shape=lambda image, table: image.shape)
    def looked_up(at, image, table):
        value = image[at]
        return table[value, min(at[len(at) - 1], table.shape[1] - 1)]

    alike(cpu, reference, looked_up, picture(6, 35, 3), picture(rows, channels))


@pytest.mark.parametrize("dtype", ["u8", "f32"])
@pytest.mark.parametrize("shape", [(1, 1), (5, 19), (5, 19, 3), (2, 5, 19, 4), (4, 9, 2)])
@pytest.mark.parametrize("bins", [1, 7, 1024, 1025, 3000])
def test_counts_of_few_and_of_many_bins(cpu, reference, dtype, shape, bins):
    image = picture(*shape, dtype=dtype)
    if dtype == "f32":
        strange = np.array([np.nan, -1e30, 1.0, np.inf], np.float32)[: image.size]
        image.reshape(-1)[: strange.size] = strange
    got = alike(cpu, reference, "histogram", image, bins=bins)
    assert got.sum() == np.count_nonzero((image >= 0) & (image <= (255 if dtype == "u8" else 1)))


@pytest.mark.parametrize("method", ["area", "bilinear", "bicubic"])
@pytest.mark.parametrize("factor", [1, 2, 3, 4])
def test_whole_factors_shrink_as_any_other(cpu, reference, method, factor):
    image = picture(12 * factor, 10 * factor, 3, dtype="f32")
    got = alike(cpu, reference, "resize", image, size=(12, 10), method=method)
    if method == "area":
        want = image.reshape(12, factor, 10, factor, 3).mean((1, 3), dtype=np.float64)
        np.testing.assert_allclose(got, want, rtol=1e-5)
