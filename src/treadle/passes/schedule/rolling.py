"""Chains of Map kernels as rolling rows.

In: a Chain kernel, or a stencil that becomes a chain of one stage. Out: which rows each stage
computes when, what is kept in rings between the stages, and the code of each stage's rows. A unit
advances a few rows at a time; in each step every stage computes just the rows that later stages
need by then and that are not there yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from treadle.dtypes import DType
from treadle.ir.affine import Indexer
from treadle.ir.loops import Limit, Nest, Ring, Rolling, RowCode, StageRows, Vectors, WindowSum
from treadle.ir.nodes import (
    Block,
    Chain,
    Expr,
    For,
    Kernel,
    Load,
    Map,
    Op,
    expressions,
    statements,
    walk,
)
from treadle.ir.rewrite import rewrite_block
from treadle.passes.schedule.abreast import goes_abreast
from treadle.passes.schedule.maps import LOOPED_PIXELS
from treadle.passes.schedule.nests import interior_block, interior_limits, nest_of
from treadle.passes.schedule.pixels import pixel_code, scattered
from treadle.passes.schedule.unroll import has_loops, written_out
from treadle.passes.schedule.vectors import VectorAxis
from treadle.passes.schedule.widths import pixels_fit, stages_fit
from treadle.passes.schedule.windows import find_window

__all__ = ["rolling", "rows_together"]

_STEP = 4  # rows of the last stage that one step computes, at least
_OVERHANG = 128  # steps beyond an end of a row, at most
_WIDTH = 16
_PIXELS = 8
_JAM = 4  # rows side by side
_JAM_NODES = 600  # a body larger than this is not repeated
_PART = 2048  # elements of a row whose sums are made of parts, at a time


def rows_together(block: Block, indexer: Indexer, axis: int) -> int:
    """How many neighbours along an axis are computed side by side: several where they read the same
    rows of a tensor, and the body is small enough to be there several times. Sums over a window
    share the more the wider they are, and that many rows may not stay in the cache otherwise."""
    window = find_window(block, indexer)
    if window is not None:
        wide = [rows for rows in (16, 8) if 3 * len(window.terms) >= 4 * rows]
        return (wide or [_JAM])[0] if window.axis == axis else 1
    size = sum(1 for _ in expressions(block))
    size *= 1 + sum(1 for stmt in statements(block.body) if isinstance(stmt, For))
    seen: dict[str, set[tuple[int, int]]] = {}
    for node in expressions(block):
        if not isinstance(node, Load):
            continue
        for index in node.indices:
            form = indexer.affine(index)
            if form is not None and form.scale(("axis", axis)) == 1:
                spread = indexer.spread(form, axis)
                if spread is not None:
                    seen.setdefault(node.tensor, set()).add(spread)
    shared = any(max(h for _, h in s) > min(low for low, _ in s) for s in seen.values())
    return _JAM if shared and size <= _JAM_NODES and not has_loops(block) else 1


def rolling(kernel: Kernel) -> Rolling:
    """Schedule a chain whose stages' locals are resolved and whose short loops are marked."""
    chain = kernel.form
    assert isinstance(chain, Chain)
    reach = _Reach(chain)
    blocks = [_block_of(stage) for stage in chain.stages]
    together = [
        rows_together(block, Indexer(stage.space, block), chain.axis)
        for stage, block in zip(chain.stages, blocks, strict=True)
    ]
    step = max(_STEP, *together)
    flat = any(len(stage.space) == chain.axis + 1 for stage in chain.stages)
    rings = _rings(kernel, chain, reach, step, flat=flat)
    stages = [
        _Stage(stage, chain.axis, rings, rows).scheduled(reach.low[s], reach.high[s])
        for s, (stage, rows) in enumerate(zip(chain.stages, together, strict=True))
    ]
    return Rolling(chain.axis, step, flat, tuple(rings.values()), tuple(stages))


def _block_of(stage: Kernel) -> Block:
    assert isinstance(stage.form, Map)
    return stage.form.block


