"""Whether an ONNX file says that parts of it lie in other files.

In: bytes from an untrusted place. Out: yes or no. It walks the few kinds of messages that can hold
tensors, by the rules of protocol buffers, and looks at nothing else; what it cannot walk counts as
yes. Needs no library, and opens nothing.
"""

from __future__ import annotations

__all__ = ["refers_outside"]

# By kind of message: which fields hold messages of which kind.
_INNER: dict[str, dict[int, str]] = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "function": {7: "node"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {},
}
_PLACE, _LOCATION = 13, 14  # of a tensor: where its data lies outside, and whether it does
_DEEPEST = 100  # messages inside each other, as protocol buffers themselves allow
_FIXED = {1: 8, 5: 4}  # bytes of a value, by wire type


def refers_outside(data: bytes) -> bool:
    """Return whether a network has tensors whose data lies in other files."""
    try:
        return _walk(memoryview(data), "model", 0)
    except (IndexError, ValueError):
        return True


def _walk(data: memoryview, kind: str, depth: int) -> bool:
    if depth > _DEEPEST:
        raise ValueError("too deep")
    inner = _INNER[kind]
    at, end = 0, len(data)
    while at < end:
        tag, at = _number(data, at)
        field, wire = tag >> 3, tag & 7
        if wire == 2:
            size, at = _number(data, at)
            if at + size > end:
                raise ValueError("cut off")
            if kind == "tensor" and field == _PLACE:
                return True
            found = inner.get(field)
            if found is not None and _walk(data[at : at + size], found, depth + 1):
                return True
            at += size
        elif wire == 0:
            value, at = _number(data, at)
            if kind == "tensor" and field == _LOCATION and value:
                return True
        else:
            at += _FIXED.get(wire, end + 1)
            if at > end:
                raise ValueError("cut off, or of a kind that is not used")
    return False


def _number(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("not a number")
