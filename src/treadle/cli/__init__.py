"""The command line, `treadle`: recipes over folders; a look at devices, kernels and this machine.

In: arguments. Out: text or JSON on stdout, progress and problems on stderr, and an exit status (see
`EXIT_CODES`). It needs the extra `cli`; without it every command ends with one sentence that says
so. Modules that take long to load are loaded by the command that needs them.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

__all__ = ["EXIT_CODES", "main"]

EXIT_CODES = {
    0: "all is well",
    1: "something failed: an image, a device that was asked for, a check; the rest was done",
    2: "nothing was started: wrong arguments, an input that is not there, a recipe with errors, a "
    "missing extra, an output folder that cannot be written",
    130: "stopped by Ctrl-C; what was finished is complete, and --resume goes on",
    143: "stopped by SIGTERM, otherwise as 130",
}


def _with_address(arguments: list[str]) -> list[str]:
    """Arguments in which --cluster has an address, where it has none: this machine's own."""
    found = list(arguments)
    for place, after in enumerate([*arguments, "-"][1:]):
        if arguments[place] == "--cluster" and after.startswith("-"):
            found[place] = "--cluster=local"
    return found


def _spell_what_cannot_be_encoded() -> None:
    """Have drawings and names printed as `?` where the locale has no signs for them."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    if not encoding.lower().startswith("utf") and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    _spell_what_cannot_be_encoded()
    try:
        from treadle.cli.app import app

        given = sys.argv[1:] if arguments is None else list(arguments)
        try:
            app(args=_with_address(given), prog_name="treadle")
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # Python's own flush, at its end, prints a traceback
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        sys.stdout = None
        return 0
    except OSError as error:
        if error.filename is not None:
            raise
        sys.stdout = None  # what is left in it cannot be written either
        print(f"treadle: standard output: {error.strerror or error}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("typer", "rich"):
            raise
        said = f"treadle: the command line needs {error.name}, which is not installed"
        print(f"{said}; pip install 'treadle[cli]'", file=sys.stderr)
        return 2
    return 0
