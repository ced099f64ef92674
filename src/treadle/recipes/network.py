"""The network at the end of a recipe: what it says of an image, in words.

In: the stage that names an ONNX file and its labels, both from an untrusted place unless the caller
trusts it; then images on a device. Out: stages of a pipeline, from an image to the classes that the
network holds for most likely, and their labels. Files are read whole and of bounded size.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import treadle
from treadle.data import dataclass
from treadle.files import read_regular
from treadle.recipes.channels import FROM_GREY

__all__ = ["SCORES", "LoadedNetwork", "NetworkStage", "Verdict"]

MAX_NETWORK = 1 << 31  # bytes of an ONNX file, which holds no more
MAX_LABELS = 16 << 20  # bytes
MAX_LABEL = 200  # characters
SCORES = ("softmax", "sigmoid", "none")  # what makes scores of what a network gives


@dataclass(frozen=True, slots=True)
class NetworkStage:
    """A stage of a recipe that is a network, with what the recipe says of it."""

    model: Path
    labels: Path | None
    top: int = 5
    scores: str = "softmax"
    params: Mapping[str, Any] | None = None  # of preprocess
    line: int | None = None
    trust: bool = False  # it may name other files

    def __str__(self) -> str:
        return f"model({self.model.name})"


class Verdict(NamedTuple):
    """One class that an image may be of."""

    place: int
    label: str
    score: float


class LoadedNetwork:
    """A network on a device, ready for images of any size; free it."""

    def __init__(self, stage: NetworkStage, device: treadle.Device) -> None:
        self._stage = stage
        self.labels = _labels(stage.labels)
        source: Any = stage.model
        if not stage.trust:
            source = _read(stage.model, MAX_NETWORK)
        self._model = treadle.model(source, device=device, providers="cpu")
        try:
            self._look()
        except BaseException:
            self._model.free()
            raise

    def _look(self) -> None:
        """Take from its ports what it wants; raise for one that takes no images."""
        model, name = self._model, self._stage.model.name
        if len(model.inputs) != 1 or len(model.inputs[0].shape) != 4:
            takes = ", ".join(map(str, model.inputs))
            raise treadle.ModelError(
                f"{name}: expected one input [N, 3, height, width] or [N, height, width, 3], "
                f"got {takes}"
            )
        shape, out = model.inputs[0].shape, model.outputs[0]
        planar = shape[3] not in (1, 3) or shape[1] in (1, 3)
        channels, *size = (shape[1], *shape[2:]) if planar else (shape[3], *shape[1:3])
        if channels not in (1, 3):
            raise treadle.ModelError(f"{name}: expected 1 or 3 channels, got {model.inputs[0]}")
        if model.inputs[0].dtype is not treadle.f32 or out.dtype is not treadle.f32:
            raise treadle.ModelError(f"{name}: expected f32, got {model.inputs[0]} and {out}")
        if len(out.shape) != 2:
            raise treadle.ModelError(f"{name}: expected an output [N, classes], got {out}")
        self._layout = "nchw" if planar else "nhwc"
        self._channels = channels
        self._size = None if any(isinstance(each, str) for each in size) else tuple(size)
        self._batch = shape[0] if isinstance(shape[0], int) else None
        if self._batch not in (None, 1):
            raise treadle.ModelError(
                f"{name} was exported for batches of {self._batch}; export it with a dynamic first "
                "dimension, or for one image"
            )
        classes = out.shape[1]
        if isinstance(classes, int) and self.labels and len(self.labels) != classes:
            raise treadle.ModelError(
                f"{name} has {classes} classes, and {self._stage.labels} {len(self.labels)} labels"
            )
        self._most = self._stage.top
        if isinstance(classes, int):
            self._most = min(self._most, classes)

    @property
    def columns(self) -> int:
        """How many classes are told of an image."""
        return self._most

    @property
    def batch(self) -> int | None:
        """How many images it takes at a time; None: any number."""
        return self._batch

    def add(self, pipeline: treadle.Pipeline, image: Any, out: tuple[Any, Any]) -> None:
        """Add stages from images N x H x W x C to the scores and places of the best classes."""
        if self._channels == 3 and image.shape[3] == 1:
            pipeline.add(FROM_GREY, [image])
            image = pipeline.last
        elif self._channels == 1 and image.shape[3] > 1:
            pipeline.add("grayscale", [image])
            image = pipeline.last
            image = image.reshape(*image.shape, 1) if len(image.shape) == 3 else image
        params = {"size": self._size, "layout": self._layout, **(self._stage.params or {})}
        pipeline.add("preprocess", [image], params=params)
        pipeline.add(self._model, [pipeline.last])
        if self._stage.scores != "none":
            pipeline.add(self._stage.scores, [pipeline.last])
        pipeline.add("top_k", [pipeline.last], list(out), k=self._most)

    def verdicts(self, scores: np.ndarray[Any, Any], places: np.ndarray[Any, Any]) -> list[Verdict]:
        """What the best classes of one image are called."""
        found = []
        for score, place in zip(scores.tolist(), places.tolist(), strict=True):
            label = self.labels[place] if place < len(self.labels) else str(place)
            found.append(Verdict(place, label, score))
        return found

    def free(self) -> None:
        """Release the network."""
        self._model.free()


def _labels(path: Path | None) -> list[str]:
    if path is None:
        return []
    text = _read(path, MAX_LABELS).decode("utf-8", "replace")
    kept = ["".join(c if c.isprintable() else " " for c in line) for line in text.splitlines()]
    return [line.strip()[:MAX_LABEL] for line in kept]


def _read(path: Path, limit: int) -> bytes:
    try:
        return read_regular(path, limit=limit)
    except OSError as error:
        raise treadle.ModelError(f"{path}: {error.strerror or error}") from error
