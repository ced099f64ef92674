"""WGSL text without a device: spellings, bindings, arguments and geometry."""

from __future__ import annotations

import re
import struct
from dataclasses import replace

import pytest

from handmade import F32, F64, S32, S64, U8, U32, f32, load, mapped, op, plus, pointwise, s32, unary
from scheduled import as_wgsl
from treadle.backends.webgpu import _unsupported
from treadle.codegen.wgsl import pack
from treadle.codegen.wgsl.language import Wgsl
from treadle.codegen.wgsl.math import library
from treadle.dtypes import DType
from treadle.ir.nodes import (
    Assign,
    Axis,
    Block,
    Const,
    For,
    Kernel,
    Local,
    Map,
    Param,
    Reduce,
    Row,
    RowFold,
    RowLet,
    Scan,
    Tensor,
)
from treadle.ir.ops import OPS

NUMBERS = (F32, F64, S32, S64, U32)
CASES = [
    (name, dtype)
    for name, row in OPS.items()
    for dtype in (*NUMBERS, DType.BOOL)
    if row.accepts((DType.BOOL, dtype, dtype) if name == "select" else (dtype,) * row.arity)
]
CALL = re.compile(r"\b(w_\w+)\(")
DEFINED = re.compile(r"^fn (w_\w+)\(", re.MULTILINE)


def language(kernel):
    count = len(kernel.inputs) + len(kernel.outputs)
    return Wgsl(kernel, tuple(range(count)), {0})


@pytest.mark.parametrize("name, dtype", CASES, ids=[f"{n}-{d}" for n, d in CASES])
def test_every_operation_has_a_spelling_whose_functions_exist(name, dtype):
    args = [Local("x", dtype) for _ in range(OPS[name].arity)]
    if name == "select":
        args[0] = Local("x", DType.BOOL)
    text = language(unary("neg")).operation(op(name, *args), ["x", "y", "z"][: len(args)])
    missing = set(CALL.findall(text)) - set(DEFINED.findall(library(text)))
    # What has no function is declared, so that it is refused at submit.
    assert bool(missing) == ((name, dtype) in _unsupported())


@pytest.mark.parametrize("source", [*NUMBERS, DType.BOOL])
@pytest.mark.parametrize("target", [*NUMBERS, DType.BOOL])
def test_every_conversion_has_one(source, target):
    text = language(unary("neg")).convert("x", source, target)
    assert (text == "x") is (source is target)
    assert set(CALL.findall(text)) <= set(DEFINED.findall(library(text)))


def test_library_brings_what_its_functions_call_and_nothing_else():
    names = set(DEFINED.findall(library("w_log_f32(x)")))
    assert {"w_log_f32", "w_log1p_near", "w_nan_f32", "w_inf"} <= names
    assert not names & {"w_sin_f32", "w_exp_f32", "w_log_f64"}
    assert library("let x = 1;") == ""


@pytest.mark.parametrize(
    "value, dtype, text",
    [
        (1, F32, "1.0f"),
        (-2.5, F32, "(-2.5f)"),
        (0.1, F64, "0.1lf"),
        (float("inf"), F32, "w_inf()"),
        (float("-inf"), F64, "f64((-w_inf()))"),
        (float("nan"), F32, "w_nan()"),
        (1e300, F32, "w_inf()"),
        (-(2**31), S32, "i32(-2147483648)"),
        (-7, S32, "(-7i)"),
        (2**32 - 1, U32, "4294967295u"),
        (-(2**63), S64, "(-9223372036854775807li - 1li)"),
        (1, DType.BOOL, "true"),
    ],
)
def test_constants(value, dtype, text):
    assert language(unary("neg")).constant(value, dtype) == text


def bindings(text):
    return re.findall(r"@binding\((\d+)\) var<storage, (\w+)> (\w+): array<([\w<>]+)>", text)


def test_tensors_in_one_memory_share_a_binding():
    kernel = pointwise(
        op("add", load("a", Axis(0)), load("b", Axis(0))), inputs={"a": F32, "b": F32}
    )
    apart, inplace = as_wgsl(kernel), as_wgsl(kernel, (0, 0, 1))
    assert bindings(apart.text) == [
        ("1", "read_write", "b0", "f32"),
        ("2", "read", "b1", "f32"),
        ("3", "read", "b2", "f32"),
    ]
    assert bindings(inplace.text) == [("1", "read_write", "b0", "f32"), ("2", "read", "b1", "f32")]
    assert inplace.layout.writable == (True, False)
    assert "b0[args.o_0 + linear] = (b0[args.o_1 + linear] + b1[args.o_2 + linear]);" in (
        inplace.text
    )


