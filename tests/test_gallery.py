"""The gallery shows every image and audio kernel, and its page shows every picture."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import gallery
import gallery_audio
import treadle
from treadle.kernels.audio import FILTERS

FAMILIES = ("image", "colour", "geometry", "resample", "yuv")
PAGE = Path(__file__).resolve().parents[1] / "docs" / "gallery" / "README.md"


def test_every_image_kernel_is_shown(tmp_path):
    shown = {exhibit.kernel for exhibit in gallery.exhibits(tmp_path)}
    members = [vars(importlib.import_module(f"treadle.kernels.{family}")) for family in FAMILIES]
    names = {getattr(value, "name", None) for module in members for value in module.values()}
    shipped = {name for name in treadle.kernels() if treadle.kernel_info(name).shipped}
    named = {name for name in names & shipped if not name.startswith(("reduce", "con"))}
    assert named <= shown


def test_every_audio_kernel_is_heard():
    heard = {exhibit.kernel for exhibit in gallery_audio.exhibits()}
    modules = [
        importlib.import_module(f"treadle.kernels.{m}") for m in ("audio", "rates", "dynamics")
    ]
    names = {getattr(value, "name", None) for module in modules for value in vars(module).values()}
    shipped = {name for name in treadle.kernels() if treadle.kernel_info(name).shipped}
    assert heard == (names & shipped) - {"matmul"}
    assert {e.params["kind"] for e in gallery_audio.exhibits() if "kind" in e.params} == set(
        FILTERS
    )


def test_the_gallery_is_written_and_its_page_lists_the_pictures(tmp_path, capsys):
    with treadle.use_device("cpu"):
        assert gallery.main([str(tmp_path)]) == 0
    assert "pictures" in capsys.readouterr().out
    listed = set(re.findall(r"\]\((.*?\.png)\)", (tmp_path / "README.md").read_text("utf-8")))
    assert listed == {path.name for path in tmp_path.glob("*.png")}
    assert (tmp_path / "README.md").read_text("utf-8") == PAGE.read_text("utf-8")
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 1_700_000
