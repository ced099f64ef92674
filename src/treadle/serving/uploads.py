"""Receiving what a client sends: never more than a limit, never slower than a pace.

In: a request of Starlette's. Out: the bytes of its body, or of the one file in a form, held in the
service's budget until the request ends; or a Refusal. What the bytes are is for others to find out.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any

from treadle.data import dataclass
from treadle.serving.budget import Budget
from treadle.serving.limits import Refusal, ServiceLimits

__all__ = ["Gone", "Upload", "file_of_form", "receive"]

_FORM = "multipart/form-data"
_HEAD = 8192  # bytes of a part's headers
_ENDLESS = 4  # times the limit: a client that sends more is not waited for
_CLOSE = {"Connection": "close"}  # the rest of a body is on its way


class Gone(Exception):
    """The client has closed the connection: no answer will reach it."""


@dataclass(slots=True)
class Upload:
    """A body as it came; `media` is its type without parameters."""

    data: bytes
    media: str
    boundary: bytes = b""

    def content(self) -> bytes:
        """Return the bytes that were sent, taken out of the form where there is one."""
        return file_of_form(self.data, self.boundary) if self.media == _FORM else self.data


@asynccontextmanager
async def receive(
    request: Any, limits: ServiceLimits, budget: Budget, types: tuple[str, ...]
) -> AsyncIterator[Upload]:
    """Receive a body of one of some media types ("image/*"), and hold its memory meanwhile."""
    given = request.headers.get("content-type", "")
    media = given.partition(";")[0].strip().lower()
    if media and media != _FORM and not any(_matches(media, each) for each in types):
        known = ", ".join((*types, _FORM))
        raise Refusal(415, f"Content-Type: expected {known}, got {media[:100]!r}", **_CLOSE)
    packed = request.headers.get("content-encoding", "identity")
    if packed.lower() != "identity":
        said = f"Content-Encoding: send the file as it is, not packed by {packed[:40]!r}"
        raise Refusal(415, said, **_CLOSE)
    boundary = b""
    if media == _FORM:
        found = re.search(r'boundary="?([^";]{1,200})"?', given)
        if found is None:
            raise Refusal(400, "Content-Type: a form has no boundary", **_CLOSE)
        boundary = found[1].strip().encode("latin-1", "replace")
    held = await _admit(request, limits, budget)
    try:
        parts = [part async for part in _parts(request, limits) if part]
        data = b"".join(parts) if len(parts) != 1 else parts[0]
        parts.clear()
        budget.add(len(data) - held)
        held = len(data)
        if not data:
            raise Refusal(400, "the request has no body; send the file as it is, or in a form")
        yield Upload(data, media, boundary)
    finally:
        budget.add(-held)


async def _admit(request: Any, limits: ServiceLimits, budget: Budget) -> int:
    """Wait until there is memory for what the client says that it will send, and hold it; nothing
    is read before, so that the client waits too."""
    given = request.headers.get("content-length", "")
    size = int(given) if given.isdecimal() and len(given) < 19 else limits.max_bytes
    if size > limits.max_bytes:
        waits = request.headers.get("expect", "").lower() == "100-continue"
        if waits or size > _ENDLESS * limits.max_bytes:  # it has not begun, or would not end
            raise _beyond(limits)
        return 0  # what it sends is thrown away
    try:
        async with asyncio.timeout(limits.patience):
            await budget.take(size)
    except TimeoutError:
        said = "too many uploads at the same time; try again"
        raise Refusal(503, said, Retry_After="1", **_CLOSE) from None
    return size


async def _parts(request: Any, limits: ServiceLimits) -> AsyncIterator[bytes]:
    """The body piece by piece, as long as it keeps the limits."""
    began = monotonic()
    count = 0
    more = True
    while more:
        left = began + limits.patience + count / limits.pace - monotonic()
        try:
            async with asyncio.timeout(left):
                message = await request.receive()
        except TimeoutError:
            said = f"the upload came too slowly: {count:,} bytes in {monotonic() - began:.0f} s"
            raise Refusal(408, said, **_CLOSE) from None
        if message["type"] == "http.disconnect":
            raise Gone
        part: bytes = message.get("body", b"")
        more = message.get("more_body", False)
        count += len(part)
        if count <= limits.max_bytes:
            yield part
        # A client that is still sending sees the answer only when it has finished. What it sends
        # is thrown away; one that goes on for ever is cut off.
        elif not more or count > _ENDLESS * limits.max_bytes:
            raise _beyond(limits)


def _beyond(limits: ServiceLimits) -> Refusal:
    said = f"the upload is larger than the limit of {limits.max_bytes / 1e6:,.4g} MB"
    return Refusal(413, said, **_CLOSE)


def _matches(media: str, pattern: str) -> bool:
    return media == pattern or (pattern.endswith("/*") and media.startswith(pattern[:-1]))


def file_of_form(data: bytes, boundary: bytes) -> bytes:
    """Return the first file of a form, or its first field where it has no file."""
    mark = b"--" + boundary
    place = data.find(mark)
    first: bytes | None = None
    while place >= 0:
        place += len(mark)
        if data[place : place + 2] == b"--":
            break
        head_end = data.find(b"\r\n\r\n", place, place + _HEAD)
        end = data.find(b"\r\n" + mark, place)
        if head_end < 0 or end < 0:
            raise Refusal(400, "the form is cut off, or has headers that are too long")
        # A part without a byte ends where its headers end.
        inside = data[head_end + 4 : max(end, head_end + 4)]
        head = data[place:head_end].lower()
        if b"filename=" in head or b"filename*=" in head:
            return inside
        first = inside if first is None else first
        place = end + 2
    if first is None:
        raise Refusal(400, "the form has no file")
    return first
