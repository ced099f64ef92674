"""Recipes: what is right is run as written, what is wrong is told with line and field."""

from __future__ import annotations

import json

import numpy as np
import pytest

import treadle
from treadle import recipes
from treadle.recipes.execute import RecipeEngine
from treadle.recipes.fit import Kind, fit_any
from treadle.recipes.locate import locate
from treadle.recipes.recipe import RecipeStage

GOOD = """\
name = "mine"
description = "two stages"

[output]
format = "png"
quality = 80

[[stage]]
kernel = "blur"
radius = 2

[[stage]]
kernel = "resize"
max_side = 20
"""

STAGES = GOOD[GOOD.index("[[stage]]") :]


def problems(text: str) -> list[tuple[int | None, str]]:
    with pytest.raises(recipes.RecipeError) as caught:
        fit_any(recipes.parse(text, source="my.toml"))
    return [(problem.line, problem.message) for problem in caught.value.problems]


def test_a_good_recipe():
    recipe = recipes.parse(GOOD)
    assert (recipe.name, recipe.format, recipe.quality) == ("mine", "png", 80)
    assert recipe.stages[0] == RecipeStage("blur", {"radius": 2}, 8)
    chain = recipes.fit(recipe, Kind(30, 40, 3, treadle.u8))
    assert chain.steps[1].params == {"size": (15, 20)}
    assert str(chain.gives) == "20x15 RGB u8"


@pytest.mark.parametrize("name", recipes.shipped())
@pytest.mark.parametrize("channels", [1, 3])
def test_shipped_recipes_fit_every_image(name, channels):
    recipe = recipes.load(name)
    assert recipe.name == name
    assert recipe.description.endswith(".")
    fit_any(recipe)
    for height, width in ((1, 1), (3, 500), (3000, 4000)):
        for dtype in (treadle.u8, treadle.f32):
            recipes.fit(recipe, Kind(height, width, channels, dtype, alpha=True))


def test_what_ships():
    assert recipes.shipped() == ["enhance", "monochrome", "poster", "soften", "thumbnail"]


