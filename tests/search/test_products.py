"""The byte scan with what other processors have to multiply bytes: the same bits."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from bound import spec_of
from search import oracle
from search.test_scan import made
from treadle.backends.cache import DiskCache
from treadle.backends.cpu.jit import Jit
from treadle.codegen import llvm
from treadle.ir.bound import Spec
from treadle.ir.loops import Products
from treadle.ir.schedule import Execution, Target
from treadle.passes import optimise
from treadle.passes.schedule import schedule
from treadle.search import kernels

BEFORE = (Products.WIDE_FOURS, Products.FOURS, Products.PAIRS, Products.PLAIN)
NAMES = {"fours": ".vpdpbusd.256", "wide fours": ".vpdpbusd.512", "pairs": "pmadd.wd"}


def stage_of(definition, arrays, out, **params):
    specs = tuple(map(spec_of, arrays))
    bound = definition.bind(
        specs, (Spec(out.shape, spec_of(out).dtype),), *definition.arguments(params)
    )
    (stage,) = bound.stages
    return stage


def text_of(stage, products):
    made = schedule(optimise(stage.kernel), Target(Execution.LOOPS, products=products))
    return llvm.render(made)


def run(jit, products, definition, arrays, out, **params):
    """Run a kernel's code on this thread: its argument block is packed here."""
    stage = stage_of(definition, arrays, out, **params)
    rendered = text_of(stage, products)
    geometry = rendered.layout.measure(dict(zip(stage.kernel.symbols, stage.dims, strict=True)))
    code = jit.compile(rendered.text, rendered.layout.external)
    numbers = [0, out.ctypes.data, *(array.ctypes.data for array in arrays)]
    numbers += [*params.values(), *stage.dims, *geometry.values]
    code.run(struct.pack(f"={len(numbers)}q", *numbers), 0, geometry.units)
    return out


@pytest.fixture(scope="module")
def jit(tmp_path_factory):
    return Jit(DiskCache(tmp_path_factory.mktemp("cache")))


@pytest.mark.parametrize("products", BEFORE)
def test_every_way_to_multiply_gives_the_same_bits(jit, products):
    if BEFORE.index(products) < BEFORE.index(jit.products):
        pytest.skip(f"this processor has no {products}")
    rng = np.random.default_rng(8)
    codes, numbers, alive, queries, facts = given = made(rng, 40, 16, 15)
    queries[3] = 0x80808080  # -128 in every byte
    codes[0] = 0xFFFFFFFF  # 255: what would saturate in 16 bits
    facts[:, 3] = queries.view(np.int8).reshape(15, -1).sum(axis=1)
    low, high = oracle.bounds(codes, numbers, queries, facts)
    live = np.unpackbits(alive.astype("<u4").view(np.uint8), bitorder="little").astype(bool)
    known = np.where(live & ~np.isnan(high), high, np.float32(np.inf))
    best = known.reshape(15, -1, 32).min(axis=2)
    found = run(
        jit,
        products,
        kernels.byte_best,
        given,
        np.zeros((15, 20), np.float32),
        first=0,
        step=1,
    )
    np.testing.assert_array_equal(found, best)
    tau = np.quantile(np.nan_to_num(low, neginf=-1e30), 0.3, axis=1).astype(np.float32)
    bits = np.packbits(live & ~(low > tau[:, None]), axis=1, bitorder="little").view("<u4")
    near = np.zeros((15, 20), np.uint32)
    np.testing.assert_array_equal(run(jit, products, kernels.byte_near, (*given, tau), near), bits)
    every = np.zeros((15, 20 * 34), np.float32)
    found = run(jit, products, kernels.byte_reach, given, every)
    np.testing.assert_array_equal(found, oracle.reach(low, high, live))


@pytest.mark.parametrize("products", BEFORE)
def test_instructions_are_named_where_they_are_known_to_be_there(products):
    rng = np.random.default_rng(8)
    given = made(rng, 40, 16, 15)
    stage = stage_of(kernels.byte_best, given, np.zeros((15, 20), np.float32))
    text = text_of(stage, products).text
    for name, word in NAMES.items():
        assert (word in text) == (name == products)


def test_arrays_that_do_not_fit_are_left_alone(jit):
    rng = np.random.default_rng(8)
    codes, *others = made(rng, 40, 16, 15)
    out = np.zeros((15, 20), np.float32)
    short = np.ascontiguousarray(codes[:, :8])
    found = run(jit, jit.products, kernels.byte_best, (short, *others), out, first=0, step=1)
    assert not found.any()
