"""`python -m bench.cuda_search`: exact search over a million vectors on an NVIDIA GPU.

In: command line options. Out: a table of whole searches, from queries in the host's memory to rows
in the host's memory, beside torch's f32 matrix product and top-k of the same run. Every answer is
compared with distances in f64: candidates of a product in f64 are measured again from differences.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

import treadle
from bench.table import Bar, Figure, Row, as_markdown
from treadle.runtime.device import Device
from treadle.search import kernels
from treadle.search.nearest import nearest
from treadle.search.table import Table, View

Array = np.ndarray[Any, Any]

ROWS, DIM, WANTED = 1_000_000, 768, 10
BARS = {1: 0.35, 100: 1.2, 1000: 6.0}  # milliseconds
FIRST = 1000.0  # milliseconds that the first search after building may take
SPARE = 22  # candidates beyond those that are wanted, to be measured again


def _timed(call: Callable[[], Any], rounds: int) -> list[float]:
    times = []
    for _ in range(rounds):
        started = perf_counter()
        call()
        times.append(perf_counter() - started)
    return times


def _checked(queries: Array, vectors: Array, shown: Any, answer: tuple[Array, Array]) -> bool:
    """Whether an answer is that of f64."""
    import torch

    kept: list[Any] = []
    asked = torch.from_numpy(queries).cuda().double()
    each = 1 << 16
    for first in range(0, len(vectors), each):
        part = shown[first : first + each].double()
        far = (part * part).sum(1)[None] - 2.0 * (asked @ part.T)
        near = far.topk(min(WANTED + SPARE, far.shape[1]), largest=False)
        kept.append((near.values, near.indices + first))
    far = torch.cat([values for values, _ in kept], 1)
    rows = torch.cat([rows for _, rows in kept], 1)
    order = far.topk(WANTED + SPARE, largest=False).indices
    candidates = np.sort(torch.gather(rows, 1, order).cpu().numpy(), axis=1)
    exact = queries.astype(np.float64)
    distances = np.stack(
        [
            np.sqrt(np.square(q - vectors[rows].astype(np.float64)).sum(axis=1))
            for q, rows in zip(exact, candidates, strict=True)
        ]
    )
    best = np.argsort(distances, axis=1, kind="stable")[:, :WANTED]
    same = np.array_equal(np.take_along_axis(distances, best, 1), answer[0])
    return same and np.array_equal(np.take_along_axis(candidates, best, 1), answer[1])


def _peer(shown: Any) -> Callable[[Array], Any]:
    import torch

    squares = (shown * shown).sum(1)

    def search(queries: Array) -> Any:
        asked = torch.from_numpy(queries).cuda()
        far = torch.addmm(squares[None], asked, shown.T, alpha=-2.0)
        near = far.topk(WANTED, largest=False)
        return near.values.cpu(), near.indices.cpu()

    return search


def _scans(device: Device, view: View, count: int) -> float:
    """Seconds of the byte scan alone, with limits that few rows are within."""
    rng = np.random.default_rng(3)
    queries = rng.standard_normal((count, view.dim)).astype(np.float32)
    coded = view.code(queries).coded
    rows = [b for b in (view.codes, view.numbers, view.all_alive) if b is not None]
    given = (*rows, device.buffer(coded.words), device.buffer(coded.numbers))
    tau = device.buffer(np.full(count, -1.0, np.float32))
    bits = device.empty((count, view.groups), "u32")
    calls = max(3, 20 // (1 + count // 100))

    def run() -> None:
        for _ in range(calls):
            device.submit(kernels.byte_near, (*given, tau), bits)
        device.synchronize()

    run()
    return statistics.median(_timed(run, 5)) / calls


def searches(device: Device, rows: int, dim: int) -> list[Row]:
    """Every line."""
    import torch

    torch.manual_seed(1)
    shown = torch.randn((rows, dim), device="cuda")
    vectors = shown.cpu().numpy()
    table = Table(dim, "l2", "f32", device)
    started = perf_counter()
    table.append(vectors)
    view = table.view()
    built = perf_counter() - started
    print(f"built in {built:.1f} s", file=sys.stderr, flush=True)
    peer = _peer(shown)
    rng = np.random.default_rng(2)
    found = []
    for count, bar in BARS.items():
        queries = rng.standard_normal((count, dim)).astype(np.float32)
        started = perf_counter()
        answer = nearest(view, queries, WANTED)
        first = perf_counter() - started
        exact = _checked(queries, vectors, shown, answer)
        for _ in range(3):
            nearest(view, queries, WANTED)
            peer(queries)
        times = sorted(_timed(lambda q=queries: nearest(view, q, WANTED), 30))  # type: ignore[misc]
        beside = statistics.median(_timed(lambda q=queries: peer(q), 15))  # type: ignore[misc]
        middle = statistics.median(times)
        scan = _scans(device, view, count)
        note = f"{'exact' if exact else 'WRONG'}; scan alone {scan * 1e3:.3f} ms, "
        note += f"first {first * 1e3:,.0f} ms, fastest {times[0] * 1e3:.3f}"
        found.append(
            Row(
                f"{count:,} queries",
                Figure(middle * 1e3, "ms"),
                (("torch f32", Figure(beside * 1e3, "ms")),),
                beside / middle,
                Bar(bar, "ms"),
                note,
            )
        )
        print(found[-1].what, f"{middle * 1e3:.3f} ms", note, file=sys.stderr, flush=True)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.cuda_search", description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--dim", type=int, default=DIM)
    options = parser.parse_args(arguments)
    with treadle.device("cuda") as device:
        print(as_markdown(searches(device, options.rows, options.dim)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