class _Reach:
    """Which rows each stage computes for those of the last one, from the chain alone."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.low = [0] * len(chain.stages)
        self.high = [0] * len(chain.stages)
        self.oldest: dict[int, int] = {}  # the oldest row of a stage that a reader still wants
        self.writer = {t.name: s for s, k in enumerate(chain.stages) for t in k.outputs}
        for s in reversed(range(len(chain.stages))):
            for writer, low, high in self._reads(s):
                self.low[writer] = min(self.low[writer], self.low[s] + low)
                self.high[writer] = max(self.high[writer], self.high[s] + high)
                oldest = self.high[s] + low
                self.oldest[writer] = min(self.oldest.get(writer, oldest), oldest)

    def _reads(self, stage: int) -> list[tuple[int, int, int]]:
        found = []
        inputs, reach = self.chain.stages[stage].inputs, self.chain.reach[stage]
        for tensor, spans in zip(inputs, reach, strict=True):
            if spans is not None:
                span = spans[self.chain.axis]
                assert span is not None
                writer = self.writer[tensor.name]
                found.append((writer, min(span.low, 0), max(span.high, 0)))
        return found


def _rings(
    kernel: Kernel, chain: Chain, reach: _Reach, step: int, *, flat: bool
) -> dict[str, Ring]:
    """The tensors that live only inside the chain."""
    outputs = {tensor.name for tensor in kernel.outputs}
    over = _overhang(chain.stages, chain.axis)
    found = {}
    for name, tensor in chain.local.items():
        if name in outputs:
            continue
        s, beyond = reach.writer[name], over.get(name, (0, 0))
        low, high = reach.low[s], reach.high[s]
        if flat:
            found[name] = Ring(tensor, None, -low, high - low, beyond)
        else:
            # The newest row of a step against the oldest that a reader in it still wants.
            found[name] = Ring(tensor, step + high - reach.oldest.get(s, high), over=beyond)
    return found


def _over(stage: Kernel, block: Block, axis: int) -> dict[Load, tuple[int, int]]:
    """Loads of a stage that leave a row by a constant offset, with how far they do.

    None where the stage asks itself whether an index is inside: then it has an interior in which
    it need not."""
    indexer = Indexer(stage.space, block)
    found: dict[Load, tuple[int, int]] = {}
    tensors = {tensor.name: tensor for tensor in stage.inputs}
    if len(stage.space) <= axis + 1:
        return {}
    for node in expressions(block):
        if isinstance(node, Op) and node.name in ("ge", "lt") and node.args[0].dtype is DType.S32:
            return {}
        if not isinstance(node, Load) or len(node.indices) <= axis + 1:
            continue
        form = indexer.affine(node.indices[axis + 1])
        if form is None or form.scale(("axis", axis + 1)) != 1:
            continue
        spread = indexer.spread(form, axis + 1)
        same = tensors[node.tensor].dims[axis + 1] == stage.space[axis + 1]
        if same and spread is not None and spread[0] >= -_OVERHANG and spread[1] <= _OVERHANG:
            found[node] = (max(-spread[0], 0), max(spread[1], 0))
    return found


def _overhang(stages: tuple[Kernel, ...], axis: int) -> dict[str, tuple[int, int]]:
    """How far each tensor is read beyond the ends of its rows, by constant offsets."""
    found: dict[str, tuple[int, int]] = {}
    for stage in stages:
        for node, (left, right) in _over(stage, _block_of(stage), axis).items():
            other = found.get(node.tensor, (0, 0))
            found[node.tensor] = (max(left, other[0]), max(right, other[1]))
    return found


def _read_over(stage: Kernel, block: Block, axis: int, rings: Mapping[str, Ring]) -> Block:
    """Mark the loads that need no clamp because their rows have what they reach."""
    over = _over(stage, block, axis)

    def change(node: Expr) -> Expr:
        if not isinstance(node, Load) or node not in over or node.tensor not in rings:
            return node
        inside = list(node.inside or [False] * len(node.indices))
        inside[axis + 1] = True
        return replace(node, inside=tuple(inside))

    return rewrite_block(block, change)


class _Stage:
    """One stage while its rows are scheduled."""

    def __init__(self, stage: Kernel, axis: int, rings: Mapping[str, Ring], rows: int) -> None:
        self.stage, self.axis, self.rings = stage, axis, rings
        self.block = _read_over(stage, _block_of(stage), axis, rings)
        self.indexer = Indexer(stage.space, self.block)
        self.along = len(stage.space) == axis + 1
        above = axis if self.along else axis + 1
        self.nest: Nest = nest_of(stage, self.block, self.indexer, above=above)
        self.limits: tuple[Limit, ...] = interior_limits(
            stage, self.block, self.indexer, self.nest.first
        )
        self.window = find_window(self.block, self.indexer)
        self.rows = 1 if self.along else rows

    def scheduled(self, low: int, high: int) -> StageRows:
        """Everything about the stage, which computes so many rows beyond those of the last."""
        codes: tuple[tuple[str, RowCode], ...]
        limits = self.limits
        if limits:
            inner, limits = interior_block(
                self.stage, self.block, self.indexer, self.nest.first, limits
            )
            codes = (
                ("edge", self._plain(self.block, 1)),
                ("inside", self._code(written_out(inner), inside=True)),
            )
        else:
            codes = (("all", self._code(self.block, inside=False)),)
        written = [self.rings[t.name] for t in self.stage.outputs if t.name in self.rings]
        ends = tuple(ring for ring in written if any(ring.over))
        return StageRows(self.nest, low, high, self.along, limits, codes, self.window, ends)

    def _plain(self, block: Block, rows: int, *, inside: bool = False) -> RowCode:
        return RowCode(block, rows=rows, inside=inside, straight=not has_loops(block))

    def _code(self, block: Block, *, inside: bool) -> RowCode:
        plain = self._plain(block, self.rows, inside=inside)
        if self.nest.unrolled is None:
            return self._along(plain)
        # LLVM takes bytes apart well, as long as they are not many and there are no loops, around
        # which it makes no vectors.
        small = all(tensor.dtype is DType.U8 for tensor in self.stage.inputs)
        channel = self.nest.first + 1
        # One channel is no vector that could be loaded from anywhere.
        loose = self.nest.unrolled == 1 and scattered(block, self.indexer, channel)
        simple = small and self.rows == 1 and plain.straight
        if loose or simple:
            return replace(plain, abreast=goes_abreast(block))
        return self._pixels(plain)

    def _along(self, plain: RowCode) -> RowCode:
        parts = 0 if plain.inside else self._parts()
        side = self.axis if plain.rows > 1 else None
        place = VectorAxis(self.nest.first, self.nest, plain.inside, side, self.axis, self.rings)
        window = self.window
        window = window if window and (parts or window.axis == self.axis) else None
        if not stages_fit(self.stage, plain.block, self.indexer, place, window):
            return plain
        return replace(plain, vectors=Vectors.ALONG, width=_WIDTH, parts=parts)

    def _pixels(self, plain: RowCode) -> RowCode:
        found = self._finds_pixels(plain.block)
        pixels = pixel_code(self.stage, plain.block, self.indexer, self.nest.first + 1)
        place = VectorAxis(
            self.nest.first, self.nest, plain.inside, rows=self.axis, rings=self.rings
        )
        if not pixels_fit(self.stage, pixels.block, self.indexer, place, stored=True):
            return plain
        return replace(
            plain,
            vectors=Vectors.PIXELS,
            width=_PIXELS if plain.straight else LOOPED_PIXELS,
            rows=_JAM if found else 1,  # of others, pixels take too many registers
            narrow=found,
            pixels=pixels,
        )

    def _finds_pixels(self, block: Block) -> bool:
        """Whether pixels are read at places that rows have in common, so that finding them once
        for several rows saves most of the work."""
        if (self.nest.unrolled or 1) < 2 or has_loops(block):
            return False  # one channel is no vector
        small = sum(1 for _ in expressions(block)) <= _JAM_NODES
        return small and scattered(block, self.indexer, self.nest.first + 1)

    def _parts(self) -> int:
        """The elements of a step, where the sums of a window along a row are made of parts: all
        that they read must be there."""
        window: WindowSum | None = self.window
        if window is None or window.axis != self.nest.first:
            return 0
        step = 1
        for dim in self.nest.inner[1:]:
            step *= dim if isinstance(dim, int) else _PART
        loads = [node for node in walk(window.terms[0]) if isinstance(node, Load)]
        near = all(load.tensor in self.rings for load in loads)
        return step if near and step * len(window.terms) <= _PART else 0
