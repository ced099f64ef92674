"""The command line: `weft devices`.

In: arguments. Out: text or JSON on stdout, and an exit status: 0 all is well, 1 a device that was
asked for cannot be used, 2 the arguments make no sense. It uses only what users can use.
"""

from __future__ import annotations

import argparse
import json
import shutil
import textwrap
from collections.abc import Sequence
from typing import Any

import weft
from weft.runtime.device import BACKENDS

__all__ = ["main"]

_DEVICES = """\
Show what can compute here: one line for each device that is present, and for each kind that is
not, the reason and what helps. With names, look at those only; the exit status is 1 if one of them
cannot be used."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="weft", description="Run compute from Python without waiting for it."
    )
    parser.add_argument("--version", action="version", version=f"weft {weft.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="command", required=True)
    devices = commands.add_parser(
        "devices", help="show which devices are present, and why others are not",
        description=_DEVICES, formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    devices.add_argument("names", nargs="*", metavar="name", help="cpu, cuda, cuda:1, webgpu, ...")
    devices.add_argument("--json", action="store_true", help="print JSON instead of a table")
    devices.set_defaults(run=_devices)
    given = parser.parse_args(arguments)
    status: int = given.run(given)
    return status


def _devices(given: argparse.Namespace) -> int:
    rows = [_describe(name) for name in given.names or _known()]
    if given.json:
        print(json.dumps({"version": weft.__version__, "devices": rows}, indent=2))
    else:
        print(_table(rows))
    missing = not all(row["present"] for row in rows)
    return 1 if given.names and missing else 0


def _known() -> list[str]:
    """Every kind of device, those with several by number."""
    present = weft.devices()
    names: list[str] = []
    for kind in BACKENDS:
        names += [name for name in present if name.partition(":")[0] == kind] or [kind]
    return names


def _describe(name: str) -> dict[str, Any]:
    try:
        device = weft.device(name)
    except weft.WeftError as error:
        return {"device": name, "present": False, "reason": str(error)}
    info = device.info
    found: dict[str, Any] = {"device": device.name, "present": True}
    found |= {k: v for k, v in dict(info).items() if k not in ("backend", "version")}
    found["dtypes"] = [str(dtype) for dtype in info.dtypes]
    return found


def _memory(nbytes: int) -> str:
    return f"{nbytes / 2**30:.1f} GiB" if nbytes else "unknown"


def _table(rows: Sequence[dict[str, Any]]) -> str:
    head = ("device", "gpu", "memory", "name", "driver")
    cells = [
        (r["device"], "yes" if r["gpu"] else "no", _memory(r["memory"]), r["name"], r["driver"])
        for r in rows
        if r["present"]
    ]
    lines = []
    if cells:
        widths = [max(len(row[k]) for row in (head, *cells)) for k in range(len(head))]
        for row in (head, *cells):
            lines.append("  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip())
    room = max(min(shutil.get_terminal_size().columns, 100) - 4, 40)
    for absent in (r for r in rows if not r["present"]):
        reason = textwrap.fill(absent["reason"], room, break_long_words=False)
        lines += ["", f"{absent['device']} cannot be used:", textwrap.indent(reason, "    ")]
    return "\n".join(lines).lstrip("\n")
