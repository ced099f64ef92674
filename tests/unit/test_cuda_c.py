"""CUDA C++ as text: every spelling is there, and a compiler takes all of it. No GPU is needed."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest

from bound import spec_of
from cuda_compiler import compiled, needs_nvcc
from handmade import F32, F64, S32, S64, U8, U32, axes, f32, load, mapped, op, plus, s32, state
from parity.test_kernels import ROWS
from scheduled import as_cuda
from treadle.codegen.cuda import Rendered
from treadle.codegen.cuda.words import CudaC
from treadle.dtypes import STORED, DType, read_as
from treadle.ir.bound import Spec
from treadle.ir.nodes import (
    Axis,
    Block,
    Cast,
    Const,
    Extent,
    Kernel,
    Load,
    Local,
    Op,
    Param,
    Reduce,
    Row,
    RowFold,
    RowLet,
    Scan,
    Tensor,
)
from treadle.ir.ops import OPS
from treadle.lang.registry import lookup
from treadle.passes import optimise

NUMBERS = (F32, F64, S32, S64, U32)


def operands(name: str, dtype: DType) -> tuple[DType, ...] | None:
    """The types of an operation's operands where the last is `dtype`, if it takes that."""
    row = OPS[name]
    for first in (dtype, DType.BOOL):
        given = (first, *(dtype,) * (row.arity - 1)) if row.arity > 1 else (dtype,)
        if row.accepts(given):
            return given
    return None


def of_type(dtype: DType) -> Kernel:
    """A kernel with an output for every operation that a type has, and every conversion from it."""
    x = load("x", Axis(0), dtype=dtype)
    test = op("gt", x, x)
    results = []
    for name in OPS:
        types = operands(name, dtype)
        if types is not None:
            args = tuple(test if t is DType.BOOL else x for t in types)
            results.append(Op(name, args, OPS[name].result(types)))
    for name in ("and", "or", "not"):
        results.append(op(name, *(test,) * OPS[name].arity))
    results += [Cast(x, target) for target in NUMBERS if target is not dtype]
    stored = [r.dtype if r.dtype is not DType.BOOL else U8 for r in results]
    results += [x] * len(STORED)
    return mapped(
        *results,
        inputs=[Tensor("x", dtype, ("n",))],
        space=("n",),
        output=[*stored, *STORED],
    )


def folded(space: tuple[str | int, ...], over: tuple[int, ...], dtype: DType) -> Kernel:
    """A reduction to the sum, the position of the last true test, and a condition."""
    x = Load("x", axes(len(space)), read_as(dtype))
    at = axes(len(space))[over[-1]] if over else s32(0)
    lift = Block((), (), (x, at, op("gt", x, x)))
    names = [state(f"{side}{k}", t) for side in "lr" for k, t in enumerate((x.dtype, S32))]
    l0, l1, r0, r1 = names
    lb, rb = Local("lb", DType.BOOL), Local("rb", DType.BOOL)
    combine = Block(
        (l0, l1, lb, r0, r1, rb), (), (op("add", l0, r0), op("maximum", l1, r1), op("or", lb, rb))
    )
    finish = Block(
        (l0, l1, lb), (), (op("mul", l0, l0), op("add", l1, Extent(space[over[-1]])), lb)
    )
    zero = Const(0, x.dtype)
    form = Reduce(over, (zero, s32(-1), Const(False, DType.BOOL)), lift, combine, finish)
    kept = tuple(d for k, d in enumerate(space) if k not in over)
    outputs = tuple(Tensor(f"o{k}", t, kept) for k, t in enumerate((x.dtype, S32, U8)))
    return Kernel("folded", space, (Tensor("x", dtype, space),), outputs, (), form)


