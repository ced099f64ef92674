"""Audio: f32 or f64 samples, -1 to 1, as frames x channels, or frames alone for one channel.

Levels are in dB of amplitude, 20 log10(|x|), 0 dB at 1; times in ms, frequencies and rates in Hz.
Nothing is clipped: a float holds what goes beyond 1, and gain can bring it back."""

from __future__ import annotations

import math

from treadle.errors import LaunchError
from treadle.kernels.blend import scaled
from treadle.kernels.check import FLAG
from treadle.kernels.convolve import reverberate
from treadle.kernels.shape import copied
from treadle.lang.composite import constant
from treadle.lang.decorators import composite, function, kernel, pointwise, reduction, scan

__all__: list[str] = []

DB = math.log(10) / 20  # exp(DB * x) is the factor of x dB
RATES = (1, 10_000_000)
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


@pointwise(ranges={"db": LEVELS}, dtype="audio", takes=FLOATS, gives=SAME)
def gain(audio, *, db=0.0):
    """audio * 10^(db / 20), db -300 to 300, for audio of any shape."""
    return audio * exp(db * DB)


def mixed_shape(inputs):
    """As many frames as the longest."""
    return (max(spec.shape[0] for spec in inputs), inputs[0].shape[1])


@kernel(static=("padded",), shape=mixed_shape, name="_mix_sounds", results="float")
def weighted(at, gains, *inputs, padded=False):
    """The sum of gain * input; what has ended is silent."""
    frame, channel = at
    total = 0.0
    for k in range(len(inputs)):
        sample = scaled(inputs[k][frame, channel], gains[k])
        if padded:
            sample = sample if frame < inputs[k].shape[0] else 0.0
        total = total + sample
    return total


@composite(
    ranges={"gains": "one finite number for each input, or None for 1"},
    takes=FLOATS,
    gives="that of the longest input",
)
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
    every = list(zip(flat, factors, strict=True))
    silent = [(flat[0], 0.0)]  # what has a gain of 0 is not heard, whatever it holds
    heard = [(x, g) for x, g in every if x.shape[0] and g != 0] or silent
    padded = any(x.shape[0] != frames for x, _ in heard)
    table = constant([g for _, g in heard], inputs[0].dtype)
    mixed = weighted(table, *(x for x, _ in heard), padded=padded)
    return mixed.reshape((frames, *inputs[0].shape[1:]))


@function
def magnitude(x):
    return abs(x)


@reduction(init=0.0, lift=magnitude, name="_peak", results="float")
def peak(a, b):
    """The largest magnitude."""
    return maximum(a, b)


@pointwise(dtype="audio", name="_to_peak")
def to_peak(audio, peak, *, target):
    """audio with its peak moved to target."""
    # In this order: 1 over a very small peak would be infinite.
    return audio / peak * target if peak > 0 and peak < inf else audio


@composite(ranges={"target_db": LEVELS}, takes=FLOATS, gives=SAME)
def pcm_normalize(audio, *, target_db=-1.0):
    """audio times one factor that brings its peak to target_db (-300 to 300); silence stays, and so
    does audio whose peak is infinite or NaN."""
    require_audio(audio, "pcm_normalize")
    return to_peak(audio, peak(audio), target=10.0 ** (target_db / 20))


@scan(init=(0.0, 0.0), name="_biquad", results="float")
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
        "kind": tuple(FILTERS),
        "frequency": "a number above 0 and below sample_rate / 2",
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
    has the cookbook's transfer functions and keeps its accuracy in f32 at low frequencies. A gain
    of 0 dB changes nothing."""
    require_audio(audio, "biquad_filter")
    if not isinstance(frequency, int | float) or not 0 < frequency < sample_rate / 2:
        raise LaunchError(
            f"biquad_filter: frequency must be above 0 and below {sample_rate / 2}, half the "
            f"sample_rate, got {frequency!r}"
        )
    bend, damp, m0, m1, m2 = FILTERS[kind](10 ** (gain_db / 40), 1 / q)
    if (m0, m1, m2) == (1, 0, 0):
        return copied(audio)
    g, k = math.tan(math.pi * frequency / sample_rate) * bend, damp / q
    scale = 2 / (1 + g * (g + k))
    c2, c3 = scale * g, scale * g * g
    return state_variable(
        audio, c1=-(c3 + k * c2), c2=c2, c3=c3, m0=float(m0), m1=m1 / 2, m2=m2 / 2, axis=0
    )


@composite(
    ranges={"wet": (0.0, 1.0), "tail": FLAG},
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
    made = reverberate(sound, response, float(wet), bool(tail))
    return made.reshape((made.shape[0], *audio.shape[1:]))
