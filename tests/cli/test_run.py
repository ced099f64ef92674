"""`treadle run` over good images: what comes out, where, and what is said about it."""

from __future__ import annotations

import io
import json
import re
import threading
from pathlib import Path
from time import perf_counter_ns
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

import treadle
from photo_files import make_photo, outputs
from treadle import photos as files
from treadle.cli.progress import Progress
from treadle.recipes import run
from treadle.recipes.execute import RecipeEngine
from treadle.recipes.report import make_report, spent
from treadle.recipes.report import shares as of_wall
from treadle.recipes.run import Outcome
from treadle.recipes.spans import Spans


def pixels(path: Path) -> np.ndarray:
    with Image.open(path) as image:
        return np.asarray(image)


def test_every_photo_comes_out_as_the_kernels_make_it(treadle_, photos, tmp_path):
    out = tmp_path / "out"
    said = treadle_("run", "monochrome", photos, "-o", out, "--format", "png")
    assert said.status == 0
    assert sorted(outputs(out)) == [f"photo-{index}.png" for index in range(6)]
    for index in range(6):
        image = treadle.buffer(pixels(photos / f"photo-{index}.jpg"))
        for kernel, params in (
            ("grayscale", {}), ("brightness_contrast", {"contrast": 1.25}),
            ("sharpen", {"amount": 0.5}), ("vignette", {"amount": 0.35}),
        ):  # fmt: skip
            image = treadle.run_kernel(kernel, [image], params=params)
        np.testing.assert_array_equal(pixels(out / f"photo-{index}.png"), image.to_numpy())
    assert "6 done" in said.out
    assert "of the bound" in said.out
    assert "6/6 images" in said.err


def test_batches_change_nothing(treadle_, photos, tmp_path, monkeypatch):
    assert treadle_("run", "enhance", photos, "-o", tmp_path / "together", "-q").status == 0
    monkeypatch.setattr(run, "BATCH_IMAGES", 1)
    assert treadle_("run", "enhance", photos, "-o", tmp_path / "alone", "-j", 1, "-q").status == 0
    assert outputs(tmp_path / "together") == outputs(tmp_path / "alone")


def test_batches_hold_one_size_and_respect_their_bounds(photos, tmp_path, monkeypatch):
    from treadle.recipes import load

    def sizes() -> list[int]:
        job = run.RecipeRun(run.Options(load("enhance"), (str(photos),), tmp_path / "out"))
        return [len(batch.works) for batch in job._batches()]

    assert sizes() == [5, 1]
    monkeypatch.setattr(run, "BATCH_IMAGES", 2)
    assert sizes() == [2, 2, 1, 1]
    monkeypatch.setattr(run, "BATCH_BYTES", 1)
    assert sizes() == [1] * 6
    monkeypatch.setattr(run, "BATCH_BYTES", 1 << 20)
    monkeypatch.setattr(run, "BATCH_IMAGES", 99)
    monkeypatch.setattr(run, "WINDOW", 2)
    assert sum(sizes()) == 6


def test_folders_keep_their_shape_and_names_theirs(treadle_, tmp_path):
    source = tmp_path / "my photos"
    make_photo(source / "a b.jpg", seed=1)
    make_photo(source / "Größe" / "日本 ☃.png", seed=2)
    make_photo(source / "deep" / "er" / "c.webp", seed=3)
    (source / "notes.txt").write_text("no image")
    make_photo(source / ".hidden" / "d.png")
    out = tmp_path / "out é"
    assert treadle_("run", "thumbnail", source, "-o", out, "-q").status == 0
    assert sorted(outputs(out)) == ["Größe/日本 ☃.png", "a b.jpg", "deep/er/c.webp"]


def test_patterns_and_files(treadle_, photos, tmp_path):
    out = tmp_path / "out"
    pattern = photos / "photo-[0-2].jpg"
    said = treadle_("run", "enhance", pattern, photos / "photo-5.jpg", "-o", out, "-q")
    assert said.status == 0
    assert sorted(outputs(out)) == [f"photo-{index}.jpg" for index in (0, 1, 2, 5)]


def test_the_same_file_twice_is_done_once(treadle_, photos, tmp_path):
    said = treadle_("run", "enhance", photos, photos / "photo-1.jpg", "-o", tmp_path / "out", "-q")
    assert said.status == 0
    assert "6 done" in said.out


