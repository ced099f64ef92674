"""Serving: requests a second and how long they take, beside the same endpoints written by hand.

In: an effort. Out: rows. Each contestant is a server in a process of its own (`serve_peers.py`) and
the client is another process (`load.py`), which takes turns with them. Photos have sizes of all
kinds, as uploads do; the network is a MobileNetV2; vectors are searched exactly. Answers are
compared first. Then a service is stopped under load, and what was sent and not answered is counted.
"""

from __future__ import annotations

import io
import json
import os
import runpy
import signal
import statistics
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench import fresh
from bench.serve_peers import DIM
from bench.table import Bar, Figure, Row
from bench.timing import Effort, quantile
from treadle import pictures

__all__ = ["LINES"]

BY_HAND = ("executor", "threads")
CONNECTIONS = (1, 16, 128)
PHOTOS = 24
ROUNDS = 2
BEST = 1.5  # times the better peer, with 128 connections


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What is asked for: of which of our services, at which path, with which bodies."""

    what: str
    service: str
    path: str  # of ours
    by_hand: str  # of the others'
    bodies: str
    bar: bool = True


ENDPOINTS = (
    # Most of a thumbnail is decoding a JPEG, which all do with the same library: no bar.
    Endpoint("thumbnails", "thumbnail", "/image", "/thumbnail", "photos", bar=False),
    Endpoint("soften, a recipe", "soften", "/image", "/soften", "photos"),
    Endpoint("MobileNetV2", "thumbnail", "/classify", "/classify", "photos"),
    Endpoint("exact search", "thumbnail", "/nearest", "/nearest", "vectors"),
)


class Running:
    """A contestant in a process of its own."""

    def __init__(self, who: str, network: Path) -> None:
        paths = os.pathsep.join(path for path in sys.path if path)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bench.serve_peers", who, str(network)],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": paths},
        )
        assert self.process.stdout is not None
        address = self.process.stdout.readline().strip()
        if not address:
            raise RuntimeError(f"{who} did not start")
        self.port = address.rstrip("/").rpartition(":")[2]

    def load(self, path: str, folder: Path, connections: int, seconds: float) -> Any:
        """Have a client ask for a while; what it found out."""
        words = ["127.0.0.1", self.port, path, str(folder)]
        words += ["--connections", str(connections), "--seconds", str(seconds)]
        found = fresh.run_module("bench.load", words)
        if set(found["statuses"]) != {"200"} or found["lost"]:
            raise RuntimeError(f"{path}: {found['statuses']}, {found['lost']} lost")
        return found

    @property
    def spent(self) -> float:
        """Seconds of processor time that the server has taken; 0 where the system does not say."""
        status = Path(f"/proc/{self.process.pid}/stat")
        if not status.exists():
            return 0.0
        fields = status.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def ask(self, path: str, body: bytes) -> bytes:
        """Ask once."""
        address = f"http://127.0.0.1:{self.port}{path}"
        headers = {"Content-Type": "application/octet-stream"}
        with urllib.request.urlopen(urllib.request.Request(address, body, headers)) as answer:
            return bytes(answer.read())

    def stop(self) -> int:
        """Ask it to end; its status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


@contextmanager
def _all(names: tuple[str, ...], network: Path) -> Iterator[dict[str, Running]]:
    running: dict[str, Running] = {}
    try:
        for who in names:
            running[who] = Running(who, network)
        yield running
    finally:
        for each in running.values():
            each.stop()


