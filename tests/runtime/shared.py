"""Kernels that the runtime's tests launch, and a device on which they are compiled already."""

from __future__ import annotations

import gc
import threading

import treadle
from treadle.runtime import registry
from treadle.testing import manual_device

PATIENCE = 30.0
SIZES = (1, 2, 3, 4, 5)  # up to 4 each size has a program of its own, from 5 on they share one


@treadle.pointwise
def plus(a, b):
    return a + b


@treadle.pointwise
def times(a, *, k=2.0):
    return a * k


@treadle.pointwise
def both(a, b):
    return a + b, a - b


@treadle.kernel
def shifted(at, x):  # reads a neighbour: in place it needs scratch
    (i,) = at
    return x[i + 1]


@treadle.composite
def twice_shifted(x):
    return shifted(shifted(x))


def ready_device(**options):
    """A manual device with the kernels compiled, so that a submit launches before it returns."""
    device, backend = manual_device(**options)
    for size in SIZES:
        a = device.buffer_zeros(size)
        for kernel, arity in ((plus, 2), (times, 1), (both, 2), (shifted, 1)):
            if options.get("inline"):
                device.run_kernel(kernel, [a] * arity)  # which plans here, and on no other thread
                continue
            command = device.submit(kernel, [a] * arity)
            backend.expect(1)
            backend.complete()
            command.wait()
    at_rest(device)
    return device, backend


def at_rest(device):
    """Wait until the thread that plans has let go of what it was asked for, and have the collector
    take what was let go: what is counted afterwards is what is kept, however busy the machine."""
    planned = threading.Event()
    device._compiler._programs.when_idle(planned.set)
    assert planned.wait(PATIENCE)
    gc.collect()


def vector(device, *values):
    return device.buffer([float(value) for value in values])


def few_records(monkeypatch, count=256):
    """Have the registry remember as few finished commands as a test can afford to make."""
    monkeypatch.setattr(registry, "REMEMBERED", count)
    monkeypatch.setattr(registry, "_MASK", count - 1)
    monkeypatch.setattr(registry, "ring", [None] * count)
