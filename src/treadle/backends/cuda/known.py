"""Launches that come again with the same arguments, as graphs of one kernel each.

In: what is launched, and where it finds its data. Out: a graph that does it, once the same has come
a few times: the driver takes half as long for one as for the kernel. A graph holds addresses and no
memory: one for memory that is somewhere else by now is not used, and one for an address that was
given out again is as good as new.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treadle.backends.base import Step

if TYPE_CHECKING:
    from treadle.backends.cuda.graph import Graphs
    from treadle.backends.cuda.program import Sized

__all__ = ["KnownLaunches"]

_AFTER = 3  # of the same launches a graph is made: it costs as much as five of them
_KEPT = 64  # graphs of a kernel and its sizes
_MISSES = 1024  # launches without a graph after which all are made anew, for what is current


class _Graph:
    """A graph and its instance, destroyed with the object."""

    __slots__ = ("_graph", "_graphs", "instance")

    def __init__(self, graphs: Graphs) -> None:
        self._graph = self.instance = 0
        self._graphs = graphs

    def build(self, sized: Sized, step: Step) -> None:
        """Record the launches of a step."""
        arguments = sized.arguments()
        sized.pack(step, 0, arguments)
        self._graph = graph = self._graphs.create()
        after: list[int] = []
        for call in sized.calls:
            after = [self._graphs.add_call(graph, after, call, arguments.address)]
        self.instance = self._graphs.instantiate(graph)

    def __del__(self) -> None:
        graphs = getattr(self, "_graphs", None)  # Ctrl-C may have come before it was there
        if graphs is not None:
            graphs.destroy(self._graph, self.instance)


class KnownLaunches:
    """The graphs of one kernel for one set of sizes."""

    __slots__ = ("_made", "_misses", "_seen")

    def __init__(self) -> None:
        self._made: dict[Any, _Graph] = {}
        self._seen: dict[Any, int] = {}
        self._misses = 0

    def instance(self, graphs: Graphs, sized: Sized, step: Step) -> int:
        """Return the graph that does a step, 0 where there is none yet."""
        params = step.params
        key: Any = (*[memory.address + offset for memory, offset in step.regions], *params)
        if 0 in params:
            key = key, repr(params)  # zeros have signs, and are equal
        found = self._made.get(key)
        if found is not None:
            return found.instance
        self._misses += 1
        if self._misses > _MISSES:
            self._made, self._seen, self._misses = {}, {}, 0
        seen = self._seen[key] = self._seen.get(key, 0) + 1
        if seen < _AFTER or len(self._made) >= _KEPT:
            return 0
        made = _Graph(graphs)
        made.build(sized, step)
        self._made[key] = made
        return made.instance
