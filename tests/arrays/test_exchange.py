"""What other libraries take of buffers, and give, in every type."""

from __future__ import annotations

import ctypes

import numpy as np

import treadle
from treadle.dtypes import STORED, DType
from treadle.ir.casts import convert


def test_dlpack_carries_every_type(device):
    for dtype in STORED:
        if dtype not in device.limits.dtypes:
            continue
        data = convert(np.float32([[0, 1, 2], [3, 4, 5]]), dtype)
        sent = device.buffer(data)
        got = device.from_dlpack(sent)
        assert (got.dtype, got.shape) == (dtype, (2, 3))
        assert got.read() == data.tobytes()
        if dtype is not DType.BF16:
            assert np.from_dlpack(sent).dtype == dtype.numpy


def test_a_capsule_of_bf16_says_so():
    with treadle.use_device("cpu") as cpu:
        capsule = cpu.buffer([1.0, 2.0], dtype="bf16").__dlpack__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    words = ctypes.string_at(pointer(capsule, b"dltensor") + 20, 4)
    assert tuple(words) == (4, 16, 1, 0)  # kDLBfloat, bits, lanes


def test_sound_of_sixteen_bits(device):
    sound = (np.sin(np.linspace(0, 30, 401)) * 30000).astype(np.int16)
    loud = (device.buffer(sound).astype("f32") * 1.5).astype("s16").to_numpy()
    np.testing.assert_array_equal(loud, np.clip(np.rint(sound * 1.5), -32768, 32767))


def test_pictures_of_sixteen_bits_stay_so(tmp_path):
    picture = np.random.default_rng(2).integers(0, 65536, (9, 11, 3)).astype(np.uint16)
    for name in ("one.png", "two.tiff"):
        with treadle.use_device("cpu") as cpu:
            treadle.write_image(tmp_path / name, cpu.buffer(picture))
            again = cpu.buffer(treadle.read_image(tmp_path / name))
        assert again.dtype == "u16"
        np.testing.assert_array_equal(again.to_numpy(), picture)
