"""Buffers on every backend: in and out in every form, views, freeing, bad input."""

from __future__ import annotations

import array
import ctypes
import pickle
import threading
import weakref
from copy import copy as shallow_copy
from copy import deepcopy

import numpy as np
import pytest

import treadle
from limits import needs
from runtime.shared import times, vector
from treadle.testing import manual_device

DTYPES = ["f32", "f64", "s32", "s64", "u32", "u8"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (2, 3), (2, 3, 4)])
def test_every_dtype_and_shape_goes_there_and_back(device, dtype, shape):
    needs(device, dtype)
    data = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(treadle.DType(dtype).numpy)
    buffer = treadle.buffer(data)
    assert (buffer.shape, buffer.dtype, buffer.ndim) == (shape, dtype, len(shape))
    assert (buffer.num_elements, buffer.size) == (data.size, data.nbytes)
    assert buffer.read() == data.tobytes()
    assert bytes(buffer.read_binary()) == data.tobytes()
    assert buffer.read_list() == data.tolist()
    for copy in (True, None):
        back = buffer.to_numpy(copy=copy)
        assert (back.shape, back.dtype) == (shape, data.dtype)
        np.testing.assert_array_equal(back, data)
    zeros = treadle.buffer_zeros(shape, dtype)
    assert zeros.read() == bytes(data.nbytes)
    again = treadle.buffer_from_binary(data.tobytes(), shape, dtype)
    np.testing.assert_array_equal(np.asarray(again), data)
    assert treadle.empty(shape, dtype).shape == shape


@pytest.mark.parametrize(
    "data, dtype",
    [
        ([1.0, 2.0], "f32"),
        ([1, 2], "s32"),
        ([1, 2**40], "s64"),
        ([True, False], "bool"),
        ([1, 2.5], "f32"),
        ([], "f32"),
        (7, "s32"),
        (7.5, "f32"),
        ([[1, 2], [3, 4]], "s32"),
        (range(3), "s32"),
    ],
)
def test_lists_are_typed_by_their_numbers(device, data, dtype):
    needs(device, dtype)
    buffer = treadle.buffer(data)
    assert buffer.dtype == dtype
    assert buffer.read_list() == (list(data) if isinstance(data, range) else data)


def test_lists_are_typed_as_asked(device):
    assert treadle.buffer([1, 2, 3, 4], (2, 2), "u8").read_list() == [[1, 2], [3, 4]]
    needs(device, "f64", "s64")
    assert type(treadle.buffer([1, 2], dtype="f64").read_list()[0]) is float
    assert treadle.buffer([300], dtype=np.int64).dtype == "s64"


class Interface:
    def __init__(self, inner):
        self.inner = inner
        self.__array_interface__ = inner.__array_interface__


class Packed:
    def __init__(self, inner):
        self.inner = inner

    def __dlpack__(self, **options):
        return self.inner.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.inner.__dlpack_device__()


def test_everything_that_holds_numbers_is_taken(device):
    data = np.arange(6, dtype=np.float32).reshape(2, 3)
    for given in (
        data,
        np.asfortranarray(data),
        data.astype(">f4"),
        np.repeat(data, 2, axis=1)[:, ::2],
        memoryview(data),
        Interface(data),
        Packed(data),
        treadle.buffer(data),
        tuple(map(tuple, data.tolist())),
    ):
        buffer = treadle.buffer(given)
        assert (buffer.shape, buffer.dtype) == ((2, 3), "f32")
        np.testing.assert_array_equal(buffer.to_numpy(), data)
    assert treadle.buffer(array.array("f", [1, 2])).dtype == "f32"
    assert treadle.buffer((ctypes.c_int32 * 2)(5, 6)).read_list() == [5, 6]
    for raw in (b"\1\2\3\4", bytearray(b"\1\2\3\4"), memoryview(b"\1\2\3\4")):
        assert treadle.buffer(raw).read_list() == [1, 2, 3, 4]
        assert treadle.buffer(raw, dtype="u32").read_list() == [0x04030201]
        assert treadle.buffer(raw, (2, 2), "u8").shape == (2, 2)
    assert treadle.buffer(np.array([True, False])).dtype == "bool"
    assert treadle.from_numpy(np.array([True, False])).read_list() == [True, False]
    needs(device, "f64")
    assert treadle.buffer(array.array("d", [1, 2])).dtype == "f64"


