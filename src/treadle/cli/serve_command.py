"""The command `treadle serve`: its arguments and help.

In: arguments. Out: a call of the module that does the work, which is imported then. There is no
logic here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from treadle.cli.arguments import DeviceName, Trust, leave

__all__ = ["serve"]


def serve(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="RECIPE|MODEL|INDEX",
            help="A shipped recipe's name or a .toml file, a network (.onnx), and a file that "
            "`search build` made; one of them or several.",
            show_default=False,
        ),
    ],
    port: Annotated[
        int, typer.Option(min=0, max=65535, metavar="N", help="0 for one that is free.")
    ] = 8000,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where to listen; this machine alone by default.")
    ] = "127.0.0.1",
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A name by which clients may call; may be given again. Any where --host is not "
            "this machine alone.",
            show_default=False,
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="STAGE.NAME=VALUE",
            help="Another value for a stage of the recipe, by its kernel or its number.",
            show_default=False,
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The names of the network's classes, one in each line.",
            show_default=False,
        ),
    ] = None,
    device: DeviceName = None,
    max_pixels: Annotated[
        float,
        typer.Option(min=0.0, metavar="MEGAPIXELS", help="Refuse larger photos."),
    ] = 50,
    max_bytes: Annotated[
        float, typer.Option(min=0.0, metavar="MEGABYTES", help="Refuse larger uploads.")
    ] = 32,
    max_memory: Annotated[
        float,
        typer.Option(
            min=1.0, metavar="MEGABYTES", help="For uploads and photos at the same time; more wait."
        ),
    ] = 1024,
    max_requests: Annotated[
        int, typer.Option(min=1, metavar="N", help="Refuse more at the same time.")
    ] = 512,
    strip: Annotated[
        bool,
        typer.Option(
            "--strip", help="Leave out EXIF, GPS, XMP and IPTC; the colour profile stays."
        ),
    ] = False,
    trust: Trust = False,
) -> None:
    """Offer a recipe, a network or an index of vectors over HTTP, with a page to drop photos on.

    Prints the address. Ctrl-C finishes what was accepted and stops; a second one stops at once.
    """  # fmt: skip
    from treadle.cli import service

    leave(
        service.run(
            what, port=port, host=host, allow_hosts=allow_host or [], settings=set_ or [],
            labels=labels, device=device, max_pixels=max_pixels, max_bytes=max_bytes,
            max_memory=max_memory, max_requests=max_requests, strip=strip, trust=trust,
        )
    )  # fmt: skip
