"""Image files to arrays and back: every format, depth and mode, and what must survive."""

from __future__ import annotations

import io
from dataclasses import replace

import cv2
import numpy as np
import pytest
from PIL import Image, ImageCms

from treadle import photos, pictures
from treadle.photos import Photo, PhotoError, decode, encode, format_of

RNG = np.random.default_rng(5)
ICC = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
GREY, RGB = (9, 13, 1), (9, 13, 3)


def picture(shape, dtype=np.uint8, alpha=False, **more) -> Photo:
    top = np.iinfo(dtype).max + 1
    colour = RNG.integers(0, top, shape, dtype)
    veil = RNG.integers(0, top, shape[:2], dtype) if alpha else None
    return Photo(colour, veil, "png", **more)


def saved(pixels, name, mode=None, **options) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels, **({"mode": mode} if mode else {})).save(out, name, **options)
    return out.getvalue()


def same(a: Photo, b: Photo) -> None:
    np.testing.assert_array_equal(a.colour, b.colour)
    assert a.colour.dtype == b.colour.dtype
    assert (a.alpha is None) == (b.alpha is None)
    if a.alpha is not None:
        np.testing.assert_array_equal(a.alpha, b.alpha)


@pytest.mark.parametrize("format", ["png", "tiff"])
@pytest.mark.parametrize("alpha", [False, True])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("shape", [GREY, RGB])
def test_what_loses_nothing_comes_back_equal(format, alpha, dtype, shape):
    photo = picture(shape, dtype, alpha, icc=ICC)
    back = decode(encode(photo, format))
    if (format, alpha, dtype, shape) == ("tiff", True, np.uint16, GREY):
        photo = replace(photo, colour=photo.colour.repeat(3, axis=2))  # it is written as RGBA
    same(back, photo)
    assert back.format == format
    assert back.icc == ICC


@pytest.mark.parametrize("channels", [3, 4])
@pytest.mark.parametrize("suffix", [".png", ".tif"])
def test_sixteen_bits_as_others_write_and_read_them(tmp_path, channels, suffix):
    pixels = RNG.integers(0, 65536, (11, 7, channels), np.uint16)
    swapped = pixels[..., [2, 1, 0, 3][:channels]]
    path = tmp_path / f"theirs{suffix}"
    cv2.imwrite(str(path), swapped)
    photo = decode(path.read_bytes())
    alpha = pixels[..., 3] if channels == 4 else None
    same(photo, Photo(pixels[..., :3], alpha, "png"))
    ours = tmp_path / f"ours{suffix}"
    ours.write_bytes(encode(photo, format_of(ours)))
    np.testing.assert_array_equal(cv2.imread(str(ours), cv2.IMREAD_UNCHANGED), swapped)


def test_sixteen_bits_round_to_eight_where_a_format_has_no_more():
    photo = Photo(np.array([[[0], [128], [129], [65535]]], np.uint16), None, "png")
    back = decode(encode(photo, "webp", quality=100))
    assert back.colour.dtype == np.uint8
    rounded = np.round(photo.colour[0, :, 0] / 257)
    assert np.abs(back.colour[0, :, 0] - rounded).max() <= 2  # WebP loses a little


@pytest.mark.parametrize("format", ["jpeg", "webp"])
def test_lossy_formats_keep_profile_and_size(format):
    photo = picture((40, 30, 3), icc=ICC)
    back = decode(encode(photo, format, quality=90))
    assert back.size == (40, 30)
    assert back.icc == ICC


def test_webp_keeps_alpha():
    photo = picture(RGB, alpha=True)
    np.testing.assert_array_equal(decode(encode(photo, "webp")).alpha, photo.alpha)


def test_jpeg_refuses_transparency_and_drops_what_is_opaque():
    photo = picture(RGB, alpha=True)
    with pytest.raises(
        PhotoError, match="transparency, which jpeg cannot hold; --format takes png"
    ):
        encode(photo, "jpeg")
    opaque = Photo(photo.colour, np.full_like(photo.alpha, 255), "png")
    assert decode(encode(opaque, "jpeg")).alpha is None


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("name", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_orientation_is_applied_and_not_kept(orientation, name):
    pixels = np.zeros((16, 32, 3), np.uint8)
    pixels[:8, :16] = (250, 10, 10)
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010E] = "a description"
    data = saved(pixels, name, exif=exif, **({"lossless": True} if name == "WEBP" else {}))
    # What Pillow's own function makes of the same file.
    from PIL import ImageOps

    with Image.open(io.BytesIO(data)) as image:
        image.load()
        upright = np.asarray(ImageOps.exif_transpose(image))
    photo = decode(data)
    np.testing.assert_array_equal(photo.colour, upright)
    if name == "TIFF":
        return
    with Image.open(io.BytesIO(encode(photo, name.lower()))) as again:
        found = again.getexif()
        assert found.get(0x0112, 1) == 1
        assert found[0x010E] == "a description"


