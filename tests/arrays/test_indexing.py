"""Parts of buffers: views, copies, positions, conditions, and assignment to them."""

from __future__ import annotations

import random

import numpy as np
import pytest

import treadle
from runtime.shared import times

A = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
S = np.s_


@pytest.fixture
def cpu():
    with treadle.use_device("cpu") as device:
        yield device


VIEWS = [
    S[0], S[-1], S[0:1], S[1:], S[0, 1], S[0, 1, 2], S[1, 0:2], S[0, 1, 1:3], S[...], S[None],
    S[0, None, 1], S[:, :, :], S[1:1], S[:, 0:0], S[0:1, 0:1, 1:3], S[0:1, 1], S[..., None], (),
]  # fmt: skip
COPIES = [
    S[::-1], S[:, 1], S[..., 0], S[:, ::2], S[:, 1:, 1:3], S[::-1, ::-2, ::-1], S[:, None, 1],
    S[:, 5:1:-1],
    S[..., 3:0:-2], S[1, ..., 2],
]  # fmt: skip


@pytest.mark.parametrize("index", VIEWS + COPIES, ids=str)
def test_basic_indices_are_numpys(cpu, index):
    a = cpu.buffer(A)
    made, wanted = a[index], A[index]
    assert made.shape == wanted.shape
    np.testing.assert_array_equal(made.to_numpy(), wanted)
    assert (made.command.id == a.command.id) == (index in VIEWS)


def test_views_share_memory_and_copies_do_not(cpu):
    a = cpu.buffer(A)
    view, copy = a[1, 0:2], a[:, 1]
    a += 100
    np.testing.assert_array_equal(view.to_numpy(), A[1, 0:2] + 100)
    np.testing.assert_array_equal(copy.to_numpy(), A[:, 1])


def test_on_every_device(device):
    a = device.buffer(A)
    np.testing.assert_array_equal(a[:, ::2, 1:3].to_numpy(), A[:, ::2, 1:3])
    np.testing.assert_array_equal(a[a > 5].to_numpy(), A[A > 5])
    a[:, 1] = 7
    a[a > 20] = 0
    a[[1], [2]] = [1.0, 2.0, 3.0, 4.0]
    wanted = A.copy()
    wanted[:, 1] = 7
    wanted[wanted > 20] = 0
    wanted[[1], [2]] = [1.0, 2.0, 3.0, 4.0]
    np.testing.assert_array_equal(a.to_numpy(), wanted)


MASK = np.array([True, False, True])
ADVANCED = [
    S[[1, 0, 1]], S[np.array([[0, 1], [1, -2]])], S[:, [2, 0]], S[..., [3, -1]], S[[0, 1], [2, -1]],
    S[:, [0, 1], [3, 3]], S[::-1, [1]], S[np.zeros((0,), int)], S[:, MASK], S[A > 5],
    S[np.array([True, False])], S[..., np.array([0, 1, 1, 0], bool)], S[[[0], [1]], [0, 2]],
]  # fmt: skip


@pytest.mark.parametrize("index", ADVANCED, ids=str)
def test_positions_and_conditions_are_numpys(cpu, index):
    made, wanted = cpu.buffer(A)[index], A[index]
    assert made.shape == wanted.shape
    np.testing.assert_array_equal(made.to_numpy(), wanted)


def test_positions_in_buffers(cpu):
    a = cpu.buffer(A)
    i, j = cpu.buffer([1, -2]), cpu.buffer([0, -1])
    np.testing.assert_array_equal(a[i].to_numpy(), A[[1, -2]])
    np.testing.assert_array_equal(a[i, j].to_numpy(), A[[1, -2], [0, -1]])
    np.testing.assert_array_equal(a[:, j].to_numpy(), A[:, [0, -1]])
    np.testing.assert_array_equal(a[a.argmax(0)[0, :1]].to_numpy(), A[[1]])
    mask = (a > 3) & (a < 20)
    np.testing.assert_array_equal(a[mask].to_numpy(), A[(A > 3) & (A < 20)])
    np.testing.assert_array_equal(a[~mask].to_numpy(), A[~((A > 3) & (A < 20))])
    np.testing.assert_array_equal(a[:, a[0, :, 0] > 3].to_numpy(), A[:, A[0, :, 0] > 3])
    np.testing.assert_array_equal(mask[0, ::2][~mask[0, ::2]].to_numpy(), np.zeros(4, np.uint8))


ASSIGNED = [
    (S[0], 5), (S[...], 0.5), (S[:, 1], 7), (S[:, ::2, 1:3], np.ones((2, 2), np.float32)),
    (S[1:, ::-1, ::2], np.arange(6, dtype=np.float32).reshape(3, 2)), (S[0, 1, 2], 9), (S[::-1], A),
    (S[:, 1:2], np.ones((1, 4), np.float32)), (S[[1, 0]], 3), (S[[0, 1], [2, 2]], np.arange(4.0)),
    (S[[0, 0]], np.stack([A[0] + 50, A[0] + 60])), (S[A > 5], 0), (S[A > 5], np.arange(18.0)),
    (S[:, :, 0:0], 1), (S[-1, -1], [1.0, 2.0, 3.0, 4.0]), (S[:, 2], [[1.0], [2.0]]),
    (S[np.zeros(0, int)], 1), (S[..., ::-2], 4),
]  # fmt: skip


