"""A service that really listens, on a thread of its own, and a client that really calls it."""

from __future__ import annotations

import asyncio
import http.client
import io
import json
import socket
import threading
from contextlib import closing
from dataclasses import dataclass
from time import monotonic
from typing import Any

import numpy as np
from PIL import Image

from treadle import pictures
from treadle.serving import Server, Service

LIMIT = 60.0  # seconds for anything


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]  # by names in lower case
    data: bytes

    @property
    def json(self) -> Any:
        """The body, which has to be JSON."""
        assert self.headers["content-type"] == "application/json", self.data[:200]
        return json.loads(self.data)

    @property
    def error(self) -> str:
        """The sentence of an error, which has to be one."""
        said = self.json
        assert set(said) == {"error", "status"}
        assert said["status"] == self.status
        return said["error"]

    @property
    def pixels(self) -> np.ndarray:
        """The body as pixels."""
        with Image.open(io.BytesIO(self.data)) as image:
            return np.asarray(image)


class Served:
    """A service in this process, answering on a thread."""

    def __init__(self, service: Service, **options: Any) -> None:
        self.service = service
        self.server = Server(service, port=0, **options)
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        assert self._ready.wait(LIMIT)
        self.address = self.server.address
        self.place = self.address.split("/")[2]

    def _run(self) -> None:
        asyncio.run(self.server.serve(ready=self._ready.set))

    def connect(self) -> http.client.HTTPConnection:
        """Open a connection for several requests."""
        return http.client.HTTPConnection(self.place, timeout=LIMIT)

    def raw(self) -> socket.socket:
        """Open a connection for bytes as they are."""
        host, port = self.place.split(":")
        return socket.create_connection((host, int(port)), timeout=LIMIT)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Send one request on a connection of its own."""
        with closing(self.connect()) as connection:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            return ask(connection, method, path, body, **named)

    def metric(self, name: str, **labels: str) -> float:
        """One figure; 0 where it is not there yet."""
        from prometheus_client.parser import text_string_to_metric_families

        text = self.ask("GET", "/metrics").data.decode()
        return sum(
            sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
            if sample.name == name and labels.items() <= sample.labels.items()
        )

    def until(self, name: str, value: float, **labels: str) -> None:
        """Wait until a figure has a value."""
        late = monotonic() + LIMIT
        while (found := self.metric(name, **labels)) != value:
            assert monotonic() < late, f"{name} {labels}: {found}, not {value}"

    def close(self) -> None:
        """Stop, and wait for that."""
        self.server.stop()
        self.join()

    def join(self) -> None:
        """Wait for its end."""
        self._thread.join(LIMIT)
        assert not self._thread.is_alive()

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def ask(
    connection: http.client.HTTPConnection, method: str, path: str, body: Any = None, **headers: str
) -> Answer:
    """Send one request, and read its answer."""
    connection.request(method, path, body, headers)
    found = connection.getresponse()
    return Answer(
        found.status, {name.lower(): value for name, value in found.getheaders()}, found.read()
    )


def photo(
    size: tuple[int, int] = (64, 48), format: str = "png", *, seed: int = 1, **options: Any
) -> bytes:
    """The bytes of a made-up photo."""
    return encoded(pictures.landscape(*size, seed=seed)[..., :3], format, **options)


def encoded(pixels: np.ndarray, format: str = "png", **options: Any) -> bytes:
    """The bytes of a file with these pixels."""
    file = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(file, format, **options)
    return file.getvalue()


def decoded(data: bytes) -> np.ndarray:
    """The pixels of a file."""
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image)
