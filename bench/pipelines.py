"""Pipelines: what fusing is worth, what a run costs, what planning costs.

In: an effort; the device in use. Out: rows. On a GPU the picture lines are eight 4K frames beside
torch, elsewhere one 1080p frame beside OpenCV. A child process times planning and compiling, first
with an empty cache and then with the one that it filled.
"""

from __future__ import annotations

import itertools
import json
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import treadle
from bench import peers
from bench.fresh import run_module
from bench.table import Bar, Figure, Row
from bench.timing import Effort, medians

__all__ = ["LINES"]

Calls = dict[str, Callable[[], object]]

AMOUNT = 0.5
TOLERANCE = 4  # steps of 255
FRAMES_4K = (8, 2160, 3840, 4)
FRAME_1080P = (1080, 1920, 4)
BLOCK = 100  # runs in a row of what takes microseconds
STAGES = 10
AGAIN = {"cpu": 12, "webgpu": 250}  # microseconds for a run of ten tiny stages, by kind of device
ENHANCE: tuple[tuple[str, dict[str, float]], ...] = (
    ("scalar_mul", {"scalar": 1.2}),
    ("scalar_add", {"scalar": -0.1}),
    ("clamp", {"min": 0.0, "max": 1.0}),
    ("sqrt", {}),
    ("scalar_mul", {"scalar": 0.9}),
    ("scalar_add", {"scalar": 0.05}),
    ("relu", {"slope": 0.1}),
    ("clamp", {"min": 0.0, "max": 1.0}),
)


def _ms(seconds: float) -> Figure:
    return Figure(seconds * 1e3, "ms")


def _us(seconds: float) -> Figure:
    return Figure(seconds * 1e6, "us")


def _kind() -> str:
    """The kind of the device in use."""
    return treadle.device().name.partition(":")[0]


