"""`treadle devices`: what can compute here, and why the rest cannot.

In: names of devices, or none for all. Out: a table or JSON on stdout, and the status: 1 where a
device that was named cannot be used.
"""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Sequence
from typing import Any

import treadle
from treadle.runtime.device import BACKENDS

__all__ = ["describe", "devices", "known"]


def devices(names: Sequence[str], *, as_json: bool) -> int:
    """Print the devices; return the status."""
    rows = [describe(name) for name in names or known()]
    if as_json:
        print(json.dumps({"version": treadle.__version__, "devices": rows}, indent=2))
    else:
        print(_table(rows))
    missing = not all(row["present"] for row in rows)
    return 1 if names and missing else 0


def known() -> list[str]:
    """Every kind of device, those with several by number."""
    present = treadle.devices()
    names: list[str] = []
    for kind in BACKENDS:
        names += [name for name in present if name.partition(":")[0] == kind] or [kind]
    return names


def describe(name: str) -> dict[str, Any]:
    """What is known about a device, or the reason why it cannot be used."""
    try:
        device = treadle.device(name)
    except treadle.TreadleError as error:
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
