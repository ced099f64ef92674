"""What to say where a buffer is expected and something else came.

In: the thing, and the argument that it was given for. Out: a LaunchError that says what to write.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from treadle.errors import BufferFreed, LaunchError
from treadle.runtime.command import Command
from treadle.runtime.request import Submittable

__all__ = ["each_of", "freed", "mistold", "no_kernel", "no_params", "no_work", "refusal"]

_OF_BUFFERS = (
    "shape dtype size ndim num_elements to_numpy read read_binary read_list read_async write "
    "reshape astype item tolist copy sum mean min max T ready valid free __array__"
).split()


def refusal(value: Any, argument: str) -> LaunchError:
    """Return the error for a value that is no buffer."""
    return LaunchError(f"{argument}: expected a Buffer, got {_instead(value)}")


def _instead(value: Any) -> str:
    kind = type(value).__name__
    if isinstance(value, Command):
        return (
            f"the Command of {value.kernel!r}; write `command.output` (the work is ordered by the "
            "buffer, nothing waits) or `await command`"
        )
    if inspect.iscoroutine(value):
        called = value.__name__
        value.close()  # else Python warns, of a call that is named here already
        return f"a coroutine; write `await {called}(...)`"
    if isinstance(value, Submittable):
        return f"the pipeline {getattr(value, 'name', kind)!r}; write `pipeline.run()`"
    if getattr(value, "definition", None) is not None:
        return f"the pipeline {value.name!r}; call it with its inputs"
    if hasattr(value, "parameters") and hasattr(value, "bind"):
        return f"the kernel {value.name!r}; run it first: `treadle.run_kernel({value.name}, ...)`"
    if isinstance(value, str) or value is None:
        return f"{value!r:.40}; make one with treadle.buffer(...)"
    return f"{kind}; make one with treadle.buffer(...), or call treadle.ops, which takes arrays"


def no_kernel(value: Any) -> LaunchError:
    """Return the error for what is given in place of a kernel."""
    hint = ""
    if inspect.ismethod(value):
        hint = "; a method cannot be a kernel: write a function beside the class, with a decorator"
    elif inspect.isfunction(value):
        hint = f"; decorate {value.__name__} with @treadle.pointwise or @treadle.kernel"
    return LaunchError(
        "kernel: expected a name, a kernel made by a decorator or a pipeline, "
        f"got {value!r:.80}{hint}"
    )


class _OfBuffer:
    """What a buffer has and a command has not: asking for it says that the caller did not await.

    With `__getattr__` every look at a command's own attributes would take several times as long."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, command: Any, owner: type) -> NoReturn:
        name = self._name
        raise AttributeError(
            f"a Command has no {name!r}; write `(await command).{name}` or `command.output.{name}`",
            name=name,
        )


for _name in _OF_BUFFERS:  # where type checkers do not see it: they are to complain
    setattr(Command, _name, _OfBuffer(_name))


def freed(buffer: Any, argument: str) -> BufferFreed:
    """Return the error for a buffer that was freed."""
    return BufferFreed(f"{argument}: {buffer!r} was used after free()")


def mistold(name: str, told: Iterable[Any], given: Iterable[Any]) -> LaunchError:
    """Return the error for a kernel that does not give what it was declared to give."""
    return LaunchError(
        f"kernel {name!r} says that it gives {', '.join(map(str, told))}, but its function gives "
        f"{', '.join(map(str, given))}; correct `results`"
    )


def no_params(given: Any) -> LaunchError:
    """Return the error for what is given in place of parameters."""
    return LaunchError(
        f"params: expected a mapping from names to values, got {given!r:.80}; write "
        '{"axis": 0}, or axis=0 where keywords can be given'
    )


def each_of(specs: Any) -> Iterable[Any]:
    """Return what submit_many was given, if it can be several."""
    if isinstance(specs, (str, Mapping, Submittable)) or not isinstance(specs, Iterable):
        raise LaunchError(
            f"specs: expected several of what submit takes, got {specs!r:.80}; put it into a list"
        )
    return specs


def no_work(spec: Any) -> LaunchError:
    """Return the error for what is given in place of something to submit."""
    return LaunchError(
        "expected a tuple (kernel, inputs, output, params), a mapping or a pipeline, "
        f"got {spec!r:.80}"
    )
