"""Fill in the site's reference: names from `treadle.__all__`, kernels from themselves.

In: pages with markers. Out: the same pages with a block for each name, which mkdocstrings turns
into its documentation, and a section for each kernel. So no name can be missing.
"""

from __future__ import annotations

import inspect
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

import treadle
from treadle.lang import registry


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the markers of a page."""
    if "<!-- kernels -->" in markdown:
        markdown = markdown.replace("<!-- kernels -->", _kernels())
    for module in ("search", "cluster", "models"):
        if f"<!-- {module} -->" in markdown:
            markdown = markdown.replace(f"<!-- {module} -->", _members(module))
    return re.sub(r"<!-- names: (\w+) -->", lambda found: _names(found[1]), markdown)


def _kind(value: Any) -> str:
    if inspect.isclass(value):
        return "errors" if issubclass(value, BaseException) else "classes"
    return "functions" if callable(value) else "other"


def _names(kind: str) -> str:
    found = [name for name in treadle.__all__ if _kind(getattr(treadle, name)) == kind]
    return "\n\n".join(map(_block, found))


def _members(module: str) -> str:
    """Blocks for the names of a module, each by the module it is in."""
    found = []
    owner = getattr(treadle, module)
    for name in owner.__all__:
        value = getattr(owner, name)
        options = "    options:\n      show_root_heading: false"
        head = f"### treadle.{module}.{name} {{ #treadle.{module}.{name} }}"
        shown = f"```python\ntreadle.{module}.{name}{_signature(value)}\n```"
        found.append(f"{head}\n\n{shown}\n\n::: {value.__module__}.{value.__qualname__}\n{options}")
    return "\n\n".join(found)


def _block(name: str) -> str:
    """A name's block; where a module has the same name, the function by the module it is in."""
    if find_spec(f"treadle.{name}") is None:
        return f"::: treadle.{name}"
    value = getattr(treadle, name)
    head = f"### treadle.{name} {{ #treadle.{name} }}"
    shown = f"```python\ntreadle.{name}{_signature(value)}\n```"
    options = "    options:\n      show_root_heading: false"
    return f"{head}\n\n{shown}\n\n::: {value.__module__}.{value.__qualname__}\n{options}"


def _signature(value: Any) -> str:
    try:
        plain = inspect.signature(value)
    except ValueError:  # an exception that takes what every exception takes
        return ""
    bare = [p.replace(annotation=p.empty) for p in plain.parameters.values()]
    return str(plain.replace(parameters=bare, return_annotation=plain.empty))


def _kernels() -> str:
    families: dict[str, list[str]] = {}
    for name in treadle.kernels():
        module = str(registry.lookup(name).function.__module__)
        if module.startswith("treadle.kernels."):
            families.setdefault(module.rpartition(".")[2], []).append(name)
    parts = []
    for family, names in sorted(families.items()):
        parts.append(f"### {family.capitalize()} {{ #kernels-{family} }}")
        parts += [_kernel(treadle.kernel_info(name)) for name in names]
    return "\n\n".join(parts)


def _kernel(info: Any) -> str:
    lines = [
        f"#### `{info.name}` {{ #kernel-{info.name} }}",
        "",
        "```python",
        info.signature,
        "```",
    ]
    lines += ["", _text(info.doc), ""]
    if info.parameters:
        lines += ["| parameter | default | range |", "|---|---|---|"]
        for each in info.parameters:
            default = repr(each.default).replace("|", "\\|")
            lines.append(f"| `{each.name}` | `{default}` | {each.range or '-'} |")
        lines.append("")
    dtypes = "; ".join(f"`{name}`: {' '.join(kinds)}" for name, kinds in info.dtypes.items())
    lines.append(f"Inputs: {dtypes or 'none'}. Output: {info.shape}.")
    if info.aliases:
        lines[-1] += f" Also called {', '.join(f'`{alias}`' for alias in info.aliases)}."
    return "\n".join(lines)


def _text(doc: str) -> str:
    """A docstring as Markdown: its stars and underscores mean themselves."""
    plain = re.sub(r"([*_<\[\]|])", r"\\\1", doc)
    return "\n\n".join(" ".join(part.split()) for part in plain.split("\n\n"))
