"""The kernels of the byte scan on every device: the same bits as their arithmetic in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from search import oracle
from treadle.search import kernels


def made(rng, blocks, words, count):
    """Random bytes and numbers of rows and queries, some rows with nothing known of them."""
    codes = rng.integers(0, 2**32, (blocks, words, 16), dtype=np.uint64).astype(np.uint32)
    numbers = rng.random((blocks, 4, 16), dtype=np.float32)
    numbers[0, 2, 3] = np.inf
    alive = rng.integers(0, 2**32, blocks // 2, dtype=np.uint64).astype(np.uint32)
    alive[-1] = 0
    queries = rng.integers(0, 2**32, (count, words), dtype=np.uint64).astype(np.uint32)
    facts = rng.random((count, 4), dtype=np.float32)
    facts[:, 3] = queries.view(np.int8).reshape(count, -1).sum(axis=1)
    facts[-1, 1] = 0.0  # with a rest that is infinite: NaN
    return codes, numbers, alive, queries, facts


@pytest.mark.parametrize("count, words, blocks", [(1, 8, 2), (3, 16, 10), (9, 24, 4)])
def test_bounds_have_the_same_bits_on_every_device(device, count, words, blocks):
    rng = np.random.default_rng(count)
    codes, numbers, alive, queries, facts = given = made(rng, blocks, words, count)
    low, high = oracle.bounds(codes, numbers, queries, facts)
    live = np.unpackbits(alive.astype("<u4").view(np.uint8), bitorder="little").astype(bool)
    known = np.where(live & ~np.isnan(high), high, np.float32(np.inf))
    best = known.reshape(count, -1, 32).min(axis=2)
    tau = np.quantile(np.nan_to_num(low, neginf=-1e30), 0.3, axis=1).astype(np.float32)
    kept = live & ~(low > tau[:, None])
    buffers = [device.buffer(array) for array in given]
    groups = len(alive)
    every = device.run_kernel(kernels.byte_best, buffers, device.empty((count, groups), "f32"))
    np.testing.assert_array_equal(every.to_numpy(), best)
    some = range(groups - 1, groups) if groups < 3 else range(1, groups, 2)
    picked = device.run_kernel(
        kernels.byte_best,
        buffers,
        device.empty((count, len(some)), "f32"),
        first=some.start,
        step=some.step,
    )
    np.testing.assert_array_equal(picked.to_numpy(), best[:, some])
    near = device.run_kernel(kernels.byte_near, [*buffers, device.buffer(tau)])
    bits = np.packbits(kept, axis=1, bitorder="little").view("<u4")
    np.testing.assert_array_equal(near.to_numpy(), bits)
    reach = device.run_kernel(kernels.byte_reach, buffers)
    np.testing.assert_array_equal(reach.to_numpy(), oracle.reach(low, high, live))


def test_rows_beyond_those_alive_are_not_read(device):
    rng = np.random.default_rng(5)
    codes, numbers, alive, queries, facts = made(rng, 8, 8, 2)
    short = alive[:2]
    tau = np.full(2, np.inf, np.float32)
    buffers = [device.buffer(array) for array in (codes, numbers, short, queries, facts, tau)]
    near = device.run_kernel(kernels.byte_near, buffers)
    assert near.shape == (2, 2)
    np.testing.assert_array_equal(near.to_numpy(), np.broadcast_to(short, (2, 2)))


def test_a_sum_is_numpys_to_the_last_bit(device):
    if "f64" not in treadle.dtypes(device):
        pytest.skip(f"{device.name} lacks f64: the host measures")
    from treadle.search.measure import combined, cuts_of

    rng = np.random.default_rng(1)
    for dim in (1, 7, 8, 13, 128, 129, 300, 768, 1001):
        vectors = rng.standard_normal((20, dim)).astype(np.float32)
        queries = rng.standard_normal((2, dim)).astype(np.float32)
        rows = rng.integers(0, 20, 30).astype(np.int32)
        owners = np.sort(rng.integers(0, 2, 30)).astype(np.int32)
        given = [device.buffer(a) for a in (rows, owners, queries, vectors, cuts_of(dim))]
        apart = queries[owners].astype(np.float64) - vectors[rows]
        products = queries[owners].astype(np.float64) * vectors[rows]
        for kernel, terms in (
            (kernels.sum_squares, np.square(apart)),
            (kernels.sum_apart, np.abs(apart)),
            (kernels.sum_products, products),
        ):
            found = device.run_kernel(kernel, given).to_numpy()
            np.testing.assert_array_equal(combined(found, dim), terms.sum(axis=1))
