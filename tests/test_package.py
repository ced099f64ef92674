"""The package: complete metadata, a description that works elsewhere, and nothing else inside."""

from __future__ import annotations

import importlib.util
import re
import sys
import tomllib
from types import ModuleType

import pytest

from pages import ROOT, blocks

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def portable(monkeypatch):
    """The build's own function, without the builder, which tests need not have."""
    interface = ModuleType("hatchling.metadata.plugin.interface")
    interface.MetadataHookInterface = object
    monkeypatch.setitem(sys.modules, "hatchling", ModuleType("hatchling"))
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.portable


def test_the_description_works_outside_the_repository(portable, tmp_path):
    text = portable(README)
    assert not re.findall(r"\]\((?!https?:|#)", text), "a link that leads nowhere on an index"
    assert "<picture>" not in text
    assert "src=" not in text
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", README)
    assert len(links) >= 8
    for path in links:
        assert f"`{path}`" in text
        assert (ROOT / path).exists()
    page = tmp_path / "description.md"
    page.write_text(text, encoding="utf-8")
    assert [[line for _, line in block] for block in blocks(page)] == [
        [line for _, line in block] for block in blocks(ROOT / "README.md")
    ]
    assert portable("see [a b](x/y.md#z), [c.md](c.md) and [d](https://e)") == (
        "see a b (`x/y.md`), `c.md` and [d](https://e)"
    )


def test_the_metadata_is_complete_and_invents_nothing():
    project = PROJECT["project"]
    assert project["authors"] == [{"name": "The Treadle contributors"}]
    assert "urls" not in project  # there is no address to give
    assert len(project["description"]) <= 100
    assert len(project["keywords"]) >= 8
    assert project["license"] == "Apache-2.0"
    assert {"readme", "version"} == set(project["dynamic"])
    systems = [c for c in project["classifiers"] if c.startswith("Operating System")]
    assert systems == ["Operating System :: POSIX :: Linux"]
    pythons = [c.rpartition(" ")[2] for c in project["classifiers"] if ":: 3." in c]
    assert pythons == ["3.11", "3.12", "3.13"]
    assert f">={pythons[0]}" == project["requires-python"]


def test_the_source_distribution_has_what_the_readme_names():
    left_out = PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["exclude"]
    for path in re.findall(r"\]\((?!https?:|#)([^)#]+)", README):
        assert not any(f"/{path}".startswith(each) for each in left_out), path


def test_tools_for_documents_are_not_in_the_package():
    package = ROOT / "src" / "treadle"
    for tool in (ROOT / "docs" / "tools").glob("*.py"):
        assert not (package / tool.name).exists()
