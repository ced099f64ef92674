"""Formats that are only read, those that cannot be read here, and what is passed over."""

from __future__ import annotations

import io
import json
import sys

import numpy as np
import pytest
from PIL import Image, features

from photo_files import make_photo, outputs
from treadle.photos import PhotoError, decode, missing, probe, readers
from treadle.recipes import find

RNG = np.random.default_rng(6)
PIXELS = RNG.integers(0, 256, (9, 13, 3), np.uint8)


@pytest.fixture(autouse=True)
def _fresh():
    """What can be read is asked once in a process; tests change it."""
    find._cannot.cache_clear()
    yield
    find._cannot.cache_clear()


def saved(name: str, pixels=PIXELS, **options) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, name, **options)
    return out.getvalue()


def frames(count: int) -> bytes:
    out = io.BytesIO()
    made = [Image.new("RGB", (8, 6), (40 * k, 10, 20)) for k in range(count)]
    made[0].save(out, "GIF", save_all=True, append_images=made[1:])
    return out.getvalue()


def heic() -> bytes:
    """A HEIC file, or a skip where no library makes one."""
    pytest.importorskip(
        "pillow_heif", reason="the extra heif is not installed"
    ).register_heif_opener()
    return saved("HEIF", np.full((64, 96, 3), (200, 120, 40), np.uint8), quality=95)


def test_a_bmp_is_read_and_becomes_a_png():
    photo = decode(saved("BMP"))
    np.testing.assert_array_equal(photo.colour, PIXELS)
    assert photo.format == "png"


@pytest.mark.parametrize("count", [1, 3])
def test_of_a_gif_the_first_frame_is_read_and_the_rest_is_told(count):
    photo = decode(frames(count))
    assert (photo.colour[0, 0] == (0, 10, 20)).all()
    assert photo.notes == (("the first of 3 frames was taken",) if count == 3 else ())


def test_a_transparent_gif_has_alpha():
    image = Image.new("P", (4, 4), 1)
    image.putpalette([0, 0, 0, 255, 0, 0])
    out = io.BytesIO()
    image.save(out, "GIF", transparency=1)
    assert not decode(out.getvalue()).alpha.any()


