"""Pictures beside OpenCV: the cases of `bench.images`, at 4K and at 256 x 256."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from bench import images, peers
from bench.every.case import LARGE, Case

__all__ = ["pictures"]

UHD, THUMB = (2160, 3840), (256, 256)


def _theirs(call: images.Call, _: Any, *inputs: Any) -> Any:
    return call()  # it holds its inputs, and an output that exists already


def pictures(count: int) -> Iterator[Case]:
    """Every kernel of pictures that OpenCV has something for; none where it is not installed."""
    cv2 = peers.opencv()
    if cv2 is None:
        return
    for dtype in ("u8", "f32"):
        for case in images.cases(cv2, dtype, UHD if count == LARGE else THUMB):
            note = f"{case.what.removeprefix(case.kernel).strip(', ')} {dtype}"
            peer = {"cv2": partial(_theirs, case.theirs)}
            yield Case(case.kernel, case.inputs, peer, case.params, note, 0.02)
