"""Audio: f32 or f64 samples, -1 to 1, as frames x channels, or frames alone for one channel.

Levels are in dB of amplitude, 20 log10(|x|), 0 dB at 1; times in ms, frequencies and rates in Hz.
Nothing is clipped: a float holds what goes beyond 1, and gain can bring it back."""

from __future__ import annotations

import math

import numpy as np

from weft.errors import LaunchError
from weft.lang.composite import constant
from weft.lang.decorators import composite, function, kernel, pointwise, reduction, scan

__all__: list[str] = []

DB = math.log(10) / 20  # exp(DB * x) is the factor of x dB
RATES = (1, 10_000_000)
TIMES = (0.0, 3_600_000.0)
LEVELS = (-300.0, 300.0)
BUTTERWORTH = math.sqrt(0.5)  # the quality of a flat response
FLOATS = ("f32", "f64")
SAME = "that of audio"


def require_audio(x, what, name="audio"):
    """Refuse what is not audio; return it as frames x channels."""
    if x.ndim not in (1, 2):
        raise LaunchError(
            f"{what}: {name} must be frames x channels or frames, got shape {x.shape}"
        )
    return x.reshape((x.shape[0], 1)) if x.ndim == 1 else x


@pointwise(ranges={"db": LEVELS}, dtype="audio", takes=FLOATS)
def gain(audio, *, db=0.0):
    """audio * 10^(db / 20), db -300 to 300."""
    return audio * exp(db * DB)


def mixed_shape(inputs):
    """As many frames as the longest."""
    return (max(spec.shape[0] for spec in inputs), inputs[0].shape[1])


@kernel(static=("padded",), shape=mixed_shape, name="_mix")
def weighted(at, gains, *inputs, padded=False):
    """The sum of gain * input; what has ended is silent."""
    frame, channel = at
    total = 0.0
    for k in range(len(inputs)):
        sample = gains[k] * inputs[k][frame, channel]
        if padded:
            sample = sample if frame < inputs[k].shape[0] else 0.0
        total = total + sample
    return total


@composite(takes=FLOATS, gives="that of the longest input")
def pcm_mix(*inputs, gains=None):
    """The sum of gain * input over one or more inputs, as long as the longest of them.

    gains has one factor (not dB) for each input, all 1 by default. Channels and dtype are the same
    for all."""
    flat = [require_audio(x, "pcm_mix", f"input {k}") for k, x in enumerate(inputs)]
    factors = (1.0,) * len(flat) if gains is None else gains
    factors = factors if isinstance(factors, tuple) else (factors,)
    usable = all(isinstance(g, int | float) and math.isfinite(g) for g in factors)
    if len(factors) != len(flat) or not usable:
        raise LaunchError(
            f"pcm_mix: gains must be {len(flat)} finite numbers, one for each input, got {gains!r}"
        )
    for k, x in enumerate(inputs):
        if x.dtype != inputs[0].dtype or x.shape[1:] != inputs[0].shape[1:]:
            raise LaunchError(
                f"pcm_mix: input {k} must be {inputs[0].dtype} with the channels of the first, "
                f"{inputs[0].shape}, got {x.dtype} {x.shape}"
            )
    frames = max(x.shape[0] for x in flat)
    heard = [(x, g) for x, g in zip(flat, factors, strict=True) if x.shape[0]] or [
        (flat[0], factors[0])
    ]
    padded = any(x.shape[0] != frames for x, _ in heard)
    table = constant([g for _, g in heard], inputs[0].dtype)
    mixed = weighted(table, *(x for x, _ in heard), padded=padded)
    return mixed.reshape((frames, *inputs[0].shape[1:]))


@function
def magnitude(x):
    return abs(x)


@reduction(init=0.0, lift=magnitude, name="_peak")
def peak(a, b):
    """The largest magnitude."""
    return maximum(a, b)


@pointwise(dtype="audio", name="_to_peak")
def to_peak(audio, peak, *, target):
    """audio with its peak moved to target."""
    return audio * (target / peak if peak > 0 else 1.0)


