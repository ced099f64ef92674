"""What a network takes and gives: named ports, with dimensions that are numbers or words.

In: what a runtime says of a network, and the specs of buffers. Out: ports; the specs of outputs
that follow from those of inputs, and one clear error where an input does not fit. Runs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.data import dataclass
from treadle.dtypes import DType
from treadle.errors import LaunchError, ModelError
from treadle.ir.bound import Spec

__all__ = ["ANY", "Port", "bind_sizes", "follow", "port"]

ANY = "?"  # a dimension of any size that has no name

# How buffers hold what networks compute with.
_TYPES = {
    "tensor(float)": DType.F32,
    "tensor(double)": DType.F64,
    "tensor(int32)": DType.S32,
    "tensor(int64)": DType.S64,
    "tensor(uint32)": DType.U32,
    "tensor(uint8)": DType.U8,
    "tensor(bool)": DType.BOOL,
    "tensor(float16)": DType.F16,
    "tensor(int8)": DType.S8,
    "tensor(int16)": DType.S16,
    "tensor(uint16)": DType.U16,
}

Sizes = dict[str, int]


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output of a model: its name, dtype and dimensions, some of them as words."""

    name: str
    dtype: DType
    shape: tuple[int | str, ...]

    @property
    def fixed(self) -> bool:
        """Whether every dimension is a number."""
        return all(isinstance(size, int) for size in self.shape)

    def __str__(self) -> str:
        return f"{self.name} {self.dtype}[{', '.join(map(str, self.shape))}]"


def port(model: str, what: str, name: str, kind: str, shape: Sequence[int | str | None]) -> Port:
    """Describe a port; raise ModelError for what a buffer cannot hold."""
    dtype = _TYPES.get(kind)
    if dtype is None:
        helped = (
            "leave it out with outputs=[...]"
            if what == "output"
            else "put a Cast in front of it when the network is exported"
        )
        raise ModelError(
            f"model {model!r}: {what} {name!r} is a {kind}, which no buffer holds "
            f"({', '.join(_TYPES)} can be); {helped}"
        )
    sizes = tuple([ANY if size is None or size == "" else size for size in shape])
    return Port(name, dtype, sizes)


def bind_sizes(model: str, ports: Sequence[Port], specs: Sequence[Spec]) -> Sizes:
    """Find the size that each word stands for; raise LaunchError where inputs do not fit."""
    sizes: Sizes = {}
    said: dict[str, str] = {}
    for each, spec in zip(ports, specs, strict=True):
        wrong = len(each.shape) != len(spec.shape)
        if not wrong:
            for wanted, size in zip(each.shape, spec.shape, strict=True):
                if isinstance(wanted, int):
                    wrong = wrong or bool(wanted != size)
                elif wanted != ANY:
                    if sizes.setdefault(wanted, size) != size:
                        raise LaunchError(
                            f"model {model!r}: {wanted} is {sizes[wanted]} in {said[wanted]!r} "
                            f"and {size} in {each.name!r}"
                        )
                    said.setdefault(wanted, each.name)
        if wrong:
            raise LaunchError(
                f"model {model!r}: input {each.name!r} must be {_shape(each)}, got "
                f"{list(spec.shape)}{_advice(each, spec)}"
            )
    return sizes


def _shape(each: Port) -> str:
    return f"[{', '.join(map(str, each.shape))}]"


def _advice(each: Port, spec: Spec) -> str:
    wanted, given = each.shape, spec.shape
    if len(wanted) == len(given) + 1:
        return "; add the batch dimension with x.reshape(1, ...)" if _fit(wanted[1:], given) else ""
    if not wanted or len(wanted) != len(given) or not isinstance(wanted[0], int):
        return ""
    if not _fit(wanted[1:], given[1:]):
        return ""
    return (
        f"; the network was exported for batches of {wanted[0]}: give it that many at a time, or "
        "export it with a dynamic first dimension"
    )


def _fit(wanted: Sequence[int | str], given: Sequence[int]) -> bool:
    pairs = zip(wanted, given, strict=True)
    return all(not isinstance(one, int) or bool(one == size) for one, size in pairs)


def follow(ports: Sequence[Port], sizes: Mapping[str, int]) -> tuple[Spec, ...] | None:
    """Return the specs of outputs where the sizes of inputs tell them; else None."""
    made = []
    for each in ports:
        shape = [size if isinstance(size, int) else sizes.get(size) for size in each.shape]
        if any([size is None for size in shape]):
            return None
        made.append(Spec(tuple([size for size in shape if size is not None]), each.dtype))
    return tuple(made)
