"""Kernels that have no file: typed at prompts, piped in, given with -c, made by exec."""

from __future__ import annotations

import ast
import code
import doctest
import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest

import treadle
from bound import evaluate
from treadle.errors import KernelSyntaxError, KernelTypeError
from treadle.lang import registry
from treadle.lang.bytecode import read_back
from treadle.lang.prompt import parse_text

KERNEL = """\
import treadle
SCALE = 3

@treadle.pointwise
def scaled(x, *, offset=1.0):
    y = x * SCALE  # which only a text says
    return y + offset if x > 1 else y

device = treadle.device("reference")
print(device.run_kernel(scaled, device.buffer([1.0, 2.0])).tolist())
print(scaled.text().lines[2].count("#"))
"""
FROM_TEXT, FROM_CODE = "[3.0, 7.0]\n1\n", "[3.0, 7.0]\n0\n"


def python(*arguments: str, **options: object) -> str:
    """What an interpreter of its own prints."""
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=100, **options
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_kernel_on_the_command_line():
    assert python("-c", KERNEL) == FROM_TEXT


def test_a_kernel_in_a_file_that_is_standard_input(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text(KERNEL)
    with path.open() as file:
        assert python("-", stdin=file) == FROM_TEXT


def test_a_kernel_from_a_pipe_is_read_from_its_bytecode():
    assert python("-", input=KERNEL) == FROM_CODE


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize("arguments", [(), ("-m", "pdb", "{empty}")], ids=["prompt", "pdb"])
def test_a_kernel_typed_at_a_prompt(arguments, tmp_path):
    import pty

    (tmp_path / "empty.py").write_text("pass\n")
    given = [each.format(empty=tmp_path / "empty.py") for each in arguments]
    main, other = pty.openpty()
    # Readline without a terminal's capabilities writes no control characters.
    env = {**os.environ, "TERM": "dumb", "PYTHON_BASIC_REPL": "1", "HOME": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-q", *given], stdin=other, stdout=other, stderr=other, env=env
    )
    os.close(other)
    if given:  # which takes one line at a time
        typed = [
            "import treadle",
            "def twice(x): return x + x",
            "made = treadle.device('reference')",
            "print(made.run_kernel(treadle.pointwise(twice), made.buffer([4.0])).tolist())",
            "q",
        ]
    else:
        typed = [
            "import treadle",
            "def other(x):",
            "    return x",
            "",
            "@treadle.pointwise",
            "def twice(x):",
            "    # this comment says that the text was found",
            "    return x + x",
            "",
            "made = treadle.device('reference')",
            "print(made.run_kernel(twice, made.buffer([4.0])).tolist())",
            "print('comment', twice.text().lines[2].count('#'))",
            "exit()",
        ]
    os.write(main, "\n".join([*typed, ""]).encode())
    printed = b""
    while True:
        try:
            more = os.read(main, 65536)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        printed += more
    os.close(main)
    process.wait(timeout=100)
    assert "[8.0]" in printed.decode(), printed.decode()
    if not given and importlib.util.find_spec("readline"):
        assert "comment 1" in printed.decode(), printed.decode()


def test_exec_and_a_console_of_code():
    scope: dict = {"treadle": treadle}
    exec(KERNEL.split("device =")[0], scope)
    np.testing.assert_array_equal(evaluate(scope["scaled"], np.float32([1, 2])), [3, 7])
    console = code.InteractiveConsole({"treadle": treadle})
    for line in ("@treadle.pointwise", "def third(x):", "    return x / 3", ""):
        console.push(line)
    np.testing.assert_array_equal(evaluate(console.locals["third"], np.float32([3])), [1])


def test_a_doctest():
    text = ">>> @treadle.pointwise\n... def half(x):\n...     return x / 2  # here\n"
    text += ">>> '# here' in half.text().lines[2]\nTrue\n"
    case = doctest.DocTestParser().get_doctest(text, {"treadle": treadle}, "half", None, 0)
    assert doctest.DocTestRunner(verbose=False).run(case).failed == 0


def test_a_kernel_made_by_exec_shows_its_lines_in_errors():
    scope: dict = {"treadle": treadle}
    exec("@treadle.pointwise\ndef wrong(x):\n    y = x + 1\n    return y + nothing\n", scope)
    with pytest.raises(KernelTypeError, match="return y \\+ nothing"):
        evaluate(scope["wrong"], np.float32([1]))


def test_what_cannot_be_read_back_says_what_to_do():
    scope: dict = {}
    exec("def f(x):\n    return [i for i in x]\n", scope)
    with pytest.raises(KernelSyntaxError, match="put the kernel into a file or a notebook cell"):
        treadle.pointwise(scope["f"])


def test_texts_of_the_same_name_are_not_taken_for_each_other():
    first: dict = {"treadle": treadle}
    exec("@treadle.pointwise\ndef f(x):\n    return x + 1\n", first)
    second: dict = {"treadle": treadle}
    exec("@treadle.pointwise\ndef f(x):\n    return x + 2\n", second)
    found = [evaluate(scope["f"], np.float32([0]))[0] for scope in (first, second)]
    assert found == [1, 2]


def loops(x, y):
    total = 0
    for i in range(4):
        for j in range(i):
            if (i + j) % 2 == 0 or x > 3:
                total += i * j
            elif not (y < 2 and i > 1):
                total -= 1
    return total + x


def halvings(x, y):
    n = 0
    while x > 1 and n < 10:
        m = 0
        while m < n:
            m = m + 1
            if m == 2:
                x = x - 1
        x = x / 2
        n += 1
    return n + y


def choices(x, y):
    a, b = x, y
    a, b = b, a + b
    if 0 < a < 5 <= b:
        return a
    r = a if b > 3 else -b
    return max(r if r else 1, a or b) ** 2 // 3


def places(x, y, *, k=3):
    place = ()
    for d in range(k):
        place = (*place, x + d)
    last = place[1:]
    for q in (1, 2, 3):
        last = (last[0] + q if q != 2 else last[1], y)
    return (last, abs(x), max(*place), ~int(y) & 7 | 1)


@pytest.mark.parametrize("function", [loops, halvings, choices, places])
def test_what_is_read_back_does_what_was_written(function):
    tree = read_back(function)
    assert tree is not None
    scope: dict = {}
    exec(compile(ast.unparse(tree), "<read back>", "exec"), scope)
    again = scope[function.__name__]
    for x in range(-3, 9):
        for y in range(-2, 9):
            assert again(x, y) == function(x, y)


def test_shipped_kernels_can_be_read_back():
    unread = []
    for name in registry.names():
        kernel = registry.lookup(name)
        plain = kernel.builtin and kernel.form not in ("composite", "host")  # not of other tests
        if plain and read_back(kernel.function) is None:
            unread.append(name)
    assert not unread


def test_what_two_threads_parse_at_once(monkeypatch):
    real, failures = ast.parse, [SystemError("AST constructor recursion depth mismatch")] * 2

    def mixed_up(text):
        if failures:
            raise failures.pop()
        return real(text)

    monkeypatch.setattr(ast, "parse", mixed_up)
    assert parse_text("def f(x): return x").body[0].name == "f"
    assert not failures
    with pytest.raises(SyntaxError):
        parse_text("def f(x: return x")
