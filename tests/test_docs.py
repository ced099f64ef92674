"""The guides: their programs run, their tables are complete, their links lead somewhere."""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path

import pytest

import treadle
from kernel_text import define
from pages import ROOT, blocks, promised, run
from treadle.dtypes import DType
from treadle.errors import __all__ as ERRORS
from treadle.ir.bound import Spec
from treadle.ir.nodes import Op, children, statements, walk
from treadle.ir.ops import OPS
from treadle.kernels import ALIASES
from treadle.lang.intrinsics import CONVERSIONS, NAMES, SPECIAL

DOCS = sorted((ROOT / "docs").glob("*.md"))
LINKED = [*ROOT.glob("*.md"), ROOT / "bench" / "README.md", *DOCS]
NEEDS = {
    "cluster": ("ray",),
    "models": ("onnx", "onnxruntime"),
    "serving": ("PIL", "starlette", "uvicorn"),
}  # what the dev extra has, and few machines else
LINK = re.compile(r"\]\((?!https?:)([^)]+)\)")


def text(*pages: Path) -> str:
    return "\n".join(page.read_text(encoding="utf-8") for page in pages)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", text(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}


def rows(page: str, heading: str) -> list[list[str]]:
    """The cells of the first table below a heading."""
    section = text(ROOT / "docs" / page).partition(f"\n{heading}\n")[2]
    assert section, f"{page} has no {heading!r}"
    table = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)
    assert table, f"{page}: no table below {heading!r}"
    lines = table[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


NEEDED = {"surfaces": "webgpu"}  # by page: the device that its programs cannot do without


@pytest.mark.parametrize("page", [p for p in DOCS if blocks(p)], ids=lambda p: p.stem)
def test_the_programs_of_a_page_print_what_they_say(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where they write
    for library in NEEDS.get(page.stem, ()):
        pytest.importorskip(library)
    needed = NEEDED.get(page.stem)
    if needed is not None and needed not in treadle.devices():
        assert needed not in os.environ.get("TREADLE_REQUIRE", ""), f"{needed} is required"
        pytest.skip(f"{needed} is not here")
    lines = [line for block in blocks(page) for line in block]
    with treadle.use_device("cpu"), warnings.catch_warnings():
        if page.stem == "cluster":  # Ray Data warns of its own settings
            warnings.simplefilter("ignore", DeprecationWarning)
        before = treadle.device().max_in_flight
        try:
            assert run(lines, tmp_path / f"{page.stem}.py") == promised(lines)
        finally:
            treadle.device().max_in_flight = before


@pytest.mark.parametrize("name", treadle.__all__)
def test_every_public_name_is_in_the_guides(name):
    assert re.search(rf"\btreadle\.{name}\b", text(*DOCS)), f"treadle.{name} is in no guide"


@pytest.mark.parametrize("name", ERRORS)
def test_every_error_is_in_the_guides(name):
    assert re.search(rf"\b{name}\b", text(*DOCS))


def test_every_intrinsic_is_in_the_table_and_no_other():
    listed: dict[str, str] = {}
    for names, arguments, meaning in rows("kernels.md", "## Functions"):
        spelt = re.findall(r"`(\w+)`", names)
        listed |= dict.fromkeys(spelt, meaning)
        operation = NAMES.get(spelt[0])
        if operation is not None:
            assert len(arguments.split(", ")) == OPS[operation].arity, spelt
            assert {NAMES[each] for each in spelt} == {operation}
    assert set(listed) == set(NAMES) | set(CONVERSIONS) | set(SPECIAL)


def test_every_operator_is_in_the_table():
    """What has no function has an operator: the snippets of the table compile to exactly that."""
    snippets = [
        snippet.replace("\\|", "|")
        for cells in rows("kernels.md", "## Operators")
        for snippet in re.findall(r"`([^`]+)`", cells[0])
    ]
    used = set()
    for number, snippet in enumerate(snippets):
        kernel = define(
            f"def f(a, b, c):\n    return {snippet}\n", treadle.pointwise(name=f"_{number}")
        )
        bound = kernel.bind((Spec((4,), DType.S32),) * 3, None, *kernel.arguments({}))
        block = bound.stages[0].kernel.form.block
        values = [expr for stmt in statements(block.body) for expr in children(stmt)]
        used |= {e.name for v in (*values, *block.results) for e in walk(v) if isinstance(e, Op)}
    assert used >= set(OPS) - set(NAMES.values()) - set(CONVERSIONS)


def test_every_kernel_that_ships_is_in_the_list():
    shipped = {name for name in treadle.kernels() if treadle.kernel_info(name).shipped}
    families = rows("kernels.md", "## Kernels that ship")
    listed = re.findall(r"`(\w+)`", " ".join(cells[1] for cells in families))
    assert set(listed) == shipped | set(ALIASES)


@pytest.mark.parametrize("page", LINKED, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for link in LINK.findall(text(page)):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link
