"""The loops of a byte scan: sixteen rows a register, several queries at a time.

In: a kernel that is scheduled to bound distances from bytes, laid out so that one line of 64 bytes
holds four dimensions of sixteen rows. Out: units of neighbouring groups of 32 rows, for all
queries. A tile of queries and the two blocks of a group have their sums in registers, so that a
line is multiplied by every query of the tile when it has been read; the bounds follow, sixteen rows
at once, in the order of operations that the kernel has, and so with its bits. A group that arrays
do not have is read as their last one, and one without a row that is alive is not read; where arrays
do not fit together nothing is computed: sizes are symbols here, and the one caller has them right.
Where a table names the groups, a unit is one query. Where every lower bound is kept, the output
has for each query the best upper bound of each group, its least lower bound, and those of all rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.codegen.llvm.abi import Abi
from treadle.codegen.llvm.nest import FormEmitter, Geometry, Sizes, ceil_div, product, units_of
from treadle.codegen.llvm.text import Function, Module, Value, const
from treadle.ir.loops import ByteScan, Keeps, Products
from treadle.ir.nodes import Dim, Kernel
from treadle.ir.schedule import Schedule

__all__ = ["BYTE_SCAN"]

_LANES = 16  # rows of a block
_BLOCKS = 2  # of a group
_KEPT = 2 + _BLOCKS * _LANES  # bounds that are kept of a group, where all are
_RUN = 16  # groups of a unit: their bits are a line of each query's
_AHEAD = 512  # words: how far before it is needed a line is asked for
_HELD = 4096  # words of a block that stay in cache, for all blocks between two tiles of queries
_TILES = {Products.WIDE_FOURS: (8, 4, 2, 1)}  # queries at a time, as registers allow
_FEW = (2, 1)
_LESS, _MORE = 1.0 - 2.0**-20, 1.0 + 2.0**-20
_NS_PRODUCTS = {  # of four bytes of sixteen rows by one query
    Products.WIDE_FOURS: 0.3,
    Products.FOURS: 0.6,
    Products.PAIRS: 1.5,
    Products.PLAIN: 6.0,
}
_NS_BYTE = 0.06


class _Multiply:
    """Emits sums of products of bytes with what the processor has."""

    def __init__(self, f: Function, kind: Products) -> None:
        self.f, self.kind = f, kind

    def row(self, word: Value) -> list[Value]:
        """Four dimensions of sixteen rows, as the sums want them."""
        match self.kind:
            case Products.WIDE_FOURS:
                return [word]
            case Products.FOURS:
                return self._halves(word)
            case Products.PAIRS:
                even, odd = word & 0x00FF00FF, word.lshr(8) & 0x00FF00FF
                return [self._sixteens(h) for part in (even, odd) for h in self._halves(part)]
            case Products.PLAIN:
                return [word.lshr(8 * j) & 255 for j in range(4)]

    def query(self, word: Value) -> list[Value]:
        """Four dimensions of a query, as the sums want them."""
        f = self.f
        match self.kind:
            case Products.WIDE_FOURS:
                return [f.splat(word, _LANES)]
            case Products.FOURS:
                return [f.splat(word, _LANES // 2)]
            case Products.PAIRS:
                pairs = self._sixteens(f.splat(word, _LANES // 2))
                return [pairs.shl(8).ashr(8), pairs.ashr(8)]
            case Products.PLAIN:
                return [f.splat(word.shl(24 - 8 * j).ashr(24), _LANES) for j in range(4)]

    def add(self, total: Value, row: Sequence[Value], query: Sequence[Value]) -> Value:
        """Add the products of four dimensions."""
        match self.kind:
            case Products.WIDE_FOURS:
                return self._fours(total, row[0], query[0])
            case Products.FOURS:
                parts = zip(self._halves(total), row, strict=True)
                return self._joined([self._fours(t, x, query[0]) for t, x in parts])
            case Products.PAIRS:
                low, high = self._halves(total)
                for k, q in enumerate(query):
                    low = low + self._pairs(row[2 * k], q)
                    high = high + self._pairs(row[2 * k + 1], q)
                return self._joined([low, high])
            case Products.PLAIN:
                for x, q in zip(row, query, strict=True):
                    total = total + x * q
                return total

    def _fours(self, total: Value, x: Value, q: Value) -> Value:
        name = f"llvm.x86.avx512.vpdpbusd.{32 * total.lanes}"
        shape = f"<{total.lanes} x i32>"
        self.f.module.declare(name, f"declare {shape} @{name}({shape}, {shape}, {shape})")
        call = f"call {shape} @{name}({total.text}, {x.text}, {q.text})"
        return self.f.emit(call, "i32", total.lanes)

    def _pairs(self, x: Value, q: Value) -> Value:
        name, wide = "llvm.x86.avx2.pmadd.wd", "<16 x i16>"
        self.f.module.declare(name, f"declare <8 x i32> @{name}({wide}, {wide})")
        return self.f.emit(f"call <8 x i32> @{name}({x.text}, {q.text})", "i32", 8)

    def _halves(self, value: Value) -> list[Value]:
        half = value.lanes // 2
        return [self.f.shuffle(value, range(k, k + half)) for k in (0, half)]

    def _joined(self, parts: Sequence[Value]) -> Value:
        low, high = parts
        places = ", ".join(f"i32 {i}" for i in range(2 * low.lanes))
        text = f"shufflevector {low.text}, {high.text}, <{2 * low.lanes} x i32> <{places}>"
        return self.f.emit(text, low.type, 2 * low.lanes)

    def _sixteens(self, value: Value) -> Value:
        lanes = 2 * value.lanes
        return self.f.emit(f"bitcast {value.text} to <{lanes} x i16>", "i16", lanes)


class _Scanner:
    """Emits the loops of one unit."""

    def __init__(self, f: Function, kernel: Kernel, abi: Abi, walk: ByteScan) -> None:
        self.f, self.walk = f, walk
        self.multiply = _Multiply(f, walk.products)
        codes, numbers, alive, queries, facts, *others = kernel.inputs
        self.codes, self.numbers, self.alive, self.asked, self.facts = (
            abi.pointer(f, "input", tensor) for tensor in (codes, numbers, alive, queries, facts)
        )
        self.limit = abi.pointer(f, "input", others[0]) if walk.keeps is Keeps.WITHIN else None
        self.out, *self.more = (abi.pointer(f, "output", tensor) for tensor in kernel.outputs)
        self.words = abi.size(f, codes.dims[1])
        self.count = abi.size(f, queries.dims[0])
        self.width = abi.size(f, kernel.outputs[0].dims[1])
        pairs = f.once("pairs", lambda: f.binary("udiv", abi.size(f, codes.dims[0]), _BLOCKS))
        known = abi.size(f, alive.dims[0])
        self.last = f.once("last", lambda: f.intrinsic("smin", pairs, known) - 1)
        self.groups = known if walk.keeps is Keeps.ALL else self.width
        asked = kernel.outputs[0].dims[0]
        equal = [
            (codes.dims[1], queries.dims[1]),
            (codes.dims[2], _LANES),
            (numbers.dims[0], codes.dims[0]),
            (numbers.dims[1], 4),
            (numbers.dims[2], _LANES),
            (facts.dims[0], queries.dims[0]),
            (facts.dims[1], 4),
            (asked, queries.dims[0]),
            *((tensor.dims[0], asked) for tensor in others),
        ]
        self.fits = f.once("fits", lambda: self.all_equal(abi, equal))
        if walk.keeps is Keeps.ALL:
            self.fits = self.fits & self.width.compare("eq", known * _KEPT)
        elif walk.keeps is Keeps.NAMED:
            self.table = abi.pointer(f, "input", others[-1])
            self.listed = abi.size(f, others[-1].dims[1])
        elif walk.keeps is Keeps.BEST:
            self.first, self.step = (
                abi.read(f, "param", name, "i64") for name in (p.name for p in kernel.params)
            )

    def all_equal(self, abi: Abi, pairs: list[tuple[Dim, Dim]]) -> Value:
        """Whether sizes are what the loops take them for."""
        found = const(self.f, 1, "i1")
        for a, b in pairs:
            if a != b:
                found = found & abi.size(self.f, a).compare("eq", abi.size(self.f, b))
        return found

    def unit(self, unit: Value) -> None:
        """Scan neighbouring groups, as many at a time as stay in cache, for every query; where a
        table names them, those of one query."""
        f = self.f
        if self.walk.keeps is Keeps.NAMED:
            self.tile(unit, 1, const(f, 0, "i64"), self.listed)
            return
        start = unit * _RUN
        stop = f.intrinsic("smin", start + _RUN, self.groups)
        held = f.intrinsic("smax", f.binary("udiv", const(f, _HELD, "i64"), self.words), 1)
        turns = f.binary("udiv", stop - start + held - 1, held)
        with f.loop(const(f, 0, "i64"), turns, alone=True) as turn:
            first = start + turn * held
            last = f.intrinsic("smin", first + held, stop)
            self.every_query(first, last)

    def every_query(self, first: Value, last: Value) -> None:
        """Scan groups for all queries: whole tiles, then what is left in smaller ones."""
        f = self.f
        widest, *smaller = _TILES.get(self.walk.products, _FEW)
        whole = f.binary("udiv", self.count, widest) * widest
        with f.loop(const(f, 0, "i64"), whole, step=widest, alone=True) as query:
            self.tile(query, widest, first, last)
        at = whole
        for size in smaller:
            left = (self.count & size).compare("ne", 0)
            with f.when(left):
                self.tile(at, size, first, last)
            at = at + (self.count & size)

    def tile(self, query: Value, size: int, first: Value, last: Value) -> None:
        """Scan groups for a few queries."""
        f = self.f
        starts = f.slot("i32", count=size)  # what the sums begin with: less 128 for each byte
        lines = []
        for i in range(size):
            total = self.fact(query + i, 3).convert("fptosi", "i32") * -128
            f.store(total, f.address(starts, const(f, i, "i64"), "i32"), align=4, group=False)
            lines.append(f.address(self.asked, (query + i) * self.words, "i32"))
        sums = [[f.slot("i32", _LANES) for _ in range(size)] for _ in range(_BLOCKS)]
        with f.loop(first, last, alone=True) as place:
            if self.walk.keeps is Keeps.NAMED:
                at = f.address(self.table, query * self.listed + place, "i32")
                named = f.load(at, "i32", align=4, group=False).convert("sext", "i64")
                there = named.compare("sge", 0)
            else:
                named, there = place, None
                if self.walk.keeps is Keeps.BEST:
                    named = self.first + place * self.step
            group = f.intrinsic("smin", f.intrinsic("smax", named, 0), self.last)
            alive = f.load(f.address(self.alive, group, "i32"), "i32", align=4, group=False)
            if there is not None:
                alive = f.select(there, alive, 0)
            with f.when(alive.compare("eq", 0)):  # its rows need not be read
                for i in range(size):
                    self.put(query + i, place, self.nothing())
            with f.when(alive.compare("ne", 0)):
                for i in range(size):
                    begin = f.load(f.address(starts, const(f, i, "i64"), "i32"), "i32", align=4)
                    for block in sums:
                        f.store(f.splat(begin, _LANES), block[i], align=64, group=False)
                self.products(group, lines, sums)
                for i in range(size):
                    both = [f.load(block[i], "i32", _LANES, align=64) for block in sums]
                    self.put(query + i, place, self.found(query + i, group, alive, both))

    def nothing(self) -> list[Value]:
        """What is stored for a group of which no row is alive."""
        f = self.f
        none = const(f, float("inf"), "float")
        match self.walk.keeps:
            case Keeps.WITHIN:
                return [const(f, 0, "i32")]
            case Keeps.BEST:
                return [none]
            case Keeps.NAMED:
                return [f.splat(none, _LANES)] * 4
            case Keeps.ALL:
                unknown = const(f, float("nan"), "float")
                return [none, unknown, *[f.splat(unknown, _LANES)] * _BLOCKS]

    def put(self, query: Value, place: Value, values: list[Value]) -> None:
        """Store what was found in a group: one value, or bounds of its blocks."""
        f = self.f
        if self.walk.keeps is not Keeps.NAMED:
            rows = self.groups * 2 + place * (_BLOCKS * _LANES)
            among = [place, place + self.groups, rows, rows + _LANES]
            for where, value in zip(among, values, strict=False):
                at = f.address(self.out, query * self.width + where, "i32")
                f.store(value, at, align=4, group=False)
            return
        at = query * self.width + place * (_BLOCKS * _LANES)
        outs = (self.out, *self.more) * _BLOCKS
        for k, (out, value) in enumerate(zip(outs, values, strict=True)):
            f.store(value, f.address(out, at + k // 2 * _LANES, "float"), align=4, group=False)

    def products(self, group: Value, lines: list[Value], sums: list[list[Value]]) -> None:
        """Add up the products of bytes of a group's blocks and a tile's queries."""
        f, each = self.f, self.words * _LANES
        start = f.address(self.codes, group * each * _BLOCKS, "i32")
        blocks = [start, f.address(start, each, "i32")]
        with f.loop(const(f, 0, "i64"), self.words, alone=True) as w:
            rows = []
            for first in blocks:
                here = f.address(first, w * _LANES, "i32")
                if len(lines) > 1:
                    # Lines that are multiplied by several queries come too late otherwise.
                    f.expect(f.address(here, const(f, _AHEAD, "i64"), "i32"))
                rows.append(self.multiply.row(f.load(here, "i32", _LANES, align=4)))
            for i, line in enumerate(lines):
                query = self.multiply.query(f.load(f.address(line, w, "i32"), "i32", align=4))
                for row, block in zip(rows, sums, strict=True):
                    total = f.load(block[i], "i32", _LANES, align=64)
                    total = self.multiply.add(total, row, query)
                    f.store(total, block[i], align=64, group=False)

    def fact(self, query: Value, which: int) -> Value:
        """One of the numbers of a query."""
        return self.f.load(
            self.f.address(self.facts, query * 4 + which, "float"), "float", align=4, group=False
        )

    def found(self, query: Value, group: Value, alive: Value, sums: list[Value]) -> list[Value]:
        """Make bounds of sums, and of bounds what is stored."""
        f, walk = self.f, self.walk
        scale, length, rest = (self.fact(query, which) for which in range(3))
        numbers = f.address(self.numbers, group * (_BLOCKS * 4 * _LANES), "float")
        high, low = [], []
        for k, total in enumerate(sums):
            own, square, lost, norm = (
                f.load(
                    f.address(numbers, const(f, (4 * k + n) * _LANES, "i64"), "float"),
                    "float",
                    _LANES,
                    align=4,
                )
                for n in range(4)
            )
            estimate = total.convert("sitofp", "float") * own * scale
            error = lost * length + norm * rest
            if walk.keeps is not Keeps.WITHIN:
                high.append(square * _MORE - (estimate - error) * 2.0)
            if walk.keeps is not Keeps.BEST:
                low.append(square * _LESS - (estimate + error) * 2.0)
        if walk.keeps is Keeps.ALL:
            lowest = f.splat(const(f, float("-inf"), "float"), _LANES)
            unknown = f.splat(const(f, float("nan"), "float"), _LANES)
            low = [f.select(bound.compare("ord", bound), bound, lowest) for bound in low]
            kept = [f.select(self.live(alive, k), low[k], unknown) for k in range(_BLOCKS)]
            return [self.best(high, alive), self.best(low, alive), *kept]
        if walk.keeps is Keeps.NAMED:
            none = f.splat(const(f, float("inf"), "float"), _LANES)
            live = [self.live(alive, k) for k in range(_BLOCKS)]
            pairs = zip(live, high, low, strict=True)
            return [f.select(lanes, bound, none) for lanes, *both in pairs for bound in both]
        if self.limit is None:
            return [self.best(high, alive)]
        limit = f.load(f.address(self.limit, query, "float"), "float", align=4, group=False)
        first, second = (self.bits(bound.compare("ule", limit)) for bound in low)
        return [(first | second.shl(_LANES)) & alive]

    def live(self, alive: Value, block: int) -> Value:
        """Which rows of a block are alive."""
        half = alive.lshr(_LANES * block).convert("trunc", "i16")
        return self.f.emit(f"bitcast {half.text} to <{_LANES} x i1>", "i1", _LANES)

    def bits(self, test: Value) -> Value:
        """A condition of sixteen rows as bits."""
        return self.f.emit(f"bitcast {test.text} to i16", "i16").convert("zext", "i32")

    def best(self, bounds: list[Value], alive: Value) -> Value:
        """The smallest bound of rows that are alive; one that is NaN does not count."""
        f = self.f
        least = f.splat(const(f, float("inf"), "float"), _LANES)
        for k, bound in enumerate(bounds):
            nearer = self.live(alive, k) & bound.compare("olt", least)
            least = f.select(nearer, bound, least)
        lanes = _LANES
        while lanes > 2:
            lanes //= 2
            other = f.shuffle(least, range(lanes, 2 * lanes))
            least = f.shuffle(least, range(lanes))
            least = f.select(other.compare("olt", least), other, least)
        a, b = (f.emit(f"extractelement {least.text}, i64 {i}", "float") for i in range(2))
        return f.select(b.compare("olt", a), b, a)


def emit_byte_scan(module: Module, schedule: Schedule, abi: Abi) -> bool:
    """Define treadle_run for a byte scan."""
    walk = schedule.walk
    assert isinstance(walk, ByteScan)
    f = units_of(module)
    scanner = _Scanner(f, schedule.kernel, abi, walk)
    with f.when(scanner.fits), f.loop(f.params["lo"], f.params["hi"], alone=True) as unit:
        scanner.unit(unit)
    f.finish()
    return False


def measure_byte_scan(schedule: Schedule, sizes: Sizes, cost: float) -> Geometry:
    """A unit for every sixteen groups, or for a query where a table names its groups; what is read
    once counts beside what is multiplied."""
    walk, kernel = schedule.walk, schedule.kernel
    assert isinstance(walk, ByteScan)
    count, groups = (product((dim,), sizes) for dim in kernel.outputs[0].dims)
    words = product(kernel.inputs[0].dims[1:2], sizes)
    if walk.keeps is Keeps.ALL:
        groups = product(kernel.inputs[2].dims, sizes)
    if walk.keeps is Keeps.NAMED:
        lines = groups // _LANES * words
        each = _NS_PRODUCTS[walk.products] + 64 * _NS_BYTE
        return Geometry(count, (), 0, 1000.0 + count * lines * each)
    lines = groups * _BLOCKS * words
    each = count * _NS_PRODUCTS[walk.products] + 64 * _NS_BYTE
    return Geometry(ceil_div(groups, _RUN), (), 0, 1000.0 + lines * each)


BYTE_SCAN = FormEmitter((), emit_byte_scan, measure_byte_scan)