def test_alpha_is_kept_by_every_recipe(treadle_, tmp_path):
    source = make_photo(tmp_path / "glass.png", alpha=True)
    for recipe in ("enhance", "monochrome", "soften"):
        out = tmp_path / recipe
        assert treadle_("run", recipe, source, "-o", out, "-q").status == 0
        result = pixels(out / "glass.png")
        assert result.shape[2] == (2 if recipe == "monochrome" else 4)
        np.testing.assert_array_equal(result[..., -1], pixels(source)[..., 3])


def test_alpha_follows_what_moves_pixels(treadle_, tmp_path):
    source = make_photo(tmp_path / "glass.png", alpha=True)
    recipe = tmp_path / "turn.toml"
    recipe.write_text('[[stage]]\nkernel = "rotate90"\n[[stage]]\nkernel = "flip"\n')
    assert treadle_("run", recipe, source, "-o", tmp_path / "out", "-q").status == 0
    expected = np.rot90(pixels(source))[:, ::-1]
    np.testing.assert_array_equal(pixels(tmp_path / "out" / "glass.png"), expected)


def test_alpha_that_a_stage_makes_joins_the_image_s_own(treadle_, tmp_path):
    source = make_photo(tmp_path / "glass.png", alpha=True)
    recipe = tmp_path / "key.toml"
    recipe.write_text('[[stage]]\nkernel = "chroma_key"\ncolor = [0.2, 0.4, 0.8]\n')
    assert treadle_("run", recipe, source, "-o", tmp_path / "out", "-q").status == 0
    picture = pixels(source)
    opaque = np.ascontiguousarray(picture[..., :3])
    key = {"color": (0.2, 0.4, 0.8)}
    keyed = treadle.run_kernel("chroma_key", [treadle.buffer(opaque)], params=key).to_numpy()[
        ..., 3
    ]
    product = np.round(keyed.astype(float) * picture[..., 3] / 255)
    result = pixels(tmp_path / "out" / "glass.png")
    np.testing.assert_array_equal(result[..., 3], product)


def test_sixteen_bits_stay_sixteen(treadle_, tmp_path):
    rng = np.random.default_rng(4)
    deep = rng.integers(0, 65536, (20, 30, 3), np.uint16)
    source = tmp_path / "deep.tif"
    source.write_bytes(files.encode(files.Photo(deep, None, "tiff"), "tiff"))
    recipe = tmp_path / "flip.toml"
    recipe.write_text('[[stage]]\nkernel = "flip"\n')
    assert treadle_("run", recipe, source, "-o", tmp_path / "out", "-q").status == 0
    result = files.decode((tmp_path / "out" / "deep.tif").read_bytes()).colour
    np.testing.assert_array_equal(result, deep[:, ::-1])


def test_upright_with_profile(treadle_, tmp_path):
    from PIL import ImageCms

    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    exif = Image.Exif()
    exif[0x0112] = 6
    source = make_photo(tmp_path / "a.jpg", size=(64, 48), icc_profile=profile, exif=exif)
    assert treadle_("run", "enhance", source, "-o", tmp_path / "out", "-q").status == 0
    with Image.open(tmp_path / "out" / "a.jpg") as image:
        assert image.size == (48, 64)
        assert image.info["icc_profile"] == profile
        assert image.getexif().get(0x0112, 1) == 1
    # A profile of RGB would be wrong for grey.
    assert treadle_("run", "monochrome", source, "-o", tmp_path / "grey", "-q").status == 0
    with Image.open(tmp_path / "grey" / "a.jpg") as image:
        assert (image.mode, image.info.get("icc_profile")) == ("L", None)


def test_quality_counts(treadle_, photos, tmp_path):
    for quality in (10, 95):
        out = tmp_path / str(quality)
        assert treadle_("run", "enhance", photos, "-o", out, "--quality", quality, "-q").status == 0
    small, large = outputs(tmp_path / "10"), outputs(tmp_path / "95")
    assert all(len(small[name]) < len(large[name]) for name in large)


@pytest.mark.parametrize("name", ["cpu", "reference"])
def test_a_device_can_be_chosen(treadle_, tmp_path, name):
    source = make_photo(tmp_path / "a.png", size=(8, 8))
    said = treadle_("run", "thumbnail", source, "-o", tmp_path / "o", "--device", name, "-q")
    assert said.status == 0
    assert f"({name})" in said.out


