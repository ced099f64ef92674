"""Maps and scans in WGSL: an invocation for each element, word or line.

In: a kernel and its language. Out: an entry point, and for given sizes what to dispatch. Where an
output is u8 an invocation of a map computes the four bytes of a word.
"""

from __future__ import annotations

from collections.abc import Mapping

from treadle.codegen.gpu.cstyle import Scope, indented
from treadle.codegen.wgsl.grid import (
    BUILTINS,
    FLAT,
    Dispatch,
    axes_lines,
    axes_of,
    entry_lines,
    groups_of,
    row_major,
    size_of,
)
from treadle.codegen.wgsl.language import LINEAR, Wgsl
from treadle.codegen.wgsl.resume import Resumed, keeping, kept_bytes, parts_of, restored, saved
from treadle.codegen.wgsl.rounds import Rounds
from treadle.dtypes import DType
from treadle.ir.names import assigned
from treadle.ir.nodes import Kernel, Map, Scan

__all__ = ["MapForm", "ScanForm"]


class MapForm:
    """An invocation for each element, or for each four where an output is u8."""

    def __init__(self, kernel: Kernel, wgsl: Wgsl) -> None:
        assert isinstance(kernel.form, Map)
        self.kernel = kernel
        self.wgsl = wgsl
        self.form = kernel.form
        self.packed = any(t.dtype is DType.U8 for t in kernel.outputs)
        self.resumed = Resumed.of(kernel.form.block) if wgsl.watches else None
        self.geometry = ("total", *(("start", "stop", "last") if self.resumed else ()))

    def element(self) -> list[str]:
        """Compute and store (or pack) the element `linear`, or compute a part of it."""
        k, wgsl, block = self.kernel, self.wgsl, self.form.block
        scope = Scope({**axes_of(len(k.space)), LINEAR: "linear"})
        axes = axes_lines(wgsl, k.space, "linear")
        if self.resumed is None:
            lines, results = wgsl.block(block, scope)
            return [*axes, *lines, *self.stores(results)]
        begun = self.resumed.lines(wgsl, scope, "linear")
        ended = wgsl.body(self.resumed.after, scope)
        ended += self.stores([wgsl.expr(result, scope) for result in block.results])
        return [*axes, *begun, *indented(ended), "}"]

    def stores(self, results: list[str]) -> list[str]:
        """Store (or pack) results."""
        k, wgsl = self.kernel, self.wgsl
        lines: list[str] = []
        values = [r.dtype for r in self.form.block.results]
        if self.packed:  # nothing may be stored before everything has been read
            pairs = zip(results, values, strict=True)
            lines += [f"let result{n} = {r};" for n, (r, _) in enumerate(pairs)]
            results = [f"result{n}" for n in range(len(results))]
        for n, (tensor, text, dtype) in enumerate(zip(k.outputs, results, values, strict=True)):
            if tensor.dtype is DType.U8:
                lines.append(f"packed{n} |= {wgsl.to_u8(text, dtype)} << (u32(part) * 8u);")
            elif len(results) == 1 or self.packed:
                lines.append(wgsl.store(tensor, "linear", text, dtype))
        if len(results) > 1 and not self.packed:
            lines += [
                wgsl.declare(f"result{n}", dtype, text)
                for n, (text, dtype) in enumerate(zip(results, values, strict=True))
            ]
            lines += [
                wgsl.store(tensor, "linear", f"result{n}", dtype)
                for n, (tensor, dtype) in enumerate(zip(k.outputs, values, strict=True))
            ]
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
        packed = [n for n, t in enumerate(self.kernel.outputs) if t.dtype is DType.U8]
        element = self.element()
        # The bytes of all u8 outputs lie equally in their words; the host sees to that.
        body = [
            f"let word = {number};",
            f"let phase = args.o_{packed[0]} & 3;",
            "if (word * 4 - phase >= args.g_total) { return; }",
            "var mask = 0u;",
            *(f"var packed{n} = 0u;" for n in packed),
            *self.wgsl.cycle(
                "var part: i32 = 0",
                "part < 4",
                "part += 1",
                [
                    "let linear = word * 4 + part - phase;",
                    "if (linear >= 0 && linear < args.g_total) {",
                    "    mask |= 255u << (u32(part) * 8u);",
                    *indented(element),
                    "}",
                ],
            ),
            *(["if (args.g_last == 0) { return; }"] if self.resumed else []),
        ]
        for n in packed:
            _, slot = self.wgsl.places[self.kernel.outputs[n].name]
            place = f"b{slot}[(args.o_{n} >> 2u) + word]"
            body += [
                f"if (mask != 0xffffffffu) {{ packed{n} |= {place} & ~mask; }}",
                f"{place} = packed{n};",
            ]
        return [*declared, *entry_lines("main", FLAT, BUILTINS, body)]

    def dispatches(self, sizes: Mapping[str, int]) -> tuple[Dispatch, ...]:
        """One dispatch over the output, or several that each take a part of a long loop."""
        total = size_of(self.kernel.space, sizes)
        count = (
            groups_of(total + 3, 4) if self.packed else total
        )  # 3: where the first byte is unknown
        groups, times = groups_of(count, FLAT), 4 if self.packed else 1
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


