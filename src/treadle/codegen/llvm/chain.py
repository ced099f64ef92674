"""Fused chains of Map kernels: rolling rows.

In: a Chain kernel. Out: units that are runs of rows along the chain's axis. A unit advances a few
rows at a time; in each step every stage computes just the rows that later stages need by then and
that are not there yet, into a ring of rows that stays in the cache. What is also an output of the
kernel is written there and read back from there. Near a unit's ends some rows are computed by both
neighbours, with equal results. Each running unit has rings of its own: a worker takes a part of
the scratch through a word of bits at its start, and gives it back.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from treadle.codegen.llvm.abi import Abi, times
from treadle.codegen.llvm.chain_ring import Ring, StageAbi, overhang
from treadle.codegen.llvm.chain_stage import StageCode, rows_together
from treadle.codegen.llvm.nest import (
    CACHE_LINE,
    FormEmitter,
    Geometry,
    Sizes,
    ceil_div,
    interior,
    product,
)
from treadle.codegen.llvm.text import Function, Module, Value, const
from treadle.ir.affine import Indexer, resolve_locals
from treadle.ir.nodes import Chain, Kernel, Map

__all__ = ["CHAIN", "alone"]

_STEP = 4  # rows of the last stage that one step computes, at least
_UNIT_NS = 600_000.0  # about how long a unit takes
_SHORT_NS = 50_000.0  # at least, where there would be fewer than _UNITS
_UNITS = 8
_UNIT_HALO = 6  # a unit's rows are at least so many times those that it computes beyond its own
_LONG_HALO = 32  # and so many times in an image that is long enough for _MANY_UNITS of them
_MANY_UNITS = 32
_FLAT_ROWS = 8192  # rows of a unit where a row is one element


class Schedule:
    """Which rows each stage computes, from the chain alone.

    For rows a..b-1 of the last stage, stage s computes a + low[s] .. b - 1 + high[s], cut to the
    tensor: what its readers reach, and always its own rows as well, so that a row that an index
    beyond the edge is clamped to is there in time."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.low = [0] * len(chain.stages)
        self.high = [0] * len(chain.stages)
        self._writer = {t.name: s for s, k in enumerate(chain.stages) for t in k.outputs}
        self._oldest: dict[int, int] = {}
        for s in reversed(range(len(chain.stages))):
            for writer, low, high in self._reads(s):
                self.low[writer] = min(self.low[writer], self.low[s] + low)
                self.high[writer] = max(self.high[writer], self.high[s] + high)
                oldest = self.high[s] + low
                self._oldest[writer] = min(self._oldest.get(writer, oldest), oldest)

    def _reads(self, stage: int) -> list[tuple[int, int, int]]:
        found = []
        inputs, reach = self.chain.stages[stage].inputs, self.chain.reach[stage]
        for tensor, spans in zip(inputs, reach, strict=True):
            if spans is not None:
                span = spans[self.chain.axis]
                assert span is not None
                writer = self._writer[tensor.name]
                found.append((writer, min(span.low, 0), max(span.high, 0)))
        return found

    @cached_property
    def step(self) -> int:
        """Rows of the last stage that one step computes: as many as a stage computes at once."""
        found = _STEP
        for stage in self.chain.stages:
            assert isinstance(stage.form, Map)
            block = resolve_locals(stage.form.block)
            rows = rows_together(block, Indexer(stage.space, block), self.chain.axis)
            found = max(found, rows)
        return found

    @property
    def halo(self) -> int:
        """The most rows that a stage computes beyond a unit's own."""
        return max(high - low for low, high in zip(self.low, self.high, strict=True))

    @property
    def flat(self) -> bool:
        """Whether some stage's rows are single elements: then a unit is one step."""
        return any(len(stage.space) == self.chain.axis + 1 for stage in self.chain.stages)

    def rings(self, kernel: Kernel) -> dict[str, Ring]:
        """The tensors that live only inside the chain."""
        outputs = {tensor.name for tensor in kernel.outputs}
        over = overhang(self.chain.stages, self.chain.axis)
        found = {}
        for name, tensor in self.chain.local.items():
            if name in outputs:
                continue
            s, beyond = self._writer[name], over.get(name, (0, 0))
            low, high = self.low[s], self.high[s]
            if self.flat:
                found[name] = Ring(tensor, None, -low, high - low, beyond)
            else:
                # The newest row of a step against the oldest that a reader in it still wants.
                capacity = self.step + high - self._oldest.get(s, high)
                found[name] = Ring(tensor, capacity, over=beyond)
        return found


def alone(kernel: Kernel) -> Kernel | None:
    """A stencil as a chain of one stage, or None if it is not one.

    Its rows are computed several at a time, which read most of what they need in common. Some
    elements may be computed twice, so no input may be the output's memory."""
    form, space = kernel.form, kernel.space
    if not isinstance(form, Map):
        return None
    abi = Abi(kernel, ())
    block = resolve_locals(form.block)
    indexer = Indexer(space, block)
    for axis in range(len(space) - 2, -1, -1):
        wide = any(isinstance(dim, str) for dim in space[axis + 1 :])
        if wide and rows_together(block, indexer, axis) > 1:
            if not all(abi.never_stored(tensor) for tensor in kernel.inputs):
                return None
            return replace(kernel, form=Chain((kernel,), axis, ((None,) * len(kernel.inputs),)))
    return None


