"""`python -m bench.serve_peers WHO`: the same endpoints in a process of their own, three ways.

`treadle` is treadle.serving. `executor` and `threads` are what one writes by hand: Starlette and
uvicorn too, with OpenCV for photos and NumPy for vectors; `executor` calls run_in_executor with
asyncio's own threads for each request, and `threads` has a pool with one thread for each core, each
of which computes on its own core alone. Prints its port, and ends at SIGTERM.
"""

from __future__ import annotations

import asyncio
import json
import sys
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


def by_hand(pool: ThreadPoolExecutor | None) -> Any:
    """The endpoints as an app, with functions that run in a pool; None is asyncio's own."""
    from starlette.applications import Starlette
    from starlette.responses import Response
    from starlette.routing import Route

    nearest = Nearest()

    async def image(request: Any) -> Any:
        data = await request.body()
        made = await asyncio.get_running_loop().run_in_executor(pool, thumbnail, data)
        return Response(made, media_type="image/jpeg")

    async def near(request: Any) -> Any:
        data = await request.body()
        made = await asyncio.get_running_loop().run_in_executor(pool, nearest, data)
        return Response(made, media_type="application/json")

    return Starlette(
        routes=[
            Route("/image", image, methods=["POST"]),
            Route("/nearest", near, methods=["POST"]),
        ]
    )


def main() -> int:
    """Serve until SIGTERM."""
    who = sys.argv[1]
    if who == "treadle":
        from treadle.recipes import load
        from treadle.search import Index
        from treadle.serving import Service, serve

        index = Index(DIM)
        index.add(vectors())
        serve(Service(load("thumbnail"), index=index), port=0, ready=lambda s: _say(s.address))
        return 0
    import cv2
    import uvicorn

    cv2.setNumThreads(1 if who == "threads" else peers.CORES)
    pool = ThreadPoolExecutor(peers.CORES) if who == "threads" else None
    config = uvicorn.Config(by_hand(pool), port=0, log_config=None, access_log=False)
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
