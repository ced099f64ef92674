"""Sound as a picture: what it contains over time, and its waveform below.

In: samples and their rate. Out: RGB u8 arrays. Time goes to the right; frequency goes up, on a
logarithmic scale from 50 Hz to 24 kHz whatever the rate, with faint lines at 100 Hz, 1 kHz and
10 kHz; brighter is louder, in steps of 4 dB. Plain NumPy: it knows no devices and no kernels."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

__all__ = ["beside", "draw"]

Image = npt.NDArray[np.uint8]
Samples = npt.NDArray[np.floating]

_LOW, _HIGH = 50.0, 24_000.0
_WINDOW = 0.04  # seconds: 25 Hz apart, which tells the lowest notes from each other
_FLOOR, _STEP = -88.0, 4.0  # dB below a full sine that are drawn, and how finely
_LINES = (100.0, 1000.0, 10_000.0)
# Loudness from nothing to full.
_COLOURS = np.array(
    [(8, 8, 20), (40, 18, 84), (112, 31, 111), (190, 55, 84), (240, 120, 42), (252, 240, 160)],
    np.float64,
)


def draw(
    samples: Samples, rate: int, *, width: int = 150, height: int = 120, wave: int = 36
) -> Image:
    """Return a picture of a sound: frames, or frames x channels, of which the mean is drawn."""
    mono = np.asarray(samples, np.float64)
    mono = mono.mean(axis=1) if mono.ndim == 2 else mono
    if not mono.size:
        raise ValueError("samples: expected at least one frame, got none")
    gap = np.full((2, width, 3), 255, np.uint8)
    return np.concatenate([_loudness(mono, rate, width, height), gap, _waveform(mono, width, wave)])


def beside(*images: Image, gap: int = 8) -> Image:
    """Put pictures of one height next to each other."""
    space = np.full((images[0].shape[0], gap, 3), 255, np.uint8)
    parts = [part for image in images for part in (space, image)]
    return np.concatenate(parts[1:], axis=1)


def _loudness(mono: Samples, rate: int, width: int, height: int) -> Image:
    size = max(int(_WINDOW * rate), 16)
    window = np.hanning(size)
    centres = (np.arange(width) + 0.5) * (len(mono) / width)
    padded = np.pad(mono, size)
    starts = centres.astype(np.int64) + size - size // 2
    frames = padded[starts[:, None] + np.arange(size)] * window
    power = np.abs(np.fft.rfft(frames, 4 * size, axis=1)) ** 2 / (window.sum() / 2) ** 2
    # A row shows the loudest of the frequencies that it stands for: a thin line stays visible.
    edges = _LOW * (_HIGH / _LOW) ** (np.arange(height + 1) / height)
    bins = np.rint(edges * 4 * size / rate).astype(np.int64)
    rows = np.zeros((height, width))
    for row, (first, last) in enumerate(pairwise(bins)):
        if first < power.shape[1]:  # above half the rate there is nothing
            rows[row] = power[:, first : max(last, first + 1)].max(axis=1)
    level = 10 * np.log10(np.maximum(rows, 1e-12))
    steps = np.clip(np.floor((level - _FLOOR) / _STEP), 0, -_FLOOR / _STEP) / (-_FLOOR / _STEP)
    place = steps * (len(_COLOURS) - 1)
    cell = np.minimum(place.astype(np.int64), len(_COLOURS) - 2)
    part = (place - cell)[..., None]
    image = _COLOURS[cell] * (1 - part) + _COLOURS[cell + 1] * part
    for line in _LINES:
        row = int(np.searchsorted(edges, line)) - 1
        image[row, ::4] = 0.5 * image[row, ::4] + 90
    return np.asarray(np.rint(image[::-1]), np.uint8)


def _waveform(mono: Samples, width: int, height: int) -> Image:
    """The lowest and highest sample of each column, full scale being the whole height."""
    edges = np.linspace(0, len(mono), width + 1).astype(np.int64)
    image = np.full((height, width, 3), 238, np.uint8)
    middle = (height - 1) / 2
    image[int(middle)] = 200
    for column, (first, last) in enumerate(pairwise(edges)):
        part = np.clip(mono[first : max(last, first + 1)], -1, 1)
        if part.size:
            top, bottom = (int(np.rint(middle - v * middle)) for v in (part.max(), part.min()))
            image[top : bottom + 1, column] = (40, 70, 120)
    return image
