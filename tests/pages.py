"""Python blocks in Markdown pages, run as a reader would run them.

In: a page. Out: a program with the page's line numbers, what it printed, and what its comments say
that it prints. A block is fenced with ```python; `# -> text` promises a line of output.
"""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROMISE = re.compile(r"(?:^|\s)# -> (.*)$")


def blocks(page: Path) -> list[list[tuple[int, str]]]:
    """The Python blocks of a page: numbered lines, counted from 0."""
    found: list[list[tuple[int, str]]] = []
    inside = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines()):
        if line.startswith("```"):
            inside = line.strip() == "```python"
            if inside:
                found.append([])
        elif inside:
            found[-1].append((number, line))
    return found


def promised(lines: list[tuple[int, str]]) -> list[str]:
    """What the lines say that they print."""
    return [match[1].rstrip() for _, line in lines if (match := PROMISE.search(line))]


def run(lines: list[tuple[int, str]], file: Path) -> list[str]:
    """Run lines as a file of their own, each where the page has it; return what they printed."""
    program = [""] * (lines[-1][0] + 1)
    for number, line in lines:
        program[number] = line
    file.write_text("\n".join(program) + "\n", encoding="utf-8")
    code = compile(file.read_text(encoding="utf-8"), str(file), "exec")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {"__name__": "__main__", "__file__": str(file)})
    return printed.getvalue().splitlines()
