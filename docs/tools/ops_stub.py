"""Write src/treadle/ops.pyi: what editors and type checkers know of treadle.ops.

In: the definitions of the kernels that ship with Treadle. Out: a signature with types for each of
them and for its other names, with its documentation. tests/unit/test_ops.py fails where the file is
not what this program writes.

    python docs/tools/ops_stub.py
"""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from treadle import ops
from treadle.arrays import SEVERAL
from treadle.kernels import ALIASES
from treadle.lang import registry
from treadle.lang.parameters import REQUIRED, Parameter

TARGET = Path(__file__).resolve().parents[2] / "src" / "treadle" / "ops.pyi"
HEAD = '''\
"""Every kernel as a function; written by docs/tools/ops_stub.py from the kernels' definitions."""

from collections.abc import Sequence
from os import PathLike
from typing import Literal

from treadle.arrays import ArrayLike
from treadle.runtime.buffer import Buffer
from treadle.typed import DTypeLike
'''

AXES = "int | tuple[int, ...] | None"
SIZE = "int | tuple[int, int]"
PAIR = "int | tuple[int, int]"
SPATIAL = "int | tuple[int, ...]"
NUMBERS = "float | Sequence[float]"
WHOLE = "int | None | tuple[int | None, ...]"
# Of parameters whose rule is said in words alone, by name; those of one kernel as kernel.name.
RULED = {
    "argmax.axis": AXES,
    "argmin.axis": AXES,
    "amounts": "int | tuple[int, int] | tuple[tuple[int, int], ...]",
    "axes": "int | tuple[int, ...] | None",
    "axis": "int",
    "batch": "int",
    "color": NUMBERS,
    "conv2d.padding": "int | tuple[int, int] | tuple[int, int, int, int]",
    "conv2d.dilation": PAIR,
    "conv2d.stride": PAIR,
    "dilation": SPATIAL,
    "dtype": "DTypeLike | None",
    "file": "str | PathLike[str] | None",
    "frequency": "float",
    "gains": "Sequence[float] | None",
    "height": "int | None",
    "histogram.range": "tuple[float, float] | None",
    "k": "int",
    "matrix": "Sequence[Sequence[float]]",
    "mean": f"{NUMBERS} | None",
    "more": SPATIAL,
    "padding": SPATIAL,
    "parts": "int | tuple[int, ...]",
    "reduce_max.axis": AXES,
    "reduce_mean.axis": AXES,
    "reduce_min.axis": AXES,
    "reduce_prod.axis": AXES,
    "reduce_sum.axis": AXES,
    "region": f"{NUMBERS} | None",
    "repeats": "int | tuple[int, ...]",
    "scales": f"{NUMBERS} | None",
    "shape": "int | Sequence[int]",
    "size": SIZE,
    "sizes": "int | Sequence[int] | None",
    "starts": WHOLE,
    "std": f"{NUMBERS} | None",
    "steps": WHOLE,
    "stops": WHOLE,
    "stride": SPATIAL,
    "transpose.axes": "Sequence[int] | None",
    "value": "float",
    "width": "int | None",
    "window": SPATIAL,
    "x": "int",
    "y": "int",
}


def type_of(kernel: str, parameter: Parameter) -> str:
    """Return the type of a parameter as text; KeyError for a rule that the table does not have."""
    if parameter.choices:
        flags = parameter.choices == (False, True)
        return "bool" if flags else f"Literal[{', '.join(map(repr, parameter.choices))}]"
    optional = " | None" if parameter.default is None else ""
    if parameter.rule:
        found = RULED.get(f"{kernel}.{parameter.name}") or RULED[parameter.name]
        return found if not optional or "None" in found else found + optional
    whole = isinstance(parameter.default, int) or (
        parameter.default is REQUIRED and isinstance(parameter.low, int)
    )
    return f"{'int' if whole else 'float'}{optional}"


def function(name: str) -> str:
    """Return the declaration of one function."""
    definition = registry.lookup(name)
    listed = [f"{each}: ArrayLike" for each in definition.inputs]
    listed += [f"{each}: ArrayLike | None = None" for each in definition.optional]
    listed.append(f"*{definition.variadic}: ArrayLike" if definition.variadic else "*")
    for parameter in definition.parameters.declared.values():
        text = f"{parameter.name}: {type_of(definition.name, parameter)}"
        required = parameter.default is REQUIRED
        listed.append(text if required else f"{text} = {parameter.default!r}")
    count = SEVERAL.get(definition.name, 1)
    several = f"tuple[{', '.join(['Buffer'] * count)}]"
    listed.append(f"output: {f'{several} | None' if count > 1 else 'Buffer | None'} = None")
    doc: Any = getattr(ops, name).__doc__
    body = textwrap.indent(f'"""{doc}"""', "    ", lambda line: bool(line.strip()))
    arguments = ",\n    ".join(listed)
    gives = several if count > 1 else "Buffer"
    return f"def {name}(\n    {arguments},\n) -> {gives}:\n{body}\n"


def text() -> str:
    """Return the whole file."""
    names = sorted({*ops.__all__})
    assert set(ALIASES) < set(names)
    listed = "".join(f'    "{name}",\n' for name in names)
    return "\n".join([HEAD + f"\n__all__ = [\n{listed}]\n", *map(function, names)])


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
    print(TARGET)
