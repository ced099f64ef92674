"""Stages as plain values, to keep and to take back: lists, strings and numbers, as JSON has them.

In: stages over slots, or such values from an untrusted place. Out: the one from the other. Each
field of each node has a kind, which writes it and reads it; what does not look as it should is a
ValueError. Knows no files, and whether a kernel makes sense is verify's to say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from treadle.dtypes import DType
from treadle.ir import nodes
from treadle.ir.bound import Spec, Stage
from treadle.ir.nodes import Kernel
from treadle.ir.repeat import Loop
from treadle.ir.sizes import OPERATIONS, QUESTIONS, Size, Tape, fill_text

__all__ = [
    "fill_plain",
    "read_kernel",
    "read_loop",
    "read_size",
    "read_spec",
    "read_stage",
    "read_tape",
    "write_kernel",
    "write_loop",
    "write_size",
    "write_spec",
    "write_stage",
    "write_tape",
]


class _Kind(NamedTuple):
    """How a field is written, and how it is read; None: as it is."""

    write: Callable[[Any], Any] | None
    read: Callable[[Any], Any]


def _leaf(*types: type) -> _Kind:
    def read(value: Any) -> Any:
        if type(value) not in types:
            raise ValueError(f"expected {types[0].__name__}, got {value!r}")
        return value

    return _Kind(None, read)


def _name(value: Any) -> Any:
    # Names go into generated text.
    if type(value) is not str or not value.isidentifier():
        raise ValueError(f"expected a name, got {value!r}")
    return value


def _label(value: Any) -> Any:
    if type(value) is not str or not value.isprintable():
        raise ValueError(f"expected a label, got {value!r}")
    return value


def _dim(value: Any) -> Any:
    if type(value) is int and value >= 0:
        return value
    return _name(value)


_DTYPES = {dtype.value: dtype for dtype in DType}


def _dtype(value: Any) -> DType:
    found = _DTYPES.get(value) if type(value) is str else None
    if found is None:
        raise ValueError(f"expected a dtype, got {value!r}")
    return found


def _many(kind: _Kind) -> _Kind:
    each, back = kind

    def write(value: Any) -> Any:
        return [each(item) for item in value]  # type: ignore[misc]

    def read(value: Any) -> Any:
        if type(value) is not list:
            raise ValueError(f"expected a list, got {value!r}")
        return tuple([back(item) for item in value])

    return _Kind(list if each is None else write, read)


def _maybe(kind: _Kind) -> _Kind:
    each, back = kind

    def write(value: Any) -> Any:
        return None if value is None else each(value)  # type: ignore[misc]

    return _Kind(
        None if each is None else write, lambda value: None if value is None else back(value)
    )


def _one_of(*names: str) -> _Kind:
    """A node of one of these classes; its list begins with the class's name."""

    def read(value: Any) -> Any:
        if type(value) is not list or not value or value[0] not in names:
            raise ValueError(f"expected one of {', '.join(names)}, got {value!r}")
        make, _, readers = _CLASSES[value[0]]
        fields = zip(readers, value[1:], strict=True)
        return make(*[reader(field) for reader, field in fields])

    return _Kind(_write, read)


def _write(node: Any) -> list[Any]:
    name = type(node).__name__
    made: list[Any] = [name]
    for field, write in _CLASSES[name][1]:
        value = getattr(node, field)
        made.append(value if write is None else write(value))
    return made


_EXPR = _one_of("Const", "Param", "Axis", "Extent", "Local", "Load", "Op", "Cast")
_STMT = _one_of("Assign", "If", "For", "While", "RowLet", "RowFold")
_CONST, _LOCAL, _PARAM = _one_of("Const"), _one_of("Local"), _one_of("Param")
_BLOCK, _SPAN, _TENSOR, _KERNEL = map(_one_of, ("Block", "Span", "Tensor", "Kernel"))
_FORM = _one_of("Map", "Reduce", "Row", "Scan", "Chain")
_INT, _FLAG, _NUMBER = _leaf(int), _leaf(bool), _leaf(float, int, bool)
_NAME, _TYPE, _DIM = _Kind(None, _name), _Kind(None, _dtype), _Kind(None, _dim)
_TEXT = _Kind(None, _label)
_BODY = _many(_STMT)

