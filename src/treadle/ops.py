"""Every kernel as a function: `ops.gaussian_blur(image, radius=3)`.

A function submits its kernel and returns the buffer that will hold the result, at once; reading the
buffer waits, `await buffer` suspends. It takes buffers, arrays, lists and numbers. Called in a
function that is a pipeline it records. Types for editors and checkers are in ops.pyi, which
docs/tools/ops_stub.py writes from the kernels' definitions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treadle.arrays import function_of
from treadle.errors import LaunchError
from treadle.kernels import ALIASES
from treadle.lang import registry

_SHIPPED = (*(name for name in registry.names() if registry.lookup(name).builtin), *ALIASES)
_OF_KERNELS = {name: function_of(registry.lookup(name), name) for name in sorted(_SHIPPED)}

__all__ = sorted(_OF_KERNELS)
globals().update(_OF_KERNELS)


def __getattr__(name: str) -> Callable[..., Any]:
    """Return the function of a kernel that was registered at run time."""
    if name.startswith("_"):
        raise AttributeError(f"module 'treadle.ops' has no attribute {name!r}")
    try:
        return function_of(registry.lookup(name))
    except LaunchError as error:
        raise AttributeError(f"treadle.ops: {error}") from None


def __dir__() -> list[str]:
    """List the functions, those of kernels registered at run time included."""
    return sorted({*__all__, *registry.names()})
