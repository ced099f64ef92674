"""Chains over workgroups: a tile each, with what is between the stages in the group's memory.

In: a Chain kernel and how it is laid over tiles. Out: an entry point that computes one tile, stage
by stage, and for given sizes how many there are. An invocation computes runs of neighbours, with a
copy of the text for each. What an element is, is stage's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.codegen.gpu.chain import ChainText, tiled_or_refused, word
from treadle.codegen.gpu.counts import ceil_div
from treadle.codegen.gpu.cstyle import indented
from treadle.codegen.wgsl.grid import GROUP_BUILTINS, Dispatch, entry_lines
from treadle.codegen.wgsl.language import Wgsl
from treadle.codegen.wgsl.rounds import Rounds
from treadle.codegen.wgsl.stage import Elements, near_name
from treadle.dtypes import DType
from treadle.ir.nodes import Kernel, Tensor
from treadle.ir.schedule import Threads
from treadle.ir.tiles import Part, Room, Where, pool_of

__all__ = ["GROUP", "LEAST_NEAR", "ChainForm"]

LEAST_NEAR = 16 << 10  # bytes that every WebGPU device gives a workgroup
GROUP = Room(
    threads=128,
    most=LEAST_NEAR,
    comfort=LEAST_NEAR,
    together=64 << 10,
    crowd=4,
    worth=(8, 32),
    run=8,
    edge=8,
    text=400,
    typed=True,
)

_PUT = """
fn put_bSLOT(at: i32, value: u32, mask: u32) {
    let shift = (u32(at) & 3u) * 8u;
    set_word_bSLOT(at >> 2u, value << shift, mask << shift);
    if (shift != 0u) {
        set_word_bSLOT((at >> 2u) + 1, value >> (32u - shift), mask >> (32u - shift));
    }
}

