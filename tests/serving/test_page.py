"""The page in a real browser: a person drops a photo and sees what becomes of it."""

from __future__ import annotations

import base64

import numpy as np
import pytest

import browser
from photo_files import make_photo
from served import Served, decoded
from treadle.recipes import parse
from treadle.serving import Service

RECIPE = """
name = "</script><b>mirror</b>"
description = "Left is right."
[[stage]]
kernel = "flip"
"""
DONE = "document.getElementById('state').textContent.startsWith('Done')"
SHOWN = "document.querySelector('#after figcaption').textContent !== ''"
# What the page shows as the result, as the pixels of a canvas.
PIXELS = """(async () => {
    const image = document.querySelector('#after img');
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.naturalWidth;
    canvas.height = image.naturalHeight;
    canvas.getContext('2d').drawImage(image, 0, 0);
    return canvas.toDataURL('image/png').split(',')[1];
})()"""


@pytest.fixture(scope="module")
def chromium():
    browser.require()
    with browser.Browser() as running:
        yield running


@pytest.fixture(scope="module")
def served():
    with Served(Service(parse(RECIPE), device="cpu")) as running:
        yield running


def test_a_photo_is_dropped_and_its_result_appears(chromium, served, tmp_path):
    path = make_photo(tmp_path / "my photo.png", size=(120, 80))
    page = chromium.open(served.address)
    assert page.evaluate("document.querySelector('h1').textContent") == "</script><b>mirror</b>"
    assert page.evaluate("getComputedStyle(document.getElementById('after')).display") == "none"
    page.drop("#drop", path)
    page.wait(f"{DONE} && {SHOWN}")
    expected = decoded(path.read_bytes())[:, ::-1]
    shown = decoded(base64.b64decode(page.evaluate(PIXELS)))
    assert (shown[..., :3] == expected).all()
    assert page.evaluate("document.querySelector('#after figcaption').textContent").startswith(
        "120 × 80, png"
    )
    saved = page.evaluate("document.getElementById('save').download")
    assert saved.startswith("my photo-")
    assert page.evaluate("document.getElementById('wrong').hidden")
    page.close()


def test_another_format_is_chosen_and_a_file_that_is_no_photo_is_explained(
    chromium, served, tmp_path
):
    page = chromium.open(served.address, width=400)
    page.choose("#file", make_photo(tmp_path / "a.png"))
    page.wait(f"{DONE} && {SHOWN}")
    page.evaluate(
        "(() => { const format = document.getElementById('format'); format.value = 'webp';"
        " format.dispatchEvent(new Event('change')); })()"
    )
    page.wait(f"{DONE} && document.getElementById('save').download.endsWith('.webp')")
    wrong = tmp_path / "b.jpg"
    wrong.write_bytes(b"no photo")
    page.choose("#file", wrong)
    page.wait("!document.getElementById('wrong').hidden")
    said = page.evaluate("document.getElementById('wrong').textContent")
    assert said.startswith("not an image in a known format")
    assert page.evaluate("document.getElementById('after').hidden")
    page.choose("#file", make_photo(tmp_path / "c.png"))
    page.wait(f"{DONE} && document.getElementById('wrong').hidden")
    page.close()


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [400, 1400])
def test_it_fits_narrow_and_wide_light_and_dark(chromium, served, tmp_path, width, dark):
    page = chromium.open(served.address, width=width, dark=dark)
    page.choose("#file", make_photo(tmp_path / f"{'long-name-' * 12}.png", size=(300, 200)))
    page.wait(f"{DONE} && {SHOWN}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    picture = decoded(page.screenshot(tmp_path / "page.png"))
    corner = picture[2, 2, :3].astype(int).sum()
    assert (corner < 200) == dark
    boxes = page.evaluate(
        "['before', 'after'].map((id) => document.getElementById(id).getBoundingClientRect())"
        ".map(({x, y, width}) => [x, y, width])"
    )
    (left, top, wide), (right, below, _) = np.round(boxes)
    if width == 400:  # the result first
        assert left == right
        assert below < top
        assert wide > 300
    else:
        assert below == top
        assert right > left
    page.close()


def test_it_asks_for_nothing_from_elsewhere(served):
    found = served.ask("GET", "/")
    text = found.data.decode()
    assert "http:" not in text
    assert "https:" not in text
    assert text.count("<script>") == 1  # a recipe's name is text
    policy = found.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert found.headers["x-frame-options"] == "DENY"
