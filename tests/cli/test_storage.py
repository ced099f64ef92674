"""Pixels seen where Pillow has them: no copy, the right bytes, and memory that is used again."""

from __future__ import annotations

import gc
import io
import sys
import zlib
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

import treadle
from treadle.photos import Photo, decode, encode, recycling, storage
from treadle.recipes import fit, parse
from treadle.recipes.execute import RecipeEngine
from treadle.recipes.fit import Kind
from treadle.recipes.pixels import as_photo

encode_module = sys.modules[encode.__module__]  # the package has a function of that name
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


def saved(image, format, **options):
    out = io.BytesIO()
    image.save(out, format, **options)
    return out.getvalue()


class Room:
    """A place for photos, with what was there before."""

    def __init__(self):
        self.made = []

    def __call__(self, shape):
        self.made.append(np.full(shape, 77, np.uint8))
        return self.made[-1]


@pytest.mark.parametrize("orientation", [1, 6])
@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA"])
def test_a_photo_is_decoded_into_the_place_it_is_given(mode, format, orientation):
    if mode == "RGBA" and format == "JPEG":
        mode = "RGB"
    exif = Image.Exif()
    exif[0x0112] = orientation
    image = Image.fromarray(RNG.integers(0, 256, (33, 21, 4), np.uint8)).convert(mode)
    data = saved(image, format, exif=exif)
    room = Room()
    photo, plain = decode(data, room=room), decode(data)
    np.testing.assert_array_equal(photo.colour, plain.colour)
    assert (photo.alpha is None) == (plain.alpha is None)
    if plain.alpha is not None:
        np.testing.assert_array_equal(photo.alpha, plain.alpha)
    (made,) = room.made
    laid_out = photo.colour if photo.padded is None else photo.padded
    assert np.shares_memory(laid_out, made) == (orientation == 1)  # else it was turned


def test_what_a_file_leaves_out_is_not_filled_with_what_was_there_before():
    """The rows of this PNG end early, which Pillow takes for black."""
    plain = Image.new("RGB", (8, 6), "white")
    packed = saved(plain, "PNG")
    at = packed.index(b"IDAT")
    size = int.from_bytes(packed[at - 4 : at], "big")
    rows = zlib.decompress(packed[at + 4 : at + 4 + size])
    few = zlib.compress(rows[: len(rows) // 2])
    chunk = len(few).to_bytes(4, "big") + b"IDAT" + few
    chunk += zlib.crc32(b"IDAT" + few).to_bytes(4, "big")
    data = packed[: at - 4] + chunk + packed[at + 8 + size :]
    room = Room()
    photo = decode(data, room=room)
    assert len(room.made) == 1
    assert set(np.unique(photo.colour)) == {0, 255}


@pytest.mark.parametrize(
    "mode, format", [("P", "PNG"), ("CMYK", "JPEG"), ("RGB", "TIFF"), ("1", "PNG"), ("LA", "PNG")]
)
def test_other_files_are_decoded_as_before(mode, format):
    image = Image.fromarray(RNG.integers(0, 256, (9, 7, 4), np.uint8)).convert("RGB").convert(mode)
    data = saved(image, format)
    room = Room()
    np.testing.assert_array_equal(decode(data, room=room).colour, decode(data).colour)
    assert not room.made


@pytest.mark.parametrize("format", ["jpeg", "png", "webp", "tiff"])
@pytest.mark.parametrize("alpha", [False, True])
def test_a_file_is_the_same_wherever_the_photo_s_pixels_lie(format, alpha):
    if alpha and format == "jpeg":
        return
    spaced = RNG.integers(0, 256, (31, 18, 4), np.uint8)
    veil = RNG.integers(0, 256, (31, 18), np.uint8) if alpha else None
    plain = Photo(np.ascontiguousarray(spaced[:, :, :3]), veil, format)
    wanted = encode(plain, format)
    kept = spaced[:, :, :3].copy()
    assert encode(replace(plain, colour=spaced[:, :, :3], padded=spaced), format) == wanted
    np.testing.assert_array_equal(spaced[:, :, :3], kept)
    fixed = spaced.copy()
    fixed.flags.writeable = False
    assert encode(replace(plain, colour=fixed[:, :, :3], padded=fixed), format) == wanted


@pytest.mark.parametrize(
    "kernels", [["saturation"], ["sharpen", "denoise"], ["grayscale"], ["flip"]]
)
@pytest.mark.parametrize("alpha", [False, True])
def test_colours_come_out_four_bytes_apart_where_that_is_asked_for(kernels, alpha):
    text = "".join(f'[[stage]]\nkernel = "{kernel}"\n' for kernel in kernels)
    recipe = parse(text, source="one.toml")
    kind = Kind(13, 37, 3, treadle.u8, alpha)
    given = RNG.integers(0, 256, (2, 13, 37, 4), np.uint8)
    veil = given[..., 3:].copy() if alpha else None
    plain = RecipeEngine(recipe, treadle.device("cpu"))
    spaced = RecipeEngine(recipe, treadle.device("cpu"), spaced=True)
    wanted, wanted_alpha = plain.start(plain.chain(kind), given, veil).result()
    running = spaced.start(spaced.chain(kind), given, veil)
    found, found_alpha = running.result()
    assert running.spaced == (wanted.shape[-1] == 3) == (found.shape[-1] == 4)
    np.testing.assert_array_equal(found[..., :3], wanted)
    if alpha:
        np.testing.assert_array_equal(found_alpha, wanted_alpha)


def test_a_recipe_s_result_is_encoded_from_where_it_lies(monkeypatch):
    recipe = parse('[[stage]]\nkernel = "saturation"\n', source="one.toml")
    engine = RecipeEngine(recipe, treadle.device("cpu"), spaced=True)
    pixels = RNG.integers(0, 256, (1, 40, 30, 4), np.uint8)
    running = engine.start(engine.chain(Kind(40, 30, 3, treadle.u8)), pixels, None)
    colour, _ = running.result()
    source = Photo(pixels[0, :, :, :3], None, "jpeg")
    photo = as_photo(source, colour[0], None, spaced=running.spaced)
    assert np.shares_memory(photo.padded, running.colour.to_numpy(copy=None))
    copied = []
    monkeypatch.setattr(encode_module, "_together", lambda photo: copied.append(photo))
    encode(photo, "jpeg")
    assert not copied
