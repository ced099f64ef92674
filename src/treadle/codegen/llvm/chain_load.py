"""How the stages of a Chain read their tensors.

In: loads of a stage's block. Out: instructions, as the Emitter's, but for two things. Rows that are
computed side by side clamp every row index in the same way, so that LLVM sees which of them are
equal. And where a stage reads the channels of a pixel one by one, whole pixels are loaded and taken
apart, since gathers are slow.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from treadle.codegen.llvm.abi import plus, times
from treadle.codegen.llvm.emit import Emitter, Misfit
from treadle.codegen.llvm.ops import from_memory
from treadle.codegen.llvm.pixel import PixelEmitter
from treadle.codegen.llvm.text import Value, const
from treadle.dtypes import DType
from treadle.ir.affine import Affine
from treadle.ir.nodes import Const, Load, Tensor

__all__ = ["RowEmitter", "RowPixels"]

_CHANNELS = 4  # at most, in a pixel that is loaded whole


class RowEmitter(Emitter):
    """Emits a stage's block for some elements of a row.

    Where rows are computed side by side, `rows` is their axis and `shift` this one's place among
    them: it is added to the constants of indices, so that equal rows look equal."""

    rows: int | None = None
    shift: int = 0
    step = 1  # elements from one lane to the next

    def _sum(self, form: Affine, *, without: int | None = None) -> Value:
        scale = 0 if self.rows is None else form.scale(("axis", self.rows))
        return super()._sum(form.plus(Affine((), scale * self.shift)), without=without)

    def at(self, axis: int) -> Value:
        """The coordinate along an axis."""
        shift = self.shift if axis == self.rows else 0
        return plus(self.axes[axis], const(self.function, shift, "i64"))

    def _coordinate(self, axis: int) -> Value:
        if axis != self.rows:
            return super()._coordinate(axis)
        return self.at(axis).convert("trunc", "i32")

    def safe(self, load: Load, tensor: Tensor, form: Affine | None, k: int) -> bool:
        """Whether index k needs no clamp here."""
        if self.rows is not None and form is not None and form.scale(("axis", self.rows)) == 1:
            return False
        return super().safe(load, tensor, form, k)

    def _load(self, load: Load) -> Value:
        tensor = self._inputs[load.tensor]
        split = self.width > 1 and self.flat is None
        channel = self._channel(load, tensor) if split else None
        if channel is None:
            return super()._load(load)
        forms = [self.indexer.affine(index) for index in load.indices]
        pixel = forms[-2]
        if pixel is None or self._lane_scale(pixel) == 0:
            return super()._load(load)
        at = len(forms) - 2
        if self._lane_scale(pixel) != 1 or not self.safe(load, tensor, pixel, at):
            raise Misfit
        f = self.function
        offset, lanes = self._offset(load, tensor, forms, range(at))
        channels = tensor.dims[-1]
        assert isinstance(channels, int)
        # Where a pixel is a row of its own, it is kept apart from the next one.
        if lanes > 1 or self.abi.stride(f, tensor, at).ref != str(channels):
            raise Misfit
        step = times(self.index(load.indices[at]), const(f, channels, "i64"))
        type_ = tensor.dtype.llvm
        address = f.address(self.abi.pointer(f, "input", tensor), plus(offset, step), type_)
        return from_memory(self._taken(address, tensor, channel, channels), tensor.dtype)

    def _channel(self, load: Load, tensor: Tensor) -> Value | None:
        """The one channel that all lanes read, of a few."""
        if len(tensor.dims) < 2 or not isinstance(tensor.dims[-1], int):
            return None
        index, count, last = load.indices[-1], tensor.dims[-1], len(tensor.dims) - 1
        if not 1 < count <= _CHANNELS:
            return None
        if isinstance(index, Const):
            return const(self.function, min(max(int(index.value), 0), count - 1), "i64")
        form = self.indexer.affine(index)
        if form is None or self._lane_scale(form) or not self.safe(load, tensor, form, last):
            return None
        return self.index(index)

    def _taken(self, address: Value, tensor: Tensor, channel: Value, channels: int) -> Value:
        f, width, type_ = self.function, self.width, tensor.dtype.llvm
        if tensor.dtype is DType.U8 and channels == _CHANNELS:
            # Bytes of a little-endian word.
            words = f.load(address, "i32", width, align=1)
            bits = times(channel, const(f, 8, "i64")).convert("trunc", "i32")
            return f.binary("lshr", words, f.splat(bits, width)).convert("trunc", "i8")
        # Nothing behind the last element that is wanted.
        size = (width - 1) * channels + 1
        start = f.address(address, channel, type_)
        whole = f.load(start, type_, size, align=tensor.dtype.size)
        return f.shuffle(whole, [channels * i for i in range(width)])


class RowPixels(PixelEmitter):
    """Emits a stage's block for all channels of some pixels of a row; `rings` are the tensors
    whose rows go round."""

    rings: Container[str] = ()

    @property
    def step(self) -> int:
        """Elements from one pixel to the next."""
        return self.channels

    def at(self, axis: int) -> Value:
        """The coordinate along an axis."""
        return self.axes[axis]

    def _within(self, load: Load, tensor: Tensor, forms: Sequence[Affine | None], k: int) -> Value:
        index = super()._within(load, tensor, forms, k)
        return self.abi.wrap(self.function, tensor, k, index) if index.lanes == 1 else index

    def _anywhere(
        self, load: Load, tensor: Tensor, forms: Sequence[Affine | None], *, whole: bool
    ) -> Value:
        if load.tensor in self.rings and not whole:
            raise Misfit
        return super()._anywhere(load, tensor, forms, whole=whole)

    def _strided(self, tensor: Tensor, forms: Sequence[Affine]) -> Value:
        if tensor.name in self.rings:
            raise Misfit
        return super()._strided(tensor, forms)

    def _pixels(
        self, tensor: Tensor, places: Sequence[Value], offset: tuple[Value, Value] | None
    ) -> Value:
        # Behind the last row of a ring there is room for a pixel.
        return super()._pixels(tensor, places, None if tensor.name in self.rings else offset)
