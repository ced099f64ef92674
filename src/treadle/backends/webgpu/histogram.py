"""Histograms on WebGPU: one pass that counts, instead of one for every bin.

In: a kernel that names the routine "histogram": images of rows and columns, maybe with a few
channels, maybe as a batch, whose output holds the counts of groups of rows. Out: its text and
geometry. A workgroup counts one group in memory that its invocations share, and no other one writes
that group's counts. Where there are more counters than that memory has, they are counted a part at
a time; where the device ends long loops, so are the elements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from treadle.codegen.gpu.counts import ceil_div, elements
from treadle.codegen.wgsl.grid import Dispatch, FormText
from treadle.codegen.wgsl.language import Wgsl
from treadle.dtypes import DType, read_as
from treadle.ir.nodes import Cast, Const, Expr, Extent, Kernel, Local, Op, Param

__all__ = ["routine_for"]

_TABLE = 4096  # counters of a workgroup: what every device has room for
_THREADS = 256


def routine_for(kernel: Kernel) -> Callable[[Wgsl], FormText] | None:
    """What replaces the form of a kernel that can be counted in one pass; None for others."""
    if kernel.routine != "histogram":
        return None
    real = all(param.dtype is DType.F32 for param in kernel.params)
    counts = kernel.outputs[0].dtype is DType.S32
    known = kernel.inputs[0].dtype in (DType.U8, DType.F32)
    return _Histogram if real and counts and known else None


_BODY = """
var<workgroup> counters: array<atomic<i32>, TABLE>;

@compute @workgroup_size(THREADS)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let depth = DEPTH;
    let entries = BINS * depth;
    let unit = i32(group.y * groups.x + group.x);
    for (var i = i32(local); i < TABLE; i += THREADS) { atomicStore(&counters[i], 0i); }
    workgroupBarrier();
    if (unit < args.g_units) {
        let which = unit / GROUPS;
        let number = unit % GROUPS;
        let first = number * ROWS / GROUPS;
        let last = (number + 1) * ROWS / GROUPS;
        let begin = (which * ROWS + first) * COLUMNS * depth;
        let length = (last - first) * COLUMNS * depth;
        let end = min(length, args.g_stop);
        for (var k = args.g_start + i32(local); k < end; k += THREADS) {
            var v_value: f32 = VALUE;
            let entry = (k % depth) * BINS + PLACE - args.g_base;
            if (INSIDE && entry >= 0 && entry < TABLE) { atomicAdd(&counters[entry], 1i); }
        }
    }
    workgroupBarrier();
    if (unit >= args.g_units) { return; }
    for (var i = i32(local); i < min(TABLE, entries - args.g_base); i += THREADS) {
        let place = args.o_0 + unit * entries + args.g_base + i;
        var total = atomicLoad(&counters[i]);
        if (args.g_start > 0) { total += OUT[place]; }
        OUT[place] = total;
    }
}
"""


class _Histogram:
    """The counts of groups of rows."""

    geometry = ("units", "start", "stop", "base")

    def __init__(self, language: Wgsl) -> None:
        self.kernel, self.language = language.kernel, language
        image, out = self.kernel.inputs[0], self.kernel.outputs[0]
        self.lead = image.dims[:1] if len(image.dims) == 4 else ()
        self.rows, self.columns, *self.channels = image.dims[len(self.lead) :]
        self.groups, self.bins = out.dims[len(self.lead)], out.dims[-1]

    def lines(self) -> list[str]:
        """The entry point."""
        wgsl, image = self.language, self.kernel.inputs[0]
        low, high = (Param(param.name, DType.F32) for param in self.kernel.params)
        value = Local("value", DType.F32)
        scope = wgsl.scope({})
        inside = [Op("ge", (value, low), DType.BOOL), Op("le", (value, high), DType.BOOL)]
        text = {
            "VALUE": wgsl.convert(wgsl.read(image, "begin + k"), read_as(image.dtype), DType.F32),
            "PLACE": wgsl.expr(self.place(value, low, high), scope),
            "INSIDE": " && ".join(wgsl.expr(test, scope) for test in inside),
            "DEPTH": wgsl.size(self.channels[0]) if self.channels else "1i",
            "BINS": wgsl.size(self.bins),
            "GROUPS": wgsl.size(self.groups),
            "ROWS": wgsl.size(self.rows),
            "COLUMNS": wgsl.size(self.columns),
            "OUT": f"b{wgsl.places[self.kernel.outputs[0].name][1]}",
            "TABLE": str(_TABLE),
            "THREADS": str(_THREADS),
        }
        body = _BODY
        for key, found in text.items():
            body = body.replace(key, found)
        return body.splitlines()

    def place(self, value: Expr, low: Expr, high: Expr) -> Expr:
        """The bin of a value, as the kernel says it."""
        f32 = DType.F32
        span = Op("sub", (high, low), f32)
        bins = Cast(Extent(self.bins, DType.S32), f32)
        ahead = Op("mul", (Op("sub", (value, low), f32), Op("div", (bins, span), f32)), f32)
        index = Cast(Op("floor", (ahead,), f32), DType.S32)
        last = Op("sub", (Extent(self.bins, DType.S32), Const(1, DType.S32)), DType.S32)
        return Op("minimum", (index, last), DType.S32)

    def dispatches(self, sizes: Mapping[str, int]) -> tuple[Dispatch, ...]:
        """One workgroup for each group of rows; several times where counters or elements are too
        many for one."""
        out = self.kernel.outputs[0]
        units = elements((*self.lead, self.groups), sizes)
        entries = elements(out.dims, sizes) // max(units, 1)
        rows = ceil_div(elements((self.rows,), sizes), max(elements((self.groups,), sizes), 1))
        length = max(rows * elements((self.columns, *self.channels), sizes), 1)
        rounds = self.language.rounds // 2
        step = rounds * _THREADS if rounds else length
        return tuple(
            Dispatch("main", units, (units, start, min(start + step, length), base))
            for base in range(0, max(entries, 1), _TABLE)
            for start in range(0, length, step)
        )
