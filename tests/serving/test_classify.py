"""What is in a photo, over HTTP: a network that answers in batches, whatever sizes photos have."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from PIL import Image

import browser
import treadle
from photo_files import make_photo
from served import Served, decoded, encoded, photo
from treadle import cli
from treadle.recipes import parse
from treadle.serving import Service

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from networks import network  # noqa: E402  # needs onnx

# The mean of each channel of the normalised picture: what is most red, green or blue.
MEANS = """(float[{0}, 3, 8, 8] x) => (float[{0}, 3] y)
    {{ y = ReduceMean<axes = [2, 3], keepdims = 0>(x) }}"""
SHARES = """(float[N, 3, H, W] x) => (float[N, 3] y)
    { m = ReduceMean<axes = [2, 3], keepdims = 0>(x) y = Softmax(m) }"""
LABELS = ["red", "green", "blue"]


def colour(place: int, size: tuple[int, int] = (20, 30)) -> bytes:
    pixels = np.zeros((*size, 3), np.uint8)
    pixels[..., place] = 255
    return encoded(pixels)


@pytest.fixture(scope="module", params=["N", 1])
def model(request):
    text = MEANS.format(request.param)
    with treadle.model(network(text, opset=13), device="cpu") as loaded:
        yield loaded


@pytest.fixture
def served(model):
    with Served(Service(model=model, labels=LABELS, device="cpu")) as running:
        yield running


def test_classes_come_best_first_for_photos_of_any_size(served):
    wanted = [(n % 3, (20 + n, 40 - n)) for n in range(18)]
    with ThreadPoolExecutor(18) as pool:
        found = list(
            pool.map(lambda each: served.ask("POST", "/classify", colour(*each)).json, wanted)
        )
    for (place, _), said in zip(wanted, found, strict=True):
        assert said["classes"][0]["label"] == LABELS[place]
        assert said["classes"][0]["index"] == place
        assert sum(each["score"] for each in said["classes"]) == pytest.approx(1, abs=1e-4)
    assert served.metric("treadle_batch_items_total", endpoint="classify") == 18 + 1  # and warm
    served.until("treadle_held_bytes", 0)


def test_scores_are_those_of_the_network(served, model):
    data = photo((50, 40))
    said = served.ask("PUT", "/classify?top=2", data).json["classes"]
    with Image.fromarray(decoded(data)) as whole:
        small = np.asarray(whole.resize((8, 8), Image.Resampling.BILINEAR, reducing_gap=2))
    given = treadle.run_kernel("preprocess", [treadle.buffer(small)])
    logits = model(given).to_numpy()[0].astype(float)
    expected = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
    assert [each["index"] for each in said] == np.argsort(-expected)[:2].tolist()
    assert [each["score"] for each in said] == pytest.approx(sorted(expected)[:0:-1], abs=1e-5)


def test_a_network_that_gives_shares_is_taken_at_its_word():
    loaded = treadle.model(network(SHARES, opset=13), device="cpu")
    with loaded, Served(Service(model=loaded, device="cpu")) as served:
        said = served.ask("POST", "/classify", colour(1)).json["classes"]
    assert said[0]["label"] == "class 1"
    assert said[0]["score"] > 0.6


@pytest.mark.parametrize("kind", ["grey", "alpha", "sixteen"])
def test_photos_of_other_kinds(served, kind):
    pixels = decoded(colour(2))
    if kind == "grey":
        data = encoded(pixels[..., 2])
    elif kind == "alpha":
        data = encoded(np.dstack([pixels, np.full(pixels.shape[:2], 7, np.uint8)]))
    else:
        data = encoded(pixels[..., 2].astype(np.uint16) * 257)
    said = served.ask("POST", "/classify", data).json["classes"]
    assert len(said) == 3
    if kind == "alpha":
        assert said[0]["label"] == "blue"


def test_what_is_refused(served):
    assert served.ask("POST", "/classify", b"no photo").status == 422
    refused = served.ask("POST", "/classify?top=0", colour(0))
    assert refused.error == "top: expected 1 to 100, got '0'"
    assert served.ask("GET", "/classify").error == "/classify takes POST, PUT, not GET"
    assert served.ask("POST", "/image", colour(0)).status == 404


@pytest.mark.parametrize(
    "text, words",
    [
        ("(float[N, 3] x) => (float[N, 3] y) { y = Relu(x) }", "expected one input f32"),
        ("(float[4, 3, 8, 8] x) => (float[4, 3, 8, 8] y) { y = Relu(x) }", "batches of 4 only"),
        ("(double[N, 3, 8, 8] x) => (double[N, 3, 8, 8] y) { y = Relu(x) }", "expected one input"),
    ],
)
def test_networks_that_take_no_photos(text, words):
    loaded = treadle.model(network(text), device="cpu")
    with loaded, pytest.raises(treadle.LaunchError, match=words):
        Service(model=loaded, device="cpu")


def test_the_command_says_what_is_wrong_with_a_network(tmp_path, capfd, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    path, labels = tmp_path / "net.onnx", tmp_path / "labels.txt"
    labels.write_text("a\nb\n")
    path.write_bytes(b"no network")
    serve = ["serve", str(path), "--port", "0", "--device", "cpu"]
    assert cli.main(serve) == 2
    assert "model 'net'" in capfd.readouterr().err
    path.write_bytes(network(MEANS.format("N"), opset=13))
    assert cli.main([*serve, "--labels", str(tmp_path / "absent")]) == 2
    assert "absent cannot be read" in capfd.readouterr().err
    assert cli.main(["serve", "thumbnail", "--labels", str(labels)]) == 2
    assert "--labels: expected a network" in capfd.readouterr().err
    assert cli.main([*serve, "--labels", str(labels)]) == 2
    assert "net: expected 2 labels, got 3 classes" in capfd.readouterr().err


def test_the_page_shows_classes(model, tmp_path):
    browser.require()
    recipe = parse('[[stage]]\nkernel = "flip"\n')
    service = Service(recipe, model=model, labels=LABELS, device="cpu")
    with Served(service) as served, browser.Browser() as chromium:
        page = chromium.open(served.address, width=400)
        page.drop("#drop", make_photo(tmp_path / "a.png"))
        page.wait("document.getElementById('state').textContent.startsWith('Done')")
        shown = page.evaluate(
            "[...document.querySelectorAll('#labels span:first-child')].map((e) => e.textContent)"
        )
    assert sorted(shown) == sorted(LABELS)
