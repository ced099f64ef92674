"""What a stream computes: a kernel, something with submit(), or a function that submits commands.

In: what users give as `compute=`, and the buffers of a batch. Out: commands under way and the
results they will leave, or an awaitable that gives them. How buffers are filled and results brought
back is not known here.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol, runtime_checkable

from treadle.data import dataclass
from treadle.errors import LaunchError, QueueFull
from treadle.lang import registry as definitions
from treadle.lang.definition import Definition
from treadle.runtime.buffer import Buffer
from treadle.runtime.command import Command
from treadle.runtime.device import Device
from treadle.runtime.priority import Priority
from treadle.streaming.buffers import Slot, mapped

__all__ = ["Compute", "Started", "Submits", "compute_of", "started"]


@runtime_checkable
class Submits(Protocol):
    """Something that was recorded once and runs as one command; a pipeline is one."""

    def submit(self, *, bind: Mapping[str, Any]) -> Command:
        """Enqueue a run over the buffers bound to names, and return its command at once."""
        ...


@dataclass(slots=True)
class Started:
    """A batch's computation: its commands, its results, and whether only the batch holds those."""

    commands: list[Command]
    outputs: Any
    owned: bool = False


class Compute(Protocol):
    """A way to compute a batch; `opaque` if it may submit more than it tells."""

    @property
    def opaque(self) -> bool:
        """Whether commands have to be noted as they are submitted."""
        ...

    @property
    def direct(self) -> bool:
        """Whether it only submits: then it takes next to no time, on whatever thread."""
        ...

    @property
    def blocks(self) -> bool:
        """Whether `start` may take long: then it gets a thread of its own."""
        ...

    @property
    def alone(self) -> AbstractContextManager[Any]:
        """Held from a batch's start until its results are on their way, where those before and
        after it use the same buffers."""
        ...

    def start(self, value: Any, slot: Slot) -> Started | Awaitable[Any]:
        """Submit the computation of a batch whose arrays are buffers.

        What an awaitable gives is for `started` to read."""
        ...


def compute_of(
    compute: Any,
    device: Device,
    *,
    params: Mapping[str, Any] | None,
    priority: Priority | str | None,
    inputs: str | Sequence[str] | None,
    outputs: Mapping[str, Any] | None,
    retry: Callable[[], None],
) -> Compute:
    """Return the way to compute what `compute` says."""
    inner = getattr(compute, "definition", None)  # of a model, of a function made a pipeline
    if isinstance(inner, Definition) and not getattr(compute, "tolerance", 0.0):
        compute = inner
    if isinstance(compute, (str, Definition)):
        return KernelCompute(compute, device, dict(params or {}), priority, retry)
    if params:
        raise LaunchError("params: expected none, because compute is not a kernel")
    if isinstance(compute, Submits):
        return RecordedCompute(compute, device, inputs, dict(outputs or {}))
    if callable(compute):
        return FunctionCompute(compute)
    raise LaunchError(
        "compute: expected a kernel or its name, a pipeline, or a function that submits commands, "
        f"got {compute!r}"
    )


class KernelCompute:
    """One kernel, over the batch's arrays in their order or by the names of its inputs."""

    opaque = False
    direct = True
    blocks = False

    def __init__(
        self,
        kernel: str | Definition,
        device: Device,
        params: dict[str, Any],
        priority: Priority | str | None,
        retry: Callable[[], None],
    ) -> None:
        self._kernel = definitions.lookup(kernel) if isinstance(kernel, str) else kernel
        self._device = device
        self._params = params
        self._priority = priority
        self._retry = retry
        self._reuse = not device.limits.shared
        self.alone: AbstractContextManager[Any] = nullcontext()

    def start(self, value: Any, slot: Slot) -> Started:
        """Submit the kernel."""
        inputs = self._inputs(value)
        key = tuple([(each.shape, each.dtype) for each in inputs if type(each) is Buffer])
        known = slot.outputs.get(key) if self._reuse else None
        while True:
            try:
                command = self._device.submit(
                    self._kernel, inputs, known, self._params, priority=self._priority
                )
                break
            except QueueFull:
                self._retry()
        result: Any = command.output
        if self._reuse and known is None:
            slot.outputs = {key: list(result) if type(result) is tuple else result}
        return Started([command], result, owned=True)

    def _inputs(self, value: Any) -> list[Any]:
        if type(value) is tuple:
            return list(value)
        if type(value) is not dict:
            return [value]
        names = self._kernel.info().inputs
        if set(names) != set(value):
            raise LaunchError(
                f"kernel {self._kernel.name!r} takes {', '.join(names)}; "
                f"the batch has {', '.join(map(str, value))}"
            )
        return [value[name] for name in names]


