"""Kernels built by hand from IR nodes, and a way to run them on the CPU backend."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from scheduled import spelt
from treadle.backends.base import Program, Region, Step
from treadle.backends.cpu import CpuBackend
from treadle.dtypes import DType
from treadle.ir.nodes import (
    Axis,
    Block,
    Cast,
    Const,
    Dim,
    Expr,
    Kernel,
    Load,
    Local,
    Map,
    Op,
    Param,
    Tensor,
)
from treadle.ir.ops import OPS
from treadle.passes import optimise

Array = np.ndarray[Any, Any]
F32, F64, S32, S64, U32, U8, BOOL, FIXED = map(
    DType, ("f32", "f64", "s32", "s64", "u32", "u8", "bool", "fixed16")
)


def f32(value: float) -> Const:
    return Const(float(value), F32)


def s32(value: int) -> Const:
    return Const(value, S32)


def op(name: str, *args: Expr) -> Op:
    return Op(name, args, OPS[name].result(tuple(a.dtype for a in args)))


def load(tensor: str, *indices: Expr | int, dtype: DType = F32) -> Load:
    return Load(tensor, tuple(s32(i) if isinstance(i, int) else i for i in indices), dtype)


def plus(a: Expr, b: Expr | int) -> Expr:
    return op("add", a, s32(b) if isinstance(b, int) else b)


def axes(count: int) -> tuple[Axis, ...]:
    return tuple(Axis(k) for k in range(count))


def pointwise(
    expr: Expr,
    *,
    inputs: Mapping[str, DType],
    output: DType = F32,
    dims: tuple[Dim, ...] = ("n",),
    params: Sequence[Param] = (),
) -> Kernel:
    """A Map whose inputs all have the output's dimensions."""
    tensors = tuple(Tensor(name, dtype, dims) for name, dtype in inputs.items())
    return mapped(expr, inputs=tensors, space=dims, output=output, params=params)


def mapped(
    *results: Expr,
    inputs: Sequence[Tensor],
    space: tuple[Dim, ...],
    output: DType | Sequence[DType] = F32,
    params: Sequence[Param] = (),
    body: Sequence[Any] = (),
) -> Kernel:
    dtypes = [output] * len(results) if isinstance(output, DType) else list(output)
    outputs = tuple(Tensor(f"out{i}", d, space) for i, d in enumerate(dtypes))
    form = Map(Block((), tuple(body), results))
    return Kernel("handmade", space, tuple(inputs), outputs, tuple(params), form)


def unary(name: str, dtype: DType = F32) -> Kernel:
    value: Expr = load("a", Axis(0), dtype=dtype)
    return pointwise(op(name, value), inputs={"a": dtype}, output=dtype)


def state(name: str, dtype: DType) -> Local:
    return Local(name, dtype)


class Runner:
    """Compiles and runs kernels on a CpuBackend with NumPy arrays."""

    def __init__(self, backend: CpuBackend) -> None:
        self.backend = backend
        self._programs: dict[Kernel, Program] = {}

    def program(self, kernel: Kernel) -> Program:
        if kernel not in self._programs:
            self._programs[kernel] = self.backend.compile(spelt(self.backend, optimise(kernel)))
        return self._programs[kernel]

    def sizes(self, kernel: Kernel, inputs: Sequence[Array], **more: int) -> dict[str, int]:
        sizes = dict(more)
        for tensor, array in zip(kernel.inputs, inputs, strict=True):
            for dim, size in zip(tensor.dims, array.shape, strict=True):
                if isinstance(dim, str):
                    assert sizes.setdefault(dim, size) == size
                else:
                    assert dim == size
        return sizes

    def step(
        self,
        kernel: Kernel,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        params: Mapping[str, float],
        sizes: Mapping[str, int],
    ) -> Step:
        regions = []
        for array in (*outputs, *inputs):
            memory = self.backend.adopt(array)
            assert memory is not None
            regions.append(Region(memory, 0))
        return Step(
            self.program(kernel),
            tuple(regions),
            tuple(sizes[s] for s in kernel.symbols),
            tuple(params[p.name] for p in kernel.params),
        )

    def outputs(self, kernel: Kernel, sizes: Mapping[str, int]) -> list[Array]:
        shapes = [
            tuple(d if isinstance(d, int) else sizes[d] for d in t.dims) for t in kernel.outputs
        ]
        # A value that no test expects, so that an element left unwritten shows.
        return [
            np.full(shape, 77, t.dtype.numpy)
            for shape, t in zip(shapes, kernel.outputs, strict=True)
        ]

    def __call__(
        self,
        kernel: Kernel,
        *inputs: Array,
        params: Mapping[str, float] | None = None,
        out: Sequence[Array] | None = None,
        **more: int,
    ) -> list[Array]:
        arrays = [np.ascontiguousarray(a) if a.ndim else a for a in inputs]
        sizes = self.sizes(kernel, arrays, **more)
        outputs = self.outputs(kernel, sizes) if out is None else list(out)
        step = self.step(kernel, arrays, outputs, params or {}, sizes)
        ended = threading.Event()
        fence = self.backend.launch([step], lambda fence: ended.set())
        if not fence.done():
            assert ended.wait(60)
        assert fence.error is None
        return outputs


def as_read(expr: Expr, dtype: DType) -> Expr:
    return expr if expr.dtype is dtype else Cast(expr, dtype)
