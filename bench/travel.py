"""Streams where data has to travel: how close they come to the slower of copying and computing.

In: a device, and how batches are to travel. Out: rows, with torch's own way beside ours where it is
present. `python -m bench.streams --device cuda` runs it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import treadle
from bench import peers
from bench.seed import best, churned
from bench.table import Bar, Figure, Row
from treadle.runtime.device import Device

__all__ = ["travel"]


def travel(
    device: Device,
    *,
    megabytes: int = 64,
    batches: int = 60,
    depth: int = 4,
    pageable: bool = False,
) -> list[Row]:
    """Batches up, a fused chain, and down again.

    The bound is the slowest part alone; copies in both directions at once, which share the bus,
    are a part."""
    count = megabytes * (1 << 20) // 4
    sources = [
        np.empty(count, np.float32) if pageable else device.host_array(count) for _ in range(4)
    ]
    for each in sources:
        each[:] = np.linspace(0.1, 0.9, count, dtype=np.float32)
    targets, results = ([device.empty(count) for _ in sources] for _ in range(2))
    outs = [device.host_array(count) for _ in sources]

    def upload(k: int) -> treadle.Command:
        return device.upload(targets[k], sources[k])

    def compute(k: int) -> treadle.Command:
        return device.submit(churned, targets[k : k + 1], results[k], rounds=4)

    def download(k: int) -> treadle.Command:
        return device.download(results[k], outs[k])

    def many(*submits: Callable[[int], treadle.Command]) -> None:
        """As many as there are batches, a few under way, so that noticing an end costs nothing."""
        under_way: deque[treadle.Command] = deque()
        for n in range(batches):
            under_way += [submit(n % len(sources)) for submit in submits]
            while len(under_way) > 4 * len(submits):
                under_way.popleft().wait()
        for command in under_way:
            command.wait()

    lines: dict[str, tuple[Callable[[int], treadle.Command], ...]] = {
        "upload": (upload,),
        "compute": (compute,),
        "download": (download,),
        "both copies at once": (upload, download),
    }
    parts: dict[str, float] = {}
    for name, submits in lines.items():
        many(*submits)
        parts[name] = best(partial(many, *submits), 5) / batches
    bound = max(parts.values())

    def streamed() -> None:
        for _ in treadle.stream(
            (sources[n % 4] for n in range(batches)),
            compute=churned,
            params={"rounds": 4},
            max_in_flight=depth,
            device=device,
        ):
            pass

    streamed()
    took = min(best(streamed, 1) for _ in range(5)) / batches
    others = _torch(sources, count, batches)
    note = (
        f"{batches} batches of {megabytes} MB from {'ordinary' if pageable else 'page-locked'} "
        f"memory, {depth} under way; alone they take "
        + ", ".join(f"{name} {seconds * 1e3:.2f} ms" for name, seconds in parts.items())
        + "."
    )
    return [
        Row(
            f"stream of {megabytes} MB batches, share of the bound",
            Figure(bound / took * 100, "%"),
            tuple((name, Figure(bound / t * 100, "%")) for name, t in others),
            others[0][1] / took if others else None,
            Bar(95, "%", least=True),
            note,
        ),
        Row(
            f"stream of {megabytes} MB batches",
            Figure(took * 1e3, "ms"),
            tuple((name, Figure(t * 1e3, "ms")) for name, t in others),
            others[0][1] / took if others else None,
            None,
            note,
        ),
    ]


def _torch(
    sources: Sequence[np.ndarray[Any, Any]], count: int, batches: int
) -> list[tuple[str, float]]:
    """The same with torch: pinned memory, copies that do not block, a stream for each batch."""
    torch = peers.torch()
    if torch is None or not torch.cuda.is_available():
        return []
    pinned = [torch.from_numpy(np.array(each)).pin_memory() for each in sources]
    results = [torch.empty(count).pin_memory() for _ in range(4)]
    streams = [torch.cuda.Stream() for _ in range(4)]

    def run() -> None:
        for n in range(batches):
            stream = streams[n % 4]
            stream.synchronize()
            with torch.cuda.stream(stream):
                x = pinned[n % 4].to("cuda", non_blocking=True)
                for _ in range(4):
                    x = torch.exp(-x)
                results[n % 4].copy_(x, non_blocking=True)
        torch.cuda.synchronize()

    run()
    return [("torch", min(best(run, 1) for _ in range(5)) / batches)]
