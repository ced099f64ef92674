"""References for audio: SciPy's filters and convolutions, and plain loops over frames."""

from __future__ import annotations

import math

import numpy as np
import scipy.signal

from parity.row import Row

BUTTERWORTH = math.sqrt(0.5)
RNG = np.random.default_rng(12)
STEREO = (0.3 * RNG.normal(size=(2000, 2))).astype(np.float32)
MONO = (0.3 * RNG.normal(size=1500)).astype(np.float32)
QUAD = (0.3 * RNG.normal(size=(300, 4))).astype(np.float32)
FINE = 0.3 * RNG.normal(size=(800, 2))
VOICE = (RNG.normal(size=(2000, 1)) * (np.arange(2000)[:, None] % 900 < 300)).astype(np.float32)
HALL = (RNG.normal(size=(300, 2)) * np.exp(-np.arange(300) / 60)[:, None]).astype(np.float32)


def cookbook(kind, frequency, q, db, rate):
    """Coefficients b and a as R. Bristow-Johnson's cookbook writes them."""
    amp, w = 10 ** (db / 40), 2 * math.pi * frequency / rate
    c, alpha = math.cos(w), math.sin(w) / (2 * q)
    up, down, bend = amp + 1, amp - 1, 2 * math.sqrt(amp) * alpha
    plain = [1 + alpha, -2 * c, 1 - alpha]
    b, a = {
        "low": ([(1 - c) / 2, 1 - c, (1 - c) / 2], plain),
        "high": ([(1 + c) / 2, -(1 + c), (1 + c) / 2], plain),
        "band": ([alpha, 0, -alpha], plain),
        "notch": ([1, -2 * c, 1], plain),
        "peak": (
            [1 + alpha * amp, -2 * c, 1 - alpha * amp],
            [1 + alpha / amp, -2 * c, 1 - alpha / amp],
        ),
        "low_shelf": (
            [amp * (up - down * c + bend), 2 * amp * (down - up * c), amp * (up - down * c - bend)],
            [up + down * c + bend, -2 * (down + up * c), up + down * c - bend],
        ),
        "high_shelf": (
            [
                amp * (up + down * c + bend),
                -2 * amp * (down + up * c),
                amp * (up + down * c - bend),
            ],
            [up - down * c + bend, 2 * (down - up * c), up - down * c - bend],
        ),
    }[kind]
    return np.array(b) / a[0], np.array(a) / a[0]


def biquad(kind, frequency=1000.0, q=BUTTERWORTH, gain_db=0.0, sample_rate=48000):
    """Rows for one filter: the cookbook's coefficients through SciPy's lfilter in f64."""
    b, a = cookbook(kind, frequency, q, gain_db, sample_rate)
    params = {"kind": kind, "frequency": frequency, "q": q, "gain_db": gain_db}
    params["sample_rate"] = sample_rate
    loudest = 10 ** (max(gain_db, 0) / 20)

    def reference(x):
        return scipy.signal.lfilter(b, a, x.astype(np.float64), axis=0)

    return [
        Row("biquad_filter", reference, (STEREO,), params, 1e-5, 3e-6 * loudest),
        Row("biquad_filter", reference, (MONO,), params, 1e-5, 3e-6 * loudest),
        Row("biquad_filter", reference, (FINE,), params, 1e-9, 1e-9),
    ]


def reverb(wet, tail):
    def reference(x, impulse):
        x = x.astype(np.float64)
        shape = (len(impulse), *[1] * (x.ndim - 1))
        taps = impulse if impulse.ndim == x.ndim else impulse.reshape(shape)
        full = wet * scipy.signal.fftconvolve(x, taps, axes=0)
        full[: len(x)] += (1 - wet) * x
        return full if tail else full[: len(x)]

    return reference


def polyphase(to_rate, from_rate, zeros, beta, cut):
    def reference(x):
        common = math.gcd(to_rate, from_rate)
        up, down = to_rate // common, from_rate // common
        widest = max(up, down)
        taps = scipy.signal.firwin(2 * zeros * widest + 1, cut / widest, window=("kaiser", beta))
        return scipy.signal.resample_poly(x.astype(np.float64), up, down, axis=0, window=taps)

    return reference


def followed(wanted, attack_ms, release_ms, sample_rate, makeup=0.0):
    """A loop over frames: the reduction follows what the key's loudest channel asks for."""

    def reference(x, key=None):
        frames = x.astype(np.float64).reshape(len(x), -1)
        keys = frames if key is None else key.astype(np.float64).reshape(len(key), -1)
        out, reduction = np.empty_like(frames), 0.0
        for i in range(len(frames)):
            asked = wanted(20 * math.log10(max(abs(keys[i]).max(), 1e-20)))
            ms = attack_ms if asked > reduction else release_ms
            keep = math.exp(-1000 / (ms * sample_rate)) if ms > 0 else 0.0
            reduction = asked + keep * (reduction - asked)
            out[i] = frames[i] * 10 ** ((makeup - reduction) / 20)
        return out.reshape(x.shape)

    return reference


