"""Parcels: a batch, a result or a function as bytes, its arrays beside them.

In: any object. Out: a Parcel, whose arrays are the object's own memory, and the object again, whose
arrays are the parcel's memory or copies of it. What cannot be pickled is named as its owner would
look for it: the argument, the function and the variable that it captured. How a parcel travels is
not known here.
"""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from treadle.errors import ClusterError

__all__ = ["Dumps", "Parcel", "pack", "unpack"]

Dumps = Callable[..., bytes]  # pickle.dumps, or one that pickles functions by value

_DEEP = 3  # functions that capture functions: how far the culprit is looked for


@dataclass(frozen=True, slots=True)
class Parcel:
    """A pickled object; `parts` are its arrays' bytes, in the order of the pickle."""

    head: bytes
    parts: tuple[np.ndarray[Any, Any], ...] = ()

    @property
    def nbytes(self) -> int:
        """How many bytes travel."""
        return len(self.head) + sum(part.nbytes for part in self.parts)


def pack(value: Any, what: str, dumps: Dumps = pickle.dumps) -> Parcel:
    """Pickle an object without a copy of its arrays; ClusterError names what cannot be pickled.

    `what` is what the caller knows it by: an argument's name, "batch 3"."""
    buffers: list[pickle.PickleBuffer] = []
    try:
        head = dumps(value, protocol=5, buffer_callback=buffers.append)
    except Exception as error:
        raise ClusterError(_refused(value, what, error, dumps)) from error
    return Parcel(head, tuple([np.frombuffer(each.raw(), np.uint8) for each in buffers]))


def unpack(parcel: Parcel, *, copy: bool) -> Any:
    """Make the object again; its arrays are read-only looks into the parcel unless copied."""
    parts = [each.copy() for each in parcel.parts] if copy else parcel.parts
    return pickle.loads(parcel.head, buffers=parts)


def _refused(value: Any, what: str, error: Exception, dumps: Dumps) -> str:
    """One sentence on what cannot be sent, where it is, and why."""
    said = str(error).partition("\n")[0] or type(error).__name__
    text = f"{what} cannot be sent to a worker: {_named(value)}"
    found = _culprit(value, dumps, _DEEP)
    if found is not None:
        names, inner, reason = found
        text += f" holds {' in '.join(reversed(names))}, {_named(inner)}"
        said = reason
    return f"{text} ({said}); make it where it is used, in the function, or send what it is made of"


def _named(value: Any) -> str:
    code = getattr(value, "__code__", None)
    if code is not None:
        name = getattr(value, "__qualname__", "a function").rpartition("<locals>.")[2]
        return f"{name} ({code.co_filename}:{code.co_firstlineno})"
    kind = type(value)
    article = "an" if kind.__qualname__[:1].lower() in "aeiou" else "a"
    return f"{article} {kind.__module__}.{kind.__qualname__}".replace("builtins.", "")


def _culprit(value: Any, dumps: Dumps, deep: int) -> tuple[list[str], Any, str] | None:
    """The names that lead to the innermost part that cannot be pickled, that part, and why."""
    for name, part in _held(value) if deep else ():
        try:
            dumps(part, protocol=5, buffer_callback=lambda buffer: None)
        except Exception as error:
            inner = _culprit(part, dumps, deep - 1)
            if inner is not None:
                return [name, *inner[0]], inner[1], inner[2]
            return [name], part, str(error).partition("\n")[0] or type(error).__name__
    return None


def _held(value: Any) -> Iterator[tuple[str, Any]]:
    """The parts of an object that are pickled with it, by the names that its owner gave them."""
    if inspect.ismethod(value):
        yield "self", value.__self__
    elif inspect.isfunction(value):
        found = inspect.getclosurevars(value)
        yield from (
            (repr(name), part) for name, part in {**found.nonlocals, **found.globals}.items()
        )
        yield from ((f"the default of {n!r}", p) for n, p in (value.__kwdefaults__ or {}).items())
    elif isinstance(value, dict):
        yield from ((f"[{key!r}]", part) for key, part in value.items())
    elif isinstance(value, (tuple, list)):
        yield from ((f"[{place}]", part) for place, part in enumerate(value))
    elif hasattr(value, "func") and hasattr(value, "keywords"):  # functools.partial
        yield "its function", value.func
        yield from ((repr(name), part) for name, part in value.keywords.items())
    elif hasattr(value, "__dict__"):
        yield from ((f".{name}", part) for name, part in vars(value).items())
