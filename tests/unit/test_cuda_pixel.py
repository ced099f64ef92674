"""Maps of pixels and histograms as CUDA text: what a thread takes at once, and what the text
computes when it runs on the host. No GPU is needed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cuda_host
import treadle
from scheduled import as_cuda
from treadle.codegen.cuda.pixel import factors
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.ir.interpret import interpret
from treadle.ir.nodes import Kernel, Map
from treadle.ir.threads import Pixels
from treadle.lang.registry import lookup
from treadle.passes import optimise
from treadle.passes.schedule.gpu.runs import runs_of

U8, F32 = DType.U8, DType.F32
TURN = ((0.9, -0.3, 2.0), (0.3, 0.9, -1.0))
needs_host = pytest.mark.skipif(cuda_host.COMPILER is None, reason="g++ is not installed")


def stage(name: str, *specs: Spec, **params: object):
    """The first kernel of a named one, and what it is given."""
    definition = lookup(name)
    key, values = definition.arguments(params)
    bound = definition.bind(tuple(specs), None, key, values)
    first = bound.stages[0]
    given = first.fixed or tuple(values[i] for i in first.picks)
    kernel = optimise(first.kernel)
    names = [param.name for param in kernel.params]
    sizes = dict(zip(kernel.symbols, first.dims, strict=True))
    return kernel, sizes, dict(zip(names, given, strict=True))


def runs(kernel: Kernel, count: int):
    assert isinstance(kernel.form, Map)
    return runs_of(kernel, kernel.form.block, Pixels.of(kernel.space), count)


def test_reads_of_a_row_are_one_run():
    kernel, _, _ = stage("sharpen", Spec((20, 30, 4), U8))
    found = runs(kernel, 4)
    assert sorted((run.low, run.high, run.inside) for run in found) == [
        (-1, 1, False),
        (0, 0, True),
        (0, 0, True),
    ]
    assert sorted(run.words(4) for run in found) == [4, 4, 6]


def test_mirrored_rows_are_runs_backwards():
    kernel, _, _ = stage("flip", Spec((20, 30, 3), U8), direction="horizontal")
    (run,) = runs(kernel, 4)
    assert run.back
    assert run.inside


def test_pixels_anywhere_are_no_run():
    kernel, _, _ = stage("warp_affine", Spec((20, 30, 3), U8), matrix=TURN, method="nearest")
    assert runs(kernel, 4) == []


def test_floats_are_taken_together_where_a_pixel_is_a_vector():
    for channels, count in ((4, 3), (3, 0), (2, 3)):
        kernel, _, _ = stage("sharpen", Spec((20, 30, channels), F32))
        assert len(runs(kernel, 1)) == count


@given(st.integers(1, 2**31 - 1), st.integers(0, 2**31 - 1))
def test_prepared_divisors_are_exact(divisor, number):
    factor, shift = factors([divisor])
    high = (factor % 2**32) * number >> 32
    assert high + number < 2**32
    assert (high + number) >> shift == number // divisor


def test_what_turns_an_image_fills_squares():
    turned, dims, _ = stage("rotate90", Spec((64, 96, 3), U8), turns=1)
    plain, _, _ = stage("rotate90", Spec((64, 96, 3), U8), turns=2)
    assert "threadIdx.x % 8" in as_cuda(turned).text
    assert "threadIdx.x % 8" not in as_cuda(plain).text
    (call,) = as_cuda(turned).layout.measure(dims).calls
    assert call.grid == (96 // 32) * (64 // 32)


CASES = [
    ("flip", (5, 9, 3), {"direction": "both"}),
    ("flip", (2, 3, 8, 4), {"direction": "horizontal"}),
    ("sharpen", (6, 11, 4), {"amount": 0.7}),
    ("sharpen", (4, 6, 3), {"amount": 0.7}),
    ("edge_detect", (7, 10), {}),
    ("sepia", (3, 8, 3), {"amount": 0.8}),
    ("grayscale", (3, 7, 4), {}),
    ("chroma_key", (3, 8, 3), {"color": (0.1, 0.9, 0.2)}),
    ("vignette", (5, 8, 3), {"amount": 0.7}),
    ("crop", (9, 12, 3), {"x": 3, "y": 2, "width": 7, "height": 5}),
    ("rotate90", (40, 37, 3), {"turns": 1}),
    ("warp_affine", (9, 11, 3), {"matrix": TURN, "method": "bilinear"}),
    ("histogram", (40, 13, 3), {}),
    ("histogram", (33, 17), {"bins": 9000, "range": (0.1, 0.7)}),
]


@needs_host
@pytest.mark.parametrize("dtype", [U8, F32], ids=str)
@pytest.mark.parametrize("name, shape, params", CASES, ids=lambda x: str(x)[:20])
def test_the_text_computes_what_the_kernel_means(name, shape, params, dtype):
    kernel, sizes, values = stage(name, Spec(shape, dtype), **params)
    rng = np.random.default_rng(3)
    image = rng.integers(0, 256, shape, np.uint8) if dtype is U8 else rng.random(shape, np.float32)
    shift = len(shape) - 2  # no, one or two elements behind a multiple of 16 bytes
    got = cuda_host.run(kernel, [image], sizes, values, shift=shift)
    wanted = interpret(kernel, [image], sizes, values)
    for mine, theirs in zip(got, wanted, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=2e-6, atol=2e-6 if dtype is F32 else 0)


@treadle.kernel(name="pixel_shifted", dtype="image")
def shifted(at, image, *, by=0):
    y, x = at
    return image[y, x + by]


@needs_host
def test_a_parameter_may_be_any_number():
    definition = shifted
    key, values = definition.arguments({"by": 2**31 - 1})
    first = definition.bind((Spec((3, 40), U8),), None, key, values).stages[0]
    kernel = optimise(first.kernel)
    sizes = dict(zip(kernel.symbols, first.dims, strict=True))
    image = np.random.default_rng(4).integers(0, 256, (3, 40), np.uint8)
    for by in (2**31 - 1, 2**31 - 41, -(2**31), 5):
        given = {kernel.params[0].name: by}
        (got,) = cuda_host.run(kernel, [image], sizes, given)
        (wanted,) = interpret(kernel, [image], sizes, given)
        np.testing.assert_array_equal(got, wanted)
