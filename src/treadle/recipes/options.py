"""What is asked of a run, and what becomes of each image: data that the run's parts share.

In: nothing. Out: frozen records that travel to other machines.
"""

from __future__ import annotations

from treadle.data import dataclass
from treadle.photos import MAX_BYTES, MAX_PIXELS
from treadle.recipes.find import Place
from treadle.recipes.journal import JournalEntry, digest
from treadle.recipes.recipe import Recipe

__all__ = ["QUALITY", "Options", "Outcome", "recipe_hash"]

QUALITY = 92


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for.

    `out` is a folder; with `single` it is the path of the one result, or PIPE, whose bytes are then
    left in the run's `piped`. `stdin` is what the input PIPE stands for. `cluster` is the address
    of the machines to work on, empty for this one, and None for this process; there are `workers`
    of them."""

    recipe: Recipe
    inputs: tuple[str, ...]
    out: Place
    single: bool = False
    name: str | None = None
    stdin: bytes = b""
    device: str | None = None
    jobs: int | None = None
    format: str | None = None
    quality: int | None = None
    overwrite: bool = False
    resume: bool = False
    strict: bool = False
    strip: bool = False
    max_pixels: int = MAX_PIXELS
    max_bytes: int = MAX_BYTES
    cluster: str | None = None
    workers: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one input: done, skipped (made before) or failed, with the reason."""

    source: Place
    output: Place | None
    status: str
    reason: str = ""
    pixels: int = 0
    fatal: bool = False
    size: tuple[int, int] | None = None  # width and height of what was made
    notes: tuple[str, ...] = ()  # what of the input is not in the output
    entry: JournalEntry | None = None  # what a journal is told of it
    name: str = ""  # the result's path below the output folder


def recipe_hash(options: Options, format: str | None, quality: int) -> str:
    """Return what tells results of one recipe, written in one way, from others."""
    said = f"{options.recipe.digest} {format} {quality}{' strip' * options.strip}"
    return digest(said.encode())
