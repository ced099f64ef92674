"""EXIF through every format: what describes a photo stays, what turned it does not."""

from __future__ import annotations

import io
from dataclasses import replace

import cv2
import numpy as np
import pytest
from PIL import Image

from treadle.photos import FORMATS, Photo, decode, encode

RNG = np.random.default_rng(8)
EXIF, GPS = 0x8769, 0x8825
FIRST = {0x010F: "Treadle", 0x0110: "Loom 1", 0x0132: "2026:01:02 03:04:05", 0x8298: "(c) me"}
SECOND = {0x829A: 0.008, 0x9003: "2026:01:02 03:04:05", 0x927C: b"notes of the maker"}
THIRD = {1: "N", 2: (52.0, 31.0, 12.0)}


def block(orientation: int = 6) -> Image.Exif:
    exif = Image.Exif()
    exif.update(FIRST)
    exif[0x0112] = orientation
    exif.get_ifd(EXIF).update(SECOND)
    exif.get_ifd(GPS).update(THIRD)
    return exif


def written(format: str, **options) -> bytes:
    out = io.BytesIO()
    pixels = RNG.integers(0, 256, (9, 13, 3), np.uint8)
    Image.fromarray(pixels).save(out, format.upper(), **options)
    return out.getvalue()


def described(data: bytes) -> tuple[dict, dict, dict]:
    with Image.open(io.BytesIO(data)) as image:
        exif = image.getexif()
        return dict(exif), dict(exif.get_ifd(EXIF)), dict(exif.get_ifd(GPS))


@pytest.mark.parametrize("source", FORMATS)
@pytest.mark.parametrize("target", FORMATS)
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_every_format_hands_it_to_every_other(source, target, dtype):
    photo = decode(written(source, exif=block().tobytes()))
    assert photo.size == (13, 9)  # orientation 6: turned
    if dtype is np.uint16:
        photo = replace(photo, colour=photo.colour.astype(dtype) * dtype(257), padded=None)
    first, second, third = described(encode(photo, target))
    assert 0x0112 not in first
    assert first.items() >= FIRST.items()
    assert second.items() >= SECOND.items()
    assert third.items() >= THIRD.items()


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_a_tiff_of_ours_keeps_all_of_it_and_says_nothing_of_its_pixels_elsewhere(dtype):
    photo = decode(written("jpeg", exif=block(1)))
    photo = replace(photo, colour=photo.colour.astype(dtype), padded=None)
    back = decode(encode(photo, "tiff"))
    np.testing.assert_array_equal(back.colour, photo.colour)
    first, second, third = described(encode(back, "jpeg"))
    assert {tag: value for tag, value in first.items() if tag not in (EXIF, GPS)} == FIRST
    assert (second, third) == (SECOND, THIRD)


def test_what_is_no_exif_costs_nothing_but_itself():
    photo = Photo(RNG.integers(0, 256, (4, 5, 3), np.uint8), None, "png", exif=b"Exif\0\0II*\0junk")
    np.testing.assert_array_equal(decode(encode(photo, "tiff")).colour, photo.colour)


def test_more_than_a_jpeg_can_hold_is_left_behind():
    exif = Image.Exif()
    exif[0x010E] = "x" * 70000
    photo = decode(written("png", exif=exif))
    assert len(photo.exif) > 70000
    assert described(encode(photo, "png"))[0] == dict(exif)
    assert described(encode(photo, "jpeg"))[0] == {}


@pytest.mark.parametrize(
    "shape, alpha, dtype",
    [
        ((6, 7, 1), False, np.uint8),
        ((6, 7, 1), False, np.uint16),
        ((6, 7, 3), False, np.uint8),
        ((6, 7, 3), False, np.uint16),
        ((6, 7, 3), True, np.uint16),  # of eight bits OpenCV multiplies colours by alpha
    ],
)
def test_tiffs_are_read_by_others(tmp_path, shape, alpha, dtype):
    top = np.iinfo(dtype).max + 1
    veil = RNG.integers(0, top, shape[:2], dtype) if alpha else None
    photo = Photo(RNG.integers(0, top, shape, dtype), veil, "tiff", exif=block().tobytes())
    path = tmp_path / "out.tif"
    path.write_bytes(encode(photo, "tiff"))
    seen = cv2.imread(str(path), cv2.IMREAD_UNCHANGED).reshape(*shape[:2], -1)
    order = [2, 1, 0] if shape[2] == 3 else [0]
    np.testing.assert_array_equal(seen[:, :, order], photo.colour)
    if alpha:
        np.testing.assert_array_equal(seen[:, :, 3], veil)
