"""Pictures of sounds: a tone is a line at its height, silence is dark, the scale is absolute."""

from __future__ import annotations

import numpy as np
import pytest

import spectrogram

HEIGHT = 120


def tone(frequency, rate=48_000, seconds=0.5, level=0.5):
    t = np.arange(int(rate * seconds)) / rate
    return (level * np.sin(2 * np.pi * frequency * t)).astype(np.float32)


def brightness(samples, rate=48_000):
    return spectrogram.draw(samples, rate)[:HEIGHT].astype(int).sum(axis=2)


def height_of(frequency):
    """Rows from the bottom on the logarithmic scale from 50 Hz to 24 kHz."""
    return HEIGHT * np.log(frequency / 50) / np.log(24_000 / 50)


@pytest.mark.parametrize("rate", [48_000, 44_100, 16_000])
@pytest.mark.parametrize("frequency", [100, 440, 1000, 5000])
def test_a_tone_is_a_line_at_its_height_at_every_rate(frequency, rate):
    rows = brightness(tone(frequency, rate), rate)[:, 40:110].mean(axis=1)
    assert abs(HEIGHT - 1 - rows.argmax() - height_of(frequency)) < 2.5
    assert rows.max() > 3 * np.median(rows)


def test_louder_is_brighter_and_nothing_is_above_half_the_rate():
    loud, soft = (brightness(tone(1000, level=level)).max() for level in (0.9, 0.01))
    assert loud > soft
    rng = np.random.default_rng(0)
    rows = brightness(rng.uniform(-1, 1, 8000), 8000).mean(axis=1)
    above = int(HEIGHT - height_of(4000)) - 2
    assert rows[: above - 3].max() < rows[above + 6 :].min()


def test_the_waveform_spans_what_the_samples_do():
    wave = spectrogram.draw(tone(300, level=0.5), 48_000)[HEIGHT + 2 :]
    inked = (wave[..., 0] == 40).sum(axis=0)
    assert set(inked[5:-5]) <= {17, 18, 19}  # half of 36


def test_channels_are_drawn_as_their_mean_and_pictures_stand_side_by_side():
    one = spectrogram.draw(tone(1000), 48_000)
    both = np.stack([tone(1000), tone(1000)], axis=1)
    np.testing.assert_array_equal(spectrogram.draw(both, 48_000), one)
    pair = spectrogram.beside(one, one)
    assert pair.shape == (one.shape[0], 2 * one.shape[1] + 8, 3)
    np.testing.assert_array_equal(pair[:, -one.shape[1] :], one)


@pytest.mark.parametrize("frames", [1, 3, 200])
def test_short_sounds(frames):
    assert spectrogram.draw(np.ones(frames, np.float32), 48_000).shape == (158, 150, 3)


def test_no_picture_of_nothing():
    with pytest.raises(ValueError, match="at least one frame"):
        spectrogram.draw(np.zeros((0, 2)), 48_000)
