"""What users are told about a kernel: its signature, parameters, dtypes and shapes, in words.

In: facts, from a definition. Out: text, and tables for notebooks. Nothing is looked up here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from treadle.data import dataclass
from treadle.dtypes import STORED, DType
from treadle.lang.parameters import REQUIRED, Parameter
from treadle.tables import facts, listing

__all__ = ["Form", "KernelInfo", "listed"]


class Form(StrEnum):
    """How a kernel's function is applied."""

    POINTWISE = "pointwise"
    KERNEL = "kernel"
    REDUCTION = "reduction"
    ROWWISE = "rowwise"
    SCAN = "scan"
    COMPOSITE = "composite"
    HOST = "host"


@dataclass(frozen=True, slots=True)
class KernelInfo:
    """What a kernel takes and does."""

    name: str
    form: Form
    signature: str
    doc: str
    inputs: tuple[str, ...]
    optional_inputs: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    aliases: tuple[str, ...]
    shipped: bool  # with Treadle, as opposed to registered at run time
    dtypes: Mapping[str, tuple[DType, ...]]  # that each input may have
    shape: str  # of the outputs, in words
    lines: str = ""  # of a scan: how they are walked, in words

    def _repr_html_(self) -> str:
        table = listing(self.signature, ("parameter", "default", "range"), [
            (each.name, "" if each.default is REQUIRED else each.default, each.range)
            for each in self.parameters
        ])  # fmt: skip
        return facts(self.doc, {"inputs": self.inputs, "output": self.shape}) + table

    def __str__(self) -> str:
        lines = [self.signature, "", self.doc] if self.doc else [self.signature]
        for parameter in self.parameters:
            known = (
                [f"default {parameter.default!r}"]
                if parameter.default is not REQUIRED
                else ["required"]
            )
            if parameter.range:
                known.append(parameter.range)
            if parameter.static:
                known.append("static")
            lines.append(f"  {parameter.name}: {', '.join(known)}")
        for name, dtypes in self.dtypes.items():
            lines.append(f"  {name}: {'any dtype' if dtypes == STORED else listed(dtypes)}")
        lines.append(f"  output: {self.shape}")
        if self.lines:
            lines.append(f"  lines: {self.lines}")
        if self.aliases:
            lines.append(f"  also: {', '.join(self.aliases)}")
        return "\n".join(lines)


def listed(dtypes: Sequence[str]) -> str:
    """Return dtypes in words: "f32, s32 or u8"."""
    return " or ".join(filter(None, (", ".join(dtypes[:-1]), dtypes[-1])))
