"""Bytes as lanes: maps that read or write every few bytes along a row, as pixels of channels do.

In: a block over an axis whose neighbours lie a constant number of bytes apart. Out: instructions
on sixteen lanes. Bytes are loaded as they lie, 64 at a time, and one instruction puts those of a
channel where 32-bit lanes want them, zeros in between; results are packed with saturation, and one
more instruction puts the channels of a pixel side by side. That takes AVX-512 with VBMI
(`Target.permutes_bytes`); elsewhere LLVM's own vectoriser does better.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from treadle.codegen.llvm.abi import Abi, plus, times
from treadle.codegen.llvm.emit import Emitter, Misfit
from treadle.codegen.llvm.ops import cast, from_memory
from treadle.codegen.llvm.text import Function, Value, const, vector_type
from treadle.dtypes import DType
from treadle.ir.affine import Affine, Indexer, summands
from treadle.ir.names import depends
from treadle.ir.nodes import Block, Expr, Load, Tensor

__all__ = [
    "BYTE_LANES",
    "RUN",
    "ByteEmitter",
    "look_up",
    "store_run",
]

BYTE_LANES = 16
RUN = 4  # vectors of lanes whose bytes fill a register
_REGISTER = 64  # bytes that one instruction can put in any order
_AHEAD = 2048  # bytes, of what is asked for before it is needed
_FURTHEST = 8  # bytes from lane to lane


class ByteEmitter(Emitter):
    """Emits a block for sixteen neighbours along an axis at once."""

    def __init__(
        self,
        function: Function,
        abi: Abi,
        indexer: Indexer,
        blocks: Sequence[Block],
        *,
        axis: int,
        interior: int | None = None,
    ) -> None:
        super().__init__(
            function, abi, indexer, width=BYTE_LANES, lane_axis=axis, interior=interior
        )
        tests = [depends(block, axis) for block in blocks]
        self._along: Callable[[Expr], bool] = lambda expr: any(test(expr) for test in tests)
        self._asked: set[tuple[str, str, int]] = set()  # tensors and places, of what comes next

    def _load(self, load: Load) -> Value:
        f = self.function
        tensor = self._inputs[load.tensor]
        forms = [self.indexer.affine(index) for index in load.indices]
        start = self.flat.position(forms, tensor.dims) if self.flat else None
        if start is not None:
            base, fixed, step, unit = self._flat_place(load, tensor, forms, start)
        else:
            base, fixed, step, unit = self._place(load, tensor, forms, range(len(forms)))
        if step > 1:
            found = self._every(tensor, base, fixed, step, unit)
            return (
                found.convert("trunc", "i8")
                if load.dtype is DType.U8
                else (cast(found, DType.S32, load.dtype))
            )
        at = plus(base, const(f, fixed, "i64"))
        address = f.address(self.abi.pointer(f, "input", tensor), at, tensor.dtype.llvm)
        found = self._read(tensor, address, BYTE_LANES if step else 1)
        return from_memory(found, tensor.dtype)

    def _place(
        self, load: Load, tensor: Tensor, forms: Sequence[Affine | None], over: Sequence[int]
    ) -> tuple[Value, int, int, int]:
        """Where the first lane reads, in two parts of which the second is a constant, how many
        elements lie between lanes, and how many of them belong together as a pixel."""
        f = self.function
        base, fixed, step, unit = const(f, 0, "i64"), 0, 0, 1
        for k in over:
            stride = self.abi.stride(f, tensor, k)
            form, rest = forms[k], list[tuple[Expr, int]]()
            if form is None and load.inside and load.inside[k]:
                form, rest = self._linear(load.indices[k])
            inside = self.safe(load, tensor, form, k)
            scale = 0 if form is None else self._lane_scale(form)
            if scale:
                if not inside or scale < 0 or step or not stride.is_literal:
                    raise Misfit
                unit = int(stride.ref)
                step = scale * unit
            if form is None or not inside:
                index = self._clamp(self.index(load.indices[k]), tensor.dims[k])
            else:
                index = self._sum(Affine(form.terms, 0))
                for expr, sign in rest:
                    more = cast(self.value(expr), expr.dtype, DType.S64)
                    index = index + more if sign > 0 else index - more
                if stride.is_literal:
                    fixed += form.offset * int(stride.ref)
                else:
                    index = plus(index, const(f, form.offset, "i64"))
            if index.is_literal and stride.is_literal:  # a channel
                fixed += int(index.ref) * int(stride.ref)
            else:
                base = plus(base, times(index, stride))
        return base, fixed, step, unit

    def _linear(self, expr: Expr) -> tuple[Affine | None, list[tuple[Expr, int]]]:
        """Take an index apart that is proved to be inside: what is linear in the coordinates, and
        what else is added that all lanes share. Then 64 bits hold the same sum."""
        affine = self.indexer.affine
        total, rest = Affine((), 0), list[tuple[Expr, int]]()
        for sign, part in summands(
            expr, whole=lambda e: affine(e) is not None or not self._along(e)
        ):
            form = affine(part)
            if form is not None:
                total = total.plus(form, sign)
            elif self._along(part):
                return None, []
            else:
                rest.append((part, sign))
        return total, rest

    def _flat_place(
        self, load: Load, tensor: Tensor, forms: Sequence[Affine | None], start: int
    ) -> tuple[Value, int, int, int]:
        flat, f = self.flat, self.function
        assert flat is not None
        after = start + flat.rank - flat.first
        others = [k for k in range(len(forms)) if not start <= k < after]
        base, fixed, step, _ = self._place(load, tensor, forms, others)
        form, stride = forms[start], self.abi.stride(f, tensor, after - 1)
        assert form is not None
        if step or not stride.is_literal or not self.safe(load, tensor, form, start):
            raise Misfit
        inner = f.once(("product", flat.dims[1:]), lambda: self.abi.product(f, flat.dims[1:]))
        position = plus(flat.value, times(self._sum(form, without=flat.first), inner))
        unit = int(stride.ref)
        return plus(base, times(position, stride)), fixed, unit, unit

    def _every(self, tensor: Tensor, base: Value, fixed: int, step: int, unit: int) -> Value:
        """Load bytes that are `step` apart as i32; nothing behind the last one's pixel."""
        f = self.function
        if tensor.dtype is not DType.U8 or step > _FURTHEST:
            raise Misfit
        phase = fixed % step
        first = plus(base, const(f, fixed - phase, "i64"))
        pointer = self.abi.pointer(f, "input", tensor)
        # Neighbours of a row have its lines in common: they are asked for once.
        asked = tensor.name, base.ref, fixed // (BYTE_LANES * step)
        ahead = asked not in self._asked
        self._asked.add(asked)
        wanted = (BYTE_LANES - 1) * step + (phase // unit + 1) * unit
        parts = []
        for at in range(0, wanted, _REGISTER):
            address = f.address(pointer, plus(first, const(f, at, "i64")), "i8")
            count = min(wanted - at, _REGISTER)
            alone = wanted <= _REGISTER
            marks = self._marks(tensor)
            parts.append(_load_some(address, count, marks, alone=alone, ahead=ahead))
        places = [lane * step + phase for lane in range(BYTE_LANES)]
        if len(parts) == 1:
            zero = parts[0].lanes
            nothing = Value(f, "zeroinitializer", "i8", zero)
            order = [n for place in places for n in (place, zero, zero, zero)]
            return _as_type(_pick(parts[0], nothing, order), "i32", BYTE_LANES)
        order = [place for place in places for _ in range(4)]
        return _as_type(_pick(parts[0], parts[1], order), "i32", BYTE_LANES) & 255

    def _marks(self, tensor: Tensor) -> str:
        scope = f", !alias.scope {self.function.module.read_only}"
        return scope if tensor.name in self.abi.apart else ""

    def store_pixels(
        self,
        pixels: Sequence[Sequence[Sequence[Value]]],
        results: Sequence[Expr],
        position: Value,
    ) -> None:
        """Store neighbouring pixels of each lane: for each of them and each channel, the values of
        all outputs."""
        f = self.function
        for number, (tensor, expr) in enumerate(zip(self.abi.kernel.outputs, results, strict=True)):
            items = [c[number] for channels in pixels for c in channels]
            words = [_whole(f.splat(item, BYTE_LANES), expr.dtype) for item in items]
            target = self.abi.pointer(f, "output", tensor)
            mark = f", !noalias {f.module.read_only}"
            for at, part in _packed(words):
                address = f.address(target, plus(position, const(f, at, "i64")), "i8")
                f.store(part, address, align=1, tail=mark)


def store_run(
    abi: Abi,
    results: Sequence[Expr],
    values: Sequence[Sequence[Sequence[Value]]],
    position: Value,
    *,
    streaming: bool = False,
) -> None:
    """Store RUN vectors of lanes that follow each other, from whole registers: for each vector and
    each channel, the values of all outputs. `streaming` stores go past the caches, to whole
    lines."""
    f = position.function
    mark, align = f", !noalias {f.module.read_only}", 1
    if streaming:
        mark, align = f"{mark}, !nontemporal {f.module.metadata('!{i32 1}')}", _REGISTER
    for number, (tensor, expr) in enumerate(zip(abi.kernel.outputs, results, strict=True)):
        channels = [
            _saturated([_whole(f.splat(each[number], BYTE_LANES), expr.dtype) for each in vectors])
            for vectors in zip(*values, strict=True)
        ]
        target = abi.pointer(f, "output", tensor)
        for at in range(0, len(channels) * _REGISTER, _REGISTER):
            address = f.address(target, plus(position, const(f, at, "i64")), "i8")
            f.store(_interleaved(channels, at), address, align=align, tail=mark)


def _interleaved(channels: Sequence[Value], at: int) -> Value:
    """A register of pixels side by side, from byte `at` on, of registers that each hold a channel
    of a run, as `_saturated` leaves them."""
    count = len(channels)
    numbers = [(n // count, n % count) for n in range(at, at + _REGISTER)]
    places = [p % BYTE_LANES // 4 * 16 + p // BYTE_LANES * 4 + p % 4 for p, _ in numbers]
    second = channels[min(1, count - 1)]
    order = [place + _REGISTER * (c == 1) for place, (_, c) in zip(places, numbers, strict=True)]
    made = _pick(channels[0], second, order)
    for k in range(2, count):
        kept = enumerate(zip(places, numbers, strict=True))
        made = _pick(made, channels[k], [_REGISTER + p if c == k else i for i, (p, (_, c)) in kept])
    return made


def look_up(
    f: Function,
    abi: Abi,
    table: tuple[Load, Load],
    lo: Value,
    hi: Value,
    start: Value,
    emitter: Callable[[Value, int], Emitter],
) -> Value:
    """Emit a loop that looks up whole registers of bytes in a table of 256, and stores them at
    `start` and on; return where it ends."""
    found, read = table
    source = next(t for t in abi.kernel.inputs if t.name == found.tensor)
    base, target = abi.pointer(f, "input", source), abi.kernel.outputs[0]
    places = [f.address(base, const(f, _REGISTER * k, "i64"), "i8") for k in range(4)]
    entries = [f.load(place, "i8", _REGISTER, align=1, constant=True) for place in places]
    middle = lo + f.intrinsic("smax", f.binary("sdiv", hi - lo, _REGISTER), 0) * _REGISTER
    with f.loop(lo, middle, step=_REGISTER) as i:
        codes = emitter(i, _REGISTER).raw(read)
        if codes.lanes != _REGISTER:
            raise Misfit
        value = _looked_up(entries, codes)
        at = f.address(abi.pointer(f, "output", target), plus(start, i), "i8")
        f.store(value, at, align=1, tail=f", !noalias {f.module.read_only}")
    return middle


def _looked_up(table: Sequence[Value], codes: Value) -> Value:
    """Look 64 bytes up in four registers: the lower and the upper half of them are each looked up
    by seven bits, and the eighth chooses."""
    f = codes.function
    name, shape = "llvm.x86.avx512.vpermi2var.qi.512", vector_type("i8", _REGISTER)
    f.module.declare(name, f"declare {shape} @{name}({shape}, {shape}, {shape})")
    lower, upper = (
        f.emit(f"call {shape} @{name}({a.text}, {codes.text}, {b.text})", "i8", _REGISTER)
        for a, b in (table[:2], table[2:])
    )
    return f.select(codes.compare("slt", 0), upper, lower)


def _whole(value: Value, dtype: DType) -> Value:
    """A value as i32 that saturates to the byte to be stored."""
    f = value.function
    if dtype is DType.U8:
        return value.convert("zext", "i32")
    if dtype is DType.S32:
        return value
    if dtype is not DType.F32:
        raise Misfit
    # What is too low for an i32, and NaN, becomes the lowest one, which saturates to 0; what is too
    # high would as well.
    high = f.splat(const(f, 255.0, "float"), BYTE_LANES)
    value = f.select(high.compare("olt", value), high, value)
    name = "llvm.x86.avx512.mask.cvtps2dq.512"
    f.module.declare(name, f"declare <16 x i32> @{name}(<16 x float>, <16 x i32>, i16, i32)")
    return f.emit(  # 8: to nearest, ties to even, whatever the processor's mode
        f"call <16 x i32> @{name}({value.text}, <16 x i32> zeroinitializer, i16 -1, i32 8)",
        "i32",
        BYTE_LANES,
    )


def _packed(words: Sequence[Value]) -> list[tuple[int, Value]]:
    """The bytes of all words of the first lane, then of the second, and so on, a register at a
    time, with their places."""
    registers = [_saturated(words[at : at + 4]) for at in range(0, len(words), 4)]
    order = [
        at // 4 * _REGISTER + lane // 4 * 16 + at % 4 * 4 + lane % 4
        for lane in range(BYTE_LANES)
        for at in range(len(words))
    ]
    return [
        (at, _pick(registers[0], registers[-1], order[at : at + _REGISTER]))
        for at in range(0, len(order), _REGISTER)
    ]


def _saturated(words: Sequence[Value]) -> Value:
    """Up to four vectors of i32 as bytes: in each quarter of the register, four of each."""
    last = words[-1]
    halves = [
        _pack("packssdw", "i32", words[at], words[at + 1] if at + 1 < len(words) else last)
        for at in range(0, len(words), 2)
    ]
    return _pack("packuswb", "i16", halves[0], halves[-1])


def _pack(name: str, type_: str, a: Value, b: Value) -> Value:
    """Saturate two registers to lanes of half the width."""
    f, full = a.function, f"llvm.x86.avx512.{name}.512"
    narrow, lanes = f"i{int(type_[1:]) // 2}", 2 * a.lanes
    shape, wide = vector_type(narrow, lanes), vector_type(type_, a.lanes)
    f.module.declare(full, f"declare {shape} @{full}({wide}, {wide})")
    return f.emit(f"call {shape} @{full}({a.text}, {b.text})", narrow, lanes)


def _pick(first: Value, second: Value, order: Sequence[int]) -> Value:
    """Make a vector of lanes of two others, which are numbered one after the other."""
    mask = ", ".join(f"i32 {n}" for n in order)
    text = f"shufflevector {first.text}, {second.text}, <{len(order)} x i32> <{mask}>"
    return first.function.emit(text, first.type, len(order))


def _as_type(value: Value, type_: str, lanes: int) -> Value:
    """The same bits as lanes of another type."""
    shape = vector_type(type_, lanes)
    return value.function.emit(f"bitcast {value.text} to {shape}", type_, lanes)


def _load_some(address: Value, count: int, marks: str, *, alone: bool, ahead: bool) -> Value:
    """Load bytes into lanes of which there are a power of two, a register's where they are not few
    or not `alone`; nothing behind them is touched. `ahead` asks for what comes next."""
    f = address.function
    few = alone and count <= _REGISTER // 4 and not count & (count - 1)
    lanes = count if few else _REGISTER
    shape = vector_type("i8", lanes)
    if lanes == count:
        return f.emit(f"load {shape}, {address.text}, align 1{marks}", "i8", lanes)
    # Masked loads do not tell the processor what comes next.
    if ahead:
        f.expect(f.address(address, const(f, _AHEAD, "i64"), "i8"))
    name = f"llvm.masked.load.v{lanes}i8.p0"
    f.module.declare(name, f"declare {shape} @{name}(ptr, i32, <{lanes} x i1>, {shape})")
    wanted = ", ".join(f"i1 {'true' if i < count else 'false'}" for i in range(lanes))
    return f.emit(
        f"call {shape} @{name}({address.text}, i32 1, <{lanes} x i1> <{wanted}>, "
        f"{shape} zeroinitializer){marks}",
        "i8",
        lanes,
    )
