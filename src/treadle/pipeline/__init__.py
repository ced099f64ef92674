"""Pipelines: stages recorded once, compiled into one plan, run many times.

In: kernels over buffers, stage by stage, or a function that calls kernels. Out: commands, and plans
that say what was made of the stages. Uses only what a device offers to everyone. What is in the
package is imported when it is used first: `import treadle` need not pay for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treadle.pipeline.record import Pipeline
    from treadle.pipeline.traced import Traced
else:

    def __getattr__(name: str):
        """Import what is imported when it is used first."""
        if name == "Pipeline":
            from treadle.pipeline.record import Pipeline as found
        elif name == "Traced":
            from treadle.pipeline.traced import Traced as found
        else:
            raise AttributeError(f"module 'treadle.pipeline' has no attribute {name!r}")
        globals()[name] = found
        return found


__all__ = ["Pipeline", "Traced"]
