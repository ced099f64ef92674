"""The command `treadle view`: its arguments and help.

In: arguments. Out: a call of the module that does the work, which is imported then. There is no
logic here.
"""

from __future__ import annotations

from typing import Annotated

import typer

from treadle.cli.arguments import DeviceName, RecipeName, Trust, leave

__all__ = ["view"]


def view(
    recipe: RecipeName,
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUT", help="Photos and folders; a test card by default.", show_default=False
        ),
    ] = None,
    web: Annotated[
        bool, typer.Option("--web", help="A page for this machine's browser, not a window.")
    ] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="N", help="Of --web; 0 for one that is free.")
    ] = 0,
    out: Annotated[
        str, typer.Option("-o", "--out", metavar="FOLDER", help="Where saved files go.")
    ] = ".",
    device: DeviceName = None,
    trust: Trust = False,
) -> None:
    """See what a recipe does while its parameters change, in a window or in a browser."""
    from treadle.cli import viewing

    leave(
        viewing.view(recipe, inputs or [], web=web, port=port, out=out, device=device, trust=trust)
    )
