"""One word for one idea: no two modules have a public class of the same name.

ALLOWED lists those that share a name because they share the idea, with the modules and the reason.
It may only shrink: a class of such a name in one more module fails, and so does an entry that says
more than there is.
"""

from __future__ import annotations

import ast
import functools
from collections import defaultdict
from pathlib import Path

import treadle

ROOT = Path(treadle.__file__).parent
CPU, CUDA, WEBGPU = "backends.cpu", "backends.cuda", "backends.webgpu"

# name: (why it is the same word, the modules that define it)
ALLOWED = {
    "Clock": ("a device's times", {f"{CUDA}.clock", f"{WEBGPU}.clock"}),
    "Elements": ("a chain's elements, by language", {"codegen.cuda.stage", "codegen.wgsl.stage"}),
    "FormText": ("the text of a form, by language", {"codegen.cuda.abi", "codegen.wgsl.grid"}),
    "Function": (
        "LLVM's own word, and that of @treadle.function, which error messages use",
        {"codegen.llvm.text", "lang.definition"},
    ),
    "Geometry": ("how a launch is split, by language", {"codegen.cuda.abi", "codegen.llvm.nest"}),
    "Launch": ("what runs on a backend, and its fence", {f"{CPU}.launch", "testing"}),
    "Layout": (
        "what the host needs to launch a text, by language",
        {"codegen.cuda.abi", "codegen.llvm.layout", "codegen.wgsl"},
    ),
    "Log": ("the contract, and the way to keep it", {"search.index", "search.log"}),
    "Memory": ("the contract, and the CPU's way to keep it", {"backends.base", f"{CPU}.memory"}),
    "NativeProgram": ("what a backend compiled", {f"{CPU}.program", f"{CUDA}.program"}),
    "Pool": ("a device's allocator", {f"{CPU}.memory", f"{CUDA}.memory", f"{WEBGPU}.memory"}),
    "Recording": (
        "steps that a backend replays",
        {f"{CUDA}.graph", f"{WEBGPU}.encode", "testing"},
    ),
    "Rendered": (
        "a kernel's text and layout, by language",
        {"codegen.cuda", "codegen.llvm.layout", "codegen.wgsl"},
    ),
    "Workers": ("a device's threads", {f"{CPU}.workers", f"{WEBGPU}.worker"}),
}


def _module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@functools.cache
def homonyms() -> dict[str, set[str]]:
    """The modules that define each public class of which there are several."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in ROOT.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].add(_module(path))
    return {name: modules for name, modules in found.items() if len(modules) > 1}


def test_a_name_stands_for_one_idea():
    allowed = {name: modules for name, (_, modules) in ALLOWED.items()}
    more = {
        name: sorted(modules)
        for name, modules in homonyms().items()
        if not modules <= allowed.get(name, set())
    }
    assert not more, f"several ideas with one name; rename the one that fewer modules use: {more}"


def test_what_is_allowed_is_needed():
    found = homonyms()
    gone = {
        name: sorted(modules - found.get(name, set()))
        for name, (_, modules) in ALLOWED.items()
        if modules - found.get(name, set())
    }
    assert not gone, f"fewer than before: take these out of ALLOWED: {gone}"
