"""Maps in WGSL: an invocation for each element or word.

In: a kernel and its language. Out: an entry point, and for given sizes what to dispatch. Where
elements of outputs share words, an invocation computes all of a word.
"""

from __future__ import annotations

from collections.abc import Mapping

from treadle.codegen.gpu.counts import ceil_div, elements
from treadle.codegen.gpu.cstyle import indented
from treadle.codegen.wgsl.grid import BUILTINS, FLAT, Dispatch, entry_lines
from treadle.codegen.wgsl.language import Wgsl
from treadle.codegen.wgsl.resume import Resumed
from treadle.codegen.wgsl.rounds import Rounds
from treadle.ir.nodes import Map
from treadle.ir.schedule import Threads

__all__ = ["MapForm"]


class MapForm:
    """An invocation for each element, or for each word where elements of outputs share one."""

    def __init__(self, wgsl: Wgsl, threads: Threads | None = None) -> None:
        kernel = self.kernel = wgsl.kernel
        assert isinstance(kernel.form, Map)
        self.wgsl, self.form = wgsl, kernel.form
        self.packed = [n for n, t in enumerate(kernel.outputs) if t.dtype.size < 4]
        if not wgsl.packs(kernel):
            self.packed = []  # or each by itself
        self.bits = 8 * kernel.outputs[self.packed[0]].dtype.size if self.packed else 32
        self.resumed = None if wgsl.cut is None else Resumed(kernel.form.block, wgsl.cut)
        self.geometry = ("total", *(("start", "stop", "last") if self.resumed else ()))

    def element(self) -> list[str]:
        """Compute and store (or pack) the element `linear`, or compute a part of it."""
        wgsl, block = self.wgsl, self.form.block
        scope = wgsl.scope()
        axes = wgsl.coordinates("linear", range(len(self.kernel.space)))
        if self.resumed is None:
            lines, results = wgsl.block(block, scope)
            return [*axes, *lines, *self.stores(results)]
        begun = self.resumed.lines(wgsl, scope, "linear")
        ended = wgsl.body(self.resumed.after, scope)
        ended += self.stores([wgsl.expr(result, scope) for result in block.results])
        return [*axes, *begun, *indented(ended), "}"]

    def stores(self, results: list[str]) -> list[str]:
        """Store results; what shares a word is packed into it."""
        wgsl, values = self.wgsl, [r.dtype for r in self.form.block.results]
        if not self.packed:
            return wgsl.stores("linear", results, values)
        # Nothing may be stored before everything has been read.
        lines = [f"let result{n} = {text};" for n, text in enumerate(results)]
        for n, (tensor, dtype) in enumerate(zip(self.kernel.outputs, values, strict=True)):
            if n in self.packed:
                bits = wgsl.to_bits(f"result{n}", dtype, tensor.dtype)
                lines.append(f"packed{n} |= {bits} << (u32(part) * {self.bits}u);")
            else:
                lines.append(wgsl.store(tensor, "linear", f"result{n}", dtype))
        return lines

    def lines(self) -> list[str]:
        """The entry point."""
        declared = self.resumed.declared(self.wgsl) if self.resumed else []
        number = f"i32(id.y * (groups.x * {FLAT}u) + id.x)"
        if not self.packed:
            body = [
                f"let linear = {number};",
                "if (linear >= args.g_total) { return; }",
                *self.element(),
            ]
            return [*declared, *entry_lines("main", FLAT, BUILTINS, body)]
        packed, bits, count = self.packed, self.bits, 32 // self.bits
        element = self.element()
        # The elements of all such outputs lie equally in their words; the host sees to that.
        body = [
            f"let word = {number};",
            f"let phase = args.o_{packed[0]} & {count - 1};",
            f"if (word * {count} - phase >= args.g_total) {{ return; }}",
            "var mask = 0u;",
            *(f"var packed{n} = 0u;" for n in packed),
            *self.wgsl.cycle(
                "var part: i32 = 0",
                f"part < {count}",
                "part += 1",
                [
                    f"let linear = word * {count} + part - phase;",
                    "if (linear >= 0 && linear < args.g_total) {",
                    f"    mask |= {(1 << bits) - 1}u << (u32(part) * {bits}u);",
                    *indented(element),
                    "}",
                ],
            ),
            *(["if (args.g_last == 0) { return; }"] if self.resumed else []),
        ]
        for n in packed:
            _, slot = self.wgsl.places[self.kernel.outputs[n].name]
            place = f"b{slot}[(args.o_{n} >> {count.bit_length() - 1}u) + word]"
            body += [
                f"if (mask != 0xffffffffu) {{ packed{n} |= {place} & ~mask; }}",
                f"{place} = packed{n};",
            ]
        return [*declared, *entry_lines("main", FLAT, BUILTINS, body)]

    def dispatches(self, sizes: Mapping[str, int]) -> tuple[Dispatch, ...]:
        """One dispatch over the output, or several that each take a part of a long loop."""
        total = elements(self.kernel.space, sizes)
        times = 32 // self.bits  # elements of a word
        count = ceil_div(total + times - 1, times)  # it is not known where in its word the first is
        groups = ceil_div(count, FLAT)
        if self.resumed is None:
            watch = False
            if self.wgsl.watches:
                rounds = Rounds(self.kernel.space, sizes, self.form.block).all()
                watch = (rounds + 1) * times >= self.wgsl.rounds
            return (Dispatch("main", groups, (total,), watch=watch),)
        parts = self.resumed.parts(self.kernel.space, sizes, self.wgsl.rounds, times)
        scratch = total * self.resumed.nbytes if len(parts) > 1 else 0
        return tuple(
            Dispatch("main", groups, (total, p.start, p.stop, int(p.last)), scratch, p.watch)
            for p in parts
        )
