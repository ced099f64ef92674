"""Convolutions as sums of shifted planes, for processors with registers of every size."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal

import treadle
from bound import evaluate, spec_of
from treadle.backends.cpu import CpuBackend
from treadle.ir.loops import Convolving, Laying
from treadle.ir.schedule import Execution, Target
from treadle.kernels import linalg
from treadle.passes.schedule import schedule
from treadle.runtime.device import Device

# Bytes of a register and how many there are: AVX-512, AVX2, NEON, SSE.
REGISTERS = ((64, 32), (32, 16), (16, 32), (16, 16))


def reference(x, weight, bias, stride, padding, dilation, groups):
    """SciPy's correlation, in f64, filter by filter."""
    x, weight = x.astype(np.float64), weight.astype(np.float64)
    spread = np.zeros(
        (*weight.shape[:2], *((weight.shape[2 + k] - 1) * dilation[k] + 1 for k in (0, 1)))
    )
    spread[:, :, :: dilation[0], :: dilation[1]] = weight
    top, left, bottom, right = padding
    padded = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
    each, depth = len(weight) // groups, weight.shape[1]
    result = []
    for picture in padded:
        for m, taps in enumerate(spread):
            first = m // each * depth
            planes = [
                scipy.signal.correlate(picture[first + c], taps[c], "valid")[
                    :: stride[0], :: stride[1]
                ]
                for c in range(depth)
            ]
            result.append(sum(planes) + (0 if bias is None else bias[m]))
    return np.array(result).reshape(len(x), len(weight), *result[0].shape)


CASES = [  # x, weight, stride, padding, dilation, groups
    ((1, 3, 17, 23), (8, 3, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1),
    ((2, 8, 8, 8), (5, 8, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1),  # planes as they are
    ((1, 16, 32, 32), (4, 16, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1),  # of a power of two
    ((1, 9, 3, 2), (11, 9, 1, 1), (1, 1), (0, 0, 0, 0), (1, 1), 1),  # less than a vector
    ((1, 4, 5, 5), (6, 4, 5, 5), (1, 1), (0, 0, 0, 0), (1, 1), 1),  # one pixel
    ((2, 6, 19, 45), (9, 6, 3, 3), (2, 2), (1, 1, 1, 1), (1, 1), 1),
    ((1, 3, 40, 37), (16, 3, 7, 7), (2, 2), (3, 3, 3, 3), (1, 1), 1),
    ((1, 6, 30, 21), (12, 3, 4, 2), (3, 1), (2, 0, 1, 3), (2, 5), 2),
    ((1, 12, 14, 13), (24, 3, 2, 3), (1, 4), (0, 5, 7, 0), (1, 2), 4),
    ((2, 5, 20, 20), (7, 5, 1, 1), (3, 2), (0, 0, 0, 0), (1, 1), 1),  # most is never read
    ((1, 4, 6, 6), (4, 4, 3, 3), (5, 5), (9, 9, 9, 9), (1, 1), 1),  # whole rows of zeros
    ((1, 300, 6, 9), (40, 300, 3, 1), (1, 1), (1, 0, 1, 0), (1, 1), 1),  # sums put aside
    ((1, 8, 90, 70), (80, 8, 3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1),  # several units
]


@pytest.fixture(scope="module", params=REGISTERS, ids=lambda each: f"{each[1]} of {each[0]} bytes")
def device(request):
    vector, registers = request.param

    class Other(CpuBackend):
        target = Target(Execution.LOOPS, vector=vector, registers=registers)

    with Device(Other(workers=2), f"registers-{vector}-{registers}") as opened:
        yield opened


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_convolutions_are_scipys(device, case, dtype):
    shape, filters, stride, padding, dilation, groups = case
    rng = np.random.default_rng((len(CASES), CASES.index(case)))
    x, weight = (rng.normal(size=each).astype(dtype) for each in (shape, filters))
    bias = rng.normal(size=filters[0]).astype(dtype) if stride == (1, 1) else None
    given = [each for each in (x, weight, bias) if each is not None]
    params = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    made = device.run_kernel("conv2d", [device.buffer(each) for each in given], **params)
    expected = reference(x, weight, bias, stride, padding, dilation, groups)
    magnitude = reference(abs(x), abs(weight), None, stride, padding, dilation, groups)
    apart = abs(made.to_numpy() - expected) / (magnitude + 1)
    assert apart.max() < (2e-6 if dtype == "f4" else 1e-14)


def test_long_sums_round_as_short_ones():
    x, weight = np.full((1, 4000, 1, 40), 0.1, "f4"), np.full((4, 4000, 1, 1), 0.1, "f4")
    device = treadle.device("cpu")
    made = device.run_kernel("conv2d", [device.buffer(x), device.buffer(weight)])
    exact = 4000 * float(x[0, 0, 0, 0]) ** 2
    assert abs(made.to_numpy() / exact - 1).max() < 2e-6


def kernel_of(definition, *arrays, **params):
    """A definition's kernel over such arrays."""
    specs = tuple(map(spec_of, arrays))
    (stage,) = definition.bind(specs, None, *definition.arguments(params)).stages
    return stage.kernel


PICTURE = np.random.default_rng(3).normal(size=(2, 6, 9, 11)).astype("f4")
SPREAD = {"grid": (2, 1, 6, 15), "down": 2, "along": 1, "top": 1, "left": 3}


def test_planes_are_what_the_definition_says(device):
    made = device.run_kernel(linalg.planes, [device.buffer(PICTURE)], **SPREAD)
    np.testing.assert_array_equal(made.to_numpy(), evaluate(linalg.planes, PICTURE, **SPREAD))


def test_sums_are_what_the_definition_says(device):
    planes = evaluate(linalg.planes, PICTURE, **SPREAD).reshape(2, 6, -1)
    weight = np.random.default_rng(4).normal(size=(10, 3, 4)).astype("f4")
    bias, places = weight[:, 0, 0].copy(), np.array([0, 90, 16, 106], np.int32)
    given, params = (planes, weight, places, bias), {"window": (3, 12), "row": 15}
    made = device.run_kernel(linalg.shifted, [device.buffer(each) for each in given], **params)
    expected = evaluate(linalg.shifted, *given, **params)
    np.testing.assert_allclose(made.to_numpy(), expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("vector, registers", REGISTERS)
def test_registers_decide_what_is_held(vector, registers):
    target = Target(Execution.LOOPS, vector=vector, registers=registers)
    weight, places = np.zeros((8, 6, 4), "f4"), np.zeros(4, np.int32)
    planes = np.zeros((1, 6, 180), "f4")
    sums = kernel_of(linalg.shifted, planes, weight, places, window=(3, 12), row=15)
    filters = 8 if registers == 32 else 4
    assert schedule(sums, target).walk == Convolving(filters, 2, vector // 4)
    assert f"{filters} filters" in schedule(sums, target).words
    assert schedule(kernel_of(linalg.planes, PICTURE, **SPREAD), target).walk == Laying(vector // 4)
