"""The scan of bytes as CUDA text: which entry does what, and that compilers take all of it. What it
computes is compared on a GPU by tests/search/test_scan.py. No GPU is needed."""

from __future__ import annotations

from itertools import product

import pytest

from cuda_compiler import compiled, needs_nvcc
from scheduled import as_cuda
from treadle.codegen.cuda import Rendered
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.ir.nodes import Kernel
from treadle.passes import optimise
from treadle.search import kernels

U32, F32 = DType.U32, DType.F32


def kernel_of(near: bool) -> Kernel:
    """The kernel as a device gets it: 37 queries, 40 words, 100 groups of rows."""
    specs = [Spec((202, 40, 16), U32), Spec((202, 4, 16), F32), Spec((100,), U32)]
    specs += [Spec((37, 40), U32), Spec((37, 4), F32)]
    specs += [Spec((37,), F32)] if near else []
    definition = kernels.byte_near if near else kernels.byte_best
    wanted = None if near else (Spec((37, 50), F32),)
    bound = definition.bind(tuple(specs), wanted, *definition.arguments({}))
    return optimise(bound.stages[0].kernel)


def chosen(count: int, groups: int, words: int, *, near: bool = True, capability: int = 90):
    """The calls for so many queries, groups and words."""
    kernel = kernel_of(near)
    sizes = dict.fromkeys(kernel.symbols, 16)
    given = [(2 * groups, words, 16), (2 * groups, 4, 16), (groups,), (count, words), (count, 4)]
    for tensor, shape in zip(kernel.inputs, given, strict=False):
        sizes |= {d: n for d, n in zip(tensor.dims, shape, strict=True) if isinstance(d, str)}
    sizes |= dict(zip(kernel.outputs[0].dims, (count, groups), strict=True))
    return as_cuda(kernel, capability=capability).layout.measure(sizes).calls


@pytest.mark.parametrize(
    "count, words, capability, entries",
    [
        (1, 192, 90, ["treadle_near_1"]),
        (8, 192, 80, ["treadle_near_1"]),
        (9, 192, 90, ["treadle_clear", "treadle_near_2"]),
        (64, 192, 90, ["treadle_clear", "treadle_near_8"]),
        (100, 192, 90, ["treadle_clear", "treadle_near_all"]),
        (100, 192, 89, ["treadle_clear", "treadle_near_16"]),
        (1000, 192, 90, ["treadle_clear", "treadle_near_all"]),
        (1000, 200, 90, ["treadle_clear", "treadle_near_12"]),  # steps would be left over
        (1000, 1024, 90, ["treadle_clear", "treadle_near_2"]),  # a block holds no more
        (1000, 16384, 90, ["treadle_near_1"]),
    ],
)
def test_as_many_tiles_as_a_block_holds(count, words, capability, entries):
    calls = chosen(count, 31250, words, capability=capability)
    assert [call.entry for call in calls] == entries
    assert all(call.shared <= (227 << 10 if capability == 90 else 99 << 10) for call in calls)


def test_few_groups_are_shared_out_in_small_tiles():
    (call,) = chosen(100, 512, 192, near=False)
    assert call.entry == "treadle_best_2"
    assert call.grid == 7 * 128


def test_an_older_gpu_takes_the_language_s_own_text():
    text = as_cuda(kernel_of(True), capability=75).text
    assert "mma" not in text
    assert "treadle_scan" not in text


def some(rendered: Rendered, *ends: str) -> str:
    """A text with those of its entries whose names end so."""
    apart = rendered.layout.apart
    return rendered.layout.shared + "\n".join(t for n, t in apart.items() if n.endswith(ends))


@needs_nvcc
@pytest.mark.parametrize("arch", ["80", "90a"])
def test_an_assembler_takes_it(tmp_path, arch):
    ends = ("_1", "_2", "_clear", "_all") if arch == "90a" else ("_1", "_2", "_clear")
    rendered = as_cuda(kernel_of(True), capability=int(arch[:2]))
    compiled({"near": some(rendered, *ends)}, tmp_path, arch=arch, assembled=True)


@needs_nvcc
def test_a_compiler_takes_every_kind(tmp_path):
    texts = {}
    for near, wide in product((False, True), (False, True)):
        rendered = as_cuda(kernel_of(near), wide=wide)
        texts[f"k{near:d}{wide:d}"] = some(rendered, "_1", "_2", "_clear")
    compiled(texts, tmp_path, arch="90a")
