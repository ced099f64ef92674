"""A server for a service: it listens, says where, and leaves no accepted request without an answer.

In: a Service, a host and a port. Out: answers, until it is told to stop. Then every answer closes
its connection, connections that are quiet are left open for a moment, since a request may be on its
way, and what was accepted is finished. Told a second time, it stops at once.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from treadle.errors import LaunchError
from treadle.serving.app import Service
from treadle.serving.library import uvicorn
from treadle.serving.stalled import StalledConnections

__all__ = ["Server", "serve"]

_LINGER = 0.5  # seconds in which a connection that is quiet may still bring a request
_LOOK = 0.02
_SIGNALS = ("SIGINT", "SIGTERM", "SIGBREAK")
_BACKLOG = 2048


class Server:
    """Serves a service at one address; `serve` returns when it has been stopped."""

    def __init__(self, service: Service, *, host: str = "127.0.0.1", port: int = 8000) -> None:
        self.service = service
        web = uvicorn()
        self._socket = _bound(host, port)
        config = web.Config(
            service.app,
            log_config=None,
            access_log=False,
            server_header=False,
            lifespan="on",
            http="h11",  # it bounds what comes before a body; httptools takes headers without end
            ws="none",  # there is none here, and a request for one is a request like others
            backlog=_BACKLOG,
            timeout_graceful_shutdown=None,
        )
        logging.getLogger("uvicorn").setLevel(logging.ERROR)
        self._inner = _gentle(web.Server)(config)
        self._inner.service = service
        self._inner.stalled = StalledConnections(service.limits)
        self._stops = 0

    @property
    def address(self) -> str:
        """The address of its page."""
        host, port = self._socket.getsockname()[:2]
        return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"

    @property
    def started(self) -> bool:
        """Whether it answers."""
        return bool(self._inner.started)

    def stop(self, *, now: bool = False) -> None:
        """Finish what was accepted, and stop; the second time, or with `now`, stop at once. May be
        called on any thread, and by a handler of signals."""
        self._stops += 1
        self._inner.should_exit = True
        if now or self._stops > 1:
            self._inner.force_exit = True

    def close(self) -> None:
        """Let the address go, where it does not serve."""
        self._socket.close()

    @property
    def forced(self) -> bool:
        """Whether it was stopped before everything was answered."""
        return bool(self._inner.force_exit)

    async def serve(
        self,
        *,
        ready: Callable[[], object] = lambda: None,
        stopping: Callable[[], object] = lambda: None,
    ) -> None:
        """Serve until `stop` is called; `ready` is called when it answers, `stopping` when it
        begins to end."""
        self._inner.stopping = stopping
        told = asyncio.ensure_future(self._tell(ready))
        try:
            await self._inner.serve(sockets=[self._socket])
        finally:
            told.cancel()
            self.close()

    async def _tell(self, ready: Callable[[], object]) -> None:
        while not self.started:
            await asyncio.sleep(_LOOK)
        ready()


def serve(
    service: Service,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    ready: Callable[[Server], object] = lambda server: None,
    stopping: Callable[[], object] = lambda: None,
) -> bool:
    """Serve until Ctrl-C or SIGTERM; return whether everything that was accepted was answered.

    The first signal finishes what was accepted, the second stops at once. `ready` is called with
    the server when it answers, `stopping` when it begins to end; neither by a handler of signals,
    so that they may print."""
    server = Server(service, host=host, port=port)
    try:
        service.warm()
    except BaseException:
        server.close()
        raise
    with _signals(server.stop):
        asyncio.run(server.serve(ready=lambda: ready(server), stopping=stopping))
    return not server.forced


def _bound(host: str, port: int) -> socket.socket:
    """A socket that listens at an address, or a sentence that says why there is none."""
    if not 0 <= port <= 65535:
        raise LaunchError(f"port: expected 0 to 65535, got {port}")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise LaunchError(f"host: {host!r} is no address of this machine ({error})") from error
    family, kind, protocol, _, address = found[0]
    made = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":  # elsewhere it lets two services have one port
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(_BACKLOG)  # at once, so that two services cannot both have the port
    except OSError as error:
        made.close()
        if error.errno == errno.EADDRINUSE:
            said = f"port: {port} is in use at {host}; take another, or 0 for one that is free"
        else:
            said = f"cannot listen at {host}, port {port}: {error.strerror or error}"
        raise LaunchError(said) from error
    made.setblocking(False)
    return made


@contextmanager
def _signals(heard: Callable[[], object]) -> Iterator[None]:
    """Have signals that ask a process to end call a function instead."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    known = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    before = {each: signal.signal(each, lambda *_: heard()) for each in known}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _gentle(base: Any) -> Any:
    """uvicorn's Server, with another end. A class in a function, since uvicorn may be absent."""

    class Gentle(base):  # type: ignore[misc]
        """Ends without losing a request that a client has sent."""

        service: Service
        stopping: Callable[[], object]
        stalled: StalledConnections

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield  # signals are the caller's

        async def on_tick(self, counter: int) -> bool:
            self.cut_off()
            return bool(await super().on_tick(counter))

        def cut_off(self) -> None:
            for each in self.stalled.look(self.server_state.connections, monotonic()):
                each.transport.abort()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            limits = self.service.limits
            self.service.draining = True
            self.stopping()
            began = quiet = monotonic()
            state = self.server_state
            while state.connections and not self.force_exit:
                now = monotonic()
                self.cut_off()
                if state.tasks:
                    quiet = now
                if now - began > _LINGER:
                    for each in self.servers:
                        each.close()
                if now - quiet > _LINGER or now - began > limits.drain:
                    break
                await asyncio.sleep(_LOOK)
            left = max(limits.drain - (monotonic() - began), 0.1)
            self.config.timeout_graceful_shutdown = left
            await super().shutdown(sockets)
            if self.force_exit:  # which uvicorn takes for no end at all
                await self.lifespan.shutdown()

    return Gentle
