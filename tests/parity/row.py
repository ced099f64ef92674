"""What a row of the table of references is, and when a kernel's result agrees with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np


class Between(NamedTuple):
    """What a reference gives where its own last bits decide: anything from low to high is right."""

    low: Any
    high: Any


class Row(NamedTuple):
    """A kernel, what computes the same elsewhere, and how close they must be.

    A u8 result is compared with what the reference has before rounding: it must be the nearest
    whole number, either one within `tie` of the middle between two, since f32 cannot say on which
    side of it a sum lies; a tie of 0 asks for the even one. A reference that rounds by itself gives
    whole numbers; one that computes less exactly says how far off it is: by `steps` in a `share` of
    the elements. Floats are compared with `rtol` and `atol`, other integers exactly."""

    kernel: str
    reference: Callable[..., Any]
    inputs: tuple[Any, ...]
    params: Mapping[str, Any] = MappingProxyType({})
    rtol: float = 2e-6
    atol: float = 1e-6
    steps: int = 0
    share: float = 0.0
    tie: float = 1e-3


def check(row: Row, results: Sequence[Any]) -> None:
    """Fail unless a kernel's results agree with the row's reference."""
    with np.errstate(all="ignore"):
        expected = row.reference(*row.inputs)
    several = isinstance(expected, tuple) and not isinstance(expected, Between)
    wanted = expected if several else (expected,)
    assert len(results) == len(wanted)
    for out, want in zip(results, wanted, strict=True):
        low, high = (np.asarray(w) for w in (want if isinstance(want, Between) else (want, want)))
        assert out.shape == low.shape
        if out.dtype == np.uint8:
            low, high = (np.clip(w.astype(np.float64), 0, 255) for w in (low, high))
            if not row.tie:
                low, high = np.rint(low), np.rint(high)
            room = 0.5 + row.tie if row.tie else 0.0
            off = np.maximum(low - out, out - high)
            assert off.max(initial=0) <= room + row.steps
            assert np.count_nonzero(off > room) <= row.share * out.size
        elif out.dtype.kind != "f":
            np.testing.assert_array_equal(out, low.astype(out.dtype))
        else:
            np.testing.assert_allclose(out, low, rtol=row.rtol, atol=row.atol)