class ScanForm:
    """An invocation for each line."""

    def __init__(self, kernel: Kernel, wgsl: Wgsl) -> None:
        assert isinstance(kernel.form, Scan)
        self.geometry = ("lines", *(("start", "stop", "last") if wgsl.rounds else ()))
        self.states = [(f"state{n}", c.dtype) for n, c in enumerate(kernel.form.init)]
        self.kernel = kernel
        self.form = kernel.form
        self.wgsl = wgsl
        self.kept = [k for k in range(len(kernel.space)) if k != kernel.form.axis]

    def lines(self) -> list[str]:
        """The entry point."""
        k, form, wgsl = self.kernel, self.form, self.wgsl
        dims = [k.space[a] for a in self.kept]
        states = [wgsl.types[c.dtype] for c in form.init]
        scope = Scope({**axes_of(len(k.space)), LINEAR: "linear"})
        wgsl.enter()
        body, results = wgsl.block(form.step, scope)
        wgsl.leave()
        changed = assigned(form.step.body)
        head = [
            wgsl.declare(scope.local(arg.name), arg.dtype, f"state{n}")
            for n, arg in enumerate(form.step.args)
            if arg.name not in changed
        ]
        head += [
            f"{scope.local(arg.name)} = state{n};"
            for n, arg in enumerate(form.step.args)
            if arg.name in changed
        ]
        declared = wgsl.declarations(form.step.body, scope)
        body = [*declared, *head, *body[len(declared) :]]
        values = [r.dtype for r in form.step.results]
        count = len(form.init)
        step = [
            f"let a{form.axis} = at;",
            f"let linear = {row_major(wgsl, k.space)};",
            *body,
            *(f"let result{n} = {text};" for n, text in enumerate(results)),
            *(f"state{n} = result{n};" for n in range(count)),
            *(
                wgsl.store(t, "linear", f"result{count + n}", values[count + n])
                for n, t in enumerate(k.outputs)
            ),
        ]
        lines = [
            f"let line = i32(id.y * (groups.x * {FLAT}u) + id.x);",
            "if (line >= args.g_lines) { return; }",
            *axes_lines(wgsl, dims, "line", self.kept),
            *(
                f"var state{n}: {t} = {wgsl.constant(c.value, c.dtype)};"
                for n, (t, c) in enumerate(zip(states, form.init, strict=True))
            ),
        ]
        length = wgsl.size(k.space[form.axis])
        if not wgsl.rounds:
            lines += wgsl.cycle("var at: i32 = 0", f"at < {length}", "at += 1", step)
            return entry_lines("main", FLAT, BUILTINS, lines)
        stop = f"min({length}, args.g_stop)"
        lines += [
            "if (args.g_start > 0) {",
            *indented(restored(self.states, "line")),
            "}",
            *wgsl.cycle("var at: i32 = args.g_start", f"at < {stop}", "at += 1", step),
            "if (args.g_last == 0) {",
            *indented(saved(self.states, "line")),
            "}",
        ]
        return [*keeping(wgsl, self.states), *entry_lines("main", FLAT, BUILTINS, lines)]

    def dispatches(self, sizes: Mapping[str, int]) -> tuple[Dispatch, ...]:
        """One dispatch over the lines, or several that go on where the last one ended."""
        count = size_of([self.kernel.space[a] for a in self.kept], sizes)
        groups = groups_of(count, FLAT)
        if not self.wgsl.rounds:
            return (Dispatch("main", groups, (count,)),)
        each = 1 + Rounds(self.kernel.space, sizes, self.form.step).all()
        length = size_of([self.kernel.space[self.form.axis]], sizes)
        parts = parts_of(length, each, 1, self.wgsl.rounds)
        scratch = count * kept_bytes(self.states) if len(parts) > 1 else 0
        return tuple(
            Dispatch("main", groups, (count, p.start, p.stop, int(p.last)), scratch, p.watch)
            for p in parts
        )
