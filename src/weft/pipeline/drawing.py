"""Draw a plan: buffers and stages as a layered graph, as Mermaid text or as SVG.

In: a Plan. Out: text. Layers follow the flow from left to right; inside a layer, nodes lie near
what they come from. It knows nothing but groups and names.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weft.pipeline.plan import Plan

__all__ = ["mermaid", "svg"]

_CHAR = 7.2  # pixels of a character, at 12 px
_LINE = 18
_PAD = 12
_GAP_X = 56
_GAP_Y = 22
_COLOURS = {  # fill, edge
    "buffer": ("#eef4fb", "#5b86b5"),
    "scratch": ("#f4f4f2", "#9a978f"),
    "group": ("#fdf3e4", "#c08a2d"),
}


@dataclass(slots=True)
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
        return max(len(line) for line in self.lines) * _CHAR + 2 * _PAD

    @property
    def height(self) -> float:
        return len(self.lines) * _LINE + _PAD


def _nodes(plan: Plan) -> list[_Node]:
    """Groups and the memory between them; what is written again is a node of its own, so that the
    flow never turns back."""
    nodes: list[_Node] = []
    current: dict[str, _Node] = {}

    def memory(label: str) -> _Node:
        kind = "scratch" if label.startswith(("scratch", "table")) else "buffer"
        name, _, spec = label.partition(" ")
        made = _Node(f"m{len(nodes)}", kind, [name, spec])
        nodes.append(made)
        current[label] = made
        return made

    for k, group in enumerate(plan.groups):
        sources = [current.get(label) or memory(label) for label in group.reads]
        lines = [f"{i + 1}. {plan.stages[i].label or plan.stages[i]}" for i in group.stages]
        made = _Node(f"g{k}", "group", [_cut(line) for line in lines] or [group.kernel])
        made.before = sources
        made.layer = 1 + max((node.layer for node in sources), default=0)
        nodes.append(made)
        for label in group.writes:
            target = memory(label)
            target.before = [made]
            target.layer = made.layer + 1
    return nodes


def _cut(line: str, limit: int = 44) -> str:
    return line if len(line) <= limit else line[: limit - 1] + "…"


def mermaid(plan: Plan) -> str:
    """A Mermaid flowchart."""
    shapes = {"buffer": ('(["', '"])'), "scratch": ('[/"', '"/]'), "group": ('["', '"]')}
    lines = ["flowchart LR"]
    for node in _nodes(plan):
        left, right = shapes[node.kind]
        text = "<br/>".join(escape(line, quote=True) for line in node.lines)
        lines.append(f"    {node.name}{left}{text}{right}")
        lines += [f"    {source.name} --> {node.name}" for source in node.before]
    for kind, (fill, edge) in _COLOURS.items():
        found = ",".join(node.name for node in _nodes(plan) if node.kind == kind)
        if found:
            lines += [f"    classDef {kind} fill:{fill},stroke:{edge},color:#1d1d1b"]
            lines += [f"    class {found} {kind}"]
    return "\n".join(lines) + "\n"


def _place(nodes: list[_Node]) -> tuple[float, float]:
    """Give every node its place; return the size of the whole."""
    layers: list[list[_Node]] = [[] for _ in range(1 + max((n.layer for n in nodes), default=0))]
    for node in nodes:
        layers[node.layer].append(node)
    # An input that is first needed late lies just before its reader.
    for node in layers[0]:
        readers = [other.layer for other in nodes if node in other.before]
        if readers:
            node.layer = min(readers) - 1
    layers = [[n for n in nodes if n.layer == k] for k in range(len(layers))]
    x = float(_GAP_Y)
    tallest = max(sum(n.height + _GAP_Y for n in layer) for layer in layers)
    for layer in layers:
        if not layer:
            continue
        layer.sort(key=lambda n: sum(b.y for b in n.before) / len(n.before) if n.before else 0.0)
        y = _GAP_Y + (tallest - sum(n.height + _GAP_Y for n in layer)) / 2
        wide = max(n.width for n in layer)
        for node in layer:
            node.x, node.y = x + (wide - node.width) / 2, y
            y += node.height + _GAP_Y
        x += wide + _GAP_X
    return x - _GAP_X + _GAP_Y, tallest + _GAP_Y


def svg(plan: Plan) -> str:
    """A picture of its own, without scripts or outside fonts."""
    nodes = _nodes(plan)
    width, height = _place(nodes) if nodes else (200.0, 40.0)
    height += _LINE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="ui-sans-serif, system-ui, '
        'sans-serif" font-size="12">',
        f"<title>{escape(repr(plan))}</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#6b6963"/></marker>'
        "</defs>",
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
    ]
    for node in nodes:
        parts += [_edge(source, node) for source in node.before]
    parts += [_box(node) for node in nodes]
    parts.append(
        f'<text x="{_GAP_Y}" y="{height - 8:.0f}" fill="#6b6963">{escape(plan.summary)}</text>'
    )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _edge(a: _Node, b: _Node) -> str:
    x1, y1 = a.x + a.width, a.y + a.height / 2
    x2, y2 = b.x - 1, b.y + b.height / 2
    bend = max((x2 - x1) / 2, 16)
    path = (
        f"M{x1:.1f} {y1:.1f} C{x1 + bend:.1f} {y1:.1f} {x2 - bend:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
    )
    return f'<path d="{path}" fill="none" stroke="#6b6963" marker-end="url(#tip)"/>'


def _box(node: _Node) -> str:
    fill, edge = _COLOURS[node.kind]
    round_ = node.height / 2 if node.kind == "buffer" else 4
    dash = ' stroke-dasharray="4 3"' if node.kind == "scratch" else ""
    lines = "".join(
        f'<text x="{node.x + node.width / 2:.1f}" y="{node.y + _PAD / 2 + 13 + k * _LINE:.1f}" '
        f'text-anchor="middle" fill="#1d1d1b">{escape(line)}</text>'
        for k, line in enumerate(node.lines)
    )
    return (
        f'<rect x="{node.x:.1f}" y="{node.y:.1f}" width="{node.width:.1f}" '
        f'height="{node.height:.1f}" rx="{round_:.1f}" fill="{fill}" stroke="{edge}"{dash}/>{lines}'
    )
