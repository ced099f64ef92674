"""What is decided about a kernel before it is spelt, and for what kind of processor.

In: nothing; this is data. Out: `Target`, which a backend fills in, and `Schedule`, which
passes.schedule makes of a kernel and a target and which codegen turns into text. A code generator
finds every choice in it, and neither chooses nor rewrites.
"""

from __future__ import annotations

from enum import StrEnum

from treadle.data import dataclass
from treadle.ir.descent import Descent
from treadle.ir.loops import Effort, Loops, Products, Walk
from treadle.ir.nodes import Dim, Kernel
from treadle.ir.threads import Folded, Neighbours, Strips, Summed, Sweeps
from treadle.ir.tiles import Room, Tiled
from treadle.ir.words import describe

__all__ = ["Execution", "Schedule", "Target", "Threads"]

Threads = Neighbours | Strips | Folded | Sweeps | Summed | Tiled | Descent


class Execution(StrEnum):
    """How a device runs the code of a kernel."""

    LOOPS = "loops"  # a thread walks many elements, some of them at once as lanes of a vector
    THREADS = "threads"  # a thread computes one element, or a few
    WHOLE = "whole"  # no code is made: whole arrays are computed, or nothing is


@dataclass(frozen=True, slots=True)
class Target:
    """What schedules are made for: facts about processors, beside a device's Limits."""

    execution: Execution = Execution.WHOLE
    # Of loops:
    permutes_bytes: bool = False  # one instruction puts the bytes of a register in any order
    products: Products = Products.PLAIN  # of bytes
    vector: int = 16  # bytes of a register of lanes,
    registers: int = 16  # and how many there are
    # Of threads:
    access: int = 0  # bytes of neighbours that one reads or writes at once; 0: one by one
    holds: bool = False  # one keeps in registers what it has read of a row
    room: Room | None = None  # what a group of them has for tiles; None: chains cannot run
    near: int = 0  # bytes that a group may share
    rounds: int = 0  # of all loops of one, after which the device ends them; 0: never


@dataclass(frozen=True, slots=True)
class Schedule:
    """A kernel with what was decided about it.

    `kernel` is the one to spell: it computes what the given one does, over the same tensors, sizes
    and parameters, and may have another form."""

    kernel: Kernel
    walk: Walk | None = None  # None: the language has one way to compute it
    efforts: tuple[tuple[tuple[Dim, ...], Effort], ...] = ()  # of each stage: its space, an element
    apart: frozenset[str] = frozenset()  # inputs that are never the memory of an output
    streamed: Schedule | None = None  # the variant for large arrays, compiled when one comes
    threads: Threads | None = None  # what each thread does, where that is not one element
    cut: int | None = None  # the statement of a map that is a loop to be run in parts

    @property
    def words(self) -> str:
        """What was decided, in a line of plain words; empty where there was nothing to decide."""
        if self.threads is not None:
            return self.threads.words
        if self.walk is None:
            return ""
        streams = self.streamed is not None and isinstance(self.walk, Loops)
        later = ", streaming stores for large outputs" if streams else ""
        return describe(self.walk) + later
