"""`python -m bench.serve_peers WHO [NETWORK]`: the same endpoints in a process of their own.

`thumbnail` and `soften` are treadle.serving with that recipe. `executor` and `threads` are what one
writes by hand: Starlette and uvicorn too, with OpenCV for photos, onnxruntime for the network and
NumPy for vectors; `executor` calls run_in_executor with asyncio's own threads for each request, and
`threads` has a pool with one thread for each core, each of which computes on its own core alone.
Prints its address, and ends at SIGTERM.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from bench import peers

DIM, ROWS, K = 128, 100_000, 10
SIDE = 512


def vectors() -> Any:
    """The rows that are searched: the same for all."""
    return np.random.default_rng(1).normal(size=(ROWS, DIM)).astype(np.float32)


def thumbnail(data: bytes) -> bytes:
    """The recipe `thumbnail` with OpenCV."""
    import cv2

    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    height, width = image.shape[:2]
    scale = min(SIDE / max(height, width), 1)
    size = max(round(width * scale), 1), max(round(height * scale), 1)
    image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    cross = np.array([[0, -0.15, 0], [-0.15, 1.6, -0.15], [0, -0.15, 0]], np.float32)
    image = cv2.filter2D(image, -1, cross, borderType=cv2.BORDER_REPLICATE)
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 85])[1])


def soften(data: bytes) -> bytes:
    """The recipe `soften` with OpenCV."""
    import cv2

    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    height, width = image.shape[:2]
    side = max(height, width)
    radius, taps = max(round(0.0012 * side), 1), 2 * round(0.0024 * side) + 1
    image = cv2.bilateralFilter(
        image, 2 * radius + 1, 0.12 * 255, radius / 2, borderType=cv2.BORDER_REPLICATE
    )
    image = cv2.GaussianBlur(image, (taps, taps), 0.001 * side, borderType=cv2.BORDER_REPLICATE)
    grey = cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    image = cv2.addWeighted(image, 1.1, grey, -0.1, 0)
    y, x = (np.arange(n, dtype=np.float32) - np.float32((n - 1) / 2) for n in (height, width))
    far = cv2.sqrt(np.add.outer(y * y, x * x) / (y[-1] ** 2 + x[-1] ** 2))
    t = np.clip((far - 0.35) / 0.7, 0, 1)
    light = 1 - np.float32(0.45) * (t * t * (3 - 2 * t))
    image = cv2.multiply(image, cv2.merge([light, light, light]), dtype=cv2.CV_8U)
    return bytes(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 92])[1])


class Classify:
    """A network with onnxruntime: OpenCV decodes and resizes, NumPy normalises."""

    def __init__(self, path: str, threads: int) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self.session = onnxruntime.InferenceSession(
            path, options, providers=["CPUExecutionProvider"]
        )
        self.name = self.session.get_inputs()[0].name
        mean, std = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
        self.scale = (1 / (255 * np.array(std))).astype(np.float32)
        self.shift = (np.array(mean) / np.array(std)).astype(np.float32)

    def __call__(self, data: bytes) -> bytes:
        import cv2

        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        image = cv2.cvtColor(image, cv2.COLOR_BGR2RGB)
        image = cv2.resize(image, (224, 224), interpolation=cv2.INTER_AREA)
        given = (image * self.scale - self.shift).transpose(2, 0, 1)[np.newaxis]
        logits = self.session.run(None, {self.name: np.ascontiguousarray(given)})[0][0]
        scores = np.exp(logits - logits.max())
        scores /= scores.sum()
        best = np.argsort(-scores)[:5].tolist()
        classes = [{"label": f"class {n}", "index": n, "score": float(scores[n])} for n in best]
        return json.dumps({"classes": classes}).encode()


class Nearest:
    """Exact search with NumPy, as one writes it: a product, a partition, a sort of few."""

    def __init__(self) -> None:
        self.rows = vectors()
        self.squares = (self.rows**2).sum(1)

    def __call__(self, data: bytes) -> bytes:
        query = np.frombuffer(data, "<f4")
        distances = self.squares - 2 * (self.rows @ query) + query @ query
        few = np.argpartition(distances, K)[:K]
        few = few[np.argsort(distances[few])]
        found = {"ids": few.tolist(), "distances": np.maximum(distances[few], 0).tolist()}
        return json.dumps(found).encode()


def by_hand(pool: ThreadPoolExecutor | None, network: str, threads: int) -> Any:
    """The endpoints as an app, with functions that run in a pool; None is asyncio's own."""
    from starlette.applications import Starlette
    from starlette.responses import Response
    from starlette.routing import Route

    def route(path: str, work: Callable[[bytes], bytes], media: str) -> Any:
        async def answer(request: Any) -> Any:
            data = await request.body()
            made = await asyncio.get_running_loop().run_in_executor(pool, work, data)
            return Response(made, media_type=media)

        return Route(path, answer, methods=["POST"])

    return Starlette(
        routes=[
            route("/thumbnail", thumbnail, "image/jpeg"),
            route("/soften", soften, "image/jpeg"),
            route("/classify", Classify(network, threads), "application/json"),
            route("/nearest", Nearest(), "application/json"),
        ]
    )


def main() -> int:
    """Serve until SIGTERM."""
    who, network = sys.argv[1:]
    if who not in ("executor", "threads"):
        import treadle
        from treadle.recipes import load
        from treadle.serving import Service, serve

        index = treadle.search.Index(DIM)
        index.add(vectors())
        service = Service(load(who), model=treadle.model(network), index=index)
        serve(service, port=0, ready=lambda server: _say(server.address))
        return 0
    import cv2
    import uvicorn

    threads = 1 if who == "threads" else peers.CORES
    cv2.setNumThreads(threads)
    pool = ThreadPoolExecutor(peers.CORES) if who == "threads" else None
    app = by_hand(pool, network, threads)
    config = uvicorn.Config(app, port=0, log_config=None, access_log=False)
    server = uvicorn.Server(config)

    async def run() -> None:
        serving = asyncio.ensure_future(server.serve())
        while not server.started:
            await asyncio.sleep(0.02)
        port = server.servers[0].sockets[0].getsockname()[1]
        _say(f"http://127.0.0.1:{port}/")
        await serving

    asyncio.run(run())
    return 0


def _say(address: str) -> None:
    print(address, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