_FIELDS: dict[type, tuple[_Kind, ...]] = {
    nodes.Const: (_NUMBER, _TYPE),
    nodes.Param: (_NAME, _TYPE),
    nodes.Axis: (_INT, _TYPE),
    nodes.Extent: (_DIM, _TYPE),
    nodes.Local: (_NAME, _TYPE),
    nodes.Load: (_NAME, _many(_EXPR), _TYPE, _many(_FLAG)),
    nodes.Op: (_NAME, _many(_EXPR), _TYPE),
    nodes.Cast: (_EXPR, _TYPE),
    nodes.Assign: (_NAME, _EXPR),
    nodes.If: (_EXPR, _BODY, _BODY),
    nodes.For: (_NAME, _EXPR, _EXPR, _INT, _BODY, _FLAG),
    nodes.While: (_EXPR, _BODY, _INT, _BODY),
    nodes.RowLet: (_NAME, _EXPR),
    nodes.RowFold: (_NAME, _NAME, _EXPR),
    nodes.Block: (_many(_LOCAL), _BODY, _many(_EXPR)),
    nodes.Map: (_BLOCK,),
    nodes.Reduce: (_many(_INT), _many(_CONST), _BLOCK, _BLOCK, _BLOCK),
    nodes.Row: (_INT, _BLOCK, _FLAG),
    nodes.Scan: (_INT, _many(_CONST), _BLOCK, _maybe(_BLOCK)),
    nodes.Span: (_maybe(_INT), _INT, _INT),
    nodes.Chain: (_many(_KERNEL), _INT, _many(_many(_maybe(_many(_maybe(_SPAN)))))),
    nodes.Tensor: (_NAME, _TYPE, _many(_DIM)),
    nodes.Kernel: (
        _TEXT,
        _many(_DIM),
        _many(_TENSOR),
        _many(_TENSOR),
        _many(_PARAM),
        _FORM,
        _maybe(_TEXT),
        _FLAG,
    ),
    Spec: (_many(_INT), _TYPE),
}
# By name: the class, what writes each field, what reads it.
_CLASSES: dict[str, tuple[type, list[tuple[str, Any]], list[Callable[[Any], Any]]]] = {
    made.__name__: (
        made,
        list(zip(made.__dataclass_fields__, [k.write for k in kinds], strict=True)),  # type: ignore[attr-defined]
        [kind.read for kind in kinds],
    )
    for made, kinds in _FIELDS.items()
}
_SPEC = _one_of("Spec")
_INTS, _NUMBERS = _many(_INT), _maybe(_many(_NUMBER))


def write_kernel(kernel: Kernel) -> list[Any]:
    """Return a kernel as plain values."""
    return _write(kernel)


def read_kernel(value: Any) -> Kernel:
    """Return the kernel that values stand for; raise ValueError."""
    kernel: Kernel = _KERNEL.read(value)
    return kernel


def write_spec(spec: Spec) -> list[Any]:
    """Return a spec as plain values."""
    return _write(spec)


def read_spec(value: Any) -> Spec:
    """Return the spec that values stand for; raise ValueError."""
    spec: Spec = _SPEC.read(value)
    return spec


def write_stage(stage: Stage, kernel: int) -> list[Any]:
    """Return a stage as plain values, its kernel as a number that the caller knows."""
    return [kernel, stage.reads, stage.writes, stage.dims, stage.picks, stage.fixed, stage.grows]


def read_stage(value: Any, kernels: Sequence[Kernel]) -> Stage:
    """Return the stage that values stand for, over these kernels; raise ValueError."""
    if type(value) is not list or len(value) != 7:
        raise ValueError(f"expected a stage, got {value!r}")
    number, *slots, fixed, grows = value
    if type(number) is not int or not 0 <= number < len(kernels):
        raise ValueError(f"expected one of {len(kernels)} kernels, got {number!r}")
    reads, writes, dims, picks = map(_INTS.read, slots)
    growing = _many(_NUMBER).read(grows)
    return Stage(kernels[number], reads, writes, dims, picks, _NUMBERS.read(fixed), growing)


