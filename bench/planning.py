"""What something new costs the event loop: the first submit of every kernel, and the time after it.

In: an effort. Out: rows. Child processes with a cache directory of their own, in which nothing was
planned before, submit from a coroutine. One submits every shipped kernel and a pipeline of many
stages and times the submits; before each it waits until the one before has ended, so that a submit
is measured and not its place in a row of fifty. Another submits fifty kernels at once beside a
ticker of a millisecond. A busy machine is late by itself: so the processor time of the submits is
given, too, and tickers of processes with nothing else to do run at the same time. One of them is
woken as often as results come: an event loop that is woken sleeps a whole millisecond again.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from time import perf_counter, sleep, thread_time
from typing import Any

import numpy as np

from bench.fresh import run_module
from bench.table import Bar, Figure, Row
from bench.timing import Effort, quantile

__all__ = ["planning"]

TICK = 0.001
AT_ONCE = 50
WOKEN = 0.0423  # seconds from one wake to the next, where nothing else happens; no multiple of TICK
STAGES = 31
IMAGE = ("u8", (120, 160, 3))
MATRIX = ("f32", (37, 61))
SOUND = ("f32", (2000, 2))
VECTORS = (("f32", (7, 33)), ("f32", (90, 33)))
Spec = tuple[str, tuple[int, ...]]

# What kernels take: those that are not listed by name take one of these.
_ON_IMAGES = (
    "bicubic_scale box_blur brightness_contrast chroma_key crop denoise edge_detect flip "
    "gaussian_blur grayscale histogram overlay_alpha posterize preprocess resize rgb_to_yuv "
    "rotate90 saturation sepia sharpen video_mix vignette warp_affine lut_apply"
).split()
_ON_SOUNDS = (
    "biquad_filter duck dynamics_compress fft_convolve gain pcm_mix pcm_normalize resample"
).split()
_ON_VECTORS = "cosine_similarity dot l1 l2_distance l2_top_k linf".split()
_MORE: dict[str, tuple[Spec, ...]] = {
    "concat": (MATRIX, MATRIX),
    "conv2d": (("f32", (2, 6, 13, 17)), ("f32", (12, 6, 3, 3))),
    "dequantize_int8": (("u8", (40, 9)), ("f32", (40,))),
    "duck": (SOUND, ("f32", (2000, 1))),
    "fft_convolve": (SOUND, ("f32", (300, 2))),
    "gather": (MATRIX, ("s32", (4,))),
    "hamming": (("u32", (6, 5)), ("u32", (6, 5))),
    "lut_apply": (IMAGE, ("f32", (17, 1))),
    "matmul": (MATRIX, ("f32", (61, 37))),
    "overlay_alpha": (IMAGE, ("u8", (7, 9, 4))),
    "pcm_mix": (SOUND, SOUND),
    "video_mix": (IMAGE, IMAGE),
    "where": (("u8", (37, 61)), MATRIX, MATRIX),
    "yuv_to_rgb": (("u8", (180, 160)),),
}
_PARAMS: dict[str, dict[str, Any]] = {
    "bicubic_scale": {"size": (31, 17)},
    "biquad_filter": {"frequency": 1000.0, "kind": "low", "sample_rate": 48000},
    "clamp": {"min": -0.5, "max": 0.25},
    "crop": {"x": 3, "y": 4, "width": 10, "height": 5},
    "gain": {"db": 6.0},
    "l2_top_k": {"k": 3},
    "overlay_alpha": {"x": 5, "y": 3},
    "pow": {"exponent": 1.7},
    "preprocess": {"size": (16, 12)},
    "resample": {"from_rate": 44100, "to_rate": 48000},
    "reshape": {"shape": (61, -1)},
    "resize": {"size": (40, 19)},
    "scalar_add": {"scalar": 0.5},
    "scalar_mul": {"scalar": 2.5},
    "slice": {"starts": 1},
    "top_k": {"k": 5},
    "warp_affine": {"matrix": ((0.8, -0.3, 4.5), (0.25, 1.1, -2.25))},
}
_CYCLE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("gaussian_blur", {"radius": 2}),
    ("sharpen", {"amount": 0.3}),
    ("brightness_contrast", {"contrast": 1.1}),
    ("saturation", {"amount": 1.2}),
    ("box_blur", {"radius": 1}),
    ("vignette", {}),
)


def _inputs(name: str) -> tuple[Spec, ...]:
    """What a shipped kernel can be given."""
    if name in _MORE:
        return _MORE[name]
    if name in _ON_IMAGES:
        return (IMAGE,)
    if name in _ON_SOUNDS:
        return (SOUND,)
    if name in _ON_VECTORS:
        return VECTORS
    import treadle

    info = treadle.kernel_info(name)
    return tuple([(_dtype(info.dtypes[each]), MATRIX[1]) for each in info.inputs])


def _dtype(taken: Sequence[str]) -> str:
    """What an input is given that takes these: floats where it can."""
    return "f32" if "f32" in taken else "s32" if "s32" in taken else "u8"


def _work() -> list[tuple[str, list[Any], dict[str, Any]]]:
    """Every shipped kernel that takes an input, with buffers and parameters."""
    import treadle

    return [
        (
            name,
            [treadle.buffer(np.zeros(shape, dtype)) for dtype, shape in _arrays(name)],
            _PARAMS.get(name, {}),
        )
        for name in treadle.kernels()
        if treadle.kernel_info(name).inputs or treadle.kernel_info(name).name in _MORE
    ]


def _arrays(name: str) -> list[tuple[str, tuple[int, ...]]]:
    numpy = {"u8": "u1", "s32": "i4", "u32": "u4", "f32": "f4"}
    return [(numpy[dtype], shape) for dtype, shape in _inputs(name)]


def first_submits() -> dict[str, tuple[float, float]]:
    """Seconds, and seconds of the processor, of the first submit of each kernel, and of a pipeline
    of many stages."""
    import treadle

    async def main() -> dict[str, tuple[float, float]]:
        seconds = {}
        for name, inputs, params in _work():
            started, used = perf_counter(), thread_time()
            try:
                command = treadle.submit(name, inputs, params=params)
            except treadle.LaunchError:  # it wants something that is not listed here
                continue
            seconds[name] = perf_counter() - started, thread_time() - used
            await command
        pipeline = treadle.pipeline()
        now: Any = treadle.empty(IMAGE[1], IMAGE[0])
        for stage in range(STAGES - 1):
            kernel, params = _CYCLE[stage % len(_CYCLE)]
            now = pipeline.add(kernel, [now], params=params).last
        pipeline.add("grayscale", [now], treadle.empty(IMAGE[1][:2], "u8"))
        await asyncio.sleep(0.1)
        started, used = perf_counter(), thread_time()
        command = pipeline.submit()
        seconds["pipeline"] = perf_counter() - started, thread_time() - used
        await command
        return seconds

    return asyncio.run(main())


async def _tick(late: list[float], going: Callable[[], bool]) -> None:
    while going():
        started = perf_counter()
        await asyncio.sleep(TICK)
        late.append(perf_counter() - started - TICK)


def ticker_beside() -> dict[str, Any]:
    """How late a ticker is while fifty kernels are planned and compiled; and one elsewhere."""
    import treadle

    work = _work()[:AT_ONCE]
    others = {
        which: subprocess.Popen(
            [sys.executable, "-m", "bench.planning", which],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for which in ("idle", "woken")
    }

    async def main() -> tuple[list[float], float]:
        late: list[float] = []
        done: list[bool] = []
        ticker = asyncio.create_task(_tick(late, lambda: not done))
        await asyncio.sleep(0.1)
        started = perf_counter()
        commands = []
        for name, inputs, params in work:
            with contextlib.suppress(treadle.LaunchError):  # see first_submits
                commands.append(treadle.submit(name, inputs, params=params))
            await asyncio.sleep(0)
        await asyncio.gather(*commands)
        seconds = perf_counter() - started
        done.append(True)
        await ticker
        return late, seconds

    late, seconds = asyncio.run(main())
    elsewhere = {which: json.loads(other.communicate()[0]) for which, other in others.items()}
    return {"late": late, "seconds": seconds, **elsewhere}


def lone_ticker(*, woken: bool = False) -> list[float]:
    """How late a ticker is that has this process for itself, until its input ends."""
    late: list[float] = []
    waiting = threading.Thread(target=sys.stdin.read, daemon=True)
    waiting.start()

    def wake(loop: asyncio.AbstractEventLoop) -> None:
        while waiting.is_alive():
            sleep(WOKEN)
            with contextlib.suppress(RuntimeError):  # it has ended meanwhile
                loop.call_soon_threadsafe(lambda: None)

    async def main() -> None:
        if woken:
            loop = asyncio.get_running_loop()
            threading.Thread(target=wake, args=(loop,), daemon=True).start()
        await _tick(late, waiting.is_alive)

    asyncio.run(main())
    return late


def _fresh(what: str) -> Any:
    with tempfile.TemporaryDirectory(prefix="treadle-bench-") as cache:
        return run_module("bench.planning", [what], TREADLE_CACHE=cache)


def planning(effort: Effort) -> list[Row]:
    """First submits on an event loop, and a ticker while fifty kernels compile."""
    turns = [_fresh("submits") for _ in range(max(effort.processes // 5, 1))]
    rows = []
    for which, what in enumerate(("", ", processor time")):
        seconds = {n: statistics.median(turn[n][which] for turn in turns) for n in turns[0]}
        pipeline = seconds.pop("pipeline")
        worst = max(seconds, key=lambda name, seconds=seconds: seconds[name])
        beside = (
            ("median", _ms(statistics.median(seconds.values()))),
            (f"{STAGES} stages", _ms(pipeline)),
        )
        note = (
            f"The slowest of {len(seconds)} kernels, each for the first time in its process and "
            f"with an empty cache: {worst}. Figures are medians of {len(turns)} processes."
        )
        title = f"first submit on the loop{what}"
        rows.append(Row(title, _ms(seconds[worst]), beside, None, Bar(1, "ms"), note))
    return [*rows, _ticker([_fresh("ticker") for _ in turns])]


def _ticker(turns: Sequence[dict[str, Any]]) -> Row:
    def at(which: str, share: float) -> Figure:
        return _ms(statistics.median(quantile(turn[which], share) for turn in turns))

    took = statistics.median(turn["seconds"] for turn in turns)
    beside = (
        ("p50", at("late", 0.5)),
        ("idle elsewhere, p99", at("idle", 0.99)),
        ("only woken, p99", at("woken", 0.99)),
    )
    note = (
        f"Lateness of a 1 ms ticker, p99, from the first submit to the last result, {took:.1f} s; "
        "'idle elsewhere' is a ticker in a process of its own at the same time, 'only woken' "
        f"another, whose loop is woken every {WOKEN * 1e3:.0f} ms."
    )
    what = f"ticker while {AT_ONCE} kernels compile"
    return Row(what, at("late", 0.99), beside, None, Bar(1, "ms"), note)


def _ms(seconds: float) -> Figure:
    return Figure(seconds * 1e3, "ms")


CHILDREN: dict[str, Callable[[], Any]] = {
    "submits": first_submits,
    "ticker": ticker_beside,
    "idle": lone_ticker,
    "woken": functools.partial(lone_ticker, woken=True),
}

if __name__ == "__main__":
    print(json.dumps(CHILDREN[sys.argv[1]]()))
