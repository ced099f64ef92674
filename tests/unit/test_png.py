"""The PNG writer, read back with Pillow: every pixel comes out as it went in."""

from __future__ import annotations

import io
import zlib

import numpy as np
import pytest
from PIL import Image

from treadle import png

MODES = {(): "L", (1,): "L", (2,): "LA", (3,): "RGB", (4,): "RGBA"}


def decode(data: bytes) -> tuple[str, np.ndarray]:
    with Image.open(io.BytesIO(data)) as image:
        image.load()
        return image.mode, np.asarray(image)


@pytest.mark.parametrize("channels", MODES)
@pytest.mark.parametrize("size", [(1, 1), (1, 7), (5, 1), (33, 20)])
def test_pixels_survive(size, channels):
    image = np.random.default_rng(7).integers(0, 256, (*size, *channels), np.uint8)
    mode, pixels = decode(png.encode(image))
    assert mode == MODES[channels]
    np.testing.assert_array_equal(pixels.reshape(image.shape), image)


def test_filters_are_used_and_undone():
    # Rows that favour each filter: smooth along x, equal to the row above, and small noise.
    along = np.arange(200, dtype=np.uint8)
    noise = np.random.default_rng(1).integers(0, 3, 200, np.uint8)
    image = np.stack([noise, along, along, along[::-1] // 2 * 3, noise])
    data = png.encode(image)
    raw = zlib.decompress(data[data.index(b"IDAT") + 4 : data.rindex(b"IEND") - 8])
    assert set(raw[:: 1 + image.shape[1]]) == {0, 1, 2}
    np.testing.assert_array_equal(decode(data)[1], image)


def test_any_memory_layout():
    image = np.random.default_rng(2).integers(0, 256, (12, 10, 4), np.uint8)
    for view in (image[::-1], image[:, ::2], image.transpose(1, 0, 2), image[..., :3]):
        np.testing.assert_array_equal(decode(png.encode(view))[1], view)


def test_level_zero_stores():
    image = np.zeros((64, 64), np.uint8)
    assert len(png.encode(image, level=0)) > 64 * 64 > len(png.encode(image, level=9))


def test_write_says_how_much(tmp_path):
    image = np.full((4, 6, 3), 200, np.uint8)
    path = tmp_path / "flat.png"
    assert png.write(path, image) == path.stat().st_size
    np.testing.assert_array_equal(decode(path.read_bytes())[1], image)


@pytest.mark.parametrize(
    "image, error, message",
    [
        (np.zeros((2, 2), np.float32), TypeError, "float32"),
        (np.zeros(4, np.uint8), ValueError, r"\(4,\)"),
        (np.zeros((2, 2, 5), np.uint8), ValueError, r"\(2, 2, 5\)"),
        (np.zeros((0, 3), np.uint8), ValueError, "at least one pixel"),
    ],
)
def test_what_is_not_an_image(image, error, message):
    with pytest.raises(error, match=message):
        png.encode(image)
