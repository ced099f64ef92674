"""Scans in the languages of GPUs: a thread carries the state along a line.

In: a Scan kernel's language. Out: lines that declare the state, and lines for one position. The
loop over the line is the language's.
"""

from __future__ import annotations

from treadle.codegen.gpu.cstyle import CStyle
from treadle.ir.nodes import Scan

__all__ = ["ScanText"]


class ScanText:
    """The lines of one scan; the state is in variables with the names of the step's arguments."""

    def __init__(self, language: CStyle) -> None:
        form = language.kernel.form
        assert isinstance(form, Scan)
        self.language, self.form = language, form
        self.others = [k for k in range(len(language.kernel.space)) if k != form.axis]
        self.scope = language.scope()
        args = form.step.args
        self.states = [(self.scope.local(arg.name), arg.dtype) for arg in args]
        for arg, (name, _) in zip(args, self.states, strict=True):
            self.scope.replaced[arg.name] = name

    def declared(self) -> list[str]:
        """The state before the first position."""
        language = self.language
        return [
            language.declare(name, dtype, language.constant(init.value, init.dtype))
            for (name, dtype), init in zip(self.states, self.form.init, strict=True)
        ]

    def step(self, at: str) -> list[str]:
        """One position, whose results are stored at a place, and the state after it."""
        language, step, count = self.language, self.form.step, len(self.states)
        body, texts = language.block(step, self.scope)
        news = [
            language.declare(f"new_{k}", dtype, text)
            for k, ((_, dtype), text) in enumerate(zip(self.states, texts, strict=False))
        ]
        dtypes = [result.dtype for result in step.results[count:]]
        stores = language.stores(at, texts[count:], dtypes)
        turns = [f"{name} = new_{k};" for k, (name, _) in enumerate(self.states)]
        return [*body, *news, *stores, *turns]
