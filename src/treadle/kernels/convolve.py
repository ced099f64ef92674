"""Convolution along frames: by its sum, or by Fourier transforms written as maps.

In: sound and an impulse response, frames x channels. Out: the convolution, mixed with the sound.
The sum is what it means, and what runs where a device has a library routine or the response is
short. Elsewhere the sound is cut into overlapping pieces, two of which are the real and imaginary
parts of one, and a transform is a few stages, each of which computes every element from eight, four
or two of the stage before. Checks nothing: fft_convolve has."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from treadle.kernels.blend import scaled
from treadle.kernels.shape import joined
from treadle.lang.composite import constant, foretold
from treadle.lang.decorators import function, kernel

__all__ = ["reverberate"]

DIRECT = 128  # taps up to which the sum is quicker
HELD = 1 << 24  # complex elements that are held at a time
JOINED = 6  # parts that are put together at a time
LARGEST = 22  # power of two of the largest transform


def wet_shape(audio, impulse, tail):
    """The frames of the audio, with or without what rings on."""
    more = max(impulse.shape[0] - 1, 0) if tail else 0
    return (audio.shape[0] + more, audio.shape[1])


@function
def frame_of(audio, frame, channel):
    """A sample, silent outside."""
    inside = frame >= 0 and frame < audio.shape[0]
    return audio[frame, channel] if inside else 0.0


@kernel(
    static=("frames",),
    shape=lambda audio, frames: (frames, audio.shape[1]),
    dtype="audio",
    name="_dry",
)
def unchanged(at, audio, *, frames):
    """The audio, and silence until it has so many frames."""
    return frame_of(audio, at[0], at[1])


@kernel(
    static=("tail",), shape=wet_shape, routine="fft_convolve", name="_fft_convolve", results="float"
)
def summed(at, audio, impulse, *, wet, tail=False):
    """The convolution's sum, mixed with the input."""
    frame, channel = at
    total = 0.0
    for k in range(impulse.shape[0]):
        sample = audio[frame - k, channel]
        inside = frame >= k and frame - k < audio.shape[0]
        total += impulse[k, channel] * (sample if inside else 0.0)
    dry = audio[frame, channel] if frame < audio.shape[0] else 0.0
    return scaled(total, wet) + scaled(dry, 1.0 - wet)


@kernel(
    static=("pairs", "size"),
    shape=lambda audio, pairs, size: (audio.shape[1], pairs, size),
    name="_pieces",
    results=("float", "float"),
)
def pieces(at, audio, *, pairs, size, first, step):
    """Pieces of each channel that begin `step` frames apart, two by two as one complex piece."""
    channel, pair, place = at
    frame = first + 2 * pair * step + place
    return frame_of(audio, frame, channel), frame_of(audio, frame + step, channel)


@kernel(
    static=("radix",), shape=lambda real: real.shape, name="_transform", results=("float", "float")
)
def transformed(at, real, imaginary, waves, *, radix, done, sign):
    """One stage of a Fourier transform of each row, in Stockham's order, which needs no reversal.

    Transforms of `done` elements have been made, each of every (size // done)th element, and
    `radix` of them become one. waves holds cos and sin of 2 pi k / size."""
    row, place = at
    size = real.shape[1]
    many = size // done
    left = many // radix
    frequency = place // left
    start = frequency % done * many + place % left
    x = 0.0
    y = 0.0
    for s in range(radix):
        turn = s * frequency * left % size
        c, w = waves[0, turn], waves[1, turn] * sign
        a, b = real[row, start + s * left], imaginary[row, start + s * left]
        x = x + (a * c - b * w)
        y = y + (a * w + b * c)
    return x, y


@kernel(shape=lambda real: real.shape, name="_filtered", results=("float", "float"))
def filtered(at, real, imaginary, response, shift):
    """The product of spectra: those of the pieces, and that of their channel's impulse."""
    channel, _, place = at
    a, b = real[at], imaginary[at]
    c, d = response[channel, place], shift[channel, place]
    return a * c - b * d, a * d + b * c


