"""The table of backends, and what of it is present here.

In: the name of a kind of device. Out: its backend's class, imported when it is first asked for, and
how many devices of the kind there are. Opening one is the device's business.
"""

from __future__ import annotations

import importlib
import weakref
from typing import Any

__all__ = ["BACKENDS", "PREFERRED", "backend_class", "count", "hardware", "opened"]

# A new backend is one row; it is imported when it is first asked for.
BACKENDS = {
    "cpu": "treadle.backends.cpu:CpuBackend",
    "cuda": "treadle.backends.cuda:CudaBackend",
    "webgpu": "treadle.backends.webgpu:WebGpuBackend",
    "reference": "treadle.backends.reference:ReferenceBackend",
}
opened: weakref.WeakSet[Any] = weakref.WeakSet()  # devices: closed at exit, disowned by a fork
PREFERRED = ("cuda", "webgpu", "cpu")  # the default is the first of these that is present


def hardware(kind: str) -> bool:
    """Whether a kind is hardware here; one that may be software has a static hardware()."""
    ask = getattr(backend_class(kind), "hardware", None)
    return True if ask is None else bool(ask())


def backend_class(kind: str) -> Any:
    """Return the class of a kind's backend; this imports it."""
    module, _, name = BACKENDS[kind].partition(":")
    return getattr(importlib.import_module(module), name)


def count(kind: str) -> int:
    """How many devices of a kind are present; a backend with several has a static count()."""
    ask = getattr(backend_class(kind), "count", None)
    return 1 if ask is None else int(ask())
