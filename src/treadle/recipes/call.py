"""A recipe as a function of images: treadle.recipe.

In: a recipe's name, path or tables, then arrays. Out: arrays. Fitting and running are the engine's,
which keeps what it planned for each kind of image; files other than the recipe are not known here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

import treadle
from treadle.errors import entrance, entrances
from treadle.images import as_image
from treadle.photos import Photo
from treadle.recipes.compose import from_mapping
from treadle.recipes.execute import RecipeEngine
from treadle.recipes.fit import Kind
from treadle.recipes.pixels import alpha_of, as_photo, stacked
from treadle.recipes.recipe import Recipe
from treadle.recipes.shipped import load

__all__ = ["RecipeFunction", "recipe"]

Array = np.ndarray[Any, Any]


@entrances("__call__")
class RecipeFunction:
    """A recipe that is called with an image; made by treadle.recipe. Any thread may call it."""

    def __init__(self, checked: Recipe, device: treadle.Device) -> None:
        self.recipe = checked
        self._engine = RecipeEngine(checked, device)

    def __call__(self, image: Array | treadle.Buffer) -> Array:
        """Run the stages over an image and return what they give, of the same dtype.

        An image is height x width, or with 1 to 4 channels, u8, u16 or floats; alpha goes along
        with what moves pixels, and is left alone by the rest."""
        pixels = as_image(image)
        colour, alpha = pixels, None
        if pixels.shape[2] % 2 == 0:
            colour, alpha = pixels[:, :, :-1], pixels[:, :, -1]
        photo = Photo(np.ascontiguousarray(colour), alpha, "png")
        batch = np.ascontiguousarray(stacked([photo.colour]))
        veil = None if alpha is None else np.ascontiguousarray(stacked([alpha_of(photo)]))
        kind = Kind(*photo.size, colour.shape[2], treadle.DType(_dtype(batch)), veil is not None)
        found, veil = self._engine.start(self._engine.chain(kind), batch, veil).result()
        return _joined(photo, found[0], None if veil is None else veil[0, :, :, 0], image)

    @property
    def name(self) -> str:
        """The recipe's name."""
        return self.recipe.name

    def __repr__(self) -> str:
        stages = ", ".join(map(str, self.recipe.stages))
        return f"<treadle recipe {self.name}: {stages}>"


def _dtype(batch: Array) -> str:
    return "u8" if batch.dtype == np.uint8 else "f32"


def _joined(source: Photo, colour: Array, alpha: Array | None, given: Any) -> Array:
    """Colours and alpha as one array of the source's depth."""
    if source.colour.dtype == np.uint16:
        photo = as_photo(source, colour, alpha)
        colour, alpha = photo.colour, photo.alpha
    if alpha is not None:
        colour = np.concatenate([colour, alpha[:, :, np.newaxis]], axis=2)
    flat = len(given.shape) == 2 and colour.shape[2] == 1
    return np.array(colour[:, :, 0] if flat else colour)


@entrance
def recipe(
    source: str | os.PathLike[str] | Mapping[str, Any],
    *,
    device: str | treadle.Device | None = None,
    trust: bool = False,
) -> RecipeFunction:
    """Return a recipe as a function of images: a shipped one's name, a file's path, or a mapping.

    A mapping has the fields of a recipe's file: {"stage": [{"kernel": "blur", "radius": 2}]}. A
    recipe from a file names files of its own folder only, unless it is trusted."""
    if isinstance(source, Mapping):
        checked = from_mapping(source)
    else:
        checked = load(os.fspath(source), trust=trust)
    return RecipeFunction(checked, treadle.device(device))
