"""The libraries that `treadle bench` measures beside Treadle, where they are installed.

In: nothing. Out: for each line of the benchmark, what each peer does for it, as a function without
arguments. A library that is absent, or that fails to load, has no entry.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

__all__ = ["chain", "frame", "soft", "total"]

Work = Callable[[], Any]
Array = np.ndarray[Any, np.dtype[Any]]


def _optional(name: str) -> Any:
    try:
        # Written out, so that the test of layers sees who imports what.
        return {
            "cv2": lambda: import_module("cv2"),
            "torch": lambda: import_module("torch"),
            "scipy": lambda: import_module("scipy.special"),
        }[name]()
    except Exception:  # a broken install of a peer is not our error
        return None


def chain(a: Array, b: Array, s: float) -> dict[str, Work]:
    """relu((a + b) * s)."""
    out = np.empty_like(a)

    def with_numpy() -> None:
        np.add(a, b, out=out)
        np.multiply(out, s, out=out)
        np.maximum(out, 0, out=out)

    found: dict[str, Work] = {"numpy": with_numpy}
    torch = _optional("torch")
    if torch is not None:
        ta, tb, to = torch.from_numpy(a), torch.from_numpy(b), torch.empty(a.shape)

        def with_torch() -> None:
            torch.add(ta, tb, out=to)
            to.mul_(s).relu_()

        found["torch"] = with_torch
    return found


def soft(x: Array) -> dict[str, Work]:
    """softmax along the last axis."""

    def with_numpy() -> Any:
        e = np.exp(x - x.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    found: dict[str, Work] = {"numpy": with_numpy}
    scipy, torch = _optional("scipy"), _optional("torch")
    if scipy is not None:
        found["scipy"] = lambda: scipy.softmax(x, axis=1)
    if torch is not None:
        tx = torch.from_numpy(x)
        found["torch"] = lambda: torch.softmax(tx, 1)
    return found


def total(x: Array) -> dict[str, Work]:
    """The sum of everything."""
    found: dict[str, Work] = {"numpy": lambda: x.sum()}
    torch = _optional("torch")
    if torch is not None:
        tx = torch.from_numpy(x)
        found["torch"] = lambda: tx.sum()
    return found


def frame(image: Array) -> dict[str, Work]:
    """Blur, sharpen and grey an RGB frame."""
    cv2 = _optional("cv2")
    if cv2 is None:
        return {}
    kernel = np.array([[0, -0.5, 0], [-0.5, 3, -0.5], [0, -0.5, 0]], np.float32)

    def with_opencv() -> Any:
        blurred = cv2.GaussianBlur(image, (7, 7), 1.5, borderType=cv2.BORDER_REPLICATE)
        sharp = cv2.filter2D(blurred, -1, kernel, borderType=cv2.BORDER_REPLICATE)
        return cv2.cvtColor(sharp, cv2.COLOR_RGB2GRAY)

    return {"opencv": with_opencv}
