"""The made-up photographs: the same for the same seed, and with something in them."""

from __future__ import annotations

import numpy as np
import pytest

from treadle import pictures


def test_a_seed_gives_one_picture_and_each_seed_another():
    first = pictures.landscape(60, 40, seed=3)
    np.testing.assert_array_equal(first, pictures.landscape(60, 40, seed=3))
    assert (first != pictures.landscape(60, 40, seed=7)).any()


@pytest.mark.parametrize("size", [(1, 1), (1, 9), (9, 1), (64, 48), (31, 70)])
def test_sizes(size):
    width, height = size
    image = pictures.landscape(width, height, seed=1)
    assert image.shape == (height, width, 4)
    assert image.dtype == np.uint8
    assert (image[..., 3] == 255).all()


@pytest.mark.parametrize("seed", range(4))
def test_there_is_light_shade_and_texture(seed):
    grey = pictures.landscape(320, 200, seed=seed)[..., :3].mean(axis=2)
    assert grey[:100].max() > 200  # the sun or the moon
    assert grey[180:].mean() < grey[:100].mean()  # the ground is darker than the sky
    assert np.abs(np.diff(grey, axis=1)).mean() > 1


def test_no_picture_without_pixels():
    with pytest.raises(ValueError, match="0x5"):
        pictures.landscape(0, 5, seed=0)
