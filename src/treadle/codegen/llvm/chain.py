"""Fused chains of Map kernels: rolling rows.

In: a scheduled Chain kernel. Out: units that are runs of rows along the chain's axis. A unit
advances a few rows at a time; in each step every stage computes just the rows that later stages
need by then and that are not there yet, into a ring of rows that stays in the cache. What is also
an output of the kernel is written there and read back from there. Near a unit's ends some rows are
computed by both neighbours, with equal results. Each running unit has rings of its own: a worker
takes a part of the scratch through a word of bits at its start, and gives it back.
"""

from __future__ import annotations

from treadle.codegen.llvm.abi import Abi, times
from treadle.codegen.llvm.chain_ring import StageAbi, ring_bytes
from treadle.codegen.llvm.chain_stage import StageCode
from treadle.codegen.llvm.nest import (
    CACHE_LINE,
    FormEmitter,
    Geometry,
    Sizes,
    ceil_div,
    interior,
    product,
    units_of,
)
from treadle.codegen.llvm.text import Function, Module, Value, const
from treadle.ir.loops import Rolling
from treadle.ir.nodes import Chain
from treadle.ir.schedule import Schedule

__all__ = ["CHAIN"]

_UNIT_NS = 600_000.0  # about how long a unit takes
_SHORT_NS = 50_000.0  # at least, where there would be fewer than _UNITS
_UNITS = 8
_UNIT_HALO = 6  # a unit's rows are at least so many times those that it computes beyond its own
_LONG_HALO = 32  # and so many times in an image that is long enough for _MANY_UNITS of them
_MANY_UNITS = 32
_FLAT_ROWS = 8192  # rows of a unit where a row is one element


def emit_chain(module: Module, schedule: Schedule, abi: Abi) -> bool:
    """Define treadle_run for a Chain kernel."""
    chain, rolling = schedule.kernel.form, schedule.walk
    assert isinstance(chain, Chain)
    assert isinstance(rolling, Rolling)
    rings = {ring.tensor.name: ring for ring in rolling.rings}
    codes = []
    for s, (stage, rows) in enumerate(zip(chain.stages, rolling.stages, strict=True)):
        inner = StageAbi(stage, abi.geometry, abi, chain.axis, rings, apart=abi.apart)
        code = StageCode(f"stage{s}", stage, rows, inner)
        code.emit(module)
        codes.append(code)
    f = units_of(module)
    height = chain.stages[0].space[chain.axis]
    _units(_Driver(f, abi, rolling, codes, abi.size(f, height)))
    f.finish()
    return False


class _Driver:
    """Emits the loops over units and steps."""

    def __init__(
        self, f: Function, abi: Abi, rolling: Rolling, codes: list[StageCode], height: Value
    ) -> None:
        self.f, self.abi, self.rolling, self.codes = f, abi, rolling, codes
        self.height = height
        self.near = const(f, 0, "i64")
        self.columns = [self._columns(code) for code in codes]

    def _columns(self, code: StageCode) -> tuple[Value, Value, Value]:
        """A row's length, and where in it its interior starts and ends."""
        f = self.f
        inner = code.rows.nest.inner
        total = code.abi.product(f, inner)
        step = code.abi.product(f, inner[1:])
        return total, *interior(f, code.abi, code.rows.limits, total, step)

    def unit(self, unit: Value) -> None:
        """Emit one unit, step by step."""
        f, rolling = self.f, self.rolling
        rows = self.abi.read(f, "geometry", "rows", "i64")
        bands = f.binary("udiv", self.height + (rows - 1), rows)
        lead = f.binary("udiv", unit, bands)
        first = (unit - lead * bands) * rows
        last = f.intrinsic("smin", first + rows, self.height)
        if rolling.flat:
            for s, stage in enumerate(rolling.stages):
                start = f.intrinsic("smax", first + stage.low, 0)
                stop = f.intrinsic("smin", last + stage.high, self.height)
                self.stage(s, lead, first, start, stop)
            return
        step = rolling.step
        warm = ceil_div(rolling.halo, step) * step
        with f.loop(first - warm, last, step=step) as at:
            end = f.intrinsic("smin", at + step, last)
            for s, stage in enumerate(rolling.stages):
                low, high = stage.low, stage.high
                start = f.intrinsic("smax", f.intrinsic("smax", first + low, 0), at + high)
                stop = f.intrinsic("smin", end + high, self.height)
                self.stage(s, lead, first, start, stop)

    def stage(self, s: int, lead: Value, first: Value, start: Value, stop: Value) -> None:
        """Call a stage's functions for rows start..stop-1, if there are any."""
        f, code = self.f, self.codes[s]
        total, low, high = self.columns[s]

        def call(kind: str, test: Value, lo: Value, hi: Value) -> None:
            values = (f.params["block"], self.near, lead, first, start, stop, lo, hi, low, high)
            arguments = ", ".join(value.text for value in values)
            with f.when(test):
                f.do(f"call void @{code.name}_{kind}({arguments})")

        lo, hi = (start, stop) if code.rows.along else (const(f, 0, "i64"), total)
        some = lo.compare("slt", hi)
        with f.when(start.compare("slt", stop)):
            if code.rows.limits:
                inner = f.intrinsic("smax", lo, low), f.intrinsic("smin", hi, high)
                call("edge", lo.compare("slt", low) | hi.compare("sgt", high), lo, hi)
                call("inside", inner[0].compare("slt", inner[1]), *inner)
            else:
                call("all", some, lo, hi)
            if code.rows.ends:
                call("ends", some, lo, hi)


