"""`treadle recipe`: list, check and show.

In: a recipe's name or file. Out: text on stdout; a recipe with errors is status 2, with the errors
on stderr, each with its line.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path

import treadle
from treadle import recipes
from treadle.cli.console import complain, console, echo, table
from treadle.recipes.compose import from_stages, with_settings
from treadle.recipes.execute import RecipeEngine
from treadle.recipes.fit import FittedChain, Kind, fit_any

__all__ = ["check", "checked", "show", "show_list"]


def checked(
    name: str, *, stages: Sequence[str] = (), settings: Sequence[str] = (), trust: bool = False
) -> recipes.Recipe | None:
    """Load a recipe, or make one of `stages`, and check it as far as goes without an image; None
    after complaining."""
    try:
        found = from_stages(stages) if stages else recipes.load(name, trust=trust)
        if settings:
            found = with_settings(found, settings, trust=trust)
        fit_any(found)
    except recipes.RecipeError as error:
        complain(str(error))
        return None
    return found


def show_list(*, as_json: bool) -> int:
    """Print the shipped recipes."""
    found = [recipes.load(name) for name in recipes.shipped()]
    if as_json:
        listed = [
            {"name": r.name, "description": r.description, "stages": [str(s) for s in r.stages]}
            for r in found
        ]
        print(json.dumps(listed, indent=2))
        return 0
    rows = table("recipe", "what it does", "stages")
    for each in found:
        rows.add_row(each.name, each.description, ", ".join(s.kernel for s in each.stages))
    console().print(rows)
    return 0


def check(name: str, *, trust: bool = False) -> int:
    """Check a recipe and say that it is good, or what is wrong with it."""
    found = checked(name, trust=trust)
    if found is None:
        return 2
    count = len(found.stages) + (found.network is not None)
    said = f"{found.name}: {count} stage{'s' * (count != 1)}, no problem found"
    console().print(said)
    return 0


def show(
    name: str,
    size: str,
    *,
    device: str | None,
    mermaid: bool,
    svg: Path | None,
    source: bool,
    trust: bool = False,
) -> int:
    """Draw a recipe, and how a device will run it, for images of a size."""
    found = checked(name, trust=trust)
    if found is None:
        return 2
    if source:
        echo(found.text)
        return 0
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", size.strip().lower())
    if not match or "0" in (match[1], match[2]):
        return complain(f"--size: expected WIDTHxHEIGHT, such as 4000x3000, got {size!r}")
    try:
        engine = RecipeEngine(found, treadle.device(device), verdicts=True)
        chain = engine.chain(Kind(int(match[2]), int(match[1]), 3, treadle.u8))
        plan = engine.record(chain, 1).plan()
    except treadle.TreadleError as error:
        return complain(str(error))
    if svg is not None:
        try:
            svg.write_text(plan.to_svg(), encoding="utf-8")
        except OSError as error:
            return complain(f"--svg: cannot write {svg}: {error.strerror}")
        return 0
    if mermaid:
        echo(plan.to_mermaid() + "\n")
        return 0
    _draw(found, chain)
    out = console()
    out.print("\n" + _folded(plan.explain(), out.width), style="dim")
    return 0


def _folded(text: str, width: int) -> str:
    """Lines that fit, their continuations set in."""
    lines = []
    for line in text.splitlines():
        start = len(line) - len(line.lstrip())
        lines += textwrap.wrap(line, width, subsequent_indent=" " * (start + 5)) or [""]
    return "\n".join(lines)


def _lines(chain: FittedChain) -> list[tuple[str, str, str]]:
    """Name, parameters and result of each step."""
    rows = []
    for step in chain.steps:
        given = ", ".join(f"{key} {value}" for key, value in step.params.items())
        rows.append((step.kernel, given, str(step.gives)))
    return rows


def _draw(recipe: recipes.Recipe, chain: FittedChain) -> None:
    from rich.panel import Panel
    from rich.text import Text

    out = console()
    out.print(Text(recipe.name, style="bold"), Text(recipe.description, style="dim"))
    rows = _lines(chain)
    width = max([len(f"{name}  {given}") for name, given, _ in rows], default=0) + 4
    width = max(min(width, out.width - 2), 24)
    arrow = Text("│\n▼").plain.splitlines()
    ends = [str(chain.takes), *(gives for _, _, gives in rows)]
    out.print(Text(f"  image  {ends[0]}", style="green"))
    for (name, given, _), gives in zip(rows, ends[1:], strict=True):
        for each in arrow:
            out.print(" " * (width // 2) + each, style="dim")
        inside = Text.assemble((name, "bold cyan"), ("  " + given if given else ""))
        out.print(Panel(inside, width=width, border_style="dim"))
        out.print(Text(f"  {gives}", style="dim"))
    if recipe.network is not None:
        out.print(Text(f"  {recipe.network}, to results.{recipe.format}", style="green"))
        return
    ending = recipe.format or "the input's format"
    for each in arrow:
        out.print(" " * (width // 2) + each, style="dim")
    out.print(Text(f"  file  {ending}, quality {recipe.quality or 92} where it has one", "green"))
