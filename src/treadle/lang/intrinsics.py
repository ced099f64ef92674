"""The functions that a kernel may call without importing anything, by name.

In: a name or a Python function (builtins, math, NumPy). Out: the operation it stands for. It knows
nothing about types; values.Typing applies what it finds.
"""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from treadle.dtypes import STORED, DType
from treadle.ir.ops import OPS, Rule

__all__ = ["CONVERSIONS", "FOLDS", "NAMES", "operation_of"]

_RENAMED = {
    "min": "minimum",
    "max": "maximum",
    "where": "select",
    "power": "pow",
    "fabs": "abs",
    "absolute": "abs",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "rint": "round",
}
_OPERATORS = {"add", "sub", "mul", "div", "floordiv", "mod", "neg", "select"}

CONVERSIONS: dict[str, DType] = {
    str(dtype): dtype
    for dtype in STORED
    if dtype is not DType.BOOL  # which Python has
}

# Callable names: every operation that has no operator of its own, and the usual spellings.
NAMES: dict[str, str] = {
    name: name
    for name, row in OPS.items()
    if row.rule in (Rule.FLOAT, Rule.TEST, Rule.ORDER, Rule.NUMBER, Rule.INTEGER)
    and name not in (*_OPERATORS, *CONVERSIONS)
} | _RENAMED
FOLDS = {"sum": "sum", "prod": "prod", "max": "max", "min": "min", "amax": "max", "amin": "min"}
SPECIAL = frozenset({"int", "float", "bool", "len", "clamp", "mean", "clip", *FOLDS})


def operation_of(target: Any) -> str | None:
    """Return the intrinsic's name for a function object that a kernel refers to, if there is
    one."""
    if isinstance(target, DType):
        return str(target)
    name = getattr(target, "__name__", None)
    if not isinstance(name, str):
        return None
    known = name in NAMES or name in SPECIAL or name in CONVERSIONS
    if not known:
        return None
    for module in (builtins, math, np):
        if getattr(module, name, None) is target:
            return name
    return None
