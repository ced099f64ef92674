"""Recipes that end with a model: what it says of each photo, as CSV or JSON lines."""

from __future__ import annotations

import csv
import json
import os

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

import onnx

import treadle
from networks import RELU, network
from photo_files import make_photo
from treadle import recipes

# Logits of an image: its mean brightness, the same below 0, and nothing.
BRIGHTNESS = """(float[N, 3, 8, 8] image) => (float[N, 3] logits)
    <float[1, 3] weights = {1, -1, 0}, int64[1] one = {1}>
    { mean = ReduceMean <axes = [1, 2, 3], keepdims = 0> (image)
      column = Unsqueeze(mean, one) logits = Mul(column, weights) }"""
RECIPE = """name = "judged"
[[stage]]
kernel = "resize"
size = [32, 32]
[[stage]]
model = "net.onnx"
labels = "labels.txt"
top = 2
normalize = false
"""


def brightness(batch: object = "N") -> bytes:
    return network(BRIGHTNESS.replace("N, 3", f"{batch}, 3"))


@pytest.fixture
def recipe(tmp_path):
    folder = tmp_path / "recipe"
    folder.mkdir()
    (folder / "net.onnx").write_bytes(brightness())
    (folder / "labels.txt").write_text("bright\ndark\nneither\n")
    (folder / "judged.toml").write_text(RECIPE)
    return folder / "judged.toml"


def rows(out) -> list[list[str]]:
    with open(out / "results.csv", newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_each_photo_is_a_line_whatever_its_size(treadle_, photos, recipe, tmp_path):
    out = tmp_path / "out"
    said = treadle_("run", recipe, photos, "-o", out)
    assert (said.status, "6 done" in said.text) == (0, True)
    head, *lines = rows(out)
    assert head == ["image", "label", "score", "label_2", "score_2"]
    assert sorted(line[0] for line in lines) == [f"photo-{k}.jpg" for k in range(6)]
    for line in lines:
        assert (line[1], line[3]) == ("bright", "neither")
        assert 1 / 3 < float(line[2]) < 0.7
    assert [path.name for path in out.iterdir() if path.name != ".treadle"] == ["results.csv"]


def test_the_scores_are_those_of_the_same_stages_by_hand(treadle_, recipe, tmp_path):
    from PIL import Image

    photo = tmp_path / "a.png"
    pixels = np.random.default_rng(3).integers(0, 256, (40, 50, 3), np.uint8)
    Image.fromarray(pixels).save(photo)
    assert treadle_("run", recipe, photo, "-o", tmp_path / "out", "--format", "jsonl").status == 0
    (line,) = (tmp_path / "out" / "results.jsonl").read_text().splitlines()
    device = treadle.device("cpu")
    small = device.run_kernel("resize", [device.buffer(pixels[None])], size=(32, 32))
    ready = device.run_kernel("preprocess", [small], size=(8, 8), normalize=False)
    mean = float(ready.to_numpy().mean())
    scores = np.exp([mean, -mean, 0.0]) / np.exp([mean, -mean, 0.0]).sum()
    told = json.loads(line)
    assert told["image"] == "a.png"
    assert [(v["label"], v["class"]) for v in told["results"]] == [("bright", 0), ("neither", 2)]
    assert [v["score"] for v in told["results"]] == pytest.approx([scores[0], scores[2]], rel=1e-4)


def test_a_run_goes_on_where_one_was_stopped(treadle_, photos, recipe, tmp_path):
    out = tmp_path / "out"
    assert treadle_("run", recipe, photos, "-o", out).status == 0
    whole = (out / "results.csv").read_bytes()
    again = treadle_("run", recipe, photos, "-o", out)
    assert (again.status, "--resume goes on in it" in again.text) == (2, True)
    # As a kill or a power cut leaves it: lines are missing, and the last one is cut off.
    lines = whole.splitlines(keepends=True)
    (out / "results.csv").write_bytes(b"".join(lines[:4]) + lines[4][:9])
    said = treadle_("run", recipe, photos, "-o", out, "--resume")
    assert (said.status, "3 done, 3 made before" in said.text) == (0, True)
    assert sorted((out / "results.csv").read_bytes().splitlines()) == sorted(whole.splitlines())


def test_what_changed_takes_the_place_of_its_line(treadle_, photos, recipe, tmp_path):
    out = tmp_path / "out"
    assert treadle_("run", recipe, photos, "-o", out).status == 0
    before = rows(out)
    make_photo(photos / "photo-1.jpg", seed=77, size=(96, 64))
    said = treadle_("run", recipe, photos, "-o", out, "--resume")
    assert "1 done, 5 made before" in said.text
    after = rows(out)
    assert len(after) == len(before)
    assert [line[0] for line in before if line not in after] == ["photo-1.jpg"]
    (recipe.parent / "labels.txt").write_text("light\ndark\nneither\n")
    assert "6 done" in treadle_("run", recipe, photos, "-o", out, "--resume").text
    assert {line[1] for line in rows(out)[1:]} == {"light"}
    assert treadle_("run", recipe, photos, "-o", out, "--overwrite").status == 0
    assert len(rows(out)) == 7


def test_one_photo_to_standard_output(treadle_, photos, recipe):
    said = treadle_("run", recipe, photos / "photo-0.jpg", "-o", "-", "--quiet")
    assert said.status == 0
    assert said.out.splitlines()[0].startswith("image,label,score")
    assert len(said.out.splitlines()) == 2


def test_grey_alpha_and_sixteen_bits(treadle_, recipe, tmp_path):
    from PIL import Image

    folder = tmp_path / "odd"
    folder.mkdir()
    random = np.random.default_rng(1)
    Image.fromarray(random.integers(0, 256, (20, 30), np.uint8)).save(folder / "grey.png")
    Image.fromarray(random.integers(0, 256, (20, 30, 4), np.uint8)).save(folder / "alpha.png")
    deep = random.integers(0, 65536, (20, 30)).astype(np.uint16)
    Image.fromarray(deep).save(folder / "deep.png")
    (folder / "broken.png").write_bytes(b"no image")
    said = treadle_("run", recipe, folder, "-o", tmp_path / "out")
    assert (said.status, "3 done, 1 failed" in said.text) == (1, True)
    assert len(rows(tmp_path / "out")) == 4


def test_a_network_for_one_image_at_a_time(treadle_, photos, recipe, tmp_path):
    (recipe.parent / "net.onnx").write_bytes(brightness(1))
    assert treadle_("run", recipe, photos, "-o", tmp_path / "out").status == 0
    (recipe.parent / "net.onnx").write_bytes(brightness(4))
    said = treadle_("run", recipe, photos, "-o", tmp_path / "more")
    assert (said.status, "exported for batches of 4" in said.text) == (2, True)


@pytest.mark.parametrize(
    "change, said",
    [
        (("net.onnx", "nte.onnx"), "model: no such file"),
        (('"net.onnx"', "3"), "model: expected a file, got int 3"),
        (('"labels.txt"', '"../labels.txt"'), "leads out of the recipe's folder"),
        (("top = 2", "top = 0"), "top: expected a whole number from 1 to 100"),
        (("top = 2", 'scores = "best"'), "scores: expected one of softmax, sigmoid, none"),
        (("top = 2", "tpo = 2"), "preprocess has no parameter 'tpo'"),
        (("top = 2", 'layout = "nchw"'), "layout: a model has its own"),
        (("[[stage]]", '[output]\nformat = "png"\n[[stage]]'), "writes csv or jsonl, got 'png'"),
        (("normalize = false", '[[stage]]\nkernel = "invert"'), "a model is the last stage"),
    ],
)
def test_what_is_wrong_with_the_stage(treadle_, recipe, change, said):
    recipe.write_text(RECIPE.replace(*change, 1))
    told = treadle_("recipe", "check", recipe)
    assert (told.status, said in told.text) == (2, True), told.text


@pytest.mark.parametrize(
    "data, said",
    [
        (b"no network", "it is no ONNX file"),
        (network(RELU), "expected one input [N, 3, height, width]"),
        (
            network("(float[N, 3, 8, 8] x) => (float[N, 3, 8, 8] y) { y = Relu(x) }"),
            "expected an output [N, classes]",
        ),
        (
            network("(uint8[N, 3, 8, 8] x) => (uint8[N, 3] y) <int64[2] s = {0, 3}> "
                    "{ y = Reshape(x, s) }"),
            "expected f32",
        ),
    ],
)  # fmt: skip
def test_networks_that_say_nothing_of_images(treadle_, photos, recipe, tmp_path, data, said):
    (recipe.parent / "net.onnx").write_bytes(data)
    told = treadle_("run", recipe, photos, "-o", tmp_path / "out")
    assert (told.status, said in told.text) == (2, True), told.text
    assert not (tmp_path / "out").exists()


def test_labels_that_do_not_fit(treadle_, photos, recipe, tmp_path):
    (recipe.parent / "labels.txt").write_text("one\n")
    told = treadle_("run", recipe, photos, "-o", tmp_path / "out")
    assert (told.status, "3 classes" in told.text) == (2, True)


def test_files_beside_the_network_are_for_trusted_recipes(
    treadle_, photos, recipe, tmp_path, monkeypatch
):
    monkeypatch.chdir(recipe.parent)
    made = onnx.load_from_string(brightness())
    for each in made.graph.initializer[:1]:  # as bytes, which can lie elsewhere
        each.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(each), each.name))
    path = recipe.parent / "net.onnx"
    onnx.save(made, path, save_as_external_data=True, location="w.bin", size_threshold=0)
    told = treadle_("run", recipe, photos, "-o", tmp_path / "out")
    assert (told.status, "weights lie in other files" in told.text) == (2, True)
    assert treadle_("run", recipe, photos, "-o", tmp_path / "out", "--trust").status == 0


