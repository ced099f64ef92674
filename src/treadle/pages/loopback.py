"""A page on loopback: who may see it, and how it is served and ended.

In: a page's text, and functions for its data and its WebSocket. Out: an address with a random
token. Only requests that name this machine, bring the token and do not come from another site's
page are answered; a browser says for which name and on behalf of which site it calls. Everything
runs on daemon threads of its own, and ends with close().
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import re
import secrets
import threading
from collections.abc import Callable, Mapping
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from treadle.attendant import start
from treadle.errors import LaunchError
from treadle.pages.socket import Socket, accept_key

__all__ = ["LoopbackPage"]

_HOSTS = ("127.0.0.1", "localhost")
_LOOK = 0.2  # seconds between two looks whether it is to end
_PATIENCE = 10.0  # seconds for what a connection has under way when it is ended
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",  # the address has the token
}


class LoopbackPage:
    """One page at one address of this machine; `with` ends it."""

    def __init__(
        self,
        text: str,
        *,
        port: int = 0,
        data: Callable[[Mapping[str, str]], Any] | None = None,
        talk: Callable[[Socket], None] | None = None,
    ) -> None:
        """`data` answers requests of the page for JSON, and gets what they ask for; `talk` is
        called with its WebSocket, on a thread of its own, and may stay there until the page is
        gone."""
        self.text = text
        self.policy = _policy(text)
        self.data = data
        self.talk = talk
        self.token = secrets.token_urlsafe(24)
        self._process = os.getpid()
        self.sockets: dict[Socket, threading.Thread] = {}  # with the threads that talk
        try:
            self._server = _LoopbackServer(("127.0.0.1", port), _Request)
        except (OSError, OverflowError, TypeError) as error:
            raise LaunchError(f"port: {port!r} cannot be had on this machine: {error}") from error
        self._server.page = self
        self._thread = start("treadle-page", partial(self._server.serve_forever, _LOOK))

    @property
    def address(self) -> str:
        """What to open, token included: do not pass it on."""
        return f"http://127.0.0.1:{self._server.server_port}/?token={self.token}"

    def __repr__(self) -> str:
        return f"<treadle page at http://127.0.0.1:{self._server.server_port}/>"

    def close(self) -> None:
        """Stop answering, and end the connections that are open; again does nothing.

        In a process that was forked the page is the parent's, and goes on."""
        if os.getpid() != self._process:
            self._server.socket.close()
            return
        self._server.shutdown()
        for each, thread in list(self.sockets.items()):
            each.close()
            if thread is not threading.current_thread():
                thread.join(_PATIENCE)
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> LoopbackPage:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _LoopbackServer(ThreadingHTTPServer):
    page: LoopbackPage
    daemon_threads = True
    allow_reuse_address = os.name == "posix"  # elsewhere two programs would share a port
    block_on_close = False

    def handle_error(self, *_: Any) -> None:
        pass  # a browser that went away is no news


class _Request(BaseHTTPRequestHandler):
    """One request of a browser."""

    protocol_version = "HTTP/1.1"
    server_version = "treadle"
    sys_version = ""
    timeout = 30  # seconds for a request to come; a WebSocket waits as long as its page is open
    server: _LoopbackServer

    def do_GET(self) -> None:
        """Answer with the page, its data, or a WebSocket."""
        page = self.server.page
        try:
            refusal = self._refusal(page)
            path = urlsplit(self.path).path
        except ValueError:  # a host or an origin that is none
            self._answer(400, "text/plain", b"the request makes no sense")
            return
        if refusal:
            self._answer(403, "text/plain", refusal.encode())
        elif path == "/":
            policy = {"Content-Security-Policy": page.policy}
            self._answer(200, "text/html; charset=utf-8", page.text.encode(), policy)
        elif path == "/data" and page.data is not None:
            found = page.data({name: given[0] for name, given in self._query().items()})
            self._answer(200, "application/json", json.dumps(found).encode())
        elif path == "/socket" and page.talk is not None:
            self._talk(page)
        else:
            self._answer(404, "text/plain", b"there is no such page here")

    def _refusal(self, page: LoopbackPage) -> str:
        """Why a request is not answered; empty where it is."""
        host = self.headers.get("Host", "")
        if urlsplit(f"//{host}").hostname not in _HOSTS:
            return "this page is for the machine that it runs on"
        origin = self.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return "another site's page asked for this"
        given = self._query().get("token", [""])[0]
        if not secrets.compare_digest(given.encode(), page.token.encode()):
            return "the token is missing or wrong; open the address that was printed"
        return ""

    def _query(self) -> dict[str, list[str]]:
        return parse_qs(urlsplit(self.path).query)

    def _answer(
        self, status: int, kind: str, body: bytes, more: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, **(more or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _talk(self, page: LoopbackPage) -> None:
        key = self.headers.get("Sec-WebSocket-Key", "")
        upgrade = self.headers.get("Upgrade", "").lower()
        if upgrade != "websocket" or not key or self.headers.get("Origin") is None:
            self._answer(400, "text/plain", b"expected a WebSocket of the page")
            return
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", accept_key(key))
        self.end_headers()
        self.close_connection = True
        self.connection.settimeout(None)
        found = Socket(self.connection, self.rfile)
        page.sockets[found] = threading.current_thread()
        try:
            assert page.talk is not None
            page.talk(found)
        finally:
            page.sockets.pop(found, None)
            with contextlib.suppress(OSError):
                found.close()

    def log_message(self, *_: Any) -> None:
        """Say nothing: addresses have tokens."""


def _policy(text: str) -> str:
    """What lets a browser run only what is in the page."""
    hashes = {}
    for tag in ("style", "script"):
        found = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.S)
        digest = hashlib.sha256((found[1] if found else "").encode()).digest()
        hashes[tag] = base64.b64encode(digest).decode()
    return (
        "default-src 'none'; connect-src 'self'; img-src blob: data:; "
        f"style-src 'sha256-{hashes['style']}'; script-src 'sha256-{hashes['script']}'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