def rows(space: tuple[str | int, ...], axis: int, *, scalar: bool, dtype: DType = F32) -> Kernel:
    """A row kernel with every fold, a name that is assigned twice, and parameters."""
    x = Load("x", axes(len(space)), read_as(dtype))
    wide = x.dtype
    shifted = RowLet("v", op("sub", x, Local("m", wide)))
    again = RowLet("v", op("mul", Local("v", wide), Local("v", wide)))
    body = [RowFold("m", "max", x), shifted, again]
    body += [RowFold(k, k, Local("v", wide)) for k in ("sum", "prod", "min")]
    total = op("add", op("add", Local("sum", wide), Local("prod", wide)), Local("min", wide))
    total = op("add", total, Param("bias", wide))
    result = total if scalar else op("add", total, Local("v", wide))
    form = Row(axis, Block((), tuple(body), (result,)), scalar)
    kept = tuple(d for k, d in enumerate(space) if k != axis) if scalar else space
    inputs = (Tensor("x", dtype, space),)
    outputs = (Tensor("o", dtype, kept),)
    return Kernel("rows", space, inputs, outputs, (Param("bias", wide),), form)


def scanned(space: tuple[str | int, ...], axis: int) -> Kernel:
    x = Load("x", axes(len(space)), F32)
    s = Local("s", F32)
    step = Block((s,), (), (op("add", s, x), op("mul", s, Param("gain", F32))))
    form = Scan(axis, (f32(0),), step)
    outputs = (Tensor("o", U8, space),)
    gain = (Param("gain", F32),)
    return Kernel("scanned", space, (Tensor("x", F32, space),), outputs, gain, form)


HANDMADE = {
    **{f"ops_{dtype}": of_type(dtype) for dtype in NUMBERS},
    "sum_u8": folded(("n",), (0,), U8),
    "sum_last": folded(("m", "n"), (1,), F64),
    "sum_first": folded(("m", "n"), (0,), S64),
    "sum_outside": folded(("k", "m", 3), (0, 2), U32),
    "sum_inside": folded(("k", "m", "n"), (1,), F32),
    **{
        f"row_{d}": rows(("m", "n"), 1, scalar=False, dtype=d)
        for d in STORED
        if d is not DType.BOOL
    },
    "row_first": rows(("m", "n"), 0, scalar=False),
    "row_middle": rows(("k", "m", "n"), 1, scalar=True),
    "row_alone": rows(("n",), 0, scalar=True),
    "scan_last": scanned(("m", "n"), 1),
    "scan_first": scanned(("m", "n"), 0),
    "unicode": mapped(
        op("mul", load("größe", plus(Axis(0), -1)), Param("λ", F32)),
        inputs=[Tensor("größe", F32, ("n",))],
        space=("n",),
        params=[Param("λ", F32)],
    ),
    "single": mapped(load("x", dtype=F32), inputs=[Tensor("x", F32, ())], space=()),
}


def named(part: int, parts: int) -> dict[str, Kernel]:
    """The kernels of a part of the parity table's rows, as a device with cuBLAS alone runs them."""
    found = {}
    for number, row in list(enumerate(ROWS))[part::parts]:
        definition = lookup(row.kernel)
        specs = tuple(map(spec_of, row.inputs))
        arguments = definition.arguments(row.params)
        bound = definition.bind(specs, None, *arguments, frozenset({"matmul"}))
        for k, stage in enumerate(bound.stages):
            found[f"{row.kernel}_{number}_{k}"] = optimise(stage.kernel)
    return found


@pytest.mark.parametrize("dtype", [*NUMBERS, DType.BOOL])
@pytest.mark.parametrize("name", OPS)
def test_every_operation_has_a_spelling(name, dtype):
    types = operands(name, dtype)
    if types is None:
        return
    node = Op(name, tuple(Local("x", t) for t in types), OPS[name].result(types))
    text = CudaC(HANDMADE["single"]).operation(node, ["x", "y", "z"][: len(types)])
    assert all(re.search(rf"\b{word}\b", text) for word in "xyz"[: len(types)])


def some(rendered: Rendered) -> str:
    """A text with those of its alternative entries that differ in more than a number."""
    apart = rendered.layout.apart
    chosen = [
        n for n in apart if not n.startswith("treadle_held") or n.endswith(("_32_2", "_256_8"))
    ]
    chosen += [n for n in apart if n.endswith("_32_4_full")]
    return rendered.layout.shared + "\n".join(apart[name] for name in chosen)


