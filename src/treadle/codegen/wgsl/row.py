"""Whole-row kernels in WGSL: rows share workgroups, each fold is a sweep over the row.

In: a kernel's language and its sweeps. Out: an entry point, and for given sizes what to dispatch.
What differs along the row is computed again in each sweep; nothing is stored in between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.codegen.gpu.counts import ceil_div, elements
from treadle.codegen.gpu.cstyle import indented
from treadle.codegen.gpu.row import RowText
from treadle.codegen.wgsl.grid import (
    GROUP_BUILTINS,
    LANE_LINES,
    SHARED,
    Dispatch,
    entry_lines,
    lanes_for,
    row_major,
)
from treadle.codegen.wgsl.language import Wgsl
from treadle.errors import LaunchError
from treadle.ir.nodes import Row
from treadle.ir.schedule import Threads
from treadle.ir.threads import Fold, Sweep, Sweeps

__all__ = ["RowForm"]

_TOGETHER = 16


class _Lines(RowText):
    """The lines of one row; a round of a loop takes `together` positions of a lane."""

    language: Wgsl

    def __init__(self, wgsl: Wgsl, sweeps: Sweeps, axis: int, together: int) -> None:
        super().__init__(wgsl, sweeps, wgsl.scope())
        self.axis, self.together = axis, together

    def loop(self, lines: Sequence[str]) -> list[str]:
        """Do something at every position of this lane."""
        wgsl = self.language
        body = [
            wgsl.fixed(wgsl.coordinate.format(self.axis), "i32(at)"),
            wgsl.fixed("linear", row_major(wgsl, wgsl.kernel.space)),
            *lines,
        ]
        if self.together == 1:
            return ["for (var at = lane; at < length; at += lanes) {", *indented(body), "}"]
        made = [f"for (var begin = lane; begin < length; begin += lanes * {self.together}u) {{"]
        for k in range(self.together):
            place = [f"let at = begin + lanes * {k}u;", "if (at < length) {", *indented(body), "}"]
            made += indented(["{", *indented(place), "}"])
        return [*made, "}"]

    def gathered(self, folds: Sequence[Fold]) -> list[str]:
        """Make one result of those of a row's lanes, as a tree."""
        lines: list[str] = []
        for fold in folds:
            name = self.scope.local(fold.name)
            shared = f"shared_{self.language.types[fold.value.dtype]}"
            pair = self.join(fold, f"{shared}[local]", f"{shared}[local + half]")
            lines += [
                f"{shared}[local] = {name};",
                "workgroupBarrier();",
                "for (var half = lanes / 2u; half > 0u; half /= 2u) {",
                f"    if (lane < half) {{ {shared}[local] = {pair}; }}",
                "    workgroupBarrier();",
                "}",
                f"{name} = {shared}[local - lane];",
                "workgroupBarrier();",
            ]
        return lines


class RowForm:
    """Rows share workgroups; each fold is a sweep over the row, the results are the last one."""

    geometry = ("lanes", "rows")

    def __init__(self, wgsl: Wgsl, threads: Threads | None) -> None:
        self.kernel, self.wgsl = wgsl.kernel, wgsl
        assert isinstance(self.kernel.form, Row)
        assert isinstance(threads, Sweeps)
        self.form, self.sweeps = self.kernel.form, threads
        self.kept = [k for k in range(len(self.kernel.space)) if k != self.form.axis]

    def lines(self) -> list[str]:
        """The entry point, and one for rows that take more rounds than the device runs."""
        wgsl = self.wgsl
        folded = [fold.value.dtype for fold in self.sweeps.folds]
        made = [
            f"var<workgroup> shared_{wgsl.types[d]}: array<{wgsl.types[d]}, {SHARED}>;"
            for d in dict.fromkeys(folded)
        ]
        made += self.entry("main", 1)
        return [*made, *self.entry("long", _TOGETHER)] if wgsl.rounds else made

    def entry(self, name: str, together: int) -> list[str]:
        """An entry point that takes so many positions in a round."""
        wgsl, axis = self.wgsl, self.form.axis
        row = _Lines(wgsl, self.sweeps, axis, together)
        lines = [
            *LANE_LINES,
            "let present = number < u32(args.g_rows);",
            "let row = i32(min(number, u32(args.g_rows) - 1u));",
            f"let length = select(0u, u32({wgsl.size(self.kernel.space[axis])}), present);",
            *wgsl.coordinates("row", self.kept),
            *row.lines("linear"),
        ]
        if self.form.scalar:
            lines += ["if (lane == 0u && present) {", *indented(row.stores("row")), "}"]
        return entry_lines(name, SHARED, GROUP_BUILTINS, lines)

    def dispatches(self, sizes: Mapping[str, int]) -> tuple[Dispatch, ...]:
        """One dispatch over the rows."""
        rows = elements([self.kernel.space[a] for a in self.kept], sizes)
        length = elements([self.kernel.space[self.form.axis]], sizes)
        lanes = lanes_for(length, rows, self.form.axis != len(self.kernel.space) - 1)
        sweeps = sum(isinstance(step, Sweep) for step in self.sweeps.steps)
        most = self.wgsl.rounds // sweeps - SHARED if self.wgsl.rounds and sweeps else length
        if ceil_div(length, lanes) <= most:
            return (Dispatch("main", ceil_div(rows, SHARED // lanes), (lanes, rows)),)
        if ceil_div(length, SHARED * _TOGETHER) > most:
            raise LaunchError(
                f"{self.kernel.name}: rows of {length:,} elements are too long for device "
                f"'webgpu': its driver ends loops after {self.wgsl.rounds:,} rounds "
                f"(limits.rounds), enough for {most * SHARED * _TOGETHER:,}; use another device"
            )
        return (Dispatch("long", rows, (SHARED, rows)),)
