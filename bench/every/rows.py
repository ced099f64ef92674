"""What folds, orders and runs along axes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from bench.every.case import Case, of, square

__all__ = ["folds", "orders"]

FOLDS = {  # ours: NumPy's, torch's
    "reduce_sum": ("sum", "sum"), "reduce_mean": ("mean", "mean"), "reduce_prod": ("prod", "prod"),
    "reduce_max": ("max", "amax"), "reduce_min": ("min", "amin"),
    "argmax": ("argmax", "argmax"), "argmin": ("argmin", "argmin"),
}  # fmt: skip


def _numpy(name: str, axis: int | None, n: Any, a: Any) -> Any:
    return getattr(n, name)(a, axis=axis)


def _torch(name: str, axis: int | None, t: Any, a: Any) -> Any:
    return getattr(t, name)(a) if axis is None else getattr(t, name)(a, dim=axis)


def folds(count: int) -> Iterator[Case]:
    """Reductions, kernels of rows and running sums."""
    each, flat = square(count), (count,)
    for name, (numpys, torchs) in FOLDS.items():
        fill = "about 1" if name == "reduce_prod" else "normal"
        for axis, what in ((0, "axis 0"), (1, "axis 1"), (None, "all")):
            peers = of(numpy=partial(_numpy, numpys, axis), torch=partial(_torch, torchs, axis))
            shape = flat if axis is None else each
            # A product of 16 million factors rounds as often, in another order everywhere.
            close = 0.05 if name == "reduce_prod" else 1e-3
            yield Case(name, ((shape, fill),), peers, {"axis": axis}, what, close)
    middle = (64, *square(count // 64))
    peers = of(numpy=partial(_numpy, "sum", 1), torch=partial(_torch, "sum", 1))
    yield Case("reduce_sum", ((middle, "normal"),), peers, {"axis": 1}, "the middle axis", 1e-3)
    for shape, what in ((each, "rows"), ((max(count // 1024, 1), 1024), "rows of 1,024")):
        yield from _rows(shape, what)
    yield Case(
        "softmax",
        ((each, "normal"),),
        of(torch=lambda t, a: t.softmax(a, 0), scipy=lambda s, a: s.special.softmax(a, 0)),
        {"axis": 0},
        "columns",
    )
    for name in ("cumsum", "cumprod"):
        fill = "normal" if name == "cumsum" else "about 1"
        for shape, axis, what in ((flat, 0, "all"), (each, 1, "rows"), (each, 0, "columns")):
            peers = of(numpy=partial(_numpy, name, axis), torch=partial(_torch, name, axis))
            yield Case(name, ((shape, fill),), peers, {"axis": axis}, what, 0.05)


def _rows(shape: tuple[int, int], what: str) -> Iterator[Case]:
    row = ((shape, "normal"),)
    yield Case(
        "softmax",
        row,
        of(torch=lambda t, a: t.softmax(a, -1), scipy=lambda s, a: s.special.softmax(a, -1)),
        note=what,
    )
    yield Case(
        "log_softmax",
        row,
        of(
            torch=lambda t, a: t.log_softmax(a, -1), scipy=lambda s, a: s.special.log_softmax(a, -1)
        ),
        note=what,
    )
    scaled = (*row, (shape[1:], "normal"), (shape[1:], "normal"))
    norm = of(torch=lambda t, a, s, b: t.nn.functional.layer_norm(a, a.shape[1:], s, b))
    yield Case("layer_norm", scaled, norm, note=what, close=1e-3)
    yield Case(
        "normalize",
        row,
        of(
            numpy=lambda n, a: a / n.sqrt((a * a).sum(-1, keepdims=True)),
            torch=lambda t, a: t.nn.functional.normalize(a, dim=-1),
        ),
        note=what,
    )


def orders(count: int) -> Iterator[Case]:
    """Sorting, searching and counting."""
    each, flat = square(count), (count,)
    for shape, what in ((flat, "all"), (each, "rows")):
        given = ((shape, "normal"),)
        yield Case("sort", given, of(numpy="sort", torch=lambda t, a: t.sort(a).values), note=what)
        yield Case(
            "argsort",
            given,
            of(
                numpy=lambda n, a: n.argsort(a, kind="stable"),
                torch=lambda t, a: t.sort(a, stable=True).indices,
            ),
            note=what,
        )
    yield Case(
        "sort",
        ((each, "normal"),),
        of(numpy=lambda n, a: n.sort(a, 0), torch=lambda t, a: t.sort(a, 0).values),
        {"axis": 0},
        "columns",
    )
    for k in (1, 10, 100, 1000):
        for shape, what in ((each, "rows"), (flat, "all")):
            if k < shape[-1]:
                yield Case(
                    "top_k",
                    ((shape, "normal"),),
                    of(torch=partial(_best, k), numpy=partial(_parted, k)),
                    {"k": k},
                    f"{k} of {what}",
                )
    yield Case(
        "searchsorted",
        ((flat, "sorted"), (flat, "normal")),
        of(numpy="searchsorted", torch=lambda t, a, v: t.searchsorted(a, v, out_int32=True)),
    )
    yield Case(
        "histogram",
        ((each, "normal"),),
        of(
            numpy=lambda n, a: n.histogram(a, 256, (-4, 4))[0],
            torch=lambda t, a: t.histc(a, 256, -4, 4),
        ),
        {"range": (-4.0, 4.0)},
        "256 bins",
    )


def _best(k: int, t: Any, a: Any) -> Any:
    return t.topk(a, k)


def _parted(k: int, n: Any, a: Any) -> Any:
    """The k largest, best first: what a reader of NumPy's manual would write."""
    places = n.argpartition(a, a.shape[-1] - k, axis=-1)[..., -k:]
    values = n.take_along_axis(a, places, -1)
    order = n.argsort(-values, axis=-1)
    return n.take_along_axis(values, order, -1), n.take_along_axis(places, order, -1)
