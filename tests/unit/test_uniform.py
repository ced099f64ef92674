"""What is the same for every element is computed by the host, and the kernel means what it did."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.ir.interpret import interpret
from treadle.ir.nodes import Const, If, Kernel, Op, Param, expressions
from treadle.ir.verify import verify
from treadle.lang.registry import lookup
from treadle.passes.fuse import fuse
from treadle.passes.signs import without_zeros
from treadle.passes.uniform import Hoisted, hoist

F32, F64, U8 = DType.F32, DType.F64, DType.U8


@treadle.pointwise
def risen(x, *, by=1.5, power=2.0):
    return x * exp(by) + pow(by, power) / 3.0


@treadle.pointwise
def chosen(x, *, by=1.5):
    high = exp(by) > 4.0
    if x > by and high:
        return x / sqrt(by)
    return x if high else log(by)


@treadle.pointwise
def stepped(x, *, by=1.5):
    y = x
    for _ in range(int(exp(by))):
        y = y * 0.5 + tanh(by)
    return y


@treadle.pointwise
def changing(x, *, by=1.5):
    factor = exp(by)
    if x > 0:
        factor = exp(-by)
    return factor * x


@treadle.pointwise
def branched(x, *, by=1.5):
    if by > 0:
        factor = exp(by)
        factor = factor + 1
    else:
        factor = log1p(-by)
    if x > 1:
        factor = factor * x
    return factor * x


@treadle.kernel
def sized(at, x, *, by=1.5):
    return x[at] * log(float(x.shape[0]) * by) + exp(-0.01 * x.shape[1])


@treadle.rowwise
def tempered(row, *, heat=0.7):
    e = row / exp(heat)
    return e * sum(e) + sin(heat)


@treadle.scan(init=0.0)
def leaky(state, x, *, half=3.0):
    kept = exp2(-1.0 / half)
    state = state * kept + x * (1.0 - kept)
    return state, state


@treadle.pointwise
def counted(x, *, n=5):
    return x + float(int(sqrt(float(n)) * 2.0)) + float(n // 2)


def kernel_of(definition: Any, *specs: Spec, **params: Any) -> tuple[Kernel, Any, Any]:
    key, values = definition.arguments(params)
    (stage,) = definition.bind(specs, None, key, values).stages
    dims = dict(zip(stage.kernel.symbols, stage.dims, strict=True))
    return stage.kernel, dims, stage.fixed or values


def taken_out(kernel: Kernel) -> Hoisted:
    hoisted = hoist(kernel)
    assert hoisted is not None
    verify(hoisted.kernel)
    return hoisted


def names(kernel: Kernel) -> set[str]:
    return {n.name for b in kernel.blocks for n in expressions(b) if isinstance(n, Op)}


def both(kernel: Kernel, inputs: Any, dims: Any, values: Any) -> tuple[Any, Any]:
    """What a kernel gives, and what it gives when it is handed what it would compute."""
    hoisted = taken_out(kernel)
    made = hoisted.values(values, dims)
    defined = [values[k] for k in hoisted.kept]
    for host in hoisted.hosts:
        named = dict(zip(hoisted.given, values, strict=True))
        defined += [array.item() for array in interpret(host, (), dims, named)]
    assert repr(made) == repr(tuple(defined))  # NaN, and signs of zeros
    found = []
    for each, given in ((kernel, values), (hoisted.kernel, made)):
        named = dict(zip([p.name for p in each.params], given, strict=True))
        found.append(interpret(each, inputs, dims, named))
    return found[0], found[1]


@pytest.mark.parametrize("dtype", [F32, F64, DType.S32], ids=str)
@pytest.mark.parametrize("by", [1.5, -0.25, 0.0, -0.0, float("inf"), float("nan"), 3e38])
@pytest.mark.parametrize(
    "definition",
    [risen, chosen, changing, branched, sized, tempered, leaky],
    ids=lambda d: d.name,
)
def test_the_meaning_stays(definition, by, dtype):
    x = np.random.default_rng(3).integers(-9, 9, (4, 5)).astype(dtype.numpy)
    name = definition.parameters.runtime[0]
    params = {name: by} | ({"axis": 0} if definition is leaky else {})
    kernel, dims, values = kernel_of(definition, Spec(x.shape, dtype), **params)
    given, got = both(kernel, [x], dims, values)
    for a, b in zip(given, got, strict=True):
        assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize("definition", [stepped, counted], ids=lambda d: d.name)
def test_whole_numbers_are_taken_out(definition):
    x = np.arange(6, dtype=np.float32)
    kernel, dims, values = kernel_of(definition, Spec(x.shape, F32))
    hoisted = taken_out(kernel)
    assert DType.S32 in {p.dtype for p in hoisted.kernel.params} or definition is counted
    assert not names(hoisted.kernel) & {"exp", "tanh", "sqrt"}
    given, got = both(kernel, [x], dims, values)
    assert given[0].tobytes() == got[0].tobytes()


def test_what_a_branch_of_parameters_decides_is_one_value():
    kernel, *_ = kernel_of(branched, Spec((4,), F32))
    made = taken_out(kernel).kernel
    assert len(made.params) == 1
    assert not names(made) & {"exp", "log1p"}
    assert sum(isinstance(stmt, If) for stmt in made.blocks[0].body) == 1  # the one about x


def test_equal_weights_are_one_value():
    kernel, dims, values = blur(radius=3)
    hoisted = taken_out(kernel)
    assert len(hoisted.kernel.params) == 5  # four weights, as it is symmetric, and their sum
    assert not names(hoisted.kernel) & {"exp", "div"}
    assert hoisted.kept == ()
    x = np.random.default_rng(3).integers(0, 256, (6, 7, 3)).astype(np.uint8)
    given, got = both(kernel, [x], dims, values)
    assert given[0].tobytes() == got[0].tobytes()


def test_values_are_read_as_variables():
    # Code generators try each sum of equal terms as a window, and stop at variables: with plain
    # parameters in hundreds of terms they went on for seconds.
    kernel, *_ = blur(radius=9)
    hoisted = taken_out(kernel).kernel
    (block,) = hoisted.blocks
    read = [stmt.value for stmt in block.body if isinstance(stmt.value, Param)]
    assert read == list(hoisted.params)
    assert sum(isinstance(node, Param) for node in expressions(block)) == len(read)


def blur(**params: Any) -> tuple[Kernel, Any, Any]:
    definition = lookup("gaussian_blur")
    bound = definition.bind((Spec((6, 7, 3), U8),), None, *definition.arguments(params))
    stage = bound.stages[0]
    return stage.kernel, dict(zip(stage.kernel.symbols, stage.dims, strict=True)), stage.fixed


def test_stages_of_a_chain_have_their_own():
    definition = lookup("gaussian_blur")
    bound = definition.bind((Spec((40, 60, 3), U8),), None, *definition.arguments({"radius": 2}))
    (stage,) = fuse(bound, near=1 << 19).bound.stages
    hoisted = taken_out(stage.kernel)
    first, second = (set(each.params) for each in hoisted.kernel.form.stages)
    assert len(first) == len(second) == 4
    assert not first & second
    x = np.random.default_rng(3).integers(0, 256, (40, 60, 3)).astype(np.uint8)
    dims = dict(zip(stage.kernel.symbols, stage.dims, strict=True))
    given, got = both(stage.kernel, [x], dims, stage.fixed)
    assert given[0].tobytes() == got[0].tobytes()


@pytest.mark.parametrize(
    "name, shape", [("relu", (9,)), ("sigmoid", (9,)), ("sharpen", (9, 9)), ("edge_detect", (9, 9))]
)
def test_what_devices_agree_on_stays(name, shape):
    kernel, *_ = kernel_of(lookup(name), Spec(shape, F32))
    assert hoist(kernel) is None


def test_the_kernel_of_a_routine_keeps_its_parameters():
    definition = treadle.pointwise(risen.function)
    kernel, *_ = kernel_of(definition, Spec((4,), F32))
    assert hoist(kernel) is not None
    assert hoist(Kernel(*[getattr(kernel, f) for f in KERNEL_FIELDS], routine="risen")) is None


KERNEL_FIELDS = ("name", "space", "inputs", "outputs", "params", "form")


def test_there_is_room_for_so_many():
    kernel, dims, values = blur(radius=120, sigma=60.0)
    assert len(taken_out(kernel).kernel.params) == 122

    @treadle.pointwise
    def many(x, *, by=1.5):
        total = 0.0 * x
        for k in range(200):
            total += x * sin(by + 4.0 * k) + x * sin(by + (4.0 * k + 1))
            total += x * sin(by + (4.0 * k + 2)) + x * sin(by + (4.0 * k + 3))
        return total

    kernel, dims, values = kernel_of(many, Spec((3,), F32))
    hoisted = taken_out(kernel)
    assert len(hoisted.kernel.params) < 800  # the rest is computed where it was
    assert sum(p.dtype.size for p in hoisted.kernel.params) < 4000
    given, got = both(kernel, [np.arange(3, dtype=np.float32)], dims, values)
    assert given[0].tobytes() == got[0].tobytes()


@treadle.kernel
def summed(at, image, *, weight=0.5):
    total = 0.0
    for k in range(3):
        total += exp(weight) * image[at[0] + k]
    return total


@treadle.kernel
def signed(at, image, *, weight=0.5):
    total = 0.0
    for k in range(3):
        total += weight * image[at[0] + k]
    return total


@pytest.mark.parametrize(
    "definition, dtype, left", [(summed, U8, 0), (summed, F32, 1), (signed, U8, 1)]
)
def test_a_sum_starts_with_zero_where_minus_zero_could_come(definition, dtype, left):
    kernel, *_ = kernel_of(definition, Spec((9,), dtype))
    nodes = [n for b in without_zeros(kernel).blocks for n in expressions(b)]
    assert sum(n == Const(0.0, F32) for n in nodes) == left