@kernel(
    static=("frames",),
    shape=lambda audio, frames: (frames, audio.shape[1]),
    dtype="audio",
    name="_overlap",
)
def laid(at, audio, real, imaginary, *, frames, first, step, wet):
    """The frames of pieces that no frame before them is missing for, one after the other, mixed
    with the input."""
    frame, channel = at
    piece = frame // step
    size = real.shape[2]
    place = size - step + frame % step
    even = piece % 2 == 0
    pair = piece // 2
    found = real[channel, pair, place] if even else imaginary[channel, pair, place]
    dry = frame_of(audio, first + frame, channel)
    return scaled(found / size, wet) + scaled(dry, 1.0 - wet)


@lru_cache(maxsize=4)
def turns(size, dtype):
    """cos and sin of 2 pi k / size."""
    angle = 2 * math.pi * np.arange(size) / size
    return constant(np.stack([np.cos(angle), np.sin(angle)]), dtype)


def transform(real, imaginary, *, inverse=False):
    """Record the Fourier transform of each row, times the size for the inverse."""
    size = real.shape[1]
    waves = turns(size, real.dtype)
    done = 1
    while done < size:
        radix = min(8, size // done)
        real, imaginary = transformed(
            real, imaginary, waves, radix=radix, done=done, sign=1.0 if inverse else -1.0
        )
        done *= radix
    return real, imaginary


def best_size(frames, taps):
    """The size of transforms that has the least to do for so many frames."""
    low = max(10, (2 * taps - 1).bit_length())
    choices = range(low, max(low, LARGEST) + 1)

    def cost(power):
        count = -(-frames // ((1 << power) - taps + 1))
        return -(-count // 2) * (1 << power) * (power + 3)

    return 1 << min(choices, key=cost)


def by_transforms(sound, response, wet, frames):
    """Convolve piece by piece: each transform gives the frames that lie wholly inside it."""
    taps, channels = response.shape[0], sound.shape[1]
    told = foretold(sound, (frames, channels))
    if told is not None:
        return told
    size = best_size(frames, taps)
    step = size - taps + 1
    planes = pieces(response, pairs=1, size=size, first=0, step=size)
    heard = transform(*(plane.reshape((response.shape[1], size)) for plane in planes))
    held = max(1, HELD // (size * max(channels, 1)))
    parts = []
    for first in range(0, frames, 2 * held * step):
        length = min(2 * held * step, frames - first)
        pairs = -(-length // (2 * step))
        cut = pieces(sound, pairs=pairs, size=size, first=first - taps + 1, step=step)
        flat = transform(*(plane.reshape((channels * pairs, size)) for plane in cut))
        product = filtered(*(plane.reshape((channels, pairs, size)) for plane in flat), *heard)
        flat = (plane.reshape((channels * pairs, size)) for plane in product)
        back = [p.reshape((channels, pairs, size)) for p in transform(*flat, inverse=True)]
        made = laid(sound, *back, frames=length, first=first, step=step, wet=wet)
        parts.append(made.reshape((1, length, channels)))
    while len(parts) > 1:  # a few at a time: devices bound how many buffers a stage reads
        groups = [parts[k : k + JOINED] for k in range(0, len(parts), JOINED)]
        parts = [joined(*group) if len(group) > 1 else group[0] for group in groups]
    return parts[0].reshape((frames, channels))


def reverberate(sound, response, wet, tail):
    """wet * (sound convolved with the response) + (1 - wet) * sound, as long as the sound or, with
    `tail`, until the last of it has ended."""
    frames = sound.shape[0] + (response.shape[0] - 1 if tail else 0)
    if wet == 0 and sound.shape[0]:
        return unchanged(sound, frames=frames)
    short = response.shape[0] <= DIRECT or frames * sound.shape[1] == 0
    if short or sound.has_routine("fft_convolve") or response.shape[0] > 1 << (LARGEST - 1):
        return summed(sound, response, wet=wet, tail=tail)
    return by_transforms(sound, response, wet, frames)
