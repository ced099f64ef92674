"""Fitting a recipe to images of one size and kind: which kernels run, with what, giving what.

In: a recipe and the shape of an image. Out: a FittedChain, with every shape known, or a
RecipeError that says which stage cannot take such an image and why. Nothing is run here.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Hashable, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import treadle
from treadle.data import dataclass
from treadle.ir.bound import Spec
from treadle.lang import registry
from treadle.photos import MAX_PIXELS
from treadle.recipes.channels import FROM_GREY
from treadle.recipes.locate import locate
from treadle.recipes.recipe import EXTRA, Problem, Recipe, RecipeError, RecipeStage
from treadle.recipes.relative import in_pixels, is_share

__all__ = ["FittedChain", "FittedStep", "Kind", "fit", "fit_any"]

# What moves pixels takes alpha along; everything else leaves it as it is.
MOVES = {"bicubic_scale", "crop", "flip", "resize", "rotate90", "warp_affine"}
# Sides for checking without an image: one larger than photos have, for what cuts pieces out of
# them, and a smaller one, for what makes them small at once.
SAMPLES = (16384, 2048)


@dataclass(frozen=True, slots=True)
class Kind:
    """What images of a group have in common."""

    height: int
    width: int
    channels: int
    dtype: treadle.DType
    alpha: bool = False

    def __str__(self) -> str:
        colours = {1: "grey", 2: "grey and alpha", 3: "RGB", 4: "RGBA"}[self.channels]
        alpha = " and alpha" if self.alpha else ""
        return f"{self.width}x{self.height} {colours}{alpha} {self.dtype}"

    def batch(self, count: int) -> tuple[int, int, int, int]:
        """The shape of `count` of them."""
        return count, self.height, self.width, self.channels


@dataclass(frozen=True, slots=True)
class FittedStep:
    """A kernel to run on a batch, and the kind of image that it gives."""

    kernel: str
    params: Mapping[str, Any]
    gives: Kind
    flat: bool  # it drops the axis of channels: N x H x W
    moves: bool  # alpha goes through it too


@dataclass(frozen=True, slots=True)
class FittedChain:
    """A recipe for one kind of image."""

    takes: Kind
    steps: tuple[FittedStep, ...]

    @property
    def gives(self) -> Kind:
        """The kind of image that comes out."""
        return self.steps[-1].gives if self.steps else self.takes


def fit(recipe: Recipe, kind: Kind, *, exact: bool = True) -> FittedChain:
    """Return the steps that a recipe takes for images of a kind.

    With exact=False the kind is an example, which an error does not name."""
    steps = []
    now = kind
    for number, stage in enumerate(recipe.stages, 1):
        try:
            found = _steps(stage, now)
        except treadle.TreadleError as error:
            size = f" does not fit an image of {now}" if exact else ""
            problem = _placed(recipe, number, stage, f"stage {number}{size}: {error}")
            raise RecipeError(recipe.source, [problem], recipe.text) from error
        steps += found
        now = found[-1].gives
    return FittedChain(kind, tuple(steps))


def fit_any(recipe: Recipe) -> None:
    """Check a recipe without an image: it has to fit large RGB images, or grey or smaller ones."""
    first: RecipeError | None = None
    for side, channels in itertools.product(SAMPLES, (3, 1)):
        try:
            fit(recipe, Kind(side, side, channels, treadle.u8), exact=False)
        except RecipeError as error:
            first = first or error
        else:
            return
    if first is not None:
        raise first


def parameters(stage: RecipeStage, height: int, width: int) -> dict[str, Any]:
    """A stage's parameters for an image of this size."""
    info = treadle.kernel_info(stage.kernel)
    extra = EXTRA.get(info.name, {})
    given = {
        name: str(value) if isinstance(value, Path) else value
        for name, value in stage.params.items()
        if name not in extra
    }
    for parameter in info.parameters:
        value = given.get(parameter.name)
        if isinstance(value, str) and is_share(value):
            given[parameter.name] = in_pixels(parameter, value, height, width)
    if "max_side" in extra and "max_side" in stage.params:
        given["size"] = _within(height, width, stage.params["max_side"])
    return given


def _within(height: int, width: int, side: int) -> tuple[int, int]:
    """The size with the same shape whose longer side is at most `side`; never larger."""
    if max(height, width) <= side:
        return height, width
    scale = side / max(height, width)
    return max(round(height * scale), 1), max(round(width * scale), 1)


def _steps(stage: RecipeStage, now: Kind) -> list[FittedStep]:
    """What a stage does to images of a kind; grey ones become RGB where it needs colours."""
    try:
        return [_step(stage, now)]
    except treadle.TreadleError:
        if now.channels != 1:
            raise
        coloured = _step(RecipeStage(FROM_GREY, {}), now)
        with suppress(treadle.TreadleError):
            return [coloured, _step(stage, coloured.gives)]
        raise


@lru_cache(maxsize=256)
def _outputs(definition: Any, spec: Spec, key: Hashable, values: tuple[float, ...]) -> Any:
    """What a kernel gives. Binding one with a large window takes a second, whether for the first
    stage of a recipe that has it or for the hundredth."""
    return definition.bind((spec,), None, key, values).outputs


def _step(stage: RecipeStage, now: Kind) -> FittedStep:
    given = parameters(stage, now.height, now.width)
    definition = registry.lookup(stage.kernel)
    spec = Spec(now.batch(1), now.dtype)
    outputs = _outputs(definition, spec, *definition.arguments(given))
    out = outputs[0] if len(outputs) == 1 else None
    shape: tuple[int, ...] = out.shape if out else ()
    flat = len(shape) == 3
    if (
        out is None
        or out.dtype != now.dtype
        or len(shape) not in (3, 4)
        or shape[0] != 1
        or not (flat or 1 <= shape[3] <= 4)
    ):
        gives = " and ".join(map(str, outputs))
        raise treadle.LaunchError(f"{stage.kernel} gives {gives}, which is not an image like it")
    moves = definition.name in MOVES
    height, width = shape[1:3]
    if height * width > max(MAX_PIXELS, now.height * now.width):
        raise treadle.LaunchError(
            f"{stage.kernel} gives {width}x{height} pixels; it may enlarge an image to "
            f"{MAX_PIXELS / 1e6:.0f} megapixels at most"
        )
    if now.alpha and not moves and (height, width) != (now.height, now.width):
        raise treadle.LaunchError(f"{stage.kernel} changes the size, and alpha cannot follow it")
    gives_kind = Kind(height, width, 1 if flat else shape[3], now.dtype, now.alpha)
    return FittedStep(stage.kernel, given, gives_kind, flat, moves)


def _placed(recipe: Recipe, number: int, stage: RecipeStage, message: str) -> Problem:
    """The problem at the field that the message names, or else at the stage."""
    places = locate(recipe.text)
    named = [name for name in stage.params if re.search(rf"\b{re.escape(name)}\b", message)]
    place = places.get(("stage", number - 1, named[0] if named else "kernel"))
    return Problem(message, place.line, place.value) if place else Problem(message, stage.line)