def test_a_dry_run_writes_nothing(treadle_, photos, tmp_path):
    (photos / "zero.jpg").write_bytes(b"")
    said = treadle_("run", "thumbnail", photos, "-o", tmp_path / "out", "--dry-run")
    assert said.status == 1
    assert "6 to do, 1 that cannot be; nothing was written" in said.text
    assert not (tmp_path / "out").exists()
    planned = json.loads(
        treadle_(
            "run", "thumbnail", photos, "-o", tmp_path / "out", "--dry-run", "--report", "json"
        ).out
    )
    assert planned["planned"][0]["size"] == [96, 64]
    assert planned["failures"][0]["input"].endswith("zero.jpg")


def test_the_report_as_json(treadle_, photos, tmp_path):
    (photos / "zero.jpg").write_bytes(b"")
    said = treadle_("run", "enhance", photos, "-o", tmp_path / "out", "--report", "json")
    assert said.status == 1
    report = json.loads(said.out)
    assert (report["done"], report["failed"], report["left"]) == (6, 1, 0)
    assert set(report["phases"]) == {"decode", "compiling", "compute", "encode"}
    assert 0 < report["efficiency"] <= 1
    assert report["failures"] == [
        {"input": str(photos / "zero.jpg"), "reason": "the file is empty"}
    ]


def test_a_trace_opens(treadle_, photos, tmp_path):
    trace = tmp_path / "run.json"
    assert treadle_("run", "enhance", photos, "-o", tmp_path / "o", "--trace", trace).status == 0
    events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    assert any(event.get("ph") == "X" for event in events)
    picture = tmp_path / "run.svg"
    assert treadle_("run", "enhance", photos, "-o", tmp_path / "q", "--trace", picture).status == 0
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")


def test_a_trace_that_cannot_be_written(treadle_, photos, tmp_path):
    for wrong, reason in ((tmp_path / "no" / "run.json", "no folder"), (photos, "the folder")):
        said = treadle_("run", "enhance", photos, "-o", tmp_path / "p", "--trace", wrong)
        assert (said.status, "--trace: " in said.err, reason in said.err) == (2, True, True)
        assert not (tmp_path / "p").exists()
    made = tmp_path / "p" / "run.svg"  # in the folder that the run makes
    assert treadle_("run", "thumbnail", photos, "-o", made.parent, "--trace", made).status == 0
    assert made.exists()
    long = made.with_name("n" * 300)
    again = ("run", "thumbnail", photos, "-o", made.parent, "--resume", "--trace", long)
    said = treadle_(*again)
    assert (said.status, "--trace: cannot write" in said.err) == (1, True)


def test_progress_on_a_terminal(photos):
    from rich.console import Console

    from treadle.cli.progress import Progress

    progress = Progress(4, lambda: "decode", quiet=False)
    screen = io.StringIO()
    progress._out = Console(file=screen, force_terminal=True, width=100)
    progress._live = True
    with progress:
        for status in ("done", "failed", "done", "skipped"):
            progress.heard(run.Outcome(Path("a"), None, status))
    assert "4/4" in screen.getvalue()
    assert "1 failed" in screen.getvalue()
    assert "bound by decode" in screen.getvalue()


def test_the_report_is_the_stream_s_in_the_words_of_photos():
    report = reported(compiling=0.125, compute=0.25)
    assert report.phases == {"decode": 0.5, "compiling": 0.125, "compute": 0.25, "encode": 0.9375}
    assert (report.bound, report.efficiency, report.verdict) == ("encode", 0.9375, "CPU-bound")
    assert "writing images" in report.advice
    assert (report.images_per_second, report.megapixels_per_second) == (5.0, 2.5)
    assert (report.left, report.passed_over) == (3, 4)


def test_the_report_blames_the_planner_where_the_device_waited_for_it():
    report = reported(compiling=1.0, compute=0.125, collect=0.25)
    assert (report.bound, report.verdict) == ("compiling", "compile-bound")
    assert "once for each size" in report.advice
    assert "device" not in report.advice


def test_no_share_is_more_than_all_of_it():
    report = reported(compiling=1.03, compute=1.5)
    assert report.phases["compiling"] == report.phases["compute"] == report.efficiency == 1.0
    assert report.verdict == "balanced"


LANES = {"source": 0.1, "prepare": 0.5, "device": 1.03, "collect": 0.9375, "consumer": 0.0}