fn set_word_bSLOT(i: i32, value: u32, mask: u32) {
    if (mask == 0xffffffffu) {
        atomicStore(&bSLOT[i], value);
    } else if (mask != 0u) {
        atomicAnd(&bSLOT[i], ~mask);
        atomicOr(&bSLOT[i], value & mask);
    }
}
"""
_BYTES = """
fn bytes_between(low: i32, high: i32) -> u32 {
    let before = extractBits(0xffffffffu, 0u, u32(clamp(low, 0, 4)) * 8u);
    return extractBits(0xffffffffu, 0u, u32(clamp(high, 0, 4)) * 8u) & ~before;
}
"""


class ChainForm(ChainText):
    """A workgroup for each tile."""

    geometry = ("tiles", "down", "across")

    def __init__(self, wgsl: Wgsl, threads: Threads | None) -> None:
        tiled = tiled_or_refused(wgsl.kernel, threads, "workgroup", "webgpu")
        self.wgsl, self.elements = wgsl, Elements(wgsl, tiled)
        super().__init__(wgsl, tiled, self.elements)
        self.where = tiled.border

    def dispatches(self, sizes: Mapping[str, int]) -> tuple[Dispatch, ...]:
        """One workgroup for each tile."""
        counts = self.counts(sizes)
        watch = self.wgsl.watches and self._rounds(sizes) >= self.wgsl.rounds
        return (Dispatch("main", counts[0], counts, watch=watch),)

    def _rounds(self, sizes: Mapping[str, int]) -> float:
        """The most rounds of an invocation's loops."""
        total = 0.0
        for stage, part in zip(self.form.stages, self.tiles.parts, strict=True):
            rows, cols = self.tiles.area(part)
            runs = ceil_div(rows * cols, GROUP.threads) + part.run
            each = len(part.cells) * Rounds(stage.space, sizes, stage.blocks[0]).all()
            total += 2 * runs + runs * each
        return total

    def lines(self) -> list[str]:
        """Memory, functions and the entry point."""
        tiles = self.tiles
        stages: list[str] = []
        for k, (stage, part) in enumerate(zip(self.form.stages, tiles.parts, strict=True)):
            stages += ["{", *indented(self._lines_of(k, stage, part)), "}"]
            kept = self.kept_of(stage)
            if kept:
                stages.append(self.wgsl.barrier)
                if self.where is Where.EDGE:
                    stages += self.beyond(part, kept)
        body = [
            "let tile = i32(group.y * groups.x + group.x);",
            "if (tile >= args.g_tiles) { return; }",
            "let batch = tile / (args.g_down * args.g_across);",
            *self.wgsl.split("batch", self.batch, self.batches),
            f"let y0 = tile / args.g_across % args.g_down * {tiles.height};",
            f"let x0 = tile % args.g_across * {tiles.width};",
        ]
        return [
            *self._memory(),
            *self._functions(),
            *entry_lines("main", GROUP.threads, GROUP_BUILTINS, [*body, *stages]),
        ]

    def _memory(self) -> list[str]:
        """Declare the workgroup's memory, an array for each type."""
        ends: dict[DType, int] = {}
        for name, place in self.tiles.places.items():
            pool = pool_of(self.form.local[name].dtype)
            count = place.plane * (1 if place.word else len(place.cells))
            ends[pool] = max(ends.get(pool, 0), place.offset // pool.size + count)
        return [
            *(
                f"var<workgroup> {near_name(pool)}: array<{self.wgsl.stored[pool]}, {count}>;"
                for pool, count in ends.items()
            ),
            "",
        ]

    def _functions(self) -> list[str]:
        """What reads and writes bytes."""
        texts = list(self.elements.pixels.values())
        shared = self.wgsl.shared
        bytes_ = [slot for slot in sorted(self.wgsl.atomic) if shared[slot] is DType.U8]
        texts += [_PUT.strip().replace("SLOT", str(slot)) for slot in bytes_]
        if bytes_:
            texts.append(_BYTES.strip())
        return [line for text in texts for line in (*text.splitlines(), "")]

    def each(self, count: int, lines: Sequence[str]) -> list[str]:
        """Lay a number of items over the workgroup."""
        first = "var item: i32 = i32(local)"
        return self.wgsl.cycle(first, f"item < {count}", f"item += {GROUP.threads}", lines)

    def _lines_of(self, number: int, stage: Kernel, part: Part) -> list[str]:
        """One stage of a tile."""
        count, lines = self.runs(part, self.where)
        self.elements.begin()
        found: list[list[list[str]]] = [[] for _ in stage.outputs]  # by output, pixel, channel
        for r in range(part.length(self.where)):
            step = (r, 0) if part.down else (0, r)
            pixels: list[list[str]] = [[] for _ in stage.outputs]
            for cell in part.cells:
                made, values = self.elements.element(number, stage, part, cell, step)
                lines += made
                for pixel, value in zip(pixels, values, strict=True):
                    pixel.append(value)
            for tensor, pixel, all_of_it in zip(stage.outputs, pixels, found, strict=True):
                all_of_it.append(pixel)
                place = self.tiles.places.get(tensor.name)
                if place is not None:
                    shift = step[0] * place.pitch + step[1]
                    lines += self.keep(tensor, pixel, f"py * {place.pitch} + px", shift)
        for tensor, all_of_it in zip(stage.outputs, found, strict=True):
            if tensor.name in self.outputs:
                lines += self._write(stage, tensor, part, all_of_it)
        return self.each(count, lines)

    def _write(
        self, stage: Kernel, tensor: Tensor, part: Part, pixels: list[list[str]]
    ) -> list[str]:
        """Write a run to the output: what is the tile's, and no other's."""
        number, slot = self.wgsl.places[tensor.name]
        count = len(pixels[0])
        if tensor.dtype is DType.U8 and not part.down and len(pixels) > 1 and count != 4:
            return self._write_bytes(stage, tensor, part, pixels)
        lines = []
        for r, values in enumerate(pixels):
            down, along = (r, 0) if part.down else (0, r)
            tests = self.own(part, self.where, _plus("py", down), _plus("px", along))
            own = " && ".join(test for each in tests for test in each)
            pixel = self.pixel(stage, _plus("y", down), _plus("x", along))
            at = f"args.o_{number} + {pixel} * {count}"
            if tensor.dtype is DType.U8:
                mask = (1 << 8 * count) - 1
                stores = [f"put_b{slot}({at}, {word(values, range(count))}, {mask}u);"]
            elif slot in self.wgsl.shared:
                stores = [f"set_b{slot}({at} + {k}, {value});" for k, value in enumerate(values)]
            else:
                stores = [f"b{slot}[{at} + {k}] = {value};" for k, value in enumerate(values)]
            lines += [f"if ({own}) {{", *indented(stores), "}"]
        return lines

    def _write_bytes(
        self, stage: Kernel, tensor: Tensor, part: Part, pixels: list[list[str]]
    ) -> list[str]:
        """Write neighbours of a row as words, with the bytes left alone that are not the tile's."""
        number, slot = self.wgsl.places[tensor.name]
        count, left = len(pixels[0]), part.halo.left
        rows, _ = self.own(part, self.where, "py", "px")
        values = [value for pixel in pixels for value in pixel]
        words = [values[k : k + 4] for k in range(0, len(values), 4)]
        end = f"min({left + self.tiles.width} - px, {self.wgsl.size(self.width)} - x)"
        return [
            f"if ({' && '.join(rows)}) {{",
            f"    let at = args.o_{number} + {self.pixel(stage, 'y', 'x')} * {count};",
            f"    let low = max({left} - px, 0) * {count};",
            f"    let high = min({end}, {len(pixels)}) * {count};",
            *(
                f"    put_b{slot}(at + {4 * k}, {word(four, range(len(four)))}, "
                f"bytes_between(low - {4 * k}, high - {4 * k}));"
                for k, four in enumerate(words)
            ),
            "}",
        ]

    def beyond(self, part: Part, kept: Sequence[Tensor]) -> list[str]:
        """Give places beyond the tensor's edge the value of the edge, in tiles that have some."""
        halo, tiles, size = part.halo, self.tiles, self.wgsl.size
        tests = [f"x0 < {halo.left}", f"x0 + {tiles.width + halo.right} > {size(self.width)}"]
        if tiles.row is not None:
            tests += [f"y0 < {halo.up}", f"y0 + {tiles.height + halo.down} > {size(self.height)}"]
        return [f"if ({' || '.join(tests)}) {{", *indented(super().beyond(part, kept)), "}"]


def _plus(name: str, distance: int) -> str:
    return f"({name} + {distance})" if distance else name