def test_reads_elsewhere_are_clamped_unless_proved():
    here, moved = load("a", Axis(0)), load("a", plus(Axis(0), 1))
    kernel = pointwise(op("add", here, moved), inputs={"a": F32})
    assert "min(max((a0 + 1), 0), args.d_n - 1)" in as_wgsl(kernel).text
    proved = replace(moved, inside=(True,))
    kernel = pointwise(op("add", here, proved), inputs={"a": F32})
    assert "min(max(" not in as_wgsl(kernel).text


def test_u8_maps_write_words_and_other_forms_write_atomically():
    value = load("a", Axis(0), dtype=S32)
    text = as_wgsl(pointwise(value, inputs={"a": U8}, output=U8)).text
    assert ("1", "read_write", "b0", "u32") in bindings(text)
    assert "atomic" not in text
    scan = Kernel(
        "scan", ("n",), (Tensor("a", U8, ("n",)),), (Tensor("out", U8, ("n",)),), (),
        Scan(0, (Const(0, S32),), Block((Local("s", S32),), (), (value, value))),
    )  # fmt: skip
    text = as_wgsl(scan).text
    assert ("1", "read_write", "b0", "atomic<u32>") in bindings(text)
    assert "set_b0(args.o_0 + linear, " in text


@pytest.mark.parametrize(
    "step, start, stop, turns",
    [
        (2, 0, 7, 4),
        (3, 0, 6, 2),
        (-2, 7, 0, 4),
        (2, 5, 5, 0),
        (-3, 0, 5, 0),
        (2, 0, 2**31 - 1, 2**30),
    ],
)
def test_loops_with_steps_count_their_turns(step, start, stop, turns):
    """The variable of a loop that ends near the largest integer would wrap and never end."""
    body = (Assign("x", f32(0)), For("k", s32(start), s32(stop), step, (Assign("x", f32(1)),)))
    kernel = mapped(Local("x", F32), inputs=(), space=("n",), body=body)
    text = as_wgsl(kernel).text
    first, last = (start, stop) if step > 0 else (stop, start)
    written = re.search(r"v_k_left: u32 = select\(0u, (.*?) / (\d+)u \+ 1u,", text)
    assert written is not None
    assert int(written[2]) == abs(step)
    counted = (last - first - 1) // abs(step) + 1 if first < last else 0
    assert counted == turns
    assert f"v_k {'+' if step > 0 else '-'}= {abs(step)}i" in text


def test_arguments_are_packed_as_the_struct_says():
    params = (Param("s", F32), Param("big", S64), Param("on", DType.BOOL), Param("w", F64))
    kernel = pointwise(load("a", Axis(0)), inputs={"a": F32}, params=params)
    layout = as_wgsl(kernel).layout
    members = re.findall(r"^    ([podg]_\w+): (\w+),$", as_wgsl(kernel).text, re.MULTILINE)
    assert members == [
        ("p_big", "i64"), ("p_w", "f64"), ("p_s", "f32"), ("p_on", "u32"), ("d_n", "i32"),
        ("o_0", "i32"), ("o_1", "i32"), ("g_total", "i32"),
    ]  # fmt: skip
    values = {"param": (1e300, -5, True, 0.25), "dim": (9,), "offset": (3, 4), "geometry": (9,)}
    block = pack(layout, values)
    assert len(block) == layout.argument_bytes
    assert layout.argument_bytes % 16 == 0
    assert struct.unpack_from("<qdfIiiii", block) == (-5, 0.25, float("inf"), 1, 9, 3, 4, 9)


def test_a_loop_variable_or_parameter_cannot_collide_with_a_keyword():
    params = (Param("fn", F32), Param("active", F32))
    kernel = mapped(
        op("add", Local("var", F32), op("mul", *params)), inputs=(), space=("n",), params=params,
        body=(Assign("var", f32(1)),),
    )  # fmt: skip
    text = as_wgsl(kernel).text
    assert "v_var = 1.0f;" in text
    assert "(args.p_fn * args.p_active)" in text