@pytest.mark.parametrize(
    "text, line, message",
    [
        ("x = \n", 1, "not valid TOML"),
        ("", None, "at least one [[stage]]"),
        ('[stage]\nkernel = "blur"', 1, "two brackets"),
        ("stage = 3", None, "at least one [[stage]]"),
        ('nmae = "x"\n' + STAGES, 1, "unknown field 'nmae'; did you mean 'name'?"),
        ("name = 3\n" + STAGES, 1, "name: expected a string, got int 3"),
        ("tolerance = -1\n" + STAGES, 1, "tolerance: expected a number of steps from 0 to 255"),
        ('[output]\nformat = "jpgg"\n' + STAGES, 2, "expected one of jpeg, png, webp, tiff"),
        ("[output]\nquality = 0\n" + STAGES, 2, "quality: expected 1 to 100, got 0"),
        ("[output]\nqualty = 9\n" + STAGES, 2, "did you mean 'quality'?"),
        ("output = 3\n" + STAGES, 1, "output: expected a table"),
        ("[[stage]]\nradius = 3", 1, "stage 1 has no kernel"),
        ("[[stage]]\nkernel = 3", 2, "kernel must be a name, got int 3"),
        ('[[stage]]\nkernel = "blurr"', 2, "no kernel is named 'blurr'; did you mean 'blur'?"),
        ('[[stage]]\nkernel = "add"', 2, "add takes inputs a, b; a stage has one, the image"),
        ('[[stage]]\nkernel = "blur"\nraduis = 3', 3, "did you mean 'radius'?"),
        ('[[stage]]\nkernel = "grayscale"\nx = 3', 3, "it takes no parameters"),
        ('[[stage]]\nkernel = "blur"\nradius = 2.5', 3, "radius: expected a whole number"),
        ('[[stage]]\nkernel = "blur"\nradius = 513', 3, "radius: expected 0 to 512, got 513"),
        ('[[stage]]\nkernel = "sharpen"\namount = "x"', 3, "amount: expected a number, got a str"),
        ('[[stage]]\nkernel = "sharpen"\namount = nan', 3, "amount: expected a finite number"),
        ('[[stage]]\nkernel = "sharpen"\namount = true', 3, "expected a number, got a boolean"),
        ('[[stage]]\nkernel = "flip"\ndirection = 3', 3, "direction: expected a string"),
        ('[[stage]]\nkernel = "flip"\n\ndirection = "up"', 4, "'horizontal', 'vertical', 'both'"),
        ('[[stage]]\nkernel = "resize"', 1, "needs the parameter 'size' or 'max_side'"),
        (
            '[[stage]]\nkernel = "resize"\nmax_side = 0',
            3,
            "max_side: expected a whole number from 1",
        ),
        ('[[stage]]\nkernel = "resize"\nmax_side = 9\nsize = 9', 3, "either 'max_side' or 'size'"),
        ('[[stage]]\nkernel = "resize"\nsize = 3\nantialias = 1', 4, "expected true or false"),
        ('[[stage]]\nkernel = "lut"\nfile = "no.cube"', 3, "no such file: no.cube"),
        ('[[stage]]\nkernel = "histogram"', 2, "histogram gives s32[1, 3, 256]"),
        ('[[stage]]\nkernel = "exp"', 2, "which is not an image like it"),
        ('[[stage]]\nkernel = "top_k"\nk = 1', 2, "not an image like it"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text, line, message):
    found = problems(text)
    assert any(message in said and at == line for at, said in found), found


def test_every_problem_is_told_at_once_with_the_line_and_a_caret():
    text = '[[stage]]\nkernel = "blur"\nraduis = 3\n\n[[stage]]\nkernel = "sepa"\n'
    with pytest.raises(recipes.RecipeError) as caught:
        recipes.parse(text, source="my.toml")
    assert str(caught.value).splitlines() == [
        "my.toml, line 3: gaussian_blur has no parameter 'raduis'; did you mean 'radius'?",
        "    raduis = 3",
        "    ^",
        "my.toml, line 6: stage 2: no kernel is named 'sepa'; did you mean 'sepia'?",
        '    kernel = "sepa"',
        "             ^",
    ]


def test_lines_are_found_past_long_strings_and_lists():
    text = (
        'description = """\n[[stage]]\nkernel = 1\n"""\n[[stage]]\nsize = [\n  1,\n  2,\n]\nx = 1\n'
    )
    found = locate(text)
    assert found["stage", 0, ""].line == 5
    assert found["stage", 0, "size"].line == 6
    assert found["stage", 0, "x"].line == 10
    assert ("stage", 0, "kernel") not in found


def test_a_stage_that_does_not_fit_names_the_image():
    recipe = recipes.parse('[[stage]]\nkernel = "grayscale"\n[[stage]]\nkernel = "crop"\nx = 9\n')
    with pytest.raises(
        recipes.RecipeError, match=r"line 5: stage 2 does not fit an image of 8x9 gr"
    ):
        recipes.fit(recipe, Kind(9, 8, 3, treadle.u8))


def test_crop_is_checked_against_each_image():
    recipe = recipes.parse('[[stage]]\nkernel = "crop"\nx = 100\nwidth = 50\n')
    fit_any(recipe)
    with pytest.raises(recipes.RecipeError, match="stage 1 does not fit"):
        recipes.fit(recipe, Kind(90, 90, 3, treadle.u8))


def test_a_digest_follows_what_a_recipe_does_and_not_how_it_is_written(tmp_path):
    recipe = recipes.parse(GOOD)
    assert recipes.parse("# a comment\n" + GOOD).digest == recipe.digest
    assert recipes.parse(GOOD.replace("radius = 2", "radius = 3")).digest != recipe.digest
    assert recipes.parse(GOOD.replace("80", "81")).digest != recipe.digest
    assert recipes.parse("tolerance = 0\n" + GOOD).digest == recipe.digest
    assert recipes.parse("tolerance = 1\n" + GOOD).digest != recipe.digest
    cube = tmp_path / "look.cube"
    cube.write_text("LUT_1D_SIZE 2\n0 0 0\n1 1 1\n")
    text = '[[stage]]\nkernel = "lut"\nfile = "look.cube"\n'
    before = recipes.parse(text, folder=tmp_path).digest
    cube.write_text("LUT_1D_SIZE 2\n1 1 1\n0 0 0\n")
    assert recipes.parse(text, folder=tmp_path).digest != before


def test_an_engine_runs_what_the_kernels_do_one_by_one(device):
    rng = np.random.default_rng(3)
    colour = rng.integers(0, 256, (2, 12, 16, 3), np.uint8)
    alpha = rng.integers(0, 256, (2, 12, 16, 1), np.uint8)
    recipe = recipes.parse(
        '[[stage]]\nkernel = "grayscale"\n[[stage]]\nkernel = "flip"\n'
        '[[stage]]\nkernel = "brightness_contrast"\ncontrast = 1.5\n'
    )
    engine = RecipeEngine(recipe, device)
    chain = engine.chain(Kind(12, 16, 3, treadle.u8, alpha=True))
    grey, veil = engine.start(chain, colour.copy(), alpha.copy()).result()
    assert grey.shape == (2, 12, 16, 1)
    expected = device.run_kernel("grayscale", [device.buffer(colour)]).to_numpy()[..., None]
    expected = device.run_kernel("flip", [device.buffer(expected)])
    expected = device.run_kernel("brightness_contrast", [expected], contrast=1.5).to_numpy()
    np.testing.assert_array_equal(grey, expected)
    np.testing.assert_array_equal(veil, alpha[:, :, ::-1])  # moved along, and nothing else


def test_a_recipe_may_be_within_a_tolerance():
    recipe = recipes.parse('tolerance = 1\n[[stage]]\nkernel = "blur"\nradius = 2\n')
    engine = RecipeEngine(recipe, treadle.device("cpu"))
    chain = engine.chain(Kind(40, 50, 3, treadle.u8))
    assert engine.record(chain, 1).plan().steps == 1
    colour = np.random.default_rng(3).integers(0, 256, (1, 40, 50, 3), np.uint8)
    close, _ = engine.start(chain, colour.copy(), None).result()
    exact = RecipeEngine(
        recipes.parse(recipe.text.removeprefix("tolerance = 1\n")), treadle.device("cpu")
    )
    want, _ = exact.start(exact.chain(chain.takes), colour.copy(), None).result()
    assert np.abs(close.astype(int) - want.astype(int)).max() == 1


def test_an_engine_runs_batch_after_batch_with_buffers_of_their_own(device):
    rng = np.random.default_rng(4)
    recipe = recipes.parse('[[stage]]\nkernel = "flip"\n[[stage]]\nkernel = "grayscale"\n')
    engine = RecipeEngine(recipe, device)
    chain = engine.chain(Kind(6, 8, 3, treadle.u8))
    batches = [rng.integers(0, 256, (count, 6, 8, 3), np.uint8) for count in (2, 2, 1, 2)]
    running = [engine.start(chain, batch.copy(), None) for batch in batches]
    for batch, under_way in zip(batches, running, strict=True):
        grey, alpha = under_way.result()
        flipped = device.buffer(np.ascontiguousarray(batch[:, :, ::-1]))
        expected = device.run_kernel("grayscale", [flipped]).to_numpy()[..., None]
        np.testing.assert_array_equal(grey, expected)
        assert alpha is None


class TestCommands:
    def test_list(self, treadle_):
        said = treadle_("recipe", "list")
        assert said.status == 0
        assert all(name in said.out for name in recipes.shipped())
        listed = json.loads(treadle_("recipe", "list", "--json").out)
        assert [each["name"] for each in listed] == recipes.shipped()

    def test_check(self, treadle_, tmp_path):
        path = tmp_path / "mine é.toml"
        path.write_text(GOOD)
        assert "mine: 2 stages, no problem found" in treadle_("recipe", "check", path).text
        path.write_text(GOOD.replace("radius", "raduis"))
        said = treadle_("recipe", "check", path)
        assert said.status == 2
        assert "line 10" in said.err
        assert "did you mean 'radius'?" in said.err

    def test_show(self, treadle_, tmp_path):
        said = treadle_("recipe", "show", "thumbnail", "--size", "1000x500")
        assert said.status == 0
        assert "1000x500 RGB u8" in said.out
        assert "512x256 RGB u8" in said.out
        assert "2 stages in" in said.out
        assert treadle_("recipe", "show", "thumbnail", "--size", "big").status == 2
        assert treadle_("recipe", "show", "thumbnail", "--device", "abacus").status == 2
        assert treadle_("recipe", "show", "thumbnail", "--mermaid").out.startswith("flowchart ")
        assert treadle_("recipe", "show", "thumbnail", "--svg", tmp_path / "plan.svg").status == 0
        assert "<svg" in (tmp_path / "plan.svg").read_text(encoding="utf-8")
        assert (
            treadle_("recipe", "show", "thumbnail", "--svg", tmp_path / "no" / "x.svg").status == 2
        )
        assert "max_side = 512" in treadle_("recipe", "show", "thumbnail", "--source").out

    @pytest.mark.parametrize(
        "name, message",
        [
            ("enhanse", "did you mean 'enhance'?"),
            ("no/such.toml", "cannot be read: No such file"),
            ("zzz", "there are enhance, monochrome"),
        ],
    )
    def test_unknown(self, treadle_, name, message):
        said = treadle_("recipe", "check", name)
        assert said.status == 2
        assert message in said.text

    def test_not_text(self, treadle_, tmp_path):
        path = tmp_path / "x.toml"
        path.write_bytes(b"\xff\xfe\x00")
        said = treadle_("recipe", "check", path)
        assert (said.status, "not UTF-8" in said.err) == (2, True)
