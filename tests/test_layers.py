"""The architecture's table, enforced: imports go down only, and each library has one owner.

Reads the sources with ast, so that imports inside functions, under TYPE_CHECKING and through
import_module("...") count as well. A module that is in no row fails: new files must be placed.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1] / "src" / "treadle"

# Bottom first. A unit may import units of earlier rows and itself, never one of its own row.
ROWS = """
    errors _version files tables png bfloat data
    dtypes attendant capsule courtesy
    typed
    ir
    lang passes codegen
    backends backends.base backends.cache backends.lease
    backends.cpu backends.cuda backends.webgpu backends.reference
    runtime runtime.priority runtime.request runtime.waiters runtime.present runtime.rich
    runtime.caller
    runtime.command runtime.informed
    runtime.registry runtime.observe runtime.failure runtime.refusal
    runtime.poller
    runtime.memory runtime.eager
    runtime.pairs
    runtime.elements
    runtime.claim runtime.looped runtime.hosted
    runtime.alike
    runtime.convert runtime.hazards runtime.shares runtime.pace runtime.turns runtime.waits
    runtime.buffer runtime.graph runtime.quick
    runtime.plan runtime.queue runtime.stored
    runtime.several
    runtime.fused runtime.planning runtime.scheduling
    runtime.recall
    runtime.programs
    runtime.compile runtime.transfer runtime.sharing
    runtime.launch runtime.prepared
    runtime.device
    runtime.draw
    kernels pictures testing arrays
    ops array_api
    photos timeline remote
    images
    trace
    pipeline models
    streaming
    batching
    search surfaces
    cluster
    pages
    api work features
    __init__
    recipes
    serving viewing
    cli
    demo
    __main__
"""
RANK = {unit: rank for rank, row in enumerate(ROWS.split("\n")) for unit in row.split()}
SPLIT = {"backends", "runtime"}  # packages whose modules have rows of their own
# The package shows names of what is built on it; they are imported when they are used.
SHOWN = {("__init__", "recipes")}
BACKENDS_MAY = {
    "errors",
    "_version",
    "files",
    "bfloat",
    "data",
    "capsule",
    "dtypes",
    "attendant",
    "courtesy",
    "ir",
    "codegen",
}
BACKENDS_MAY |= {"backends", "backends.base", "backends.cache", "backends.lease"}

EVERYWHERE = {"numpy", "typing_extensions"}  # the latter for checkers alone, which bring it
OWNERS = {
    "llvmlite": {"backends.cpu"},
    "ml_dtypes": {"bfloat"},
    "onnxruntime": {"models"},
    "cupy": {"backends.cuda"},
    "wgpu": {"backends.webgpu"},
    "PIL": {"photos"},
    "pillow_heif": {"photos"},
    "pyarrow": {"cli"},
    "fsspec": {"remote"},
    "glfw": {"surfaces"},
    "rendercanvas": {"surfaces"},
    "IPython": {"surfaces"},
    "rich": {"cli"},
    "typer": {"cli"},
    "ray": {"cluster"},
    "starlette": {"serving"},
    "uvicorn": {"serving"},
    # Peers of `treadle bench`, where they are installed.
    "cv2": {"cli"},
    "scipy": {"cli"},
    "torch": {"cli"},
}


def unit_of(module: str) -> str:
    """The row entry that a dotted name below treadle belongs to: `ir.nodes` is part of `ir`."""
    head, *rest = module.split(".")
    return f"{head}.{rest[0]}" if head in SPLIT and rest else head or "__init__"


def is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or path.is_dir() or name in RANK


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Every statement of a module; its expressions, of which there are many more, are left out."""
    left = [tree]
    while left:
        node = left.pop()
        yield node
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            below = getattr(node, field, ())
            left.extend(below if isinstance(below, list) else ())


