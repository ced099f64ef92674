"""One recorded stage, and the scratch that stages pass on: checked when it is added.

In: a kernel, what it reads and writes, parameters. Out: an Entry that is known to fit, with what
binds its kernel. Knows buffers by their layouts and places; it neither joins nor runs anything.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import Any, Protocol, runtime_checkable

from treadle.data import dataclass
from treadle.dtypes import DType
from treadle.errors import BufferFreed, LaunchError
from treadle.ir.bound import Bound, Spec
from treadle.lang import registry
from treadle.lang.definition import Definition
from treadle.runtime.buffer import Buffer
from treadle.runtime.memory import as_shape, layout
from treadle.runtime.plan import overlap
from treadle.runtime.prepared import Planner
from treadle.runtime.refusal import no_kernel, refusal

__all__ = [
    "Display",
    "Entry",
    "Operand",
    "RecordedStage",
    "Temp",
    "bind",
    "check",
    "checked_tolerance",
    "give_outputs",
    "lookup",
    "natural",
    "operands",
]


class Temp:
    """Scratch of a pipeline: only its stages write it and read it, and it may never exist."""

    __slots__ = ("_root", "_shape", "owner", "spec", "written")

    def __init__(
        self, owner: object, shape: tuple[int, ...], dtype: DType, root: Temp | None = None
    ) -> None:
        self.owner = owner
        self._root = root
        self._shape = shape
        self.spec = layout(shape, dtype).spec
        self.written = False

    @property
    def root(self) -> Temp:
        """The scratch that this is a view of, or itself."""
        return self if self._root is None else self._root

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes along each axis."""
        return self.spec.shape

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self.spec.dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.spec.shape)

    def reshape(self, *shape: Any) -> Temp:
        """Return the same scratch under another shape of as many elements."""
        sizes = as_shape(shape[0] if len(shape) == 1 else shape)
        view = Temp(self.owner, sizes, self.dtype, self.root)
        if view.spec.elements != self.spec.elements:
            raise LaunchError(
                f"shape: {sizes} holds {view.spec.elements} elements, but {self!r} has "
                f"{self.spec.elements}"
            )
        return view

    def __repr__(self) -> str:
        return f"<treadle scratch {self.spec}>"


Operand = Buffer | Temp


@runtime_checkable
class Display(Protocol):
    """What shows a buffer when a run has been submitted that writes it: a surface."""

    @property
    def closed(self) -> bool:
        """Whether it shows nothing any more."""
        ...

    def show(self, pixels: Any) -> Any:
        """Show a buffer, after the commands that write it; never waits."""
        ...


@dataclass(frozen=True, slots=True)
class RecordedStage:
    """One stage of a pipeline, as recorded; `dict(...)` of it is a mapping that `add` takes."""

    index: int
    op: str  # run_kernel, copy_buffer or barrier
    kernel: str  # its name; of the others, the op
    inputs: tuple[Operand, ...]
    outputs: tuple[Operand, ...]
    params: Mapping[str, Any]
    label: str | None = None

    @property
    def output(self) -> Any:
        """What it writes, a tuple where that is several, or None."""
        return self.outputs[0] if len(self.outputs) == 1 else self.outputs or None

    def keys(self) -> tuple[str, ...]:
        """The five keys of a stage's mapping."""
        return ("op", "kernel", "inputs", "output", "params")

    def __getitem__(self, key: str) -> Any:
        if key not in self.keys():
            raise KeyError(key)
        return None if key == "kernel" and self.op != "run_kernel" else getattr(self, key)

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.params.items())
        called = f"{self.kernel}({given})" if given else self.kernel
        return f"{called} [{self.label}]" if self.label else called


class Entry:
    """A stage with its kernel bound, or with what binds it once that is asked for: what joining
    needs."""

    __slots__ = (
        "_bind",
        "_bound",
        "definition",
        "display",
        "inputs",
        "key",
        "label",
        "natural",
        "op",
        "outputs",
        "params",
        "values",
    )

    def __init__(
        self,
        op: str,
        definition: Definition | None,  # None: a barrier
        params: dict[str, Any],
        key: Hashable,
        values: tuple[float, ...],
        inputs: tuple[Operand, ...],
        outputs: tuple[Operand, ...],
        label: str | None = None,
        bound: Bound | None = None,
        natural: bool = False,  # it is bound to what its kernel gives by itself
        display: Display | None = None,  # what shows its output
    ) -> None:
        self.display = display
        self.natural = natural
        self.op = op
        self.definition = definition
        self.params = params
        self.key = key
        self.values = values
        self.inputs = inputs
        self.outputs = outputs
        self.label = label
        self._bound = bound
        self._bind: Callable[[], Bound] | None = None

    @property
    def bound(self) -> Bound | None:
        """Its kernel, bound by the thread that asks for it first; of a barrier None."""
        if self._bound is None and self._bind is not None:
            self._bound = self._bind()
        return self._bound

    @property
    def is_bound(self) -> bool:
        """Whether its binding is there already."""
        return self._bound is not None or self.definition is None

    def take(self, bound: Bound | None) -> None:
        """Be bound to this."""
        self._bound, self._bind = bound, None

    def settle(self, planner: Planner, *, natural: bool = False) -> tuple[Spec, ...]:
        """Bind its kernel to what it reads and writes, or naturally: to what it reads, with outputs
        that the kernel says. Return the outputs' specs; raise what does not fit.

        What the kernel gives is known without lowering it if it ships: then the thread that plans
        binds it, unless its like was bound before."""
        assert self.definition is not None
        inputs, outputs = _bound_to(self)
        asked = self.definition, inputs, None if natural else outputs, self.key
        told = planner.foretell(*asked)
        self.natural = natural
        if told is None:
            bound = planner.bind(*asked, self.values)
            self.take(bound)
            return bound.outputs
        self._bound, self._bind = None, partial(planner.bind, *asked, self.values, told)
        return told

    def over(self, inputs: tuple[Operand, ...], outputs: tuple[Operand, ...]) -> Entry:
        """The same over other operands, with the binding that it has."""
        made = Entry(
            self.op,
            self.definition,
            self.params,
            self.key,
            self.values,
            inputs,
            outputs,
            self.label,
            self._bound,
            self.natural,
            self.display,
        )
        made._bind = self._bind
        return made

    @property
    def kernel(self) -> str:
        """What it runs."""
        if self.op != "run_kernel" or self.definition is None:
            return self.op
        return self.definition.name

    def record(self, index: int) -> RecordedStage:
        """What users see of it."""
        return RecordedStage(
            index,
            self.op,
            self.kernel,
            self.inputs,
            self.outputs,
            dict(self.params),
            self.label,
        )


