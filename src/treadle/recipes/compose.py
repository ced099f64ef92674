"""Recipes from the command line: stages written as words, and other values for a recipe's own.

In: a recipe or none, stages such as "blur radius=2", settings such as "blur.radius=2". Out: a
checked Recipe, or a RecipeError that shows the words it is about. What was given becomes TOML text
and goes through the same parser as a file does, so that nothing is checked in two ways.
"""

from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import treadle
from treadle.errors import suggest
from treadle.recipes.recipe import Problem, Recipe, RecipeError, parse

__all__ = ["from_mapping", "from_stages", "with_settings"]


def from_stages(stages: Sequence[str]) -> Recipe:
    """Return the recipe of stages, each a kernel's name and its parameters: "blur radius=2"."""
    tables = []
    for given in stages:
        said = f"--stage {given!r}"
        try:
            words = shlex.split(given)
        except ValueError as error:
            raise RecipeError(said, [Problem(str(error).lower())]) from error
        if not words:
            raise RecipeError(said, [Problem("expected a kernel's name, and then name=value")])
        table = {"kernel": words[0]}
        for word in words[1:]:
            name, value = _pair(word, said)
            if name in table:
                raise RecipeError(said, [Problem(f"{name} is given twice")])
            table[name] = value
        tables.append(table)
    # Who typed a path may name any.
    return _parsed({"name": "stages", "stage": tables}, "--stage", None, trust=True)


def from_mapping(given: Mapping[str, Any]) -> Recipe:
    """Return the recipe that a mapping with the fields of a file says; it may name any file."""
    tables = given.get("stage")
    if not isinstance(tables, list | tuple) or not all(isinstance(t, Mapping) for t in tables):
        said = "stage: expected a list of mappings, each with a kernel"
        raise RecipeError("recipe", [Problem(f"{said}, got {tables!r:.80}")])
    plain = {**given, "stage": [dict(table) for table in tables]}
    return _parsed(plain, "recipe", None, trust=True)


def with_settings(recipe: Recipe, settings: Sequence[str], *, trust: bool = False) -> Recipe:
    """Return a recipe with other values: "blur.radius=2", or "3.radius=2" for the third stage."""
    given = tomllib.loads(recipe.text)
    tables = given["stage"]
    for setting in settings:
        said = f"--set {setting!r}"
        target, value = _pair(setting, said)
        stage, dot, name = target.partition(".")
        if not (stage and dot and name) or name == "kernel":
            raise RecipeError(said, [Problem("expected stage.parameter=value")])
        tables[_place(stage, recipe, said)][name] = value
    folder = Path(recipe.source).parent if Path(recipe.source).is_file() else None
    return _parsed(given, f"{recipe.source} with --set", folder, trust=trust)


def _pair(word: str, said: str) -> tuple[str, Any]:
    name, sign, value = word.partition("=")
    if not sign or not name:
        raise RecipeError(said, [Problem(f"expected name=value, got {word!r}")])
    return name.strip(), _value(value.strip())


def _value(text: str) -> Any:
    """What TOML makes of a value; what it does not take is a string, as names of methods are."""
    try:
        found = tomllib.loads(f"value = {text}")
    except (tomllib.TOMLDecodeError, ValueError, RecursionError):
        return text
    return found["value"] if list(found) == ["value"] else text


def _place(stage: str, recipe: Recipe, said: str) -> int:
    """Which stage is meant: by its number, or by its kernel's name or alias."""
    count = len(recipe.stages)
    if stage.isdecimal():
        if 1 <= int(stage) <= count:
            return int(stage) - 1
        raise RecipeError(said, [Problem(f"expected a stage from 1 to {count}, got {stage}")])
    names = [each.kernel for each in recipe.stages]
    try:
        meant = treadle.kernel_info(stage).name
    except treadle.LaunchError:
        meant = stage
    places = [i for i, name in enumerate(names) if treadle.kernel_info(name).name == meant]
    if len(places) == 1:
        return places[0]
    if places:
        numbers = " or ".join(str(place + 1) for place in places)
        problem = f"{stage} is run by several stages; say which by its number, {numbers}"
    else:
        hint = suggest(stage, names) or f"; it has {', '.join(names)}"
        problem = f"{recipe.name} has no stage {stage!r}{hint}"
    raise RecipeError(said, [Problem(problem)])


def _parsed(given: dict[str, Any], source: str, folder: Path | None, *, trust: bool) -> Recipe:
    return parse(_toml(given), source=source, folder=folder, trust=trust)


def _toml(given: dict[str, Any]) -> str:
    """A recipe's tables as text; JSON spells the values that recipes have as TOML does."""
    lines = [
        f"{_key(name)} = {_spelt(value)}"
        for name, value in given.items()
        if name not in ("output", "stage")
    ]
    if isinstance(given.get("output"), dict):
        lines += ["", "[output]", *(f"{_key(k)} = {_spelt(v)}" for k, v in given["output"].items())]
    for table in given["stage"]:
        lines += ["", "[[stage]]", *(f"{_key(k)} = {_spelt(v)}" for k, v in table.items())]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    plain = name.replace("_", "").replace("-", "").isalnum() and name.isascii()
    return name if plain else json.dumps(name)


def _spelt(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)} = {_spelt(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_spelt, value)) + "]"
    if isinstance(value, float):
        return repr(value)  # inf and nan are TOML's words too
    if isinstance(value, Path):
        return json.dumps(str(value))
    if isinstance(value, bool | int | str):
        return json.dumps(value)
    return str(value)  # dates, which a stage refuses