@pytest.mark.parametrize(
    "data, shape, dtype, text",
    [
        ([1, 2, 3], (2,), None, r"\(2,\) holds 2 elements, but the data has 3"),
        ([[1, 2], [3]], None, None, "regular"),
        (["a"], None, None, "numbers"),
        ("abc", None, None, "data: expected numbers, got <U3"),
        (np.array([None]), None, None, "data: expected numbers, got object"),
        ([None], None, None, "expected"),
        ([1.5], None, "s32", "integers for dtype s32"),
        ([300], None, "u8", "300 do not fit dtype u8"),
        ([-1], None, "u32", "do not fit dtype u32"),
        ([2**70], None, None, "64 bits"),
        ([1e300], None, "f32", "do not fit dtype f32"),
        ([1], None, "f17", "did you mean|expected one of"),
        (b"abc", None, "f32", "3 bytes"),
        (b"abcd", (2,), "f32", "holds 2 elements"),
        (np.zeros(2, np.complex128), None, None, "dtype"),
        ([1.0], (1,) * 65, None, "at most .. sizes, got 65"),
        (np.zeros(2, np.float64), None, "s32", "integers"),
        (object(), None, None, "object"),
        ({1: 2}, None, None, "dict"),
        (np.ma.masked_array([1.0, 2.0], [0, 1]), None, None, "masked"),
    ],
)
def test_data_that_does_not_fit(device, data, shape, dtype, text):
    with pytest.raises(treadle.LaunchError, match=text):
        treadle.buffer(data, shape, dtype)


def test_a_mask_that_hides_nothing_is_no_mask(device):
    assert treadle.buffer(np.ma.masked_array([1.0, 2.0], [0, 0])).read_list() == [1.0, 2.0]


def test_raw_bytes_must_match_exactly(device):
    with pytest.raises(treadle.LaunchError, match="holds 3 elements, but the data has 2"):
        treadle.buffer_from_binary(bytes(8), (3,), "f32")
    with pytest.raises(treadle.LaunchError, match="bytes"):
        treadle.buffer_from_binary([1, 2], (2,), "u8")
    assert treadle.buffer_from_binary(np.zeros(2, np.float32), (8,), "u8").size == 8


def test_infinities_and_nan_survive(device):
    data = [float("inf"), float("-inf")]
    assert treadle.buffer(data).read_list() == data
    assert np.isnan(treadle.buffer([float("nan")]).read_list()[0])