def _noise(shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    numbers = np.random.default_rng(7)
    if dtype == "u8":
        return numbers.integers(0, 256, shape, np.uint8)
    return numbers.random(shape, np.float32)


def _enhanced(image: treadle.Buffer, out: treadle.Buffer, tolerance: float = 0) -> treadle.Pipeline:
    p = treadle.pipeline(name="picture", tolerance=tolerance)
    p.add("blur", image, radius=3, sigma=1.5).add("sharpen", p.last, amount=AMOUNT)
    return p.add("grayscale", p.last, out)


def _opencv(picture: np.ndarray[Any, Any], out: np.ndarray[Any, Any]) -> Callable[[], object]:
    cv2 = peers.opencv()
    edge = cv2.BORDER_REPLICATE
    cross = np.array([[0, -1, 0], [-1, 4, -1], [0, -1, 0]], np.float32) * AMOUNT
    cross[1, 1] += 1
    soft, sharp = np.empty_like(picture), np.empty_like(picture)

    def call() -> None:
        cv2.GaussianBlur(picture, (7, 7), 1.5, dst=soft, sigmaY=1.5, borderType=edge)
        cv2.filter2D(soft, -1, cross, dst=sharp, borderType=edge)
        cv2.cvtColor(sharp, cv2.COLOR_RGBA2GRAY, dst=out)

    return call


def _torch(image: treadle.Buffer) -> Callable[[], object]:
    """The same stages on torch tensors, channels last, as eager torch runs them."""
    torch = peers.torch()
    frames = torch.from_dlpack(image).permute(0, 3, 1, 2)
    taps = torch.exp(-(torch.arange(-3, 4, device=frames.device) ** 2) / (2 * 1.5**2))
    taps = (taps / taps.sum()).float()
    row, column = (taps.view(1, 1, *shape).repeat(4, 1, 1, 1) for shape in ((1, 7), (7, 1)))
    cross = torch.tensor([[0.0, -1, 0], [-1, 4, -1], [0, -1, 0]], device=frames.device) * AMOUNT
    cross[1, 1] += 1
    cross = cross.view(1, 1, 3, 3).repeat(4, 1, 1, 1)
    luma = torch.tensor([0.299, 0.587, 0.114, 0.0], device=frames.device).view(1, 4, 1, 1)
    pad, conv = torch.nn.functional.pad, torch.nn.functional.conv2d

    def call() -> None:
        x = frames.float()
        x = conv(pad(x, (3, 3, 0, 0), "replicate"), row, groups=4)
        x = conv(pad(x, (0, 0, 3, 3), "replicate"), column, groups=4)
        x = conv(pad(x, (1, 1, 1, 1), "replicate"), cross, groups=4)
        (x * luma).sum(1).to(frames.dtype)
        torch.cuda.synchronize()

    return call


def picture(effort: Effort) -> list[Row]:
    """blur(3, 1.5), sharpen(0.5), grayscale, fused."""
    gpu = treadle.device_info().gpu
    shape = FRAMES_4K if gpu else FRAME_1080P
    rows = []
    for dtype, bar in (("u8", 1.7), ("f32", 2.4)):
        source = _noise(shape, dtype)
        result = np.empty(shape[:-1], source.dtype)
        other = np.empty_like(result)
        image, out = treadle.from_numpy(source), treadle.from_numpy(result)
        if gpu:
            image, out = treadle.buffer(source), treadle.empty(shape[:-1], dtype)
        p = _enhanced(image, out)
        soft, sharp = (treadle.empty(shape, dtype) for _ in range(2))

        def stages(
            image: Any = image, soft: Any = soft, sharp: Any = sharp, out: Any = out
        ) -> None:
            treadle.submit("blur", [image], soft, radius=3, sigma=1.5)
            treadle.submit("sharpen", [soft], sharp, amount=AMOUNT)
            treadle.run_kernel("grayscale", [sharp], out)

        calls: Calls = {"treadle": p.run}
        if not gpu and peers.opencv() is not None:
            calls["OpenCV"] = _opencv(source, other)
        if gpu and peers.torch() is not None:
            calls["torch"] = _torch(image)
        calls["stage by stage"] = stages
        times = medians(calls, max(effort.repeats // (1 if not gpu else 2), 3))
        if "OpenCV" in calls:
            found = p.run().to_numpy()
            # OpenCV blurs u8 with weights of 8 bits; sharpening doubles what that is off.
            off = 7 if dtype == "u8" else 1e-4
            np.testing.assert_allclose(found, other, rtol=1e-4, atol=off)
        peer = next((name for name in ("OpenCV", "torch") if name in times), "stage by stage")
        names = [peer, *(name for name in times if name not in ("treadle", peer))]
        limit = Bar(0.5, "ms") if gpu else Bar(bar, f"x {peer}", least=True, ratio=True)
        limit = None if _kind() == "webgpu" and not gpu else limit  # a GPU in software
        plan = p.plan()
        note = (
            f"blur(3, 1.5), sharpen(0.5), grayscale in {len(plan.groups)} kernels; "
            f"{plan.bytes_after / plan.bytes_before:.0%} of the traffic of separate stages."
        )
        what = f"blur, sharpen, grayscale, {'8 x 4K' if gpu else '1080p'} RGBA {dtype}"
        beside = tuple((name, _ms(times[name])) for name in names)
        ratio = times[peer] / times["treadle"]
        rows.append(Row(what, _ms(times["treadle"]), beside, ratio, limit, note, headline=True))
        p.free()
    return rows


def close(effort: Effort) -> list[Row]:
    """The same in fixed point, on devices that have it."""
    if treadle.device_info().gpu or peers.opencv() is None:
        return []
    source = _noise(FRAME_1080P, "u8")
    result, exact, other = (np.empty(FRAME_1080P[:-1], np.uint8) for _ in range(3))
    image, out = treadle.from_numpy(source), treadle.from_numpy(result)
    p, q = _enhanced(image, out, TOLERANCE), _enhanced(image, treadle.from_numpy(exact))
    plan = p.plan()
    if not plan.steps:
        return []
    calls: Calls = {"treadle": p.run, "OpenCV": _opencv(source, other), "exact": q.run}
    times = medians(calls, effort.repeats)
    off = int(np.abs(result.astype(int) - exact.astype(int)).max())
    peer = int(np.abs(other.astype(int) - exact.astype(int)).max())
    note = (
        f"treadle.pipeline(tolerance={TOLERANCE}): at most {plan.steps} steps of 255 from the "
        f"exact result by proof, {off} in this picture; OpenCV is {peer} away."
    )
    what = "blur, sharpen, grayscale, 1080p RGBA u8, fixed point"
    beside = tuple((name, _ms(times[name])) for name in ("OpenCV", "exact"))
    ratio = times["OpenCV"] / times["treadle"]
    bar = Bar(3.0, "x OpenCV", least=True, ratio=True)
    return [Row(what, _ms(times["treadle"]), beside, ratio, bar, note, headline=True)]


def pointwise(effort: Effort) -> list[Row]:
    """Eight pointwise kernels over a 4K picture, beside a copy of it."""
    gpu = treadle.device_info().gpu
    source = _noise(FRAMES_4K[1:], "f32")
    image, out = treadle.buffer(source), treadle.empty(source.shape)
    p = treadle.pipeline(name="enhance")
    current: Any = image
    for index, (kernel, params) in enumerate(ENHANCE):
        p.add(kernel, current, out if index + 1 == len(ENHANCE) else None, params)
        current = p.last
    copied = treadle.empty(source.shape)
    target = np.zeros_like(source)
    calls: Calls = {"treadle": p.run}
    if gpu:
        spec = {"op": "copy_buffer", "input": image, "output": copied}
        calls["device copy"] = lambda: treadle.submit(spec).wait()
    else:
        calls["np.copyto"] = lambda: np.copyto(target, source)
    times = medians(calls, effort.repeats)
    peer = next(name for name in times if name != "treadle")
    speeds = {name: Figure(2 * source.nbytes / t / 1e9, "GB/s") for name, t in times.items()}
    limit = Bar(0.85 if gpu else 0.7, f"of {peer}", least=True, ratio=True)
    bar = None if _kind() == "webgpu" and not gpu else limit
    note = f"{len(ENHANCE)} stages in {len(p.plan().groups)} kernels: {p.plan().groups[0].kernel}."
    ratio = times[peer] / times["treadle"]
    what = "eight pointwise kernels, 4K RGBA f32"
    return [Row(what, speeds["treadle"], ((peer, speeds[peer]),), ratio, bar, note)]


def _tiny(count: int = STAGES, first: float = 1.0) -> treadle.Pipeline:
    x, out = treadle.buffer_zeros(1000), treadle.empty(1000)
    p = treadle.pipeline(name="tiny")
    p.buffer("x", x)
    p.buffer("out", out)
    current: Any = x
    for index in range(count):
        last = index + 1 == count
        kernel = "scalar_add" if index % 2 else "scalar_mul"
        p.add(kernel, current, out if last else None, scalar=first)
        current = p.last
    return p


def tiny(effort: Effort) -> list[Row]:
    """Running again a pipeline of ten small stages, and one of a single stage."""
    ten, one = _tiny(), _tiny(1)
    x, out = treadle.buffer_zeros(1000), treadle.empty(1000)

    def separate() -> None:
        for _ in range(STAGES):
            treadle.run_kernel("scalar_mul", [x], out, scalar=1.0)

    sets = itertools.cycle(
        [{"x": treadle.buffer_zeros(1000), "out": treadle.empty(1000)} for _ in range(3)]
    )
    calls: Calls = {
        "treadle": ten.run,
        "three sets of bindings": lambda: ten.run(bind=next(sets)),
        "one stage": one.run,
        "one run_kernel": lambda: treadle.run_kernel("scalar_mul", [x], out, scalar=1.0),
        "ten run_kernel": separate,
    }
    times = medians(calls, max(effort.calls // BLOCK // 4, 5), inner=BLOCK)
    names = ["ten run_kernel", "three sets of bindings", "one stage", "one run_kernel"]
    bar = Bar(AGAIN[_kind()], "us") if _kind() in AGAIN else None
    beside = tuple((name, _us(times[name])) for name in names)
    ratio = times["ten run_kernel"] / times["treadle"]
    rows = [Row("run again: ten stages over 1,000 f32", _us(times["treadle"]), beside, ratio, bar)]
    if treadle.device().limits.ordered:  # a device that takes work by itself, not the processor
        rows += [_apart(effort, bar), _submitted(ten, effort)]
    return rows


def _apart(effort: Effort, bar: Bar | None) -> Row:
    """Running again ten kernels that may not become one."""
    buffers = [treadle.buffer_zeros(1000) for _ in range(STAGES + 1)]
    p = treadle.pipeline(name="apart")
    for a, b in itertools.pairwise(buffers):
        p.add("scalar_add", a, b, scalar=1.0).barrier()
    times = medians({"treadle": p.run}, max(effort.calls // BLOCK // 4, 5), inner=BLOCK)
    note = "With barriers between them: one launch, or one submission, of ten kernels."
    return Row("run again: ten kernels over 1,000 f32", _us(times["treadle"]), bar=bar, note=note)


def _submitted(p: treadle.Pipeline, effort: Effort) -> Row:
    """Time of the processor for one run, many of them in a row."""
    times = []
    for _ in range(5):
        started = perf_counter()
        for _ in range(BLOCK):
            p.submit()
        times.append((perf_counter() - started) / BLOCK)
        treadle.device().synchronize()
    bar = Bar(8, "us") if _kind() == "cuda" else None
    return Row("submit of ten stages, CPU time", _us(statistics.median(times)), bar=bar)


def planned(effort: Effort) -> list[Row]:
    """From an empty pipeline of ten stages to the end of its first run."""
    name = treadle.device().name
    cold: list[float] = []
    warm: list[float] = []
    for _ in range(max(effort.processes // 3, 1)):
        with tempfile.TemporaryDirectory(prefix="treadle-bench-") as folder:
            for seconds in (cold, warm):
                cache = str(Path(folder, "cache"))
                seconds.append(run_module("bench.pipelines", [name], TREADLE_CACHE=cache))
    note = "Recording, fusing, compiling and the first run; LLVM or the driver is loaded already."
    first, again = statistics.median(cold), statistics.median(warm)
    return [
        Row("a new pipeline of ten stages", _ms(first), bar=Bar(200, "ms"), note=note),
        Row("the same, plan and programs on disk", _ms(again), bar=Bar(5, "ms"), note=note),
    ]


def child(device: str) -> float:
    """Seconds until a new pipeline has run, after a kernel that loads what has to be loaded."""
    with treadle.use_device(device):
        x = treadle.buffer_zeros(1000)
        treadle.run_kernel("exp", [x])
        warm = treadle.pipeline().add("neg", x).add("abs", x, x)  # the fusing pass is loaded, too
        warm.run()
        started = perf_counter()
        _tiny(first=1.5).run()
        return perf_counter() - started


def pipelines(effort: Effort) -> list[Row]:
    """Every line about pipelines."""
    return [*picture(effort), *close(effort), *pointwise(effort), *tiny(effort), *planned(effort)]


LINES: dict[str, Callable[[Effort], list[Row]]] = {"pipelines": pipelines}

if __name__ == "__main__":
    print(json.dumps(child(sys.argv[1])))
