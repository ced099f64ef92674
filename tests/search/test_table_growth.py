"""A table that grows on a device: searches see the new rows, and only those are sent."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from search import remembered
from treadle.runtime.buffer import Buffer
from treadle.search import Index

RNG = np.random.default_rng(2)


@pytest.mark.parametrize("dtype, dim", [("f32", 5), ("u8", 3), ("bits", 40)])
def test_rows_that_are_added_between_searches_are_found_on_every_device(device, dtype, dim):
    metric = "hamming" if dtype == "bits" else "l2"
    index = Index(dim, metric, dtype)
    vectors = RNG.integers(0, 2 if dtype == "bits" else 256, (2000, dim))
    kept: dict[int, object] = {}
    snapshots = []
    for first, last in ((0, 1), (1, 20), (20, 33), (33, 1200), (1200, 1203), (1203, 2000)):
        index.add(vectors[first:last])
        kept |= dict(enumerate(vectors[first:last], first))
        snapshots.append((index.snapshot(), dict(kept)))
        for searched, those in snapshots[
            -3:
        ]:  # the last ones, of which two are older than the table
            query = vectors[last - 1]
            wanted = remembered.nearest(query, those, 5, metric)[1]
            assert searched.search(query, 5).ids.tolist() == wanted.tolist()


def test_only_new_rows_are_sent(monkeypatch):
    try:
        device = treadle.device("webgpu")
    except treadle.DeviceUnavailable as error:
        pytest.skip(str(error))
    if device.limits.shared:
        pytest.skip("the host sees the device's memory")
    index = Index(64, device=device)
    index.add(RNG.normal(size=(3000, 64)))
    index.add(RNG.normal(size=(30, 64)))  # which makes room for half as many again
    sent, real = [], Buffer.write

    def write(buffer, data):
        sent.append(np.asarray(data).nbytes)
        return real(buffer, data)

    index.search(np.zeros(64), 3)
    monkeypatch.setattr(Buffer, "write", write)
    vector = RNG.normal(size=64)
    index.add(vector)
    assert index.search(vector, 1).ids.tolist() == [3030]
    assert sum(sent) < 20_000  # of 776,000 for the vectors alone
