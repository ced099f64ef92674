"""Pixels as lanes: maps over images whose loads go to places that only running tells.

In: the body of a Map whose last axis is a few channels, at `PIXELS` neighbouring pixels. Out:
instructions on vectors that hold one value for each pixel, each channel, or each channel of each
pixel. A pixel that lies anywhere is loaded whole, all its channels at once, where LLVM's own
vectoriser would gather element by element. What cannot be laid out so raises CannotWiden.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.codegen.llvm_abi import Abi
from weft.codegen.llvm_emit import CannotWiden, Emitter
from weft.codegen.llvm_index import Affine, Indexer
from weft.codegen.llvm_ops import TYPES, cast
from weft.codegen.llvm_text import Function, Value, const, vector_type
from weft.dtypes import DType
from weft.ir.nodes import Block, Const, Expr, Load, Tensor, expressions

__all__ = ["PIXELS", "PixelEmitter", "scattered"]

PIXELS = 8
_SUFFIX = {"float": "f32", "double": "f64"}


def scattered(block: Block, indexer: Indexer, channel: int) -> bool:
    """Whether whole pixels are read at places that are not linear in the coordinates."""
    for node in expressions(block):
        if isinstance(node, Load) and len(node.indices) > 1:
            *others, last = [indexer.affine(index) for index in node.indices]
            if last == _axis(channel) and any(form is None for form in others):
                return True
    return False


def _axis(index: int) -> Affine:
    return Affine(((("axis", index), 1),), 0)


class PixelEmitter(Emitter):
    """Emits a block for PIXELS pixels along an axis at once; the axis after it counts channels."""

    def __init__(
        self,
        function: Function,
        abi: Abi,
        indexer: Indexer,
        *,
        axis: int,
        channels: int,
        interior: int | None,
    ) -> None:
        slots = 4 if channels == 3 else channels  # a power of two; the last one may be idle
        super().__init__(
            function,
            abi,
            indexer,
            width=PIXELS * slots,
            lane_axis=axis,
            interior=interior,
        )
        self.axis, self.channel_axis = axis, axis + 1
        self.channels, self.slots = channels, slots
        function.grid = (PIXELS, slots)

    def packed(self, value: Value) -> Value:
        """Spread a value over all channels of all pixels, as they lie in memory."""
        full = self.function.splat(value, self.width)
        if self.slots == self.channels:
            return full
        lanes = range(self.width)
        return self.function.shuffle(full, [i for i in lanes if i % self.slots < self.channels])

    def _spread(self, value: Value) -> Value:
        """Give every pixel of a packed vector its idle slots."""
        if self.slots == self.channels:
            return value
        picked = [
            i // self.slots * self.channels + min(i % self.slots, self.channels - 1)
            for i in range(self.width)
        ]
        return self.function.shuffle(value, picked)

    def _coordinate(self, axis: int) -> Value:
        if axis == self.channel_axis:
            return self._numbered([min(c, self.channels - 1) for c in range(self.slots)], "i32")
        value = self.axes[axis].convert("trunc", "i32")
        return value + self._numbered(range(PIXELS), "i32") if axis == self.axis else value

    def _numbered(self, numbers: Sequence[int], type_: str) -> Value:
        items = ", ".join(f"{type_} {n}" for n in numbers)
        return Value(self.function, f"<{items}>", type_, len(numbers))

    def index(self, expr: Expr) -> Value:
        """Emit an index as i64, a scalar or with lanes."""
        form = self.indexer.affine(expr)
        if form is None:
            return cast(self.value(expr), expr.dtype, DType.S64)
        along, across = (form.scale(("axis", axis)) for axis in (self.axis, self.channel_axis))
        uniform = tuple(
            (term, scale)
            for term, scale in form.terms
            if term not in (("axis", self.axis), ("axis", self.channel_axis))
        )
        total = self._sum(Affine(uniform, form.offset))
        if along:
            lanes = self._numbered([along * i for i in range(PIXELS)], "i64")
            total = total + self.axes[self.axis] * along + lanes
        if across:
            last = self.channels - 1
            total = total + self._numbered(
                [across * min(c, last) for c in range(self.slots)], "i64"
            )
        return total

    def _bound(self, expr: Expr) -> Value:
        value = self.index(expr)
        if value.lanes > 1:
            raise CannotWiden
        return value

    def _load(self, load: Load) -> Value:
        tensor = self._inputs[load.tensor]
        forms = [self.indexer.affine(index) for index in load.indices]
        whole = bool(forms) and forms[-1] == _axis(self.channel_axis)
        whole = whole and tensor.dims[-1] == self.channels
        value = self._along(load, tensor, forms, whole=whole)
        if value is None:
            value = self._anywhere(load, tensor, forms, whole=whole)
        return cast(value, tensor.dtype, load.dtype)

    def _along(
        self, load: Load, tensor: Tensor, forms: Sequence[Affine | None], *, whole: bool
    ) -> Value | None:
        """Load neighbours in memory: whole pixels, or one element of each; None if they are not."""
        f = self.function
        inner = len(forms) - 1 if whole else len(forms)
        steps = [k for k in range(inner) if self._steps(load, tensor, forms, k)]
        if len(steps) != 1:
            return None
        (k,) = steps
        rest, picked = load.indices[k + 1 : inner], 0
        stride = self.channels if whole else 1
        if rest:
            size, at = tensor.dims[k + 1], rest[0]
            if len(rest) > 1 or not isinstance(size, int) or not isinstance(at, Const):
                return None
            stride, picked = size, int(at.value)
            if whole or not 0 <= picked < size <= 8:
                return None
        total = self.axes[self.axis]
        form = forms[k]
        assert form is not None
        shift = Affine(tuple(t for t in form.terms if t[0] != ("axis", self.axis)), form.offset)
        total = (total + self._sum(shift)) * self.abi.stride(f, tensor, k)
        for j in range(k):
            index = self._within(load, tensor, forms, j)
            if index.lanes > 1:
                return None
            total = total + index * self.abi.stride(f, tensor, j)
        start = f.address(self.abi.pointer(f, "input", tensor), total, TYPES[tensor.dtype])
        found = self._read(tensor, start, PIXELS * stride)
        if whole:
            return self._spread(found)
        if stride == 1:
            return found
        return f.shuffle(found, [p * stride + picked for p in range(PIXELS)])

    def _steps(self, load: Load, tensor: Tensor, forms: Sequence[Affine | None], k: int) -> bool:
        """Whether index k grows by one from pixel to pixel, always inside."""
        form = forms[k]
        if form is None or form.scale(("axis", self.channel_axis)):
            return False
        return form.scale(("axis", self.axis)) == 1 and self.safe(load, tensor, form, k)

    def _within(self, load: Load, tensor: Tensor, forms: Sequence[Affine | None], k: int) -> Value:
        index = self.index(load.indices[k])
        inside = self.safe(load, tensor, forms[k], k)
        return index if inside else self._clamp(index, tensor.dims[k])

    def _anywhere(
        self, load: Load, tensor: Tensor, forms: Sequence[Affine | None], *, whole: bool
    ) -> Value:
        """Load one by one: a pixel for each offset, or an element."""
        f = self.function
        type_ = TYPES[tensor.dtype]
        # What all pixels share goes into the base, so that loads from several rows have the rest
        # in common.
        base, total = const(f, 0, "i64"), const(f, 0, "i64")
        for k in range(len(forms) - 1 if whole else len(forms)):
            index = self._within(load, tensor, forms, k)
            part = index * self.abi.stride(f, tensor, k)
            base, total = (base + part, total) if part.lanes == 1 else (base, total + part)
        if total.lanes == self.width or (whole and total.lanes == self.slots):
            raise CannotWiden  # every lane elsewhere: LLVM's gathers are as good
        start = f.address(self.abi.pointer(f, "input", tensor), base, type_)
        places = [start]
        if total.lanes > 1:
            offsets = [
                f.emit(f"extractelement {total.text}, i64 {i}", "i64") for i in range(total.lanes)
            ]
            places = [f.address(start, at, type_) for at in offsets]
        if whole:
            return f.join([self._pixel(tensor, at) for at in places])
        items = [self._read(tensor, at, 1) for at in places]
        if len(items) == 1:
            return items[0]
        result = Value(f, "poison", items[0].type, len(items))
        for lane, item in enumerate(items):
            result = f.insert(result, item, lane)
        return result

    def _pixel(self, tensor: Tensor, address: Value) -> Value:
        """Load the channels of one pixel; nothing behind them is touched."""
        if self.slots == self.channels:
            return self._read(tensor, address, self.channels)
        f = self.function
        type_ = TYPES[tensor.dtype]
        shape = vector_type(type_, self.slots)
        name = f"llvm.masked.load.v{self.slots}{_SUFFIX.get(type_, type_)}.p0"
        mask = f"<{self.slots} x i1>"
        f.module.declare(name, f"declare {shape} @{name}(ptr, i32, {mask}, {shape})")
        bits = ", ".join(
            f"i1 {'true' if c < self.channels else 'false'}" for c in range(self.slots)
        )
        operands = (
            f"{address.text}, i32 {tensor.dtype.size}, {mask} <{bits}>, {shape} zeroinitializer"
        )
        mark = f", !alias.scope {f.module.read_only}" if tensor.name in self._constant else ""
        return f.emit(f"call {shape} @{name}({operands}){mark}", type_, self.slots)
