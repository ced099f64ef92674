"""Networks with trained weights, where `rapidocr-onnxruntime` is installed: they read a word.

Text is found, its orientation told and its letters read by the three networks of that package, in
pipelines that prepare the picture; all equal to onnxruntime called directly.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

import treadle

pytest.importorskip("PIL")
FOUND = find_spec("rapidocr_onnxruntime")
if FOUND is None or FOUND.origin is None:
    pytest.skip("rapidocr-onnxruntime is not installed", allow_module_level=True)
NETWORKS = sorted(Path(FOUND.origin).parent.rglob("*.onnx"))
WORD = "Treadle 2026"
CENTRED = {"mean": 0.5, "std": 0.5}


@pytest.fixture(scope="module", autouse=True)
def cpu():
    with treadle.use_device("cpu") as device:
        yield device


@pytest.fixture(scope="module")
def picture():
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", (320, 64), "white")
    ImageDraw.Draw(image).text((12, 8), WORD, "black", font=ImageFont.load_default(40))
    return np.asarray(image)


def of(part: str) -> Path:
    return next(path for path in NETWORKS if part in path.name)


def direct(path: Path, x: np.ndarray) -> np.ndarray:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return session.run(None, {session.get_inputs()[0].name: x})[0]


@pytest.mark.parametrize("part, size", [("det", (64, 320)), ("cls", (48, 192)), ("rec", (48, 240))])
def test_prepared_by_a_fused_stage_it_equals_onnxruntime(cpu, picture, part, size):
    with treadle.model(of(part)) as model:

        @treadle.pipeline
        def seen(image):
            return model(treadle.run_kernel("preprocess", [image], size=size, **CENTRED))

        image = cpu.buffer(picture)
        ready = cpu.run_kernel("preprocess", [image], size=size, **CENTRED).to_numpy()
        expected = direct(of(part), ready)
        np.testing.assert_allclose(seen(image).to_numpy(), expected, rtol=1e-5, atol=1e-6)


def test_the_word_is_found_and_read(cpu, picture):
    image = cpu.buffer(picture)
    with treadle.model(of("det")) as finder, treadle.model(of("rec")) as reader:

        @treadle.pipeline
        def text(image):
            return finder(treadle.run_kernel("preprocess", [image], size=(64, 320), **CENTRED))

        @treadle.pipeline
        def letters(image):
            ready = treadle.run_kernel("preprocess", [image], size=(48, 240), **CENTRED)
            return treadle.run_kernel("top_k", [reader(ready)], k=1)

        where = text(image).to_numpy()[0, 0] > 0.3
        ink = picture.min(axis=2) < 128
        (top, left), (bottom, right) = np.argwhere(where).min(0), np.argwhere(where).max(0)
        (above, before), (below, after) = np.argwhere(ink).min(0), np.argwhere(ink).max(0)
        # The network marks the core of a line, which is narrower than the line on every side.
        assert above <= top < bottom <= below
        assert before <= left < right <= after
        assert right - left > 0.5 * (after - before)
        _, places = letters(image)
    session = onnxruntime.InferenceSession(str(of("rec")), providers=["CPUExecutionProvider"])
    known = session.get_modelmeta().custom_metadata_map["character"].splitlines()
    signs = ["", *known, " "]
    best = places.to_numpy()[0, :, 0].tolist()
    read = [b for a, b in zip([-1, *best], best, strict=False) if a != b]
    assert "".join(signs[k] for k in read).replace(" ", "") == WORD.replace(" ", "")