def _bodies(folder: Path) -> dict[str, Path]:
    """Photos of as many sizes, and vectors, as files of their own."""
    from PIL import Image

    rng = np.random.default_rng(2)
    found = {name: folder / name for name in ("photos", "vectors")}
    for each in found.values():
        each.mkdir()
    for number in range(PHOTOS):
        width, height = (int(side) for side in rng.integers((900, 700), (2100, 1600)))
        base = pictures.landscape(width, height, seed=number % 6)[..., :3].astype(np.int16)
        grain = rng.integers(-6, 7, (height, width, 1), np.int16)
        pixels = np.clip(base + grain, 0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(found["photos"] / f"{number:02d}.jpg", quality=90)
        vector = rng.normal(size=DIM).astype("<f4")
        (found["vectors"] / f"{number:02d}").write_bytes(vector.tobytes())
    return found


def _network(folder: Path) -> Path:
    """A MobileNetV2 with weights of chance."""
    built = runpy.run_path(str(Path(__file__).parents[1] / "examples" / "mobilenet.py"))
    path = folder / "mobilenet.onnx"
    path.write_bytes(built["build"]())
    return path


def _compare(endpoint: Endpoint, body: bytes, ours: Running, other: Running) -> None:
    """Raise where the answers are not those of the same work."""
    from PIL import Image

    mine, theirs = ours.ask(endpoint.path, body), other.ask(endpoint.by_hand, body)
    if endpoint.path == "/image":
        a, b = (np.asarray(Image.open(io.BytesIO(data)), np.int16) for data in (mine, theirs))
        off = float(np.abs(a - b).mean())
        if off > 3:
            raise RuntimeError(f"{endpoint.what}: photos differ by {off:.1f} on average")
    elif endpoint.path == "/nearest":
        if json.loads(mine)["ids"] != json.loads(theirs)["ids"]:
            raise RuntimeError(f"{endpoint.what}: {mine!r} and {theirs!r}")
    else:  # photos are resized in different ways
        a, b = ({each["index"] for each in json.loads(x)["classes"]} for x in (mine, theirs))
        if not a & b:
            raise RuntimeError(f"{endpoint.what}: {mine!r} and {theirs!r}")


def _rows(
    endpoint: Endpoint, folder: Path, running: dict[str, Running], effort: Effort
) -> list[Row]:
    seconds = max(effort.seconds, 1.0)
    contestants = {"treadle": (running[endpoint.service], endpoint.path)}
    contestants |= {who: (running[who], endpoint.by_hand) for who in BY_HAND}
    body = next(iter(sorted(folder.iterdir()))).read_bytes()
    for who in BY_HAND:
        _compare(endpoint, body, running[endpoint.service], running[who])
    for each, path in contestants.values():
        for one in folder.iterdir():  # every size compiled before
            each.ask(path, one.read_bytes())
        each.load(path, folder, 4, seconds / 2)
    rows = []
    for connections in CONNECTIONS:
        rates: dict[str, list[float]] = {who: [] for who in contestants}
        late: dict[str, list[float]] = {who: [] for who in contestants}
        work: dict[str, list[float]] = {who: [] for who in contestants}
        order = list(contestants.items())
        for _ in range(ROUNDS):
            order.reverse()
            for who, (each, path) in order:
                # Each connection has to come back a few times.
                before = each.spent
                found = each.load(
                    path, folder, connections, seconds * (2 if connections > 99 else 0.5)
                )
                answered = max(sum(found["statuses"].values()), 1)
                work[who].append((each.spent - before) / answered * 1e3)
                rates[who].append(found["rate"])
                late[who].append(quantile(found["times"], 0.99) * 1e3)
        rate = {who: statistics.median(values) for who, values in rates.items()}
        p99 = {who: statistics.median(values) for who, values in late.items()}
        each_takes = {who: statistics.median(values) for who, values in work.items()}
        others = sorted(BY_HAND, key=lambda who: -rate[who])
        what = f"serve {endpoint.what}, {connections} connection{'s' * (connections > 1)}"
        judged = endpoint.bar and connections == max(CONNECTIONS)
        rows.append(
            Row(
                what,
                Figure(rate["treadle"], "requests/s"),
                tuple((who, Figure(rate[who], "requests/s")) for who in others),
                rate["treadle"] / rate[others[0]],
                Bar(BEST, least=True, ratio=True) if judged else None,
                "Starlette and uvicorn in all three. executor: run_in_executor with asyncio's own "
                "threads, OpenCV, onnxruntime and NumPy; threads: the same in a pool of one thread "
                "for each core.",
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
        if judged and each_takes["treadle"]:
            rows.append(
                Row(
                    f"{what}: processor time of a request",
                    Figure(each_takes["treadle"], "ms"),
                    tuple((who, Figure(each_takes[who], "ms")) for who in others),
                    each_takes[others[0]] / each_takes["treadle"],
                    note="Of the server's process: what a busy machine disturbs least.",
                )
            )
    return rows


def _shutdown(folder: Path, network: Path, effort: Effort) -> Row:
    """Stop a service while 128 clients ask, several times; count what got no answer."""
    lost = answered = 0
    times = 3
    for _ in range(times):
        service = Running("thumbnail", network)
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
        "serve: requests lost, stopped under load of 128 connections",
        Figure(lost, f"of {answered}"),
        bar=Bar(0),
        note="Stopped three times with SIGTERM; every client's last answer closes its connection.",
    )


def serving(effort: Effort) -> list[Row]:
    """Measure every endpoint with every number of connections, and the end."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folders, network = _bodies(Path(name)), _network(Path(name))
        names = (*dict.fromkeys(each.service for each in ENDPOINTS), *BY_HAND)
        with _all(names, network) as running:
            for endpoint in ENDPOINTS:
                rows += _rows(endpoint, folders[endpoint.bodies], running, effort)
        rows.append(_shutdown(folders["photos"], network, effort))
    return rows


LINES = {"serve": serving}
