"""Kernels as CUDA C++.

In: a scheduled kernel. Out: the text of a translation unit and the facts that a launch needs.
Indices have 32 bits; a second text with 64 is rendered only for sizes that need it. Words are
words', functions prelude's, the argument block abi's, threads the forms'.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from treadle.codegen.cuda.abi import FormText, Layout, arguments, layout_of
from treadle.codegen.cuda.chain import BLOCK, chain_form
from treadle.codegen.cuda.map import map_form
from treadle.codegen.cuda.prelude import prelude
from treadle.codegen.cuda.reduce import reduce_form
from treadle.codegen.cuda.row import row_form
from treadle.codegen.cuda.scan import scan_form
from treadle.codegen.cuda.words import CudaC
from treadle.ir.nodes import Chain, Map, Reduce, Row, Scan
from treadle.ir.schedule import Execution, Schedule, Target, Threads

__all__ = ["Rendered", "render", "target"]

_FORMS: dict[type, Callable[[CudaC, Threads | None], FormText]] = {
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


def target(near: int = BLOCK.comfort) -> Target:
    """What schedules are made for, on a device with so many bytes near a block."""
    return Target(Execution.THREADS, access=16, holds=True, room=BLOCK, near=near)


def render(
    schedule: Schedule, *, wide: bool = False, routine: Callable[[CudaC], FormText] | None = None
) -> Rendered:
    """Spell a schedule; `wide` gives indices of 64 bits, and `routine` replaces the form."""
    c = CudaC(schedule.kernel, wide=wide)
    form = _FORMS[type(c.kernel.form)](c, schedule.threads) if routine is None else routine(c)
    body = f"{arguments(c, form.members)}\n\n{form.text}\n"
    every = "".join(f"{text}\n" for text in form.apart.values())
    shared = f"{prelude(body + every, wide=wide)}\n\n{body}"
    return Rendered(shared + every, layout_of(schedule, form, shared, wide=wide))
