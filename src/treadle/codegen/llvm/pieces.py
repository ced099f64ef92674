"""Long lines of a scan in pieces that workers walk at the same time.

In: a Scan kernel whose elements can be summed up (ir.transition). Out: units of one piece of one
line each. A unit sums its piece up and says so; then, while the next piece of the line whose state
is known is summed up, it takes that one: it leaves the state behind it, for the unit that takes the
next, and walks the piece. So no unit waits: if a worker is held up, the others go on with further
units, and what these could not walk yet is walked by the one that was held up. As a rule a unit
walks its own piece, which is in the cache. Both walks have a lane for each of some stretches of the
piece, so that no element waits for the one before it. Where numbers are not finite, summaries need
not tell what the elements do one after the other, and the piece is walked so.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.codegen.llvm.abi import Abi, plus, times
from treadle.codegen.llvm.emit import Emitter
from treadle.codegen.llvm.lanes import join
from treadle.codegen.llvm.nest import Sizes, ceil_div, decode, position, product, store_all
from treadle.codegen.llvm.ops import TYPES, to_memory
from treadle.codegen.llvm.text import Function, Value, const
from treadle.ir.affine import Indexer
from treadle.ir.nodes import Block, Const, Kernel, Load, Scan
from treadle.ir.transition import Transition

__all__ = ["Pieces", "cut", "shared"]

_STRETCH = 528  # elements of a lane: not a power of two, or all lanes would share few cache lines
_ENOUGH = 32  # lines that keep all workers busy as they are
_SLOT = 128  # bytes between what is left for one line and for the next


def cut(kernel: Kernel, form: Scan, sizes: Sizes, lanes: int) -> tuple[int, int]:
    """Return into how many pieces each line is cut, 1 for not at all, and how many lines."""
    space = kernel.space
    lines = product([space[k] for k in range(len(space)) if k != form.axis], sizes)
    pieces = ceil_div(product([space[form.axis]], sizes), lanes * _STRETCH)
    # Lines that are neighbours in memory are lanes as they are, several times as fast.
    beside = form.axis != len(space) - 1 and product(space[-1:], sizes) >= lanes
    return (pieces if lines < _ENOUGH and pieces > 2 and not beside else 1), lines


def _slot(form: Scan) -> int:
    """Bytes for a line's turn and state."""
    return ceil_div(8 + 8 * len(form.init), _SLOT) * _SLOT


def _record(pieces: Transition, lanes: int) -> int:
    """Bytes for the summaries of a unit."""
    return 8 * (lanes + 1) * len(pieces.init)


def shared(form: Scan, pieces: Transition, lanes: int, lines: int, count: int) -> int:
    """Bytes that the units of some lines in so many pieces share."""
    return lines * (_slot(form) + count * (8 + _record(pieces, lanes)))


class _Stretches(Emitter):
    """Emits what lanes do that are so many stretches of a line, one behind the other."""

    def __init__(
        self, f: Function, abi: Abi, indexer: Indexer, lanes: int, axis: int, apart: Value
    ) -> None:
        super().__init__(f, abi, indexer, width=lanes)
        self.along, self.apart = axis, apart

    def places(self) -> list[Value]:
        """Where each lane is along the line."""
        first, f = self.axes[self.along], self.function
        return [plus(first, times(self.apart, const(f, k, "i64"))) for k in range(self.width)]

    def raw(self, load: Load) -> Value:
        """Emit a load for each lane, unless all read the same."""
        forms = [self.indexer.affine(index) for index in load.indices]
        width, first = self.width, self.axes[self.along]
        self.width = 1
        try:
            if not any(form is not None and form.scale(("axis", self.along)) for form in forms):
                return super().raw(load)
            found = []
            self.width = width
            places = self.places()
            self.width = 1
            for place in places:
                self.axes[self.along] = place
                found.append(super().raw(load))
            return join(found)
        finally:
            self.width, self.axes[self.along] = width, first

    def _coordinate(self, axis: int) -> Value:
        if axis != self.along:
            return super()._coordinate(axis)
        return join([place.convert("trunc", "i32") for place in self.places()])


