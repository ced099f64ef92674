"""Models: a network between kernels, beside onnxruntime alone and beside OpenCV in front of it.

In: an effort. Out: rows. MobileNetV2 with weights from a seed (examples/mobilenet.py), over photos
of 640 x 480: preprocess, network, softmax as one pipeline. Then 500 awaiters of a small network
through `treadle.batched`, beside the same over batches that are full already.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import treadle
from bench import peers
from bench.loop import tick
from bench.table import Bar, Figure, Row
from bench.timing import Effort, quantile, rounds

__all__ = ["LINES"]

SIDE = 224
AWAITERS, SIZE, SMALL = 500, 32, 64
MEAN, STD = np.float32([0.485, 0.456, 0.406]), np.float32([0.229, 0.224, 0.225])
Array = np.ndarray[Any, Any]


def _built(**options: Any) -> bytes:
    sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
    try:
        from mobilenet import build
    finally:
        del sys.path[0]
    made: bytes = build(**options)
    return made


def _session(runtime: Any, network: bytes) -> Any:
    """A session as Treadle has it: its threads do not spin into another contestant's turn."""
    options = runtime.SessionOptions()
    options.intra_op_num_threads = peers.CORES
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return runtime.InferenceSession(network, options, providers=["CPUExecutionProvider"])


