"""What small commands cost: `python -m bench.commands [DEVICE]`, medians in microseconds.

Two versions are compared by running it in turns, each with its own PYTHONPATH. The device
"pretended" is CUDA with a driver whose calls cost nothing: what is left is Treadle's part.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np

import treadle

ROUNDS = 1000
IN_A_ROW = 2000


def _each(call: Callable[[], object], after: Callable[[], object]) -> float:
    """The median of a call's times; `after` is not timed."""
    times = []
    for _ in range(ROUNDS + 200):
        started = perf_counter()
        call()
        times.append(perf_counter() - started)
        after()
    return statistics.median(times[200:]) * 1e6


def _row(call: Callable[[int], object], device: treadle.Device) -> float:
    """The median time of a call among many, the end of the last one included."""
    times = []
    for _ in range(10):
        started = perf_counter()
        kept = [call(number) for number in range(IN_A_ROW)]
        device.synchronize()
        times.append((perf_counter() - started) / len(kept))
    return statistics.median(times[3:]) * 1e6


def _polled(device: treadle.Device) -> float:
    """How much longer a caller takes that polls in a loop than one that waits; in turns."""
    source = device.buffer(np.random.default_rng(0).random(1 << 22, np.float32))
    target = device.empty(source.shape)
    device.run_kernel("exp", [source], target)
    times: dict[bool, list[float]] = {False: [], True: []}
    for number in range(60):
        started = perf_counter()
        command = device.submit("exp", [source], target)
        while number % 2 and not command.done():
            pass
        command.wait()
        times[bool(number % 2)].append(perf_counter() - started)
    return statistics.median(times[True]) / statistics.median(times[False])


async def _awaited(call: Callable[[], treadle.Command]) -> list[float]:
    times = []
    for _ in range(ROUNDS + 200):
        started = perf_counter()
        await call()
        times.append((perf_counter() - started) * 1e6)
    return sorted(times[200:])


def _pretended() -> treadle.Device:
    import pytest

    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    from pretend_cuda import pretended

    return pretended(pytest.MonkeyPatch(), Path(tempfile.mkdtemp()), quiet=True)[0]


def main() -> None:
    """Print a line for each way to run a small command."""
    name = sys.argv[1] if len(sys.argv) > 1 else None
    device = _pretended() if name == "pretended" else treadle.device(name)
    x = device.buffer(np.ones(1000, np.float32))
    out = [device.empty(1000) for _ in range(64)]

    def submit(number: int = 0) -> treadle.Command:
        return device.submit("add", [x, x], out[number % 64])

    def nothing() -> None:
        pass

    device.run_kernel("add", [x, x], out[0])
    pipeline, last = treadle.pipeline(device), x
    for each in out[:10]:
        pipeline.add("scale", [last], each, scalar=1.01)
        last = each
    pipeline.run()
    prepared = treadle.prepare("add", [x, x], out[0])
    prepared.run()
    steps = [treadle.prepare("add", [x, x], each) for each in out]
    names = [("add", [x, x], each) for each in out]
    waits = asyncio.run(_awaited(submit))
    lines = {
        "submit alone": _each(submit, device.synchronize),
        "submit, prepared": _each(prepared.submit, device.synchronize),
        "run_kernel": _each(lambda: device.run_kernel("add", [x, x], out[0]), nothing),
        "submit and await": statistics.median(waits),
        "its 99th percentile": waits[len(waits) * 99 // 100],
        f"{IN_A_ROW} in a chain, each": _row(lambda _: submit(), device),
        f"{IN_A_ROW} apart, each": _row(submit, device),
        f"{len(names)} in one call, each": _each(lambda: device.submit_many(names), nothing)
        / len(names),
        "the same, prepared": _each(lambda: device.submit_many(steps), nothing) / len(steps),
        "ten stages again": _each(pipeline.submit, device.synchronize),
    }
    if device.info.backend == "cuda" and name != "pretended":
        import torch  # which that machine has

        beside = torch.ones(1000, device="cuda")
        lines["torch.add with out="] = _each(
            lambda: torch.add(beside, beside, out=beside), torch.cuda.synchronize
        )
    for what, microseconds in lines.items():
        print(f"{what:24} {microseconds:8.1f} us")
    if name != "pretended":
        print(f"{'polling / waiting':24} {_polled(device):8.2f}")


if __name__ == "__main__":
    main()