class Pieces:
    """Emits the units of one kernel."""

    def __init__(self, f: Function, abi: Abi, pieces: Transition, lanes: int) -> None:
        kernel = abi.kernel
        form = kernel.form
        assert isinstance(form, Scan)
        self.f, self.abi, self.kernel, self.form = f, abi, kernel, form
        self.pieces, self.lanes = pieces, lanes
        self.indexer = Indexer(kernel.space, form.step, pieces.follow)
        self.others = [k for k in range(len(kernel.space)) if k != form.axis]
        self.axes: dict[int, Value] = {}

    # States and summaries in memory

    def slots(self, like: Sequence[Const], lanes: int = 1) -> list[Value]:
        """Stack memory for values of the types that some have."""
        return [self.f.slot(TYPES[c.dtype], lanes) for c in like]

    def save(self, values: Sequence[Value], slots: Sequence[Value], like: Sequence[Const]) -> None:
        """Store values."""
        for value, slot, c in zip(values, slots, like, strict=True):
            self.f.store(value, slot, align=c.dtype.size)

    def restore(self, slots: Sequence[Value], like: Sequence[Const], lanes: int = 1) -> list[Value]:
        """Load values."""
        pairs = zip(slots, like, strict=True)
        return [self.f.load(s, TYPES[c.dtype], lanes, align=c.dtype.size) for s, c in pairs]

    def start(self, like: Sequence[Const], lanes: int = 1) -> list[Value]:
        """The values themselves, on all lanes."""
        f = self.f
        return [f.splat(const(f, c.value, TYPES[c.dtype]), lanes) for c in like]

    # Walks

    def emitter(self, at: Value, apart: Value | None) -> Emitter:
        """An emitter at a place of the line; with `apart`, for all lanes."""
        axis = self.form.axis
        if apart is None:
            e = Emitter(self.f, self.abi, self.indexer)
        else:
            e = _Stretches(self.f, self.abi, self.indexer, self.lanes, axis, apart)
        e.axes = self.axes | {axis: at}
        return e

    def pure(self, block: Block, args: Sequence[Value]) -> list[Value]:
        """Emit a block that reads nothing, on scalars."""
        return Emitter(self.f, self.abi, self.indexer).run(block, args)

    def summed(self, first: Value, count: Value, apart: Value | None) -> list[Value]:
        """Sum up `count` elements from a place on; with `apart`, as many for each lane. Return
        where the summaries are."""
        like, lanes = self.pieces.init, 1 if apart is None else self.lanes
        slots = self.slots(like, lanes)
        self.save(self.start(like, lanes), slots, like)
        with self.f.loop(const(self.f, 0, "i64"), count, alone=True) as i:
            e = self.emitter(first + i, apart)
            found = e.run(self.pieces.follow, self.restore(slots, like, lanes))
            self.save([self.f.splat(v, lanes) for v in found], slots, like)
        return self.kept(slots, like, lanes)

    def kept(self, slots: Sequence[Value], like: Sequence[Const], lanes: int) -> list[Value]:
        """Copy values, so that lanes can be told apart by a number, which a loop's own memory
        cannot be asked for: it would stay memory, where it is to become registers."""
        copies = self.slots(like, lanes)
        self.save(self.restore(slots, like, lanes), copies, like)
        return copies

    def walked(
        self, slots: Sequence[Value], first: Value, count: Value, apart: Value | None
    ) -> None:
        """Walk elements from a place on, from states in memory, where the last ones are left."""
        f, like = self.f, self.form.init
        lanes = 1 if apart is None else self.lanes
        ends, slots = slots, self.kept(slots, like, lanes)
        with f.loop(const(f, 0, "i64"), count, alone=True) as i:
            e = self.emitter(first + i, apart)
            values = e.run(self.form.step, self.restore(slots, like, lanes))
            self.store(e, values[len(like) :], apart)
            self.save([f.splat(v, lanes) for v in values[: len(like)]], slots, like)
        self.save(self.restore(slots, like, lanes), ends, like)

    def store(self, e: Emitter, values: Sequence[Value], apart: Value | None) -> None:
        """Store a value for each output, at each lane's place."""
        f, abi, space = self.f, self.abi, self.kernel.space
        results = self.form.step.results[len(self.form.init) :]
        at = position(f, abi, space, [e.axes[k] for k in range(len(space))])
        if apart is None:
            store_all(e, results, values, at)
            return
        step = times(apart, abi.product(f, space[self.form.axis + 1 :]))
        for tensor, expr, value in zip(self.kernel.outputs, results, values, strict=True):
            type_ = tensor.dtype.llvm
            stored = f.splat(to_memory(value, expr.dtype, tensor.dtype), self.lanes)
            base = abi.pointer(f, "output", tensor)
            for k in range(self.lanes):
                one = f.emit(f"extractelement {stored.text}, i64 {k}", type_)
                place = plus(at, times(step, const(f, k, "i64")))
                f.store(one, f.address(base, place, type_), align=tensor.dtype.size)

    # Units

    def emit(self) -> None:
        """Emit units lo..hi-1: the first pieces of all lines, then the second ones, and so on."""
        f = self.f
        # Functions of their own, so that LLVM keeps in registers what each of them needs.
        for name, body in (("treadle_sum", Pieces.sum_up), ("treadle_walk", Pieces.walk)):
            arguments = [("ptr", "block"), ("i64", "line"), ("i64", "piece"), ("i64", "unit")]
            apart = Function(f.module, name, arguments)
            inside = Pieces(apart, self.abi, self.pieces, self.lanes)
            line, piece, unit = (apart.params[each] for each in ("line", "piece", "unit"))
            dims = [self.kernel.space[k] for k in self.others]
            inside.axes = dict(zip(self.others, decode(apart, self.abi, line, dims), strict=True))
            body(inside, line, piece, unit)
            apart.finish()
        with f.loop(f.params["lo"], f.params["hi"]) as unit:
            piece = f.binary("udiv", unit, self.lines)
            line = unit - piece * self.lines
            f.do(f"call void @treadle_sum(ptr %block, {line.text}, {piece.text}, {unit.text})")
            self.go_on(line)

    def ends(self, piece: Value) -> tuple[Value, Value, Value, Value]:
        """Where a piece begins, the elements of each lane, where those behind them begin, and how
        many these are."""
        f = self.f
        first = piece * (self.lanes * _STRETCH)
        length = self.abi.size(f, self.kernel.space[self.form.axis])
        count = f.intrinsic("smin", length - first, self.lanes * _STRETCH)
        each = f.binary("udiv", count, self.lanes)
        return first, each, first + each * self.lanes, count - each * self.lanes

    def sum_up(self, line: Value, piece: Value, unit: Value) -> None:
        """Sum a piece up, keep the summaries of its stretches, and say so."""
        f, like = self.f, self.pieces.init
        first, each, behind, rest = self.ends(piece)
        stretches, last = self.record(unit)
        found = self.restore(self.summed(first, each, each), like, self.lanes)
        self.save(found, stretches, like)
        self.save(self.restore(self.summed(behind, rest, None), like), last, like)
        f.do(f"store atomic i64 1, {self.said(unit).text} seq_cst, align 8")

    def go_on(self, line: Value) -> None:
        """Walk pieces of a line for as long as the next one has been summed up and is not taken."""
        f = self.f
        turn = self.turn(line)
        look, known, ready, taken, done = f.labels("look", "known", "ready", "taken", "done")
        f.do(f"br label %{look}")
        f.label(look)
        seen = f.emit(f"load atomic i64, {turn.text} seq_cst, align 8", "i64")
        piece = f.binary("lshr", seen, 1)
        free = (seen & 1).compare("eq", 0) & piece.compare("slt", self.count)
        f.branch(free, known, done)
        f.label(known)
        unit = piece * self.lines + line
        said = f.emit(f"load atomic i64, {self.said(unit).text} seq_cst, align 8", "i64")
        f.branch(said.compare("ne", 0), ready, done)
        f.label(ready)
        pair = f.fresh()
        claim = seen | 1
        f.do(f"{pair} = cmpxchg {turn.text}, {seen.text}, {claim.text} seq_cst seq_cst, align 8")
        won = f.emit(f"extractvalue {{ i64, i1 }} {pair}, 1", "i1")
        f.branch(won, taken, look)
        f.label(taken)
        f.do(f"call void @treadle_walk(ptr %block, {line.text}, {piece.text}, {unit.text})")
        f.do(f"br label %{look}")
        f.label(done)

    def walk(self, line: Value, piece: Value, unit: Value) -> None:
        """Leave the state behind a piece, and walk it."""
        f, like, pieces = self.f, self.form.init, self.pieces
        first, each, behind, rest = self.ends(piece)
        stretches, last = self.record(unit)
        zero, lanes = const(f, 0, "i64"), const(f, self.lanes, "i64")
        whole = self.slots(pieces.init)
        self.save(self.start(pieces.init), whole, pieces.init)
        with f.loop(zero, lanes, rest=True) as k:
            self.join(pieces.combine, whole, pieces.init, self.lane(stretches, k, pieces.init))
        self.join(pieces.combine, whole, pieces.init, last)
        left = [f.address(self.turn(line), const(f, 1 + k, "i64"), "i64") for k in range(len(like))]
        begins = piece.compare("eq", 0)
        pairs = zip(self.start(like), self.restore(left, like), strict=True)
        before = [f.select(begins, start, there) for start, there in pairs]
        total = self.restore(whole, pieces.init)
        after = self.pure(pieces.apply, [*before, *total])
        sound = self.finite([*before, *total, *after])
        state, states = self.slots(like), self.slots(like, self.lanes)
        self.save(before, state, like)
        with f.when(sound):
            self.leave(line, piece, left, after)
            with f.loop(zero, lanes, rest=True) as k:
                self.save(self.restore(state, like), self.lane(states, k, like), like)
                self.join(pieces.apply, state, like, self.lane(stretches, k, pieces.init))
            self.walked(states, first, each, each)
            self.walked(state, behind, rest, None)
        with f.when(sound ^ 1):
            self.walked(state, first, each * self.lanes + rest, None)
            self.leave(line, piece, left, self.restore(state, like))

    def leave(
        self, line: Value, piece: Value, left: Sequence[Value], state: Sequence[Value]
    ) -> None:
        """Leave a state for the next piece, which may then be taken."""
        f = self.f
        self.save(state, left, self.form.init)
        following = (piece + 1).shl(1)
        f.do(f"store atomic {following.text}, {self.turn(line).text} seq_cst, align 8")

    def lane(self, slots: Sequence[Value], k: Value, like: Sequence[Const]) -> list[Value]:
        """Where a lane's values are."""
        pairs = zip(slots, like, strict=True)
        return [self.f.address(slot, k, TYPES[c.dtype]) for slot, c in pairs]

    def join(
        self, block: Block, slots: Sequence[Value], like: Sequence[Const], more: Sequence[Value]
    ) -> None:
        """Put what is in memory together with a summary."""
        found = [*self.restore(slots, like), *self.restore(more, self.pieces.init)]
        self.save(self.pure(block, found), slots, like)

    def finite(self, values: Sequence[Value]) -> Value:
        """Whether all floats are finite, where that matters."""
        f = self.f
        sound = const(f, 1, "i1")
        for value in values if self.pieces.rounds else ():
            if value.is_float:
                sound = sound & (value - value).compare("oeq", 0.0)
        return sound

    # Memory that units share: a line's turn and state, whether a unit has summed up, its summaries.

    @property
    def lines(self) -> Value:
        """How many lines there are."""
        return self.abi.read(self.f, "geometry", "lines", "i64")

    @property
    def count(self) -> Value:
        """How many pieces a line has."""
        return self.abi.read(self.f, "geometry", "pieces", "i64")

    @property
    def base(self) -> Value:
        """Where it begins."""
        return self.abi.read(self.f, "scratch", "", "ptr")

    def turn(self, line: Value) -> Value:
        """Where a line keeps whose turn it is, twice its number, and one more while it is taken;
        behind that is the state before that piece."""
        return self.f.address(self.base, line * _slot(self.form), "i8")

    def said(self, unit: Value) -> Value:
        """Where a unit says that it has summed up."""
        begin = self.f.address(self.base, self.lines * _slot(self.form), "i8")
        return self.f.address(begin, unit, "i64")

    def record(self, unit: Value) -> tuple[list[Value], list[Value]]:
        """Where a unit keeps the summaries of its lanes, and that of the elements behind them."""
        f, each = self.f, _record(self.pieces, self.lanes)
        units = self.lines * self.count
        begin = f.address(self.said(units), unit * each, "i8")
        found: list[list[Value]] = [[], []]
        at = 0
        for k, lanes in enumerate((self.lanes, 1)):
            for _ in self.pieces.init:
                found[k].append(f.address(begin, const(f, at, "i64"), "i8"))
                at += 8 * lanes
        return found[0], found[1]