@composite(ranges={"target_db": LEVELS}, takes=FLOATS, gives=SAME)
def pcm_normalize(audio, *, target_db=-1.0):
    """audio times one factor that brings its peak to target_db (-300 to 300); silence stays."""
    require_audio(audio, "pcm_normalize")
    return to_peak(audio, peak(audio), target=10.0 ** (target_db / 20))


@scan(init=(0.0, 0.0), name="_biquad")
def state_variable(state, audio, *, c1, c2, c3, m0, m1, m2):
    """A second-order section as two integrators, whose coefficients f32 holds at any frequency."""
    s1, s2 = state
    v = audio - s2
    n1 = (s1 + c1 * s1) + c2 * v
    n2 = (s2 + c2 * s1) + c3 * v
    return (n1, n2), m0 * audio + m1 * (n1 + s1) + m2 * (n2 + s2)


# kind: what multiplies the frequency's tangent and the damping for a gain factor A (the square root
# of the gain), and the shares of input, band and low in the output, for a damping k.
FILTERS = {
    "low": lambda a, k: (1, 1, 0, 0, 1),
    "high": lambda a, k: (1, 1, 1, -k, -1),
    "band": lambda a, k: (1, 1, 0, k, 0),
    "notch": lambda a, k: (1, 1, 1, -k, 0),
    "peak": lambda a, k: (1, 1 / a, 1, k / a * (a * a - 1), 0),
    "low_shelf": lambda a, k: (1 / math.sqrt(a), 1, 1, k * (a - 1), a * a - 1),
    "high_shelf": lambda a, k: (math.sqrt(a), 1, a * a, k * (1 - a) * a, 1 - a * a),
}


@composite(
    ranges={
        "frequency": (0.0, None),
        "q": (1e-3, 1e3),
        "gain_db": (-120.0, 120.0),
        "sample_rate": RATES,
    },
    takes=FLOATS,
    gives=SAME,
)
def biquad_filter(
    audio, *, kind="low", frequency=1000.0, q=BUTTERWORTH, gain_db=0.0, sample_rate=48000
):
    """One second-order filter of R. Bristow-Johnson's audio EQ cookbook, along the frames.

    kind: low, high, band (0 dB at its peak), notch, peak, low_shelf or high_shelf; gain_db (-120 to
    120) counts for the last three. frequency lies above 0 and below sample_rate / 2; q is 0.001 to
    1000. It starts from silence. Computed as A. Simper's trapezoidal state variable filter, which
    has the cookbook's transfer functions and keeps its accuracy in f32 at low frequencies."""
    require_audio(audio, "biquad_filter")
    if kind not in FILTERS:
        raise LaunchError(f"biquad_filter: kind must be one of {', '.join(FILTERS)}, got {kind!r}")
    if not 0 < frequency < sample_rate / 2:
        raise LaunchError(
            f"biquad_filter: frequency must be above 0 and below {sample_rate / 2}, half the "
            f"sample_rate, got {frequency!r}"
        )
    bend, damp, m0, m1, m2 = FILTERS[kind](10 ** (gain_db / 40), 1 / q)
    g, k = math.tan(math.pi * frequency / sample_rate) * bend, damp / q
    scale = 2 / (1 + g * (g + k))
    c2, c3 = scale * g, scale * g * g
    return state_variable(
        audio, c1=-(c3 + k * c2), c2=c2, c3=c3, m0=float(m0), m1=m1 / 2, m2=m2 / 2, axis=0
    )


def wet_shape(audio, impulse, tail):
    """The frames of the audio, with or without what rings on."""
    more = max(impulse.shape[0] - 1, 0) if tail else 0
    return (audio.shape[0] + more, audio.shape[1])


@kernel(static=("tail",), shape=wet_shape, routine="fft_convolve", name="_fft_convolve")
def reverberated(at, audio, impulse, *, wet, tail=False):
    """The convolution's sum, mixed with the input."""
    frame, channel = at
    total = 0.0
    for k in range(impulse.shape[0]):
        sample = audio[frame - k, channel]
        inside = frame >= k and frame - k < audio.shape[0]
        total += impulse[k, channel] * (sample if inside else 0.0)
    dry = audio[frame, channel] if frame < audio.shape[0] else 0.0
    return wet * total + (1.0 - wet) * dry


