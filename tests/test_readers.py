"""One reader of index expressions, enforced: other modules ask ir/affine what an index is.

A module that tests whether an operation is an addition or a subtraction takes a sum apart. For
indices ir/affine does that, in `read` and `summands`; the others here take something else apart.
The list is exact, so that it only shrinks: a module that no longer needs to be there must go.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1] / "src" / "treadle"
SUMS = {"add", "sub"}

# What else is made of sums, by module.
OTHERS = {
    "ir/affine.py": "indices: the reader",
    "passes/simplify.py": "x + 0, of any type, where it is exact",
    "lang/operators.py": "differences of conditions, which there are none of",
    "lang/folds.py": "whether a fold is a sum or a product",
    "codegen/cuda/words.py": "spells a sum of a product as one instruction, where that is allowed",
    "codegen/gpu/cstyle.py": "spells the sums of an index in the index type",
    "codegen/llvm/emit.py": "spells the sums of an index in 64 bits",
    "passes/schedule/windows.py": "sums of values along a window",
    "passes/transitions.py": "sums of what a scan's next state is made of",
    "passes/signs.py": "sums of floats that are never negative",
    "codegen/wgsl/language.py": "sums of floats that drivers must not look into",
    "codegen/wgsl/rounds.py": "ranges of values that bound loops, by sizes, with wrapping",
}


def takes_sums_apart(text: str) -> bool:
    """Whether a module compares something with "add" or "sub", or matches it."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Compare(comparators=others):
                found = [part for other in others for part in ast.walk(other)]
            case ast.MatchValue(value=value):
                found = [value]
            case _:
                continue
        if any(isinstance(part, ast.Constant) and part.value in SUMS for part in found):
            return True
    return False


def test_only_one_module_takes_indices_apart():
    paths = {
        path.relative_to(ROOT).as_posix(): path
        for layer in ("ir", "lang", "passes", "codegen")
        for path in (ROOT / layer).rglob("*.py")
    }
    found = {name for name, path in paths.items() if takes_sums_apart(path.read_text("utf-8"))}
    assert found == set(OTHERS), "ask treadle.ir.affine what an index is"


@pytest.mark.parametrize(
    "text, apart",
    [
        ('match e:\n    case Op(name="add" | "sub"):\n        pass', True),
        ('match e:\n    case Op("add", (a, b)):\n        pass', True),
        ('if e.name in ("add", "mul"):\n    pass', True),
        ('sign = 1 if e.name == "add" else -1', True),
        ('last = Op("sub", (size, one), S32)', False),  # puts a sum together
        ('table = {"add": "+", "sub": "-"}', False),
        ('if e.name == "floordiv":\n    pass', False),
    ],
)
def test_what_takes_a_sum_apart(text, apart):
    assert takes_sums_apart(text) is apart
