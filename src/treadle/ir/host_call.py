"""The form of a stage that is no kernel: a function of the host's that fills its outputs.

In: a function. Out: what stands in a kernel's place for it, so that stages, slots and plans need
not know the difference. Passes fuse nothing with it and code generators never see it; the runtime
calls it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treadle.data import dataclass

__all__ = ["HostCall"]


@dataclass(frozen=True, slots=True)
class HostCall:
    """Call `function(out, *inputs)` with arrays in the host's memory, a tuple of them where there
    are several outputs.

    With `on_lane` it is given where they lie in the device's memory (backends.base.Placed); it
    enqueues its work on the device's first lane and does not wait."""

    function: Callable[..., Any]
    on_lane: bool = False
