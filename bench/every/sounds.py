"""Sound: a few minutes of stereo, or a block of it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from bench.every.case import LARGE, Case, of

__all__ = ["sounds"]


def _section(scipy: Any, a: Any) -> Any:
    """The low pass of the audio EQ cookbook at 1 kHz of 48."""
    w, q = 2 * math.pi * 1000 / 48000, math.sqrt(0.5)
    alpha, c = math.sin(w) / (2 * q), math.cos(w)
    b = [(1 - c) / 2 / (1 + alpha), (1 - c) / (1 + alpha), (1 - c) / 2 / (1 + alpha)]
    return scipy.signal.lfilter(b, [1, -2 * c / (1 + alpha), (1 - alpha) / (1 + alpha)], a, axis=0)


def _resampled(scipy: Any, a: Any) -> Any:
    """From 44,100 to 48,000 Hz with the filter of quality "medium"."""
    taps = scipy.signal.firwin(2 * 16 * 160 + 1, 0.85 / 160, window=("kaiser", 8.0))
    return scipy.signal.resample_poly(a, 160, 147, window=taps.astype(a.dtype))


def sounds(count: int) -> Iterator[Case]:
    """The kernels of sound that NumPy or SciPy have a short form for."""
    sound = ((count // 2, 2), "unit")
    louder = lambda _, a: a * 10 ** (-6 / 20)  # noqa: E731
    yield Case("gain", (sound,), of(numpy=louder, torch=louder), {"db": -6.0})
    mixed = lambda _, a, b: a * 0.5 + b * 0.25  # noqa: E731
    yield Case("pcm_mix", (sound, sound), of(numpy=mixed, torch=mixed), {"gains": (0.5, 0.25)})
    peak = lambda _, a: a * (10 ** (-1 / 20) / abs(a).max())  # noqa: E731
    yield Case("pcm_normalize", (sound,), of(numpy=peak, torch=peak))
    yield Case("biquad_filter", (sound,), of(scipy=_section), close=1e-3)
    room = ((24000 if count == LARGE else 2400, 1), "unit")
    yield Case(
        "fft_convolve",
        (((count // 4, 1), "unit"), room),
        of(scipy=lambda s, a, b: s.signal.fftconvolve(a, b, axes=0)[: len(a)]),
        close=1e-3,
    )
    yield Case(
        "resample",
        (((count // 4, 1), "unit"),),
        of(scipy=_resampled),
        {"from_rate": 44100, "to_rate": 48000},
        close=1e-3,
    )
