"""The pages' command lines and recipes: each `$ treadle` line runs, each recipe is what it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from pages import ROOT
from photo_files import make_photo
from treadle import cli
from treadle.cli import bench

PAGES = [ROOT / "docs" / f"{name}.md" for name in ("tutorial", "recipes", "cli")]
BLOCK = re.compile(r"^```(console|toml)(?: title=\"(.*?)\")?\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_command_lines_of_a_page_run(page, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(bench, "measure", lambda works, seconds: dict.fromkeys(works, 1.0))
    for index in range(3):
        make_photo(Path("photos") / f"holiday {index}.jpg", seed=index)
    ran = 0
    for kind, title, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        if kind == "toml":
            Path(title).write_text(text, encoding="utf-8")
            continue
        for line in text.splitlines():
            assert line.startswith("$ treadle "), line
            command, _, note = line.removeprefix("$ treadle ").partition("  # ")
            wanted = int(note.removeprefix("exit ")) if note else 0
            words = [w for word in shlex.split(command) for w in expanded(word)]
            assert cli.main(words) == wanted, (line, capfd.readouterr())
            ran += 1
    assert ran


def expanded(word: str) -> list[str]:
    """What a shell makes of a word."""
    return sorted(map(str, Path().glob(word))) if "*" in word else [word]


def test_what_the_page_shows_for_a_wrong_recipe_is_what_is_said(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
    blocks = {title: text for _, title, text in BLOCK.findall(page)}
    Path("wrong.toml").write_text(blocks["wrong.toml"])
    assert cli.main(["recipe", "check", "wrong.toml"]) == 2
    said = [f"    {line}".rstrip() for line in capfd.readouterr().err.splitlines()]
    assert "\n".join(said) in page


def test_every_command_and_option_is_on_the_page(capfd):
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for command in ("run", "recipe list", "recipe check", "recipe show", "devices", "kernels"):
        assert f"`treadle {command}" in page
    for command in ("bench", "doctor"):
        assert f"`treadle {command}`" in page
    cli.main(["run", "--help"])
    options = set(re.findall(r"(?<!\S)(--[a-z-]+)", capfd.readouterr().out))
    assert {name for name in options - {"--help"} if name not in page} == set()


def test_every_recipe_that_ships_is_on_the_page():
    from treadle.recipes import shipped

    page = (ROOT / "docs" / "recipes.md").read_text(encoding="utf-8")
    assert [name for name in shipped() if f"| `{name}` |" not in page] == []
