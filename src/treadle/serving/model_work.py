"""A network that says what is in photos that come one by one.

In: the bytes of a file. Out: classes with scores, as JSON can hold them. A thread decodes a photo
to the size that the network takes: from there on all are alike, whatever sizes clients send, so
that one kernel, compiled once, makes the network's input of each, and those that are there at the
same time go through the network as one batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

import treadle
from treadle.batching import Batched, BatchReport
from treadle.models import Model
from treadle.photos import Photo
from treadle.serving.budget import BudgetPart
from treadle.serving.photo_work import FORESEEN, PhotoThreads, bytes_for, opened

__all__ = ["ModelWork"]

# Photos that go through the network together: a GPU likes many; on a CPU what a layer gives has to
# stay in the caches, and MobileNetV2 takes a fifth more time for each of sixteen than of four.
_ON_GPU, _ON_CPU = 16, 4
_SIDE = 224  # of the network's input where it takes any size
_COLOURS = 3
Found = list[dict[str, Any]]


class ModelWork:
    """A classifier, for photos as they come."""

    def __init__(self, model: Model, threads: PhotoThreads, labels: Sequence[str] | None) -> None:
        self.model = model
        self.labels = None if labels is None else tuple(labels)
        self._threads = threads
        self._size, self._layout = _taken(model)
        fixed = model.inputs[0].shape[0]
        most = _ON_GPU if model.device.info.gpu else _ON_CPU
        self._together = Batched(
            model,
            max_size=fixed if isinstance(fixed, int) else most,
            device=model.device,
            name=model.name,
        )

    @property
    def report(self) -> BatchReport:
        """What the batches were like."""
        return self._together.report

    @property
    def waiting(self) -> int:
        """Photos that are in no batch yet."""
        return self._together.waiting

    def warm(self) -> None:
        """Compile, and run the network once; raise where it is no classifier of photos."""
        photo = Photo(np.zeros((*self._size, _COLOURS), np.uint8), None, "jpeg")
        row = self._together.run(self._input(photo).wait().output.to_numpy()[0])
        if np.ndim(row) != 1 or (self.labels is not None and len(row) != len(self.labels)):
            gives = f"{np.shape(row)[0]} classes" if np.ndim(row) == 1 else f"{np.shape(row)}"
            wanted = "a row of classes" if self.labels is None else f"{len(self.labels)} labels"
            raise treadle.LaunchError(f"{self.model.name}: expected {wanted}, got {gives}")

    async def classify(
        self, content: Callable[[], bytes], top: int
    ) -> tuple[Found, dict[str, float]]:
        """Return the most likely classes of a photo, best first, and seconds by stage."""
        run, part = self._threads.run, BudgetPart(self._threads.budget)
        try:
            await part.hold(FORESEEN)
            began = perf_counter()
            data, needed, found = await run(self._look, content)
            await part.hold(needed)
            if found is None:
                found = await run(self._begin, data)
            command, decoded = found
            await command
            row = await self._together(command.output.to_numpy(copy=None)[0])
            ended = perf_counter()
        finally:
            part.leave()
        return self._named(row, top), {"decode": decoded - began, "compute": ended - decoded}

    def _look(
        self, content: Callable[[], bytes]
    ) -> tuple[bytes, int, tuple[treadle.Command, float] | None]:
        """Read a photo's header, and go on where it needs no more than was foreseen."""
        data = content()
        needed = bytes_for(data, self._threads.limits)
        return data, needed, self._begin(data) if needed <= FORESEEN else None

    def _begin(self, data: bytes) -> tuple[treadle.Command, float]:
        """Decode a photo and submit what makes the network's input of it."""
        photo = opened(data, self._threads.limits, self._size)
        decoded = perf_counter()
        return self._input(photo), decoded

    def _input(self, photo: Photo) -> treadle.Command:
        pixels = photo.colour
        if pixels.shape[2] == 1:
            pixels = np.broadcast_to(pixels, (*self._size, _COLOURS))
        device = self.model.device
        buffer = device.from_numpy(np.ascontiguousarray(pixels))
        return device.submit("preprocess", [buffer], layout=self._layout)

    def _named(self, row: Any, top: int) -> Found:
        """The best classes of a row of scores."""
        scores = _shares(np.asarray(row, np.float64))
        best = np.argsort(-scores, kind="stable")[:top].tolist()
        names = self.labels
        return [
            {
                "label": names[place] if names is not None else f"class {place}",
                "index": place,
                "score": round(float(scores[place]), 6),
            }
            for place in best
        ]

    async def aclose(self) -> None:
        """End when what waits is done."""
        await self._together.aclose()


def _taken(model: Model) -> tuple[tuple[int, int], str]:
    """The size and layout of photos that a network takes; LaunchError where it takes none."""
    takes = model.inputs[0]
    planes = len(takes.shape) == 4 and takes.shape[1] == _COLOURS
    pixels = len(takes.shape) == 4 and takes.shape[3] == _COLOURS
    if len(model.inputs) != 1 or takes.dtype != treadle.f32 or not (planes or pixels):
        listed = ", ".join(map(str, model.inputs))
        raise treadle.LaunchError(
            f"{model.name}: expected one input f32[N, 3, height, width] or f32[N, height, width, "
            f"3], as networks for photos have, got {listed}"
        )
    if isinstance(takes.shape[0], int) and takes.shape[0] != 1:
        raise treadle.LaunchError(
            f"{model.name}: takes batches of {takes.shape[0]} only; export it for any number"
        )
    sides = takes.shape[2:] if planes else takes.shape[1:3]
    height, width = (side if isinstance(side, int) else _SIDE for side in sides)
    return (height, width), "nchw" if planes else "nhwc"


def _shares(row: Any) -> Any:
    """Scores that sum up to 1: what the network gives, or softmax of it where it is logits."""
    if row.min() >= 0 and abs(row.sum() - 1) < 1e-3:
        return row
    raised = np.exp(row - row.max())
    return raised / raised.sum()
