"""What a device lacks, for tests that need it: asked of its Limits, never guessed from its name."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cache

import numpy as np
import pytest

import treadle
from bound import spec_of
from kernel_text import define
from treadle.dtypes import DType, as_dtype
from treadle.ir.bound import Spec
from treadle.ir.verify import dtypes_used
from treadle.lang.registry import lookup

NARROW = {DType.F64: DType.F32, DType.S64: DType.S32}


def needs(device: treadle.Device, *dtypes: object) -> None:
    """Go on where a device has these dtypes; else see it refuse each of them, and skip the test."""
    lacking = sorted({as_dtype(each) for each in dtypes} - device.limits.dtypes)
    for dtype in lacking:
        refuses(device, dtype)
    if lacking:
        pytest.skip(f"{device.name} declares that it has no {' and no '.join(lacking)}")


def refuses(device: treadle.Device, dtype: DType) -> None:
    """Check that no buffer and no kernel of a dtype is taken, and that the errors say why."""
    with pytest.raises(treadle.LaunchError, match=f"dtype: {device.name} lacks {dtype}; it has "):
        device.buffer(np.zeros(1, dtype.numpy))
    given = device.buffer([1.0])
    with pytest.raises(treadle.LaunchError, match=f"{device.name} lacks.*; it has "):
        device.submit("cast", [given], dtype=dtype)
    inside = f"needs dtype {dtype}, which {device.name} lacks; it has "
    with pytest.raises(treadle.LaunchError, match=inside):
        device.run_kernel(define(f"def f(x):\n    return f32({dtype}(x) + 1)\n"), [given])


def narrowed(device: treadle.Device, dtype: object) -> DType:
    """The dtype itself, or the one of half its width where the device lacks it."""
    wanted = as_dtype(dtype)
    return wanted if wanted in device.limits.dtypes else NARROW[wanted]


def used(kernel: str, inputs: Sequence[np.ndarray], params: Mapping[str, object]) -> set[DType]:
    """The dtypes that a named kernel reads, writes and computes in."""
    specs = tuple(spec_of(np.asarray(x)) for x in inputs)
    return _used(kernel, specs, *lookup(kernel).arguments(params))


@cache  # every device asks, and more than one test
def _used(
    kernel: str, specs: tuple[Spec, ...], key: Hashable, values: tuple[float, ...]
) -> set[DType]:
    bound = lookup(kernel).bind(specs, None, key, values)
    outside = {each.dtype for each in (*bound.inputs, *bound.outputs)}
    return outside.union(*(dtypes_used(stage.kernel) for stage in bound.stages))
