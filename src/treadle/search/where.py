"""The grammar of filters: text in, a tree of comparisons out, or an error with its place.

    either     = both { "or" both }
    both       = negation { "and" negation }
    negation   = "not" negation | test
    test       = operand { ("<" | "<=" | ">" | ">=" | "=" | "==" | "!=" | "<>") operand }
               | operand ["not"] "in" "(" value { "," value } ")"
               | operand "is" ["not"] "null"
               | operand
    operand    = value | column | "(" either ")"
    value      = number | string | "true" | "false"

Comparisons may be chained, as in `10 <= price < 20`. Keywords are written in either case. A column
whose name is a keyword or has other signs than letters, digits and _ stands in backquotes. This
module does not know which columns there are or what they hold. It is a parser of its own: no text
that a user sends is ever run as Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NoReturn

from treadle.data import dataclass
from treadle.errors import PredicateError

__all__ = [
    "And",
    "Compare",
    "IsNull",
    "Literal",
    "Name",
    "Not",
    "Or",
    "Predicate",
    "Truth",
    "Within",
    "parse",
]

_LONGEST = 1 << 16  # characters of a predicate
_DEEPEST = 100  # parentheses and negations inside each other
_KEYWORDS = {"and", "or", "not", "in", "is", "null", "true", "false"}
_SAME = {"=": "==", "<>": "!="}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")

_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])
      | (?P<word>[^\W\d]\w*)
      | (?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
      | (?P<quoted>`[^`]+`)
      | (?P<sign><=|>=|<>|==|!=|[<>=(),+-])""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, a string, or a truth value."""

    value: int | float | str | bool
    position: int


@dataclass(frozen=True, slots=True)
class Name:
    """A column."""

    name: str
    position: int


Operand = Literal | Name


@dataclass(frozen=True, slots=True)
class Compare:
    """Two operands and one of < <= > >= == !=, with the sign's place."""

    sign: str
    left: Operand
    right: Operand
    position: int


@dataclass(frozen=True, slots=True)
class Within:
    """An operand and the values of which it has to be one."""

    operand: Operand
    values: tuple[Literal, ...]
    position: int


@dataclass(frozen=True, slots=True)
class IsNull:
    """Whether an operand has no value."""

    operand: Operand


@dataclass(frozen=True, slots=True)
class Truth:
    """An operand that is a condition by itself: a column of truth values."""

    operand: Operand


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite of a condition."""

    inner: Predicate


@dataclass(frozen=True, slots=True)
class And:
    """Conditions that all have to hold."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Conditions of which one has to hold."""

    parts: tuple[Predicate, ...]


Predicate = Compare | Within | IsNull | Truth | Not | And | Or


