"""A recipe in a real browser: sliders move, and the picture follows."""

from __future__ import annotations

import base64
import io
import json

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


def test_numbers_are_shown_as_they_are(chromium, tmp_path):
    make_photo(tmp_path / "a.png", size=(1500, 30))
    text = 'name = "cut"\n[[stage]]\nkernel = "crop"\nx = 0\ny = 0\nwidth = 1500\nheight = 20\n'
    viewer = Viewer(parse(text), inputs_of([str(tmp_path)]), CPU)
    with WebView(viewer, tmp_path) as view:
        page = chromium.open(view.page.address)
        page.wait("document.body.dataset.shown >= 1")
        said = page.evaluate(
            "[...document.querySelectorAll('#controls label')].map((each) => each.dataset.name + "
            "' ' + each.querySelector('output').textContent)"
        )
        assert "crop.width 1500" in [each.partition(" (")[0] for each in said]
        assert "crop.height 20" in [each.partition(" (")[0] for each in said]
        assert page.evaluate("document.getElementById('next').disabled")  # there is no other photo
        page.close()


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


class Page:
    """A page's end that says something and keeps what it is told."""

    def __init__(self, *texts):
        self.texts, self.told = list(texts), []

    def receive(self):
        return self.texts.pop(0) if self.texts else None

    def send(self, message):
        if isinstance(message, str):
            self.told.append(json.loads(message)["said"])
        return True


def test_messages_that_make_no_sense_are_answered_and_end_nothing(tmp_path):
    """JSON as Python reads it has more numbers than a page sends."""
    texts = ["[" * 5000, "{}", '{"set": [0]}', '{"set": [Infinity, 1]}', '{"set": [0, NaN]}']
    texts += ['{"set": [9, 1]}', '{"set": "no"}', '{"set": {"a": 1}}', '{"step": null}', "[1]", "x"]
    page = Page(*texts)
    with WebView(Viewer(parse(RECIPE), ["test-card"], CPU), tmp_path) as view:
        assert view.page.talk is not None
        view.page.talk(page)
    assert not page.texts
    assert len(page.told) == len(texts) + 1


def test_an_input_that_is_no_photo_ends_nothing(tmp_path):
    make_photo(tmp_path / "a.png", size=(48, 32))
    (tmp_path / "b.jpg").write_bytes(b"no photo")
    make_photo(tmp_path / "c.png", size=(48, 32))
    viewer = Viewer(parse(RECIPE), inputs_of([str(tmp_path)]), CPU)
    page = Messages({"step": 1}, {"save": "picture"}, {"step": 1})
    with WebView(viewer, tmp_path) as shown:
        shown._talk(page)
    states = [json.loads(each) for each in page.sent if isinstance(each, str)]
    assert [state["input"] for state in states] == ["a.png", "b.jpg", "b.jpg", "c.png"]
    assert "b.jpg: not an image" in states[1]["said"]
    assert states[3]["said"] == ""


class Messages:
    """A page that says some things and goes."""

    def __init__(self, *said):
        self.said, self.sent = [json.dumps(each) for each in said], []

    def send(self, message):
        self.sent.append(message)
        return True

    def receive(self):
        return self.said.pop(0) if self.said else None
