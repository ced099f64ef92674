"""Audio at another sample rate: a windowed sinc, evaluated where the new frames lie."""

from __future__ import annotations

import math

import numpy as np

from treadle.errors import LaunchError
from treadle.kernels.audio import FLOATS, RATES, require_audio
from treadle.kernels.linalg import matmul
from treadle.kernels.shape import copied
from treadle.lang.composite import constant, foretold
from treadle.lang.decorators import composite, kernel

__all__: list[str] = []

PRODUCT = 1 << 18  # phases times frames of a period, up to which a dense product is quickest
WEIGHTS = 1 << 22  # of that product; more would fill memory with the same taps again and again
# Zero crossings of the sinc on each side, Kaiser's beta, and the cut-off as a part of the lower
# Nyquist frequency, placed so that the transition ends there.
QUALITIES = {
    "low": (8, 5.0, 0.80),
    "medium": (16, 8.0, 0.85),
    "high": (32, 9.0, 0.91),
    "best": (64, 10.0, 0.95),
}


def phases(up, down, quality, count):
    """The filter's taps for each of `count` frames, and where each begins in the input."""
    zeros, beta, cut = QUALITIES[quality]
    widest = max(up, down)
    half = zeros * widest
    n = np.arange(-half, half + 1)
    taps = np.sinc(n * (cut / widest)) * np.kaiser(2 * half + 1, beta)
    taps *= up / taps.sum()
    centre = np.arange(count) * down
    first = -((half - centre) // up)
    # Backwards from one of the last `up` taps, in steps of `up`; behind the first tap is nothing.
    rows = np.zeros((2 * half // up + 1, up))
    rows.reshape(-1)[: len(taps)] = taps[::-1]
    return rows.T[half - centre + first * up], first.astype(np.int32)


@kernel(static=("shape",), shape=lambda shape: shape, dtype="audio", name="_windows")
def windows(at, audio, *, shape, down, first):
    """The frames that each period of phases reads, channel by channel; silence outside."""
    channel, period, place = at
    frame = period * down + first + place
    inside = frame >= 0 and frame < audio.shape[0]
    return audio[frame, channel] if inside else 0.0


@kernel(
    static=("frames",),
    shape=lambda lines, frames: (frames, lines.shape[0]),
    name="_weave",
    results="float",
)
def woven(at, lines, *, frames):
    """Channels side by side again, without what the last period has too much."""
    return lines[at[1], at[0]]


def by_product(sound, up, down, quality, frames):
    """Resample as one product: frames of a whole number of periods read the same window."""
    taps = 2 * QUALITIES[quality][0] * max(up, down) // up + 1
    many = max(1, taps // down, -(-16 // up))
    while many > 1 and up * many * (taps + many * down) > WEIGHTS:
        many //= 2
    table, first = phases(up, down, quality, up * many)
    low = int(first.min())
    weights = np.zeros((int(first.max()) - low + taps, up * many))
    for phase in range(up * many):
        weights[first[phase] - low :, phase][:taps] = table[phase]
    channels, periods = sound.shape[1], -(-frames // (up * many))
    read = windows(
        sound, shape=(channels, periods, len(weights)), down=down * many, first=low
    ).reshape((channels * periods, len(weights)))
    made = matmul(read, constant(weights, sound.dtype))
    return woven(made.reshape((channels, periods * up * many)), frames=frames)


@kernel(
    static=("up", "down", "frames"),
    shape=lambda audio, frames: (frames, audio.shape[1]),
    dtype="audio",
    name="_resample",
)
def polyphase(at, audio, table, first, *, up, down, frames):
    """The sum over the taps of this frame's phase; silence outside."""
    frame, channel = at
    phase = frame % up
    start = frame // up * down + first[phase]
    total = 0.0
    for k in range(table.shape[1]):
        inside = start + k >= 0 and start + k < audio.shape[0]
        total += table[phase, k] * (audio[start + k, channel] if inside else 0.0)
    return total


@composite(
    ranges={"from_rate": RATES, "to_rate": RATES, "quality": tuple(QUALITIES)},
    takes=FLOATS,
    gives="ceil(frames * to_rate / from_rate) x channels",
)
def resample(audio, *, from_rate, to_rate, quality="medium"):
    """audio at another sample rate, by a polyphase windowed sinc; ceil(frames * to / from) frames.

    Rates are whole numbers of Hz, 1 to 10,000,000. quality is low, medium, high or best: 8, 16, 32
    or 64 zero crossings on each side under a Kaiser window (beta 5, 8, 9, 10), passing 60, 70, 82
    or 90% of the lower Nyquist frequency. Equals scipy.signal.resample_poly with that filter. Equal
    rates change nothing."""
    sound = require_audio(audio, "resample")
    for name, rate in (("from_rate", from_rate), ("to_rate", to_rate)):
        if rate != int(rate):
            raise LaunchError(f"resample: {name} must be a whole number of Hz, got {rate!r}")
    if from_rate == to_rate:
        return copied(audio)
    common = math.gcd(int(from_rate), int(to_rate))
    up, down = int(to_rate) // common, int(from_rate) // common
    if 2 * QUALITIES[quality][0] * max(up, down) > 1 << 24:
        raise LaunchError(
            f"resample: from_rate and to_rate must have a ratio of smaller numbers than {down} to "
            f"{up}, whose filter has more than {1 << 24} taps"
        )
    frames = -(-sound.shape[0] * up // down)
    told = foretold(audio, (frames, *audio.shape[1:]))
    if told is not None:
        return told
    if frames and up * down <= PRODUCT:
        made = by_product(sound, up, down, quality, frames)
    else:
        table, first = phases(up, down, quality, up)
        taps = constant(table, audio.dtype)
        made = polyphase(sound, taps, constant(first), up=up, down=down, frames=frames)
    return made.reshape((frames, *audio.shape[1:]))
