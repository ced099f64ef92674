"""The standard library's dataclass, quicker to define: methods are made when they are first needed.

In: a class. Out: the slotted dataclass that `dataclasses.dataclass` makes of it. That writes six
methods as text and compiles each, a quarter of a millisecond for a frozen class, whether or not
they are ever called; a process that runs a kernel defines a hundred such classes. Here the
constructor, `==` and `hash` are compiled by their first call, and what needs no text of its own is
shared by all classes. An instance of a frozen class is made in two thirds of the time, too, because
its fields are set through their slots. Fields, `replace` and the rest stay the library's.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass", "make_methods"]


def _make_init(cls: Any) -> Callable[..., None]:
    """Compile a class's constructor."""
    names: dict[str, Any] = {"_missing_": dataclasses.MISSING}
    given, by_name, body = ["self"], ["*"], []
    for field in dataclasses.fields(cls):
        name = value = field.name
        taken = by_name if field.kw_only else given
        names[f"_set_{name}_"] = getattr(cls, name).__set__
        if field.default_factory is not dataclasses.MISSING:
            names[f"_make_{name}_"] = field.default_factory
            taken.append(f"{name}=_missing_")
            value = f"_make_{name}_() if {name} is _missing_ else {name}"
        elif field.default is not dataclasses.MISSING:
            names[f"_default_{name}_"] = field.default
            taken.append(f"{name}=_default_{name}_")
        else:
            taken.append(name)
        body.append(f"_set_{name}_(self, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    if len(by_name) > 1:
        given += by_name
    return _compiled(cls, "__init__", given, body or ["pass"], names)


def _make_eq(cls: Any) -> Callable[..., Any]:
    """Compile a class's comparison."""
    compared = [field.name for field in dataclasses.fields(cls) if field.compare]
    pairs = [f"({''.join(f'{which}.{name}, ' for name in compared)})" for which in "ab"]
    body = ["if a.__class__ is not b.__class__:", "    return NotImplemented"]
    return _compiled(cls, "__eq__", ["a", "b"], [*body, f"return {' == '.join(pairs)}"], {})


def _make_hash(cls: Any) -> Callable[..., int]:
    """Compile a class's hash: that of what is compared."""
    compared = "".join(f"self.{field.name}, " for field in dataclasses.fields(cls) if field.compare)
    return _compiled(cls, "__hash__", ["self"], [f"return hash(({compared}))"], {})


def _compiled(
    cls: Any, name: str, given: list[str], body: list[str], names: dict[str, Any]
) -> Callable[..., Any]:
    lines = "\n".join(f"    {line}" for line in body)
    exec(f"def {name}({', '.join(given)}):\n{lines}", names)  # our classes' own field names
    made: Callable[..., Any] = names.pop(name)
    made.__qualname__ = f"{cls.__qualname__}.{name}"
    made.__module__ = cls.__module__
    return made


def _when_called(cls: Any, name: str, make: Callable[[Any], Callable[..., Any]]) -> None:
    """Give a class a method that is made by its first call."""

    def first(*args: Any, **named: Any) -> Any:
        made = make(cls)
        setattr(cls, name, made)  # two threads may both do so, and make the same
        return made(*args, **named)

    first.__name__, first.__qualname__ = name, f"{cls.__qualname__}.{name}"
    first.make = make  # type: ignore[attr-defined]
    setattr(cls, name, first)


def make_methods(*classes: type) -> None:
    """Compile the methods of classes now: not in a call that has no time, as a submit has."""
    for cls in classes:
        for name, method in list(vars(cls).items()):
            make = getattr(method, "make", None)
            if make is not None:
                setattr(cls, name, make(cls))


# What needs no text of its own.


def _repr(self: Any) -> str:
    shown = [f for f in dataclasses.fields(self) if f.repr]
    listed = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in shown)
    return f"{type(self).__qualname__}({listed})"


def _refuse_set(self: Any, name: str, value: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


_FROZEN: dict[str, Any] = {
    "__setattr__": _refuse_set,
    "__delattr__": _refuse_delete,
    "__getstate__": _state,
    "__setstate__": _set_state,
}


def _dataclass(*, slots: bool, frozen: bool = False, eq: bool = True, repr: bool = True) -> Any:
    assert slots  # through which the constructor sets the fields

    def finish(cls: Any) -> Any:
        own = cls.__dict__
        if cls.__doc__ is None:
            cls.__doc__ = cls.__name__  # else the library has inspect make one: 1.5 ms
        made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
        for name, method in _FROZEN.items() if frozen else ():
            setattr(made, name, method)
        if "__init__" not in own:
            _when_called(made, "__init__", _make_init)
        if eq and "__eq__" not in own:
            _when_called(made, "__eq__", _make_eq)
        if eq and own.get("__hash__") is None:  # Python puts None there beside an __eq__
            if frozen:
                _when_called(made, "__hash__", _make_hash)
            else:
                made.__hash__ = None
        if repr and "__repr__" not in own:
            made.__repr__ = _repr
        return made

    return finish


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    dataclass = _dataclass