def reduction(space, axes, dtype=F32, states=(F32,)):
    a = Tensor("a", dtype, space)
    kept = tuple(d for k, d in enumerate(space) if k not in axes)
    value = load("a", *(Axis(k) for k in range(len(space))), dtype=dtype)
    left = tuple(Local(f"l{k}", d) for k, d in enumerate(states))
    right = tuple(Local(f"r{k}", d) for k, d in enumerate(states))
    lift = Block((), (), tuple(value for _ in states))
    combine = Block(
        (*left, *right), (), tuple(op("add", x, y) for x, y in zip(left, right, strict=True))
    )
    form = Reduce(
        axes, tuple(Const(0, d) for d in states), lift, combine, Block(left, (), left[:1])
    )
    return Kernel("sum", space, (a,), (Tensor("out", states[0], kept),), (), form)


def test_long_reductions_of_few_rows_take_two_passes():
    layout = as_wgsl(reduction(("n",), (0,))).layout
    (once,) = layout.dispatches((1000,))
    assert (once.entry, once.groups, once.scratch) == ("main", 1, 0)
    first, last = layout.dispatches((1_000_003,))
    names = dict(zip(("lanes", "rows", "count", "chunks", "span"), first.geometry, strict=True))
    assert first.groups == names["chunks"] * names["rows"]
    assert (names["chunks"] - 1) * names["span"] < 1_000_003 <= names["chunks"] * names["span"]
    assert first.scratch == last.scratch == 4 * names["chunks"]
    assert (last.entry, last.groups) == ("last", 1)


def test_short_rows_share_workgroups():
    layout = as_wgsl(reduction(("m", "n"), (1,))).layout
    (dispatch,) = layout.dispatches((1000, 8))
    lanes, rows, count = dispatch.geometry[:3]
    assert (rows, count) == (1000, 8)
    assert lanes & (lanes - 1) == 0
    assert dispatch.groups * (128 // lanes) >= 1000
    columns = as_wgsl(reduction(("m", "n"), (0,))).layout
    assert columns.dispatches((8, 5000))[0].geometry[0] == 1  # neighbours read neighbours


def test_states_of_mixed_sizes_are_aligned():
    kernel = reduction(("n",), (0,), dtype=F64, states=(F64, F64, F64))
    assert as_wgsl(kernel).layout.form.state_bytes() == 24
    assert "s2: f64," in as_wgsl(kernel).text


def test_folds_that_need_each_other_walk_the_row_again():
    value = load("a", Axis(0), Axis(1))
    total = RowFold("total", "sum", value)
    most = RowFold("most", "max", value)
    later = RowFold("later", "sum", op("sub", value, Local("total", F32)))
    for body, walks in (((total, most), 2), ((total, later), 3)):
        kernel = Kernel(
            "row", ("m", "n"), (Tensor("a", F32, ("m", "n")),), (Tensor("out", F32, ("m", "n")),),
            (), Row(1, Block((), body, (op("add", value, Local(body[1].name, F32)),))),
        )  # fmt: skip
        assert as_wgsl(kernel).text.count("for (var at = lane;") == walks


def test_a_name_of_a_row_can_be_assigned_again():
    value, name = load("a", Axis(0), Axis(1)), Local("v", F32)
    body = (
        RowLet("v", op("add", value, value)),
        RowFold("most", "max", name),
        RowLet("v", op("mul", name, name)),
    )
    kernel = Kernel(
        "row", ("m", "n"), (Tensor("a", F32, ("m", "n")),), (Tensor("out", F32, ("m", "n")),),
        (), Row(1, Block((), body, (op("sub", name, Local("most", F32)),))),
    )  # fmt: skip
    assert "var v_v_2: f32 = (w_kept_f32(v_v_0) * w_kept_f32(v_v_0));" in as_wgsl(kernel).text


def test_products_of_f32_matrices_are_tiled():
    body = Map(Block((), (), (f32(0),)))
    tensors = (Tensor("a", F32, ("b", "m", "k")), Tensor("b", F32, ("k", "n")))
    out = (Tensor("out", F32, ("b", "m", "n")),)
    kernel = Kernel("matmul", ("b", "m", "n"), tensors, out, (), body, "matmul")
    rendered = as_wgsl(kernel)
    assert "var<workgroup> left" in rendered.text
    sizes = {"b": 3, "m": 65, "k": 10, "n": 130}
    (dispatch,) = rendered.layout.dispatches([sizes[s] for s in kernel.symbols])
    assert dispatch.geometry == (3, 2, 3, 0, 10)
    assert dispatch.groups == 18
    assert "var<workgroup> left" not in as_wgsl(replace(kernel, routine=None)).text