def _by_opencv(cv2: Any, photos: Array) -> Array:
    out = np.empty((len(photos), 3, SIDE, SIDE), np.float32)
    for photo, target in zip(photos, out, strict=True):
        small = cv2.resize(photo, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
        scaled = (small.astype(np.float32) / np.float32(255) - MEAN) / STD
        target[...] = scaled.transpose(2, 0, 1)
    return out


def _photos(batch: int, network: bytes, runtime: Any, effort: Effort) -> list[Row]:
    cv2, device = peers.opencv(), treadle.device()
    session = _session(runtime, network)
    photos = np.random.default_rng(1).integers(0, 256, (batch, 480, 640, 3), np.uint8)
    image, ready = device.buffer(photos), device.empty((batch, 3, SIDE, SIDE))
    logits, probabilities = device.empty((batch, 1000)), device.empty((batch, 1000))
    with treadle.model(network) as model:
        whole, before, after = (treadle.pipeline() for _ in range(3))
        for pipeline in (whole, before):
            pipeline.add("preprocess", [image], ready, size=(SIDE, SIDE))
        whole.add(model, [ready], logits)
        for pipeline in (whole, after):
            pipeline.add("softmax", [logits], probabilities)
        before.run()
        given = ready.to_numpy()
        binding = session.io_binding()
        theirs = np.empty((batch, 1000), np.float32)
        facts = np.float32, given.shape, given.ctypes.data
        binding.bind_input("input", "cpu", 0, *facts)
        binding.bind_output("logits", "cpu", 0, np.float32, theirs.shape, theirs.ctypes.data)

        def alone() -> None:
            before.run()
            session.run_with_iobinding(binding)
            after.run()

        contestants: dict[str, Callable[[], object]] = {"treadle": whole.run, "alone": alone}
        if cv2 is not None:
            contestants["opencv"] = lambda: session.run(None, {"input": _by_opencv(cv2, photos)})
        taken = rounds(contestants, max(effort.repeats // (1 if batch == 1 else 4), 5))
        np.testing.assert_allclose(logits.to_numpy(), theirs, rtol=1e-4, atol=1e-4)
        for pipeline in (whole, before, after):
            pipeline.free()

    def ratio(name: str) -> float:
        pairs = zip(taken[name], taken["treadle"], strict=True)
        return statistics.median([theirs / ours for theirs, ours in pairs])

    medians = {name: statistics.median(each) * 1e3 for name, each in taken.items()}
    rows = [
        Row(
            f"MobileNetV2 over {batch} photo{'' if batch == 1 else 's'}",
            Figure(medians["treadle"], "ms"),
            (("onnxruntime alone", Figure(medians["alone"], "ms")),),
            ratio("alone"),
            Bar(1 / 1.05, least=True, ratio=True),
            "preprocess of 640 x 480, the network and softmax as one pipeline. 'Alone' is "
            "onnxruntime called directly in the same memory, between the same fused stages.",
            headline=batch == 1,
        )
    ]
    if cv2 is not None:
        rows.append(
            Row(
                "  beside OpenCV's resize, NumPy and onnxruntime",
                Figure(medians["treadle"], "ms"),
                (("OpenCV + onnxruntime", Figure(medians["opencv"], "ms")),),
                ratio("opencv"),
                Bar(1 / 0.9, least=True, ratio=True),
            )
        )
    return rows


async def _crowd(model: Any, seconds: float, late: list[float]) -> float:
    """Items a second that tasks one by one are answered, and how late a ticker was meanwhile."""
    function = treadle.batched(model, max_size=SIZE)
    item = np.zeros((3, SMALL, SMALL), np.float32)
    answered = 0

    async def ask() -> None:
        nonlocal answered
        while True:
            await function(item)
            answered += 1

    return await _measured([ask] * AWAITERS, lambda: answered, seconds, late)


async def _full(model: Any, seconds: float, late: list[float]) -> float:
    """Items a second of the same network over arrays that are full batches, two under way."""
    batch = np.zeros((SIZE, 3, SMALL, SMALL), np.float32)
    answered = 0

    async def ask() -> None:
        nonlocal answered
        while True:
            (await model.run_async(batch)).to_numpy(copy=None)
            answered += SIZE

    return await _measured([ask] * 2, lambda: answered, seconds, late)


async def _measured(
    asking: list[Callable[[], Any]], count: Callable[[], int], seconds: float, late: list[float]
) -> float:
    tasks = [asyncio.create_task(ask()) for ask in asking]
    await asyncio.sleep(0.2)
    before, began = count(), perf_counter()
    await tick(seconds, late)
    rate = (count() - before) / (perf_counter() - began)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return rate


def _awaited(effort: Effort) -> list[Row]:
    network = _built(size=SMALL, width=0.25)
    rates: dict[str, list[float]] = {"batched": [], "full": []}
    late: dict[str, list[float]] = {"batched": [], "full": []}

    async def turns(model: Any) -> None:
        for _ in range(6):
            for name, run in (("batched", _crowd), ("full", _full)):
                rates[name].append(await run(model, max(effort.seconds / 4, 0.5), late[name]))

    with treadle.model(network) as model:
        asyncio.run(turns(model))
    ratios = [a / b for a, b in zip(rates["batched"], rates["full"], strict=True)]
    return [
        Row(
            f"{AWAITERS} awaiters of a small network",
            Figure(statistics.median(rates["batched"]), "/s"),
            (("full batches", Figure(statistics.median(rates["full"]), "/s")),),
            statistics.median(ratios),
            Bar(0.9, least=True, ratio=True),
            f"A quarter of MobileNetV2's width over {SMALL} x {SMALL}, at most {SIZE} in a batch.",
        ),
        Row(
            "  lateness of a 1 ms ticker meanwhile, p99",
            Figure(quantile(late["batched"], 0.99) * 1e3, "ms"),
            (("full batches", Figure(quantile(late["full"], 0.99) * 1e3, "ms")),),
            None,
            Bar(1, "ms"),
        ),
    ]


def models(effort: Effort) -> list[Row]:
    """MobileNetV2 in a pipeline beside onnxruntime, and awaiters of a small network."""
    runtime = peers.onnxruntime()
    if runtime is None:
        return []
    network = _built()
    with treadle.use_device("cpu"):  # where onnxruntime is, in most installations
        rows = [row for batch in (1, 16) for row in _photos(batch, network, runtime, effort)]
        return rows + _awaited(effort)


LINES: dict[str, Callable[[Effort], list[Row]]] = {"models": models}
