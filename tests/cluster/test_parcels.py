"""Parcels: no copies of arrays, and what cannot be pickled is named."""

from __future__ import annotations

import threading
from functools import partial

import numpy as np
import pytest
from ray import cloudpickle

import treadle
from treadle.cluster.parcel import pack, unpack
from treadle.errors import ClusterError


def test_arrays_are_not_copied_on_the_way_in_nor_out():
    frame = np.arange(12, dtype=np.float32).reshape(3, 4)
    parcel = pack({"frame": frame, "name": "x"}, "batch 0")
    (part,) = parcel.parts
    assert np.shares_memory(part, frame)
    assert parcel.nbytes == len(parcel.head) + frame.nbytes
    looked, copied = unpack(parcel, copy=False), unpack(parcel, copy=True)
    assert np.shares_memory(looked["frame"], frame)
    assert not np.shares_memory(copied["frame"], frame)
    assert copied["frame"].flags.writeable
    np.testing.assert_array_equal(copied["frame"], frame)


def test_an_array_with_gaps_is_whole_again():
    frame = np.arange(12.0).reshape(3, 4)[:, ::2]
    np.testing.assert_array_equal(unpack(pack(frame, "it"), copy=False), frame)


LOCK = threading.Lock()


def use_global(x):
    with LOCK:
        return x


def capturing(lock):
    def compute(frame):
        with lock:
            return frame

    return compute


class Encoder:
    def __init__(self):
        self.lock = threading.Lock()

    def encode(self, frame):
        return frame


def held_by_two():
    inner = capturing(threading.Lock())

    def outer(frame):
        return inner(frame)

    return outer


@pytest.mark.parametrize(
    "value, said",
    [
        (capturing(threading.Lock()), r"compute \(.*:\d+\) holds 'lock', a _thread\.lock"),
        (partial(capturing(threading.Lock()), 1), r"holds 'lock' in its function, a _thread\.lock"),
        (partial(print, file=threading.Lock()), r"holds 'file', a _thread\.lock"),
        (Encoder().encode, r"encode \(.*:\d+\) holds \.lock in self, a _thread\.lock"),
        (held_by_two(), r"outer \(.*\) holds 'lock' in 'inner', a _thread\.lock"),
        ({"a": 1, "b": [0, threading.Lock()]}, r"a dict holds \[1\] in \['b'\], a _thread\.lock"),
        (threading.Lock(), r"compute cannot be sent to a worker: a _thread\.lock \(cannot pickle"),
    ],
)  # fmt: skip
def test_what_cannot_be_sent_is_named(value, said):
    with pytest.raises(ClusterError, match=said) as refused:
        pack(value, "compute", cloudpickle.dumps)
    assert str(refused.value).startswith("compute cannot be sent to a worker: ")
    assert "make it where it is used" in str(refused.value)


def test_a_kernel_that_was_used_here_can_be_sent():
    @treadle.pointwise
    def plus_two(x):
        return x + 2.0

    def made(kernel):
        (found,) = treadle.stream([np.zeros(2, np.float32)], compute=kernel)
        return found.tolist()

    assert made(plus_two) == [2, 2]
    there = unpack(pack(plus_two, "compute", cloudpickle.dumps), copy=True)
    assert there.me() is there
    assert made(there) == [2, 2]
