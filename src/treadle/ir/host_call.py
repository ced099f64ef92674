"""The form of a stage that is no kernel: a function of the host's that fills its outputs.

In: whose function. Out: what stands in a kernel's place for it, so that stages, slots and plans
need not know the difference. Passes fuse nothing with it and code generators never see it; the
runtime calls it. Kernels are kept in many caches, and a function may hold a network: so this keeps
nothing alive; see docs/design/models.md.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from treadle.data import dataclass
from treadle.errors import TreadleError

__all__ = ["HostCall"]


@dataclass(frozen=True, slots=True)
class HostCall:
    """Call `found()(out, *inputs)` with arrays in the host's memory, a tuple of them where there
    are several outputs.

    With `on_lane` it is given where they lie in the device's memory (backends.base.Placed); it
    enqueues its work on the device's first lane and does not wait."""

    # What has the function, a definition; once that is gone, this is equal to no other.
    of: weakref.ref[Any]
    on_lane: bool = False

    def found(self) -> Callable[..., Any]:
        """Return the function, for a caller that keeps it alive until it has called it."""
        holder = self.of()
        if holder is None:
            raise TreadleError("internal: a function of the host's went before its call")
        function: Callable[..., Any] = holder.function
        return function
