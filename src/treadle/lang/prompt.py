"""Texts that have no file: what was typed at a prompt, given with `-c`, or read as standard input.

In: a function's code. Out: the lines of its text, if they can be found and compile to that very
code; else None. It looks where the text may still be: among the lines that Python keeps for
tracebacks, in the arguments that Python was started with, in a standard input that is a file, and
in the lines that the prompt remembers. Many texts share a name such as `<stdin>`, so it believes
none of them before it has compiled it.
"""

from __future__ import annotations
import __future__

import ast
import linecache
import os
import re
import stat
import sys
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from types import CodeType

__all__ = ["SHARED", "parse_text", "typed_lines"]

SHARED = ("<stdin>", "<string>", "<console>")  # what Python calls texts of many origins

LOOKED_AT = 2_000  # lines of what a prompt remembers, from the last one back
LONGEST = 1 << 24  # bytes of a standard input
_TRIES = 4  # at parsing a text


def typed_lines(code: CodeType) -> tuple[list[str], int] | None:
    """Return the lines from a function's first decorator on, and how many are above it."""
    for text in (*_given(code), *_remembered()):
        found = _within(text, code)
        if found is not None:
            return found
    return None


def _given(code: CodeType) -> Iterator[str]:
    """The whole text that Python was started with."""
    yield "".join(linecache.getlines(code.co_filename))
    if code.co_filename == "<string>":
        for option, following in pairwise((*sys.orig_argv[1:], "")):
            if re.match("-[A-Za-z]*c", option):
                yield textwrap.dedent(option.partition("c")[2] or following)
    if code.co_filename == "<stdin>":
        try:
            if stat.S_ISREG(os.fstat(0).st_mode):
                yield os.pread(0, LONGEST, 0).decode()  # which moves nothing
        except (OSError, ValueError):
            return


def _remembered() -> Iterator[str]:
    """The statements that were typed at a prompt, the last one first."""
    known = sys.modules.get("readline")  # prompts import it and keep lines there
    if known is None:
        return
    last = known.get_current_history_length()
    lines: list[str] = []
    for number in range(last, max(0, last - LOOKED_AT), -1):
        line = known.get_history_item(number) or ""
        lines[:0] = [line]
        above = known.get_history_item(number - 1) or "" if number > 1 else ""
        if not _begins(line, above):
            continue
        end = next((n for n, each in enumerate(lines[1:], 1) if _begins(each, lines[n - 1])), None)
        if "def " in "".join(lines[:end]):
            yield "\n".join(lines[:end]) + "\n"


def parse_text(text: str) -> ast.Module:
    """Parse a text, and again where that fails for no fault of its own.

    CPython 3.11 counts how deep it is for all threads together: where another one parses while the
    garbage collector runs in the middle, both may end with a SystemError."""
    for _ in range(_TRIES):
        with suppress(SystemError):
            return ast.parse(text)
    return ast.parse(text)


def _begins(line: str, before: str) -> bool:
    """Whether a line begins a statement of its own."""
    return not line[:1].isspace() and not before.startswith("@")


def _within(text: str, code: CodeType) -> tuple[list[str], int] | None:
    """Where in a text a function is whose code is this one."""
    try:
        flags = code.co_flags & __future__.annotations.compiler_flag
        whole = compile(text, code.co_filename, "exec", flags, dont_inherit=True)
        tree = parse_text(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    wanted = _meaning(code)
    for found in _inner(whole):
        if found.co_name == code.co_name and _meaning(found) == wanted:
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef) and _first(node) == found.co_firstlineno:
                    lines = text.splitlines(keepends=True)
                    return lines[_first(node) - 1 : node.end_lineno], _first(node) - 1
    return None


def _first(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


def _inner(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from _inner(each)


def _meaning(code: CodeType) -> tuple[object, ...]:
    """All of a code but where it was written."""
    constants = [
        _meaning(c) if isinstance(c, CodeType) else (type(c), repr(c)) for c in code.co_consts
    ]
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
    return code.co_code, tuple(constants), names, counts
