"""New sizes of a known structure against planning for them alone: every shipped kernel."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import treadle
from parity.test_kernels import ROWS
from treadle.dtypes import as_dtype
from treadle.ir.bound import Spec
from treadle.ir.pattern import fill_fused, structure, with_sizes
from treadle.ir.structures import Structures
from treadle.lang import registry
from treadle.lang.lower import lower
from treadle.passes.fuse import fuse

NEAR = 512 << 10
NOTHING = frozenset()
SMALLEST = 5  # below, a size is structure


# One row for each kernel, rank and dtypes: others differ in what the arrays hold.
def kind(row):
    return (
        row.kernel,
        *((np.ndim(x), np.asarray(x).dtype.str) for x in row.inputs),
        repr(row.params),
    )


KINDS = {kind(row): row for row in ROWS}


class Known:
    """A definition, and what a device knows of it: what it was bound to, and fused."""

    def __init__(self, row):
        self.definition = registry.lookup(row.kernel)
        self.key, self.values = self.definition.arguments(dict(row.params))
        self.definition.structures = None
        self.fused = Structures(fill_fused)
        arrays = [np.asarray(x) for x in row.inputs]
        self.specs = tuple(Spec(x.shape, as_dtype(x.dtype)) for x in arrays)

    def planned(self, specs):
        """What it gives for these sizes by way of structures, or the error."""
        try:
            bound = self.definition.bind(specs, None, self.key, self.values)
        except (treadle.LaunchError, treadle.KernelError) as error:
            return type(error), str(error)
        key, numbers = structure(bound, (), NOTHING)
        fused = self.fused.get(key, numbers, lambda sizes: fuse(with_sizes(key, sizes), near=NEAR))
        return bound, fused

    def afresh(self, specs):
        """What it gives for these sizes alone."""
        try:
            bound = lower(self.definition, specs, None, self.key)
        except (treadle.LaunchError, treadle.KernelError) as error:
            return type(error), str(error)
        key, numbers = structure(bound, (), NOTHING)
        return bound, fuse(with_sizes(key, numbers), near=NEAR)


@functools.cache
def known(number):
    return Known(list(KINDS.values())[number])


def resized(specs, sizes):
    """Specs with other sizes: equal ones stay equal, small ones stay."""
    return tuple(Spec(tuple(sizes.get(n, n) for n in spec.shape), spec.dtype) for spec in specs)


def same(found, expected):
    if isinstance(expected[0], type):
        assert found == expected
        return
    (bound, fused), (wanted, whole) = found, expected
    assert (bound.inputs, bound.outputs, bound.temps) == (
        wanted.inputs,
        wanted.outputs,
        wanted.temps,
    )
    assert bound.stages == wanted.stages
    pairs = zip(bound.constants, wanted.constants, strict=True)
    assert all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in pairs)
    assert fused == whole


@pytest.mark.parametrize("number", range(len(KINDS)), ids=[key[0] for key in KINDS])
def test_every_kernel_at_other_sizes(number):
    one = known(number)
    same(one.planned(one.specs), one.afresh(one.specs))
    for step in (1, 6):
        every = sorted({n for spec in one.specs for n in spec.shape if n >= SMALLEST})
        specs = resized(one.specs, {n: n + step * (k + 1) for k, n in enumerate(every)})
        same(one.planned(specs), one.afresh(specs))
    assert None not in one.definition.structures._kept.values(), "it cannot be done with Sizes"
    assert None not in one.fused._kept.values(), "fusing cannot be done with Sizes"


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_any_sizes(data):
    one = known(data.draw(st.integers(0, len(KINDS) - 1), "kernel"))
    every = sorted({n for spec in one.specs for n in spec.shape if n >= SMALLEST})
    for _ in range(3):
        draws = [data.draw(st.integers(0, 90) | st.sampled_from(every), str(n)) for n in every]
        specs = resized(one.specs, dict(zip(every, draws, strict=True)))
        if math.prod(n for spec in specs for n in spec.shape) < 1 << 24:
            same(one.planned(specs), one.afresh(specs))
