"""Draw a plan: memory and groups as a layered graph, as Mermaid text or as SVG.

In: a PipelinePlan. Out: text. Layers go from top to bottom along the flow; inside a layer, nodes
lie near what they come from, and an edge that passes a layer has a place of its own there. It
knows nothing but groups and names.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING

from treadle.data import dataclass

if TYPE_CHECKING:
    from treadle.pipeline.plan import PipelinePlan

__all__ = ["mermaid", "svg"]

_CHAR = 7.0  # pixels of a character, at 12 px
_LINE = 18
_PAD = 12
_GAP_X = 30
_GAP_Y = 34
_EDGE = 16  # of the whole picture
_COLOURS = {  # fill, edge
    "buffer": ("#eef4fb", "#5b86b5"),
    "scratch": ("#f4f4f2", "#9a978f"),
    "group": ("#fdf3e4", "#c08a2d"),
}
_INK, _GREY = "#1d1d1b", "#6b6963"


@dataclass(slots=True, eq=False)
class _Node:
    name: str
    kind: str
    lines: list[str]
    layer: int = 0
    x: float = 0.0
    y: float = 0.0
    before: list[_Node] = field(default_factory=list)

    @property
    def width(self) -> float:
        return max((len(line) for line in self.lines), default=0) * _CHAR + 2 * _PAD

    @property
    def height(self) -> float:
        return len(self.lines) * _LINE + _PAD

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


def _nodes(plan: PipelinePlan) -> list[_Node]:
    """Groups and the memory between them; what is written again is a node of its own, so that the
    flow never turns back."""
    nodes: list[_Node] = []
    current: dict[str, _Node] = {}

    def memory(label: str, before: list[_Node]) -> _Node:
        name, _, spec = label.partition(" ")
        kind = "scratch" if name.startswith(("scratch", "table")) else "buffer"
        layer = 1 + max((node.layer for node in before), default=-1)
        made = _Node(f"m{len(nodes)}", kind, [name, spec], layer, before=before)
        nodes.append(made)
        current[label] = made
        return made

    for k, group in enumerate(plan.groups):
        sources = [current.get(label) or memory(label, []) for label in group.reads]
        lines = [f"{i + 1}. {plan.stages[i].label or plan.stages[i]}" for i in group.stages]
        lines += [f"{group.times} times"] if group.times > 1 else []
        layer = 1 + max((node.layer for node in sources), default=-1)
        made = _Node(f"g{k}", "group", [_cut(line) for line in lines] or [group.kernel], layer)
        made.before = sources
        nodes.append(made)
        for label in group.writes:
            memory(label, [made])
    for node in nodes:  # what is first needed late lies just above its reader
        readers = [other.layer for other in nodes if node in other.before]
        if not node.before and readers:
            node.layer = min(readers) - 1
    return nodes


def _cut(line: str, limit: int = 44) -> str:
    return line if len(line) <= limit else line[: limit - 1] + "…"


def mermaid(plan: PipelinePlan) -> str:
    """A Mermaid flowchart."""
    shapes = {"buffer": ('(["', '"])'), "scratch": ('[/"', '"/]'), "group": ('["', '"]')}
    nodes = _nodes(plan)
    lines = ["flowchart TB"]
    for node in nodes:
        left, right = shapes[node.kind]
        text = "<br/>".join(escape(line, quote=True) for line in node.lines)
        lines.append(f"    {node.name}{left}{text}{right}")
        lines += [f"    {source.name} --> {node.name}" for source in node.before]
    for kind, (fill, edge) in _COLOURS.items():
        found = ",".join(node.name for node in nodes if node.kind == kind)
        if found:
            lines += [f"    classDef {kind} fill:{fill},stroke:{edge},color:{_INK}"]
            lines += [f"    class {found} {kind}"]
    return "\n".join(lines) + "\n"


def _routed(nodes: list[_Node]) -> tuple[list[_Node], list[list[_Node]]]:
    """Add a point in every layer that an edge passes; return all nodes, and the ways of edges."""
    points: list[_Node] = []
    ways: list[list[_Node]] = []
    for node in nodes:
        for source in node.before:
            way = [source]
            for layer in range(source.layer + 1, node.layer):
                way.append(_Node("", "point", [], layer, before=[way[-1]]))
            points += way[1:]
            ways.append([*way, node])
    return [*nodes, *points], ways


def _place(nodes: Iterable[_Node], ways: list[list[_Node]]) -> tuple[float, float]:
    """Give every node its place; return the size of the whole."""
    layers: dict[int, list[_Node]] = {}
    for node in nodes:
        layers.setdefault(node.layer, []).append(node)
    above: dict[_Node, list[_Node]] = {}
    below: dict[_Node, list[_Node]] = {}
    for way in ways:
        for a, b in pairwise(way):
            above.setdefault(b, []).append(a)
            below.setdefault(a, []).append(b)
    order = [layers[k] for k in sorted(layers)]
    width = max(sum(n.width + _GAP_X for n in layer) - _GAP_X for layer in order)
    # To and fro: each layer by where its neighbours above lie, then by those below.
    for turn in range(4):
        near = below if turn % 2 else above
        for layer in reversed(order) if turn % 2 else order:
            middles = {
                n: sum(o.middle for o in near[n]) / len(near[n]) if near.get(n) else n.middle
                for n in layer
            }
            layer.sort(key=lambda n, at=middles: at[n])  # type: ignore[misc]
            x = (width - sum(n.width + _GAP_X for n in layer) + _GAP_X) / 2
            for node in layer:
                node.x = x
                x += node.width + _GAP_X
    _straighten(ways, layers)
    y = 0.0
    for layer in order:
        tall = max(n.height for n in layer)
        for node in layer:
            node.y = y + (tall - node.height) / 2
        y += tall + _GAP_Y
    return width, y - _GAP_Y


def _straighten(ways: list[list[_Node]], layers: dict[int, list[_Node]]) -> None:
    """Move the points of an edge below each other, where that pushes no other node aside."""

    def fits(point: _Node, x: float) -> bool:
        others = [node for node in layers[point.layer] if node is not point]
        return all(
            node.x + node.width <= x if node.x < point.x else x + point.width <= node.x
            for node in others
        )

    passing = [way[1:-1] for way in ways if len(way) > 2]
    for points in sorted(passing, key=lambda points: -max(point.x for point in points)):
        x = max(point.x for point in points)
        if all(fits(point, x) for point in points):
            for point in points:
                point.x = x


def svg(plan: PipelinePlan) -> str:
    """A picture of its own, without scripts or outside fonts."""
    nodes = _nodes(plan)
    every, ways = _routed(nodes)
    width, height = _place(every, ways) if nodes else (0.0, 0.0)
    words = plan.summary
    wide = max(width, max(len(line) for line in words) * _CHAR) + 2 * _EDGE
    for node in every:
        node.x += (wide - width) / 2
        node.y += _EDGE
    tall = height + 2 * _EDGE + _LINE * len(words) + 4
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:.0f} {tall:.0f}" '
        f'width="{wide:.0f}" height="{tall:.0f}" font-family="ui-sans-serif, system-ui, '
        'sans-serif" font-size="12">',
        f"<title>{escape(repr(plan))}</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        f'markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="{_GREY}"/></marker>'
        "</defs>",
        f'<rect width="{wide:.0f}" height="{tall:.0f}" fill="#ffffff"/>',
        *(_way(way) for way in ways),
        *(_box(node) for node in nodes),
    ]
    below = height + 2 * _EDGE + _LINE - 6
    parts += [
        f'<text x="{_EDGE}" y="{below + k * _LINE:.0f}" fill="{_GREY}">{escape(line)}</text>'
        for k, line in enumerate(words)
    ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _way(way: list[_Node]) -> str:
    """An edge as a smooth line, straight down through the layers that it passes."""
    x, y = way[0].middle, way[0].y + way[0].height
    path = [f"M{x:.1f} {y:.1f}"]
    for node in way[1:]:
        to, end = node.middle, node.y - (1 if node is way[-1] else 0)
        bend = (end - y) / 2
        path.append(f"C{x:.1f} {y + bend:.1f} {to:.1f} {end - bend:.1f} {to:.1f} {end:.1f}")
        x, y = to, node.y + node.height
        if node is not way[-1]:
            path.append(f"L{x:.1f} {y:.1f}")
    line = " ".join(path)
    return f'<path d="{line}" fill="none" stroke="{_GREY}" marker-end="url(#tip)"/>'


def _box(node: _Node) -> str:
    fill, edge = _COLOURS[node.kind]
    corner = node.height / 2 if node.kind == "buffer" else 4
    dash = ' stroke-dasharray="4 3"' if node.kind == "scratch" else ""
    lines = "".join(
        f'<text x="{node.middle:.1f}" y="{node.y + _PAD / 2 + 13 + k * _LINE:.1f}" '
        f'text-anchor="middle" fill="{_INK}">{escape(line)}</text>'
        for k, line in enumerate(node.lines)
    )
    return (
        f'<rect x="{node.x:.1f}" y="{node.y:.1f}" width="{node.width:.1f}" '
        f'height="{node.height:.1f}" rx="{corner:.1f}" fill="{fill}" stroke="{edge}"{dash}/>{lines}'
    )
