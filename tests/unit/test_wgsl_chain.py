"""Chains as WGSL: how tiles are cut, what is kept of them and written, and that bytes beside the
output stay as they are. Only the last needs a device."""

from __future__ import annotations

import os
import re
from dataclasses import replace

import numpy as np
import pytest

import treadle
from chains import Tap, chained, of, stage, whole
from scheduled import as_wgsl, best, spelt
from treadle.backends.base import Region, Step
from treadle.codegen.wgsl import Rendered, target
from treadle.codegen.wgsl.chain import GROUP, LEAST_NEAR
from treadle.dtypes import DType
from treadle.errors import LaunchError
from treadle.ir.bound import Spec
from treadle.ir.interpret import interpret
from treadle.ir.nodes import Chain, Kernel, Span, Tensor
from treadle.ir.tiles import Halo, Tiling
from treadle.passes.fuse import fuse
from treadle.passes.schedule.gpu import fits
from treadle.passes.schedule.gpu.tiles import tiling
from unit.test_cuda_chain import BLUR, GREY, SHARPEN, bound

U8, F32, F64, S32 = DType.U8, DType.F32, DType.F64, DType.S32
BOX = ("box_blur", {"radius": 2})
SIZES = {"f32": 4, "u32": 4, "i32": 4, "bool": 4, "f64": 8, "i64": 8}


def chain(spec: Spec, *calls: tuple[str, dict[str, float]], near: int = LEAST_NEAR) -> Kernel:
    """The one kernel that fusing leaves, as it is scheduled."""
    fused = fuse(bound(spec, *calls), near=near, fits=lambda kernel: fits(kernel, target(near)))
    (stage,) = fused.bound.stages
    assert isinstance(stage.kernel.form, Chain)
    return best(stage.kernel)


def picture(dtype: DType = U8) -> Kernel:
    return chain(Spec((1080, 1920, 4), dtype), BLUR, SHARPEN, GREY)


def cut(kernel: Kernel) -> Tiling:
    found = tiling(kernel, GROUP)
    assert found is not None
    return found


