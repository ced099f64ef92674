"""Pixels as lanes: maps over images whose loads go to places that only running tells.

In: the body of a Map whose last axis is a few channels, at a few neighbouring pixels. Out:
instructions on vectors that hold one value for each pixel, each channel, or each channel of each
pixel. A pixel that lies anywhere is loaded whole, all its channels at once, where LLVM's own
vectoriser would gather element by element.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import reduce
from operator import and_
from typing import TypeVar

from treadle.codegen.llvm.abi import Abi, plus, times
from treadle.codegen.llvm.emit import Emitter, Misfit
from treadle.codegen.llvm.lanes import join
from treadle.codegen.llvm.ops import cast, from_memory
from treadle.codegen.llvm.text import Function, Value, const
from treadle.dtypes import DType
from treadle.ir.affine import Affine, Indexer
from treadle.ir.loops import PixelCode
from treadle.ir.nodes import Const, Dim, Expr, Load, Tensor
from treadle.ir.places import parted

__all__ = ["PixelEmitter", "store_pixels"]

_Pixels = TypeVar("_Pixels", bound="PixelEmitter")


def _axis(index: int) -> Affine:
    return Affine(((("axis", index), 1),), 0)


def store_pixels(
    emitters: Sequence[_Pixels], code: PixelCode, store: Callable[[_Pixels, list[Value]], None]
) -> None:
    """Emit code for pixels of one row, or of several rows at once; `store` the results of each.

    Where pixels are scattered, the block is there twice: for when all of them lie well inside,
    without clamps and with what their places have in common computed once, and for the rest. Rows
    whose pixels come from the same columns share what finds them and what weighs them."""
    several = len(emitters) > 1
    f, body = emitters[0].function, code.block.body

    def run(sure: Mapping[Expr, Dim]) -> None:
        found = []
        for e in emitters:
            e.sure = sure
            found.append(e.finished(body[code.start :], code.block.results))
        for e, values in zip(emitters, found, strict=True):
            store(e, values)

    with f.sharing() if several else nullcontext():
        tests: list[Value] = []
        for e in emitters:
            e.body(body[: code.start])
            sure, test = e.tested(code)
            tests += [] if test is None or test in tests else [test]
        if not tests:
            run(sure)
            return
        inside, outside, end = f.labels("inside", "outside", "stored")
        f.branch(reduce(and_, tests), inside, outside)
        for label, known in ((inside, sure), (outside, {})):
            f.label(label)
            with f.sharing(further=True):
                run(known)
            f.do(f"br label %{end}")
        f.label(end)


class PixelEmitter(Emitter):
    """Emits a block for some pixels along an axis at once; the axis after it counts channels."""

    def __init__(
        self,
        function: Function,
        abi: Abi,
        indexer: Indexer,
        *,
        axis: int,
        grid: tuple[int, int],
        interior: int | None,
    ) -> None:
        self.pixels, channels = grid
        slots = 4 if channels == 3 else channels  # a power of two; the last one may be idle
        super().__init__(
            function,
            abi,
            indexer,
            width=self.pixels * slots,
            lane_axis=axis,
            interior=interior,
        )
        self.axis, self.channel_axis = axis, axis + 1
        self.channels, self.slots = channels, slots
        self.sure: Mapping[Expr, Dim] = {}  # what was found to keep indices inside, with all shifts
        # Pixels that were loaded whole, by what they became: what is only moved is stored so too.
        self._loaded: dict[str, tuple[DType, list[Value]]] = {}
        function.grid = (self.pixels, slots)

    def tested(self, code: PixelCode) -> tuple[dict[Expr, Dim], Value | None]:
        """Emit the test that indices are inside; return those that it proves, and the test."""
        f = self.function
        test: Value | None = None
        for sure in code.sure:
            at = cast(self.value(sure.expr), sure.expr.dtype, DType.S64)
            stop = plus(self.abi.size(f, sure.dim), const(f, -sure.high, "i64"))
            outside = at.compare("slt", -sure.low) | at.compare("sge", stop)
            outside = f.any(outside) if outside.lanes > 1 else outside
            test = outside if test is None else test | outside
        proved = {sure.expr: sure.dim for sure in code.sure}
        return proved, None if test is None else test ^ 1

    def packed(self, value: Value) -> Value:
        """Spread a value over all channels of all pixels, as they lie in memory."""
        full = self.function.splat(value, self.width)
        if self.slots == self.channels:
            return full
        lanes = range(self.width)
        return self.function.shuffle(full, [i for i in lanes if i % self.slots < self.channels])

    def _spread(self, value: Value, order: Sequence[int]) -> Value:
        """Put the pixels of a packed vector in order, and give each its idle slots."""
        picked = [
            p * self.channels + min(c, self.channels - 1) for p in order for c in range(self.slots)
        ]
        return self.function.shuffle(value, picked)

    def _coordinate(self, axis: int) -> Value:
        if axis == self.channel_axis:
            return self._numbered([min(c, self.channels - 1) for c in range(self.slots)], "i32")
        value = self.axes[axis].convert("trunc", "i32")
        return value + self._numbered(range(self.pixels), "i32") if axis == self.axis else value

    def _numbered(self, numbers: Sequence[int], type_: str) -> Value:
        if len(numbers) == 1:  # one channel is no vector
            return const(self.function, numbers[0], type_)
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
            lanes = self._numbered([along * i for i in range(self.pixels)], "i64")
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
            raise Misfit
        return value

    def _load(self, load: Load) -> Value:
        tensor = self._inputs[load.tensor]
        forms = [self.indexer.affine(index) for index in load.indices]
        whole = bool(forms) and forms[-1] == _axis(self.channel_axis)
        whole = whole and tensor.dims[-1] == self.channels
        value = self._along(load, tensor, forms, whole=whole)
        if value is None:
            value = self._anywhere(load, tensor, forms, whole=whole)
        found = from_memory(value, tensor.dtype)
        if value.ref in self._loaded:
            self._loaded[found.ref] = self._loaded[value.ref]
        return found

    def pieces(self, value: Value, dtype: DType) -> list[tuple[int, Value]]:
        """The pixels that a value was loaded as, which are stored with their idle slot, all but the
        last; none where it was computed, or where no slot is idle."""
        kept, parts = self._loaded.get(value.ref, (dtype, []))
        if kept is not dtype or self.slots == self.channels or not parts:
            return []
        last = self.function.shuffle(parts[-1], range(self.channels))
        return [(k * self.channels, part) for k, part in enumerate([*parts[:-1], last])]

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
        form = forms[k]
        assert form is not None
        order = range(self.pixels)
        if form.scale(("axis", self.axis)) < 0:  # what is last comes first in memory
            order, form = order[::-1], form.plus(Affine((), 1 - self.pixels))
        total = self._sum(form) * self.abi.stride(f, tensor, k)
        for j in range(k):
            index = self._within(load, tensor, forms, j)
            if index.lanes > 1:
                return None
            total = total + index * self.abi.stride(f, tensor, j)
        start = f.address(self.abi.pointer(f, "input", tensor), total, tensor.dtype.llvm)
        found = self._read(tensor, start, self.pixels * stride)
        if whole:
            return self._spread(found, order)
        return f.shuffle(found, [p * stride + picked for p in order])

    def _steps(self, load: Load, tensor: Tensor, forms: Sequence[Affine | None], k: int) -> bool:
        """Whether index k grows or falls by one from pixel to pixel, always inside."""
        form = forms[k]
        if form is None or form.scale(("axis", self.channel_axis)):
            return False
        return abs(form.scale(("axis", self.axis))) == 1 and self.safe(load, tensor, form, k)

    def _within(self, load: Load, tensor: Tensor, forms: Sequence[Affine | None], k: int) -> Value:
        index = self.index(load.indices[k])
        inside = self.safe(load, tensor, forms[k], k)
        return index if inside else self._clamp(index, tensor.dims[k])

    def _anywhere(
        self, load: Load, tensor: Tensor, forms: Sequence[Affine | None], *, whole: bool
    ) -> Value:
        """Load one by one: a pixel for each offset, or an element."""
        f = self.function
        type_ = tensor.dtype.llvm
        if whole and all(self._linear(load, tensor, forms, k) for k in range(len(forms) - 1)):
            return self._strided(tensor, [form for form in forms[:-1] if form is not None])
        # What all pixels share goes into the base, so that loads from several rows have the rest
        # in common.
        base, total = const(f, 0, "i64"), const(f, 0, "i64")
        close = False  # whether what follows each pixel is known to be there
        for k in range(len(forms) - 1 if whole else len(forms)):
            stride = self.abi.stride(f, tensor, k)
            rest, shift = parted(load.indices[k], self.indexer)
            if whole and forms[k] is None and self.sure.get(rest) == tensor.dims[k]:
                index = cast(self.value(rest), rest.dtype, DType.S64)
                base = base + self._sum(shift) * stride
                close = close or k == len(forms) - 2
            else:
                index = self._within(load, tensor, forms, k)
            part = index * stride
            base, total = (base + part, total) if part.lanes == 1 else (base, total + part)
        if total.lanes == self.width or (whole and total.lanes == self.slots):
            raise Misfit  # every lane elsewhere: LLVM's gathers are as good
        start = f.address(self.abi.pointer(f, "input", tensor), base, type_)
        places = [start]
        if total.lanes > 1:
            offsets = [
                f.emit(f"extractelement {total.text}, i64 {i}", "i64") for i in range(total.lanes)
            ]
            places = [f.address(start, at, type_) for at in offsets]
        if whole:
            return self._pixels(tensor, places, None if close else (base, total))
        items = [self._read(tensor, at, 1) for at in places]
        if len(items) == 1:
            return items[0]
        result = Value(f, "poison", items[0].type, len(items))
        for lane, item in enumerate(items):
            result = f.insert(result, item, lane)
        return result

    def _linear(self, load: Load, tensor: Tensor, forms: Sequence[Affine | None], k: int) -> bool:
        form = forms[k]
        if form is None or form.scale(("axis", self.channel_axis)):
            return False
        return self.safe(load, tensor, form, k)

    def _strided(self, tensor: Tensor, forms: Sequence[Affine]) -> Value:
        """Load pixels that are equally far apart."""
        f = self.function
        at, step = const(f, 0, "i64"), const(f, 0, "i64")
        for k, form in enumerate(forms):
            stride = self.abi.stride(f, tensor, k)
            at = plus(at, times(self._sum(form), stride))
            scale = const(f, form.scale(("axis", self.axis)), "i64")
            step = plus(step, times(stride, scale))
        base = self.abi.pointer(f, "input", tensor)
        offsets = [plus(at, times(step, const(f, p, "i64"))) for p in range(self.pixels)]
        places = [f.address(base, offset, tensor.dtype.llvm) for offset in offsets]
        furthest = f.intrinsic("smax", offsets[0], offsets[-1])
        return self._pixels(tensor, places, (const(f, 0, "i64"), furthest))

    def _pixels(
        self, tensor: Tensor, places: Sequence[Value], offset: tuple[Value, Value] | None
    ) -> Value:
        """Load whole pixels; nothing behind the tensor's end is touched.

        An idle slot is filled with what follows the pixel, which is quickest, unless one of them
        may be the last: then only the channels are read. `offset` is from the tensor's start, in
        two parts, or None where something is known to follow."""
        f = self.function
        if self.slots == self.channels or offset is None:
            parts = [self._read(tensor, at, self.slots) for at in places]
            found = join(parts)
            if len(parts) == self.pixels:
                self._loaded[found.ref] = tensor.dtype, parts
            return found
        room = self.abi.product(f, tensor.dims) - self.slots - offset[0]
        last = offset[1].compare("sgt", room)
        if last.lanes > 1:
            last = f.any(last)
        following, exact, end = f.labels("following", "exact", "loaded")
        f.branch(last, exact, following)
        f.label(following)
        with f.sharing(further=True):
            quick = join([self._read(tensor, at, self.slots) for at in places])
        f.do(f"br label %{end}")
        f.label(exact)
        with f.sharing(further=True):
            slow = join([self._exact(tensor, at) for at in places])
        f.do(f"br label %{end}")
        f.label(end)
        return f.merge((quick, following), (slow, exact))

    def _exact(self, tensor: Tensor, address: Value) -> Value:
        """Load the channels of one pixel and nothing else."""
        f = self.function
        type_ = tensor.dtype.llvm
        result = Value(f, "zeroinitializer", type_, self.slots)
        for c in range(self.channels):
            at = f.address(address, const(f, c, "i64"), type_)
            result = f.insert(result, self._read(tensor, at, 1), c)
        return result
