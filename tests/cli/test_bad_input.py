"""`treadle run` over what is wrong: told at the end, status 1, the rest done, nothing half made."""

from __future__ import annotations

import errno
import io
import os
import zlib

import numpy as np
import pytest
from PIL import Image

from photo_files import make_photo, outputs
from treadle.photos import write
from treadle.recipes import journal, phases, results, run

GOOD = [f"photo-{index}.jpg" for index in range(6)]


def bomb() -> bytes:
    """A PNG of a few hundred bytes that says that it has 400 million pixels."""
    import struct

    header = struct.pack(">IIBBBBB", 20000, 20000, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(1000))), (b"IEND", b""))
    parts = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def truncated() -> bytes:
    out = io.BytesIO()
    noise = np.random.default_rng(1).integers(0, 256, (80, 80, 3), np.uint8)
    Image.fromarray(noise).save(out, "JPEG")
    return out.getvalue()[:2000]


@pytest.mark.parametrize(
    "name, data, reason",
    [
        ("cut.jpg", truncated(), "truncated"),
        ("zero.jpg", b"", "the file is empty"),
        ("text.png", b"hello, this is no image", "not an image in a known format"),
        ("bomb.png", bomb(), "megapixels are too many, as in a decompression bomb; --max-pixels"),
        ("gif in disguise.jpg", b"GIF89a" + bytes(30), "not an image in a known format"),
    ],
)
def test_damaged_and_malicious_images(treadle_, photos, tmp_path, name, data, reason):
    (photos / name).write_bytes(data)
    said = treadle_("run", "enhance", photos, "-o", tmp_path / "out")
    assert said.status == 1
    assert name in said.text
    assert reason in said.text
    assert "6 done, 1 failed" in said.text
    assert sorted(outputs(tmp_path / "out")) == GOOD


def test_a_limit_of_pixels(treadle_, photos, tmp_path):
    said = treadle_("run", "enhance", photos, "-o", tmp_path / "out", "--max-pixels", 0.0065)
    assert said.status == 1
    assert "5 done, 1 failed" in said.text
    assert "0.0065" in said.text


def test_strict_stops_at_the_first(treadle_, photos, tmp_path, monkeypatch):
    monkeypatch.setattr(run, "BATCH_IMAGES", 1)
    (photos / "a-first.jpg").write_bytes(b"")
    said = treadle_("run", "enhance", photos, "-o", tmp_path / "out", "--strict", "-j", 1)
    assert said.status == 1
    assert "Stopped (the file is empty)" in said.text
    assert len(outputs(tmp_path / "out")) < 6


def test_strict_does_not_start_with_an_input_missing(treadle_, photos, tmp_path):
    said = treadle_("run", "enhance", photos, "no.jpg", "-o", tmp_path / "out", "--strict")
    assert said.status == 2
    assert "no.jpg: no such file" in said.text
    assert not (tmp_path / "out").exists()


def test_a_full_disk_stops_the_run_and_leaves_whole_files_only(
    treadle_, photos, tmp_path, monkeypatch
):
    monkeypatch.setattr(run, "BATCH_IMAGES", 1)
    real, calls = write.write_atomically, []

    def fills_up(data, path, part, **options):
        calls.append(path)
        if len(calls) < 3:
            return real(data, path, part, **options)
        part.write_bytes(data[:100])  # what fits

        class Full(io.FileIO):
            def write(self, _):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with monkeypatch.context() as patch:
            patch.setattr(write, "open", lambda *a: Full(part, "wb"), raising=False)
            return real(data, path, part, **options)

    monkeypatch.setattr(results, "write_atomically", fills_up)
    said = treadle_("run", "enhance", photos, "-o", tmp_path / "out", "-j", 1)
    assert said.status == 1
    assert "No space left on device" in said.text
    assert "2 done" in said.text
    done = outputs(tmp_path / "out")
    assert len(done) == 2  # nothing half-written, no unfinished file either
    for data in done.values():
        Image.open(io.BytesIO(data)).load()
    monkeypatch.setattr(results, "write_atomically", real)
    said = treadle_("run", "enhance", photos, "-o", tmp_path / "out", "--resume")
    assert said.status == 0
    assert "4 done, 2 made before" in said.text


def test_a_journal_that_cannot_grow_loses_no_line(tmp_path, monkeypatch):
    entry = journal.JournalEntry("a", "r", "s", "m")
    with journal.Journal(tmp_path) as book:
        book.add(entry)
        full = book._file

        class Full:
            def __getattr__(self, name):
                return getattr(full, name)

            def write(self, line):
                full.write(line[:10])
                return 10

        book._file = Full()
        with pytest.raises(OSError, match="No space"):
            book.add(journal.JournalEntry("b", "r", "s", "m"))
        book._file = full
    with journal.Journal(tmp_path) as book:
        assert book.entries == {"a": entry}


