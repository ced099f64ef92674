"""What moves elements and computes nothing."""

from __future__ import annotations

from collections.abc import Iterator

from bench.every.case import Case, of, square

__all__ = ["moves"]


def moves(count: int) -> Iterator[Case]:
    """Axes in another order, parts, repeats and frames; then what goes by indices."""
    rows, side = each = square(count)
    x, half = (each, "normal"), ((rows, side // 2), "normal")
    yield Case(
        "transpose",
        (x,),
        of(numpy=lambda n, a: n.ascontiguousarray(a.T), torch=lambda t, a: a.t().contiguous()),
    )
    yield Case(
        "transpose",
        (((64, rows // 8, side // 8), "normal"),),
        of(
            numpy=lambda n, a: n.ascontiguousarray(a.transpose(1, 2, 0)),
            torch=lambda t, a: a.permute(1, 2, 0).contiguous(),
        ),
        {"axes": (1, 2, 0)},
        "first axis last",
    )
    yield Case("reshape", (x,), of(numpy="copy", torch="clone"), {"shape": (-1,)})
    yield Case(
        "concat",
        (half, half),
        of(numpy=lambda n, *two: n.concatenate(two, 1), torch=lambda t, *two: t.cat(two, 1)),
        {"axis": 1},
        "columns",
    )
    yield Case(
        "slice",
        (x,),
        of(numpy=lambda n, a: n.ascontiguousarray(a[::2]), torch=lambda t, a: a[::2].contiguous()),
        {"steps": 2},
        "[::2]",
    )
    yield Case(
        "slice",
        (x,),
        of(
            numpy=lambda n, a: n.ascontiguousarray(a[:, ::2]),
            torch=lambda t, a: a[:, ::2].contiguous(),
        ),
        {"steps": (1, 2)},
        "[:, ::2]",
    )
    yield Case(
        "tile",
        (half,),
        of(numpy=lambda n, a: n.tile(a, (1, 2)), torch=lambda t, a: a.repeat(1, 2)),
        {"repeats": (1, 2)},
    )
    yield Case(
        "expand",
        (((rows, 1), "normal"),),
        of(
            numpy=lambda n, a: n.ascontiguousarray(n.broadcast_to(a, each)),
            torch=lambda t, a: a.expand(each).contiguous(),
        ),
        {"shape": each},
    )
    yield Case("tril", (x,), of(numpy="tril", torch="tril"))
    yield Case("triu", (x,), of(numpy="triu", torch="triu"))
    yield Case(
        "pad",
        (x,),
        of(numpy=lambda n, a: n.pad(a, 1), torch=lambda t, a: t.nn.functional.pad(a, (1, 1, 1, 1))),
        {"amounts": ((1, 1), (1, 1))},
    )
    yield Case(
        "pad",
        (((1, 1, *each), "normal"),),
        of(
            numpy=lambda n, a: n.pad(a, ((0, 0), (0, 0), (3, 3), (3, 3)), "reflect"),
            torch=lambda t, a: t.nn.functional.pad(a, (3, 3, 3, 3), "reflect"),
        ),
        {"amounts": ((0, 0), (0, 0), (3, 3), (3, 3)), "mode": "reflect"},
        "reflect",
    )
    yield Case(
        "split",
        (x,),
        of(
            numpy=lambda n, a: [p.copy() for p in n.split(a, 2, 1)],
            torch=lambda t, a: [p.contiguous() for p in a.chunk(2, 1)],
        ),
        {"parts": 2, "axis": 1},
    )
    yield from _by_indices(rows, side)


def _by_indices(rows: int, side: int) -> Iterator[Case]:
    x = ((rows, side), "normal")
    yield Case(
        "gather",
        (x, ((rows,), f"below {rows}")),
        of(numpy=lambda n, a, i: n.take(a, i, 0), torch=lambda t, a, i: t.index_select(a, 0, i)),
        note="rows",
    )
    yield Case(
        "gather",
        (x, ((side,), f"below {side}")),
        of(numpy=lambda n, a, i: n.take(a, i, 1), torch=lambda t, a, i: t.index_select(a, 1, i)),
        {"axis": 1},
        "columns",
    )
    yield Case(
        "gather_elements",
        (x, ((rows, side), f"below {side}")),
        of(
            numpy=lambda n, a, i: n.take_along_axis(a, i, 1),
            torch=lambda t, a, i: t.gather(a, 1, i.long()),
        ),
        {"axis": 1},
    )
    yield Case(
        "gather_nd",
        (x, ((rows, 1), f"below {rows}")),
        of(numpy=lambda n, a, i: a[i[:, 0]], torch=lambda t, a, i: a[i[:, 0].long()]),
    )
    few, quarter = (rows, side // 4), rows // 4

    def put(n, a, i, u):
        out = a.copy()
        n.put_along_axis(out, i, u, 1)
        return out

    yield Case(
        "scatter_elements",
        (x, (few, f"apart below {side}"), (few, "normal")),
        of(numpy=put, torch=lambda t, a, i, u: t.scatter(a, 1, i.long(), u)),
        {"axis": 1},
    )
    yield Case(
        "scatter_elements",
        (x, (few, f"below {side}"), (few, "normal")),
        of(torch=lambda t, a, i, u: t.scatter_add(a, 1, i.long(), u)),
        {"axis": 1, "reduction": "add"},
        "added",
        1e-3,
    )

    def put_rows(n, a, i, u):
        out = a.copy()
        out[i[:, 0]] = u
        return out

    places = ((quarter, 1), f"apart below {rows}")
    yield Case(
        "scatter_nd",
        (x, places, ((quarter, side), "normal")),
        of(numpy=put_rows, torch=lambda t, a, i, u: a.index_copy(0, i[:, 0].long(), u)),
    )
