"""Chains over workgroups: a tile each, with what is between the stages in the group's memory.

In: a Chain kernel and the bytes that a workgroup may share. Out: an entry point that computes one
tile, stage by stage, and for given sizes how many there are. An invocation computes runs of
neighbours. Beyond the tensor's edge the group's memory holds the edge's value, so that stages read
their neighbourhood without a test. How tiles are cut is tile's, what an element is stage's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from treadle.codegen.gpu.cstyle import indented
from treadle.codegen.wgsl.grid import GROUP_BUILTINS, Dispatch, entry_lines, groups_of, size_of
from treadle.codegen.wgsl.language import Wgsl
from treadle.codegen.wgsl.rounds import Rounds
from treadle.codegen.wgsl.stage import Elements, near_name
from treadle.dtypes import DType
from treadle.errors import LaunchError
from treadle.ir.nodes import Chain, Dim, Kernel, Tensor
from treadle.ir.schedule import Threads
from treadle.ir.tiles import Part, Place, Room, Tiled, Where, number_of, pool_of

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
    text=400,
    typed=True,
)

Tests = Callable[[int], list[str]]

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


class ChainForm:
    """A workgroup for each tile."""

    geometry = ("tiles", "down", "across")

    def __init__(self, wgsl: Wgsl, threads: Threads | None) -> None:
        kernel, form = wgsl.kernel, wgsl.kernel.form
        assert isinstance(form, Chain)
        if not isinstance(threads, Tiled):
            raise LaunchError(
                f"{kernel.name}: a chain of stages that read further apart than a workgroup's "
                "memory reaches cannot run as one kernel on device 'webgpu'; run its stages one by "
                "one"
            )
        tiles = threads.tiling
        self.kernel, self.wgsl, self.form, self.tiles = kernel, wgsl, form, tiles
        self.elements = Elements(wgsl, form, threads)
        self.outputs = {tensor.name for tensor in kernel.outputs}
        space = form.stages[-1].space
        self.height: Dim = 1 if tiles.row is None else space[tiles.row]
        self.width = space[tiles.col]
        self.batch = space[: tiles.first]

    def dispatches(self, sizes: Mapping[str, int]) -> tuple[Dispatch, ...]:
        """One workgroup for each tile."""
        down = groups_of(size_of([self.height], sizes), self.tiles.height)
        across = groups_of(size_of([self.width], sizes), self.tiles.width)
        count = size_of(self.batch, sizes) * down * across
        watch = self.wgsl.watches and self._rounds(sizes) >= self.wgsl.rounds
        return (Dispatch("main", count, (count, down, across), watch=watch),)

    def _rounds(self, sizes: Mapping[str, int]) -> float:
        """The most rounds of an invocation's loops."""
        total = 0.0
        for stage, part in zip(self.form.stages, self.tiles.parts, strict=True):
            rows, cols = self.tiles.area(part)
            runs = groups_of(rows * cols, GROUP.threads) + part.run
            each = len(part.cells) * Rounds(stage.space, sizes, stage.blocks[0]).all()
            total += 2 * runs + runs * each
        return total

    def lines(self) -> list[str]:
        """Memory, functions and the entry point."""
        tiles, made = self.tiles, self.elements
        work = [
            self._runs(k, stage, part)
            for k, (stage, part) in enumerate(zip(self.form.stages, tiles.parts, strict=True))
        ]
        declared, settled = made.settled(work)
        stages: list[str] = []
        for stage, part, lines in zip(self.form.stages, tiles.parts, work, strict=True):
            stages += ["{", *indented(lines), "}"]
            kept = [t for t in stage.outputs if t.name in tiles.places]
            if kept:
                stages.append("workgroupBarrier();")
                if made.where is Where.EDGE:
                    stages += self._beyond(part, kept)
        body = [
            "let tile = i32(group.y * groups.x + group.x);",
            "if (tile >= args.g_tiles) { return; }",
            "let batch = tile / (args.g_down * args.g_across);",
            *self.wgsl.split("batch", self.batch, [f"a{k}" for k in range(tiles.first)]),
            f"let y0 = tile / args.g_across % args.g_down * {tiles.height};",
            f"let x0 = tile % args.g_across * {tiles.width};",
        ]
        return [
            *self._memory(),
            *declared,
            *self._functions(),
            *entry_lines("main", GROUP.threads, GROUP_BUILTINS, [*body, *settled, *stages]),
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
        texts += [_PUT.strip().replace("SLOT", str(slot)) for slot in sorted(self.wgsl.atomic)]
        if self.wgsl.atomic:
            texts.append(_BYTES.strip())
        return [line for text in texts for line in (*text.splitlines(), "")]

    def _each(self, count: int, lines: list[str]) -> list[str]:
        """Lay a number of items over the workgroup."""
        first = "var item: i32 = i32(local)"
        return self.wgsl.cycle(first, f"item < {count}", f"item += {GROUP.threads}", lines)

    def _runs(self, number: int, stage: Kernel, part: Part) -> list[str]:
        """Compute runs of neighbours. The last run of a line moves back to its end, where it
        computes some elements again. One by one where coordinates are clamped."""
        halo, single = part.halo, self.elements.where is Where.SINGLE
        rows, cols = self.tiles.area(part)
        run = 1 if single else part.run
        count = groups_of(rows if part.down else cols, run)
        if part.down:
            lines = [
                f"let line = item / {cols};",
                f"let px = item - line * {cols};",
                f"let py = min(line * {run}, {rows - run});",
            ]
        else:
            lines = [
                f"let py = item / {count};",
                f"let px = min((item - py * {count}) * {run}, {cols - run});",
            ]
        y, x = f"y0 + (py - {halo.up})", f"x0 + (px - {halo.left})"
        if single:
            y = self.wgsl.clamped(y, self.height)
            x = self.wgsl.clamped(x, self.width)
        lines += [f"let y = {y};", f"let x = {x};"]
        self.elements.begin()
        found: list[list[list[str]]] = [[] for _ in stage.outputs]  # by output, pixel, channel
        for r in range(run):
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
                    lines += self._keep(tensor, place, pixel, step)
        for tensor, all_of_it in zip(stage.outputs, found, strict=True):
            if tensor.name in self.outputs:
                lines += self._write(stage, tensor, part, all_of_it)
        return self._each(count * (cols if part.down else rows), lines)

    def _keep(
        self, tensor: Tensor, place: Place, values: list[str], step: tuple[int, int]
    ) -> list[str]:
        """Put a pixel into the workgroup's memory."""
        name, start = near_name(tensor.dtype), place.offset // pool_of(tensor.dtype).size
        start += step[0] * place.pitch + step[1]
        at = f"py * {place.pitch} + px + "
        if place.word:
            dims = tensor.dims[self.tiles.col + 1 :]
            numbers = [number_of(cell, dims) for cell in place.cells]
            return [f"{name}[{at}{start}] = {_word(values, numbers)};"]
        return [
            f"{name}[{at}{start + k * place.plane}] = {value};" for k, value in enumerate(values)
        ]

    def _write(
        self, stage: Kernel, tensor: Tensor, part: Part, pixels: list[list[str]]
    ) -> list[str]:
        """Write a run to the output: what is the tile's, and no other's."""
        number, slot = self.wgsl.places[tensor.name]
        count = len(pixels[0])
        rows, cols = self._own(part)
        if tensor.dtype is DType.U8 and not part.down and len(pixels) > 1 and count != 4:
            return self._write_bytes(stage, tensor, part, pixels)
        lines = []
        for r, values in enumerate(pixels):
            y, x = (_plus("y", r), "x") if part.down else ("y", _plus("x", r))
            tests = [*rows(r if part.down else 0), *cols(0 if part.down else r)]
            at = f"args.o_{number} + {self._pixel(stage, y, x)} * {count}"
            if tensor.dtype is DType.U8:
                mask = (1 << 8 * count) - 1
                stores = [f"put_b{slot}({at}, {_word(values, range(count))}, {mask}u);"]
            else:
                stores = [f"b{slot}[{at} + {k}] = {value};" for k, value in enumerate(values)]
            lines += [f"if ({' && '.join(tests)}) {{", *indented(stores), "}"]
        return lines

    def _write_bytes(
        self, stage: Kernel, tensor: Tensor, part: Part, pixels: list[list[str]]
    ) -> list[str]:
        """Write neighbours of a row as words, with the bytes left alone that are not the tile's."""
        number, slot = self.wgsl.places[tensor.name]
        count, left = len(pixels[0]), part.halo.left
        rows, _ = self._own(part)
        values = [value for pixel in pixels for value in pixel]
        words = [values[k : k + 4] for k in range(0, len(values), 4)]
        end = f"min({left + self.tiles.width} - px, {self.wgsl.size(self.width)} - x)"
        return [
            f"if ({' && '.join(rows(0))}) {{",
            f"    let at = args.o_{number} + {self._pixel(stage, 'y', 'x')} * {count};",
            f"    let low = max({left} - px, 0) * {count};",
            f"    let high = min({end}, {len(pixels)}) * {count};",
            *(
                f"    put_b{slot}(at + {4 * k}, {_word(word, range(len(word)))}, "
                f"bytes_between(low - {4 * k}, high - {4 * k}));"
                for k, word in enumerate(words)
            ),
            "}",
        ]

    def _own(self, part: Part) -> tuple[Tests, Tests]:
        """Tests for rows and columns that are the tile's: r further than the run's first."""
        halo, tiles, wgsl = part.halo, self.tiles, self.wgsl

        def rows(r: int) -> list[str]:
            at = f"py - {halo.up - r}"
            around = [f"{at} >= 0", f"{at} < {tiles.height}"] if halo.up or halo.down else []
            return [*around, f"y0 + {at} < {wgsl.size(self.height)}"]

        def cols(r: int) -> list[str]:
            at = f"px - {halo.left - r}"
            around = [f"{at} >= 0", f"{at} < {tiles.width}"] if halo.left or halo.right else []
            return [*around, f"x0 + {at} < {wgsl.size(self.width)}"]

        return rows, cols

    def _pixel(self, stage: Kernel, y: str, x: str) -> str:
        """The number of a pixel in the output."""
        places = [f"a{k}" for k in range(self.tiles.first)]
        places += [x] if self.tiles.row is None else [y, x]
        text = ""
        for place, dim in zip(places, stage.space, strict=False):
            text = f"({text} * {self.wgsl.size(dim)} + {place})" if text else place
        return text

    def _beyond(self, part: Part, kept: list[Tensor]) -> list[str]:
        """Give places beyond the tensor's edge the value of the edge."""
        halo, wgsl = part.halo, self.wgsl
        rows, cols = self.tiles.area(part)
        copies = []
        for tensor in kept:
            place, name = self.tiles.places[tensor.name], near_name(tensor.dtype)
            start = place.offset // pool_of(tensor.dtype).size
            for k in range(1 if place.word else len(place.cells)):
                at = start + k * place.plane
                copies.append(f"{name}[item + {at}] = {name}[edge + {at}];")
        height, width = wgsl.size(self.height), wgsl.size(self.width)
        lines = [
            f"let y = y0 + (item / {cols} - {halo.up});",
            f"let x = x0 + (item % {cols} - {halo.left});",
            f"let down = {wgsl.clamped('y', self.height)} - y;",
            f"let along = {wgsl.clamped('x', self.width)} - x;",
            f"let edge = item + down * {cols} + along;",
            "if (edge != item) {",
            *indented(copies),
            "}",
        ]
        tests = [f"x0 < {halo.left}", f"x0 + {self.tiles.width + halo.right} > {width}"]
        if self.tiles.row is not None:
            tests += [f"y0 < {halo.up}", f"y0 + {self.tiles.height + halo.down} > {height}"]
        return [
            f"if ({' || '.join(tests)}) {{",
            *indented([*self._each(rows * cols, lines), "workgroupBarrier();"]),
            "}",
        ]


def _word(values: Sequence[str], places: Sequence[int]) -> str:
    """Bytes as a word."""
    return " | ".join(
        f"({value} << {8 * place}u)" if place else value
        for value, place in zip(values, places, strict=True)
    )


def _plus(name: str, distance: int) -> str:
    return f"({name} + {distance})" if distance else name
