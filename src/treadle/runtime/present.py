"""The table of backends, and what of it is present here.

In: the name of a kind of device. Out: its backend's class, imported when it is first asked for, and
how many devices of the kind there are. Opening one is the device's business.
"""

from __future__ import annotations

import importlib
import os
import sys
import weakref
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from treadle.errors import DeviceUnavailable

__all__ = [
    "BACKENDS",
    "PREFERRED",
    "backend_class",
    "best",
    "count",
    "devices",
    "hardware",
    "opened",
]

# A new backend is one row; it is imported when it is first asked for.
BACKENDS = {
    "cpu": "treadle.backends.cpu:CpuBackend",
    "cuda": "treadle.backends.cuda:CudaBackend",
    "webgpu": "treadle.backends.webgpu:WebGpuBackend",
    "reference": "treadle.backends.reference:ReferenceBackend",
}
opened: weakref.WeakSet[Any] = weakref.WeakSet()  # devices: closed at exit, disowned by a fork
PREFERRED = ("cuda", "webgpu", "cpu")  # the default is the first of these that is present
_DRIVEN = {"cuda": "cupy", "webgpu": "wgpu"}  # kinds of graphics hardware, and who talks to it
# What Linux's drivers of graphics hardware make: those of the kernel, NVIDIA's on servers and on
# Jetsons, AMD's for computing, Windows' for its Linux, Arm's and Qualcomm's on phones.
_NODES = "dri nvidiactl nvgpu nvhost-ctrl-gpu kfd dxg mali0 kgsl-3d0".split()


def hardware(kind: str, nodes: str | os.PathLike[str] = "/dev") -> bool:
    """Whether a kind is hardware here; one that may be software has a static hardware().

    A library that talks to hardware takes a third of a second to load and to look around. It is not
    asked where it is not installed, or where the system has no such hardware."""
    library = _DRIVEN.get(kind)
    if library is not None and not (_installed(library) and _graphics(nodes)):
        return False
    ask = getattr(backend_class(kind), "hardware", None)
    return True if ask is None else bool(ask())


def _installed(library: str) -> bool:
    return sys.modules.get(library) is not None or find_spec(library) is not None


def _graphics(nodes: str | os.PathLike[str]) -> bool:
    """Whether there may be graphics hardware."""
    if not sys.platform.startswith("linux"):
        return True
    return any(os.path.exists(os.path.join(nodes, name)) for name in _NODES)


def backend_class(kind: str) -> Any:
    """Return the class of a kind's backend; this imports it."""
    module, _, name = BACKENDS[kind].partition(":")
    return getattr(importlib.import_module(module), name)


def count(kind: str) -> int:
    """How many devices of a kind are present; a backend with several has a static count()."""
    ask = getattr(backend_class(kind), "count", None)
    return 1 if ask is None else int(ask())


def devices() -> list[str]:
    """Return the names of all devices that are present here."""
    names = []
    for kind in BACKENDS:
        try:
            present = count(kind)
        except DeviceUnavailable:
            continue
        names += [f"{kind}:{i}" if i else kind for i in range(present)]
    return names


def best(open_kind: Callable[[str], Any]) -> Any:
    """Open the best kind that is present here."""
    for kind in (kind for kind in PREFERRED if kind in BACKENDS):
        try:
            if hardware(kind):
                return open_kind(kind)
        except DeviceUnavailable:
            pass
    raise DeviceUnavailable("no device can be used here")
