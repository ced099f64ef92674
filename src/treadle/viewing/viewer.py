"""What is being looked at: a recipe with its parameters, one of several inputs, before and after.

In: a recipe, inputs, and changes by name. Out: pictures as u8 arrays, and files. What a change
comes from, a key or a slider, is not known here; nothing is shown here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import treadle
from treadle import pictures, png
from treadle.data import dataclass
from treadle.errors import LaunchError
from treadle.photos import SUFFIXES, PhotoError, decode, read_regular
from treadle.recipes import Recipe
from treadle.recipes.compose import with_settings
from treadle.recipes.execute import RecipeEngine
from treadle.recipes.fit import Kind

__all__ = ["CARD", "Control", "Viewer", "inputs_of"]

CARD = "test-card"
_CARD = (960, 640)
_PLAIN = 64  # the grey that stands for a picture
_STEPS = 40  # that a parameter's range is gone through in

Pixels = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Control:
    """One numeric parameter of one stage."""

    stage: int  # from 0
    kernel: str
    name: str
    value: float
    low: float
    high: float
    whole: bool  # a whole number

    @property
    def step(self) -> float:
        """What a key changes it by."""
        size = (self.high - self.low) / _STEPS
        return max(round(size), 1) if self.whole else size

    def __str__(self) -> str:
        return f"{self.kernel}.{self.name} = {self.value:g}  ({self.low:g} to {self.high:g})"


def inputs_of(given: Sequence[str]) -> list[str]:
    """Photos of files and folders, in order; the test card where none is named."""
    found: list[str] = []
    for each in given or [CARD]:
        path = Path(each)
        if each == CARD and not path.exists():
            found.append(CARD)
        elif path.is_dir():
            inside = [p for p in sorted(path.iterdir()) if p.suffix.lower() in SUFFIXES]
            if not inside:
                raise LaunchError(f"input: there is no photo in {each}")
            found += map(str, inside)
        elif path.is_file():
            found.append(each)
        else:
            raise LaunchError(f"input: no such photo or folder: {each}")
    return found


class Viewer:
    """A recipe that is looked at; for one thread at a time."""

    def __init__(
        self, recipe: Recipe, inputs: Sequence[str], device: treadle.Device, *, trust: bool = False
    ) -> None:
        self.recipe = recipe
        self.inputs = list(inputs)
        self.device = device
        self.number = 0
        self.chosen = 0  # which control keys change
        self._trust = trust
        self._ranges: dict[tuple[int, str], tuple[float, float]] = {}
        self._known: tuple[int, Pixels] | None = None
        self._engine = RecipeEngine(recipe, device)
        self._ranges = {(each.stage, each.name): (each.low, each.high) for each in self.controls}

    # What it looks at.

    @property
    def name(self) -> str:
        """The input that is shown."""
        return Path(self.inputs[self.number]).name

    def step(self, by: int) -> None:
        """Go to another input."""
        self.number = (self.number + by) % len(self.inputs)

    def before(self) -> Pixels:
        """The input's pixels: u8, RGB."""
        if self._known is None or self._known[0] != self.number:
            self._known = self.number, _pixels(self.inputs[self.number])
        return self._known[1]

    def after(self) -> Pixels:
        """What the recipe makes of them."""
        source = self.before()
        height, width, channels = source.shape
        chain = self._engine.chain(Kind(height, width, channels, treadle.u8))
        colour, _ = self._engine.start(chain, source[np.newaxis], None).result()
        shown = np.asarray(colour)[0]
        if shown.dtype != np.uint8:
            shown = np.rint(np.clip(np.nan_to_num(shown), 0, 1) * 255).astype(np.uint8)
        return np.repeat(shown, 3, axis=2) if shown.shape[2] == 1 else shown[..., :3]

    def look(self, *, after: bool = True) -> tuple[Pixels, Pixels, str]:
        """Before and after, and what is wrong where one of them cannot be had: a plain picture
        stands for an input that is no photo, and the one before for the other."""
        try:
            before = self.before()
        except (OSError, treadle.TreadleError) as error:
            plain = np.full((_CARD[1], _CARD[0], 3), _PLAIN, np.uint8)
            return plain, plain, str(error).partition("\n")[0]
        try:
            return before, self.after() if after else before, ""
        except treadle.TreadleError as error:
            return before, before, str(error).partition("\n")[0]

    # Its parameters.

    @property
    def controls(self) -> list[Control]:
        """Every numeric parameter of every stage, with its range."""
        found = []
        for index, stage in enumerate(self.recipe.stages):
            for parameter in treadle.kernel_info(stage.kernel).parameters:
                value = stage.params.get(parameter.name, parameter.default)
                if isinstance(value, bool) or not isinstance(value, int | float):
                    continue
                whole = parameter.static and isinstance(value, int)
                low, high = self._ranges.get((index, parameter.name)) or _range(parameter, value)
                found.append(Control(index, stage.kernel, parameter.name, value, low, high, whole))
        return found

    def set(self, number: int, value: float) -> None:
        """Give a control another value, as near to it as its range allows."""
        controls = self.controls
        if not 0 <= number < len(controls):
            raise LaunchError(f"control: expected one of {len(controls)}, got {number}")
        control = controls[number]
        kept = min(max(float(value), control.low), max(control.high, control.value))
        spelt = str(round(kept)) if control.whole else repr(kept)
        setting = f"{control.stage + 1}.{control.name}={spelt}"
        self.recipe = with_settings(self.recipe, [setting], trust=self._trust)
        self._engine = RecipeEngine(self.recipe, self.device)

    # What is kept.

    def save_recipe(self, folder: Path) -> Path:
        """Write the recipe with its values, under a name that is free."""
        path = _free(folder, f"{Path(self.recipe.name).stem or 'recipe'}-tuned", ".toml")
        path.write_text(self.recipe.text, encoding="utf-8")
        return path

    def save_picture(self, folder: Path) -> Path:
        """Write what the recipe makes of the input as a PNG, under a name that is free."""
        path = _free(folder, f"{Path(self.name).stem}-{Path(self.recipe.name).stem}", ".png")
        path.write_bytes(png.encode(self.after()))
        return path


def _range(parameter: Any, value: float) -> tuple[float, float]:
    """How far a parameter can be changed: as far as its kernel says, and not too far at once."""
    reach = max(abs(value) * 2, 2.0)
    low = -reach if parameter.low is None else max(parameter.low, -reach)
    high = reach if parameter.high is None else min(parameter.high, reach)
    return low, max(high, low)


def _free(folder: Path, stem: str, suffix: str) -> Path:
    path, number = folder / f"{stem}{suffix}", 1
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}{suffix}"
    return path


def _pixels(given: str) -> Pixels:
    if given == CARD:
        return np.ascontiguousarray(pictures.landscape(*_CARD, seed=1)[..., :3])
    try:
        photo = decode(read_regular(given))
    except PhotoError as error:
        raise PhotoError(f"{given}: {error}") from error
    pixels = np.asarray(photo.colour)
    if pixels.dtype != np.uint8:
        pixels = (pixels >> 8).astype(np.uint8)
    colours = np.repeat(pixels, 3, axis=2) if pixels.shape[2] < 3 else pixels[..., :3]
    return np.ascontiguousarray(colours)
