"""Which rows a predicate chooses, computed for all rows at once.

In: a predicate's tree and columns. Out: a truth value for each row. A comparison with null is
neither true nor false, as in SQL: `not (price < 20)` does not choose a row without a price. What a
comparison means does not depend on how a column is stored: whole numbers are compared with
fractions, and f64 with whole numbers beyond 2**53, by their exact values.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from treadle.data import dataclass
from treadle.errors import PredicateError, suggest
from treadle.search.columns import WORDS, Column, Columns
from treadle.search.series import Array
from treadle.search.where import (
    And,
    Compare,
    IsNull,
    Literal,
    Name,
    Not,
    Operand,
    Or,
    Predicate,
    Truth,
    Within,
    parse,
)

__all__ = ["choose"]

_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}  # with its sides exchanged
_EXACT = 1 << 53  # whole numbers up to this are numbers of f64


def choose(text: str, columns: Columns) -> Array:
    """Which rows the predicate chooses; raise PredicateError where it does not fit the columns."""
    return _Choice(text, columns).of(parse(text)).yes


@dataclass(frozen=True, slots=True)
class _Answer:
    """The rows for which a condition is true, and those for which it is false: all others where
    none is given."""

    yes: Array
    no: Array | None = None

    @property
    def refused(self) -> Array:
        return ~self.yes if self.no is None else self.no


class _Choice:
    def __init__(self, text: str, columns: Columns) -> None:
        self._text = text
        self._columns = columns

    def _fail(self, message: str, position: int) -> NoReturn:
        raise PredicateError(message, text=self._text, position=position)

    def of(self, predicate: Predicate) -> _Answer:
        """The answer for every row."""
        match predicate:
            case And(parts):
                return self._joined(parts, np.logical_and, np.logical_or)
            case Or(parts):
                return self._joined(parts, np.logical_or, np.logical_and)
            case Not(inner):
                answer = self.of(inner)
                return _Answer(answer.refused, None if answer.no is None else answer.yes)
            case Compare():
                return self._compared(predicate)
            case Within(operand, values, position):
                same = (Compare("==", operand, value, position) for value in values)
                return self._within(operand, values) or self.of(Or(tuple(same)))
            case IsNull(operand):
                return self._null(operand)
            case Truth(operand):
                return self._truth(operand)

    def _joined(self, parts: tuple[Predicate, ...], yes: np.ufunc, no: np.ufunc) -> _Answer:
        """What `and` and `or` have in common: one is the other with true and false exchanged."""
        first, *others = map(self.of, parts)
        for other in others:
            known = first.no is None and other.no is None
            first = _Answer(
                yes(first.yes, other.yes), None if known else no(first.refused, other.refused)
            )
        return first

    def _constant(self, value: bool) -> _Answer:
        return _Answer(np.full(self._columns.count, value))

    def _column(self, name: Name) -> Column:
        column = self._columns.by_name.get(name.name)
        if column is None:
            known = ", ".join(map(repr, self._columns.by_name)) or "none"
            near = suggest(name.name, self._columns.by_name)
            self._fail(f"there is no column {name.name!r}; there are {known}{near}", name.position)
        return column

    def _null(self, operand: Operand) -> _Answer:
        if isinstance(operand, Literal):
            return self._constant(False)
        nulls = self._column(operand).nulls
        return self._constant(False) if nulls is None else _Answer(nulls)

    def _truth(self, operand: Operand) -> _Answer:
        if isinstance(operand, Literal):
            return self._constant(bool(operand.value))
        column = self._column(operand)
        if column.kind not in ("bool", None):
            self._fail(
                f"{operand.name!r} holds {WORDS[column.kind]} and is no condition by itself; "
                "compare it with something",
                operand.position,
            )
        return self._compared(Compare("==", operand, Literal(True, 0), operand.position))

    def _within(self, operand: Operand, values: tuple[Literal, ...]) -> _Answer | None:
        """The answer for many values at once, where they are of the column's own type."""
        if isinstance(operand, Literal):
            return None
        column = self._column(operand)
        if column.values is None or column.kind not in ("s64", "text"):
            return None
        wanted = [each.value for each in values]
        codes: list[Any] = wanted
        if column.kind == "text":
            if not all(isinstance(each, str) for each in wanted):
                return None
            codes = [column.codes.get(str(each), -2) for each in wanted]
        elif not all(type(each) is int and abs(each) < 2**63 for each in wanted):
            return None
        found = np.isin(column.values.array, np.array(codes, column.values.array.dtype))
        return self._known(found, column.nulls)

    def _known(self, yes: Array, nulls: Array | None) -> _Answer:
        """An answer that is neither true nor false where a value is null."""
        return _Answer(yes) if nulls is None else _Answer(yes & ~nulls, ~yes & ~nulls)

    def _compared(self, given: Compare) -> _Answer:
        left, right, sign = given.left, given.right, given.sign
        if isinstance(left, Literal) and isinstance(right, Literal):
            self._check(_kind(left), _kind(right), given)
            return self._constant(bool(_SIGNS[sign](left.value, right.value)))
        if isinstance(left, Literal):
            left, right, sign = right, left, _TURNED.get(sign, sign)
        assert isinstance(left, Name)
        column = self._column(left)
        if isinstance(right, Name):
            return self._columns_compared(column, self._column(right), given)
        if column.kind is None or column.values is None:  # all null, and anything may yet come
            return _Answer(np.zeros(column.count, np.bool_), np.zeros(column.count, np.bool_))
        self._check(column.kind, _kind(right), given)
        values, value = column.values.array, right.value
        if column.kind == "text":
            return self._known(_text(column, sign, str(value)), column.nulls)
        if column.kind == "bool":
            return self._known(_SIGNS[sign](values, int(value)), column.nulls)
        assert not isinstance(value, str)
        return self._known(_number(column.kind, values, sign, value), column.nulls)

    def _check(self, left: str | None, right: str | None, given: Compare) -> None:
        """Raise PredicateError where two types cannot be compared."""
        numbers = {"s64", "f64"}
        if left is None or right is None or {left, right} <= numbers:
            return
        if left != right:
            self._fail(f"{WORDS[left]} and {WORDS[right]} cannot be compared", given.position)
        if left == "bool" and given.sign not in ("==", "!="):
            self._fail("truth values are equal or not, and have no order", given.position)

    def _columns_compared(self, left: Column, right: Column, given: Compare) -> _Answer:
        self._check(left.kind, right.kind, given)
        if left.values is None or right.values is None:
            return _Answer(np.zeros(left.count, np.bool_), np.zeros(left.count, np.bool_))
        one, other = left.values.array, right.values.array
        if left.kind == "text":
            one, other = _ranked(left, right)
        found = _pairs(given.sign, one, other)
        nulls = [each for each in (left.nulls, right.nulls) if each is not None]
        return self._known(found, np.logical_or.reduce(nulls) if nulls else None)


