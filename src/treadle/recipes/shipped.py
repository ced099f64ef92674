"""The recipes that ship with Treadle, and recipes from files.

In: a name or a path. Out: a checked Recipe. A name is a shipped recipe's, a path is anything with a
separator or ending in .toml.
"""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path

from treadle.errors import suggest
from treadle.files import read_regular
from treadle.recipes.limits import MAX_BYTES
from treadle.recipes.recipe import Problem, Recipe, RecipeError, parse

__all__ = ["load", "shipped"]


def shipped() -> list[str]:
    """Return the names of the recipes that ship with Treadle."""
    folder = resources.files("treadle.recipes") / "shipped"
    found = (each.name for each in folder.iterdir())
    return sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml"))


def load(name: str, *, trust: bool = False) -> Recipe:
    """Return a recipe by its shipped name or by the path of a file.

    A recipe that is not trusted names files in its own folder only."""
    if name in shipped():
        file = resources.files("treadle.recipes") / "shipped" / f"{name}.toml"
        return parse(file.read_text("utf-8"), source=f"{name}.toml")
    path = Path(name)
    if not (name.endswith(".toml") or os.sep in name or "/" in name or path.is_file()):
        hint = suggest(name, shipped()) or f"; there are {', '.join(shipped())}"
        problem = Problem(f"no recipe has this name, and a file's ends in .toml{hint}")
        raise RecipeError(repr(name), [problem])
    try:
        text = read_regular(path, limit=MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        said = f"is not UTF-8 text (byte {error.start}); a recipe is a .toml file"
        raise RecipeError(name, [Problem(said)]) from error
    except (OSError, ValueError) as error:  # ValueError: a path that no system can have
        said = f"cannot be read: {getattr(error, 'strerror', None) or error}"
        raise RecipeError(name, [Problem(said)]) from error
    return parse(text, source=name, folder=path.parent, trust=trust)
