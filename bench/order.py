"""Order and running sums on the CPU, beside NumPy, SciPy and torch.

In: nothing. Out: a line for each of cumsum, a filter, sort, argsort, top_k, unique and histogram
over 16 million elements, with the ratio to the best of those that compute the same; and exp and
tanh beside np.copyto. Every answer is compared with NumPy's.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import treadle
from bench.table import Bar, Figure, Row
from bench.timing import Effort, medians

__all__ = ["LINES"]

COUNT = 1 << 24
BEST = Bar(1.0, least=True, ratio=True)
COPY = Bar(0.9, least=True, ratio=True)
K = 100


@treadle.scan(init=(0.0, 0.0), name="bench_section")
def section(state, x, *, a1, a2, b0, b1, b2):
    """A biquad, transposed direct form II."""
    y = b0 * x + state[0]
    return (b1 * x - a1 * y + state[1], b2 * x - a2 * y), y


def _torch() -> Any:
    """The library, or None where it is not installed."""
    try:
        return importlib.import_module("torch")
    except ImportError:
        return None


def order(effort: Effort) -> list[Row]:
    """Measure all lines."""
    x = np.random.default_rng(1).standard_normal(COUNT).astype(np.float32)
    device = treadle.device("cpu")  # the program's, which lines after this one use, too
    return [_line(device, effort, *each) for each in _cases(device, x)]


Case = tuple[str, Callable[[], Any], Mapping[str, Callable[[], object]], Callable[[], bool], Bar]


def _cases(device: treadle.Device, x: np.ndarray[Any, Any]) -> list[Case]:
    given, out = device.buffer(x), device.empty(x.shape, "f32")
    places = device.empty(x.shape, "s32")
    best = [device.empty((K,), "f32"), device.empty((K,), "s32")]
    picture = device.buffer(x.reshape(4096, -1))
    counts = device.run_kernel("histogram", [picture], range=(-4.0, 4.0))
    room = np.empty_like(x)
    filters = {"a1": -1.8, "a2": 0.9, "b0": 1.0, "b1": 0.5, "b2": 0.25}
    torch = _torch()
    theirs = None if torch is None else torch.from_numpy(x)

    def ours(name: Any, output: Any, **params: Any) -> Callable[[], Any]:
        return lambda: device.submit(name, [given], output, **params).wait()

    def beside(
        numpy: Callable[[], object], with_torch: Callable[[Any], object] | None = None
    ) -> dict[str, Callable[[], object]]:
        found = {"numpy": numpy}
        if theirs is not None and with_torch is not None:
            found["torch"] = lambda: with_torch(theirs)
        return found

    def sums_right() -> bool:
        exact = np.cumsum(x, dtype=np.float64)
        return bool(np.allclose(out.to_numpy(), exact, rtol=1e-6, atol=1e-3))

    different = [device.empty(x.shape, "f32"), device.empty((), "s32")]
    different += [device.empty(x.shape, "s32") for _ in range(2)]
    told = {"return_counts": True, "return_inverse": True}

    def unique_right() -> bool:
        values, number, _, places = different
        found = values.to_numpy()
        least = bool((np.diff(found[: number.item()]) > 0).all())
        return least and np.array_equal(found[places.to_numpy()], x)

    cases: list[Case] = [
        ("unique", ours("unique", different[:2]),
         beside(lambda: np.unique(x), lambda t: torch.unique(t)),
         lambda: different[1].item() == len(np.unique(x)), BEST),
        ("unique, counts and places", ours("unique", different, counts=True, inverse=True),
         beside(lambda: np.unique(x, **told), lambda t: torch.unique(t, **told)),
         unique_right, BEST),
        ("cumsum", ours("cumsum", out),
         beside(lambda: np.cumsum(x, out=room), lambda t: torch.cumsum(t, 0)), sums_right, BEST),
        ("sort", ours("sort", out), beside(lambda: np.sort(x), lambda t: torch.sort(t)),
         lambda: np.array_equal(out.to_numpy(), np.sort(x)), BEST),
        ("argsort", ours("argsort", places),
         beside(lambda: np.argsort(x), lambda t: torch.argsort(t)),
         lambda: bool((np.diff(x[places.to_numpy()]) >= 0).all()), BEST),
        (f"top_k {K}", ours("top_k", best, k=K),
         beside(lambda: np.argpartition(x, COUNT - K), lambda t: torch.topk(t, K)),
         lambda: np.array_equal(best[0].to_numpy(), np.sort(x)[::-1][:K]), BEST),
        ("histogram of 256",
         lambda: device.submit("histogram", [picture], counts, range=(-4.0, 4.0)).wait(),
         beside(lambda: np.histogram(x, 256, (-4, 4)), lambda t: torch.histc(t, 256, -4, 4)),
         lambda: int(counts.to_numpy().sum()) == int(((x >= -4) & (x <= 4)).sum()), BEST),
        ("exp", ours("exp", out), {"np.copyto": lambda: np.copyto(room, x)},
         lambda: bool(np.allclose(out.to_numpy(), np.exp(x), rtol=1e-5)), COPY),
        ("tanh", ours("tanh", out), {"np.copyto": lambda: np.copyto(room, x)},
         lambda: bool(np.allclose(out.to_numpy(), np.tanh(x), rtol=1e-5)), COPY),
    ]  # fmt: skip
    try:
        lfilter = importlib.import_module("scipy.signal").lfilter
    except ImportError:
        return cases
    b, a = (1.0, 0.5, 0.25), (1.0, -1.8, 0.9)
    peers = {"scipy": lambda: lfilter(b, a, x)}
    right = lambda: bool(np.allclose(out.to_numpy(), lfilter(b, a, x), rtol=1e-3, atol=1e-3))  # noqa: E731
    return [*cases, ("biquad", ours(section, out, **filters), peers, right, BEST)]


def _line(
    device: treadle.Device,
    effort: Effort,
    what: str,
    call: Callable[[], Any],
    peers: Mapping[str, Callable[[], object]],
    right: Callable[[], bool],
    bar: Bar,
) -> Row:
    """One line: ours and the peers' in turn."""
    call()
    note = "equal" if right() else "WRONG"
    times = medians({"treadle": call, **peers}, max(effort.repeats // 10, 3))
    mine = times.pop("treadle")
    shown = sorted(times.items(), key=lambda each: each[1])
    figures = tuple((name, Figure(seconds * 1e3, "ms")) for name, seconds in shown)
    return Row(
        f"{what}, 16 million f32", Figure(mine * 1e3, "ms"), figures, shown[0][1] / mine, bar, note
    )


LINES = {"order": order}