class RecordedCompute:
    """Something recorded, with its buffers bound to the batch's by name."""

    opaque = True
    direct = True
    blocks = False

    def __init__(
        self,
        recorded: Submits,
        device: Device,
        inputs: str | Sequence[str] | None,
        outputs: dict[str, Any],
    ) -> None:
        self._recorded = recorded
        self._device = device
        self._inputs = (inputs,) if isinstance(inputs, str) else inputs
        self._outputs = outputs
        # Results that are not the batch's own are the next run's, too: no other may be submitted
        # before they are on their way.
        self.alone: AbstractContextManager[Any] = nullcontext() if outputs else threading.RLock()
        if "bind" not in inspect.signature(recorded.submit).parameters:
            raise LaunchError(
                f"compute: {recorded!r} has no submit(bind=), so that batches cannot reach it; "
                "expected a pipeline, or a function of the batch's buffers"
            )

    def start(self, value: Any, slot: Slot) -> Started:
        """Submit a run over the batch's buffers, and fresh ones for its results."""
        bound = self._named(value)
        results = {
            name: self._device.empty(*(spec if type(spec) is tuple else (spec.shape, spec.dtype)))
            for name, spec in self._outputs.items()
        }
        command = self._recorded.submit(bind={**bound, **results})
        if not results:
            return Started([command], command.output)
        only = next(iter(results.values())) if len(results) == 1 else results
        return Started([command], only, owned=True)

    def _named(self, value: Any) -> dict[str, Any]:
        if type(value) is dict:
            return value
        leaves = value if type(value) is tuple else (value,)
        if self._inputs is None or len(self._inputs) != len(leaves):
            raise LaunchError(
                f"inputs: expected the names of {len(leaves)} buffers of the pipeline, got "
                f"{self._inputs!r}; or have prepare return a dict with those names"
            )
        return dict(zip(self._inputs, leaves, strict=True))


class FunctionCompute:
    """A function of the batch's buffers that submits commands; it may be a coroutine function."""

    opaque = True
    direct = False

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.blocks = not _only_begins(function)
        self.alone: AbstractContextManager[Any] = nullcontext()

    def start(self, value: Any, slot: Slot) -> Started | Awaitable[Any]:
        """Call it: a tuple as its arguments, a dict as its keywords."""
        if type(value) is tuple:
            given = self._function(*value)
        elif type(value) is dict:
            given = self._function(**value)
        else:
            given = self._function(value)
        if isinstance(given, Awaitable) and not isinstance(given, Command):
            return given
        return started(given)


def _only_begins(function: Any) -> bool:
    """Whether a call only makes a coroutine, which an event loop runs."""
    made = inspect.iscoroutinefunction
    return made(function) or made(type(function).__call__)


def started(given: Any) -> Started:
    """Read what a function returned: commands, buffers, or anything else as it is."""
    if isinstance(given, list) and given and all(isinstance(each, Command) for each in given):
        outputs: Any = given[-1].output  # a list of commands: the last one's result counts
        return Started(list(given), outputs)
    commands: list[Command] = []

    def result(leaf: Any) -> Any:
        if not isinstance(leaf, Command):
            return leaf
        commands.append(leaf)
        return leaf.output

    return Started(commands, mapped(given, result))