def test_numpy_protocols(device):
    buffer = treadle.buffer([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(np.asarray(buffer), [[1, 2], [3, 4]])
    assert np.asarray(buffer, dtype=np.float64).dtype == np.float64
    assert np.array(buffer, copy=True).flags.owndata
    np.testing.assert_array_equal(np.from_dlpack(buffer), buffer.to_numpy())
    kind = 2 if hasattr(buffer, "__cuda_array_interface__") else 1  # kDLCUDA, kDLCPU
    assert buffer.__dlpack_device__() == (kind, 0)
    with pytest.raises(ValueError, match="without a copy"):
        buffer.__array__(np.float64, copy=False)
    copy = buffer.to_numpy()
    copy[:] = 0
    assert buffer.read_list() == [[1.0, 2.0], [3.0, 4.0]]
    view = buffer.read_binary()
    assert view.readonly
    assert view.nbytes == 16


def test_zero_copy_is_zero_copy_on_a_host_device():
    device = treadle.device("cpu")
    data = np.arange(1024, dtype=np.float32)
    shared = device.from_numpy(data, copy=False)
    view = shared.to_numpy(copy=False)
    assert np.shares_memory(view, data)
    data[0] = 42
    assert shared[:1].read_list() == [42.0]
    assert not np.shares_memory(device.from_numpy(data, copy=True).to_numpy(copy=False), data)
    assert np.shares_memory(np.asarray(device.from_dlpack(data)), data)
    frozen = data.copy()
    frozen.flags.writeable = False
    with pytest.raises(treadle.LaunchError, match="copy"):
        device.from_numpy(frozen, copy=False)
    assert device.from_numpy(frozen).read_list() == data.tolist()
    for bad in (data[::2], data.astype(np.complex128)):
        with pytest.raises(treadle.LaunchError):
            device.from_numpy(bad, copy=False)
    with pytest.raises(treadle.LaunchError, match="__dlpack__"):
        device.from_dlpack([1.0])


def test_a_zero_copy_view_outlives_its_buffer(device):
    buffer = treadle.buffer([1.0, 2.0, 3.0])
    view, binary = buffer.to_numpy(copy=None), buffer.read_binary()
    buffer.free()
    fresh = [treadle.buffer([9.0, 9.0, 9.0]) for _ in range(8)]
    assert view.tolist() == [1.0, 2.0, 3.0]
    assert binary.cast("f").tolist() == [1.0, 2.0, 3.0]
    assert len(fresh) == 8


def test_write(device):
    buffer = treadle.buffer_zeros((2, 2), "s32")
    assert treadle.write(buffer, [[1, 2], [3, 4]]) is buffer
    assert buffer.read_list() == [[1, 2], [3, 4]]
    buffer.write([5, 6, 7, 8])
    buffer.write(np.array([9, 10, 11, 12], np.int64))
    assert buffer.read_list() == [[9, 10], [11, 12]]
    buffer[1].write([0, 0])
    assert buffer.read_list() == [[9, 10], [0, 0]]
    for bad in ([1], [1.5] * 4, [[1, 2, 3, 4]], [2**40] * 4):
        with pytest.raises(treadle.LaunchError):
            buffer.write(bad)
    assert buffer.read_list() == [[9, 10], [0, 0]]
    assert treadle.buffer_zeros(0).write([]).read_list() == []
    assert treadle.buffer_zeros(()).write(3).read_list() == 3.0


def test_views_share_memory(device):
    buffer = treadle.buffer(np.arange(12, dtype=np.float32).reshape(4, 3))
    assert buffer[1:3].read_list() == [[3, 4, 5], [6, 7, 8]]
    assert buffer[1].read_list() == [3, 4, 5]
    assert buffer[-1].read_list() == [9, 10, 11]
    assert buffer[2][1].shape == ()
    assert buffer[2][1].read_list() == 7.0
    assert buffer[1:][1:][0].read_list() == [6, 7, 8]
    assert buffer[3:1].shape == (0, 3)
    assert buffer[3:1].read() == b""
    assert buffer.reshape(2, 6).read_list() == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]
    assert buffer.reshape((12,))[3:5].read_list() == [3, 4]
    assert len(buffer) == 4
    assert [row.read_list()[0] for row in buffer] == [0, 3, 6, 9]
    treadle.run_kernel("scalar_mul", [buffer[2]], buffer[0], scalar=10)
    assert buffer[0].read_list() == [60, 70, 80]
    for bad in ("x", 1.0, True, (..., ...)):
        with pytest.raises(treadle.LaunchError):
            buffer[bad]
    with pytest.raises(IndexError):
        buffer[4]
    with pytest.raises(treadle.LaunchError, match="12"):
        buffer.reshape(5)
    with pytest.raises(IndexError):
        treadle.buffer(3.0)[0]
    with pytest.raises(TypeError):
        len(treadle.buffer(3.0))


def test_freeing(device):
    buffer = treadle.buffer([1.0, 2.0])
    view = buffer[:1]
    other = buffer[1:]
    view.free()
    assert not view.valid
    assert other.valid
    assert buffer.read_list() == [1.0, 2.0]
    with buffer as entered:
        assert entered is buffer
    assert not buffer.valid
    assert not other.valid
    buffer.free()
    treadle.free(buffer)
    for use in (
        buffer.read,
        buffer.read_binary,
        buffer.read_list,
        buffer.to_numpy,
        other.read,
        lambda: buffer.write([1, 2]),
        lambda: buffer[0],
        lambda: buffer.reshape(2),
        lambda: np.asarray(buffer),
        lambda: treadle.run_kernel("relu", [buffer]),
    ):
        with pytest.raises(treadle.BufferFreed, match="free"):
            use()
    many = [treadle.buffer([1.0]) for _ in range(3)]
    treadle.free_many(many)
    assert [each.valid for each in many] == [False] * 3
    assert buffer.shape == (2,)  # what it was can still be told


def test_identity_hash_weakref_and_repr(device):
    a, b = treadle.buffer([1.0]), treadle.buffer([1.0])
    assert len({a, b, a}) == 2
    assert repr(a) == f"<treadle.Buffer f32[1] on {device.name}>"
    reference = weakref.ref(a)
    del a
    assert reference() is None
    b.free()
    assert "freed" in repr(b)


def test_module_functions_about_buffers(device):
    buffer = treadle.buffer([[1, 2], [3, 4]])
    assert treadle.shape(buffer) == (2, 2)
    assert treadle.dtype(buffer) == "s32"
    assert treadle.size(buffer) == 16
    assert treadle.read(buffer) == buffer.read()
    assert treadle.read_list(buffer) == [[1, 2], [3, 4]]
    assert treadle.read_binary(buffer) == buffer.read_binary()
    assert treadle.to_numpy(buffer).tolist() == [[1, 2], [3, 4]]


def test_freeing_and_collecting_in_flight_is_safe():
    device, backend = manual_device()
    base = backend.live_memory
    a, b = vector(device, *range(8)), vector(device, *range(8))
    out = device.empty(8)
    first = device.submit(times, [a], out)
    second = device.submit(times, [b], b)
    third = device.submit(times, [out])
    a.free()
    out.free()
    gone = weakref.ref(b)
    del b
    second_id = second.id
    del second  # nobody but the runtime knows it now
    backend.expect(2)
    backend.complete_all()
    if not third.done():  # it was still being planned
        backend.expect(1)
        backend.complete_all()
    assert first.status == "completed"
    assert treadle.wait(second_id).status == "completed"
    assert gone() is None
    assert third.wait(30).output.read_list() == [4.0 * i for i in range(8)]
    assert backend.live_memory == base + 32
    assert device.memory_in_use == 32
    device.close()


def test_a_finalizer_may_free_inside_the_queues_lock():
    device, _ = manual_device()
    a = device.empty(8)

    def collect():  # as the garbage collector may, on the thread that holds the lock
        device.queue.tell(lambda *_: a.free(), None)

    thread = threading.Thread(target=collect, daemon=True)
    thread.start()
    thread.join(30)
    assert not thread.is_alive()
    assert device.memory_in_use == 0
    device.close()


def test_a_closed_device_refuses_everything():
    device, _ = manual_device()
    buffer = device.buffer([1.0])
    with device:
        pass
    assert "closed" in repr(device)
    for use in (
        lambda: device.buffer([1.0]),
        lambda: device.empty(1),
        lambda: device.from_numpy(np.zeros(3, np.float32)),
        lambda: device.submit(times, [buffer]),
        lambda: device.run_kernel(times, [buffer], buffer),
        device.barrier,
        buffer.read,
        lambda: buffer.write([2.0]),
    ):
        with pytest.raises(treadle.DeviceLost, match="closed"):
            use()
    device.close()
    device.synchronize()
    buffer.free()


@pytest.mark.parametrize("duplicate", [shallow_copy, deepcopy, pickle.dumps])
def test_what_lives_on_a_device_cannot_be_copied_away(duplicate):
    device = treadle.device("cpu")
    buffer = device.buffer([1.0])
    for thing in (buffer, device, device.submit("relu", [buffer])):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            duplicate(thing)


def test_a_buffer_is_ready_when_a_read_will_neither_wait_nor_fail(make_manual):
    device, backend = make_manual()
    x, y = vector(device, 1, 2), device.empty(2)
    assert x.ready
    run = device.submit(times, [x], y)
    assert not y.ready
    backend.complete()
    run.wait()
    assert y.ready
    assert y[0:1].ready
    failed = device.submit(times, [x], y)
    backend.fail(1, ValueError("boom"))
    assert failed.error is not None
    assert not y.ready
    assert x.ready
    x.free()
    assert not x.ready


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64, np.int32, np.uint8, np.bool_])
def test_a_number_of_numpys_keeps_its_type(kind):
    """float64 is a float of Python's, too, and was made an f32 that loses half of its digits."""
    assert treadle.buffer(kind(1)).dtype == np.dtype(kind)


def test_no_dtype_is_not_numpys_default():
    with pytest.raises(treadle.LaunchError, match="got None"):
        treadle.empty(2, None)


def test_one_element_is_formatted_as_its_number():
    total = treadle.buffer([1.25, 2.5]).sum()
    assert f"{total:.2f}" == "3.75"
    assert f"{total}" == str(total)
    with pytest.raises(treadle.LaunchError, match="no single element"):
        format(treadle.buffer([1.0, 2.0]), ".2f")