def write_loop(loop: Loop) -> list[Any]:
    """Return a loop as plain values."""
    return [loop.first, loop.last, loop.count, loop.carried]


def read_loop(value: Any) -> Loop:
    """Return the loop that values stand for; raise ValueError."""
    if type(value) is not list or len(value) != 4:
        raise ValueError(f"expected a loop, got {value!r}")
    first, last, count = map(_INT.read, value[:3])
    carried = _many(_INTS).read(value[3])
    if any(len(trio) != 3 for trio in carried):
        raise ValueError(f"expected three slots each, got {carried!r}")
    return Loop(first, last, count, carried)


def write_tape(tape: Tape) -> list[Any]:
    """Return a tape that has ended as plain values; raise ValueError where it calls functions."""
    for name, *_ in tape.nodes:
        if name not in OPERATIONS and name not in ("given", "constant"):
            raise ValueError(f"{name} is not written down")
    made = [[name, _write_number(a) if name == "constant" else a, b] for name, a, b in tape.nodes]
    guards = [[*guard, held] for guard, held in tape.guards.items()]
    return [list(tape.given), made, guards]


def read_tape(value: Any) -> Tape:
    """Return the tape that values stand for; raise ValueError."""
    given, written, guards = value
    tape = Tape(_many(_NUMBER).read(given))
    for at, (name, a, b) in enumerate(written):
        if at < tape.count:
            expected = ["given", at, None]
            if [name, a, b] != expected:
                raise ValueError(f"expected {expected}, got {[name, a, b]}")
        elif name == "constant" and b is None:
            _same_place(tape.constant(_read_number(a)), at)
        elif name in OPERATIONS:
            _same_place(tape.node(name, _node(a, at), _node(b, at)), at)
        else:
            raise ValueError(f"expected an operation, got {name!r}")
    for name, a, b, held in guards:
        if name not in QUESTIONS:
            raise ValueError(f"expected a question, got {name!r}")
        pair = _node(a, len(tape.nodes)), _node(b, len(tape.nodes))
        tape.guards[name, *pair] = _FLAG.read(held)
    tape.end()
    return tape


def _node(value: Any, count: int) -> int:
    if type(value) is not int or not 0 <= value < count:
        raise ValueError(f"expected one of {count} numbers, got {value!r}")
    return value


def _same_place(found: int, at: int) -> None:
    if found != at:
        raise ValueError(f"node {at} is there twice")


def _write_number(value: Any) -> Any:
    return ["/", value.numerator, value.denominator] if isinstance(value, Fraction) else value


def _read_number(value: Any) -> Any:
    if type(value) is list and len(value) == 3 and value[0] == "/":
        above, below = _INT.read(value[1]), _INT.read(value[2])
        if below < 1:
            raise ValueError(f"expected a fraction, got {value!r}")
        return Fraction(above, below)
    return _maybe(_NUMBER).read(value)


def write_size(value: Any) -> dict[str, int]:
    """Return a Size as a plain value; for json.dumps, which meets it among numbers."""
    if type(value) is not Size:
        raise TypeError(f"{type(value).__name__} is not written down")
    return {"size": value.node}


def fill_plain(value: Any, values: Sequence[Any]) -> Any:
    """Put numbers in place of Sizes, in plain values."""
    if type(value) is list:
        return [fill_plain(item, values) for item in value]
    if type(value) is dict:
        return values[_size(value, len(values))]
    return fill_text(value, values) if type(value) is str else value


def read_size(value: Any, tape: Tape) -> Any:
    """Return the Size that a plain value stands for, or what else it is."""
    if type(value) is not dict:
        return value
    return Size(tape, _size(value, len(tape.nodes)), None)


def _size(value: dict[str, Any], count: int) -> int:
    if list(value) != ["size"]:
        raise ValueError(f"expected a size, got {value!r}")
    return _node(value["size"], count)
