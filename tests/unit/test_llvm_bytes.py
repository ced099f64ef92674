"""Bytes as lanes on the CPU against the interpreter, with the instructions that AVX-512 has for
them and without: at sizes around a vector, up to the last byte, and for values out of range."""

from __future__ import annotations

import ctypes
import mmap
import sys

import numpy as np
import pytest

import treadle
from scheduled import as_llvm
from treadle.backends.cache import DiskCache
from treadle.backends.cpu import CpuBackend
from treadle.backends.cpu.jit import Jit
from treadle.codegen.llvm import map as llvm_map
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.lang.registry import lookup
from treadle.passes import optimise
from treadle.runtime.device import Device

RNG = np.random.default_rng(19)
HAS_VBMI = Jit(DiskCache(None)).vbmi
WIDTHS = (1, 15, 16, 17, 33, 64, 70)


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "vbmi"])
def cpu(request):
    if request.param and not HAS_VBMI:
        pytest.skip("this processor has no AVX-512 with VBMI")
    backend = CpuBackend(workers=2)
    assert backend._jit.vbmi == HAS_VBMI
    backend._jit._vbmi = request.param
    with Device(backend) as device:
        yield device


@pytest.fixture(scope="module")
def reference():
    return treadle.device("reference")


def picture(*shape: int) -> np.ndarray:
    return RNG.integers(0, 256, shape, dtype=np.uint8)


def alike(cpu, reference, kernel, *arrays, halves=False, **params):
    """Run on both devices; all must be equal, but for a few `halves`, which a fused product may
    leave on the other side."""
    results = []
    for device in (cpu, reference):
        out = device.run_kernel(kernel, [device.from_numpy(a) for a in arrays], **params)
        outs = out if isinstance(out, tuple) else (out,)
        results.append([buffer.to_numpy() for buffer in outs])
    for got, want in zip(*results, strict=True):
        if not halves:
            np.testing.assert_array_equal(got, want)
        else:
            apart = np.abs(got.astype(int) - want.astype(int))
            assert apart.max(initial=0) <= 1
            assert np.count_nonzero(apart) <= 2 + got.size // 100


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("channels", [3, 4])
def test_pixels_in_and_out(cpu, reference, width, channels):
    image = picture(3, width, channels)
    alike(cpu, reference, "grayscale", image, halves=True)
    alike(cpu, reference, "sepia", image, amount=0.75, halves=True)
    alike(cpu, reference, "saturation", image, amount=2.5, halves=True)
    alike(cpu, reference, "grayscale", picture(2, 3, width, channels), halves=True)


@pytest.mark.parametrize("width", [127, 192, 211])  # rows that begin at a cache line, or nowhere
def test_runs_of_vectors_stored_from_whole_registers(cpu, reference, monkeypatch, width):
    def through(device):
        alike(device, reference, "sepia", picture(2000, width, 3), amount=0.75, halves=True)
        alike(device, reference, "grayscale", picture(2000, width, 4), halves=True)
        alike(device, reference, both_in_one, picture(2000, width, 2))

    through(cpu)
    monkeypatch.setattr(llvm_map, "_STREAMED", 0)
    with Device(CpuBackend(workers=2)) as fresh:
        through(fresh)


@treadle.kernel(name="bytes_both_in_one", dtype="u8")
def both_in_one(at, image):
    y, x, c = at
    return image[y, x, 0] * 3 - image[y, x, 1] * (1 + c)


@pytest.mark.parametrize("width", [2, 30, 32, 34, 64, 66, 130])
@pytest.mark.parametrize("format", ["yuv420p", "nv12", "yuv444"])
def test_video(cpu, reference, width, format):
    planes = picture(4, width, 3) if format == "yuv444" else picture(6, width)
    alike(cpu, reference, "yuv_to_rgb", planes, format=format, halves=True)
    alike(cpu, reference, "rgb_to_yuv", picture(4, width, 3), format=format, halves=True)
    alike(cpu, reference, "rgb_to_yuv", picture(2, 4, width, 4), format=format, halves=True)


@pytest.mark.parametrize("shape", [(5, 13), (1, 64), (3, 70, 3), (2, 3, 40, 2), (4, 33, 4)])
def test_tables(cpu, reference, shape):
    alike(cpu, reference, "lut_apply", picture(*shape), picture(256, 1))
    alike(cpu, reference, "lut_apply", picture(*shape), picture(17, 1))
    if shape[-1] in (3, 4):
        alike(cpu, reference, "lut_apply", picture(*shape), picture(256, 3))


@treadle.kernel(name="bytes_looked_up", shape=lambda image, table: image.shape, dtype="u8")
def looked_up(at, image, table):
    y, x = at
    return table[image[y, x]]


@treadle.kernel(name="bytes_looked_up_twice", shape=lambda image, table: image.shape, dtype="u8")
def every_second(at, image, table):
    y, x = at
    return table[image[y, 2 * x]]


@treadle.kernel(name="bytes_looked_up_as_floats", shape=lambda image, table: image.shape)
def as_floats(at, image, table):
    y, x = at
    return table[image[y, x]] * 0.5


def test_tables_of_every_length(cpu, reference):
    image = picture(3, 200)
    for entries in (1, 100, 255, 256, 300):
        for kernel in (looked_up, every_second, as_floats):
            alike(cpu, reference, kernel, image, picture(entries))


