"""Kernels with concrete sizes: stages over numbered slots.

In: nothing. Out: the small frozen dataclasses that `Definition.bind` returns, that passes fuse and
that the runtime plans. Knows no devices and no Python functions.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from treadle.data import dataclass
from treadle.dtypes import DType

if TYPE_CHECKING:
    import numpy as np

    from treadle.ir.nodes import Kernel
    from treadle.ir.repeat import Loop

__all__ = ["Bound", "Fused", "Spec", "Stage"]


@dataclass(frozen=True, slots=True)
class Spec:
    """The shape and storage type of a buffer."""

    shape: tuple[int, ...]
    dtype: DType

    @property
    def elements(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the whole."""
        return math.prod(self.shape) * self.dtype.size

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True, slots=True)
class Stage:
    """One kernel of a bound definition, over numbered slots.

    `dims` are the values of `kernel.symbols`. `picks` selects the kernel's parameters from the
    definition's runtime values, in the order of `kernel.params`; where the definition computed them
    itself (a composite), `fixed` holds them instead. `grows` is what each of them is more by in the
    next turn of a loop (ir.repeat); it is empty where all stay the same."""

    kernel: Kernel
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    dims: tuple[int, ...]
    picks: tuple[int, ...] = ()
    fixed: tuple[float, ...] | None = None
    grows: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Bound:
    """A definition bound to concrete specs: stages in order, over slots.

    Slots count the inputs first, then `outputs`, then `temps` (scratch that lives for one run),
    then `constants`: tables that the definition computed itself, the same for every run. `loops`
    says which stages run several times: apart from each other, in order."""

    inputs: tuple[Spec, ...]
    outputs: tuple[Spec, ...]
    temps: tuple[Spec, ...]
    stages: tuple[Stage, ...]
    constants: tuple[np.ndarray[Any, Any], ...] = ()
    loops: tuple[Loop, ...] = ()


@dataclass(frozen=True, slots=True)
class Fused:
    """What is left of a bound whose stages were fused. `groups` has the numbers of the given stages
    that each stage does, `notes` a line for each given stage."""

    bound: Bound
    groups: tuple[tuple[int, ...], ...]
    notes: tuple[str, ...]
