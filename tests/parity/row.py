"""What a row of the table of references is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


class Row(NamedTuple):
    """A kernel, what computes the same elsewhere, and how close they must be.

    u8 results may differ by `steps` in a `share` of the elements, since a reference that computes
    in
    f64 may round a tie the other way."""

    kernel: str
    reference: Callable[..., Any]
    inputs: tuple[Any, ...]
    params: Mapping[str, Any] = MappingProxyType({})
    rtol: float = 2e-6
    atol: float = 1e-6
    steps: int = 1
    share: float = 0.002
