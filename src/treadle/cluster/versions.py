"""The versions that a driver and its workers must share, by name.

In: nothing, or a worker's versions. Out: those here, or what differs. What pickles, what computes
and what compiles has to be the same everywhere, or results would depend on where a batch went.
"""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from treadle._version import __version__

__all__ = ["differing", "versions"]

_LIBRARIES = ("numpy", "llvmlite", "ray")


def versions() -> dict[str, str]:
    """Return the versions of this process: python, treadle, numpy, llvmlite and ray."""
    found = {"python": ".".join(platform.python_version_tuple()[:2]), "treadle": __version__}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def differing(theirs: dict[str, str]) -> str:
    """Return what differs there from here as `numpy 2.1 there, 2.2 here; ...`, or nothing."""
    return "; ".join(
        f"{name} {theirs[name]} there, {mine} here"
        for name, mine in versions().items()
        if theirs.get(name, mine) != mine
    )
