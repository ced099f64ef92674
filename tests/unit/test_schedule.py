"""Schedules: what is decided about kernels before they are spelt, as data and in words."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import treadle
from handmade import F32, Runner, f32, load, op, pointwise
from scheduled import as_llvm, for_cpu
from treadle.backends.cpu import CpuBackend
from treadle.dtypes import DType
from treadle.ir import nodes
from treadle.ir.bound import Spec
from treadle.ir.loops import Effort, Limit, Loops, Nest, Ring, Rolling, RowCode, Vectors
from treadle.ir.nodes import Axis, Chain, Kernel, Load, Map
from treadle.ir.schedule import Schedule, Target
from treadle.lang.registry import lookup
from treadle.passes import optimise
from treadle.passes.fuse import fuse
from treadle.passes.schedule import schedule

CODEGEN = Path(treadle.__file__).parent / "codegen"


def kernel_of(name: str, *specs: Spec, **params: object) -> Kernel:
    """The one kernel that a definition becomes."""
    definition = lookup(name)
    bound = definition.bind(specs, None, *definition.arguments(params))
    (stage,) = fuse(bound, near=1 << 19).bound.stages
    return optimise(stage.kernel)


def test_a_schedule_is_data_that_can_be_compared():
    kernel = optimise(pointwise(op("mul", load("a", Axis(0)), f32(2)), inputs={"a": F32}))
    block = kernel.form.block
    (dim,) = kernel.space
    edge = RowCode(block)
    nest = Nest((), 0, (dim,))
    work = (((dim,), Effort(0.012)),)
    wide = replace(edge, streams=True)
    stream = replace(wide, vectors=Vectors.ALONG, width=16)
    variant = Schedule(kernel, Loops(nest, edge, stream=stream), work)
    assert for_cpu(kernel) == Schedule(kernel, Loops(nest, edge), work, streamed=variant)


def test_the_same_kernel_and_target_give_equal_schedules():
    spec = Spec((40, 60, 4), DType.U8)
    first, second = (for_cpu(kernel_of("gaussian_blur", spec, radius=2, sigma=1.0)) for _ in "ab")
    assert first is not second
    assert first == second
    assert as_llvm(first.kernel).text == as_llvm(second.kernel).text


def test_without_code_there_is_nothing_to_decide():
    kernel = pointwise(load("a", Axis(0)), inputs={"a": F32})
    assert schedule(kernel, Target()) == Schedule(kernel)
    assert Schedule(kernel).words == ""


def test_a_stencil_is_scheduled_as_a_chain_of_one_stage():
    found = for_cpu(kernel_of("sharpen", Spec((40, 60, 3), F32)))
    assert isinstance(found.kernel.form, Chain)
    assert isinstance(found.walk, Rolling)
    (stage,) = found.walk.stages
    assert {limit[:3] for limit in stage.limits} == {(1, -1, -1), (1, 1, 1)}
    (edge, clamped), (inside, code) = stage.codes
    assert (edge, clamped.rows, clamped.vectors) == ("edge", 1, Vectors.NONE)
    assert (inside, code.rows, code.vectors, code.width) == ("inside", 4, Vectors.ALONG, 16)
    assert code.inside


def test_rows_between_stages_are_kept_in_rings_with_room_beyond_their_ends():
    found = for_cpu(kernel_of("gaussian_blur", Spec((40, 60, 4), DType.U8), radius=2, sigma=1.0))
    assert isinstance(found.walk, Rolling)
    (ring,) = found.walk.rings
    assert ring == Ring(ring.tensor, 4, over=(2, 2))
    assert [(stage.low, stage.high) for stage in found.walk.stages] == [(0, 0), (0, 0)]
    assert found.walk.stages[0].ends == (ring,)
    # What lies beyond the ends of rows is there, so that no index is clamped.
    last = found.walk.stages[1].codes[0][1].block
    assert all(node.inside[1] for node in nodes.expressions(last) if isinstance(node, Load))


def test_limits_of_an_interior_are_scaled_and_shifted():
    body = op("add", load("a", op("sub", Axis(0), nodes.Const(3, DType.S32))), f32(1))
    found = for_cpu(pointwise(body, inputs={"a": F32}))
    assert isinstance(found.walk, Loops)
    (limit,) = found.walk.limits
    assert limit == Limit(1, -3, -3, found.kernel.space[0])
    assert found.streamed is None


def summed(index: nodes.Expr, *, inside: bool, rounds: int = 40) -> Kernel:
    """A map with a loop that is not written out, around a load of a row at some index."""
    total, zero = nodes.Local("t", F32), nodes.Const(0, DType.S32)
    read = Load("a", (Axis(0), index), F32, (True, inside))
    step = nodes.Assign("t", op("add", total, read))
    body = (
        nodes.Assign("t", f32(0)),
        nodes.For("i", zero, nodes.Const(rounds, DType.S32), 1, (step,)),
    )
    image = nodes.Tensor("a", F32, ("h", "w"))
    form = Map(nodes.Block((), body, (total,)))
    return Kernel("summed", ("h", "w"), (image,), (replace(image, name="out"),), (), form)


def shifted_by(other: nodes.Expr) -> nodes.Expr:
    return op("add", Axis(1), other)


@pytest.mark.parametrize(
    "index, inside, vectors",
    [
        (Axis(1), True, Vectors.ALONG),
        (nodes.Const(3, DType.S32), False, Vectors.ALONG),
        (op("mod", Axis(0), nodes.Const(2, DType.S32)), False, Vectors.ALONG),
        (op("mod", Axis(1), nodes.Const(2, DType.S32)), False, Vectors.NONE),
        (op("mul", Axis(1), nodes.Const(2, DType.S32)), False, Vectors.NONE),
        (shifted_by(op("mod", Axis(0), nodes.Const(1, DType.S32))), True, Vectors.NONE),
    ],
)
def test_vectors_are_of_neighbours_and_of_what_they_share(index, inside, vectors):
    walk = for_cpu(summed(index, inside=inside)).walk
    assert isinstance(walk, Loops)
    assert walk.edge.vectors is vectors


def test_an_index_that_is_linear_but_for_a_part_is_read_for_each_element():
    """Once every lane of a vector read what the first one did, where a pass had proved the index to
    be inside."""
    index = shifted_by(op("mod", Axis(0), nodes.Const(1, DType.S32)))
    kernel = summed(index, inside=True)
    image = np.arange(5 * 70, dtype=np.float32).reshape(5, 70)
    backend = CpuBackend(workers=1)
    try:
        (got,) = Runner(backend)(kernel, image)
    finally:
        backend.close()
    np.testing.assert_array_equal(got, image * 40)


@pytest.mark.parametrize(
    "name, spec, params, words",
    [
        (
            "box_blur",
            Spec((99, 98, 4), DType.U8),
            {"radius": 10},
            "2 stages, 8 rows at a time through 1 ring of rows; "
            "stage 1: rows of 4 channels, 16 lanes, 8 rows together, ends of rows repeated, "
            "window of 21 added once; "
            "stage 2: rows of 4 channels, 16 lanes, sums made of parts, window of 21 added once",
        ),
        (
            "sharpen",
            Spec((40, 60, 3), F32),
            {},
            "rows of 3 channels, 16 lanes, 4 rows together, interior without clamps",
        ),
        (
            "exp",
            Spec((99,), F32),
            {},
            "one row of all elements, streaming stores for large outputs",
        ),
        (
            "flip",
            Spec((40, 60, 4), DType.U8),
            {},
            "rows of pixels of 4 channels, 8 pixels at once, streaming stores for large outputs",
        ),
        (
            "softmax",
            Spec((70, 90), F32),
            {},
            "3 passes over each row, 32 lanes, 1 value kept in the output",
        ),
        (
            "reduce_sum",
            Spec((70, 90), F32),
            {"axis": 1},
            "folded along the last axis, 32 lanes, states joined in pairs of pairs",
        ),
        (
            "reduce_max",
            Spec((70, 90), DType.S32),
            {"axis": 0},
            "folded across columns, 32 lanes, 4 rows at once",
        ),
    ],
)
def test_a_schedule_says_in_words_what_it_is(name, spec, params, words):
    assert for_cpu(kernel_of(name, spec, **params)).words == words


def test_explain_prints_the_schedule_of_every_group():
    device = treadle.device("cpu")
    image, grey = device.empty((40, 60, 4), "u8"), device.empty((40, 60), "u8")
    p = treadle.pipeline(device)
    p.add("sharpen", image).add("grayscale", p.last, grey)
    plan = p.plan()
    (words,) = plan.schedules
    assert "rows" in words
    assert f"\n     {words}\n" in plan.explain()


@pytest.mark.parametrize(
    "name, kernel, dtype, said", [
        ("reference", "matmul", "f32", False),
        ("cpu", "matmul", "f32", False),  # by a library's routine
        ("cpu", "matmul", "s32", True),  # for which it has none
    ],
)  # fmt: skip
def test_what_no_code_is_made_for_has_no_schedule_in_words(name, kernel, dtype, said):
    device = treadle.device(name)
    a = device.empty((9, 9), dtype)
    p = treadle.pipeline(device)
    p.add(kernel, [a, a], device.empty((9, 9), dtype))
    (words,) = p.plan().schedules
    assert bool(words) is said


# Passes decide and rewrite, code generators spell.
_NODES = {name for name in nodes.__all__ if isinstance(getattr(nodes, name), type)}
_REWRITES = {"rewrite", "rewrite_block", "rewrite_body", "rewrite_kernel", "replace"}
_MODULES = ("treadle.ir.nodes", "treadle.ir.names", "treadle.ir.rewrite", "dataclasses", "copy")


def makes_ir(text: str) -> set[str]:
    """The nodes of IR and the rewriting functions that a module calls."""
    tree = ast.parse(text)
    imported = {
        alias.asname or alias.name: alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in _MODULES
        for alias in node.names
    }
    called = {
        imported[node.func.id]
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in imported
    }
    return called & (_NODES | _REWRITES)


def test_code_generators_make_and_rewrite_no_ir():
    paths = sorted(CODEGEN.rglob("*.py"))
    assert len(paths) > 50
    assert not [path.name for path in paths if makes_ir(path.read_text("utf-8"))]


@pytest.mark.parametrize(
    "text, found",
    [
        ("from treadle.ir.nodes import Const\nConst(1, None)", {"Const"}),
        ("from dataclasses import replace\nreplace(x, y=1)", {"replace"}),
        ("from treadle.ir.rewrite import rewrite as r\nr(x, y)", {"rewrite"}),
        ("from treadle.ir.nodes import Const\nmatch x:\n    case Const():\n        pass", set()),
        ("from treadle.ir.nodes import Const\nisinstance(x, Const)", set()),
    ],
)
def test_a_module_that_makes_ir_is_found(text, found):
    assert makes_ir(text) == found
