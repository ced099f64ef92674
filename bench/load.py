"""`python -m bench.load`: a cheap HTTP client with many connections, in a process of its own.

In: an address, a path, bodies in a folder, how many connections for how many seconds. Out: one line
of JSON: how many requests were answered and how, how long each took, and how many were sent and
never answered. Connections are kept; each sends its next request when it has its answer. A
connection that the server closes with an answer ends, as at a shutdown. The time that counts begins
when as many answers are there as there are connections: before that, a server with 128 requests in
hand has not yet any to give.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path
from time import perf_counter


class Load:
    """Connections that ask again and again."""

    def __init__(self, host: str, port: int, path: str, bodies: list[bytes], media: str) -> None:
        self.place = host, port
        head = f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: {media}\r\n"
        self.requests = [
            head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body for body in bodies
        ]
        self.times: list[float] = []
        self.began: list[float] = []
        self.statuses: dict[str, int] = {}
        self.lost = 0  # sent whole, and not answered whole
        self.ended = False
        self.counted = 0.0  # from when on

    async def ask(self, number: int) -> None:
        """One connection."""
        reader, writer = await asyncio.open_connection(*self.place, limit=1 << 22)
        turn = number
        try:
            while not self.ended:
                began = perf_counter()
                writer.write(self.requests[turn % len(self.requests)])
                try:
                    status, closes = await self._answer(reader)
                except (asyncio.IncompleteReadError, ConnectionError):
                    self.lost += 1
                    return
                self.times.append(perf_counter() - began)
                self.began.append(began)
                self.statuses[status] = self.statuses.get(status, 0) + 1
                if closes:
                    return
                turn += 7  # another size each time, and not the same for all
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader) -> tuple[str, bool]:
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        size = int(head.partition(b"content-length: ")[2].split(b"\r\n", 1)[0])
        await reader.readexactly(size)
        return head[9:12].decode(), b"connection: close" in head

    async def run(self, connections: int, seconds: float) -> None:
        """Ask on all connections for a while, and let what is under way be answered."""
        tasks = [asyncio.ensure_future(self.ask(number)) for number in range(connections)]
        while len(self.times) < connections and not all(task.done() for task in tasks):
            await asyncio.sleep(0.005)
        self.counted = perf_counter()
        await asyncio.wait(tasks, timeout=seconds)
        self.ended = True
        await asyncio.gather(*tasks)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.load", description=__doc__)
    parser.add_argument("host")
    parser.add_argument("port", type=int)
    parser.add_argument("path")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--connections", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--media", default="application/octet-stream")
    given = parser.parse_args()
    bodies = [path.read_bytes() for path in sorted(given.folder.iterdir())]
    load = Load(given.host, given.port, given.path, bodies, given.media)
    asyncio.run(load.run(given.connections, given.seconds))
    # What was answered within the time; a rate over the tail would count fewer at work.
    within = [
        time for time, at in zip(load.times, load.began, strict=True)
        if 0 < at + time - load.counted <= given.seconds
    ]  # fmt: skip
    said = {
        "rate": len(within) / given.seconds,
        "times": sorted(within or load.times),
        "statuses": load.statuses,
        "lost": load.lost,
    }
    print(json.dumps(said))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
