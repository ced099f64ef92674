"""Audio whose loudness follows a level: compression and ducking.

A level is that of a frame's loudest channel, in dB; reductions are in dB too, 0 or more."""

from __future__ import annotations

import math

from treadle.errors import LaunchError
from treadle.kernels.audio import DB, FLOATS, LEVELS, RATES, SAME, require_audio
from treadle.lang.decorators import composite, kernel, pointwise, scan

__all__: list[str] = []

TIMES = (0.0, 3_600_000.0)  # ms, up to an hour


@kernel(shape=lambda audio: (audio.shape[0], 1), dtype="audio", name="_over")
def over_threshold(at, audio, *, threshold_db):
    """How many dB the loudest channel is above the threshold, at least 0."""
    loudest = 0.0
    for channel in range(audio.shape[1]):
        level = abs(audio[at[0], channel])
        # The level is carried on: a NaN, which has none, or an infinity would never leave it.
        loudest = max(loudest, min(level, 1e20) if level == level else 0.0)
    return max(20.0 * log10(max(loudest, 1e-20)) - threshold_db, 0.0)


@scan(init=0.0, name="_follow", results="float")
def followed(level, target, *, attack, release):
    """A one-pole follower: level moves towards target, by another factor up than down."""
    rest = attack if target > level else release
    level = target + rest * (level - target)
    return level, level


@pointwise(dtype="audio", name="_attenuate")
def attenuated(audio, db, *, makeup):
    """audio less db, plus makeup."""
    return audio * exp((makeup - db) * DB)


@pointwise(name="_compressed", results="float")
def compressed(over, *, slope):
    """The reduction in dB for a level so far above the threshold."""
    return over * slope


@pointwise(name="_ducked", results="float")
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
