"""The kinds of vectors that there are, and whether a kernel's blocks can be computed in them.

In: kernels and blocks. Out: yes or no, for neighbours along an axis, for stages of a chain, for
whole pixels and for bytes that do not lie side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from treadle.dtypes import DType
from treadle.ir.affine import Affine, Indexer, summands
from treadle.ir.loops import RowPass, WindowSum
from treadle.ir.names import depends
from treadle.ir.nodes import (
    Block,
    Const,
    Expr,
    For,
    Kernel,
    Load,
    Reduce,
    Row,
    Scan,
    Tensor,
    While,
    expressions,
    statements,
)
from treadle.passes.schedule.vectors import SAME, VARIES, Along, NoVector, VectorAxis

__all__ = [
    "bytes_fit",
    "folds_fit",
    "lanes_fit",
    "pieces_fit",
    "pixels_fit",
    "rows_fit",
    "scans_fit",
    "stages_fit",
    "tables_fit",
]

_FURTHEST = 8  # bytes from one element to the next
_STORED = (DType.U8, DType.S32, DType.F32)  # types that can be packed to bytes
_CHANNELS = 4  # at most, in a pixel that is loaded whole


def _fits(check: Callable[[], object]) -> bool:
    try:
        check()
    except NoVector:
        return False
    return True


def lanes_fit(kernel: Kernel, block: Block, indexer: Indexer, place: VectorAxis) -> bool:
    """Whether neighbours along an axis of a map can be computed as a vector."""
    return _fits(lambda: Along(kernel, indexer, place).run(block))


def folds_fit(kernel: Kernel, form: Reduce) -> bool:
    """Whether a reduction can lift and combine neighbours along the last axis as vectors."""
    blocks = (form.lift, form.combine, form.finish)
    over = Along(kernel, Indexer(kernel.space, *blocks), VectorAxis(len(kernel.space) - 1))
    return _fits(lambda: (over.run(form.lift), over.run(form.combine, args=VARIES)))


def scans_fit(kernel: Kernel, form: Scan) -> bool:
    """Whether a scan can take a step on neighbouring lines as vectors; one along the last axis goes
    line by line."""
    last = len(kernel.space) - 1
    over = Along(kernel, Indexer(kernel.space, form.step), VectorAxis(last))
    return form.axis == last or _fits(lambda: over.run(form.step, args=VARIES))


def pieces_fit(kernel: Kernel, *blocks: Block) -> bool:
    """Whether blocks can be computed at several places of a line as a vector: what they read is at
    places that follow from coordinates, and nothing is repeated."""
    indexer = Indexer(kernel.space, *blocks)
    for block in blocks:
        if any(isinstance(stmt, For | While) for stmt in statements(block.body)):
            return False
        for node in expressions(block):
            if isinstance(node, Load) and any(indexer.affine(i) is None for i in node.indices):
                return False
    return True


def rows_fit(kernel: Kernel, row: Row, passes: Sequence[RowPass]) -> bool:
    """Whether positions of a row, or neighbouring rows, can be computed as vectors."""
    last = len(kernel.space) - 1
    over = Along(kernel, Indexer(kernel.space, row.block), VectorAxis(last))
    whole = SAME if row.axis == last else VARIES  # what a row has one of

    def check() -> None:
        known: dict[str, int] = {}
        for step in passes:
            if step.assign is not None:
                over.env = dict(known)
                known[step.assign.name] = whole and over.value(step.assign.value)
                continue
            over.env = dict(known)
            for local in step.locals:
                over.env[local.name] = VARIES if local.kept else over.value(local.value)
            if not (row.scalar and step.results and not whole):
                for expr in (*(fold.value for fold in step.folds), *step.results):
                    over.value(expr)
            known |= {fold.name: whole for fold in step.folds}

    return _fits(check)


class _Stage(Along):
    """Goes over a stage of a chain, which takes the channels of whole pixels apart."""

    def _load(self, load: Load) -> int:
        tensor = self._inputs[load.tensor]
        channels = self._channels(load, tensor)
        pixel = self.indexer.affine(load.indices[-2]) if channels else None
        scale = 0 if pixel is None else pixel.scale(("axis", self.place.axis))
        if scale == 0:
            return super()._load(load)
        forms = [self.indexer.affine(index) for index in load.indices]
        at = len(forms) - 2
        if scale != 1 or not self.safe(load, tensor, pixel, at):
            raise NoVector
        # Where a pixel is a row of its own, it is kept apart from the next one.
        if self._offset(load, tensor, forms, range(at)) or self.stride(tensor, at) != channels:
            raise NoVector
        return VARIES

    def _channels(self, load: Load, tensor: Tensor) -> int:
        """The channels of a pixel of which a load reads one, the same of all; 0 for other loads."""
        if self.place.flat is not None or len(tensor.dims) < 2:
            return 0
        count, last = tensor.dims[-1], len(tensor.dims) - 1
        if not isinstance(count, int) or not 1 < count <= _CHANNELS:
            return 0
        if isinstance(load.indices[-1], Const):
            return count
        form = self.indexer.affine(load.indices[-1])
        if form is None or form.scale(("axis", self.place.axis)):
            return 0
        return count if self.safe(load, tensor, form, last) else 0


def stages_fit(
    stage: Kernel, block: Block, indexer: Indexer, place: VectorAxis, window: WindowSum | None
) -> bool:
    """Whether neighbours along the rows of a stage can be computed as a vector; `window` is a sum
    of its block that neighbours share."""
    over = _Stage(stage, indexer, place)

    def check() -> None:
        flat = place.flat is not None
        if not flat and any(over.stride(out, place.axis) != 1 for out in stage.outputs):
            raise NoVector
        if window is None:
            over.run(block)
            return
        for term in window.terms:
            over.value(term)
        over.env[window.total] = VARIES
        over.run(window.block)

    return _fits(check)


_PIXEL, _CHANNEL = 1, 2


class _Pixels(Along):
    """Goes over a block for pixels along an axis, the axis after it counting channels. Values are
    noted as varying from pixel to pixel, from channel to channel, or both."""

    def __init__(self, kernel: Kernel, indexer: Indexer, place: VectorAxis, channels: int) -> None:
        super().__init__(kernel, indexer, place)
        self.channels = channels
        self._channel = _CHANNEL if channels > 1 else SAME  # one channel is no vector
        self._full = _PIXEL | self._channel

    def _axis(self, index: int) -> int:
        if index == self.place.axis:
            return _PIXEL
        return self._channel if index == self.place.axis + 1 else SAME

    def index(self, expr: Expr) -> int:
        """What varies of an index."""
        form = self.indexer.affine(expr)
        if form is None:
            return self.value(expr)
        along, across = (form.scale(("axis", self.place.axis + k)) for k in (0, 1))
        return (_PIXEL if along else SAME) | (self._channel if across else SAME)

    def _bound(self, expr: Expr) -> None:
        if self.index(expr):
            raise NoVector

    def _load(self, load: Load) -> int:
        tensor = self._inputs[load.tensor]
        forms = [self.indexer.affine(index) for index in load.indices]
        own = Affine(((("axis", self.place.axis + 1), 1),), 0)
        whole = bool(forms) and forms[-1] == own and tensor.dims[-1] == self.channels
        if self._neighbours(load, tensor, forms, whole=whole):
            return self._full if whole else _PIXEL
        return self._anywhere(load, tensor, forms, whole=whole)

    def _neighbours(
        self, load: Load, tensor: Tensor, forms: Sequence[Affine | None], *, whole: bool
    ) -> bool:
        """Whether neighbours in memory are loaded: whole pixels, or one element of each."""
        inner = len(forms) - 1 if whole else len(forms)
        steps = [k for k in range(inner) if self._steps(load, tensor, forms, k)]
        if len(steps) != 1:
            return False
        (k,) = steps
        rest = load.indices[k + 1 : inner]
        if rest:
            size, at = tensor.dims[k + 1], rest[0]
            if len(rest) > 1 or not isinstance(size, int) or not isinstance(at, Const):
                return False
            if whole or not 0 <= int(at.value) < size <= 8:
                return False
        return not any(self.index(load.indices[j]) for j in range(k))

    def _steps(self, load: Load, tensor: Tensor, forms: Sequence[Affine | None], k: int) -> bool:
        """Whether index k grows or falls by one from pixel to pixel, always inside."""
        form = forms[k]
        if form is None or form.scale(("axis", self.place.axis + 1)):
            return False
        return abs(form.scale(("axis", self.place.axis))) == 1 and self.safe(load, tensor, form, k)

    def _anywhere(
        self, load: Load, tensor: Tensor, forms: Sequence[Affine | None], *, whole: bool
    ) -> int:
        near = load.tensor in self.place.rings
        if near and not whole:
            raise NoVector
        if whole and all(self._linear(load, tensor, forms, k) for k in range(len(forms) - 1)):
            if near:
                raise NoVector
            return self._full
        found = SAME
        for k in range(len(forms) - 1 if whole else len(forms)):
            found |= self.index(load.indices[k])
        # Every element elsewhere: gathers are as good.
        if found == self._full or (whole and found == self._channel):
            raise NoVector
        return found | self._channel if whole else found

    def _linear(self, load: Load, tensor: Tensor, forms: Sequence[Affine | None], k: int) -> bool:
        form = forms[k]
        if form is None or form.scale(("axis", self.place.axis + 1)):
            return False
        return self.safe(load, tensor, form, k)


def pixels_fit(
    kernel: Kernel, block: Block, indexer: Indexer, place: VectorAxis, *, stored: bool = False
) -> bool:
    """Whether neighbouring pixels can be computed as a vector of all their channels; `stored` asks
    whether the outputs hold them so, as those of a map always do."""
    nest = place.nest
    assert nest is not None
    assert nest.unrolled is not None
    over = _Pixels(kernel, indexer, place, nest.unrolled)
    strides = [over.stride(out, place.axis) for out in kernel.outputs] if stored else []
    if any(stride != nest.unrolled for stride in strides):
        return False
    return _fits(lambda: over.run(block))


class _Bytes(Along):
    """Goes over a block for neighbours along an axis, whose bytes may lie a few apart."""

    def __init__(
        self, kernel: Kernel, indexer: Indexer, place: VectorAxis, blocks: Sequence[Block]
    ) -> None:
        super().__init__(kernel, indexer, place)
        tests = [depends(block, place.axis) for block in blocks]
        self._along: Callable[[Expr], bool] = lambda expr: any(test(expr) for test in tests)

    def _load(self, load: Load) -> int:
        tensor = self._inputs[load.tensor]
        forms = [self.indexer.affine(index) for index in load.indices]
        start = self._start(tensor, forms)
        if start is None:
            step = self._place(load, tensor, forms, range(len(forms)))
        else:
            step = self._merged(load, tensor, forms, start)
        if step > 1 and (tensor.dtype is not DType.U8 or step > _FURTHEST):
            raise NoVector
        return VARIES if step else SAME

    def _place(
        self, load: Load, tensor: Tensor, forms: Sequence[Affine | None], over: Sequence[int]
    ) -> int:
        """How many elements lie between neighbours."""
        step = 0
        for k in over:
            stride, form = self.stride(tensor, k), forms[k]
            if form is None and load.inside and load.inside[k]:
                form = self._linear(load.indices[k])
            inside = self.safe(load, tensor, form, k)
            scale = 0 if form is None else form.scale(("axis", self.place.axis))
            if scale:
                if not inside or scale < 0 or step or stride is None:
                    raise NoVector
                step = scale * stride
            if form is None or not inside:
                self.index(load.indices[k])
        return step

    def _linear(self, expr: Expr) -> Affine | None:
        """What is linear in the coordinates of an index, where all neighbours share the rest."""
        affine = self.indexer.affine
        total = Affine((), 0)
        for sign, part in summands(
            expr, whole=lambda e: affine(e) is not None or not self._along(e)
        ):
            form = affine(part)
            if form is not None:
                total = total.plus(form, sign)
            elif self._along(part):
                return None
            else:
                self.value(part)
        return total

    def _merged(
        self, load: Load, tensor: Tensor, forms: Sequence[Affine | None], start: int
    ) -> int:
        flat = self.place.flat
        assert flat is not None
        after = start + len(self.kernel.space) - flat.first
        others = [k for k in range(len(forms)) if not start <= k < after]
        stride = self.stride(tensor, after - 1)
        if self._place(load, tensor, forms, others) or stride is None:
            raise NoVector
        if not self.safe(load, tensor, forms[start], start):
            raise NoVector
        return stride


def bytes_fit(kernel: Kernel, blocks: Sequence[Block], indexer: Indexer, place: VectorAxis) -> bool:
    """Whether neighbours whose bytes lie a few apart can be computed as a vector."""
    nest = place.nest
    assert nest is not None
    over = _Bytes(kernel, indexer, place, blocks)

    def check() -> None:
        for block in blocks:
            over.run(block)
            packed = nest.unrolled is not None or len(blocks) > 1
            if packed and any(result.dtype not in _STORED for result in block.results):
                raise NoVector

    return _fits(check)


def tables_fit(kernel: Kernel, read: Load, indexer: Indexer, place: VectorAxis) -> bool:
    """Whether the bytes that are looked up in a table lie side by side."""
    over = Along(kernel, indexer, place)
    return _fits(lambda: over.value(read)) and bool(over.value(read))
