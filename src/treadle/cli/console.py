"""Text on a terminal: the console, tables and the words that several commands share.

In: text that may hold anything: names of files, what a recipe says. Out: rich's console on stdout
or stderr, whose text is never taken for markup and never reaches the terminal as a control
sequence; drawings have other signs where the locale has none for them. This is the one place that
sees to it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any

__all__ = ["bar", "complain", "console", "echo", "table", "visible"]

_EIGHTHS = " ▏▎▍▌▋▊▉█"
# What moves the cursor, changes colours or the direction of writing, or cannot be encoded; a tab
# and the end of a line are text.
_HIDDEN = [*range(0x20), *range(0x7F, 0xA0), 0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F)]
_HIDDEN += [*range(0x2066, 0x206A), *range(0xD800, 0xE000)]
_VISIBLE = {code: chr(code).encode("unicode_escape").decode("ascii") for code in _HIDDEN}
del _VISIBLE[0x09], _VISIBLE[0x0A]
_DRAWN = str.maketrans("█▉▊▋▌▍▎▏│▼", "########|v")  # what is drawn, in ASCII


def visible(text: str) -> str:
    """Return text with what a terminal would obey spelt out, such as `\\x1b`."""
    return text.translate(_VISIBLE)


@cache
def _console_class() -> type:
    from rich.console import Console
    from rich.text import Text

    class Plain(Console):
        """A console that shows the text of everything it draws, and obeys none of it."""

        def render(self, renderable: Any, options: Any = None) -> Iterable[Any]:
            if isinstance(renderable, Text):  # before its lines are broken, so that none is cut
                renderable = renderable.copy()
                renderable.plain = visible(renderable.plain)
            return self._shown(super().render(renderable, options))

        def on_broken_pipe(self) -> None:
            """End the command: a reader, such as `head`, that has seen enough is no failure."""
            sys.stdout = None
            raise SystemExit(0)

        def _shown(self, segments: Iterable[Any]) -> Iterator[Any]:
            plain = not self.encoding.startswith("utf")
            for each in segments:
                text = visible(each.text)
                text = text.translate(_DRAWN) if plain else text
                yield each if each.control else each._replace(text=text)

    return Plain


class _Told:
    """Standard error, which may be closed, or a file on a full disk: what cannot be said is lost,
    and the work that it is about goes on."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()


def console(*, stderr: bool = False) -> Any:
    """Return a console; colours and width are the terminal's."""
    file = _Told(sys.stderr) if stderr and sys.stderr is not None else None
    return _console_class()(
        file=file, stderr=stderr, highlight=False, soft_wrap=False, markup=False, emoji=False
    )


def echo(text: str) -> None:
    """Print a file's text: as it is to a file or a program, spelt out to a terminal."""
    print(visible(text) if sys.stdout.isatty() else text, end="")


def complain(message: str) -> int:
    """Print a problem to stderr, and return the status for it."""
    out = console(stderr=True)
    out.print("treadle: ", style="bold red", end="")
    out.print(visible(message), soft_wrap=True)
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
