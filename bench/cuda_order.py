"""`python -m bench.cuda_order`: order, updates, scans and folds on an NVIDIA GPU, beside torch.

In: nothing. Out: a table of times by the shape of the rows. Each time is that of ten submits and
the wait for their end, divided by ten; reductions are also ten stages of one pipeline, which shows
them without the cost of a submit. Every answer is compared with NumPy's; torch has no filter, and
lines without a peer stand alone.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

import treadle
from bench.table import Figure, Row, as_markdown

SHAPES = ((1 << 24,), (4096, 4096), (64, 1 << 16), (16384, 1024), (100_000, 100), (1 << 20, 16))
TIMES = 10


def _timed(call: Callable[[], Any], wait: Callable[[], Any]) -> float:
    """Milliseconds of one call among several."""
    times = []
    for _ in range(TIMES + 2):
        started = perf_counter()
        for _ in range(TIMES):
            call()
        wait()
        times.append(perf_counter() - started)
    return statistics.median(times[2:]) / TIMES * 1e3


def _line(device: treadle.Device, name: str, shape: tuple[int, ...]) -> Row:
    """One kernel over rows of a shape."""
    import torch

    theirs = torch.randn(shape, device="cuda", generator=torch.Generator("cuda").manual_seed(1))
    x = theirs.cpu().numpy()
    given, out = device.buffer(x), device.empty(shape, "f32")
    if name.startswith("top_k"):
        k = int(name.removeprefix("top_k "))
        outs = [device.empty((*shape[:-1], k), kind) for kind in ("f32", "s32")]
        ours = _timed(lambda: device.submit("top_k", [given], outs, k=k), device.synchronize)
        right = np.array_equal(outs[0].to_numpy(), np.sort(x, -1)[..., ::-1][..., :k])
        beside = _timed(lambda: torch.topk(theirs, k), torch.cuda.synchronize)
        return _row(f"{name} of", shape, ours, beside, right)
    if name == "argsort":
        out = device.empty(shape, "s32")
    ours = _timed(lambda: device.submit(name, [given], out), device.synchronize)
    got = out.to_numpy()
    if name == "argsort":
        right = np.array_equal(got, np.argsort(x, -1, kind="stable"))
        beside = _timed(lambda: torch.argsort(theirs, dim=-1, stable=True), torch.cuda.synchronize)
    elif name == "sort":
        right = np.array_equal(got, np.sort(x, -1))
        beside = _timed(lambda: torch.sort(theirs, -1).values, torch.cuda.synchronize)
    else:
        exact = np.cumsum(x, -1, dtype=np.float64)
        most = 4e-6 * np.cumsum(np.abs(x), -1, dtype=np.float64)
        right = bool((np.abs(got - exact) <= most).all())
        beside = _timed(lambda: torch.cumsum(theirs, -1), torch.cuda.synchronize)
    return _row(name, shape, ours, beside, right)


@treadle.scan(init=(0.0, 0.0), name="bench_cuda_section")
def section(state, x, *, a1=-1.8, a2=0.9, b0=1.0, b1=0.5, b2=0.25):
    """A biquad, transposed direct form II."""
    y = b0 * x + state[0]
    return (b1 * x - a1 * y + state[1], b2 * x - a2 * y), y


@treadle.scan(init="lowest", name="bench_cuda_largest")
def largest(state, x):
    """The largest so far."""
    state = max(state, x)
    return state, state


def _scans(device: treadle.Device, shape: tuple[int, ...]) -> list[Row]:
    """Scans along their first axis, which tiles walk."""
    import torch

    x = np.random.default_rng(2).standard_normal(shape).astype(np.float32)
    given, out, theirs = device.buffer(x), device.empty(shape, "f32"), torch.from_numpy(x).cuda()
    ours = _timed(lambda: device.submit(largest, [given], out, axis=0), device.synchronize)
    beside = _timed(lambda: torch.cummax(theirs, 0), torch.cuda.synchronize)
    right = np.array_equal(out.to_numpy(), np.maximum.accumulate(x, 0))
    first = _row("largest so far, axis 0 of", shape, ours, beside, right)
    ours = _timed(lambda: device.submit(section, [given], out, axis=0), device.synchronize)
    host = treadle.device("cpu")
    want = host.run_kernel(section, [host.buffer(x)], axis=0).to_numpy()
    right = np.allclose(out.to_numpy(), want, rtol=1e-3, atol=1e-3)
    return [first, _row("biquad, axis 0 of", shape, ours, None, right)]


def _scatters(device: treadle.Device) -> list[Row]:
    """A quarter as many updates as elements, at any places of their rows."""
    import torch

    rng, shape = np.random.default_rng(4), (4096, 4096)
    x, updates = (rng.standard_normal(s).astype(np.float32) for s in (shape, (4096, 1024)))
    places = rng.integers(0, 4096, (4096, 1024), np.int32)
    given, out = [device.buffer(each) for each in (x, places, updates)], device.empty(shape, "f32")
    a, i, u = (torch.from_numpy(each).cuda() for each in (x, places.astype(np.int64), updates))
    added, replaced = x.copy(), x.copy()
    at = (np.arange(4096)[:, None], places)
    np.add.at(added, at, updates)
    for k in range(1024):
        replaced[np.arange(4096), places[:, k]] = updates[:, k]
    rows = []
    for name, reduction, want, peer in (
        ("scatter", "none", replaced, lambda: torch.scatter(a, 1, i, u)),
        ("scatter, added,", "add", added, lambda: torch.scatter_add(a, 1, i, u)),
    ):

        def scattered(reduction: str = reduction) -> None:
            device.submit("scatter_elements", given, out, axis=1, reduction=reduction)

        ours = _timed(scattered, device.synchronize)
        beside = _timed(peer, torch.cuda.synchronize)
        right = np.array_equal(out.to_numpy(), want)
        rows.append(_row(f"{name} 4,096 x 1,024 of", shape, ours, beside, right))
    return rows


def _reductions(device: treadle.Device) -> list[Row]:
    """Reductions of a square: ten submits, and ten stages of one pipeline."""
    import torch

    shape = (4096, 4096)
    x = np.random.default_rng(3).standard_normal(shape).astype(np.float32)
    given, theirs = device.buffer(x), torch.from_numpy(x).cuda()
    rows = []
    for name, axis, peer in (
        ("reduce_sum", 0, lambda: torch.sum(theirs, 0)),
        ("reduce_sum", 1, lambda: torch.sum(theirs, 1)),
        ("reduce_max", 0, lambda: torch.amax(theirs, 0)),
        ("argmax", 1, lambda: torch.argmax(theirs, 1)),
    ):
        kind = "s32" if name == "argmax" else "f32"
        outs = [device.empty((4096,), kind) for _ in range(TIMES)]
        want = {"reduce_sum": np.sum, "reduce_max": np.max, "argmax": np.argmax}[name](x, axis)

        def submitted(name: str = name, axis: int = axis, out: Any = outs[0]) -> None:
            device.submit(name, [given], out, axis=axis)

        ours = _timed(submitted, device.synchronize)
        beside = _timed(peer, torch.cuda.synchronize)
        right = np.allclose(outs[0].to_numpy(), want, rtol=1e-4, atol=1e-3)
        rows.append(_row(f"{name}, axis {axis} of", shape, ours, beside, right))
        pipeline = treadle.pipeline(device=device)
        for out in outs:
            pipeline.run_kernel(name, [given], out, axis=axis)
        inside = _timed(pipeline.submit, device.synchronize) / TIMES
        rows.append(_row(f"{name}, axis {axis}, in a pipeline, of", shape, inside, beside, right))
    return rows


def _row(name: str, shape: tuple[int, ...], ours: float, beside: float | None, right: bool) -> Row:
    what = f"{name} {' x '.join(f'{side:,}' for side in shape)}"
    note = "equal" if right else "WRONG"
    theirs = "" if beside is None else f", torch {beside:.3f}"
    print(f"{what}: {ours:.3f} ms{theirs}, {note}", file=sys.stderr, flush=True)
    if beside is None:
        return Row(what, Figure(ours, "ms"), note=note)
    peers = (("torch", Figure(beside, "ms")),)
    return Row(what, Figure(ours, "ms"), peers, beside / ours, note=note)


def main() -> int:
    """Measure and print."""
    with treadle.device("cuda") as device:
        names = ("sort", "argsort", "cumsum")
        rows = [_line(device, name, shape) for name in names for shape in SHAPES]
        for shape in ((1 << 24,), (4096, 4096)):
            rows += [_line(device, f"top_k {k}", shape) for k in (10, 1000)]
        rows += _scatters(device)
        for shape in ((1 << 24,), (1 << 23, 2), (4096, 4096)):
            rows += _scans(device, shape)
        rows += _reductions(device)
        print(as_markdown(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