@treadle.kernel(name="bytes_scaled", dtype="u8", shape=lambda image, scale: image.shape)
def scaled(at, image, scale):
    y, x, c = at
    return (image[y, x, 0] - image[y, x, 2]) * scale[c]


@pytest.mark.parametrize("scale", [0.5, 1e9, 1e38, np.inf, np.nan, -np.inf, -3e9, 2.0**31])
def test_what_is_stored_saturates(cpu, reference, scale):
    with np.errstate(all="ignore"):
        scales = np.array([scale, 1.0, -scale], np.float32)
        alike(cpu, reference, scaled, picture(2, 50, 3), scales)


@treadle.kernel(name="bytes_added", dtype="u8", shape=lambda image: image.shape)
def added(at, image):
    y, x, c = at
    return 70000 * image[y, x, 0] - 300 * image[y, x, 1] + c


def test_integers_saturate_as_well(cpu, reference):
    alike(cpu, reference, added, picture(2, 40, 3))
    alike(cpu, reference, added, picture(2, 40, 4))


@treadle.kernel(
    name="bytes_two_results", dtype="u8", shape=lambda image: (*image.shape[:-2], 40, 2)
)
def two_results(at, image):
    y, x, c = at
    return image[y, x, c] * 0.25, image[y, 2 * x, c + 1]


@treadle.kernel(name="bytes_far_apart", dtype="u8", shape=lambda image: (image.shape[0], 40))
def far_apart(at, image):
    y, x = at
    return image[y, 2 * x, 0] * 0.25 + image[y, 2 * x + 1, 2] * 0.5 + image[y, 0, 1] * 0.125


@treadle.kernel(name="bytes_branch", dtype="image")
def branch(at, image):
    y, x = at[0], at[1]
    channel = 0
    if x % 3 > 0:
        channel = 2
    return image[y, x, at[2]] // 2 + image[y, x, channel % 4] // 2


def test_a_channel_that_a_branch_chooses_differs_from_lane_to_lane(cpu, reference):
    alike(cpu, reference, branch, picture(3, 70, 4))


def test_several_results_and_far_neighbours(cpu, reference):
    alike(cpu, reference, two_results, picture(3, 90, 3))
    for channels in (3, 4):
        for width in (79, 80, 81):
            alike(cpu, reference, far_apart, picture(3, width, channels))


def halved_shape(image, step):
    return (image.shape[0], (image.shape[1] + step - 1) // step, *image.shape[2:])


@treadle.kernel(name="bytes_every_nth", dtype="u8", static=("step",), shape=halved_shape)
def every_nth(at, image, *, step):
    return image[(at[0], step * at[1], *at[2:])]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="guard pages are made by mprotect")
@pytest.mark.parametrize("kernel", ["grayscale", "sepia", 2, 3, 5])
def test_nothing_behind_an_image_is_touched(cpu, kernel):
    """The image ends where readable memory does."""
    step = kernel if isinstance(kernel, int) else None
    libc = ctypes.CDLL(None, use_errno=True)
    pages = mmap.mmap(-1, 2 * mmap.PAGESIZE)
    anchor = ctypes.c_char.from_buffer(pages)
    guard = ctypes.c_void_p(ctypes.addressof(anchor) + mmap.PAGESIZE)
    image = np.frombuffer(pages, np.uint8)[: mmap.PAGESIZE]
    assert libc.mprotect(guard, mmap.PAGESIZE, 0) == 0
    try:
        for width in (16, 31, 32, 46, 48, 61, 63, 64, 65, 76, 80):
            last = image[mmap.PAGESIZE - 2 * width * 3 :].reshape(2, width, 3)
            if step is None:
                cpu.run_kernel(kernel, [cpu.from_numpy(last, copy=False)])
                continue
            for part in (last, image[mmap.PAGESIZE - width :].reshape(1, width)):
                out = cpu.run_kernel(every_nth, [cpu.from_numpy(part, copy=False)], step=step)
                np.testing.assert_array_equal(out.to_numpy(), part[:, ::step])
    finally:
        assert libc.mprotect(guard, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE) == 0
        del anchor


def text(name: str, *specs: Spec, vbmi: bool, **params: object) -> str:
    definition = lookup(name)
    bound = definition.bind(specs, None, *definition.arguments(params))
    return "".join(
        as_llvm(optimise(stage.kernel), permutes_bytes=vbmi).text for stage in bound.stages
    )


@pytest.mark.parametrize(
    "name, shape, what",
    [
        ("grayscale", (40, 60, 3), "llvm.masked.load.v64i8"),
        ("sepia", (40, 60, 3), "packuswb"),
        ("yuv_to_rgb", (60, 60), "packuswb"),
        ("rgb_to_yuv", (40, 60, 3), "llvm.masked.load.v64i8"),
    ],
)
def test_the_instructions_are_used_where_they_are_known_to_be_there(name, shape, what):
    assert what in text(name, Spec(shape, DType.U8), vbmi=True)
    assert "x86" not in text(name, Spec(shape, DType.U8), vbmi=False)
    assert "x86" not in text(name, Spec(shape, DType.F32), vbmi=True)


def test_whole_registers_are_looked_up():
    specs = Spec((40, 60, 3), DType.U8), Spec((256, 1), DType.U8)
    assert "vpermi2var" in text("lut_apply", *specs, vbmi=True)
    assert "x86" not in text("lut_apply", *specs, vbmi=False)
