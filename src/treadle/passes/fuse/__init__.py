"""Make few kernels of many stages, so that what is between them never reaches memory.

In: a Bound, how much fast memory a device has for a chain, and how many tensors a kernel may have.
Out: a Bound that computes the same into the same inputs and outputs, with fewer stages and less
scratch, and a line for each given stage that says what became of it.

Two ways. A map is computed inside its consumer where that costs little: it is read once for each
element, or is cheap (`inline`). Where a consumer reads a neighbourhood, both become stages of a
Chain, which keeps rows or tiles of the intermediate in fast memory (`chain`). What is also read
elsewhere stays an output.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from treadle.ir.bound import Bound, Fused
from treadle.ir.nodes import Kernel
from treadle.passes.fuse.chain import chain_all
from treadle.passes.fuse.graph import Graph
from treadle.passes.fuse.inline import inline_all

__all__ = ["fuse"]

_SPARE = 8  # operations that may be computed again where a chain is the alternative
_SPARE_NO_CHAIN = 48  # where the alternative is a trip through memory


def fuse(
    bound: Bound,
    *,
    near: int = 0,
    tensors: int = 16,
    shared: frozenset[tuple[int, int]] = frozenset(),
    cuts: Sequence[int] = (),
    fits: Callable[[Kernel], bool] | None = None,
) -> Fused:
    """Fuse the stages of a bound.

    `near` is a device's fast memory for a chain in bytes (0: it runs no chains), `tensors` how many
    a kernel may have (0: nothing is fused, scratch is still shared), `shared` the pairs of slots
    that overlap in memory, `cuts` the stages before which a barrier stands: nothing is fused across
    one, and what is on both sides of it is real memory. `fits` is for devices that keep tiles, not
    whole rows: it says whether they can run a chain."""
    graph = Graph(bound, shared, cuts)
    for node in graph.drop_dead():
        graph.note(node, "dropped: nobody reads what it computes")
    if tensors and near:
        # Where a stage is computed over tiles, by threads that take a few pixels each, what is read
        # at the same pixel is better computed there than kept.
        inline_all(graph, _SPARE, tensors, chains=fits is None)
        chain_all(graph, near, tensors, fits)
    if tensors:
        inline_all(graph, _SPARE_NO_CHAIN, tensors, chains=False)
    made, groups = graph.finish()
    return Fused(made, groups, graph.remarks())
