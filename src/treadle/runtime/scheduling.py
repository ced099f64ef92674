"""What is decided about a kernel for a device, on its way from the passes to a backend.

In: a kernel and a backend. Out: its Schedule. A kernel that a library's routine computes has none
to speak of.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treadle.backends.base import Backend
    from treadle.ir.nodes import Kernel
    from treadle.ir.schedule import Schedule

__all__ = ["best_schedule", "load_passes", "scheduled"]

# The compile path (IR, passes) loads with the first kernel: `import treadle` need not pay for it.


# A fork waits while a thread of ours loads them: its child would wait for ever for modules that a
# thread loads which it does not have.
_loading = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_loading.acquire, after_in_parent=_loading.release, after_in_child=_loading.release
    )


def load_passes() -> None:
    """Import what looks at kernels; in a process whose programs are all known that may be late."""
    with _loading:
        import treadle.passes
        import treadle.passes.schedule
        import treadle.passes.uniform  # noqa: F401


def scheduled(best: Kernel, backend: Backend) -> Schedule:
    """Return the schedule of an optimised kernel."""
    from treadle.ir.schedule import Schedule  # see above
    from treadle.passes.schedule import schedule

    # A target may have to load a compiler to know its processor, which a routine does without.
    return Schedule(best) if backend.replaces(best) else schedule(best, backend.target)


def best_schedule(kernel: Kernel, backend: Backend) -> Schedule:
    """Return the schedule of a kernel as it was bound or fused; the host's functions have none."""
    from treadle.ir.host_call import HostCall
    from treadle.ir.schedule import Schedule
    from treadle.passes import optimise  # see above
    from treadle.passes.uniform import hoist

    if isinstance(kernel.form, HostCall):
        return Schedule(kernel)
    hoisted = hoist(kernel)
    return scheduled(optimise(kernel if hoisted is None else hoisted.kernel), backend)
