"""Who may call: the check that a request was meant for this service.

In: a request's Host and Origin. Out: nothing, or a Refusal. A page of another site can have a
browser call a service on this machine, also under a name of its own that it lets point here (DNS
rebinding); a browser always says for which name and on behalf of which site it calls.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from treadle.serving.limits import Refusal

__all__ = ["LOOPBACK", "check_sender", "host_of"]

LOOPBACK = ("localhost", "127.0.0.1", "::1")


def host_of(authority: str) -> str:
    """Return the host of "host:port", in lower case, without brackets; empty if it is none."""
    try:
        return urlsplit(f"//{authority}").hostname or ""
    except ValueError:
        return ""


def check_sender(request: Any, hosts: tuple[str, ...] | None) -> None:
    """Raise where a request names another host, or comes from another site's page."""
    called = request.headers.get("host", "")
    if hosts is not None and host_of(called) not in hosts:
        said = f"Host: expected {' or '.join(dict.fromkeys(hosts))}, got {called[:100]!r}"
        raise Refusal(403, said, Connection="close")
    origin = request.headers.get("origin")
    if origin is None or request.method in ("GET", "HEAD"):
        return
    try:
        from_here = urlsplit(origin).netloc.lower() == called.lower() != ""
    except ValueError:
        from_here = False
    if not from_here:
        said = f"Origin: {origin[:100]!r} is another site than {called[:100]!r}"
        raise Refusal(403, said, Connection="close")
