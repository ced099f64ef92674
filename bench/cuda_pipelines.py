"""Pipelines on an NVIDIA GPU: chains of stencils and of pointwise kernels, tiny ones, a diamond.

In: a device, and the bandwidth of a copy on it. Out: rows for `python -m bench.cuda`. Peers run in
the same process, in turn, on the same data.

    python -m bench.cuda_pipelines --diamond    when each branch of a diamond ran, by its trace
    python -m bench.cuda_pipelines --tolerance  exact frames beside those with a tolerance
    python -m bench.cuda_pipelines --tiny       the processor's time for a run again
"""

from __future__ import annotations

import argparse
import itertools
import math
import statistics
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

import treadle
from bench.table import Bar, Figure, Row, as_text
from treadle.runtime.device import Device

__all__ = ["diamond", "pipelines", "tiny"]

FRAMES = (8, 2160, 3840, 4)
RADIUS, SIGMA, AMOUNT = 3, 1.5, 0.5
TOLERANCE = 4
TINY, SMALL = 10, 1000
ROUNDS = 5
# A branch has 32 blocks of 256 threads with four elements each, far fewer than a large GPU has room
# for, and takes about a millisecond.
BRANCH, TRIPS = 32 * 256 * 4, 50_000


@treadle.pointwise(static=("trips",))
def left_branch(x, *, trips=TRIPS):  # type: ignore[no-untyped-def]
    total = x
    for _ in range(trips):
        total = total * 0.5 + 1.0
    return total


@treadle.pointwise(static=("trips",))
def right_branch(x, *, trips=TRIPS):  # type: ignore[no-untyped-def]
    total = x
    for _ in range(trips):
        total = total * 0.25 + 3.0
    return total


def pipelines(device: Device, rate: float) -> list[Row]:
    """Measure all; `rate` is bytes per second of a copy, read and written ones counted."""
    return [
        stencils(device, rate),
        tolerant(device),
        pointwise(device, rate),
        tiny(device),
        diamond(device),
    ]


def _ms(seconds: float) -> Figure:
    return Figure(seconds * 1e3, "ms")


def _many(run: Callable[[], object], wait: Callable[[], object], calls: int) -> float:
    """Seconds for one of many runs in a row; the median of rounds."""
    run()
    wait()
    times = []
    for _ in range(ROUNDS):
        started = perf_counter()
        for _ in range(calls):
            run()
        wait()
        times.append((perf_counter() - started) / calls)
    return statistics.median(times)


def _picture(
    device: Device, tolerance: float = 0
) -> tuple[treadle.Pipeline, treadle.Buffer, treadle.Buffer]:
    """Blur, sharpen and grey over eight frames: the pipeline, what it reads and what it writes."""
    values = np.random.default_rng(1).integers(0, 256, FRAMES, np.uint8)
    frames, grey = device.buffer(values), device.empty(FRAMES[:-1], "u8")
    pipeline = treadle.pipeline(device, tolerance=tolerance)
    blurred, sharp = (pipeline.temp(FRAMES, "u8") for _ in range(2))
    pipeline.add("gaussian_blur", [frames], blurred, radius=RADIUS, sigma=SIGMA)
    pipeline.add("sharpen", [blurred], sharp, amount=AMOUNT).add("grayscale", [sharp], grey)
    return pipeline, frames, grey


def tolerant(device: Device) -> Row:
    """The same picture where four steps of 255 are allowed, beside the exact one."""
    (exact, _, wanted), (loose, _, grey) = _picture(device), _picture(device, TOLERANCE)
    mine = _many(loose.submit, device.synchronize, 20)
    theirs = _many(exact.submit, device.synchronize, 20)
    off = np.abs(grey.to_numpy().astype(int) - wanted.to_numpy().astype(int)).max()
    assert off <= TOLERANCE, f"{off} steps away"
    what = f"the same, tolerance={TOLERANCE}: up to {off} steps away, {loose.plan().steps} proved"
    return Row(what, _ms(mine), (("exact", _ms(theirs)),), theirs / mine, Bar(0.25, "ms"))


def stencils(device: Device, rate: float) -> Row:
    """Blur, sharpen and turn grey eight frames of 4K, beside torch."""
    import torch

    pipeline, frames, grey = _picture(device)
    mine = _many(pipeline.submit, device.synchronize, 20)
    peers = [("floor", _ms((frames.size + grey.size) / rate))]
    theirs = torch.from_dlpack(frames)
    eager = _torch(torch)
    wanted = eager(theirs)
    off = (torch.from_dlpack(grey).int() - wanted.int()).abs().float()
    # Each rounds to u8 on its way, and sharpening triples what that is off.
    assert off.max().item() <= 4, f"torch computes something else: {off.max().item()} away"
    assert off.mean().item() < 0.1, f"torch computes something else: {off.mean().item()} on average"
    found = {}
    for name, call in (("torch", eager), ("torch.compile", torch.compile(eager))):
        found[name] = _many(lambda call=call: call(theirs), torch.cuda.synchronize, 5)
        peers.append((name, _ms(found[name])))
    what = "blur(3, 1.5), sharpen(.5), grey: 8 frames 3840x2160 RGBA u8"
    return Row(what, _ms(mine), tuple(peers), found["torch"] / mine, Bar(0.45, "ms"))


