"""What is laid one after the other into an output is written there at once, where that can be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import treadle
from treadle.backends.base import Step
from treadle.backends.cpu import CpuBackend
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.kernels.shape import concat
from treadle.lang.registry import lookup
from treadle.runtime.device import Device
from treadle.runtime.plan import _pieces


@treadle.pointwise(name="pieces_doubled", dtype="x")
def doubled(x):
    return x * 2


@treadle.kernel(name="pieces_reversed", dtype="x")
def backwards(at, x):
    (i,) = at
    return x[x.shape[0] - 1 - i]


@treadle.composite(name="pieces_both", dtype="x")
def both(x):
    return concat(doubled(x), backwards(x))


@treadle.composite(name="pieces_twice", dtype="x")
def twice(x):
    once = doubled(x)
    return concat(once, once)


@treadle.composite(name="pieces_given", dtype="x")
def given(x):
    return concat(x, backwards(x))


@treadle.composite(name="pieces_columns", dtype="x")
def columns(x):
    return concat(doubled(x), doubled(doubled(x)), axis=1)


@pytest.fixture
def device():
    backend = CpuBackend(workers=1)
    backend.ran = []
    plain = backend.launch

    def launch(steps, done, **options):
        backend.ran += [s.program.kernel.routine if isinstance(s, Step) else "copy" for s in steps]
        return plain(steps, done, **options)

    backend.launch = launch
    with Device(backend, "pieces") as opened:
        yield opened


def run(device, kernel, x, out=None):
    device.queue._backend.ran.clear()
    result = device.run_kernel(kernel, [x], out)
    return result.to_numpy(), device.queue._backend.ran


def test_pieces_are_written_where_they_end_up(device):
    x = np.arange(512, dtype=np.float32)
    found, ran = run(device, both, device.buffer(x))
    np.testing.assert_array_equal(found, [*(x * 2), *x[::-1]])
    assert "concat" not in ran
    assert len(ran) == 2


def test_the_same_piece_twice_is_right(device):
    x = np.arange(512, dtype=np.float32)
    found, _ = run(device, twice, device.buffer(x))
    np.testing.assert_array_equal(found, [*(x * 2), *(x * 2)])


@pytest.mark.parametrize("kernel", [given, columns])
def test_what_is_needed_elsewhere_or_lies_in_turns_is_copied(device, kernel):
    shape = (16, 32) if kernel is columns else (512,)
    x = np.arange(512, dtype=np.float32).reshape(shape)
    wanted = {
        given: lambda: [*x, *x[::-1]],
        columns: lambda: np.concatenate([x * 2, x * 4], axis=1),
    }[kernel]()
    found, ran = run(device, kernel, device.buffer(x))
    np.testing.assert_array_equal(found, wanted)
    assert "concat" in ran


def test_pieces_that_devices_could_not_address_are_copied(device):
    x = np.arange(63, dtype=np.float32)
    found, ran = run(device, both, device.buffer(x))
    np.testing.assert_array_equal(found, [*(x * 2), *x[::-1]])
    assert "concat" in ran


def test_an_output_over_its_own_input_is_right(device):
    x = np.arange(512, dtype=np.float32)
    whole = device.buffer(np.concatenate([x, x]))
    half = whole[256:768]
    before = half.to_numpy().copy()
    device.run_kernel(both, [half], whole)
    np.testing.assert_array_equal(whole.to_numpy(), [*(before * 2), *before[::-1]])


def test_an_output_whose_bytes_are_read_under_another_name_is_written_last(device):
    n = 1024
    out = device.buffer(np.arange(2 * n, dtype=np.float32))
    x = out[:n]
    p = treadle.pipeline(device)
    once, reverse = p.temp((n,)), p.temp((n,))
    p.add(doubled, x, once).add(backwards, x, reverse).add("concat", [once, reverse], out)
    p.run()
    source = np.arange(n, dtype=np.float32)
    np.testing.assert_array_equal(out.to_numpy(), np.concatenate([source * 2, source[::-1]]))


@pytest.mark.parametrize("change", [1 << 20, -4])
def test_pieces_must_have_the_size_that_is_read_of_them(change):
    # A plan from the disk may say anything.
    spec = Spec((1024,), DType.F32)
    bound = lookup("pieces_both").bind((spec,), None, *lookup("pieces_both").arguments({}))
    assert _pieces(bound, frozenset())[0]
    size = bound.temps[0].shape[0] + change // 4
    wrong = replace(bound, temps=(Spec((size,), DType.F32), *bound.temps[1:]))
    assert not _pieces(wrong, frozenset())[0]
