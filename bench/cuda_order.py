"""`python -m bench.cuda_order`: sorting and running sums on an NVIDIA GPU, beside torch.

In: nothing. Out: a table of times by the shape of the rows. Each time is that of ten submits and
the wait for their end, divided by ten; every answer is compared with NumPy's.
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
        outs = [device.empty((shape[0], k), kind) for kind in ("f32", "s32")]
        ours = _timed(lambda: device.submit("top_k", [given], outs, k=k), device.synchronize)
        right = np.array_equal(outs[0].to_numpy(), np.sort(x, -1)[:, ::-1][:, :k])
        beside = _timed(lambda: torch.topk(theirs, k), torch.cuda.synchronize)
        return _row(f"{name} of", shape, ours, beside, right)
    ours = _timed(lambda: device.submit(name, [given], out), device.synchronize)
    got = out.to_numpy()
    if name == "sort":
        right = np.array_equal(got, np.sort(x, -1))
        beside = _timed(lambda: torch.sort(theirs, -1).values, torch.cuda.synchronize)
    else:
        exact = np.cumsum(x, -1, dtype=np.float64)
        most = 4e-6 * np.cumsum(np.abs(x), -1, dtype=np.float64)
        right = bool((np.abs(got - exact) <= most).all())
        beside = _timed(lambda: torch.cumsum(theirs, -1), torch.cuda.synchronize)
    return _row(name, shape, ours, beside, right)


def _row(name: str, shape: tuple[int, ...], ours: float, beside: float, right: bool) -> Row:
    what = f"{name} {' x '.join(f'{side:,}' for side in shape)}"
    note = "equal" if right else "WRONG"
    print(f"{what}: {ours:.3f} ms, torch {beside:.3f}, {note}", file=sys.stderr, flush=True)
    peers = (("torch", Figure(beside, "ms")),)
    return Row(what, Figure(ours, "ms"), peers, beside / ours, note=note)


def main() -> int:
    """Measure and print."""
    with treadle.device("cuda") as device:
        rows = [_line(device, name, shape) for name in ("sort", "cumsum") for shape in SHAPES]
        rows += [_line(device, f"top_k {k}", (4096, 4096)) for k in (10, 1000)]
        print(as_markdown(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
