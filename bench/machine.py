"""Where and with what the figures were taken.

In: nothing. Out: facts as text, and a short name for the machine. No host names, no paths.
"""

from __future__ import annotations

import importlib.metadata
import platform
import re
from datetime import UTC, datetime

import treadle
from bench import peers

__all__ = ["date", "facts", "slug"]

LIBRARIES = ("numpy", "llvmlite", "numba", "torch", "opencv-python-headless", "opencv-python")


def date() -> str:
    """Today, in UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%d")


def slug() -> str:
    """A name for this kind of machine that can be part of a file's name."""
    words = re.sub(r"[^a-z0-9]+", "-", treadle.device_info("cpu").name.lower()).strip("-")
    return f"{words}-{peers.CORES}-cores"


def facts() -> dict[str, str]:
    """What a reader needs to compare figures."""
    info = treadle.device_info("cpu")
    size = f"{peers.CORES} cores, {info.memory / 2**30:.0f} GiB"
    found = {
        "machine": f"{info.name} ({info.driver}), {size}",
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "treadle": treadle.version(),
    }
    for name in LIBRARIES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found | {"date": date()}
