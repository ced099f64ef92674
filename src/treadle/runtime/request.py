"""What a mapping with "op" asks for: a stage or a command, as the documents write it.

In: a mapping as users give it. Out: a Request whose fields are those that its operation uses. A
mapping may have every key: those that its operation does not use are None or empty. Nothing is
looked up or launched here; submit and pipelines read requests alike.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Protocol, runtime_checkable

from treadle.data import dataclass
from treadle.errors import LaunchError, suggest
from treadle.lang.composite import Handle

__all__ = [
    "OPERATIONS",
    "Defined",
    "Request",
    "Submittable",
    "asked",
    "is_nothing",
    "recording",
    "request",
]

# By operation: the keys that it uses, besides "op".
OPERATIONS: dict[str, tuple[str, ...]] = {
    "run_kernel": ("kernel", "inputs", "output", "params", "label", "priority"),
    "copy_buffer": ("inputs", "output", "label", "priority"),
    "barrier": (),
    "run_pipeline": ("pipeline", "priority"),
}
_SPELLINGS = {"input": "inputs", "outputs": "output"}
_KEYS = ("op", "kernel", "inputs", "output", "params", "label", "priority", "pipeline")


@runtime_checkable
class Submittable(Protocol):
    """A pipeline, as far as submit needs to know it."""

    @property
    def stages(self) -> Any:
        """What was recorded."""
        ...

    def submit(self, *, priority: Any = None) -> Any:
        """Enqueue a run of it."""
        ...

    def submit_among(self, several: Any, priority: Any = None) -> Any:
        """Have a run of it enqueued with others, when all have been checked."""
        ...


class Defined(Protocol):
    """What stands for a kernel: a model, a function that was made a pipeline."""

    @property
    def definition(self) -> Any:
        """The kernel's definition."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Request:
    """One operation and what it is asked to work on; None where nothing was said."""

    op: str
    kernel: Any = None
    inputs: Any = None
    output: Any = None
    params: Any = None
    label: Any = None
    priority: Any = None
    pipeline: Any = None


def is_nothing(value: Any) -> bool:
    """Whether an argument was left out, or is empty."""
    return value is None or (isinstance(value, (tuple, list, Mapping)) and not value)


def asked(op: str, **given: Any) -> Request:
    """Return a request for an operation; raise for what it does not use but was given."""
    used = OPERATIONS[op]
    for key, value in given.items():
        if key not in used and not is_nothing(value):
            uses = f"; it uses {', '.join(used)}" if used else ""
            raise LaunchError(f"{op}: expected no {key}, or an empty one, got {value!r}{uses}")
    return Request(op, **{key: given[key] for key in used if key in given})


def request(spec: Mapping[str, Any], operations: Collection[str]) -> Request:
    """Read a mapping that asks for one of these operations, by default run_kernel."""
    op = spec.get("op", "run_kernel")
    if not isinstance(op, str) or op not in operations:
        names = ", ".join(operations)
        raise LaunchError(f"op: expected one of {names}, got {op!r}{suggest(str(op), operations)}")
    given: dict[str, Any] = {}
    for key, value in spec.items():
        name = _SPELLINGS.get(key, key)
        if name not in _KEYS:
            known = ", ".join(["op", *OPERATIONS[op]])
            hint = suggest(str(key), _KEYS)
            raise LaunchError(f"{op}: expected the keys {known}, got {key!r}{hint}")
        if name != "op" and value is not None:
            if name in given:
                raise LaunchError(f"{op}: {name!r} is given twice, as {key!r} too")
            given[name] = value
    found = asked(op, **given)
    if op == "run_kernel" and found.kernel is None:
        raise LaunchError("run_kernel: the key 'kernel' is missing")
    return found


def recording(inputs: Any) -> bool:
    """Whether these are inputs of a function that is being traced."""
    given = inputs if isinstance(inputs, (list, tuple)) else (inputs,)
    return any(isinstance(item, Handle) for item in given)