def reported(**shares: float):
    """The report of a stream of two seconds, whose planner and device were busy for a share."""
    known = {**LANES, **{name: share for name, share in shares.items() if name in LANES}}
    lanes = {name: 2.0 * share for name, share in known.items()}
    engine = SimpleNamespace(compiling=Spans(), computing=Spans())
    engine.compiling.add(0, int(2e9 * shares["compiling"]))
    engine.computing.add(5, 5 + int(2e9 * shares["compute"]))
    counts = (10, 1, 2, 3, 4)
    phases = of_wall(spent(lanes, engine), 2.0)
    return make_report(phases, recipe="r", device="d", counts=counts, megapixels=5, seconds=2.0)


def test_spans_that_overlap_count_once():
    spans = Spans()
    for start, stop in ((10, 20), (15, 30), (40, 50), (0, 5), (41, 42)):
        spans.add(start, stop)
    assert spans.total() == 5 + 20 + 10
    for start in range(5000):
        spans.add(1000 + start, 1001 + start)
    assert spans.total() == 35 + 5000


def test_everything_that_waited_for_a_plan_did_not_compute_meanwhile():
    ends = []
    command = SimpleNamespace(add_done_callback=ends.append)
    pipeline = SimpleNamespace(names=(), bind=lambda: None, submit=lambda: command)
    planner = SimpleNamespace(compiled=[])
    device = SimpleNamespace(from_numpy=lambda x: x, empty=lambda *_: None, planner=planner)
    kind = SimpleNamespace(batch=lambda count: (count,), dtype="u8")
    engine = RecipeEngine(SimpleNamespace(network=None), device)
    engine.record = lambda *_: pipeline
    chain = SimpleNamespace(takes="takes", gives=kind, steps=())
    began = perf_counter_ns()
    for _ in range(3):  # all of them before the plan is there
        engine.start(chain, np.zeros((1, 2, 2, 3), np.uint8), None)
    planner.compiled.append((began, perf_counter_ns(), "blur"))
    for end in ends:
        end(command)
    since = perf_counter_ns() - planner.compiled[0][1]
    assert 0 < engine.computing.total() <= since
    assert engine.compiling.total() >= planner.compiled[0][1] - began


def test_a_new_size_is_planned_and_that_is_counted(tmp_path):
    from treadle.recipes import load
    from treadle.recipes.execute import RecipeEngine
    from treadle.recipes.fit import Kind

    engine = RecipeEngine(load("thumbnail"), treadle.device("cpu"))
    count, counted = engine._ended, threading.Semaphore(0)
    engine._ended = lambda *args, **named: (count(*args, **named), counted.release())
    totals = []
    for width in (40, 40, 48):
        image = np.zeros((1, 30, width, 3), np.uint8)
        chain = engine.chain(Kind(30, width, 3, treadle.u8))
        engine.start(chain, image, None).result()
        assert counted.acquire(timeout=30)  # on a thread of the device's
        totals.append(engine.compiling.total())
    assert 0 < totals[0] == totals[1] < totals[2]
    assert engine.computing.total() > 0


def test_photos_of_many_sizes_keep_few_pipelines():
    """Each holds the buffers that it ran over last; what was forgotten is recorded again."""
    from treadle.recipes import load
    from treadle.recipes.execute import RecipeEngine
    from treadle.recipes.fit import Kind

    engine = RecipeEngine(load("enhance"), treadle.device("cpu"))
    rng = np.random.default_rng(3)
    images = [rng.integers(0, 256, (1, 20, 40 + k, 3), np.uint8) for k in range(12)]
    chains = [engine.chain(Kind(20, image.shape[2], 3, treadle.u8)) for image in images]
    starts = [engine.start(*pair, None) for pair in zip(chains, images, strict=True)]
    first = [running.result()[0].copy() for running in starts]  # freed while they were in flight
    assert len(engine._pipelines) <= 8
    again = [engine.start(*pair, None).result()[0] for pair in zip(chains, images, strict=True)]
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    alone = RecipeEngine(load("enhance"), treadle.device("cpu"))
    assert np.array_equal(alone.start(chains[7], images[7], None).result()[0], first[7])


def test_no_rate_before_something_is_done(capsys):
    """What cannot be read ends at once; that is no speed."""
    progress = Progress(2, lambda: "decode", quiet=False)
    with progress:
        progress.heard(Outcome(Path("a"), None, "failed", "why"))
        progress.heard(Outcome(Path("b"), Path("c"), "done"))
    first, second = capsys.readouterr().err.splitlines()
    assert first == "1/2 images, 1 failed"
    assert re.fullmatch(r"2/2 images, [\d,]+(\.\d)?/s, 1 failed", second)