@pytest.mark.skipif(os.name != "posix", reason="links are POSIX")
def test_a_link_to_a_network_elsewhere_is_not_followed(treadle_, recipe, tmp_path):
    elsewhere = tmp_path / "elsewhere.onnx"
    elsewhere.write_bytes(brightness())
    (recipe.parent / "net.onnx").unlink()
    (recipe.parent / "net.onnx").symlink_to(elsewhere)
    told = treadle_("recipe", "check", recipe)
    assert (told.status, "is a link out of the recipe's folder" in told.text) == (2, True)


def test_options_that_are_for_images(treadle_, photos, recipe, tmp_path):
    for options, said in (
        (["-o", tmp_path / "x.csv"], "expected a folder"),
        (["-o", tmp_path / "x.png"], "expected a folder"),
        (["-o", tmp_path / "x", "--name", "{stem}.{ext}"], "makes one file"),
        (["-o", tmp_path / "x", "--format", "png"], "expected csv or jsonl"),
    ):
        told = treadle_("run", recipe, photos, *options)
        assert (told.status, said in told.text) == (2, True), told.text


def test_it_is_shown_and_rehearsed_and_no_function_of_images(treadle_, photos, recipe, tmp_path):
    assert "model(net.onnx), to results.csv" in treadle_("recipe", "show", recipe).text
    told = treadle_("run", recipe, photos, "-o", tmp_path / "out", "--dry-run")
    assert (told.status, "results.csv" in told.text) == (0, True)
    with pytest.raises(recipes.RecipeError, match="it ends with a model"):
        treadle.recipe(recipe)
