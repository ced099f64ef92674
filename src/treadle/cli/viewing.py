"""`treadle view`: from arguments to a window or a page, and to its end.

In: a recipe's name and inputs. Out: a status: 0 when it was closed, 2 where nothing was started.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path

import treadle
from treadle.cli.console import complain, echo
from treadle.cli.recipes import checked
from treadle.viewing import Viewer, inputs_of

__all__ = ["view"]

_SIZE = (1280, 800)


def view(
    recipe: str,
    inputs: Sequence[str],
    *,
    web: bool,
    port: int,
    out: str,
    device: str | None,
    trust: bool,
) -> int:
    """Show a recipe until its window or the program is closed."""
    found = checked(recipe, trust=trust)
    if found is None:
        return 2
    folder = Path(out)
    if not folder.is_dir():
        return complain(f"out: no such folder: {out}")
    try:
        viewer = Viewer(found, inputs_of(inputs), treadle.device(device), trust=trust)
        viewer.before()
        if web:
            return _page(viewer, folder, port)
        return asyncio.run(_window(viewer, folder))
    except treadle.TreadleError as error:
        return complain(str(error))
    except KeyboardInterrupt:
        return 0  # which is how one ends it


def _page(viewer: Viewer, folder: Path, port: int) -> int:
    from treadle.viewing.web import WebView

    with WebView(viewer, folder, port) as shown:
        echo(f"open {shown.page.address}\nCtrl-C ends it\n")
        threading.Event().wait()
    return 0


async def _window(viewer: Viewer, folder: Path) -> int:
    from treadle.viewing.window import KEYS, WindowView

    try:
        surface = treadle.surface(*_SIZE, kind="window", title=f"treadle view {viewer.name}")
    except treadle.DeviceUnavailable as error:
        return complain(f"{error}; `treadle view --web` needs no display")
    async with surface:
        echo(f"{KEYS}\n")
        await WindowView(viewer, surface, folder).run()
    return 0
