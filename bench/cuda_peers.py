"""`python -m bench.cuda_peers [part of a name]`: every named kernel that torch has, beside it.

In: a part of the names; all without one. Out: a table of each kernel's time beside torch's on the
same GPU, at 16 million elements (or what takes about as long) and at 64 thousand, where the cost of
a call decides. What both give is compared before a figure is shown. Names that torch does not have
are listed below the table.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

import treadle
from bench.table import Bar, Figure, Row, as_text

__all__ = ["LARGE", "SMALL", "cases", "without_peer"]

LARGE, SMALL = 1 << 24, 1 << 16
BARS = {LARGE: Bar(0.95, least=True, ratio=True), SMALL: Bar(0.8, least=True, ratio=True)}
CALLS = 30
Peer = Callable[..., Any]  # takes torch and the tensors of the inputs


@dataclass(frozen=True, slots=True)
class Case:
    """A kernel over inputs, each a shape and what fills it, and what torch calls the same."""

    kernel: str
    inputs: tuple[tuple[tuple[int, ...], str], ...]
    peer: Peer
    params: dict[str, Any] = field(default_factory=dict)
    note: str = ""
    close: float = 1e-4  # relative to the largest number; whole numbers are equal


def _name(name: str, other: str = "") -> Peer:
    return lambda torch, *tensors: getattr(torch, other or name)(*tensors)


_SAME = (
    "abs acos acosh asin asinh atan atanh ceil cos cosh erf exp exp2 expm1 floor log log10 log1p "
    "log2 neg reciprocal round sigmoid sign sin sinh sqrt tan tanh trunc relu"
).split()
_FUNCTIONAL = "elu gelu mish selu silu softplus softsign".split()
_PAIRS = {
    "atan2": "atan2",
    "elementwise_add": "add",
    "elementwise_div": "div",
    "elementwise_mul": "mul",
    "elementwise_pow": "pow",
    "elementwise_sub": "sub",
    "equal": "eq",
    "floor_divide": "floor_divide",
    "fmod": "fmod",
    "greater": "gt",
    "greater_equal": "ge",
    "hypot": "hypot",
    "less": "lt",
    "less_equal": "le",
    "logaddexp": "logaddexp",
    "maximum": "maximum",
    "minimum": "minimum",
    "not_equal": "ne",
    "remainder": "remainder",
}
_WHOLE = {
    "bitwise_and": "bitwise_and",
    "bitwise_or": "bitwise_or",
    "bitwise_xor": "bitwise_xor",
}


def cases(count: int) -> Iterator[Case]:
    """The kernels that torch has, over about so many elements."""
    yield from _elements(count)
    yield from _folds(count)
    yield from _orders(count)
    yield from _moves(count)
    yield from _networks(count)
    yield from _vectors(count)


def _square(count: int) -> tuple[int, int]:
    side = math.isqrt(count)
    return side, side


def _elements(count: int) -> Iterator[Case]:
    x = _square(count)
    for name in _SAME:
        fill = {
            "acosh": "above 1",
            "log": "positive",
            "log2": "positive",
            "sqrt": "positive",
            "log10": "positive",
            "log1p": "positive",
            "acos": "unit",
            "asin": "unit",
            "atanh": "unit",
        }.get(name, "normal")
        yield Case(name, ((x, fill),), _name(name))
    for name in _FUNCTIONAL:
        peer: Peer = lambda t, a, name=name: getattr(t.nn.functional, name)(a)  # noqa: E731
        yield Case(name, ((x, "normal"),), peer, close=1e-3)
    for name, other in _PAIRS.items():
        fill = "positive" if name == "elementwise_pow" else "normal"
        yield Case(name, ((x, fill), (x, fill)), _name(name, other), close=1e-3)
    for name, other in _WHOLE.items():
        yield Case(name, ((x, "whole"), (x, "whole")), _name(name, other))
    yield Case(
        "clamp", ((x, "normal"),), lambda t, a: a.clamp(-0.5, 0.5), {"min": -0.5, "max": 0.5}
    )
    yield Case("pow", ((x, "positive"),), lambda t, a: a.pow(2.2), {"exponent": 2.2})
    yield Case("scalar_add", ((x, "normal"),), lambda t, a: a + 0.5, {"scalar": 0.5})
    yield Case("scalar_mul", ((x, "normal"),), lambda t, a: a * 0.5, {"scalar": 0.5})
    yield Case(
        "where",
        ((x, "byte"), (x, "normal"), (x, "normal")),
        lambda t, c, a, b: t.where(c != 0, a, b),
    )


def _folds(count: int) -> Iterator[Case]:
    square = _square(count)
    flat = (count,)
    for axis, what in ((0, "axis 0"), (1, "axis 1"), (None, "all")):
        shape = flat if axis is None else square
        at: dict[str, Any] = {} if axis is None else {"axis": axis}
        dims: dict[str, Any] = {} if axis is None else {"dim": axis}
        given = ((shape, "normal"),)
        for name, other in (
            ("reduce_sum", "sum"),
            ("reduce_mean", "mean"),
            ("reduce_prod", "prod"),
        ):
            peer: Peer = lambda t, a, other=other, dims=dims: getattr(t, other)(a, **dims)  # noqa: E731
            fill = ((shape, "about 1"),) if name == "reduce_prod" else given
            yield Case(name, fill, peer, at, what, 1e-3)
        for name, other in (("reduce_max", "amax"), ("reduce_min", "amin")):
            peer = lambda t, a, other=other, dims=dims: getattr(t, other)(a, **dims)  # noqa: E731
            yield Case(name, given, peer, at, what)
        for name in ("argmax", "argmin"):
            peer = lambda t, a, name=name, dims=dims: getattr(t, name)(a, **dims)  # noqa: E731
            yield Case(name, given, peer, at, what)
    wide = (max(count // 1024, 1), 1024)
    for shape, what in ((square, "rows"), (wide, "rows of 1,024")):
        given = ((shape, "normal"),)
        yield Case("softmax", given, lambda t, a: t.softmax(a, -1), note=what)
        yield Case("log_softmax", given, lambda t, a: t.log_softmax(a, -1), note=what)
        each = ((shape, "normal"), (shape[1:], "normal"), (shape[1:], "normal"))
        yield Case(
            "layer_norm",
            each,
            note=what,
            close=1e-3,
            peer=lambda t, a, s, b: t.nn.functional.layer_norm(a, a.shape[1:], s, b),
        )
        yield Case("normalize", given, lambda t, a: t.nn.functional.normalize(a, dim=-1), note=what)
    yield Case(
        "softmax", ((square, "normal"),), lambda t, a: t.softmax(a, 0), {"axis": 0}, "columns"
    )
    for name in ("cumsum", "cumprod"):
        fill = "normal" if name == "cumsum" else "about 1"
        for shape, axis, what in ((flat, 0, "all"), (square, 1, "rows"), (square, 0, "columns")):
            peer = lambda t, a, name=name, axis=axis: getattr(t, name)(a, axis)  # noqa: E731
            yield Case(name, ((shape, fill),), peer, {"axis": axis}, what, 1e-2)


def _orders(count: int) -> Iterator[Case]:
    square, flat = _square(count), (count,)
    for shape, what in ((flat, "all"), (square, "rows")):
        given = ((shape, "normal"),)
        yield Case("sort", given, lambda t, a: t.sort(a).values, note=what)
        yield Case("argsort", given, lambda t, a: t.sort(a, stable=True).indices, note=what)
    yield Case(
        "sort", ((square, "normal"),), lambda t, a: t.sort(a, 0).values, {"axis": 0}, "columns"
    )
    for k in (1, 10, 100, 1000):
        if k <= square[1]:
            peer: Peer = lambda t, a, k=k: t.topk(a, k)  # noqa: E731
            yield Case("top_k", ((square, "normal"),), peer, {"k": k}, f"{k} of rows")
            yield Case("top_k", ((flat, "normal"),), peer, {"k": k}, f"{k} of all")
    yield Case(
        "searchsorted",
        ((flat, "sorted"), (flat, "normal")),
        lambda t, a, v: t.searchsorted(a, v, out_int32=True),
    )


def _moves(count: int) -> Iterator[Case]:
    side, _ = square = _square(count)
    given = ((square, "normal"),)
    yield Case("transpose", given, lambda t, a: a.t().contiguous())
    cube = (64, side // 8, side // 8)
    yield Case(
        "transpose",
        ((cube, "normal"),),
        lambda t, a: a.permute(1, 2, 0).contiguous(),
        {"axes": (1, 2, 0)},
        "first axis last",
    )
    half = (side, side // 2)
    yield Case(
        "concat",
        ((half, "normal"), (half, "normal")),
        lambda t, a, b: t.cat([a, b], 1),
        {"axis": 1},
        "columns",
    )
    yield Case(
        "slice", given, lambda t, a: a[::2].contiguous(), {"starts": None, "steps": 2}, "[::2]"
    )
    yield Case("flip", (((side, side // 4, 4), "byte"),), lambda t, a: a.flip(1))
    yield Case("rotate90", (((side, side // 4, 4), "byte"),), lambda t, a: t.rot90(a, 1, (0, 1)))
    yield Case("tile", ((half, "normal"),), lambda t, a: a.repeat(1, 2), {"repeats": (1, 2)})
    yield Case("tril", given, lambda t, a: t.tril(a))
    yield Case("triu", given, lambda t, a: t.triu(a))
    yield Case(
        "pad",
        given,
        lambda t, a: t.nn.functional.pad(a, (1, 1, 1, 1)),
        {"amounts": ((1, 1), (1, 1))},
    )
    yield Case(
        "pad",
        (((1, 1, *square), "normal"),),
        lambda t, a: t.nn.functional.pad(a, (3, 3, 3, 3), "reflect"),
        {"amounts": ((0, 0), (0, 0), (3, 3), (3, 3)), "mode": "reflect"},
        "reflect",
    )
    yield Case(
        "split",
        given,
        lambda t, a: [p.contiguous() for p in a.chunk(2, 1)],
        {"parts": 2, "axis": 1},
    )
    yield Case(
        "gather",
        (square and (square, "normal"), ((side,), f"below {side}")),
        lambda t, a, i: t.index_select(a, 0, i),
        note="rows",
    )
    yield Case(
        "gather_elements",
        (given[0], (square, f"below {side}")),
        lambda t, a, i: t.gather(a, 1, i.long()),
        {"axis": 1},
    )
    yield Case(
        "gather_nd", (given[0], ((side, 1), f"below {side}")), lambda t, a, i: a[i[:, 0].long()]
    )
    few = (side, side // 4)
    yield Case(
        "scatter_elements",
        (given[0], (few, f"apart below {side}"), (few, "normal")),
        lambda t, a, i, u: t.scatter(a, 1, i.long(), u),
        {"axis": 1},
    )
    yield Case(
        "scatter_elements",
        (given[0], (few, f"below {side}"), (few, "normal")),
        lambda t, a, i, u: t.scatter_add(a, 1, i.long(), u),
        {"axis": 1, "reduction": "add"},
        "added",
        1e-3,
    )
    yield Case(
        "scatter_nd",
        (given[0], ((side // 4, 1), f"apart below {side}"), ((side // 4, side), "normal")),
        lambda t, a, i, u: a.index_copy(0, i[:, 0].long(), u),
    )


def _networks(count: int) -> Iterator[Case]:
    small = count < LARGE
    n = 1 if small else 16
    x = (n, 64, 32, 32) if small else (n, 64, 56, 56)
    f = lambda t: t.nn.functional  # noqa: E731
    for where, shape, weight, params in (
        ("3x3", x, (64, 64, 3, 3), {"padding": 1}),
        ("1x1", x, (256, 64, 1, 1), {}),
        ("3x3, stride 2", x, (128, 64, 3, 3), {"padding": 1, "stride": 2}),
        ("depthwise 3x3", x, (64, 1, 3, 3), {"padding": 1, "groups": 64}),
        ("7x7 of RGB, stride 2", (n, 3, 224, 224), (64, 3, 7, 7), {"padding": 3, "stride": 2}),
    ):
        peer: Peer = lambda t, a, w, params=params: f(t).conv2d(a, w, **params)  # noqa: E731
        yield Case("conv2d", ((shape, "normal"), (weight, "normal")), peer, params, where, 1e-3)
    yield Case(
        "conv_transpose",
        ((x, "normal"), ((64, 32, 2, 2), "normal")),
        lambda t, a, w: f(t).conv_transpose2d(a, w, stride=2),
        {"stride": 2},
        close=1e-3,
    )
    big = (n, 64, 64, 64) if small else (64, 64, 64, 64)
    given = ((big, "normal"),)
    yield Case("max_pool", given, lambda t, a: f(t).max_pool2d(a, 2), {"window": (2, 2)}, "2x2")
    yield Case(
        "max_pool",
        given,
        lambda t, a: f(t).max_pool2d(a, 3, 2, 1),
        {"window": (3, 3), "stride": 2, "padding": 1},
        "3x3, stride 2",
    )
    yield Case("average_pool", given, lambda t, a: f(t).avg_pool2d(a, 2), {"window": (2, 2)}, "2x2")
    yield Case("global_average_pool", given, lambda t, a: a.mean((2, 3), keepdim=True), close=1e-3)
    yield Case("global_max_pool", given, lambda t, a: a.amax((2, 3), keepdim=True))
    each = tuple(((64,), fill) for fill in ("normal", "normal", "normal", "positive"))
    yield Case(
        "batch_norm",
        (given[0], *each),
        lambda t, a, s, b, m, v: f(t).batch_norm(a, m, v, s, b),
        close=1e-3,
    )
    yield Case(
        "group_norm",
        (given[0], *each[:2]),
        lambda t, a, s, b: f(t).group_norm(a, 8, s, b),
        {"groups": 8},
        close=1e-3,
    )
    yield Case(
        "instance_norm",
        (given[0], *each[:2]),
        lambda t, a, s, b: f(t).instance_norm(a, weight=s, bias=b),
        close=1e-3,
    )
    grid = (big[0], 64, 64, 2)
    yield Case(
        "grid_sample",
        (given[0], (grid, "unit")),
        lambda t, a, g: f(t).grid_sample(a, g, align_corners=False),
        close=1e-3,
    )
    yield Case(
        "interpolate",
        given,
        lambda t, a: f(t).interpolate(a, size=(96, 96), mode="bilinear", align_corners=False),
        {"sizes": (96, 96), "axes": (2, 3)},
        "bilinear",
        1e-3,
    )
    side = _square(count)[0] // (1 if small else 2)
    yield Case(
        "matmul", (((side, side), "normal"), ((side, side), "normal")), _name("matmul"), close=1e-3
    )
    batch = (max(count // 65536, 1), 256, 256)
    yield Case(
        "matmul",
        ((batch, "normal"), (batch, "normal")),
        _name("matmul"),
        note="batched",
        close=1e-3,
    )


def _vectors(count: int) -> Iterator[Case]:
    rows, dim = max(count // 128, 1), 128
    given = (((64, dim), "normal"), ((rows, dim), "normal"))
    yield Case("dot", given, lambda t, q, d: q @ d.T, close=1e-3)
    yield Case("l2_distance", given, lambda t, q, d: t.cdist(q, d), close=2e-3)
    yield Case("l1", given, lambda t, q, d: t.cdist(q, d, p=1), close=1e-3)
    yield Case("linf", given, lambda t, q, d: t.cdist(q, d, p=float("inf")))
    yield Case(
        "cosine_similarity",
        given,
        close=1e-3,
        peer=lambda t, q, d: t.nn.functional.normalize(q) @ t.nn.functional.normalize(d).T,
    )
    yield Case(
        "l2_top_k",
        given,
        lambda t, q, d: t.cdist(q, d).topk(10, largest=False),
        {"k": 10},
        close=2e-3,
    )


def without_peer() -> set[str]:
    """Kernels that the table has no line for."""
    return set(treadle.kernels()) - {case.kernel for case in cases(LARGE)}


def _filled(shape: tuple[int, ...], fill: str, number: int) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng((7, number))
    kind, _, most = fill.partition("below ")
    if kind.strip() == "apart":  # each once
        if len(shape) == 2 and shape[1] == 1:
            return rng.permutation(int(most))[: shape[0], None].astype(np.int32)
        rows = [rng.permutation(int(most))[: shape[1]] for _ in range(min(shape[0], 64))]
        return np.resize(np.array(rows, np.int32), shape)
    if most:
        return rng.integers(0, int(most), shape, np.int32)
    if fill == "whole":
        return rng.integers(0, 1 << 30, shape, np.int32)
    if fill == "byte":
        return rng.integers(0, 256, shape, np.uint8)
    if fill == "unit":
        return rng.uniform(-1, 1, shape).astype(np.float32)
    values = rng.standard_normal(shape, np.float32)
    if fill == "about 1":
        return 1 + values * np.float32(1e-4)
    if fill == "sorted":
        return np.sort(values)
    if fill in ("positive", "above 1"):
        return np.abs(values) + np.float32(fill == "above 1")
    return values


def _timed(run: Callable[[], Any], end: Callable[[], Any], calls: int) -> float:
    started = perf_counter()
    for _ in range(calls):
        run()
    end()
    return (perf_counter() - started) / calls


def _same(ours: Any, theirs: Any, close: float) -> bool:
    many = ours if isinstance(ours, tuple) else (ours,)
    others = tuple(theirs) if isinstance(theirs, tuple | list) else (theirs,)
    for mine, other in list(zip(many, others, strict=True))[:1]:
        a, b = mine.to_numpy(), other.cpu().numpy()
        if a.dtype.kind != "f":
            if (a.reshape(-1) != b.reshape(-1).astype(a.dtype)).mean() > 1e-4:
                return False
            continue
        a, b = a.reshape(-1).astype(np.float64), b.reshape(-1).astype(np.float64)
        plain = np.isfinite(a) & np.isfinite(b)
        if (np.isfinite(a) != np.isfinite(b)).mean() > 1e-4:
            return False
        if np.abs(a - b)[plain].max(initial=0) > close * max(
            np.abs(b[plain]).max(initial=0), 1e-30
        ):
            return False
    return True


def measure(device: treadle.Device, case: Case, count: int) -> Row:
    """One line: both in turns, a few calls in a row each."""
    import torch

    arrays = [_filled(shape, fill, k) for k, (shape, fill) in enumerate(case.inputs)]
    buffers = [device.buffer(array) for array in arrays]
    tensors = [torch.from_numpy(array).cuda() for array in arrays]
    size = "x".join(map(str, case.inputs[0][0]))
    what = f"{case.kernel}{', ' + case.note if case.note else ''}, {size}"
    out = device.run_kernel(case.kernel, buffers, **case.params)
    outputs = list(out) if isinstance(out, tuple) else out
    peer = partial(case.peer, torch, *tensors)
    equal = _same(out, peer(), case.close)
    again = partial(device.submit, case.kernel, buffers, outputs, **case.params)
    calls = max(2, min(CALLS, int(0.02 / max(_timed(again, device.synchronize, 2), 1e-6))))
    ours, theirs = [], []
    for _ in range(3):
        ours.append(_timed(again, device.synchronize, calls))
        theirs.append(_timed(peer, torch.cuda.synchronize, calls))
    mine, other = statistics.median(ours), statistics.median(theirs)
    beside: list[tuple[str, Figure]] = [("torch", Figure(other * 1e3, "ms"))]
    if count < LARGE and not isinstance(out, tuple):
        ready = treadle.prepare(case.kernel, buffers, outputs, **case.params)
        took = statistics.median(_timed(ready.submit, device.synchronize, CALLS) for _ in range(3))
        beside.append(("prepared", Figure(took * 1e3, "ms")))
    note = "" if equal else "What both give differs."
    return Row(what, Figure(mine * 1e3, "ms"), tuple(beside), other / mine, BARS[count], note)


def main(arguments: list[str]) -> int:
    """Print the table."""
    device = treadle.device("cuda")
    rows = []
    with treadle.use_device(device):
        for count in (LARGE, SMALL):
            for case in cases(count):
                if arguments and not any(word in case.kernel for word in arguments):
                    continue
                try:
                    rows.append(measure(device, case, count))
                except Exception as error:
                    print(f"{case.kernel} {case.note}: {type(error).__name__}: {error}"[:400])
    print(as_text(rows))
    print("not in torch:", ", ".join(sorted(without_peer())))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
