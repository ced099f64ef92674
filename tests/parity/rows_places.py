"""References for arrays that are made larger, cut, or read and written at places: NumPy."""

from __future__ import annotations

import numpy as np

from parity.rows_shape import exact

RNG = np.random.default_rng(41)
F3 = RNG.normal(size=(4, 5, 6)).astype(np.float32)
F2 = RNG.normal(size=(7, 9)).astype(np.float32)
L2 = RNG.integers(-(2**60), 2**60, (5, 4))
U3 = RNG.integers(0, 256, (6, 5, 3), dtype=np.uint8)
W1 = RNG.integers(0, 2**32, 50, dtype=np.uint32)
I3 = RNG.integers(-5, 5, (4, 3, 6)).astype(np.int32)
LONG = np.arange(1, 901).reshape(300, 3)
PAIRS = ((1, 2), (0, 0), (3, 0))
WIDE = ((9, 11), (0, 0), (20, 3))


def padded(pairs, mode, **more):
    return lambda x: np.pad(x, pairs, mode, **more)


def pads(x, pairs, mode, **more):
    named = {"constant_values": more["value"]} if "value" in more else {}
    params = {"amounts": pairs, "mode": mode, **more}
    return exact("pad", padded(pairs, mode, **named), (x,), params)


def parts(sizes, axis):
    return lambda x: tuple(np.split(x, np.cumsum(sizes)[:-1], axis))


def put(axis, function=None):
    """x with updates along an axis; of several for one element, the last, or all of them."""

    def reference(x, indices, updates):
        out = x.copy()
        places = list(np.ogrid[tuple(slice(0, n) for n in indices.shape)])
        places[axis] = np.where(indices < 0, indices + x.shape[axis], indices)
        if function is None:
            np.put_along_axis(out[tuple(slice(0, n) for n in places_shape(x, indices, axis))],
                              places[axis], updates, axis)  # fmt: skip
        else:
            function.at(out, tuple(places), updates)
        return out

    return reference


def places_shape(x, indices, axis):
    return [x.shape[k] if k == axis else n for k, n in enumerate(indices.shape)]


def put_parts(function=None):
    def reference(x, indices, updates):
        out = x.copy()
        at = tuple(np.moveaxis(indices, -1, 0))
        if function is None:
            out[at] = updates
        else:
            function.at(out, at, updates)
        return out

    return reference


ORDER = np.argsort(RNG.random((4, 3, 6)), 0).astype(np.int32)  # each place once
MORE = RNG.normal(size=(4, 3, 6)).astype(np.float32)
PLACES = np.array([[0, 1], [3, -1], [2, 2]], np.int32)

ROWS = [
    *(pads(x, pairs, mode) for mode in ("constant", "edge", "reflect", "wrap")
      for x, pairs in ((F3, WIDE),)),
    pads(U3, PAIRS, "constant"),
    pads(U3, PAIRS, "reflect"),
    pads(L2, ((1, 1), (2, 0)), "constant", value=2**40 + 1),
    pads(F2, ((0, 0), (1, 3)), "constant", value=-0.5),
    exact("pad", lambda x: np.pad(x, 2), (W1,), {"amounts": 2}),
    exact("pad", lambda x: np.pad(x[1:], ((0, 0), (2, 2))), (F2,), {"amounts": ((-1, 0), (2, 2))}),
    exact("pad", lambda x: np.full((2, 9), 3, np.float32), (F2[:0],),
          {"amounts": ((1, 1), (0, 0)), "value": 3.0}),
    exact("tile", lambda x: np.tile(x, (2, 1, 3)), (F3,), {"repeats": (2, 1, 3)}),
    exact("tile", lambda x: np.tile(x, 3), (U3,), {"repeats": 3}),
    exact("tile", lambda x: np.tile(x, (2, 3, 1)), (W1,), {"repeats": (2, 3, 1)}),
    exact("tile", lambda x: np.tile(x, (0, 2)), (F2,), {"repeats": (0, 2)}),
    exact("expand", lambda x: np.broadcast_to(x, (3, 4, 5, 6)), (F3,), {"shape": (3, 1, 5, 6)}),
    exact("expand", lambda x: np.broadcast_to(x, (7, 4, 9)), (F2[:, None, :1],),
          {"shape": (4, 9)}),
    exact("expand", lambda x: x, (L2,), {"shape": (1, 1)}),
    exact("split", parts((2, 2), 0), (F3,), {"parts": 2}),
    exact("split", parts((1, 3, 2), 2), (F3,), {"parts": (1, 3, 2), "axis": -1}),
    exact("split", parts((3, 2), 1), (U3,), {"parts": 2, "axis": 1}),
    exact("tril", lambda x: np.tril(x, 1), (F3,), {"diagonal": 1}),
    exact("tril", lambda x: np.tril(x), (L2,)),
    exact("triu", lambda x: np.triu(x, -1), (F3,), {"diagonal": -1}),
    exact("triu", lambda x: np.triu(x), (U3,)),
    exact("gather_elements", lambda x, i: np.take_along_axis(x[:, :3], i % 4, 0),
          (F3, I3 % 4 - 4 * (I3 < 0)), {"axis": 0}),
    exact("gather_elements", lambda x, i: np.take_along_axis(x, i.astype(np.int64), -1),
          (U3, RNG.integers(0, 3, (6, 5, 3), dtype=np.uint8)), {"axis": -1}),
    exact("gather_nd", lambda x, i: x[i[:, 0] % 3, i[:, 1]], (F3[:3], PLACES % [3, 5])),
    exact("gather_nd", lambda x, i: x[i[..., 0]], (L2, np.array([[[1], [4]], [[0], [-1]]]))),
    exact("gather_nd", lambda x, i: np.stack([x[k][i[k, :, 0]] for k in range(4)]),
          (F3, RNG.integers(-5, 5, (4, 2, 1))), {"batch": 1}),
    exact("scatter_elements", put(0), (F3, ORDER, MORE)),
    exact("scatter_elements", put(2, np.add), (F3, I3, MORE), {"axis": -1, "reduction": "add"}),
    exact("scatter_elements", put(1, np.maximum), (F3, I3[:, :, :4].copy(), MORE[:, :, :4].copy()),
          {"axis": 1, "reduction": "max"}),
    exact("scatter_elements", put(0, np.multiply), (L2, np.array([[0, 1, -1, 0], [0, 0, 0, 2]]),
          np.array([[3, 5, 7, 9], [2, 4, 6, 8]])), {"reduction": "mul"}),
    # Fewer indices than elements along the other axis, in a type that cannot count the elements.
    exact("scatter_elements", lambda x, i, u: put(0, np.multiply)(x, i.astype(int), u),
          (LONG, np.array([[255], [7]], np.uint8), np.array([[2], [3]])), {"reduction": "mul"}),
    exact("scatter_nd", put_parts(), (F3, PLACES, MORE[:3, 0].copy())),
    exact("scatter_nd", put_parts(np.minimum), (F3, PLACES, MORE[:3, 0].copy()),
          {"reduction": "min"}),
    exact("scatter_nd", put_parts(np.add), (W1, np.array([[3], [3], [-1]]),
          np.array([5, 6, 2**32 - 1], np.uint32)), {"reduction": "add"}),
]  # fmt: skip