def takes_all(kernels: dict[str, Kernel], folder: Path, *, wide: bool) -> None:
    """Fail unless nvcc takes every text: each once, and without the optimiser, as only the
    language is asked about."""
    every = {some(as_cuda(kernel, wide=wide)): f"k_{name}" for name, kernel in kernels.items()}
    texts = {name: text for text, name in every.items()}
    ptx = compiled(texts, folder, optimised=False)
    assert ptx.count(".visible .entry") == sum(t.count("__global__") for t in texts.values())


@needs_nvcc
@pytest.mark.parametrize("wide", [False, True])
def test_nvcc_takes_every_text(tmp_path, wide):
    takes_all(HANDMADE, tmp_path, wide=wide)


@needs_nvcc
@pytest.mark.parametrize("part", range(3))
def test_nvcc_takes_every_named_kernel(tmp_path, part):
    takes_all(named(part, 3), tmp_path, wide=False)


@needs_nvcc
@pytest.mark.parametrize("dtype, access", [("f32", "v4"), ("u8", "v4"), ("f64", "v2")])
def test_pointwise_kernels_use_wide_accesses(tmp_path, dtype, access):
    definition = lookup("elementwise_add")
    given = (Spec((100,), DType(dtype)),) * 2
    bound = definition.bind(given, None, *definition.arguments({}))
    ptx = compiled({"add": as_cuda(optimise(bound.stages[0].kernel)).text}, tmp_path)
    assert re.search(rf"ld\.global\.{access}\.", ptx)
    assert re.search(rf"st\.global\.{access}\.", ptx)


def measured(kernel: Kernel, **sizes: int):
    return as_cuda(kernel).layout.measure(sizes)


def test_the_argument_block_has_no_gaps():
    kernel = mapped(
        op("mul", load("x", Axis(0)), Param("a", F32)),
        inputs=[Tensor("x", F32, ("n",))],
        space=("n",),
        params=[Param("a", F32), Param("b", F64), Param("c", S64), Param("d", S32)],
    )
    for wide in (False, True):
        rendered: Rendered = as_cuda(kernel, wide=wide)
        packed = struct.calcsize(rendered.layout.format)
        assert packed == struct.calcsize(rendered.layout.format.replace("=", "@"))
        assert rendered.layout.long_params == (1, 2)
        assert rendered.layout.short_params == (0, 3)


def test_wide_indices_only_where_sizes_need_them():
    layout = as_cuda(HANDMADE["sum_last"]).layout
    assert not layout.needs_wide({"m": 1 << 10, "n": 1 << 20})
    assert layout.needs_wide({"m": 1 << 11, "n": 1 << 20})


def test_few_long_rows_are_shared_by_blocks():
    few = measured(HANDMADE["sum_last"], m=1, n=1 << 28)
    assert [call.entry for call in few.calls] == ["treadle_blocks", "treadle_merge"]
    rows_, count, parts, share = few.values
    assert (rows_, count) == (1, 1 << 28)
    assert parts > 500
    assert (parts - 1) * share < count <= parts * share
    assert few.scratch == 3 * 8 * parts
    many = measured(HANDMADE["sum_last"], m=1 << 16, n=100)
    assert [call.entry for call in many.calls] == ["treadle_warps"]
    columns = measured(HANDMADE["sum_first"], m=1 << 20, n=40)
    assert [call.entry for call in columns.calls] == ["treadle_columns", "treadle_merge"]
    empty = measured(HANDMADE["sum_last"], m=5, n=0)
    assert empty.values == (5, 0, 1, 1)


@pytest.mark.parametrize(
    "length, entry",
    [(1, "treadle_held_32_1"), (32, "treadle_held_32_1_full"), (100, "treadle_held_32_4"),
     (1024, "treadle_held_32_32_full"), (1025, "treadle_held_256_8"),
     (8192, "treadle_held_256_32_full"),
     (8193, "treadle_held_512_32"), (32768, "treadle_held_1024_32_full"),
     (32769, "treadle_long")],
)  # fmt: skip
def test_rows_by_length(length, entry):
    (call,) = measured(HANDMADE["row_f32"], m=77, n=length).calls
    assert call.entry == entry
    assert entry in as_cuda(HANDMADE["row_f32"]).layout.apart
