"""What annotations of public names have in common: results that are not known, shapes and dtypes.

In: nothing. Out: names for type checkers; at run time none of them does anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from treadle.dtypes import DType

if TYPE_CHECKING:  # checkers know it, installed or not: a bare Command is a Command[Any]
    from typing_extensions import TypeVar

    Result = TypeVar("Result", default=Any, covariant=True)
else:
    from typing import TypeVar

    Result = TypeVar("Result", covariant=True)

__all__ = ["DTypeLike", "Result", "ShapeLike"]

DTypeLike = str | DType | np.dtype[Any] | type[np.generic]
ShapeLike = SupportsIndex | Sequence[SupportsIndex]
