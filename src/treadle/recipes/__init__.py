"""Recipes: TOML files that list kernels, run over folders of images.

In: a recipe and paths. Out: image files, a journal and a report. Built on what users can use; knows
nothing about terminals (that is `cli`) and nothing about file formats (that is `photos`).
"""

from __future__ import annotations

from treadle.recipes.call import RecipeFunction
from treadle.recipes.fit import FittedChain, FittedStep, fit
from treadle.recipes.recipe import Problem, Recipe, RecipeError, RecipeStage, parse
from treadle.recipes.shipped import load, shipped

__all__ = [
    "FittedChain",
    "FittedStep",
    "Problem",
    "Recipe",
    "RecipeError",
    "RecipeFunction",
    "RecipeStage",
    "fit",
    "load",
    "parse",
    "shipped",
]
