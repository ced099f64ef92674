"""Kernels as CUDA C++.

In: an optimised kernel. Out: the text of a translation unit and the facts that a launch needs.
Indices have 32 bits; a second text with 64 is rendered only for sizes that need it. Words are
words', the argument block abi's, threads the forms'.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from treadle.codegen.cuda.abi import Form, Layout, arguments, layout_of
from treadle.codegen.cuda.chain import chain_form, fits
from treadle.codegen.cuda.map import map_form
from treadle.codegen.cuda.reduce import reduce_form
from treadle.codegen.cuda.row import row_form
from treadle.codegen.cuda.scan import scan_form
from treadle.codegen.cuda.words import CudaC, prelude
from treadle.ir.nodes import Chain, Kernel, Map, Reduce, Row, Scan

__all__ = ["Rendered", "fits", "render"]

_FORMS: dict[type, Callable[[CudaC], Form]] = {
    Map: map_form,
    Reduce: reduce_form,
    Row: row_form,
    Scan: scan_form,
    Chain: chain_form,
}


class Rendered(NamedTuple):
    """A translation unit and its launch facts."""

    text: str
    layout: Layout


def render(kernel: Kernel, *, wide: bool = False) -> Rendered:
    """Render a kernel; `wide` gives indices of 64 bits."""
    c = CudaC(kernel, wide=wide)
    form = _FORMS[type(kernel.form)](c)
    body = f"{arguments(c, form.members)}\n\n{form.text}\n"
    every = "".join(f"{text}\n" for text in form.apart.values())
    shared = f"{prelude(body + every, wide=wide)}\n\n{body}"
    return Rendered(shared + every, layout_of(kernel, form, shared, wide=wide))
