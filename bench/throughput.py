"""How much work goes through: large arrays, every core, outputs that exist already.

In: an effort. Out: rows. Every contestant writes into memory that it has written before, because
fresh pages would cost more than the arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import treadle
from bench import peers
from bench.table import Bar, Figure, Row
from bench.timing import Effort, medians

__all__ = ["LINES"]

Array = np.ndarray[Any, Any]
ELEMENTS = 16 << 20  # 64 MiB of f32
SCALE = 1.5


@treadle.pointwise
def scaled_relu(a: Any, b: Any, *, s: float) -> Any:
    t = (a + b) * s
    return t if t > 0 else 0.0


def _numbers(shape: int | tuple[int, ...]) -> Array:
    return np.random.default_rng(7).standard_normal(shape, dtype=np.float32)


def _row(what: str, times: dict[str, float], bar: Bar | None = None, note: str = "") -> Row:
    """A row of times: the first contestant is ours, the second is what the ratio is to."""
    (_, ours), *others = times.items()
    figures = tuple((name, Figure(seconds * 1e3, "ms")) for name, seconds in others)
    ratio = others[0][1] / ours if others else None
    return Row(what, Figure(ours * 1e3, "ms"), figures, ratio, bar, note, headline=True)


def bandwidth(effort: Effort) -> list[Row]:
    """(a + b) * s, then relu, as one kernel."""
    x, y = _numbers(ELEMENTS), _numbers(ELEMENTS)[::-1].copy()
    out, other = np.zeros_like(x), np.zeros_like(x)
    a, b, c = treadle.from_numpy(x), treadle.from_numpy(y), treadle.from_numpy(out)

    def chain() -> None:
        np.add(x, y, out=other)
        np.multiply(other, np.float32(SCALE), out=other)
        np.maximum(other, np.float32(0), out=other)

    calls: dict[str, Callable[[], object]] = {
        "treadle": lambda: treadle.run_kernel(scaled_relu, [a, b], c, s=SCALE),
        "np.copyto": lambda: np.copyto(other, x),
        "numpy": chain,
    }
    compiled = peers.fused_with_numba()
    if compiled is not None:
        scalar = np.float32(SCALE)
        calls["numba"] = lambda: compiled(x, y, scalar, other)
    torch = peers.torch()
    if torch is not None:
        p, q, r = torch.from_numpy(x), torch.from_numpy(y), torch.from_numpy(other)
        calls["torch"] = lambda: torch.add(p, q, out=r).mul_(SCALE).relu_()
    times = medians(calls, effort.repeats)
    chain()
    np.testing.assert_allclose(out, other, rtol=1e-6, atol=1e-6)
    moved = {name: 3 * x.nbytes for name in times} | {"np.copyto": 2 * x.nbytes}
    speeds = {name: Figure(moved[name] / times[name] / 1e9, "GB/s") for name in times}
    ours, copy = times["treadle"], times["np.copyto"]
    note = (
        "Bandwidth is the bytes that must move over the time: two arrays in and one out for "
        "(a+b)*s, relu; one in and one out for np.copyto. "
        f"Times: treadle {ours * 1e3:.1f} ms, np.copyto {copy * 1e3:.1f} ms, "
        f"so by time alone the ratio is {copy / ours:.2f}."
    )
    others = tuple((name, figure) for name, figure in speeds.items() if name != "treadle")
    ratio = speeds["treadle"].value / speeds["np.copyto"].value
    bar = Bar(0.8, "of copyto", least=True, ratio=True)
    what = "relu((a+b)*s), 64 MiB f32"
    return [Row(what, speeds["treadle"], others, ratio, bar, note, headline=True)]


def transcendental(effort: Effort) -> list[Row]:
    """exp, tanh and sigmoid, into an existing output on every side."""
    x = _numbers(ELEMENTS)
    out, other = np.zeros_like(x), np.zeros_like(x)
    a, c = treadle.from_numpy(x), treadle.from_numpy(out)

    def sigmoid() -> None:
        np.negative(x, out=other)
        np.exp(other, out=other)
        np.add(other, np.float32(1), out=other)
        np.reciprocal(other, out=other)

    chains: dict[str, Callable[[], object]] = {
        "exp": lambda: np.exp(x, out=other),
        "tanh": lambda: np.tanh(x, out=other),
        "sigmoid": sigmoid,
    }
    torch = peers.torch()
    note = "np.copyto moves the same bytes, on one core, and computes nothing."
    rows = []
    for name, chain in chains.items():
        calls: dict[str, Callable[[], object]] = {
            "treadle": partial(treadle.run_kernel, name, [a], c),
            "numpy": chain,
            "np.copyto": partial(np.copyto, other, x),
        }
        if torch is not None:
            p, r = torch.from_numpy(x), torch.from_numpy(other)
            calls["torch"] = partial(getattr(torch, name), p, out=r)
        times = medians(calls, max(effort.repeats // 2, 3))
        chain()
        np.testing.assert_allclose(out, other, rtol=2e-6, atol=1e-6)
        rows.append(
            _row(f"{name}, 16M f32", times, Bar(4, "x numpy", least=True, ratio=True), note)
        )
    return rows


def folds(effort: Effort) -> list[Row]:
    """A softmax over rows and a sum over everything."""
    x = _numbers((4096, 1024))
    out, other = np.zeros_like(x), np.zeros_like(x)
    a, c = treadle.from_numpy(x), treadle.from_numpy(out)

    def softmax() -> None:
        np.subtract(x, x.max(axis=-1, keepdims=True), out=other)
        np.exp(other, out=other)
        np.divide(other, other.sum(axis=-1, keepdims=True), out=other)

    calls: dict[str, Callable[[], object]] = {
        "treadle": lambda: treadle.run_kernel("softmax", [a], c),
        "numpy": softmax,
    }
    torch = peers.torch()
    if torch is not None:
        p, r = torch.from_numpy(x), torch.from_numpy(other)
        calls["torch"] = lambda: torch.softmax(p, -1, out=r)
    rows = [_row("softmax, 4096 x 1024 f32", medians(calls, effort.repeats))]
    softmax()
    np.testing.assert_allclose(out, other, rtol=1e-5, atol=1e-8)

    big = np.ones(64 << 20, np.float32)
    d, total = treadle.from_numpy(big), treadle.empty(())
    calls = {
        "treadle": lambda: treadle.run_kernel("reduce_sum", [d], total),
        "numpy": lambda: np.sum(big),
    }
    if torch is not None:
        wide = torch.from_numpy(big)
        calls["torch"] = lambda: torch.sum(wide)
    rows.append(_row("reduce_sum, 64M f32", medians(calls, max(effort.repeats // 2, 3))))
    if total.read_list() != float(big.size):
        raise AssertionError(f"reduce_sum gave {total.read_list()}")
    return rows


def blur(effort: Effort) -> list[Row]:
    """A Gaussian blur of a 1080p picture with four channels."""
    cv2 = peers.opencv()
    rows = []
    for name, dtype in (("u8", np.uint8), ("f32", np.float32)):
        peak = 255.0 if name == "u8" else 1.0
        picture = (np.random.default_rng(7).random((1080, 1920, 4)) * peak).astype(dtype)
        out, other = np.zeros_like(picture), np.zeros_like(picture)
        a, c = treadle.from_numpy(picture), treadle.from_numpy(out)
        calls: dict[str, Callable[[], object]] = {
            "treadle": partial(treadle.run_kernel, "gaussian_blur", [a], c, radius=3, sigma=1.5)
        }
        if cv2 is not None:
            edge = cv2.BORDER_REPLICATE
            calls["OpenCV"] = partial(
                cv2.GaussianBlur, picture, (7, 7), 1.5, dst=other, sigmaY=1.5, borderType=edge
            )
        times = medians(calls, effort.repeats)
        if cv2 is not None:
            # OpenCV blurs u8 with weights of 8 bits, which is up to two levels off.
            np.testing.assert_allclose(out, other, rtol=1e-5, atol=2 if name == "u8" else 1e-5)
        rows.append(_row(f"gaussian_blur radius 3, 1080p RGBA {name}", times))
    return rows


LINES: dict[str, Callable[[Effort], list[Row]]] = {
    "bandwidth": bandwidth,
    "transcendental": transcendental,
    "folds": folds,
    "blur": blur,
}