@composite(
    ranges={"wet": (0.0, 1.0)},
    takes=FLOATS,
    gives="that of audio, with len(impulse) - 1 frames more for tail",
)
def fft_convolve(audio, impulse, *, wet=1.0, tail=False):
    """audio convolved with an impulse response: wet * convolution + (1 - wet) * audio, wet 0 to 1.

    The impulse has audio's channels, or one that serves all. The result is as long as the audio;
    with tail it has len(impulse) - 1 frames more, in which the last sounds ring on."""
    sound, response = (
        require_audio(audio, "fft_convolve"),
        require_audio(impulse, "fft_convolve", "impulse"),
    )
    if response.shape[1] not in (1, sound.shape[1]) or audio.dtype != impulse.dtype:
        raise LaunchError(
            f"fft_convolve: impulse must be {audio.dtype} with 1 or {sound.shape[1]} channels, got "
            f"{impulse.dtype} {impulse.shape}"
        )
    if not response.shape[0]:
        raise LaunchError("fft_convolve: impulse must have at least one frame, got none")
    made = reverberated(sound, response, wet=float(wet), tail=bool(tail))
    return made.reshape((made.shape[0], *audio.shape[1:]))


# Zero crossings of the sinc on each side, Kaiser's beta, and the cut-off as a part of the lower
# Nyquist frequency, placed so that the transition ends there.
QUALITIES = {
    "low": (8, 5.0, 0.80),
    "medium": (16, 8.0, 0.85),
    "high": (32, 9.0, 0.91),
    "best": (64, 10.0, 0.95),
}


