"""Maps as rows: what each part of a row is computed by.

In: a Map kernel whose locals are resolved and whose short loops are marked. Out: Loops, with the
code of the edges and of the interior, of pairs where the inner axis is halved, and the variant for
outputs that are larger than the caches.
"""

from __future__ import annotations

from dataclasses import replace

from treadle.dtypes import DType
from treadle.ir.affine import Indexer
from treadle.ir.loops import Halves, Limit, Loops, Nest, RowCode, Vectors
from treadle.ir.nodes import Block, Kernel, Load, Map, Op, expressions
from treadle.ir.schedule import Target
from treadle.passes.schedule.abreast import goes_abreast
from treadle.passes.schedule.channels import together
from treadle.passes.schedule.halves import halved
from treadle.passes.schedule.lookups import byte_lookups, byte_table, in_bytes, packs_bytes
from treadle.passes.schedule.nests import crosses, interior_block, interior_limits, nest_of
from treadle.passes.schedule.pixels import pixel_code, scattered
from treadle.passes.schedule.unroll import has_loops, written_out
from treadle.passes.schedule.vectors import VectorAxis
from treadle.passes.schedule.widths import bytes_fit, lanes_fit, pixels_fit, tables_fit

__all__ = ["LOOPED_PIXELS", "loops", "streamed_loops"]

_WIDTH = 16  # for bodies with loops inside, which LLVM would not vectorise over the outer one
_PIXELS = 8
LOOPED_PIXELS = 16  # where there are loops, in which more than one vector's results are awaited
_STREAMED_PIXELS = 16  # whose channels, of 4 bytes each, are whole cache lines
_BYTES = 16
_LIGHT = 128  # nodes of a channel, of which several vectors are no long text
_CACHE_LINE = 64
# Of f32: a vector of angles leaves out what only very large ones need, and one of powers what only
# numbers at the ends of the range do.
_AT_ONCE = frozenset({"sin", "cos", "tan", "pow", "log", "log2", "log10", "log1p"})


def loops(kernel: Kernel, target: Target) -> Loops:
    """Say how a map is walked."""
    rows = _Rows(kernel)
    nest, block, limits = rows.nest, rows.block, rows.limits
    permutes = target.permutes_bytes
    single = not limits and len(nest.inner) == 1
    pairs = halved(kernel, block, nest.first) if single else None
    edge = rows.code(block, permutes=permutes, few=pairs is not None)
    inside, halves = None, None
    if limits:
        inner, limits = interior_block(kernel, block, rows.indexer, nest.first, limits)
        inside = rows.code(written_out(inner), permutes=permutes, inside=True)
    if pairs is not None:
        even, odd = map(written_out, pairs)
        stored = all(tensor.dtype is DType.U8 for tensor in kernel.outputs)
        indexer, place = Indexer(kernel.space, even, odd), VectorAxis(nest.first, nest)
        fits = permutes and stored and bytes_fit(kernel, (even, odd), indexer, place)
        halves = Halves(even, odd, bytes=fits)
    return Loops(nest, edge, limits, inside, halves, tiled=rows.tiled)


def streamed_loops(kernel: Kernel, target: Target) -> Loops | None:
    """Say how a map is walked whose outputs are larger than the caches; None if it is not made of
    runs of simple code in vectors: a single element that is stored past the caches gains nothing,
    and keeps LLVM from making vectors."""
    rows, permutes = _Rows(kernel), target.permutes_bytes
    if not kernel.space or has_loops(rows.block) or rows.limits:
        return None
    stream = rows.stream(permutes=permutes)
    if stream.vectors is Vectors.NONE:
        return None
    edge = rows.code(rows.block, permutes=permutes)
    return Loops(rows.nest, edge, stream=stream, tiled=rows.tiled)


