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


def _own(tree: ast.AST) -> set[str]:
    """The private names that a module defines, of whatever."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == "self" and isinstance(node.ctx, ast.Store):
                found.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)  # of __slots__
    return {name for name in found if _private(name)}


def reads() -> list[str]:
    """Every read of another package's private attribute, as file:line name."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in ROOT.rglob("*.py")}
    own: dict[str, set[str]] = defaultdict(set)
    for path, tree in trees.items():
        own[_package(path)] |= _own(tree)
    found = []
    for path, tree in sorted(trees.items()):
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute) or not _private(node.attr):
                continue
            named = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            if not named and node.attr not in own[_package(path)]:
                found.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.attr}")
    return found


def test_packages_keep_to_themselves():
    found = reads()
    assert len(found) <= ALLOWED, "\n".join(found)
    assert len(found) == ALLOWED, f"fewer than before: set ALLOWED to {len(found)}"
