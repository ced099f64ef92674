"""Elements of a chain's stages in the languages of GPUs: what they read.

In: a chain's language and how it is laid over tiles. Out: texts of reads, from the group's memory
for what earlier stages computed and from the kernel's inputs. How the lines of an element stand in
the text is the language's.
"""

from __future__ import annotations

from collections.abc import Mapping

from treadle.codegen.gpu.cstyle import CStyle, Scope
from treadle.data import dataclass
from treadle.ir.nodes import Chain, Const, Expr, Load, Tensor
from treadle.ir.tiles import Access, Part, Place, Tiled, Where, number_of

__all__ = ["Spot", "StageText"]


@dataclass(frozen=True, slots=True)
class Spot:
    """The element at hand: of which stage, in a tile that lies where, how many rows and columns
    behind its run's first, and which channel by axis; the latter two as far as the text has a copy
    for each."""

    number: int
    part: Part
    where: Where
    step: tuple[int, int] = (0, 0)
    channels: Mapping[int, int] | None = None


class StageText:
    """The reads of one chain's elements."""

    def __init__(self, language: CStyle, tiled: Tiled) -> None:
        form = language.kernel.form
        assert isinstance(form, Chain)
        self.language, self.tiled, self.tiles = language, tiled, tiled.tiling
        self.inputs = {tensor.name: tensor for tensor in language.kernel.inputs}
        self.local = form.local

    # What a language must say for itself.

    def kept(self, tensor: Tensor, at: str, plane: int | str = 0, shift: int = 0) -> str:
        """An element of the group's memory, `shift` behind a place in a plane."""
        raise NotImplementedError

    def position(self, load: Load, read: Access, place: Place, spot: Spot, scope: Scope) -> str:
        """Where in a plane of the group's memory a read is, beside what `shift` gives."""
        raise NotImplementedError

    def shift(self, read: Access, place: Place, spot: Spot) -> int:
        """How far behind that place it is."""
        return 0

    def byte(self, word: str, channel: int | str, scope: Scope) -> str:
        """A byte of a word, as a number."""
        raise NotImplementedError

    def moved(self, name: str, step: int, spot: Spot) -> str:
        """A coordinate of the element, and a distance."""
        raise NotImplementedError

    # What they share.

    def reads(self, spot: Spot) -> Mapping[Load, Access]:
        """What is known about the reads of the stage at hand."""
        return self.tiled.reads[spot.number]

    def near(self, load: Load, spot: Spot, scope: Scope) -> str:
        """A read of the group's memory, where places beyond the edge have the edge's value."""
        tensor, place = self.local[load.tensor], self.tiles.places[load.tensor]
        read = self.reads(spot)[load]
        at, shift = self.position(load, read, place, spot, scope), self.shift(read, place, spot)
        channel = self._channel(load, read, tensor, spot, scope)
        if place.word:
            return self.byte(self.held(self.kept(tensor, at, 0, shift), scope), channel, scope)
        return self.held(self.kept(tensor, at, self._plane(channel, place, tensor), shift), scope)

    def held(self, text: str, scope: Scope) -> str:
        """What was read; a language may give it a name."""
        return text

    def _channel(
        self, load: Load, read: Access, tensor: Tensor, spot: Spot, scope: Scope
    ) -> int | str:
        """The flat number of a read's channel; text where it is not known."""
        language, number = self.language, 0
        text = ""
        proved = load.inside or (False,) * len(load.indices)
        for k in range(self.tiles.col + 1, len(tensor.dims)):
            index, dim = load.indices[k], int(tensor.dims[k])
            known = self._constant(index, read.steps[k], dim, spot)
            if known is not None and not text:
                number = number * dim + known
                continue
            one = language.index(index, scope) if known is None else str(known)
            # What was proved holds beyond the tensor's edge only for channels.
            step = read.steps[k]
            beside = step is not None and step[0] > self.tiles.col
            if known is None and not (proved[k] and beside):
                one = language.narrow(language.clamped(one, dim))
            before = text or str(number)
            text = one if before == "0" else f"({before} * {dim} + {one})"
        return text or number

    def _plane(self, channel: int | str, place: Place, tensor: Tensor) -> int | str:
        """The number of a channel's plane, where some channels are not kept."""
        numbers = [number_of(cell, tensor.dims[self.tiles.col + 1 :]) for cell in place.cells]
        if isinstance(channel, int):
            return numbers.index(channel)
        if numbers == list(range(len(numbers))):
            return channel
        text = "0"
        for k, number in enumerate(numbers[1:], 1):
            text = self.language.spellings["select"].format(f"{channel} >= {number}", k, text)
        return text

    def _constant(
        self, index: Expr, step: tuple[int, int] | None, size: int, spot: Spot
    ) -> int | None:
        """The value of an index that is a constant, or a channel's at a constant distance."""
        if isinstance(index, Const):
            return min(max(int(index.value), 0), size - 1)
        if step is not None and spot.channels is not None and step[0] in spot.channels:
            return min(max(spot.channels[step[0]] + step[1], 0), size - 1)
        return None

    def indices(self, load: Load, spot: Spot, scope: Scope) -> tuple[list[str], list[bool]]:
        """The indices of a read of one of the kernel's inputs, spelt alike for all that are the
        same place where neighbours meet, and which of them need no clamp."""
        tensor, read = self.inputs[load.tensor], self.reads(spot)[load]
        inside, texts = list(read.inside[spot.where]), list[str]()
        rows_and_columns = {self.tiles.row: "y", self.tiles.col: "x"}
        for k, (index, dim) in enumerate(zip(load.indices, tensor.dims, strict=True)):
            step = read.steps[k]
            known = self._constant(index, step, dim, spot) if isinstance(dim, int) else None
            if known is not None:
                inside[k] = True
                texts.append(str(known))
            elif step is not None and step[0] in rows_and_columns:
                texts.append(self.moved(rows_and_columns[step[0]], step[1], spot))
            else:
                texts.append(self.language.index(index, scope))
        return texts, inside
