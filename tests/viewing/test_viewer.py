"""What is looked at: pictures follow parameters, and what is saved is what was seen."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

import treadle
from photo_files import make_photo
from treadle.images import read_image
from treadle.recipes import parse
from treadle.surfaces import SurfaceEvent
from treadle.viewing import Viewer, inputs_of
from treadle.viewing.window import WindowView

CPU = treadle.device("cpu")
RECIPE = """
name = "soft"
[[stage]]
kernel = "blur"
radius = 2
sigma = 1.0
[[stage]]
kernel = "brightness_contrast"
brightness = 0.1
"""


@pytest.fixture
def photo(tmp_path):
    return make_photo(tmp_path / "a.png", size=(48, 32))


@pytest.fixture
def viewer(photo, tmp_path):
    make_photo(tmp_path / "b.png", size=(20, 20))
    return Viewer(parse(RECIPE), inputs_of([str(tmp_path)]), CPU)


def expected(viewer, **params):
    image = CPU.buffer(viewer.before())
    soft = CPU.run_kernel("blur", [image], radius=2, sigma=1.0)
    return CPU.run_kernel("brightness_contrast", [soft], **params).to_numpy()


def test_inputs_are_photos_folders_or_the_test_card(photo, tmp_path):
    (tmp_path / "notes.txt").write_text("no photo")
    assert inputs_of([]) == ["test-card"]
    assert inputs_of([str(photo)]) == [str(photo)]
    assert inputs_of([str(tmp_path)]) == [str(photo)]
    empty = tmp_path / "empty"
    empty.mkdir()
    for wrong, said in ((empty, "no photo in"), (tmp_path / "gone.png", "no such photo")):
        with pytest.raises(treadle.LaunchError, match=said):
            inputs_of([str(wrong)])


def test_the_picture_follows_the_parameters(viewer):
    assert np.array_equal(viewer.after(), expected(viewer, brightness=0.1))
    names = [(each.kernel, each.name) for each in viewer.controls]
    number = names.index(("brightness_contrast", "brightness"))
    viewer.set(number, 0.25)
    assert viewer.controls[number].value == 0.25
    assert np.array_equal(viewer.after(), expected(viewer, brightness=0.25))
    radius = names.index(("blur", "radius"))
    viewer.set(radius, 2.6)
    assert viewer.controls[radius].value == 3  # a whole number
    viewer.set(radius, -100)
    low = viewer.controls[radius]
    assert low.value == low.low
    with pytest.raises(treadle.LaunchError, match="control: expected one of"):
        viewer.set(99, 1)


def test_what_is_saved_is_what_was_seen(viewer, tmp_path):
    viewer.set(len(viewer.controls) - 1, 1.5)
    first, second = viewer.save_recipe(tmp_path), viewer.save_recipe(tmp_path)
    assert first != second
    again = Viewer(parse(first.read_text()), viewer.inputs, CPU)
    assert np.array_equal(again.after(), viewer.after())
    assert np.array_equal(read_image(viewer.save_picture(tmp_path)), viewer.after())


class Shown:
    """A surface that only remembers."""

    def __init__(self, *events):
        self.zoom, self.centre, self.closed = 1.0, None, False
        self.coming, self.shown = list(events), []

    async def show(self, pixels):
        self.shown.append(pixels)

    async def events(self):
        for each in self.coming:
            yield each

    def place(self, x, y):
        return x / self.zoom, y / self.zoom

    def close(self):
        self.closed = True


def press(view, *keys):
    return [view.happened(SurfaceEvent("key_down", key=key)) for key in keys]


def test_keys_change_what_is_seen(viewer, tmp_path):
    view = WindowView(viewer, Shown(), tmp_path)
    plain = viewer.after()
    press(view, "h")
    assert np.array_equal(view.picture(), plain)
    press(view, "b")
    assert np.array_equal(view.picture(), viewer.before())
    press(view, "b", "h")
    assert "> blur." in "\n".join(view.words())
    assert not np.array_equal(view.picture(), plain)  # there are words on it
    before = viewer.controls[1].value
    press(view, "ArrowDown", "+")
    assert viewer.controls[1].value > before
    press(view, "-")
    assert viewer.controls[1].value == pytest.approx(before)
    press(view, "ArrowRight")
    assert viewer.name == "b.png"
    press(view, "ArrowRight", "ArrowLeft", "ArrowLeft")
    assert viewer.name == "a.png"
    press(view, "s", "p")
    assert view.said.startswith("saved a-")
    assert len(list(tmp_path.glob("*-tuned.toml"))) == 1
    assert press(view, "F5") == [False]
    press(view, "q")
    assert view.surface.closed


def test_the_pointer_zooms_and_pans(viewer, tmp_path):
    view = WindowView(viewer, Shown(), tmp_path)
    view.happened(SurfaceEvent("wheel", dy=-100))
    assert view.surface.zoom == 1.25
    view.happened(SurfaceEvent("pointer_down", x=10, y=10))
    assert view.happened(SurfaceEvent("pointer_move", x=5, y=10))
    assert view.surface.centre == (24 + 4, 16)
    view.happened(SurfaceEvent("pointer_up"))
    assert not view.happened(SurfaceEvent("pointer_move", x=0, y=0))
    press(view, "0")
    assert (view.surface.zoom, view.surface.centre) == (1.0, None)


def test_a_recipe_that_does_not_fit_says_so_on_the_picture(tmp_path):
    text = 'name = "cut"\n[[stage]]\nkernel = "crop"\nx = 0\ny = 0\nwidth = 30\nheight = 30\n'
    make_photo(tmp_path / "small.png", size=(8, 8))
    viewer = Viewer(parse(text), inputs_of([str(tmp_path)]), CPU)
    view = WindowView(viewer, Shown(), tmp_path)
    assert view.picture().shape == (8, 8, 3)
    assert view.said


def test_an_input_that_is_no_photo_is_passed_by(photo, tmp_path):
    (tmp_path / "b.jpg").write_bytes(b"no photo")
    make_photo(tmp_path / "c.png", size=(20, 20))
    viewer = Viewer(parse(RECIPE), inputs_of([str(tmp_path)]), CPU)
    view = WindowView(viewer, Shown(), tmp_path)
    press(view, "ArrowRight")
    assert view.picture().ndim == 3
    assert "b.jpg: not an image" in view.words()[-1]
    view.happened(SurfaceEvent("pointer_down", x=10, y=10))
    assert view.happened(SurfaceEvent("pointer_move", x=5, y=10))
    press(view, "p")
    assert view.said.startswith("not saved")
    press(view, "ArrowRight", "h")
    assert np.array_equal(view.picture(), viewer.after())


def test_a_wheel_that_is_turned_sideways_changes_nothing(viewer, tmp_path):
    view = WindowView(viewer, Shown(), tmp_path)
    press(view, "z", "z")
    zoom = view.surface.zoom
    assert not view.happened(SurfaceEvent("wheel", dx=-100))
    assert view.surface.zoom == zoom


def test_of_many_keys_at_once_one_picture_follows(viewer, tmp_path):
    keys = [SurfaceEvent("key_down", key="ArrowRight") for _ in range(51)]
    view = WindowView(viewer, Shown(*keys), tmp_path)
    asyncio.run(view.run())
    assert len(view.surface.shown) <= 3
    assert viewer.name == "b.png"  # none was lost
