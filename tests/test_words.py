"""No false word: what documents, tables and metadata name is there, and what is there is named.

Read from the text of every page, so that a new page or a new name is looked at too. What is meant
to come is named in docs/next.md alone; there, naming something that is there is what fails.
"""

from __future__ import annotations

import ast
import functools
import importlib
import io
import re
import tokenize
import tomllib
from pathlib import Path

import pytest
import typer

import treadle
from pages import ROOT
from test_layers import OWNERS, RANK, imports
from treadle.cli.app import app
from treadle.cli.doctor import EXTRAS
from treadle.kernels import ALIASES
from treadle.runtime.request import OPERATIONS

SOURCE = ROOT / "src" / "treadle"
NEXT = ROOT / "docs" / "next.md"
HISTORY = ROOT / "CHANGELOG.md"
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "bench" / "README.md"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OFFERED = {
    extra: packages
    for extra, packages in PROJECT["optional-dependencies"].items()
    if extra not in ("dev", "docs")
}
# Packages that are imported under another name, and those that stand for one of several.
IMPORTED_AS = {"pillow": "PIL", "cupy-cuda13x": "cupy", "pillow-heif": "pillow_heif"}
IMPORTED_AS["onnxruntime-gpu"] = "onnxruntime"
by_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@functools.cache
def imported() -> frozenset[str]:
    """Every library that the package imports, anywhere."""
    found = {name for path in SOURCE.rglob("*.py") for name in imports(read(path), "treadle")}
    return frozenset(name.partition(".")[0] for name in found)


def exists(dotted: str) -> bool:
    """Whether a dotted name leads somewhere from the package: a module, or an attribute."""
    found: object = treadle
    path = "treadle"
    for part in dotted.split(".")[1:]:
        path += f".{part}"
        if hasattr(found, part):
            found = getattr(found, part)
            continue
        try:
            found = importlib.import_module(path)
        except ImportError:
            return False
    return True


def named(page: Path) -> set[str]:
    """What a page calls treadle.something; files of that name, as in treadle.css, are not meant."""
    return {
        name
        for name in re.findall(r"(?<![\w/-])treadle(?:\.[A-Za-z_]\w*)+", read(page))
        if not name.endswith((".css", ".toml", ".json"))
    }


@by_page
def test_names_of_the_package_are_there(page):
    if page == NEXT:
        assert named(page)
        first = " ".join(re.findall(r"^\| (.*?) \|", read(page), re.M))
        absent = set(re.findall(r"`(treadle\.\w+)`", first))
        assert absent
        assert not [name for name in absent if exists(name)], "it is there: take it off the list"
    else:
        assert not [name for name in named(page) if not exists(name)]


@by_page
def test_extras_are_offered(page):
    known = {*OFFERED, "dev", "docs"}
    asked = re.findall(r"(?:treadle|\.)\[([a-z,]+)\]", read(page))
    assert {extra for each in asked for extra in each.split(",")} <= known


def commands() -> dict[str, set[str]]:
    """The command line's commands, with their options."""
    found: dict[str, set[str]] = {}

    def walk(command, path):
        options = {o for p in command.params for o in (*p.opts, *p.secondary_opts)}
        found[path] = {option for option in options if option.startswith("-")}
        for name, below in getattr(command, "commands", {}).items():
            walk(below, f"{path} {name}".strip())

    walk(typer.main.get_command(app), "")
    return found


COMMANDS = commands()


@by_page
def test_commands_and_their_options_are_there(page):
    """`treadle run --resume` in code: the command is there, and has the option."""
    text = read(page)
    code = re.findall(r"`(treadle [^`]*)`|^\$ (treadle .*)$|^(treadle .*)$", text, re.M)
    for line in (next(filter(None, parts)) for parts in code):
        words = line.split()[1:]
        path = ""
        while words and f"{path} {words[0]}".strip() in COMMANDS:
            path = f"{path} {words.pop(0)}".strip()
        if words and not path:
            assert words[0].startswith("-"), f"{line}: no such command"
        for word in words:
            if word.startswith("--"):
                option = word.partition("=")[0]
                assert option in COMMANDS[path] | {"--help"}, line


@pytest.mark.parametrize("page", ["cli.md", "recipes.md", "tutorial.md"])
def test_options_are_there(page):
    known = {"--help"}.union(*COMMANDS.values())
    assert not set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", read(ROOT / "docs" / page))) - known


def test_every_command_and_option_is_in_its_page():
    page = read(ROOT / "docs" / "cli.md")
    for path in COMMANDS:
        assert f"treadle {path}".strip() in page
    long = {option for option in COMMANDS["run"] if option.startswith("--")} - {"--help"}
    assert not {option for option in long if f"`{option}" not in page}


