"""Vectors put together and taken apart, in LLVM's text.

In: values of one function. Out: values with more lanes, or fewer. What the lanes mean is not known
here.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.codegen.llvm.text import Value

__all__ = ["call_each", "halves", "join"]


def join(parts: Sequence[Value]) -> Value:
    """Lay vectors of the same lanes, or scalars, a power of two of them, one after the other."""
    found = list(parts)
    if len(found) > 1 and found[0].lanes == 1:  # scalars, which LLVM does not shuffle
        first = found[0]
        result = Value(first.function, "poison", first.type, len(found))
        for lane, part in enumerate(found):
            result = first.function.insert(result, part, lane)
        return result
    while len(found) > 1:
        lanes = 2 * found[0].lanes
        mask = ", ".join(f"i32 {i}" for i in range(lanes))
        found = [
            a.function.emit(
                f"shufflevector {a.text}, {b.text}, <{lanes} x i32> <{mask}>", a.type, lanes
            )
            for a, b in zip(found[::2], found[1::2], strict=True)
        ]
    return found[0]


def halves(value: Value) -> tuple[Value, Value]:
    """Split a vector into its lower and upper half; halves of two lanes are scalars."""
    f, half = value.function, value.lanes // 2
    if half == 1:
        low, high = (f.emit(f"extractelement {value.text}, i64 {i}", value.type) for i in (0, 1))
        return low, high
    low, high = (f.shuffle(value, range(at, at + half)) for at in (0, half))
    return low, high


def call_each(symbol: str, *args: Value) -> Value:
    """Call a scalar C function of one type, once for each lane."""
    f = args[0].function
    values = f.match(*args)
    first = values[0]
    signature = ", ".join([first.type] * len(values))
    f.module.declare(symbol, f"declare {first.type} @{symbol}({signature}) nounwind willreturn")
    f.module.external[symbol] = None
    call = f"call {first.type} @{symbol}"
    if first.lanes == 1:
        return f.emit(f"{call}({', '.join(v.text for v in values)})", first.type)
    result = Value(f, "poison", first.type, first.lanes)
    for lane in range(first.lanes):
        parts = [f.emit(f"extractelement {v.text}, i64 {lane}", v.type) for v in values]
        one = f.emit(f"{call}({', '.join(p.text for p in parts)})", first.type)
        result = f.insert(result, one, lane)
    return result
