"""Arguments that several commands of the command line take, with their help and completion.

In: nothing. Out: types for typer. What the words mean is for the command to find out.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer

__all__ = ["DeviceName", "Json", "RecipeName", "Trust", "device_names", "kernel_names", "leave"]


def leave(status: int) -> Any:
    """End the command with a status."""
    raise typer.Exit(status)


def _recipe_names(incomplete: str) -> list[str]:
    from treadle.recipes import shipped

    return [name for name in shipped() if name.startswith(incomplete)]


def kernel_names(incomplete: str) -> list[str]:
    """Complete the name of a kernel."""
    import treadle

    return [name for name in treadle.kernels() if name.startswith(incomplete)]


def device_names(incomplete: str) -> list[str]:
    """Complete the name of a device."""
    from treadle.runtime.device import BACKENDS

    return [name for name in BACKENDS if name.startswith(incomplete)]


Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
RecipeName = Annotated[
    str,
    typer.Argument(
        metavar="RECIPE", help="A shipped recipe's name, or a .toml file.",
        autocompletion=_recipe_names, show_default=False,
    ),
]  # fmt: skip
DeviceName = Annotated[
    str | None,
    typer.Option(
        "--device", metavar="NAME", help="cpu, cuda, webgpu, ...; the best present by default.",
        autocompletion=device_names, show_default=False,
    ),
]  # fmt: skip

Trust = Annotated[
    bool, typer.Option("--trust", help="Let the recipe name files outside of its own folder.")
]