@lru_cache(maxsize=256)
def parse(text: str) -> Predicate:
    """Return the tree of a predicate's text, or raise PredicateError with the place."""
    if len(text) > _LONGEST:
        raise PredicateError(
            f"the text has {len(text):,} characters; {_LONGEST:,} are allowed, and a set of ids "
            "can be given as an array",
            text=text,
        )
    return _Parser(text).whole()


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str  # number, word, quoted, string, sign, a keyword, or end
    text: str
    position: int


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = self._split()
        self._next = 0
        self._depth = 0

    def _fail(self, message: str, position: int) -> NoReturn:
        raise PredicateError(message, text=self._text, position=position)

    def _split(self) -> list[_Token]:
        found, at = [], 0
        while at < len(self._text):
            match = _TOKEN.match(self._text, at)
            if match is None:
                self._unreadable(at)
            kind, text = str(match.lastgroup), match[0]
            if kind == "word" and text.lower() in _KEYWORDS:
                kind = text.lower()
            elif kind == "sign":
                text = _SAME.get(text, text)
            if kind != "space":
                found.append(_Token(kind, text, at))
            at = match.end()
        return [*found, _Token("end", "", len(self._text))]

    def _unreadable(self, at: int) -> NoReturn:
        sign = self._text[at]
        if sign in "'\"`":
            self._fail(f"this {sign} is never closed", at)
        if sign.isdigit() or sign == ".":
            self._fail("this is not a number", at)
        if sign in "&|":
            self._fail("write 'and' and 'or'", at)
        if sign == "!":
            self._fail("write 'not', or '!='", at)
        if sign == "%" or sign in "*/":
            self._fail("there is no arithmetic here: compute the column before adding it", at)
        self._fail(f"{sign!r} means nothing here", at)

    @property
    def _token(self) -> _Token:
        return self._tokens[self._next]

    def _take(self, *wanted: str) -> _Token | None:
        """The next token if it is of this kind or this sign, and step past it."""
        token = self._token
        if token.kind in wanted or (token.kind == "sign" and token.text in wanted):
            self._next += 1
            return token
        return None

    def _need(self, wanted: str, what: str) -> _Token:
        return self._take(wanted) or self._unexpected(what)

    def _unexpected(self, wanted: str) -> NoReturn:
        token = self._token
        came = "the text ends" if token.kind == "end" else f"{token.text!r} came"
        self._fail(f"expected {wanted}; {came}", token.position)

    def whole(self) -> Predicate:
        """The whole text as one condition."""
        if self._token.kind == "end":
            self._fail("the text is empty; leave where out to search all rows", 0)
        found = self._condition(self._either())
        if self._token.kind != "end":
            if self._token.text == ")":
                self._fail("this ) was never opened", self._token.position)
            self._unexpected("'and', 'or' or the end")
        return found

    def _condition(self, found: Predicate | Operand) -> Predicate:
        """What stands alone as a condition: only columns and truth values can."""
        if isinstance(found, Literal) and not isinstance(found.value, bool):
            self._fail("a value alone is no condition; compare it with a column", found.position)
        return Truth(found) if isinstance(found, Operand) else found

    def _either(self) -> Predicate | Operand:
        return self._joined("or", self._both, Or)

    def _both(self) -> Predicate | Operand:
        return self._joined("and", self._negation, And)

    def _joined(
        self,
        word: str,
        part: Callable[[], Predicate | Operand],
        made: Callable[[tuple[Predicate, ...]], Predicate],
    ) -> Predicate | Operand:
        first = part()
        if self._token.kind != word:
            return first
        parts = [self._condition(first)]
        while self._take(word):
            parts.append(self._condition(part()))
        return made(tuple(parts))

    def _negation(self) -> Predicate | Operand:
        token = self._take("not")
        if token is None:
            return self._test()
        self._enter(token)
        inner = self._condition(self._negation())
        self._depth -= 1
        return Not(inner)

    def _enter(self, token: _Token) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            self._fail(f"more than {_DEEPEST} conditions inside each other", token.position)

    def _test(self) -> Predicate | Operand:
        left = self._operand()
        if isinstance(left, Operand):
            if self._take("is"):
                return self._is(left)
            negated = self._take("not")
            if negated and self._token.kind != "in":
                self._unexpected("'in' after 'not'")
            if token := self._take("in"):
                within = Within(left, self._values(), token.position)
                return Not(within) if negated else within
        parts: list[Predicate] = []
        while token := self._take(*_COMPARISONS):
            if not isinstance(left, Operand):
                self._fail("what stands before this is a condition, not a value", token.position)
            right = self._operand()
            if not isinstance(right, Operand):
                self._fail("what comes after this is a condition, not a value", token.position)
            parts.append(Compare(token.text, left, right, token.position))
            left = right
        if not parts:
            return left
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _is(self, left: Operand) -> Predicate:
        negated = self._take("not")
        self._need("null", "'null' or 'not null' after 'is'")
        return Not(IsNull(left)) if negated else IsNull(left)

    def _values(self) -> tuple[Literal, ...]:
        self._need("(", "'(' and values after 'in'")
        found = [self._value()]
        while self._take(","):
            if self._token.text == ")":  # a comma after the last one is welcome
                break
            found.append(self._value())
        self._need(")", "',' or ')'")
        return tuple(found)

    def _value(self) -> Literal:
        if self._token.kind in ("word", "quoted"):
            self._fail("'in' takes numbers and strings, not columns", self._token.position)
        found = self._operand()
        if not isinstance(found, Literal):
            self._unexpected("a number or a string")
        return found

    def _operand(self) -> Predicate | Operand:
        token = self._token
        if self._take("("):
            self._enter(token)
            inner = self._either()
            self._need(")", "')'")
            self._depth -= 1
            return inner
        if self._take("word", "quoted"):
            return Name(token.text.strip("`"), token.position)
        if self._take("string"):
            return Literal(self._unescaped(token), token.position)
        if self._take("true", "false"):
            return Literal(token.kind == "true", token.position)
        if self._take("+", "-"):
            number = self._need("number", "a number")
            value = self._number(number)
            return Literal(-value if token.text == "-" else value, token.position)
        if self._take("number"):
            return Literal(self._number(token), token.position)
        if token.kind == "null":
            self._fail("null cannot be compared; write 'column is null'", token.position)
        self._unexpected("a column, a number or a string")

    def _number(self, token: _Token) -> int | float:
        try:
            value = int(token.text) if token.text.isdecimal() else float(token.text)
        except ValueError:  # more digits than Python turns into a number
            value = float("inf")
        if value == float("inf"):
            self._fail("this number is too large", token.position)
        return value

    def _unescaped(self, token: _Token) -> str:
        def meaning(match: re.Match[str]) -> str:
            if match[1] not in _ESCAPES:
                self._fail(f"\\{match[1]} means nothing", token.position + 1 + match.start())
            return _ESCAPES[match[1]]

        return re.sub(r"\\(.)", meaning, token.text[1:-1], flags=re.DOTALL)
