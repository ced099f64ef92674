"""Sizes: numbers that note what is computed from them and asked about them."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treadle
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.ir.plain import read_tape, write_tape
from treadle.ir.sizes import Size, Tape, as_text, fill, fill_text, of_sizes, placed, places
from treadle.ir.structures import Structures
from treadle.lang import registry


def on_tape(*numbers):
    tape = Tape(numbers)
    return tape, *tape.sizes()


def played(tape, *items):
    """What items are for other numbers."""
    tape.end()
    return lambda *numbers: (v := tape.play(numbers)) and fill(items, v)


def test_it_is_a_number_to_python_and_to_nobody_else():
    _, n, x = on_tape(7, 2.5)
    assert isinstance(n, int)
    assert not isinstance(n, float | bool | str)
    assert isinstance(x, float)
    assert type(n) is Size


ARITHMETIC = [
    lambda a, b: a + 2 * b - 1, lambda a, b: 3 - a, lambda a, b: a * b * 2, lambda a, b: a // b,
    lambda a, b: 100 // a, lambda a, b: a % b, lambda a, b: 100 % a, lambda a, b: a / b,
    lambda a, b: 1 / a, lambda a, b: -a, lambda a, b: abs(b - a), lambda a, b: a**2,
    lambda a, b: math.ceil(a / b), lambda a, b: math.floor(a / b), lambda a, b: round(a / b),
    lambda a, b: round(a / b, 1), lambda a, b: math.prod((a, 2, b)), lambda a, b: sum((a, b)),
    lambda a, b: divmod(a, b)[1], lambda a, b: a.bit_length(), lambda a, b: a * Fraction(1, 3),
    lambda a, b: math.trunc(a / b), lambda a, b: a * 0.5 + True, lambda a, b: +a,
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(ARITHMETIC)))
def test_arithmetic_is_done_again_for_other_numbers(number):
    function = ARITHMETIC[number]
    tape, a, b = on_tape(7, 12)
    made = function(a, b)
    assert type(made) is Size
    assert tape.guards == {}
    again = played(tape, made)
    for pair in ((7, 12), (100, 13), (12, 7)):
        (value,) = again(*pair)
        assert value == function(*pair)
        assert type(value) is type(function(*pair))


QUESTIONS = [
    lambda a, b: a == b, lambda a, b: a != b, lambda a, b: a < b, lambda a, b: a <= b,
    lambda a, b: a > b, lambda a, b: a >= b, lambda a, b: a > 10, lambda a, b: bool(a - b),
    lambda a, b: max(a, b) == b, lambda a, b: a in (7, 8), lambda a, b: (a, 3) == (b, 3),
    lambda a, b: math.prod((a, b)) % 2 == 0, lambda a, b: a * b <= 84,
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(QUESTIONS)))
@given(st.integers(5, 14), st.integers(5, 14), st.integers(5, 14), st.integers(5, 14))
def test_an_answer_that_would_be_another_is_a_guard_that_does_not_hold(number, a, b, c, d):
    function = QUESTIONS[number]
    tape, *sizes = on_tape(a, b)
    assert function(*sizes) == function(a, b)
    tape.end()
    if function(a, b) != function(c, d):
        assert tape.play((c, d)) is None
    assert tape.play((a, b)) is not None


PINS = [
    range, int, float, lambda n: [0] * n, lambda n: "abc"[n - 6], np.zeros, np.arange,
    lambda n: np.ones(3) * n, str, repr, lambda n: f"{n}", lambda n: f"{(n,)}", lambda n: f"{n:>5}",
    lambda n: 2**n, lambda n: 1 << n.__index__(), math.sqrt, math.isfinite,
    lambda n: np.asarray([n]), lambda n: complex(n), lambda n: n.to_bytes(1, "big")
    if hasattr(n, "to_bytes") else int(n).to_bytes(1, "big"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(PINS)))
def test_whoever_wants_the_number_itself_pins_it(number):
    tape, n = on_tape(7)
    made, expected = PINS[number](n), PINS[number](7)
    assert np.array_equal(made, expected) if isinstance(made, np.ndarray) else made == expected
    tape.end()
    assert tape.play((7,)) is not None
    assert tape.play((8,)) is None


def test_a_whole_part_is_pinned_and_not_what_it_is_of():
    tape, x = on_tape(2.25)
    assert int(4 * x) == 9
    tape.end()
    assert tape.play((2.4,)) is not None
    assert tape.play((2.5,)) is None


def test_keys_of_dicts_are_told_apart_by_how_they_came_about():
    tape, a, b = on_tape(7, 8)
    assert len({a, b, a + 1, a + 1, 7, 8}) == 5
    assert tape.guards == {}


def test_sizes_of_two_tapes_do_not_meet():
    _, a = on_tape(7)
    _, b = on_tape(7)
    with pytest.raises(ValueError, match="two tapes"):
        a == b  # noqa: B015


def test_nothing_is_noted_after_the_end():
    tape, a = on_tape(7)
    tape.end()
    for late in (lambda: a + 1, lambda: a == 3, lambda: range(a)):
        with pytest.raises(ValueError, match="has ended"):
            late()
    assert repr(a) == "<a Size of earlier>"


def test_zeros_and_what_is_not_a_number_cannot_be_pinned():
    tape, x = on_tape(0.0)
    with pytest.raises(ValueError, match="equal"):
        float(x)
    _, y = on_tape(math.inf)
    with pytest.raises(ValueError, match="equal"):
        float(y - y)
    assert tape.guards == {}


def test_a_text_is_filled_too():
    tape, a = on_tape(7)
    text = f"{as_text(a / 2, '.1f')} of {as_text(a, '')} and {as_text(3, '')}"
    tape.end()
    assert fill_text(text, tape.play((9,))) == "4.5 of 9 and 3"


def test_what_is_small_is_structure():
    seen = {}
    assert places((480, 640, 3), seen) == (-1, -2, 3)
    assert places((640, 0, 1, 4, 5), seen) == (-2, 0, 1, 4, -3)
    assert placed((-1, -2, 3), list(seen)) == (480, 640, 3)


def test_a_tape_can_be_written_down():
    tape, a, b = on_tape(7, 2.5)
    items = (a * Fraction(1, 3), round(a / b), a * 2)
    assert a > 3
    tape.end()
    again = read_tape(write_tape(tape))
    assert fill(items, again.play((9, 1.5))) == fill(items, tape.play((9, 1.5)))
    assert again.play((2, 1.5)) is None


def test_a_tape_that_calls_functions_is_not_written_down():
    tape, a = on_tape(7)
    of_sizes(math.sqrt)(a)
    tape.end()
    with pytest.raises(ValueError, match="not written"):
        write_tape(tape)


@of_sizes
def table(n, step):
    return np.arange(0, n, step), n // 10


def test_tables_are_made_again():
    tape, n = on_tape(23)
    found, tens = table(n, 2)
    assert found.shape[0] == 12
    assert tens == 2
    tape.end()
    (array,) = fill((found,), tape.play((24,)))
    assert np.array_equal(array, np.arange(0, 24, 2))
    assert tape.play((25,)) is None  # of another length, which was asked for
    assert tape.play((9,)) is None
    assert table(9, 2)[1] == 0  # with plain numbers it is the function itself


# Structures


def counted(function):
    calls = []

    def make(numbers):
        calls.append(tuple(map(type, numbers)))
        return function(*numbers)

    return make, calls


def test_no_table_is_made_for_sizes_that_a_guard_refuses():
    calls = []

    @of_sizes
    def table(size):
        calls.append(size)
        return np.arange(size)

    tape, n = on_tape(7)
    assert n > 5
    found = played(tape, table(n))
    assert found(3) is None
    assert calls == [7]


def test_a_function_is_called_once_for_all_that_goes_the_same_way():
    make, calls = counted(lambda n: (n * 2, "large" if n > 100 else "small"))
    known = Structures(fill)
    found = [known.get("key", (n,), make) for n in (10, 20, 200, 30, 300)]
    assert found == [(20, "small"), (40, "small"), (400, "large"), (60, "small"), (600, "large")]
    assert len(calls) == len(known) == 2


def test_an_error_is_that_of_the_plain_numbers():
    def make(numbers):
        if numbers[0] > 10:
            raise ValueError(f"{numbers[0]} is too large, {type(numbers[0]).__name__}")
        return numbers

    known = Structures(fill)
    assert known.get("key", (7,), make) == (7,)
    with pytest.raises(ValueError, match=r"^12 is too large, int$") as caught:
        known.get("key", (12,), make)
    assert caught.value.__context__ is None
    assert known.get("key", (8,), make) == (8,)


def test_what_cannot_be_done_with_sizes_is_done_with_numbers():
    make, calls = counted(lambda n: (n.to_bytes(2, "big"),))
    known = Structures(fill)
    assert [known.get("key", (n,), make) for n in (7, 8)] == [(b"\0\7",), (b"\0\10",)]
    assert calls == [(Size,), (int,), (int,)]
    assert len(known) == 0


def test_pinned_numbers_find_their_structure_and_are_bounded():
    make, calls = counted(lambda n, m: (sum(range(n)), m + 1))
    known = Structures(fill)
    for n in range(5, 1005):
        assert known.get("key", (n, n), make) == (sum(range(n)), n + 1)
    assert len(known) <= 256
    before = len(calls)
    assert known.get("key", (1000, 3), make) == (sum(range(1000)), 4)
    assert len(calls) == before


def test_keys_are_bounded():
    known = Structures(fill)
    for key in range(3000):
        known.get(key, (7,), lambda numbers: numbers)
    assert len(known) <= 1024


# Definitions


@treadle.composite
def framed(image, *, border=8, gain=1.0):
    """Reads sizes in every way that a composite can."""
    height, width = image.shape
    print("bound to", image.shape)
    table = treadle.constant(np.linspace(0, 1, width, dtype=np.float32))
    found = registry.lookup("elementwise_mul")(image, table)
    return registry.lookup("scalar_mul")(found, scalar=gain * height)


def test_a_composite_that_prints_sizes_is_run_for_each(capsys):
    for shape in ((20, 30), (21, 30), (20, 30)):
        image = np.ones(shape, np.float32)
        made = treadle.run_kernel(framed, [treadle.buffer(image)], gain=2.0)
        expected = np.linspace(0, 1, 30, dtype=np.float32) * (2.0 * shape[0])
        np.testing.assert_allclose(made.to_numpy(), np.broadcast_to(expected, shape), rtol=1e-6)
    said = capsys.readouterr().out
    assert said.splitlines() == ["bound to (20, 30)", "bound to (21, 30)"]


def test_other_numbers_of_a_composite_are_no_other_structure():
    blur = registry.lookup("gaussian_blur")
    blur.structures = None
    kernels = set()
    for sigma, shape in ((1.5, (50, 60)), (1.75, (51, 70)), (2.5, (52, 80))):
        key, values = blur.arguments({"radius": 4, "sigma": sigma})
        bound = blur.bind((Spec(shape, DType.F32),), None, key, values)
        assert [stage.fixed for stage in bound.stages] == [(sigma,), (sigma,)]
        kernels |= {id(stage.kernel) for stage in bound.stages}
    assert len(kernels) == 2
    assert len(blur.structures) == 1


def test_one_kernel_makes_small_pictures_of_all_large_ones():
    definition = registry.lookup("preprocess")
    key, values = definition.arguments({"size": (224, 224)})

    def kernels(height, width):
        bound = definition.bind((Spec((height, width, 3), DType.U8),), None, key, values)
        return [stage.kernel for stage in bound.stages]

    wanted = kernels(1000, 1400)
    assert kernels(3000, 4000) == wanted
    assert kernels(1237, 2011) == wanted