@pytest.mark.skipif(not features.check("avif"), reason="this Pillow has no AVIF")
@pytest.mark.parametrize("orientation", [1, 6])
def test_an_avif_is_read_upright_and_becomes_a_webp(orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = saved("AVIF", quality=100, subsampling="4:4:4", exif=exif)
    photo = decode(data)
    upright = PIXELS if orientation == 1 else np.rot90(PIXELS, -1)
    assert np.abs(photo.colour.astype(int) - upright).max() <= 6
    assert photo.format == "webp"
    assert probe(data).height == photo.size[0]


def test_a_heic_is_read_and_becomes_a_jpeg(treadle_, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "IMG_1.HEIC").write_bytes(heic())
    said = treadle_("run", "thumbnail", tmp_path / "in", "-o", tmp_path / "out", "-q")
    assert said.status == 0
    (data,) = outputs(tmp_path / "out").values()
    assert list(outputs(tmp_path / "out")) == ["IMG_1.jpg"]
    assert np.abs(decode(data).colour.astype(int) - (200, 120, 40)).max() <= 8


def without_heif(monkeypatch) -> None:
    image = readers.library()
    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    monkeypatch.delitem(image.OPEN, "HEIF", raising=False)


HEIC_HEAD = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(100)


def test_without_the_extra_one_line_names_it(treadle_, photos, tmp_path, monkeypatch):
    without_heif(monkeypatch)
    for index in range(3):
        (photos / f"IMG_{index}.HEIC").write_bytes(HEIC_HEAD)
    line = "HEIC files need pillow-heif: pip install 'treadle[heif]'"
    for more in ((), ("--dry-run",)):
        said = treadle_("run", "thumbnail", photos, "-o", tmp_path / "out", "-q", *more)
        assert said.status == 0
        assert said.text.count("pillow-heif") == 1
        assert f"3 files passed over ({line}): " in said.text
        assert "IMG_2.HEIC" in said.text
    # Named by itself it was asked for, and fails.
    said = treadle_("run", "thumbnail", photos / "IMG_0.HEIC", "-o", tmp_path / "o", "-q")
    assert (said.status, line in said.err) == (1, True)


def test_a_pillow_without_a_format_says_so(monkeypatch):
    real = features.check
    monkeypatch.setattr(features, "check", lambda name: name != "avif" and real(name))
    assert "does not read avif" in missing(".avif")
    assert not missing(".bmp")
    with pytest.raises(PhotoError, match="not an image in a known format"):
        decode(b"\0\0\0\x18ftypavif\0\0\0\0mif1avif" + bytes(100))


def test_what_is_passed_over_is_counted_and_named(treadle_, photos, tmp_path):
    for name in ("notes.txt", "photo-1.xmp", "raw.CR2", "sub/Thumbs.db", ".secret.jpg"):
        path = photos / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x")
    said = treadle_("run", "thumbnail", photos, "-o", tmp_path / "out", "-q")
    assert said.status == 0
    assert "6 done, 5 passed over" in said.text
    assert "4 files passed over (no image that Treadle reads): " in said.text
    assert "1 file passed over (hidden): " in said.text
    for name in ("notes.txt", "photo-1.xmp", "raw.CR2", "Thumbs.db", ".secret.jpg"):
        assert name in said.text
    dry = treadle_("run", "thumbnail", photos, "-o", tmp_path / "two", "--dry-run")
    assert "6 to do, 0 that cannot be, 5 passed over; nothing was written" in dry.text
    assert "Thumbs.db" in dry.text
    for more in ((), ("--dry-run",)):
        said = treadle_("run", "thumbnail", photos, "-o", tmp_path / "three", "--json", *more)
        lines = [json.loads(line) for line in said.out.splitlines()]
        over = [line["input"] for line in lines if line.get("status") == "passed over"]
        assert len(over) == lines[-1]["passed_over"] == 5
        assert str(photos / "sub" / "Thumbs.db") in over


def test_a_pattern_passes_over_too(treadle_, photos, tmp_path):
    (photos / "notes.txt").write_text("x")
    said = treadle_("run", "thumbnail", f"{photos}/*", "-o", tmp_path / "out", "-q")
    assert (said.status, "6 done, 1 passed over" in said.text) == (0, True)


def test_the_journal_of_an_output_folder_is_no_news(treadle_, photos, tmp_path):
    assert treadle_("run", "thumbnail", photos, "-o", tmp_path / "a", "-q").status == 0
    said = treadle_("run", "thumbnail", tmp_path / "a", "-o", tmp_path / "b", "-q")
    assert (said.status, "passed over" in said.text) == (0, False)


def test_who_keeps_its_name_has_it(treadle_, tmp_path):
    """A camera that writes both: the JPEG is the JPEG's."""
    make_photo(tmp_path / "in" / "a.bmp", seed=1)
    make_photo(tmp_path / "in" / "a.png", seed=2)
    said = treadle_("run", "--stage", "flip", tmp_path / "in", "-o", tmp_path / "out", "-q")
    assert said.status == 1
    assert "a.bmp: its output a.png is already that of" in said.text
    with Image.open(tmp_path / "in" / "a.png") as image, Image.open(tmp_path / "out/a.png") as made:
        np.testing.assert_array_equal(np.asarray(made), np.asarray(image)[:, ::-1])


def test_a_name_and_its_contents_agree(treadle_, tmp_path):
    """A PNG that is called .jpg comes out as what its name says."""
    (tmp_path / "a.jpg").write_bytes(saved("PNG"))
    assert treadle_("run", "thumbnail", tmp_path / "a.jpg", "-o", tmp_path / "o", "-q").status == 0
    with Image.open(tmp_path / "o" / "a.jpg") as image:
        assert image.format == "JPEG"


@pytest.mark.parametrize("where", ["early", "late", "tiff", "jpeg", "webp", "upright"])
def test_a_dry_run_knows_how_a_photo_stands(treadle_, tmp_path, where):
    exif = Image.Exif()
    exif[0x0112] = 1 if where == "upright" else 8
    name = {"tiff": "a.tif", "jpeg": "a.jpg", "webp": "a.webp"}.get(where, "a.png")
    path = make_photo(tmp_path / name, size=(60, 40), exif=exif)
    if where == "late":  # as some editors write it, behind the pixels
        data = path.read_bytes()
        at = data.index(b"eXIf") - 4
        size = 12 + int.from_bytes(data[at : at + 4], "big")
        chunk, end = data[at : at + size], data[-12:]
        path.write_bytes(data[:at] + data[at + size : -12] + chunk + end)
    said = treadle_("run", "thumbnail", path, "-o", tmp_path / "o", "--dry-run")
    assert ("60x40 -> 60x40" if where == "upright" else "40x60 -> 40x60") in said.text
    assert treadle_("run", "thumbnail", path, "-o", tmp_path / "o", "-q").status == 0
    with Image.open(tmp_path / "o" / name) as image:
        assert f"{image.width}x{image.height} ->" in said.text


def test_a_dry_run_has_the_limits_of_a_run(treadle_, photos, tmp_path):
    words = ("run", "thumbnail", photos, "-o", tmp_path / "o", "--dry-run")
    said = treadle_(*words, "--max-pixels", 0.0065)
    assert "5 to do, 1 that cannot be" in said.text
    said = treadle_(*words, "--max-bytes", 0.0001)
    assert "0 to do, 6 that cannot be" in said.text
