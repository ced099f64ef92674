"""Element types: what each is in memory, what kernels compute it in, and how types combine.

In: names and NumPy dtypes. Out: DType members, and the facts about them, from one table. Knows
nothing about devices; which of these a device has is its Limits' business.

Types narrower than 32 bits are storage: kernels read them as the next wider type and compute in
that; what is stored is rounded to the nearest value that the type holds, and integers saturate.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from treadle.bfloat import bfloat_dtype
from treadle.errors import LaunchError, suggest

__all__ = ["DType", "as_dtype", "promote", "read_as"]


class DType(StrEnum):
    """An element type; prints as its short name, and equals that and NumPy's name of it."""

    F32 = "f32"
    F64 = "f64"
    S32 = "s32"
    S64 = "s64"
    U32 = "u32"
    U8 = "u8"
    S8 = "s8"
    S16 = "s16"
    U16 = "u16"
    F16 = "f16"
    BF16 = "bf16"
    C64 = "c64"  # a pair of f32, which operators of buffers know; kernels compute with real numbers
    BOOL = "bool"  # a condition: a byte in memory, true where it is not 0
    FIXED = "fixed16"  # fixed point, between the stages of a kernel; no buffer has it

    @property
    def numpy(self) -> np.dtype[Any]:
        """The NumPy dtype of the same layout."""
        return bfloat_dtype() if self is DType.BF16 else _NUMPY[self]

    @property
    def size(self) -> int:
        """Bytes of one element."""
        return _SIZE[self]

    @property
    def is_float(self) -> bool:
        """Whether values are floating point."""
        return _FACTS[self].kind == "float"

    @property
    def is_integer(self) -> bool:
        """Whether values are integers (a condition is not)."""
        return _FACTS[self].kind in ("signed", "unsigned")

    @property
    def is_signed(self) -> bool:
        """Whether values are integers that may be below 0."""
        return _FACTS[self].kind == "signed"

    @property
    def is_narrow(self) -> bool:
        """Whether it is a type of storage, which kernels compute a wider type of."""
        return _READ_AS[self] is not self

    @property
    def limits(self) -> tuple[int, int]:
        """The smallest and the largest value of an integer type."""
        bits = 8 * self.size
        return (-(1 << bits - 1), (1 << bits - 1) - 1) if self.is_signed else (0, (1 << bits) - 1)

    @property
    def c(self) -> str:
        """What an element in memory is in C; a float that C has no word for is its bits."""
        return _FACTS[self].c

    @property
    def llvm(self) -> str:
        """What an element in memory is in LLVM; a float that not every CPU has is its bits."""
        return _FACTS[self].llvm

    @property
    def wgsl(self) -> str:
        """What an array in memory is made of in WGSL; elements narrower than a word share one."""
        return _FACTS[self].wgsl

    def __repr__(self) -> str:
        return str(self)

    # As NumPy's dtypes, it equals a name under which no dict would find it. Code for arrays of any
    # library asks a dtype that is a str whether it is "float32".

    def __eq__(self, other: object) -> bool:
        if self is other or isinstance(other, DType):
            return self is other  # two may have one NumPy name
        return str.__eq__(self, other) is True or other == _FACTS[self].numpy

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__


class _Facts(NamedTuple):
    """One row of the table."""

    numpy: str
    kind: str
    read: str  # what a read gives
    c: str
    llvm: str
    wgsl: str