def _torch(torch: Any) -> Callable[[Any], Any]:
    weights = [math.exp(-0.5 * (i / SIGMA) ** 2) for i in range(-RADIUS, RADIUS + 1)]
    taps = torch.tensor(weights, device="cuda") / sum(weights)
    cross = torch.tensor([[0.0, -1, 0], [-1, 4, -1], [0, -1, 0]], device="cuda") * AMOUNT
    cross[1, 1] += 1
    luma = torch.tensor([0.299, 0.587, 0.114], device="cuda").view(1, 3, 1, 1)

    def filtered(x: Any, kernel: Any) -> Any:
        down, across = kernel.shape[-2] // 2, kernel.shape[-1] // 2
        x = torch.nn.functional.pad(x, (across, across, down, down), mode="replicate")
        return torch.nn.functional.conv2d(x, kernel.expand(4, 1, -1, -1), groups=4)

    def rounded(x: Any) -> Any:
        return x.round().clamp(0, 255)

    def run(frames: Any) -> Any:
        x = frames.permute(0, 3, 1, 2).float()
        x = filtered(filtered(x, taps.view(1, 1, -1, 1)), taps.view(1, 1, 1, -1))
        x = rounded(filtered(rounded(x), cross.view(1, 1, 3, 3)))
        return rounded((x[:, :3] * luma).sum(1)).to(torch.uint8)

    return run


def pointwise(device: Device, rate: float) -> Row:
    """Eight pointwise kernels over 4K frames of floats, against the bytes alone."""
    shape = FRAMES
    source, target = device.buffer(np.full(shape, 0.25, np.float32)), device.empty(shape)
    pipeline = treadle.pipeline(device)
    current: Any = source
    names = ["scalar_mul", "scalar_add", "sqrt", "scalar_mul", "abs", "scalar_add", "relu"]
    for k, name in enumerate([*names, "scalar_mul"]):
        out = target if k == len(names) else pipeline.temp(shape)
        params = {"scalar": 1.01} if name.startswith("scalar") else {}
        pipeline.add(name, [current], out, **params)
        current = out
    seconds = _many(pipeline.submit, device.synchronize, 20)
    floor = 2 * source.size / rate
    bar = Bar(0.85, least=True, ratio=True)
    what = "eight pointwise kernels, 8 frames 3840x2160x4 f32"
    return Row(what, _ms(seconds), (("floor", _ms(floor)),), floor / seconds, bar)


def tiny(device: Device) -> Row:
    """The CPU's share of running ten kernels of a thousand elements again."""
    buffers = [device.buffer(np.zeros(SMALL, np.float32)) for _ in range(TINY + 1)]
    pipeline = treadle.pipeline(device)
    for a, b in itertools.pairwise(buffers):
        pipeline.add("scalar_add", [a], b, scalar=1.0).barrier()  # or they became one
    pipeline.run()
    assert buffers[-1].to_numpy()[0] == TINY
    samples = []
    for _ in range(3000):
        started = perf_counter()
        command = pipeline.submit()
        samples.append(perf_counter() - started)
        command.wait()
    prepared = pipeline._now.prepared
    assert prepared is not None
    steps = prepared._steps
    launches = []
    for _ in range(3000):
        started = perf_counter()
        fence = device.backend.launch(steps, lambda fence: None)
        launches.append(perf_counter() - started)
        while not fence.done():
            pass
    alone = Figure(statistics.median(launches) * 1e6, "us")
    mine = Figure(statistics.median(samples) * 1e6, "us")
    what = "ten tiny kernels again, the CPU's time"
    return Row(what, mine, (("the launch alone", alone),), bar=Bar(8, "us"))


def diamond(device: Device) -> Row:
    """Two branches that read the same and meet, beside one after the other."""
    x = device.buffer(np.zeros(BRANCH, np.float32))
    out, alone = device.empty(BRANCH), treadle.pipeline(device, name="one branch")
    pipeline = treadle.pipeline(device, name="diamond")
    pipeline.add(left_branch, x)
    first = pipeline.last
    pipeline.add(right_branch, x).add("add", [first, pipeline.last], out)
    alone.add(left_branch, x, device.empty(BRANCH))
    together = _many(pipeline.submit, device.synchronize, 10)
    np.testing.assert_allclose(out.to_numpy(), 2.0 + 4.0, rtol=1e-5)
    branch = _many(alone.submit, device.synchronize, 10)
    with treadle.trace() as trace:
        pipeline.run()
    groups = [record for record in trace.records if record.kind == "group"]
    note = "; ".join(_when(record, groups[0].start) for record in groups) or "groups are not timed"
    branches = [record for record in groups if record.label.endswith("branch")]
    if len(branches) == 2:
        a, b = branches
        shared = min(a.stop, b.stop) - max(a.start, b.start)
        share = shared / min(a.stop - a.start, b.stop - b.start)
        note += f"; the branches overlap for {max(share, 0):.0%} of the shorter one"
    peers = (("one branch", _ms(branch)), ("one after the other", _ms(2 * branch)))
    what = "a diamond of two branches of 32 blocks"
    return Row(what, _ms(together), peers, 2 * branch / together, note=note)


def _when(record: Any, origin: int) -> str:
    start, stop = ((moment - origin) / 1e3 for moment in (record.start, record.stop))
    return f"{record.label} {start:.0f} to {stop:.0f} us"


def main() -> None:
    """Print the chosen rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--diamond", action="store_true")
    parser.add_argument("--tolerance", action="store_true")
    parser.add_argument("--tiny", action="store_true")
    chosen = parser.parse_args()
    device = treadle.device(chosen.device)
    rows = [tiny(device)] if chosen.tiny else []
    rows += [diamond(device)] if chosen.diamond else []
    rows += [tolerant(device)] if chosen.tolerance else []
    print(as_text(rows))


if __name__ == "__main__":
    main()
