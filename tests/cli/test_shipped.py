"""The recipes that ship do what their names say, to pictures of every size and to grey ones."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

import treadle
from photo_files import make_photo
from treadle.recipes import RecipeError, fit, load, parse, shipped
from treadle.recipes.fit import Kind, fit_any

SHARED = '[[stage]]\nkernel = "gaussian_blur"\nradius = "0.5%"\nsigma = "0.2%"\n'


def pixels(path) -> np.ndarray:
    with Image.open(path) as image:
        return np.asarray(image)


def lengths(recipe, side: int) -> list[int]:
    """The radii in pixels that a recipe has for pictures of a side."""
    chain = fit(recipe, Kind(side, side // 2, 3, treadle.u8))
    return [s.params["radius"] for s in chain.steps if s.kernel in ("denoise", "gaussian_blur")]


def test_a_poster_has_few_tones(treadle_, tmp_path):
    source = make_photo(tmp_path / "a.png", seed=2, size=(240, 160))
    assert len(np.unique(pixels(source)[..., 0])) > 100
    assert treadle_("run", "poster", source, "-o", tmp_path / "out", "-q").status == 0
    for channel in np.moveaxis(pixels(tmp_path / "out" / "a.png"), -1, 0):
        assert set(np.unique(channel)) <= {0, 51, 102, 153, 204, 255}


def test_sixteen_bits_have_as_few_tones(treadle_, tmp_path):
    from treadle.photos import Photo, decode, encode

    rng = np.random.default_rng(3)
    photo = Photo(rng.integers(0, 65536, (40, 60, 3), np.uint16), None, "png")
    (tmp_path / "a.png").write_bytes(encode(photo, "png"))
    assert treadle_("run", "poster", tmp_path / "a.png", "-o", tmp_path / "o", "-q").status == 0
    made = decode((tmp_path / "o" / "a.png").read_bytes()).colour
    assert made.dtype == np.uint16
    assert set(np.unique(made)) <= {0, 13107, 26214, 39321, 52428, 65535}


@pytest.mark.parametrize("name", shipped())
def test_each_works_on_grey_pictures(treadle_, tmp_path, name):
    Image.fromarray(np.tile(np.arange(90, dtype=np.uint8), (60, 1))).save(tmp_path / "g.png")
    said = treadle_("run", name, tmp_path / "g.png", "-o", tmp_path / "out", "-q")
    assert said.status == 0
    assert pixels(tmp_path / "out" / "g.png").ndim == 2


def test_none_is_called_after_what_it_cannot_do():
    assert not [name for name in shipped() if "portrait" in name]
    assert "whole picture" in load("soften").description


def test_the_lengths_of_a_soft_look_grow_with_the_picture():
    small, large = lengths(load("soften"), 1500), lengths(load("soften"), 6000)
    assert small == [2, 4]
    assert large == [7, 14]


@pytest.mark.parametrize("name", shipped())
def test_every_length_of_more_than_pixels_scales(name):
    """What is about grain (denoise in enhance) stays with the pixels, all else with the picture."""
    recipe = load(name)
    if name == "enhance":
        assert lengths(recipe, 1000) == lengths(recipe, 8000)
    elif lengths(recipe, 500):
        assert lengths(recipe, 500) < lengths(recipe, 2000)


def test_a_share_is_of_the_longer_side_and_keeps_to_the_range():
    recipe = parse(SHARED)
    chain = fit(recipe, Kind(1000, 3000, 3, treadle.u8))
    assert chain.steps[0].params == {"radius": 15, "sigma": 6.0}
    tiny = fit(recipe, Kind(4, 3, 3, treadle.u8)).steps[0].params
    assert tiny == {"radius": 0, "sigma": pytest.approx(0.008)}
    huge = parse('[[stage]]\nkernel = "denoise"\nradius = "100%"\n')
    assert fit(huge, Kind(4000, 3000, 3, treadle.u8)).steps[0].params["radius"] == 16
    assert fit(huge, Kind(1, 1, 3, treadle.u8)).steps[0].params["radius"] == 1


def test_a_share_after_a_resize_is_of_what_is_left():
    recipe = parse('[[stage]]\nkernel = "resize"\nmax_side = 200\n' + SHARED)
    assert lengths(recipe, 4000) == [1]


@pytest.mark.parametrize(
    "line, message",
    [
        ('radius = "200%"', "up to 100%"),
        ('radius = "0%"', "up to 100%"),
        ('radius = "-1%"', "up to 100%"),
        ('radius = "x%"', "a share of the longer side such as '0.2%'"),
        ('radius = "2"', "expected a whole number"),
    ],
)
def test_what_is_no_share(line, message):
    with pytest.raises(RecipeError, match=message):
        parse(f'[[stage]]\nkernel = "box_blur"\n{line}\n')


def test_only_lengths_are_shares():
    with pytest.raises(RecipeError, match="amount: expected no share of the picture"):
        parse('[[stage]]\nkernel = "sharpen"\namount = "5%"\n')


@pytest.mark.parametrize("alpha", [False, True])
def test_stages_that_need_colours_get_them(treadle_, tmp_path, alpha):
    grey = np.tile(np.arange(0, 200, 2, dtype=np.uint8), (50, 1))
    both = np.dstack([grey, np.full_like(grey, 128)]) if alpha else grey
    Image.fromarray(both).save(tmp_path / "g.png")
    said = treadle_("run", "--stage", "sepia", tmp_path / "g.png", "-o", tmp_path / "o", "-q")
    assert said.status == 0
    made = pixels(tmp_path / "o" / "g.png")
    toned = treadle.run_kernel("sepia", [treadle.buffer(np.dstack([grey] * 3))]).to_numpy()
    np.testing.assert_array_equal(made[..., :3], toned)
    assert made.shape[2] == 3 + alpha
    if alpha:
        assert (made[..., 3] == 128).all()


def test_colours_after_grey_are_possible_too():
    recipe = parse('[[stage]]\nkernel = "grayscale"\n[[stage]]\nkernel = "sepia"\n')
    fit_any(recipe)
    chain = fit(recipe, Kind(30, 20, 3, treadle.u8))
    assert chain.gives.channels == 3


def test_a_profile_of_grey_does_not_describe_what_became_rgb(treadle_, tmp_path):
    Image.fromarray(np.full((20, 20), 90, np.uint8)).save(
        tmp_path / "g.png", icc_profile=b"of grey" * 30
    )
    said = treadle_("run", "--stage", "sepia", tmp_path / "g.png", "-o", tmp_path / "o", "-q")
    assert said.status == 0
    with Image.open(tmp_path / "o" / "g.png") as image:
        assert "icc_profile" not in image.info


def test_a_recipe_for_very_small_copies_can_be_checked():
    fit_any(parse('[[stage]]\nkernel = "resize"\nmax_side = 64\nmethod = "area"\n'))