def mixed(*gains):
    def reference(*inputs):
        out = np.zeros((max(map(len, inputs)), *inputs[0].shape[1:]))
        for x, gain in zip(inputs, gains, strict=True):
            out[: len(x)] += gain * x.astype(np.float64)
        return out

    return reference


def peak_at(db):
    return lambda x: x.astype(np.float64) / np.abs(x).max() * 10 ** (db / 20)


ROWS = [
    Row("gain", lambda x: x * 10 ** (6 / 20), (STEREO,), {"db": 6.0}),
    Row("gain", lambda x: x * 10 ** (-60 / 20), (MONO,), {"db": -60}),
    Row("gain", lambda x: x * 10 ** (3.5 / 20), (FINE,), {"db": 3.5}, 1e-13, 0),
    Row("pcm_mix", mixed(1, 1), (STEREO, VOICE[:, [0, 0]])),
    Row("pcm_mix", mixed(1, 0.5, -2), (STEREO, STEREO[:99], STEREO[:0]), {"gains": (1, 0.5, -2)}),
    Row("pcm_mix", mixed(0.25), (MONO,), {"gains": 0.25}),
    Row("pcm_mix", mixed(*[0.1] * 12), (MONO,) * 12, {"gains": (0.1,) * 12}),
    Row("pcm_normalize", peak_at(-1), (STEREO,)),
    Row("pcm_normalize", peak_at(-12), (MONO,), {"target_db": -12}),
    Row("pcm_normalize", lambda x: x, (np.zeros((5, 2), np.float32),)),
    *biquad("low"),
    *biquad("high", 120.0, 0.5, 0.0, 44100),
    *biquad("band", 3000.0, 4.0),
    *biquad("notch", 50.0, 10.0),
    *biquad("peak", 2500.0, 1.4, 9.0),
    *biquad("low_shelf", 200.0, 0.7, -12.0),
    *biquad("high_shelf", 9000.0, 0.9, 6.0, 96000),
    *biquad("low", 20.0),
    Row("fft_convolve", reverb(1.0, False), (STEREO, HALL), {}, 1e-5, 1e-5),
    Row("fft_convolve", reverb(0.3, False), (STEREO, HALL[:, 0]), {"wet": 0.3}, 1e-5, 1e-5),
    Row("fft_convolve", reverb(1.0, True), (MONO, HALL[:, 1]), {"tail": True}, 1e-5, 1e-5),
    Row("fft_convolve", reverb(0.5, True), (QUAD[:50], HALL[:, :1]), {"wet": 0.5, "tail": True},
        1e-5, 1e-5),
    Row("fft_convolve", reverb(1.0, True), (FINE, HALL.astype(float)), {"tail": True}, 1e-9, 1e-9),
    Row("fft_convolve", reverb(1.0, False), (MONO[:1], HALL[:1, 0])),
    Row("resample", polyphase(48000, 44100, 16, 8.0, 0.85), (STEREO,),
        {"from_rate": 44100, "to_rate": 48000}, 1e-5, 3e-6),
    Row("resample", polyphase(16000, 48000, 8, 5.0, 0.8), (MONO,),
        {"from_rate": 48000, "to_rate": 16000, "quality": "low"}, 1e-5, 3e-6),
    Row("resample", polyphase(96000, 48000, 32, 9.0, 0.91), (QUAD,),
        {"from_rate": 48000, "to_rate": 96000, "quality": "high"}, 1e-5, 3e-6),
    Row("resample", polyphase(44100, 48000, 64, 10.0, 0.95), (FINE,),
        {"from_rate": 48000, "to_rate": 44100, "quality": "best"}, 1e-10, 1e-10),
    Row("resample", polyphase(11024, 11025, 8, 5.0, 0.8), (STEREO,),
        {"from_rate": 11025, "to_rate": 11024, "quality": "low"}, 1e-5, 3e-6),
    Row("resample", polyphase(8000, 48000, 16, 8.0, 0.85), (MONO[:7],),
        {"from_rate": 48000, "to_rate": 8000}, 1e-5, 3e-6),
    Row("resample", polyphase(8000, 3, 16, 8.0, 0.85), (MONO[:7],),
        {"from_rate": 3, "to_rate": 8000}, 1e-5, 3e-6),
    Row("dynamics_compress", followed(lambda level: 0.75 * max(0, level + 20), 5, 100, 48000),
        (STEREO,), {}, 2e-5, 1e-6),
    Row("dynamics_compress", followed(lambda level: 0.9 * max(0, level + 30), 0, 50, 44100, 6),
        (MONO,), {"threshold_db": -30, "ratio": 10, "attack_ms": 0, "release_ms": 50,
                  "makeup_db": 6, "sample_rate": 44100}, 2e-5, 1e-6),
    Row("duck", followed(lambda level: 12.0 * (level > -30), 10, 250, 48000), (STEREO, VOICE), {},
        2e-5, 1e-6),
    Row("duck", followed(lambda level: 20.0 * (level > -10), 2, 5, 8000), (MONO, STEREO[:1500]),
        {"threshold_db": -10, "amount_db": 20, "attack_ms": 2, "release_ms": 5,
         "sample_rate": 8000}, 2e-5, 1e-6),
]  # fmt: skip