def memory(rendered: Rendered) -> int:
    """Bytes of the workgroup's memory that a text declares; variables begin at multiples of 16."""
    arrays = re.findall(r"var<workgroup> \w+: array<(\w+), (\d+)>", rendered.text)
    assert len(arrays) == rendered.text.count("var<workgroup>")
    return sum(-(-SIZES[kind] * int(count) // 16) * 16 for kind, count in arrays)


def test_tiles_are_cut_as_elsewhere():
    found = cut(picture())
    assert [part.halo for part in found.parts] == [Halo(1, 1, 4, 4), Halo(1, 1, 1, 1), Halo()]
    # Alpha is never read: nobody computes it.
    assert [len(part.cells) for part in found.parts] == [3, 3, 1]


CHAINS = {
    "u8": picture,
    "f32": lambda: picture(F32),
    "f64": lambda: chain(Spec((40, 90), F64), BLUR),
    "grey": lambda: chain(Spec((40, 90), U8), BLUR, SHARPEN),
    "three": lambda: chain(Spec((2, 40, 90, 3), U8), BOX, SHARPEN),
    "wide": lambda: chain(Spec((2, 90, 90), F32), ("gaussian_blur", {"radius": 9})),
    # Weights take none of the memory: they are parameters.
    "widest": lambda: chain(Spec((90, 90, 4), F32), ("gaussian_blur", {"radius": 39})),
    "edges": lambda: chain(Spec((40, 90, 4), F32), SHARPEN, ("edge_detect", {}), SHARPEN),
}


@pytest.mark.parametrize("name", CHAINS)
def test_every_device_has_the_memory(name):
    kernel = CHAINS[name]()
    rendered = as_wgsl(kernel)
    assert 0 < memory(rendered) <= LEAST_NEAR
    # A device with more gives no other text, as long as there is room for what runs beside it.
    assert as_wgsl(kernel, near=2 * LEAST_NEAR).text == rendered.text


def test_memory_that_is_too_small_is_said():
    calls = [("gaussian_blur", {"radius": 12}), ("gaussian_blur", {"radius": 12})]
    kernel = chain(Spec((400, 300, 4), F32), *calls, near=96 << 10)
    assert not fits(kernel, target(LEAST_NEAR))
    assert fits(kernel, target(96 << 10))
    assert LEAST_NEAR < memory(as_wgsl(kernel, near=96 << 10)) <= 96 << 10
    with pytest.raises(LaunchError, match="device 'webgpu'; run its stages one by one"):
        as_wgsl(kernel)


def test_what_does_not_fit_is_left_apart_and_said():
    wide = ("gaussian_blur", {"radius": 12})
    stages = bound(Spec((400, 300, 4), F32), wide, wide)
    fused = fuse(stages, near=LEAST_NEAR, fits=lambda kernel: fits(kernel, target(LEAST_NEAR)))
    assert fused.groups == ((0, 1), (2, 3))
    said = [note.partition("; ")[2] for note in fused.notes]
    fit = "tiles with what is read around them do not fit the device's near memory"
    assert said == ["", "", f"no chain with _gaussian_pass: {fit}", ""]


def test_a_workgroup_is_a_tile():
    kernel = chain(Spec((2, 40, 90, 3), F32), BLUR, SHARPEN)
    found = cut(kernel)
    (dispatch,) = as_wgsl(kernel).layout.dispatches((100, 200))
    down, across = -(-100 // found.height), -(-200 // found.width)
    assert dispatch.groups == 2 * down * across
    assert dispatch.geometry == (dispatch.groups, down, across)


def test_all_of_a_workgroup_meets_at_every_barrier():
    """A barrier in a loop over items would be reached by some and not by others."""
    text = as_wgsl(picture()).text
    depths: list[str] = []
    for line in text.splitlines():
        if "workgroupBarrier" in line:
            assert not any(opened.startswith("for") for opened in depths)
            assert all("local" not in opened for opened in depths[1:])
        if line.strip().startswith("}"):
            depths.pop()
        if line.endswith("{") or line.endswith("("):
            depths.append(line.strip())
    assert text.count("workgroupBarrier") == 4  # two stages kept, and their borders


def test_neighbours_share_what_they_read():
    kernel = picture()
    run = cut(kernel).parts[0].run
    # A run down a column reads each row once, all channels of a pixel together.
    assert len(re.findall(r"= pixel4_b1\(", as_wgsl(kernel).text)) == run + 6
    floats = picture(F32)
    run = cut(floats).parts[0].run
    assert len(re.findall(r"= b1\[", as_wgsl(floats).text)) == 3 * (run + 6)


def test_weights_are_given():
    text = as_wgsl(picture()).text
    assert "p_uniform" in text
    assert "w_exp" not in text


def test_only_bytes_are_atomic():
    assert "atomic" not in as_wgsl(picture(F32)).text
    text = as_wgsl(picture()).text
    assert "array<atomic<u32>>" in text
    # Neighbours of a row are a word, which is written whole.
    found = cut(picture())
    assert not found.parts[-1].down
    assert found.parts[-1].run % 4 == 0
    assert len(re.findall(r"^ +put_b0\(", text, re.MULTILINE)) == found.parts[-1].run // 4


def test_what_lies_in_the_memory_of_an_output_is_read_as_that():
    assert "atomicLoad(&b0[i >> 2u]) >> shift" in as_wgsl(picture(), (0, 0)).text


def test_each_type_has_its_own_memory():
    text = as_wgsl(picture()).text
    assert re.search(r"var<workgroup> near_f32: array<f32, \d+>;", text)  # between the passes
    assert re.search(r"var<workgroup> near_u32: array<u32, \d+>;", text)  # the blurred picture


@pytest.fixture(scope="module")
def backend():
    try:
        found = treadle.device("webgpu").backend
    except treadle.DeviceUnavailable as error:
        if "webgpu" in os.environ.get("TREADLE_REQUIRE", "").split(","):
            pytest.fail(str(error))
        pytest.skip(str(error))
    return found


def launched(backend, kernel, regions, dims, values=()):
    """Run a kernel to its end."""
    program = backend.compile(spelt(backend, kernel))
    fence = backend.launch([Step(program, regions, dims, values)], lambda fence: None)
    while not fence.done():
        pass
    assert fence.error is None


def test_more_tiles_than_a_dispatch_is_wide(backend, monkeypatch):
    """Workgroups lie in rows of 7 here, not of 65535; some of the last row have no tile."""
    from treadle.backends.webgpu import encode

    monkeypatch.setattr(encode, "_WIDEST", 7)
    source = Tensor("source", F32, ("n", "h", "w"))
    first = stage("first", [Tap(source, 1, 1)], space=source.dims, axis=1)
    second = stage("second", [Tap(of(first), -1, 0)], space=source.dims, axis=1)
    kernel = chained([first, second], [{}, {"first": (-1, -1)}], axis=1)
    form = kernel.form
    assert isinstance(form, Chain)
    spans = (*(form.reach[1][0] or ())[:2], Span(2, 0, 0))
    kernel = replace(kernel, form=replace(form, reach=((None,), (spans,))))
    array = whole(20, 2, 3)
    regions = tuple(Region(backend.allocate(array.nbytes), 0) for _ in range(2))
    backend.write(regions[1], array)
    launched(backend, kernel, regions, array.shape)
    (wanted,) = interpret(kernel, [array], dict(zip("nhw", array.shape, strict=True)), {})
    got = np.empty_like(array)
    backend.read(regions[0], got)
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("channels", [0, 2, 3, 4])
@pytest.mark.parametrize("offset", [0, 1, 2, 3])
def test_bytes_beside_the_output_stay(backend, channels, offset):
    """The input, two outputs and their neighbours are bytes of one memory, at any place in it."""
    shape = (37, 71, channels) if channels else (37, 71)
    kernel = chain(Spec((400, 300, *shape[2:]), U8), BOX, SHARPEN)
    form = kernel.form
    assert isinstance(form, Chain)
    middle = next(t for stage in form.stages for t in stage.outputs if t.dtype is U8)
    kernel = replace(kernel, outputs=(*kernel.outputs, middle))
    array = np.random.default_rng(channels).integers(0, 256, shape).astype(np.uint8)
    sizes = dict(zip(kernel.symbols, shape, strict=False))
    params = {p.name: 0.5 for p in kernel.params}
    wanted = interpret(kernel, [array], sizes, params)
    count = array.size
    starts = [offset, offset + count + 5, offset + 2 * count + 9]
    every = np.full(3 * count + 40, 99, np.uint8)
    every[starts[2] : starts[2] + count] = array.ravel()
    region = Region(backend.allocate(every.nbytes), 0)
    backend.write(region, every)
    regions = tuple(region._replace(offset=start) for start in starts)
    values = tuple(params[p.name] for p in kernel.params)
    launched(backend, kernel, regions, tuple(sizes[s] for s in kernel.symbols), values)
    got = np.empty_like(every)
    backend.read(region, got)
    for start, want in zip(starts, wanted, strict=False):
        every[start : start + count] = want.ravel()
    np.testing.assert_array_equal(got, every)
