"""XMP and IPTC through every format, what has no room for them, and --strip."""

from __future__ import annotations

import io
import struct
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, IptcImagePlugin

from photo_files import make_photo
from treadle.photos import FORMATS, Photo, decode, encode, left_behind
from treadle.photos.describe import _from_hex, _unresourced

RNG = np.random.default_rng(12)
XMP = (
    '<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">'
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description '
    'xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="6" rating="5">größer'
    '</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>'
).encode()
UPRIGHT = XMP.replace(b'Orientation="6"', b'Orientation="1"')
IPTC = b"\x1c\x02\x19\x00\x05loom!\x1c\x02\x50\x00\x06weaver"
WITH_IPTC = [name for name in FORMATS if name != "webp"]


def photo(dtype=np.uint8, **more) -> Photo:
    top = np.iinfo(dtype).max + 1
    return Photo(RNG.integers(0, top, (9, 13, 3), dtype), None, "png", **more)


def opened(data: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


def theirs(image: Image.Image) -> bytes:
    """XMP as Pillow finds it."""
    found = image.info.get("xmp") or image.info.get("XML:com.adobe.xmp") or b""
    return found.encode() if isinstance(found, str) else found


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("target", FORMATS)
@pytest.mark.parametrize("source", FORMATS)
def test_every_format_hands_xmp_to_every_other(source, target, dtype):
    first = decode(encode(photo(xmp=UPRIGHT), source))
    if dtype is np.uint16:
        first = replace(first, colour=first.colour.astype(dtype) * dtype(257), padded=None)
    made = encode(first, target)
    assert theirs(opened(made)) == UPRIGHT
    assert decode(made).xmp == UPRIGHT


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("target", WITH_IPTC)
@pytest.mark.parametrize("source", WITH_IPTC)
def test_formats_with_a_place_for_it_hand_iptc_on(source, target, dtype):
    first = decode(encode(photo(iptc=IPTC), source))
    if dtype is np.uint16:
        first = replace(first, colour=first.colour.astype(dtype) * dtype(257), padded=None)
    made = encode(first, target)
    assert decode(made).iptc == IPTC
    if target != "png":  # which Pillow does not look into
        found = IptcImagePlugin.getiptcinfo(opened(made))
        assert found == {(2, 25): b"loom!", (2, 80): b"weaver"}


def test_the_block_of_a_png_is_as_others_write_it():
    """As ImageMagick does: a kind, a length, and the digits of Photoshop's resources."""
    text = opened(encode(photo(iptc=IPTC), "png")).text["Raw profile type iptc"]
    assert text.split()[:2] == ["iptc", str(len(IPTC) + 12 + len(IPTC) % 2)]
    assert _unresourced(_from_hex(text)) == IPTC
    assert _unresourced(_from_hex(f"\niptc\n{len(IPTC)}\n{IPTC.hex()}\n")) == IPTC


def test_iptc_behind_other_resources_is_found():
    other = b"8BIM" + struct.pack(">H", 0x0BB7) + b"\x03abc" + struct.pack(">I", 3) + b"xyz\0"
    ours = b"8BIM" + struct.pack(">HHI", 0x0404, 0, len(IPTC)) + IPTC
    assert _unresourced(other + ours) == IPTC
    assert _unresourced(b"nonsense") == b""


def test_xmp_of_others_is_found_whatever_the_format():
    for name in ("JPEG", "WEBP", "AVIF"):
        if name == "AVIF" and not Image.registered_extensions().get(".avif"):
            continue
        out = io.BytesIO()
        Image.fromarray(photo().colour).save(out, name, xmp=XMP)
        assert decode(out.getvalue()).xmp == UPRIGHT, name


@pytest.mark.parametrize(
    "spelt", ['tiff:Orientation="6"', "<tiff:Orientation>6</tiff:Orientation>"]
)
def test_xmp_does_not_turn_the_photo_a_second_time(spelt):
    text = XMP.decode().replace('tiff:Orientation="6"', "")
    place = "größer" if spelt.startswith("<") else 'rating="5"'
    data = text.replace(place, f"{place} {spelt}").encode()
    exif = Image.Exif()
    exif[0x0112] = 6
    out = io.BytesIO()
    Image.fromarray(photo().colour).save(out, "JPEG", xmp=data, exif=exif)
    first = decode(out.getvalue())
    assert first.size == (13, 9)
    assert b"6" not in first.xmp.replace(b"6<", b"").split(b"Orientation", 1)[1][:4]
    assert decode(encode(first, "jpeg")).size == (13, 9)


def test_what_has_no_room_is_left_out_and_named(treadle_, tmp_path):
    large = photo(xmp=b"<x/>" * 20000, iptc=IPTC * 4000, exif=b"Exif\0\0" + bytes(70000))
    said = left_behind(large, "jpeg")
    assert [line.split()[3] for line in said] == ["EXIF", "XMP", "IPTC"]
    assert left_behind(large, "png") == left_behind(large, "tiff") == []
    assert decode(encode(large, "jpeg")).xmp is None
    assert left_behind(large, "webp") == ["WebP has no place for IPTC, which was left out"]
    source = tmp_path / "a.jpg"
    source.write_bytes(encode(photo(iptc=IPTC), "jpeg"))
    said = treadle_("run", "thumbnail", source, "-o", tmp_path / "o", "--format", "webp", "-q")
    assert (said.status, "WebP has no place for IPTC, which was left out: a.jpg" in said.text) == (
        0, True,
    )  # fmt: skip


def described(tmp_path, suffix: str):
    """A photo with all that describes one, turned, with a profile that is not sRGB."""
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010F] = "Treadle"
    exif.get_ifd(0x8825).update({1: "N", 2: (52.0, 31.0, 12.0)})
    plain = make_photo(tmp_path / "plain.png", size=(64, 48), exif=exif, icc_profile=b"p" * 200)
    whole = replace(decode(plain.read_bytes()), xmp=UPRIGHT, iptc=IPTC)
    path = tmp_path / f"whole{suffix}"
    path.write_bytes(encode(whole, {".jpg": "jpeg"}.get(suffix, suffix[1:])))
    return path