@pytest.mark.parametrize(
    "mode, channels, alpha",
    [
        ("1", 1, False), ("L", 1, False), ("LA", 1, True), ("P", 3, False), ("RGB", 3, False),
        ("RGBA", 3, True), ("CMYK", 3, False), ("YCbCr", 3, False), ("I;16", 1, False),
    ],
)  # fmt: skip
def test_every_mode_becomes_grey_or_rgb(mode, channels, alpha):
    image = Image.fromarray(RNG.integers(0, 256, (8, 8, 3), np.uint8))
    image = image.convert("I").convert(mode) if mode == "I;16" else image.convert(mode)
    out = io.BytesIO()
    image.save(out, "TIFF" if mode in ("CMYK", "YCbCr", "I;16") else "PNG")
    try:
        Image.open(io.BytesIO(out.getvalue())).load()
    except OSError:  # Pillow 12.3 does not read the YCbCr that it has written
        with pytest.raises(PhotoError):
            decode(out.getvalue())
        return
    photo = decode(out.getvalue())
    assert photo.colour.shape == (8, 8, channels)
    assert (photo.alpha is not None) is alpha
    assert photo.colour.dtype == (np.uint16 if mode == "I;16" else np.uint8)


def test_a_transparent_colour_of_a_palette_is_alpha():
    image = Image.new("P", (4, 4), 1)
    image.putpalette([0, 0, 0, 255, 0, 0])
    out = io.BytesIO()
    image.save(out, "PNG", transparency=1)
    photo = decode(out.getvalue())
    assert photo.alpha is not None
    assert not photo.alpha.any()