def checked_tolerance(given: Any) -> float:
    """Return how many steps of a u8 output a pipeline may be off; raise for what is no number."""
    number = isinstance(given, int | float) and not isinstance(given, bool)
    if not number or not 0 <= given <= 255:
        raise LaunchError(
            f"tolerance: expected steps of a u8 output, from 0 (exact) to 255, got {given!r}"
        )
    return float(given)


def lookup(kernel: Any) -> Definition:
    """Return the definition that a name or a decorated function stands for."""
    found = registry.lookup(kernel) if isinstance(kernel, str) else kernel
    found = getattr(found, "definition", found)  # a function that was made a pipeline
    if not isinstance(found, Definition):
        raise no_kernel(kernel)
    return found


def operands(given: Any, argument: str, owner: Any, device: Any) -> tuple[Operand, ...]:
    """Check what a stage reads or writes: buffers of this device, scratch of this pipeline."""
    single = isinstance(given, Buffer | Temp) or not isinstance(given, list | tuple)
    items = (given,) if single else tuple(given)
    for item in items:
        if isinstance(item, Temp):
            if item.owner is not owner:
                raise LaunchError(f"{argument}: {item!r} belongs to another pipeline")
        elif not isinstance(item, Buffer):
            raise refusal(item, argument)
        elif item.device is not device:
            raise LaunchError(
                f"{argument}: {item!r} is on {item.device.name}, not on {device.name}, where "
                "this pipeline runs; copy it with `.to(device)`"
            )
        elif not item.valid:
            raise BufferFreed(f"{argument}: {item!r} was used after free()")
    return items


def spec_of(operand: Operand) -> Spec:
    """Shape and dtype of what a stage reads or writes."""
    return operand.spec if isinstance(operand, Temp) else operand._layout.spec


def check(entry: Entry) -> None:
    """Raise for scratch that is read too early, and for outputs that share memory."""
    for item in entry.inputs:
        if isinstance(item, Temp) and not item.root.written:
            raise LaunchError(f"inputs: {item!r} is read before any stage has written it")
    for k, first in enumerate(entry.outputs):
        for second in entry.outputs[k + 1 :]:
            if _same(first, second):
                raise LaunchError(f"output: {first!r} and {second!r} share memory")


def _bound_to(entry: Entry) -> tuple[tuple[Spec, ...], tuple[Spec, ...]]:
    """What an entry's kernel is bound to: the specs of what it reads, and of what it writes."""
    inputs = tuple([spec_of(item) for item in entry.inputs])
    outputs = tuple([spec_of(item) for item in entry.outputs])
    if entry.op == "copy_buffer":
        source, target = inputs[0], outputs[0]
        if source.dtype is not target.dtype or source.elements != target.elements:
            raise LaunchError(
                f"copy_buffer: expected an output like the input {source}, got {target}"
            )
        inputs = outputs = (Spec((source.elements,), source.dtype),)
    return inputs, outputs


def bind(entry: Entry, planner: Planner) -> Bound:
    """Bind an entry's kernel to what it reads and writes; raise what does not fit."""
    assert entry.definition is not None
    return planner.bind(entry.definition, *_bound_to(entry), entry.key, entry.values)


def natural(entry: Entry, planner: Planner) -> Bound:
    """Bind an entry's kernel to what it reads; the kernel says what its outputs are."""
    assert entry.definition is not None
    inputs = tuple(spec_of(item) for item in entry.inputs)
    return planner.bind(entry.definition, inputs, None, entry.key, entry.values)


def give_outputs(entry: Entry, owner: Any, device: Any, display: Display | None) -> None:
    """Give an entry what its kernel writes by itself: scratch, or a buffer that is displayed."""
    made = entry.settle(device.planner, natural=True)
    if display is None:
        entry.outputs = tuple(Temp(owner, spec.shape, spec.dtype) for spec in made)
    else:
        entry.outputs = tuple(device.empty(spec.shape, spec.dtype) for spec in made)
        entry.display = display


def _same(a: Operand, b: Operand) -> bool:
    if isinstance(a, Temp) or isinstance(b, Temp):
        return isinstance(a, Temp) and isinstance(b, Temp) and a.root is b.root
    return overlap(a, b)
