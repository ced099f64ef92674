"""Library routines: what NumPy does better than generated code, by the name a kernel gives.

In: a kernel's outputs and inputs as arrays, and its parameters. Out: the outputs, filled, in parts
that workers share. Each computes what the kernel of that name says; it knows neither regions nor
threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from treadle.backends.cpu.narrow import put, wide
from treadle.backends.cpu.ordering import (
    distinct,
    distinct_cost,
    half_parts,
    inverse,
    inverse_cost,
    inverse_parts,
    leading,
    order_cost,
    places,
    portion,
    row_parts,
    sort,
    sort_halves,
)
from treadle.backends.cpu.scattering import scatter, scatter_cost, scatter_parts
from treadle.dtypes import DType, read_as
from treadle.ir.nodes import Kernel

__all__ = ["ROUTINES", "Routine", "routine_for"]

Array = np.ndarray[Any, Any]
Arrays = Sequence[Array]
Shapes = Sequence[tuple[int, ...]]
Run = Callable[[Arrays, Arrays, tuple[float, ...], int, int], None]

_NS_PER_MULTIPLY_ADD = 0.03
_FFT_SAMPLES = 1 << 18  # transformed at a time, so that spectra stay in the cache
_FFT_LARGEST = 17  # power of two of the largest transform, for the same reason


class Routine(NamedTuple):
    """A routine: `run(outputs, inputs, params, part, parts)`, its cost in nanoseconds for shapes of
    outputs and inputs, in how many parts it can run, and which kernels it can stand for."""

    run: Run
    cost: Callable[[Shapes, Shapes], float]
    parts: Callable[[Shapes, Shapes], int]
    accepts: Callable[[Kernel], bool]


def routine_for(kernel: Kernel) -> Routine | None:
    """The routine that computes this kernel, if there is one."""
    found = ROUTINES.get(kernel.routine or "")
    return found if found is not None and found.accepts(kernel) else None


def _one_float(kernel: Kernel) -> bool:
    dtypes = {t.dtype for t in (*kernel.inputs, *kernel.outputs)}
    return len(dtypes) == 1 and dtypes <= {DType.F32, DType.F64}


def _product_of_floats(kernel: Kernel) -> bool:
    """Whether all is of one float type; a narrow one is multiplied in f32, and may stay that."""
    dtypes = {t.dtype for t in kernel.inputs}
    dtype = dtypes.pop()
    return not dtypes and dtype.is_float and kernel.outputs[0].dtype in (dtype, read_as(dtype))


def _one_dtype(kernel: Kernel) -> bool:
    return len({t.dtype for t in (*kernel.inputs, *kernel.outputs)}) == 1


def _leads(kernel: Kernel) -> bool:
    (x,), (values, found) = kernel.inputs, kernel.outputs
    return values.dtype is x.dtype and found.dtype is DType.S32


def _places(kernel: Kernel) -> bool:
    return kernel.outputs[0].dtype is DType.S32


def _scatters(kernel: Kernel) -> bool:
    x, _, updates = kernel.inputs
    same = x.dtype is updates.dtype is kernel.outputs[0].dtype
    return same and not x.dtype.is_narrow and x.dtype is not DType.BOOL


def _whole(outputs: Shapes, inputs: Shapes) -> int:
    return 1


# Products


def _matmul(outs: Arrays, ins: Arrays, params: tuple[float, ...], part: int, parts: int) -> None:
    _multiply(ins[0], ins[1], outs[0])


def _matmul_rows(
    outs: Arrays, ins: Arrays, params: tuple[float, ...], part: int, parts: int
) -> None:
    first = int(params[0])
    _multiply(ins[0], ins[1][first : first + outs[0].shape[-1]].T, outs[0])


def _multiply(a: Array, b: Array, out: Array) -> None:
    if a.dtype.itemsize >= 4:
        np.matmul(a, b, out=out)
    else:
        put(out, np.matmul(wide(a), wide(b)))


def _product_cost(outputs: Shapes, inputs: Shapes) -> float:
    return 3000.0 + math.prod(outputs[0]) * inputs[0][-1] * _NS_PER_MULTIPLY_ADD


# Copies


def _concat(outs: Arrays, ins: Arrays, params: tuple[float, ...], part: int, parts: int) -> None:
    rows = portion(len(outs[0]), part, parts)
    np.concatenate([x[rows] for x in ins], axis=1, out=outs[0][rows])


def _slice(outs: Arrays, ins: Arrays, params: tuple[float, ...], part: int, parts: int) -> None:
    (out,), (x,) = outs, ins
    rows = portion(len(out), part, parts)
    half = len(params) // 2  # begins, then steps, for the most axes there can be
    begins, steps = ([int(p) for p in group] for group in (params[:half], params[half:]))
    begins[0] += rows.start * steps[0]
    strides = [stride * step for stride, step in zip(x.strides, steps, strict=False)]
    offset = sum(stride * begin for stride, begin in zip(x.strides, begins, strict=False))
    target = out[rows]
    target[...] = np.ndarray(target.shape, x.dtype, x, offset, strides)


def _planes(outs: Arrays, ins: Arrays, params: tuple[float, ...], part: int, parts: int) -> None:
    out, x = outs[0], ins[0].transpose(0, 2, 1)
    share = portion(max(out.shape[:2]), part, parts)
    where = share if out.shape[0] >= out.shape[1] else (slice(None), share)
    out[where] = x[where]


def _plane_parts(outputs: Shapes, inputs: Shapes) -> int:
    return max(1, min(max(outputs[0][:2]), 4, math.prod(outputs[0]) >> 17))


def _slice_parts(outputs: Shapes, inputs: Shapes) -> int:
    return max(1, min(outputs[0][0], 16, math.prod(outputs[0]) >> 16))


def _copy_cost(outputs: Shapes, inputs: Shapes) -> float:
    return 3000.0 + 0.2 * math.prod(outputs[0])


def _cut(outs: Arrays, ins: Arrays, params: tuple[float, ...], part: int, parts: int) -> None:
    lead = 1 if outs[0].ndim == 4 else 0
    x, y = int(params[0]), int(params[1])
    height, width = outs[0].shape[lead : lead + 2]
    rows = portion(height, part, parts)
    skip = (slice(None),) * lead
    source = ins[0][(*skip, slice(y + rows.start, y + rows.stop), slice(x, x + width))]
    outs[0][(*skip, rows)] = source


def _cut_parts(outputs: Shapes, inputs: Shapes) -> int:
    # To begin one costs as much as to copy a megabyte.
    return max(1, min(4, math.prod(outputs[0]) >> 21))


# Convolution: frames x channels with an impulse response, by overlap and save


def _transform(frames: int, taps: int) -> tuple[int, int, int]:
    """Transform size, frames that a transform gives, and pieces of the impulse, of least cost."""
    choices = []
    for p in range(6, _FFT_LARGEST + 1):
        size = 1 << p
        if taps <= size // 2 or taps <= size <= 2 * taps:
            choices.append((size, size - taps + 1, 1))
        elif p > 11:
            choices.append((size, size // 2, -(-2 * taps // size)))
    costs = {
        (size, step, pieces): -(-frames // step) * size * (0.36 * math.log2(size) + 0.75 * pieces)
        for size, step, pieces in choices
    }
    return min(costs, key=costs.__getitem__)


def _fft_convolve(
    outs: Arrays, ins: Arrays, params: tuple[float, ...], part: int, parts: int
) -> None:
    (out,), (x, impulse), wet = outs, ins, params[0]
    channel = part % out.shape[1]
    share = portion(len(out), part // out.shape[1], parts // out.shape[1])
    taps = impulse[:, min(channel, impulse.shape[1] - 1)]
    size, step, pieces = _transform(share.stop - share.start, len(taps))
    whole = np.zeros(len(taps) if pieces == 1 else pieces * step, out.dtype)
    whole[: len(taps)] = taps
    response = np.fft.rfft(whole.reshape(pieces, -1), size, axis=1)
    blocks = max(1, _FFT_SAMPLES // size)
    spectra = response[:0]  # of the blocks before: a piece of the impulse delays by whole blocks
    for first in range(share.start, share.stop, blocks * step):
        last = min(first + blocks * step, share.stop)
        count = -(-(last - first) // step)
        back = pieces - 1 if first == share.start else 0
        # A block begins with frames before it, which its first outputs need.
        line = _line(x, channel, first - back * step + step - size, first + count * step)
        windows = np.lib.stride_tricks.sliding_window_view(line, size)[::step]
        spectra = np.concatenate([spectra, np.fft.rfft(windows, axis=1)])
        product = response[0] * spectra[pieces - 1 :]
        for p in range(1, pieces):
            product += response[p] * spectra[pieces - 1 - p : len(spectra) - p]
        mixed = np.fft.irfft(product, size, axis=1)[:, size - step :].reshape(-1)[: last - first]
        if wet != 1:
            mixed *= out.dtype.type(wet)
            dry = x[first:last, channel]
            mixed[: len(dry)] += out.dtype.type(1 - wet) * dry
        out[first:last, channel] = mixed
        spectra = spectra[len(spectra) - pieces + 1 :]


def _line(x: Array, channel: int, low: int, high: int) -> Array:
    """The frames low to high - 1 of a channel, silent outside."""
    line = np.zeros(high - low, x.dtype)
    first, last = max(low, 0), min(high, len(x))
    if first < last:
        line[first - low : last - low] = x[first:last, channel]
    return line


def _fft_cost(outputs: Shapes, inputs: Shapes) -> float:
    return 100_000.0 + 10.0 * math.prod(outputs[0]) * math.log2(inputs[1][0] + 2)


def _fft_parts(outputs: Shapes, inputs: Shapes) -> int:
    frames, channels = outputs[0]
    return int(channels) * max(1, min(8, frames // max(8 * inputs[1][0], 1 << 16)))


ROUTINES = {
    "matmul": Routine(_matmul, _product_cost, _whole, _product_of_floats),
    "matmul_rows": Routine(_matmul_rows, _product_cost, _whole, _product_of_floats),
    "sort": Routine(sort, order_cost, row_parts, _one_dtype),
    "sort_halves": Routine(sort_halves, order_cost, half_parts, _one_dtype),
    "leading": Routine(leading, order_cost, row_parts, _leads),
    "distinct": Routine(distinct, distinct_cost, _whole, _places),
    "inverse": Routine(inverse, inverse_cost, inverse_parts, _places),
    "places": Routine(places, order_cost, row_parts, _places),
    "cut": Routine(_cut, _copy_cost, _cut_parts, _one_dtype),
    "concat": Routine(_concat, _copy_cost, _slice_parts, _one_dtype),
    "planes": Routine(_planes, _copy_cost, _plane_parts, _one_dtype),
    "slice": Routine(_slice, _copy_cost, _slice_parts, _one_dtype),
    "scatter": Routine(scatter, scatter_cost, scatter_parts, _scatters),
    "fft_convolve": Routine(_fft_convolve, _fft_cost, _fft_parts, _one_float),
}
