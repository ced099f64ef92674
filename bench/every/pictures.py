"""Pictures beside OpenCV: the cases of `bench.images`, at 4K and at 256 x 256.

Where OpenCV does not run, on GPUs, they come in batches, so that launching is hidden as it is in
use; what such a line has beside it is its floor.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from bench import images, peers
from bench.every.case import LARGE, Case

__all__ = ["pictures"]

UHD, THUMB = (2160, 3840), (256, 256)
FRAMES = {"u8": 8, "f32": 2}  # of a batch, about as many bytes of each


def _theirs(call: images.Call, _: Any, *inputs: Any) -> Any:
    return call()  # it holds its inputs, and an output that exists already


def _read(case: images.Case, size: tuple[int, int]) -> float:
    """The share of a picture that the result depends on; memory comes in sectors, so rows count."""
    match case.kernel, case.params:
        case "crop", {"height": height, "width": width}:
            return float(height * width / (size[0] * size[1]))
        case "resize", {"method": "nearest", "size": (height, _)}:
            return float(min(height / size[0], 1.0))
        case "warp_affine", _:
            return 0.8
        case _:
            return 1.0


def _stacked(case: images.Case, dtype: str, size: tuple[int, int]) -> tuple[Any, ...]:
    """The inputs with pictures in batches: N x H x W x C, or planes of YUV as they are."""
    found = []
    for x in case.inputs:
        if x.shape == size:
            x = x[..., None]
        picture = x.shape[:2] == size or case.kernel == "yuv_to_rgb"
        found.append(np.repeat(x[None], FRAMES[dtype], 0) if picture else x)
    return tuple(found)


def pictures(count: int, batches: bool = False) -> Iterator[Case]:
    """Every kernel of pictures that OpenCV has something for; none where it is not installed."""
    cv2 = peers.opencv()
    if cv2 is None:
        return
    size = UHD if count == LARGE else THUMB
    for dtype in ("u8", "f32"):
        for case in images.cases(cv2, dtype, size):
            note = f"{case.what.removeprefix(case.kernel).strip(', ')} {dtype}"
            inputs = _stacked(case, dtype, size) if batches else case.inputs
            beside = {} if batches else {"cv2": partial(_theirs, case.theirs)}
            yield Case(case.kernel, inputs, beside, case.params, note, 0.02, _read(case, size))
