"""A recipe in a real browser: sliders move, and the picture follows."""

from __future__ import annotations

import base64
import io

import numpy as np
import pytest

import browser
import treadle
from photo_files import make_photo
from treadle.recipes import parse
from treadle.viewing import Viewer, inputs_of
from treadle.viewing.web import WebView

CPU = treadle.device("cpu")
RECIPE = """
name = "</script><b>bright</b>"
[[stage]]
kernel = "brightness_contrast"
brightness = 0.1
"""
PIXELS = """(async () => {
    const image = document.getElementById('%s');
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


def shown(page, name):
    image = pytest.importorskip("PIL.Image")
    data = base64.b64decode(page.evaluate(PIXELS % name))
    return np.asarray(image.open(io.BytesIO(data)))[..., :3]


def test_sliders_change_the_picture_and_buttons_save(chromium, tmp_path):
    make_photo(tmp_path / "a.png", size=(48, 32))
    make_photo(tmp_path / "b.png", size=(20, 20))
    viewer = Viewer(parse(RECIPE), inputs_of([str(tmp_path)]), CPU)
    with WebView(viewer, tmp_path) as view:
        page = chromium.open(view.page.address)
        page.wait("document.body.dataset.shown >= 1")
        title = page.evaluate("document.getElementById('recipe').textContent")
        assert title == "</script><b>bright</b>"
        assert np.array_equal(shown(page, "before"), viewer.before())
        assert np.array_equal(shown(page, "after"), viewer.after())
        page.evaluate(
            "(() => { const s = document.querySelector('#controls input');"
            " s.value = 0.3; s.dispatchEvent(new Event('input')); })()"
        )
        page.wait("document.body.dataset.shown >= 2")
        assert viewer.controls[0].value == pytest.approx(0.3, abs=0.02)
        assert np.array_equal(shown(page, "after"), viewer.after())
        page.evaluate("document.getElementById('next').click()")
        page.wait("document.getElementById('input').textContent.startsWith('b.png')")
        page.wait("document.body.dataset.shown >= 3")
        assert np.array_equal(shown(page, "before"), viewer.before())
        page.evaluate("document.getElementById('recipe-save').click()")
        page.wait("document.getElementById('said').textContent.startsWith('saved')")
        assert list(tmp_path.glob("*-tuned.toml"))
        for width in (400, 1400):
            page.resize(width, 800)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.close()
    assert not view.page.sockets


def test_a_page_from_elsewhere_gets_nothing(chromium, tmp_path):
    viewer = Viewer(parse(RECIPE), ["test-card"], CPU)
    with WebView(viewer, tmp_path) as view:
        wrong = view.page.address.split("token=")[0] + "token=wrong"
        page = chromium.open(wrong)
        assert "token is missing or wrong" in page.evaluate("document.body.innerText")
        place = view.page.address.split("/")[2]
        page.go("data:text/html,<p>elsewhere")
        tried = page.evaluate(
            f"new Promise((done) => {{ const s = new WebSocket('ws://{place}/socket?token="
            f"{view.page.token}'); s.onopen = () => done('open'); s.onerror = () => done('no'); }})"
        )
        assert tried == "no"
        page.close()
