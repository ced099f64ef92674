"""The text that codegen makes of a dozen kernels, kept in files, so that a change shows as a diff.

After a change that is meant: `TREADLE_GOLDEN=write python -m pytest tests/golden`, then read the
diff.
"""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path

import pytest

import treadle
from scheduled import as_cuda, as_llvm, as_wgsl, best
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.ir.nodes import Kernel
from treadle.lang.registry import lookup
from treadle.passes.fuse import fuse

HERE = Path(__file__).parent
# Language: how a kernel is spelt in it, and the suffix of its files.
LANGUAGES = {"cuda_c": (as_cuda, "cu"), "llvm": (as_llvm, "ll"), "wgsl": (as_wgsl, "wgsl")}

F, D, S, L, U, B = DType.F32, DType.F64, DType.S32, DType.S64, DType.U32, DType.U8
H, C = DType.F16, DType.BOOL


@treadle.kernel(name="golden_gather")
def gather(at, table, index):
    (i,) = at
    return table[index[i]]


@treadle.pointwise(name="golden_loop")
def collatz(n):
    count = 0
    while n > 1 and count < 100:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        count += 1
    return count


@treadle.scan(init=(0.0, 0.0), name="golden_scan")
def biquad(state, x, *, b0=1.0, a1=0.5):
    z1, z2 = state
    y = b0 * x + z1
    return (z2 - a1 * y, x - y), y


CASES = {
    "add": ("elementwise_add", [Spec((100,), F), Spec((100,), F)], {}),
    "add_broadcast_u8": ("elementwise_add", [Spec((9, 50), B), Spec((50,), B)], {}),
    "sigmoid": ("sigmoid", [Spec((100,), F)], {}),
    "exp_f64": ("exp", [Spec((100,), D)], {}),
    "blur_u8": ("gaussian_blur", [Spec((40, 60, 4), B)], {"radius": 1, "sigma": 1.0}),
    "grayscale": ("grayscale", [Spec((40, 60, 3), F)], {}),
    "gather": (gather, [Spec((77,), F), Spec((100,), S)], {}),
    "collatz": (collatz, [Spec((100,), S)], {}),
    "sum": ("reduce_sum", [Spec((1000,), F)], {}),
    "max_columns": ("reduce_max", [Spec((70, 90), S)], {"axis": 0}),
    "argmax_rows": ("argmax", [Spec((70, 90), F)], {"axis": 1}),
    "softmax": ("softmax", [Spec((70, 90), F)], {}),
    "biquad": (biquad, [Spec((90, 2), F)], {"axis": 0}),
    "matmul_s64": ("matmul", [Spec((7, 8), L), Spec((8, 9), L)], {}),
    "where_f16": ("where", [Spec((50,), C), Spec((50,), H), Spec((50,), H)], {}),
    "cast_bf16_s8": ("cast", [Spec((50,), DType.BF16)], {"dtype": DType.S8}),
    "clamp_u32": ("clamp", [Spec((100,), U)], {"min": 1, "max": 9}),
}

CHAINS = {
    "blur_chain_u8": ("gaussian_blur", [Spec((40, 60, 4), B)], {"radius": 1, "sigma": 1.0}),
}
NEAR = 1 << 19  # bytes
TEXTS = [*product(LANGUAGES, CASES), *product(LANGUAGES, CHAINS)]


def kernels(case: str) -> list[Kernel]:
    name, specs, params = (CASES | CHAINS)[case]
    definition = lookup(name) if isinstance(name, str) else name
    bound = definition.bind(tuple(specs), None, *definition.arguments(params))
    if case in CHAINS:
        bound = fuse(bound, near=NEAR).bound
    return [best(stage.kernel) for stage in bound.stages]


@pytest.mark.parametrize("language, case", TEXTS)
def test_text(language, case):
    spell, suffix = LANGUAGES[language]
    text = "\n".join(spell(kernel).text.rstrip() + "\n" for kernel in kernels(case))
    path = HERE / language / f"{case}.{suffix}"
    if os.environ.get("TREADLE_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), (
        "the generated text changed; if meant, run with TREADLE_GOLDEN=write and read the diff"
    )


def test_no_file_is_left_over():
    files = {p.relative_to(HERE) for p in HERE.glob("*/*") if p.parent.name in LANGUAGES}
    assert files == {Path(n) / f"{case}.{LANGUAGES[n][1]}" for n, case in TEXTS}