class _Rows:
    """The rows of a map while they are scheduled."""

    def __init__(self, kernel: Kernel) -> None:
        form = kernel.form
        assert isinstance(form, Map)
        self.kernel, self.block = kernel, form.block
        self.indexer = Indexer(kernel.space, self.block)
        self.nest: Nest = nest_of(kernel, self.block, self.indexer)
        self.limits: tuple[Limit, ...] = ()
        if kernel.space:
            self.limits = interior_limits(kernel, self.block, self.indexer, self.nest.first)
        self.tiled = crosses(kernel, self.block, self.indexer, self.nest)

    def code(
        self, block: Block, *, permutes: bool, inside: bool = False, few: bool = False
    ) -> RowCode:
        """The code of part of a row; `few` says that it will have next to nothing to do, and
        `permutes` that bytes can be put in any order."""
        loopy = has_loops(block)
        lookups = tuple(byte_lookups(self.kernel, block, self.indexer).items())
        plain = RowCode(block, inside=inside, straight=not loopy, few=few, lookups=lookups)
        if few:
            return plain
        if self.nest.unrolled is not None and self.nest.unrolled > 1 and not lookups:
            every = together(block, self.nest.first + 1, self.nest.unrolled)
            plain = replace(plain, channels=every)
        if self.nest.unrolled is None and (loopy or self._at_once(block)):
            return self._along(plain)
        several = self.nest.unrolled is not None and self.nest.unrolled > 1
        if several and scattered(block, self.indexer, self.nest.first + 1):
            return self._pixels(plain, _PIXELS)
        made = self._bytes(plain) if permutes else plain
        if made.vectors is Vectors.BYTES and not loopy:
            # LLVM orders what each channel does better than one block of all of them.
            made = replace(made, channels=None)
        # LLVM makes vectors of neighbours where their code is straight, and none around loops. One
        # channel is no vector that could be loaded from anywhere.
        alone = self.nest.unrolled is not None and loopy and made.vectors is Vectors.NONE
        if alone and not scattered(block, self.indexer, self.nest.first + 1):
            return self._pixels(made, LOOPED_PIXELS)
        return replace(made, abreast=self.nest.unrolled is not None and goes_abreast(block))

    def _at_once(self, block: Block) -> bool:
        """Whether there are functions that LLVM would not compute in vectors so well."""
        return any(
            isinstance(node, Op) and node.name in _AT_ONCE and node.dtype is DType.F32
            for node in expressions(block)
        )

    def _place(self, code: RowCode) -> VectorAxis:
        return VectorAxis(self.nest.first, self.nest, code.inside)

    def _along(self, plain: RowCode) -> RowCode:
        if not lanes_fit(self.kernel, plain.block, self.indexer, self._place(plain)):
            return plain
        width = _CACHE_LINE // self._copied if plain.streams and self._copied else _WIDTH
        return replace(plain, vectors=Vectors.ALONG, width=width)

    @property
    def _copied(self) -> int:
        """The bytes of an element, where elements are moved as they are; else 0."""
        sizes = {tensor.dtype.size for tensor in (*self.kernel.inputs, *self.kernel.outputs)}
        moved = all(isinstance(result, Load) for result in self.block.results)
        return sizes.pop() if moved and len(sizes) == 1 else 0

    def _pixels(self, plain: RowCode, width: int) -> RowCode:
        pixels = pixel_code(self.kernel, plain.block, self.indexer, self.nest.first + 1)
        if not pixels_fit(self.kernel, pixels.block, self.indexer, self._place(plain)):
            return plain
        return replace(plain, vectors=Vectors.PIXELS, width=width, pixels=pixels)

    def _bytes(self, plain: RowCode) -> RowCode:
        block, place = plain.block, self._place(plain)
        code = replace(plain, vectors=Vectors.BYTES, width=_BYTES)
        table = byte_table(self.kernel, block) if self.nest.unrolled is None else None
        if table is not None:
            fits = tables_fit(self.kernel, table[1], self.indexer, place)
            return replace(code, table=table) if fits else plain
        if not in_bytes(self.kernel, block, self.indexer, self.nest):
            return plain
        if not bytes_fit(self.kernel, (block,), self.indexer, place):
            return plain
        light = self.nest.unrolled is None or sum(1 for _ in expressions(block)) <= _LIGHT
        return replace(code, packs=light and packs_bytes(self.kernel, block.results))

    @property
    def _whole_lines(self) -> bool:
        """Whether what is stored at once is whole cache lines."""
        channels = self.nest.unrolled
        if channels is None:
            return True
        if channels == 1 or self.tiled:
            return False
        outputs = self.kernel.outputs
        stored = [_STREAMED_PIXELS * channels * tensor.dtype.size for tensor in outputs]
        if any(size % _CACHE_LINE for size in stored):
            return False
        # Mirrored pixels are as quick as memory is; those at unknown places are not.
        return scattered(self.block, self.indexer, self.nest.first + 1, linear=True)

    def stream(self, *, permutes: bool) -> RowCode:
        """The code that stores past the caches, where it can be made of vectors."""
        lookups = tuple(byte_lookups(self.kernel, self.block, self.indexer).items())
        plain = RowCode(self.block, lookups=lookups, streams=True)
        made = self._bytes(plain) if permutes and not self.tiled else plain
        if made.packs:
            return made
        if not self._whole_lines:
            return plain
        if self.nest.unrolled is not None:
            return self._pixels(plain, _STREAMED_PIXELS)
        return self._along(plain)
