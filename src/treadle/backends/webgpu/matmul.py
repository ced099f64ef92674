"""The product of f32 matrices on WebGPU, in tiles that go through workgroup memory.

In: a kernel that names the routine "matmul". Out: its text and geometry. A workgroup makes a
block of 64 by 64 elements, each invocation 4 by 4 of them, and reads both inputs 16 columns at a
time. Leading axes are broadcast as NumPy does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from treadle.codegen.gpu.counts import elements
from treadle.codegen.wgsl.grid import Dispatch, FormText
from treadle.codegen.wgsl.language import Wgsl
from treadle.codegen.wgsl.math import ZERO
from treadle.dtypes import DType
from treadle.ir.nodes import Dim, Kernel, Tensor

__all__ = ["routine_for"]

_BLOCK = 64
_TILE = 16


def routine_for(kernel: Kernel) -> Callable[[Wgsl], FormText] | None:
    """What replaces the form of a kernel that is a product of f32 matrices; None for others."""
    tensors = (*kernel.inputs, *kernel.outputs)
    product = kernel.routine == "matmul" and all(t.dtype is DType.F32 for t in tensors)
    return _Matmul if product else None


_BODY = """
fn add_to(place: i32, sum: f32) {
    var value = sum;
    if (args.g_start > 0) { value += OUT[place]; }
    OUT[place] = value;
}

var<workgroup> left: array<f32, 1024>;
var<workgroup> right: array<f32, 1024>;

@compute @workgroup_size(256)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let rows = ROWS;
    let columns = COLUMNS;
    let depth = DEPTH;
    let number = group.y * groups.x + group.x;
    let across = u32(args.g_across);
    let down = u32(args.g_down);
    let column = i32(number % across) * 64;
    let row = i32((number / across) % down) * 64;
    let batch = i32(number / (across * down));
DECODE
    let left_start = LEFT;
    let right_start = RIGHT;
    let tx = i32(local % 16u);
    let ty = i32(local / 16u);
SUMS
    for (var k: i32 = args.g_start; k < min(depth, args.g_stop); k += 16) {
        for (var part: i32 = 0; part < 4; part += 1) {
            let slot = i32(local) + part * 256;
            let lr = row + slot / 16;
            let lc = k + slot % 16;
            var value = 0.0f;
            if (lr < rows && lc < depth && batch < args.g_batches) {
                value = A[left_start + lr * depth + lc];
            }
            left[slot] = value;
            let rr = k + slot / 64;
            let rc = column + slot % 64;
            value = 0.0f;
            if (rr < depth && rc < columns && batch < args.g_batches) {
                value = B[right_start + rr * columns + rc];
            }
            right[slot] = value;
        }
        workgroupBarrier();
PARTS
        for (var inner: i32 = 0; inner < 16; inner += 1) {
            let at = inner * 64 + tx * 4;
            let across4 = vec4<f32>(right[at], right[at + 1], right[at + 2], right[at + 3]);
            let start = ty * 64 + inner;
ADDS
        }
JOINS
        workgroupBarrier();
    }
    if (batch >= args.g_batches) { return; }
    let i = row + ty * 4;
    let j = column + tx * 4;
    let place = args.o_0 + (batch * rows + i) * columns + j;
STORES
}
"""


# An array of sums would live in memory; sixteen variables live in registers.
_SUMS = [f"    var sum{r} = vec4<f32>();" for r in range(4)]
_ROUNDS = 24  # of loops for each tile
# Each tile is summed by itself first: long sums of f32 lose less that way.
# Drivers take 0 + x for x, which a sum of -0 is not.
_PARTS = [f"        var part{r} = vec4<f32>(f32({ZERO}));" for r in range(4)]
_ADDS = [f"            part{r} += left[start + {r * 16}] * across4;" for r in range(4)]
_JOINS = [f"        sum{r} += part{r};" for r in range(4)]
_STORES = [
    f"    if (i + {r} < rows && j + {c} < columns) "
    f"{{ add_to(place + {r} * columns + {c}, sum{r}.{'xyzw'[c]}); }}"
    for r in range(4)
    for c in range(4)
]


class _Matmul:
    """A product of two matrices, or of stacks of them."""

    geometry = ("across", "down", "batches", "start", "stop")

    def __init__(self, language: Wgsl) -> None:
        self.kernel, self.language = language.kernel, language

    def lines(self) -> list[str]:
        """The entry point."""
        k, wgsl = self.kernel, self.language
        a, b = k.inputs
        out = k.outputs[0]
        lead = out.dims[:-2]
        axes = [f"a{n}" for n in range(len(lead))]
        text = {
            "SUMS": "\n".join(_SUMS),
            "PARTS": "\n".join(_PARTS),
            "ADDS": "\n".join(_ADDS),
            "JOINS": "\n".join(_JOINS),
            "STORES": "\n".join(_STORES),
            "ROWS": wgsl.size(out.dims[-2]),
            "COLUMNS": wgsl.size(out.dims[-1]),
            "DEPTH": wgsl.size(a.dims[-1]),
            "DECODE": "\n".join(f"    {line}" for line in wgsl.split("batch", lead, axes)),
            "LEFT": self.start(a, 1, lead),
            "RIGHT": self.start(b, 2, lead),
            "OUT": f"b{wgsl.places[out.name][1]}",
            "A[": f"b{wgsl.places[a.name][1]}[",
            "B[": f"b{wgsl.places[b.name][1]}[",
        }
        body = _BODY
        for key, value in text.items():
            body = body.replace(key, value)
        return body.splitlines()

    def start(self, tensor: Tensor, number: int, lead: tuple[Dim, ...]) -> str:
        """Where the matrix of this batch begins."""
        own = tensor.dims[:-2]
        index = "0"
        for k, dim in enumerate(own):
            axis = "0" if dim == 1 else f"a{len(lead) - len(own) + k}"
            index = f"({index} * {self.language.size(dim)} + {axis})"
        rows, columns = (self.language.size(d) for d in tensor.dims[-2:])
        return f"args.o_{number} + {index} * {rows} * {columns}"

    def dispatches(self, sizes: Mapping[str, int]) -> tuple[Dispatch, ...]:
        """One workgroup for each block; several times where the device ends long loops, each time
        adding a part of the sums."""
        dims = [d if isinstance(d, int) else sizes[d] for d in self.kernel.outputs[0].dims]
        *lead, rows, columns = dims
        across, down, batches = -(-columns // _BLOCK), -(-rows // _BLOCK), math.prod(lead)
        depth = elements(self.kernel.inputs[0].dims[-1:], sizes)
        step = self.language.rounds // _ROUNDS * _TILE if self.language.rounds else depth
        return tuple(
            Dispatch("main", across * down * batches, (across, down, batches, k, k + step))
            for k in range(0, max(depth, 1), max(step, 1))
        )
