"""The audio part of the gallery: made-up sounds, and what is shown of each kernel.

In: nothing. Out: sounds by name, and which kernel is applied to which of them with what; gallery.py
runs and draws them. Everything is generated, the same each time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["RATE", "Sound", "exhibits", "sounds"]

RATE = 48_000
SECONDS = 1.5
Samples = npt.NDArray[np.float32]


class Sound(NamedTuple):
    """A kernel applied to sounds, by name; the first one is drawn before it, the result after."""

    name: str
    kernel: str
    params: Mapping[str, Any] = {}
    inputs: tuple[str, ...] = ("tune",)
    note: str = ""
    rate: int = RATE  # of the result


def sounds() -> dict[str, Samples]:
    """Return the sounds that kernels are applied to: f32, one channel."""
    t = np.arange(int(RATE * SECONDS)) / RATE
    rng = np.random.default_rng(4)
    noise = rng.uniform(-1, 1, t.size)
    sweep = np.sin(2 * np.pi * 60 * SECONDS / np.log(330) * (330 ** (t / SECONDS) - 1))
    voice = noise * (np.sin(2 * np.pi * 4 * t) > 0) * ((t > 0.3) & (t < 0.95)) * 0.5
    clicks = np.zeros(t.size)
    clicks[[int(RATE * at) for at in (0.1, 0.6, 1.1)]] = 0.9
    fade = np.arange(int(RATE * 0.35)) / RATE
    hall = rng.normal(size=fade.size) * np.exp(-fade * 14) * 0.25
    hall[0] = 1.0
    steps = np.repeat([0.04, 0.8, 0.15, 0.5, 0.04, 0.9], -(-t.size // 6))[: t.size]
    made = {
        "tune": tune(t),
        "quiet": tune(t) * 0.12,
        "noise": noise * 0.4,
        "sweep": sweep * 0.6,
        "voice": voice,
        "clicks": clicks,
        "hall": hall,
        "uneven": np.sin(2 * np.pi * 440 * t) * steps,
    }
    return {name: np.asarray(sound, np.float32) for name, sound in made.items()}


def tune(t: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Six plucked notes with their overtones."""
    total = np.zeros(t.size)
    for place, note in enumerate((220.0, 277.2, 329.6, 440.0, 329.6, 554.4)):
        since = t - place * SECONDS / 6
        struck = (since >= 0) & (since < 2 * SECONDS / 6)
        for overtone in range(1, 12):
            ring = np.exp(-since.clip(0) * (3 + 2 * overtone)) / overtone**1.2
            total += struck * 0.35 * ring * np.sin(2 * np.pi * note * overtone * since)
    return total


def exhibits() -> list[Sound]:
    """Every sound of the gallery, in order."""
    noise = ("noise",)
    return [
        Sound("gain", "gain", {"db": -18.0}),
        Sound("pcm_mix", "pcm_mix", {"gains": (1.0, 0.5)}, ("tune", "sweep"), "a sweep mixed in"),
        Sound("pcm_normalize", "pcm_normalize", {"target_db": -1.0}, ("quiet",)),
        Sound("biquad-low", "biquad_filter", {"kind": "low", "frequency": 1000.0}, noise),
        Sound("biquad-high", "biquad_filter", {"kind": "high", "frequency": 1000.0}, noise),
        Sound(
            "biquad-band", "biquad_filter", {"kind": "band", "frequency": 1000.0, "q": 4.0}, noise
        ),
        Sound(
            "biquad-notch", "biquad_filter", {"kind": "notch", "frequency": 1000.0, "q": 0.7}, noise
        ),
        *(
            Sound(
                f"biquad-{kind}",
                "biquad_filter",
                {"kind": kind, "frequency": frequency, "gain_db": db},
                noise,
            )
            for kind, frequency, db in (
                ("peak", 1000.0, 12.0),
                ("low_shelf", 400.0, -30.0),
                ("high_shelf", 4000.0, -30.0),
            )
        ),
        Sound("fft_convolve", "fft_convolve", {}, ("clicks", "hall"), "clicks in a hall of 0.35 s"),
        Sound(
            "resample",
            "resample",
            {"from_rate": RATE, "to_rate": 16_000},
            ("sweep",),
            "what is above half the new rate is gone, and nothing folds back",
            16_000,
        ),
        Sound(
            "dynamics_compress",
            "dynamics_compress",
            {"threshold_db": -24.0, "ratio": 8.0, "attack_ms": 8.0, "makeup_db": 6.0},
            ("uneven",),
            "loud parts come down after the attack's 8 ms; the rest is raised by 6 dB",
        ),
        Sound(
            "duck",
            "duck",
            {"amount_db": 24.0, "release_ms": 120.0},
            ("sweep", "voice"),
            "the sweep gives way to bursts from 0.3 to 0.95 s",
        ),
    ]
