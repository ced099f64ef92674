"""Text on a terminal: the console, tables and the words that several commands share.

In: text. Out: rich's console on stdout or stderr. What users wrote (names of files, recipes) is
printed as it is, never as markup.
"""

from __future__ import annotations

from typing import Any

__all__ = ["bar", "complain", "console", "table"]

_EIGHTHS = " ▏▎▍▌▋▊▉█"


def console(*, stderr: bool = False) -> Any:
    """Return a console; colours and width are the terminal's."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, soft_wrap=False)


def complain(message: str) -> int:
    """Print a problem to stderr as it is, and return the status for it."""
    out = console(stderr=True)
    out.print("treadle: ", style="bold red", end="")
    out.print(message, markup=False, soft_wrap=True)
    return 2


def table(*columns: str, right: tuple[str, ...] = (), fixed: tuple[str, ...] = ()) -> Any:
    """Return an empty table in the house's look; `fixed` columns are never wrapped."""
    from rich import box
    from rich.table import Table

    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name in columns:
        side: Any = "right" if name in right else "left"
        made.add_column(name, justify=side, overflow="fold", no_wrap=name in fixed)
    return made


def bar(share: float, width: int) -> str:
    """A bar of `share` (0 to 1) of a width in characters, to an eighth of one."""
    eighths = round(max(0.0, min(share, 1.0)) * width * 8)
    return "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")
