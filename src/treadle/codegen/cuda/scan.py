"""Scan kernels over CUDA threads.

In: a Scan kernel. Out: an entry in which a thread walks one line, carrying the state in registers.
"""

from __future__ import annotations

from treadle.codegen.cuda.abi import (
    HEAD,
    Call,
    Form,
    Geometry,
    Sizes,
    ceil_div,
    coordinates,
    elements,
)
from treadle.codegen.cuda.words import CudaC, Names
from treadle.codegen.gpu.cstyle import indented
from treadle.ir.nodes import Scan

__all__ = ["scan_form"]

_THREADS = 64  # lines are few and long: small blocks spread them over more multiprocessors


def scan_form(c: CudaC) -> Form:
    """Render a Scan kernel."""
    kernel = c.kernel
    form = kernel.form
    assert isinstance(form, Scan)
    others = [k for k in range(len(kernel.space)) if k != form.axis]
    dims = [kernel.space[k] for k in others]
    inner = c.product(kernel.space[form.axis + 1 :])
    scope = Names({k: f"c{k}" for k in range(len(kernel.space))})
    states = []
    for arg, init in zip(form.step.args, form.init, strict=True):
        name = scope.local(arg.name)
        states.append(c.declare(name, arg.dtype, c.constant(init.value, init.dtype)))
        scope.replaced[arg.name] = name
    body, results = c.block(form.step, scope)
    kept = len(form.init)
    news = [
        c.declare(f"new_{k}", arg.dtype, text)
        for k, (arg, text) in enumerate(zip(form.step.args, results, strict=False))
    ]
    stores = [
        f"a.{c.pointer(t)}[at] = {c.convert(text, expr.dtype, t.dtype)};"
        for t, text, expr in zip(
            kernel.outputs, results[kept:], form.step.results[kept:], strict=True
        )
    ]
    turns = [f"{scope.local(arg.name)} = new_{k};" for k, arg in enumerate(form.step.args)]
    axis = f"c{form.axis}"
    lines = [
        f"const idx line = (idx)blockIdx.x * {_THREADS} + threadIdx.x;",
        "if (line >= a.lines) return;",
        *coordinates(c, "line", dims, [f"c{k}" for k in others]),
        f"const idx stride = {inner};",
        "const idx above = treadle_quotient(line, stride);",
        "idx at = above * a.length * stride + (line - above * stride);",
        *states,
        f"for (idx {axis} = 0; {axis} < a.length; ++{axis}, at += stride) {{",
        *indented([*body, *news, *stores, *turns]),
        "}",
    ]

    def measure(sizes: Sizes) -> Geometry:
        count = elements(dims, sizes)
        call = Call("treadle_scan", ceil_div(count, _THREADS), (_THREADS, 1))
        return Geometry((call,), (count, elements([kernel.space[form.axis]], sizes)))

    text = "\n".join([HEAD.format(threads=_THREADS, entry="treadle_scan"), *indented(lines), "}"])
    return Form(text, ("treadle_scan",), ("lines", "length"), measure)
