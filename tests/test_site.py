"""The site: it builds without complaint, and no public name is missing from the reference."""

from __future__ import annotations

import re

import pytest

import treadle
from pages import ROOT
from photo_files import python


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    process = python("-m", "mkdocs", "build", "--site-dir", folder, cwd=ROOT)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    return folder, said


def test_it_builds_without_complaint(site):
    complaints = [line for line in site[1].splitlines() if re.match(r"(WARNING|ERROR)", line)]
    assert complaints == []


def test_every_public_name_is_in_the_reference(site):
    page = (site[0] / "reference.html").read_text(encoding="utf-8")
    names = [name for name in treadle.__all__ if callable(getattr(treadle, name))]
    assert [name for name in names if f'id="treadle.{name}"' not in page] == []


def test_every_kernel_is_in_the_reference(site):
    page = (site[0] / "reference.html").read_text(encoding="utf-8")
    shipped = [name for name in treadle.kernels() if treadle.kernel_info(name).shipped]
    assert [name for name in shipped if f'id="kernel-{name}"' not in page] == []


def test_nothing_is_fetched_from_elsewhere(site):
    for page in site[0].rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        fetched = re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=\"(https?:[^\"]+)", text)
        assert fetched == [], page
