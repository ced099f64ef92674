"""Small networks for tests, as bytes of ONNX files, written in ONNX's own text form."""

from __future__ import annotations

import onnx.parser


def network(text: str, *, opset: int = 17) -> bytes:
    """The bytes of a network: `(float[N, 3] x) => (float[N, 3] y) { y = Relu(x) }`."""
    head = f'<ir_version: 8, opset_import: ["" : {opset}]> net'
    return onnx.parser.parse_model(f"{head} {text}").SerializeToString()


RELU = "(float[N, 3] x) => (float[N, 3] y) { y = Relu(x) }"
TWO = """(float[N, 3] a, float[N, 3] b) => (float[N, 3] total, float[N, 3] product)
    { total = Add(a, b) product = Mul(a, b) }"""
STATE = """(float[N, 2] x, float[N, 2] h) => (float[N, 2] y, float[N, 2] next)
    { next = Add(x, h) y = Neg(next) }"""
# Half as many columns: no word of the input tells how many that are.
HALVED = """(float[N, M] x) => (float[N, K] y)
    <int64[1] start = {0}, int64[1] stop = {9223372036854775807}, int64[1] axis = {1},
     int64[1] step = {2}> { y = Slice(x, start, stop, axis, step) }"""
# Fails for any input: the rows cannot be reshaped to seven columns.
FAILING = "(float[N, 3] x) => (float[N, 7] y) <int64[2] s = {-1, 7}> { y = Reshape(x, s) }"
