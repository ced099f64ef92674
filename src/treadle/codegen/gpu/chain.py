"""Chains over tiles in the languages of GPUs: what a group of threads does about one tile.

In: a chain's language and how it is laid over tiles. Out: lines that say which elements are whose,
keep them in the group's memory, and give places beyond the tensor's edge the edge's value, so that
stages read their neighbourhood without a test. What an element is, is stage's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.codegen.gpu.counts import ceil_div, elements
from treadle.codegen.gpu.cstyle import CStyle, indented
from treadle.codegen.gpu.stage import StageText
from treadle.errors import LaunchError
from treadle.ir.nodes import Chain, Dim, Kernel, Tensor
from treadle.ir.schedule import Threads
from treadle.ir.tiles import Part, Tiled, Where, number_of

__all__ = ["ChainText", "tiled_or_refused", "word"]


def tiled_or_refused(kernel: Kernel, threads: Threads | None, group: str, device: str) -> Tiled:
    """The tiles of a chain; raise LaunchError where they do not fit with their halos."""
    if not isinstance(threads, Tiled):
        raise LaunchError(
            f"{kernel.name}: a chain of stages that read further apart than a {group}'s memory "
            f"reaches cannot run as one kernel on device '{device}'; run its stages one by one"
        )
    return threads


def word(values: Sequence[str], places: Sequence[int]) -> str:
    """Bytes, each in a word of its own, as one word."""
    return " | ".join(
        f"({value} << {8 * place}u)" if place else value
        for value, place in zip(values, places, strict=True)
    )


class ChainText:
    """The lines of one tile."""

    def __init__(self, language: CStyle, tiled: Tiled, stage: StageText) -> None:
        form, tiles = language.kernel.form, tiled.tiling
        assert isinstance(form, Chain)
        self.language, self.form, self.tiled, self.tiles = language, form, tiled, tiles
        self.stage = stage
        self.outputs = {tensor.name for tensor in language.kernel.outputs}
        space = form.stages[-1].space
        self.height: Dim = 1 if tiles.row is None else space[tiles.row]
        self.width = space[tiles.col]
        self.batch = space[: tiles.first]
        self.batches = [language.coordinate.format(k) for k in range(tiles.first)]

    # What a language must say for itself.

    def each(self, count: int, lines: Sequence[str]) -> list[str]:
        """Lay a number of items over the group's threads."""
        raise NotImplementedError

    def between(self, text: str, size: int) -> list[str]:
        """Tests that a number is not below 0 and below a size."""
        return [f"{text} >= 0", f"{text} < {size}"]

    # What they share.

    def counts(self, sizes: Mapping[str, int]) -> tuple[int, int, int]:
        """How many tiles there are, and how many down and across."""
        down = ceil_div(elements([self.height], sizes), self.tiles.height)
        across = ceil_div(elements([self.width], sizes), self.tiles.width)
        return elements(self.batch, sizes) * down * across, down, across

    def kept_of(self, stage: Kernel) -> list[Tensor]:
        """What is read again of a stage's outputs."""
        return [tensor for tensor in stage.outputs if tensor.name in self.tiles.places]

    def runs(self, part: Part, where: Where) -> tuple[int, list[str]]:
        """How many runs of neighbours a stage computes of a tile, and which one is an item's:
        the place of its first, in what is computed and in the tensor. The last run of a line moves
        back to its end, where it computes some elements again."""
        language, halo, run = self.language, part.halo, part.length(where)
        rows, cols = self.tiles.area(part)
        count = ceil_div(rows if part.down else cols, run)
        if part.down:
            lines = [
                language.small("line", f"item / {cols}"),
                language.small("px", f"item - line * {cols}"),
                language.small("py", f"min(line * {run}, {rows - run})"),
            ]
        else:
            lines = [
                language.small("py", f"item / {count}"),
                language.small("px", f"min((item - py * {count}) * {run}, {cols - run})"),
            ]
        y, x = f"y0 + (py - {halo.up})", f"x0 + (px - {halo.left})"
        if where is Where.SINGLE:
            y, x = language.clamped(y, self.height), language.clamped(x, self.width)
        lines += [language.fixed("y", y), language.fixed("x", x)]
        return count * (cols if part.down else rows), lines

    def own(self, part: Part, where: Where, py: str, px: str) -> tuple[list[str], list[str]]:
        """Tests that a row and a column are the tile's, and no other's; none where all are."""
        halo, size = part.halo, self.language.size
        down, along = f"{py} - {halo.up}", f"{px} - {halo.left}"
        rows = self.between(down, self.tiles.height) if halo.up or halo.down else []
        cols = self.between(along, self.tiles.width) if halo.left or halo.right else []
        if where is not Where.INSIDE:
            rows.append(f"y0 + ({down}) < {size(self.height)}")
            cols.append(f"x0 + ({along}) < {size(self.width)}")
        return rows, cols

    def pixel(self, stage: Kernel, y: str, x: str) -> str:
        """The number of a pixel in the output."""
        places = [*self.batches, *([x] if self.tiles.row is None else [y, x])]
        text = ""
        for place, dim in zip(places, stage.space, strict=False):
            text = f"({text} * {self.language.size(dim)} + {place})" if text else place
        return text

    def keep(self, tensor: Tensor, values: Sequence[str], at: str, shift: int = 0) -> list[str]:
        """Put a pixel into the group's memory."""
        place = self.tiles.places[tensor.name]
        if place.word:
            dims = tensor.dims[self.tiles.col + 1 :]
            whole = word(values, [number_of(cell, dims) for cell in place.cells])
            return [f"{self.stage.kept(tensor, at, 0, shift)} = {whole};"]
        return [
            f"{self.stage.kept(tensor, at, k, shift)} = {value};" for k, value in enumerate(values)
        ]

    def beyond(self, part: Part, kept: Sequence[Tensor]) -> list[str]:
        """Give places beyond the tensor's edge the value of the edge."""
        language, halo, stage = self.language, part.halo, self.stage
        rows, cols = self.tiles.area(part)
        copies = []
        for tensor in kept:
            place = self.tiles.places[tensor.name]
            for k in range(1 if place.word else len(place.cells)):
                target, source = (stage.kept(tensor, at, k) for at in ("item", "edge"))
                copies.append(f"{target} = {source};")
        down = language.narrow(f"{language.clamped('y', self.height)} - y")
        along = language.narrow(f"{language.clamped('x', self.width)} - x")
        lines = [
            language.fixed("y", f"y0 + (item / {cols} - {halo.up})"),
            language.fixed("x", f"x0 + (item % {cols} - {halo.left})"),
            language.small("down", down),
            language.small("along", along),
            language.small("edge", f"item + down * {cols} + along"),
            "if (edge != item) {",
            *indented(copies),
            "}",
        ]
        return [*self.each(rows * cols, lines), language.barrier]
