"""Matrix products by cuBLAS.

In: steps of kernels with the routine "matmul", or "matmul_rows", products with rows of a matrix as
they are. Out: the product, put on a stream. cuBLAS stores columns first, so it is asked for the
transposed product of the swapped operands. One handle for
each stream, because a handle has one workspace; and CuPy's binding puts every call on CuPy's
current stream, so ours is made that one for the call.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any, NamedTuple

from treadle.backends.base import Step
from treadle.backends.cuda.driver import Cuda, translate_errors
from treadle.backends.cuda.lanes import Lane
from treadle.dtypes import DType
from treadle.ir.nodes import Dim, Kernel

__all__ = ["Blas", "MatmulProgram", "is_matmul"]

_REMEMBERED = 256
_TF32 = 3  # of cublasMath_t: f32 on tensor cores
_SHORT = {DType.F16: 2}  # of cudaDataType_t
# Not bf16: on an H200 a quarter of cuBLAS's sums were further off than one rounding.
_MULTIPLIED = {DType.F32, DType.F64, DType.F16}
_OF_ROWS = {DType.F32, DType.F64}
_COMPUTE_F32 = 68  # of cublasComputeType_t
_ANY_ALGORITHM = -1  # of cublasGemmAlgo_t
_TURNED = 1  # of cublasOperation_t


def is_matmul(kernel: Kernel) -> bool:
    """Whether cuBLAS computes this kernel."""
    dtypes = {t.dtype for t in (*kernel.inputs, *kernel.outputs)}
    multiplied = {"matmul": _MULTIPLIED, "matmul_rows": _OF_ROWS}.get(kernel.routine or "", set())
    return len(dtypes) == 1 and dtypes <= multiplied


class Blas:
    """The handles of one device."""

    def __init__(self, cuda: Cuda, *, tf32: bool) -> None:
        self._cuda = cuda
        self._mode = _TF32 if tf32 else 0
        self._handles: dict[int, int] = {}

    def handle(self, lane: Lane) -> int:
        """The handle for a lane."""
        found = self._handles.get(lane.stream)
        if found is None:
            cublas = self._cuda.cublas
            found = cublas.create()
            cublas.setMathMode(found, self._mode)
            self._handles[lane.stream] = found
        return found

    def close(self) -> None:
        """Destroy the handles."""
        for handle in self._handles.values():
            self._cuda.cublas.destroy(handle)
        self._handles.clear()


class _Product(NamedTuple):
    """Sizes of one product, and the batches it takes: counts, strides and starts in elements."""

    program: MatmulProgram
    m: int
    n: int
    k: int
    batches: tuple[tuple[int, int, int, int, int, int], ...]  # count, 2 strides, 3 starts
    scratch: int = 0  # bytes; cuBLAS has its own

    def enqueue(self, step: Step, lane: Lane, scratch: int) -> None:
        """Put the product on a stream."""
        self.program.multiply(step, self, lane)


class MatmulProgram:
    """A product of matrices or of stacks of them; leading axes broadcast."""

    def __init__(self, cuda: Cuda, blas: Blas, kernel: Kernel) -> None:
        self._blas = blas
        self._kernel = kernel
        self._symbols = kernel.symbols
        self._products: dict[tuple[int, ...], _Product] = {}
        dtype = kernel.outputs[0].dtype
        double = dtype is DType.F64
        number = ctypes.c_double if double else ctypes.c_float
        self._size = dtype.size
        self._of_rows = kernel.routine == "matmul_rows"
        self._one, self._zero = number(1), number(0)
        self._type = _SHORT.get(dtype)  # in cuBLAS's words, where a call has to say it
        cublas = cuda.cublas
        self._one_product: Any = cublas.dgemm if double else cublas.sgemm
        self._many: Any = cublas.dgemmStridedBatched if double else cublas.sgemmStridedBatched
        if self._type is not None:
            self._one_product, self._many = cublas.gemmEx, cublas.gemmStridedBatchedEx

    def _measure(self, dims: tuple[int, ...]) -> _Product:
        sizes = dict(zip(self._symbols, dims, strict=True))

        def shape(of: tuple[Dim, ...]) -> tuple[int, ...]:
            return tuple(d if isinstance(d, int) else sizes[d] for d in of)

        kernel = self._kernel
        a, b = (shape(t.dims) for t in kernel.inputs)
        out = shape(kernel.outputs[0].dims)
        batches = _ALONE if self._of_rows else _batches(a, b, out)
        product = _Product(self, out[-2], out[-1], a[-1], batches)
        if len(self._products) >= _REMEMBERED:
            self._products.clear()
        self._products[dims] = product
        return product

    def prepare(self, dims: tuple[int, ...]) -> _Product:
        """Return what is launched for sizes."""
        return self._products.get(dims) or self._measure(dims)

    def multiply(self, step: Step, product: _Product, lane: Lane) -> None:
        """Put a product on a stream."""
        _, m, n, k, batches, _ = product
        out, a, b = (memory.address + offset for memory, offset in step.regions)
        one, zero = ctypes.addressof(self._one), ctypes.addressof(self._zero)
        size = self._size
        if self._of_rows:
            (first,) = step.params
            right = (b + int(first) * k * size, k)
            with translate_errors("cuda: cuBLAS"), lane.owner:
                sizes = (self._blas.handle(lane), _TURNED, 0, n, m, k, one)
                self._one_product(*sizes, *right, a, k, zero, out, n)
            return
        with translate_errors("cuda: cuBLAS"), lane.owner:
            handle = self._blas.handle(lane)
            for count, step_a, step_b, at_a, at_b, at_out in batches:
                left, right = (a + at_a * size, k), (b + at_b * size, n)
                target = (zero, out + at_out * size, n)
                sizes = (handle, 0, 0, n, m, k, one)
                if self._type is not None:
                    strides = (step_b, step_a, m * n) if count > 1 else ()
                    self._short(sizes, (right, left, target), strides, count)
                elif count == 1:  # its own heuristics are better than those for stacks
                    self._one_product(*sizes, *right, *left, *target)
                else:
                    self._many(*sizes, *right, step_b, *left, step_a, *target, m * n, count)

    def _short(
        self,
        sizes: tuple[Any, ...],
        operands: tuple[Any, ...],
        strides: tuple[int, ...],
        count: int,
    ) -> None:
        """Multiply floats of 16 bits, which add up in f32."""
        right, left, (zero, out, pitch) = operands
        matrices = [(*right[:1], self._type, right[1]), (*left[:1], self._type, left[1])]
        result = (out, self._type, pitch)
        if not strides:
            flat = [word for matrix in matrices for word in matrix]
            self._one_product(*sizes, *flat, zero, *result, _COMPUTE_F32, _ANY_ALGORITHM)
            return
        flat = [
            word for pair in zip(matrices, strides, strict=False) for word in (*pair[0], pair[1])
        ]
        more = (*result, strides[2], count, _COMPUTE_F32, _ANY_ALGORITHM)
        self._many(*sizes, *flat, zero, *more)


_ALONE = ((1, 0, 0, 0, 0, 0),)  # one product of what is at the beginning


def _batches(
    a: tuple[int, ...], b: tuple[int, ...], out: tuple[int, ...]
) -> tuple[tuple[int, int, int, int, int, int], ...]:
    """Cut broadcast stacks into runs over the last leading axis; one run where nothing repeats."""
    lead = out[:-2]
    rank = len(lead)
    lead_a, lead_b = ((1,) * (rank - len(x) + 2) + x[:-2] for x in (a, b))
    one_a, one_b, one_out = (x[-2] * x[-1] for x in (a, b, out))
    total = math.prod(lead)
    whole_a, whole_b = lead_a == lead, lead_b == lead
    if (whole_a or math.prod(lead_a) == 1) and (whole_b or math.prod(lead_b) == 1):
        return ((total, one_a * whole_a, one_b * whole_b, 0, 0, 0),)
    run = lead[-1]
    steps = one_a * (lead_a[-1] != 1), one_b * (lead_b[-1] != 1)
    found = []
    for number in range(total // max(run, 1)):
        starts, rest = [0, 0], number
        scales = [lead_a[-1], lead_b[-1]]
        for axis in range(rank - 2, -1, -1):
            at, rest = rest % lead[axis], rest // lead[axis]
            for which, sizes in enumerate((lead_a, lead_b)):
                starts[which] += scales[which] * (at if sizes[axis] != 1 else 0)
                scales[which] *= sizes[axis]
        found.append((run, *steps, starts[0] * one_a, starts[1] * one_b, number * run * one_out))
    return tuple(found)
