"""A kernel's Python text: where it is, its syntax tree, and errors that point into it.

In: a function object. Out: a Text. It looks sources up as tracebacks do, so files and notebooks
work; then where prompts leave them (prompt.py), and last it reads the bytecode (bytecode.py). It
knows nothing about what the text means.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import tokenize
from collections.abc import Callable
from dataclasses import field
from types import CodeType
from typing import Any

from treadle.data import dataclass
from treadle.errors import KernelError, KernelSyntaxError
from treadle.lang.bytecode import read_back
from treadle.lang.prompt import SHARED, parse_text, typed_lines

__all__ = ["Text", "parse"]


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """A function's syntax tree with the file, first line and indentation it was found at."""

    function: Any
    tree: ast.FunctionDef
    filename: str
    first_line: int
    indent: int
    lines: tuple[str, ...]
    # What names from outside were when they were first read, so that a kernel means one thing.
    outside: dict[str, Any] = field(default_factory=dict)

    def error(
        self, kind: type[KernelError], message: str, node: ast.AST | None = None
    ) -> KernelError:
        """Build an error of class `kind` that shows `node`."""
        node = node if node is not None and hasattr(node, "lineno") else self.tree
        lineno: int = node.lineno
        column: int = node.col_offset  # type: ignore[attr-defined]
        line = self.lines[lineno - 1] if lineno <= len(self.lines) else None
        return kind(
            f"kernel {self.tree.name!r}: {message}",
            filename=self.filename,
            lineno=self.first_line + lineno - 1,
            column=column + self.indent,
            line=line,
        )


def parse(function: Callable[..., Any]) -> Text:
    """Find and parse the source of a function that was written with `def`."""
    name = getattr(function, "__name__", repr(function))
    code = getattr(function, "__code__", None)
    if code is None:
        raise KernelSyntaxError(f"kernel {name!r}: expected a Python function, got {function!r}")
    if name == "<lambda>":
        raise KernelSyntaxError(
            "a kernel cannot be a lambda; write it with def, so that errors can show its lines",
            filename=code.co_filename,
            lineno=code.co_firstlineno,
        )
    if hasattr(function, "__wrapped__"):
        raise KernelSyntaxError(
            f"kernel {name!r}: it wraps another function; decorate the plain function",
            filename=code.co_filename,
            lineno=code.co_firstlineno,
        )
    found = _found(function, code)
    if found is None:
        return _read_back(function, name)
    lines, above = found
    first = above + 1
    indent = len(lines[0]) - len(lines[0].lstrip())
    tree = _tree(lines)
    if tree is None or (isinstance(tree, ast.FunctionDef) and not _belongs(tree, code)):
        raise KernelSyntaxError(
            f"kernel {name!r}: what is in its file now is not what was loaded; load the module "
            "again (and write the function with `def` on lines of its own)",
            filename=code.co_filename,
            lineno=code.co_firstlineno,
        )
    if not isinstance(tree, ast.FunctionDef):
        raise KernelSyntaxError(
            f"kernel {name!r}: expected a plain `def`, got {type(tree).__name__}; an async "
            "function "
            "cannot be a kernel (submit the kernel and await the command instead)",
            filename=code.co_filename,
            lineno=first,
            line=lines[0],
        )
    plain = tuple(line.rstrip("\n") for line in lines)
    return Text(function, tree, code.co_filename, first, indent, plain)


def _found(function: Any, code: CodeType) -> tuple[list[str], int] | None:
    """The lines of a function's text and how many are above them, or None."""
    if code.co_filename not in SHARED:
        try:
            every, above = inspect.findsource(function)
            return _lines(every[above:], code, above), above
        except (OSError, TypeError, SyntaxError, IndexError, tokenize.TokenError):
            pass
    return typed_lines(code)


def _read_back(function: Any, name: str) -> Text:
    """The text of a function that has none any more, from its bytecode; errors show that."""
    code = function.__code__
    tree = read_back(function)
    if tree is None:
        raise KernelSyntaxError(
            f"kernel {name!r}: its source text is not available (Python keeps none of what exec "
            "and a pipe give it) and its bytecode cannot be read back; put the kernel into "
            "a file or a notebook cell",
            filename=code.co_filename,
            lineno=code.co_firstlineno,
        )
    text = ast.unparse(tree)
    parsed = parse_text(text).body[0]
    assert isinstance(parsed, ast.FunctionDef)
    lines = tuple(text.splitlines())
    return Text(function, parsed, code.co_filename, code.co_firstlineno, 0, lines)


def _lines(lines: list[str], code: CodeType, above: int) -> list[str]:
    """Those of some lines that belong to the function with which they begin; its code is found in a
    file after `above` others.

    The code says where it ends, so that no tokenizer has to. Statements for which Python made no
    code may follow; they are indented like the others."""
    end = _end(code) - above
    if end < 1:  # Python was told to keep no positions
        return inspect.getblock(lines)
    indent = len(lines[0]) - len(lines[0].lstrip())
    for number, line in enumerate(lines[end:], end + 1):
        text = line.strip()
        if text and not text.startswith("#"):
            if len(line) - len(line.lstrip()) <= indent:
                break
            end = number
    return lines[:end]


def _end(code: CodeType) -> int:
    """The last line of a function's code, or 0 where it is not known."""
    inner = [_end(each) for each in code.co_consts if isinstance(each, CodeType)]
    return max([0, *inner, *[end for _, end, _, _ in code.co_positions() if end]])


def _tree(lines: list[str]) -> ast.stmt | None:
    """The first statement of some lines, or None where they are none."""
    try:
        found = parse_text(textwrap.dedent("".join(lines))).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return found[0] if found else None


def _belongs(tree: ast.FunctionDef, code: CodeType) -> bool:
    """Whether a text has the name and the arguments of the function that is loaded."""
    args = tree.args
    named = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    count = code.co_argcount + code.co_kwonlyargcount
    return tree.name == code.co_name and [a.arg for a in named] == [*code.co_varnames[:count]]
