"""`treadle kernels`: the kernels by family, or one of them in full.

In: a name, or none for all. Out: text or JSON on stdout.
"""

from __future__ import annotations

import json
import re
from typing import Any

import treadle
from treadle.cli.console import complain, console, table
from treadle.lang import registry

__all__ = ["kernels"]


def kernels(name: str | None, *, as_json: bool) -> int:
    """Print the kernels, or one; return the status."""
    if name is None:
        return _all(as_json=as_json)
    try:
        info = treadle.kernel_info(name)
    except treadle.LaunchError as error:
        complain(str(error).replace("treadle.kernels() lists them", "`treadle kernels` lists them"))
        return 1
    if as_json:
        print(json.dumps(_mapping(info), indent=2))
    else:
        _describe(info)
    return 0


def _all(*, as_json: bool) -> int:
    infos = [treadle.kernel_info(name) for name in treadle.kernels()]
    if as_json:
        print(json.dumps({info.name: _mapping(info) for info in infos}, indent=2))
        return 0
    out = console()
    families: dict[str, list[Any]] = {}
    for info in infos:
        families.setdefault(_family(info.name), []).append(info)
    for family, members in sorted(families.items()):
        rows = table(family, "what it does")
        for info in members:
            first = " ".join(info.doc.split("\n\n")[0].split())
            others = f" [{', '.join(info.aliases)}]" if info.aliases else ""
            rows.add_row(_plain(info.name + others, "cyan"), _plain(_sentence(first)))
        out.print(rows)
    out.print("`treadle kernels NAME` says more about one; brackets hold other names.", style="dim")
    return 0


def _describe(info: Any) -> None:
    out = console()
    out.print(_plain(info.signature, "bold cyan"))
    out.print(f"form: {info.form}, family: {_family(info.name)}", style="dim")
    out.print()
    for paragraph in info.doc.split("\n\n"):
        out.print(_plain(" ".join(paragraph.split()) + "\n"))
    if info.parameters:
        rows = table("parameter", "default", "range", "changing it")
        for parameter in info.parameters:
            rows.add_row(
                _plain(parameter.name, "cyan"),
                _plain(repr(parameter.default)),
                parameter.range or "-",
                "compiles" if parameter.static else "is free",
            )
        out.print(rows)
    rows = table("input", "dtypes")
    for name, dtypes in info.dtypes.items():
        optional = " (optional)" if name in info.optional_inputs else ""
        rows.add_row(_plain(name + optional, "cyan"), " ".join(dtypes))
    if info.dtypes:
        out.print(rows)
    out.print(_plain(f"output: {info.shape}"))
    if info.lines:
        out.print(_plain(f"lines: {info.lines}"))
    if info.aliases:
        out.print(_plain(f"also called: {', '.join(info.aliases)}"))


def _family(name: str) -> str:
    """The module of treadle.kernels that a kernel is written in."""
    module = str(registry.lookup(name).function.__module__)
    return module.rpartition(".")[2] if module.startswith("treadle.kernels.") else "yours"


def _mapping(info: Any) -> dict[str, Any]:
    return {
        "name": info.name,
        "family": _family(info.name),
        "form": str(info.form),
        "signature": info.signature,
        "doc": info.doc,
        "inputs": list(info.inputs),
        "optional_inputs": list(info.optional_inputs),
        "dtypes": {name: [str(d) for d in dtypes] for name, dtypes in info.dtypes.items()},
        "parameters": [
            {
                "name": p.name,
                "required": repr(p.default) == "required",
                "default": None if repr(p.default) == "required" else p.default,
                "low": p.low,
                "high": p.high,
                "static": p.static,
            }
            for p in info.parameters
        ],
        "shape": info.shape,
        "lines": info.lines,
        "aliases": list(info.aliases),
    }


def _sentence(text: str) -> str:
    """The first sentence; a point inside a number or a name does not end it."""
    end = re.search(r"(?<=[\w)\]][\w)\]])\.(?= [A-Z])", text)
    return text[: end.end()] if end else text


def _plain(text: str, style: str = "") -> Any:
    from rich.text import Text

    return Text(text, style=style)
