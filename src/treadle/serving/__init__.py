"""A service over HTTP: recipes on photos that clients send, networks, nearest neighbours.

In: a recipe, a network, an index. Out: an app for any ASGI server (Starlette), and a server for it
(uvicorn) that finishes what it accepted; both are in the extra `serve`. Photos are decoded and
encoded on threads and computed on a device: the event loop only carries bytes.
"""

from __future__ import annotations

from treadle.serving.app import Service
from treadle.serving.limits import Refusal, ServiceLimits
from treadle.serving.server import Server, serve

__all__ = ["Refusal", "Server", "Service", "ServiceLimits", "serve"]
