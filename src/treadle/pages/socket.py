"""WebSockets, as far as a page of ours needs them: whole messages, both ways, over one connection.

In: a connection whose request asked for one. Out: texts that came, and texts and bytes that go. A
message that is larger than a page of ours would send, or anything that is no message, ends it.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import socket
import struct
import threading
from typing import Protocol

__all__ = ["Socket", "accept_key"]

_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # of RFC 6455
_TEXT, _BYTES, _CLOSE, _PING, _PONG = 1, 2, 8, 9, 10
_LARGEST = 1 << 16  # bytes of a message from a page
_FAREWELL = 1.0  # seconds in which a page takes the last word


def accept_key(key: str) -> str:
    """What a server answers to a client's key, to say that it knows the protocol."""
    return base64.b64encode(hashlib.sha1((key + _GUID).encode()).digest()).decode()


class Incoming(Protocol):
    """Where bytes come from."""

    def read(self, size: int, /) -> bytes:
        """Wait for so many bytes; fewer mean that no more will come."""
        ...


class Socket:
    """One page's connection; any thread may send."""

    def __init__(self, connection: socket.socket, incoming: Incoming) -> None:
        self._connection = connection
        self._incoming = incoming
        self._lock = threading.Lock()
        self.closed = False

    def send(self, message: str | bytes) -> bool:
        """Send a message; false where the page is gone."""
        if isinstance(message, str):
            return self._send(_TEXT, message.encode())
        return self._send(_BYTES, message)

    def _send(self, kind: int, data: bytes) -> bool:
        size = len(data)
        if size < 126:
            head = struct.pack(">BB", 128 | kind, size)
        elif size < 1 << 16:
            head = struct.pack(">BBH", 128 | kind, 126, size)
        else:
            head = struct.pack(">BBQ", 128 | kind, 127, size)
        try:
            with self._lock:
                self._connection.sendall(head + data)
        except OSError:
            self.closed = True
        return not self.closed

    def receive(self) -> str | None:
        """Wait for a text and return it; None when the page is gone."""
        try:
            while not self.closed:
                found = self._frame()
                if found is None:
                    break
                kind, data = found
                if kind == _TEXT:
                    return data.decode("utf-8")
                if kind == _PING:
                    self._send(_PONG, data)
                elif kind != _PONG:
                    break
        except (OSError, UnicodeDecodeError, ValueError):
            pass
        self.close()
        return None

    def _frame(self) -> tuple[int, bytes] | None:
        head = self._exactly(2)
        kind, size = head[0] & 15, head[1] & 127
        whole, masked = head[0] & 128, head[1] & 128
        if size == 126:
            size = struct.unpack(">H", self._exactly(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self._exactly(8))[0]
        if not (whole and masked) or size > _LARGEST:
            return None
        mask, data = self._exactly(4), self._exactly(size)
        return kind, bytes(byte ^ mask[k & 3] for k, byte in enumerate(data))

    def _exactly(self, count: int) -> bytes:
        data = self._incoming.read(count)
        if len(data) < count:
            raise ValueError("the connection ended")
        return data

    def close(self) -> None:
        """End the connection; a page that takes nothing any more is not waited for."""
        # Where a message is on its way, the page may never take the rest of it.
        if not self.closed and self._lock.acquire(blocking=False):
            with contextlib.suppress(OSError):
                self._connection.settimeout(_FAREWELL)
                self._connection.sendall(struct.pack(">BB", 128 | _CLOSE, 0))
            self._lock.release()
        self.closed = True
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
