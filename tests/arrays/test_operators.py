"""Operators on buffers, and on what functions that are traced compute with."""

from __future__ import annotations

import asyncio
import operator

import numpy as np
import pytest

import treadle
from limits import needs
from runtime.shared import plus
from treadle import ops
from treadle.dtypes import STORED
from treadle.lang.promotion import result_type

A = np.array([[1.0, -2.0, 3.5], [4.0, 0.5, -6.0]], np.float32)
B = np.array([2.0, -3.0, 0.25], np.float32)
ARITHMETIC = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
]  # fmt: skip
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
BITS = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]
named = pytest.mark.parametrize


@pytest.fixture
def cpu():
    with treadle.use_device("cpu") as device:
        yield device


def test_operators_on_every_device(device):
    a, b = device.buffer(A), device.buffer(B)
    made = (a + b) * 2.0 - b / 4 + abs(-a)
    assert made.device is device
    np.testing.assert_allclose(made.to_numpy(), (A + B) * 2 - B / 4 + abs(A), rtol=1e-6)
    np.testing.assert_array_equal((a > b).to_numpy(), A > B)
    np.testing.assert_array_equal((~(a > b) | (a == 4)).to_numpy(), ~(A > B) | (A == 4))
    whole = device.buffer([7, -7, 3])
    np.testing.assert_array_equal((whole // 2 + whole % 4).to_numpy(), [6, -3, 4])
    np.testing.assert_array_equal((whole**3).to_numpy(), [343, -343, 27])
    np.testing.assert_allclose((a @ b).to_numpy(), A @ B, rtol=1e-5)


@named("op", ARITHMETIC)
def test_arithmetic_is_numpys(cpu, op):
    a, b = cpu.buffer(A), cpu.buffer(B)
    for made, wanted in [
        (op(a, b), op(A, B)),
        (op(a, 2), op(A, np.float32(2))),
        (op(2.5, a), op(np.float32(2.5), A)),
        (op(A, b), op(A, B)),
        (op(a, B), op(A, B)),
        (op(a, [1.0, 2.0, 4.0]), op(A, np.float32([1, 2, 4]))),
    ]:
        assert made.dtype == "f32"
        np.testing.assert_allclose(made.to_numpy(), wanted, rtol=1e-6)


@named("op", COMPARISONS)
def test_comparisons_give_conditions(cpu, op):
    a, b = cpu.buffer(A), cpu.buffer(np.float32([1, -2, -6]))
    for made, wanted in [
        (op(a, b), op(A, b.to_numpy())),
        (op(a, 0.5), op(A, 0.5)),
        (op(1, a), op(1, A)),
        (op(A, b), op(A, b.to_numpy())),
    ]:
        assert made.dtype == "bool"
        np.testing.assert_array_equal(made.to_numpy(), wanted)


@named("op", BITS)
@named("dtype", ["u8", "s32", "u32", "s64"])
def test_bits_are_numpys(cpu, op, dtype):
    a = np.array([1, 12, 7], treadle.DType(dtype).numpy)
    b = np.array([3, 2, 1], a.dtype)
    x, y = cpu.buffer(a), cpu.buffer(b)
    np.testing.assert_array_equal(op(x, y).to_numpy(), op(a, b))
    np.testing.assert_array_equal(op(x, 2).to_numpy(), op(a, 2))
    np.testing.assert_array_equal(op(9, x[:1]).to_numpy(), op(9, a[:1]))
    np.testing.assert_array_equal((~x).to_numpy(), ~a)


def test_bits_of_floats_are_refused(cpu):
    with pytest.raises(treadle.LaunchError, match="and: expected integers"):
        cpu.buffer(A) & 1
    with pytest.raises(treadle.LaunchError, match="invert: expected integers"):
        ~cpu.buffer(A)


@named("a", [dtype for dtype in STORED if dtype is not treadle.DType.BF16])
def test_dtypes_combine_as_numpys(cpu, a):
    for b in STORED:
        if b is treadle.DType.BF16:
            continue
        wanted = np.result_type(a.numpy, b.numpy)
        assert result_type(a, b).numpy == wanted, b
        x, y = (np.ones(1, dtype.numpy) for dtype in (a, b))
        made = cpu.buffer(x) + cpu.buffer(y)
        assert made.dtype.numpy == wanted, b
        np.testing.assert_array_equal(made.to_numpy(), x + y)


def test_bf16_combines_as_f16_does():
    """NumPy has no such type, and what ml_dtypes says of it differs from f16."""
    pairs = {"bool": "bf16", "s8": "bf16", "u8": "bf16", "s16": "f32", "u16": "f32", "s32": "f64"}
    pairs |= {"s64": "f64", "f16": "f32", "f32": "f32", "f64": "f64", "bf16": "bf16"}
    for other, wanted in pairs.items():
        assert result_type(treadle.DType.BF16, treadle.DType(other)) == wanted
        assert result_type(treadle.DType(other), treadle.DType.BF16) == wanted


@named("dtype", [dtype for dtype in STORED if dtype is not treadle.DType.BOOL])
def test_python_numbers_are_weak(cpu, dtype):
    x = cpu.buffer([3, 4], dtype=dtype)
    assert (x + 1).dtype is dtype
    assert (1 - x).dtype is dtype
    assert (x * True).dtype is dtype
    # NumPy has f64 for bytes too: its Python floats are f64, and those of buffers are f32.
    assert (x * 0.5).dtype is (dtype if dtype.is_float else result_type(dtype, treadle.f32))
    assert (x / 2).tolist() == [1.5, 2.0]
    assert (x + np.float64(1)).dtype == "f64"
    if not dtype.is_float:
        with pytest.raises(treadle.LaunchError):
            x + 2**70


def test_numbers_beside_integers_keep_their_precision(cpu):
    x = cpu.buffer([16777217, 3])
    assert (x * 0.1).tolist() == [16777217 * 0.1, 3 * 0.1]
    assert (x > 16777216.5).tolist() == [1, 0]


def test_powers(cpu):
    for dtype in ("s32", "s64", "u32", "f64"):
        x = cpu.buffer([2, 3, 5], dtype=dtype)
        assert (x**3).dtype == dtype
        assert (x**3).tolist() == [8, 27, 125]
        assert (2**x).tolist() == [4, 8, 32]
        assert (x**x).tolist() == [4, 27, 3125]
        assert (x**2).tolist() == [4, 9, 25]
        assert (x**0).tolist() == [1, 1, 1]


def test_bytes_saturate(cpu):
    x = cpu.buffer([250, 3], dtype="u8")
    assert (x + 10).tolist() == [255, 13]
    assert (x - 10).tolist() == [240, 0]


@named(
    "shapes", [((2, 3), (3,)), ((3, 1), (1, 4)), ((), (2, 2)), ((0, 3), (3,)), ((2, 1, 3), (4, 1))]
)
def test_shapes_broadcast(cpu, shapes):
    a, b = (np.ones(shape, np.float32) for shape in shapes)
    made = cpu.buffer(a) + cpu.buffer(b)
    assert made.shape == (a + b).shape
    np.testing.assert_array_equal(made.to_numpy(), a + b)


def test_shapes_that_do_not_broadcast_are_refused(cpu):
    with pytest.raises(treadle.LaunchError, match="broadcast"):
        cpu.buffer(A) + cpu.buffer([1.0, 2.0])


@named("shapes", [((2, 3), (3, 4)), ((3,), (3, 4)), ((2, 3), (3,)), ((3,), (3,)),
                  ((5, 2, 3), (3, 2)), ((5, 2, 3), (3,)), ((3,), (5, 3, 2))])  # fmt: skip
def test_products_of_matrices(cpu, shapes):
    a, b = (np.random.default_rng(1).random(shape, np.float32) for shape in shapes)
    made = cpu.buffer(a) @ cpu.buffer(b)
    assert made.shape == (a @ b).shape
    np.testing.assert_allclose(made.to_numpy(), a @ b, rtol=1e-5)
    np.testing.assert_allclose((a @ cpu.buffer(b)).to_numpy(), a @ b, rtol=1e-5)
    with pytest.raises(TypeError):
        cpu.buffer(a) @ 2


def test_what_is_no_operand_is_a_type_error(cpu):
    a = cpu.buffer(A)
    for other in ("1", None, object(), {}):
        with pytest.raises(TypeError):
            a + other
        with pytest.raises(TypeError):
            a += other
        assert (a == other) is False  # as of other things of different kinds
        assert (a != other) is True


def test_in_place_writes_the_same_buffer(cpu):
    a = before = cpu.buffer(A)
    a += 1
    a *= B
    a -= cpu.buffer(B)
    a /= 2
    assert a is before
    np.testing.assert_allclose(a.to_numpy(), ((A + 1) * B - B) / 2, rtol=1e-6)
    whole = cpu.buffer([5, 6])
    whole //= 2
    whole **= 2
    whole |= 1
    assert whole.tolist() == [5, 9]
    for change in (lambda: operator.iadd(whole, 0.5), lambda: operator.itruediv(whole, 2)):
        with pytest.raises(treadle.LaunchError, match="do not go into"):
            change()
    row = cpu.buffer(B)
    with pytest.raises(treadle.LaunchError, match="shape"):
        row += cpu.buffer(A)


def test_reductions_and_conversions(cpu):
    a = cpu.buffer(A)
    for name in ("sum", "mean", "max", "argmin"):
        for axis in (None, -1):
            made, wanted = getattr(a, name)(axis), getattr(A, name)(axis)
            assert made.shape == np.shape(wanted)
            np.testing.assert_allclose(made.to_numpy(), wanted, rtol=1e-6)
    assert a.sum(0, keepdims=True).shape == (1, 3)
    assert a.astype("s32").tolist() == A.astype(np.int32).tolist()
    assert a.astype(np.float64).dtype == "f64"
    np.testing.assert_array_equal(a.T.to_numpy(), A.T)
    assert a.reshape(-1).shape == (6,)
    assert a.reshape(3, -1).shape == (3, 2)
    assert a.reshape((-1, 1, 2)).shape == (3, 1, 2)
    for wrong in ((-1, -1), (4, -1), (-1, 0)):
        with pytest.raises(treadle.LaunchError, match="shape"):
            a.reshape(wrong)
    assert (a > 0).sum().item() == 4


def test_pythons_own_values(cpu):
    a = cpu.buffer(A)
    assert float(a.sum()) == float(A.sum())
    assert int(a.argmax()) == 3
    assert [10, 20, 30, 40][a.argmax()] == 40
    assert bool(a.max() > 3) is True
    assert (a.min() > 0).item() is False
    assert a.tolist() == A.tolist()
    assert len(a) == 2
    assert [row.tolist() for row in a] == A.tolist()
    with pytest.raises(treadle.LaunchError, match="neither true nor false"):
        bool(a)
    with pytest.raises(treadle.LaunchError, match="no single element"):
        float(a)
    with pytest.raises(TypeError, match="whole number"):
        [1, 2][a.max()]


def test_copies_and_other_devices(cpu):
    a = cpu.buffer(A)
    b = a.copy()
    a += 1
    np.testing.assert_array_equal(b.to_numpy(), A)
    assert b.to("cpu") is b
    other = b.to("reference")
    assert other.device.name == "reference"
    np.testing.assert_array_equal(other.to_numpy(), A)
    assert (~(b > 0).to("reference")).tolist() == (~(A > 0)).astype(int).tolist()
    with pytest.raises(treadle.LaunchError, match=r"\.to\("):
        b + other


def test_hashing_is_by_identity(cpu):
    a, b = cpu.buffer([1.0]), cpu.buffer([1.0])
    assert {a: 1, b: 2}[b] == 2
    assert a in {a}
    assert [a, b].index(b) == 0  # elementwise, as in NumPy: one element that is equal


def test_operators_do_not_wait(manual):
    device, backend = manual
    a = device.buffer([1.0, 2.0])
    pending = device.submit(plus, [a, a]).output
    later = ops.plus(pending, pending)
    assert not later.ready
    backend.complete()
    backend.complete()
    assert asyncio.run(_awaited(later)).tolist() == [4.0, 8.0]


async def _awaited(buffer):
    return await buffer


# In functions that are traced.


@treadle.pipeline
def ten(x, y):
    a = x + y
    b = a * 2.0
    c = b - y
    d = c * x
    e = d + 1.0
    f = e / y
    g = -f
    h = abs(g)
    i = h * y
    return i + x


def test_a_chain_of_operators_is_the_plan_of_a_pipeline_recorded_by_hand(cpu):
    x, y = cpu.buffer(abs(A) + 1), cpu.buffer(abs(A) + 2)
    out = cpu.empty(A.shape)
    hand = treadle.pipeline(cpu, name="ten")

    def add(kernel, *inputs, **params):
        hand.add(kernel, list(inputs), **params)
        return hand.last

    a = add("scalar_mul", add("add", x, y), scalar=2.0)
    b = add("scalar_add", add("mul", add("sub", a, y), x), scalar=1.0)
    c = add("abs", add("neg", add("div", b, y)))
    hand.add("add", [add("mul", c, y), x], out)
    ours, theirs = ten.plan(x, y), hand.plan()
    assert [group.stages for group in ours.groups] == [group.stages for group in theirs.groups]
    assert len(ours.groups) == 1
    assert ours.schedules == theirs.schedules
    assert ours.bytes_after == theirs.bytes_after
    assert ours.scratch == theirs.scratch
    np.testing.assert_array_equal(ten(x, y).to_numpy(), hand.run().to_numpy())


def everything(x, y):
    mask = (x > y) & ~(x == 3.5)
    chosen = ops.where(mask, x, y * 2)
    return (
        chosen - 1 + x.sum(0) / y.max() + (2 - x) * A + [1.0, 2.0, 3.0] + x[:, ::-1] + x[0]
        + x[-1, 1] + x.T.reshape(-1).reshape(3, 2).T + x.astype("s32") % 2 + x[:, [2, 0, 1]]
    )  # fmt: skip


def test_the_same_code_runs_eagerly_and_traced(cpu):
    x, y = cpu.buffer(A), cpu.buffer(B)
    eager = everything(x, y)
    traced = treadle.pipeline(everything)(x, y)
    np.testing.assert_allclose(traced.to_numpy(), eager.to_numpy(), rtol=1e-6)
    assert eager.dtype == traced.dtype


def branches(x):
    return x if x > 0 else -x


def masked(x):
    return x[x > 0]


def test_what_is_not_known_while_tracing_is_refused(cpu):
    with pytest.raises(treadle.LaunchError, match=r"ops\.where"):
        treadle.pipeline(branches)(cpu.buffer(A))
    with pytest.raises(treadle.LaunchError, match="is not known"):
        treadle.pipeline(masked)(cpu.buffer(A))


@pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_nan_beside_an_array(device, op):
    """It was refused by + and * alone, whose kernels have names, and refuse it as a parameter."""
    nan = float("nan")
    x = treadle.buffer([1.0, -0.0, float("inf")])
    assert np.isnan(op(x, nan).to_numpy()).all()
    assert np.isnan(op(nan, x).to_numpy()).all()
    whole = op(treadle.buffer([1, 2], dtype="s16"), nan)
    assert whole.dtype == "f32"
    assert np.isnan(whole.to_numpy()).all()


def test_nan_goes_into_an_array_in_place(device):
    x = treadle.buffer([1.0, 2.0])
    x += float("nan")
    assert np.isnan(x.to_numpy()).all()


@pytest.mark.parametrize(
    "dtype, number", [("s32", 2**31), ("s32", -(2**31) - 1), ("u8", 2**40), ("u32", -1)]
)
@pytest.mark.parametrize("op", [operator.add, operator.lt, operator.floordiv, operator.and_])
def test_a_number_that_does_not_fit_is_said_by_the_operator(op, dtype, number):
    """Not by what reads its result."""
    x = treadle.buffer([1, 2], dtype=dtype)
    with pytest.raises(treadle.LaunchError, match=f"expected an integer from .*, got {number};"):
        op(x, number)
    assert op(x, x.dtype.limits[1]).shape == (2,)
    assert (x / 2**40).dtype.is_float


@pytest.mark.parametrize("dtype", ["s8", "u8", "s16", "u16", "s32", "u32", "s64"])
def test_bits_are_turned_round_on_devices_without_s64(device, dtype):
    """All bits of u32 as a number beside it is one of 64 bits, which OpenGL has not."""
    needs(device, dtype)
    low, high = treadle.DType(dtype).limits
    x = np.array([low, 0, 5, high], treadle.DType(dtype).numpy)
    made = ~treadle.buffer(x)
    assert made.dtype == dtype
    np.testing.assert_array_equal(made.to_numpy(), ~x)
    traced = treadle.pipeline(lambda x: ~x)
    np.testing.assert_array_equal(traced(treadle.buffer(x)).to_numpy(), ~x)
