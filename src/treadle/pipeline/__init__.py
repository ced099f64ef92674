"""Pipelines: stages recorded once, compiled into one plan, run many times.

In: kernels over buffers, stage by stage, or a function that calls kernels. Out: commands, and plans
that say what was made of the stages. Uses only what a device offers to everyone.
"""

from __future__ import annotations

from treadle.pipeline.record import Pipeline
from treadle.pipeline.traced import Traced

__all__ = ["Pipeline", "Traced"]
