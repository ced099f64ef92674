"""What a notebook shows: pictures as pictures, others as values, facts as tables."""

from __future__ import annotations

import io

import numpy as np
import pytest

import treadle
from treadle.tables import facts, listing

CPU = treadle.device("cpu")
RNG = np.random.default_rng(1)


def decoded(buffer):
    image = pytest.importorskip("PIL.Image")
    found = buffer._repr_mimebundle_()["image/png"]
    return np.asarray(image.open(io.BytesIO(found)))


@pytest.mark.parametrize("shape", [(20, 30), (20, 30, 3), (20, 30, 4)], ids=str)
def test_bytes_of_a_pictures_shape_are_a_picture(shape):
    pixels = RNG.integers(0, 256, shape, dtype=np.uint8)
    assert np.array_equal(decoded(CPU.buffer(pixels)), pixels)


def test_floats_from_0_to_1_in_colours_are_a_picture():
    pixels = RNG.random((20, 30, 3), np.float32)
    assert np.array_equal(decoded(CPU.buffer(pixels)), np.rint(pixels * 255))


def test_a_large_picture_is_thinned_out():
    assert max(decoded(CPU.buffer(np.zeros((5000, 20), np.uint8))).shape) <= 2048


@pytest.mark.parametrize(
    "values",
    [
        np.arange(6, dtype=np.float32),
        np.full((20, 30, 3), 2.0, np.float32),  # above 1
        np.full((20, 30, 3), np.nan, np.float32),
        np.zeros((20, 30), np.float32),  # a matrix
        np.zeros((4, 4), np.uint8),  # too small to see
        np.zeros((20, 30, 2), np.uint8),
        np.zeros((0, 3), np.uint8),
        np.float32(7),
    ],
    ids=lambda values: f"{values.dtype}{values.shape}",
)
def test_other_buffers_are_values_with_dtype_and_shape(values):
    buffer = CPU.buffer(values)
    found = buffer._repr_mimebundle_(include=None, exclude=None)
    assert set(found) == {"text/plain", "text/html"}
    assert repr(buffer) == found["text/plain"]
    assert "&lt;treadle.Buffer" in found["text/html"]


def test_a_buffer_without_contents_says_why():
    buffer = CPU.buffer([1.0])
    buffer.free()
    assert "was used after free()" in buffer._repr_mimebundle_()["text/plain"]


def test_facts_are_tables():
    command = CPU.submit("relu", [CPU.buffer([1.0])]).wait()
    info = treadle.kernel_info("blur")
    with treadle.pipeline("cpu") as pipeline:
        pipeline.add("relu", [CPU.buffer([1.0])], CPU.empty((1,)))
        shown = pipeline.plan()._repr_html_()
    assert "relu" in command._repr_html_()
    assert "completed" in command._repr_html_()
    for text in (command._repr_html_(), info._repr_html_(), shown):
        assert "<table>" in text
    assert "radius" in info._repr_html_()
    assert "<svg" in shown


def test_tables_escape_what_they_are_given():
    text = facts("<a>", {"<b>": "<c>", "none": None}) + listing("", ("<d>",), [("<e>",), [1.25]])
    assert "<a>" not in text
    assert [f"&lt;{name}&gt;" in text for name in "abcde"] == [True] * 5
    assert "none" not in text