def test_truncated_images_say_so():
    data = saved(RNG.integers(0, 256, (64, 64, 3), np.uint8), "JPEG")
    with pytest.raises(PhotoError, match="truncated"):
        decode(data[: len(data) // 2])


@pytest.mark.parametrize("name", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_damage_anywhere_is_an_error_or_an_image_but_nothing_else(name):
    data = saved(RNG.integers(0, 256, (24, 24, 3), np.uint8), name)
    rng = np.random.default_rng(11)
    for _ in range(150):
        broken = bytearray(data)
        for at in rng.integers(0, len(data), 4):
            broken[at] = rng.integers(0, 256)
        cut = len(data) if rng.random() < 0.5 else int(rng.integers(0, len(data)))
        try:
            photo = decode(bytes(broken[:cut]), max_pixels=10_000)
        except PhotoError:
            continue
        assert photo.colour.ndim == 3


@pytest.mark.parametrize("data", [b"", b"not an image", b"GIF89a" + bytes(40)])
def test_what_is_no_image(data):
    with pytest.raises(PhotoError, match=r"empty|not an image"):
        decode(data)


def test_a_bomb_is_refused_from_its_header():
    data = saved(np.zeros((100, 200), np.uint8), "PNG")
    with pytest.raises(PhotoError, match="more than the limit"):
        decode(data, max_pixels=19_999)
    assert decode(data, max_pixels=20_000).size == (100, 200)


def test_several_frames_are_refused():
    out = io.BytesIO()
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "blue", "green")]
    frames[0].save(out, "WEBP", save_all=True, append_images=frames[1:], lossless=True)
    with pytest.raises(PhotoError, match="has 3 frames or pages"):
        decode(out.getvalue())


def test_floats_are_refused():
    data = saved(np.zeros((4, 4), np.float32), "TIFF")
    with pytest.raises(PhotoError, match="kind 'F'"):
        decode(data)


@pytest.mark.parametrize(
    "name, found", [("jpg", "jpeg"), ("JPEG", "jpeg"), (".tif", "tiff"), ("webp", "webp")]
)
def test_names_of_formats(name, found):
    assert format_of(name) == found


def test_an_unknown_format_gets_the_nearest():
    with pytest.raises(PhotoError, match="did you mean 'jpeg'"):
        format_of("jpegg")


def test_too_large_for_the_format():
    photo = Photo(np.zeros((1, 16384, 1), np.uint8), None, "png")
    with pytest.raises(PhotoError, match="too large for webp"):
        encode(photo, "webp")
    with pytest.raises(PhotoError, match="no pixels"):
        encode(Photo(np.zeros((0, 4, 3), np.uint8), None, "png"), "png")


def test_without_pillow_the_extra_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(PhotoError, match=r"pip install 'treadle\[cli\]'"):
        photos.decode(b"x")


def test_a_file_is_there_whole_or_not_at_all(tmp_path, monkeypatch):
    path, part = tmp_path / "out.png", tmp_path / "part"
    photos.write_atomically(b"one", path, part, replace=False)
    with pytest.raises(FileExistsError):
        photos.write_atomically(b"two", path, part, replace=False)
    assert path.read_bytes() == b"one"
    photos.write_atomically(b"two", path, part, replace=True)
    assert path.read_bytes() == b"two"

    def no_links(*_):
        raise OSError(95, "not supported")

    monkeypatch.setattr("os.link", no_links)
    with pytest.raises(FileExistsError):
        photos.write_atomically(b"three", path, part, replace=False)
    photos.write_atomically(b"three", tmp_path / "new.png", part, replace=False)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["new.png", "out.png"]


@pytest.mark.parametrize("orientation", [1, 3, 6])
@pytest.mark.parametrize("format", ["jpeg", "png", "tiff"])
def test_a_photo_is_decoded_to_a_size(format, orientation):
    """Upright, and near to what resizing the whole of it would give."""
    pixels = pictures.landscape(640, 400, seed=3)[..., :3]
    exif = Image.Exif()
    exif[0x0112] = orientation
    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(file, format, exif=exif.tobytes())
    whole = decode(file.getvalue())
    small = decode(file.getvalue(), size=(20, 28))
    assert small.size == (20, 28)
    expected = Image.fromarray(np.ascontiguousarray(whole.colour)).resize((28, 20), 2)
    difference = np.abs(small.colour.astype(int) - np.asarray(expected))
    assert difference.mean() < 1.5
    assert difference.max() < 24


@pytest.mark.parametrize("mode", ["L", "LA", "RGBA", "P", "I;16"])
def test_photos_of_other_kinds_are_decoded_to_a_size(mode):
    image = Image.fromarray(np.arange(64 * 48, dtype=np.uint16).reshape(48, 64) * 21)
    if mode != "I;16":
        image = Image.fromarray(np.asarray(image).astype(np.uint8)).convert(mode)
    file = io.BytesIO()
    image.save(file, "png")
    small = decode(file.getvalue(), size=(6, 8))
    assert small.size == (6, 8)
    assert small.colour.dtype == np.uint8
    assert (small.alpha is not None) == ("A" in mode)


def progressive(passes, before=b""):
    """A JPEG whose last pass comes that many times more, and what comes before the first."""
    file = io.BytesIO()
    Image.new("L", (64, 48), 128).save(file, "JPEG", progressive=True)
    data = file.getvalue()
    last = data[data.rindex(b"\xff\xc4") : -2]
    return data[:2] + before + data[2:-2] + last * passes + data[-2:]


def test_a_jpeg_of_passes_without_end_is_refused():
    with pytest.raises(PhotoError, match="more than 200 passes over its picture"):
        decode(progressive(500))
    assert decode(progressive(20)).size == (48, 64)


def sequential(passes):
    """A JPEG that is not progressive, with so many passes over one channel each."""
    file = io.BytesIO()
    Image.new("RGB", (64, 48), "grey").save(file, "JPEG", subsampling=0)
    data = file.getvalue()
    begins = [bytes([0xFF, 0xDA, 0, 8, 1, 1 + each % 3, 0, 0, 63, 0]) for each in range(passes)]
    return data[: data.rindex(b"\xff\xda")] + b"".join(begins) + data[-2:]


def test_passes_without_end_need_not_be_progressive():
    assert decode(sequential(20)).size == (48, 64)
    with pytest.raises(PhotoError, match="more than 200 passes over its picture"):
        decode(sequential(500))


def test_what_looks_like_passes_inside_of_other_segments_is_none():
    inside = b"\xff\xfe" + (2 + 2 * 500).to_bytes(2, "big") + b"\xff\xda" * 500
    assert decode(progressive(20, inside)).size == (48, 64)
    with pytest.raises(PhotoError, match="more than 200 passes"):
        decode(progressive(500, inside))