def phases(up, down, quality):
    """The filter's taps for each of the `up` phases, and where each begins in the input."""
    zeros, beta, cut = QUALITIES[quality]
    widest = max(up, down)
    half = zeros * widest
    n = np.arange(-half, half + 1)
    taps = np.sinc(n * (cut / widest)) * np.kaiser(2 * half + 1, beta)
    taps *= up / taps.sum()
    centre = np.arange(up) * down
    first = -((half - centre) // up)
    index = half + centre[:, None] - (first[:, None] + np.arange(2 * half // up + 1)) * up
    table = np.where((index >= 0) & (index <= 2 * half), taps[np.clip(index, 0, 2 * half)], 0.0)
    return table, first.astype(np.int32)


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
    ranges={"from_rate": RATES, "to_rate": RATES},
    takes=FLOATS,
    gives="ceil(frames * to_rate / from_rate) x channels",
)
def resample(audio, *, from_rate, to_rate, quality="medium"):
    """audio at another sample rate, by a polyphase windowed sinc; ceil(frames * to / from) frames.

    Rates are whole numbers of Hz, 1 to 10,000,000. quality is low, medium, high or best: 8, 16, 32
    or 64 zero crossings on each side under a Kaiser window (beta 5, 8, 9, 10), passing 60, 70, 82
    or 90% of the lower Nyquist frequency. Equals scipy.signal.resample_poly with that filter."""
    sound = require_audio(audio, "resample")
    for name, rate in (("from_rate", from_rate), ("to_rate", to_rate)):
        if rate != int(rate):
            raise LaunchError(f"resample: {name} must be a whole number of Hz, got {rate!r}")
    if quality not in QUALITIES:
        raise LaunchError(
            f"resample: quality must be one of {', '.join(QUALITIES)}, got {quality!r}"
        )
    common = math.gcd(int(from_rate), int(to_rate))
    up, down = int(to_rate) // common, int(from_rate) // common
    if 2 * QUALITIES[quality][0] * max(up, down) > 1 << 24:
        raise LaunchError(
            f"resample: from_rate and to_rate must have a ratio of smaller numbers than {down} to "
            f"{up}, whose filter has more than {1 << 24} taps"
        )
    frames = -(-sound.shape[0] * up // down)
    table, first = phases(up, down, quality)
    taps = constant(table, audio.dtype)
    made = polyphase(sound, taps, constant(first), up=up, down=down, frames=frames)
    return made.reshape((frames, *audio.shape[1:]))


@kernel(shape=lambda audio: (audio.shape[0], 1), dtype="audio", name="_over")
def over_threshold(at, audio, *, threshold_db):
    """How many dB the loudest channel is above the threshold, at least 0."""
    loudest = 0.0
    for channel in range(audio.shape[1]):
        loudest = max(loudest, abs(audio[at[0], channel]))
    return max(20.0 * log10(max(loudest, 1e-20)) - threshold_db, 0.0)


@scan(init=0.0, name="_follow")
def followed(level, target, *, attack, release):
    """A one-pole follower: level moves towards target, by another factor up than down."""
    rest = attack if target > level else release
    level = target + rest * (level - target)
    return level, level


@pointwise(dtype="audio", name="_attenuate")
def attenuated(audio, db, *, makeup):
    """audio less db, plus makeup."""
    return audio * exp((makeup - db) * DB)


@pointwise(name="_compressed")
def compressed(over, *, slope):
    """The reduction in dB for a level so far above the threshold."""
    return over * slope


@pointwise(name="_ducked")
def ducked(over, *, amount):
    """The full amount wherever the level is above the threshold."""
    return amount if over > 0 else 0.0


def follow(reduction, attack_ms, release_ms, sample_rate):
    """Smooth a reduction over frames; a time constant of 0 follows at once."""
    attack, release = (
        math.exp(-1000.0 / (ms * sample_rate)) if ms > 0 else 0.0 for ms in (attack_ms, release_ms)
    )
    return followed(reduction, attack=attack, release=release, axis=0)


DYNAMICS = {"threshold_db": LEVELS, "attack_ms": TIMES, "release_ms": TIMES, "sample_rate": RATES}


@composite(ranges={**DYNAMICS, "ratio": (1.0, 1e6), "makeup_db": LEVELS}, takes=FLOATS, gives=SAME)
def dynamics_compress(
    audio, *, threshold_db=-20.0, ratio=4.0, attack_ms=5.0, release_ms=100.0, makeup_db=0.0,
    sample_rate=48000
):  # fmt: skip
    """A feed-forward compressor with a hard knee: above the threshold, ratio dB in give 1 dB out.

    Each frame wants r = (1 - 1 / ratio) * max(0, level - threshold_db) dB of reduction, level being
    its loudest channel's. The reduction moves towards r as g = r + c * (g - r) from 0, with c =
    exp(-1000 / (ms * sample_rate)) and ms = attack_ms where r > g, else release_ms. Every channel
    is then lowered by g dB and raised by makeup_db. ratio is 1 to 1e6, times up to an hour."""
    sound = require_audio(audio, "dynamics_compress")
    wanted = compressed(
        over_threshold(sound, threshold_db=float(threshold_db)), slope=1 - 1 / ratio
    )
    reduction = follow(wanted, attack_ms, release_ms, sample_rate)
    return attenuated(sound, reduction, makeup=float(makeup_db)).reshape(audio.shape)


@composite(ranges={**DYNAMICS, "amount_db": (0.0, 300.0)}, takes=FLOATS, gives=SAME)
def duck(
    audio, sidechain, *, threshold_db=-30.0, amount_db=12.0, attack_ms=10.0, release_ms=250.0,
    sample_rate=48000
):  # fmt: skip
    """audio, lowered by amount_db while the sidechain's loudest channel is above threshold_db.

    The reduction follows as in dynamics_compress, with attack_ms on the way down and release_ms on
    the way back. The sidechain has the audio's frames and dtype, and any channels."""
    sound, key = require_audio(audio, "duck"), require_audio(sidechain, "duck", "sidechain")
    if key.shape[0] != sound.shape[0] or audio.dtype != sidechain.dtype:
        raise LaunchError(
            f"duck: sidechain must be {audio.dtype} with {sound.shape[0]} frames, got "
            f"{sidechain.dtype} {sidechain.shape}"
        )
    wanted = ducked(over_threshold(key, threshold_db=float(threshold_db)), amount=float(amount_db))
    reduction = follow(wanted, attack_ms, release_ms, sample_rate)
    return attenuated(sound, reduction, makeup=0.0).reshape(audio.shape)