_FACTS: dict[DType, _Facts] = {
    DType(name): _Facts(*facts)
    for name, *facts in (
        ("f32", "float32", "float", "f32", "float", "float", "f32"),
        ("f64", "float64", "float", "f64", "double", "double", "f64"),
        ("s32", "int32", "signed", "s32", "int", "i32", "i32"),
        ("s64", "int64", "signed", "s64", "long long", "i64", "i64"),
        ("u32", "uint32", "unsigned", "u32", "unsigned int", "i32", "u32"),
        ("u8", "uint8", "unsigned", "s32", "unsigned char", "i8", "u32"),
        ("s8", "int8", "signed", "s32", "signed char", "i8", "u32"),
        ("s16", "int16", "signed", "s32", "short", "i16", "u32"),
        ("u16", "uint16", "unsigned", "s32", "unsigned short", "i16", "u32"),
        ("f16", "float16", "float", "f32", "unsigned short", "i16", "u32"),
        ("bf16", "V2", "float", "f32", "unsigned short", "i16", "u32"),
        ("c64", "complex64", "complex", "c64", "float2", "i64", "u32"),
        ("bool", "bool", "condition", "bool", "unsigned char", "i8", "u32"),
        ("fixed16", "int16", "signed", "fixed16", "short", "i16", "u32"),
    )
}
_NUMPY: dict[DType, np.dtype[Any]] = {
    dtype: np.dtype(facts.numpy) for dtype, facts in _FACTS.items()
}
_SIZE = {dtype: known.itemsize for dtype, known in _NUMPY.items()}
_READ_AS = {dtype: DType(facts.read) for dtype, facts in _FACTS.items()}
# What kernels read and write.
STORED = tuple(dtype for dtype in DType if dtype not in {DType.FIXED, DType.C64})
_BY_NUMPY = {_NUMPY[dtype]: dtype for dtype in (*STORED, DType.C64) if dtype is not DType.BF16}

_INTEGER_PAIRS = {
    frozenset({DType.S32, DType.S64}): DType.S64,
    frozenset({DType.U32, DType.S64}): DType.S64,
    frozenset({DType.S32, DType.U32}): DType.S64,
}


def as_dtype(value: object) -> DType:
    """Return the DType that a name, a DType or a NumPy dtype stands for."""
    if isinstance(value, DType):
        return value
    if isinstance(value, np.dtype) and value in _BY_NUMPY:  # most often, and quicker than below
        return _BY_NUMPY[value]
    if isinstance(value, str):
        try:
            found = DType(value)
        except ValueError:
            pass
        else:
            if found is not DType.FIXED:
                return found
    if value == "bfloat16":
        return DType.BF16
    try:
        if value is None:  # which NumPy takes for f64
            raise TypeError
        native = np.dtype(value)  # type: ignore[call-overload]
        if native.kind == "V" and native == bfloat_dtype():
            return DType.BF16
        return _BY_NUMPY[native.newbyteorder("=")]
    except (TypeError, KeyError):
        names = ", ".join(STORED)
        hint = _instead(value) or (suggest(value, STORED) if isinstance(value, str) else "")
        raise LaunchError(f"dtype: expected one of {names}, got {value!r}{hint}") from None


# What values of NumPy's other kinds fit in, by kind and size in bytes.
_INSTEAD = {
    "u8": "s64", "f16": "f64",
}  # fmt: skip
_NUMPY_NAMES = {"u64": "u8"}


def _instead(value: object) -> str:
    """What to write in place of a type that is not stored, or an empty string."""
    named: Any = _NUMPY_NAMES.get(value, value) if isinstance(value, str) else value
    try:
        known: np.dtype[Any] = np.dtype(named)
    except TypeError:
        return ""
    if known.kind == "c":
        return "; convert it first: x.astype(np.complex64), which is c64"
    found = _INSTEAD.get(f"{known.kind}{known.itemsize}")
    if found is None:
        return ""
    return f"; convert it first: x.astype(np.{DType(found).numpy}), which is {found}"


def read_as(dtype: DType) -> DType:
    """Return the type that a read of storage type `dtype` gives."""
    return _READ_AS[dtype]


@cache
def promote(a: DType, b: DType) -> DType:
    """Return the type that an operation on values of types `a` and `b` computes in.

    A float type wins over an integer type, the wider over the narrower; s32 with u32 gives s64;
    conditions count as s32."""
    a, b = _computed(a), _computed(b)
    if a is b or DType.C64 in (a, b):
        return a if a is b else DType.C64
    if a.is_float or b.is_float:
        return DType.F64 if DType.F64 in (a, b) else DType.F32
    return _INTEGER_PAIRS[frozenset({a, b})]


def _computed(dtype: DType) -> DType:
    """The type in which values that are read so are added."""
    return DType.S32 if dtype is DType.BOOL else _READ_AS[dtype]