def _kind(literal: Literal) -> str:
    match literal.value:
        case bool():
            return "bool"
        case str():
            return "text"
        case int():
            return "s64"
        case _:
            return "f64"


def _text(column: Column, sign: str, value: str) -> Array:
    """Compare strings: their codes for equality, and for order each string of the dictionary."""
    assert column.values is not None
    codes = column.values.array
    if sign in ("==", "!="):
        return np.asarray(_SIGNS[sign](codes, column.codes.get(value, -2)))
    compare = _SIGNS[sign]
    words = list(column.codes)
    truth = np.zeros(len(words) + 1, np.bool_)  # the last is that of null, whose code is -1
    truth[:-1] = [compare(word, value) for word in words]
    return truth[codes]


def _ranked(left: Column, right: Column) -> tuple[Array, Array]:
    """Numbers in place of two columns' strings, in the order of the strings."""
    assert left.values is not None
    assert right.values is not None
    words = [list(left.codes), list(right.codes)]
    rank = {word: place for place, word in enumerate(sorted({*words[0], *words[1]}))}
    tables = [np.array([*(rank[word] for word in each), -1]) for each in words]
    return tables[0][left.values.array], tables[1][right.values.array]


def _number(kind: str, values: Array, sign: str, value: float) -> Array:
    """Compare numbers of a column with one number, by their exact values."""
    if kind == "s64":
        if value != math.floor(value):  # between two whole numbers
            if sign in ("==", "!="):
                return np.full(len(values), sign == "!=")
            value = math.floor(value) if sign in ("<", "<=") else math.ceil(value)
            sign = {"<": "<=", ">": ">="}.get(sign, sign)
        return np.asarray(_SIGNS[sign](values, int(value)))
    try:
        near = float(value)
    except OverflowError:
        near = math.inf if value > 0 else -math.inf
    if near != value:  # a whole number between two of f64: `near` is one of them
        if sign in ("==", "!="):
            return np.full(len(values), sign == "!=")
        above = near > value
        if sign in ("<", "<="):
            sign = "<" if above else "<="
        else:
            sign = ">=" if above else ">"
    return np.asarray(_SIGNS[sign](values, near))


def _pairs(sign: str, one: Array, other: Array) -> Array:
    """Compare two columns row by row; whole numbers and f64 by their exact values."""
    found = np.asarray(_SIGNS[sign](one, other))
    if one.dtype.kind != other.dtype.kind:
        whole = one if one.dtype.kind == "i" else other
        far = np.flatnonzero((whole > _EXACT) | (whole < -_EXACT))  # f64 does not hold all of these
        for row in far.tolist():
            found[row] = _SIGNS[sign](one[row].item(), other[row].item())
    return found