@pytest.mark.parametrize("suffix", [".jpg", ".png", ".webp", ".tiff"])
def test_strip_takes_out_all_but_the_colours(treadle_, tmp_path, suffix):
    source = described(tmp_path, suffix)
    for option in ((), ("--strip",)):
        out = tmp_path / f"out{len(option)}"
        assert treadle_("run", "thumbnail", source, "-o", out, "-q", *option).status == 0
        found = decode((out / source.name).read_bytes())
        assert found.size == (64, 48)  # it was turned, and stays so
        assert found.icc == b"p" * 200
        kept = not option
        assert (found.xmp is not None, found.exif is not None) == (kept, kept)
        data = (out / source.name).read_bytes()
        assert (b"Treadle" in data) == (b"Orientation" in data) == kept
        assert (found.iptc is not None) == (kept and suffix != ".webp")
    gps = opened((tmp_path / "out0" / source.name).read_bytes()).getexif().get_ifd(0x8825)
    assert gps[1] == "N"


def test_with_strip_nothing_counts_as_left_out(treadle_, tmp_path):
    source = described(tmp_path, ".jpg")
    words = ("run", "thumbnail", source, "-o", tmp_path / "o", "--format", "webp", "--strip", "-q")
    assert "left out" not in treadle_(*words).text


def test_strip_is_part_of_what_resume_compares(treadle_, tmp_path):
    source = described(tmp_path, ".jpg")
    words = ("run", "thumbnail", source, "-o", tmp_path / "o", "-q")
    assert treadle_(*words).status == 0
    assert "1 made before" in treadle_(*words, "--resume").text
    assert "1 done" in treadle_(*words, "--resume", "--strip").text
