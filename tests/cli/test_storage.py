"""Pixels seen where Pillow has them: no copy, the right bytes, and memory that is used again."""

from __future__ import annotations

import gc
import io

import numpy as np
import pytest
from PIL import Image

import treadle
from treadle.photos import decode, encode, recycling, storage
from treadle.recipes import fit, parse
from treadle.recipes.execute import RecipeEngine
from treadle.recipes.fit import Kind

RNG = np.random.default_rng(4)
pytestmark = pytest.mark.skipif(
    not hasattr(Image.Image, "__arrow_c_array__"), reason="this Pillow does not show its pixels"
)


@pytest.mark.parametrize("mode, channels", [("L", 1), ("RGB", 4), ("RGBA", 4)])
def test_the_bytes_are_the_image_s_own(mode, channels):
    image = Image.fromarray(RNG.integers(0, 256, (11, 7, 4), np.uint8)).convert(mode)
    seen = storage.pixels_of(image)
    assert seen.shape == (11, 7, channels)
    count = len(image.getbands())
    np.testing.assert_array_equal(seen[:, :, :count].squeeze(), np.asarray(image))
    image.putpixel((3, 2), (9,) * count if count > 1 else 9)
    assert seen[2, 3, 0] == 9


def test_the_memory_outlives_the_image():
    pixels = RNG.integers(0, 256, (300, 200, 3), np.uint8)
    seen = storage.pixels_of(Image.fromarray(pixels))
    gc.collect()
    others = [Image.new("RGB", (200, 300), "white") for _ in range(8)]
    np.testing.assert_array_equal(seen[:, :, :3], pixels)
    del others


@pytest.mark.parametrize("mode", ["1", "I;16", "F", "I"])
def test_other_kinds_of_pixels_are_left_to_pillow(mode):
    seen = storage.pixels_of(Image.new(mode, (5, 4)))
    assert seen is None or seen.shape != (4, 5, 4)


def test_an_image_in_several_pieces_is_copied(monkeypatch):
    before = Image.core.get_block_size()
    pixels = RNG.integers(0, 256, (64, 64, 3), np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    try:
        Image.core.set_block_size(4096)
        photo = decode(out.getvalue())
    finally:
        Image.core.set_block_size(before)
    assert photo.padded is None
    np.testing.assert_array_equal(photo.colour, pixels)


def test_pillow_keeps_memory_for_a_while_and_less_of_it_where_images_are_large():
    def now():
        return Image.core.get_block_size(), Image.core.get_blocks_max()

    before = now()
    with recycling(6) as memory:
        memory.fit(12_000_000)
        assert now() == (1 << 30, 6)
        memory.fit(100_000_000)
        assert now() == (1 << 30, 1)
        memory.fit(200_000_000)
        assert now() == (1 << 30, 0)
        memory.fit(0)
        assert now() == (1 << 30, 6)
    assert now() == before


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA"])
def test_every_orientation_of_every_layout(orientation, mode):
    exif = Image.Exif()
    exif[0x0112] = orientation
    image = Image.fromarray(RNG.integers(0, 256, (5, 8, 4), np.uint8)).convert(mode)
    out = io.BytesIO()
    image.save(out, "PNG", exif=exif)
    photo = decode(out.getvalue())
    from PIL import ImageOps

    with Image.open(io.BytesIO(out.getvalue())) as opened:
        wanted = np.asarray(ImageOps.exif_transpose(opened))
    wanted = wanted.reshape(*wanted.shape[:2], -1)
    np.testing.assert_array_equal(photo.colour, wanted[:, :, : photo.colour.shape[2]])
    if mode == "RGBA":
        np.testing.assert_array_equal(photo.alpha, wanted[:, :, 3])
    np.testing.assert_array_equal(decode(encode(photo, "png")).colour, photo.colour)


@pytest.mark.parametrize("kernel", ["saturation", "denoise", "sharpen", "gaussian_blur"])
@pytest.mark.parametrize("count, width", [(1, 70), (3, 70), (2, 5), (1, 129)])
def test_four_channels_are_taken_for_three_and_both_may_follow_each_other(kernel, count, width):
    recipe = parse(f'[[stage]]\nkernel = "{kernel}"\n', source="one.toml")
    engine = RecipeEngine(recipe, treadle.device("cpu"))
    chain = fit(recipe, Kind(11, width, 3, treadle.u8))
    padded = RNG.integers(0, 256, (count, 11, width, 4), np.uint8)
    plain = np.ascontiguousarray(padded[..., :3])
    wanted = treadle.run_kernel(kernel, [treadle.buffer(plain)]).to_numpy()
    for given in (padded, plain, padded):
        colour, alpha = engine.start(chain, given, None).result()
        np.testing.assert_array_equal(colour, wanted)
        assert alpha is None


def test_a_decoded_photo_is_not_copied_on_its_way_to_the_device():
    out = io.BytesIO()
    Image.fromarray(RNG.integers(0, 256, (300, 400, 3), np.uint8)).save(out, "JPEG")
    photo = decode(out.getvalue())
    buffer = treadle.device("cpu").from_numpy(photo.padded[np.newaxis], copy=False)
    assert buffer.shape == (1, 300, 400, 4)
    assert np.shares_memory(photo.colour, photo.padded)
