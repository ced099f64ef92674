"""What networks and searches are made of: convolutions, pools, norms, products, distances."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from bench.every.case import LARGE, Case, of, square

__all__ = ["networks", "vectors"]


def _conv(params: dict[str, Any], t: Any, a: Any, w: Any) -> Any:
    return t.nn.functional.conv2d(a, w, **params)


def networks(count: int) -> Iterator[Case]:
    """The shapes of a ResNet's layers, a batch of 16 or one picture."""
    small = count < LARGE
    n = 1 if small else 16
    x = (n, 64, 32, 32) if small else (n, 64, 56, 56)
    for where, shape, weight, params in (
        ("3x3", x, (64, 64, 3, 3), {"padding": 1}),
        ("1x1", x, (256, 64, 1, 1), {}),
        ("3x3, stride 2", x, (128, 64, 3, 3), {"padding": 1, "stride": 2}),
        ("depthwise 3x3", x, (64, 1, 3, 3), {"padding": 1, "groups": 64}),
        ("7x7 of RGB, stride 2", (n, 3, 224, 224), (64, 3, 7, 7), {"padding": 3, "stride": 2}),
    ):
        given = ((shape, "normal"), (weight, "normal"))
        yield Case("conv2d", given, of(torch=partial(_conv, params)), params, where, 1e-3)
    yield Case(
        "conv_transpose",
        ((x, "normal"), ((64, 32, 2, 2), "normal")),
        of(torch=lambda t, a, w: t.nn.functional.conv_transpose2d(a, w, stride=2)),
        {"stride": 2},
        close=1e-3,
    )
    big = (n if small else 64, 64, 64, 64)
    given = (big, "normal")
    yield Case(
        "max_pool",
        (given,),
        of(torch=lambda t, a: t.nn.functional.max_pool2d(a, 2)),
        {"window": (2, 2)},
        "2x2",
    )
    yield Case(
        "max_pool",
        (given,),
        of(torch=lambda t, a: t.nn.functional.max_pool2d(a, 3, 2, 1)),
        {"window": (3, 3), "stride": 2, "padding": 1},
        "3x3, stride 2",
    )
    yield Case(
        "average_pool",
        (given,),
        of(torch=lambda t, a: t.nn.functional.avg_pool2d(a, 2)),
        {"window": (2, 2)},
        "2x2",
    )
    yield Case(
        "global_average_pool",
        (given,),
        of(
            numpy=lambda n, a: a.mean((2, 3), keepdims=True),
            torch=lambda t, a: a.mean((2, 3), keepdim=True),
        ),
        close=1e-3,
    )
    yield Case(
        "global_max_pool",
        (given,),
        of(
            numpy=lambda n, a: a.max((2, 3), keepdims=True),
            torch=lambda t, a: a.amax((2, 3), keepdim=True),
        ),
    )
    each = tuple(((64,), fill) for fill in ("normal", "normal", "normal", "positive"))
    yield Case(
        "batch_norm",
        (given, *each),
        of(torch=lambda t, a, s, b, m, v: t.nn.functional.batch_norm(a, m, v, s, b)),
        close=1e-3,
    )
    yield Case(
        "group_norm",
        (given, *each[:2]),
        of(torch=lambda t, a, s, b: t.nn.functional.group_norm(a, 8, s, b)),
        {"groups": 8},
        close=1e-3,
    )
    yield Case(
        "instance_norm",
        (given, *each[:2]),
        of(torch=lambda t, a, s, b: t.nn.functional.instance_norm(a, weight=s, bias=b)),
        close=1e-3,
    )
    grid = ((big[0], 64, 64, 2), "unit")
    yield Case(
        "grid_sample",
        (given, grid),
        of(torch=lambda t, a, g: t.nn.functional.grid_sample(a, g, align_corners=False)),
        close=1e-3,
    )
    yield Case(
        "interpolate",
        (given,),
        of(
            torch=lambda t, a: t.nn.functional.interpolate(
                a, size=(96, 96), mode="bilinear", align_corners=False
            )
        ),
        {"sizes": (96, 96), "axes": (2, 3)},
        "bilinear",
        1e-3,
    )
    blocks = ((n, 64 * 9, 32 * 32), "normal")
    yield Case(
        "fold",
        (blocks,),
        of(torch=lambda t, a: t.nn.functional.fold(a, (32, 32), 3, padding=1)),
        {"shape": (32, 32), "window": (3, 3), "padding": 1},
    )
    side = square(count)[0] // (1 if small else 2)
    product = of(numpy="matmul", torch="matmul")
    yield Case("matmul", (((side, side), "normal"), ((side, side), "normal")), product, close=1e-3)
    batch = (max(count // 65536, 1), 256, 256)
    yield Case(
        "matmul", ((batch, "normal"), (batch, "normal")), product, note="batched", close=1e-3
    )


def _unit(n: Any, a: Any) -> Any:
    return a / n.sqrt((a * a).sum(-1, keepdims=True))


def vectors(count: int) -> Iterator[Case]:
    """Distances of 64 queries to a database, and the codes of one."""
    rows, dim = max(count // 128, 1), 128
    given = (((64, dim), "normal"), ((rows, dim), "normal"))
    both = lambda _, q, d: q @ d.T  # noqa: E731
    yield Case("dot", given, of(numpy=both, torch=both), close=1e-3)
    for name, kind, p in (
        ("l2_distance", "euclidean", 2.0),
        ("l1", "cityblock", 1.0),
        ("linf", "chebyshev", float("inf")),
    ):
        yield Case(
            name,
            given,
            of(
                scipy=lambda s, q, d, kind=kind: s.spatial.distance.cdist(q, d, kind),
                torch=lambda t, q, d, p=p: t.cdist(q, d, p=p),
            ),
            close=2e-3,
        )
    yield Case(
        "cosine_similarity",
        given,
        of(
            numpy=lambda n, q, d: _unit(n, q) @ _unit(n, d).T,
            torch=lambda t, q, d: t.nn.functional.normalize(q) @ t.nn.functional.normalize(d).T,
        ),
        close=1e-3,
    )
    yield Case(
        "l2_top_k",
        given,
        of(torch=lambda t, q, d: t.cdist(q, d).topk(10, largest=False)),
        {"k": 10},
        close=2e-3,
    )
    codes = (((64, 4), "bits"), ((rows, 4), "bits"))
    yield Case(
        "hamming",
        codes,
        of(numpy=lambda n, q, d: n.bitwise_count(q[:, None] ^ d).sum(-1, dtype=n.int32)),
    )
    yield Case(
        "quantize_binary",
        (((rows, dim), "normal"),),
        of(numpy=lambda n, a: n.packbits(a > 0, -1, "little").view(n.uint32)),
    )

    def bytes_of(n, a):
        scale = n.abs(a).max(-1, keepdims=True) / 127
        return n.rint(a / scale).astype(n.int8).view(n.uint8), scale[:, 0]

    yield Case("quantize_int8", given[1:], of(numpy=bytes_of))
    yield Case(
        "dequantize_int8",
        (((rows, dim), "byte"), ((rows,), "positive")),
        of(
            numpy=lambda n, c, s: c.view(n.int8) * s[:, None],
            torch=lambda t, c, s: c.view(t.int8) * s[:, None],
        ),
    )
