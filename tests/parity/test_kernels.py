"""Named kernels on every backend against outside references: the rows of every rows_*.py here."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

import treadle
from limits import needs, used
from parity.row import Row, check

FAMILIES = sorted(path.stem for path in Path(__file__).parent.glob("rows_*.py"))
ROWS: list[Row] = [
    row for family in FAMILIES for row in importlib.import_module(f"parity.{family}").ROWS
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.kernel}-{len(row.inputs)}")
def test_against_the_reference_and_in_place(device, row):
    needs(device, *used(row.kernel, row.inputs, row.params))
    inputs = [treadle.buffer(np.ascontiguousarray(x)) for x in row.inputs]
    fresh = treadle.run_kernel(row.kernel, inputs, **row.params)
    check(row, [part.to_numpy() for part in (fresh if isinstance(fresh, tuple) else (fresh,))])
    # Where the output fits over the first input, it may take its place.
    if isinstance(fresh, tuple) or not inputs:
        return
    if fresh.shape == inputs[0].shape and fresh.dtype == inputs[0].dtype:
        treadle.run_kernel(row.kernel, inputs, inputs[0], **row.params)
        np.testing.assert_array_equal(inputs[0].to_numpy(), fresh.to_numpy())


@pytest.mark.parametrize("dtype, peak", [("u8", 255), ("f32", 1.0)])
def test_generate_gradient(device, dtype, peak):
    out = treadle.empty((4, 6, 4), dtype)
    image = treadle.run_kernel("generate_gradient", [], out).to_numpy().astype(float)
    y, x = np.mgrid[0:4, 0:6]
    expected = np.stack([x / 5, y / 3, 1 - x / 5, np.ones_like(x)], axis=-1) * peak
    np.testing.assert_allclose(image, np.rint(expected) if dtype == "u8" else expected, atol=1e-6)
    flat = treadle.run_kernel("generate_gradient", [], treadle.empty((3, 4), dtype)).to_numpy()
    assert flat[0, 0] == 0
    assert flat[2, 3] == peak


def test_every_named_kernel_has_a_row():
    shipped = {name for name in treadle.kernels() if treadle.kernel_info(name).shipped}
    assert shipped == {row.kernel for row in ROWS} | {"generate_gradient"}


@pytest.mark.parametrize("shape", [(0,), (0, 4), (3, 0), (1,), (), (1, 1, 1)])
@pytest.mark.parametrize(
    "name", ["relu", "exp", "elementwise_add", "reduce_sum", "cumsum", "softmax"]
)
def test_empty_and_single_elements(device, name, shape):
    if name in ("cumsum", "softmax") and not shape:
        with pytest.raises(treadle.LaunchError, match="single element"):
            treadle.run_kernel(name, [treadle.buffer_zeros(shape)])
        return
    x = np.ones(shape, np.float32)
    references = {
        "relu": lambda: x, "exp": lambda: np.exp(x), "elementwise_add": lambda: x + x,
        "reduce_sum": lambda: x.sum(), "cumsum": lambda: x.cumsum(-1),
        "softmax": lambda: x / max(x.shape[-1], 1),
    }  # fmt: skip
    inputs = [treadle.buffer(x)] * (2 if name == "elementwise_add" else 1)
    np.testing.assert_allclose(
        treadle.run_kernel(name, inputs).to_numpy(), references[name](), rtol=1e-6
    )