def imports(text: str, package: str) -> Iterator[str]:
    """Absolute names of everything that a module of `package` imports."""
    tree = ast.parse(text)
    for node in ast.walk(tree) if "import_module" in text else statements(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                base = package.split(".")[: package.count(".") + 2 - level] if level else []
                source = ".".join([*base, *(module or "").split(".")]).strip(".")
                for alias in names:  # `from treadle import errors` imports a module, not a name
                    inner = f"{source}.{alias.name}"
                    below = inner.startswith("treadle.") and is_module(
                        inner.removeprefix("treadle.")
                    )
                    yield inner if below else source
            case ast.Call(func=func, args=[ast.Constant(value=str(name)), *_]):
                if getattr(func, "attr", getattr(func, "id", "")) == "import_module":
                    yield name


def violations(module: str, text: str, *, is_package: bool = False) -> list[str]:
    """What is wrong with the imports of `module`, a dotted name below treadle."""
    unit = unit_of(module)
    if unit not in RANK:
        return [f"{unit} is in no row of the layer table: place it"]
    full = f"treadle.{module}".rstrip(".")
    wrong = []
    for name in imports(text, full if is_package else full.rpartition(".")[0]):
        top, _, inner = name.partition(".")
        if top == "treadle":
            other = unit_of(inner)
            if other not in RANK:
                wrong.append(f"{module} imports {name}, which is in no row")
            elif (unit, other) in SHOWN:
                continue
            elif other != unit and RANK[other] >= RANK[unit]:
                wrong.append(f"{module} imports {name}, which is not below it")
            elif unit.startswith("backends.") and other not in BACKENDS_MAY | {unit}:
                wrong.append(f"{module} imports {name}; a backend sees only ir and codegen")
        elif top not in EVERYWHERE | sys.stdlib_module_names and unit not in OWNERS.get(top, ()):
            owners = ", ".join(sorted(OWNERS.get(top, {"nobody"})))
            wrong.append(f"{module} imports {top}, which belongs to {owners}")
    return wrong


def test_imports_go_down_only():
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        module = ".".join(parts[:-1] if is_package else parts)
        found += violations(module, path.read_text("utf-8"), is_package=is_package)
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "module, text",
    [
        ("ir.verify", "import numpy as np, ast\nfrom treadle.ir.nodes import Kernel"),
        ("ir.verify", "from .nodes import Kernel\nfrom ..dtypes import DType"),
        (
            "runtime.compile",
            "from treadle.passes.fuse.substitute import inline\nfrom treadle import errors",
        ),
        (
            "backends.cpu.jit",
            "def f():\n    import llvmlite.binding\n    from treadle import _version",
        ),
        ("demo", "import treadle\nfrom treadle import png, submit"),
    ],
)
def test_what_is_allowed(module, text):
    assert violations(module, text) == []


@pytest.mark.parametrize(
    "module, text, reason",
    [
        ("ir.verify", "from treadle.lang.shapes import pad", "not below it"),
        ("lang.parse", "from treadle.codegen import llvm", "not below it"),
        ("lang.parse", "from ..passes.fold import fold", "not below it"),
        ("runtime.command", "def f():\n    from treadle.runtime import queue", "not below it"),
        ("runtime.buffer", "from .queue import Queue", "not below it"),
        ("kernels.images", "import treadle", "not below it"),
        ("kernels.images", "from treadle import submit", "not below it"),
        (
            "kernels.images",
            "import importlib\nimportlib.import_module('treadle.api')",
            "not below it",
        ),
        ("backends.cpu", "from treadle.passes.fold import fold", "only ir and codegen"),
        ("backends.cpu", "from treadle.backends.cuda import open", "not below it"),
        ("codegen.llvm", "import llvmlite.ir", "belongs to backends.cpu"),
        ("runtime.queue", "import jax", "belongs to nobody"),
        ("runtime.queue", "from treadle.shiny import thing", "in no row"),
        ("shiny", "", "place it"),
        ("runtime.shiny", "", "place it"),
    ],
)
def test_what_is_not_allowed(module, text, reason):
    (wrong,) = violations(module, text)
    assert reason in wrong


def test_files_hold_one_idea():
    """A file of more than 500 lines has split into two ideas, and should into two files."""
    here = Path(__file__).parent
    folders = (ROOT, here, here.parent / "bench")
    counts = {
        path: len(path.read_text("utf-8").splitlines())
        for folder in folders
        for path in folder.rglob("*.py")
    }
    assert not {str(path): count for path, count in counts.items() if count > 500}


@pytest.mark.parametrize("init", [*ROOT.rglob("__init__.py")], ids=lambda p: p.parent.name)
def test_no_module_hides_a_builtin_that_its_package_uses(init):
    """Importing `wgsl.float` made `float` a module in `wgsl/__init__.py`."""
    inner = {path.stem for path in init.parent.iterdir() if path.stem in dir(builtins)}
    names = [n for n in ast.walk(ast.parse(init.read_text())) if isinstance(n, ast.Name)]
    assert not inner & {name.id for name in names}