@by_page
def test_kernels_that_are_called_are_there(page):
    text = read(page)
    called = re.findall(r"\b(?:submit|run_kernel(?:_async)?|kernel_info|add)\(\"(\w+)\"", text)
    shipped = {name for name in treadle.kernels() if treadle.kernel_info(name).shipped}
    known = {*shipped, *ALIASES, *OPERATIONS, *re.findall(r"def (\w+)\(", text)}
    misspelt = set(re.findall(r"did you mean '(\w+)'", text))  # shown on purpose, with the answer
    wrong = [name for name in called if name not in known]
    assert len(wrong) <= len(misspelt), wrong


VARIABLE = re.compile(r"\bTREADLE_[A-Z0-9_]+\b")


def test_variables_are_those_that_are_read():
    """Those of the package are in the guides; those of tests are in what contributors read."""
    used = set(VARIABLE.findall("".join(read(path) for path in SOURCE.rglob("*.py"))))
    used.discard("TREADLE_COMPLETE")  # of the shell's completion, which sets it by itself
    folders = (ROOT / "tests", ROOT / "bench")
    tested = set(VARIABLE.findall("".join(read(p) for f in folders for p in f.rglob("*.py"))))
    guides = "".join(map(read, (ROOT / "docs").rglob("*.md")))
    assert set(VARIABLE.findall(guides)) == used
    everywhere = set(VARIABLE.findall("".join(map(read, PAGES))))
    assert everywhere <= used | tested


PATHS = re.compile(r"`((?:src|tests|bench|docs|[a-z_]+)/[\w./<>-]*|[a-z_]+\.(?:py|md|toml))`")


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"])
def test_files_are_there(page):
    missing = []
    for name in PATHS.findall(read(ROOT / page)):
        if "<" in name or name.startswith("build/"):
            continue
        places = (ROOT / name, SOURCE / name, SOURCE / f"{name.rstrip('/')}.py")
        if not any(place.exists() for place in places):
            missing.append(name)
    assert not missing


def test_the_layers_of_the_architecture_are_there():
    """And all of them: every module of the package is in a row."""
    rows = re.findall(r"^\| L\d \| (.*?) \| ", read(ROOT / "ARCHITECTURE.md"), re.M)
    assert len(rows) == 7
    listed = {name.rstrip("/") for row in rows for name in re.findall(r"`([\w/]+)`", row)}
    modules = {path.stem for path in SOURCE.glob("*.py")}
    modules |= {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert listed == modules


def test_the_rows_and_owners_of_the_layer_test_are_there():
    for unit in RANK:
        path = SOURCE.joinpath(*unit.split("."))
        assert path.is_dir() or path.with_suffix(".py").exists(), f"{unit} is not there"
    libraries = imported()
    assert not [library for library in OWNERS if library not in libraries]


@pytest.mark.parametrize("extra", OFFERED)
def test_an_extra_is_offered_because_it_is_imported(extra):
    libraries = imported()
    for requirement in OFFERED[extra]:
        package = re.match(r"[\w-]+", requirement)[0]
        assert IMPORTED_AS.get(package, package.replace("-", "_")) in libraries


def test_doctor_looks_for_every_extra():
    assert set(EXTRAS) == set(OFFERED)
    for extra, (_, packages) in EXTRAS.items():
        wanted = {re.match(r"[\w-]+", requirement)[0] for requirement in OFFERED[extra]}
        assert {package.partition("|")[0] for package in packages} == wanted


def test_what_comes_next_is_named_nowhere_else():
    coming = set(re.findall(r"`(treadle\.\w+)`", read(NEXT)))
    coming = {name for name in coming if not exists(name)}
    assert coming, "the page names nothing that is not there"
    for page in set(PAGES) - {NEXT, HISTORY}:
        assert not coming & named(page), page
    assert "next.md" in read(ROOT / "README.md")
    assert "next.md" in read(ROOT / "docs" / "README.md")


# Words that leave open who does something: a comment names the queue, a worker, the caller, a user.
FACELESS = re.compile(r"\b(?:nobody|somebody|whoever|anybody|someone|anyone)\b", re.I)


def prose(source: str) -> list[str]:
    """The comments and docstrings of a module's text; not what it says to users."""
    found = [
        token.string
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    ]
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, documented):
            found.append(ast.get_docstring(node) or "")
    return found


def test_comments_and_docstrings_name_their_subject():
    """None is left: a comment that says what nobody or somebody does has to say who."""
    faceless = {
        f"{path.relative_to(SOURCE)}: {text}"
        for path in SOURCE.rglob("*.py")
        if FACELESS.search(source := read(path))
        for text in prose(source)
        if FACELESS.search(text)
    }
    assert not faceless