def test_a_folder_that_cannot_be_written(treadle_, photos, tmp_path, monkeypatch):
    out = tmp_path / "out"
    out.mkdir()
    if os.name == "posix" and os.geteuid() != 0:
        out.chmod(0o555)
    else:  # nothing is read-only for root: be told so where the folder is opened

        def refused(*_, **__):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

        monkeypatch.setattr(journal.Path, "mkdir", refused)
    said = treadle_("run", "enhance", photos, "-o", out)
    assert said.status == 2
    assert "cannot write to" in said.text
    assert "Permission denied" in said.text
    assert not outputs(out)


def test_a_file_where_the_output_folder_should_be(treadle_, photos, tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("a file")
    said = treadle_("run", "enhance", photos, "-o", taken)
    assert (said.status, "expected a folder" in said.text) == (2, True)
    assert taken.read_text() == "a file"


def test_an_output_folder_inside_the_input_is_not_read(treadle_, photos):
    for _ in range(2):
        said = treadle_("run", "enhance", photos, "-o", photos / "out", "--overwrite")
        assert said.status == 0
        assert "6 done" in said.text
    assert sorted(outputs(photos / "out")) == GOOD


def test_an_input_is_never_replaced(treadle_, photos, tmp_path):
    before = outputs(photos)
    said = treadle_("run", "enhance", photos, "-o", photos, "--overwrite")
    assert said.status == 1
    assert "would replace an input" in said.text
    assert outputs(photos) == before
    # Another way to the same folder is the same folder.
    (tmp_path / "link").symlink_to(photos, target_is_directory=True)
    assert treadle_("run", "enhance", photos, "-o", tmp_path / "link", "--overwrite").status == 1
    assert outputs(photos) == before


def test_what_is_there_already_is_never_replaced_unasked(treadle_, photos, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "photo-2.jpg").write_bytes(b"precious")
    said = treadle_("run", "enhance", photos, "-o", out)
    assert said.status == 1
    assert "5 done, 1 failed" in said.text
    assert "--overwrite replaces it" in said.text
    assert (out / "photo-2.jpg").read_bytes() == b"precious"
    said = treadle_("run", "enhance", photos, "-o", out, "--resume")
    assert (said.status, "is not what an earlier run made" in said.text) == (1, True)
    assert (out / "photo-2.jpg").read_bytes() == b"precious"
    assert treadle_("run", "enhance", photos, "-o", out, "--overwrite").status == 0
    assert (out / "photo-2.jpg").read_bytes() != b"precious"


def test_what_appears_meanwhile_is_not_replaced(treadle_, photos, tmp_path, monkeypatch):
    out = tmp_path / "out"
    real = phases.encode

    def slow(photo, format, *, quality):
        (out / "photo-3.jpg").write_bytes(b"someone else's")
        return real(photo, format, quality=quality)

    monkeypatch.setattr(phases, "encode", slow)
    said = treadle_("run", "enhance", photos / "photo-3.jpg", "-o", out)
    assert (said.status, "appeared meanwhile" in said.text) == (1, True)
    assert (out / "photo-3.jpg").read_bytes() == b"someone else's"


def test_two_inputs_with_one_output(treadle_, tmp_path):
    make_photo(tmp_path / "one" / "a.jpg", seed=1)
    make_photo(tmp_path / "two" / "a.jpg", seed=2)
    make_photo(tmp_path / "two" / "b.png", seed=3)
    make_photo(tmp_path / "two" / "b.webp", seed=4)
    out = tmp_path / "out"
    said = treadle_("run", "enhance", tmp_path / "one", tmp_path / "two", "-o", out)
    assert said.status == 1
    assert "its output a.jpg is already that of" in said.text
    assert sorted(outputs(out)) == ["a.jpg", "b.png", "b.webp"]
    said = treadle_("run", "enhance", tmp_path / "two", "-o", tmp_path / "o", "--format", "png")
    assert (said.status, "its output b.png is already" in said.text) == (1, True)


@pytest.mark.skipif(os.name != "posix", reason="links to folders need a privilege on Windows")
def test_links_that_go_round_in_circles(treadle_, photos, tmp_path):
    (photos / "again").symlink_to(photos, target_is_directory=True)
    (photos / "sub").mkdir()
    (photos / "sub" / "up").symlink_to(photos, target_is_directory=True)
    (photos / "self.jpg").symlink_to("self.jpg")
    (photos / "nowhere.jpg").symlink_to("gone.jpg")
    other = make_photo(tmp_path / "other" / "x.jpg").parent
    (photos / "other").symlink_to(other, target_is_directory=True)
    (other / "back").symlink_to(photos, target_is_directory=True)
    said = treadle_("run", "enhance", photos, "-o", tmp_path / "out")
    assert said.status == 1
    for name in ("again", "up", "self.jpg", "nowhere.jpg"):
        assert name in said.text
    assert "a symbolic link to a folder that it lies in" in said.text
    assert sorted(outputs(tmp_path / "out")) == ["other/x.jpg", *GOOD]


def test_a_recipe_that_does_not_fit_an_image(treadle_, photos, tmp_path):
    grey = np.full((20, 20), 100, np.uint8)
    Image.fromarray(grey).save(photos / "grey.png")
    recipe = tmp_path / "old.toml"
    recipe.write_text('[[stage]]\nkernel = "crop"\nwidth = 30\n')
    said = treadle_("run", recipe, photos, "-o", tmp_path / "out")
    assert said.status == 1
    assert "stage 1 does not fit an image of 20x20 grey u8" in said.text
    assert sorted(outputs(tmp_path / "out")) == GOOD


def test_transparency_that_the_format_cannot_hold(treadle_, tmp_path):
    source = make_photo(tmp_path / "glass.png", alpha=True)
    said = treadle_("run", "enhance", source, "-o", tmp_path / "out", "--format", "jpeg")
    assert (said.status, "transparency, which jpeg cannot hold" in said.text) == (1, True)
    assert not outputs(tmp_path / "out")


@pytest.mark.parametrize(
    "inputs", [["missing.jpg"], ["no/*.jpg"], ["x" * 300 + ".jpg"], ["a\0b.jpg"], ["no", "no2"]]
)
def test_inputs_that_are_not_there(treadle_, tmp_path, monkeypatch, inputs):
    monkeypatch.chdir(tmp_path)
    said = treadle_("run", "enhance", *inputs, "-o", "out")
    assert said.status == 2
    assert "no such file" in said.text or "no file matches" in said.text
    assert not list(tmp_path.iterdir())


def test_a_folder_without_images(treadle_, tmp_path):
    said = treadle_("run", "enhance", tmp_path, "-o", tmp_path / "out")
    assert (said.status, "nothing to do" in said.text) == (2, True)


@pytest.mark.parametrize(
    "options, message",
    [
        (["--device", "abacus"], "abacus"),
        (["--format", "bmp"], "expected one of jpeg, png, webp, tiff"),
        (["--quality", "101"], "100"),
        (["--jobs", "0"], "--jobs"),
        (["--report", "xml"], "xml"),
    ],
)
def test_wrong_options(treadle_, photos, tmp_path, options, message):
    said = treadle_("run", "enhance", photos, "-o", tmp_path / "out", *options)
    assert (said.status, message in said.text) == (2, True)
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(os.name != "posix", reason="names are text on Windows")
def test_names_that_are_not_text(treadle_, tmp_path):
    good = make_photo(tmp_path / "photos" / "a.jpg")
    odd = os.fsdecode(b"\xff\xfe odd.jpg")
    try:
        (good.parent / odd).write_bytes(good.read_bytes())
    except OSError:
        pytest.skip("this file system takes text only")
    (good.parent / os.fsdecode(b"\xff bad.jpg")).write_bytes(b"")
    for _ in range(2):
        said = treadle_("run", "enhance", good.parent, "-o", tmp_path / "out", "--resume")
        assert said.status == 1
        assert "\\udcff bad.jpg" in said.text
    assert "2 made before" in said.text
    assert (tmp_path / "out" / odd).is_file()


def test_a_command_that_fails_costs_its_images_only(treadle_, photos, tmp_path, monkeypatch):
    """The odd size fails while it runs; the five others, another batch, come out."""
    import treadle

    real = run.RecipeEngine.start

    def start(self, chain, colour, alpha):
        running = real(self, chain, colour, alpha)
        if colour.shape[0] == 1:
            raise treadle.CommandFailed("the device fell over\nand more lines")
        return running

    def failing(self, batch, *arrays):
        given = usual(self, batch, *arrays)
        if len(batch.works) == 1:
            raise treadle.DeviceLost("the device fell over")
        return given

    usual = phases.Phases.compute
    for name, change in (("start", start), ("compute", failing)):
        with monkeypatch.context() as patch:
            if name == "start":
                patch.setattr(phases.RecipeEngine, "start", change)
            else:
                patch.setattr(phases.Phases, "compute", change)
            said = treadle_("run", "enhance", photos, "-o", tmp_path / name)
        assert said.status == 1
        assert "5 done, 1 failed" in said.text
        assert "the device fell over" in said.text
        assert sorted(outputs(tmp_path / name)) == [n for n in GOOD if n != "photo-3.jpg"]


def test_what_is_not_foreseen_is_one_sentence_too(treadle_, photos, tmp_path, monkeypatch):
    def broken(photo, format, *, quality):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(phases, "encode", broken)
    said = treadle_("run", "enhance", photos, "-o", tmp_path / "out")
    assert said.status == 1
    assert "a bug" in said.text
    assert not outputs(tmp_path / "out")


def test_a_failing_device_is_told_for_its_images(treadle_, photos, tmp_path, monkeypatch):
    import treadle

    def out_of_memory(self, chain, colour, alpha):
        raise treadle.OutOfMemory("the device is full")

    monkeypatch.setattr(phases.RecipeEngine, "start", out_of_memory)
    said = treadle_("run", "enhance", photos, "-o", tmp_path / "out")
    assert (said.status, "the device is full" in said.text) == (1, True)
    assert not outputs(tmp_path / "out")
