"""A kernel as an LLVM module: the entry of the CPU's code generator.

In: a scheduled kernel. Out: text with two entry points, and a Layout that tells the host how to
pack the argument block and how large a launch is. Knows nothing about LLVM's library, threads or
memory.

    void treadle_run(block, lo, hi)       run parallel units lo..hi-1
    void treadle_finish(block)            merge what units left in scratch; once, after all units

How workers share the units of a launch is the same for every kernel, and so a text of its own
(`render_shared`), which is compiled once and not with every kernel:

    i64  treadle_work(block, control)     take chunks until none is left; 1 for the worker that
                                          ended the last one (and ran treadle_finish), 2
                                          where the quota ended
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from treadle.codegen.llvm.abi import Abi
from treadle.codegen.llvm.byte_scan import BYTE_SCAN
from treadle.codegen.llvm.chain import CHAIN
from treadle.codegen.llvm.convolve import CONVOLVE
from treadle.codegen.llvm.count import COUNT
from treadle.codegen.llvm.layout import Layout, Measure, Rendered, read_layout, write_layout
from treadle.codegen.llvm.map import MAP
from treadle.codegen.llvm.measure import MEASURE
from treadle.codegen.llvm.merge import MERGE
from treadle.codegen.llvm.nest import FormEmitter, Geometry, Sizes, estimate
from treadle.codegen.llvm.planes import PLANES
from treadle.codegen.llvm.reduce import REDUCE
from treadle.codegen.llvm.row import ROW
from treadle.codegen.llvm.scan import SCAN
from treadle.codegen.llvm.text import Function, Module, Value, const
from treadle.ir.loops import (
    ByteScan,
    Carrying,
    Convolving,
    Counting,
    Folding,
    Laying,
    Loops,
    Measuring,
    Merging,
    Rolling,
    RowPasses,
)
from treadle.ir.nodes import Kernel
from treadle.ir.schedule import Schedule

__all__ = [
    "ENTRIES",
    "SEVERAL",
    "WORK",
    "Layout",
    "Rendered",
    "known_layout",
    "render",
    "render_shared",
    "write_layout",
]

ENTRIES = ("treadle_run", "treadle_finish")
WORK = "treadle_work"
SEVERAL = "treadle_several"
_FORMS: dict[type, FormEmitter] = {
    Loops: MAP,
    Rolling: CHAIN,
    Folding: REDUCE,
    RowPasses: ROW,
    Carrying: SCAN,
    Counting: COUNT,
    ByteScan: BYTE_SCAN,
    Measuring: MEASURE,
    Merging: MERGE,
    Convolving: CONVOLVE,
    Laying: PLANES,
}


def render(schedule: Schedule) -> Rendered:
    """Spell a schedule as an LLVM module."""
    form = _FORMS[type(schedule.walk)]
    kernel, streamed = schedule.kernel, schedule.streamed
    module = Module()
    finishes = form.emit(module, schedule, Abi(kernel, form.geometry, apart=schedule.apart))
    _finish(module, finishes=finishes)
    layout = Layout(
        float_params=tuple(p.dtype.is_float for p in kernel.params),
        external=tuple(module.external),
        measure=Measure(lambda sizes: _measured(schedule, sizes)),
        streamed=None if streamed is None else partial(render, streamed),
    )
    return Rendered(module.text(), layout)


def known_layout(kernel: Kernel, value: object, schedule: Callable[[], Schedule]) -> Layout:
    """Return the layout of a kernel that was written down (write_layout); raise ValueError.

    `schedule` makes the schedule again, for what was not."""

    def streamed() -> Rendered:
        variant = schedule().streamed
        assert variant is not None
        return render(variant)

    measure = Measure(lambda sizes: _measured(schedule(), sizes))
    return read_layout(kernel, value, measure, streamed)


def _measured(schedule: Schedule, sizes: Sizes) -> Geometry:
    form = _FORMS[type(schedule.walk)]
    return form.measure(schedule, sizes, estimate(schedule, sizes))


def _finish(module: Module, *, finishes: bool) -> None:
    finish = Function(
        module, "treadle_finish", [("ptr", "block")], linkage="dso_local", attributes="nounwind"
    )
    if finishes:
        finish.do("call void @treadle_merge(ptr %block)")
    finish.finish()


def render_shared() -> str:
    """Spell what kernels are called by, whichever they are."""
    module = Module()
    _several(module)
    _work(module)
    return module.text()


def _several(module: Module) -> None:
    """Spell how kernels are run one after the other, each as a whole.

    Table: how many; the address of treadle_run, the place of the block in the table, in bytes, and
    the units of each; then the blocks."""
    f = Function(module, SEVERAL, [("ptr", "table")], linkage="dso_local", attributes="nounwind")
    table, zero = f.params["table"], const(f, 0, "i64")
    with f.loop(zero, f.load(table, "i64", align=8)) as number:
        first = number * const(f, 3, "i64")

        def field(index: int) -> Value:
            return f.address(table, first + const(f, index, "i64"), "i64")

        begin = f.load(field(1), "ptr", align=8)
        block = f.address(table, f.load(field(2), "i64", align=8), "i8")
        units = f.load(field(3), "i64", align=8)
        f.do(f"call void {begin.ref}({block.text}, {zero.text}, {units.text})")
    f.finish()


def _work(module: Module) -> None:
    """Spell how a worker takes chunks of a launch.

    Control block: next unit, units, grain, units done, quota of chunks for each call, and the
    addresses of the kernel's treadle_run and treadle_finish."""
    f = Function(
        module,
        WORK,
        [("ptr", "block"), ("ptr", "control")],
        result="i64",
        linkage="dso_local",
        attributes="nounwind",
    )
    control = f.params["control"]

    def field(index: int) -> Value:
        return f.address(control, const(f, index, "i64"), "i64")

    following, ended = field(0), field(3)
    units = f.load(field(1), "i64", align=8)
    grain = f.load(field(2), "i64", align=8)
    quota = f.load(field(4), "i64", align=8)
    begin, merge = f.load(field(5), "ptr", align=8), f.load(field(6), "ptr", align=8)
    take, run, last, done, none = f.labels("take", "run", "last", "done", "none")
    with f.loop(const(f, 0, "i64"), quota):
        f.do(f"br label %{take}")
        f.label(take)
        lo = f.emit(f"atomicrmw add {following.text}, {grain.text} monotonic", "i64")
        f.branch(lo.compare("slt", units), run, none)
        f.label(run)
        hi = f.intrinsic("smin", lo + grain, units)
        f.do(f"call void {begin.ref}(ptr %block, {lo.text}, {hi.text})")
        count = hi - lo
        before = f.emit(f"atomicrmw add {ended.text}, {count.text} acq_rel", "i64")
        (go_on,) = f.labels("goon")
        f.branch((before + count).compare("eq", units), last, go_on)
        f.label(go_on)
    f.do("ret i64 2")
    f.label(last)
    f.do(f"call void {merge.ref}(ptr %block)")
    f.do("ret i64 1")
    f.label(none)
    f.do(f"br label %{done}")
    f.label(done)
    f.finish("i64 0")
