"""Long calculations that need nothing of each other go side by side, not one after the other."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from scheduled import as_llvm, best, for_cpu
from treadle.codegen.llvm.abreast import by_depth
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.lang.registry import lookup


def _kernel(name, dtype=DType.U8, **params):
    definition = lookup(name)
    bound = definition.bind((Spec((40, 50, 3), dtype),), None, *definition.arguments(params))
    return best(bound.stages[0].kernel)


def _abreast(kernel):
    return "functions side by side" in for_cpu(kernel).words


@pytest.mark.parametrize("dtype", [DType.U8, DType.F32])
def test_a_dozen_exponentials_for_a_pixel_go_side_by_side(dtype):
    assert _abreast(_kernel("denoise", dtype, radius=2))
    assert not _abreast(_kernel("denoise", dtype, radius=1))  # a few hide each other's waits
    assert not _abreast(_kernel("denoise", dtype, radius=5))  # loops are left
    assert not _abreast(_kernel("saturation", dtype))


@pytest.mark.parametrize("permutes_bytes", [True, False])
def test_no_exponential_waits_for_the_one_before_it(permutes_bytes):
    """All start before the first ends."""
    text = as_llvm(_kernel("denoise", radius=2), permutes_bytes=permutes_bytes).text
    inside = text[text.index("@row_inside") :]
    steps = [line for line in inside.splitlines() if "fmuladd" in line]
    first = steps[:12]
    assert len(first) == 12
    used = [line.split(" = ")[1] for line in first]
    assert not any(f"{line.split(' = ')[0].strip()}," in other for line in first for other in used)


def test_lines_that_wait_for_fewer_others_come_first():
    lines = [
        "  %a = load p",
        "  %b = neg %a",
        "  %c = neg %b",
        "  %d = load q",
        "  %e = add %d, %c",
    ]
    assert by_depth(lines) == [lines[k] for k in (0, 3, 1, 2, 4)]
    hint = "  call void @llvm.prefetch.p0(ptr %b, i32 0, i32 3, i32 1)"
    assert by_depth([*lines[:3], hint, *lines[3:]]) == [
        *(lines[k] for k in (0, 3, 1, 2)),
        hint,
        lines[4],
    ]


@pytest.mark.parametrize("other", ["  br label %end", "end:", "  store i32 %a, ptr %p"])
def test_code_that_branches_or_stores_keeps_its_order(other):
    lines = ["  %a = load p", "  %b = neg %a", other, "  %d = load q"]
    assert by_depth(lines) == lines


@pytest.mark.parametrize("piped", [True, False])
def test_pixels_are_the_same_as_where_they_are_computed_one_by_one(piped):
    image = np.random.default_rng(2).integers(0, 256, (37, 70, 3), np.uint8)
    found = []
    for device in (treadle.device("cpu"), treadle.device("reference")):
        p = treadle.pipeline(device)
        now, out = p.buffer("image", device.from_numpy(image)), device.empty(image.shape, "u8")
        if piped:
            now = p.add("flip", now, params={"direction": "horizontal"}).last
        p.add("denoise", now, p.buffer("out", out), params={"radius": 2, "strength": 0.3})
        p.run()
        if device.name.startswith("cpu"):
            assert "functions side by side" in " ".join(p.plan().schedules)
        found.append(out.to_numpy().astype(int))
    assert np.abs(found[0] - found[1]).max() <= 1
