"""Scans in WGSL: an invocation for each line, or tiles of lines where they are few and long.

In: a kernel's language. Out: an entry point, and for given sizes what to dispatch: several times
where the device ends long loops, each time from where the last one ended. Tiles are pieces'.
"""

from __future__ import annotations

from collections.abc import Mapping

from treadle.codegen.gpu.counts import ceil_div, elements
from treadle.codegen.gpu.cstyle import indented
from treadle.codegen.gpu.scan import ScanText
from treadle.codegen.wgsl.grid import (
    BUILTINS,
    FLAT,
    Dispatch,
    entry_lines,
    row_major,
)
from treadle.codegen.wgsl.language import Wgsl
from treadle.codegen.wgsl.pieces import TileScan
from treadle.codegen.wgsl.resume import keeping, kept_bytes, parts_of, restored, saved
from treadle.codegen.wgsl.rounds import Rounds
from treadle.ir.schedule import Threads
from treadle.ir.threads import Summed

__all__ = ["ScanForm"]


class ScanForm:
    """An invocation for each line."""

    def __init__(self, wgsl: Wgsl, threads: Threads | None) -> None:
        self.kernel, self.wgsl, self.scan = wgsl.kernel, wgsl, ScanText(wgsl)
        self.geometry = ("lines", *(("start", "stop", "last") if wgsl.rounds else ()))
        assert isinstance(threads, Summed)
        self.pieces = None if threads.pieces is None else TileScan(wgsl, threads.pieces)
        if self.pieces is not None:
            self.geometry = (*self.geometry, *self.pieces.geometry)

    def lines(self) -> list[str]:
        """The entry point."""
        wgsl, scan, space = self.wgsl, self.scan, self.kernel.space
        wgsl.enter()
        step = [
            wgsl.fixed(wgsl.coordinate.format(scan.form.axis), "at"),
            wgsl.fixed("linear", row_major(wgsl, space)),
            *scan.step("linear"),
        ]
        wgsl.leave()
        lines = [
            f"let line = i32(id.y * (groups.x * {FLAT}u) + id.x);",
            "if (line >= args.g_lines) { return; }",
            *wgsl.coordinates("line", scan.others),
            *scan.declared(),
        ]
        length = wgsl.size(space[scan.form.axis])
        tiles = [] if self.pieces is None else self.pieces.lines()
        if not wgsl.rounds:
            lines += wgsl.cycle("var at: i32 = 0", f"at < {length}", "at += 1", step)
            return [*tiles, *entry_lines("main", FLAT, BUILTINS, lines)]
        stop = f"min({length}, args.g_stop)"
        lines += [
            "if (args.g_start > 0) {",
            *indented(restored(scan.states, "line")),
            "}",
            *wgsl.cycle("var at: i32 = args.g_start", f"at < {stop}", "at += 1", step),
            "if (args.g_last == 0) {",
            *indented(saved(scan.states, "line")),
            "}",
        ]
        kept = keeping(wgsl, scan.states)
        return [*kept, *tiles, *entry_lines("main", FLAT, BUILTINS, lines)]

    def dispatches(self, sizes: Mapping[str, int]) -> tuple[Dispatch, ...]:
        """One dispatch over the lines, or several that go on where the last one ended; or those
        over tiles."""
        scan, space = self.scan, self.kernel.space
        count = elements([space[k] for k in scan.others], sizes)
        groups = ceil_div(count, FLAT)
        tiles = () if self.pieces is None else self.pieces.dispatches(sizes)
        if tiles:
            return tiles
        unused = () if self.pieces is None else (0,) * len(self.pieces.geometry)
        if not self.wgsl.rounds:
            return (Dispatch("main", groups, (count, *unused)),)
        each = 1 + Rounds(space, sizes, scan.form.step).all()
        length = elements([space[scan.form.axis]], sizes)
        parts = parts_of(length, each, 1, self.wgsl.rounds)
        scratch = count * kept_bytes(scan.states) if len(parts) > 1 else 0
        return tuple(
            Dispatch(
                "main", groups, (count, p.start, p.stop, int(p.last), *unused), scratch, p.watch
            )
            for p in parts
        )
