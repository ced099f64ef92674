"""The demonstration from its command line to its files, with small pictures."""

from __future__ import annotations

import pytest
from PIL import Image

from treadle import demo

SMALL = ["--photos", "4", "--size", "48x32", "--quiet"]


def test_it_paints_photos_and_runs_a_recipe(tmp_path, capfd):
    assert demo.main([*SMALL, "--out", str(tmp_path)]) == 0
    names = [f"photo-{index:03d}-48x32.jpg" for index in range(4)]
    for folder in ("photos", "enhance"):
        found = sorted(path.name for path in (tmp_path / folder).glob("*.jpg"))
        assert found == names
    with Image.open(tmp_path / "enhance" / names[0]) as image:
        assert image.size == (48, 32)
    said = capfd.readouterr().out
    for words in ("painting 4 photos of 48x32", "treadle run enhance", "4 done", "timeline.svg"):
        assert words in said
    assert (tmp_path / "timeline.svg").read_text(encoding="utf-8").lstrip().startswith("<")


def test_a_second_time_keeps_the_photos_and_makes_the_rest_again(tmp_path, capfd):
    arguments = [*SMALL, "--out", str(tmp_path), "--recipe", "monochrome"]
    assert demo.main(arguments) == 0
    (tmp_path / "photos" / "photo-000-48x32.jpg").unlink()
    assert demo.main(arguments) == 0
    assert "4 done" in capfd.readouterr().out.rpartition("painting")[2]


def test_the_device_and_the_recipe_can_be_chosen(tmp_path, capfd):
    out = ["--out", str(tmp_path)]
    assert demo.main([*SMALL, *out, "--device", "reference"]) == 0
    assert "reference" in capfd.readouterr().out
    assert demo.main([*SMALL, *out, "--device", "abacus"]) == 2
    assert "abacus" in capfd.readouterr().err
    assert demo.main([*SMALL, *out, "--recipe", "soup"]) == 2
    assert "there are enhance" in capfd.readouterr().err


def test_an_unusable_folder_is_a_sentence(tmp_path, capfd):
    (tmp_path / "taken").write_text("a file")
    assert demo.main([*SMALL, "--out", str(tmp_path / "taken")]) == 1
    assert "taken" in capfd.readouterr().err


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--photos", "0"], "from 1 to"),
        (["--photos", "two"], "'two'"),
        (["--size", "640"], "WIDTHxHEIGHT"),
        (["--size", "0x480"], "from 1 to 16384"),
    ],
)
def test_wrong_options(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        demo.main(arguments)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_an_interrupt_is_130(tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "paint", interrupted)
    assert demo.main([*SMALL, "--out", str(tmp_path)]) == 130
