"""Order by digits on WebGPU: one workgroup counts, or moves, a block of a row.

In: kernels that name the routines "digit_counts" and "digit_moves". Out: their text and geometry.
Both are dispatched once. An invocation counts digits in four bits each, since it has eight elements
of a block; the moves add those counts up over the invocations in memory that they share, so that
each knows how many of its digit come before, and elements with the same digit stay in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from treadle.codegen.gpu.counts import ceil_div, elements
from treadle.codegen.wgsl.grid import Dispatch, FormText
from treadle.codegen.wgsl.language import Wgsl
from treadle.ir.nodes import Kernel

__all__ = ["routine_for"]

_THREADS = 256
_EACH = 8  # elements of an invocation
_BLOCK = _THREADS * _EACH


def routine_for(kernel: Kernel) -> Callable[[Wgsl], FormText] | None:
    """What replaces the form of a kernel that counts or moves digits; None for others."""
    if kernel.routine == "digit_counts":
        return _Counts
    return _Moves if kernel.routine == "digit_moves" else None


_HEAD = """
fn digit_of(key: u32) -> u32 { return (key >> u32(args.p_shift)) & 15u; }

fn few_of(low: u32, high: u32, digit: u32) -> u32 {
    return extractBits(select(low, high, digit > 7u), (digit & 7u) * 4u, 4u);
}
SHARED
@compute @workgroup_size(256)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let unit = i32(group.y * groups.x + group.x);
    let columns = COLUMNS;
    let blocks = (columns + 2047) / 2048;
    let row = unit / blocks;
    let block = unit % blocks;
    let begin = row * columns;
    let end = select(0i, columns, unit < args.g_units);
    var low = 0u;
    var high = 0u;
    for (var i = 0i; i < 8i; i += 1i) {
        let at = block * 2048 + PLACE;
        if (at < end) {
            let digit = digit_of(KEYS);
            let one = 1u << ((digit & 7u) * 4u);
            if (digit > 7u) { high += one; } else { low += one; }
        }
    }
"""
# Neighbours read neighbours; in which order digits are counted does not matter.
_COUNTED = """
    if (local < 16u) { atomicStore(&totals[local], 0u); }
    workgroupBarrier();
    for (var i = 0u; i < 16u; i += 1u) {
        let digit = (i + local) & 15u;
        let few = few_of(low, high, digit);
        if (few > 0u) { atomicAdd(&totals[digit], few); }
    }
    workgroupBarrier();
    if (local < 16u && unit < args.g_units) {
        let place = (row * 16 + i32(local)) * blocks + block;
        OUT = i32(atomicLoad(&totals[local]));
    }
}
"""
_MOVED = """
    for (var i = 0u; i < 8u; i += 1u) {
        let second = few_of(low, high, 2u * i + 1u) << 16u;
        counts[i * 256u + local] = few_of(low, high, 2u * i) | second;
    }
    if (local < 16u && unit < args.g_units) {
        let number = i32(local) * blocks + block;
        let place = row * 16 * blocks + max(number - 1, 0);
        starts[local] = select(0i, ENDS, number > 0);
    }
    workgroupBarrier();
    let part = local * 8u;
    var sum = 0u;
    for (var i = 0u; i < 8u; i += 1u) { sum += counts[part + i]; }
    sums[local] = sum;
    workgroupBarrier();
    if (local < 8u) {
        var total = 0u;
        for (var i = local * 32u; i < local * 32u + 32u; i += 1u) {
            let here = sums[i];
            sums[i] = total;
            total += here;
        }
    }
    workgroupBarrier();
    sum = sums[local];
    for (var i = 0u; i < 8u; i += 1u) {
        let here = counts[part + i];
        counts[part + i] = sum;
        sum += here;
    }
    workgroupBarrier();
    for (var i = 0i; i < 8i; i += 1i) {
        let at = block * 2048 + PLACE;
        if (at < end) {
            let key = KEYS;
            let digit = digit_of(key);
            let pair = (digit >> 1u) * 256u + local;
            let half = (digit & 1u) * 16u;
            let before = extractBits(counts[pair], half, 16u);
            counts[pair] += 1u << half;
            let to = begin + starts[digit] + i32(before);
STORES
        }
    }
}
"""


class _Digits:
    """What both have in common: a workgroup for each block of each row."""

    geometry = ("units",)

    def __init__(self, language: Wgsl) -> None:
        self.kernel, self.language = language.kernel, language

    def spelt(self, body: str, text: Mapping[str, str]) -> list[str]:
        """A body with its own words and those of both."""
        keys = self.kernel.inputs[0]
        own = {
            "COLUMNS": self.language.size(keys.dims[1]),
            "KEYS": self.language.read(keys, "begin + at"),
        }
        for key, found in {**text, **own}.items():
            body = body.replace(key, found)
        return body.splitlines()

    def dispatches(self, sizes: Mapping[str, int]) -> tuple[Dispatch, ...]:
        """A workgroup for each block."""
        rows, columns = self.kernel.inputs[0].dims
        units = elements((rows,), sizes) * ceil_div(elements((columns,), sizes), _BLOCK)
        return (Dispatch("main", units, (units,)),)


class _Counts(_Digits):
    """How often each digit is there in each block."""

    def lines(self) -> list[str]:
        """The entry point."""
        text = {
            "SHARED": "var<workgroup> totals: array<atomic<u32>, 16>;",
            "PLACE": "i * 256 + i32(local)",
            "OUT": self.language.read(self.kernel.outputs[0], "place"),
        }
        return self.spelt(_HEAD + _COUNTED, text)


class _Moves(_Digits):
    """Keys and positions behind those with smaller digits; the positions alone."""

    def lines(self) -> list[str]:
        """The entry point."""
        wgsl, (_, places, ends) = self.language, self.kernel.inputs
        shared = ("counts: array<u32, 2048>", "sums: array<u32, 256>", "starts: array<i32, 16>")
        moved = ("key", wgsl.read(places, "begin + at"))[-len(self.kernel.outputs) :]
        stores = [
            f"            {wgsl.read(out, 'to')} = {value};"
            for out, value in zip(self.kernel.outputs, moved, strict=True)
        ]
        text = {
            "SHARED": "\n".join(f"var<workgroup> {each};" for each in shared),
            "PLACE": "i32(local) * 8 + i",
            "ENDS": wgsl.read(ends, "place"),
            "STORES": "\n".join(stores),
        }
        return self.spelt(_HEAD + _MOVED, text)
