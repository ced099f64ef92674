"""A definition's parameters: declarations, defaults, checks, and what specialises the code.

In: what the caller passed by name. Out: a hashable key (static values, kinds of the others) and the
runtime values. Knows nothing about kernels' bodies.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import field
from typing import Any

from treadle.data import dataclass
from treadle.errors import LaunchError, suggest, unquoted
from treadle.lang.turn import Turn

__all__ = ["REQUIRED", "Parameter", "Parameters", "Range"]

# What a parameter may be: bounds, a few words or flags, or a rule that the kernel itself checks.
Range = tuple[float | None, float | None] | tuple[str, ...] | str

REQUIRED: Any = type("Required", (), {"__repr__": lambda self: "required"})()


# Integers by the types that hold them, so that a kernel can say which of them it has room for.
_REMEMBERED = 256
_ATOMS = frozenset((int, bool, str, type(None)))
_KINDS = {
    "int": (0, 2**31 - 1),
    "negative": (-(2**31), -1),
    "unsigned": (2**31, 2**32 - 1),
    "wide": (-(2**63), 2**63 - 1),
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One keyword parameter: static ones specialise the code, others are given at launch."""

    name: str
    default: Any = REQUIRED
    static: bool = False
    low: float | None = None
    high: float | None = None
    # Turns what the caller gave into what specialises the code: a path into a file's contents.
    convert: Callable[[Any], Hashable] | None = field(default=None, repr=False)
    choices: tuple[str | bool, ...] = ()
    rule: str = ""  # in words; the kernel refuses what breaks it when it is bound

    @classmethod
    def ranged(cls, name: str, default: Any, static: bool, allowed: Range | None) -> Parameter:
        """Make a parameter of what its kernel's decorator says about it."""
        if allowed is None:
            return cls(name, default, static)
        if isinstance(allowed, str):
            return cls(name, default, static, rule=allowed)
        words = tuple(word for word in allowed if isinstance(word, str | bool))
        if words:
            return cls(name, default, static, choices=words)
        low, high = allowed
        return cls(name, default, static, low, high)  # type: ignore[arg-type]

    @property
    def range(self) -> str:
        """The allowed values in words, or an empty string."""
        if self.rule:
            return self.rule
        if self.choices:
            flags = self.choices == (False, True)
            return "True or False" if flags else f"one of {', '.join(map(repr, self.choices))}"
        if (self.low, self.high) == (-math.inf, math.inf):
            return "a number other than NaN"
        if self.low is not None and self.high is not None:
            return f"{self.low} to {self.high}"
        if self.low is not None:
            return f"at least {self.low}"
        return f"at most {self.high}" if self.high is not None else ""