def emit_chain(module: Module, kernel: Kernel, abi: Abi) -> bool:
    """Define treadle_units for a Chain kernel."""
    chain = kernel.form
    assert isinstance(chain, Chain)
    schedule = Schedule(chain)
    rings = schedule.rings(kernel)
    codes = []
    for s, stage in enumerate(chain.stages):
        inner = StageAbi(stage, abi.geometry, abi, chain.axis, rings)
        code = StageCode(f"stage{s}", stage, inner)
        code.emit(module)
        codes.append(code)
    f = Function(module, "treadle_units", [("ptr", "block"), ("i64", "lo"), ("i64", "hi")])
    _units(_Driver(f, abi, schedule, codes, rings))
    f.finish()
    return False


class _Driver:
    """Emits the loops over units and steps."""

    def __init__(
        self,
        f: Function,
        abi: Abi,
        schedule: Schedule,
        codes: list[StageCode],
        rings: dict[str, Ring],
    ) -> None:
        self.f, self.abi, self.schedule, self.codes, self.rings = f, abi, schedule, codes, rings
        chain = schedule.chain
        self.height = abi.size(f, chain.stages[0].space[chain.axis])
        self.near = const(f, 0, "i64")
        self.columns = [self._columns(code) for code in codes]

    def _columns(self, code: StageCode) -> tuple[Value, Value, Value]:
        """A row's length, and where in it its interior starts and ends."""
        f = self.f
        inner = code.nest.inner
        total = code.abi.product(f, inner)
        step = code.abi.product(f, inner[1:])
        return total, *interior(f, code.abi, code.limits, total, step)

    def unit(self, unit: Value) -> None:
        """Emit one unit, step by step."""
        f, schedule = self.f, self.schedule
        rows = self.abi.read(f, "geometry", "rows", "i64")
        bands = f.binary("udiv", self.height + (rows - 1), rows)
        lead = f.binary("udiv", unit, bands)
        first = (unit - lead * bands) * rows
        last = f.intrinsic("smin", first + rows, self.height)
        if schedule.flat:
            for s in range(len(self.codes)):
                start = f.intrinsic("smax", first + schedule.low[s], 0)
                stop = f.intrinsic("smin", last + schedule.high[s], self.height)
                self.stage(s, lead, first, start, stop)
            return
        step = schedule.step
        warm = ceil_div(schedule.halo, step) * step
        with f.loop(first - warm, last, step=step) as at:
            end = f.intrinsic("smin", at + step, last)
            for s in range(len(self.codes)):
                low, high = schedule.low[s], schedule.high[s]
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

        lo, hi = (start, stop) if code.along else (const(f, 0, "i64"), total)
        some = lo.compare("slt", hi)
        with f.when(start.compare("slt", stop)):
            if code.limits:
                inner = f.intrinsic("smax", lo, low), f.intrinsic("smin", hi, high)
                call("edge", lo.compare("slt", low) | hi.compare("sgt", high), lo, hi)
                call("inside", inner[0].compare("slt", inner[1]), *inner)
            else:
                call("all", some, lo, hi)
            if code.ends:
                call("ends", some, lo, hi)


def _units(driver: _Driver) -> None:
    f = driver.f
    if not driver.rings:
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


def measure_chain(kernel: Kernel, sizes: Sizes, cost: float) -> Geometry:
    """Cut the rows into units that are long against what neighbours compute twice."""
    chain = kernel.form
    assert isinstance(chain, Chain)
    schedule = Schedule(chain)
    shared = chain.stages[0].space[: chain.axis + 1]
    leading, height = product(shared[:-1], sizes), product(shared[-1:], sizes)
    rows = _unit_rows(schedule, height, cost / max(leading * height, 1))
    near = sum(r.nbytes(chain.axis, sizes, rows) for r in schedule.rings(kernel).values())
    return Geometry(leading * ceil_div(height, rows), (rows, near), 0, cost, near=near)


def _unit_rows(schedule: Schedule, height: int, cost: float) -> int:
    if schedule.flat:
        return max(min(height, max(_FLAT_ROWS, _UNIT_HALO * schedule.halo)), 1)
    cost = max(cost, 1e-3)
    rows = min(_UNIT_NS / cost, max(_SHORT_NS / cost, height / _UNITS))
    long = min(_LONG_HALO * schedule.halo, height / _MANY_UNITS)
    bands = max(1, round(height / max(rows, _UNIT_HALO * schedule.halo, long, 1)))
    return max(1, ceil_div(ceil_div(height, bands), schedule.step) * schedule.step)


CHAIN = FormEmitter(("rows", "near"), emit_chain, measure_chain)
