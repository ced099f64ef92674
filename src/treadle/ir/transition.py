"""What a stretch of a scan's elements does to the state, without knowing the state.

In: nothing; this is data, which passes.transitions finds. Out: `Transition`. With it the pieces of
a line are walked at the same time: each is summed up on its own, the summaries lead from the state
before one piece to that before the next, and the pieces are then walked from there.
"""

from __future__ import annotations

from treadle.data import dataclass
from treadle.ir.nodes import Block, Const

__all__ = ["Transition"]


@dataclass(frozen=True, slots=True)
class Transition:
    """Summaries of a scan's elements: `init` is that of none. `follow` has a summary's locals as
    arguments, reads at Axis(...), and gives the summary with this element. `combine` has an earlier
    summary's locals followed by a later one's; `apply` has a state's followed by a summary's, and
    gives the state after what is summed up. `rounds` says that combining does, and `kind` what
    the summaries are, in a word or two."""

    kind: str
    init: tuple[Const, ...]
    follow: Block
    combine: Block
    apply: Block
    rounds: bool
