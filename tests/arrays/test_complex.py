"""Buffers of complex numbers: what operators have, on every device, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from treadle import ops

rng = np.random.default_rng(3)
A = (rng.normal(size=(3, 5)) + 1j * rng.normal(size=(3, 5))).astype(np.complex64)
B = (rng.normal(size=5) + 1j * rng.normal(size=5)).astype(np.complex64)


def close(made: treadle.Buffer, wanted: np.ndarray, dtype: str = "c64") -> None:
    assert made.dtype == dtype
    np.testing.assert_allclose(made.to_numpy(), wanted, rtol=2e-6, atol=2e-6)


def test_arithmetic(device):
    a, b, x = device.buffer(A), device.buffer(B), device.buffer(A.real)
    close(a + b, A + B)
    close(b - a, B - A)
    close(a * b, A * B)
    close(a / b, A / B)
    close(1 / a, 1 / A)
    close(2 - a * 3, 2 - A * 3)
    close(x * 1j + a, A.real * 1j + A)
    close(a**2, A**2)
    close(-a, -A)
    close(a.conj(), A.conj())
    close(abs(a), abs(A), "f32")
    close(x.astype("c64"), A.real)
    assert (a == A).tolist() == np.ones(A.shape, bool).tolist()
    assert (a != b).to_numpy().all()
    a += b
    close(a, A + B)


def test_parts_and_sums(device):
    a = device.buffer(A)
    close(a.real, A.real, "f32")
    close(a.imag, A.imag, "f32")
    close(a.sum(axis=-1), A.sum(axis=-1))
    close(a.mean(), A.mean())
    close(a.T, A.T)
    close(a[1], A[1])
    close(a[:, 1::2], A[:, 1::2])
    close(a[np.array([2, 0])], A[[2, 0]])
    close(a.reshape(5, 3)[2:].copy(), A.reshape(5, 3)[2:])
    changed = A.copy()
    a[0, 1] = changed[0, 1] = 3 + 4j
    a[1:, ::2] = changed[1:, ::2] = 0
    close(a, changed)
    assert a[0, 1].item() == complex(a[0, 1]) == 3 + 4j
    assert device.buffer([1j, 2]).tolist() == [1j, 2]
    assert device.from_dlpack(a).dtype == "c64"


def test_quotients_do_not_overflow(device):
    big = np.complex64([1e30 + 1e30j, 1e-30 - 2e-30j])
    close(device.buffer(big) / device.buffer(big), np.ones(2))


@treadle.pointwise
def halved(x):
    return x / 2


REFUSED = {
    "less": (lambda a, x: a < a, "x.real"),
    "largest": (lambda a, x: a.max(), "x.real"),
    "product": (lambda a, x: a @ a.T, "x.real"),
    "kernel": (lambda a, x: ops.exp(a), "real numbers"),
    "kernel of a user": (lambda a, x: treadle.run_kernel(halved, [a]), "real numbers"),
    "output": (lambda a, x: ops.relu(x, output=a), "do not give c64"),
    "cast": (lambda a, x: ops.cast(x, dtype="c64"), "do not give c64"),
    "to real": (lambda a, x: a.astype("f32"), "x.imag"),
    "f64": (lambda a, x: a + np.float64([1.0]), "complex128"),
    "traced": (lambda a, x: treadle.pipeline(lambda z: z + z)(a), "real numbers"),
    "complex128": (lambda a, x: treadle.buffer(A.astype(np.complex128)), "complex64"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_what_to_do(name):
    mistake, says = REFUSED[name]
    with treadle.use_device("cpu") as cpu, pytest.raises(treadle.LaunchError, match=says):
        mistake(cpu.buffer(A), cpu.buffer(A.real))


def test_a_single_number(device):
    """As a list of one is; and nothing is left to be folded."""
    one = device.buffer(1 - 2j)
    assert (one.shape, one.dtype) == ((), "c64")
    assert one.sum().item() == one.mean().item() == one.sum(keepdims=True).item() == 1 - 2j
    total = one.sum()
    total += 1
    assert one.item() == 1 - 2j  # the sum is no view of it
