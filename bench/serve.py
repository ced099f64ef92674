"""Serving: requests a second and how long they take, beside the same endpoints written by hand.

In: an effort. Out: rows. Each contestant is a server in a process of its own (`serve_peers.py`) and
the client is another process (`load.py`), which takes turns with them. Photos have sizes of all
kinds, as uploads do; vectors are searched exactly. Then a service is stopped under load, and what
was sent and not answered is counted.
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from bench import fresh
from bench.serve_peers import DIM
from bench.table import Bar, Figure, Row
from bench.timing import Effort, quantile
from treadle import pictures

__all__ = ["LINES"]

WHO = ("treadle", "executor", "threads")
CONNECTIONS = (1, 16, 128)
PHOTOS = 24
BEST = 1.5  # times the better peer, with 128 connections
ENDPOINTS = {"image": "thumbnails of uploads", "nearest": "exact search"}


class Running:
    """A contestant in a process of its own."""

    def __init__(self, who: str) -> None:
        paths = os.pathsep.join(path for path in sys.path if path)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bench.serve_peers", who],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": paths},
        )
        assert self.process.stdout is not None
        address = self.process.stdout.readline().strip()
        if not address:
            raise RuntimeError(f"{who} did not start")
        self.port = address.rstrip("/").rpartition(":")[2]

    def load(self, endpoint: str, folder: Path, connections: int, seconds: float) -> Any:
        """Have a client ask for a while; what it found out."""
        words = ["127.0.0.1", self.port, f"/{endpoint}", str(folder)]
        words += ["--connections", str(connections), "--seconds", str(seconds)]
        found = fresh.run_module("bench.load", words)
        if set(found["statuses"]) != {"200"} or found["lost"]:
            raise RuntimeError(f"{endpoint}: {found['statuses']}, {found['lost']} lost")
        return found

    def stop(self) -> int:
        """Ask it to end; its status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


@contextmanager
def _all(names: tuple[str, ...]) -> Iterator[dict[str, Running]]:
    running: dict[str, Running] = {}
    try:
        for who in names:
            running[who] = Running(who)
        yield running
    finally:
        for each in running.values():
            each.stop()


def _bodies(folder: Path) -> dict[str, Path]:
    """Photos of as many sizes, and vectors, as files of their own."""
    from PIL import Image

    rng = np.random.default_rng(2)
    found = {}
    for endpoint in ENDPOINTS:
        found[endpoint] = folder / endpoint
        found[endpoint].mkdir()
    for number in range(PHOTOS):
        width, height = (int(side) for side in rng.integers((900, 700), (2100, 1600)))
        base = pictures.landscape(width, height, seed=number % 6)[..., :3].astype(np.int16)
        grain = rng.integers(-6, 7, (height, width, 1), np.int16)
        pixels = np.clip(base + grain, 0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(found["image"] / f"{number:02d}.jpg", quality=90)
        vector = rng.normal(size=DIM).astype("<f4")
        (found["nearest"] / f"{number:02d}").write_bytes(vector.tobytes())
    return found


def _rows(endpoint: str, folder: Path, running: dict[str, Running], effort: Effort) -> list[Row]:
    rows = []
    seconds = max(effort.seconds, 1.0)
    for each in running.values():
        each.load(endpoint, folder, 4, seconds / 2)  # compiled, and warm
    for connections in CONNECTIONS:
        rates: dict[str, list[float]] = {who: [] for who in running}
        late: dict[str, list[float]] = {who: [] for who in running}
        order = list(running.items())
        for _ in range(3):
            order.reverse()
            for who, each in order:
                found = each.load(endpoint, folder, connections, seconds)
                rates[who].append(found["rate"])
                late[who].append(quantile(found["times"], 0.99) * 1e3)
        rate = {who: statistics.median(values) for who, values in rates.items()}
        p99 = {who: statistics.median(values) for who, values in late.items()}
        others = sorted((who for who in rate if who != "treadle"), key=lambda w: -rate[w])
        what = f"serve: {ENDPOINTS[endpoint]}, {connections} connections"
        ours = rate["treadle"]
        rows.append(
            Row(
                what,
                Figure(ours, "requests/s"),
                tuple((who, Figure(rate[who], "requests/s")) for who in others),
                ours / rate[others[0]],
                Bar(BEST, least=True, ratio=True) if connections == max(CONNECTIONS) else None,
                "Starlette and uvicorn in all three. executor: run_in_executor with asyncio's own "
                "threads, OpenCV and NumPy; threads: a pool of one thread for each core.",
            )
        )
        rows.append(
            Row(
                f"{what}: p99",
                Figure(p99["treadle"], "ms"),
                tuple((who, Figure(p99[who], "ms")) for who in others),
                p99[others[0]] / p99["treadle"],
            )
        )
    return rows


def _shutdown(folder: Path, effort: Effort) -> Row:
    """Stop a service while 128 clients ask, several times; count what got no answer."""
    lost = answered = 0
    times = 3
    for _ in range(times):
        service = Running("treadle")
        words = [sys.executable, "-m", "bench.load", "127.0.0.1", service.port, "/image"]
        words += [str(folder), "--connections", "128", "--seconds", "20"]
        paths = os.pathsep.join(path for path in sys.path if path)
        client = subprocess.Popen(
            words, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": paths}
        )
        with suppress(subprocess.TimeoutExpired):
            client.wait(max(effort.seconds / 2, 1.5))
        service.stop()
        found = json.loads(client.communicate(timeout=60)[0])
        lost += found["lost"]
        answered += sum(found["statuses"].values())
        if set(found["statuses"]) != {"200"}:
            lost += sum(count for status, count in found["statuses"].items() if status != "200")
    return Row(
        "serve: requests lost when stopped under load of 128 connections",
        Figure(lost, f"of {answered}"),
        bar=Bar(0),
        note="Stopped three times with SIGTERM; every client's last answer closes its connection.",
    )


def serving(effort: Effort) -> list[Row]:
    """Measure every endpoint with every number of connections, and the end."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folders = _bodies(Path(name))
        with _all(WHO) as running:
            for endpoint, folder in folders.items():
                rows += _rows(endpoint, folder, running, effort)
        rows.append(_shutdown(folders["image"], effort))
    return rows


LINES = {"serve": serving}