@pytest.mark.parametrize("index, value", ASSIGNED, ids=str)
@pytest.mark.parametrize("held", [False, True])
def test_assignment_is_numpys(cpu, index, value, held):
    a, wanted = cpu.buffer(A), A.copy()
    wanted[index] = value
    given = cpu.buffer(np.float32(value)) if held and not isinstance(value, int | float) else value
    a[index] = given
    np.testing.assert_array_equal(a.to_numpy(), wanted)


def test_assignment_to_and_from_itself(cpu):
    a = cpu.buffer(A)
    a[0] = a[1]
    a[:, ::2] = a[:, ::-2]
    wanted = A.copy()
    wanted[0] = wanted[1]
    wanted[:, ::2] = wanted[:, ::-2].copy()
    np.testing.assert_array_equal(a.to_numpy(), wanted)
    b = cpu.buffer([1.0, 2.0, 3.0, 4.0])
    b[1:] = b[:-1]  # overlapping views
    assert b.tolist() == [1.0, 1.0, 2.0, 3.0]
    b[::2] += 10
    assert b.tolist() == [11.0, 1.0, 12.0, 3.0]


def test_assignment_to_other_dtypes(cpu):
    whole = cpu.buffer([1, 2, 3])
    whole[1] = 7
    whole[0] = 4.0
    whole[2:] = cpu.buffer([200], dtype="u8")
    assert whole.tolist() == [4, 7, 200]
    for value in (0.5, float("nan"), [0.5], cpu.buffer([0.5])):
        with pytest.raises(treadle.LaunchError, match=r"value: .*(whole|astype)"):
            whole[0:1] = value
    with pytest.raises(treadle.LaunchError, match="value: expected numbers"):
        whole[0] = "1"
    with pytest.raises(treadle.LaunchError):
        whole[0:2] = [1, 2, 3]


@pytest.mark.parametrize(
    "index, error, says",
    [
        (2, IndexError, "outside"),
        ((0, 3), IndexError, "axis 1"),
        ((0, 0, 0, 0), IndexError, "too many"),
        ((..., ...), treadle.LaunchError, "at most once"),
        ("x", treadle.LaunchError, "index: expected ints"),
        (1.5, treadle.LaunchError, "index: expected ints"),
        (slice(None, None, 0), treadle.LaunchError, "zero"),
        ([0.5], treadle.LaunchError, "whole numbers"),
        ([7], IndexError, "of 2"),
        (np.array([True]), IndexError, "does not fit"),
        (([0], slice(None), [1]), treadle.LaunchError, "next to each other"),
        (([0], None), treadle.LaunchError, "new axes"),
    ],
)
def test_what_is_no_index_is_refused(cpu, index, error, says):
    with pytest.raises(error, match=says):
        cpu.buffer(A)[index]


def test_bytes_as_an_index_have_to_say_what_they_mean(cpu):
    a = cpu.buffer(A)
    with pytest.raises(treadle.LaunchError, match="mask != 0"):
        a[cpu.buffer(np.array([1, 0], np.uint8))]
    kept = cpu.buffer(np.array([True, False])) != 0
    np.testing.assert_array_equal(a[kept].to_numpy(), A[:1])


def test_a_freed_buffer_has_no_parts(cpu):
    a = cpu.buffer(A)
    a.free()
    for use in (lambda: a[0], lambda: a[:, 1], lambda: a + 1, lambda: a.__setitem__(0, 1)):
        with pytest.raises(treadle.BufferFreed):
            use()


def test_assignment_takes_its_place_in_the_order(manual):
    device, backend = manual
    a = device.buffer([1.0, 2.0])
    pending = device.submit(times, a, k=3.0).output
    pending[0:1]  # a view of what is to come
    assert not pending[0:1].ready
    backend.complete()
    assert pending[0:1].tolist() == [3.0]


def test_random_indices_are_numpys(cpu):
    draw = random.Random(7)
    shape = (3, 4, 5)
    base = np.arange(60, dtype=np.int32).reshape(shape)

    def part(size):
        kind = draw.randrange(4)
        if kind == 0:
            return draw.randrange(-size, size)
        bounds = [draw.choice([None, *range(-size - 1, size + 2)]) for _ in range(2)]
        return slice(*bounds, draw.choice([None, 1, 2, -1, -2]))

    for _ in range(60):
        index = tuple(part(size) for size in shape[: draw.randrange(1, 4)])
        a, wanted = cpu.buffer(base), base.copy()
        np.testing.assert_array_equal(a[index].to_numpy(), wanted[index], err_msg=str(index))
        a[index] = 7
        wanted[index] = 7
        np.testing.assert_array_equal(a.to_numpy(), wanted, err_msg=str(index))
