"""Convolutions as CUDA text: which kernels it is for, that a compiler takes it, and what it
computes on the host. No GPU is needed."""

from __future__ import annotations

import numpy as np
import pytest

import cuda_host
from cuda_compiler import compiled, needs_nvcc
from scheduled import as_cuda
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.lang.registry import lookup
from treadle.passes import optimise

ROUTINES = frozenset({"conv2d"})
needs_host = pytest.mark.skipif(cuda_host.COMPILER is None, reason="g++ is not installed")


def bound(shapes, dtype=DType.F32, **params):
    """The stages of a convolution where there is a routine."""
    definition = lookup("conv2d")
    key, given = definition.arguments(params)
    specs = tuple(Spec(shape, dtype) for shape in shapes)
    return definition.bind(specs, None, key, given, ROUTINES).stages


def kernel_of(stage):
    """A stage's kernel, its sizes and its parameters."""
    kernel = optimise(stage.kernel)
    sizes = dict(zip(kernel.symbols, stage.dims, strict=True))
    return kernel, sizes, dict(zip((p.name for p in kernel.params), stage.fixed, strict=True))


def expected(x, weight, bias, *, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1):
    """A convolution by the definition, in f64."""
    n, _, height, width = x.shape
    filters, depth, high, wide = weight.shape
    held = np.zeros((n, x.shape[1], height + 2 * padding[0], width + 2 * padding[1]))
    held[:, :, padding[0] : padding[0] + height, padding[1] : padding[1] + width] = x
    rows = (held.shape[2] - dilation[0] * (high - 1) - 1) // stride[0] + 1
    columns = (held.shape[3] - dilation[1] * (wide - 1) - 1) // stride[1] + 1
    out = np.zeros((n, filters, rows, columns)) + np.asarray(bias, float).reshape(-1, 1, 1)
    for m in range(filters):
        first = m // (filters // groups) * depth
        for ky in range(high):
            for kx in range(wide):
                y, z = ky * dilation[0], kx * dilation[1]
                part = held[:, first : first + depth, y : y + (rows - 1) * stride[0] + 1]
                part = part[:, :, :: stride[0], z : z + (columns - 1) * stride[1] + 1 : stride[1]]
                out[:, m] += np.einsum("c,nchw->nhw", weight[m, :, ky, kx].astype(float), part)
    return out


CASES = {
    "plain": ((2, 3, 9, 11), (5, 3, 3, 3), {}),
    "padded": ((1, 5, 8, 8), (40, 5, 3, 3), {"padding": (1, 1)}),
    "stride": ((2, 6, 13, 10), (8, 6, 3, 2), {"stride": (2, 3), "padding": (1, 0)}),
    "dilation": ((1, 4, 12, 12), (4, 4, 3, 3), {"dilation": (2, 3)}),
    "groups": ((2, 8, 7, 7), (72, 4, 2, 2), {"groups": 2}),
    "deep": ((1, 70, 6, 5), (9, 70, 3, 3), {"padding": (1, 1)}),
    "deep groups": ((2, 20, 7, 7), (144, 10, 2, 3), {"groups": 2, "dilation": (1, 2)}),
    "deep large": ((17, 9, 47, 46), (70, 9, 2, 1), {"stride": (1, 1), "padding": (1, 0)}),
    "large": ((17, 2, 47, 46), (70, 2, 2, 3), {"padding": (0, 1)}),
}


@needs_host
@pytest.mark.parametrize("biased", [False, True], ids=["", "bias"])
@pytest.mark.parametrize("case", CASES)
def test_the_text_convolves(case, biased):
    shape, filters, params = CASES[case]
    rng = np.random.default_rng(8)
    x, weight = (rng.standard_normal(s).astype(np.float32) for s in (shape, filters))
    bias = rng.standard_normal(filters[0]).astype(np.float32) if biased else None
    given = [x, weight] + ([bias] if biased else [])
    (stage,) = bound([a.shape for a in given], **params)
    kernel, sizes, values = kernel_of(stage)
    calls = [call.entry for call in as_cuda(kernel).layout.measure(sizes).calls]
    entry = "treadle_large" if "large" in case else "treadle_small"
    if "deep" in case:
        entry = f"{entry}_deep"
        assert calls.pop(0) == "treadle_turn"
    assert calls == [entry, *(["treadle_add"] if case == "deep" else [])]
    (got,) = cuda_host.run(kernel, given, sizes, values)
    wanted = expected(x, weight, 0.0 if bias is None else bias, **params)
    np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=2e-5)


def test_what_has_few_channels_is_no_product():
    (stage,) = bound([(1, 8, 9, 9), (8, 1, 3, 3)], groups=8)
    assert stage.kernel.routine is None
    plain = bound([(1, 8, 9, 9), (8, 8, 1, 1)])
    assert {stage.kernel.routine for stage in plain} == {"matmul"}
    assert len(bound([(1, 8, 9, 9), (8, 8, 3, 3)], DType.F64)) == 2


@needs_nvcc
def test_a_compiler_takes_convolutions(tmp_path):
    texts = {}
    for wide in (False, True):
        for bias in ([], [(8,)]):
            (stage,) = bound([(2, 8, 9, 9), (8, 8, 3, 3), *bias])
            text = as_cuda(kernel_of(stage)[0], wide=wide).text
            texts[f"conv_{wide}_{len(bias)}"] = text
    compiled(texts, tmp_path)
