"""Private means private: how often a package reads what another one keeps to itself.

The number may only fall. A name that starts with an underscore and that a package neither defines
nor assigns is somebody else's.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import treadle

ROOT = Path(treadle.__file__).parent
ALLOWED = 30
PUBLIC = {
    "_asdict",
    "_fields",
    "_fields_",
    "_getframe",
    "_is_owned",
    "_make",
    "_replace",
}  # Python's own


def _package(path: Path) -> str:
    inside = path.relative_to(ROOT).parts
    return inside[0] if len(inside) > 1 else path.stem


def _private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in PUBLIC


def _names(tree: ast.AST) -> tuple[set[str], list[tuple[int, str, bool]]]:
    """The private names that a module defines, of whatever, and those that it reads of objects:
    the line, the name, and whether the object is its own."""
    own, read = set(), []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            own.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            own.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            own.add(node.value)  # of __slots__
        elif isinstance(node, ast.Attribute) and _private(node.attr):
            named = node.value.id if isinstance(node.value, ast.Name) else ""
            if named == "self" and isinstance(node.ctx, ast.Store):
                own.add(node.attr)
            read.append((node.lineno, node.attr, named in ("self", "cls")))
    return {name for name in own if _private(name)}, read


def reads() -> list[str]:
    """Every read of another package's private attribute, as file:line name."""
    every = {  # not the trees, of which there is one at a time
        path: _names(ast.parse(path.read_text(encoding="utf-8"))) for path in ROOT.rglob("*.py")
    }
    own: dict[str, set[str]] = defaultdict(set)
    for path, (names, _) in every.items():
        own[_package(path)] |= names
    return [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path, (_, read) in sorted(every.items())
        for line, name, is_own in read
        if not is_own and name not in own[_package(path)]
    ]


def test_packages_keep_to_themselves():
    found = reads()
    assert len(found) <= ALLOWED, "\n".join(found)
    assert len(found) == ALLOWED, f"fewer than before: set ALLOWED to {len(found)}"