class Parameters:
    """The parameters of one definition, in order."""

    def __init__(self, owner: str, declared: tuple[Parameter, ...]) -> None:
        self.owner = owner
        self.declared = {parameter.name: parameter for parameter in declared}
        self.static = tuple(p.name for p in declared if p.static)
        self.runtime = tuple(p.name for p in declared if not p.static)
        complete = all(p.default is not REQUIRED for p in declared)
        self._defaults = self._resolve({}) if complete else None
        # Whether the same values always mean the same. A conversion may read a file, which may have
        # changed since.
        self.lasting = not any(p.convert is not None for p in declared)
        # What static values alone were resolved to: loops give the same ones again.
        self._known: dict[Hashable, tuple[Hashable, tuple[float, ...]]] = {}

    def resolve(self, given: Mapping[str, Any]) -> tuple[Hashable, tuple[float, ...]]:
        """Check and complete the given values; return the key and the runtime values."""
        if not given and self._defaults is not None:
            return self._defaults
        asked = self._asked(given)
        if asked is None:
            return self._resolve(given)
        found = self._known.get(asked)
        if found is None:
            found = self._resolve(given)
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[asked] = found
        return found

    def _asked(self, given: Mapping[str, Any]) -> Hashable | None:
        """What tells these values from all others, where they are static and plain; else None."""
        if not self.lasting:
            return None
        asked = []
        for name, value in given.items():
            kind = type(value)
            if name not in self.static or not (kind in _ATOMS or (kind is tuple and _whole(value))):
                return None
            asked.append((name, kind, value))
        return tuple(asked)

    def statics(self, key: Hashable) -> dict[str, Any]:
        """The static values that a key holds, by name."""
        values = map(untyped, key[0])  # type: ignore[index]
        return dict(zip(self.static, values, strict=True))

    def kinds(self, key: Hashable) -> dict[str, str]:
        """The kind of each runtime value that a key holds: float, or one of integers' (_KINDS)."""
        return dict(zip(self.runtime, key[1], strict=True))  # type: ignore[index]

    def _resolve(self, given: Mapping[str, Any]) -> tuple[Hashable, tuple[float, ...]]:
        for name in given:
            if name not in self.declared:
                hint = suggest(str(name), self.declared)
                known = (
                    f"; it takes {', '.join(self.declared)}" if self.declared and not hint else ""
                )
                none = "" if self.declared else "; it takes no parameters"
                raise LaunchError(
                    f"kernel {self.owner!r} has no parameter {name!r}{hint}{known}{none}"
                )
        statics: list[Hashable] = []
        values: list[float] = []
        kinds: list[str] = []
        for parameter in self.declared.values():
            value = given.get(parameter.name, parameter.default)
            if value is REQUIRED:
                raise LaunchError(
                    f"kernel {self.owner!r} needs the parameter {parameter.name!r}; give it by "
                    f"name: {parameter.name}=..."
                )
            if parameter.static:
                statics.append(self._static(parameter, value))
            else:
                number, kind = self._number(parameter, value)
                values.append(number)
                kinds.append(kind)
        return (tuple(statics), tuple(kinds)), tuple(values)

    def _static(self, parameter: Parameter, value: Any) -> Hashable:
        value = _plain(value)
        if any(type(item) is Turn for item in (value if type(value) is tuple else (value,))):
            raise LaunchError(
                f"kernel {self.owner!r}: parameter {parameter.name!r} is part of the code, and the "
                "turn of a repeat is not known when that is made; only runtime parameters of "
                "kernels that are no composites can depend on it"
            )
        if parameter.convert is not None:
            try:
                value = parameter.convert(value)
            except LaunchError as error:
                if self.owner in str(error):
                    raise
                raise LaunchError(f"kernel {self.owner!r}: {error}") from error
        self._in_range(parameter, value)
        try:
            hash(value)
        except TypeError:
            raise LaunchError(
                f"kernel {self.owner!r}: parameter {parameter.name!r} must be a number, string, "
                "bool, "
                f"None or a tuple of them, got {type(value).__name__}"
            ) from None
        # 1, 1.0 and True are equal as dict keys but not as code.
        return _Typed(value) if isinstance(value, float | bool | tuple) else value

    def _number(self, parameter: Parameter, value: Any) -> tuple[Any, str]:
        value = _plain(value)
        if type(value) is Turn:
            return self._turn(parameter, value)
        if not isinstance(value, bool | int | float):
            allowed = parameter.range if parameter.low is not None else ""
            if not allowed.startswith("a number"):
                allowed = ", ".join(filter(None, ("a number", allowed)))
            raise LaunchError(
                f"kernel {self.owner!r}: parameter {parameter.name!r} must be {allowed}, "
                f"got {type(value).__name__} {value!r}{unquoted(value)}"
            )
        self._in_range(parameter, value)
        if isinstance(value, float):
            return value, "float"
        if isinstance(parameter.default, float):
            try:
                return value * 1.0, "float"  # not float(): it may be a Size
            except OverflowError:
                raise LaunchError(
                    f"kernel {self.owner!r}: parameter {parameter.name!r} is an integer too large "
                    "for a float"
                ) from None
        whole = int(value) if isinstance(value, bool) else value
        for kind, (low, high) in _KINDS.items():
            if low <= whole <= high:
                return whole, kind
        raise LaunchError(
            f"kernel {self.owner!r}: parameter {parameter.name!r} does not fit 64 bits: an integer "
            f"of {whole.bit_length()} bits"
        )

    def _turn(self, parameter: Parameter, turn: Turn) -> tuple[Turn, str]:
        """A number that grows from turn to turn: what holds all of its values."""
        kinds = {self._number(parameter, end)[1] for end in (turn.first, turn.last)}
        if kinds == {"float"}:
            return turn.as_float(), "float"
        if len(kinds) == 1:
            return turn, kinds.pop()
        return turn, "negative" if kinds == {"int", "negative"} else "wide"

    def _in_range(self, parameter: Parameter, value: Any) -> None:
        bounded = parameter.low is not None or parameter.high is not None
        if not bounded and not parameter.choices:
            return
        if value is None and parameter.default is None:
            return
        if parameter.choices:
            if not isinstance(value, str | bool | int | float) or value not in parameter.choices:
                words = [word for word in parameter.choices if isinstance(word, str)]
                hint = suggest(value, words) if isinstance(value, str) else ""
                raise LaunchError(
                    f"kernel {self.owner!r}: parameter {parameter.name!r} must be "
                    f"{parameter.range}, got {value!r}{hint}"
                )
            return
        low = -math.inf if parameter.low is None else parameter.low
        high = math.inf if parameter.high is None else parameter.high
        number = isinstance(value, bool | int | float)
        if not number or not low <= value <= high:
            raise LaunchError(
                f"kernel {self.owner!r}: parameter {parameter.name!r} must be {parameter.range}, "
                f"got {value!r}{unquoted(value)}"
            )


def _whole(items: tuple[Any, ...]) -> bool:
    """Whether a tuple holds integers, None and such tuples only: those that are equal are alike."""
    for item in items:
        kind = type(item)
        if kind is not int and item is not None and not (kind is tuple and _whole(item)):
            return False
    return True


class _Typed:
    """A static value that equals another only if the types agree too."""

    __slots__ = ("_key", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self._key = _typed(value)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Typed) and self._key == other._key

    def __repr__(self) -> str:
        return repr(self.value)


def untyped(value: Any) -> Any:
    """The plain value of a static in a key."""
    return value.value if isinstance(value, _Typed) else value


def _typed(value: Any) -> Hashable:
    if isinstance(value, tuple):
        return tuple(_typed(item) for item in value)
    return type(value).__name__, repr(value) if type(value) is float else value


def _plain(value: Any) -> Any:
    """NumPy scalars as Python numbers, lists as tuples."""
    if isinstance(value, list | tuple):
        return tuple(_plain(item) for item in value)
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        return value.item()
    return value