def _units(driver: _Driver) -> None:
    f = driver.f
    if not driver.rolling.rings:
        driver.near = driver.abi.read(f, "scratch", "", "ptr")
        with f.loop(f.params["lo"], f.params["hi"]) as unit:
            driver.unit(unit)
        return
    word = driver.abi.read(f, "scratch", "", "ptr")
    each = driver.abi.read(f, "geometry", "near", "i64")
    take, taken = f.labels("take", "taken")
    f.do(f"br label %{take}")
    f.label(take)
    old = f.emit(f"load atomic i64, {word.text} monotonic, align 8", "i64")
    part = f.intrinsic("cttz", old ^ -1, extra="i1 false")
    bit = f.binary("shl", const(f, 1, "i64"), part)
    new = old | bit
    pair = f.emit(f"cmpxchg {word.text}, {old.text}, {new.text} acquire monotonic", "{ i64, i1 }")
    f.branch(f.emit(f"extractvalue {pair.text}, 1", "i1"), taken, take)
    f.label(taken)
    driver.near = f.address(word, times(part, each) + CACHE_LINE, "i8")
    with f.loop(f.params["lo"], f.params["hi"]) as unit:
        driver.unit(unit)
    kept = bit ^ -1
    f.emit(f"atomicrmw and {word.text}, {kept.text} release", "i64")


def measure_chain(schedule: Schedule, sizes: Sizes, cost: float) -> Geometry:
    """Cut the rows into units that are long against what neighbours compute twice."""
    chain, rolling = schedule.kernel.form, schedule.walk
    assert isinstance(chain, Chain)
    assert isinstance(rolling, Rolling)
    shared = chain.stages[0].space[: chain.axis + 1]
    leading, height = product(shared[:-1], sizes), product(shared[-1:], sizes)
    rows = _unit_rows(rolling, height, cost / max(leading * height, 1))
    near = sum(ring_bytes(ring, chain.axis, sizes, rows) for ring in rolling.rings)
    return Geometry(leading * ceil_div(height, rows), (rows, near), 0, cost, near=near)


def _unit_rows(rolling: Rolling, height: int, cost: float) -> int:
    halo = rolling.halo
    if rolling.flat:
        return max(min(height, max(_FLAT_ROWS, _UNIT_HALO * halo)), 1)
    cost = max(cost, 1e-3)
    rows = min(_UNIT_NS / cost, max(_SHORT_NS / cost, height / _UNITS))
    long = min(_LONG_HALO * halo, height / _MANY_UNITS)
    bands = max(1, round(height / max(rows, _UNIT_HALO * halo, long, 1)))
    return max(1, ceil_div(ceil_div(height, bands), rolling.step) * rolling.step)


CHAIN = FormEmitter(("rows", "near"), emit_chain, measure_chain)
