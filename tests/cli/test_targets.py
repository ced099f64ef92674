"""Where results go and how a run is asked for: one file, pipes, names, stages, settings, JSON."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

import treadle
from photo_files import make_photo, outputs, surroundings
from treadle.photos import PhotoError
from treadle.recipes import RecipeError, load, run
from treadle.recipes.compose import from_stages, with_settings
from treadle.recipes.name import Naming


def pixels(source) -> np.ndarray:
    with Image.open(source) as image:
        return np.asarray(image)


def piped(*words: object, data: bytes = b"", cwd=None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "treadle", *map(str, words)],
        input=data, capture_output=True, env=surroundings(), cwd=cwd, timeout=120, check=False,
    )  # fmt: skip


# One file.


def test_a_file_is_written_and_nothing_else(treadle_, photos, tmp_path):
    out = tmp_path / "new" / "out.png"
    said = treadle_("run", "--stage", "flip", photos / "photo-0.jpg", "-o", out, "-q")
    assert said.status == 0
    np.testing.assert_array_equal(pixels(out), pixels(photos / "photo-0.jpg")[:, ::-1])
    assert [each.name for each in out.parent.iterdir()] == ["out.png"]
    again = treadle_("run", "--stage", "flip", photos / "photo-0.jpg", "-o", out, "-q")
    assert (again.status, "exists; --overwrite replaces it" in again.text) == (1, True)
    assert "--resume" not in again.text
    assert treadle_("run", "poster", photos / "photo-0.jpg", "-o", out, "--overwrite").status == 0


def test_a_folder_with_a_file_s_name_stays_a_folder(treadle_, photos, tmp_path):
    (tmp_path / "a.jpg").mkdir()
    said = treadle_("run", "thumbnail", photos / "photo-0.jpg", "-o", tmp_path / "a.jpg", "-q")
    assert said.status == 0
    assert list(outputs(tmp_path / "a.jpg")) == ["photo-0.jpg"]
    said = treadle_("run", "thumbnail", photos, "-o", f"{tmp_path}/b.jpg/", "-q")
    assert (said.status, len(outputs(tmp_path / "b.jpg"))) == (0, 6)


@pytest.mark.parametrize(
    "more, message",
    [
        (["photo-1.jpg", "-o", "x.png"], "there are 2 inputs; name a folder"),
        (["-o", "x.png", "--resume"], "--resume: expected a folder"),
        (["-o", "x.png", "--name", "{stem}.{ext}"], "--name: expected a folder"),
        (["-o", "x.png", "--format", "jpeg"], "--format: jpeg is not what -o x.png says"),
        (["-o", "x.gif"], "expected one of jpeg, png, webp, tiff, got 'x.gif'"),
        (["-o", "x.heic"], "expected one of jpeg, png, webp, tiff"),
        (["-o", "-", "--json"], "--json: standard output is the image's"),
    ],
)
def test_what_makes_no_sense_for_one_file(treadle_, photos, monkeypatch, more, message):
    monkeypatch.chdir(photos)
    said = treadle_("run", "thumbnail", "photo-0.jpg", *more)
    assert (said.status, message in said.text) == (2, True)
    assert not list(photos.glob("x.*"))


def test_an_input_is_not_replaced_by_name_either(treadle_, photos):
    before = (photos / "photo-0.jpg").read_bytes()
    path = photos / "photo-0.jpg"
    said = treadle_("run", "thumbnail", path, "-o", path, "--overwrite", "-q")
    assert (said.status, "would replace an input" in said.text) == (1, True)
    assert path.read_bytes() == before


# Pipes.


def test_a_pipe_in_and_out(photos):
    data = (photos / "photo-0.jpg").read_bytes()
    done = piped("run", "--stage", "flip", "-", "-o", "-", "--format", "png", data=data)
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(
        pixels(io.BytesIO(done.stdout)), pixels(photos / "photo-0.jpg")[:, ::-1]
    )
    assert b"1 done" in done.stderr


def test_a_pipe_alone_goes_to_a_pipe_in_its_own_format(photos, tmp_path):
    data = (photos / "photo-0.jpg").read_bytes()
    done = piped("run", "thumbnail", "-", data=data, cwd=tmp_path)
    assert (done.returncode, done.stdout[:3]) == (0, b"\xff\xd8\xff")
    done = piped("run", "thumbnail", photos / "photo-0.jpg", "-o", "-", cwd=tmp_path)
    assert (done.returncode, done.stdout[:3]) == (0, b"\xff\xd8\xff")
    assert not list(tmp_path.glob("**/.treadle"))


def test_a_pipe_into_a_folder_and_into_a_file(photos, tmp_path):
    data = (photos / "photo-0.jpg").read_bytes()
    assert piped("run", "thumbnail", "-", "-o", tmp_path / "out", data=data).returncode == 0
    assert list(outputs(tmp_path / "out")) == ["stdin.jpg"]
    assert piped("run", "thumbnail", "-", "-o", tmp_path / "x.webp", data=data).returncode == 0
    assert (tmp_path / "x.webp").read_bytes()[8:12] == b"WEBP"


@pytest.mark.parametrize("data, why", [(b"", "empty"), (b"hello", "not an image")])
def test_a_pipe_without_an_image_gives_nothing(data, why):
    done = piped("run", "thumbnail", "-", data=data)
    assert (done.returncode, done.stdout) == (1, b"")
    assert why in done.stderr.decode()


def test_a_pipe_is_bounded_too():
    done = piped("run", "thumbnail", "-", "--max-bytes", "0.001", data=bytes(5000))
    assert done.returncode == 2
    assert b"standard input is more than 1,000 bytes, the limit" in done.stderr


# Names.


def test_names_from_a_template(treadle_, photos, tmp_path):
    words = ("run", "thumbnail", photos, "-o", tmp_path / "out", "-q", "--name")
    assert treadle_(*words, "{stem}-{recipe}-{n:02}.{ext}").status == 0
    names = [f"photo-{index}-thumbnail-{index + 1:02}.jpg" for index in range(6)]
    assert list(outputs(tmp_path / "out")) == names


def test_a_template_may_fix_the_format(treadle_, photos, tmp_path):
    words = ("run", "thumbnail", photos, "-o", tmp_path / "out", "-q", "--name", "{stem}.webp")
    assert treadle_(*words).status == 0
    assert (tmp_path / "out" / "photo-0.webp").read_bytes()[8:12] == b"WEBP"


def test_a_template_keeps_folders(treadle_, tmp_path):
    make_photo(tmp_path / "in" / "sub" / "a.jpg")
    words = ("run", "thumbnail", tmp_path / "in", "-o", tmp_path / "out", "-q", "--name")
    assert treadle_(*words, "x-{stem}.{ext}").status == 0
    assert list(outputs(tmp_path / "out")) == ["sub/x-a.jpg"]


def test_names_that_clash_start_nothing(treadle_, photos, tmp_path):
    said = treadle_("run", "thumbnail", photos, "-o", tmp_path / "out", "--name", "all.{ext}")
    assert said.status == 2
    assert "two results would have one name" in said.text
    assert said.text.count("its output all.jpg is already that of") == 5
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "template, message",
    [
        ("{stam}.{ext}", "did you mean 'stem'"),
        ("{stem}", "an ending of .{ext} or .jpg"),
        ("{stem}.gif", "an ending of .{ext} or .jpg"),
        ("../{stem}.{ext}", "without folders"),
        ("a\\{stem}.{ext}", "without folders"),
        ("{stem", "--name: "),
        ("{stem.real}.{ext}", "no field is called 'stem.real'"),
        ("{0}.{ext}", "no field is called '0'"),
        ("{stem!r}.{ext}", "takes no 'r'"),
        ("{stem:>99999999}.{ext}", "takes no '>99999999'"),
    ],
)
def test_templates_that_give_no_names(template, message):
    with pytest.raises(PhotoError) as caught:
        Naming(template=template)
    assert message in str(caught.value)


def test_a_template_and_a_format_that_disagree():
    with pytest.raises(PhotoError, match="ends as png, but the format is jpeg"):
        Naming(format="jpeg", template="{stem}.png")


# Stages and settings.


def test_stages_make_a_recipe(treadle_, photos, tmp_path):
    stages = ("--stage", "blur radius=2", "--stage", "resize max_side=32 method=area")
    said = treadle_("run", *stages, photos / "photo-0.jpg", "-o", tmp_path / "x.png", "-q")
    assert said.status == 0
    image = treadle.buffer(pixels(photos / "photo-0.jpg"))
    soft = treadle.run_kernel("gaussian_blur", [image], radius=2)
    small = treadle.run_kernel("resize", [soft], size=(21, 32), method="area")
    np.testing.assert_array_equal(pixels(tmp_path / "x.png"), small.to_numpy())


def test_stages_may_have_lists_text_and_shares():
    recipe = from_stages(["crop x=1 y=2", "chroma_key color=[0.1,0.2,0.3]", 'blur radius="1%"'])
    assert [dict(stage.params) for stage in recipe.stages] == [
        {"x": 1, "y": 2}, {"color": (0.1, 0.2, 0.3)}, {"radius": "1%"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    "stage, message",
    [
        ("blurr", "did you mean 'blur'"),
        ("blur radus=2", "did you mean 'radius'"),
        ("blur radius", "expected name=value, got 'radius'"),
        ("blur 'radius=2", "no closing quotation"),
        ("", "expected a kernel's name"),
        ('blur radius=2\nkernel="sepia"', "kernel is given twice"),
        ("blur radius=[", "expected a whole number"),
    ],
)
def test_stages_that_are_wrong(stage, message):
    with pytest.raises(RecipeError, match=message):
        from_stages([stage])


def test_with_stages_every_word_is_an_input(treadle_, photos, tmp_path):
    said = treadle_("run", "--stage", "flip", "enhance", photos, "-o", tmp_path / "o")
    assert said.status == 2
    assert "enhance: no such file" in said.text
    assert "enhance is a recipe's name" in said.text
    assert not (tmp_path / "o").exists()


def test_settings_change_a_recipe():
    recipe = load("enhance")
    changed = with_settings(recipe, ["denoise.radius=3", "4.amount=0.25", "saturation.amount = 2"])
    assert [dict(s.params) for s in changed.stages] == [
        {"strength": 0.05, "radius": 3}, {"brightness": 0.02, "contrast": 1.08},
        {"amount": 2}, {"amount": 0.25},
    ]  # fmt: skip
    assert (changed.name, changed.description) == (recipe.name, recipe.description)
    assert changed.digest != recipe.digest
    assert with_settings(recipe, ["sharpen.amount=0.4"]).digest == recipe.digest


def test_settings_keep_output_and_tolerance_and_know_other_names(tmp_path):
    path = tmp_path / "r.toml"
    path.write_text(
        'tolerance = 2\n[output]\nformat = "webp"\nquality = 50\n[[stage]]\nkernel = "blur"\n'
    )
    changed = with_settings(load(str(path)), ["gaussian_blur.radius=5"])
    assert (changed.format, changed.quality, changed.tolerance) == ("webp", 50, 2.0)
    assert dict(changed.stages[0].params) == {"radius": 5}


@pytest.mark.parametrize(
    "setting, message",
    [
        ("denoise.radius=99", "radius: expected 1 to 16, got 99"),
        ("denoise.radus=2", "did you mean 'radius'"),
        ("blur.radius=2", "enhance has no stage 'blur'"),
        ("denois.radius=2", "did you mean 'denoise'"),
        ("9.amount=2", "expected a stage from 1 to 4, got 9"),
        ("denoise=2", "expected stage.parameter=value"),
        ("denoise.radius", "expected name=value"),
        (".radius=2", "expected stage.parameter=value"),
        ("denoise.kernel=flip", "expected stage.parameter=value"),
    ],
)
def test_settings_that_are_wrong(treadle_, photos, tmp_path, setting, message):
    said = treadle_("run", "enhance", photos, "-o", tmp_path / "o", "--set", setting)
    assert (said.status, message in said.text) == (2, True), said.text
    assert not (tmp_path / "o").exists()


def test_a_kernel_that_runs_twice_is_set_by_number(tmp_path):
    recipe = from_stages(["flip", "flip"])
    with pytest.raises(RecipeError, match="several stages; say which by its number, 1 or 2"):
        with_settings(recipe, ["flip.axis=vertical"])


# JSON.


def test_json_is_a_line_for_each_file_and_one_at_the_end(treadle_, photos, tmp_path):
    (photos / "zero.jpg").write_bytes(b"")
    (photos / "notes.txt").write_text("x")
    said = treadle_("run", "thumbnail", photos, "-o", tmp_path / "out", "--json")
    assert (said.status, said.err) == (1, "")
    *lines, last = [json.loads(line) for line in said.out.splitlines()]
    assert {line["kind"] for line in lines} == {"file"}
    told = {os.path.basename(line["input"]): line for line in lines}
    assert len(told) == len(lines) == 8
    assert told["photo-3.jpg"] == {
        "kind": "file", "status": "done", "input": str(photos / "photo-3.jpg"),
        "output": str(tmp_path / "out" / "photo-3.jpg"), "size": [96, 72],
    }  # fmt: skip
    assert (told["zero.jpg"]["status"], told["zero.jpg"]["reason"]) == (
        "failed", "the file is empty",
    )  # fmt: skip
    assert told["notes.txt"]["status"] == "passed over"
    assert (last["kind"], last["done"], last["failed"], last["passed_over"]) == (
        "summary", 6, 1, 1,
    )  # fmt: skip


def test_json_tells_of_files_that_end_while_a_run_stops(treadle_, photos, tmp_path, monkeypatch):
    real = run.RecipeRun.go

    def stops(self, heard):
        real(self, lambda outcome: None)  # all is done, and nothing was told of it
        raise KeyboardInterrupt

    monkeypatch.setattr(run.RecipeRun, "go", stops)
    said = treadle_("run", "thumbnail", photos, "-o", tmp_path / "out", "--json")
    *lines, last = [json.loads(line) for line in said.out.splitlines()]
    assert (said.status, last["stopped"], last["done"]) == (130, "interrupted", 6)
    assert [line["status"] for line in lines] == ["done"] * 6


def test_a_dry_run_as_json(treadle_, photos, tmp_path):
    (photos / "zero.jpg").write_bytes(b"")
    said = treadle_("run", "thumbnail", photos, "-o", tmp_path / "out", "--json", "--dry-run")
    *lines, last = [json.loads(line) for line in said.out.splitlines()]
    assert last == {
        "kind": "summary", "dry_run": True, "planned": 6, "failed": 1, "passed_over": 0,
    }  # fmt: skip
    assert {line["status"] for line in lines} == {"planned", "failed"}
    assert lines[0]["size"] == [96, 64]  # as the run itself says it
    assert not (tmp_path / "out").exists()
